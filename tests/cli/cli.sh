#!/bin/sh
# The program as a user meets it: commands, exit statuses, files, JSON, errors, full disks, Ctrl-C.
#   cli.sh DMOC SOURCE
. "$(dirname "$0")/facts.sh"
no_leftovers() { fact "no temporary files in $1" [ -z "$(find "$1" -name '.*.*' -type f -o -name '.*dmoc-new')" ]; }

cp -r "$source/problems/cart-pole" "$source/problems/pendulum" "$source/problems/quadrotor" .
sed -i 's/samples: 200/samples: 20/' cart-pole/*.yaml # each sample costs as much as half of a solve
problem=cart-pole/swing-up.yaml

# --- words ---
ends 0 --help
commands=$(sed -n 's/^  \([a-z]*\) .*[A-Z].*$/\1/p' out)
fact "all commands are listed" [ "$(echo "$commands" | wc -w)" = "$(grep -c '^  X(' "$source/cli/commands/commands.h")" ]
for c in $commands; do
  ends 0 "$c" --help
  fact "$c --help begins with its usage" grep -q "^usage: dmoc $c " out
  ends 2 "$c"
  ends 2 "$c" nowhere.yaml --frobnicate
  says "$c has no option '--frobnicate'"
done
ends 0 --version
fact "a version" grep -qE '^dmoc [0-9]+\.[0-9]+\.[0-9]+$' out
ends 2
ends 2 optimise x.yaml
says "did you mean 'optimize'"
ends 2 run x.yaml --form y
says "did you mean '--from'"
ends 2 run x.yaml --out y
says "run has no option '--out'; did you mean '-o'?"
ends 2 plot x --foo y
says "plot has no option '--foo'; see dmoc plot --help"
ends 2 run x.yaml -o
says '-o needs a value'
ends 2 run x.yaml y.yaml
ends 2 run nowhere.yaml
says 'nowhere.yaml'
ends 2 run cart-pole/cart-pole.urdf
says 'cart-pole.urdf:1:1: found a robot file, expected a problem'
ends 2 run nowhere.yaml --json
json out "o['status'] == 'error' and o['exit'] == 2 and 'nowhere.yaml' in o['error']"
# one object, whatever happens: for words about the program, usage, an outcome after half an answer
for words in --version --help "run --help"; do
  # shellcheck disable=SC2086 # words
  ends 0 $words --json
  json out "o['warnings'] == [] and ('help' in o or o['version'])"
done
for words in "" optimise run "run x.yaml --form y" "run x.yaml y.yaml" "run x.yaml -o" "--json info" "plot x -o x.gif"; do
  # shellcheck disable=SC2086
  ends 2 $words --json
  json out "o['status'] == 'error' and o['exit'] == 2 and o['error'] and o['warnings'] == []"
done
{ cat pendulum/swing-up.yaml; echo 'solver: {max_iter: 2}'; } >pendulum/two.yaml
ends 1 optimize pendulum/two.yaml -o few --json
json out "o['objective'] > 0 and o['status'] == 'iteration_limit' and o['exit'] == 1 and o['error'].startswith(o['status'])"
# a step is checked from a knot that can be stepped
sed 's/steps: 100/steps: 2/' pendulum/swing-up.yaml >pendulum/two.yaml
ends 0 check pendulum/two.yaml --json
json out "len(o['blocks']) == 13 and all(b['holds'] for b in o['blocks'])"
# warnings are in it, with --quiet too, and on stderr
cat >warned.urdf <<'URDF'
<robot name="r"><link name="w"/><link name="bob"><inertial><origin xyz="0 0 -1"/><mass value="1"/>
<inertia ixx="1" ixy="0" ixz="0" iyy="1" iyz="0" izz="1"/></inertial></link>
<joint name="j" type="continuous"><parent link="w"/><child link="bob"/><axis xyz="0 1 0"/><dynamics friction="2"/></joint></robot>
URDF
printf 'model: {urdf: warned.urdf}\nsimulate: {steps: 10, step: 0.01}\n' >warned.yaml
for words in "info warned.urdf" "eval warned.urdf --q 0 --v 0" "check warned.yaml" "simulate warned.yaml -o warned"; do
  # shellcheck disable=SC2086
  ends 0 $words --json
  json out "any('friction 2 is not in plans' in w and not w.startswith('warning') for w in o['warnings'])"
  says 'friction 2 is not in plans'
  # shellcheck disable=SC2086
  ends 0 $words --json --quiet
  json out "any('friction 2 is not in plans' in w for w in o['warnings'])"
  fact "quiet is quiet" [ ! -s err ]
done
ends 2 gains "$dir"
says 'neither a problem file nor a result folder'
fact "nothing is written by a failing command" [ ! -e results ]

# --- a model at a state: the pendulum's closed form ---
ends 0 eval pendulum/pendulum.urdf --q 0.2 --v 0.5 --a 0 --json
json out "all(k in o for k in 'names M p L_q L_qq L_qv L_vv inverse_dynamics kinetic_energy potential_energy'.split())"
json out "abs(o['M'][0][0] - 1) < 1e-14 and abs(o['p'][0] - 0.5) < 1e-14 and abs(o['kinetic_energy'] - 0.125) < 1e-14"
ends 0 info cart-pole/cart-pole.urdf
fact "info says what slides on what" grep -q '^slider  *slides on the world ' out
fact "and in which unit an input is" grep -q '^input slider on slider, -20 .. 20 N$' out
ends 0 info quadrotor/sidestep.yaml
fact "info lists inputs with units, and loads" sh -c \
  'grep -q "^input rear, 0 .. 5.5 N$" out && grep -q "^load wind$" out'
ends 0 info pendulum/pendulum.urdf --json
json out "o['coordinates'] == 1 and abs(o['mass'] - 1) < 1e-14"
cat >box.urdf <<'URDF'
<robot name="box"><link name="box"><inertial><mass value="2"/>
<inertia ixx="1" ixy="0" ixz="0" iyy="1" iyz="0" izz="1"/></inertial></link></robot>
URDF
ends 0 eval box.urdf --floating --q 0 --v 1,0,0,0,0,0 --json
json out "len(o['names']) == 6 and o['kinetic_energy'] == 1 and o['p'][0] == 2"
# info has names as files use them, links, and robots that cannot move
cat >arm.urdf <<'URDF'
<robot name="arm"><link name="base"><inertial><mass value="2"/>
<inertia ixx="1" ixy="0" ixz="0" iyy="1" iyz="0" izz="1"/></inertial></link>
<link name="upper"><inertial><mass value="1"/>
<inertia ixx="1" ixy="0" ixz="0" iyy="1" iyz="0" izz="1"/></inertial></link>
<link name="tool"/>
<joint name="shoulder" type="continuous"><parent link="base"/><child link="upper"/></joint>
<joint name="mount" type="fixed"><parent link="upper"/><child link="tool"/></joint></robot>
URDF
ends 0 info arm.urdf
fact "links stand on joints, are fixed to others, or to the world" sh -c \
  'grep -q "^link upper on shoulder$" out && grep -q "^link tool fixed to upper$" out && grep -q "^link base fixed to the world$" out'
echo 'model: {urdf: arm.urdf, base: floating-quaternion}' >quaternion.yaml
echo 'simulate: {steps: 2, time: 0.1, start: {q: {NAMES}}}' | sed "s/NAMES/$("$dmoc" info quaternion.yaml |
  awk 'NR > 2 && $2 ~ /turns|slides/ {print $1 ": 0,"}' | tr '\n' ' ')/" >>quaternion.yaml
fact "eight names from info stand in the file" [ "$(grep -o ': 0,' quaternion.yaml | wc -l)" = 8 ]
ends 0 simulate quaternion.yaml -o quaternion
ends 0 info quaternion.yaml --json
json out "[c['name'] for c in o['coordinate']] == o['state'] and o['state'][3:] == ['base.qw', 'base.qx', 'base.qy', 'base.qz', 'shoulder']"
json out "[c['parent'] for c in o['coordinate']][3:] == ['base.z'] * 4 + ['base'] and [c['mass'] for c in o['coordinate']] == [0] * 3 + [2] * 4 + [1]"
json out "o['cannot_move'] is None and {'name': 'tool', 'joint': 'shoulder', 'fixed_to': 'upper'} in o['link']"
# what a problem file adds to a robot's: its derivatives hold
cat >carried.yaml <<'YAML'
model:
  urdf: arm.urdf
  base: floating
  bodies: [{name: bob, parent: tool, joints: [ry], mass: 0.3, centre: [0, 0, 0.4], inertia: [0.01, 0.01, 0.001]}]
  payload: {body: tool, mass: 0.5, offset: {xyz: [0.1, 0.2, 0.3], rpy: [0, 0, pi/4]}, inertia: [1e-3, 2e-3, 2e-3]}
  lock: {base.y: 0.1, base.rz: 0.3}
simulate: {steps: 20, time: 0.2, start: {q: [0, 0, 0.1, 0.2, 0.3, 0.4], v: [1, 0, 2, 0, 3, 0]}}
YAML
ends 0 check carried.yaml --json
json out "o['status'] == 'done' and len(o['blocks']) >= 2 and all(b['holds'] for b in o['blocks'])"
ends 0 run carried.yaml -o carried
fact "what is locked is no column" grep -q '^k,t,q.base.x,q.base.z,q.base.ry,q.base.rx,q.shoulder,q.bob,' carried/trajectory.csv
echo '<robot name="r"><link name="a"/></robot>' >still.urdf
ends 0 info still.urdf
fact "a robot without joints says so" grep -q '^cannot be simulated: nothing in this model can move$' out
sed 's/<inertial>.*//; s/^<inertia .*<.inertial>//' arm.urdf >bare.urdf
ends 0 info bare.urdf
fact "so does one without inertia" grep -q "^cannot be simulated: coordinate 'shoulder' moves no inertia" out
fact "whose joints are listed" grep -q '^shoulder  *turns on' out
ends 2 eval bare.urdf --q 0 --v 0
says "coordinate 'shoulder' moves no inertia"
free="$source/problems/rigid-body/free.yaml" # a quaternion has the length 1, or is no turn
ends 0 eval "$free" --q 0,0,0.70711,0.70711 --v 0,0,0.5,-0.5 --json
json out "abs(o['kinetic_energy'] - 1) < 1e-12"
ends 0 eval "$free" --q 0 --v 0,1,0,0 --json
json out "abs(o['kinetic_energy'] - 2) < 1e-12"
ends 2 eval "$free" --q 2,0,0,0 --v 0
says "--q: found a quaternion 'body.qw ..' of length 2, expected 1"
ends 2 eval pendulum/pendulum.urdf --q 1,2,3 --v 0
says '--q: found 3 numbers, expected 1 (or one for all)'
ends 2 eval cart-pole/cart-pole.urdf --q '[0.1]' --v 0
says '--q: found 1 number, expected 2$'
ends 0 eval cart-pole/cart-pole.urdf --q '[0.1, pi/2]' --v 0
ends 2 eval cart-pole/cart-pole.urdf --q '[0.1]0]' --v 0
says "--q: expected a number, found '0.1\]0'"
ends 2 eval pendulum/pendulum.urdf --q 1,x --v 0
says "found 'x'"
ends 2 eval pendulum/pendulum.urdf --v 0
ends 0 eval pendulum/pendulum.urdf --q -pi/2 --v=0
if [ -e /dev/full ]; then
  "$dmoc" info pendulum/pendulum.urdf >/dev/full 2>err
  fact "a full stdout is an error" [ $? = 2 ]
