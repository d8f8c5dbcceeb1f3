#!/bin/sh
# Gains that weigh a tool, and samples that succeed by where it ends: the arm that carries a cup, from
# starts off its plan, by weights on the cup and by weights on joints that take no less effort.
#   tool-gains.sh DMOC SOURCE
# shellcheck source=tests/cli/facts.sh
. "$(dirname "$0")/facts.sh"
cp "$source/problems/six-axis-arm/arm.urdf" .

# problem NAME FEEDBACK TOLERANCE
problem() {
  sed '/^feedback:/d; /^verify:/d' "$source/problems/six-axis-arm/tool.yaml" >"$1.yaml"
  cat >>"$1.yaml" <<YAML
feedback: $2
verify: {samples: 200, seed: 1, spread: {q: 0.02, v: 0}, required: 0.9, tolerance: $3}
YAML
}
WITHIN='{state: none, outputs: {cup: 0.005, upright: 0.01}, along: {cup: 0.05}}'
problem cup '{Q: {q: 1, p: 0.1, outputs: {cup: 100}}, R: 1}' "$WITHIN"
problem joints '{Q: {q: 10.5, p: 0.1}, R: 1}' "$WITHIN"

# --- weights on the cup: all end within 5 mm on both plants, so that there is a controller ---
ends 0 run cup.yaml -o cup
fact "the summary says where the cup ends" grep -q "^ *'cup' at the end: .* m off (median), .* at worst (sample [0-9]*); 200 of 200 within 0.005$" out
fact "and how far it came off on the way" grep -q "^ *'cup' on the way: .* within 0.05$" out
fact "a cosine has no unit" grep -q "^ *'upright' at the end: [0-9.e-]* off" out
json cup/result.json "[(y['output'], y['when'], y['unit'], y['within']) for y in o['verify']['continuous']['outputs']] == [('cup', 'end', 'm', 200), ('upright', 'end', '1', 200), ('cup', 'along', 'm', 200)]"
fact "a column for each" [ "$(head -1 cup/verify.csv)" = "plant,sample,start_q_error,start_v_error,final_error,final_worst,worst_error,saturated,steps,passed,passed_by,held,end.cup,end.upright,along.cup" ]

# --- weights on joints: too few do, and the cup is named ---
ends 1 run joints.yaml -o joints
says "on the discrete plant none diverges, but they are off, most often in the output 'cup' at the end, by 0.00"
json joints/result.json "o['verify']['discrete']['lost']['output'] == 'cup' and o['verify']['discrete']['held'] < 140"

# the effort of both, by their linear loops: E sum |K dx|^2 h of starts uniform within the spread, and of
# the samples where the cup ends
ends 0 linearize cup -o linear
cat >compare.py <<'PYTHON'
import csv, math
rows = lambda path: list(csv.reader(open(path)))[1:]
N, NU = 12, 6
A, B = [], []
for row in rows("linear/linearization.csv"):
    x = [float(cell) for cell in row[2:]]
    A.append([x[i * N:(i + 1) * N] for i in range(N)])
    B.append([x[N * N + i * NU:N * N + (i + 1) * NU] for i in range(N)])
dot = lambda a, b: sum(p * q for p, q in zip(a, b))


def effort(folder):
    gains = [[float(cell) for cell in row[2:]] for row in rows(folder + "/gains.csv")]
    total = 0
    for i in range(N // 2):
        x = [float(j == i) for j in range(N)]
        for k, g in enumerate(gains):
            u = [-dot(g[j * N:(j + 1) * N], x) for j in range(NU)]
            total += dot(u, u) * 0.02 ** 2 / 3 * 0.015
            x = [dot(A[k][j], x) + dot(B[k][j], u) for j in range(N)]
    return total


def miss(folder):
    of = [float(r["end.cup"]) for r in csv.DictReader(open(folder + "/verify.csv")) if r["plant"] == "continuous"]
    return math.sqrt(dot(of, of) / len(of))


efforts, misses = [[f(d) for d in ("cup", "joints")] for f in (effort, miss)]
print("effort", efforts, "cup off by", misses)
assert 0.9 * efforts[1] < efforts[0] < efforts[1], efforts
assert 1.8 * misses[0] < misses[1], misses
PYTHON
python3 compare.py >out 2>err
fact "with less effort the cup ends twice as near" [ $? = 0 ]

# --- outputs of speeds: by weights on its velocity the cup goes more nearly as fast as planned ---
for w in 0 30; do
  problem pace$w "{Q: {q: 1, p: 0.1, outputs: {cup: 100, pace: $w}}, R: 1}" '{state: none, along: {pace: 10}}'
  sed -i 's/^outputs:$/&\n  - {name: pace, type: velocity, bodies: flange, points: [0, 0, 0.16]}/' pace$w.yaml
  ends 0 run pace$w.yaml -o pace$w
done
json pace0/result.json "o['verify']['continuous']['outputs'][0]['unit'] == 'm/s'"
cat >pace.py <<'PYTHON'
import json
without, weighed = [json.load(open(d + "/result.json"))["verify"]["continuous"]["outputs"][0]["median"]
                    for d in ("pace0", "pace30")]
assert weighed < 0.8 * without, (weighed, without)
PYTHON
python3 pace.py >out 2>err
fact "the cup's speed is nearer to the plan's" [ $? = 0 ]

# --- while the end is held; the same numbers by one processor ---
problem held '{Q: {q: 1, p: 0.1, outputs: {cup: 100}}, R: 1, hold: 0.6}' '{outputs: {cup.z: 0.001}, hold: {cup: 0.005}}'
ends 0 run held.yaml -o held
fact "the summary says so" grep -q "^ *'cup' while it is held: .*; 200 of 200 within 0.005$" out
cp held/verify.csv many.csv
ends 0 verify held --threads 1
fact "one processor has the same" cmp -s held/verify.csv many.csv

# --- and by the law as it is exported, in sweeps and by criteria ---
sed 's/required: 0.9/required: 0.9, samples: 20, plants: exported, criteria: [{vary: mass, of: all, from: 0.98, to: 1.02, levels: 3}], sweep: {points: 2, samples: 4}/; s/samples: 200, //' \
  cup.yaml >exported.yaml
ends 0 run exported.yaml -o exported
json exported/result.json "[[(y['output'], y['within']) for y in o['verify'][p]['outputs']] for p in ('exported', 'continuous')] == [[('cup', 20), ('upright', 20), ('cup', 20)]] * 2"
plain exported/criteria.csv # whose words are of the problem file
exit $failed
