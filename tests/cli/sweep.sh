#!/bin/sh
# dmoc sweep as a user meets it: grids and starts, what is refused, what is computed again and what not.
#   sweep.sh DMOC SOURCE
. "$(dirname "$0")/facts.sh"
cp -r "$source/problems/cart-pole" "$source/problems/pendulum" .
problem=cart-pole/swing-up.yaml
rows() { grep -c '^[0-9]' "$1/sweep.csv"; }
cells() { cut -d, -f"$2" "$1/sweep.csv"; }

# --- words ---
ends 2 sweep $problem
says 'a sweep needs --vary KEY=VALUES or --starts N'
for word in horizon.time horizon.time= =1 ; do
  ends 2 sweep $problem --vary "$word"
  says "takes a key and its values, horizon.time=1:3:5 or cost.input=1,2, got '$word'"
done
for values in 1:2 1:x:3 1:2:0 1:2:3:4 1:2:1e9; do
  ends 2 sweep $problem --vary "horizon.time=$values"
  says "horizon.time=$values: expected from:to:count"
done
ends 2 sweep $problem --vary cost.input=1,,2
says 'found an empty value'
ends 2 sweep $problem --vary cost.input=1,2,1
says "cost.input=1,2,1: found '1' twice"
ends 2 sweep $problem --vary cost.input=1:1:3
says 'cost.input=1:1:3: found 3 times the same value'
ends 2 sweep $problem --vary cost.input=1 --vary cost.input=2
says 'cost.input is varied twice'
ends 2 sweep $problem --vary cost.input=1:2:1001 --vary horizon.time=1:2:1000
says 'found more than 1000000 cases'
for n in 0 x 1.5 ''; do
  ends 2 sweep $problem "--starts=$n"
  says "starts takes a whole number, 1 to 1000000, got '$n'"
done
ends 2 sweep $problem --starts 2 --wander -1
says "wander takes a number above 0, got '-1'"
ends 2 sweep cart-pole --starts 2
says 'cart-pole is a folder'

# --- a value that cannot be: its place in the file, and its case ---
ends 2 sweep $problem --vary horizon.tme=1,2
says "case 0 (horizon.tme = 1): $problem:4:[0-9]*: horizon: found the unknown key 'tme'.* did you mean 'time'"
ends 2 sweep $problem --vary horizon.times=1,2
says "horizon: found the unknown key 'times'.* did you mean 'time'"
ends 2 sweep $problem --vary horizon.time=1:-1:3
says "case 1 (horizon.time = 0): $problem:[0-9:]*: horizon.time: found '0', expected a number > 0"
ends 2 sweep $problem --vary start.v.pole=1
says "start.v.pole: found '0' at start.v, expected a mapping to vary 'pole' in"
ends 2 sweep $problem --vary start.q.pol=1
says "did you mean 'pole'"
cp -r "$source/problems/series-elastic" .
ends 2 sweep series-elastic/lift.yaml --vary model.springs.9.stiffness=1
says "model.springs.9.stiffness: found '9', expected a place in a list of [0-9]*, from 0"
for at in -1 +0 x 99999999999999999999; do
  ends 2 sweep $problem --vary "bounds.q.slider.$at=1"
  says "bounds.q.slider.$at: found '$at', expected a place in a list of 2, from 0"
done
ends 2 sweep $problem --vary horizon..time=1
says "case 0 (horizon..time = 1): $problem:4:[0-9]*: horizon: found the unknown key ''"
fact "nothing is written by what is refused" [ ! -e results ]

# --- without IPOPT the rest stops here ---
"$dmoc" optimize $problem -o none >out 2>err </dev/null
if grep -q 'no IPOPT' err; then
  echo "skipped: all that optimizes (built without IPOPT)"
  exit $failed
fi

# --- a grid: the same as its problems one by one ---
ends 0 sweep $problem --vary horizon.time=1.8:2.2:3 --vary cost.input=1,2 -o grid
fact "the columns" grep -q '^case,horizon.time,cost.input,start,status,objective,iterations,time,held,samples,key,steps,turn,joint,rank$' grid/sweep.csv
fact "a row a case" [ "$(rows grid)" = 6 ]
fact "no folders but on request" [ "$(ls grid)" = "$(printf 'finished.csv\nsweep.csv')" ]
sed 's/time: 2[.0]*/time: 2.2/; s/cost:.*/cost: {input: 2}/' $problem >cart-pole/one.yaml
ends 0 optimize cart-pole/one.yaml -o one
json one/result.json "o['objective'] == $(grep '^5,' grid/sweep.csv | cut -d, -f6)"