fi

# --- checking and simulating ---
ends 0 check $problem --json
json out "o['status'] == 'done' and len(o['blocks']) >= 9 and all(b['holds'] for b in o['blocks'])"
# the laws of the map: the momentum along the rail is found; a method for contacts that gains energy is told
ends 0 check cart-pole/swing-up.yaml --laws --json
json out "{r['law']: r['verdict'] for r in o['laws']}['momentum momentum.x'] == 'holds' and all(r['verdict'] == 'holds' for r in o['laws'])"
json out "[round(r['order']) for r in o['laws'] if r['order']] == [2, 2, 4]"
cp -r "$source/problems/satellite" .
ends 0 check satellite/reorient.yaml --laws --json
json out "sorted(r['law'] for r in o['laws'] if r['law'].startswith('momentum')) == ['momentum moment.' + c for c in 'xyz']"
# --kept: a momentum to rounding, an integral that is not one to the order of the rule, a quantity that nothing keeps
cat >kepler.yaml <<'KEPLER'
model:
  gravity: [0, 0, 0]
  bodies: [{name: planet, joints: [{name: x, type: tx}, {name: y, type: ty}], mass: 1}]
  potentials: [{name: sun, formula: "-1/hypot(q.x, q.y)"}]
outputs:
  - {name: spin, formula: "q.x v.y - q.y v.x"}
  - {name: lenz, formula: "v.y (q.x v.y - q.y v.x) - q.x/hypot(q.x, q.y)"}
  - {name: wrong, formula: "q.x v.x + q.y v.y"}
