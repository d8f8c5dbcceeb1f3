#!/bin/sh
# The law in what a robot measures, and the C that carries it to the robot, by the compilers at hand.
#   export.sh DMOC SOURCE some|every          (of the ways to compile a law)
ways=$3
. "$(dirname "$0")/facts.sh"

# a cart-pole's swing, held, in what is measured; words: of feedback
problem() {
  cat <<YAML
model: {urdf: $source/problems/cart-pole/cart-pole.urdf, gravity: [0, 0, -9.81]}
simulate: {steps: 100, step: 0.02, start: {q: {pole: 0.5}}}
feedback: {Q: {q: 100, p: 1}, R: 1, Qf: riccati$1}
verify: {samples: 20, start: {q: {pole: 0.1}}}
YAML
}

# --- laws ---
problem ', measure: state' >state.yaml
ends 0 run state.yaml -o state --json
json out "o['gains']['law'] == 'state' and o['verify']['held'] == 20"
fact "gains alone say it all" [ ! -e state/measured.csv ]
problem ', measure: velocity' >velocity.yaml
ends 0 run velocity.yaml -o velocity --json
json out "o['gains']['law'] == 'velocity, linear' and o['verify']['held'] == 20"
fact "the coordinates are named" grep -q '^k,t,u_d.slider,y_d.q.slider,y_d.q.pole,y_d.v.slider,y_d.v.pole,G.slider.q.slider,G.slider.q.pole,G.slider.v.slider,G.slider.v.pole$' velocity/measured.csv
fact "gains in (q,p) are the same" cmp -s velocity/gains.csv state/gains.csv
# what robots measure is the law where nothing is said
problem '' >silent.yaml
ends 0 run silent.yaml -o silent --json
json out "o['gains']['law'] == 'velocity, linear' and o['controller']['forms'] == ['velocity']"
for table in measured gains verify response; do
  fact "$table.csv of what is not said is that of velocity" cmp -s silent/$table.csv velocity/$table.csv
done
problem ', measure: positions' >positions.yaml
ends 0 run positions.yaml -o positions --json
json out "o['gains']['law'] == 'positions, linear' and o['verify']['held'] == 20"
fact "positions a step ago, and the force since" grep -q ',y_d.q.pole,y_d.before.q.slider,y_d.before.q.pole,y_d.before.u.slider,G.slider.q.slider,' positions/measured.csv
cp positions/verify.csv kept.csv
ends 0 verify positions
fact "stored gains run the same law" cmp -s positions/verify.csv kept.csv
# by the mechanics: the same loop on the map from starts whose momentum is as planned
for form in velocity positions; do
  problem ", measure: $form, momentum: exact" | sed 's/samples: 20/samples: 20, spread: {q: 0.05, v: 0}/' >exact.yaml
  ends 0 run exact.yaml -o "exact-$form" --json
  fact "no other table" [ ! -e "exact-$form/measured.csv" ]
  sed 's/, measure: [a-z]*, momentum: exact/, measure: state/' exact.yaml >plain.yaml
  ends 0 run plain.yaml -o plain
  fact "the same samples hold by exact $form" python3 -c '
import csv, sys
a, b = ([r for r in csv.DictReader(open(f + "/verify.csv")) if r["plant"] == "discrete"] for f in ("exact-" + sys.argv[1], "plain"))
off = max(abs(float(x["final_error"]) - float(y["final_error"])) for x, y in zip(a, b))
sys.exit(not (len(a) == 20 and (off < 1e-10 or sys.argv[1] == "positions" and off < 1e-3)))' $form
done
problem ', measure: positions, rate: 80, between: interpolate' >fast.yaml
ends 0 run fast.yaml -o fast --json
json out "o['gains']['law'] == 'positions, linear, 80 Hz, interpolated' and o['verify']['held'] == 20"
fact "a row each sample" [ "$(grep -c '^[0-9]' fast/measured.csv)" = 160 ]
fact "and of what was run" [ "$(grep -c '^[0-9]' fast/response.csv)" = 161 ]
ends 0 plot fast -o fast.svg
problem ', measure: state, delay: 1' >late.yaml
ends 0 run late.yaml -o late --json
json out "o['gains']['law'] == 'state, inputs one step late' and o['verify']['held'] == 20"
fact "gains on what is under way" grep -q ',K.slider.p.pole,W.slider.slider$' late/gains.csv
cp late/verify.csv kept.csv
ends 0 verify late
fact "stored ones run the same" cmp -s late/verify.csv kept.csv
loosen late
sed -i "s/^0,0,[^,]*/0,0,1e9/" late/gains.csv
"$dmoc" verify late >out 2>err
fact "and others another" sh -c '! cmp -s late/verify.csv kept.csv'
loosen late
cp state/gains.csv late/gains.csv
ends 2 verify late
says 'late/gains.csv:1: the columns are'

# --- what cannot be is refused, with its place ---
refuses() {
  problem "$1" >wrong.yaml
  ends 2 run wrong.yaml -o wrong
  says "wrong.yaml:3:[0-9]*: $2"
}
# --- the law's limits are its own: the plan's bounds leave it room ---
headroom="$source/problems/cart-pole/headroom.yaml"
sed "s|robot: |&$source/problems/cart-pole/|; s/samples: 200/samples: 20/" "$headroom" >headroom.yaml
"$dmoc" optimize headroom.yaml -o planned >out 2>err </dev/null
if grep -q 'no IPOPT' err; then
  echo "skipped: the law's limits beside the plan's (built without IPOPT)"
else
  ends 0 run headroom.yaml -o headroom --json
  json out "o['verify']['held'] == 20 and o['verify']['discrete']['saturated'] == 0"
  fact "the plan keeps its own" awk -F, 'NR > 1 { u = $NF + 0; if (u > 8.4001 || u < -8.4001) bad = 1 } END { exit bad }' headroom/trajectory.csv
  fact "the exported law takes the motor's" grep -q 'u_max\[1\] = {12.0};' headroom/controller.c
  sed 's/limits: \[-12, 12\]/limits: [-8.4, 8.4]/; s/tolerance: 0.05/&, required: 0/' headroom.yaml >tight.yaml
  ends 0 run tight.yaml -o tight --json
  json out "o['verify']['held'] < 15 and o['verify']['discrete']['saturated'] == 20"
  fact "or those it is given" grep -q 'u_max\[1\] = {8.4' tight/controller.c
fi

