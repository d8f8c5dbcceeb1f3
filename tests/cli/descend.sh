#!/bin/sh
# dmoc descend as a user meets it: options, tables, folders and what follows on them, refusals.
#   descend.sh DMOC SOURCE
. "$(dirname "$0")/facts.sh"
rows() { grep -c "^$2," "$1/descent.csv"; }

cp -r "$source/problems/cart-pole" "$source/problems/pendulum" "$source/problems/marionette" .
paper=pendulum/paper-001.yaml
sed -i '/^feedback\|^verify/d' $paper # which some of these do without, and others have anew

# --- words ---
ends 2 descend $paper --method steep
says "takes one of steepest, bb, cg, lbfgs, quasi, paper, ddp, shift, trust, newton, all, got 'steep'; did you mean 'steepest'"
ends 2 descend $paper --kkt cholmd
says "takes one of riccati, cholmod, got 'cholmd'; did you mean 'cholmod'"
for n in -1 x 1.5 ''; do
  ends 2 descend $paper "--quasi=$n"
  says "^dmoc: --quasi: solver.quasi: found \('$n'\|nothing\), expected an integer in \[0, 1e6\]"
done
ends 2 descend $paper --method newton,
says "takes one of .*, got ''"
ends 2 optimize $paper --projection open
says "optimize has no option '--projection'"
fact "nothing is written by a failing command" [ -z "$(find results -type f 2>/dev/null)" ]

# --- what is not taken is refused with the reason ---
ends 2 descend cart-pole/minimum-time.yaml --kkt cholmod
says 'the sparse system cannot have a free final time'
sed 's/^start:.*/start: {q: 0}/' $paper >pendulum/moving.yaml
ends 2 descend pendulum/moving.yaml --kkt cholmod
says 'needs a whole start, and pivot is free there'
sed 's/^inputs:.*/inputs: []/' $paper >pendulum/idle.yaml
ends 2 descend pendulum/idle.yaml
says 'found no input, expected one for a descent'
sed 's/^guess:.*/guess: {rollout: {u: 1e200}}/' $paper >pendulum/vast.yaml
ends 1 descend pendulum/vast.yaml
says 'the descent cannot begin: no step from knot 0: Newton left a residual of 1e+199 in pivot'
sed '/^goal\|^cost\|^feedback\|^verify\|^guess\|^start\|^horizon/d' pendulum/swing-up.yaml >pendulum/swing.yaml
echo 'simulate: {steps: 20, step: 0.01, start: {q: 1}}' >>pendulum/swing.yaml
ends 2 descend pendulum/swing.yaml
says 'has no goal and no cost'
cp -r "$source/problems/two-link" .
for file in swing-up elbow-penalty; do
  ends 2 descend two-link/$file.yaml -o second
  says "two-link/$file.yaml:[0-9]*:1: descent cannot solve a second-order transcription; use 'dmoc optimize'"
done

# what else it cannot have is named by the line that asks for it
while IFS='|' read -r more message; do
  cp pendulum/swing-up.yaml pendulum/unfit.yaml
  printf '%s\n' "$more" >>pendulum/unfit.yaml
  ends 2 descend pendulum/unfit.yaml -o second
  says "unfit.yaml:$(wc -l <pendulum/unfit.yaml):1: .*$message"
done <<'ROWS'
via: [{from: 0, to: 20 %, u: {pivot: [-1, 1]}}]|a descent cannot have limits of inputs over an interval
ROWS
for file in eight:path tool:bounds.outputs; do
  problem=$source/problems/six-axis-arm/${file%:*}.yaml
  line=$(grep -n "^path\|^bounds" "$problem" | head -n 1 | cut -d: -f1)
  ends 2 descend "$problem" -o second
  says "${file%:*}.yaml:$line:[0-9]*: a descent cannot have"
