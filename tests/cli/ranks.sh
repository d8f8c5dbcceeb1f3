#!/bin/sh
# Samples and cases shared by the processes of mpirun: the same numbers for any number of them, a
# rank that dies, one that cannot work.
#   ranks.sh DMOC SOURCE
. "$(dirname "$0")/facts.sh"
cp -r "$source/problems/cart-pole" "$source/problems/pendulum" .
problem=cart-pole/swing-up.yaml

"$dmoc" optimize $problem -o none >out 2>err </dev/null
if grep -q 'no IPOPT' err; then
  echo "skipped: all that optimizes (built without IPOPT)"
  exit $failed
fi
# without MPI in the build, several processes would each do all
if ! command -v mpirun >/dev/null || ! grep -q "libmpi[.]so" "$dmoc"; then
  OMPI_COMM_WORLD_SIZE=2 "$dmoc" verify $problem >out 2>err </dev/null
  fact "several processes without MPI are refused" [ $? = 2 ]
  says 'this build has no MPI'
  echo "skipped: several ranks (needs MPI)"
  exit $failed
fi
export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1 ASAN_OPTIONS=detect_leaks=0
several() {
  k=$1
  shift
  mpirun --oversubscribe -n "$k" "$dmoc" "$@" >out 2>err </dev/null
}

# --- the same numbers ---
ends 0 run $problem -o alone
for k in 1 2 3; do # of mpirun
  several $k run $problem -o k$k
  fact "$k ranks end with 0" [ $? = 0 ]
  for f in trajectory gains verify fan; do fact "$f.csv of $k ranks" cmp alone/$f.csv k$k/$f.csv; done
done
fact "one of them speaks" [ "$(grep -c '^  written' out)" = 1 ]
json k3/result.json "o['verify']['held'] == 200 and 'status' not in o['verify']"
several 2 verify alone -o again
fact "from a folder" cmp alone/verify.csv again/verify.csv
cp -r "$source/problems/throw" .
ends 0 run throw/throw.yaml -o throw-1
several 3 run throw/throw.yaml -o throw-3
fact "samples go on from phase to phase" cmp throw-1/flight/verify.csv throw-3/flight/verify.csv
json throw-3/result.json "o['verify']['held'] == 100"
several 2 check $problem
fact "what is not shared is done once" [ "$(grep -c '^cart-pole' out)" = 1 ]
several 2 run cart-pole/none.yaml
fact "an error ends with 2" [ $? = 2 ]
fact "and is said once" [ "$(grep -c '^dmoc:.*none.yaml' err)" = 1 ]

# --- cases: the same, and none twice ---
cases() { grep '^[0-9]' "$1/sweep.csv" | cut -d, -f1-5,8-; }
ends 0 sweep $problem --vary horizon.time=1.8:2.2:5 -o grid1
several 3 sweep $problem --vary horizon.time=1.8:2.2:3 -o grid3
several 2 sweep $problem --vary horizon.time=1.8:2.2:5 -o grid3 --json
json out "o['cases'] == 5 and o['computed'] == 2"
cases grid1 >want
cases grid3 >got
fact "the table of several ranks" cmp want got

# --- a rank without its files: the others do its work ---
mkdir elsewhere
mpirun --oversubscribe -n 1 "$dmoc" run $problem -o short : \
  -n 1 sh -c 'cd elsewhere && exec "$0" run cart-pole/swing-up.yaml -o short' "$dmoc" >out 2>err </dev/null
fact "a rank without files costs time only" [ $? = 0 ]
says 'rank 1: cart-pole/swing-up.yaml: cannot be read'
fact "all samples ran" cmp alone/verify.csv short/verify.csv

# --- each axis alone, and the region ---
ends 0 verify cart-pole/robustness.yaml -o axes1
for k in 2 3; do
  several $k verify cart-pole/robustness.yaml -o axes$k
  fact "each axis and the region by $k ranks" [ $? = 0 ]
  for f in robustness region; do fact "$f.csv of $k ranks" cmp axes1/$f.csv axes$k/$f.csv; done
done

# --- a rank that dies: mpirun ends the others, what has come is kept ---
# kill rank 2 of three that run a command, half a second after a condition holds; a loaded machine
# may take minutes to get there
bereave() { # CONDITION COMMAND...
  ready=$1
  shift
  # mpirun kills what does not end within a second of its signal: too short on a loaded machine
  OMPI_MCA_odls_base_sigkill_timeout=10 several 3 "$@" &
  i=0 victim=
  while [ -z "$victim" ] && [ $i -lt 1200 ]; do
    for p in $(pgrep -f "^$dmoc $*"); do
      tr '\0' '\n' <"/proc/$p/environ" | grep -q '^OMPI_COMM_WORLD_RANK=2$' && victim=$p
    done
    sleep 0.1 && i=$((i + 1))
  done
  while ! eval "$ready" 2>/dev/null && [ $i -lt 1200 ]; do sleep 0.1 && i=$((i + 1)); done
  fact "it was at work in two minutes" eval "$ready"
  sleep 0.5
  kill -KILL "$victim"
  wait $!
  fact "a death is no success" [ $? != 0 ]
  says 'rank 2: it does not answer'
}

sed 's/samples: 200/samples: 1000000/' $problem >cart-pole/many.yaml
bereave 'grep -q "of 1000000 samples on the discrete plant" err' run cart-pole/many.yaml -o part
says 'they are stored, labelled partial'
json part/result.json "o['verify']['status'] == 'partial' and 0 < o['verify']['ran'] < 1000000 and o['gains']['status'] == 'done'"
rows=$(grep -c '^discrete,' part/verify.csv)
json part/result.json "o['verify']['ran'] == $rows"
fact "the file says so" grep -q "^  partial: $rows of 1000000 samples" part/columns.txt
grep '^discrete,' alone/verify.csv | grep -Fxf part/verify.csv >same
fact "its samples are the same" [ "$(wc -l <same)" = "$(grep -cE '^discrete,1?[0-9]?[0-9],' part/verify.csv)" ]

sed 's/points: 3, samples: 2/points: 1000, samples: 100/' cart-pole/robustness.yaml >cart-pole/axes.yaml
bereave 'grep -q "each axis alone, ran [0-9]* of 6000" err' verify cart-pole/axes.yaml -o axes
says 'all samples and .* levels are stored, labelled partial'
json axes/result.json "o['verify']['status'] == 'partial' and o['verify']['discrete']['held'] == 20"
rows=$(grep -c '^[a-z]*,[a-z]*,[-0-9]' axes/robustness.csv)
fact "so does the file of each axis" grep -q "^  partial: $rows of 6000 levels" axes/columns.txt
fact "and there is no region" [ ! -e axes/region.csv ]

bereave '[ "$(wc -l <cases/finished.csv)" -gt 5 ]' sweep $problem --vary horizon.time=1.5:3:1000 -o cases
says 'the same command again continues'
rows=$(grep -c '^[0-9]' cases/sweep.csv)
fact "the cases that ended are kept" [ "$rows" -ge 5 ] && [ "$rows" -lt 1000 ]
ends 0 sweep $problem --vary horizon.time=1.5:3:4 -o cases --json
fact "none is computed twice" [ -z "$(cut -d, -f1 cases/finished.csv | sort | uniq -d)" ]
plain
exit $failed
