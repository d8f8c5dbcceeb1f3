#!/bin/sh
# All documents and the reference as one site: generated without warnings, without dead links, and with every public
# function in the reference.
#   site.sh SOURCE
set -eu
source=$1 here=${0%/*}
for tool in doxygen cmark-gfm; do
  command -v $tool >/dev/null || { echo "skipped: the site (needs $tool)"; exit 77; }
done
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
export PYTHONDONTWRITEBYTECODE=1
python3 "$source/docs/site/site.py" "$source" "$dir/site"
python3 "$here/site_links.py" "$dir/site"

# navigation of a new user: from a document to the reference, the front page in the order of dmoc.h
grep -q '<a href="[^"]*api/solve_8h.html' "$dir/site/docs/architecture.html" || { echo "no document leads to the reference"; exit 1; }
grep -oE '"[a-z_/]+\.h"' "$source/dmoc.h" | tr -d '"' | grep -v version >"$dir/order"
grep -oE '>(lib|control|optim|problems)/[a-z_/]*\.h<' "$dir/site/api/index.html" | tr -d '<>' >"$dir/shown"
diff "$dir/order" "$dir/shown" || { echo "the reference's front page is not in the order of dmoc.h"; exit 1; }

# formulas are typeset, names of code are not; pages link forward and back, the last one only back
theory=$dir/site/docs/theory.html
grep -q '<i>p</i><sub>1</sub> = <i>D</i><sub>2</sub>(<i>q</i><sub>0</sub>' "$theory" || { echo "no formula is set"; exit 1; }
grep -q '<code>trapezoid</code>' "$theory" || { echo "a name of the code is set as a formula"; exit 1; }
page=index.html count=1
while next=$(grep -oE 'rel="next" href="[^"]*"' "$dir/site/$page" | cut -d'"' -f4) && [ -n "$next" ]; do
  next=$(realpath -m --relative-to="$dir/site" "$dir/site/$(dirname "$page")/$next")
  grep -q 'rel="prev"' "$dir/site/$next" || { echo "$next: no way back"; exit 1; }
  page=$next count=$((count + 1))
done
pages=$(sed -n '/<nav>/,/<\/nav>/p' "$dir/site/SECURITY.html" | grep -cE '^<a href="[^#"]')
[ "$count" = "$pages" ] || { echo "the way ends at $page, page $count of $pages"; exit 1; }
# the search finds sections and functions
for name in '"What is p?"' '"oc_solve"'; do
  grep -qF "$name" "$dir/site/sections.js" || { echo "the search does not know $name"; exit 1; }
done

# one function of each room, with the shapes of its arguments
for name in dm_del_step oc_solve fb_tvlqr_new pb_problem_read; do
  grep -rqE "memname.*$name " "$dir/site/api" || { echo "the reference has no $name"; exit 1; }
done
# a dead link is detected
echo '<a href="nowhere.html">x</a>' >>"$dir/site/index.html"
! python3 "$here/site_links.py" "$dir/site" >/dev/null || { echo "a dead link is not seen"; exit 1; }
