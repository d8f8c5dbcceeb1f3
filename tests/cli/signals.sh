#!/bin/sh
# SIGINT and SIGTERM in each phase: the program ends soon, with status 1 and a sentence, leaves no file half
# written and no child, and has written what is worth keeping.
#   signals.sh DMOC SOURCE
# shellcheck source=tests/cli/facts.sh
. "$(dirname "$0")/facts.sh"
mkdir cart-pole && cp "$source"/problems/cart-pole/* cart-pole
problem=cart-pole/swing-up.yaml
soon=10000 # ms: what hangs is found, nothing is timed

clock() { date +%s%3N; }
no_leftovers() { fact "no temporary files" [ -z "$(find . \( -name '.[0-9]*' -o -name '.*dmoc-new' \))" ]; }
# all files of a folder
sum_of() { find "$1" -type f | sort | xargs cksum | cksum; }
# it takes SIGTERM as its own, or has ended: on a loaded machine, loading a program may take long
listens() {
  caught=$(sed -n 's/^SigCgt:[[:space:]]*/0x/p' /proc/$pid/status 2>/dev/null)
  [ -z "$caught" ] || [ $((caught >> 14 & 1)) = 1 ]
}
# begin WORDS...: the program in the background, its process in $pid
begin() {
  : >err
  "$dmoc" "$@" >out 2>err </dev/null &
  pid=$!
  i=0
  until listens || [ $i -gt 1000 ]; do sleep 0.02 && i=$((i + 1)); done
}
# after CONDITION...: wait until it holds, or the program has ended
after() {
  i=0
  until "$@" >/dev/null 2>&1 || ! kill -0 $pid 2>/dev/null || [ $i -gt 6000 ]; do sleep 0.02 && i=$((i + 1)); done
}
# stops NAME SIGNAL: what was begun ends by one signal
stops() {
  started=$(clock)
  fact "$1: it runs when the signal comes" kill -"$2" $pid
  wait $pid
  got=$? took=$(($(clock) - started))
  fact "$1: exit status 1 (got $got)" [ $got = 1 ]
  fact "$1: ends soon (took $took ms)" [ $took -lt $soon ]
  says 'interrupted'
  no_leftovers
}

