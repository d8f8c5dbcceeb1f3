#!/bin/sh
# dmoc excite as a user meets it: a plan with gains for verify, identify and export, and refusals.
#   excite.sh DMOC SOURCE
. "$(dirname "$0")/facts.sh"

cp "$source/problems/two-link/excite.yaml" arm.yaml
sed -i 's/steps: 500, time: 5/steps: 100, time: 2/' arm.yaml

# --- the motion ---
ends 0 excite arm.yaml -o motion
json motion/result.json 'o["status"] == "solved" and o["information"]["log_det"] > o["information"]["multisine"] + 1'
json motion/result.json 'o["information"]["shown"] == 9 and o["information"]["condition"] > 1'
json motion/result.json 'len(o["information"]["parameters"]) == 23 and len(o["information"]["least_known"]) == 3'
json motion/result.json 'o["information"]["parameters"]["damping.lower"]["value"] == 0.02'
fact "it has gains" test -s motion/gains.csv
fact "its limits hold" python3 -c 'import csv
for row in csv.DictReader(open("motion/trajectory.csv")):
    for name, most in {"q.lower": 2.5, "v.upper": 12, "v.lower": 12, "u.upper": 4, "u.lower": 2.5}.items():
        assert not row[name] or abs(float(row[name])) <= most + 1e-6, (name, row)'
ends 0 excite arm.yaml -o again
fact "it is the same again" cmp -s motion/trajectory.csv again/trajectory.csv

# --- the loop: a log, a fit, machines from its covariance ---
python3 -c 'import csv, random
random.seed(1)
with open("log.csv", "w") as f:
    f.write("t,q.upper,q.lower,u.upper,u.lower\n")
    for row in csv.DictReader(open("motion/trajectory.csv")):
        q = [float(row[n]) + random.gauss(0, 1e-4) for n in ("q.upper", "q.lower")]
        u = [float(row[n] or 0) + random.gauss(0, 0.05) for n in ("u.upper", "u.lower")]
        f.write(row["t"] + ",%.9g,%.9g,%.9g,%.9g\n" % (*q, *u))'
sed 's/noise: {/step: 0.02, noise: {/' arm.yaml >fit.yaml
ends 0 identify fit.yaml log.csv -o fit
sed 's/tolerance: 0.1/tolerance: 0.5, errors: {from: fit}/; s/samples: 100/samples: 20/' arm.yaml >machines.yaml
ends 0 excite machines.yaml -o machines
ends 0 verify machines
json machines/result.json 'o["verify"]["continuous"]["rate"] >= 0.9'
# the impulses of an estimator stand for differences that drawn machines have: here none
mkdir same
printf 'name,value\ndamping.swing,0.1\n' >same/parameters.csv
printf 'damping.swing\n0\n' >same/covariance.csv
cat >drawn.yaml <<'YAML'
model: {bodies: [{name: bob, joints: [{name: swing, type: ry, damping: 0.1}], mass: 1, centre: [0, 0, -1]}]}
inputs: [{joint: swing}]
balance: {q: {swing: pi}, steps: 50, time: 2}
feedback: {Q: {q: 1, p: 1}, R: 1, estimator: {encoder: 1e-6, process: 1}}
verify: {samples: 10, required: 0, tolerance: 1e-3, spread: {q: 0, v: 0}, errors: {from: same}}
YAML
ends 0 run drawn.yaml -o drawn
sed 's/, errors: .*/}/' drawn.yaml >pushed.yaml
ends 0 run pushed.yaml -o pushed
json drawn/result.json 'o["verify"]["continuous"]["held"] == 10'
json pushed/result.json 'o["verify"]["continuous"]["held"] == 0'
ends 0 export machines
fact "a controller is there" test -s machines/controller.c

# --- refusals ---
ends 2 excite motion
says "excite takes a problem file, but motion is a folder"
sed 's/time: 2/time: {free: [1, 3], guess: 2}/' arm.yaml >free.yaml
ends 2 excite free.yaml
says "free.yaml: found a free final time, expected a task without"
sed 's/parameters: \[links/parameters: [encoders.lower, links/' arm.yaml >zeros.yaml
ends 2 excite zeros.yaml
says "found the parameter 'encoders.lower', expected parameters of the robot's equations"
sed 's/parameters: \[links/parameters: [lynx/' arm.yaml >lynx.yaml
ends 2 excite lynx.yaml
says "lynx"
sed '/^horizon/d' arm.yaml >still.yaml
ends 2 excite still.yaml
exit $failed
