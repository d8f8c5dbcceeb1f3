#!/bin/sh
# Iterations of descend (newton) and optimize on 22 tasks with hard goals and bounded torques, generated here
# from a few: docs/first-against-second.md.
#   benchmarks/goals.sh
set -eu
root=$(dirname "$(readlink -f "$0")")/..
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
cd "$dir"
for m in acrobot pendubot pendulum; do cp -r "$root/problems/$m" .; done

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

solve() { # FILE
  for way in descend optimize; do
    "${DMOC:-$root/dmoc}" $way "$1" -o out --quiet 2>/dev/null | sed -n "s/^ *\(newton\|status\) *\([a-z_ ]*\) after \([0-9]*\) iterations.*/\2 \3/p" |
      tail -n 1 | sed "s|^|$1 $way |"
  done
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