# --- on any number of processors: the same table but for times, the same folders ---
for k in 1 2 3; do
  ends 0 sweep $problem --vary horizon.time=1.8:2.2:5 --vary cost.input=1,2 --threads $k -o "by$k"
  cut -d, -f1-7,9- "by$k/sweep.csv" >"by$k.csv"
  ends 0 sweep $problem --vary horizon.time=1.9,2.1 --vary verify.samples=5 --run --keep --threads $k -o "kept$k"
done
for k in 2 3; do
  fact "the table of $k" cmp by1.csv "by$k.csv"
  fact "the cases of $k" [ "$(ls "kept$k")" = "$(ls kept1)" ]
  for case in $(cut -d, -f1 kept1/finished.csv | tail -n 2); do
    for file in trajectory.csv gains.csv verify.csv; do
      fact "$file of $k" cmp "kept1/$case/$file" "kept$k/$case/$file"
    done
  done
done
ends 2 sweep $problem --vary cost.input=1,2 --threads 0
says "takes a whole number, 1 to 256, got '0'"

# --- again: nothing is computed; a larger grid: what is new; another file: all ---
cp grid/sweep.csv before
ends 0 sweep $problem --vary horizon.time=1.8:2.2:3 --vary cost.input=1,2 -o grid --json
json out "o['status'] == 'done' and o['cases'] == 6 and o['computed'] == 0"
fact "the table is the same" cmp before grid/sweep.csv
ends 0 sweep $problem --vary cost.input=2,3 --vary horizon.time=2 -o grid --json
json out "o['cases'] == 2 and o['computed'] == 2"
ends 0 sweep $problem --vary horizon.time=1.8:2.2:3 --vary cost.input=2,4 -o grid --json
json out "o['cases'] == 6 and o['computed'] == 3"
echo '# other' >>$problem
ends 0 sweep $problem --vary horizon.time=2 -o grid --json
json out "o['computed'] == 1"

# --- a journal cut short, or broken: what is whole in it counts ---
ends 0 sweep $problem --vary horizon.time=1.8:2.2:5 -o cut
head -c -10 cut/finished.csv >short && cp short cut/finished.csv
sed -i '3s/solved,/solved,x/' cut/finished.csv
ends 0 sweep $problem --vary horizon.time=1.8:2.2:5 -o cut --json
json out "o['computed'] == 2"
ends 0 sweep $problem --vary horizon.time=1.8:2.2:5 -o cut --json
json out "o['computed'] == 0"

head -c -1 cut/finished.csv >short && cp short cut/finished.csv
ends 0 sweep $problem --vary horizon.time=1.8:2.2:5 -o cut --json
json out "o['computed'] == 1 and o['best']['case'] == 4"
sed 's/time: 2[.0]*/time: "x"/' $problem >cart-pole/quoted.yaml
ends 0 sweep cart-pole/quoted.yaml --vary horizon.time=2 --vary cost.input=0.03:0.31:2 -o quoted
fact "the last value is as it was given" grep -q '^1,2,0.31,' quoted/sweep.csv

# --- a case that cannot be had is not in the journal: another time it may be ---
ends 0 sweep $problem --vary horizon.time=2 --keep -o had
key=$(tail -n 1 had/finished.csv | cut -d, -f1)
rm -r had && mkdir had && echo 'in the way' >"had/$key"
ends 2 sweep $problem --vary horizon.time=2 --keep -o had
says "ended early: 0 of 1 cases are done\\|case 0"
rm "had/$key"
ends 0 sweep $problem --vary horizon.time=2 --keep -o had --json
json out "o['computed'] == 1"
# one that comes to nothing leaves the table there is
cp had/sweep.csv before
rm -r "had/$key" && echo 'in the way' >"had/$key"
ends 2 sweep $problem --vary horizon.time=2 --keep -o had
fact "the table is that of before" cmp before had/sweep.csv

