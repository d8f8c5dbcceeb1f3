#!/bin/sh
# The commands that the documents show, and those that their figures are of, run again: their output must be the
# one that is printed there.
#   transcripts.sh DMOC SOURCE [--all] [--write] [DOCUMENT...]
# --all runs those that take long as well; --write puts what is printed now in the place of what differs;
# transcripts.py and figures.py say how documents are read. The commands run in a folder of their own, beside a
# copy of the worked problems, the benchmarks and the build.
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
