#!/bin/sh
# dmoc verify as a user meets it: what holds, against which machines, what is told and what not.
#   verify.sh DMOC SOURCE
. "$(dirname "$0")/facts.sh"
cp -r "$source/problems/cart-pole" "$source/problems/four-bar" .

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

# --- through contact: a plant with contacts alone, its ground and its friction; first derivatives; one form of the law ---
cp "$source/problems/contact/push.yaml" "$source/problems/contact/jump.yaml" .
ends 0 run jump.yaml -o jump --json
json out "o['verify']['continuous']['rate'] == 1 and 'discrete' not in o['verify']"
sed -i 's/^verify:.*/verify:  {samples: 60, spread: {q: 0.02, v: 0.1}, tolerance: 0.05, errors: {grip: 0.3}}/' push.yaml
ends 1 run push.yaml -o push
says 'the gains fail: [0-9]* of 60 samples succeed'
says 'without errors of the model 10 of 10 of them succeed'
ends 0 linearize jump.yaml -o linear --json
json out "o['linearization']['last'] == 39 and 'reached' not in o['linearization']"
ends 2 linearize jump.yaml --second
says 'found --second, expected first derivatives without constraints'
ends 2 export jump --all
says 'found a plan through contact or dry friction, which the laws by positions do not know'
sed -i 's/ground: 0.02/grip: 2/' jump.yaml
ends 2 run jump.yaml
says "verify.errors.grip: found '2', expected a number in \[0, 0.99\]"
hoist '' ', errors: {ground: 0.1}'
ends 2 run hoist.yaml
says 'verify.errors.ground: found one of a robot without a contact'

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
says "verify.errors.length: a robot with other lengths has no constraint: '[a-z-]*' (line [0-9]*): the plan's positions would violate it"

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
agree 3e-2 rubs/verify.csv continuous mujoco # there friction sticks
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
sed -i 's/R: 1, envelope: 0.05, rate_limit: 1e3}/R: 0.01, rate_limit: 20}/' robot.yaml
ends 1 run robot.yaml -o slow
says 'without feedback.rate_limit [34] of [34] of them succeed'
json narrow/result.json "o['verify']['discrete']['lost']['without_rate_limit'] == 0 and 'without_friction' not in o['verify']['discrete']['lost']"

# two causes of which neither is the cause alone: friction, and masses that are off
cat >both.yaml <<'YAML'
model: {bodies: [{name: arm, joints: [{name: hinge, type: ry, effort: 50}], mass: 2, centre: [0, 0, -0.5], inertia: [0.1, 0.1, 0.1]}]}
horizon: {steps: 100, time: 2}
start: {q: 0, v: 0}
goal: {q: pi/2, v: 0}
cost: {input: 1}
feedback: {Q: {q: 100, p: 1}, R: 1, hold: 2}
verify: {samples: 20, tolerance: 0.01, spread: {q: 0.02, v: 0.02}, errors: {mass: 0.3}, friction: 1}
YAML
ends 1 run both.yaml -o both
says "on the discrete plant 20 leave the plan, none diverges, most often in the speed of 'hinge', at [0-9.]* s (median); without friction and without errors of the model together 10 of 10 of them succeed"
json both/result.json "o['verify']['discrete']['lost']['pair'] == {'first': 'without_friction', 'second': 'without_errors', 'held': 10}"
json both/result.json "max(o['verify']['discrete']['lost'][k] for k in ('without_friction', 'without_errors')) < 5"
# where integrals help, they are advised as a file says them, and help
sed 's/R: 1,/R: 0.3,/; s/tolerance: 0.01/tolerance: 0.03/' both.yaml >slow.yaml
ends 1 run slow.yaml -o slow
says 'with integrals of errors [0-9]* of [0-9]* of them succeed: add feedback.integral: {hinge: [0-9.e+]*}'
sed "s/R: 0.3,/R: 0.3, $(sed -n 's/.*add feedback.\(integral: {hinge: [^}]*}\).*/\1/p' err),/" slow.yaml >integral.yaml
"$dmoc" run integral.yaml -o integral >out 2>err </dev/null || true
fact 'with them more than half of those that failed succeed' python3 -c '
import json
had, has = (json.load(open(name + "/result.json"))["verify"]["discrete"]["held"] for name in ("slow", "integral"))
assert had < 10 and has >= 15, (had, has)'
# beyond ten times the tolerance, and there it stays: it left the plan and does not diverge
sed 's/tolerance: 0.01/tolerance: 0.001/; s/friction: 1/friction: 3/' both.yaml >stays.yaml
ends 1 run stays.yaml -o stays
says 'on the discrete plant [0-9]* leave the plan, none diverges, most often in '
# a tolerance that is not written is told with its units
sed 's/tolerance: 0.01, //' both.yaml >plain.yaml
"$dmoc" run plain.yaml -o plain >out 2>err </dev/null || true
fact 'the default tolerance has units' grep -q 'tolerance *0.1 rad and 0.1 rad/s at the end, by default' out

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

# --- a wrist whose damping decays within a step is held with it, by what is measured, on every plant ---
cp "$source/tests/robots/stiff-wrist".* .
sed -i 's/tolerance: 0.05/tolerance: 0.05, plants: all/' stiff-wrist.yaml
for form in velocity state; do
  sed "s/Qf: riccati/Qf: riccati, measure: $form/" stiff-wrist.yaml >wrist.yaml
  ends 0 run wrist.yaml -o wrist
  says "the damping of 'wrist' decays in 0.0007 s"
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
fact "steps that resolve a damping have no word on it" sh -c '! grep -q "decays in" err'
sed 's/Qf: riccati/Qf: riccati, estimator: {encoder: 1e-3, process: 1e-3}/' stiff-wrist.yaml >wrist.yaml
ends 2 run wrist.yaml
says "wrist.yaml:8:66: feedback.estimator: found it beside 'wrist', whose damping decays"

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
