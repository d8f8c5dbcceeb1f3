#!/bin/sh
# A ball that is swept past a sphere, and round the edge of a thin shelf, in a few steps: between its knots
# it keeps off them to the tolerance asked for, on the same grid and at little more than what the motion
# costs on a fine one. Held against the ball's own parabolas.
#   between.sh DMOC SOURCE
# shellcheck source=tests/cli/facts.sh
. "$(dirname "$0")/facts.sh"

# problem SHAPE STEPS HORIZON: of a ball of 0.1 m
problem() {
  cat <<YAML
model:
  bodies:
    - {name: hand, joints: [{name: x, type: tx, effort: 100}, {name: z, type: tz, effort: 100}], mass: 1}
keep_out:
  clearance: 0.01
  shapes:
    - {name: ball, type: sphere, body: hand, radius: 0.1}
    - $1
horizon: {steps: $2, time: 2, gap: none$3}
cost:    {input: 1}
YAML
}
past() {
  problem '{name: post, type: sphere, point: [0.5, 0, 0.02], radius: 0.2}' "$@"
  echo 'start: {q: {x: 0, z: 0}, v: 0}'
  echo 'goal: {q: {x: 1, z: 0}, v: 0}'
}
round() {
  problem '{name: shelf, type: box, point: [-5, 0, 0], size: [10.6, 2, 0.02]}' "$@"
  echo 'start: {q: {x: 0, z: 0.5}, v: 0}'
  echo 'goal: {q: {x: 0, z: -0.4}, v: 0}'
  echo 'guess: {csv: way.csv}'
}
printf '%s\n' t,q.x,q.z 0,0,0.5 1,0.6,0 2,0,-0.4 >way.csv

# the least clearance of the motion in a folder: from each knot a parabola under the step's force
cat >least.py <<'PYTHON'
import csv, json, math, sys
rows = list(csv.DictReader(open(sys.argv[1] + "/trajectory.csv")))
h = float(rows[1]["t"]) - float(rows[0]["t"])
def clearance(x, z):
    if sys.argv[2] == "past":
        return math.hypot(x - 0.5, z - 0.02) - 0.3
    return math.hypot(max(x - 0.3, 0), max(abs(z) - 0.01, 0)) - 0.1
def at(row, s):
    return (float(row["q." + c]) + float(row["v." + c]) * s + (float(row["u." + c]) - g) * s * s / 2
            for c, g in (("x", 0), ("z", 9.81)))
print(min(clearance(*at(row, j / 1000 * h)) for row in rows[:-1] for j in range(1001)))
PYTHON

