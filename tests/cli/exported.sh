#!/bin/sh
# The law that is exported, by its own C in the loop of dmoc verify: the same samples as the library's.
#   exported.sh DMOC SOURCE some|every          (of the rows of each table: every twelfth one, or all)
. "$(dirname "$0")/facts.sh"
rows=$3 stride=12
taken() {
  row=$((row + 1))
  [ "$rows" = every ] || [ $((row % stride)) = 1 ]
}
cp -r "$source/problems/cart-pole" .

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
  row=0
  while IFS='|' read -r feedback verify function how; do
    taken || continue
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
measure: difference, momentum: exact, rate: 200||controller_difference|1e-300
measure: difference, rate: 120, delay: 1, rate_limit: 100||controller_difference|1e-300
measure: positions, delay: 1||controller_positions|1e-300
measure: positions, momentum: exact||controller_positions|1e-300
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
momentum: exact||controller_velocity|1e-300
momentum: exact, delay: 1, rate: 100||controller_velocity|1e-300
momentum: exact, integral: [slider]||controller_velocity|1e-300
momentum: exact|, delay: 0.03|controller_velocity_at|1e-300
measure: positions|, delay: 0.03|controller_positions_at|1e-300
measure: positions, delay: 1|, delay: 0.03, calls: {off: 0.5, late: 0.2, missing: 0.1}|controller_positions_at|1e-300
measure: positions, integral: [slider], rate: 100|, delay: 0.01|controller_positions_at|1e-300
measure: positions, envelope: 0.3, rate_limit: 100|, calls: {off: 0.9}|controller_positions_at|1e-300
momentum: exact, envelope_cost: auto||controller_velocity|1e-300
ROWS
  # by the path: of a motion
  row=$((stride - 3)) # the last one is taken
  while IFS='|' read -r feedback verify how; do
    taken || continue
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
schedule: path, momentum: exact, rate_limit: 100, envelope: 1|, noise: {q: 1e-3}|1e-300
ROWS
  # off the knots of a motion, whose inputs change: limits, rates, integrals and envelopes of then
  sed '/^feedback/,$d' "$source/problems/cart-pole/swing-up.yaml" | sed 's#robot: #robot: cart-pole/#' >moves
  { cat moves; echo 'feedback: {R: 1}'; } >move.yaml
  ends 0 optimize move.yaml -o move
  echo 'guess: {csv: move/trajectory.csv}' >>moves
  row=0
  while IFS='|' read -r feedback verify how; do
    taken || continue
    { cat moves; echo "feedback: {Q: {q: 100, p: 1}, R: 1, $feedback}"; } >off.yaml
    echo "verify: {samples: 6, required: 0, plants: exported, calls: {off: 0.5, late: 0.1, missing: 0.1}$verify}" >>off.yaml
    ends 0 run off.yaml -o off
    agree "$how" off/verify.csv continuous exported
  done <<'ROWS'
measure: velocity, rate_limit: 300||1e-300
measure: velocity, delay: 1||1e-300
measure: state, delay: 1, rate_limit: 300|, delay: 0.015|1e-300
momentum: exact, delay: 1, rate_limit: 300||1e-300
measure: positions, rate_limit: 300||1e-300
measure: positions|, delay: 0.013|1e-300
measure: positions, delay: 1, rate: 80|, noise: {q: 1e-4}|1e-300
measure: positions, integral: [slider], rate_limit: 300|, delay: 0.01|1e-300
measure: positions, motion: continuous, hold: 0|, delay: 0.01|1e-300
measure: positions, envelope_cost: 30|, encoders: {counts: 4096, step: {slider: 1e-4}, noise: 1e-4}|1e-300
measure: velocity, rate: 130, between: interpolate||1e-300
measure: difference, integral: [slider], rate_limit: 300|, delay: 0.01|1e-300
measure: difference, delay: 1, envelope: 0.05, fallback: {damping: 1}|, delay: 0.013|1e-300
measure: difference, momentum: exact, rate: 130||1e-300
measure: positions, momentum: exact, rate: 130|, delay: 0.013|1e-300
integral: [slider], measure: velocity, rate_limit: 300|, delay: 0.01|1e-300
integral: [slider], measure: state||1e-300
envelope: 0.05, fallback: {damping: 1}|, delay: 0.01|1e-300
envelope_cost: 30, delay: 1, measure: state|, delay: 0.01|1e-300
estimator: {encoder: 1e-4, process: 1e-4}, delay: 1, rate_limit: 300|, delay: 0.013|1e-300
estimator: {encoder: 1e-4, process: 1e-4, predict: map, disturbance: {time: 0.5}}, rate_limit: 300, envelope: 0.05|, delay: 0.013|1e-300
ROWS
  # dry friction of driven joints, which the plan has or only the robot
  sed 's#<limit lower="-2" upper="2" effort="20"#<dynamics friction="2"/>&#' cart-pole/cart-pole.urdf >cart-pole/rough.urdf
  row=0
  while IFS='|' read -r feedback verify function how; do
    taken || continue
    exported "$feedback" "$verify"
    sed -i 's/cart-pole.urdf/rough.urdf/; s/^balance:.*/simulate: {time: 2, steps: 100}\nstart: {q: {pole: 2}}/' exported.yaml
    ends 0 run exported.yaml -o rough
    fact "$function runs: $feedback $verify" grep -q "by the law $function of controller.c" out
    agree "$how" rough/verify.csv continuous exported
    cc -std=c99 -Wall -Wextra -Werror rough/controller.c rough/controller_replay.c -lm -o replay
    fact "its trace is replayed: $feedback" ./replay rough/controller_trace.csv
  done <<'ROWS'
