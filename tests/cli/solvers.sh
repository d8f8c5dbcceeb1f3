#!/bin/sh
# The stage solver finds what IPOPT finds: every worked problem by both, objectives to 1e-8; IPOPT goes
# on where it finds nothing.
#   solvers.sh DMOC SOURCE
set -eu
dmoc=$1 source=$2
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
failed=0

# objective and status of a problem by one solver
solve() {
  "$dmoc" optimize "$source/problems/$1" --solver "$2" -o "$dir/$2" --json --quiet >"$dir/json" 2>"$dir/err" || true
  python3 -c "
import json
o = json.load(open('$dir/json'))
print(o.get('status'), repr(o.get('objective')), (o.get('solver') or {}).get('method'))"
}

"$dmoc" optimize "$source/problems/cart-pole/swing-up.yaml" --solver ipopt -o "$dir/ipopt" --quiet >"$dir/json" 2>"$dir/err" || true
if grep -q 'no IPOPT' "$dir/err"; then
  echo "skipped: the stage solver beside IPOPT (no IPOPT in this build)"
  exit 77
fi

for file in pendulum/swing-up pendulum/bounded cart-pole/swing-up cart-pole/minimum-time cart-pole/headroom \
  acrobot/swing-up pendubot/swing-up quadrotor/sidestep six-axis-arm/reach four-bar/turn two-string-load/servo \
  two-string-load/winches satellite/reorient series-elastic/lift series-elastic/swing-up two-link/swing-up \
  periodic/swing periodic/crank periodic/cat cart-pole/second-order six-axis-arm/second-order; do
  ours=$(solve $file.yaml stage)
  theirs=$(solve $file.yaml ipopt)
  python3 - "$file" $ours $theirs <<'END' || failed=1
import sys
file, status, f, method, status_i, f_i, method_i = sys.argv[1:]
good = status == status_i == 'solved' and (method, method_i) == ('stage', 'ipopt')
# IPOPT leaves what its barrier holds of the objective, and that is most with limits at every node of a step
left = 1e-5 if file == 'six-axis-arm/second-order' else 1e-8
good = good and -left <= (float(f) - float(f_i)) / max(1, abs(float(f_i))) <= 1e-8
print('ok' if good else 'FAILED', *sys.argv[1:])
sys.exit(not good)
END
done

# Newton's method by name, where it can; elsewhere it is refused with what to try
newton() {
  "$dmoc" optimize "$source/problems/$1" --solver newton -o "$dir/newton" >"$dir/out" 2>"$dir/err"
  [ $? = "$2" ] && grep -q "$3" "$dir/out" "$dir/err" && echo "ok newton: $1" && return
  echo "FAILED newton: $1"
  failed=1
}
set +e
newton two-link/swing-up.yaml 0 "Newton's method, second order"
newton cart-pole/swing-up.yaml 2 "solver.method: found newton but no 'transcription: second-order', expected both"
newton two-link/elbow.yaml 2 "newton minimizes between given ends alone, but the position of 'elbow' has a limit"
set -e

# options of the command line replace those of the file, and are refused like them; IPOPT's own reach IPOPT with
# `method: auto`, its log is on stderr, and stdout has one JSON object
asked() {
  "$dmoc" optimize "$@" -o "$dir/asked" --json >"$dir/out" 2>"$dir/err" || true
}
is() {
  grep -q "$1" "$dir/$2" && echo "ok options: $1" && return
  echo "FAILED options: $1"
  failed=1
}
{ cat "$source/problems/cart-pole/swing-up.yaml"; echo 'solver: {ipopt: {mu_strategy: adaptive, max_soc: 0}}'; } >"$dir/own.yaml"
cp "$source"/problems/cart-pole/*.urdf "$dir"
asked "$dir/own.yaml" --verbose
is '^iter  *objective' err
is '"method": *"ipopt"' out
python3 -c 'import json, sys; json.load(open(sys.argv[1]))' "$dir/out" || { echo "FAILED options: JSON"; failed=1; }
asked "$dir/own.yaml" --solver stage # the command line chooses, whatever the file has for another solver
is '"method": *"stage"' out
is 'solver.ipopt is not used: method stage does not read it' err
sed 's/{ipopt:/{method: stage, ipopt:/' "$dir/own.yaml" >"$dir/both.yaml"
asked "$dir/both.yaml"
is 'solver.ipopt: found beside method: stage, which does not read it' err
sed '$s/.*/solver: {method: stage, linear: auto}/' "$dir/own.yaml" >"$dir/plain.yaml"
asked "$dir/plain.yaml"
is '"status": *"solved"' out
asked "$source/problems/cart-pole/swing-up.yaml" --solver interior
is "solver takes .*, got 'interior'" err
asked "$source/problems/cart-pole/swing-up.yaml" --tol 1e-6 --max-iter 2
is '"status": *"iteration_limit"' out
is '"solver.max_iter": *"2"' out
asked "$source/problems/cart-pole/swing-up.yaml" --tol 0
is "^dmoc: --tol: solver.tol: found '0', expected a number > 0" err

