#!/bin/sh
# dmoc verify as a user meets it: what holds, against which machines, what is told and what not.
#   verify.sh DMOC SOURCE
. "$(dirname "$0")/facts.sh"
cp -r "$source/problems/cart-pole" "$source/problems/four-bar" .

# agree HOW FILE PLANT PLANT: each sample starts the same on two plants, and ends so closely
agree() {
  fact "samples of the $3 and the $4 plant agree in $2" python3 - "$@" <<'PYTHON'
import csv, sys
how, path, *plants = sys.argv[1:]
rows = list(csv.DictReader(open(path)))
a, b = ([r for r in rows if r["plant"] == p] for p in plants)
far = lambda key: max(abs(float(r[key]) - float(s[key])) for r, s in zip(a, b))
if not (a and b):
    print("skipped: the", plants[bool(a)], "plant (not in this build)")
    sys.exit(0)
sys.exit(not (far("start_q_error") == 0 and max(far("final_error"), far("worst_error")) < float(how)))
PYTHON
}

# --- a rate that is just required is enough, one more sample is not ---
# at TOLERANCE REQUIRED: 25 samples that hold within that
at() { sed "s/samples: 10/samples: 25/; s/tolerance: 0.05/tolerance: $1, required: $2/" hoist.yaml >hold.yaml; }
hoist '' ''
at 1 0
ends 0 run hold.yaml -o hold
seventh=$(grep '^discrete' hold/verify.csv | cut -d, -f5 | sort -g | sed -n 7p)
at "$seventh" 0.28
ends 0 verify hold.yaml --json
json out "o['verify']['held'] == 7 and o['verify']['rate'] == 0.28"
json out "abs(o['verify']['rate_low'] - 0.120717) < 1e-6 and abs(o['verify']['rate_high'] - 0.493877) < 1e-6"
at "$seventh" 0.32
ends 1 verify hold.yaml
fact "the interval is told" grep -q '7 of 25 succeeded on the discrete plant (12.1 to 49.4 %)' out
says 'the gains fail: 7 of 25 samples succeed, at least 32 % are required'

# --- a limit is of forces: a hook that stays at 1 m may go further; where there are none it is refused ---
hoist '' ', limit: 1'
sed -i 's/q: {z: -1}/q: {x: 1, hook: 1, z: -1}/' hoist.yaml
ends 2 run hoist.yaml
says 'hoist.yaml:[0-9]*:[0-9]*: verify.limit: found 1 for a robot without motors that give forces'
echo 'inputs: [{joint: x}]' >>hoist.yaml
ends 0 run hoist.yaml --json
json out "o['verify']['held'] == 10 and o['verify']['discrete']['saturated'] == 0"
# by the name of what is prescribed nothing is read that changes nothing
while IFS='|' read -r feedback verify words; do
  hoist "$feedback" "$verify"
  ends 2 run hoist.yaml
  says "hoist.yaml:[0-9]*:[0-9]*: $words 'hook', "
done <<'ROWS'
, estimator: {encoder: 1e-3, process: {x: 1e-3, hook: 2e-3}}||feedback.estimator.process: found 0.002 for
|, encoders: {step: {hook: 1e-3}}|verify.encoders.step: found one for
|, friction: {x: 0.1, hook: 0.1}|verify.friction: found one for
|, pushes: {factor: {hook: 1}}|verify.pushes.factor: found one for
ROWS
hoist ', estimator: {encoder: 1e-3, process: {x: 1e-3, hook: 0}}' ', encoders: {step: {x: 1e-6, hook: 0}}, required: 0'
ends 0 run hoist.yaml

# --- one start, on the plant that is asked for: the map's law is exact on the map; what is not there is refused ---
# start PLANT: one start of a pole that leans out, on that plant
start() {
  cat >one.yaml <<YAML
model: {urdf: cart-pole/cart-pole.urdf}
balance: {q: {pole: pi}, steps: 200, time: 20}
feedback: {Q: {q: 100, p: 1}, R: 1, measure: state}
verify: {samples: 2, required: 0, start: {q: {pole: 0.2}$1}}
YAML
  "$dmoc" run one.yaml -o one >out 2>err </dev/null
}
start ', plant: discrete'
fact "the output says which plant" grep -q 'off by 0.2 in (q, p) on the discrete plant; at the end by .* with feedback (within 5 % from' out
json one/result.json "o['verify']['start']['plant'] == 'discrete' and 0 < o['verify']['start']['closed']['settling_time'] < 20"
json one/result.json "o['verify']['start']['open']['settling_time'] is None and abs(o['verify']['start']['error'] - 0.2) < 1e-12"
cp one/response.csv discrete.csv
start ', plant: continuous'
json one/result.json "o['verify']['start']['plant'] == 'continuous'"
fact "another plant, another response" sh -c '! cmp -s one/response.csv discrete.csv'
cp one/response.csv continuous.csv
start ''
fact "left out, it is the continuous one" cmp one/response.csv continuous.csv
hoist '' ', start: {q: {x: 0.1}, plant: continuous}'
ends 2 run hoist.yaml
says 'hoist.yaml:[0-9]*:[0-9]*: verify.start.plant: found continuous, and there is no such plant: it has no kinematic coordinates'
hoist '' ', start: {q: {x: 0.1}, plant: mujoco}'
ends 2 run hoist.yaml
says 'verify.start.plant: found mujoco, and there is no such plant'

