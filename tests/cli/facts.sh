# What scripts that try the program share: `. facts.sh` with DMOC and SOURCE as arguments goes to a folder of
# its own and gives facts to state; `exit $failed` ends the script.
set -u
dmoc=$(readlink -f "$1") source=$(readlink -f "$2")
dir=$(mktemp -d)
trap 'rm -rf "$dir" "$dir".*; printf "\\0" >&8' EXIT
cd "$dir" || exit 3
failed=0
# turn: is this case, which repeats others, tried? The first of $DMOC_SHARE cases; at night each
turned=0
turn() { turned=$((turned + 1)) && [ $((turned % ${DMOC_SHARE:-1})) = $((1 % ${DMOC_SHARE:-1})) ]; }
# pictures are the facts that they would be drawn from, as JSON (cli/pictures/facts.h); `drawn` draws them
printf '#!/bin/sh\ncat\necho "{}" >&3\n' >"$dir.draws"
chmod +x "$dir.draws"
export DMOC_PYTHON="$dir.draws"

# one interpreter, which no `wait` waits for, evaluates all expressions of a script (value, below); `interpreter`: if it
# needs more than the standard library
mkfifo "$dir.asked" "$dir.answered" || exit 3
("${interpreter:-python3}" -c 'import hashlib, json, os, sys
names = {"hashlib": hashlib, "json": json, "os": os}
words = iter(lambda: os.fsdecode(b"".join(iter(lambda: sys.stdin.buffer.read(1), b"\0"))), "")
for folder, path, expression in zip(words, words, words):
    try:
        os.chdir(folder)
        names["path"] = path
        if not os.path.isdir(path):
            with open(path, "rb") as f:
                names["o"] = json.load(f)
        print(eval(expression, names), flush=True)
    except Exception as error:
        print(f": {type(error).__name__}: {error}".replace("\n", " "), flush=True)
' <"$dir.asked" >"$dir.answered" &)
exec 8>"$dir.asked" 9<"$dir.answered"

# fact NAME CONDITION...: the condition holds
fact() {
  name=$1
  shift
  "$@" || {
    echo "not so: $name"
    echo "    stdout: $(head -c 600 out)"
    echo "    stderr: $(head -c 600 err)"
    failed=1
  }
}
# ends STATUS WORDS...: the program ends with that status; its words are in out and err
ends() {
  want=$1
  shift
  "$dmoc" "$@" >out 2>err </dev/null
  got=$?
  [ $got = "$want" ] || {
    echo "dmoc $*: exit status $got, expected $want"
    echo "    stderr: $(head -c 600 err)"
    failed=1
  }
}
# drawn WORDS...: a picture that Python draws
drawn() {
  DMOC_PYTHON=python3 "$dmoc" plot "$@" >out 2>err </dev/null || {
    echo "dmoc plot $*: $(head -c 600 err)"
    failed=1
  }
}
# whether there is a Python that can draw
can_draw() {
  for python in python3 /usr/bin/python3; do
    "$python" -c 'import importlib.util, sys; sys.exit(not importlib.util.find_spec("matplotlib"))' && return 0
  done
  echo "skipped: pictures (needs matplotlib)"
  return 1
}
says() { fact "stderr says '$1'" grep -q -e "$1" err; }
# json FILE EXPRESSION: a Python expression on the JSON object o of a file holds; value: its value, also of one on the
# path of a folder
json() {
  said=$(value "$1" "bool($2)")
  fact "$2 in $1${said#False}" [ "$said" = True ]
}
value() {
  printf '%s\0' "$PWD" "$1" "$2" >&8
  IFS= read -r said <&9
  printf '%s\n' "$said"
}
# a result folder as earlier versions left it: without digests of its files, and without copies of its inputs
loosen() {
  rm -rf "$1/inputs"
  python3 -c 'import json, sys
path = sys.argv[1] + "/result.json"
o = json.load(open(path))
o.pop("files", None), o.pop("problem_copy", None)
json.dump(o, open(path, "w"))' "$1"
}
# plain EXCEPT...: all tables that commands have written are such as any program reads; but for folders and files that
# the script has spoiled or brought
plain() {
  python3 "$source/tests/cli/plain.py" . "$@" >out 2>err
  fact "every table is plain" [ $? = 0 ]
}
# agree HOW FILE PLANT PLANT: each sample starts the same on two plants, and ends so closely
agree() {
  fact "samples of the $3 and the $4 plant agree in $2" python3 - "$@" <<'PYTHON'
import csv, sys
how, path, *plants = sys.argv[1:]
rows = list(csv.DictReader(open(path)))
a, b = ([r for r in rows if r["plant"] == p] for p in plants)
far = lambda key: max(abs(float(r[key]) - float(s[key])) for r, s in zip(a, b))
if not (a and b):
    print("skipped: the", plants[bool(a)], "plant (not in this build)")
    sys.exit(0)
sys.exit(not (far("start_q_error") == 0 and max(far("final_error"), far("worst_error")) < float(how)))
PYTHON
}
# hoist.yaml: a load on a string that a hook carries along; what is to be added to its feedback and verify
hoist() {
  cat >hoist.yaml <<YAML
model:
  bodies:
    - {name: load, joints: [{name: x, type: tx}, {name: z, type: tz}], mass: 1}
    - {name: crane, joints: [{name: hook, type: tx, kinematic: true}]}
  constraints:
    - {name: string, type: distance, bodies: [load, crane], length: 1}
simulate: {steps: 300, step: 0.01, start: {q: {z: -1}}}
feedback: {Q: {q: {x: 10, hook: 1}, p: 1}, R: 1$1}
verify: {samples: 10, spread: {q: 0.05, v: 0.1}, tolerance: 0.05$2}
YAML
}
