"""The XML file of a result, read again, is the same robot: coordinates, limits, inputs, gravity, every
derivative of its Lagrangian at random states, and the places of its links.

reread.py DMOC PROBLEM FILE.xml
"""

import json
import random
import subprocess
import sys

dmoc, problem, xml = sys.argv[1:]
SAMPLES = 5
worst = 0.0


def ask(*words):
    """What a command says in JSON."""
    run = subprocess.run([dmoc, *words, "--json"], capture_output=True, text=True, check=False)
    if run.returncode:
        sys.exit(f"{' '.join(words)}: {run.stderr}")
    return json.loads(run.stdout)


def flatten(x):
    """All numbers and words of lists in lists."""
    if isinstance(x, list):
        return [number for part in x for number in flatten(part)]
    return [x]


def compare(what, a, b):
    """Equal words, and numbers within 1e-12 of the largest."""
    global worst
    a, b = flatten(a), flatten(b)
    if len(a) != len(b):
        sys.exit(f"{what}: {len(a)} and {len(b)} values")
    size = max([1.0] + [abs(x) for x in a if isinstance(x, (int, float))])
    for x, y in zip(a, b):
        if not isinstance(x, (int, float)) or not isinstance(y, (int, float)):
            if x != y:
                sys.exit(f"{what}: {x} and {y}")
            continue
        error = abs(x - y) / size
        worst = max(worst, error)
        if not error <= 1e-12:
            sys.exit(f"{what}: {x} and {y}")


def turn(values, quaternions):
    """The same with each four numbers of a quaternion of length 1."""
    for at in quaternions:
        size = sum(x * x for x in values[at : at + 4]) ** 0.5
        values[at : at + 4] = [x / size for x in values[at : at + 4]]
    return ",".join(map(str, values))


ours, theirs = ask("info", problem), ask("info", xml)
SAME = ("name", "moves", "parent", "mass", "q_min", "q_max", "damping", "armature", "joints")
for key in SAME:
    compare(key, [c[key] for c in ours["coordinate"]], [c[key] for c in theirs["coordinate"]])
for key in ("coordinates", "joints", "mass", "gravity"):
    compare(key, ours[key], theirs[key])
for key in ("name", "coordinate", "u_min", "u_max", "unit"):
    compare(key, [u[key] for u in ours["input"]], [u[key] for u in theirs["input"]])
links = {link["name"] for link in ours["link"]} & {link["name"] for link in theirs["link"]}
names = ask("eval", problem, "--q", "0.5", "--v", "0")["names"]
balls = [i for i, name in enumerate(names) if name.endswith(".qw")]
random.seed(1)
for _ in range(SAMPLES):
    q = turn([random.uniform(-1, 1) for _ in names], balls)
    v = ",".join(str(random.uniform(-2, 2)) for _ in names)
    one, other = (ask("eval", file, f"--q={q}", f"--v={v}") for file in (problem, xml))
    for key, value in one.items():
        if key != "warnings":
            compare(key, value, other[key])
    for link in sorted(links):
        one, other = (
            ask("eval", file, f"--q={q}", "--output", f"{link}.position") for file in (problem, xml)
        )
        compare(link, *([row["value"] for row in found["output"]] for found in (one, other)))
print(f"{xml}: {len(names)} coordinates, {len(links)} links within {worst:.1e}")
