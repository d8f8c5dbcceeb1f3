#!/bin/sh
# Result folders: what is in them after a command that was killed, failed, or met another one, at each point
# where that can be; and after the files that they came from are gone.
#   folder.sh DMOC SOURCE FAULTS SANITIZER EACH          (of the calls every EACH-th one, from the first on)
faults=$(readlink -f "$3") sanitizer=$4 each=$5
export PYTHONDONTWRITEBYTECODE=1
for interpreter in /usr/bin/python3 python3; do
  "$interpreter" -c 'import numpy' 2>/dev/null && numpy=yes && break
done
. "$(dirname "$0")/facts.sh"

# two results of the same files, told by their tables: old, new
small() { sed -i 's/steps: 300/steps: 12/; s/samples: 10/samples: 2, required: 0/' hoist.yaml; }
hoist '' '' && small && cp hoist.yaml old.yaml
hoist ', hold: 0' ', seed: 7' && small && sed -i 's/hook: 1}, p: 1/hook: 2}, p: 2/' hoist.yaml
sed -i 's/, hold: 0//' hoist.yaml && cp hoist.yaml new.yaml
printf 'model: {bodies: [{name: b, joints: [{name: x, type: tx}], mass: 1}]}\nsimulate: {steps: 3, step: 0.1}\n' >tiny.yaml

# the names and tables of a folder, but for its page and what is at work in it; `half` where a commit waits to be finished
state() {
  value "$1" "hashlib.sha256(repr(sorted((at, open(at, 'rb').read()) for at in (
    os.path.join(d, f) for d, _, fs in os.walk('.' if os.chdir(path) else '.') for f in fs)
    if not at.startswith(('./.dmoc-new/', './unfinished/')) and not os.path.islink(at)
    and os.path.basename(at) not in ('result.json', 'report.html'))).encode()).hexdigest()"
}
# result.json's digests are those of the files
whole() {
  intact=$(value "$1/result.json" "[
    present := {os.path.relpath(os.path.join(d, f), path[:-12]) for d, _, fs in os.walk(path[:-12]) for f in fs
                if '.dmoc-new' not in d and 'unfinished' not in d},
    present - {'result.json', 'report.html', 'mine.txt'} == set(o['files']) and
    all(hashlib.sha256(open(path[:-11] + f, 'rb').read()).hexdigest() == h for f, h in o['files'].items()) and
    ('report.html' not in present or o['files']['trajectory.csv'] in open(path[:-11] + 'report.html').read())][1]")
  [ "$intact" = True ]
}

# dmoc.load of a folder and all of its tables: `whole`, or the last line of what is raised
[ -n "${numpy:-}" ] || echo "skipped: Python (needs numpy)"
loaded() {
  [ -n "${numpy:-}" ] || {
    [ -e "$1/.dmoc-new/commit" ] && echo "is unfinished: 'dmoc finish way' does the rest"
    echo whole
    return
  }
  value "$1" "[__import__('sys').path.insert(0, '$source/python'), read := __import__('dmoc').load(path),
    [read.table(name) for name in read.files], 'whole'][-1]"
}

ends 0 run old.yaml -o old
ends 0 run new.yaml -o new
for d in old new; do # the problem's copy has one name
  mv $d.yaml task.yaml
  rm -r $d && ends 0 run task.yaml -o $d
  echo 'a note of mine' >$d/mine.txt
  mv task.yaml $d.yaml
done
old=$(state old) new=$(state new)
fact "two results that differ" [ "$old" != "$new" ]
whole old
fact "a folder is what its result.json says" [ $? = 0 ]

