#!/bin/sh
# Transcriptions of second order as a user meets them: files, solvers, splines, optima of both orders.
#   second-order.sh DMOC SOURCE
. "$(dirname "$0")/facts.sh"

cp -r "$source/problems/two-link" "$source/problems/splines" "$source/problems/acrobot" .
swing=two-link/swing-up.yaml
# a number of a result folder
of() { value "$1/result.json" "$2"; }
# a condition on the rows of a table, each a dictionary of numbers
rows() {
  fact "$2 in $1" python3 -c '
import csv, sys
rows = [{k: float(v) if v else None for k, v in r.items()} for r in csv.DictReader(open(sys.argv[1]))]
sys.exit(not all(eval(sys.argv[2], {"r": r, "abs": abs}) for r in rows))' "$1" "$2"
}

# --- a flow is exact for splines: x = t + t^2 - t^3/4, y = t^2/2 + t^3/30 ---
ends 0 simulate splines/initial.yaml -o cubic --json
json out "o['status'] == 'done' and o['transcription'] == 'second-order' and o['rule'] == 'hermite-gauss'"
rows cubic/trajectory.csv "abs(r['q.x'] - (r['t'] + r['t']**2 - r['t']**3 / 4)) < 1e-11"
rows cubic/trajectory.csv "abs(r['v.y'] - (r['t'] + r['t']**2 / 10)) < 1e-11"
rows cubic/trajectory.csv "r['u.x'] is None or abs(r['u.x'] - (2 - 1.5 * (r['t'] + 0.25))) < 1e-10"
fact "every knot once" [ "$(grep -c '^[0-9]' cubic/trajectory.csv)" = 11 ]
ends 0 plot cubic --what trajectory -o cubic.svg
json cubic.svg "o['exhibits'][0]['at_knots'] and o['exhibits'][0]['flow']"
# paper 003's rule: exact cubics in k, with other velocities; what it keeps is (q1-q0)/h - (v0+v1)/2
ends 0 simulate splines/initial-003.yaml -o paper --json
fact "q is a cubic, and the invariant is kept" python3 -c '
import csv, sys
rows = list(csv.DictReader(open("paper/trajectory.csv")))
q, v = [float(r["q.x"]) for r in rows], [float(r["v.x"]) for r in rows]
fourth = [q[i] - 4 * q[i + 1] + 6 * q[i + 2] - 4 * q[i + 3] + q[i + 4] for i in range(len(q) - 4)]
kept = [(q[i + 1] - q[i]) / 0.5 - (v[i] + v[i + 1]) / 2 for i in range(len(q) - 1)]
sys.exit(not (max(map(abs, fourth)) < 1e-11 and max(kept) - min(kept) < 1e-12))'
# momenta that arrive are those that leave; of translations they are what the paper keeps, by 12/h^2 or 4/h^2
cat >momenta.py <<'EOD'
import csv, sys
rows = [{k: float(v) if v else None for k, v in r.items()} for r in csv.DictReader(open(sys.argv[1] + "/momenta.csv"))]
names = [k[3:] for k in rows[0] if k.startswith("P0.")]
size = max(abs(r[p + n]) for r in rows[:-1] for n in names for p in ("P0.", "P1."))
assert all(abs(a["P1." + n] - b["P0." + n]) < 1e-7 * size for a, b in zip(rows, rows[1:-1]) for n in names)
if len(sys.argv) > 2:
    for a, b in zip(rows, rows[1:]):
        kept = (b["q.x"] - a["q.x"]) / 0.5 - (a["v.x"] + b["v.x"]) / 2
        assert abs(a["P1.q.x"] - float(sys.argv[2]) * kept) < 1e-11
EOD
fact "of the exact rule" python3 momenta.py cubic 48
fact "of the paper's rule" python3 momenta.py paper 16
json paper/result.json "o['monitors']['momentum']['x']['scatter'] < 1e-12 and o['monitors']['energy']['scatter'] < 1e-12"
sed 's/steps: 10/steps: 7/; s/simulate: {/simulate: {every: 3, /' splines/initial.yaml >splines/few.yaml
ends 0 simulate splines/few.yaml -o few
fact "every third knot" [ "$(grep -c '^[0-9]' few/trajectory.csv)" = 3 ]
ends 0 check splines/initial.yaml --json

# --- two solvers, one solution; files ---
ends 0 check $swing --json
json out "o['status'] == 'done' and any('velocities' in b['block'] for b in o['blocks'])"
ends 0 optimize $swing -o newton --json
json newton/result.json "o['solver']['method'] == 'newton' and o['solver']['linear'] is None"
json newton/result.json "set(o['agreement']) == {'defect', 'knot', 'defect_2h', 'order', 'distance', 'coordinate', 'at'}"
fact "no multipliers by Newton" [ ! -e newton/multipliers.csv ]
fact "its record is written" grep -q '^0,' newton/convergence.csv
fact "and the solution" [ "$(head -1 newton/second-order.csv)" = "$(head -1 newton/trajectory.csv)" ]
fact "momenta pass on along a minimum" python3 momenta.py newton
ends 0 plot newton -o newton.svg
ends 0 plot newton --what momenta -o momenta.svg
ends 0 optimize splines/jerk.yaml -o jerk --json
fact "of third order too" python3 momenta.py jerk
fact "with accelerations" grep -q '^k,t,q.x,q.y,v.x,v.y,a.x,a.y,P0.q.x' jerk/momenta.csv
sed 's/^cost/solver: {max_iter: 2}\ncost/' $swing >two-link/short.yaml
ends 1 optimize two-link/short.yaml -o short --json
json short/result.json "o['status'] == 'iteration_limit'"
fact "the record ends where the solution does" python3 -c '
import csv, json
last = list(csv.DictReader(open("short/convergence.csv")))[-1]
assert int(last["iteration"]) == json.load(open("short/result.json"))["iterations"] == 4'
sed 's/^cost/solver: {max_iter: 1, max_time: 1e-9}\ncost/' $swing >two-link/late.yaml
ends 1 optimize two-link/late.yaml -o late --json
json late/result.json "o['status'] == 'time_limit'"

