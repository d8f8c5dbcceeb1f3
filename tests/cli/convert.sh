#!/bin/sh
# Results for other programs: what `convert` writes, read back by others than dmoc.
#   convert.sh DMOC SOURCE [MUJOCO_READER]
[ -z "${3:-}" ] || reader=$(readlink -f "$3")
# shellcheck source=tests/cli/facts.sh
. "$(dirname "$0")/facts.sh"
problems=$source/problems
for p in python3 /usr/bin/python3; do
  if [ -z "${python:-}" ] && $p -c 'import numpy' 2>/dev/null; then python=$p; fi
done

ends 0 run "$problems/cart-pole/swing-up.yaml" -o cart-pole
ends 0 run "$problems/throw/throw.yaml" -o throw
ends 0 simulate "$problems/contact/hopper.yaml" -o hopper
ends 0 optimize "$problems/six-axis-arm/eight.yaml" -o eight
ends 0 optimize "$problems/satellite/reorient.yaml" -o satellite
plain inputs
all="cart-pole throw hopper eight satellite"

# twice the same
converted() {
  ends 0 convert "$1" --to "$2" --json
  json out "o['$2'] == '$1/$3'"
  turn || return 0
  cp "$1/$3" before
  ends 0 convert "$1" --to "$2"
  fact "two conversions of $1 to $2 are the same bytes" cmp before "$1/$3"
}
for folder in $all; do
  converted $folder mcap motion.mcap
  converted $folder npz tables.npz
done

# recordings, by the format's specification, and by its own package where that can be had
recorded() {
  turn || return 0
  fact "the recording of $1 is whole and says what its tables say" \
    python3 "$source/tests/cli/recording.py" "$@"
}
recorded cart-pole
recorded throw lower:0:0:-0.5=hand
recorded hopper
recorded eight flange:0:0:0.16=tool
recorded satellite
cp -r cart-pole torn
python3 -c 'b = bytearray(open("torn/motion.mcap", "rb").read()); b[len(b) // 2] ^= 1; open("torn/motion.mcap", "wb").write(b)'
fact "a bit that is wrong is found" sh -c "! python3 '$source/tests/cli/recording.py' torn 2>/dev/null"
mkdir packages
if command -v node >/dev/null && command -v npm >/dev/null &&
  timeout 60 npm install --prefix packages --no-audit --no-fund @mcap/core >/dev/null 2>&1; then
  # shellcheck disable=SC2086 # folders are words
  fact "@mcap/core reads them" node "$source/tests/cli/recording.mjs" "$dir/packages" $all
else
  echo "skipped: recordings by another reader (needs node, and the package @mcap/core by npm)"
fi

# NumPy
if [ -n "${python:-}" ]; then
  # and where coordinates are prescribed
  ends 0 run "$problems/two-string-load/servo.yaml" -o servo
  ends 0 convert servo --to npz
  # shellcheck disable=SC2086 # folders are words
  fact "arrays hold what tables say" "$python" "$source/tests/cli/tables_in_numpy.py" $all servo
else
  echo "skipped: arrays of numpy (needs Python 3 with numpy)"
fi

# MuJoCo: a robot with looks of every kind, a mesh that is flat among them
mkdir looks
cat >looks/cube.obj <<'EOF'
v 0 0 0
v 0.1 0 0
v 0.1 0.2 0
v 0 0.2 0
v 0 0 0.5
v 0.1 0 0.5
v 0.1 0.2 0.5
v 0 0.2 0.5
f 1 4 3 2
f 5 6 7 8
f 1 2 6 5
f 2 3 7 6
f 3 4 8 7
f 4 1 5 8
EOF
sed '/^f/d' looks/cube.obj >looks/flat.obj
echo 'f 1 2 3 4' >>looks/flat.obj
cat >looks/arm.urdf <<'EOF'
<robot name="arm"><link name="base"/>
<link name="arm &amp; hand"><inertial><origin xyz="0.05 0.1 0.25" rpy="1 2 3"/><mass value="1"/>
<inertia ixx="0.02" iyy="0.03" izz="0.015" ixy="0.001" ixz="0" iyz="0"/></inertial>
<visual><origin xyz="0 0.1 0" rpy="0 0.3 0"/><geometry><mesh filename="cube.obj"/></geometry></visual>
<visual><geometry><mesh filename="flat.obj"/></geometry></visual>
<visual><geometry><mesh filename="nowhere.obj"/></geometry></visual>
<visual><geometry><box size="0.1 0.2 0.3"/></geometry></visual>
<visual><geometry><sphere radius="0.1"/></geometry></visual>
<visual><geometry><cylinder radius="0.1" length="0.4"/></geometry></visual>
<visual><geometry><capsule radius="0.1" length="0.4"/></geometry>
<material name="r"><color rgba="1 0 0 0.5"/></material></visual></link>
<joint name="turn" type="revolute"><origin xyz="0.1 0.2 0.3" rpy="0.4 0.5 0.6"/><parent link="base"/>
<child link="arm &amp; hand"/><axis xyz="1 1 0"/><limit lower="-3" upper="3" effort="10" velocity="10"/></joint></robot>
EOF
cat >looks/arm.yaml <<'EOF'
model: {urdf: arm.urdf}
horizon: {steps: 20, time: 1}
start: {q: 0, v: 0}
goal: {q: 1, v: 0}
cost: {input: 1}
EOF
ends 0 optimize looks/arm.yaml -o looks/result
ends 0 convert looks/result --to mujoco
says "a mesh on 'turn' is flat"
says "nowhere.obj"
fact "all others are there" [ "$(grep -c '<geom type' looks/result/mujoco.xml)" = 5 ]
ends 0 convert looks/result --to mcap
says "nowhere.obj"
recorded looks/result
for problem in four-bar/turn series-elastic/swing-up series-elastic/lift quadrotor/sidestep two-string-load/winches; do
  ends 0 run "$problems/$problem.yaml" -o "${problem%/*}-${problem#*/}"
