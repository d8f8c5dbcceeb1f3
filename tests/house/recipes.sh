#!/bin/sh
# The extensions that CONTRIBUTING.md describes: its diffs are applied in order to a copy of the sources, the copy is
# built, and each extension is checked.
#   recipes.sh SOURCE [apply]          (apply: only check that they apply to the current sources)
set -u
source=$(readlink -f "$1")
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
failed=0
wrong() {
  echo "not so: $1"
  [ ! -s "$dir/out" ] || sed 's/^/    /' "$dir/out" | tail -20
  failed=1
}
# fact NAME COMMAND..: the command succeeds
fact() {
  name=$1
  shift
  "$@" >"$dir/out" 2>&1 || wrong "$name"
}

# each diff in its own file, in the order of the page
mkdir "$dir/tree" "$dir/recipe"
awk -v dir="$dir/recipe" '
  /^<!-- recipe: [a-z]+ -->$/ { file = sprintf("%s/%02d-%s.diff", dir, ++n, $3) }
  /^```$/ && inside { inside = 0; close(file); file = "" }
  inside { print >file }
  /^```diff$/ && file != "" { inside = 1 }' "$source/CONTRIBUTING.md"
for want in command option output cost part plot rule constraint; do
  ls "$dir"/recipe/*-$want.diff >/dev/null 2>&1 || wrong "CONTRIBUTING.md has a recipe for a $want"
done

(cd "$source" && tar -c --exclude='./build*' --exclude=./results --exclude=./.git --exclude=./.ci .) | tar -x -C "$dir/tree"
cd "$dir/tree" || exit 3
for recipe in "$dir"/recipe/*.diff; do
  fact "$(basename "$recipe" .diff) applies" patch -p1 -F0 --no-backup-if-mismatch -i "$recipe"
  ! find . -name '*.rej' | grep -q . || wrong "all of it"
done
[ $failed = 0 ] || exit 1
[ "${2:-}" != apply ] || exit 0
export CCACHE_BASEDIR="$dir/tree" CCACHE_NOHASHDIR=1
fact "it is set up" meson setup "$dir/build" . -Doptimization=0 -Ddebug=false -Dwerror=true -Dmpi=disabled
fact "it builds" ninja -C "$dir/build" cli/dmoc tests/test_joint_force tests/test_robot tests/test_output \
  tests/test_output_values tests/test_cost_terms tests/test_option_examples tests/test_keys
[ $failed = 0 ] || exit 1

dmoc=$dir/build/cli/dmoc
cd "$dir" || exit 3
# swinging RULE STEPS: a free double pendulum over one second
pendulum='model:
  bodies:
    - {name: upper, joints: [ry], mass: 1, centre: [0, 0, -0.5], inertia: [0.0833, 0.0833, 0.001]}
    - {name: lower, parent: upper, offset: {xyz: [0, 0, -1]}, joints: [ry], mass: 1, centre: [0, 0, -0.5],
       inertia: [0.0833, 0.0833, 0.001]}'
swinging() {
  cat >swing.yaml <<YAML
$pendulum
rule: {lagrangian: $1}
simulate: {steps: $2, step: $(awk "BEGIN { print 1 / $2 }"), start: {q: {upper: 1, lower: 0.5}}}
YAML
  fact "$1 is a rule" "$dmoc" simulate swing.yaml -o "$1-$2"
}

# the rule: its name is accepted, its order is two
for steps in 50 100 200; do swinging three-eighths $steps; done
last() { tail -1 "three-eighths-$1/trajectory.csv" | cut -d, -f3; }
fact "the rule is of second order" awk -v a="$(last 50)" -v b="$(last 100)" -v c="$(last 200)" \
  'BEGIN { r = (a - b) / (b - c); print r; exit !(r > 3.7 && r < 4.3) }'

# the command: in the help, on a folder, as JSON
fact "the help has the command" sh -c '"$1" --help | grep -q "^  duration  *DIR"' sh "$dmoc"
fact "the command says how long" sh -c '"$1" duration three-eighths-50 | grep -q "1 s in 50 steps"' sh "$dmoc"
fact "it does with --json" sh -c '"$1" duration three-eighths-50 --json | grep -q "\"duration\": *1"' sh "$dmoc"

# the option: in the help, among the keys, and read by its solver
fact "the help has the option" sh -c '"$1" descend --help | grep -q "^  --shorter FACTOR "' sh "$dmoc"
fact "the keys have the option" sh -c '"$1" --keys | grep -q "solver.shorter. | number in (0, 1) | – | 0.7"' sh "$dmoc"
fact "the descent reads it" env DMOC_SOURCE="$dir/tree" "$dir/build/tests/test_option_examples"

# the plot: in the help, and drawn
fact "the help has the plot" sh -c '"$1" plot --help | grep -q "^  momentum "' sh "$dmoc"
if /usr/bin/python3 -c 'import matplotlib' 2>/dev/null; then
  fact "the plot is drawn" "$dmoc" plot three-eighths-50 --what momentum -o momentum.svg
  fact "with a panel" grep -q 'momentum' momentum.svg
fi

# the constraint: its derivatives are correct, and it holds: the lower link stays upright
cat >upright.yaml <<YAML
$pendulum
  constraints: [{name: upright, type: heading, bodies: [lower, world], axis: [0, 1, 0]}]
simulate: {steps: 100, step: 0.01, start: {q: {upper: 1, lower: -1}}}
YAML
fact "derivatives of steps under the constraint hold" "$dmoc" check upright.yaml
fact "it is simulated" "$dmoc" simulate upright.yaml -o upright
fact "it is kept" awk -F, 'NR > 1 && ($3 + $4 > 1e-9 || $3 + $4 < -1e-9) { exit 1 }' upright/trajectory.csv

# the part: by its tests, and in a plan
fact "the part and its derivatives" "$dir/build/tests/test_joint_force"
fact "it is among the parts of robots" "$dir/build/tests/test_robot"
sed 's/^model:.*/model: {robot: cart-pole.urdf, drags: [{joint: pole, factor: 0.02}]}/' tree/problems/cart-pole/swing-up.yaml \
  >tree/problems/cart-pole/drag.yaml
fact "its section is read, and info prints it" sh -c '"$1" info tree/problems/cart-pole/drag.yaml | grep -q "^drag pole, factor 0.02 "' sh "$dmoc"
fact "derivatives of programs with it hold" "$dmoc" check tree/problems/cart-pole/drag.yaml

# the output: its derivatives, and its value
fact "the derivatives of the output" "$dir/build/tests/test_output"
fact "the value of the output" "$dir/build/tests/test_output_values"

# the cost term: derivatives of programs with it
fact "the cost term and its derivatives" "$dir/build/tests/test_cost_terms"
sed 's/^cost:.*/cost: {speed: {pole: 0.1}}/' tree/problems/cart-pole/swing-up.yaml >tree/problems/cart-pole/speed.yaml
fact "its key is read" "$dmoc" check tree/problems/cart-pole/speed.yaml

# the problem format, by the tests of the keys
fact "every key has a meaning" "$dir/build/tests/test_keys"
fact "keys are written to docs/problem-format.md" python3 "$dir/tree/tests/house/keys.py" "$dmoc" "$dir/tree" --write
exit $failed