refuses ', measure: velocities' "feedback.measure: .*'velocities'"
refuses ', rate: 0' 'feedback.rate: '
refuses ', measure: velocity, estimator: {}' 'feedback.estimator: found measure: velocity beside it'
refuses ', delay: 2' 'feedback.delay: '
refuses ', estimator: {gate: 0}' 'feedback.estimator.gate: '
problem ', rate: 0.1' >slow.yaml
ends 2 gains slow.yaml -o slow
says "slow.yaml:[0-9]*:[0-9]*: feedback.rate: found 0.1 Hz, whose first sample is after the motion's 2 s"
hoist ', measure: positions' ''
ends 0 run hoist.yaml -o hoist --json
json out "o['verify']['held'] == 10"
sed 's/positions/velocity/' hoist.yaml >hoistv.yaml
ends 0 run hoistv.yaml -o hoistv --json
json hoistv/result.json "o['verify']['held'] == 10 and o['certificate']['controller'] == 0"
sed 's/positions/state, rate: 50/' hoist.yaml >wrong.yaml
ends 2 run wrong.yaml
says 'wrong.yaml:8:[0-9]*: feedback.rate: found constraints beside it'

# --- the law as C ---
warnings='-std=c99 -Wall -Wextra -Wconversion -Werror -pedantic'

# calls PROGRAM FOLDER WHAT: a program of calls beside the folder's controller finds nothing wrong
calls() {
  turn || return 0
  # shellcheck disable=SC2086 # flags are words
  cc $warnings -c "$2/controller.c" -o controller.o 2>err &&
    cc -std=c99 -Wall -Wextra -Werror -pedantic -I"$2" "$1.c" controller.o -lm -o "$1.out" 2>>err &&
    "./$1.out" >out 2>>err
  fact "$2: $3" [ $? = 0 ]
}

# replays FOLDER: each compiler's program gives each number of the trace; without `every` only in every second folder,
# by one set of flags of one compiler, and by others in the next one
next=0
replays() {
  next=$((next + 1)) way=$((next / 2))
  [ "$ways" = every ] || [ $((next % 2)) = 1 ] || return 0
  for cc in gcc clang; do
    command -v $cc >/dev/null || continue
    rm -f replay.o
    for flags in -O0 -O3 "-O2 -march=native" "-O3 -march=native -std=gnu99"; do
      way=$((way + 1))
      [ "$ways" = every ] || [ $((way % 8)) = 0 ] || continue
      [ -e replay.o ] || $cc -std=c99 -Wall -Wextra -Werror -pedantic -I"$1" -c "$1/controller_replay.c" -o replay.o >err 2>&1
      # shellcheck disable=SC2086 # flags are words
      $cc $warnings $flags -c "$1/controller.c" -o controller.o >>err 2>&1 && $cc replay.o controller.o -lm -o replay >>err 2>&1 &&
        ./replay "$1/controller_trace.csv" >out 2>>err
      fact "$1 by $cc $flags: bit for bit" [ $? = 0 ]
    done
  done
}
for law in state velocity positions fast late; do
  fact "run has written $law/controller.c" [ -s $law/controller.c ]
  json $law/result.json "o['certificate']['controller'] == 0 and o['controller']['precision'] == 'double' and o['controller']['forms'] == ['$(sed -n 's/.*measure: \([a-z]*\).*/\1/p' $law.yaml | grep . || echo state)']"
  replays $law
done
# errors integrated of joints that all turn for ever
cat >turning.yaml <<YAML
model: {urdf: $source/problems/acrobot/acrobot.urdf, gravity: [0, 0, -9.81]}
inputs: [{joint: shoulder, effort: 20}, {joint: elbow, effort: 20}]
simulate: {steps: 40, step: 0.02, start: {q: {elbow: 0.5}}}
feedback: {Q: {q: 100, p: 1}, R: 1, measure: velocity, integral: [shoulder, elbow]}
verify: {samples: 5}
YAML
ends 0 run turning.yaml -o turning
fact "both of them" grep -q '^static const int turns_velocity.6. = {1, 1, 0, 0, 0, 0};$' turning/controller.c
replays turning
fact "a row a step" [ "$(grep -c '^[0-9]' fast/controller_trace.csv)" = 160 ]
fact "its own header alone" [ "$(cat state/controller.c state/controller.h | grep -c '#include')" = 1 ]
fact "nothing that changes, nothing taken" [ -z "$(grep -E '^static [^(]*[;={]' state/controller.c | grep -v '^static const')$(sed 's,//.*,,; s, / r;,;,' state/controller.c | grep -E 'malloc|alloca|/ ')" ]
fact "where it comes from" grep -q "SHA-256: $(value state/result.json "o['inputs_sha256']")" state/controller.h
fact "units" grep -q '^//     \[1\] pole, N m s$' state/controller.h
fact "a first input where the law's are late" grep -q '^void controller_first' late/controller.h
if command -v g++ >/dev/null; then
  echo '#include "controller.h"' >plus.cpp
  g++ -Wall -Wextra -Werror -pedantic -Istate -c plus.cpp -o plus.o 2>err
  fact "the header serves C++" [ $? = 0 ]
fi
# every form there is, in either precision; again, the same
ends 0 export positions -o all --all --json
json out "o['controller']['forms'] == ['state', 'velocity', 'positions', 'difference'] and o['certificate']['controller'] == 0"
replays all
cp all/controller.c kept.c
ends 0 export positions -o all --all
fact "the same text again" cmp -s all/controller.c kept.c
ends 0 export positions -o single --all --single --json
json out "o['controller']['precision'] == 'single' and 0 < o['certificate']['controller'] < 1e-3"
json out "2 * (o['controller']['table_bytes'] - 52) + 52 == $(value all/result.json "o['controller']['table_bytes']")"
replays single
if command -v gcc >/dev/null && gcc -O2 -c all/controller.c -o sizes.o 2>/dev/null; then
  # beside them constants of expressions and the struct of a law, and tables begin at multiples of 32 bytes
  fact "the tables are as large as is said" [ "$(size -A sizes.o | awk '$1 ~ /rodata/ {n += $2} END {print n}')" -le \
    "$(($(value all/result.json "o['controller']['table_bytes']") + 700))" ]
fi
# a number that is off is found
sed 's/^5,\([^,]*\),/5,9,/' state/controller_trace.csv >off.csv
gcc -std=c99 -Istate state/controller_replay.c state/controller.c -o replay 2>err && ./replay off.csv >out
fact "a difference fails the replay" [ $? = 1 ]
fact "and is shown" grep -q 'k = 5, state, u\[0\]' out
{ printf '#%05000d\n' 7 && cat state/controller_trace.csv; } >long.csv
./replay long.csv >out
fact "a comment may be long" [ $? = 0 ]

