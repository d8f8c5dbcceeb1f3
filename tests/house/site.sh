#!/bin/sh
# All documents and the reference as one site: made without a warning, without dead links, and with
# every public function in the reference.
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

# the ways of a newcomer: a document to the reference, the front page in dmoc.h's order
grep -q '<a href="[^"]*api/solve_8h.html' "$dir/site/docs/architecture.html" || { echo "no document leads to the reference"; exit 1; }
grep -oE '"[a-z_/]+\.h"' "$source/dmoc.h" | tr -d '"' | grep -v version >"$dir/order"
grep -oE '>(lib|control|optim|problems)/[a-z_/]*\.h<' "$dir/site/api/index.html" | tr -d '<>' >"$dir/shown"
diff "$dir/order" "$dir/shown" || { echo "the reference's front page is not in the order of dmoc.h"; exit 1; }

# a function of each room, with its arguments' shapes
for name in dm_del_step oc_solve fb_tvlqr_new pb_problem_read; do
  grep -rqE "memname.*$name " "$dir/site/api" || { echo "the reference has no $name"; exit 1; }
done
# a link that leads nowhere is seen
echo '<a href="nowhere.html">x</a>' >>"$dir/site/index.html"
! python3 "$here/site_links.py" "$dir/site" >/dev/null || { echo "a dead link is not seen"; exit 1; }
