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
with '{name: belt, type: formula, formula: v.y - 0.2 - 0.1 q.x}'
ends 0 check case.yaml

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
  json ice/result.json "o['verify']['mujoco']['slip']['beyond'] == 3 and o['verify']['mujoco']['slip']['length'] > 0.02"
fi
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