# --- killed, or without room, at each call: the folder is the old one or the new one, and whole ---
# Python reads the folder after kills at renameat; at night after every kill
in_python() { [ "$1" = kill ] && { [ "$2" = renameat ] || [ "$each" = 1 ]; }; }
# struck WHAT FUNCTION: at its first call, the next ... until the command makes fewer
struck() {
  n=$((1 - each)) round=0 before=0 between=0 after=0
  while n=$((n + each)) && [ $n -lt 400 ]; do
    rm -rf way && cp -r old way
    cp new.yaml task.yaml
    FAULT="$1 $2 $n" LD_PRELOAD="$faults" "$dmoc" run task.yaml -o way >out 2>err </dev/null
    status=$?
    grep -q '^struck' err || break
    cp err said
    # what lies there: one of both as it is, or half way with the list that tells
    is=$(state way)
    if [ -e way/.dmoc-new/commit ]; then
      between=$((between + 1))
    else
      fact "$1 $2 $n leaves one or the other" [ "$is" = "$old" -o "$is" = "$new" ]
    fi
    # who reads it finds it whole, or is told which command finishes it; nothing is written
    "$dmoc" linearize way --knot 0 -o read >out 2>err </dev/null
    read=$?
    ! in_python "$1" "$2" || loaded way >loaded 2>&1
    if [ -e way/.dmoc-new/commit ]; then
      fact "$1 $2 $n is refused" [ $read = 2 ]
      says "way is unfinished: .*'dmoc finish way' does the rest"
      ! in_python "$1" "$2" || fact "$1 $2 $n is refused in Python" grep -q "is unfinished: .*'dmoc finish .*way' does the rest" loaded
      fact "$1 $2 $n is left as it was by readers" [ "$(state way)" = "$is" ]
      ends 0 finish way
    else
      fact "$1 $2 $n can be read" [ $read = 0 ]
    fi
    ! in_python "$1" "$2" || loaded way >loaded 2>&1
    ! in_python "$1" "$2" || fact "$1 $2 $n is one result in Python" grep -q "^whole$" loaded
    is=$(state way)
    fact "$1 $2 $n ends as one or the other" [ "$is" = "$old" -o "$is" = "$new" ]
    fact "$1 $2 $n leaves no commit" [ ! -e way/.dmoc-new/commit ]
    whole way || fact "$1 $2 $n leaves a whole folder" false
    if [ "$is" = "$old" ]; then before=$((before + 1)); else after=$((after + 1)); fi
    [ $status != 0 ] || fact "$1 $2 $n: what is said to be written is" [ "$is" = "$new" ]
    [ "$1" != full ] || [ $status = 0 ] || fact "$1 $2 $n is told" grep -q '^dmoc: ' said
    # and whoever writes next is not in its way
    round=$((round + 1))
    [ $((round % 3)) = 0 ] || continue
    ends 0 run task.yaml -o way
    fact "$1 $2 $n leaves no leftovers" [ "$(state way)" = "$new" -a ! -e way/.dmoc-new -a ! -e way/unfinished ]
  done
  fact "$1 $2: the command comes to its end without" [ "$status" = 0 -a "$(state way)" = "$new" ]
  echo "$1 $2: $before old, $after new, of these $between finished by the next"
}
if [ "$sanitizer" != none ]; then
  echo "skipped: faults (a sanitizer wants to be loaded first)"
else
  rm -rf way read
  for function in renameat fsync unlinkat mkdirat fflush; do
    struck kill $function
    [ $function = unlinkat ] || fact "kills at $function come before" [ $before -gt 0 ]
    # of some functions the last call alone comes after: every call is tried at night
    [ $each != 1 ] || fact "kills at $function come after" [ $after -gt 0 ]
    [ $function != renameat ] || fact "and between" [ $between -gt $((4 / each)) ]
  done
  for function in renameat fsync fdopen mkdirat fflush; do
    struck full $function
    fact "no room at $function leaves the old one" [ $before -gt 0 ]
  done
