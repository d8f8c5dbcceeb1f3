#!/bin/sh
# Closed loops whose equations repeat one another: they move as the same loops without what is repeated.
#   loops.sh DMOC SOURCE
# shellcheck source=tests/cli/facts.sh
. "$(dirname "$0")/facts.sh"

# --- a loop in a plane, closed by a point in space: the third equation is none ---
cat >four-bar.yaml <<'YAML'
model:
  bodies:
    - {name: crank, joints: [{name: a, type: ry}], mass: 1, centre: [0.1, 0, 0], inertia: [0.01, 0.01, 0.01]}
    - {name: coupler, parent: crank, offset: {xyz: [0.2, 0, 0]}, joints: [{name: b, type: ry}], mass: 1, centre: [0.2, 0, 0], inertia: [0.01, 0.02, 0.02]}
    - {name: rocker, offset: {xyz: [0.5, 0, 0]}, joints: [{name: c, type: ry}], mass: 1, centre: [0.15, 0, 0], inertia: [0.01, 0.01, 0.01]}
  constraints:
    - {name: close, type: point, bodies: [coupler, rocker], points: [[0.4, 0, 0], [0.3, 0, 0]]}
inputs: [{joint: a, effort: 20}]
horizon: {steps: 40, time: 1}
start: {q: {a: -1.2, b: free, c: free}, near: {b: 0.6, c: -1.5}, v: 0}
goal: {q: {a: -0.6, b: free, c: free}, near: {b: 0.3, c: -1.3}, v: 0}
cost: {input: 1}
YAML
sed 's/type: point/type: line, axis: [0, 1, 0]/' four-bar.yaml >flat.yaml
ends 0 optimize four-bar.yaml -o space
says "four-bar.yaml:7: constraint 'close': 1 of its 3 equations follows from the others in every position, and is left out"
ends 0 optimize flat.yaml -o flat
fact "nothing is repeated in the plane" [ "$(grep -c 'left out' err)" = 0 ]

# --- a plate on three cranks: the third crank repeats one equation because of its length ---
cat >cranks.yaml <<'YAML'
model:
  bodies:
    - {name: a, joints: [{name: a, type: ry}], mass: 1, centre: [0.1, 0, 0], inertia: [0.01, 0.01, 0.01]}
    - {name: plate, parent: a, offset: {xyz: [0.2, 0, 0]}, joints: [{name: p, type: ry}], mass: 2, centre: [0.4, 0, 0], inertia: [0.02, 0.1, 0.1]}
    - {name: b, offset: {xyz: [0.4, 0, 0]}, joints: [{name: b, type: ry}], mass: 1, centre: [0.1, 0, 0], inertia: [0.01, 0.01, 0.01]}
    - {name: c, offset: {xyz: [0.8, 0, 0]}, joints: [{name: c, type: ry}], mass: 1, centre: [0.1, 0, 0], inertia: [0.01, 0.01, 0.01]}
  constraints:
    - {name: first, type: point, bodies: [plate, b], points: [[0.4, 0, 0], [0.2, 0, 0]]}
    - {name: second, type: point, bodies: [plate, c], points: [[0.8, 0, 0], [0.2, 0, 0]]}
inputs: [{joint: a, effort: 20}]
horizon: {steps: 40, time: 1}
start: {q: {a: -1.2, b: free, c: free, p: free}, near: {b: -1.2, c: -1.2, p: 1.2}, v: 0}
goal: {q: {a: -0.6, b: free, c: free, p: free}, near: {b: -0.6, c: -0.6, p: 0.6}, v: 0}
cost: {input: 1}
feedback: {Q: {q: 100, p: 1}, R: 1, Qf: {q: 100, p: 1}}
verify: {samples: 20, seed: 1, spread: {q: 0.01, v: 0.01}}
YAML
sed 's/{name: second.*/{name: second, type: equal, coordinates: [c, a]}/' cranks.yaml >tied.yaml
ends 0 run cranks.yaml -o cranks
json cranks/result.json "o['verify']['held'] == 20"
ends 0 optimize tied.yaml -o tied
cat >same.py <<'PYTHON'
import json
for a, b in ("space", "flat"), ("cranks", "tied"):
    one, other = (json.load(open(f"{name}/result.json"))["objective"] for name in (a, b))
    assert abs(one - other) < 1e-9 * other, (a, one, other)
PYTHON
fact "the same motions" python3 same.py

# --- impulses of all equations: the least that make the same force, in the order of the file ---
fact "nothing is left out in the plane" [ ! -e flat/impulses.csv ]
sed '/name: second/d; s/^    - {name: first.*/    - {name: second, type: point, bodies: [plate, c], points: [[0.8, 0, 0], [0.2, 0, 0]]}\
&/' cranks.yaml >swapped.yaml
ends 0 optimize swapped.yaml -o swapped
{ cat cranks.yaml && echo 'simulate: {time: 0.1, steps: 4, start: {q: {a: -1.2, b: -1.2, c: -1.2, p: 1.2}, v: 0}, input: 1}'; } >rolled.yaml
ends 0 simulate rolled.yaml -o rolled
cat >impulses.py <<'PYTHON'
import csv
def table(name, file="impulses.csv"):
    return [{k: float(v) for k, v in r.items() if v} for r in csv.DictReader(open(f"{name}/{file}"))]
names = [f"lambda.{c}.{i}" for c in ("first", "second") for i in (1, 2, 3)]
assert list(table("cranks")[0])[2:] == names
assert list(table("swapped")[0])[2:] == names[3:] + names[:3]
assert len(table("cranks")) == 41 and len(table("cranks")[40]) == 2 and len(table("rolled")) == 5

# the order of constraints changes nothing; what has no gradient has no share
size = max(abs(r[n]) for r in table("cranks")[:-1] for n in names)
for one, other in zip(table("cranks")[:-1], table("swapped")[:-1]):
    assert all(abs(one[n] - other[n]) < 1e-5 * size for n in names), (one, other)
assert all(abs(r["lambda.close.2"]) < 1e-12 for r in table("space")[:-1])

# never more than the impulses of the equations that stayed, in the sum of squares
for name in "cranks", "swapped", "rolled":
    for all_, stayed in zip(table(name)[:-1], table(name, "trajectory.csv")):
        kept = [v for k, v in stayed.items() if k.startswith("lambda.")]
        assert len(kept) == 3 and sum(v * v for k, v in all_.items() if k in names) <= sum(v * v for v in kept)
PYTHON
fact "impulses of least norm" python3 impulses.py

# --- a place where equations depend on one another, and elsewhere not, is refused ---
sed 's/a: -1.2, b/a: 0, b/; s/near: {b: -1.2, c: -1.2, p: 1.2}/near: {b: 0, c: 0, p: 0}/' cranks.yaml >dead.yaml
ends 2 optimize dead.yaml -o dead
says 'start: constraint .* are independent there; the place is singular: take another'

# --- what contradicts the others is not left out ---
sed 's/\[0.2, 0, 0\]\]}$/[0.3, 0, 0]]}/' cranks.yaml >wrong.yaml
ends 2 optimize wrong.yaml -o wrong
says "constraint 'first' cannot be met near there"
exit $failed
