#!/bin/sh
# Motions that turn too far in a step: refined by themselves, or said to be coarse.
#   grid.sh DMOC SOURCE
. "$(dirname "$0")/facts.sh"
cp -r "$source/problems/pendulum" "$source/problems/two-link" "$source/problems/cart-pole" .
"$dmoc" optimize pendulum/swing-up.yaml -o none >out 2>err </dev/null
if grep -q 'no IPOPT' err; then
  echo "skipped: all that optimizes (built without IPOPT)"
  exit $failed
fi
# few STEPS MORE FILE OUT: a problem on so few steps, more in its horizon
few() { sed "s/steps: 100/steps: $1$2/" "$3" >"$4"; }

# --- a motion that turns too far is solved again with more steps, the folder says so and is whole ---
few 4 '' pendulum/swing-up.yaml pendulum/few.yaml
ends 0 run pendulum/few.yaml -o fine
says "with 4 steps 'pivot' turns 5.9 rad in one step (knot 3), more than 1.57 (horizon.turn): solving with 8"
fact "the summary has steps asked and taken" grep -q 'refined .* from 4 steps to 64' out
json fine/result.json "o['status'] == 'solved' and o['steps'] == 64 and o['largest_turn']['rad'] <= 1.5708"
json fine/result.json "o['refined']['steps_asked'] == 4 and o['refined']['steps_taken'] == 64 and o['refined']['doublings'] == 4"
json fine/result.json "o['refined']['turn_asked'] > 5 and o['refined']['joint'] == 'pivot' and o['refined']['stopped'] is None"
fact "the trajectory has the fine grid" [ "$(grep -c '^[0-9]' fine/trajectory.csv)" = 65 ]
cp fine/verify.csv before
ends 0 verify fine
fact "a later stage has the same problem" cmp before fine/verify.csv
fact "without a word of changes" [ "$(grep -c changed err)" = 0 ]
fact "it keeps the file as it was, with its own steps" cmp pendulum/few.yaml fine/inputs/few.yaml
mv pendulum gone
ends 0 verify fine
fact "which is all that a later stage needs" cmp before fine/verify.csv
mv gone pendulum
ends 0 optimize pendulum/few.yaml --from fine -o again --json
json again/result.json "o['steps'] == 64"

# --- sound as it is: nothing is refined ---
ends 0 optimize pendulum/swing-up.yaml -o plain
json plain/result.json "'refined' not in o and o['steps'] == 100"

# --- of second order, the error of three grids refines ---
sed '/^horizon:/s/}/, error: 1e-4}/; s/steps: 100/steps: 20/' two-link/swing-up.yaml >two-link/error.yaml
ends 0 optimize two-link/error.yaml -o error
json error/result.json "o['steps'] == 40 and o['refined']['steps_asked'] == 20 and o['accuracy']['source'] == 'grids'"
# the limit of the objective (docs/papers.md, paper 003)
json error/result.json "o['accuracy']['relative'] < 1e-4 and abs(o['accuracy']['objective'] - 80.353363) < 1e-3"

# --- where no finer grid is allowed it is coarse, and nothing goes on from it ---
few 4 ', refine: 0' pendulum/swing-up.yaml pendulum/kept.yaml
ends 1 run pendulum/kept.yaml -o kept
says "coarse: 'pivot' turns 5.9 rad in one step (knot 3), more than 1.57 (horizon.turn)"
says ''horizon.refine: 0' forbids a finer grid'
json kept/result.json "o['status'] == 'coarse' and o['steps'] == 4 and o['refined']['steps_taken'] == 4 and 'gains' not in o"
fact "it has no gains" [ ! -e kept/gains.csv ]
ends 1 run pendulum/kept.yaml -o fine
says 'fine has a result that came further and stays as it is; this one is in fine/unfinished'
json fine/unfinished/result.json "o['status'] == 'coarse'"
few 4 ', refine: 1' pendulum/swing-up.yaml pendulum/once.yaml
ends 1 optimize pendulum/once.yaml -o once
json once/result.json "o['status'] == 'coarse' and o['steps'] == 8 and o['refined']['doublings'] == 1"
says 'horizon.refine forbids more doublings'
ends 1 verify kept
says 'the motion in kept is not a solution: its status is coarse'
sed 's/cost:.*/cost: {input: 1, weighting: sum}/' pendulum/few.yaml >pendulum/sum.yaml
ends 1 optimize pendulum/sum.yaml -o sum
says 'its cost is a sum over steps'
ends 1 descend pendulum/few.yaml -o descent
json descent/result.json "o['status'] == 'coarse'"
says 'a descent does not refine its grid'

