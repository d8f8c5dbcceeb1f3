#!/bin/sh
# The short list of .clang-tidy on every source of the rooms. The list is clang-tidy 14's: others know more.
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
# what this build compiles, by its own words
compiled=$(cd "$build" && sed -n 's/^ *"file": "\(.*\)",*$/\1/p' compile_commands.json | xargs realpath --relative-to="$source" |
  sort -u | grep -E '^(lib|control|optim|problems|cli)/')
[ -n "$compiled" ] || { echo "no sources in $build/compile_commands.json"; exit 1; }
printf '%s\n' "$compiled" | xargs -P 2 -n 16 clang-tidy -p "$build" --quiet >"$log" 2>&1 && exit 0
grep -E '(warning|error):' "$log" | sort -u || cat "$log"
exit 1
