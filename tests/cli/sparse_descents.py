#!/usr/bin/env python3
"""Every descent takes --kkt cholmod, or refuses it by name; and then its first steps are those of the Riccati sweep.

    sparse_descents.py DMOC SOURCE some|every      every: all worked problems
"""
import csv
import subprocess
import sys
import tempfile
from pathlib import Path

SOME = ["pendulum/paper-001", "pendulum/bounded", "pendulum/swing-up", "cart-pole/minimum-time", "two-link/swing-up"]
SAME = 1e-7  # of costs after three iterations


def descend(program, path, kkt, method):
    """(exit status, messages, costs) of three iterations."""
    with tempfile.TemporaryDirectory() as out:
        words = [program, "descend", str(path), "--kkt", kkt, "--method", method, "--max-iter", "3", "--quiet", "-o", out]
        done = subprocess.run(words, capture_output=True, text=True, check=False)
        table = next(Path(out).rglob("descent.csv"), None)
        costs = []
        if table:
            with open(table, newline="", encoding="utf-8") as rows:
                costs = [float(row["cost"]) for row in csv.DictReader(rows)]
        return done.returncode, done.stderr, costs


def judge(program, path, method):
    """What is wrong, or an empty sentence; and whether the sparse system took the task."""
    status, _, costs = descend(program, path, "riccati", method)
    code, said, sparse = descend(program, path, "cholmod", method)
    if "without CHOLMOD" in said:
        return "", False
    if status == 2 or code == 2:
        named = "the sparse system" in said and "use --kkt riccati" in said
        return "" if code == 2 and (status == 2 or named) else f"exit status {code}: {said}", False
    worst = max((abs(a - b) / max(1, abs(a)) for a, b in zip(costs, sparse)), default=1)
    if len(costs) != len(sparse) or worst > SAME:
        return f"costs {costs} and {sparse}", True
    return "", True


def main():
    program, source, which = sys.argv[1], Path(sys.argv[2]), sys.argv[3]
    every = sorted((source / "problems").glob("*/*.yaml"))
    paths = [source / f"problems/{name}.yaml" for name in SOME] if which == "some" else every
    faults, took = 0, 0
    for path in paths:
        if path.name == "expect.yaml":
            continue
        for method in ("quasi", "newton"):
            fault, taken = judge(program, path, method)
            took += taken
            faults += bool(fault)
            if fault:
                print(f"{path.parent.name}/{path.name}, {method}: {fault}")
    print(f"{took} descents by the sparse system, {faults} faults")
    return 1 if faults or not took else 0


if __name__ == "__main__":
    sys.exit(main())