# --- inputs are cut at their limits, either of them ---
# limited LIMITS: in how many samples an input was at one; a pole leans out and is held
limited() {
  cat >lean.yaml <<YAML
model: {urdf: cart-pole/cart-pole.urdf}
inputs: [{joint: slider, $1}]
balance: {q: {pole: pi}, steps: 100, time: 2}
feedback: {Q: {q: 100, p: 1}, R: 1}
verify: {samples: 20, spread: {q: {pole: 0.1}, v: 0}, required: 0}
YAML
  ends 0 run lean.yaml -o lean
  grep '^discrete' lean/verify.csv | cut -d, -f8 | grep -vc '^0$'
}
low=$(limited 'min: -3, max: 20') high=$(limited 'min: -20, max: 3') both=$(limited 'min: -3, max: 3')
fact "each limit cuts what is beyond it: $low, $high, $both" [ "$low" -gt 0 -a "$high" -gt 0 -a "$both" = $((low + high)) ]

# --- errors beside constraints: masses, not lengths; a machine in MuJoCo has none of them ---
cp "$source/problems/satellite/balance.yaml" ball.yaml
sed -i 's/tolerance: 0.05/tolerance: 0.05, required: 0, errors: {damping: 0.1}, sweep: {points: 3, samples: 1}/; s/samples: 100/samples: 2/' ball.yaml
ends 0 run ball.yaml -o ball
fact "a ball joint is damped as one" [ "$(grep '^damping' ball/robustness.csv | cut -d, -f2 | uniq -c | tr -s ' ')" = ' 3 hull.qw' ]
echo 'feedback: {Q: {q: 100, p: 1}, R: 1}' >more
echo 'verify: {samples: 5, spread: {q: 0.01, v: 0.01}, plants: all, errors: {mass: 0.1}, sweep: {points: 3, samples: 1}}' >>more
sed '/^feedback\|^verify/,$d' four-bar/balance.yaml | cat - more >four-bar/errors.yaml
ends 0 run four-bar/errors.yaml -o four
says 'not verified in MuJoCo'
agree 1e-3 four/verify.csv discrete continuous
fact "each link is a part" [ "$(grep -c '^mass,' four/robustness.csv)" = 9 ]
sed -i 's/mass: 0.1/length: 0.1/' four-bar/errors.yaml
ends 2 run four-bar/errors.yaml
says 'verify.errors.length: found beside constraints'

# --- what a robot has: encoders, motors, pushes, calls; each alone and all at once, by levels of its own ---
# robot VERIFY: a pole that is held for 4 s, on what the robot has
robot() {
  cat >robot.yaml <<YAML
model: {urdf: cart-pole/cart-pole.urdf}
balance: {q: {pole: pi}, steps: 200, time: 4}
feedback: {Q: {q: 100, p: 1}, R: 1}
verify: {samples: 4, required: 0, $1}
YAML
}
robot 'encoders: {counts: 4096, step: {slider: 1e-4}, noise: 1e-4}, actuators: {response: 0.1, lag: 0.005}, delay: 0.005,
  pushes: {size: [0.1, 0.2], factor: {slider: 1}}, calls: {missing: 0.1, late: 0.1, off: 0.3},
  sweep: {points: 2, samples: 3, start: 0, levels: {all: 0:1:3, response: -2:1:4, delay: 0:2:5}}'
ends 0 run robot.yaml -o robot
fact "a row a level of each, and of all at once" [ "$(grep '^[a-z]*,' robot/robustness.csv | cut -d, -f1 | uniq -c | tr -s ' \n' ' ')" = \
  ' 1 axis 2 start 5 delay 2 encoders 2 readings 4 response 2 lag 2 pushes 2 missing 2 late 2 off 3 all ' ]
