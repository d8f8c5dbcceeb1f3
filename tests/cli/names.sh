#!/bin/sh
# Names that are words of a shell, a terminal, C or a table: refused where they control
# something, and text everywhere else.
#   names.sh DMOC SOURCE
# shellcheck source=tests/cli/facts.sh
. "$(dirname "$0")/facts.sh"

# a pendulum with this name of its joint, as XML has it
pendulum() {
  cat >robot.urdf <<XML
<robot name="r">
<link name="w"/>
<link name="bob"><inertial><origin xyz="0 0 -1"/><mass value="1"/>
<inertia ixx="0.1" iyy="0.1" izz="0.1" ixy="0" ixz="0" iyz="0"/></inertial></link>
<joint name="$1" type="continuous"><parent link="w"/><child link="bob"/><axis xyz="0 1 0"/><limit effort="9" velocity="9"/></joint>
</robot>
XML
}

# --- control characters: by line, in one line ---
for name in 'j&#10;!touch pwned&#10;' 'j&#9;' 'j&#127;' 'j&#x9b;2J' 'j&#x202e;'; do
  pendulum "$name"
  ends 2 info robot.urdf
  says 'robot.urdf:5: <joint>: found the control character U+[0-9A-F]* in name='
  fact "one plain line for $name" [ "$(tr -d ' -~\n' <err | wc -c)/$(wc -l <err)" = 0/1 ]
done
pendulum j
yaml() { printf '%b' "$1" >p.yaml; }
yaml 'model: {urdf: robot.urdf}\nname: "a\\n!touch pwned"\nsimulate: {time: 1, steps: 2}\n'
ends 2 check p.yaml --json
says 'p.yaml:2:7: found the control character U+000A'
json out "'U+000A' in o['error'] and o['exit'] == 2"
for name in '"a\\nb"' '"a\\e[2J"' '"a\\x9b"' '"\\N"' '"\\L"'; do
  for place in "bodies: [{name: $name, joints: [rx], mass: 1, inertia: [1, 1, 1]}]" \
    "bodies: [{name: b, joints: [{name: $name, type: rx}], mass: 1, inertia: [1, 1, 1]}]" \
    "urdf: robot.urdf, constraints: [{name: $name, type: fixed, coordinate: j}]" \
    "urdf: robot.urdf, springs: [{name: $name}]" "urdf: robot.urdf, contacts: [{name: $name}]" \
    "urdf: robot.urdf, dampers: [{name: $name}]" "urdf: robot.urdf, $name: 1"; do
    yaml "model: {$place}\nsimulate: {time: 1, steps: 2}\n"
    ends 2 check p.yaml
    says 'p.yaml:1:[0-9]*: found the control character U+'
  done
done
yaml 'model: {urdf: robot.urdf}\nname: caf\0351\nsimulate: {time: 1, steps: 2}\n'
ends 2 check p.yaml
says 'p.yaml:2:[0-9]*: found a byte that is not text'
printf 'k,q.j,u.j\033[31m\n0,0,0\n1,0,0\n' >guess.csv
swing='horizon: {steps: 20, time: 1}\nstart: {q: 0, v: 0}\ngoal: {q: 1, v: 0}\ncost: {input: 1}\n'
yaml "model: {urdf: robot.urdf, gravity: [0, 0, -9.81]}\n${swing}guess: {csv: guess.csv}\n"
ends 2 check p.yaml
says "guess.csv:1: found the control character U+001B in the column's name"
yaml "model: {urdf: robot.urdf, gravity: [0, 0, -9.81]}\n$swing"
ends 2 sweep p.yaml --vary "$(printf 'name=a\033[2J,b')" -o vary
says 'found the control character U+001B'

