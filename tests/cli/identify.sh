#!/bin/sh
# dmoc identify as a user meets it: logs of several forms, what it refuses, and the files that it writes.
#   identify.sh DMOC SOURCE
. "$(dirname "$0")/facts.sh"
cp "$source/problems/bench/double-pendulum.urdf" .

# a machine whose numbers are known, and its log: a sample every 2 ms
cat >plant.yaml <<'YAML'
model:
  robot: double-pendulum.urdf
  links: {lower: {mass: 0.7, center: [0, 0, -0.2], inertia: [0.012, 0.012, 0.001]}}
  damping: {shoulder: 0.05, elbow: 0.02}
  armature: {elbow: 0.003}
inputs: all
simulate: {time: 6, step: 0.002, input: {csv: drive.csv}}
YAML
awk 'BEGIN {print "t,u.shoulder,u.elbow"; for (t = 0; t < 6; t += 0.002) print t "," 3*sin(5*t) "," sin(8*t+1)}' >drive.csv
ends 0 simulate plant.yaml -o log
cut -d, -f2-4,9,10 log/trajectory.csv >columns
fact "the columns are times, positions and inputs" [ "$(head -1 columns)" = t,q.shoulder,q.elbow,u.shoulder,u.elbow ]
mv columns log.csv
cat >robot.yaml <<'YAML'
model: {robot: double-pendulum.urdf}
inputs: all
identify: {parameters: [links.lower, damping, armature.elbow], step: 0.002, noise: {q: 1e-4, u: 0.01}}
YAML

# --- the step is that of the simulation: the fit finds the numbers, and the problem file with them has them ---
ends 0 identify robot.yaml log.csv -o fit --json
json out "abs(o['parameters']['damping.shoulder']['value'] - 0.05) < 1e-3 and abs(o['parameters']['damping.elbow']['value'] - 0.02) < 1e-3"
json out "abs(o['parameters']['armature.elbow']['value'] - 0.003) < 1e-4"
json out "o['status'] == 'solved' and o['logs'][0]['joints']['elbow']['force_rms'] < 0.01"
json out "abs([c for c in o['combinations'] if c['combination'].startswith('lower.zz')][0]['value'] - (0.012 + 0.7 * 0.04)) < 1e-3"
cp out first.json
json fit/identify.json "o['parameters'] == json.load(open('first.json'))['parameters']"
ends 0 info fit/fitted.urdf
ends 0 info fit/fitted.yaml --json
json out "abs(o['coordinate'][0]['damping'] - 0.05) < 1e-3"
ends 0 identify fit/fitted.yaml log.csv --parameters none -o again --json
json out "o['status'] == 'evaluated' and o['logs'][0]['joints']['elbow']['force_rms'] < 0.01"
fact "a table of its covariance, with names" [ "$(head -1 fit/covariance.csv | tr , '\n' | wc -l)" = "$(($(wc -l <fit/parameters.csv) - 1))" ]

# --- an arm on a turntable: eight numbers of its links act, and no others; a ninth would be of rounding alone ---
cat >turntable.yaml <<'YAML'
model:
  bodies:
    - {name: base, joints: [{name: yaw, type: rz}], mass: 2, inertia: [0.02, 0.02, 0.03]}
    - {name: arm, parent: base, offset: {xyz: [0.1, 0, 0.2]}, joints: [{name: lift, type: ry}], mass: 0.8, centre: [0.15, 0, 0],
       inertia: [0.001, 0.006, 0.006]}
inputs: all
simulate: {time: 2, step: 0.002, input: {csv: turns.csv}}
identify: {parameters: [links], noise: {q: 1e-4, u: 0.01}}
YAML
sed 's/u.shoulder,u.elbow/u.yaw,u.lift/' drive.csv >turns.csv
ends 0 simulate turntable.yaml -o turntable
ends 0 identify turntable.yaml turntable/trajectory.csv -o arm --json
json out "len(o['combinations']) == 8 and all(c['deviation'] < 0.01 for c in o['combinations'])"

# --- the same log in other forms: names, degrees, milliseconds, currents, own times, dropped samples ---
awk -F, 'NR == 1 {print "ms,clock,a1,a2,i1,i2"; next}
  {print 1000*$1 "," 1000*$1 "," (NR % 7 ? $2*180/3.141592653589793 : "nan") "," $3*180/3.141592653589793 "," $4/0.5 "," (NR % 11 ? $5 : "")}' OFMT=%.12g CONVFMT=%.12g log.csv >other.csv
cat >other.yaml <<'YAML'
model: {robot: double-pendulum.urdf}
inputs: all
identify:
  parameters: [links.lower, damping, armature.elbow]
  noise: {q: 1e-4, u: 0.01}
  columns: {q.shoulder: a1, q.elbow: a2, u.shoulder: i1, u.elbow: i2}
  time: {q.shoulder: ms, q.elbow: ms, u.shoulder: clock, u.elbow: clock}
  time_unit: ms
  unit: degrees
  torque_constant: {shoulder: 0.5}
