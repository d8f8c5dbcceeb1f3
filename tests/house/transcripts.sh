#!/bin/sh
# Run the commands that the documents show, and the commands of their figures: the output must be the one printed in
# the document.
#   transcripts.sh DMOC SOURCE [--all] [--write] [DOCUMENT...]
# --all also runs those that take long; --write replaces differing output in the document; transcripts.py and
# figures.py describe how documents are read. The commands run in a temporary folder, next to a copy of the worked
# problems, the benchmarks and the build.
set -eu
dmoc=$(readlink -f "$1") source=$(readlink -f "$2")
shift 2
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
cp -r "$source/problems" "$dir/problems"
mkdir "$dir/docs" "$dir/bin"
ln -s "$source/benchmarks" "$dir/benchmarks"
ln -s "$source/tests" "$dir/tests"
ln -s "$(dirname "$(dirname "$dmoc")")" "$dir/build"
# as `./dmoc`, the launcher, and as the installed `dmoc`
printf '#!/bin/sh\nexec "%s" "$@"\n' "$dmoc" >"$dir/bin/dmoc"
chmod +x "$dir/bin/dmoc"
ln -s bin/dmoc "$dir/dmoc"
PATH=$dir/bin:$PATH
export PATH
python3 "$(dirname "$0")/transcripts.py" "$dir" "$source" "$@"