# where the stage solver finds none, `auto` asks IPOPT and says so
cat >"$dir/hurried.yaml" <<'END'
model:   {urdf: pendulum.urdf, gravity: [0, 0, -9.8]}
inputs:  [{joint: pivot, effort: 0.1}]
horizon: {steps: 10, time: 0.5}
start:   {q: {pivot: 0}, v: 0}
goal:    {q: {pivot: pi}, v: 0}
cost:    {input: 1}
END
cp "$source"/problems/pendulum/*.urdf "$dir"
"$dmoc" optimize "$dir/hurried.yaml" --solver auto -o "$dir/auto" >"$dir/out" 2>&1 || true
if python3 -c "
import json
o = json.load(open('$dir/auto/result.json'))
assert o['status'] == 'infeasible', o['status']
assert o['solver']['method'] == 'ipopt' and o['solver']['stage'] == 'Infeasible_Problem_Detected', o['solver']
assert 'the stage solver ended: Infeasible_Problem_Detected; IPOPT went on' in open('$dir/out').read()"; then
  echo 'ok auto went on to IPOPT'
else
  echo 'FAILED auto went on to IPOPT'
  failed=1
fi
# and where its own iterations were all that there were, it does not, and that is said
sed 's/^cost:.*/&\nsolver:  {max_iter: 30}/' "$dir/hurried.yaml" >"$dir/brief.yaml"
"$dmoc" optimize "$dir/brief.yaml" -o "$dir/brief" >"$dir/out" 2>&1 || true
if python3 -c "
import json
o = json.load(open('$dir/brief/result.json'))
said = open('$dir/out').read()
assert 'IPOPT went on' not in said and 'in all 30 iterations (solver.max_iter)' in said, said
assert o['solver']['method'] == 'stage' and o['iterations'] <= 30, o"; then
  echo 'ok a limit of iterations ends all'
else
  echo 'FAILED a limit of iterations ends all'
  failed=1
fi
# a point out of reach: the first search ends at a limit of its own, and the last one, which has all iterations, says
# what is the matter
sed 's/steps: 100/steps: 20/; s/cup: \[0.6, 0, 0.85\]/cup: [0.95, 0.2, 0.52]/' "$source/problems/six-axis-arm/tool.yaml" \
  >"$dir/beyond.yaml"
cp "$source"/problems/six-axis-arm/arm.urdf "$dir"
"$dmoc" optimize "$dir/beyond.yaml" -o "$dir/beyond" >"$dir/out" 2>&1 || true
if python3 -c "
import json, re
o = json.load(open('$dir/beyond/result.json'))
said = open('$dir/out').read()
assert o['status'] == 'infeasible' and o['iterations'] > 120, (o['status'], o['iterations'])
guesses = int(re.search('infeasible: none found from ([0-9]+) guesses', said).group(1))
assert guesses > 5 and 'max_iter' not in said, said"; then # the first one, and five that agree
  echo 'ok what ends by a limit of its own is searched through'
else
  echo 'FAILED what ends by a limit of its own is searched through'
  failed=1
fi
# propellers push one way: a place that a motion of them, made elsewhere, comes to is found from other guesses
cat >"$dir/planar.yaml" <<'YAML'
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
if "$dmoc" optimize "$dir/planar.yaml" --starts auto -o "$dir/planar" >"$dir/out" 2>&1 && grep -q '^  starts  *the best of' "$dir/out"; then
  echo 'ok propellers are driven about the middle of their range'
else
  echo 'FAILED propellers are driven about the middle of their range'
  failed=1
fi
exit $failed