friction: compensate||controller_velocity|1e-300
friction: 0.9, integral: [slider], envelope: 9|, delay: 0.01, calls: {off: 0.5}|controller_velocity_at|1e-300
friction: compensate, measure: difference, rate: 80|, noise: {q: 1e-3}|controller_difference|1e-300
friction: compensate, schedule: path||controller_velocity|1e-300
ROWS
  sed 's/verify:  {/verify:  {plants: exported, /; s/samples: 200/samples: 10/' "$source/problems/cart-pole/dry-friction.yaml" >dry.yaml
  ends 0 run dry.yaml -o dry
  agree 1e-300 dry/verify.csv continuous exported
  while IFS='|' read -r feedback why; do
    exported "$feedback" ''
    sed -i 's/cart-pole.urdf/rough.urdf/' exported.yaml
    ends 2 run exported.yaml -o refused
    fact "refused: $feedback" grep -q "$why" err
  done <<'ROWS'
friction: 1.1|feedback.friction: found '1.1', expected none, compensate, or a number in (0, 1]
friction: yes|feedback.friction: found 'yes', expected none, compensate
friction: compensate, measure: positions|feedback.friction: found compensate beside a measure without velocities
friction: compensate, momentum: exact|feedback.friction: found compensate beside momentum: exact
friction: compensate, rate_limit: 100|feedback.friction: found compensate beside rate_limit
friction: compensate, delay: 1|feedback.friction: found compensate beside delay: 1
friction: compensate, estimator: {encoder: 1e-4}|feedback.friction: found compensate beside an estimator
ROWS
  exported 'friction: compensate' ''
  ends 2 run exported.yaml -o refused
  fact 'a robot without friction is refused' grep -q 'for a robot without dry friction in its joints' err
  sed 's/- {joint: cart, force: 2.943}//' dry.yaml >passive.yaml
  ends 2 run passive.yaml -o refused
  fact 'a joint without a motor is refused' grep -q "but no input drives 'pole', whose friction is dry" err

  # torque-speed lines of motors, which some samples reach
  row=0
  while IFS='|' read -r feedback verify function how; do
    taken || continue
    exported "$feedback" "$verify"
    sed -i 's/pole.urdf}/pole.urdf, drives: [{joint: slider, stall: 3, no_load_speed: 1}]}/' exported.yaml
    sed -i 's/required: 0/required: 0, spread: {q: 0.1, v: 0.5}/' exported.yaml
    ends 0 run exported.yaml -o motors
    fact "$function runs: $feedback $verify" grep -q "by the law $function of controller.c" out
    agree "$how" motors/verify.csv continuous exported
    fact "its code cuts to the lines" grep -q cut_to_lines motors/controller.c
    cc -std=c99 -Wall -Wextra -Werror motors/controller.c motors/controller_replay.c -lm -o replay
    fact "its trace is replayed: $feedback" ./replay motors/controller_trace.csv
  done <<'ROWS'