YAML
ends 0 identify other.yaml other.csv -o other --json
says 'samples are dropped'
json out "abs(o['parameters']['damping.shoulder']['value'] - 0.05) < 1e-3"

# --- a recording that dmoc writes; others are refused ---
ends 0 convert log -o log.mcap
ends 0 identify robot.yaml log.mcap -o mcap --json
json out "abs(o['parameters']['damping.shoulder']['value'] - 0.05) < 1e-3"
head -c 3000 log.mcap >cut.mcap
ends 2 identify robot.yaml cut.mcap -o no
says 'cut.mcap: found a '
cp log.csv text.mcap
ends 2 identify robot.yaml text.mcap -o no
says 'text.mcap: found no MCAP recording'

# --- a robot file alone becomes a problem file ---
ends 0 identify double-pendulum.urdf log.csv --parameters damping -o alone
fact "which names the robot" grep -q 'robot: double-pendulum.urdf' alone/fitted.yaml
ends 0 info alone/fitted.yaml

# --- refusals name the file, the line, and the remedy ---
refuses() {
  ends 2 identify robot.yaml "$@" -o no
  fact "no folder is left" [ ! -e no ]
}
refuses .
says 'cannot be read'
refuses none.csv
says 'none.csv: .*cannot be read'
sed '1s/q.elbow/q.elbw/' log.csv >bad.csv
refuses bad.csv
says "bad.csv:1: found no column 'q.elbow', .*did you mean 'q.elbw'"
sed '9s/,[^,]*/,x/' log.csv >bad.csv
refuses bad.csv
says "bad.csv:9: column 'q.shoulder': found 'x', expected a finite number"
sed '9s/,[^,]*/,inf/' log.csv >bad.csv
refuses bad.csv
says "bad.csv:9: .*found 'inf'"
sed '9s/^[^,]*/0.001/' log.csv >bad.csv
refuses bad.csv
says 'bad.csv:9: .*ascending times'
head -1 log.csv >bad.csv
refuses bad.csv
says 'bad.csv'
head -2 log.csv >bad.csv
refuses bad.csv
says 'found 1 samples, expected two or more'
head -5 log.csv >bad.csv
refuses bad.csv
says 'too few samples'
awk -F, 'NR == 1 || NR % 20 == 0' log.csv >bad.csv
refuses bad.csv
says 'bad.csv'
ends 2 identify robot.yaml
says 'found no log, expected one or more'
ends 2 identify robot.yaml log.csv --parameters damping.elbw -o no
says "found 'damping.elbw'.*did you mean 'damping.elbow'"
printf '%s\n' 'model: {robot: double-pendulum.urdf}' 'inputs: all' 'identify: {columns: {q.elbo: x}}' >bad.yaml
ends 2 identify bad.yaml log.csv -o no
says "bad.yaml:3:22: identify.columns: found 'q.elbo'.*did you mean 'q.elbow'"
ends 2 check bad.yaml
sed 's/model: {/model: {links: {lower: {inertia: [0.02, 0.001, 0.001]}}, /' robot.yaml >odd.yaml
ends 2 identify odd.yaml log.csv -o no
says 'links.lower: found moments of 0.001, 0.02 and 0.001 kg m2 .*no body has these'
awk -F, 'NR == 1 {print; next} {print $1 ",0,0,0,0"}' log.csv >still.csv
sed 's/model: {/model: {damping: 0.1, /' robot.yaml >damped.yaml
ends 2 identify damped.yaml still.csv --parameters damping -o no
says 'no information about damping.shoulder, damping.elbow'

# --- the eight logs of the real machine ---
logs=$source/../shared/data/logs
if [ -r "$logs/143339.csv" ]; then
  cd "$logs" || exit 3
  problem=$source/problems/machine/double-pendulum.yaml
  set -- 143339.csv 143524.csv 143704.csv 143747.csv 143906.csv 144003.csv --hold-out 144115.csv --hold-out 154220.csv --quiet --json
  "$dmoc" identify "$problem" "$@" -o "$dir/ten" >"$dir/ten.json" 2>"$dir/err"
  "$dmoc" identify "$problem" "$@" --parameters none -o "$dir/theirs" >"$dir/theirs.json" 2>"$dir/err"
  cd "$dir" || exit 3
  cp ten.json out
  fact "on logs held out the fit lacks less force than the published numbers" python3 -c '
import json
ours, theirs = (json.load(open(name))["logs"][6:] for name in ("ten.json", "theirs.json"))
for a, b in zip(ours, theirs):
    assert a["held_out"] and a["log"] == b["log"]
    for joint in a["joints"]:
        assert a["joints"][joint]["force_rms"] < b["joints"][joint]["force_rms"], (a["log"], joint)'
else
  echo "skipped: the eight logs of a real machine (not here)"
fi
exit $failed
