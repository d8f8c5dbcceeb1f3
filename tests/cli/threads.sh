#!/bin/sh
# Samples and levels on several processors: the same numbers for any number of them, a child that dies, and
# what becomes of children when the program is ended.
#   threads.sh DMOC SOURCE
# shellcheck source=tests/cli/facts.sh
. "$(dirname "$0")/facts.sh"
cp -r "$source/problems/cart-pole" "$source/problems/bench" .
export ASAN_OPTIONS=detect_leaks=0

# --- the same numbers: of samples, curves, each axis, the region, criteria, and the exported law ---
cat >law.yaml <<'YAML'
model: {urdf: cart-pole/cart-pole.urdf}
balance: {q: {pole: pi}, steps: 100, time: 2}
feedback: {Q: {q: 100, p: 1}, R: 1, estimator: {encoder: 1e-4, process: 1e-4}, delay: 1}
verify: {samples: 7, plants: exported, required: 0, spread: {q: 0.02},
  criteria: [{vary: delay, to: 0.1, levels: 5}, {vary: pushes, of: pole, from: 0.1, to: 3, levels: 7, count: 1, gap: 0.4}]}
YAML
sed 's/, estimator: {[^}]*}, delay: 1//; s/plants: exported, //' law.yaml >levels.yaml
sed 's/,$/}/; /criteria/d' law.yaml >exported.yaml
ends 0 optimize cart-pole/swing-up.yaml -o motion
for k in 1 3; do
  ends 0 verify motion -o samples$k --threads $k
  ends 0 verify cart-pole/robustness.yaml -o axes$k --threads $k
  ends 0 run levels.yaml -o levels$k --threads $k
  command -v cc >/dev/null && ends 0 run exported.yaml -o exported$k --threads $k
done
while read -r folder files; do
  for f in $files; do
    [ -e "${folder}1" ] || continue
    fact "$f of $folder is the same on 3 processors" cmp "${folder}1/$f" "${folder}3/$f"
  done
done <<'ROWS'
samples verify.csv fan.csv columns.txt
axes verify.csv robustness.csv region.csv columns.txt
levels verify.csv criteria.csv columns.txt
exported verify.csv
ROWS
json samples3/result.json "o['verify']['held'] == 200 and 'status' not in o['verify']"

# --- words ---
for k in 0 -1 1.5 many 257; do
  ends 2 verify motion --threads $k
  says "takes a whole number, 1 to 256, got '$k'"
done
ends 2 gains cart-pole/swing-up.yaml --threads 2
says "gains has no option '--threads'"

# --- a child that dies costs time alone; ended with the program, whatever ends that ---
sed 's/samples: 200/samples: 3000/' cart-pole/swing-up.yaml >cart-pole/some.yaml
sed 's/samples: 200/samples: 100000/' cart-pole/swing-up.yaml >cart-pole/many.yaml
# begin PROBLEM DIR: in the background, in $pid, until its three children are at work, in $children
begin() {
  "$dmoc" verify "$1" -o "$2" --threads 3 >out 2>err </dev/null &
  pid=$! i=0
  until children=$(pgrep -P $pid) && [ "$(printf '%s\n' "$children" | wc -l)" = 3 ] || ! kill -0 $pid 2>/dev/null || [ $i -gt 3000 ]; do sleep 0.02 && i=$((i + 1)); done
}
# all of the children are gone within ten seconds
gone() {
  i=0
  while [ $i -lt 500 ]; do
    left=
    for p in $children; do kill -0 "$p" 2>/dev/null && left=1; done
    [ "$left" ] || return 0
    sleep 0.02 && i=$((i + 1))
  done
  return 1
}
if command -v pgrep >/dev/null; then
  ends 0 verify cart-pole/some.yaml -o all --threads 1
  begin cart-pole/some.yaml bereaved
  for p in $children; do kill -KILL "$p" 2>/dev/null && break; done
  wait $pid
  fact "it goes on without it" [ $? = 0 ]
  fact "with the same samples" cmp all/verify.csv bereaved/verify.csv

  for signal in INT TERM KILL; do
    begin cart-pole/many.yaml none
    kill -$signal $pid
    wait $pid
    got=$?
    [ $signal = KILL ] || fact "$signal: exit status 1 (got $got)" [ $got = 1 ]
    [ $signal = KILL ] || says 'interrupted'
    fact "$signal: no child is left" gone
  done
else
  echo "skipped: children that die (no pgrep)"
fi
plain none levels1 levels3
exit $failed