fact "levels are those asked for" [ "$(grep '^response' robot/robustness.csv | cut -d, -f3 | tr '\n' ' ')" = '-2 -1 0 1 ' ]
fact "it is said what is at once" grep -q 'all      at once:' out
cp robot/verify.csv want && ends 0 run robot.yaml -o robot
fact "the same seed, the same samples" cmp want robot/verify.csv
robot 'friction: {slider: 0.05, pole: 0.002}, sweep: {points: 3, samples: 2, start: 0}, plants: all'
ends 0 run robot.yaml -o rubs
fact "dry friction is an axis of its own" [ "$(grep -c '^friction,' rubs/robustness.csv)" = 3 ]
agree 1e-2 rubs/verify.csv discrete continuous
says 'not verified in MuJoCo'
robot 'samples: 4'
sed -i 's/samples: 4, required: 0, samples/required: 0, samples/' robot.yaml
ends 0 run robot.yaml -o slides
fact "and it is felt" sh -c '! cmp -s rubs/verify.csv slides/verify.csv'
while IFS='|' read -r keys words; do
  robot "$keys"
  ends 2 run robot.yaml -o refused
  says "$words"
done <<'ROWS'
encoders: {counts: {slider: 100}}|verify.encoders.counts: found one for 'slider', which slides
encoders: {counts: 100, step: 0.1}|verify.encoders.counts: found counts and a step for 'pole', expected one of them
encoders: {velocity: own}|verify.encoders: found no counts, step or noise
encoders: {step: -1}|verify.encoders.step
pushes: {size: 3}|verify.pushes.size
pushes: {width: [0, 1]}|verify.pushes.width: found \[0, 1\], expected two numbers > 0
pushes: {count: 6}|verify.pushes: found 6 pushes at least 1 s apart in a motion of 4 s
calls: {off: 1}|verify.calls.off
friction: -1|verify.friction: found '-1', expected a number >= 0
actuators: {delay: 1}|verify.actuators: found the unknown key 'delay'
sweep: {levels: {lag: 0:1:3}}|verify.sweep.levels.lag: found levels of what verify has not
sweep: {levels: {start: 0:1}}|verify.sweep.levels.start: found '0:1', expected from:to:count
sweep: {levels: {start: -1:1:3}}|verify.sweep.levels.start: found a level of -1, expected none below 0
errors: {mass: 0.5}, sweep: {levels: {mass: -2:2:3}}|verify.sweep.levels.mass: found -2 times verify.errors.mass: 0.5
calls: {off: 0.5}, sweep: {levels: {off: 0:2:3}}|verify.sweep.levels.off: found 2 times verify.calls.off: 0.5
ROWS

# --- why gains do not hold: what is left out helps, or not ---
robot 'tolerance: 0.05, spread: {q: 0.02, v: 0.02}, friction: {slider: 2}'
sed -i 's/required: 0, //' robot.yaml
ends 1 run robot.yaml -o stuck
says 'without friction 4 of 4 of them succeed: the plan knows of none (verify.friction)'
json stuck/result.json "o['verify']['discrete']['lost']['without_friction'] == 4 > o['verify']['discrete']['lost']['without_limits']"
robot 'tolerance: 0.05, spread: {q: 0.1, v: 0.02}'
sed -i 's/required: 0, //; s/R: 1}/R: 1, envelope: 0.05, rate_limit: 1e3}/' robot.yaml
ends 1 run robot.yaml -o narrow
says 'without the envelope [34] of [34] of them succeed: widen feedback.envelope, or envelope_cost'
json narrow/result.json "o['verify']['discrete']['lost']['without_rate_limit'] == 0 and 'without_friction' not in o['verify']['discrete']['lost']"

# --- the law that is exported: compiled, and called in the loop; the same samples, bit for bit ---
# exported FEEDBACK VERIFY: a pole that is held for 2 s; by which function
exported() {
  cat >exported.yaml <<YAML
model: {urdf: cart-pole/cart-pole.urdf}
balance: {q: {pole: pi}, steps: 100, time: 2}
feedback: {Q: {q: 100, p: 1}, R: 1, $1}
verify: {samples: 4, required: 0, plants: exported$2}
YAML
}
# whether this computer has a compiler
exported '' ''
"$dmoc" run exported.yaml -o exported >out 2>err </dev/null
if grep -q 'by the law controller_velocity of controller.c, compiled by' out; then
  while IFS='|' read -r feedback verify function how; do
    exported "$feedback" "$verify"
    ends 0 run exported.yaml -o exported
    fact "$function runs: $feedback $verify" grep -q "4 of 4 succeeded on the continuous plant (.*) by the law $function of controller.c" out
    agree "$how" exported/verify.csv continuous exported
    cc -std=c99 -Wall -Werror exported/controller.c exported/controller_replay.c -lm -o replay
    fact "its trace is replayed: $feedback" ./replay exported/controller_trace.csv
  done <<'ROWS'
