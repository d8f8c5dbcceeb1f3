#!/bin/sh
# Rolling constraints: bad input is named before a search, wheels of a URDF roll, and a page has them.
#   rolling.sh DMOC SOURCE
. "$(dirname "$0")/facts.sh"

# a disk under a car, with constraints $1 and a task whose start is $2
with() {
  cat >case.yaml <<YAML
model:
  bodies:
    - {name: car, joints: [{name: x, type: tx}, {name: y, type: ty}, {name: psi, type: rz}], mass: 1, inertia: [0.1, 0.1, 0.2]}
    - {name: wheel, parent: car, joints: [{name: th, type: ry}], mass: 1, inertia: [0.1, 0.2, 0.1]}
  constraints: [$1]
inputs: [{joint: th}, {joint: psi}]
horizon: {steps: 20, time: 1}
start: ${2:-"{q: 0, v: 0}"}
goal: {q: {x: 0.3, y: 0.05}}
cost: {input: 1}
YAML
}
disk='{name: disk, type: rolling, body: wheel, radius: 0.1}'
refused() { # by check, with these words
  ends 2 check case.yaml
  says "$1"
}

# --- words ---
with '{name: disk, type: rolling, body: wheel}'
refused "found no 'radius', expected one for the type rolling"
with '{name: disk, type: rolling, body: wheel, radius: -1}'
refused "model.constraints\[\].radius: found '-1', expected a number > 0"
with '{name: disk, type: rolling, body: wheel, radius: 0.1, ground: hill}'
refused "model.constraints\[\].ground: found the unknown body 'hill'"
with '{name: disk, type: rolling, body: wheel, radius: 0.1, ground: hills.csv}'
refused "model.constraints\[\].ground: found a height map, expected plane, or a body"
with '{name: disk, type: rolling, body: world, radius: 0.1}'
refused "constraint 'disk': no joint moves its body over the ground"
with '{name: disk, type: no-slip, bodies: [car, world], axis: [0, 1, 0], radius: 0.1}'
refused "found 'radius', expected none for the type no-slip"
with "$disk, $disk"
refused "found a second one named 'disk', expected every name once"
with '{name: disk, type: rolling, body: car, radius: 0.1, axis: [0, 0, 1]}'
refused "constraint 'disk': its axle is parallel to the normal of the ground"
with '{name: disk, type: rolling, body: wheel, radius: 0.1, axis: [0, 0, 1]}'
refused "start: constraint 'disk' has no directions there: is the axle of its wheel parallel to the normal of the ground?"
with "$disk, {name: a, type: no-slip, bodies: [car, world], axis: [1, 0, 0]}, {name: b, type: no-slip, bodies: [wheel, world], axis: [1, 0, 0], point: [0, 1, 0]}"
refused "the constraints leave no motion"
with "$disk" '{q: 0, v: {x: 0, y: 1, psi: 0, th: 0}, assemble: none}'
refused "start.v: the velocity violates the constraints; the nearest one that they allow has 0 for 'y', found 1"
with "$disk, {name: side, type: no-slip, bodies: [car, world], axis: [0, 1, 0]}"
ends 0 check case.yaml
says "case.yaml:5: constraint 'side' follows from the others in every position"

with '{name: law, type: formula, formula: v.y cos(q.psi) - v.x^2}'
refused "constraint 'law': its formula is not linear in velocities"
with '{name: law, type: formula, formula: q.y - 1}'
refused "constraint 'law': its formula has no velocity"
with '{name: law, type: formula, formula: v.yy}'
refused "model.constraints\\[\\].formula: found the unknown name 'v.yy'"
with '{name: law, type: formula, formula: v.y cos(q.psi) - v.x sin(q.psi)}'
ends 0 check case.yaml
sim='simulate: {time: 1, step: 0.01, start: {q: 0, v: {x: 1, y: 0, psi: 0.5, th: 0}}}'
echo "$sim" >>case.yaml
ends 0 simulate case.yaml -o formula
with '{name: law, type: no-slip, bodies: [car, world], axis: [0, 1, 0]}'
echo "$sim" >>case.yaml
ends 0 simulate case.yaml -o geometry
fact "a formula is the geometry that it describes" python3 -c '
import csv
a, b = ([*csv.DictReader(open(f"{d}/trajectory.csv"))][-1] for d in ("formula", "geometry"))
assert float(a["q.y"]) > 0.2 and all(abs(float(a[k]) - float(b[k])) < 1e-12 for k in a if k[0] == "q"), (a, b)
'
with '{name: law, type: formula, formula: v.y - 0.2 t}'
refused "found the time, expected coordinates and velocities only"
with '{name: belt, type: formula, formula: v.y - 0.2 - 0.1 q.x}'
ends 0 check case.yaml