# p = M(q) v is computed by the text itself: the library's to the bit, at any time
problem ', measure: velocity, momentum: exact' >momenta.yaml
ends 0 run momenta.yaml -o momenta --json
json out "o['gains']['law'] == 'velocity, exact' and o['verify']['held'] == 20 and o['certificate']['controller'] == 0"
replays momenta
fact "it has a function of its own" grep -q '^// p = M(q) v of this robot\.$' momenta/controller.h
fact "nothing that changes, nothing taken" [ -z "$(grep -E '^static [^(]*[;={]' momenta/controller.c | grep -v '^static const')$(sed 's,//.*,,; s, / r;,;,' momenta/controller.c | grep -E 'malloc|alloca|/ |#include <')" ]
ends 0 export momenta -o momentasingle --single --all --json
json out "o['certificate']['controller'] < 1e-3 and o['controller']['forms'] == ['state', 'velocity', 'positions', 'difference']"
replays momentasingle
ends 0 export momenta -o momentaall --all
cat >mass.c <<'C'
#include "controller.h"
#include <math.h>
#include <stdio.h>
/* p of a cart-pole by hand, and the law by velocity beside that by state */
int main(void) {
  int k, wrong = 0;
  for (k = 0; k < 200; k++) {
    const double q[] = {0.01 * k, 0.07 * k}, v[] = {sin(k), cos(3 * k)}, t = 0.0137 * k;
    const double b = -0.15 * cos(q[1]), hand[] = {1.3 * v[0] + b * v[1], b * v[0] + 0.075 * v[1]};
    double p[2], u[1], w[1];
    controller_momentum(q, v, p);
    wrong += !(fabs(p[0] - hand[0]) < 1e-14 && fabs(p[1] - hand[1]) < 1e-14);
    controller_velocity(k, q, v, u);
    controller_state(k, q, p, w);
    wrong += u[0] != w[0];
    controller_velocity_at(t, 0.013, q, v, u);
    controller_state_at(t, 0.013, q, p, w);
    wrong += u[0] != w[0];
  }
  printf("%d\n", wrong);
  return wrong;
}
C
cc -std=c99 -Wall -Wextra -Werror -pedantic -Imomentaall mass.c momentaall/controller.c -lm -o mass 2>err && ./mass >out 2>>err
fact "p is M(q) v, and by velocity the law is that by state" [ $? = 0 ]

# with constraints and kinematic coordinates
sed 's/positions/velocity, momentum: exact/' hoist.yaml >hoistexact.yaml
ends 1 run hoistexact.yaml -o hoistexact
says 'no controller: feedback.momentum: exact: p of this robot cannot be computed on board: it has constraints'
ends 0 export hoist --all --json
json out "o['controller']['forms'] == ['state', 'velocity', 'positions', 'difference'] and o['certificate']['controller'] == 0"
replays hoist
fact "a kinematic coordinate's momentum is its velocity" grep -q '^//     \[2\] hook, m/s$' hoist/controller.h

# a ball joint's quaternion: positions alone are enough
cat >ball.yaml <<'YAML'
model:
  gravity: [0, 0, 0]
  bodies: [{name: body, joints: [ball], mass: 1, inertia: [1, 2, 3]}]
inputs:
  - {name: x, body: body, frame: body, torque: [1, 0, 0]}
  - {name: y, body: body, frame: body, torque: [0, 1, 0]}
  - {name: z, body: body, frame: body, torque: [0, 0, 1]}
simulate: {time: 5, step: 0.05, start: {v: {body.qx: 0.25, body.qy: 0.5, body.qz: 0.05}}}
feedback: {Q: {q: 10, p: 1}, R: 1, Qf: {q: 10, p: 1}, measure: positions}
verify: {samples: 20, spread: {q: 0.05, v: 0.05}}
YAML
ends 0 run ball.yaml -o ball --json
json out "o['verify']['held'] == 20 and o['certificate']['controller'] == 0"
replays ball
fact "a quaternion has no unit" grep -q '^//     \[0\] body.qw, 1$' ball/controller.h

# names that would run a comment on into the code
cat >named.yaml <<'YAML'
name: 'odd\'
model:
  bodies: [{name: 'arm*/', joints: [{name: 'turn??/', type: ry}], mass: 1, centre: [0, 0, -0.5]}]
inputs:   [{joint: 'turn??/', effort: 20}]
balance:  {q: pi, steps: 50, time: 1}
feedback: {}
verify:   {samples: 5}
YAML
ends 0 run named.yaml -o named --json
json out "o['verify']['held'] == 5"
replays named
fact "names in comments are plain" [ -z "$(grep -n '^//.*[\\?*]' named/controller.[ch])" ]

# --- a place of rest: one row holds for all times ---
standing() {
  cat <<YAML
model: {urdf: $source/problems/cart-pole/cart-pole.urdf, gravity: [0, 0, -9.81]}
inputs: [{joint: slider, effort: 20}]
balance: {q: {slider: 0.25, pole: pi}, steps: 250, time: 5}
feedback: {Q: {q: 10, p: 1}, R: 1$1}
verify: {samples: 20, spread: {q: 0.05, v: 0.05}, tolerance: 0.2}
YAML
}
standing '' >rest.yaml
ends 0 run rest.yaml -o rest --json
json out "o['certificate']['controller'] == 0 and o['controller']['table_bytes'] == 8 * (2 + 1 + 4 + 4) + 16"
replays rest
fact "one row of each table" [ "$(grep -c '^    [.][a-zA-Z_]* = {[a-zA-Z_]*, 1, [0-9]*},$' rest/controller.c)" = 3 ]
fact "and its header says for how long" grep -q 'The law is one and the same: it holds for all times' rest/controller.h
ends 0 export rest -o restall --all --json
json out "o['controller']['forms'] == ['state', 'velocity', 'positions', 'difference'] and o['certificate']['controller'] == 0"
replays restall
fact "positions have a first row, without a step before it" grep -q '^    .G = {G_positions, 2, 5},$' restall/controller.c
fact "of a motion each row is its own" grep -q '^    .G = {G_state, 100, 4},$' state/controller.c
fact "and it ends" sh -c '! grep -q "for all times" state/controller.h'

standing ', delay: 1' >restlate.yaml
ends 0 run restlate.yaml -o restlate --json
json out "o['certificate']['controller'] == 0 and o['controller']['table_bytes'] == 8 * (3 + 1 + 5 + 5) + 20"
fact "one gain where inputs are late, too, which decays as fast" python3 -c '
import json
a, b = (json.load(open(f + "/result.json"))["gains"]["spectral_radius"]["closed"] for f in ("rest", "restlate"))
exit(not abs(a - b) < 1e-9)'
replays restlate

# --- the end is held: after the motion rows are one and the same, at another rate too ---
held() { problem ", hold: 3$1" | sed 's/pole: 0.5/pole: 0.02/; s/start: {q: {pole: 0.1}}/tolerance: 0.2/'; }
held '' >held.yaml
ends 0 run held.yaml -o held
fact "what is held is said" grep -q 'the motion rests at its end for 3 s, 0.0' out
json held/result.json "o['gains']['hold_s'] == 3 and 0 < o['gains']['hold_off'] < 0.02 and o['verify']['held'] == 20 and o['certificate']['controller'] == 0"
replays held
fact "the motion, one row, and for how long" grep -q 'From k = 100 on it is the same: it holds for all times' held/controller.h
fact "gains of all" [ "$(grep -c '^[0-9]' held/gains.csv)" = 250 ]
fact "the motion alone is the motion" [ "$(grep -c '^[0-9]' held/trajectory.csv)" = 101 ]
cp held/verify.csv kept.csv
ends 0 verify held
fact "read back it is the same" cmp -s held/verify.csv kept.csv
ends 0 plot held -o held.svg
held ', rate: 130' >heldrate.yaml
ends 0 run heldrate.yaml -o heldrate
replays heldrate
fact "at its rate, too" grep -q 'From k = 260 on it is the same' heldrate/controller.h
problem ', hold: 3' >astray.yaml
ends 1 run astray.yaml -o astray
says 'no gains: the motion cannot rest at its end: the nearest equilibrium has .* off by .* rad, expected at most 0.1'
json astray/result.json "o['gains']['status'] == 'failed'"