# --- starts, kept folders, the whole way ---
ends 0 sweep pendulum/swing-up.yaml --starts 3 -o starts
cut -d, -f1-5,8- starts/sweep.csv >first
ends 0 sweep pendulum/swing-up.yaml --starts 3 -o starts2
cut -d, -f1-5,8- starts2/sweep.csv | cmp -s - first
fact "starts are the same again" [ $? = 0 ]
ends 0 sweep pendulum/swing-up.yaml --starts 3 --wander 0.4 -o starts2 --json
json out "o['computed'] == 2"
fact "and differ from each other" [ "$(grep '^[0-9]' starts/sweep.csv | cut -d, -f4 | sort -u | wc -l)" = 3 ]
ends 0 sweep $problem --vary horizon.time=1.9,2.1 --run --keep -o kept
fact "samples that held" [ "$(cells kept 8 | tail -n 2 | tr '\n' ' ')" = '200 200 ' ]
ends 0 sweep cart-pole/balance.yaml --vary feedback.R=1,2 --run -o rest --json
json out "o['solved'] == 2 and 'best' not in o"
key=$(tail -n 1 kept/sweep.csv | cut -d, -f10)
json "kept/$key/result.json" "o['replaced'] == {'horizon.time': '2.1'}"
cp "kept/$key/verify.csv" before
ends 0 verify "kept/$key"
fact "its folder knows its case" cmp before "kept/$key/verify.csv"
fact "without a word of changes" [ "$(grep -c changed err)" = 0 ]
mv cart-pole gone
ends 0 gains "kept/$key"
ends 0 verify "kept/$key"
fact "and needs no file but its own" cmp before "kept/$key/verify.csv"
mv gone cart-pole
rm -r "kept/$key"
ends 0 sweep $problem --vary horizon.time=1.9,2.1 --run --keep -o kept --json
json out "o['computed'] == 1"

# --- cases without a solution are rows; none solved is an outcome ---
ends 0 sweep $problem --vary solver.max_iter=2,500 -o limits
fact "a limit is a status" grep -q ',iteration_limit,' limits/sweep.csv
says 'case 0 (solver.max_iter = 2): iteration_limit'
ends 1 sweep $problem --vary solver.max_iter=1,2 -o limits
ends 0 sweep $problem --vary solver.tol=1e-9,1e-18 -o digits --json
json out "o['solved'] == 2 and 'best' in o"
fact "no further progress at the optimum is a solution" grep -q ',solved_acceptable,' digits/sweep.csv
ends 0 sweep $problem --vary solver.tol=1e-9,1e-18 -o digits --json
json out "o['solved'] == 2 and o['computed'] == 0"

# --- an interrupt keeps what is done, the same command goes on ---
many="--vary horizon.time=1.5:2.5:120"
# shellcheck disable=SC2086 # words
"$dmoc" sweep $problem $many -o long --json >out 2>err </dev/null &
i=0
while ! grep -q solved long/finished.csv 2>/dev/null && [ $i -lt 300 ]; do sleep 0.05 && i=$((i + 1)); done
"$dmoc" sweep $problem --vary horizon.time=2 -o long >out 2>other
fact "a folder has one sweep at a time" [ $? = 2 ]
fact "and it is said" grep -q 'another sweep is at work in long' other
kill -INT $!
wait $!
fact "an interrupt ends with 1" [ $? = 1 ]
says 'ended early: [0-9]* of 120 cases are done; the same command again continues'
json out "o['status'] == 'partial' and o['cases'] == 120"
done=$(rows long)
fact "with a table of what is done" [ "$done" -gt 0 -a "$done" -lt 120 ]
# shellcheck disable=SC2086
ends 0 sweep $problem $many -o long --json
json out "o['computed'] == 120 - $done and o['solved'] > 90"
fact "no case twice" [ -z "$(cut -d, -f1 long/finished.csv | sort | uniq -d)" ]

# --- killed, again and again: nothing is lost, nothing computed twice, the table is the same ---
for moment in 1 2 3; do
  before=$(cat killed/finished.csv 2>/dev/null | wc -l)
  # shellcheck disable=SC2086
  "$dmoc" sweep $problem $many -o killed >out 2>err </dev/null &
  i=0
  while [ "$(cat killed/finished.csv 2>/dev/null | wc -l)" -lt $((before + 10)) ] && [ $i -lt 300 ]; do sleep 0.02 && i=$((i + 1)); done
  kill -KILL $!
  wait $!
done
done=$(grep -c ',.*,' killed/finished.csv)
# shellcheck disable=SC2086
ends 0 sweep $problem $many -o killed --json
json out "o['computed'] == 120 - ($done - 1)"
fact "no case is there twice" [ -z "$(cut -d, -f1 killed/finished.csv | sort | uniq -d)" ]
cut -d, -f1-6,8- long/sweep.csv >want
cut -d, -f1-6,8- killed/sweep.csv >got
fact "the table of a sweep that was killed" cmp want got
plain cut
exit $failed