measure: velocity||controller_velocity|1e-300
measure: difference, rate: 80, rate_limit: 200|, noise: {q: 1e-3}|controller_difference|1e-300
measure: velocity, envelope: 0.5|, delay: 0.01, calls: {off: 0.5}|controller_velocity_at|1e-300
ROWS

  # a slow motor: gains that know its lag hold the pole, and those of a plan without it never do
  row=3 # the last one is taken
  while IFS='|' read -r feedback verify function how; do
    taken || continue
    exported "$feedback" "$verify"
    sed -i 's/pole.urdf}/pole.urdf, drives: [{joint: slider, lag: 0.15}]}/' exported.yaml
    sed -i 's/required: 0/required: 0, spread: {q: 0.05, v: 0.1}/' exported.yaml
    ends 0 run exported.yaml -o slow
    agree "$how" slow/verify.csv continuous exported
    json slow/result.json "[o['verify'][x]['held'] for x in ('discrete', 'continuous', 'exported')] == [4, 4, 4]"
    cc -std=c99 -Wall -Wextra -Werror slow/controller.c slow/controller_replay.c -lm -o replay
    fact "its trace is replayed: $feedback" ./replay slow/controller_trace.csv
    sed -i 's/, drives: .*}\]}/}/; s/verify: {/&actuators: {lag: 0.15}, /' exported.yaml
    ends 0 run exported.yaml -o blind
    json blind/result.json "[o['verify'][x]['held'] for x in ('discrete', 'continuous')] == [0, 0]"
  done <<'ROWS'
measure: velocity||controller_velocity|1e-300
measure: state, rate: 80, rate_limit: 150||controller_state|1e-300
measure: velocity, integral: [slider]||controller_velocity|1e-300
measure: difference, momentum: exact, integral: [slider], envelope: 1|, delay: 0.01, calls: {off: 0.3}|controller_difference_at|1e-300
estimator: {encoder: 1e-4, process: 1e-4}, rate: 80||controller_encoders|1e-300
estimator: {encoder: 1e-4, process: 1e-4}|, delay: 0.01, calls: {off: 0.3}|controller_encoders_at|1e-12
measure: velocity, delay: 1||controller_velocity|1e-300
measure: difference, delay: 1, rate: 80, rate_limit: 150|, calls: {off: 0.3}|controller_difference_at|1e-300
estimator: {encoder: 1e-4, process: 1e-4}, delay: 1, rate: 200|, delay: 0.003, calls: {off: 0.3}|controller_encoders_at|1e-12
ROWS

  # motors that give less than the law asks for: neither knows of it; and as many are at a limit
  row=0
  for feedback in 'rate_limit: 150' 'integral: [slider]' 'measure: positions, delay: 1' 'estimator: {encoder: 1e-4, process: 1e-4}' \
    'estimator: {encoder: 1e-4, process: 1e-4}, rate_limit: 300, delay: 1' 'limits: {slider: [-9, 9]}, rate_limit: 300, integral: [slider]'; do
    taken || continue
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
  row=$((stride - 3)) # the last one is taken
  for feedback in 'measure: velocity' 'measure: positions, motion: continuous, rate: 80' 'momentum: exact, envelope: 1, rate_limit: 400, integral: [slider]' \
    'estimator: {encoder: 1e-4, process: 1e-4, predict: map, disturbance: {time: 0.5}}'; do
    taken || continue
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
  row=0
  for feedback in 'envelope: 0.02' 'envelope: 0.02, estimator: {encoder: 1e-4, process: 1e-4}' 'envelope: 0.02, rate_limit: 90, delay: 1, estimator: {encoder: 1e-4, process: 1e-4}' 'envelope: 0.02, fallback: {damping: 5}' 'envelope: {pole: 0.02}, measure: positions, delay: 1' \
    'envelope_cost: 20' 'envelope_cost: 20, fallback: {damping: 5}, rate: 120' 'envelope_cost: 20, measure: positions, delay: 1' \
    'envelope_cost: 20, measure: state, envelope: 0.1' 'envelope_cost: 20, estimator: {encoder: 1e-4, process: 1e-4}' 'envelope_cost: 20, delay: 1, estimator: {encoder: 1e-4, process: 1e-4}' \
    'envelope: 0.02, measure: state, rate: 100' 'envelope: 0.02, integral: [slider], fallback: {damping: {slider: 5}}'; do
    taken || continue
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
measure: difference, estimator: {encoder: 1e-3}|feedback.estimator: found measure: difference beside it
measure: difference, motion: continuous|feedback.motion: found continuous beside another measure than positions
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
schedule: path, measure: difference|feedback.schedule: found path beside measure: difference
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
  exported '' ''
  env -u CC PATH=/nowhere "$dmoc" run exported.yaml -o none >out 2>err </dev/null
  fact "without a compiler it is refused" [ $? = 2 ]
  says 'verify.plants: found exported, and no C compiler: looked for cc, gcc and clang'
else
  echo "skipped: the exported law (no compiler)"
fi
plain
exit $failed
