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
ends 2 optimize cart-pole/rub.yaml
says "model.friction\[\]: found no 'smooth'"
with '{joint: pole, force: 0.1, smooth: 0.05}, {joint: pole, force: 0.2, smooth: 0.05}'
ends 2 optimize cart-pole/rub.yaml
says "found a second one named 'pole', expected every name once"

# --- each consumer has it ---
with '{joint: slider, force: 0.5, smooth: 0.05}'
ends 0 info cart-pole/rub.yaml
fact "info prints it" grep -q '^friction slider$' out
ends 0 info cart-pole/rub.yaml --json
json out "o['friction'] == ['slider'] and o['spring'] == []"
ends 0 check cart-pole/rub.yaml
ends 0 optimize "$source/problems/cart-pole/swing-up.yaml" -o free
ends 0 run cart-pole/rub.yaml -o rub
json rub/result.json "o['status'] == 'solved' and o['objective'] > 1.01 * $(python3 -c 'import json; print(json.load(open("free/result.json"))["objective"])')"
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
sed 's/^verify:.*/verify: {samples: 40, seed: 1, spread: {q: 0.02, v: 0.02}, tolerance: 0.05, friction: {slider: 0.5}}/' cart-pole/rub.yaml >cart-pole/more.yaml
"$dmoc" run cart-pole/more.yaml -o more >out 2>err </dev/null
json more/result.json "o['verify']['continuous']['rate'] < 0.5"

# --- who does not have it names it ---
sed 's/^verify:.*/verify: {samples: 10, seed: 1, spread: {q: 0.02}, tolerance: 0.05, plants: all}/' cart-pole/rub.yaml >cart-pole/all.yaml
"$dmoc" run cart-pole/all.yaml -o all >out 2>err </dev/null
fact "MuJoCo's plant says which part" grep -q "MuJoCo's plant, made from the URDF alone, has no friction: 'slider'" err
exit $failed
