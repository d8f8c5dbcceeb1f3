#!/bin/sh
# Close the loop of every controller that `dmoc export --all` writes for a problem with MuJoCo (loop.c): one
# line `PROBLEM LAW held N of M, worst X` each. Needs MuJoCo's library and header.
#   benchmarks/outside/loop.sh [-n SAMPLES] [NAME...]    (default: 200 samples, all)
set -eu
here=$(cd "$(dirname "$0")" && pwd)
root=$(cd "$here/../.." && pwd)
dmoc=${DMOC:-$root/dmoc}
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
samples=200
if [ "${1:-}" = -n ]; then
  samples=$2
  shift 2
fi
wanted=" $* "

# close NAME PROBLEM ROBOT KEY=VALUE...: start errors, tolerances, model errors and noise as in the problem's
# `verify`
close() {
  name=$1 problem=$root/$2 robot=$root/$3
  [ -e "$problem" ] || problem=$2
  shift 3
  [ "$wanted" = "  " ] || [ "${wanted#* "$name" }" != "$wanted" ] || return 0
  # the verdict of `run` is irrelevant here
  "$dmoc" run "$problem" -o "$dir/$name" --quiet >/dev/null 2>&1 || :
  "$dmoc" export "$dir/$name" --all --force --quiet >/dev/null
  parts=
  laws="state velocity positions"
  if grep -q controller_first "$dir/$name/controller.h"; then parts=-DLATE; fi
  if grep -q controller_begin "$dir/$name/controller.h"; then parts=-DFILTER laws=encoders; fi
  # shellcheck disable=SC2086 # a word or none
  ${CC:-cc} -std=c11 -D_DEFAULT_SOURCE -O2 -ffp-contract=off $parts -I"$dir/$name" "$here/loop.c" \
    "$dir/$name/controller.c" -lmujoco -lm -o "$dir/loop"
  h=$(sed -n 's/.* h = \([-+0-9.e]*\) s;.*/\1/p' "$dir/$name/controller.h")
  for law in $laws; do
    printf '%s %s ' "$name" $law
    "$dir/loop" "$robot" "$dir/$name/trajectory.csv" $law "$h" samples="$samples" "$@"
  done
}

# change FOLDER FILE WORDS: the problem with more keys in its feedback, as $dir/FOLDER-WORDS/FILE
change() {
  cp -r "$root/problems/$1" "$dir/$1-${3%%:*}"
  sed -i "s/^feedback: {/feedback: {$3, /" "$dir/$1-${3%%:*}/$2"
}
change six-axis-arm reach.yaml "rate: 200"
change six-axis-arm reach.yaml "delay: 1"
change pendulum swing-up.yaml "delay: 1"
change acrobot swing-up.yaml "delay: 1"
change pendubot swing-up.yaml "delay: 1"
change quadrotor flip.yaml "delay: 1"

off="mass=0.1 noise_q=1e-3 noise_v=1e-2 noise_u=0.1"
# shellcheck disable=SC2086 # words
{
  close pendulum problems/pendulum/swing-up.yaml problems/pendulum/pendulum.urdf gravity=9.8 q=0.1 v=0.1 tol_q=0.05 tol_v=0.05
  close cart-pole problems/cart-pole/swing-up.yaml problems/cart-pole/cart-pole.urdf q=0.05 v=0.1 tol_q=0.05 tol_v=0.05
  close cart-pole-late problems/cart-pole/encoders.yaml problems/cart-pole/cart-pole.urdf q=0.05 v=0.1 tol_q=0.05 tol_v=0.05
  close cart-pole-neighbours problems/cart-pole/neighbours.yaml problems/cart-pole/cart-pole.urdf q=0.05 v=0.1 tol_q=0.05 tol_v=0.05
  close acrobot problems/acrobot/swing-up.yaml problems/acrobot/acrobot.urdf q=0.02 v=0.02 tol_q=0.1 tol_v=0.1
  close acrobot-hold problems/acrobot/hold.yaml problems/acrobot/acrobot.urdf q=0.02 v=0.02 tol_q=0.35 tol_v=1 $off
  close pendubot problems/pendubot/swing-up.yaml problems/pendubot/pendubot.urdf q=0.02 v=0.02 tol_q=0.1 tol_v=0.1
  close six-axis-arm problems/six-axis-arm/reach.yaml problems/six-axis-arm/arm.urdf q=0.05 v=0.05 tol_q=0.05 tol_v=0.05
  close six-axis-arm-200 "$dir/six-axis-arm-rate/reach.yaml" problems/six-axis-arm/arm.urdf q=0.05 v=0.05 tol_q=0.05 tol_v=0.05
  close quadrotor problems/quadrotor/flip.yaml benchmarks/outside/quadrotor.xml q=0.05 v=0.1 tol_q=0.1 tol_v=0.1
  close acrobot-balance problems/acrobot/balance.yaml problems/acrobot/acrobot.urdf q=0.02 v=0.02 tol_q=0.02 tol_v=0.02
  close pendubot-balance problems/pendubot/balance.yaml problems/pendubot/pendubot.urdf q=0.02 v=0.02 tol_q=0.02 tol_v=0.02
  close cart-pole-balance problems/cart-pole/balance.yaml problems/cart-pole/cart-pole.urdf q=0.1 v=0.1 tol_q=0.02 tol_v=0.02
  close cart-pole-estimate problems/cart-pole/estimate.yaml problems/cart-pole/cart-pole.urdf q=0.05 v=0.05 tol_q=0.2 tol_v=0.2 noise_q=2e-3
  # inputs delayed by one step
  close pendulum-late "$dir/pendulum-delay/swing-up.yaml" problems/pendulum/pendulum.urdf gravity=9.8 q=0.1 v=0.1 tol_q=0.05 tol_v=0.05
  close acrobot-late "$dir/acrobot-delay/swing-up.yaml" problems/acrobot/acrobot.urdf q=0.02 v=0.02 tol_q=0.1 tol_v=0.1
  close pendubot-late "$dir/pendubot-delay/swing-up.yaml" problems/pendubot/pendubot.urdf q=0.02 v=0.02 tol_q=0.1 tol_v=0.1
  close six-axis-arm-late "$dir/six-axis-arm-delay/reach.yaml" problems/six-axis-arm/arm.urdf q=0.05 v=0.05 tol_q=0.05 tol_v=0.05
  close quadrotor-late "$dir/quadrotor-delay/flip.yaml" benchmarks/outside/quadrotor.xml q=0.05 v=0.1 tol_q=0.1 tol_v=0.1
  # the machines of docs/robustness.md
  close robust-pendulum benchmarks/robustness/pendulum.yaml problems/pendulum/pendulum.urdf gravity=9.8 q=0.05 v=0.05 tol_q=0.1 tol_v=0.5 $off
  close robust-cart-pole benchmarks/robustness/cart-pole.yaml problems/cart-pole/cart-pole.urdf q=0.05 v=0.05 tol_q=0.1 tol_v=0.5 $off
  close robust-six-axis-arm benchmarks/robustness/six-axis-arm.yaml problems/six-axis-arm/arm.urdf q=0.05 v=0.05 tol_q=0.05 tol_v=0.5 wrist=0.1 $off
  close robust-acrobot benchmarks/robustness/acrobot.yaml problems/acrobot/acrobot.urdf q=0.02 v=0.02 tol_q=0.35 tol_v=1 $off
  close robust-pendubot benchmarks/robustness/pendubot.yaml problems/pendubot/pendubot.urdf q=0.02 v=0.02 tol_q=0.35 tol_v=1 $off
}
