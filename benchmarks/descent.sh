#!/bin/sh
# Reproduce the study of docs/first-against-second.md: its figures on stdout, its pictures in a folder.
#   benchmarks/descent.sh [FOLDER]    (default: docs)
set -eu
root=$(dirname "$(readlink -f "$0")")/..
out=${1:-$root/docs}
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT

# the curves of all methods, as in the paper's figure 3
"$root/dmoc" descend "$root/problems/pendulum/paper-001.yaml" --method all --quasi 4 --tol 1e-6 --quiet -o "$dir/pendulum" >/dev/null
"$root/dmoc" plot "$dir/pendulum" --what descent -o "$out/descent-pendulum.svg" >/dev/null

"$root/dmoc" bench --filter descent | tee "$dir/figures"

# times over steps: descent.TEXT.Nn.METHOD_ms, a panel each
/usr/bin/python3 - "$dir/figures" "$out/descent-steps.svg" "$root/python" <<'PY'
import re, sys
sys.path.insert(0, sys.argv[3])
from dmoc.pictures.facts import Request
from dmoc.pictures.sheet import Sheet

text = open(sys.argv[1], encoding="utf-8").read()
request = Request({"only": None, "range": [[None, None]] * 2, "logx": True, "logy": True, "suffix": "svg"})
sheet = Sheet([None], 1, request, False, None)
for robot, key, label, methods in (
    ("pendulum", "pendulum", "time to tolerance", ("steepest", "quasi", "newton")),
    ("cart-pole", "solve.cart-pole", "time of a direction", ("riccati", "cholmod")),
):
    sheet.across = f"steps N, {robot}"
    panel = sheet.panel(label, "ms")
    for i, method in enumerate(methods):
        found = re.findall(rf"^descent\.{re.escape(key)}\.N(\d+)\.{method}_ms (\S+)", text, re.M)
        panel.curve([float(n) for n, _ in found], [float(ms) for _, ms in found], method, i)
with open(sys.argv[2], "wb") as file:
    sheet.write(file)
PY