# --- by encoders 130 times a second, one step late, and the end held: all at once ---
held ', rate: 130, delay: 1, estimator: {encoder: 1e-3, process: 1e-4, start: {q: 0.02, p: 0.02}}' >all.yaml
ends 0 run all.yaml -o all
json all/result.json "o['gains']['law'] == 'state, 130 Hz, held, inputs one step late, estimated from encoders' and o['verify']['held'] == 20 and o['certificate']['controller'] == 0"
replays all
fact "a row each sample of the filter" [ "$(grep -c '^[0-9]' all/estimator.csv)" = 650 ]

# --- by encoders: the filter in the text, its estimate kept by the caller ---
standing ', estimator: {encoder: {slider: 1e-3, pole: 2e-3}, process: {slider: 2e-3, pole: 1e-3}}' >filter.yaml
ends 0 run filter.yaml -o filter --json
json out "o['gains']['law'] == 'state, estimated from encoders' and o['controller']['forms'] == ['state', 'encoders'] and o['certificate']['controller'] == 0"
replays filter
fact "what it is given" grep -q '^void controller_encoders(int k, controller_filter \*filter, const controller_real encoder\[2\], controller_real u\[1\]);$' filter/controller.h
fact "nothing that changes, nothing taken" [ -z "$(grep -E '^static [^(]*[;={]' filter/controller.c | grep -v '^static const')$(sed 's,//.*,,; s, / r;,;,' filter/controller.c | grep -E 'malloc|alloca|/ ')" ]
standing ', delay: 1, estimator: {encoder: {slider: 1e-3, pole: 2e-3}, process: {slider: 1e-3, pole: 5e-4}}' >filterlate.yaml
ends 0 run filterlate.yaml -o filterlate --json
json out "o['gains']['law'] == 'state, inputs one step late, estimated from encoders' and o['certificate']['controller'] == 0"
replays filterlate
fact "with the input under way" grep -q '^void controller_encoders(.*const controller_real now\[1\], controller_real u\[1\]);$' filterlate/controller.h
ends 0 export filterlate -o filterlatesingle --single --all
replays filterlatesingle
problem ', estimator: {encoder: {pole: 1e-4}, process: 1e-4, start: {q: 0.01, p: 0.01}}' |
  sed 's/samples: 20/samples: 20, spread: {q: 0.01, v: 0.01}, tolerance: 1/' >partial.yaml
ends 0 run partial.yaml -o partial --json
json out "o['controller']['forms'] == ['state', 'encoders'] and o['certificate']['controller'] == 0"
replays partial
fact "the one coordinate that has an encoder" grep -q '^static const int which\[1\] = {1};$' partial/controller.c
ends 0 export partial -o filterall --all
replays filterall
ends 0 export filter -o filtersingle --single --json
json out "o['controller']['precision'] == 'single' and 0 < o['certificate']['controller'] < 0.05"
replays filtersingle
fact "its gains come to rest" grep -q 'From k = [0-9]* on it is the same: it holds for all times' filtersingle/controller.h
if command -v gcc >/dev/null && gcc -O2 -c filter/controller.c -o sizes.o 2>/dev/null; then
  fact "its tables are as large as is said" [ "$(size -A sizes.o | awk '$1 ~ /rodata/ {n += $2} END {print n}')" -le \
    "$(($(value filter/result.json "o['controller']['table_bytes']") + 700))" ]
fi
sed 's/measure: positions/estimator: {encoder: {x: 1e-3, hook: 1e-3}, process: 1e-3, start: {q: 0.05, p: 0.1}}/' hoist.yaml >hoisted.yaml
"$dmoc" run hoisted.yaml -o hoisted >out 2>err
ends 0 export hoisted --force --json
json out "o['controller']['forms'] == ['state', 'encoders'] and o['certificate']['controller'] == 0"
replays hoisted
# for a microcontroller, where there is a compiler for one: no header of any system is needed
for cc in arm-none-eabi-gcc 'clang --target=thumbv7em-none-eabi'; do
  # shellcheck disable=SC2086 # words
  if $cc -mcpu=cortex-m4 -mthumb -x c -c /dev/null -o none.o >/dev/null 2>&1; then
    for law in all single late filterall filtersingle filterlate momentaall momentasingle; do
      turn || continue
      $cc -mcpu=cortex-m4 -mthumb -O2 -ffreestanding $warnings -c $law/controller.c -o arm.o >err 2>&1
      fact "$law by $cc" [ $? = 0 ]
      fact "$law by $cc keeps nothing" [ "$(size -A arm.o | awk '$1 ~ /^\.(data|bss)/ {n += $2} END {print n + 0}')" = 0 ]
    done
  else
    echo "skipped: the controller by $cc, which is not here or has no Cortex-M4"
  fi
done
# whatever it is given, it answers with a number within limits
cat >odd.c <<'C'
#include "controller.h"
#include <limits.h>
#include <math.h>
#include <stdio.h>

static controller_filter sees, misses;

static int within(const controller_real *u) { return *u >= -20 && *u <= 20; }

int main(void) {
  const controller_real odd[] = {(controller_real)NAN, INFINITY, -INFINITY};
  const int knot[] = {INT_MIN, -1, 0, CONTROLLER_STEPS, INT_MAX};
  controller_real q[2] = {(controller_real)0.3, 3}, p[2] = {0, 0}, u[1], v[1];
  int i, j, wrong = 0;
  for (i = 0; i < 5; i++) {
    for (j = 0; j < 3; j++) { /* no number: as planned */
      p[1] = odd[j];
      controller_state(knot[i], q, p, u);
      wrong += u[0] != 0;
    }
    p[1] = (controller_real)1e30;
    controller_state(knot[i], q, p, u);
    wrong += !within(u) || u[0] == 0;
    for (j = 0; j < 3; j++) { /* no reading: what was predicted */
      controller_real reading[2] = {(controller_real)0.3, odd[j]}, x_d = (controller_real)3.1415926535897931;
      controller_begin(&sees), controller_begin(&misses);
      controller_encoders(knot[i], &misses, reading, u);
      reading[1] = x_d;
      controller_encoders(knot[i], &sees, reading, v);
      wrong += u[0] != v[0] || !within(u) || misses.z[1] != sees.z[1] || !(misses.z[1] - misses.z[1] == 0);
    }
  }
  printf("%d\n", wrong);
  return wrong;
}
C
for law in filter filtersingle; do
  for cc in gcc clang; do
    command -v $cc >/dev/null && turn || continue
    $cc -std=c99 -O2 -fsanitize=undefined -fno-sanitize-recover=all -I$law odd.c $law/controller.c -o odd.out 2>err && ./odd.out >out 2>>err
    fact "$law by $cc: any knot, any measurement" [ $? = 0 ]
  done
