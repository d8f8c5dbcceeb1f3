#!/bin/sh
# The stage solver finds what IPOPT finds: every worked problem by both, objectives to 1e-8; IPOPT goes
# on where it finds nothing.
#   solvers.sh DMOC SOURCE
. "$(dirname "$0")/facts.sh"
cp -r "$source"/problems/* .

ends 0 optimize cart-pole/swing-up.yaml --solver ipopt -o ipopt --quiet
if grep -q 'no IPOPT' err; then
  echo "skipped: the stage solver beside IPOPT (no IPOPT in this build)"
  exit 77
fi

for file in pendulum/swing-up pendulum/bounded cart-pole/swing-up cart-pole/minimum-time cart-pole/headroom \
  acrobot/swing-up pendubot/swing-up quadrotor/sidestep six-axis-arm/reach four-bar/turn two-string-load/servo \
  two-string-load/winches satellite/reorient series-elastic/lift series-elastic/swing-up two-link/swing-up \
  periodic/swing periodic/crank periodic/cat cart-pole/second-order six-axis-arm/second-order; do
  turn || continue
  # IPOPT leaves what its barrier holds of the objective, and that is most with limits at every node of a step
  [ $file = six-axis-arm/second-order ] && left=1e-5 || left=1e-8
  for solver in ipopt stage; do
    ends 0 optimize $file.yaml --solver $solver -o $solver --json --quiet
    json out "o['status'] == 'solved' and o['solver']['method'] == '$solver'"
    [ $solver = ipopt ] && theirs=$(value out "o['objective']")
  done
  json out "-$left <= (o['objective'] - $theirs) / max(1, abs($theirs)) <= 1e-8"
done

# Newton's method by name, where it can; elsewhere it is refused with what to try
ends 0 optimize two-link/swing-up.yaml --solver newton -o newton
fact "Newton's method is named" grep -q "Newton's method, second order" out
ends 2 optimize cart-pole/swing-up.yaml --solver newton -o newton
says "solver.method: found newton but no 'transcription: second-order', expected both"
ends 2 optimize two-link/elbow.yaml --solver newton -o newton
says "newton minimizes between given ends alone, but the position of 'elbow' has a limit"

# options of the command line replace those of the file, and are refused like them; IPOPT's own reach IPOPT with
# `method: auto`, its log is on stderr, and stdout has one JSON object
asked() {
  want=$1 problem=$2
  shift 2
  ends "$want" optimize "cart-pole/$problem.yaml" "$@" -o asked --json
}
{ cat cart-pole/swing-up.yaml; echo 'solver: {ipopt: {mu_strategy: adaptive, max_soc: 0}}'; } >cart-pole/own.yaml
asked 0 own --verbose
says '^iter  *objective'
json out "o['solver']['method'] == 'ipopt'"
asked 0 own --solver stage # the command line chooses, whatever the file has for another solver
json out "o['solver']['method'] == 'stage'"
says 'solver.ipopt is not used: method stage does not read it'
sed 's/{ipopt:/{method: stage, ipopt:/' cart-pole/own.yaml >cart-pole/both.yaml
asked 2 both
says 'solver.ipopt: found beside method: stage, which does not read it'
sed '$s/.*/solver: {method: stage, linear: auto}/' cart-pole/own.yaml >cart-pole/plain.yaml
asked 0 plain
json out "o['status'] == 'solved'"
asked 2 swing-up --solver interior
says "solver takes .*, got 'interior'"
asked 1 swing-up --tol 1e-6 --max-iter 2
json out "o['status'] == 'iteration_limit'"
fact "the option is recorded" grep -q '"solver.max_iter": *"2"' out
asked 2 swing-up --tol 0
says "^dmoc: --tol: solver.tol: found '0', expected a number > 0"

# where the stage solver finds none, `auto` asks IPOPT and says so
cat >pendulum/hurried.yaml <<'END'
model:   {urdf: pendulum.urdf, gravity: [0, 0, -9.8]}
inputs:  [{joint: pivot, effort: 0.1}]
horizon: {steps: 10, time: 0.5}
start:   {q: {pivot: 0}, v: 0}
goal:    {q: {pivot: pi}, v: 0}
cost:    {input: 1}
END
ends 1 optimize pendulum/hurried.yaml --solver auto -o auto
json auto/result.json "o['status'] == 'infeasible' and o['solver']['method'] == 'ipopt'"
json auto/result.json "o['solver']['stage'] == 'Infeasible_Problem_Detected'"
says 'the stage solver ended: Infeasible_Problem_Detected; IPOPT went on'
# and where its own iterations were all that there were, it does not, and that is said
sed 's/^cost:.*/&\nsolver:  {max_iter: 30}/' pendulum/hurried.yaml >pendulum/brief.yaml
ends 1 optimize pendulum/brief.yaml -o brief
says 'in all 30 iterations (solver.max_iter)'
fact "IPOPT is not asked" sh -c '! grep -q "IPOPT went on" out err'
json brief/result.json "o['solver']['method'] == 'stage' and o['iterations'] <= 30"
# a point out of reach: the first search ends at a limit of its own, and the last one, which has all iterations, says
# what is the matter
sed 's/steps: 100/steps: 20/; s/cup: \[0.6, 0, 0.85\]/cup: [0.95, 0.2, 0.52]/' six-axis-arm/tool.yaml >six-axis-arm/beyond.yaml
ends 1 optimize six-axis-arm/beyond.yaml -o beyond
json beyond/result.json "o['status'] == 'infeasible' and o['iterations'] > 120"
# the first guess, and five that agree
fact "it searches from more than 5 guesses" [ "$(sed -n 's/.*infeasible: none found from \([0-9]*\) guesses.*/\1/p' err)" -gt 5 ]
fact "a limit of its own is not told as max_iter" sh -c '! grep -q max_iter out err'
# propellers push one way: a place that a motion of them, made elsewhere, comes to is found from other guesses
cat >planar.yaml <<'YAML'
model:
  bodies:
    - name: body
      joints: [{name: x, type: tx}, {name: z, type: tz}, {name: pitch, type: ry}]
      mass: 0.65
      inertia: [0.0075, 0.0075, 0.0075]
inputs:
  - {name: left, body: body, frame: body, point: [-0.17, 0, 0], force: [0, 0, 1], min: 0, max: 4}
  - {name: right, body: body, frame: body, point: [0.17, 0, 0], force: [0, 0, 1], min: 0, max: 4}
horizon:  {steps: 60, time: 2.1608}
start:    {q: 0, v: 0}
goal:     {q: {x: 4.395591, z: -22.584496, pitch: 9.176451}, v: {x: 5.498280, z: -20.148307, pitch: -26.366896}}
cost:     {input: 1}
YAML
ends 0 optimize planar.yaml --starts auto -o planar
fact "propellers are driven about the middle of their range" grep -q '^  starts  *the best of' out
exit $failed