# a ground that moves in time, by a clock; the wheel goes along with it
cat >clock.yaml <<YAML
model:
  gravity: [0, 0, 0]
  bodies:
    - {name: car, joints: [{name: x, type: tx}, {name: y, type: ty}], mass: 1}
    - {name: clock, joints: [{name: clock, type: tx}], mass: 1}
  constraints: [{name: tick, type: formula, formula: v.clock - 1}, {name: belt, type: formula, formula: v.y - 0.2 q.clock}]
inputs: []
simulate: {time: 1, step: 0.01, start: {q: 0, v: {x: 0.5, y: 0, clock: 1}}}
YAML
ends 0 simulate clock.yaml -o clock
fact "the belt carries it by 0.2 t^2/2" awk -F, 'END { exit !($3 > 0.5 - 1e-9 && $3 < 0.5 + 1e-9 && $4 > 0.1 - 1e-6 && $4 < 0.1 + 1e-6) }' clock/trajectory.csv
# rows that depend on each other at x = 0 alone, which the motion passes
cat >passes.yaml <<YAML
model:
  gravity: [0, 0, 0]
  bodies: [{name: cart, joints: [{name: x, type: tx}, {name: y, type: ty}, {name: yaw, type: rz}], mass: 3, inertia: [0.1, 0.1, 0.2]}]
  constraints: [{name: a, type: formula, formula: v.y}, {name: b, type: formula, formula: v.y + q.x v.yaw}]
inputs: [{name: push, body: cart, force: [1, 0, 0], frame: world}]
horizon: {steps: 21, time: 1}
start: {q: {x: -0.3, y: 0, yaw: 0}, v: 0}
goal: {q: {x: 0.3}, v: 0}
cost: {input: 1}
YAML
ends 0 optimize passes.yaml -o passes
says "constraint '[ab]' nearly follows from the others at knot"

# --- methods without them say so ---
with "$disk"
for section in 'rule: {lagrangian: simpson}' 'simulate: {method: energy-momentum, time: 1, step: 0.1}' 'mpc: {horizon: 5}'; do
  with "$disk"
  echo "$section" >>case.yaml
  refused "beside rolling constraints, expected"
done
# --- a plan, a descent, its page, and its robot in MuJoCo ---
with "$disk"
ends 0 optimize case.yaml -o plan
json plan/result.json "o['status'] == 'solved' and o['certificate']['step'] < 1e-8 and o['constraint']['residual'] < 1e-12"
ends 0 descend case.yaml -o descent
json descent/result.json "o['status'] == 'solved' and o['certificate']['step'] < 1e-8"
ends 0 report plan
ends 0 convert plan --to mujoco -o plan.xml
says "the rolling 'disk' is not in it"

# --- MuJoCo's friction in place of the constraints ---
verify='verify: {samples: 3, plants: all, spread: {q: {y: 0.01}, v: {psi: 0.01}}, scale: {q: {th: 100}, v: {th: 100}}, tolerance: 0.05, required: 1'
gains='feedback: {Q: {q: {x: 10, y: 10, psi: 10, th: 0}, p: 1}, R: 1, Qf: {q: {x: 10, y: 10, psi: 10, th: 0}, p: 1}}'
on_friction() { # with verify.slip $1
  with "$disk"
  sed -i '/goal:/s/.*/goal: {q: {x: 0.3, y: 0}, v: 0}/' case.yaml
  printf '%s\n%s%s}\n' "$gains" "$verify" "$1" >>case.yaml
}
on_friction ''
ends 0 run case.yaml -o grip
if grep -q 'this build has none' err; then
  echo "no MuJoCo: slip of wheels is not tested"
else
  json grip/result.json "abs(o['verify']['mujoco']['worst_final_error'] - o['verify']['continuous']['worst_final_error']) < 2e-3"
  json grip/result.json "o['verify']['mujoco']['slip']['wheel'] == 'disk' and 0 < o['verify']['mujoco']['slip']['length'] < 5e-3"
  on_friction ', slip: {friction: 0.01, limit: 0.02}'
  ends 1 run case.yaml -o ice
  says "on the mujoco plant"
  says "raise verify.slip.friction or slip.limit, or move more slowly"
  json ice/result.json "o['verify']['mujoco']['slip']['beyond'] == 3 and o['verify']['mujoco']['slip']['length'] > 0.02"

  # away from the ground, gravity's size presses it on, in any unit
  on_friction ''
  sed -i 's/^model:/&\n  gravity: [0, 0, 9.81]/' case.yaml
  ends 0 run case.yaml -o away
  json away/result.json "o['verify']['mujoco']['slip']['wheel'] == 'disk' and 0 < o['verify']['mujoco']['slip']['length'] < 5e-3"
fi
# without it, only the user knows what it weighs
for gravity in '0, 0, 0' '0, 0, 9.81' '0, 9.81, 0'; do
  on_friction ', slip: {friction: 0.5}'
  sed -i "s/^model:/&\n  gravity: [$gravity]/" case.yaml
  refused "verify.slip: found one of a robot that its gravity does not press on the ground, expected its weight"