done
cat >closed.yaml <<'EOF'
model:
  bodies:
    - {name: left, joints: [{name: a, type: ry, damping: 0.1}], mass: 1, centre: [0, 0.1, -0.5], inertia: [0.1, 0.2, 0.1]}
    - {name: right, offset: {xyz: [1, 0, 0]}, joints: [{name: b, type: ry}], mass: 2, centre: [0, 0, -0.5], inertia: [0.1, 0.1, 0.1]}
    - {name: bar, parent: left, offset: {xyz: [0, 0, -1], rpy: [0, 0.3, 0]}, joints: [{name: c, type: ry}], mass: 1, centre: [0.5, 0, 0], inertia: [0.01, 0.1, 0.1]}
    - {name: load, joints: [tx, ty, tz], mass: 0.5}
    - {name: hoist, offset: {xyz: [0, 2, 1]}, joints: [{name: h, type: tz}], mass: 1}
    - {name: turn, offset: {xyz: [0, -2, 0]}, joints: [{name: yaw, type: rz, damping: 0.1}], inertia: [0.1, 0.1, 0.1]}
    - {name: bob, joints: [tx, ty, tz], mass: 1}
    - {name: twin, offset: {xyz: [0, 3, 1]}, joints: [{name: t, type: tz}], mass: 2}
  constraints:
    - {name: pin, type: line, bodies: [bar, right], points: [[1, 0, 0], [0, 0, -1]], axis: [0, 1, 0]}
    - {name: held, type: point, bodies: [bob, turn], points: [[0, 0, 0.1], [0.2, 0, 0]]}
    - {name: cable, type: distance, bodies: [load, hoist], points: [[0, 0, 0], [0.1, 0, 0]], length: 1}
    - {name: gear, type: equal, coordinates: [t, h], ratio: -2, shift: 0.1}
  springs:
    - {name: hinge, joint: a, stiffness: 3, rest: 0.2}
    - {name: hinge 2, joint: a, stiffness: 1, rest: -0.4}
    - {name: lift, joint: h, stiffness: 60, rest: 0.3}
    - {name: over, path: [{body: load}, {body: bar, point: [0.5, 0, 0.1]}, {body: world, point: [2, 0, 0]}], stiffness: 20, rest: 1}
  dampers: [{name: oil, bodies: [load, right], damping: 0.3}, {name: brake, joint: h, damping: 0.2}]
  wrenches: [{name: wind, body: load, frame: mixed, force: [1, 2, 3]}]
inputs: [{joint: h, effort: 100}]
horizon: {steps: 40, time: 0.4}
start: {q: {a: 0.2, b: free, c: free, load.tx: 0.1, load.ty: 2, load.tz: free, h: 0.2, t: -0.3, yaw: 0.3, bob.tx: free, bob.ty: free, bob.tz: free}, near: {b: 0.2, c: -0.5, load.tz: 0.2}, v: 0}
goal: {q: {h: 0.3}}
cost: {input: 1}
EOF
ends 0 run closed.yaml -o closed
in_engine="closed cart-pole throw/swing throw/flight eight satellite series-elastic-swing-up quadrotor-sidestep two-string-load-winches four-bar-turn"
in_part="hopper series-elastic-lift"
for folder in $in_engine $in_part; do
  ends 0 convert $folder --to mujoco --json