simulate: {time: 1, step: 0.02, start: {q: {x: 1}, v: {y: 1.2}}}
KEPLER
ends 1 check kepler.yaml --laws --kept spin,lenz,wrong --json
json out "[r['verdict'] for r in o['laws'] if r['law'].startswith('kept')] == ['holds', 'holds', 'fails']"
json out "[r['expected'] for r in o['laws'] if r['law'].startswith('kept')] == [None, 2, 2]"
ends 2 check kepler.yaml --laws --kept spim
says "takes names of outputs, got 'spim'; did you mean 'spin'"
ends 2 check kepler.yaml --kept spin
says 'kept needs --laws'
ends 0 check "$source/problems/rigid-body/cubic.yaml" --laws --json
json out "[(r['law'], r['verdict']) for r in o['laws']] == [('second order', 'none')]"
ends 1 check "$source/problems/contact/ball-midpoint.yaml" --laws --json
json out "[r['law'] for r in o['laws'] if r['verdict'] == 'fails'] == ['impacts'] and o['status'] == 'failed'"
sed '/^goal\|^cost\|^feedback\|^verify\|^guess\|^start\|^horizon\|^solver\|^bounds/d' pendulum/swing-up.yaml >pendulum/swing.yaml
echo 'simulate: {steps: 2000, step: 0.01, start: {q: 1}, every: 10}' >>pendulum/swing.yaml
ends 0 simulate pendulum/swing.yaml -o swing --json
json out "o['status'] == 'done' and o['steps'] == 2000 and o['energy']['drift'] < 1e-3"
fact "every tenth knot is kept" [ "$(grep -c . swing/trajectory.csv)" = 202 ]
drift() { value "$1/result.json" "o['energy']['drift']"; }
sed 's/every: 10/every: 700/' pendulum/swing.yaml >pendulum/few.yaml
ends 0 simulate pendulum/few.yaml -o few
fact "the knots left out count as well" [ "$(drift few)" = "$(drift swing)" ]
fact "three knots are kept" [ "$(grep -c '^[0-9]' few/trajectory.csv)" = 3 ]
ends 2 linearize swing
says 'every 10th knot'
cp -r swing cut
head -n 100 swing/trajectory.csv >cut/trajectory.csv
ends 2 linearize cut
says 'cut/trajectory.csv is damaged: found the SHA-256 [0-9a-f]*.., expected '
loosen cut
ends 2 linearize cut
says 'found 99 knots, expected 201'
rm -r cut
no_leftovers swing


# --- springs ---
cat >sprung.yaml <<'YAML'
model:
  gravity: [0, 0, -10]
  bodies:
    - {name: bob, joints: [tx, tz], mass: 2}
    - {name: pin, joints: [tx], mass: 1}
  springs:
    - {name: band, bodies: [bob, pin], stiffness: 30, rest: 1}
  potentials:
    - {name: trap, bodies: [bob, pin, world], law: power, coefficient: 0.5, exponent: 2, points: [[0, 1, 0], [0, 0, 1], [0, 0, 0]]}
simulate: {steps: 500, step: 0.01, start: {q: {bob.tx: 3, bob.tz: 4, pin: 0.1}}}
YAML
ends 0 info sprung.yaml
fact "info lists springs" grep -q "^spring band$" out
fact "and pairs" grep -q "^springs trap, 3 pairs$" out
ends 0 eval sprung.yaml --q 3,4,0 --v 1,0,0 --json
json out "o['kinetic_energy'] == 1 and abs(o['potential_energy'] - (20 * 4 + 15 * 16 + (19 + 26 + 1) / 2)) < 1e-12"
ends 0 simulate sprung.yaml -o sprung --json
json out "o['status'] == 'done' and o['energy']['drift'] < 0.002 * o['energy']['start']"
ends 0 check sprung.yaml --json
json out "o['status'] == 'done' and all(b['holds'] for b in o['blocks'])"
sed 's/bob.tx: 3, bob.tz: 4/bob.tx: 0.1, bob.tz: 0/' sprung.yaml >met.yaml
ends 2 simulate met.yaml
says "met.yaml:10:[0-9]*: simulate.start: the energy of 'band' is not defined there: do points meet?"

# --- constraints ---
cat >loop.yaml <<'YAML'
model:
  bodies: [{name: bob, joints: [tx, tz], mass: 1}]
  constraints:
    - {name: rod, type: distance, bodies: [bob, world], length: 2}
