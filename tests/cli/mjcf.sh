#!/bin/sh
# Robots in MuJoCo's XML: what every command does with one, and that the XML of a result, read again, is
# the same robot.
#   mjcf.sh DMOC SOURCE
# shellcheck source=tests/cli/facts.sh
. "$(dirname "$0")/facts.sh"
problems=$source/problems
robots=$source/tests/robots/mjcf

# the same robot in a result's XML
for p in cart-pole/swing-up six-axis-arm/reach satellite/reorient four-bar/turn; do
  name=$(basename $p)
  ends 0 optimize "$problems/$p.yaml" -o "$name"
  ends 0 convert "$name" --to mujoco
  fact "the XML of $p is its robot" \
    python3 "$source/tests/cli/reread.py" "$dmoc" "$problems/$p.yaml" "$name/mujoco.xml"
done

# its loop is closed by a weld there: the same optimum
sed '/^model:/,/^inputs:/{/^inputs:/!d}' "$problems/four-bar/turn.yaml" >welded.yaml
echo 'model: {robot: turn/mujoco.xml}' >>welded.yaml
ends 0 optimize welded.yaml -o welded
fact "the four-bar from its XML has the same optimum" python3 -c '
import json
a, b = (json.load(open(f"{name}/result.json"))["objective"] for name in ("turn", "welded"))
assert abs(a - b) < 1e-9 * a, (a, b)'

# bodies are held together as they stand in the file, turned or not
cat >held.yaml <<'EOF'
model: {robot: held.xml}
inputs: []
start: {q: {x: 0, y: 0, z: 0, a: 0, b: 0}, v: 0}
simulate: {steps: 5, step: 0.001}
EOF
for what in '<connect name="h" body1="two" body2="one" anchor="0.1 0.05 0.2"/>' '<weld name="h" body1="two" body2="one"/>'; do
  cat >held.xml <<EOF
<mujoco><worldbody>
  <body name="one" pos="0.1 0.2 0.3" euler="20 10 5"><joint name="x" type="slide" axis="1 0 0"/><joint name="y" type="slide" axis="0 1 0"/>
    <joint name="z" type="slide" axis="0 0 1"/><joint name="ball" type="ball"/><geom size="0.1"/></body>
  <body name="two" pos="0.5 0 0.1" euler="0 25 0"><joint name="a" axis="1 0 0"/><joint name="b" axis="0 1 0"/><geom size="0.2"/></body>
</worldbody><equality>$what</equality></mujoco>
EOF
  ends 0 simulate held.yaml -o held
  says "'h' is kept exactly, where MuJoCo holds it softly"
  fact "the file's place keeps $what" test "$(grep -c 'moved onto' err)" -eq 0
  sed 's/x: 0,/x: 0.1,/' held.yaml >beside.yaml
  ends 2 simulate beside.yaml -o beside
  says "constraint 'h' cannot be met near there"
done

# and of robots that came from XML: a joint between two bodies has one of its own there
for name in capsules floating balls meshes; do
  cat >$name.yaml <<EOF
model: {robot: $robots/$name.xml}
inputs: []
simulate: {steps: 10, step: 0.01}
EOF
  ends 0 simulate $name.yaml -o of-$name
  ends 0 convert of-$name -o again-$name.xml
  fact "the XML of $name is its robot" \
    python3 "$source/tests/cli/reread.py" "$dmoc" $name.yaml again-$name.xml
done

# all commands, with springs, sites, motors and looks
cp "$robots/classes.xml" .
cat >classes.yaml <<'EOF'
model:   {robot: classes.xml, lock: {flap: 0}}
inputs:  [{joint: yaw}, {joint: lift}, {joint: roll, effort: 20}, {joint: reach, effort: 100}, {joint: push, effort: 30}]
outputs: [{name: height, type: position, bodies: elbow}]
horizon: {steps: 20, time: 1}
start:   {q: {lift: 0.3}, v: 0}
goal:    {q: {yaw: 0.5}, v: 0}
cost:    {input: 1}
EOF
ends 0 info classes.xml --json
json out "o['gravity'] == [0.3, -0.2, -9.7] and [s['name'] for s in o['spring']] == ['roll', 'reach']"
json out "[(u['name'], u['u_min'], u['u_max']) for u in o['input']] == [('yaw', -60, 30), ('lift', -20, 40), ('push', -3, 4)]"
ends 0 eval classes.xml --q 0 --output elbow.position
ends 0 check classes.yaml
ends 0 optimize classes.yaml -o classes
ends 0 report classes
fact "the report shows its looks" grep -q '"capsule"' classes/report.html
fact "a result folder keeps the file" cmp classes.xml classes/inputs/classes.xml

# a robot of several files, which are named from its folder; a result folder keeps all of them
mkdir several && cp -r "$robots/included.xml" "$robots/parts" several
cat >several/reach.yaml <<'EOF'
model:    {robot: included.xml, gravity: [0, 0, 0]}
horizon:  {steps: 5, time: 1}
start:    {q: 0, v: 0}
goal:     {q: {a: 0.1}}
cost:     {input: 1}
simulate: {steps: 2, step: 0.01}
EOF
ends 0 info several/included.xml --json
json out "[c['name'] for c in o['coordinate']] == ['a', 'b', 'c', 'd'] and o['touching'] == {'world': 0, 'bodies': 4}"
ends 0 optimize several/reach.yaml -o reached
mv several away
ends 0 report reached
mv away several

# shapes that touch others are no contacts here
sed 's|<worldbody>|<worldbody><geom type="plane" size="1 1 1"/>|' several/included.xml >several/ground.xml
sed 's/included.xml/ground.xml/' several/reach.yaml >several/ground.yaml
ends 0 info several/ground.xml
fact "info counts shapes that touch" grep -q 'contacts of 4 shapes of bodies and 1 of the world' out
ends 0 simulate several/ground.yaml -o fell
says "a plane of the world touches bodies in this file"
ends 0 simulate several/reach.yaml -o floats
fact "nothing is said without a ground" sh -c '! grep -q touches err'

# warnings of one kind are one line, with their number; --json has all
body=
for i in 1 2 3 4; do body="$body<body name=\"b$i\"><joint name=\"j$i\" frictionloss=\"$i\"/><geom size=\"0.1\"/></body>"; done
echo "<mujoco><worldbody>$body</worldbody></mujoco>" >dry.xml
ends 0 info dry.xml
fact "four warnings are one line" test "$(grep -c warning: err)" -eq 1
says "joint 'j1': its dry friction 1 is not in plans, only in the robots that verify simulates; model.friction: .{from: robot}. puts it into both (and 3 more of this kind: --json has all)"
ends 0 info dry.xml --json
json out "[w.split('friction')[1][:2] for w in o['warnings']] == [' 1', ' 2', ' 3', ' 4']"

# words where it will not do
echo '<sdf version="1.7"/>' >world.sdf
ends 2 info world.sdf
says "found <sdf>, expected <robot> or <mujoco>; sdf2mjcf of sdformat-mjcf writes MuJoCo's XML from an SDF"
sed 's/model:.*/model: {robot: classes.xml, base: floating}/' classes.yaml >floats.yaml
ends 2 check floats.yaml
says "found no free joint for a floating base"
{ cat classes.yaml && echo 'keep_out: {collision: true}'; } >kept.yaml
ends 2 check kept.yaml
says "keep_out.collision: found a robot in MuJoCo's XML"
ends 2 optimize classes.xml
says "found a robot file, expected a problem"
