#!/bin/sh
# Numbers of a robot that are sought with its motion: what comes out, and what is of the robot that
# comes out; what is refused.
#   design.sh DMOC SOURCE
# shellcheck source=tests/cli/facts.sh
. "$(dirname "$0")/facts.sh"

# --- a mass between two places of rest in T: the spring that does it alone ---
cat >spring.yaml <<'YAML'
model:
  bodies: [{name: block, joints: [{name: x, slide: [1, 0, 0], effort: 100}], mass: 2}]
  springs: [{name: s, joint: x, stiffness: 3}]
design:   [{name: stiffness, at: model.springs.0.stiffness, within: [0, 40]}]
horizon:  {steps: 20, time: 1.5}
start:    {q: -1, v: 0}
goal:     {q: 1, v: 0}
cost:     {input: 1}
YAML
ends 0 optimize spring.yaml -o spring
fact "it shows stiffness 8.80919 (was 3), between its bounds" grep -q -e 'stiffness 8.80919 (was 3), between its bounds' out
cat >stiff.py <<'PYTHON'
import json, math
r = json.load(open("spring/result.json"))
h = 1.5 / 20
k = 8 * math.tan(math.pi / 40) ** 2 / h ** 2
p = r["design"]["parameters"][0]
assert abs(p["value"] - k) < 1e-6 and p["was"] == 3 and p["at_bound"] is None and abs(p["slope"]) < 1e-6
assert r["objective"] < 1e-12 and r["design"]["degree"] == 1
assert float(r["replaced"]["model.springs.0.stiffness"]) == p["value"]
PYTHON
fact "the stiffness is that of half a period" python3 stiff.py
"$dmoc" optimize spring.yaml --solver ipopt -o by-ipopt >out 2>err </dev/null
if grep -q 'no IPOPT' err; then
  echo "skipped: the solver of a design by name (built without IPOPT)"
else
  fact "the solver that is asked for seeks the parameters, too" \
    python3 -c 'import json; assert json.load(open("by-ipopt/result.json"))["design"]["solver"] == "ipopt"'
fi
ends 0 check spring.yaml
fact "it shows 13 of 13 blocks agree with differences" grep -q -e '13 of 13 blocks agree with differences' out

# --- a pole whose length stands in two places: gains and controller are of the robot that comes out ---
cat >pole.yaml <<'YAML'
model:
  bodies:
    - {name: cart, joints: [{name: slider, slide: [1, 0, 0], effort: 20, limits: [-2, 2]}], mass: 1}
    - {name: pole, parent: cart, joints: [{name: pole, rotate: [0, 1, 0]}], mass: 0.3, centre: [0, 0, -0.5]}
outputs: [{name: tip, type: position, bodies: pole, points: [0, 0, -0.5]}]
design:
  - {name: length, at: {model.bodies.1.centre.2: -1, outputs.0.points.2: -1}, within: [0.3, 0.9], weight: 2000, prefer: 0.6}
  - {name: mass, at: model.bodies.1.mass, within: [0.2, 0.5], price: 5}
horizon:  {steps: 40, time: 2}
start:    {q: 0, v: 0}
goal:     {q: {slider: 1, pole: pi}, v: 0}
cost:     {input: 1}
feedback: {Q: {q: 100, p: 1}, R: 0.1, Qf: riccati}
verify:   {samples: 20, seed: 1, spread: {q: 0.02, v: 0.02}, tolerance: 0.05}
YAML
ends 0 run pole.yaml -o pole
fact "it shows mass 0.2 (was 0.3), at its low bound" grep -q -e 'mass 0.2 (was 0.3), at its low bound' out
fact "it shows 20 of 20 succeeded on the continuous plant" grep -q -e '20 of 20 succeeded on the continuous plant' out
cat >pole.py <<'PYTHON'
import json
r = json.load(open("pole/result.json"))
length, mass = r["design"]["parameters"]
assert mass["at_bound"] == "low" and mass["slope"] > 0 and length["at_bound"] is None
assert abs(r["outputs"]["tip"]["z"]["end"] - length["value"]) < 1e-9, "the tip is as far as the pole is long"
own = 1000 * (length["value"] - 0.6) ** 2 + 5 * mass["value"]
assert abs(r["design"]["objective"] - own - r["objective"]) < 1e-6 * r["objective"]
PYTHON
fact "the costs add up" python3 pole.py
ends 0 gains pole
ends 0 verify pole
fact "it shows 20 of 20 succeeded on the continuous plant" grep -q -e '20 of 20 succeeded on the continuous plant' out