# --- what is simulated takes the steps it is told, with a word before gains ---
cat >pendulum/spin.yaml <<'YAML'
model: {urdf: pendulum.urdf}
inputs: [{joint: pivot}]
simulate: {steps: 5, step: 0.5, start: {v: 7}}
feedback: {Q: {q: 10, p: 1}, R: 1}
verify: {samples: 2, required: 0}
YAML
ends 0 run pendulum/spin.yaml -o spin
says "warning: 'pivot' turns [0-9.]* rad in one step (knot [0-9]*), more than 1.57: .* take shorter steps"
json spin/result.json "o['status'] == 'done' and o['steps'] == 5"

# --- what a finer grid does not solve leaves the coarser one, whole ---
few 4 '' pendulum/swing-up.yaml pendulum/short.yaml
echo 'solver: {max_iter: 7}' >>pendulum/short.yaml
ends 1 optimize pendulum/short.yaml -o short
says 'with [0-9]* steps the status is iteration_limit'
json short/result.json "o['status'] == 'coarse' and 'iteration_limit' in o['refined']['stopped'] and o['iterations'] <= 7"
json short/result.json "o['steps'] == o['refined']['steps_taken'] and o['replaced'] == {'horizon.steps': str(o['steps']), 'horizon.asked': '4'}"
fact "its trajectory is that of its steps" python3 -c '
import json
steps = json.load(open("short/result.json"))["steps"]
raise SystemExit(sum(line[0].isdigit() for line in open("short/trajectory.csv")) != steps + 1)'

# --- what may be turned in a step is the problem's to say ---
few 4 ', turn: none, gap: none' pendulum/swing-up.yaml pendulum/any.yaml
ends 0 optimize pendulum/any.yaml -o any
json any/result.json "o['status'] == 'solved' and o['steps'] == 4"
few 4 ', turn: none' pendulum/swing-up.yaml pendulum/landed.yaml
ends 0 optimize pendulum/landed.yaml -o landed
says "with 4 steps the plant moves 'pivot' [0-9.]* of its longest step, or of 2 % of its range, beside the next knot (knot [0-9]), more than 0.25 (horizon.gap): solving with 8"
json landed/result.json "o['status'] == 'solved' and o['steps'] > 4 and 0 < o['plant']['step_gap']['share']['most'] <= 0.25"
json landed/result.json "'horizon.gap' in o['refined']['because']"
# what is a tenth too fast between knots is solved on a finer grid, or coarse
cp -r "$source/problems/six-axis-arm" .
sed 's/steps: 100/steps: 100, refine: 0/' six-axis-arm/second-order.yaml >six-axis-arm/fast.yaml
ends 1 optimize six-axis-arm/fast.yaml -o fast
says "coarse: between knots the plant moves '[a-z_0-9]*' [0-9.]* times as fast as its limit (knot [0-9]*), more than 1.1"
json fast/result.json "o['status'] == 'coarse' and o['plant']['speed']['excess'] > 0.1 * o['plant']['speed']['limit']"
# a slow motion has short steps, and a gap that is small beside the range is no reason for shorter ones: the cart-pole
# of trep's examples about upright, with its optimum, and an arm in least time whose impulses act at the left
cat >pendulum/upright.yaml <<'YAML'
model:
  gravity: [0, 0, -9.8]
  bodies:
    - {name: cart, joints: [{name: slider, type: tx}], mass: 1}
    - {name: bob, parent: cart, joints: [{name: pole, type: ry}], mass: 1, centre: [0, 0, -1]}
