#!/bin/sh
# The figures of docs/robustness.md: benchmarks/robustness/*.yaml, or those named, one after the
# other; some minutes each.
#   benchmarks/robustness.sh [-o DIR] [NAME...]
set -eu
root=$(cd "$(dirname "$0")/.." && pwd)
out=results
if [ "${1:-}" = -o ]; then
  out=$2
  shift 2
fi
[ $# -gt 0 ] || set -- pendulum cart-pole six-axis-arm acrobot pendubot acrobot-parameters \
  pendubot-parameters
for name; do
  "$root/dmoc" run "$root/benchmarks/robustness/$name.yaml" -o "$out/robustness-$name" --quiet
  "$root/dmoc" plot "$out/robustness-$name" --what robustness -o "$out/robustness-$name.svg" --quiet
done
