#!/bin/sh
# Reproduce the study of docs/two-point.md: run problems/two-point, print the growth of alternating parts, and
# draw figures 4 to 9 of paper 000 into a folder.
#   benchmarks/two-point.sh [FOLDER]    (default: docs)
set -eu
root=$(dirname "$(readlink -f "$0")")/..
dmoc=${DMOC:-$root/dmoc}
out=$(readlink -f "${1:-$root/docs}")
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
cd "$dir"

for file in "$root"/problems/two-point/c*.yaml "$root"/problems/two-point/l*.yaml; do
  "$dmoc" simulate "$file" --quiet -o "$(basename "$file" .yaml)" >/dev/null
done
# in the last window: residuals, then multipliers
for run in improved half tenth; do
  printf 'two-point.circle-xy-%s.growth %s a step\n' $run \
    "$(grep '"growth"' "circle-xy-$run/result.json" | tail -n 2 | sed -n '1s/[^0-9]*\([0-9.]*\).*/\1/p')"
done

# figure NAME WORDS..: draw the picture of this name
figure() {
  name=$1
  shift
  "$dmoc" plot "$@" --quiet -o "$out/two-point-$name.svg" >/dev/null 2>&1
}
circle='--xrange -1.4:1.4 --yrange -1.4:1.4'
# shellcheck disable=SC2086 # words
{
  figure 4 circle-xy-one circle-xy-two --what path --each $circle
  figure 5 circle-xy-two circle-xy-wobble --what path --each $circle
  figure 6 circle-polar-one circle-polar-two --what path --each $circle
}
figure 7 circle-polar-one circle-polar-two --x k --y lambda.circle --xrange 1:65
figure 8 line-xy-one line-xy-two --what path --each
figure 8-multipliers line-xy-one line-xy-two --x k --y lambda.line --xrange 1:65
figure 9 line-polar-one line-polar-two --what path --each --xrange -3:1.5 --yrange -2:2.5
figure 9-multipliers line-polar-one line-polar-two --x k --y lambda.line
figure growth circle-xy-improved circle-xy-half circle-xy-tenth circle-xy-steady --y alternating \
  --log y --xrange 0:3 --names 'h 0.01,h 0.005,h 0.001,rounding alone'