done
json out "sum(\"the spring 'shaft\" in x and 'is not in it' in x for x in o['warnings']) == 2"
ends 0 convert four-bar-turn --to mujoco
says "kept softly"
ends 0 convert hopper --to mujoco
says "contacts are soft there"
# a block that slides to rest, and a ball that rolls over a step
cat >block.yaml <<'EOF'
model:
  gravity: [0, 0, -9.81]
  bodies:
    - {name: block, joints: [tx, ty, tz], mass: 2}
    - {name: ball, joints: [tx, ty, tz, ball], mass: 1, inertia: {xx: 0.004, yy: 0.004, zz: 0.004}}
  contacts:
    - {name: floor, type: above, bodies: [block, world], axis: [0, 0, 1], friction: 0.4}
    - {name: table, type: above, bodies: [ball, world], axis: [0, 0, 1], length: 0.1, friction: 0.5}
simulate:
  {method: knot, steps: 500, step: 0.002,
   start: {q: {ball.tx: 1, ball.tz: 0.1, ball.ball.qw: 1}, v: {block.tx: 0.8, block.ty: 0.6, ball.tx: 0.5, ball.ty: -0.3}}}
EOF
ends 0 simulate block.yaml -o block
ends 0 convert block --to mujoco
ends 2 convert throw --to mujoco
says "take the folder of a phase, such as throw/swing"
if [ -n "${reader:-}" ]; then
  # shellcheck disable=SC2086 # folders are words
  fact "MuJoCo reads them, and goes as planned" sh -c '"$@" >out' - "$reader" $in_engine looks/result --places $in_part --contacts block
else
  echo "skipped: files for MuJoCo in MuJoCo (not in this build)"
fi

# the format by --to, or by the suffix; what is none is refused, and nothing is written
ends 0 convert cart-pole -o here.npz
fact "the same by its suffix" cmp here.npz cart-pole/tables.npz
ends 2 convert cart-pole
says "say which format"
ends 2 convert cart-pole -o here.txt
says "-o takes a file that ends in one of .mcap, .npz, .xml, got 'here.txt'"
ends 2 convert cart-pole --to npz -o here.xml
says "-o takes FILE.npz for --to npz, got 'here.xml'"
ends 2 convert cart-pole --to npy
says "did you mean 'npz'"
ends 2 convert "$problems/cart-pole/swing-up.yaml" --to npz
says "convert takes a result folder"
mkdir none
ends 2 convert none --to npz
says "without result.json"
cp -r cart-pole damaged
echo >>damaged/gains.csv
rm damaged/tables.npz
ends 2 convert damaged --to npz
says "gains.csv is damaged"
fact "nothing of it is written" [ ! -e damaged/tables.npz ]
fact "nor left over" sh -c '! ls -A | grep -q dmoc-new'

# a folder of an earlier version, which has no list of its files
cp -r cart-pole earlier
loosen earlier
ends 0 convert earlier --to npz
fact "it has the same arrays" cmp earlier/tables.npz cart-pole/tables.npz

# a disk that is full: the file that was there stays, and no part of another
cp -r cart-pole full
cp full/motion.mcap before.mcap
(
  trap '' XFSZ
  ulimit -f 100
  "$dmoc" convert full --to mcap >out 2>err </dev/null
)
fact "a full disk is bad input" [ $? = 2 ]
says "full/motion.mcap cannot be written"
fact "the file before it is as it was" cmp before.mcap full/motion.mcap
fact "nothing is left over of it" sh -c '! ls -A full | grep -q dmoc-new'

# so it is behind a later stage, whose own result is whole
(
  trap '' XFSZ
  ulimit -f 100
  "$dmoc" linearize full --knot 3 --json >out 2>err </dev/null
)
fact "a file that a stage does not make again is bad input" [ $? = 2 ]
json out "o['status'] == 'solved' and o['exit'] == 2 and o['error'] in o['warnings'] and any(w.startswith('full/motion.mcap was not made: ') for w in o['warnings'])"
fact "the stage's table is there" [ -s full/linearization.csv ]
ends 0 plot full -o full.svg

# a file of the folder is made again by a later stage, and goes with the result
cp -r cart-pole renewed
ends 0 linearize renewed --knot 3
if [ -n "${python:-}" ]; then
  fact "a later stage's table is there" "$python" -c 'import numpy
assert numpy.load("renewed/tables.npz")["linearization"].shape[0] == 1'
fi
ends 0 optimize "$problems/pendulum/swing-up.yaml" -o renewed
fact "what was of another result is gone" [ ! -e renewed/tables.npz -a ! -e renewed/motion.mcap ]
exit $failed