done
# by time: at knots it is the call by k, to the bit; what is not new changes nothing; whatever it
# is given, it answers with a number within limits
cat >clock.c <<'C'
#include "controller.h"
#include <math.h>
#include <stdio.h>
static const controller_real pi = (controller_real)3.14159265358979;
static controller_filter by_k, by_t;
int main(void) {
  const controller_real odd[] = {(controller_real)NAN, INFINITY, -INFINITY};
  controller_real u[1], v[1], reading[2];
  int k, i, wrong = 0;
  controller_begin(&by_k), controller_begin(&by_t);
  for (k = 0; k < 120; k++) {
    const controller_real t = (controller_real)(k * 0.02);
    reading[0] = (controller_real)(0.25 + 0.01 * sin(0.1 * k)), reading[1] = pi + (controller_real)(0.02 * cos(0.2 * k));
    controller_encoders(k, &by_k, reading, u);
    controller_encoders_at(t, 0, &by_t, reading, v);
    wrong += u[0] != v[0];
    controller_encoders_at(t, 0, &by_t, reading, v); /* again */
    wrong += u[0] != v[0];
    reading[1] = 0;
    controller_encoders_at(t, (controller_real)0.01, &by_t, reading, v); /* an older one */
    wrong += u[0] != v[0];
  }
  for (i = 0; i < 3; i++) {
    controller_filter copy = by_t;
    controller_encoders_at(odd[i], 0, &by_t, reading, u);
    wrong += u[0] != 0 - BESIDE || by_t.z[1] != copy.z[1];
    controller_encoders_at((controller_real)1.2, odd[i], &by_t, reading, u);
    wrong += !(u[0] >= -20 && u[0] <= 20) || by_t.z[1] != copy.z[1];
    controller_begin(&by_t);
    controller_encoders_at((controller_real)1e30, (controller_real)-1, &by_t, reading, u);
    controller_encoders_at((controller_real)-1e30, 0, &by_t, reading, u);
    controller_encoders_at((controller_real)1e30, (controller_real)1e30, &by_t, reading, u);
    wrong += !(u[0] >= -20 && u[0] <= 20);
    by_t = copy;
  }
  printf("%d\n", wrong);
  return wrong;
}
C
for law in filter filtersingle; do
  # shellcheck disable=SC2086 # flags are words
  cc $warnings -c $law/controller.c -o controller.o 2>err && cc -std=c99 -O1 -fsanitize=undefined -fno-sanitize-recover=all -DBESIDE=0 -I$law clock.c $law/controller.c -lm -o clock.out 2>>err && ./clock.out >out 2>>err
  fact "$law: by time, at knots and off them" [ $? = 0 ]
done
# --- an envelope: what the text does beyond it ---
standing ', envelope: {pole: 0.3}, fallback: {damping: 50}' >guarded.yaml
ends 0 run guarded.yaml -o guarded --json
json out "o['certificate']['controller'] == 0 and o['gains']['law'] == 'velocity, linear, in an envelope'"
replays guarded
ends 0 export guarded -o guardedsingle --single
replays guardedsingle
fact "what it keeps is the caller's" [ -z "$(grep -E '^static [^(]*[;={]' guarded/controller.c | grep -v '^static const')" ]
fact "what is lost is said" grep -q '^//   0.3 rad of q\[1\]$' guarded/controller.h
ends 2 export guarded --all
says 'all: found feedback.fallback: {damping: ..} beside it'
cat >guarded.c <<'C'
#include "controller.h"
#include <math.h>
#include <stdio.h>
static const controller_real pi = (controller_real)3.14159265358979;
static controller_guard guard;
static controller_real u[1];
static int ask(double off, double v) {
  const controller_real q[2] = {(controller_real)0.25, pi + (controller_real)off}, w[2] = {(controller_real)v, 0};
  return controller_velocity(3, &guard, q, w, u);
}
int main(void) {
  const controller_real far[2] = {(controller_real)0.25, pi + (controller_real)0.4}, rest[2] = {(controller_real)0.125, 0};
  int wrong = 0;
  controller_reset(&guard);
  wrong += ask(0.29, 0) != 0 || ask(-0.29, 0) != 0 || ask(NAN, 0) != 0 || ask(6.2831853, 0) != 0 || guard.lost;
  wrong += ask(0.31, 0.125) != 1 || u[0] != (controller_real)-6.25;
  wrong += ask(0, 0.125) != 1 || u[0] != (controller_real)-6.25; /* it stays lost */
  wrong += ask(0, 100) != 1 || u[0] != -20;                      /* within limits */
  wrong += ask(0, NAN) != 1 || u[0] != 0;
  controller_reset(&guard);
  wrong += ask(0.01, 0.125) != 0 || u[0] == (controller_real)-6.25;
  wrong += controller_velocity_at((controller_real)0.07, 0, &guard, far, rest, u) != 1 || u[0] != (controller_real)-6.25;
  printf("%d\n", wrong);
  return wrong;
}
C
for law in guarded guardedsingle; do
  calls guarded $law "beyond its envelope the fallback acts, until it is reset"
done

# --- an envelope by x'P x: its bound is what verification covered ---
standing ', envelope_cost: auto, fallback: {damping: 50}' >costly.yaml
ends 0 run costly.yaml -o costly --json
json out "o['controller']['envelope_cost'] == o['verify']['envelope_cost'] == 1.01 * max(o['verify'][p]['largest_cost'] for p in ('discrete', 'continuous'))"
json out "o['certificate']['controller'] == 0 and o['verify']['discrete']['left_envelope'] == 0 and o['controller']['table_bytes'] == 8 * (2 + 1 + 4 + 4 + 10 + 4) + 20"
replays costly
fact "its bound is said" grep -q "^// The law is lost once .*x'P x, is more than $(value costly/result.json "'%.6g' % o['controller']['envelope_cost']")" costly/controller.h
ends 0 export costly -o costlysingle --single
replays costlysingle
standing ', envelope_cost: 0.5' >priced.yaml
ends 1 run priced.yaml -o priced
ends 0 export priced -o pricedall --all --force
replays pricedall
cat >costly.c <<'C'
#include "controller.h"
#include <math.h>
#include <stdio.h>
static const controller_real pi = (controller_real)3.14159265358979;
static controller_guard guard;
static controller_real u[1];
static int ask(double off, double v) {
  const controller_real q[2] = {(controller_real)0.25, pi + (controller_real)off}, w[2] = {(controller_real)v, 0};
  return controller_velocity(3, &guard, q, w, u);
}
int main(void) {
  const controller_real far[2] = {(controller_real)0.25, pi + 1}, rest[2] = {(controller_real)0.125, 0};
  int wrong = 0;
  controller_reset(&guard);
  wrong += ask(0.03, 0) != 0 || ask(-0.03, 0) != 0 || ask(NAN, 0) != 0 || ask(0, INFINITY) != 0 || ask(6.2831853, 0) != 0 || guard.lost;
  wrong += ask(1, 0.125) != 1 || u[0] != (controller_real)-6.25;
  wrong += ask(0, 0.125) != 1 || u[0] != (controller_real)-6.25; /* it stays lost */
  controller_reset(&guard);
  wrong += ask(0, 1e30) != 1 || u[0] != -20; /* and beyond all numbers */
  controller_reset(&guard);
  wrong += controller_velocity_at((controller_real)0.07, 0, &guard, far, rest, u) != 1 || u[0] != (controller_real)-6.25;
  printf("%d\n", wrong);
  return wrong;
}
C
for law in costly costlysingle; do
  calls costly $law "beyond what was covered the fallback acts"