# --- nothing is worth keeping yet: derivatives, guess, program ---
sed 's/steps: 100/steps: 1000000/' $problem >cart-pole/big.yaml
# early SECONDS WORDS...: interrupted so long after it began
early() {
  moment=$1
  shift
  turn || return 0
  begin "$@" --json
  sleep "$moment"
  stops "$* after $moment s" TERM
  json out "o['status'] == 'interrupted' and o['exit'] == 1 and 'interrupted' in o['error'] and o['warnings'] == []"
  fact "$* leaves no folder" [ ! -e early ]
}
early 0.5 check cart-pole/big.yaml
early 2 check cart-pole/big.yaml
early 0.5 optimize cart-pole/big.yaml -o early
early 2 run cart-pole/big.yaml -o early
early 1 gains cart-pole/big.yaml -o early
cp "$source"/problems/pendulum/* cart-pole
sed 's/steps: 100/steps: 1000000/' cart-pole/paper-001.yaml >cart-pole/paper-big.yaml
early 0.5 descend cart-pole/paper-big.yaml -o early

# --- a motion being made is written, and nothing of what was to follow ---
sed 's/steps: 100/steps: 40000/' $problem >cart-pole/long.yaml
begin optimize cart-pole/long.yaml -o motion
after grep -q iteration err
kill -TERM $pid
wait $pid
fact "an optimization: exit status 1" [ $? = 1 ]
says 'interrupted: the best trajectory found so far is written to motion'
json motion/result.json "o['status'] == 'interrupted'"
fact "with all knots" [ "$(grep -c '^[0-9]' motion/trajectory.csv)" = 40001 ]
# the second signal ends it at once, without
sed -i 's/steps: 40000/steps: 400000/' cart-pole/long.yaml
begin optimize cart-pole/long.yaml -o twice
after grep -q iteration err
kill -INT $pid
after grep -q 'takes some seconds; a second signal ends at once' err
stops "a second signal" INT
fact "nothing is written then" [ ! -e twice ]

cat >hoist.yaml <<YAML
model:
  bodies:
    - {name: load, joints: [{name: x, type: tx}, {name: z, type: tz}], mass: 1}
    - {name: crane, joints: [{name: hook, type: tx, kinematic: true}]}
  constraints:
    - {name: string, type: distance, bodies: [load, crane], length: 1}
simulate: {steps: 1000000, step: 0.001, start: {q: {z: -1}}}
YAML
begin simulate hoist.yaml -o swing
after grep -q "[0-9]000 of" err
stops "a simulation" INT
json swing/result.json "o['status'] == 'interrupted' and 0 < o['steps'] < 1000000"
steps=$(value swing/result.json "o['steps']")
fact "its motion goes up to there" [ "$(grep -c '^[0-9]' swing/trajectory.csv)" = $((steps + 1)) ]

# --- stages that follow a finished one: that one is in the folder ---
sed 's/samples: 200/samples: 10000000/' $problem >cart-pole/many.yaml
for stage in run verify "export --force"; do
  turn || continue
  # shellcheck disable=SC2086 # words
  begin $stage cart-pole/many.yaml -o stages --json
  after ls stages/gains.csv
  sleep 0.5
  stops "verify in $stage" INT
  says 'interrupted: the stages finished before that are in stages'
  json out "o['status'] == 'interrupted' and 'in stages' in o['error']"
  json stages/result.json "o['status'] == 'solved' and o['gains']['status'] == 'done' and 'verify' not in o"
  fact "the gains are there, no verdict" [ -s stages/gains.csv -a ! -e stages/verify.csv ]
done
ends 0 gains cart-pole/many.yaml -o stages
before=$(sum_of stages)
begin verify stages --json
sleep 1
stops "verify of a folder" TERM
fact "which stays as it was" [ "$before" = "$(sum_of stages)" ]

# over a result that came further they are beside it, and whole
ends 0 run $problem -o better
before=$(sum_of better)
begin run cart-pole/many.yaml -o better
after ls better/unfinished/gains.csv
sleep 0.5
stops "verify over a better result" INT
says 'interrupted: the stages finished before that are in better/unfinished'
json better/unfinished/result.json "o['gains']['status'] == 'done' and 'verify' not in o"
ends 0 gains better/unfinished -o other
mv better/unfinished aside
fact "which stays as it was" [ "$before" = "$(sum_of better)" ]

# gains, linearization, tables of a motion that is long, and was fast to make
cat >rest.yaml <<YAML
model: {urdf: cart-pole/cart-pole.urdf, gravity: [0, 0, -9.81]}
inputs: [{joint: slider, effort: 20}]
simulate: {steps: 200000, step: 0.001}
feedback: {Q: {q: 100, p: 1}, R: 1}
verify: {samples: 1000, spread: {q: 0.01, v: 0.01}, tolerance: 0.05}
YAML
ends 0 simulate rest.yaml -o rest
before=$(sum_of rest)
for stage in gains linearize verify "export --force"; do
  turn || continue
  # shellcheck disable=SC2086
  begin $stage rest
  sleep 0.3
  stops "$stage of a long motion" INT
  fact "which stays as it was" [ "$before" = "$(sum_of rest)" ]
done
begin linearize rest
after sh -c "find rest -path '*/.dmoc-new/linearization.csv' -size +100k | grep ."
stops "a large table" TERM
fact "of which nothing is left" [ "$before" = "$(sum_of rest)" ]

# --- a sweep: the journal has what is done ---
begin sweep cart-pole/big.yaml --vary cost.input=1,2,3 -o cases --json
after test -e cases/finished.csv
sleep 1
stops "a sweep" INT

# --- a picture: Python is ended too ---
ends 0 optimize $problem -o way
mkdir bin && printf '#!/bin/sh\necho $$ >python.pid\nexec sleep 100\n' >bin/python3 && chmod +x bin/python3
export DMOC_PYTHON=$dir/bin/python3
begin plot way -o picture.svg --json
after test -s python.pid
stops "a picture" TERM
fact "Python is gone" sh -c "! kill -0 $(cat python.pid) 2>/dev/null"
fact "and there is no picture" [ ! -e picture.svg ]

# --- what does not end is not begun: pipes and devices are refused by name ---
mkfifo pipe pipe.urdf pipe.csv way/fifo
printf 'model: {urdf: pipe.urdf}\nsimulate: {time: 1, steps: 2}\n' >of-pipe.yaml
refused() {
  timeout 5 "$dmoc" "$@" --json >out 2>err </dev/null
  fact "$* is refused" [ $? = 2 ]
  says 'found a .*, expected a file'
  json out "o['exit'] == 2"
}
refused check pipe
refused info pipe.urdf
refused check of-pipe.yaml
refused check /dev/zero
sed '/^guess/d' $problem >cart-pole/guess.yaml && printf 'guess: {csv: ../pipe.csv}\n' >>cart-pole/guess.yaml
refused check cart-pole/guess.yaml
mv way/fifo way/gains.csv
refused plot way -o x.svg
rm way/trajectory.csv && mkfifo way/trajectory.csv
refused gains way
rm way/result.json && mkfifo way/result.json
refused gains way
refused optimize $problem --from way -o other
exit $failed