simulate: {steps: 500, step: 0.01, start: {q: {bob.tx: 2}}}
YAML
ends 0 simulate loop.yaml -o loop --json
json out "o['status'] == 'done' and o['constraint']['residual'] < 1e-12 and o['energy']['drift'] < 0.01 and 'momentum' not in o"
fact "the multipliers have a column" grep -q ',v.bob.tz,lambda.rod,energy,' loop/trajectory.csv
fact "as many cells in every row" [ "$(sed 's/[^,]//g' loop/trajectory.csv | sort -u | wc -l)" = 1 ]
ends 0 info loop.yaml
fact "info lists constraints" grep -q "^constraint rod, 1 row$" out
ends 0 check loop.yaml --json
json out "o['status'] == 'done' and len(o['blocks']) == 3"
sed 's/steps: 500, step: 0.01/steps: 2, step: 20/' loop.yaml >far.yaml
ends 1 check far.yaml
says 'no step from knot 0: Newton left a residual of .* in constraint rod'
ends 2 optimize loop.yaml
says 'has no goal and no cost'
ends 2 gains loop.yaml -o loop
says 'has no section .feedback.'
ends 0 linearize loop.yaml -o loop --knot 7 --json
json out "len(o['linearization']['lambda_x']) == 1 and len(o['linearization']['lambda_x'][0]) == 4"
fact "its derivatives have columns" grep -q ',lambda.rod.q.bob.tx,lambda.rod.q.bob.tz,lambda.rod.p.bob.tx,' loop/linearization.csv
# contacts: reported and listed; a step that two facing walls leave no way out of is named, what was
# before is written; such motions are not linearized
ball="$source/problems/contact/ball.yaml"
ends 0 simulate "$ball" -o ball --json
json out "o['contacts']['made'] == 11 and o['contacts']['method'] == 'gvi' and o['energy']['drift'] < 1e-13"
ends 0 info "$ball" --json
json out "o['contact'] == [{'name': 'floor', 'restitution': 1, 'friction': 0, 'what': 'above, ball and world, length 0'}]"
ends 2 linearize "$ball"
says 'has contacts: its motion can be simulated, but not linearized or stabilized'
ends 2 gains "$source/problems/double-spherical-pendulum/order-4.yaml" -o four
says 'takes other steps than the map that is linearized and stabilized'
# run of a file that only simulates does so, whatever its steps and however many knots are kept
sed 's/steps: 500/every: 7, steps: 500/' loop.yaml >seventh.yaml
for f in "$ball" "$source/problems/two-point/circle-xy-two.yaml" "$source/problems/splines/initial.yaml" \
  "$source/problems/double-spherical-pendulum/order-4.yaml" seventh.yaml; do
  ends 0 simulate "$f" -o simulated
  ends 0 run "$f" -o ran --json
  json out "o['status'] == 'done' and 'gains' not in o"
  fact "run simulates $f" cmp -s simulated/trajectory.csv ran/trajectory.csv
  rm -r simulated ran
done
hoist '' ''
sed 's/steps: 300/every: 7, steps: 300/' hoist.yaml >held.yaml
ends 2 run held.yaml # which asks for more
says 'stores only every 7th knot of its motion; simulate it with .every: 1.'
# what is conserved, as columns, with windows and drift, and drawn
dsp="$source/problems/double-spherical-pendulum"
ends 0 simulate "$dsp/dsp.yaml" -o dsp --json
json out "all(abs(o['monitors'][k][j]['scatter']) < s for k, j, s in [('moment', 'vertical', 1e-13), ('form', 'cloud', 1e-7)])"
json out "len(o['monitors']['energy']['windows']) == 10 and abs(o['monitors']['energy']['slope']) < 2e-3"
fact 'a row a knot, a header above' [ "$(wc -l <dsp/monitors.csv)" = 102 ]
fact 'no step leaves the last knot' grep -q '^100,[^,]*,[^,]*,,' dsp/monitors.csv
ends 0 plot dsp -o monitors.svg --what monitors
json monitors.svg "o['request']['draw'] == ['monitors'] and o['exhibits'][0]['simulated']"
cat >fall.yaml <<'FILE'
model: {bodies: [{name: a, joints: [tz], mass: 2}]}
simulate: {steps: 99, step: 0.01, monitors: invariants}
FILE
ends 0 simulate fall.yaml -o fall --json # its momentum is -mgt: drift, nothing left of it, means of tenths
json out "abs(o['monitors']['momentum']['z']['slope'] + 19.62) < 1e-9"
json out "o['monitors']['momentum']['z']['scatter'] < 1e-6"
json out "max(abs(w + 19.62 * (0.1 * k + 0.045)) for k, w in enumerate(o['monitors']['momentum']['z']['windows'])) < 1e-9"
sed '/monitors/d' "$dsp/dsp.yaml" >plain.yaml
ends 0 simulate plain.yaml -o dsp
fact 'monitors of a motion before are gone' [ ! -e dsp/monitors.csv ]
ends 2 gains ball
says 'has contacts'
cat >shut.yaml <<'EOT'
model:
  gravity: [0, 0, 0]
  bodies: [{name: ball, joints: [tz], mass: 1}]
  contacts:
    - {name: floor, type: not-below, coordinate: ball, length: 0}
    - {name: lid, type: not-above, coordinate: ball, length: 0}
simulate: {steps: 5, step: 0.1, start: {v: {ball: 1}}}
EOT
ends 1 simulate shut.yaml -o shut
says "the impact at knot 0: after 90 reflections contact 'lid' still approaches, at 1"
fact "the motion up to there is written" grep -q '^0,' shut/trajectory.csv
fact "what contacts did is a table" grep -q '^15,[0-9.e+-]*,floor,made,[0-9.e+-]*,0$' ball/contacts.csv
fact "of as many rows as contacts were made and left" [ "$(grep -c 'floor,made\|floor,left' ball/contacts.csv)" = 22 ]
ends 0 plot ball -o impulses.svg --what contacts
sed 's/step: 0.01,/step: 0.01, every: 50,/' "$source/problems/contact/incline.yaml" >rows.yaml
ends 0 simulate rows.yaml -o rows
fact "what lies is told where a row is kept" [ "$(grep -c 'incline,held' rows/contacts.csv)" = 6 ]
sed '/contacts:/d; /name: incline/d' rows.yaml >free.yaml
ends 0 simulate free.yaml -o rows
fact "a motion without contacts leaves none of another's" [ ! -e rows/contacts.csv ]
# a start inside an obstacle, a shelf and a rod that leave no way on: named with what is held and by how
# much it fails
cat >top.yaml <<'EOT'
model:
  gravity: [0, 0, 0]
  bodies: [{name: ball, joints: [{name: x, type: tx}, {name: z, type: tz}], mass: 1}]
  constraints: [{name: rod, type: distance, bodies: [ball, world], length: 1}]
  contacts: [{name: shelf, type: not-below, coordinate: z, length: 1}]