measure: velocity||controller_velocity|1e-300
measure: state, delay: 1||controller_state|1e-300
measure: positions, rate: 100||controller_positions|1e-300
measure: positions, delay: 1||controller_positions|1e-300
estimator: {encoder: 1e-4, process: 1e-4}||controller_encoders|1e-300
estimator: {encoder: 1e-4, process: 1e-4}, delay: 1||controller_encoders|1e-300
estimator: {encoder: 1e-4, process: 1e-4, predict: map}||controller_encoders|1e-300
estimator: {encoder: 1e-4, process: 1e-4, predict: map}, delay: 1||controller_encoders|1e-300
estimator: {encoder: 1e-4, process: 1e-4, predict: map, disturbance: {time: 0.5}}||controller_encoders|1e-300
estimator: {encoder: 1e-4, process: 1e-4, disturbance: {time: 0.5}}||controller_encoders|1e-300
estimator: {encoder: 1e-4, process: 1e-4, disturbance: {time: 0.1, bound: {slider: 0.001}}}||controller_encoders|1e-300
estimator: {encoder: 1e-4, process: 1e-4}|, delay: 0.04|controller_encoders_at|1e-12
estimator: {encoder: 1e-4, process: 1e-4}, delay: 1|, delay: 0.03, calls: {off: 0.5, late: 0.2, missing: 0.1}|controller_encoders_at|1e-12
estimator: {encoder: 1e-4, process: 1e-4, disturbance: {time: 0.5}}|, delay: 0.04, errors: {mass: 0.02}|controller_encoders_at|1e-12
estimator: {encoder: 1e-4, process: 1e-4, disturbance: {time: 0.1, bound: {slider: 0.001}}}|, delay: 0.03, calls: {off: 0.5, late: 0.2, missing: 0.1}|controller_encoders_at|1e-12
estimator: {encoder: 1e-4, process: 1e-4, predict: map, disturbance: {time: 0.5}}|, delay: 0.04|controller_encoders_at|1e-12
estimator: {encoder: 1e-4, process: 1e-4, predict: map}, delay: 1|, delay: 0.03, calls: {off: 0.5}|controller_encoders_at|1e-12
rate_limit: 60, envelope: 0.3, estimator: {encoder: 1e-4, process: 1e-4, predict: map, disturbance: {time: 0.5}}||controller_encoders|1e-300
rate_limit: 60, envelope: 0.3, estimator: {encoder: 1e-4, process: 1e-4, disturbance: {time: 0.5}}|, delay: 0.02|controller_encoders_at|1e-12
integral: [slider]||controller_velocity|1e-300
measure: positions, integral: {slider: 10}, rate: 200||controller_positions|1e-300
measure: velocity|, delay: 0.04|controller_velocity_at|1e-12
measure: state|, delay: 0.03|controller_state_at|1e-12
measure: velocity|, calls: {off: 0.5, late: 0.2, missing: 0.1}|controller_velocity_at|1e-12
envelope: 0.3||controller_velocity|1e-300
envelope_cost: 1e6||controller_velocity|1e-300
envelope_cost: auto, envelope: 0.3, rate: 100||controller_velocity|1e-300
envelope_cost: auto, measure: state, delay: 1||controller_state|1e-300
envelope_cost: 1e6, measure: positions||controller_positions|1e-300
envelope_cost: 1e6|, delay: 0.03|controller_velocity_at|1e-12
rate_limit: 100||controller_velocity|1e-300
rate_limit: 100, measure: state, delay: 1||controller_state|1e-300
rate_limit: 100, measure: positions, rate: 100||controller_positions|1e-300
rate_limit: 60, integral: [slider]||controller_velocity|1e-300
rate_limit: 100, envelope: 0.3|, delay: 0.03|controller_velocity_at|1e-12
rate_limit: 100, estimator: {encoder: 1e-4, process: 1e-4}, delay: 1||controller_encoders|1e-300
measure: positions, delay: 1, envelope: {pole: 0.3}||controller_positions|1e-300
momentum: exact||controller_velocity|1e-12
momentum: exact, delay: 1, rate: 100||controller_velocity|1e-12
momentum: exact, integral: [slider]||controller_velocity|1e-12
momentum: exact|, delay: 0.03|controller_velocity_at|1e-12
measure: positions|, delay: 0.03|controller_positions_at|1e-300
measure: positions, delay: 1|, delay: 0.03, calls: {off: 0.5, late: 0.2, missing: 0.1}|controller_positions_at|1e-300
measure: positions, integral: [slider], rate: 100|, delay: 0.01|controller_positions_at|1e-300
measure: positions, envelope: 0.3, rate_limit: 100|, calls: {off: 0.9}|controller_positions_at|1e-300
momentum: exact, envelope_cost: auto||controller_velocity|1e-12
ROWS
  # by the path: of a motion
  while IFS='|' read -r feedback verify how; do
    exported "$feedback" "$verify"
    sed -i 's/^balance:.*/simulate: {time: 2, steps: 100}\nstart: {q: {pole: 2}}/' exported.yaml
    ends 0 run exported.yaml -o path
    agree "$how" path/verify.csv continuous exported
    cc -std=c99 -Wall -Wextra -Werror path/controller.c path/controller_replay.c -lm -o replay
    fact "its trace is replayed: $feedback" ./replay path/controller_trace.csv
  done <<'ROWS'
