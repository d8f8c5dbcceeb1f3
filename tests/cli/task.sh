#!/bin/sh
# One controller for a task of several phases: the bits of the phases' own controllers, in both precisions, with every
# part of a law; what is refused; several controllers in one program.
#   task.sh DMOC SOURCE some|every          (of the compilers of each controller)
compilers=$3
command -v gcc >/dev/null && command -v clang >/dev/null || compilers=every
# shellcheck source=tests/cli/facts.sh
. "$(dirname "$0")/facts.sh"
cp -r "$source/problems/cart-pole" "$source/problems/throw" .
warnings='-std=c99 -Wall -Wextra -Wpedantic -Wconversion -Wshadow -Werror -Wunused-function'

# task NAME FEEDBACK ONE TWO: a swing-up in two phases; words of feedback, and of each phase
task() {
  sed '/^horizon/d; /^feedback/d; /^verify/d' cart-pole/swing-up.yaml >"cart-pole/$1.yaml"
  cat >>"cart-pole/$1.yaml" <<YAML
feedback: {Q: {q: 100, p: 1}, R: 1$2}
verify: {samples: 4, seed: 1, required: 0, spread: {q: 1e-3, v: 1e-3}}
phases:
  - {name: one, horizon: {steps: 40, time: 0.8}$3}
  - {name: to-rest, horizon: {steps: 50, time: 1.2}$4}
YAML
}

# agrees FOLDER FLAGS [ONE TWO]: whatever is called; of these phases. Without `every`, gcc and clang take turns
turn=0
agrees() {
  turn=$((turn + 1))
  flags=$2 one=${3:-one} two=${4:-to-rest}
  c_one=${one}_controller c_two=$(echo "$two" | tr - _)_controller
  length=$(sed -n 's/.*law_velocity_0, (real)\(.*\)},$/\1/p' "$1/controller.c")
  for cc in 'gcc -O3' 'clang -O0'; do
    command -v "${cc% *}" >/dev/null || continue
    case $compilers$((turn % 2))$cc in some0gcc* | some1clang*) continue ;; esac
    # shellcheck disable=SC2086 # words
    $cc $warnings -c "$1/controller.c" -o task.o 2>err && $cc -std=c99 -c "$1/$one/$c_one.c" -o one.o 2>>err &&
      $cc -std=c99 -c "$1/$two/$c_two.c" -o two.o 2>>err &&
      $cc -std=c99 -Wall -Wextra -Werror -ffp-contract=off -include "$1/controller.h" -include "$1/$one/$c_one.h" \
        -include "$1/$two/$c_two.h" -DONE="$c_one" -DTWO="$c_two" -DLENGTH="$length" -DH="($length / 40)" \
        $flags "$source/tests/cli/task_controller.c" task.o one.o two.o -lm -o task.out 2>>err && ./task.out >out 2>>err
    fact "$1 by $cc: the bits of its phases" [ $? = 0 ]
  done
}

# replays FOLDER PHASE...: the closed loops that each phase's trace records, one after the other on one clock
cat >replay.py <<'PYTHON'
import csv, ctypes, re, sys
folder, *phases = sys.argv[1:]
text = open(folder + "/controller.c").read()
nq, nu = (int(re.search("CONTROLLER_%s = (\\d+)" % n, open(folder + "/controller.h").read()).group(1)) for n in ("NQ", "NU"))
lengths = [float(x) for x in re.findall(r"&law_velocity_\d, \(real\)(.*)\},", text)]
steps = [float(x) for x in re.findall(r"\.h = \(real\)(.*),", text)]
law = ctypes.CDLL("./task.so").controller_velocity_at
run, u, start, rows = ctypes.create_string_buffer(4096), (ctypes.c_double * nu)(), 0.0, 0
ctypes.CDLL("./task.so").controller_begin(run)
for i, phase in enumerate(phases):
    path = "%s/%s/%s_controller_trace.csv" % (folder, phase, phase.replace("-", "_"))
    for row in list(csv.reader(open(path)))[1:]:
        if start + int(row[0]) * steps[i] > start + lengths[i] * (1 - 1e-6) and i + 1 < len(phases):
            break
        x = [float(c) for c in row[1:]]
        law(run, ctypes.c_double(start + int(row[0]) * steps[i]), ctypes.c_double(0), (ctypes.c_double * nq)(*x[:nq]),
            (ctypes.c_double * nq)(*x[nq:2 * nq]), u)
        assert list(u) == x[2 * nq:], (phase, row[0], list(u), x[2 * nq:])
        assert int.from_bytes(run[:4], sys.byteorder) == i, (phase, row[0])
        rows += 1
    start += lengths[i]