simulate: {steps: 5, step: 0.1, start: {q: {z: 1}, v: {x: 1}}}
EOT
ends 1 simulate top.yaml -o top
says "no step from knot 0: a linear system is singular, with contact 'shelf' closed (residual [0-9.e-]*, gap [0-9.e-]* m or rad); take shorter steps"
fact "the motion up to there is written" grep -q '^0,' top/trajectory.csv
sed 's/z, length: 1/z, length: 0.999/; s/v: {x: 1}/v: {x: 30}/' top.yaml >fast.yaml
ends 1 simulate fast.yaml -o fast
says "no step from knot 0: Newton left a residual of .* and a gap of 1.33 m or rad in constraint 'rod'"
sed 's/{z: 1}, v/{z: 0.9}, v/; /constraints/d' top.yaml >inside.yaml
ends 2 simulate inside.yaml -o inside
says "inside.yaml:5:40: simulate.start: the start is inside an obstacle: 'shelf' is violated by 0.1"
sed 's/length: 1}\]$/length: 1}, {name: bar, type: distance, bodies: [ball, world], length: 2}]/' top.yaml |
  sed '5s/.*/  contacts: [{name: shelf, type: not-below, coordinate: z, length: 0}]/' >two.yaml
ends 2 simulate two.yaml -o two
says "simulate.start: constraint '[a-z]*' cannot be met near there: off by 1.5 m or rad"

# a simulated motion is held: a load on a string that a hook carries along
hoist '' ', start: {q: {x: 0.1}, hold: 2}'
ends 0 run hoist.yaml -o hoist --json
json out "o['verify']['held'] == 10 and 'continuous' not in o['verify'] and o['constraint']['residual'] < 1e-12"
json out "o['verify']['start']['closed']['final_error'] < 0.1 * o['verify']['start']['open']['worst_error']"
fact "gains by the names of what is prescribed" grep -q '^k,t,K.hook.q.x,K.hook.q.z,K.hook.q.hook,K.hook.p.x' hoist/gains.csv
fact "a row a knot, with and without feedback" [ "$(grep -c '^[0-9]' hoist/response.csv)" = 301 ]
ends 0 run hoist.yaml -o hoist
fact "the summary says on which plant" grep -q 'on the discrete plant alone: the continuous one has no kinematic coordinates' out
ends 0 verify hoist --json
json out "o['verify']['held'] == 10"
ends 2 plot hoist -o x.svg --only x,hok
says "got 'hok'; did you mean 'hook'"
ends 0 plot hoist --what error --only x -o error.svg
json error.svg "o['exhibits'][0]['start_plant'] == 'discrete'"
ends 0 plot hoist -o hoist.svg
# and linearized: what inputs reach and outputs show, held against what the string leaves
ends 0 linearize hoist.yaml -o hoist --json
json out "o['linearization']['reached'] | {'pair': 0, 'window': 0} == {'of': 4, 'pair': 0, 'window': 0}"
json out "all(o['linearization']['reached'][k]['rank'] == 4 and o['linearization']['shown'][k]['rank'] == 3 for k in ('pair', 'window'))"
json out "o['linearization']['shown']['of'] == 3 and o['linearization']['reached']['window']['steps'] == 6"
fact "ranks of every knot" [ "$(grep -c '^[0-9]*,[0-9.e-]*,4,' hoist/reach.csv)" = 300 ]
fact "a window in six" [ "$(grep -c '^[0-9].*[0-9]$' hoist/reach.csv)" = 50 ]
ends 0 linearize hoist --knot 7 --second --window 20 --outputs hook --json
json out "o['linearization']['shown']['pair']['rank'] == 1 and o['linearization']['reached']['window']['steps'] == 20"
fact "second derivatives by name" grep -q '^7,p.x,q.[xz],q.hook,' hoist/second.csv
fact "states of what is prescribed have none" [ "$(grep -c '^7,[qp].hook' hoist/second.csv)" = 0 ]
ends 0 linearize hoist --knot 7
fact "second derivatives go with their linearization" [ ! -e hoist/second.csv ]
ends 2 linearize hoist --outputs hok
says "got 'hok'; did you mean 'hook'"
ends 2 linearize hoist --window 0
says "a number of steps >= 1, got '0'"
# half of a force acts at the step's right end, some of it along the rod: that reaches nothing
sed 's/joints: \[tx, tz\]/joints: [{name: x, type: tx, effort: 5}, {name: z, type: tz}]/; s/bob.tx: 2/x: 2/' loop.yaml >push.yaml
ends 0 linearize push.yaml -o push --json
json out "o['linearization']['reached']['of'] == 2 and o['linearization']['reached']['pair']['rank'] == 2 and o['linearization']['reached']['window']['rank'] == 2"
# the pendulum of paper 001: q = 0.2, p = 0.5, u = 0.8, one step of 0.1 s
cat >paper.yaml <<'YAML'
model:
  gravity: [0, 0, -9.8]
  bodies: [{name: bob, joints: [{name: pivot, type: ry, effort: 9}], mass: 1, centre: [0, 0, -1]}]
rule: {force: left}
simulate: {steps: 1, step: 0.1, start: {q: 0.2, v: 0.5}, input: 0.8}
YAML
ends 0 linearize paper.yaml -o paper --second --knot 0 --json
json out "(lambda A, B: abs(A[0][0] * B[0][0] + A[0][1] * B[1][0] - .0186218) < 5e-8 and abs(A[1][0] * B[0][0] + A[1][1] * B[1][0] - .0817693) < 5e-8)(o['linearization']['A'], o['linearization']['B'])"
json out "o['linearization']['reached']['pair']['rank'] == 2 and o['linearization']['shown']['pair']['rank'] == 2"
fact "its second derivatives: 2.5302e-7 by u twice" grep -q '^0,q.pivot,u.pivot,u.pivot,2.530[12]' paper/second.csv
sed -i '/^verify/d' hoist.yaml
ends 0 gains hoist
fact "new gains put the response away" [ ! -e hoist/response.csv ]
sed 's/start: {q: {z: -1}}}/start: {q: {z: -1}}, every: 10}/' hoist.yaml >few.yaml
ends 2 gains few.yaml -o few
says 'stores only every 10th knot of its motion'

