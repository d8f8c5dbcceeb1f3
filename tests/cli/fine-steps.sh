#!/bin/sh
# dmoc descend on the cart-pole of paper 001 in fine steps (500 of 0.02 s, 1000 of 0.01 s), where each motion is in
# folds that only stiff gains leave: minima to which sums of costs agree, and in which optimize stays.
#   fine-steps.sh DMOC SOURCE STEPS [TWICE]
. "$(dirname "$0")/facts.sh"

shift 2
for n in "$@"; do
  sed "s/steps: 100/steps: $n/; /^feedback\|^verify/d" "$source/problems/cart-pole/paper-001.yaml" >cart-pole-$n.yaml
  ends 0 descend cart-pole-$n.yaml -o $n --quiet
  json $n/result.json "o['status'] == 'solved' and o['iterations'] <= 2500"
  json $n/result.json "abs(o['methods']['newton']['slope']) <= 1e-6"

  # the minimum is one of the program, too
  ends 0 optimize cart-pole-$n.yaml --from $n -o again-$n --quiet
  json again-$n/result.json "o['status'] == 'solved' and o['iterations'] <= 5"
  cost=$(value $n/result.json "o['objective']")
  json again-$n/result.json "abs(o['objective'] - $cost) <= 1e-8 * $cost"
done

# a sum over twice the steps is twice as large, to the order of a step
if [ $# = 2 ]; then
  cost=$(value $1/result.json "o['objective']")
  json "$2/result.json" "abs(o['objective'] - 2 * $cost) <= 0.01 * o['objective']"
fi
exit $failed