inputs: [{joint: slider}]
horizon: {steps: 100, time: 10}
rule: {lagrangian: midpoint, force: left}
start: {q: {slider: 0, pole: pi}, v: 0}
cost:
  input: 1
  state: {q: {slider: 100, pole: 50000}, p: 0.1}
  terminal: {q: {slider: 100, pole: 50000}, p: 0.1}
  reference: {csv: upright.csv}
  weighting: sum
guess: rollout
YAML
python3 -c '
from math import pi, sin
print("t,q.slider,q.pole")
for k in range(101):
    print(f"{k / 10},0,{pi - (pi / 8 * sin(pi / 4 * (k / 10 - 3)) if 30 <= k < 70 else 0)}")' >pendulum/upright.csv
ends 0 descend pendulum/upright.yaml -o upright
json upright/result.json "o['status'] == 'solved' and abs(o['objective'] - 49670.1095) < 1e-3"
json upright/result.json "0.1 < o['plant']['step_gap']['share']['most'] < 0.25"
cat >six-axis-arm/left.yaml <<'YAML'
model: {robot: arm.urdf}
horizon: {steps: 60, time: {free: [0.2, 4]}}
rule: {force: left}
start: {q: {pan: -0.3, lift: 0.6, elbow: 1.2, wrist_1: -0.5, wrist_2: 0, wrist_3: 0}, v: 0}
goal: {q: {pan: 0.3, lift: 1, elbow: 0.8, wrist_1: 0.5, wrist_2: 0.3, wrist_3: -0.3}, v: 0}
cost: {time: 1}
YAML
ends 0 optimize six-axis-arm/left.yaml -o left
json left/result.json "o['status'] == 'solved' and o['steps'] <= 120"
few 100 ', turn: 10 deg' pendulum/swing-up.yaml pendulum/slow.yaml
ends 0 optimize pendulum/slow.yaml -o slow
json slow/result.json "o['steps'] == 400 and o['largest_turn']['rad'] < 0.17454"

# --- of second order, and with what counts steps or is sampled on the grid ---
few 4 '' two-link/swing-up.yaml two-link/few.yaml
"$dmoc" optimize two-link/few.yaml -o second >out 2>err </dev/null
json second/result.json "o['status'] == 'solved' and o['steps'] == 8 and o['transcription'] == 'second-order' and 'agreement' in o"
{
  sed '/^verify\|^cost/d' pendulum/few.yaml
  echo 'cost: {input: 1, reference: {step: {at: 5, before: {u: 0}, after: {u: 0.1}}}}'
  echo 'verify: {samples: 2, start: {hold: 1}, required: 0}'
} >pendulum/counted.yaml
ends 0 run pendulum/counted.yaml -o counted
json counted/result.json "o['steps'] > 4 and o['replaced'] == {'horizon.steps': str(o['steps']), 'horizon.asked': '4'}"

# --- densities have any unit; the times of free steps are checked by their name ---
sed 's/density: [^}]*}/density: 1e308 + s}/' pendulum/catch.yaml >pendulum/dense.yaml
ends 0 check pendulum/dense.yaml
ends 0 check cart-pole/push.yaml
fact "times have derivatives of their own" grep -q 'holds  *rows, Jacobian by times of knots' out

# --- a sweep has a column of it, and a coarse case never stands before a sound one ---
few 8 ', refine: 0' pendulum/swing-up.yaml pendulum/swept.yaml
ends 0 sweep pendulum/swept.yaml --vary horizon.steps=8,16,100 -o swept --json
json out "o['solved'] == 1 and o['coarse'] == 2 and o['best']['case'] == 2"
python3 - swept/sweep.csv <<'PYTHON' || failed=1
import csv, sys
rows = list(csv.DictReader(open(sys.argv[1])))
assert [r["status"] for r in rows] == ["coarse", "coarse", "solved"], rows
assert [r["steps"] for r in rows] == ["8", "16", "100"] and all(r["joint"] == "pivot" for r in rows)
assert float(rows[0]["turn"]) > 1.6 > 1.5 > float(rows[2]["turn"])
assert rows[2]["rank"] == "1" and {rows[0]["rank"], rows[1]["rank"]} == {"2", "3"}
PYTHON
ends 0 sweep pendulum/swept.yaml --vary horizon.steps=8,16,100 -o swept --json
json out "o['computed'] == 0"
exit $failed
