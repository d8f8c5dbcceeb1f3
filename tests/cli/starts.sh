#!/bin/sh
# Searches from many guesses, and the error of a grid, as a user meets them.
#   starts.sh DMOC SOURCE
. "$(dirname "$0")/facts.sh"

cp "$source/problems/cart-pole/cart-pole.urdf" .
# the cart-pole told to turn to pi, which costs 41.30 on 100 steps; to -pi it is 29.49 or less
task() {
  cat <<YAML
model:    {urdf: cart-pole.urdf, gravity: [0, 0, -9.81]}
inputs:   [{joint: slider, effort: 20}]
horizon:  {steps: 60, time: 2${2-}}
start:    {q: {slider: 0, pole: 0}, v: 0}
goal:     {q: {slider: 1, pole: pi}, v: 0}
bounds:   {q: {slider: [-2, 2]}}
cost:     {input: 1}
${1-}
YAML
}

# --- one guess, as ever, and a word that another turn costs less ---
task >one.yaml
ends 0 optimize one.yaml -o one
says "a motion that ends at the same place costs less"
json one/result.json "40 < o['objective'] < 43 and 'starts' not in o and 'replaced' not in o"
fact "no table of optima" [ ! -e one/optima.csv ]
task 'starts: 1' >alone.yaml
ends 0 optimize alone.yaml -o alone
fact "starts: 1 asks for no more" sh -c '! grep -q "costs less" err'

# --- the better turn, by 1 and by 3 threads ---
task 'starts: auto' >auto.yaml
ends 0 optimize auto.yaml -o by-1 --threads 1
json by-1/result.json "o['objective'] < 30 and o['starts']['turns'] == {'slider': 0, 'pole': -1}"
json by-1/result.json "0 < o['starts']['better'] < 1 and o['starts']['returned'] >= 1"
ends 0 optimize auto.yaml -o by-3 --threads 3
fact "the same optima" cmp by-1/optima.csv by-3/optima.csv
fact "the same motion" cmp by-1/trajectory.csv by-3/trajectory.csv
ends 0 optimize one.yaml --starts auto -o option
fact "the option does what the file does" cmp by-1/optima.csv option/optima.csv

# --- the search from the own guess is one of the candidates: no number of searches is worse than none ---
ends 0 optimize "$source/problems/acrobot/swing-up.yaml" --starts 5 -o acrobot
json acrobot/result.json "o['objective'] < 7.7052 and o['starts']['searches'] >= 5"
fact "it is the best of these optima" grep -q '^1,[^,]*,[^,]*,0,0,0,own,' acrobot/optima.csv
ends 0 optimize "$source/problems/pendubot/swing-up.yaml" --starts 5 -o pendubot
json pendubot/result.json "o['objective'] < 36.22"

# --- Newton's method on motions finds what the solver does not; no search is made unless it is asked for ---
ends 0 optimize "$source/problems/cart-pole/swing-up.yaml" -o plain
json plain/result.json "abs(o['objective'] - 29.494937) < 1e-6 and 'starts' not in o"
for row in cart-pole/swing-up:29.08 four-bar/turn:0.85; do
  ends 0 optimize "$source/problems/${row%:*}.yaml" --starts 4 -o descent
  json descent/result.json "o['objective'] < ${row#*:}"
  fact "by descent" grep -q '^1,.*,descent,' descent/optima.csv
done

# --- a guess that leads to no motion: others are searched for as long again, alike by all threads ---
ends 0 optimize "$source/problems/cart-pole/paper-001.yaml" -o again-1 --threads 1
json again-1/result.json "o['objective'] < 93431 and o['starts']['searches'] > 16"
fact "the first success is one of the optima" grep -q '^[0-9]*,.*,0,own,' again-1/optima.csv
ends 0 optimize "$source/problems/cart-pole/paper-001.yaml" -o again-3 --threads 3
fact "the same optima" cmp again-1/optima.csv again-3/optima.csv
fact "the same motion" cmp again-1/trajectory.csv again-3/trajectory.csv
ends 0 optimize "$source/problems/cart-pole/paper-001.yaml" --starts 1 -o first
json first/result.json "o['objective'] > 94000 and o['guesses'] > 1 and 'starts' not in o"

# --- on a grid that is too coarse to rank, the best are compared on finer ones ---
cp "$source/problems/acrobot/acrobot.urdf" "$source/problems/acrobot/guess.csv" .
sed 's/steps: 100/steps: 60/' "$source/problems/acrobot/swing-up.yaml" >coarse.yaml
ends 0 optimize coarse.yaml --starts 40 -o coarse
json coarse/result.json "o['steps'] > 60 and o['refined']['doublings'] >= 1 and o['objective'] < 8.307"

