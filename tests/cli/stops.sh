#!/bin/sh
# Limits of positions in dmoc verify: starts within them, samples that pass one, mechanical stops, and
# what is refused; encoders in a score.
#   stops.sh DMOC SOURCE
. "$(dirname "$0")/facts.sh"

# a joint that starts 0.05 rad from its stop and goes to 1 rad: file MODEL VERIFY
file() {
  cat >joint.yaml <<YAML
model: {bodies: [{name: b, joints: [{name: j, type: rz, effort: 5, $1}], inertia: [0.1, 0.1, 0.1], mass: 1}]}
horizon: {steps: 40, time: 1}
start: {q: 0, v: 0}
goal: {q: 1, v: 0}
cost: {input: 1}
feedback: {Q: {q: 100, p: 1}, R: 1}
verify: {samples: 100, spread: {q: 0.2, v: 0}$2}
YAML
}

# --- no sample starts beyond the stop; of a file that ignores it some do ---
file 'limits: [-0.05, 2]' ''
ends 0 run joint.yaml -o joint
fact "starts are drawn again" grep -q '56 starts were outside the limits of positions and drawn again' out
json joint/result.json "all(o['verify'][p]['limits']['position']['excess'] == 0 for p in ('discrete', 'continuous'))"
json joint/result.json "o['verify']['discrete']['limits']['use'] == 'fail' and o['verify']['discrete']['limits']['redrawn'] == 56"
fact "no curve begins beyond it" awk -F, 'NR == 1 { for (i = 1; i <= NF; i++) if ($i == "q.j") q = i } NR > 1 && $q < -0.05 { exit 1 }' joint/fan.csv
for threads in 1 3; do
  ends 0 verify joint -o "by-$threads" --threads $threads
  fact "the same by $threads" cmp "by-$threads/verify.csv" joint/verify.csv
done
fact "limits are the same" python3 -c 'import json
a, b = (json.load(open(f + "/result.json"))["verify"]["continuous"]["limits"] for f in ("by-1", "by-3"))
assert a == b, (a, b)'
file 'limits: [-0.05, 2]' ', limits: ignore'
ends 0 run joint.yaml -o ignored
json ignored/result.json "o['verify']['discrete']['limits']['position']['excess'] > 0.1 and o['verify']['discrete']['held'] == 100"
says 'the position of .j. is 0.146 rad beyond its limit of -0.05'

# --- samples fail that pass a limit by more than the tolerance, and it is said which joint, and what helps ---
# it starts at up to 6 rad/s either way, and comes back
far() { file "$1" ", tolerance: 0.02${2:-}"; sed -i 's/spread: {q: 0.2, v: 0}/spread: {q: 0, v: 6}/' joint.yaml; }
far 'limits: [-0.05, 2], velocity: 1.6'
ends 1 run joint.yaml -o passed
says 'the gains fail: .* on the discrete plant none diverges, but they pass a limit of position, most often that of .j., by'
says 'without limits of positions 10 of 10 of them succeed: plan with a margin (bounds.q), or verify with stops (verify.limits: stop)'
json passed/result.json "o['verify']['discrete']['limits']['passed'] > 10 and o['verify']['discrete']['lost']['limit'] == 'position'"
fact "a row says which and by how much" awk -F, '$1 == "discrete" && $10 == "j" && $11 > 0.02 && $12 == 0 { n++ } END { exit !(n > 10) }' passed/verify.csv
json passed/result.json "[s['joint'] for s in o['verify']['discrete']['limits']['speeds']] == ['j']"
json passed/result.json "o['verify']['discrete']['limits']['speeds'][0]['samples'] > 0 and o['verify']['discrete']['limits']['speeds'][0]['sample'] >= 0"
fact "speeds are told with their worst sample" grep -q 'the speed of .j. is .* beyond its limit of 1.6 at .* (sample [0-9]*; [0-9]* of 100 samples are beyond it)' out
# a margin of the plan is what helps: the limit is the robot's, not that of the plan
far 'limits: [-0.5, 2]'
echo 'bounds: {q: {j: [-0.05, 1.5]}}' >>joint.yaml
ends 0 run joint.yaml -o margin
json margin/result.json "o['verify']['held'] == 100 and o['verify']['discrete']['limits']['position']['limit'] == -0.5"
# bounds that are wider than the robot's are in their place; of a robot without limits they are the limits
far 'limits: [-0.05, 2]'
echo 'bounds: {q: {j: none}}' >>joint.yaml
ends 0 run joint.yaml -o wide
json wide/result.json "o['verify']['discrete']['limits']['position'] is None"
far 'velocity: 9'
echo 'bounds: {q: {j: [-0.05, 2]}}' >>joint.yaml
ends 1 run joint.yaml -o known

