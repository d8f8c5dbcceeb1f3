#!/bin/sh
# The exported law when it is asked early, late, or by what was measured some time ago: its C, compiled into a loop
# around a cart-pole (clock.c).
#   clock.sh DMOC SOURCE
. "$(dirname "$0")/facts.sh"

"$dmoc" optimize "$source/problems/cart-pole/swing-up.yaml" -o swing >out 2>err </dev/null
if grep -q 'no IPOPT' err; then
  echo "skipped: all that optimizes (built without IPOPT)"
  exit $failed
fi
ends 0 run "$source/problems/cart-pole/swing-up.yaml" -o swing
ends 0 export swing --all --json
cc=${CC:-cc}
# build FOLDER: the loop around its law, as ./clock
build() {
  # shellcheck disable=SC2086 # words
  $cc -std=c99 -O2 -Wall -Wextra -Wconversion -Werror -pedantic -c "$1/controller.c" -o controller.o 2>err &&
    $cc -std=c99 -O2 -Wall -Wextra -Werror "-I$1" "$source/tests/cli/clock.c" controller.o -lm -o clock 2>>err
  fact "the loop around $1 is compiled" [ $? = 0 ]
}
# in single precision
ends 0 export swing -o single --single --all --json
build single
./clock >out 2>err
fact "times are taken as controller.h says, in single precision" [ $? = 0 ]
fact "and measurements 20 ms old do" [ "$(./clock velocity_at 0.02 0 0 0.02 | cut -d ' ' -f 1)" = 60 ]
build swing
./clock >out 2>err
fact "times are taken as controller.h says" [ $? = 0 ]
fact "what is not finite, late, repeated or left out is said" \
  [ "$(grep -c -e 'not finite' -e 'repeated or left out' -e 'early or late' swing/controller.h)" = 5 ]

# holds LEAST WORDS...: of 60 starts at least so many; loses MOST WORDS...: at most
count() { ./clock "$@" | tee out | cut -d ' ' -f 1; }
holds() {
  least=$1
  shift
  fact "$* holds $least of 60" [ "$(count "$@")" -ge "$least" ]
}
loses() {
  most=$1
  shift
  fact "$* holds no more than $most" [ "$(count "$@")" -le "$most" ]
}
# DELAY LATE JITTER PERIOD: by k, on time alone
holds 60 velocity 0 0 0 0.02
loses 45 velocity 0.02 0 0 0.02
loses 0 velocity 0.04 0 0 0.02
loses 0 velocity 0 0 0 0.005
for law in velocity_at state_at; do
  for delay in 0 0.005 0.01 0.02; do holds 60 $law $delay 0 0 0.02; done
  holds 55 $law 0.04 0 0 0.02
  for late in -0.01 -0.005 0.005 0.01; do holds 60 $law 0 $late 0 0.02; done
  holds 60 $law 0 0 0.01 0.02
  holds 60 $law 0 0 0 0.005
done
# by positions, from the second reading on: two readings a step apart at any time, of any age
for delay in 0 0.005 0.01 0.02; do holds 60 positions_at $delay 0 0 0.02; done
for late in 0.005 0.01; do holds 60 positions_at 0 $late 0 0.02; done
holds 60 positions_at 0 0 0.01 0.02
holds 60 positions_at 0 0 0 0.005

# --- the end is kept for good where the file says nothing, and left where it says 0 ---
json swing/result.json "o['controller']['end'] == 'kept' and o['gains']['law'] == 'velocity, linear'"
fact "it says from when on" grep -q 'From k = 10[01] on it is the same: it holds for all times' swing/controller.h
for law in velocity velocity_at state_at; do
  fact "$law rests at the goal seven seconds later" [ "$(./clock $law 0 0 0 0.02 9 | awk '{print $1 == 60 && $2 < 1e-3}')" = 1 ]
done
sed "s|robot: |&$source/problems/cart-pole/|; s/Qf: riccati/&, hold: 0/" "$source/problems/cart-pole/swing-up.yaml" >left.yaml
ends 0 run left.yaml -o left
json left/result.json "'end' not in o['controller']"
ends 0 export left --all
build left
loses 0 velocity 0 0 0 0.02 9
# what ends on the move is not kept, and that is said
sed "s|robot: |&$source/problems/cart-pole/|; s/goal: .*/goal: {q: {slider: 1, pole: -pi}, v: {slider: 1, pole: 0}}/" "$source/problems/cart-pole/swing-up.yaml" >moving.yaml
"$dmoc" run moving.yaml -o moving >out 2>err
"$dmoc" export moving --force >out 2>err
says "warning: controller.c does not keep the motion's end: the motion ends with 'slider' at a speed of 1; after it the law of the last knot goes on"
json moving/result.json "'end' not in o['controller']"
exit $failed