assert rows > 80, rows
PYTHON
replays() {
  cc -std=c99 -O2 -shared -fPIC "$1/controller.c" -o task.so 2>err
  python3 replay.py "$@" >out 2>err
  fact "$1 gives the inputs of the closed loops of its phases" [ $? = 0 ]
}

while IFS='|' read -r of feedback one two flags form; do
  task "$of" "$feedback" "$one" "$two"
  ends 0 run "cart-pole/$of.yaml" -o "$of"
  json "$of/result.json" "o['controller']['status'] == 'done' and o['controller']['forms'] == ['${form:-velocity}']"
  agrees "$of" "$flags"
  [ "$of" = plain ] && replays plain one to-rest
done <<'ROWS'
plain||||
limited|, rate_limit: 400, envelope: {pole: 0.4}|||-DRATES -DGUARD
summed|, integral: [slider], rate_limit: 400|||-DRATES -DINTEGRAL_ONE -DINTEGRAL_TWO
differing|, measure: difference, rate_limit: 400|||-DRATES -DDIFFERENCE|difference
momenta|, measure: difference, momentum: exact, envelope: {pole: 0.4}|||-DGUARD -DDIFFERENCE|difference
begun|||, feedback: {integral: [slider]}|-DINTEGRAL_TWO
ended|, momentum: exact|, feedback: {integral: [slider]}||-DINTEGRAL_ONE
ROWS

# a gait of one phase, which repeats
cp -r "$source/problems/walking" .
sed -i 's/samples: 50, periods: 10/samples: 2, periods: 2, required: 0/' walking/five-link.yaml
ends 0 run walking/five-link.yaml -o gait
json gait/result.json "o['controller']['status'] == 'done'"
# shellcheck disable=SC2086 # words
cc $warnings -c gait/controller.c -o task.o 2>err && cc -std=c99 -Wall -Wextra -Werror -include gait/controller.h \
  "$source/tests/cli/gait_controller.c" task.o -lm -o gait.out 2>>err && ./gait.out >out 2>>err
fact "the controller of a gait repeats" [ $? = 0 ]

# by the path: only controller_next ends a phase, and each phase begins at its first knot
cat >follow.py <<'PYTHON'
import csv, ctypes, re, sys
folder, *phases = sys.argv[1:]
nq, nu = (int(re.search("CONTROLLER_%s = (\\d+)" % n, open(folder + "/controller.h").read()).group(1)) for n in ("NQ", "NU"))
lib, run, u, rows = ctypes.CDLL("./task.so"), ctypes.create_string_buffer(4096), (ctypes.c_double * nu)(), 0
lib.controller_begin(run)
for phase in phases:
    path = "%s/%s/%s_controller_trace.csv" % (folder, phase, phase.replace("-", "_"))
    for row in list(csv.reader(open(path)))[1:]:
        x = [float(c) for c in row[1:]]
        lib.controller_velocity(run, (ctypes.c_double * nq)(*x[:nq]), (ctypes.c_double * nq)(*x[nq:2 * nq]), u)
        assert list(u) == x[2 * nq:], (phase, row[0], list(u), x[2 * nq:])
        rows += 1
    lib.controller_next(run)