# --- what is left is text: to the shell, to C, to a table ---
pendulum "'\`touch pwned\`@x\${HOME}{/Bold b}_|*/ \\, &quot;%n#é"
cat >p.yaml <<'YAML'
name: "'; `touch pwned`; |$(touch pwned) \\ * ?"
model: {urdf: robot.urdf, gravity: [0, 0, -9.81]}
horizon: {steps: 20, time: 1}
start: {q: 0, v: 0}
goal: {q: 1, v: 0}
cost: {input: 1}
feedback: {Q: {q: 100, p: 1}, R: 1}
verify: {samples: 2, seed: 1, spread: {q: 0.01, v: 0.01}, tolerance: 0.5}
YAML
"$dmoc" optimize p.yaml -o probe --quiet >out 2>err
if grep -q 'no IPOPT' err; then
  echo "skipped: all that optimizes (built without IPOPT)"
  exit $failed
fi
ends 0 run p.yaml
fact "the folder has the name" [ -e "results/'; \`touch pwned\`; |\$(touch pwned) \\ * ?/result.json" ]
ends 0 run p.yaml -o way --json
json out "o['warnings'] == [] and o['largest_turn']['joint'].startswith(\"'\`touch\")"
for table in way/*.csv; do
  fact "$table has as many cells in each row" awk -F, '/^#/ { next } !n { n = NF } NF != n { exit 1 }' "$table"
done
fact "the law compiles" cc -std=c99 -Wall -Wextra -Werror -o replay way/controller.c way/controller_replay.c
(cd way && ../replay) >out 2>err
fact "and is the library's" grep -q '^[0-9]* rows, 0 numbers differ' out
if can_draw; then
  drawn way -o all.svg
  fact "the joint's name is in the picture" grep -q "'\`touch pwned\`@x" all.svg
  for kind in png pdf; do drawn way --what inputs -o all.$kind; done
  drawn way --what moving -o moving.svg
  drawn way --y q -o columns.svg
  fact 'a column by its name' grep -q "q.'\`touch pwned\`@x" columns.svg
  cp -r way "it's \`touch pwned\` {^Bold two}"
  drawn way "it's \`touch pwned\` {^Bold two}" --what trajectory -o two.svg
  fact 'a folder by its name' grep -qF 'it'"'"'s `touch pwned` {^Bold two}' two.svg
  printf "h,'; system('touch pwned')\n2,4\n1,1\n" >'table`touch pwned`.csv'
  drawn 'table`touch pwned`.csv' --what order --x h --y "'; system('touch pwned')" -o table.svg
  cp -r way "$(printf 'latin\351')"
  drawn "$(printf 'latin\351')" --what inputs -o latin.svg
fi
# the paths of pictures are no words of a shell's or of Python's
newline='a
b'
for folder in '|touch pwned #' '`touch pwned`' "it's" '$(touch pwned)' '~' '<ls' "$newline" -x "$(printf 'latin\351')"; do
  ends 0 plot way --what inputs -o "$folder/x.svg"
  fact "a picture in $folder" [ -s "./$folder/x.svg" ]
  ends 0 optimize p.yaml -o "$folder" --json
  json out "o['status'] == 'solved'"
done
printf 'h,e\033[2J\n2,4\n' >escape.csv
ends 2 plot escape.csv --x h --y e -o table.svg
says 'escape.csv:1: found the control character U+001B'
# a folder of any name can be written to, and shows itself as plain text
escape=$(printf 'red\033[31m\302\2332J')
for stage in optimize "sweep --vary cost.input=1,2" "run"; do
  # shellcheck disable=SC2086 # words
  ends 0 $stage p.yaml -o "$escape"
  fact "$stage shows no control characters" [ "$(cat out err | tr -d ' -~\n' | LC_ALL=C tr -d '\240-\377' | wc -c)" = 0 ]
done
ends 2 optimize p.yaml -o --json
says "-o needs a value: found the option '--json'"
json out "o['exit'] == 2"
fact "nothing was executed" [ -z "$(find . -name 'pwned*')" ]
exit $failed
