#!/bin/sh
# Run a problem with some values replaced, as one case of a sweep, and print its result.json.
#   benchmarks/vary.sh [--optimize] PROBLEM [KEY=VALUE...]
# Keys are as in a sweep: feedback.measure=positions. DMOC: the program.
set -eu
root=$(cd "$(dirname "$0")/.." && pwd)
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
to=--run
if [ "$1" = --optimize ]; then
  to=
  shift
fi
problem=$1
shift
for pair; do
  set -- "$@" --vary "$pair"
  shift
done
[ $# -gt 0 ] || set -- --vary verify.seed=1
# shellcheck disable=SC2086 # a word or none
"${DMOC:-$root/dmoc}" sweep "$problem" "$@" $to --keep -o "$dir/sweep" --quiet >"$dir/out" 2>&1 || [ $? = 1 ] || {
  cat >&2 "$dir/out"
  exit 2
}
cat "$dir"/sweep/*/result.json