assert rows > 80, rows
PYTHON
task path ', schedule: path' '' ''
ends 0 run cart-pole/path.yaml -o path
# shellcheck disable=SC2086 # words
cc $warnings -shared -fPIC path/controller.c -o task.so 2>err && python3 follow.py path one to-rest >out 2>err
fact "by the path: the inputs of the closed loops of its phases" [ $? = 0 ]
sed 's/R: 0.1}/R: 0.1, schedule: path, along: stance}/; s/samples: 50/samples: 2/' walking/compass-hip.yaml >walking/along.yaml
ends 0 run walking/along.yaml -o along
# shellcheck disable=SC2086 # words
cc $warnings -shared -fPIC along/controller.c -o task.so 2>err && python3 follow.py along step step step >out 2>err
fact "by the path: a gait repeats" [ $? = 0 ]

# an arm with different times and steps
cp -r "$source/problems/six-axis-arm" .
sed -i 's/samples: 100/samples: 4/' six-axis-arm/waypoint.yaml
ends 0 run six-axis-arm/waypoint.yaml -o way
agrees way '' up down
replays way up down

# in single precision, from the folder; three controllers link, and so do others under another name
ends 0 export limited -o single --single
json single/result.json "o['controller']['precision'] == 'single'"
agrees single '-DRATES -DGUARD'
ends 0 export limited --prefix arm
json limited/result.json "o['controller']['prefix'] == 'arm' and 'arm.c' in o['files'] and 'controller.c' not in o['files']"
fact "files of one name at a time" [ ! -e limited/controller.c -a ! -e limited/one/one_controller.c ]
cat >link.c <<'C'
#include "arm_one.h"
#include "arm_to_rest.h"
#include "arm.h"
#include "controller.h"
#include "one_controller.h"
#include "to_rest_controller.h"
int main(void) { return 0; }
C
cc -std=c99 -Wall -Wextra -Werror -Iplain -Iplain/one -Iplain/to-rest -Ilimited -Ilimited/one -Ilimited/to-rest link.c plain/controller.c \
  plain/one/one_controller.c plain/to-rest/to_rest_controller.c limited/arm.c limited/one/arm_one.c limited/to-rest/arm_to_rest.c -o link 2>err
fact "six controllers link" [ $? = 0 ]
# every form of measurement
task even ', rate: 50' '' ''
ends 0 run cart-pole/even.yaml -o even
ends 0 export even --all --single
json even/result.json "o['controller']['forms'] == ['state', 'velocity', 'positions', 'difference']"
# shellcheck disable=SC2086 # flags are words
fact "all forms compile" cc $warnings -c even/controller.c -o even.o
(cd plain/one && cc -std=c99 one_controller.c one_controller_replay.c -o replay && ./replay) >out 2>err
fact "a phase's trace is replayed" [ $? = 0 ]

# --- what has no controller of all phases ---
refuses() {
  ends 0 run "cart-pole/$1.yaml" -o "$1"
  json "$1/result.json" "o['controller']['status'] == 'refused' and '$2' in o['controller']['error']"
  fact "the summary says so" grep -q "controller    one per phase: .*$2" out
  fact "only its phases have controllers" [ ! -e "$1/controller.c" -a -s "$1/one/one_controller.c" ]
}
task late ', delay: 1' '' '' && refuses late 'feedback.delay'
task filtered ', estimator: {encoder: 1e-4, process: 1e-4}' '' '' && refuses filtered 'feedback.estimator'
task torn '' ', feedback: {schedule: path}' '' && refuses torn 'feedback.schedule: path and time'
task mixed '' ', feedback: {measure: state}' '' && refuses mixed 'measure different quantities'
task steps ', measure: positions' '' '' && refuses steps 'steps of phases'
ends 0 run throw/throw.yaml -o throw-1
json throw-1/result.json "o['controller']['error'] == \"phase 'swing' has 2 coordinates, phase 'flight' has 4\""
task twins '' '' '' && sed -i 's/name: to-rest/name: One/' cart-pole/twins.yaml
ends 1 run cart-pole/twins.yaml -o twins
says "phases 'one' and 'One' have the same name in C"
exit $failed
