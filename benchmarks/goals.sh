#!/bin/sh
# Iterations of descend (newton, and with gaps) and of optimize to hard goals: docs/first-against-second.md.
#   benchmarks/goals.sh FILE...    of these problems
#   benchmarks/goals.sh            of 22 tasks with bounded torques and of 8 with parts of goals or with limits, generated
#                                  here from a few
set -eu
root=$(dirname "$(readlink -f "$0")")/..
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT

count() { # NAME FILE OPTION...: status and iterations
  name=$1
  shift
  "${DMOC:-$root/dmoc}" "$@" -o "$dir/out" --quiet 2>/dev/null |
    sed -n "s/^ *\(newton\|status\) *\([a-z_ ]*\) after \([0-9]*\) iterations.*/ $name \3 \2/p" | tail -n 1 | sed 's/ solved//' | tr -d '\n'
}

solve() { # FILE
  printf '%s' "$1"
  count descend descend "$1"
  count gaps descend "$1" --projection gaps
  count optimize optimize "$1"
  echo
}

if [ $# -gt 0 ]; then
  for file; do solve "$file"; done
  exit
fi
cd "$dir"
for m in acrobot cart-pole pendubot pendulum; do cp -r "$root/problems/$m" .; done

arm() { # NAME GOAL TIME: an arm of three links with a spring
  cat >"$1.yaml" <<EOF
model:
  bodies:
    - {name: upper, joints: [{name: a, type: ry}], mass: 2, centre: [0, 0, -0.25], inertia: [0.05, 0.05, 0.001]}
    - {name: mid, parent: upper, offset: {xyz: [0, 0, -0.5]}, joints: [{name: b, type: ry}], mass: 1.5, centre: [0, 0, -0.2], inertia: [0.03, 0.03, 0.001]}
    - {name: low, parent: mid, offset: {xyz: [0, 0, -0.4]}, joints: [{name: c, type: ry}], mass: 0.8, centre: [0, 0, -0.15], inertia: [0.01, 0.01, 0.001]}
  springs: [{name: s, joint: b, stiffness: 4, rest: 0.3}]
inputs:   [{joint: a, effort: 30}, {joint: b, effort: 12}, {joint: c, effort: 5}]
horizon:  {steps: 60, time: $3}
start:    {q: 0, v: 0}
goal:     {q: {$2}, v: 0}
cost:     {input: 1}
EOF
}

for t in 1.2 2; do
  arm "arm3-1-$t" 'a: 1.8, b: -0.9, c: 0.6' $t
  arm "arm3-2-$t" 'a: 2.5, b: 0.5, c: -1' $t
  arm "arm3-3-$t" 'a: -1.2, b: 1.5, c: 0' $t
  arm "arm3-4-$t" 'a: 3.1, b: 0, c: 0' $t
done
for t in 1 2.5; do
  for goal in '2, elbow: -1' '3.1416, elbow: 0' '-1, elbow: 2'; do
    sed "s/shoulder: 2, elbow: -1/shoulder: $goal/; s/time: 1.5/time: $t/" "$root/problems/two-link/descend.yaml" >"arm2 $goal $t.yaml"
  done
done
for file in *.yaml; do solve "$file"; done
for n in 70 100 150; do
  for m in acrobot pendubot; do
    sed "s/steps: 100/steps: $n/" $m/swing-up.yaml >"$m/$n.yaml"
    solve "$m/$n.yaml"
  done
done
for n in 50 200; do
  sed "s/steps: 100/steps: $n/" pendulum/bounded.yaml >"pendulum/$n.yaml"
  solve "pendulum/$n.yaml"
done

part() { # FILE NAME SED: with a part of its goal, or with limits, without its verification
  sed "/^verify/d; $3" "$1.yaml" >"$(dirname "$1")/$2.yaml"
  solve "$(dirname "$1")/$2.yaml"
}
cp "$root/problems/two-link/descend.yaml" two-link.yaml
part pendulum/bounded 'q: pi in 3 s' 's/, v: 0}$/}/; s/effort: 3}/effort: 30}/; s/time: 10/time: 3/'
part pendulum/bounded 'v: 3 in 3 s' 's/^goal:.*/goal: {v: {pivot: 3}}/; s/effort: 3}/effort: 30}/; s/time: 10/time: 3/'
part pendulum/bounded 'q: pi in 10 s' 's/, v: 0}$/}/; s/, effort: 3}/}/'
part acrobot/swing-up 'free v' 's/^\(goal:.*\), v: 0}/\1}/'
part cart-pole/swing-up 'free v' 's/^\(goal:.*\), v: 0}/\1}/'
part cart-pole/swing-up 'free slider' '/^goal/s/slider: 1, //'
part two-link 'free v' 's/^\(goal:.*\), v: 0}/\1}/'
part two-link 'limits' '/^goal/a bounds: {q: {shoulder: [-0.5, 2.2], elbow: [-1.5, 0.5]}, v: {shoulder: 4}}'