fi
# --- two commands at once ---
# held CALL COMMAND...: a command that stops at a call, in the background; until there is a file `go`
held() {
  rm -f go held.err
  call=$1
  shift
  FAULT="hold $call" FAULT_UNTIL=go LD_PRELOAD="$faults" "$dmoc" "$@" >held.out 2>held.err </dev/null &
  i=0
  while ! grep -q '^struck' held.err 2>/dev/null && [ $i -lt 300 ]; do sleep 0.05 && i=$((i + 1)); done
}
cp old.yaml task.yaml
if [ "$sanitizer" = none ]; then
  rm -rf way && cp -r old way
  cp new.yaml task.yaml
  held 'fsync 1' run task.yaml -o way
  ends 2 run task.yaml -o way
  says 'another dmoc command is at work in way and writes it: wait for its end, or write elsewhere'
  ends 2 gains way
  says 'another dmoc command is at work in way'
  ends 0 gains way -o other
  fact "one that reads finds the old one" [ "$(sed -n 2p other/trajectory.csv)" = "$(sed -n 2p old/trajectory.csv)" ]
  touch go
  wait $!
  fact "the first writer ends" [ $? = 0 -a "$(state way)" = "$new" ]

  rm -rf way other && cp -r old way
  # in the middle of the commit: of the renames the last half
  FAULT='count renameat 1' LD_PRELOAD="$faults" "$dmoc" run task.yaml -o way >out 2>err </dev/null
  calls=$(sed -n 's/^calls //p' err)
  rm -rf way && cp -r old way
  held "renameat $((calls * 2 / 3))" run task.yaml -o way
  fact "a commit is under way" [ -e way/.dmoc-new/commit ]
  "$dmoc" linearize way --knot 0 -o other >out 2>err </dev/null &
  sleep 0.5
  fact "a reader waits for a commit" [ ! -e other/result.json ]
  touch go
  wait
  fact "and then reads the new one" cmp -s other/gains.csv new/gains.csv

  # no room for the page of a result: the result is there, and the exit status says that the page is not
  rm -rf other
  FAULT='count fflush 1' LD_PRELOAD="$faults" "$dmoc" run task.yaml -o other >out 2>err </dev/null
  calls=$(sed -n 's/^calls //p' err)
  rm -rf other
  FAULT="full fflush $calls" LD_PRELOAD="$faults" "$dmoc" run task.yaml -o other --json >out 2>err </dev/null
  fact "a page without room: exit status 2" [ $? = 2 ]
  says 'other/report.html cannot be written: No space left on device'
  json out "o['exit'] == 2 and 'No space' in o['error'] and o['warnings'] and o['steps'] == 12"
  fact "the result is there without a page" sh -c '[ ! -e other/report.html ] && cmp other/gains.csv new/gains.csv'
  whole other || fact "a result without a page is one result" false
  rm -r other

  # a signal while a page of the result is made: the result is there, without it
  FAULT='count fdopen 1' LD_PRELOAD="$faults" "$dmoc" run task.yaml -o other >out 2>err </dev/null
  held "fdopen $(sed -n 's/^calls //p' err)" run task.yaml -o way
  kill -TERM $!
  wait $!
  fact "a signal does not wait for a page" [ $? = 1 -a ! -e way/report.html ]
  fact "and that is said" grep -q 'interrupted: the result is in way, without a page of it' held.err
  fact "the result is the new one" [ "$(state way)" = "$new" ]
  whole way || fact "a result without a page is whole" false
  rm -r other

  # the first of many that would write wins, each of the others is told so, and nothing is mixed
  rm -rf way && cp -r old way
  for i in 1 2 3 4 5 6; do
    (
      "$dmoc" run task.yaml -o way >out$i 2>err$i </dev/null
      echo $? >end$i
    ) &
  done
  wait
  fact "one wrote at least" grep -q '^0' end1 end2 end3 end4 end5 end6
  for i in 1 2 3 4 5 6; do
    [ "$(cat end$i)" = 0 ] || fact "writer $i was refused by name" grep -q 'another dmoc command is at work in way' err$i
  done
  fact "of several writers one's files are there" [ "$(state way)" = "$new" -a ! -e way/.dmoc-new ]
  whole way || fact "several writers leave a whole folder" false

  # killed among the renames of a new folder: the next command that writes has it whole
  rm -rf fresh
  FAULT='kill renameat 4' LD_PRELOAD="$faults" "$dmoc" run task.yaml -o fresh >out 2>err </dev/null
  fact "there is no result.json yet" [ ! -e fresh/result.json -a -e fresh/.dmoc-new/commit ]
  cp -r fresh copied
  ends 2 gains copied
  says 'copied/.dmoc-new/commit was not begun by this user in this folder, and nothing of it is done'
  fact "a copy is as it was" [ "$(state copied)" = "$(state fresh)" ]
  rm -r copied
  ends 0 gains fresh
  ends 0 verify fresh
  whole fresh || fact "what was begun is whole then" false
  rm -r fresh

  # the folder goes while a command is at work in it
  rm -rf way && cp -r old way
  held 'fsync 1' run task.yaml -o way
  rm -rf way
  touch go
  wait $!
  fact "a folder that was removed: exit status 2" [ $? = 2 ]
  fact "and nothing in its place" [ ! -e way ]
  fact "and said" grep -q 'way was removed while dmoc was at work: nothing is written' held.err
