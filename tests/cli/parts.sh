#!/bin/sh
# A part of a robot, friction in a joint, in all that asks for parts: info, plan, check, gains, a plant with errors, the file
# for MuJoCo, and a sweep by its path; and who does not have it says so by name.
#   parts.sh DMOC SOURCE
. "$(dirname "$0")/facts.sh"

cp -r "$source/problems/cart-pole" .
with() { sed "s/^model:.*/model: {robot: cart-pole.urdf, gravity: [0, 0, -9.81], friction: [$1]}/" "$source/problems/cart-pole/swing-up.yaml" >cart-pole/rub.yaml; }

# --- words ---
with '{joint: pol, force: 0.1, smooth: 0.05}'
ends 2 optimize cart-pole/rub.yaml
says "model.friction\[\].joint: found the unknown coordinate 'pol', expected one of slider, pole; did you mean 'pole'"
with '{joint: pole, force: -0.1, smooth: 0.05}'
ends 2 optimize cart-pole/rub.yaml
says "model.friction\[\].force: found '-0.1', expected a number >= 0"
with '{joint: pole, force: 0.1}'
sed -i 's/^feedback:.*/feedback: {rate: 100}/' cart-pole/rub.yaml
ends 2 optimize cart-pole/rub.yaml
says "feedback.rate: found 100 beside dry friction of 'pole', expected none"
with '{joint: pole, force: 0.1, smooth: 0.05}, {joint: pole, force: 0.2, smooth: 0.05}'
ends 2 optimize cart-pole/rub.yaml
says "found a second one named 'pole', expected every name once"

with '{joint: pole, force: 0.2, static: 0.1, stribeck: 0.1}'
ends 2 optimize cart-pole/rub.yaml
says "rub.yaml:[0-9]*:[0-9]*: model.friction\[\].static: found 0.1 of 'pole', expected at least its force 0.2"
with '{joint: pole, force: 0.2, static: 0.3}'
ends 2 optimize cart-pole/rub.yaml
says "model.friction\[\].static: found it of 'pole' without 'stribeck', expected the speed"
with '{joint: pole, force: 0.2, stribeck: 0.3}'
ends 2 optimize cart-pole/rub.yaml
says "model.friction\[\].stribeck: found it of 'pole' without 'static', expected the force"
with '{joint: pole, smooth: 0.05}'
ends 2 optimize cart-pole/rub.yaml
says "model.friction\[\]: found no term of 'pole', expected 'force', 'static', 'viscous' or 'offset'"

# --- all terms ---
with '{joint: slider, force: 0.5, static: 0.7, stribeck: 0.1, viscous: 0.2, offset: 0.1, smooth: 0.05}'
ends 0 info cart-pole/rub.yaml
fact "info prints all terms" grep -q '^friction slider, 0.5 N, 0.7 N at rest until 0.1 m/s, viscous 0.2 N per m/s, offset 0.1 N, smooth over 0.05 m/s$' out
ends 0 check cart-pole/rub.yaml
sed 's/^verify:.*/verify: {samples: 4, seed: 1, spread: {q: 0.02}, tolerance: 0.05, plants: all, errors: {parts: {friction.slider.stribeck: 0.1, friction.slider.viscous: 0.5, friction.slider.static: 0.5}}}/' cart-pole/rub.yaml >cart-pole/terms.yaml
"$dmoc" run cart-pole/terms.yaml -o terms >out 2>err </dev/null
json terms/result.json "o['status'] == 'solved' and o['verify']['continuous']['rate'] == 1"
fact "MuJoCo's plant names a joint whose friction falls" grep -q "has no friction that falls with speed: 'slider' has static above its force" err
with '{joint: slider, force: 0.5, viscous: 0.2, offset: 0.1, smooth: 0.05}'
sed 's/^verify:.*/verify: {samples: 1, tolerance: 1, errors: {parts: {friction.slider.static: 0.1}}}/' cart-pole/rub.yaml >cart-pole/terms.yaml
ends 2 check cart-pole/terms.yaml
says "verify.errors.parts: found 'static' of 'slider', expected one of force, smooth, static"
ends 0 convert terms --to mujoco -o terms.xml
says "the friction 'slider' is in it without its static and offset"
fact "MuJoCo has its force and damping" grep -q 'name="slider".*damping="0.2" frictionloss="0.5"' terms.xml

# --- each consumer has it ---
with '{joint: slider, force: 0.5, smooth: 0.05}'
ends 0 info cart-pole/rub.yaml
fact "info prints it" grep -q '^friction slider, 0.5 N, smooth over 0.05 m/s$' out
ends 0 info cart-pole/rub.yaml --json
json out "o['friction'] == ['slider'] and o['spring'] == []"
ends 0 check cart-pole/rub.yaml
ends 0 optimize "$source/problems/cart-pole/swing-up.yaml" -o free
ends 0 run cart-pole/rub.yaml -o rub
json rub/result.json "o['status'] == 'solved' and o['objective'] > 1.01 * $(value free/result.json "o['objective']")"
json rub/result.json "o['verify']['continuous']['rate'] == 1"
ends 0 convert rub --to mujoco -o rub.xml
fact "the joint has it in MuJoCo" grep -q 'name="slider".*frictionloss="0.5"' rub.xml
ends 0 sweep cart-pole/rub.yaml --vary model.friction.0.force=0,0.5 -o swept --json
json out "o['solved'] == 2"
fact "without force it is the plan without it" python3 -c '
import csv, json
rows = list(csv.DictReader(open("swept/sweep.csv")))
free = json.load(open("free/result.json"))["objective"]
assert abs(float(rows[0]["objective"]) - free) < 1e-7 * free, rows[0]
'

