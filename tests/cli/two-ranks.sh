#!/bin/sh
# What two processes of mpirun share on small problems, and what they say of it; ranks.sh has large ones, and
# ranks that die.
#   two-ranks.sh DMOC SOURCE
# shellcheck source=tests/cli/facts.sh
. "$(dirname "$0")/facts.sh"
if ! command -v mpirun >/dev/null || ! grep -q "libmpi[.]so" "$dmoc"; then
  echo "skipped: two ranks (needs MPI)"
  exit 77
fi
export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1 ASAN_OPTIONS=detect_leaks=0
# both STATUS WORDS...: two processes at once end with that status
both() {
  want=$1
  shift
  mpirun --oversubscribe -n 2 "$dmoc" "$@" >out 2>err </dev/null
  fact "two ranks of '$*' end with $want" [ $? = "$want" ]
}

cat >task.yaml <<'YAML'
model: {bodies: [{name: bob, joints: [{name: arm, type: ry, effort: 20}], mass: 1, centre: [0, 0, -1]}]}
horizon: {steps: 6, time: 1}
start: {q: 0, v: 0}
goal: {q: 1, v: 0}
cost: {input: 1}
starts: {count: 2}
feedback: {Q: {q: 10, p: 1}, R: 1, Qf: riccati, tune: {tries: 2, seed: 3}}
verify: {samples: 20, seed: 1, spread: {q: 0.01, v: 0.01}, tolerance: 0.5, errors: {mass: 0.1},
  sweep: {points: 2, samples: 1}, criteria: [{vary: delay, to: 0.1, levels: 2}],
  region: {directions: 2, halvings: 1, most: 1, rate: 0.5, confidence: 0.5, samples: 2}}
YAML
ends 0 run task.yaml -o alone
both 0 run task.yaml -o shared
for f in trajectory gains verify fan robustness region criteria; do
  fact "$f.csv of two ranks" cmp alone/$f.csv shared/$f.csv
done
fact "one of them speaks" [ "$(grep -c '^  written' out)" = 1 ]
both 2 run none.yaml --json
fact "an error is said once" [ "$(grep -c '^dmoc:.*none.yaml' err)" = 1 ]
json out "o['exit'] == 2"
both 0 sweep task.yaml --vary cost.input=1,2,3 -o cases --json
json out "o['cases'] == 3 and o['computed'] == 3"
both 0 tune task.yaml -o tuned.yaml
ends 0 tune task.yaml -o tuned-alone.yaml
fact "the same numbers are found" cmp tuned.yaml tuned-alone.yaml

# a rank without its files: the other does its work, and says so
mkdir elsewhere
mpirun --oversubscribe -n 1 "$dmoc" run task.yaml -o short : \
  -n 1 sh -c 'cd elsewhere && exec "$0" run task.yaml -o short' "$dmoc" >out 2>err </dev/null
fact "a rank without files costs time only" [ $? = 0 ]
says 'rank 1: task.yaml: cannot be read'
fact "all samples ran" cmp alone/verify.csv short/verify.csv
both 2 verify shared --threads 2
says 'found 2 beside 2 processes of a launcher, expected 1'
exit $failed