done
# without one that succeeded there is no bound, whatever is forced
sed 's/tolerance: 0.2/tolerance: 1e-9/' costly.yaml >uncovered.yaml
ends 1 run uncovered.yaml -o uncovered
ends 1 export uncovered --force
says "feedback.envelope_cost: found auto, whose bound is what a verification that succeeded has covered: the gains fail: 0 of 20 samples succeed"
fact "no controller is left" [ ! -e uncovered/controller.c ]
sed '/^verify/d' costly.yaml >unverified.yaml
ends 1 run unverified.yaml -o unverified
ends 1 export unverified --force
says "found auto, whose bound is what a verification that succeeded has covered: no verification is stored"

# --- rate limits: from what was given last, by steps and by times ---
standing ', rate_limit: 50' >slow.yaml
ends 0 run slow.yaml -o slow --json
json out "o['certificate']['controller'] == 0 and o['gains']['law'] == 'velocity, linear, rates limited'"
replays slow
ends 0 export slow -o slowall --all --single
replays slowall
fact "what it keeps is the caller's" [ -z "$(grep -E '^static [^(]*[;={]' slow/controller.c | grep -v '^static const')" ]
fact "rates are said" grep -q '^//   50 N a second of u\[0\]$' slow/controller.h
cat >slow.c <<'C'
#include "controller.h"
#include <math.h>
#include <stdio.h>
static const controller_real pi = (controller_real)3.14159265358979;
static controller_output last;
static controller_real u[1];
static const controller_real rest[2] = {0, 0};
static int differs(double want) { return !(fabs((double)u[0] - want) < 1e-5); }
int main(void) {
  const controller_real off[2] = {(controller_real)0.25, pi - (controller_real)0.3};
  const controller_real back[2] = {(controller_real)0.25, pi + (controller_real)0.3};
  const double h = 0.02, step = 50 * h;
  int k, wrong = 0;
  controller_start(&last);
  for (k = 0; k < 5; k++) { /* a step further at each call, either way */
    controller_velocity(k, &last, off, rest, u);
    wrong += differs(-step * (k + 1)) || !last.cut;
  }
  controller_velocity(5, &last, back, rest, u);
  wrong += differs(-4 * step);
  /* by time: what has passed since, at most a step; nothing at once */
  controller_velocity_at((controller_real)(5.25 * h), 0, &last, back, rest, u);
  wrong += differs(-3.75 * step);
  controller_velocity_at((controller_real)(5.25 * h), 0, &last, back, rest, u);
  wrong += differs(-3.75 * step);
  controller_velocity_at((controller_real)(20 * h), 0, &last, back, rest, u);
  wrong += differs(-2.75 * step);
  controller_velocity_at((controller_real)NAN, 0, &last, off, rest, u); /* as planned, no faster */
  wrong += differs(-1.75 * step);
  controller_start(&last);
  controller_velocity_at((controller_real)(20 * h), 0, &last, off, rest, u);
  wrong += differs(-step);
  printf("%d\n", wrong);
  return wrong;
}
C
for law in slow slowall; do
  calls slow $law "no input changes faster than it may"
done
# a glitch is left out by the gate, a turn is none, and what stays is believed
cat >glitch.c <<'C'
#include "controller.h"
#include <math.h>
#include <stdio.h>
int main(void) {
  controller_filter calm, off;
  double most = 0, late = 0;
  int k, again;
  controller_begin(&calm);
  controller_begin(&off);
  for (k = 0; k < 200; k++) {
    const controller_real x = (controller_real)(0.001 * sin(k)), pi = (controller_real)3.14159265358979;
    controller_real good[2] = {x, pi + x}, bad[2] = {x, pi + x}, u[1], v[1];
    if (k == 50) bad[1] += (controller_real)0.5;           /* one reading far off */
    if (k == 80) bad[1] += (controller_real)6.28318530718; /* a turn */
    controller_encoders(k, &calm, good, u);
    controller_encoders(k, &off, bad, v);
    if (fabs((double)(u[0] - v[0])) > most) most = fabs((double)(u[0] - v[0]));
  }
  for (again = 0; again < 200; again++) { /* the pole stays elsewhere */
    controller_real moved[2] = {0, (controller_real)3.34159265358979}, u[1];
    controller_encoders(199, &off, moved, u);
    late = fabs((double)off.z[1]);
  }
  printf("%.3g %.3g\n", most, late);
  return 0;
}
C
glitch() {
  cc -std=c99 -Wall -Wextra -Werror -pedantic -I"$1" glitch.c "$1/controller.c" -lm -o glitch 2>err && ./glitch >out 2>>err
  fact "$1: $2" awk "{exit !($2)}" out
}
for law in filter filtersingle; do glitch $law '$1 < 0.3 && $2 > 0.1'; done
fact "the gate is said" grep -q '^// A reading that is further from what the filter expects than 10 standard deviations' filter/controller.h
fact "and the angles that may turn" grep -q '^// Whole turns are no error of: pole.$' filter/controller.h
standing ', estimator: {gate: none, encoder: {slider: 1e-3, pole: 2e-3}, process: {slider: 2e-3, pole: 1e-3}}' >open.yaml
ends 0 run open.yaml -o open --json
json out "o['certificate']['controller'] == 0"
replays open
glitch open '$1 > 3'
fact "without a gate there is nothing to count" sh -c '! grep -q "int missed" open/controller.h'

