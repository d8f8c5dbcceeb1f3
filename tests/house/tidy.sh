#!/bin/sh
# The short list of checks in .clang-tidy on every source. The list is for clang-tidy 14: other versions know more
# checks.
#   tidy.sh SOURCE BUILD
set -u
source=$(readlink -f "$1") build=$(readlink -f "$2")
case $(clang-tidy --version 2>/dev/null) in
*' version 14.'*) ;;
*)
  echo "skipped: the list of .clang-tidy (needs clang-tidy 14)"
  exit 77
  ;;
esac
log=$(mktemp)
trap 'rm -f "$log"' EXIT
cd "$source" || exit 3
# files compiled by this build, from its compilation database
compiled=$(cd "$build" && sed -n 's/^ *"file": "\(.*\)",*$/\1/p' compile_commands.json | xargs realpath --relative-to="$source" |
  sort -u | grep -E '^(lib|control|optim|problems|cli)/')
[ -n "$compiled" ] || { echo "no sources in $build/compile_commands.json"; exit 1; }
printf '%s\n' "$compiled" | xargs -P 2 -n 16 clang-tidy -p "$build" --quiet >"$log" 2>&1 && exit 0
grep -E '(warning|error):' "$log" | sort -u || cat "$log"
exit 1
