#!/bin/sh
# Compute the scores of the controllers that `dmoc export --all` writes for problems/bench, by the six
# criteria of the test bench on equations of motion independent of dmoc (score.c): one line each.
#   benchmarks/outside/score.sh [KEY=VALUE]... (seed, passive, list, counts: score.c)
# MOMENTUM: p in the controllers velocity and difference, exact (controller_momentum), or linear, from the table;
# `difference` is the controller that `dmoc run` exports.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
root=$(cd "$here/../.." && pwd)
dmoc=${DMOC:-$root/dmoc}
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
cp "$root"/problems/bench/* "$dir"
for robot in ${ROBOTS:-acrobot pendubot}; do
  # gains are in (q, p) in any case, and all controllers are written from them
  sed -i "s/^  momentum: .*/  momentum: ${MOMENTUM:-exact}/" "$dir/$robot.yaml"
  "$dmoc" gains "$dir/$robot.yaml" -o "$dir/$robot" --quiet >/dev/null
  "$dmoc" export "$dir/$robot" --all --force --quiet >/dev/null
  ${CC:-cc} -std=c11 -D_DEFAULT_SOURCE -O2 -ffp-contract=off -I"$dir/$robot" "$here/score.c" \
    "$dir/$robot/controller.c" -lm -o "$dir/score"
  h=$(sed -n 's/.* h = \([-+0-9.e]*\) s;.*/\1/p' "$dir/$robot/controller.h")
  for law in ${LAWS:-velocity difference positions}; do
    printf '%s %s: ' "$robot" "$law"
    "$dir/score" "$law" "$h" "${robot%%-*}" "$@" | tr '\n' ';' | sed 's/;$//'
    echo
  done
done