# --- a disturbance that the filter estimates: taken off the input, in the tables and in the text ---
standing ', estimator: {disturbance: {time: 0.5, bound: 8}, encoder: {slider: 1e-3, pole: 2e-3}, process: {slider: 2e-3, pole: 1e-3}}' >acting.yaml
ends 0 run acting.yaml -o acting --json
json out "o['certificate']['controller'] == 0 and 0 < o['estimator']['final_std_disturbance']['slider'] < 0.5 and 'unseen_disturbance' not in o['estimator']"
replays acting
fact "gains and deviation of it have columns" grep -q ',L.d.slider.slider,L.d.slider.pole,std.*,std.d.slider$' acting/estimator.csv
fact "the caller keeps it" grep -q '^  controller_real z\[5\];$' acting/controller.h
fact "and is told so" grep -q '^// slider.$' acting/controller.h
fact "without one there is none" sh -c '! grep -q "^static const int disturbed" filter/controller.c'
fact "its bound is a table" grep -q '^static const controller_real d_max\[1\] = {8' acting/controller.c
ends 0 export acting -o actingsingle --single --all
replays actingsingle
for law in acting actingsingle; do
  # shellcheck disable=SC2086 # flags are words
  cc $warnings -c $law/controller.c -o controller.o 2>err && cc -std=c99 -O1 -fsanitize=undefined -fno-sanitize-recover=all '-DBESIDE=copy.z[4]' -I$law clock.c $law/controller.c -lm -o clock.out 2>>err && ./clock.out >out 2>>err
  fact "$law: by time, at knots and off them" [ $? = 0 ]
done
# what no encoder shows
standing ', estimator: {disturbance: {time: 0.5}, encoder: {pole: 1e-3}}' >adrift.yaml
ends 0 gains adrift.yaml -o adrift --json
json out "'unseen' in o['estimator'] or 'unseen_disturbance' in o['estimator']"

# --- a filter that predicts by the model's step: the text is the library's, and goes on by itself ---
bent() {
  standing ", estimator: {predict: map, encoder: {slider: 1e-3, pole: 2e-3}, process: {slider: 2e-3, pole: 1e-3}$1}"
}
bent '' >bent.yaml
ends 0 run bent.yaml -o bent --json
json out "o['certificate']['controller'] == 0"
replays bent
fact "it says so" grep -q '^// From there q + q_d and p + p_d go a step of the model' bent/controller.h
fact "nothing that changes, nothing taken" [ -z "$(grep -E '^static [^(]*[;={]' bent/controller.c | grep -v '^static const')$(sed 's,//.*,,; s, / r;,;,' bent/controller.c | grep -E 'malloc|alloca|/ |#include <')" ]
fact "without it there is none" sh -c '! grep -q "residual" filter/controller.c'
ends 0 export bent -o bentsingle --single --all
replays bentsingle
bent ', disturbance: {time: 0.5}' >bentacting.yaml
ends 0 run bentacting.yaml -o bentacting --json
json out "o['certificate']['controller'] == 0"
replays bentacting

# the cart is not to be seen in the pole
standing ', estimator: {encoder: {pole: 1e-3}}' >blind.yaml
ends 0 gains blind.yaml -o blind --json
says 'warning: no encoder shows the position of slider, which does not decay'
json out "o['estimator']['unseen'] == 'slider'"
cat >twins.yaml <<'YAML'
model:
  bodies:
    - {name: a, joints: [ry], mass: 1, centre: [0, 0, -0.5]}
    - {name: b, joints: [ry], mass: 1, centre: [0, 0, -0.5]}
inputs:   [{joint: a, effort: 6}, {joint: b, effort: 6}]
balance:  {q: pi, steps: 100, time: 2}
feedback: {estimator: {encoder: {a: 1e-3}}}
YAML
ends 0 gains twins.yaml -o twins --json
json out "o['estimator']['unseen'] == 'b'"
standing ', estimator: {encoder: {slider: 1e-3}}' >sighted.yaml
ends 0 gains sighted.yaml -o sighted --json
json out "'unseen' not in o['estimator']"
# what was verified without a filter is no word on one with it
ends 0 run rest.yaml -o swapped
standing ', estimator: {encoder: 1e-3, process: 1e-3}' >rest.yaml
ends 1 export swapped --now
says 'another law was verified (velocity, linear)'

# --- what holds, and what does not ---
sed 's/measure: positions/measure: positions, momentum: exact/' hoist.yaml >hoistmap.yaml
ends 1 run hoistmap.yaml -o unmapped
says 'no controller: feedback.momentum: exact: p of this robot cannot be computed on board: it has constraints'
fact "none is written" [ ! -e unmapped/controller.c ]
ends 2 export unmapped --force
says 'cannot be computed on board: it has constraints, along which p is not M(q) v (constraint '
says '); use linear, or measure: velocity'
problem '' | sed '/^verify/d' >bare.yaml
ends 1 run bare.yaml -o bare
says 'no controller: no verification is stored'
ends 1 export bare
says "no controller: no verification is stored; add 'verify: {samples: 100}' to the problem; --force"
fact "none is written" [ ! -e bare/controller.c ]
ends 0 export bare --force
replays bare
problem '' | sed 's/samples: 20/samples: 20, tolerance: 1e-9/' >loose.yaml
ends 1 run loose.yaml -o loose
fact "gains that do not hold are not exported" [ ! -e loose/controller.c ]
ends 1 export loose
says 'no controller: the gains fail: [0-9]* of 20 samples succeed, at least 90 % are required; --force'
ends 1 export loose.yaml -o loose
ends 0 export loose.yaml -o loose --force
fact "but for --force" [ -s loose/controller.c ]
# numbers beyond what single precision has; and a loop that does not get far has a trace up to there
problem '' >wild.yaml
echo 'inputs: [{joint: slider, effort: none}]' >>wild.yaml
ends 0 run wild.yaml -o wild
loosen wild
sed -i 's/^3,\([^,]*\),[^,]*/3,\1,1e300/' wild/gains.csv
ends 1 export wild --single --force
says 'a number of the law overflows single precision'
sed -i 's/^3,\([^,]*\),[^,]*,[^,]*/3,\1,1e308,-1e308/' wild/gains.csv
ends 0 export wild --force
fact "a trace of some rows" [ "$(grep -c '^[0-9]' wild/controller_trace.csv)" = 3 ]
replays wild
# new gains put an old controller away; what was verified must be what is exported
ends 0 gains velocity
fact "no old controller beside new gains" [ -z "$(ls velocity/controller* 2>/dev/null)" ]
json velocity/result.json "'controller' not in o and 'controller' not in o['certificate']"
ends 0 verify velocity
ends 0 export velocity
problem ', measure: state' >velocity.yaml
ends 1 export velocity --now
says 'another law was verified (velocity, linear)'
# what was verified is what is exported
ends 0 run rest.yaml -o changed
fact "a filter of a place of rest" [ -s changed/controller.c ]
sed -i 's/effort: 20/effort: 15/' rest.yaml
cp -r changed before
ends 1 export changed --now
says 'no controller: the problem has changed since it was verified; run dmoc verify again; --force'
fact "what was exported and verified stays as it was" diff -r before changed
ends 0 verify changed --now
ends 0 export changed
# gains that do not hold, or that there are none of, leave no controller behind
sed -i 's/tolerance: 0.2/tolerance: 1e-9/' rest.yaml
ends 1 verify changed --now
fact "an old controller does not outlive its gains' failure" [ -z "$(ls changed/controller* 2>/dev/null)" ]
json changed/result.json "'controller' not in o and 'controller' not in o['certificate']"
ends 0 export changed --force
sed -i 's/{q: 10, p: 1}/{q: 0, p: 0}/' rest.yaml
rm -r before && cp -r changed before
for stage in verify gains; do
  ends 1 $stage changed --now
  says 'no gains: '
  fact "$stage without gains leaves those that there are" diff -r before changed
