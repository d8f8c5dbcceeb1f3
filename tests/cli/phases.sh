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

# samples go from phase to phase: the verdict is that of the last end
json throw-1/result.json "o['verify']['held'] == 100 and [p['held'] for p in o['verify']['continuous']['phases']] == [100, 100]"
json throw-1/swing/result.json "o['verify']['tolerance'] is None and 'starts' not in o['verify']"
json throw-1/flight/result.json "o['verify']['tolerance'] == 0.1 and o['verify']['starts'] == 'swing'"
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

# --- a ball that is thrown by gains of its landing lands nearer than by those of the swing alone ---
cat >landing.py <<'PYTHON'
import sys
text = open("throw/throw.yaml").read()
flight = "    join: {from: {ball.tx: hand.x, ball.tz: hand.z}}\n"
ball = "    outputs: [{name: ball, type: position, bodies: ball, points: [0, 0, 0]}]\n"
within = "    verify: {tolerance: {state: none, outputs: {ball: %s}}}\n" % sys.argv[2]
assert flight in text
join = flight.replace("hand.z}}", "hand.z}, gains: %s}" % sys.argv[1])
open("throw/%s.yaml" % sys.argv[1], "w").write(text.replace(flight, ball + within + join))
PYTHON
for gains in carried separate added; do
  python3 landing.py $gains 0.02
  ends 0 run throw/$gains.yaml -o landing-$gains
done
json landing-separate/swing/result.json "not o['gains']['carried']"
json landing-added/swing/result.json "o['gains']['carried']"
cat >nearer.py <<'PYTHON'
import json
off = {}
for gains in "carried", "separate", "added":
    verify = json.load(open("landing-%s/flight/result.json" % gains))["verify"]
    off[gains] = [verify[plant]["outputs"][0][of] for plant in ("discrete", "continuous") for of in ("median", "worst")]
assert all(2 * a < b for a, b in zip(off["carried"], off["separate"])), off
assert off["added"] != off["carried"] and all(2 * a < b for a, b in zip(off["added"], off["separate"])), off
PYTHON
fact "the ball lands nearer" python3 nearer.py

# where too few succeed at the last end no phase has a controller
python3 landing.py separate 0.002
ends 1 run throw/separate.yaml -o far-off
says 'samples succeed through all phases, at least 90 % are required'
json far-off/result.json "o['verify']['held'] < 50 and o['verify']['discrete']['phases'][0]['held'] == 100"
for phase in swing flight; do
  fact "no controller of $phase" [ -z "$(ls far-off/$phase | grep controller)" ]
done

# --- what is caught, off the hand or not, goes on in it; gains before it are those of what follows ---
sed 's/^total_time.*/&\nfeedback: {Q: {q: 100, p: 1}, R: 1, Qf: {q: 100, p: 1}}\nverify: {samples: 40, seed: 1, spread: {q: 0.01, v: 0.02}}/' throw/catch.yaml >throw/caught.yaml
ends 0 run throw/caught.yaml -o caught
json caught/flight/result.json "o['gains']['carried']"
json caught/result.json "o['verify']['held'] == 40"

# --- what flies by itself has a cost-to-go, and no controller ---
cat >alone.py <<'PYTHON'
text = open("throw/throw.yaml").read()
arm, rest = text.split("phases:\n")
swing, flight = rest.split("  - name: flight\n")
flight, feedback = flight.split("feedback:")
open("throw/alone.yaml", "w").write(arm + "feedback:" + feedback + "phases:\n" + swing + """  - name: flight
    model: {bodies: [{name: ball, joints: [tx, tz], mass: 0.2}]}
    outputs: [{name: ball, type: position, bodies: ball, points: [0, 0, 0]}]
    horizon: {steps: 100, time: 0.5}
    join: {from: {ball.tx: hand.x, ball.tz: hand.z}}
    goal: {q: {ball.tx: 1.5, ball.tz: -0.5}, v: free}
    verify: {plants: exported, tolerance: {state: none, outputs: {ball: 0.02}}}
""")
PYTHON
fact "a flight alone" python3 alone.py
ends 0 run throw/alone.yaml -o alone
json alone/swing/result.json "o['gains']['carried'] and o['controller']['status'] == 'done'"
json alone/flight/result.json "o['verify']['law'] == 'none' and 'controller' not in o"
json alone/result.json "o['verify']['held'] == 100 and 'exported' not in o['verify']"
fact "no controller" [ -z "$(ls alone/flight | grep controller)" ]