# --- errors of the machine are added to it: with as much again against the model the gains do worse ---
sed 's/^verify:.*/verify: {samples: 40, seed: 1, spread: {q: 0.02, v: 0.02}, tolerance: 0.05, friction: {slider: 0.5}, plants: all}/' cart-pole/rub.yaml >cart-pole/more.yaml
"$dmoc" run cart-pole/more.yaml -o more >out 2>err </dev/null
json more/result.json "o['verify']['continuous']['rate'] < 0.5"
json more/result.json "o['verify'].get('mujoco', {'rate': 0})['rate'] < 0.5"
fact "MuJoCo's plant has it, or does not exist" sh -c 'grep -q "mujoco" more/verify.csv || grep -q "MuJoCo" err'

# --- parameters by name: in a sweep, and as errors of the robots that verify simulates ---
ends 0 sweep cart-pole/rub.yaml --vary model.friction.slider.force=0,0.5 -o named --json
fact "an index and a name are the same" python3 -c '
import csv
a, b = ([row["objective"] for row in csv.DictReader(open(f"{folder}/sweep.csv"))] for folder in ("named", "swept"))
assert a == b, (a, b)
'
spring="springs: [{name: heel, joint: pole, stiffness: 0.02, rest: 0.1}, {name: cord, bodies: [pole, world], points: [[0, 0, -0.3], [1, 0, 0.5]], stiffness: 0.03, rest: 0.1}]"
sprung() {
  sed "s/^model:.*/model: {robot: cart-pole.urdf, gravity: [0, 0, -9.81], $spring}/; s/^verify:.*/verify: {samples: 10, seed: 1, spread: {q: 0.02}, tolerance: 0.05, $1}/" \
    "$source/problems/cart-pole/swing-up.yaml" >cart-pole/sprung.yaml
}
sprung 'errors: {parts: {springs.heel.stiffnes: 0.1}}'
ends 2 check cart-pole/sprung.yaml
says "verify.errors.parts: found 'stiffnes' of 'heel', expected one of stiffness, rest"
sprung 'errors: {parts: {springs.heel.stiffness: 1}}'
ends 2 check cart-pole/sprung.yaml
says "verify.errors.parts: found '1', expected a number in \[0, 0.99\]"
sprung 'errors: {length: 0.02, parts: {springs.heel.stiffness: 0.2, model.springs.1.rest: 0.05}}, sweep: {points: 3, samples: 1, start: 0}, plants: all'
"$dmoc" run cart-pole/sprung.yaml -o sprung >out 2>err </dev/null
fact "MuJoCo's plant names the part and its line" grep -q "MuJoCo's plant, made from the URDF alone, has no spring: 'heel' (line [0-9]*)" err
fact "each parameter is a part of the study" [ "$(grep -c '^parts,' sprung/robustness.csv)" = 6 ]
fact "by its path" [ "$(grep '^parts,' sprung/robustness.csv | cut -d, -f2 | uniq | tr '\n' ' ')" = 'springs.heel.stiffness model.springs.1.rest ' ]
sprung 'errors: {parts: {springs.heel.stiffness: 0}}'
"$dmoc" run cart-pole/sprung.yaml -o exact >out 2>err </dev/null
fact "other parts move otherwise" sh -c '! cmp -s exact/verify.csv sprung/verify.csv'

# --- dry friction of the robot's file: in no plan, in the robots that verify simulates, and in MuJoCo ---
sed '/<joint name="slider"/s|$|<dynamics friction="0.5"/>|' "$source/problems/cart-pole/cart-pole.urdf" >cart-pole/dry.urdf
fact "the file has it" grep -q 'friction="0.5"' cart-pole/dry.urdf
dry() {
  sed "s/^model:.*/model: {robot: dry.urdf, gravity: [0, 0, -9.81]$1}/; s/^verify:.*/verify: {samples: 20, seed: 1, spread: {q: 0.02, v: 0.02}, tolerance: 0.05, plants: all}/" \
    "$source/problems/cart-pole/swing-up.yaml" >cart-pole/dry.yaml
}
dry ''
ends 0 info cart-pole/dry.yaml
fact "info says where it acts" grep -q '^friction slider, 0.5 N, dry: not in plans, only in the robots that verify simulates$' out
says "joint 'slider': its dry friction 0.5 is not in plans, only in the robots that verify simulates; model.friction: .{from: robot}. puts it into both"
"$dmoc" run cart-pole/dry.yaml -o dry >out 2>err </dev/null
json dry/result.json "abs(o['objective'] - $(value free/result.json "o['objective']")) < 1e-9 * o['objective']"
json dry/result.json "o['verify']['discrete']['rate'] < 0.5"
ends 0 convert dry --to mujoco -o dry.xml
fact "the joint has it in MuJoCo" grep -q 'name="slider".*frictionloss="0.5"' dry.xml
ends 0 info dry.xml
fact "and it is read again" grep -q '^friction slider, 0.5 N, dry' out

