#!/bin/sh
# The stage solver finds what IPOPT finds: every worked problem by both, objectives to 1e-8.
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
  cart-pole/second-order six-axis-arm/second-order; do
  ours=$(solve $file.yaml stage)
  theirs=$(solve $file.yaml ipopt)
  python3 - "$file" $ours $theirs <<'END' || failed=1
import sys
file, status, f, method, status_i, f_i, method_i = sys.argv[1:]
good = status == status_i == 'solved' and (method, method_i) == ('stage', 'ipopt')
good = good and abs(float(f) - float(f_i)) <= 1e-8 * max(1, abs(float(f_i)))
print('ok' if good else 'FAILED', *sys.argv[1:])
sys.exit(not good)
END
done
exit $failed
