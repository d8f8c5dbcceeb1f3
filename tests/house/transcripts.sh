#!/bin/sh
# The commands that the documents show, run again: their output must be the one that is printed there.
#   transcripts.sh DMOC SOURCE [--write] [DOCUMENT...]
# --write puts what is printed now in the place of what differs; transcripts.py says how documents
# are read. The commands run in a folder of their own, beside a copy of the worked problems.
set -eu
dmoc=$(readlink -f "$1") source=$(readlink -f "$2")
shift 2
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
cp -r "$source/problems" "$dir/problems"
mkdir "$dir/docs" "$dir/bin"
# as `./dmoc`, the launcher, and as the installed `dmoc`
printf '#!/bin/sh\nexec "%s" "$@"\n' "$dmoc" >"$dir/bin/dmoc"
chmod +x "$dir/bin/dmoc"
ln -s bin/dmoc "$dir/dmoc"
PATH=$dir/bin:$PATH
export PATH
python3 "$(dirname "$0")/transcripts.py" "$dir" "$source" "$@"