done
with "$disk"
printf '%s\nverify: {samples: 3, slip: {friction: 0.5}}\n' "$gains" >>case.yaml
refused "verify.slip: found one without verify.plants: all, expected it for wheels in MuJoCo"
on_friction ''
sed -i 's/type: rolling.*/&, {name: side, type: no-slip, bodies: [car, world], axis: [0, 1, 0]}]/; s/}\], {name: side/}, {name: side/' case.yaml
ends 0 run case.yaml -o edge
says "not verified in MuJoCo: .*'side' is no wheel or ball"

# --- wheels of a URDF ---
cp "$source/problems/wheels/drive.urdf" "$source/problems/wheels/post.yaml" .
ends 0 info post.yaml
fact "the radius is that of the cylinder" grep -q '^rolling left_wheel, radius 0.08 m$' out
sed -i 's/rolling: \[left_wheel, right_wheel\]/rolling: [left_wheel, base_link]/' post.yaml
ends 2 info post.yaml
says "model.rolling\[\]: 'base_link' has no axle"
sed -i 's/base_link\]/rigth_wheel]/' post.yaml
ends 2 info post.yaml
says "model.rolling\[\]: found 'rigth_wheel', expected a link or a joint"
sed -i 's/rigth_wheel/right/' post.yaml
sed -i '/<collision>/d' drive.urdf
ends 2 info post.yaml
says "model.rolling\[\]: 'left_wheel' has no radius: found nothing round"
# all wheels of a car with one angle for both front wheels agree only straight ahead
cp "$source/tests/robots/wheels/four_wheels.urdf" "$source/tests/robots/wheels/four_wheels.yaml" .
sed -i 's/front_left_wheel\]/front_left_wheel, front_right_wheel]/' four_wheels.yaml
ends 2 optimize four_wheels.yaml
says "constraint 'front_right_wheel' repeats what follows from the others: [0-9]* of [0-9]* are independent there"

# --- a rod with two ball joints spins about itself, between fixed ends ---
cat >rod.yaml <<YAML
model:
  gravity: [0, 0, 0]
  bodies: [{name: rod, joints: [{name: ball, type: ball}], mass: 1, centre: [0.25, 0, 0], inertia: [0.01, 0.02, 0.02]}]
  constraints: [{name: end, type: line, axis: [1, 0, 0], bodies: [rod, world], points: [[0.5, 0, 0], [0.5, 0, 0]]}]
inputs: []
simulate: {time: 1, step: 0.01, start: {q: {ball: 0}, v: {ball: [5, 0, 0]}}}
YAML
ends 0 simulate rod.yaml -o rod
fact "it turns by 5 rad, but for h^2" python3 -c '
import csv, math
r = [*csv.DictReader(open("rod/trajectory.csv"))][-1]
w, x, y, z = (float(r["q.ball.q" + k]) for k in "wxyz")
assert abs(2 * math.atan2(x, w) % (2 * math.pi) - 5) < 5e-3 and abs(y) + abs(z) < 1e-9, r
'
sed 's/near: {ball: 0, rocker: 0}/near: {rocker: 0}/' "$source/problems/four-bar/rod.yaml" >free.yaml
ends 1 optimize free.yaml
says "the turn of 'ball' is free at the start"

# --- a differential gear: its wheels turn in the inverse ratio of their inertias ---
gear() { # with coordinates $1 and ratios $2
  cat >gear.yaml <<YAML
model:
  gravity: [0, 0, 0]
  bodies:
    - {name: left, joints: [{name: l, type: ry}], mass: 1, inertia: [0.02, 0.02, 0.02]}
    - {name: right, joints: [{name: r, type: ry}], mass: 1, inertia: [0.03, 0.03, 0.03]}
    - {name: shaft, joints: [{name: s, type: ry}], mass: 1, inertia: [0.05, 0.05, 0.05]}
  constraints: [{name: differential, type: equal, coordinates: $1, ratio: $2}]
inputs: [{joint: s, effort: 5}]
horizon: {steps: 20, time: 1}
start: {q: 0, v: 0}
goal: {q: {s: 1}, v: 0}
cost: {input: 1}
YAML
}
gear '[s, l, r]' '[0.5, 0.5]'
ends 0 optimize gear.yaml -o gear
fact "wheels turn by 1.2 and 0.8" awk -F, 'END { exit !($3 > 1.1999999 && $3 < 1.2000001 && $4 > 0.7999999 && $4 < 0.8000001) }' gear/trajectory.csv
ends 0 convert gear --to mujoco -o gear.xml
says "the constraint 'differential' is not in it"
gear '[s, l, r]' '[0.5]'
ends 2 check gear.yaml
says "model.constraints\\[\\].ratio: found a list of 1, expected 2 numbers, of each coordinate behind the first"
gear '[s, l, l]' 0.5
ends 2 check gear.yaml
says "model.constraints\\[\\].coordinates: found 'l' twice, expected each once"
gear '[s]' 0.5
ends 2 check gear.yaml
says "model.constraints\\[\\].coordinates: found a list of 1, expected a list of 2 to 8 names"
exit $failed
