#!/bin/sh
# Results for other programs: what `convert` writes, read back by others than dmoc.
#   convert.sh DMOC SOURCE
# shellcheck source=tests/cli/facts.sh
. "$(dirname "$0")/facts.sh"
problems=$source/problems
for p in python3 /usr/bin/python3; do
  if [ -z "${python:-}" ] && $p -c 'import numpy' 2>/dev/null; then python=$p; fi
done

ends 0 run "$problems/cart-pole/swing-up.yaml" -o cart-pole
ends 0 run "$problems/throw/throw.yaml" -o throw
ends 0 simulate "$problems/contact/hopper.yaml" -o hopper
ends 0 optimize "$problems/six-axis-arm/eight.yaml" -o eight
plain inputs

# NumPy
for folder in cart-pole throw hopper eight; do
  ends 0 convert $folder --to npz --json
  json out "o['npz'] == '$folder/tables.npz'"
  cp $folder/tables.npz before.npz
  ends 0 convert $folder --to npz
  fact "two conversions of $folder are the same bytes" cmp before.npz $folder/tables.npz
done
if [ -n "${python:-}" ]; then
  fact "arrays hold what tables say" "$python" "$source/tests/cli/tables_in_numpy.py" cart-pole throw hopper eight
else
  echo "skipped: arrays of numpy (needs Python 3 with numpy)"
fi

# the format by --to, or by the suffix; what is none is refused, and nothing is written
ends 0 convert cart-pole -o here.npz
fact "the same by its suffix" cmp here.npz cart-pole/tables.npz
ends 2 convert cart-pole
says "say which format"
ends 2 convert cart-pole -o here.txt
says "-o takes FILE"
ends 2 convert cart-pole --to npz -o here.xml
says "-o takes FILE.npz for --to npz, got 'here.xml'"
ends 2 convert cart-pole --to npy
says "did you mean 'npz'"
ends 2 convert "$problems/cart-pole/swing-up.yaml" --to npz
says "convert takes a result folder"
mkdir none
ends 2 convert none --to npz
says "without result.json"
cp -r cart-pole damaged
echo >>damaged/gains.csv
rm damaged/tables.npz
ends 2 convert damaged --to npz
says "gains.csv is damaged"
fact "nothing of it is written" [ ! -e damaged/tables.npz ]
fact "nor left over" sh -c '! ls -A | grep -q dmoc-new'

# a file of the folder is made again by a later stage, and goes with the result
cp -r cart-pole renewed
ends 0 linearize renewed --knot 3
if [ -n "${python:-}" ]; then
  fact "a later stage's table is there" "$python" -c 'import numpy
assert numpy.load("renewed/tables.npz")["linearization"].shape[0] == 1'
fi
ends 0 optimize "$problems/pendulum/swing-up.yaml" -o renewed
fact "what was of another result is gone" [ ! -e renewed/tables.npz ]
exit $failed
