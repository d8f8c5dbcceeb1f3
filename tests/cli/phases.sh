#!/bin/sh
# Motions in phases on the command line: a folder for each phase, which other commands take as they take
# any; finer grids of what is too coarse; what is refused.
#   phases.sh DMOC SOURCE
# shellcheck source=tests/cli/facts.sh
. "$(dirname "$0")/facts.sh"
cp -r "$source/problems/throw" .

# --- all in one folder, each phase in one of its own ---
ends 0 run throw/throw.yaml -o throw-1
json throw-1/result.json "o['status'] == 'solved' and [p['name'] for p in o['phases']] == ['swing', 'flight']"
json throw-1/result.json "abs(sum(p['objective'] for p in o['phases']) - o['objective']) < 1e-9 and abs(o['time_of_all'] - 1.1) < 1e-12"
for phase in swing flight; do
  json throw-1/$phase/result.json "o['status'] == 'solved' and o['certificate']['step'] < 1e-8 and o['controller']['status'] == 'done'"
  json throw-1/$phase/result.json "o['replaced'] == {'phase': '$phase'} and o['verify']['continuous']['rate'] == 1"
done
cat >join.py <<'PYTHON'
import csv
rows = {name: list(csv.DictReader(open(f"throw-1/{name}/trajectory.csv"))) for name in ("swing", "flight")}
hand = list(csv.DictReader(open("throw-1/swing/outputs.csv")))[-1]
before, after, end = rows["swing"][-1], rows["flight"][0], rows["flight"][-1]
near = lambda a, b: abs(float(a) - float(b)) < 1e-6
assert all(near(before[k + j], after[k + j]) for k in ("q.", "v.") for j in ("shoulder", "elbow"))
assert near(after["q.ball.tx"], hand["y.hand.x"]) and near(after["q.ball.tz"], hand["y.hand.z"])
assert near(end["q.ball.tx"], 1.5) and near(end["q.ball.tz"], -0.5)
# the ball flies on a parabola from there
assert near(float(after["q.ball.tz"]) + 0.5 * float(after["v.ball.tz"]) - 9.81 / 8, -0.5)
PYTHON
fact "the ball flies from the hand to its place" python3 join.py

json throw-1/swing/result.json "o['gains']['carried']"
json throw-1/flight/result.json "not o['gains']['carried']"

# --- a task in two halves has the motion and the gains of the whole ---
cp -r "$source/problems/cart-pole" .
cat >halve.py <<'PYTHON'
text = open("cart-pole/swing-up.yaml").read()
whole = "horizon:  {steps: 100, time: 2}\n"
assert whole in text
half = "  - {name: %s, horizon: {steps: 50, time: 1}}\n"
text = text.replace(whole, "")
text = "".join(line for line in text.splitlines(True) if not line.startswith("verify:"))
open("cart-pole/halves.yaml", "w").write(text + "verify: {samples: 1, seed: 1, spread: {q: 1e-4, v: 1e-4}}\n" + "phases:\n" + half % "one" + half % "two")
PYTHON
fact "a task in two halves" python3 halve.py
ends 0 run cart-pole/swing-up.yaml -o whole
ends 0 run cart-pole/halves.yaml -o halves
cat >halves.py <<'PYTHON'
import csv
read = lambda folder, name: list(csv.DictReader(open(f"{folder}/{name}.csv")))
for name, size in (("trajectory", 1e-6), ("gains", 1e-5)):
    whole, one, two = read("whole", name), read("halves/one", name), read("halves/two", name)
    for row, half in zip(whole, one[:50] + two):
        assert all(abs(float(row[c]) - float(half[c])) < size * (1 + abs(float(row[c])))
                   for c in row if row[c] and c not in "kt" and not c.startswith("p.")), (name, row, half)
PYTHON
fact "the motion and the gains of both halves are those of the whole" python3 halves.py

# --- the folder of a phase is a result like any other, by its own copies ---
mv throw gone
ends 0 gains throw-1/swing
ends 0 verify throw-1/flight
ends 0 plot throw-1/swing throw-1/flight --what frames --plane xz -o frames.svg
fact "a picture" [ -s frames.svg ]
mv gone throw

# --- others take one of these ---
for command in gains verify export linearize; do
  ends 2 $command throw-1
  says "throw-1 has phases, and $command is of one motion: take the folder of a phase, such as throw-1/swing"
done
for command in simulate descend; do
  ends 2 $command throw/throw.yaml
  says "throw/throw.yaml has phases, and $command is of one motion"
done
ends 2 sweep throw/throw.yaml --vary cost.input=1,2 --run -o sweep
says "has phases"
ends 2 tune throw/throw.yaml
says "has phases"
ends 2 optimize throw/throw.yaml --from throw-1
says 'found --from, expected none'
ends 2 optimize throw/throw.yaml --starts 4
says 'found --starts, expected none'

# --- derivatives, of the program and of a step of each phase ---
ends 0 check throw/catch.yaml --json
json out "len(o['blocks']) == 18 and all(b['holds'] for b in o['blocks'])"

# --- a grid that is too coarse is doubled, of that phase alone ---
sed 's/horizon: {steps: 120, time: 0.6}/horizon: {steps: 30, time: 0.6, gap: 0.015}/' throw/throw.yaml >throw/coarse.yaml
ends 0 optimize throw/coarse.yaml -o coarse
says 'swing: with 30 steps the plant moves'
json coarse/result.json "[p['steps'] for p in o['phases']] == [60, 100] and o['replaced'] == {'phases.0.horizon.steps': '60'}"
json coarse/swing/result.json "o['steps'] == 60 and o['replaced'] == {'phases.0.horizon.steps': '60', 'phase': 'swing'}"
ends 0 gains coarse/swing
sed 's/gap: 0.015/gap: 0.015, refine: 0/' throw/coarse.yaml >throw/coarser.yaml
ends 1 optimize throw/coarser.yaml -o coarser
says 'swing: coarse: the plant moves'
json coarser/result.json "o['status'] == 'coarse' and o['phases'][0]['coarse'] and not o['phases'][1]['coarse']"
json coarser/swing/result.json "o['status'] == 'coarse'"

# --- what cannot be done ---
sed 's/ball.tx: 1.5/ball.tx: 50/' throw/throw.yaml >throw/far.yaml
ends 1 optimize throw/far.yaml -o far
fact "the folder says so" grep -q '"status":"infeasible"\|"status": *"infeasible"' far/result.json

plain
exit $failed