# --- in limited time, and interrupted ---
task 'starts: {count: 1000000, returns: 1000000}
solver: {max_time: 1}' >limited.yaml
ends 0 optimize limited.yaml -o limited
json limited/result.json "o['status'] == 'solved' and o['objective'] < 30 and not o['starts']['enough']"
"$dmoc" optimize "$source/problems/acrobot/swing-up.yaml" --starts 1000000 -o cut >out 2>err </dev/null &
pid=$!
for i in $(seq 100); do grep -q searches err && break; sleep 0.3; done
kill -INT $pid
wait $pid
fact "a solution that there is makes it end well" [ $? = 0 ]
says "interrupted after [0-9]* searches: the motion is that of the problem's own guess"
json cut/result.json "o['status'] == 'solved' and o['objective'] < 7.7052"

# its goal goes with the folder: gains and samples are of the turn that was taken
printf 'feedback: {Q: {q: 100, p: 1}, R: 1, Qf: riccati}\nverify: {samples: 5, spread: {q: 0.01, v: 0.01}, tolerance: 0.05}\n' >>auto.yaml
ends 0 run auto.yaml -o whole
json whole/result.json "o['verify']['discrete']['rate'] == 1"
ends 0 gains whole
ends 0 verify whole
json whole/result.json "abs(float(o['replaced']['goal.q.pole']) + 3.14159265358979) < 1e-12"
ends 0 plot whole --what columns --table optima.csv --x optimum --y objective -o optima.svg
task 'starts: {count: 40, turns: [0], seed: 3}' >own.yaml
ends 0 optimize own.yaml -o own
json own/result.json "o['starts']['goals'] == 1 and o['starts']['searches'] <= 40 and 40 < o['objective'] < 43"

# --- what is refused, and where ---
refuses() {
  task "$1" >bad.yaml
  ends 2 optimize bad.yaml -o bad
  says "^dmoc: bad.yaml:8:.*$2"
}
refuses 'starts: many' "expected a number"
refuses 'starts: 0' "expected"
refuses 'starts: 2.5' "expected auto, a whole number, or a section"
refuses 'starts: [1, 2]' "found a list"
refuses 'starts: -3' "expected"
refuses 'starts: 1e9' "expected"
refuses 'starts: {count: 0}' "starts.count"
refuses 'starts: {turns: 1}' "expected a list of 1 to 16 whole numbers"
refuses 'starts: {turns: []}' "expected a list"
refuses 'starts: {turns: [0.5]}' "found 0.5, expected whole numbers"
refuses 'starts: {turns: [1, 1]}' "found 1 twice"
refuses 'starts: {turns: [nan]}' "expected"
refuses 'starts: {seeds: 1}' "unknown key 'seeds'"
refuses 'starts: {steps: 0}' "starts.steps"
refuses 'starts: {returns: 0}' "starts.returns"
ends 2 optimize one.yaml --starts none -o bad
says "takes auto, or a whole number"
ends 2 optimize one.yaml --starts auto --threads 0 -o bad
says "takes a whole number, 1 to 256, got '0'"

# --- the error of the grid ---
json one/result.json "o['accuracy']['steps'] == 30 and 0 < o['accuracy']['relative'] < 0.02"
task 'starts: 1' ', error: 5e-4' >fine.yaml
ends 0 optimize fine.yaml -o fine
json fine/result.json "o['steps'] > 60 and o['accuracy']['relative'] < 5e-4 and o['refined']['doublings'] >= 1"
# where errors fall with the square of the step, in one go, and with 100 steps fewer it would not have done
task 'starts: 1' ', error: 1e-4' | sed 's/steps: 60/steps: 100/' >once.yaml
ends 0 optimize once.yaml -o once
json once/result.json "o['refined']['doublings'] == 1 and 0.95e-4 < o['accuracy']['relative'] * (o['steps'] / (o['steps'] - 100)) ** 2 < 1.6e-4"
fact "both agree on continuous time" python3 -c '
import json
a, b = (json.load(open(f + "/result.json")) for f in ("alone", "fine"))
far = abs(a["accuracy"]["objective"] - b["accuracy"]["objective"])
import sys; sys.exit(not far < 0.1 * a["accuracy"]["objective_error"])'
task 'starts: 1' ', error: 1e-9, refine: 1' >never.yaml
ends 1 optimize never.yaml -o never
says "coarse: the objective has an error of [0-9.e-]* of itself"
json never/result.json "o['status'] == 'coarse'"
task 'starts: 1' ', error: 2' >bad.yaml
ends 2 optimize bad.yaml -o bad
says "bad.yaml:3:.*horizon.error"
plain
exit $failed
