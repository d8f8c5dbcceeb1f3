#!/bin/sh
# The figures of docs/robustness.md: run benchmarks/robustness/*.yaml and the marionette, or those named, one
# after the other; some minutes each.
#   benchmarks/robustness.sh [-o DIR] [NAME...]
set -eu
root=$(cd "$(dirname "$0")/.." && pwd)
out=results
if [ "${1:-}" = -o ]; then
  out=$2
  shift 2
fi
[ $# -gt 0 ] || set -- pendulum cart-pole six-axis-arm acrobot pendubot acrobot-parameters \
  pendubot-parameters marionette
for name; do
  if [ "$name" = marionette ]; then # its file with additional sections
    "$root/dmoc" sweep "$root/problems/marionette/reference.yaml" --vary verify.samples=200 \
      --vary verify.required=0 --vary verify.scale.v=5 --vary verify.errors.mass=0.1 \
      --vary verify.noise.v=1e-2 --vary verify.noise.q=0,1e-4,1e-3 --run \
      -o "$out/robustness-marionette" --quiet
    continue
  fi
  "$root/dmoc" run "$root/benchmarks/robustness/$name.yaml" -o "$out/robustness-$name" --quiet
  "$root/dmoc" plot "$out/robustness-$name" --what robustness -o "$out/robustness-$name.svg" --quiet
done
