#!/usr/bin/env python3
"""Compare the error stated in `accuracy` with the true error: the table of docs/benchmarks.md.

  accuracy.py DMOC [NAME...]

Solves the tasks of benchmarks/accuracy (by default all), each with different active limits, and
again
with eight times the steps, starting at the coarse solution, whose optimum it must be. Prints one
row
per task: the difference of the two objectives, the stated error and their ratio. Exit status 1: an
error is more than twice the stated one, or more than one task in ten differs by more than a factor
of
1.5.
"""
import csv
import json
import os
import re
import subprocess
import sys
import tempfile

SOURCE = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
FOLDER = os.path.join(SOURCE, "benchmarks", "accuracy")
FINER, MOST, NEAR = 8, 2.0, 1.5
ELSEWHERE = 0.25  # of the range of a coordinate: beyond it, another optimum


def change(text, steps, words):
    """Return the task with `steps` times its steps, and additional words in each horizon."""
    text = re.sub(r"steps: (\d+)", lambda found: f"steps: {int(found[1]) * steps}", text)
    return re.sub(r"horizon: *\{", "horizon: {" + words, text)


def solve(dmoc, folder, name, text):
    """Return result.json of a task, and the folder of its files."""
    path, out = (os.path.join(folder, name + end) for end in (".yaml", ""))
    with open(path, "w", encoding="utf-8") as file:
        file.write(text.replace("../../", SOURCE + "/"))
    run = subprocess.run([dmoc, "optimize", path, "-o", out, "--quiet"], capture_output=True, text=True, check=False)
    try:
        with open(os.path.join(out, "result.json"), encoding="utf-8") as file:
            return json.load(file), out
    except OSError:
        sys.exit(f"{name}: {run.stderr.strip()}")


def read_positions(out, result):
    """Return positions at knots, a list per coordinate, of all phases one after the other."""
    folders = [phase["name"] for phase in result.get("phases", [])] or [""]
    columns = []
    for folder in folders:
        with open(os.path.join(out, folder, "trajectory.csv"), encoding="utf-8") as file:
            rows = list(csv.DictReader(file))
        columns += [[float(row[key]) for row in rows] for key in rows[0] if key.startswith("q.")]
    return columns


def find_distance(coarse, fine):
    """Return the largest difference at the knots of the coarse grid, relative to the coordinate's
    range."""
    most = 0
    for one, other in zip(coarse, fine):
        times = (len(other) - 1) // (len(one) - 1)
        span = max(one) - min(one)
        most = max(most, *(abs(a - b) / (span + 1e-3) for a, b in zip(one, other[::times])))
    return most


def measure(dmoc, folder, name):
    """Return the comment, the steps, the objective, the true error and result.json's accuracy."""
    with open(os.path.join(FOLDER, name + ".yaml"), encoding="utf-8") as file:
        text = file.read()
    what = text.split("\n")[0].lstrip("# ").rstrip(".")
    coarse, out = solve(dmoc, folder, name, change(text, 1, "refine: 0, "))

    # requesting zero error makes dmoc refine its own grid, with multipliers; not available for phases
    if "phases:" in text:
        fine, finer = solve(dmoc, folder, name + "-fine", change(text, FINER, "refine: 0, "))
    else:
        fine, finer = solve(dmoc, folder, name + "-fine", change(text, 1, "refine: 3, error: 1e-13, "))
    if coarse["status"] != "solved" or fine["status"] not in ("solved", "coarse"):
        sys.exit(f"{name}: {coarse['status']}, and {fine['status']} on the finer grid")
    times = fine["steps"] / coarse["steps"]
    if times != FINER:
        sys.exit(f"{name}: found {times} times the steps, expected {FINER}")
    if find_distance(read_positions(out, coarse), read_positions(finer, fine)) > ELSEWHERE:
        sys.exit(f"{name}: the finer grid has another optimum")
    return what, coarse["steps"], coarse["objective"], coarse["objective"] - fine["objective"], coarse["accuracy"]


def main():
    """Measure the tasks and judge the stated errors."""
    if len(sys.argv) < 2:
        sys.exit(__doc__)
    names = sys.argv[2:] or sorted(name[:-5] for name in os.listdir(FOLDER) if name.endswith(".yaml"))
    far = wrong = 0
    print("| task | steps | objective | true error | stated error | stated over true | by |")
    print("| --- | --- | --- | --- | --- | --- | --- |")
    with tempfile.TemporaryDirectory() as folder:
        for name in names:
            what, steps, objective, error, accuracy = measure(os.path.abspath(sys.argv[1]), folder, name)
            stated = accuracy.get("objective_error", float("nan"))
            ratio = stated / abs(error)
            wrong += not ratio >= 1 / MOST
            far += not 1 / NEAR <= ratio <= NEAR
            print(f"| `{name}`: {what[0].lower() + what[1:]} | {steps} | {objective:.6g} | {abs(error):.2e} "
                  f"| {stated:.2e} | {ratio:.2f} | {accuracy['source']} |", flush=True)
    print(f"\n{len(names)} tasks: {wrong} with an error of more than {MOST:g} times the stated one, "
          f"{far} that differ by more than a factor of {NEAR:g}")
    sys.exit(1 if wrong or far > len(names) // 10 else 0)


if __name__ == "__main__":
    main()
