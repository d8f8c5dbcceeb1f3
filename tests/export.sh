#!/bin/sh
# The law in what a robot measures.
#   export.sh DMOC SOURCE
. "$(dirname "$0")/facts.sh"

# a cart-pole's swing, held, in what is measured; words: of feedback
problem() {
  cat <<YAML
model: {urdf: $source/problems/cart-pole/cart-pole.urdf, gravity: [0, 0, -9.81]}
simulate: {steps: 100, step: 0.02, start: {q: {pole: 0.5}}}
feedback: {Q: {q: 100, p: 1}, R: 1, Qf: riccati$1}
verify: {samples: 20, start: {q: {pole: 0.1}}}
YAML
}

# --- laws ---
problem '' >state.yaml
ends 0 run state.yaml -o state --json
json out "o['gains']['law'] == 'state' and o['verify']['held'] == 20"
fact "gains alone say it all" [ ! -e state/measured.csv ]
problem ', measure: velocity' >velocity.yaml
ends 0 run velocity.yaml -o velocity --json
json out "o['gains']['law'] == 'velocity, linear' and o['verify']['held'] == 20"
fact "the coordinates are named" grep -q '^k,t,u_d.slider,y_d.q.slider,y_d.q.pole,y_d.v.slider,y_d.v.pole,G.slider.q.slider,G.slider.q.pole,G.slider.v.slider,G.slider.v.pole$' velocity/measured.csv
fact "gains in (q,p) are the same" cmp -s velocity/gains.csv state/gains.csv
problem ', measure: positions' >positions.yaml
ends 0 run positions.yaml -o positions --json
json out "o['gains']['law'] == 'positions, linear' and o['verify']['held'] == 20"
fact "positions a step ago, and the force since" grep -q ',y_d.q.pole,y_d.before.q.slider,y_d.before.q.pole,y_d.before.u.slider,G.slider.q.slider,' positions/measured.csv
cp positions/verify.csv kept.csv
ends 0 verify positions
fact "stored gains run the same law" cmp -s positions/verify.csv kept.csv
# by the mechanics: the same loop on the map from starts whose momentum is as planned
for form in velocity positions; do
  problem ", measure: $form, momentum: exact" | sed 's/samples: 20/samples: 20, spread: {q: 0.05, v: 0}/' >exact.yaml
  ends 0 run exact.yaml -o exact --json
  fact "no other table" [ ! -e exact/measured.csv ]
  sed 's/, measure: [a-z]*, momentum: exact//' exact.yaml >plain.yaml
  ends 0 run plain.yaml -o plain
  fact "the same samples hold by exact $form" python3 -c '
import csv, sys
a, b = ([r for r in csv.DictReader(open(f + "/verify.csv")) if r["plant"] == "discrete"] for f in ("exact", "plain"))
off = max(abs(float(x["final_error"]) - float(y["final_error"])) for x, y in zip(a, b))
sys.exit(not (len(a) == 20 and (off < 1e-10 or sys.argv[1] == "positions" and off < 1e-3)))' $form
done
problem ', measure: positions, rate: 80, between: interpolate' >fast.yaml
ends 0 run fast.yaml -o fast --json
json out "o['gains']['law'] == 'positions, linear, 80 Hz, interpolated' and o['verify']['held'] == 20"
fact "a row each sample" [ "$(grep -c '^[0-9]' fast/measured.csv)" = 160 ]
fact "and of what was run" [ "$(grep -c '^[0-9]' fast/response.csv)" = 161 ]
if command -v gnuplot >/dev/null; then ends 0 plot fast -o fast.svg; fi
problem ', delay: 1' >late.yaml
ends 0 run late.yaml -o late --json
json out "o['gains']['law'] == 'state, inputs one step late' and o['verify']['held'] == 20"
fact "gains on what is under way" grep -q ',K.slider.p.pole,W.slider.slider$' late/gains.csv
cp late/verify.csv kept.csv
ends 0 verify late
fact "stored ones run the same" cmp -s late/verify.csv kept.csv
sed -i "s/^0,0,[^,]*/0,0,1e9/" late/gains.csv
"$dmoc" verify late >out 2>err
fact "and others another" sh -c '! cmp -s late/verify.csv kept.csv'
cp state/gains.csv late/gains.csv
ends 2 verify late
says 'late/gains.csv:3: the columns are'

# --- what cannot be is refused, with its place ---
refuses() {
  problem "$1" >wrong.yaml
  ends 2 run wrong.yaml -o wrong
  says "wrong.yaml:3:[0-9]*: $2"
}
refuses ', measure: velocities' "feedback.measure: .*'velocities'"
refuses ', rate: 0' 'feedback.rate: '
refuses ', rate: 50, delay: 1' 'feedback.rate: found a delay beside it'
refuses ', delay: 2' 'feedback.delay: '
problem ', rate: 0.1' >slow.yaml
ends 2 gains slow.yaml -o slow
says 'slow.yaml: feedback: found a rate of 0.1 Hz, expected 1 to 1e9 samples in 2 s'
cat >hoist.yaml <<'YAML'
model:
  bodies:
    - {name: load, joints: [{name: x, type: tx}, {name: z, type: tz}], mass: 1}
    - {name: crane, joints: [{name: hook, type: tx, kinematic: true}]}
  constraints:
    - {name: string, type: distance, bodies: [load, crane], length: 1}
simulate: {steps: 300, step: 0.01, start: {q: {z: -1}}}
feedback: {Q: {q: {x: 10, hook: 1}, p: 1}, R: 1, measure: positions}
verify: {samples: 10, spread: {q: 0.05, v: 0.1}, tolerance: 0.05}
YAML
ends 0 run hoist.yaml -o hoist --json
json out "o['verify']['held'] == 10"
sed 's/positions/velocity/' hoist.yaml >wrong.yaml
ends 2 run wrong.yaml
says 'wrong.yaml:8:[0-9]*: feedback.measure: found velocity, expected state or positions'
sed 's/positions/state, rate: 50/' hoist.yaml >wrong.yaml
ends 2 run wrong.yaml
says 'wrong.yaml:8:[0-9]*: feedback.rate: found constraints beside it'
exit $failed