# a program without rows has none that is worst
cat >rows.yaml <<'YAML'
model: {bodies: [{name: cart, joints: [{name: x, type: tx, effort: 5}], mass: 1}]}
transcription: second-order
horizon: {steps: 10, time: 1}
start: {q: 0, v: 0}
goal: {q: 1, v: 0}
bounds: {q: {x: [-1, 1]}}
cost: {input: 1}
solver: {max_iter: 1}
YAML
ends 1 optimize rows.yaml -o rows
says 'iteration_limit'
fact "no worst row" sh -c '! grep -q "worst row" err'
sed 's/penalty: {elbow: 1000}/penalty: {elbow: 1}/' two-link/elbow-penalty.yaml >two-link/soft.yaml
ends 0 optimize two-link/soft.yaml -o soft --json
fact "a low penalty lets the elbow through" python3 -c '
import csv, sys
sys.exit(not max(float(r["q.elbow"]) for r in csv.DictReader(open("soft/second-order.csv"))) > 3.1)'
json soft/result.json "o['solver']['method'] == 'newton' and 0.13 < o['penalty']['beyond'] < 0.15 and o['penalty']['coordinate'] == 'elbow'"

# steps that are too long for the map: the solution stays, and gains say why there are none
sed 's/steps: 100/steps: 10/; s/pi, elbow: 0/1, elbow: 1/' two-link/swing-up.yaml >two-link/long.yaml
ends 1 optimize two-link/long.yaml -o long --json
says "no motion of the system's own steps follows"
json long/result.json "o['status'] == 'solved' and 'agreement' not in o"
ends 2 gains long
says 'follows the solution in long: .* take shorter steps'

# --- without IPOPT the rest stops here ---
echo 'solver: {method: ipopt}' >>$swing
"$dmoc" optimize $swing -o ipopt --json >out 2>err
if grep -q 'no IPOPT' err; then
  echo "skipped: all that IPOPT optimizes (built without it)"
  exit $failed
fi
ends 0 optimize $swing -o ipopt --json
json ipopt/result.json "o['solver']['method'] == 'ipopt' and o['sizes']['constraints'] == 0"
fact "the same cost" python3 -c "import sys; sys.exit(not abs($(of newton "o['objective']") - $(of ipopt "o['objective']")) < 1e-6)"
# what is of another motion goes
cp -r newton mixed
ends 0 descend two-link/descend.yaml -o mixed
fact "the older solution is gone" [ ! -e mixed/second-order.csv ]
# again from there
ends 0 optimize $swing --from ipopt -o again --json
json again/result.json "o['solver']['warm'] and o['iterations'] < $(of ipopt "o['iterations']")"

# --- an elbow: the bound is kept, by a penalty that is steep enough as well ---
ends 0 optimize two-link/elbow.yaml -o elbow --json
ends 0 optimize two-link/elbow-penalty.yaml -o steep
says "Newton's method: a penalty's kink is in its way after 100 iterations; the stage solver goes on from the guess"
rows steep/second-order.csv "-1e-6 < r['q.elbow'] < 2.96706 + 1e-5"
fact "the same motion" python3 -c "import sys; sys.exit(not abs($(of elbow "o['objective']") - $(of steep "o['objective']")) < 1e-4)"
rows elbow/second-order.csv "-1e-6 < r['q.elbow'] < 2.96706 + 1e-5"

# --- underactuated: the optimum of first order, apart by h^2 ---
for n in 400 760; do
  sed "s/steps: 100/steps: $n/" acrobot/swing-up.yaml >acrobot/first-$n.yaml
  sed "s/steps: 400/steps: $n/" acrobot/second-order.yaml >acrobot/second-$n.yaml
done
ends 0 optimize acrobot/second-400.yaml -o s400 --json
ends 0 optimize acrobot/second-760.yaml --from s400 -o s760 --json
ends 0 optimize acrobot/first-400.yaml --from s400 -o f400 --json
ends 0 optimize acrobot/first-760.yaml --from f400 -o f760 --json
ratio=$(python3 -c "print(($(of f400 "o['objective']") - $(of s400 "o['objective']")) / ($(of f760 "o['objective']") - $(of s760 "o['objective']")))")
fact "the costs of both orders part by h^2 = 3.61, not by $ratio" python3 -c "import sys; sys.exit(not abs($ratio / 3.61 - 1) < 0.1)"
json s760/result.json "abs(o['agreement']['order'] - 2) < 0.15"
plain two-link
exit $failed