# --- at knots alone it comes too near between them; else within what is asked, on the same grid ---
for task in past:9 past:11 round:10 round:14; do
  shape=${task%:*} steps=${task#*:}
  "$shape" 400 '' >fine.yaml
  "$shape" "$steps" ', between: none' >knots.yaml
  "$shape" "$steps" '' >kept.yaml
  ends 0 optimize fine.yaml -o fine
  ends 0 optimize knots.yaml -o knots
  json knots/result.json "'between' not in o"
  fact "$task: too near between knots" python3 -c "import sys; sys.exit(not $(python3 least.py knots "$shape") < 0.009)"
  ends 0 optimize kept.yaml -o kept
  fact "$task: its line" grep -q "^  between  *'ball-.* m at .* s (limit 0.01); bounds at knots narrowed" out
  json kept/result.json "o['steps'] == $steps and o['between']['rounds'] > 0 and o['between']['excess'] <= 1e-4 == o['between']['allowed']"
  least=$(python3 least.py kept "$shape")
  fact "$task: kept between knots" python3 -c "import sys; sys.exit(not $least >= 0.01 - 1.01e-4)"
  json kept/result.json "abs(o['between']['value'] - $least) < 1e-4"
  fact "$task: at little cost" python3 -c "
import json
fine, knots, kept = (json.load(open(name + '/result.json'))['objective'] for name in ('fine', 'knots', 'kept'))
assert knots < kept < 1.002 * fine, (fine, knots, kept)"
done

# --- tighter, and looser than what is passed ---
past 9 ', between: 1e-6' >tight.yaml
ends 0 optimize tight.yaml -o tight
json tight/result.json "o['between']['excess'] <= 1e-6 and o['status'] == 'solved'"
past 9 ', between: 0.01' >loose.yaml
ends 0 optimize loose.yaml -o loose
json loose/result.json "o['between']['rounds'] == 0 and 1e-4 < o['between']['excess'] < 0.01"

# --- where knots are asked to be where they are, margins are none: that is left to finer grids, and coarse ---
past 9 ', refine: 0' >narrow.yaml
echo 'via: [{from: knot 4, to: knot 5, outputs: {ball-post: [none, 0.0101]}}]' >>narrow.yaml
ends 1 optimize narrow.yaml -o narrow
says "coarse: between knots the plant takes the output 'ball-post' .* past its limit (knot 4), more than 0.0001"
json narrow/result.json "o['between']['margin'] == 0"

# --- phases keep them, too: to the other side, and back ---
past 9 '' | sed '/^horizon/d; s/x: 1, z: 0/x: 0, z: 0/' >phased.yaml
cat >>phased.yaml <<'YAML'
phases:
  - {name: out, horizon: {steps: 9, time: 2, gap: none}, goal: {q: {x: 1, z: 0}, v: 0}}
  - {name: back, horizon: {steps: 11, time: 2, gap: none}}
YAML
ends 0 optimize phased.yaml -o phased
for phase in out back; do
  json phased/$phase/result.json "o['between']['rounds'] > 0 and o['between']['excess'] <= 1e-4 and 0 < o['between']['margin'] < 0.01"
  fact "$phase keeps off" python3 -c "import sys; sys.exit(not $(python3 least.py phased/$phase past) >= 0.01 - 1.01e-4)"
done

# --- from many guesses, in a free time, at the least cost per second, of a robot that is sought ---
past 9 '' >starts.yaml
echo 'starts: {count: 4}' >>starts.yaml
past 9 '' | sed 's/time: 2/time: {free: [1, 4]}/; s/input: 1}/input: 1, time: 50}/' >free.yaml
past 9 '' | sed 's/time: 2/time: {free: [1, 4]}/; s/input: 1}/input: 1, per: time}/' >ratio.yaml
past 9 '' >design.yaml
echo 'design: [{name: m, at: model.bodies.0.mass, within: [0.8, 1.5]}]' >>design.yaml
for name in starts free ratio design; do
  ends 0 optimize $name.yaml -o $name
  json $name/result.json "o['status'] == 'solved' and o['steps'] == 9 and o['between']['rounds'] == 1 and o['between']['excess'] <= 1e-4"
done

# --- over one post after the other, the same in every period: an end that is free is narrowed, too ---
problem '{name: post, type: sphere, point: [0, 0, 0], radius: 0.2}' 9 '' |
  sed 's/time: 2/time: 1/; s/^cost.*/cost: {input: 1, state: {q: {z: 1000}}}/' >period.yaml
cat >>period.yaml <<'YAML'
start:  {q: {x: -0.055, z: free}, v: free}
goal:   {periodic: true, travel: {x: 1, z: 0}}
bounds: {q: {z: [0, 1]}}
YAML
sed -i 's/^    - {name: post.*/&\n    - {name: next, type: sphere, point: [1, 0, 0], radius: 0.2}/' period.yaml
sed 's/gap: none/gap: none, between: none/' period.yaml >period-knots.yaml
for name in period period-knots; do ends 0 optimize $name.yaml -o $name; done
json period/result.json "o['between']['rounds'] == 1 and o['between']['excess'] <= 1e-4"
json period-knots/result.json "max(l['plant']['excess'] for l in o['output_limits']) > 1e-3"
exit $failed