done
ends 2 descend "$source/problems/periodic/oscillator.yaml" -o second
says 'oscillator.yaml:11:11: goal: found a periodic motion, expected one with an end of its own'
fact "nothing is written by a refusal" [ -z "$(ls second 2>/dev/null)" ]
ends 2 descend pendulum/bounded.yaml --kkt cholmod
says 'the sparse system cannot have bounds, and input pivot has them'
sed 's/steps: 100, time: 10/steps: 3, time: 10/' pendulum/bounded.yaml >pendulum/coarse.yaml
echo 'solver: {max_iter: 50}' >>pendulum/coarse.yaml
ends 1 descend pendulum/coarse.yaml -o coarse --json
json out "o['status'] in ('iteration_limit', 'infeasible', 'stalled', 'solved', 'coarse')"
sed 's/effort: 3/effort: 0.05/' pendulum/bounded.yaml >pendulum/weak.yaml
ends 1 descend pendulum/weak.yaml -o weak --json
json out "o['status'] == 'infeasible' and o['at_limits'][0]['name'] == 'pivot'"
says 'newton: infeasible: .*; pivot is at its limit of +-0.05 N m in [0-9]* of 100 steps: allow more effort'

# --- all methods, one folder ---
ends 0 descend $paper --method steepest,quasi,newton --quasi 4 -o all
fact "a long table is cut short" grep -q '(6[0-9][0-9] more: descent.csv)' out
fact "its columns have names" grep -q 'iteration  direction  *cost  *-slope  *step  *goal  *ms' out
json all/result.json "o['status'] == 'solved' and o['method'] == 'newton' and o['kkt'] == 'riccati'"
json all/result.json "set(o['methods']) == {'steepest', 'quasi', 'newton'}"
for k in status iterations objective slope goal_error cut fell_back time_s; do
  json all/result.json "all('$k' in m for m in o['methods'].values())"
done
json all/result.json "o['methods']['newton']['iterations'] <= 17 and o['methods']['newton']['fell_back']['quasi'] > 0"
for m in steepest quasi newton; do
  json all/result.json "o['methods']['$m']['iterations'] + 1 == $(rows all $m)"
done
fact "the columns of descent.csv" grep -q '^method,iteration,direction,cost,merit,slope,step,goal,cut,least,damping,tried,time$' all/descent.csv
fact "the first four are quasi's" [ "$(grep -c '^newton,[0-3],quasi,' all/descent.csv)" = 4 ]
ends 0 descend $paper -o again --json --quiet
fact "--quiet says nothing on stderr" [ ! -s err ]
json out "o['iterations'] <= 12 and list(o['methods']) == ['newton']"
for x in 0 -1 nan some; do
  ends 2 descend $paper "--tol=$x"
  says "^dmoc: --tol: solver.slope: found '$x', expected a number > 0"
done
ends 0 descend $paper -o loose --tol 10 --json
json out "-10 <= o['methods']['newton']['slope'] < -1e-6"
ends 0 descend $paper -o warm --from again --json
json out "o['iterations'] <= 1"

# --- the same by the other solver ---
if "$dmoc" descend $paper --kkt cholmod -o sparse --json >out 2>err </dev/null; then
  json out "o['kkt'] == 'cholmod'"
  json out "o['iterations'] == $(value again/result.json "o['iterations']")"
else
  says 'this build has no such part'
fi

# --- from rest where all is zero, along a line that moves at once ---
cp -r "$source/problems/series-elastic" .
ends 0 descend series-elastic/lift.yaml -o lift --json
json out "o['status'] == 'solved' and o['methods']['newton']['goal_error'] <= 1e-8"

# --- what follows on a folder ---
echo 'feedback: {Q: {q: 10, p: 1}, R: 1, Qf: riccati}' >>$paper
echo 'verify: {samples: 20, seed: 1, spread: {q: 0.05, v: 0.05}, tolerance: 0.05, start: {q: 1, plant: discrete}}' >>$paper
ends 0 descend $paper -o way
ends 0 gains way --json
json out "o['gains']['status'] == 'done' and o['methods']['newton']['status'] == 'solved'"
ends 0 verify way --json
json out "o['verify']['held'] == o['verify']['samples']"
ends 0 plot way --what error -o error.svg
json error.svg "len(o['exhibits'][0]['reference']['pivot']) > 10 and o['exhibits'][0]['start_plant'] == 'discrete'"
ends 0 linearize way --knot 3
ends 0 descend $paper -o way
for f in gains verify linearization; do
  fact "a new motion puts $f.csv away" [ ! -e way/$f.csv ]