# --- samples are the same ones in all phases; what is of the end is said of the last one ---
sed 's/^\( *\)join: {from.*/&\n\1verify: {samples: 5}/' throw/throw.yaml >throw/fewer.yaml
ends 2 run throw/fewer.yaml -o fewer
says 'verify: found 5 samples of seed 1, and in the first phase 100 of seed 1, expected the same'
sed '0,/^    horizon/s//    feedback: {hold: 1}\n    horizon/' throw/throw.yaml >throw/held.yaml
ends 2 run throw/held.yaml -o held
says 'feedback.hold: found one in a phase that another one follows, expected it of the last one'
sed 's/hand.z}}/hand.z}, gains: added}/; s/, Qf: {q: 100, p: 1}//' throw/throw.yaml >throw/nothing.yaml
ends 2 run throw/nothing.yaml -o nothing
says 'join.gains: found added, but the phase before has no weights in feedback.Qf to add to'
sed 's/hand.z}}/hand.z}, gains: separate}/; /^feedback/d; /^verify/d; /^          Qf/d' throw/throw.yaml >throw/bare.yaml
ends 2 run throw/bare.yaml -o bare
says "join.gains: found separate, but the phase before has no section 'feedback'"

# --- a task in two halves has the motion and the gains of the whole ---
cp -r "$source/problems/cart-pole" .
cat >halve.py <<'PYTHON'
text = open("cart-pole/swing-up.yaml").read()
whole = "horizon:  {steps: 100, time: 2}\n"
assert whole in text
half = "  - {name: %s, horizon: {steps: 50, time: 1}}\n"
text = open("cart-pole/swing-up.yaml").read()
text = "".join(line for line in text.splitlines(True) if not line.startswith("verify:"))
text += "verify: {samples: 20, seed: 1, spread: {q: 1e-2, v: 1e-2}}\n"
open("cart-pole/whole.yaml", "w").write(text)
open("cart-pole/halves.yaml", "w").write(text.replace(whole, "") + "phases:\n" + half % "one" + half % "two")
PYTHON
fact "a task in two halves" python3 halve.py
ends 0 run cart-pole/whole.yaml -o whole
ends 0 run cart-pole/halves.yaml -o halves
cat >halves.py <<'PYTHON'
import csv
read = lambda folder, name: list(csv.DictReader(open(f"{folder}/{name}.csv")))
for name, size in (("trajectory", 1e-9), ("gains", 1e-9)):
    whole, one, two = read("whole", name), read("halves/one", name), read("halves/two", name)
    for row, half in zip(whole, one[:50] + two):
        assert all(abs(float(row[c]) - float(half[c])) < size * (1 + abs(float(row[c])))
                   for c in row if row[c] and c not in "kt" and not c.startswith("p.")), (name, row, half)
for row, half in zip(read("whole", "verify"), read("halves/two", "verify")):
    assert all(abs(float(row[c]) - float(half[c])) < 1e-9 for c in ("final_error", "held")), (row, half)
PYTHON
fact "the motion, the gains and the samples of both halves are those of the whole" python3 halves.py

# --- the folder of a phase is a result like any other, by its own copies ---
mv throw gone
ends 0 gains throw-1/swing
ends 0 verify throw-1/flight
ends 0 plot throw-1/swing throw-1/flight --what frames --plane xz -o frames.svg
fact "a picture" [ -s frames.svg ]
mv gone throw

# --- others take one of these ---
for command in gains verify linearize; do
  ends 2 $command throw-1
  says "throw-1 has phases, and $command is of one motion: take the folder of a phase, such as throw-1/swing"
done
for command in simulate descend; do
  ends 2 $command throw/throw.yaml
  says "throw/throw.yaml has phases, and $command is of one motion"
done
ends 2 sweep throw/throw.yaml --vary cost.input=1,2 --run -o sweep
says "has phases"
ends 2 sweep throw/throw.yaml --vary cost.input=1,2 -o sweep
says "throw/throw.yaml has phases, and sweep is of one motion"
ends 2 tune throw/throw.yaml
says "has phases"
ends 2 optimize throw/throw.yaml --from throw-1
says 'found --from, expected none'
ends 2 optimize throw/throw.yaml --starts 4
says 'found --starts, expected none'