fi

# --- what a killed command left is removed by the next writer, what is of others is not ---
rm -rf way && cp -r old way
cp old.yaml task.yaml
mkdir -p way/.dmoc-new way/figures && echo half >way/.dmoc-new/gains.csv && echo mine >way/figures/a
ends 0 gains way
fact "leftovers are gone, a folder of one's own is not" [ ! -e way/.dmoc-new -a -e way/figures/a -a -e way/mine.txt ]
# a folder stands where a file is to come: nothing is changed
rm way/gains.csv && mkdir way/gains.csv
before=$(cd way && find . -type f | LC_ALL=C sort | xargs cksum)
ends 2 run task.yaml -o way
says 'way/gains.csv cannot be written: Is a directory'
fact "all else is as it was" [ "$before" = "$(cd way && find . -type f | LC_ALL=C sort | xargs cksum)" ]
rm -r way

# --- a folder that is not whole is refused, by all who read it ---
for stage in gains verify export linearize "plot -o x.svg"; do
  for harm in 'rm harmed/trajectory.csv' 'echo 1 >>harmed/gains.csv' 'cp new/verify.csv harmed/verify.csv' 'echo "# ">>harmed/inputs/task.yaml'; do
    rm -rf harmed && cp -r old harmed && eval "$harm"
    # shellcheck disable=SC2086 # words
    ends 2 $stage harmed
    says 'harmed/[a-z/.]* \(cannot be read: No such file\|is damaged: found the SHA-256 [0-9a-f]*.., expected [0-9a-f]*.. by the result.json beside it\)'
  done
done
rm -rf harmed && cp -r old harmed && head -c 300 old/result.json >harmed/result.json
ends 2 verify harmed
says 'harmed/result.json is damaged'

# --- what fails leaves what is there, and says where the rest is ---
rm -rf way && cp -r old way
while IFS='|' read -r word change; do
  sed "$change" old.yaml >task.yaml
  for command in "run task.yaml -o way" "gains task.yaml -o way" "verify task.yaml -o way" "export task.yaml -o way"; do
    # shellcheck disable=SC2086 # words
    "$dmoc" $command >out 2>err </dev/null
    fact "$command with $word does not succeed" [ $? != 0 ]
    fact "$command with $word leaves what was there" [ "$(state way)" = "$old" ]
    whole way || fact "$command with $word leaves a whole folder" false
  done
done <<'TABLE'
a key that is none|s/steps: 12/stepz: 12/
a start that cannot be|s/{q: {z: -1}}/{q: {z: -1, x: 3}, assemble: none}/
a motion that cannot be stepped|s/{q: {z: -1}}/{q: {z: -1}, v: {x: 300}}/
gains that there are none of|s/Q: {q: {x: 10, hook: 1}, p: 1}/Q: {q: 0, p: 0}/
samples that are not a number|s/samples: 2/samples: 1e20/
TABLE
sed 's/{q: {z: -1}}/{q: {z: -1}, v: {x: 300}}/' old.yaml >task.yaml
ends 1 simulate task.yaml -o way
says 'way has a result that came further and stays as it is; this one is in way/unfinished'
json way/unfinished/result.json "o['status'] == 'failed'"
fact "the motion that ended early is a result folder of its own" [ -s way/unfinished/trajectory.csv -a -s way/unfinished/inputs/task.yaml ]
ends 1 simulate task.yaml -o fresh
fact "in a new folder it is in its place" [ -s fresh/trajectory.csv -a ! -e fresh/unfinished ]
cp old.yaml task.yaml
ends 0 run task.yaml -o way
fact "what succeeds replaces both" [ "$(state way)" = "$old" -a ! -e way/unfinished ]
ends 2 run nowhere.yaml -o none
fact "a folder of nothing is not made" [ ! -e none ]