done
if can_draw; then
  drawn all --what descent -o descent.svg
  fact "three curves in each of four panels" [ "$(grep -c '>newton<\|>quasi<\|>steepest<' descent.svg)" = 12 ]
fi
ends 0 plot way -o way.svg
cp -r all cut
loosen cut
sed -i 's/^newton,3,.*/newton,3,newtn,1/' cut/descent.csv
ends 2 plot cut --what descent -o cut.svg
says 'cut/descent.csv:[0-9]*: expected 13 numbers'
rm -r cut

# --- limits, interrupts ---
sed 's/^solver:.*/solver: {max_iter: 5, pace: 1}/' $paper >pendulum/five.yaml
ends 1 descend pendulum/five.yaml -o five
says 'newton: iteration_limit'
json five/result.json "o['status'] == 'iteration_limit' and o['iterations'] == 5 and o['certificate']['step'] < 1e-8"
sed 's/steps: 100/steps: 20000/' $paper >pendulum/long.yaml
: >err
"$dmoc" descend pendulum/long.yaml --method steepest -o long >out 2>err </dev/null &
i=0
while [ ! -s err ] && [ $i -lt 300 ]; do sleep 0.1 && i=$((i + 1)); done
kill -INT $!
wait $!
fact "an interrupt ends with 1" [ $? = 1 ]
says 'interrupted: the last motion is written'
json long/result.json "o['status'] == 'interrupted' and o['methods']['steepest']['iterations'] >= 1"
fact "the motion is written" [ "$(grep -c '^[0-9]' long/trajectory.csv)" = 20001 ]
# before the first descent begins, while the guess of many steps is rolled: there is nothing to keep
sed 's/steps: 100/steps: 200000/' $paper >pendulum/longer.yaml
"$dmoc" descend pendulum/longer.yaml --method all -o early >out 2>err </dev/null &
i=0
while [ ! -d early ] && [ $i -lt 300 ]; do sleep 0.01 && i=$((i + 1)); done
kill -INT $!
wait $!
fact "an early interrupt ends with 1" [ $? = 1 ]
says 'interrupted'
fact "and leaves nothing" [ ! -e early ]
# --- a start that stood still has whole impulses from the first step on; one with v: 0 half of the first ---
# hang START COMMAND: a load that hangs below its crane and is to stay there
hang() {
  hoist '' ''
  sed -i '/^simulate\|^feedback\|^verify/d' hoist.yaml
  echo "horizon: {steps: 10, time: 0.5}" >>hoist.yaml
  echo "start: {q: {x: 0, z: -1, hook: 0}, $1}" >>hoist.yaml
  echo "cost: {state: {q: {x: 1}, v: {hook: 1}}}" >>hoist.yaml
  ends 0 "$2" hoist.yaml -o hang
}
# impulses RATIO: the first over those that follow, which are all alike
impulses() {
  fact "the first impulse is $1 of the others" python3 - "$1" hang/trajectory.csv <<'PYTHON'
import csv, sys
l = [float(r["lambda.string"]) for r in csv.DictReader(open(sys.argv[2])) if r["lambda.string"]]
sys.exit(not (l[1] > 0.1 and abs(l[0] / l[1] - float(sys.argv[1])) < 1e-9 and all(abs(x - l[1]) < 1e-9 for x in l[1:])))
PYTHON
}
for command in descend optimize; do
  "$dmoc" optimize $paper -o none >out 2>err </dev/null
  grep -q 'no IPOPT' err && [ $command = optimize ] && continue
  hang 'held: true' $command
  impulses 1
  hang 'v: 0' $command
  impulses 0.5
done

# --- a comparison goes on with more iterations: runs that ended at the former limit are run again, solved ones are kept ---
compare() { ends "$2" descend pendulum/bounded.yaml --compare --method newton --starts "$1" --max-iter "$3" -o compared --json; }
compare 2 0 40
json out "o['compare']['reused'] == 0"
compare 2 0 60
json out "o['compare']['reused'] == 0"
compare 3 0 60
json out "o['compare']['reused'] == 1"
fact 'no run ended at a limit' sh -c '! grep -q iteration_limit compared/compare.csv'

plain marionette two-link
exit $failed
