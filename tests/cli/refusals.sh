#!/bin/sh
# Options with values that no command takes: what is said, and that nothing is written.
#   refusals.sh DMOC SOURCE
. "$(dirname "$0")/facts.sh"

hoist '' ''
ends 0 simulate hoist.yaml -o hoist
for knot in -1 7x '' 300; do
  ends 2 linearize hoist "--knot=$knot" -o none
  says "--knot takes a knot from 0 to 299, got '$knot'"
done
for window in 0 -3 5x ''; do
  ends 2 linearize hoist "--window=$window" -o none
  says "--window takes a number of steps >= 1, got '$window'"
done
for range in 5 a:1 1:b 2:2; do
  ends 2 plot hoist --what columns --y q.x "--xrange=$range" -o none.svg
  says "--xrange takes LOW:HIGH, numbers of which the first is less, found '$range'"
done
for plane in x xyz ax xw; do
  ends 2 plot hoist --what path --plane $plane -o none.svg
  says "--plane takes two of the world's axes, such as xz, found '$plane'"
done
fact "nothing is written by what is refused" sh -c '[ ! -e none ] && [ ! -e none.svg ]'
exit $failed