# --- a folder goes on without the files it came from ---
mkdir -p task/parts && cp "$source/problems/cart-pole/cart-pole.urdf" task/parts/
cat >task/hold.yaml <<'YAML'
model: {urdf: parts/cart-pole.urdf}
simulate: {steps: 40, step: 0.02, start: {q: {pole: 3.1}}, input: {csv: "push it.csv"}}
feedback: {Q: {q: 10, p: 1}, R: 1}
verify: {samples: 2, required: 0}
YAML
printf 't,u.slider\n0,1\n0.4,-1\n' >'task/push it.csv'
ends 0 run task/hold.yaml -o kept
fact "copies of all three" [ "$(find kept/inputs -type f | wc -l)" = 3 -a -s kept/inputs/hold.yaml ]
cp kept/verify.csv kept/gains.csv .
ends 0 verify kept
fact "no word of changes" sh -c '! grep -q changed err'
sed -i 's/R: 1/R: 5/' task/hold.yaml
ends 0 gains kept
says 'task/hold.yaml has changed since kept was made; the copy in that folder is used'
sed -i 's/R: 5/R: 1/' task/hold.yaml && echo '0.6,1' >>'task/push it.csv'
ends 0 verify kept
says 'has changed since kept was made'
mv task gone
for command in gains verify "export --force" "linearize --knot 3" "verify -o moved"; do
  # shellcheck disable=SC2086 # words
  ends 0 $command kept
  fact "$command needs no original" sh -c '! grep -q changed err'
done
fact "it is the same law" cmp -s gains.csv kept/gains.csv
fact "with the same record" cmp -s verify.csv kept/verify.csv
ends 0 plot kept -o kept.svg
ends 2 gains kept --now
says 'kept came from .*task/hold.yaml, which can no longer be read'
mv kept elsewhere
ends 0 verify elsewhere
# as earlier versions left it, it needs them
loosen elsewhere
ends 2 verify elsewhere
says 'elsewhere came from .*task/hold.yaml, which can no longer be read'
mv gone task && sed -i '$d' 'task/push it.csv'
ends 0 verify elsewhere
fact "and is made whole by the next that writes" [ -s elsewhere/inputs/hold.yaml ]
whole elsewhere
fact "with the digest of each file" [ $? = 0 ]

# --- whatever the folder is called ---
cp old.yaml task.yaml
mkdir real
for name in 'a b' "$(printf 'new\nline')" "$(printf 'byte\377s')" "it's \"\$(x)\`y\`" ./dots/../dots -o; do
  case $name in -o) name=./-o ;; esac
  ends 0 run task.yaml -o "$name"
  ends 0 verify "$name"
  whole "$name" || fact "a folder $name is whole" false
  fact "it holds what it should" [ "$(cd "$name" && cat trajectory.csv gains.csv verify.csv | cksum)" = "$(cd old && cat trajectory.csv gains.csv verify.csv | cksum)" ]
done
ln -s real link
ends 0 run task.yaml -o link
fact "a link to a folder stays one" [ -L link -a -s real/gains.csv ]
ends 0 gains real -o link
whole real || fact "a folder by two names is whole" false
(cd real && "$dmoc" verify . >../out 2>../err </dev/null)
fact "a folder can be written from within" [ $? = 0 ]
if [ "$(id -u)" != 0 ]; then # root may write anywhere
  chmod a-w real
  ends 2 gains real
  says 'real cannot be written: Permission denied'
  ends 0 gains real -o read
  chmod u+w real
fi
exit $failed