# --- the coupler of a four-bar: constraints determine the start, another one by each length ---
cat >bars.yaml <<'YAML'
model:
  bodies:
    - {name: crank, joints: [ry], mass: 0.4, centre: [0.075, 0, 0], inertia: [0, 0.001, 0.001]}
    - {name: coupler, parent: crank, offset: {xyz: [0.15, 0, 0]}, joints: [ry], mass: 0.6, centre: [0.2, 0, 0], inertia: [0, 0.008, 0.008]}
    - {name: rocker, offset: {xyz: [0.4, 0, 0]}, joints: [ry], mass: 1.5, centre: [0.25, 0, 0], inertia: [0, 0.02, 0.02]}
  constraints:
    - {name: pin, type: line, bodies: [coupler, rocker], points: [[0.4, 0, 0], [0.3, 0, 0]], axis: [0, 1, 0]}
inputs:   [{joint: crank, effort: 6}]
design:   [{name: length, at: model.constraints.0.points.0.0, within: [0.35, 0.45], weight: 1, prefer: 0.42}]
horizon:  {steps: 60, time: 0.8}
start:    {q: {crank: 0, coupler: free, rocker: free}, v: 0, near: {coupler: -60 deg, rocker: -90 deg}}
goal:     {q: {crank: 2, coupler: free, rocker: free}, v: 0}
cost:     {input: 1}
YAML
ends 2 optimize bars.yaml
says "design: the start changes with the parameters, .* determine free, with 'assemble: none'"
sed 's|-90 deg}}|-90 deg}, assemble: none}|' bars.yaml >loop.yaml
ends 0 optimize loop.yaml -o loop
for at in 0.409 0.4115; do
  sed "/^design/d; s|points: \[\[0.4|points: [[$at|" loop.yaml >fixed.yaml
  ends 0 optimize fixed.yaml --from loop -o "fixed-$at"
done
cat >loop.py <<'PYTHON'
import json
best = json.load(open("loop/result.json"))["design"]
assert best["parameters"][0]["at_bound"] is None
for at in 0.409, 0.4115:
    own = (at - 0.42) ** 2 / 2
    assert json.load(open(f"fixed-{at}/result.json"))["objective"] + own > best["objective"] + 1e-6
PYTHON
fact "no length beside is better" python3 loop.py

# --- what cannot be ---
sed 's|within: \[0.2, 0.5\]|within: [0.2, 0.25]|' pole.yaml >narrow.yaml
ends 2 optimize narrow.yaml
says "narrow.yaml:8:51: .* expected it to have 0.3, which .mass. is in the file"
sed 's|at: model.springs.0.stiffness, within: \[0, 40\]|at: model.bodies.0.joints.0.effort, within: [50, 200]|' spring.yaml >effort.yaml
ends 2 optimize effort.yaml
says 'design: a limit of inputs changes with the parameters'
sed 's|at: model.springs.0.stiffness, within: \[0, 40\]|at: model.bodies.0.inertia.0, within: [0, 9]|
  s|mass: 2}|mass: 2, inertia: [1, 1, 1]}|' spring.yaml >idle.yaml
ends 2 optimize idle.yaml
says "design: found 'stiffness', on which nothing depends between 0 and 9"
sed 's|at: model.springs.0.stiffness, within: \[0, 40\]|at: model.bodies.0.mass, within: [1, 4]|' spring.yaml >mass.yaml
echo 'outputs: [{name: P, type: momentum}]' >>mass.yaml
ends 0 check mass.yaml
sed 's|type: momentum|type: angular-momentum, points: [0, 0, 1]|' mass.yaml >moment.yaml
ends 0 check moment.yaml
echo 'solver: {max_time: 1e-9}' | cat spring.yaml - >late.yaml
ends 1 optimize late.yaml
says 'design: time_limit after'
ends 2 descend spring.yaml
says 'spring.yaml:4:1: found numbers of the robot left open .design., expected none'
ends 2 sweep spring.yaml --vary model.springs.0.stiffness=1:9:3 -o swept
says '.--vary: found model.springs.0.stiffness, a number that spring.yaml leaves open'
exit $failed