sed 's/bob.tx: 2/bob.tx: 1/' loop.yaml >off.yaml
ends 0 simulate off.yaml -o loop --json
says "off.yaml:5: simulate.start.q: moved onto the constraints: bob.tx by 1$"
sed 's/start: {/start: {assemble: none, /' off.yaml >none.yaml
ends 2 simulate none.yaml
says "none.yaml:5:[0-9]*: simulate.start: it violates the constraint 'rod' by -3"
sed 's/start: {.*/start: {q: {bob.tx: 0.1, bob.tz: 1}, assemble: energy}}/' off.yaml >hang.yaml
ends 0 simulate hang.yaml -o loop --json
fact "it hangs" grep -q '^0,0,[-0-9.e]*,-2,' loop/trajectory.csv

# --- what is singular: a spherical pendulum whose first step is symmetric about its pole ---
cat >pole.yaml <<'YAML'
model:
  gravity: [0, 0, -9.8]
  bodies: [{name: bob, joints: [rz, ry], mass: 1, centre: [0, 0, -1]}]
simulate: {steps: 3, step: 0.1, start: {q: {bob.ry: -0.05}, v: {bob.ry: 1}}}
YAML
ends 0 simulate pole.yaml -o pole
ends 1 linearize pole.yaml -o pole
says 'no linearization at knot 0: M1 = D2 D1 Ld is singular (condition inf) along bob.rz (1)$'
sed 's/v: {/v: {bob.rz: 1, /' pole.yaml >turn.yaml
ends 1 simulate turn.yaml -o pole
says 'no step from knot 0: M1 = D2 D1 Ld is singular (condition inf) along bob.rz (1)$'
sed 's/-0.05/0/' pole.yaml >top.yaml
ends 1 simulate top.yaml -o pole
says 'no step from knot 0: the mass matrix is singular$'

# --- a problem that is wrong ---
sed 's/^goal:.*/goal: {q: {slidder: 1}}/' $problem >cart-pole/wrong.yaml
ends 2 run cart-pole/wrong.yaml -o wrong
says 'cart-pole/wrong.yaml:[0-9]*:[0-9]*: .*slidder.*slider'
fact "a wrong problem writes nothing" [ ! -e wrong ]

# --- without IPOPT the rest stops here: it says what IPOPT finds ---
"$dmoc" optimize $problem --solver ipopt -o way >out 2>err </dev/null
if grep -q 'no IPOPT' err; then
  echo "skipped: all that IPOPT solves (built without IPOPT)"
  exit $failed
fi

# --- the whole way ---
ends 0 run $problem -o way --json
json out "o['status'] == 'solved' and o['certificate']['step'] <= 1e-8"
for k in status objective iterations max_violation worst sizes time certificate verify version inputs_sha256; do
  json way/result.json "'$k' in o"
done
json way/result.json "set(o['worst']) == {'row', 'knot', 'value', 'unit', 'scale'} and set(o['sizes']) == {'variables', 'constraints', 'jacobian_nnz', 'hessian_nnz'}"
json way/result.json "{'total_s', 'derivatives_s', 'solver_s'} == set(o['time']) and o['verify']['held'] <= o['verify']['samples']"
for f in trajectory gains verify multipliers convergence; do
  fact "$f.csv is there" [ -s way/$f.csv ]
done
fact "the columns of trajectory.csv" grep -q '^k,t,q.slider,q.pole,p.slider,p.pole,v.slider,v.pole,u.slider$' way/trajectory.csv
cp -r way commented # as tables once were
loosen commented # and without their digests
for f in gains multipliers; do { printf '# once\n# more\n' && cat way/$f.csv; } >commented/$f.csv; done
ends 0 verify commented
fact "gains below comments are read" cmp -s way/verify.csv commented/verify.csv
ends 0 optimize $problem --from commented -o again --json
json out "o['iterations'] <= 2"
rm -r commented again
fact "the law stands beside the gains" grep -q '^  u = u_d - K (x - x_d), held from t' way/columns.txt
fact "101 knots" [ "$(grep -c '^[0-9]' way/trajectory.csv)" = 101 ]
no_leftovers way
cp -r way first
ends 0 run $problem -o way --quiet
fact "--quiet says nothing on stderr" [ ! -s err ]
for f in trajectory gains verify multipliers convergence; do
  fact "the same run gives the same $f.csv" cmp -s way/$f.csv first/$f.csv
done
ends 0 optimize $problem --from first -o warm --json
json out "o['solver']['warm'] and o['iterations'] <= 5 and abs(o['objective'] - $(value first/result.json "o['objective']")) < 1e-6"

# --- stages on a folder ---
ends 2 run first
says 'takes a problem file'
ends 0 gains first --json
json out "o['gains']['status'] == 'done' and 'verify' not in o"
fact "new gains put an old record away" [ ! -e first/verify.csv ]
ends 0 verify first
fact "a row for each sample" [ "$(grep -c '^discrete,' first/verify.csv)" = 20 ]
ends 0 linearize first --knot 3 --json
json out "len(o['linearization']['A']) == 4 and len(o['linearization']['B'][0]) == 1"
ends 2 linearize first --knot 100
ends 0 linearize first
fact "a row for each step" [ "$(grep -c '^[0-9]' first/linearization.csv)" = 100 ]
cp -r first cut
head -n 20 first/trajectory.csv >cut/trajectory.csv
for found in 'the SHA-256' '19 knots, expected 101'; do
  for stage in gains verify linearize "plot -o cut.svg" "optimize $problem -o warm --from"; do
    # shellcheck disable=SC2086 # words
    ends 2 $stage cut
    says "cut/trajectory.csv is damaged: found $found"
  done
  loosen cut