done
ends 1 run rest.yaml -o changed
says 'changed has a result that came further'
fact "so does the whole way" diff -r -x unfinished before changed
json changed/unfinished/result.json "o['gains']['status'] == 'failed' and 'controller' not in o and 'verify' not in o"
# one step says nothing of all times: by positions it has no momentum yet
standing ', measure: positions' | sed 's/steps: 250, time: 5/steps: 1, time: 0.02/' >brief.yaml
ends 0 run brief.yaml -o brief
fact "one step is not for all times" sh -c '! grep -q "for all times" brief/controller.h'

# --- three laws in one program, each under its own name ---
named=
for law in arm:state leg:velocity filter:filter; do
  own=${law%:*} from=${law#*:}
  cp -r "$from" "$own-folder"
  ends 0 export "$own-folder" --prefix "$own"
  json "$own-folder/result.json" "o['controller']['prefix'] == '$own' and o['certificate']['controller'] == 0"
  json "$own-folder/result.json" "all('${own}' + end in o['files'] for end in ('.c', '.h', '_trace.csv', '_replay.c'))"
  json "$own-folder/result.json" "not any(f.startswith('controller') for f in o['files'])"
  fact "$own: no file of the old name" sh -c "! ls $own-folder/controller* 2>/dev/null"
  fact "$own: no word of the old name" sh -c "! cat $own-folder/$own.? | grep -v '^// -- ' | grep -iE '\\bcontroller(_|\\.[ch])'"
  fact "$own: its trace is described" grep -q "^${own}_trace.csv$" "$own-folder/columns.txt"
  # shellcheck disable=SC2086 # flags are words
  fact "$own: it compiles" cc $warnings -c "$own-folder/$own.c" -o "$own.o"
  fact "$own: its replay does" cc -std=c99 -Wall -Werror "$own-folder/${own}_replay.c" "$own.o" -o "$own-replay"
  fact "$own: bit for bit" "./$own-replay" "$own-folder/${own}_trace.csv"
  named="$named -I$own-folder $own.o"
done
cat >together.c <<'C'
#include "arm.h"
#include "filter.h"
#include "leg.h"
int main(void) {
  const arm_real a[2] = {0, 3}, b[2] = {0, 0};
  arm_real u[ARM_NU];
  leg_real v[LEG_NU];
  filter_real w[FILTER_NU];
  filter_filter z;
  filter_begin(&z);
  filter_encoders(0, &z, a, w);
  arm_state(0, a, b, u);
  leg_velocity_at(0, 0, a, b, v);
  return !(u[0] == u[0] && v[0] == v[0] && w[0] == w[0]);
}
C
# shellcheck disable=SC2086 # words
fact "three in one program" cc -std=c99 -Wall -Wextra -Werror together.c $named -o together
fact "which runs" ./together
ends 0 export arm-folder --prefix hand
fact "one name at a time" [ ! -e arm-folder/arm.c ]
ends 0 gains arm-folder -o copy
fact "other gains have no controller" [ ! -e copy/hand.c ]
ends 0 export arm-folder
fact "and back" sh -c '[ ! -e arm-folder/hand.c ] && cmp arm-folder/controller.c state/controller.c'
for own in 9lives ../arm a/b law G a-b math; do
  ends 2 export arm-folder --prefix "$own"
  says "prefix: found '$own'"
done

# --- a formula alone, without solving anything ---
sed 's/^model: {/&forces: [{name: air, body: pole, formula: "-0.1 norm(velocity, 0.1) velocity"}, \
{name: push, body: pole, formula: [v.slider, 2, 0]}], /' state.yaml >wall.yaml
echo 'outputs: [{name: exp, formula: exp(-q.pole) v.slider}, {name: floor, formula: q.pole + 1}]' >>wall.yaml
ends 0 export wall.yaml --formula exp -o c
fact "its name is none of C" grep -q '^double f_exp_gradient(const double x\[2\], double by_x\[2\]);$' c/f_exp.h
ends 0 export wall.yaml --formula floor -o c
ends 0 export wall.yaml --formula air -o c
ends 0 export wall.yaml --formula push -o c
says 'push, the force along y of the world is constant: it has no file'
fact "a constant has no file" [ ! -e c/push_2.c ]
for own in f_exp f_floor air_1 air_3 push_1; do
  fact "$own.c compiles" cc -std=c99 -pedantic -Wall -Wextra -Wconversion -Werror -c c/$own.c -o c/$own.o
done
ends 2 export wall.yaml --formula airs -o nothing
says "formula: found 'airs', expected one of exp, floor, air, push"
fact "no folder comes of it" [ ! -e nothing ]
mkdir strange && echo keep >kept.c && ln -s ../kept.c strange/f_exp.h
ends 2 export wall.yaml --formula exp -o strange
fact "no link is followed" [ "$(cat kept.c)" = keep ]
ends 2 export wall.yaml --formula exp --single -o c
says 'found --single beside --formula'

# --- folders that cannot be read ---
python3 - <<'PYTHON'
import json
o = json.load(open('state/result.json'))
o['certificate'], o['verify'], o['gains'], o['replaced'] = [], 'x', 3, [1]
json.dump(o, open('state/odd.json', 'w'))
PYTHON
cp -r state odd && mv odd/odd.json odd/result.json
ends 1 export odd
says 'no controller: no verification is stored'
ends 0 gains odd
ends 0 export odd --force
json odd/result.json "o['certificate']['controller'] == 0"
if [ "$(id -u)" != 0 ]; then
  chmod 000 odd/result.json
  ends 2 export odd
  says 'odd/result.json cannot be read: Permission denied'
  chmod 644 odd/result.json
fi
mkdir loop && ln -s result.json loop/result.json
ends 2 export loop
says 'loop/result.json cannot be read: '
rm -r cut 2>/dev/null
mkdir cut
ends 2 export cut
says 'cut is a folder without result.json'
cp state/result.json cut/
ends 2 export cut
says 'cut/trajectory.csv'
cp state/trajectory.csv cut/
loosen cut
head -n 20 state/gains.csv >cut/gains.csv
ends 2 export cut
says 'cut/gains.csv: [0-9]* rows, expected 100'
plain cut long.csv off.csv
exit $failed