# --- a place that is passed when the search finds best: a mass pushed from 0 by 1 to rest at 3, which speeds up
# half the way, passes 1 at sqrt(2) s and is there in 2 sqrt(3) s ---
cat >passed.yaml <<'YAML'
model:   {gravity: [0, 0, 0], bodies: [{name: block, joints: [{name: x, type: tx, effort: 1}], mass: 1}]}
outputs: [{name: block, type: position, bodies: block}]
start:   {q: 0, v: 0}
goal:    {q: 3, v: 0}
cost:    {time: 1}
phases:
  - {name: before, horizon: {steps: 40, time: {free: [0.5, 9]}}, goal: {outputs: {block.x: 1}}}
  - {name: after, horizon: {steps: 40, time: {free: [0.5, 9]}}}
YAML
ends 0 optimize passed.yaml -o passed
fact "no word on its speed there" [ ! -s err ]
json passed/result.json "abs(o['phases'][0]['time'] - 2**0.5) < 1e-3 and abs(o['time_of_all'] - 2 * 3**0.5) < 1e-3"
fact "it does not stop there" python3 -c "
import csv
a, b = (list(csv.DictReader(open(f'passed/{p}/trajectory.csv'))) for p in ('before', 'after'))
assert abs(float(a[-1]['v.x']) - 2**0.5) < 1e-3 and abs(float(a[-1]['v.x']) - float(b[0]['v.x'])) < 1e-9"

# in 1.2 s at most it would rather take longer to pass 1
sed 's/before, horizon: {steps: 40, time: {free: \[0.5, 9\]}}/before, horizon: {steps: 40, time: {free: [0.5, 1.2]}}/; s/effort: 1/effort: 3/; s/cost: .*/cost: {input: 1}/' passed.yaml >bound.yaml
ends 0 optimize bound.yaml -o bound
says 'warning: phase before: the final time ends on its upper bound, 1.2 s: with a higher bound a longer motion'

# --- derivatives, of the program and of a step of each phase ---
ends 0 check throw/catch.yaml --json
json out "len(o['blocks']) == 20 and all(b['holds'] for b in o['blocks'])"

# --- a grid that is too coarse is doubled, of that phase alone ---
sed 's/horizon: {steps: 120, time: 0.6}/horizon: {steps: 30, time: 0.6, gap: 0.015}/' throw/throw.yaml >throw/coarse.yaml
ends 0 optimize throw/coarse.yaml -o coarse
says 'swing: with 30 steps the plant moves'
json coarse/result.json "[p['steps'] for p in o['phases']] == [60, 100] and o['replaced'] == {'phases.0.horizon.steps': '60', 'phases.0.horizon.asked': '30'}"
json coarse/swing/result.json "o['steps'] == 60 and o['replaced'] == {'phases.0.horizon.steps': '60', 'phases.0.horizon.asked': '30', 'phase': 'swing'}"
ends 0 gains coarse/swing
sed 's/gap: 0.015/gap: 0.015, refine: 0/' throw/coarse.yaml >throw/coarser.yaml
ends 1 optimize throw/coarser.yaml -o coarser
says 'swing: coarse: the plant moves'
json coarser/result.json "o['status'] == 'coarse' and o['phases'][0]['coarse'] and not o['phases'][1]['coarse']"
json coarser/swing/result.json "o['status'] == 'coarse'"

# --- samples that are lost are told by the phase that loses them, and its tolerance ---
sed 's/^verify:.*/verify: {samples: 20, seed: 1, spread: {q: 0.01, v: 0.02}, tolerance: 1e-9}/' throw/throw.yaml >throw/lost.yaml
ends 1 run throw/lost.yaml -o lost
says "succeed through all phases, at least 90 % are required; most are lost in phase 'flight', 20 of 20 (its verify.tolerance: 1e-09)"

# --- what cannot be done ---
sed 's/ball.tx: 1.5/ball.tx: 50/' throw/throw.yaml >throw/far.yaml
ends 1 optimize throw/far.yaml -o far
fact "the folder says so" grep -q '"status":"infeasible"\|"status": *"infeasible"' far/result.json

plain
exit $failed