done
ends 2 optimize $problem --from cart-pole -o warm
says '--from takes a result folder'
ends 2 report nothere
says "report takes a result folder, and there is no 'nothere'; 'dmoc run PROBLEM' makes one"
cp $problem saved.yaml
sed -i 's/R: 1/R: 2/' $problem
cp first/gains.csv kept.csv
ends 0 gains first
says 'has changed since first was made; the copy in that folder is used'
fact "gains by the copy are the same" cmp -s first/gains.csv kept.csv
ends 0 gains first --now
says 'has changed since first was made; its motion is used as it was'
fact "by the file as it is now they are others" sh -c '! cmp -s first/gains.csv kept.csv'
ends 0 linearize first --knot 0
says 'the inputs in first are newer than those that its motion was made from' # still
fact "the copy is the later file" cmp -s first/inputs/swing-up.yaml $problem
ends 2 gains $problem --now
says '--now is for a result folder'
mv saved.yaml $problem
sed -i 's/mass value="0.3"/mass value="0.4"/' cart-pole/cart-pole.urdf
ends 2 gains way --now
says 'does not solve'
ends 0 linearize way
says 'has changed since way was made'
cp "$source/problems/cart-pole/cart-pole.urdf" cart-pole/

# --- a later stage that fails keeps what the earlier ones finished ---
sed '/^feedback\|^verify/d' $problem >cart-pole/bare.yaml
ends 2 gains cart-pole/bare.yaml -o bare --json
json out "o['status'] == 'error' and o['exit'] == 2"
json bare/result.json "o['status'] == 'solved' and o['gains'] == {'status': 'failed', 'exit': 2}"
says 'the stages finished before that are in bare'
fact "the motion is kept" [ "$(grep -c '^[0-9]' bare/trajectory.csv)" = 101 ]
ends 0 linearize bare --knot 99
ends 2 linearize cart-pole/bare.yaml -o knot --knot 100
fact "the motion is kept, the table is not" [ -s knot/trajectory.csv -a ! -e knot/linearization.csv ]
no_leftovers knot
small() { (ulimit -v 550000 && timeout 20 "$dmoc" "$@" >out 2>err </dev/null); }
if small optimize $problem -o small; then # not so under a sanitizer
  sed 's/samples: 20/samples: 1e7/' $problem >cart-pole/many.yaml
  small run cart-pole/many.yaml -o many
  fact "no memory to verify: exit status 3" [ $? = 3 ]
  fact "and said" grep -q 'verify  *failed' out
  says 'out of memory'
  json many/result.json "o['status'] == 'solved' and o['gains']['status'] == 'done' and o['verify']['exit'] == 3"
  fact "the gains are kept" [ -s many/gains.csv -a ! -e many/verify.csv ]
fi

# --- constraints and kinematic coordinates ---
cp "$source"/problems/two-string-load/servo.yaml load.yaml
ends 0 run load.yaml -o load --json
json out "o['status'] == 'solved' and o['constraint']['residual'] < 1e-12 and o['verify']['held'] == 200"
fact "its columns" grep -q ',u.trolley,u.left,u.right,lambda.left string,lambda.right string$' load/trajectory.csv
cp -r load hung
ends 0 optimize load.yaml --from hung -o load --json
json out "o['solver']['warm'] and o['iterations'] <= 5"
sed 's/steps: 100/steps: 150/' load.yaml >fine.yaml
ends 0 optimize fine.yaml --from hung -o fine --json
json out "not o['solver']['warm'] and o['iterations'] <= 20"
for stage in gains verify "linearize --knot 3"; do
  # shellcheck disable=SC2086 # words
  ends 0 $stage hung
done
sed 's/time: 4/time: 0.2/' load.yaml >hurried.yaml
ends 2 run hurried.yaml -o hurried
says "horizon.time: found 0.2 s, but 'left' moves by 0.5 m at a speed of at most 0.5 m/s, which takes 1 s"

# --- infeasible, interrupted, no room ---
sed 's/effort: 20/effort: 0.2/; s/steps: 100/steps: 30/' $problem >cart-pole/weak.yaml
ends 1 run cart-pole/weak.yaml -o weak --json
json out "o['status'] == 'infeasible' and o['worst']['row'] and o['worst']['knot'] is not None"
says 'infeasible.*knot [0-9]'
says 'slider is at its limit of +-0.2 N in [0-9]* of 30 steps: allow more effort, or the motion more time (horizon.time); start from another guess'
json out "[(r['what'], r['name'], r['high'], r['of']) for r in o['at_limits']] == [('input', 'slider', 0.2, 30)]"
fact "an infeasible task has no gains" [ ! -e weak/gains.csv ]
ends 1 optimize cart-pole/weak.yaml -o weak --solver ipopt --json
says 'slider is at its limit of +-0.2 N in [0-9]* of 30 steps: allow more effort, or the motion more time (horizon.time)'
json out "[(r['what'], r['name'], r['high'], r['of']) for r in o['at_limits']] == [('input', 'slider', 0.2, 30)]"
sed 's/effort: 20/effort: 4/; s/time: 2/time: {free: [0.5, 1.2]}/; s/steps: 100/steps: 30/' $problem >cart-pole/weak.yaml
ends 1 optimize cart-pole/weak.yaml -o weak
says 'slider is at its limit of +-4 N in [0-9]* of 30 steps: allow more effort, or the motion more time (horizon.time)'
says 'the final time is at its bound of 1.2 s: widen horizon.time.free'
sed 's/q: {slider: \[-2, 2\]}/v: {slider: 0.55}/; s/steps: 100/steps: 30/' $problem >cart-pole/slow.yaml
ends 1 optimize cart-pole/slow.yaml -o weak
says 'slider moves at its limit of 0.55 m/s in [0-9]* of 30 steps: raise bounds.v'
# two limits with one remedy
cat >weak.yaml <<'YAML'
model:
  bodies:
    - {name: a, joints: [{name: left, slide: [1, 0, 0], effort: 1}], mass: 1}
    - {name: b, joints: [{name: right, slide: [1, 0, 0], effort: 1}], mass: 1}
horizon: {steps: 20, time: 1}
start: {q: 0, v: 0}
goal: {q: 2, v: 0}
cost: {input: 1}
YAML
ends 1 optimize weak.yaml -o weak
says 'left is at its limit of +-1 N in [0-9]* of 20 steps; right is at its limit of +-1 N in [0-9]* of 20 steps: allow more effort'
fact "its remedy is said once" [ "$(grep -o 'more time' err | wc -l)" = 1 ]

