#!/bin/sh
# An arm whose links have <collision> shapes goes over a post: what info says of the shapes, and that
# they stay out of the post and of one another at knots.
#   collision.sh DMOC SOURCE
# shellcheck source=tests/cli/facts.sh
. "$(dirname "$0")/facts.sh"
cat >give.py <<'PYTHON'
import sys
text = open(sys.argv[1]).read()
at = lambda xyz, shape: f'<collision><origin xyz="{xyz}"/><geometry>{shape}</geometry></collision>'
links = {
    "turret": at("0 0.06 0", '<cylinder radius="0.08" length="0.2"/>'),
    "upper_arm": at("0 0 0.21", '<cylinder radius="0.06" length="0.42"/>'),
    "forearm": at("0 0 0.19", '<box size="0.08 0.08 0.4"/>'),
    "wrist_two": at("0 0 0.05", '<sphere radius="0.05"/>'),
    "flange": at("0 0 0.08", '<mesh filename="tool.obj" scale="0.001 0.001 0.001"/>'),
}
for name, shape in links.items():
    text = text.replace(f'<link name="{name}">', f'<link name="{name}">{shape}')
print(text, end="")
PYTHON
python3 give.py "$source/problems/six-axis-arm/arm.urdf" >arm.urdf

# a truncated pyramid in mm
for x in '40 30 0' '-40 30 0' '40 -30 0' '-40 -30 0' '10 10 120' '-10 10 120' '10 -10 120' '-10 -10 120'; do
  echo "v $x"
done >tool.obj
cat >task.yaml <<'YAML'
model:    {urdf: arm.urdf, lock: {wrist_1: -0.5, wrist_2: 0, wrist_3: 0}}
horizon:  {steps: 30, time: 2, error: none, gap: none}
start:    {q: {pan: -0.7, lift: 0.6, elbow: 1.2}, v: 0}
goal:     {q: {pan: 0.9, lift: 0.6, elbow: 1.2}, v: 0}
cost:     {input: 0.01}
YAML
cat task.yaml - >post.yaml <<'YAML'
keep_out:
  clearance: 0.01
  self: true
  collision: true
  shapes: [{name: post, type: cylinder, point: [0.36, 0, 0.1], axis: [0, 0, 1], radius: 0.05, length: 0.3}]
YAML

# --- what the shapes are, and by how much they stand out ---
ends 0 info post.yaml --json
json out "[s['name'] for s in o['collision']] == ['turret', 'upper_arm', 'forearm', 'wrist_two', 'flange']"
json out "o['collision'][1] == {'name': 'upper_arm', 'about': 'cylinder', 'type': 'capsule', 'radius': 0.06, 'length': 0.42, 'excess': 0.06}"
json out "o['collision'][3]['type'] == 'sphere' and o['collision'][3]['excess'] == 0 and 0.04 < o['collision'][2]['excess'] < 0.06"
json out "[y['name'] for y in o['output'] if 'post' not in y['name']] == ['turret-forearm', 'turret-wrist_two', 'turret-flange']"
says "arm.urdf:19: link 'forearm': the capsule about its <box> stands out of it by up to 0.05 m"
ends 0 info post.yaml
fact "in words" grep -q '^shape upper_arm: capsule, radius 0.06 m, axis 0.42 m, up to 0.06 m beyond its cylinder$' out

# --- over the post, which the same task without it goes through ---
ends 0 optimize post.yaml -o post
json post/result.json "min(y['low'] for y in o['outputs'].values()) > 0.01 - 1e-6"
json post/result.json "min(o['outputs'][n + '-post']['low'] for n in ('forearm', 'wrist_two', 'flange')) < 0.02"
ends 0 optimize task.yaml -o free
python3 - <<'PYTHON' >knots
import csv
rows = list(csv.DictReader(open("free/trajectory.csv")))
names = [n for n in rows[0] if n.startswith("q.")]
print("\n".join(",".join(r[n] for n in names) for r in rows[5:-5:3]))
PYTHON
hit=0
while read -r q; do
  ends 0 eval post.yaml --q="$q" --output all --json
  python3 -c "import json, sys; sys.exit(min(y['value'] for y in json.load(open('out'))['output'] if '-post' in y['name']) > 0)" && hit=1
done <knots
fact "a motion that knows of no post goes through it" [ $hit = 1 ]
exit $failed