# model.friction can take it from there: dry with an entry of its own, or smooth as said
dry ', friction: [{from: robot}]'
ends 0 info cart-pole/dry.yaml
fact "info says that plans have it" grep -q '^friction slider, 0.5 N, dry: in plans$' out
fact "no warning is left" sh -c '! grep -q "not in plans" err'
dry ', friction: [{from: robot, smooth: 0.05}]'
ends 0 optimize cart-pole/dry.yaml -o smooth
json smooth/result.json "abs(o['objective'] - $(value rub/result.json "o['objective']")) < 1e-9 * o['objective']"
dry ', friction: [{from: robot}, {from: robot}]'
ends 2 info cart-pole/dry.yaml
says "model.friction..: found a second 'from', expected one"

# model.friction replaces it: the plan knows it, on MuJoCo's plant too if this build has one
dry ', friction: [{joint: slider, force: 0.5, smooth: 0.05}]'
ends 0 run cart-pole/dry.yaml -o wet
fact "no warning is left" sh -c '! grep -q "dry friction" err'
fact "friction is in MuJoCo's plant" sh -c '! grep -q "has no friction" err'
json wet/result.json "o['objective'] == $(value rub/result.json "o['objective']")"
json wet/result.json "all(o['verify'][plant]['rate'] == 1 for plant in ('discrete', 'continuous'))"
json wet/result.json "o['verify'].get('mujoco', {'rate': 1})['rate'] > 0.5"
ends 0 report wet -o page.html
fact "the page draws it" grep -q '"part": *"friction"' page.html

# --- a part of each kind: info lists it, and the file for MuJoCo has it or says that it is not there ---
cat >kinds.py <<'PY'
import json, re, subprocess, sys
dmoc = sys.argv[1]
PARTS = {  # by the word of the kind: its name, and the sections of the model
    "spring": ("heel", "springs: [{name: heel, joint: pole, stiffness: 1}]"),
    "constraint": ("belt", "constraints: [{name: belt, type: equal, coordinates: [slider, pole]}]"),
    "rolling": ("tyre", "constraints: [{name: tyre, type: no-slip, bodies: [cart, world], axis: [1, 0, 0]}]"),
    "formula": ("field", "forces: [{name: field, joint: pole, formula: -0.1 v.pole}]"),
    "load": ("oil", "dampers: [{name: oil, joint: pole, damping: 0.1}]"),
    "friction": ("pole", "friction: [{joint: pole, force: 0.1, smooth: 0.05}]"),
    "contact": ("wall", "contacts: [{name: wall, type: not-above, coordinate: slider, length: 9}]"),
}
def run(*words):
    return subprocess.run([dmoc, *words], capture_output=True, text=True)
# other kinds of forces in joints: sections with a joint and numbers, 0.1 each
told = list(json.loads(run("info", "cart-pole/cart-pole.urdf", "--json").stdout))
kinds = told[told.index("body") + 1 : told.index("collision")]
keys = run("--keys").stdout
joints = [s for s in re.findall(r"`model\.(\w+)\[\]\.joint` \| text \| – \| required", keys) if s not in ("friction", "drives", "forces")]
for word, section in zip([k for k in kinds if k not in PARTS], joints, strict=True):
    numbers = "".join(f", {key}: 0.1" for key in re.findall(rf"`model\.{section}\[\]\.(\w+)` \| number", keys))
    PARTS[word] = ("pole", f"{section}: [{{joint: pole{numbers}}}]")
for word, (name, text) in PARTS.items():
    with open("cart-pole/kind.yaml", "w") as f:
        f.write(f"model: {{robot: cart-pole.urdf, {text}}}\nsimulate: {{steps: 20, step: 0.01}}\n")
    told = json.loads(run("info", "cart-pole/kind.yaml", "--json").stdout)
    for kind in kinds:
        names = [x["name"] if isinstance(x, dict) else x for x in told[kind]]
        assert names == ([name] if kind == word else []), (word, kind, names)
    done = run("simulate", "cart-pole/kind.yaml", "-o", f"kind-{word}")
    assert done.returncode == 0, done.stderr
    done = run("convert", f"kind-{word}", "--to", "mujoco", "-o", "kind.xml")
    assert done.returncode == 0, done.stderr
    file = open("kind.xml").read()
    signs = {"spring": "stiffness=", "constraint": "<equality>", "load": 'damping="0.1', "friction": "frictionloss="}
    lost = f"the {word} '{name}' is not in it"
    assert signs[word] in file if word in signs else lost in done.stderr, (word, done.stderr)
PY
fact "a part of each kind is in all of these" python3 kinds.py "$dmoc"
exit $failed