# without a point at which the program is finite there is no motion: nothing is written
cat >infinite.yaml <<'YAML'
model:
  bodies: [{name: b, joints: [{name: x, type: tx, effort: 10}], mass: 1}]
  potentials: [{name: p, bodies: [b, world], law: power, coefficient: 1e200, exponent: -9, points: [[0, 0, 0], [0, 0, 0]]}]
horizon: {steps: 5, time: 1}
start: {q: 0.1, v: 0}
goal: {q: 1e-30, v: 0}
cost: {input: 1}
YAML
cp -r way had
for folder in had none; do
  ends 1 optimize infinite.yaml -o $folder
  says 'not finite'
done
fact "what was there stays" diff -r way had
fact "and nothing comes of nothing" [ ! -e none ]
# an unsolved motion does not take the place of gains that hold, and one that is solved takes both
ends 1 run cart-pole/weak.yaml -o had
says 'had has a result that came further and stays as it is; this one is in had/unfinished'
fact "what came further stays" diff -r -x unfinished way had
json had/unfinished/result.json "o['status'] == 'infeasible'"
ends 0 optimize $problem --from had/unfinished -o had
fact "one motion, nothing of another" [ -s had/trajectory.csv -a ! -e had/gains.csv -a ! -e had/controller.c -a ! -e had/unfinished ]

# --- a least time that would be less, and one that would be more, say so ---
for bound in '[1, 5] lower' '[0.5, 5] none' '[1.5, 2.2] upper'; do
  word=${bound##* } range=${bound% *}
  sed "s/free: .*, guess: 1.5/free: $range, guess: 1.6/" cart-pole/minimum-time.yaml >cart-pole/bound.yaml
  # what is slow costs less effort, so that the longest time is the best
  [ "$word" = upper ] && sed -i 's/^cost:.*/cost: {input: 1}/' cart-pole/bound.yaml
  ends 0 optimize cart-pole/bound.yaml -o bound
  fact "the bound of the time that is met: $word" [ "$(sed -n 's/.*final time ends on its \([a-z]*\) bound.*/\1/p' err)" = "${word#none}" ]
done

# --- no further progress at the optimum is a solution, which every stage takes ---
sed '$a solver: {tol: 1e-18}' $problem >cart-pole/exact.yaml
ends 0 run cart-pole/exact.yaml -o exact --json
json out "o['status'] == 'solved_acceptable' and o['verify']['held'] == 20 and o['controller']['status'] == 'done'"
json out "abs(o['objective'] - json.load(open('way/result.json'))['objective']) < 1e-6 * o['objective'] and 'at_limits' not in o"
says 'solved to six digits: no further progress towards solver.tol'
for stage in gains verify export; do
  ends 0 $stage exact
  fact "$stage takes it as a solution" [ "$(grep -c 'not a solution' err)" = 0 ]
done

# some five seconds long, interrupted at its first word, not at one that the run before left in err
: >err
sed 's/steps: 100/steps: 50000/' $problem >cart-pole/long.yaml
: >err
"$dmoc" optimize cart-pole/long.yaml -o long >out 2>err </dev/null &
until grep -q iteration err || ! kill -0 $!; do sleep 0.02; done
kill -INT $!
wait $!
fact "an interrupt ends with 1" [ $? = 1 ]
says 'interrupted'
json long/result.json "o['status'] == 'interrupted'"
fact "the best trajectory is written" [ "$(grep -c '^[0-9]' long/trajectory.csv)" = 50001 ]

before=$(cat way/*.csv way/result.json | cksum)
(
  trap '' XFSZ
  ulimit -f 8
  "$dmoc" run $problem -o way >out 2>err </dev/null
  echo $? >status
)
fact "no room: exit status 2" [ "$(cat status)" = 2 ]
says 'way/[a-z]*.csv cannot be written: '
fact "no room: what was there stays" [ "$before" = "$(cat way/*.csv way/result.json | cksum)" ]
no_leftovers way
(
  trap '' XFSZ
  ulimit -f 400
  "$dmoc" run $problem -o roomless --json >out 2>err </dev/null
  echo $? >status
)
fact "no room for a page: exit status 2" [ "$(cat status)" = 2 ]
says 'roomless/report.html was not made: roomless/report.html cannot be written: '
json out "o['status'] == 'solved' and o['exit'] == 2 and o['error'] in o['warnings']"
ends 0 verify roomless
mkdir closed && chmod a-w closed
if ! (: >closed/probe) 2>/dev/null; then # root may write anywhere
  ends 2 run $problem -o closed/x
fi
echo file >taken
ends 2 run $problem -o taken
says 'taken cannot be written'

# --- pictures ---
ends 0 plot --help
fact "the help of plot has what it draws" [ "$(sed -n '/^WHAT/,$s/^  \([a-z]*\) .*/\1/p' out | wc -l)" = 22 ]
ends 2 plot way -o x.gif
ends 2 plot way -o x.svg --what gain
says "did you mean 'gains'"
ends 2 plot $problem -o x.svg
DMOC_PYTHON= PATH=$dir "$dmoc" plot way -o x.svg >out 2>err
fact "a missing Python: exit status 2" [ $? = 2 ]
says 'install'
if can_draw; then
  drawn way -o pictures/all.svg
  fact "an SVG" grep -q '</svg>' pictures/all.svg
  fact "the plant of the closed loop is named" grep -q 'time \[s\], [a-z]* plant' pictures/all.svg
  turn && drawn way --what gains -o gains.png
  drawn way --what gains -o gains.pdf
  fact "a PDF" grep -aq '^%PDF' gains.pdf
  # what rests is drawn, without a word on empty ranges
  for place in cart-pole satellite; do
    turn || continue
    ends 0 gains "$source/problems/$place/balance.yaml" -o rest
    drawn rest -o rest.svg
    fact "$place at rest is drawn without a word" [ ! -s err ]
  done
  cat >still.yaml <<YAML
model: {urdf: $source/problems/cart-pole/cart-pole.urdf, gravity: [0, 0, -9.81]}
simulate: {steps: 100, step: 0.02, monitors: invariants}
YAML
  ends 0 simulate still.yaml -o still
  drawn still -o still.svg
  fact "so is what hangs still" [ ! -s err ]
fi
ends 2 plot way -o /proc/x.svg
says '/proc/x.svg cannot be written'
plain cut
exit $failed