schedule: path||1e-300
schedule: path, measure: state, rate: 80|, delay: 0.01|1e-300
schedule: path, envelope_cost: 1e5||1e-300
schedule: path, momentum: exact, rate_limit: 100, envelope: 1|, noise: {q: 1e-3}|1e-12
ROWS
  # off the knots of a motion, whose inputs change: limits, rates, integrals and envelopes of then
  sed '/^feedback/,$d' "$source/problems/cart-pole/swing-up.yaml" | sed 's#urdf: #urdf: cart-pole/#' >moves
  { cat moves; echo 'feedback: {R: 1}'; } >move.yaml
  ends 0 optimize move.yaml -o move
  echo 'guess: {csv: move/trajectory.csv}' >>moves
  while IFS='|' read -r feedback verify how; do
    { cat moves; echo "feedback: {Q: {q: 100, p: 1}, R: 1, $feedback}"; } >off.yaml
    echo "verify: {samples: 6, required: 0, plants: exported, calls: {off: 0.5, late: 0.1, missing: 0.1}$verify}" >>off.yaml
    ends 0 run off.yaml -o off
    agree "$how" off/verify.csv continuous exported
  done <<'ROWS'
measure: velocity, rate_limit: 300||1e-300
measure: velocity, delay: 1||1e-300
measure: state, delay: 1, rate_limit: 300|, delay: 0.015|1e-300
momentum: exact, delay: 1, rate_limit: 300||1e-11
measure: positions, rate_limit: 300||1e-300
measure: positions|, delay: 0.013|1e-300
measure: positions, delay: 1, rate: 80|, noise: {q: 1e-4}|1e-300
measure: positions, integral: [slider], rate_limit: 300|, delay: 0.01|1e-300
measure: positions, motion: continuous, hold: 0|, delay: 0.01|1e-300
measure: positions, envelope_cost: 30|, encoders: {counts: 4096, step: {slider: 1e-4}, noise: 1e-4}|1e-300
measure: velocity, rate: 130, between: interpolate||1e-300
integral: [slider], measure: velocity, rate_limit: 300|, delay: 0.01|1e-300
integral: [slider], measure: state||1e-300
envelope: 0.05, fallback: {damping: 1}|, delay: 0.01|1e-300
envelope_cost: 30, delay: 1, measure: state|, delay: 0.01|1e-300
estimator: {encoder: 1e-4, process: 1e-4}, delay: 1, rate_limit: 300|, delay: 0.013|1e-300
estimator: {encoder: 1e-4, process: 1e-4, predict: map, disturbance: {time: 0.5}}, rate_limit: 300, envelope: 0.05|, delay: 0.013|1e-300
ROWS
  # motors that give less than the law asks for: neither knows of it; and as many are at a limit
  for feedback in 'rate_limit: 150' 'integral: [slider]' 'measure: positions, delay: 1' 'estimator: {encoder: 1e-4, process: 1e-4}' \
    'estimator: {encoder: 1e-4, process: 1e-4}, rate_limit: 300, delay: 1' 'limits: {slider: [-9, 9]}, rate_limit: 300, integral: [slider]'; do
    { cat moves; echo "feedback: {Q: {q: 100, p: 1}, R: 1, $feedback}"; } >weak.yaml
    echo 'verify: {samples: 6, required: 0, plants: exported, limit: 0.9}' >>weak.yaml
    ends 0 run weak.yaml -o weak
    agree 1e-300 weak/verify.csv continuous exported
    json weak/result.json "o['verify']['exported']['saturated'] == o['verify']['continuous']['saturated'] > 0"
  done
  # by positions, far off the knots or late: what is shown of a step before is of then, with the forces since
  for verify in 'calls: {off: 0.9}' 'delay: 0.04'; do
    { cat moves; echo 'feedback: {Q: {q: 100, p: 1}, R: 1, measure: positions}'; } >off.yaml
    echo "verify: {samples: 40, tolerance: 0.05, $verify}" >>off.yaml
    ends 0 run off.yaml -o off
    json off/result.json "o['verify']['discrete']['held'] == o['verify']['continuous']['held'] == 40"
  done
  # what is compiled is what export writes, rest at the end included
  printf '#!/bin/sh\nfor f; do case $f in */controller.c) cp "${f%%c}"[ch] "%s";; esac; done\nexec cc "$@"\n' "$dir/seen" >keeps && chmod +x keeps
  mkdir seen
  for feedback in 'measure: velocity' 'measure: positions, motion: continuous, rate: 80' 'momentum: exact, envelope: 1, rate_limit: 400, integral: [slider]' \
    'estimator: {encoder: 1e-4, process: 1e-4, predict: map, disturbance: {time: 0.5}}'; do
    { cat moves; echo "feedback: {Q: {q: 100, p: 1}, R: 1, $feedback}"; } >same.yaml
    echo 'verify: {samples: 2, tolerance: 1, plants: exported}' >>same.yaml
    rm -f seen/*
    CC="$dir/keeps" ends 0 run same.yaml -o same
    fact "the text that runs is the exported one: $feedback" cmp seen/controller.c same/controller.c
    fact "and its header" cmp seen/controller.h same/controller.h
    json same/result.json "o['controller']['end'] == 'kept'"
  done
  fact "a filter predicts by the map at rest as well" grep -q 'a step of the model' same/controller.h
  json path/result.json "o['verify']['law'] == 'velocity, exact, by the path, rates limited, in an envelope'"
  ends 2 export path --all
  says 'all: found feedback.schedule: path'
  # a narrow one is left, at the same knots and with the same fallback
  for feedback in 'envelope: 0.02' 'envelope: 0.02, estimator: {encoder: 1e-4, process: 1e-4}' 'envelope: 0.02, rate_limit: 90, delay: 1, estimator: {encoder: 1e-4, process: 1e-4}' 'envelope: 0.02, fallback: {damping: 5}' 'envelope: {pole: 0.02}, measure: positions, delay: 1' \
    'envelope_cost: 20' 'envelope_cost: 20, fallback: {damping: 5}, rate: 120' 'envelope_cost: 20, measure: positions, delay: 1' \
    'envelope_cost: 20, measure: state, envelope: 0.1' 'envelope_cost: 20, estimator: {encoder: 1e-4, process: 1e-4}' 'envelope_cost: 20, delay: 1, estimator: {encoder: 1e-4, process: 1e-4}' \
    'envelope: 0.02, measure: state, rate: 100' 'envelope: 0.02, integral: [slider], fallback: {damping: {slider: 5}}'; do
    exported "$feedback" ''
    ends 0 run exported.yaml -o lost
    agree 1e-300 lost/verify.csv continuous exported
    json lost/result.json "0 < o['verify']['exported']['left_envelope'] == o['verify']['continuous']['left_envelope']"
    json lost/result.json "o['verify']['exported']['held'] == 4 - o['verify']['exported']['left_envelope'] and o['verify']['exported']['largest_reach'] <= 1"
    cc -std=c99 -Wall -Werror lost/controller.c lost/controller_replay.c -o replay
    fact "its trace is replayed: $feedback" ./replay lost/controller_trace.csv
  done
  json exported/result.json "o['verify']['exported']['plant'] == 'continuous' and 'controller_velocity' in o['verify']['exported']['law']"
  while IFS='|' read -r keys words; do
    exported "$keys" ''
    ends 2 run exported.yaml -o refused
    says "$words"
  done <<'ROWS'
envelope: 0|feedback.envelope: found '0', expected a number > 0, or none
envelope: {cart: 1}|feedback.envelope: found the unknown
envelope: 1, estimator: {encoder: 1e-3}, fallback: {damping: 1}|feedback.fallback: found damping beside measure: state
fallback: zero|feedback.fallback: found one without feedback.envelope
envelope: 1, fallback: brake|feedback.fallback: found the unknown word 'brake'
envelope: 1, fallback: {damping: -1}|feedback.fallback.damping: found '-1', expected a number >= 0
envelope: 1, fallback: {brake: 1}|feedback.fallback: expected zero, or {damping: ...} alone
envelope: 1, measure: state, fallback: {damping: 1}|feedback.fallback: found damping beside measure: state
envelope_cost: 0|exported.yaml:3:
envelope_cost: 0|feedback.envelope_cost: found '0', expected a number > 0, auto or none
envelope_cost: -1|feedback.envelope_cost: found '-1', expected a number > 0, auto or none
envelope_cost: nan|feedback.envelope_cost: found 'nan', expected a number > 0, auto or none
envelope_cost: 1e999|feedback.envelope_cost: found '1e999', expected a number > 0, auto or none
envelope_cost: automatic|feedback.envelope_cost: found 'automatic', expected a number > 0, auto or none
envelope_cost: {pole: 1}|feedback.envelope_cost: found a mapping of 1, expected a number > 0, auto or none
envelope_cost: [1]|feedback.envelope_cost: found a list of 1, expected a number > 0, auto or none
envelope_cost: none, fallback: zero|feedback.fallback: found one without feedback.envelope or envelope_cost
schedule: path|feedback.schedule: found path beside balance
schedule: path, measure: positions|feedback.schedule: found path beside measure: positions
schedule: path, delay: 1|feedback.schedule: found path beside delay: 1
rate_limit: 0|feedback.rate_limit: found '0', expected a number > 0, or none
rate_limit: {cart: 1}|feedback.rate_limit: found the unknown input 'cart'
integral: [cart]|feedback.integral: found the unknown joint 'cart'
integral: [slider, pole]|feedback.integral: found 2 joints, expected 1 to 1
integral: [slider, slider]|feedback.integral: found 'slider' twice
integral: {slider: 0}|feedback.integral: found 0 joints
integral: [slider], delay: 1|feedback.integral: found one beside delay: 1
estimator: {disturbance: {time: -1}}|feedback.estimator.disturbance.time: found '-1'
estimator: {disturbance: {time: {cart: 1}}}|feedback.estimator.disturbance.time: 
estimator: {disturbance: {bound: 1}}|feedback.estimator.disturbance: found no time
estimator: {process: {pole: 1e-3}, disturbance: {time: 0.5}}|beside 'slider'
estimator: {disturbance: {time: 1}}, delay: 1|feedback.estimator.disturbance: found one beside delay: 1
integral: [slider], estimator: {encoder: 1e-3}|feedback.integral: found one beside an estimator
ROWS
  exported 'measure: positions, momentum: exact' ''
  ends 2 run exported.yaml -o exact
  says 'found exported beside feedback.momentum: exact by positions'
  exported '' ''
  env -u CC PATH=/nowhere "$dmoc" run exported.yaml -o none >out 2>err </dev/null
  fact "without a compiler it is refused" [ $? = 2 ]
  says 'verify.plants: found exported, and no C compiler: looked for cc, gcc and clang'
else
  echo "skipped: the exported law (no compiler)"
fi

# --- what MuJoCo would leave out it is not asked for ---
while read -r more; do
  cat >left.yaml <<YAML
model: {urdf: cart-pole/cart-pole.urdf, $more}
simulate: {time: 1, steps: 50}
feedback: {Q: {q: 1, p: 1}, R: 1}
verify: {samples: 2, required: 0, plants: all}
YAML
  ends 0 run left.yaml -o left
  says 'not verified in MuJoCo'
  fact "no sample of MuJoCo's with $more" [ "$(grep -c '^discrete' left/verify.csv) $(grep -c '^mujoco' left/verify.csv)" = '2 0' ]
done <<'YAML'
springs: [{name: s, joint: pole, stiffness: 0.1}]
dampers: [{name: d, joint: pole, damping: 0.01}]
wrenches: [{name: w, body: pole, frame: mixed, force: [0.1, 0, 0]}]
constraints: [{name: c, type: equal, coordinates: [slider, pole]}]
kinematic: [slider]
YAML

# --- numbers are by seed and sample: not by how many samples there are; MuJoCo has the same machines and noise ---
problem=cart-pole/robustness.yaml
"$dmoc" optimize $problem -o none >out 2>err </dev/null
if grep -q 'no IPOPT' err; then
  echo "skipped: all that optimizes (built without IPOPT)"
  exit $failed
fi
# a plan that is faster than its law may be; one that keeps the rate is verified
sed 's/R: 1,/R: 1, rate_limit: 90,/' cart-pole/swing-up.yaml >cart-pole/fast.yaml
ends 2 run cart-pole/fast.yaml -o fast
says "fast.yaml:10: feedback.rate_limit: the plan may change 'slider' at any rate, of which the law may 90"
says "fast.yaml:10:[0-9]*: feedback.rate_limit: found 90 of 'slider', but the plan changes it by .* per s at knot [0-9]*, expected at least that; plan with bounds.rate: 90"
# two samples and a half in a step of the plan, which changes within one of them
sed -i 's/rate_limit: 90,/rate_limit: 90, rate: 125,/' cart-pole/fast.yaml
ends 2 gains cart-pole/fast.yaml -o faster
says 'plan with bounds.rate: 36, or a wider'
sed -i 's/ rate: 125,//' cart-pole/fast.yaml
sed -i 's/bounds:   {/bounds:   {rate: 90, /' cart-pole/fast.yaml
ends 0 run cart-pole/fast.yaml -o slow
json slow/result.json "o['verify']['law'] == 'velocity, linear, rates limited' and o['controller']['status'] == 'done'"
sed -i '/sweep:\|region:/d' $problem
sed 's/samples: 20/samples: 5/' $problem >cart-pole/few.yaml
sed 's/samples: 20/samples: 20\n  seed: 2/' $problem >cart-pole/seed.yaml
for name in robustness few seed; do ends 0 run cart-pole/$name.yaml -o $name; done
grep -E '^discrete,[0-4],' robustness/verify.csv >want
grep '^discrete' few/verify.csv >got
fact "fewer samples are the first of more" cmp want got
grep -E '^discrete,[0-4],' seed/verify.csv >got
fact "another seed, other samples" sh -c '! cmp -s want got'
agree 1e-5 robustness/verify.csv continuous mujoco

# --- a wrist whose damping is over within a step is held with it, by what is measured, on every plant ---
cp "$source/tests/robots/stiff-wrist".* .
sed -i 's/tolerance: 0.05/tolerance: 0.05, plants: all/' stiff-wrist.yaml
for form in velocity state; do
  sed "s/Qf: riccati/Qf: riccati, measure: $form/" stiff-wrist.yaml >wrist.yaml
  ends 0 run wrist.yaml -o wrist
  says "the damping of 'wrist' is over in 0.0007 s"
  for plant in discrete continuous mujoco; do
    fact "each sample holds on the $plant plant by $form" [ "$(grep "^$plant" wrist/verify.csv | grep -vc ',1$')" = 0 ]
  done
  fact "the law's text is the law by $form" grep -q "off the library's law by 0$" out
done
fact "the law's text says where a state stands" grep -q 'for wrist, damped stiffly, q is less' wrist/controller.h
sed 's/Qf: riccati/Qf: riccati, measure: positions, hold: 1/' stiff-wrist.yaml >wrist.yaml
ends 0 run wrist.yaml
sed 's/steps: 100/steps: 2000/' stiff-wrist.yaml >wrist.yaml
ends 0 check wrist.yaml
fact "steps that resolve a damping have no word on it" sh -c '! grep -q "is over in" err'
sed 's/Qf: riccati/Qf: riccati, estimator: {encoder: 1e-3, process: 1e-3}/' stiff-wrist.yaml >wrist.yaml
ends 2 run wrist.yaml
says 'no estimator: found a joint whose damping is over within a step'

# planned with 14 N at most: three times that is never reached, that itself is, and 0.95 times in all
for row in '3:== 0' '1:> 0' '0.95:== 5'; do
  sed "s/samples: 20/samples: 5\\n  limit: ${row%%:*}/; /errors\\|noise\\|plants/d" $problem >cart-pole/limit.yaml
  ends 0 run cart-pole/limit.yaml --json
  json out "o['verify']['discrete']['saturated'] ${row#*:}"
done

# --- a claim is of what its file says ---
cp "$source/problems/cart-pole/robustness.yaml" $problem
ends 0 verify $problem -o claim --json
json out "o['verify']['robustness']['region']['at_least'] >= 0.9 and o['verify']['robustness']['region']['confidence'] == 0.9"
fact "a row a direction" [ "$(grep -c '^[0-9]' claim/region.csv)" = 4 ]
for a in start mass q v torque; do fact "$a is swept" grep -q "^$a,.*,.*,.*,.*,.*,.*" claim/robustness.csv; done
fact "nothing else is" [ "$(grep '^[a-z]*,' claim/robustness.csv | cut -d, -f1 | sort -u | tr '\n' ' ')" = 'axis mass q start torque v ' ]
sed 's/tolerance: 1$/tolerance: 1e-9\n  required: 0/' $problem >cart-pole/never.yaml
ends 0 run cart-pole/never.yaml -o never
fact "what is not found is not said not to be" grep -q 'found no ellipsoid in which 90 % of starts succeed with 90 % confidence' out
# what a picture is drawn of, taken by a gnuplot of our own
mkdir bin && printf '#!/bin/sh\nfor f; do cat "$f"; done >script\n' >bin/gnuplot && chmod +x bin/gnuplot
loosen claim
printf 'direction,held,failed\n0,4,4\n1,1,2\n2,4,4\n3,3,4\n' >claim/region.csv
PATH="$dir/bin:$PATH" "$dmoc" plot claim --what robustness -o picture.svg >out 2>err
sed -n '/^\$g/,/^EOD/p' script >got
printf '$g << EOD\n0 100\n1 100\n1 75\n3 75\n3 50\n4 50\n4 50\nEOD\n' >want
fact "directions that hold to the end do not end there" cmp want got

# --- interrupted in a sweep: what ran is kept, labelled, and nothing is said to hold ---
sed 's/sweep: {.*/sweep: {points: 1000, samples: 1000}/' $problem >cart-pole/long.yaml
ends 0 verify $problem -o long
"$dmoc" verify cart-pole/long.yaml -o long >out 2>err </dev/null &
i=0
while [ ! -e long/.dmoc-new/robustness.csv ] && [ $i -lt 300 ]; do sleep 0.05 && i=$((i + 1)); done
kill -INT $!
wait $!
fact "an interrupt ends with 1" [ $? = 1 ]
says 'all samples and [0-9]* of 6000 levels are stored, labelled partial'
fact "what ran before stays" [ -e long/verify.csv -a -e long/region.csv ]
fact "samples, levels, no region" [ -e long/unfinished/verify.csv -a -e long/unfinished/robustness.csv -a ! -e long/unfinished/region.csv ]
fact "the levels say so" grep -q '^  partial: [0-9]* of 6000 levels' long/unfinished/columns.txt
json long/unfinished/result.json "o['status'] == 'solved' and o['verify']['status'] == 'partial' and 'held' not in o['verify']"
plain
exit $failed