# --- stops: nothing passes them, on either plant, and the two agree ---
far 'limits: [-0.05, 2]' ', limits: stop'
ends 0 run joint.yaml -o stopped
json stopped/result.json "all(o['verify'][p]['limits']['position']['excess'] < 1e-7 for p in ('discrete', 'continuous'))"
json stopped/result.json "all(o['verify'][p]['limits']['stopped'] > 10 and o['verify'][p]['held'] == 100 for p in ('discrete', 'continuous'))"
agree 5e-3 stopped/verify.csv discrete continuous
fact "no curve passes it" awk -F, 'NR == 1 { for (i = 1; i <= NF; i++) if ($i == "q.j") q = i } NR > 1 && $q < -0.05 - 1e-7 { exit 1 }' stopped/fan.csv
ends 0 verify stopped -o three --threads 3
fact "the same by three" cmp three/verify.csv stopped/verify.csv

# --- what cannot be is refused by name ---
file 'limits: [-0.05, 2]' ', limits: stops'
ends 2 run joint.yaml
says "joint.yaml:7:[0-9]*: .*verify.limits.*'stops'.*stop"
file 'velocity: 9' ', limits: stop'
ends 2 run joint.yaml
says 'joint.yaml:7:[0-9]*: verify.limits: found stop of a robot whose positions have no limits'
file 'limits: [-1, 2], kinematic: true' ', limits: stop'
sed -i 's/effort: 5, //; s/^cost:.*/cost: {acceleration: {j: 1}}/; s/Q: {q: 100, p: 1}/Q: {q: 100}/' joint.yaml
ends 2 run joint.yaml
says 'verify.limits: found stop beside kinematic coordinates'
file 'limits: [-1e-9, 2]' ', limits: fail'
sed -i 's/q: 0.2, v: 0}/q: 1e9, v: 0}/' joint.yaml
ends 2 run joint.yaml
says 'joint.yaml:7:[0-9]*: verify.spread: found no start of sample 0 within the limits of positions in 10000 draws (in 10000 of them .j. is furthest outside'
file 'limits: [-0.05, 2]' ', start: {q: -0.1}'
ends 2 run joint.yaml
says "verify.start: found 'j' at -0.1, outside its limits \[-0.05, 2\]"
sed -i 's/start: {q: -0.1}/start: {q: -0.1}, limits: ignore/' joint.yaml
ends 0 run joint.yaml

# --- sweeps and regions draw within limits; limits end directions ---
file 'limits: [-0.05, 2]' ', sweep: {points: 3, samples: 10}, region: {directions: 20, samples: 200, rate: 0.9, most: 2}'
ends 0 run joint.yaml -o region
json region/result.json "0 < o['verify']['robustness']['region']['limited'] < 20 and o['verify']['robustness']['region']['size'] == 2"
json region/result.json "o['verify']['robustness']['start']['held'] == o['verify']['robustness']['start']['samples']"
fact "which have no failure" grep -q '^[0-9]*,[0-9.e-]*,$' region/region.csv
ends 0 plot region --what robustness -o region.svg

# --- criteria: runs that pass a limit are not survived; stops and encoders are those of verify ---
for use in fail ignore stop; do
  file 'limits: [-0.5, 1.001]' ", tolerance: 0.004, scale: {q: 10, v: 1000}, limits: $use, criteria: [{vary: inertia, of: j, from: 0.5, to: 1.5, levels: 9}]"
  sed -i 's/spread: {q: 0.2/spread: {q: 0/; s/scale: {q: 10/scale: {q: 1/' joint.yaml
  ends 0 run joint.yaml -o "score-$use"
done
fact "what passes it is not survived" python3 -c 'import json
score = [json.load(open(f"score-{use}/result.json"))["verify"]["criteria"]["score"] for use in ("fail", "ignore", "stop")]
assert score[0] <= score[1] and score[0] < score[2], score'
encoders=', tolerance: 0.2, criteria: [{vary: encoders, to: 2, levels: 6}, {vary: delay, to: 0, levels: 1}]'
file 'limits: [-2, 2]' "$encoders"
ends 0 run joint.yaml -o seen
json seen/result.json "0 < o['verify']['criteria']['encoders']['survived'] < 6 and o['verify']['criteria']['delay']['survived'] == 1"
file 'limits: [-2, 2]' "$encoders, required: 0, encoders: {counts: 3}"
ends 0 run joint.yaml -o blurred
json blurred/result.json "o['verify']['criteria']['delay']['survived'] == 0"
fact "its own steps are in the place of these" sh -c 'for f in seen blurred; do grep encoders $f/criteria.csv; done | sort | uniq -c | grep -vq " 2 " && exit 1 || exit 0'
plain
exit $failed
