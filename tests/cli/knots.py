#!/usr/bin/env python3
"""What a file asks at knots stays at its place in time on every grid: the same task by knots, by shares of the
horizon and by seconds, with tables of a row per knot and with tables of times, on three grids, and on those that
the program refines by itself.

knots.py DMOC SOURCE
"""
import csv
import json
import os
import subprocess
import sys
import tempfile

DMOC = os.path.abspath(sys.argv[1])
ARM = "{name: arm, joints: [{name: a, type: ry, effort: 60}], mass: 1, centre: [0, 0, -0.5]}"
TASK = """model: {{bodies: [{arm}]}}
horizon: {{steps: {steps}, time: 1, refine: {refine}}}
start: {{q: 0, v: 0}}
goal: {{q: 9, v: 0}}
outputs: [{{name: tip, type: position, bodies: arm, points: [0, 0, -1]}}]
via:
  - {{at: {half}, q: {{a: 1}}}}
  - {{from: {late}, to: {end}, q: {{a: {{csv: {band}, within: 4}}}}}}
cost:
  input: 1
  state: {{q: 1}}
  reference: {{csv: {line}}}
  outputs:
    - {{output: tip.z, weight: 3, reference: 0.3, at: {half}}}
    - {{output: tip.x, weight: 40, from: {fifth}, to: {half}}}
guess: {{csv: {line}}}
"""
PHASES = """model: {{bodies: [{arm}]}}
phases:
  - {{name: one, horizon: {{steps: 4, time: 0.5}}, start: {{q: 0, v: 0}}, via: [{{at: {at}, q: {{a: 4}}}}], cost: {{input: 1}}}}
  - {{name: two, horizon: {{steps: 4, time: 0.5}}, goal: {{q: 9, v: 0}}, cost: {{input: 1}}}}
"""
# a time of TASK or PHASES, whose whole is `time`, on a grid of so many steps
WORDS = {
    "knots": lambda t, steps, time: f"knot {round(t * steps)}",
    "shares": lambda t, steps, time: f"{round(100 * t)} %",
    "seconds": lambda t, steps, time: repr(t * time),
}


def write_table(path, steps, timed):
    with open(path, "w", encoding="utf-8") as f:
        f.write(("t," if timed else "") + "q.a\n")
        for k in range(steps + 1):
            f.write((f"{k / steps!r}," if timed else "") + f"{9 * k / steps!r}\n")


def solve(text):
    """Optimize a problem; return result.json and the rows of its trajectory."""
    with open("task.yaml", "w", encoding="utf-8") as f:
        f.write(text)
    done = subprocess.run([DMOC, "optimize", "task.yaml", "-o", "found", "--json"], capture_output=True, text=True)
    found = json.loads(done.stdout)
    assert found["status"] in ("solved", "coarse"), (text, done.stderr)
    if not os.path.exists("found/trajectory.csv"):
        return found, []
    with open("found/trajectory.csv", encoding="utf-8") as f:
        return found, list(csv.DictReader(f))


def solve_task(steps, how, refine):
    at = {key: WORDS[how](t, steps, 1) for key, t in {"fifth": 0.2, "half": 0.5, "late": 0.7, "end": 1}.items()}
    for name in ("band", "line"):
        write_table(f"{name}.csv", steps, how != "knots")
    return solve(TASK.format(arm=ARM, steps=steps, refine=refine, band="band.csv", line="line.csv", **at))


def expect_equal(values, tolerance, what):
    assert max(values) - min(values) <= tolerance * abs(values[0]), (what, values)


def main():
    objective = {}
    for steps in (10, 20, 40):
        for how in WORDS:
            objective[steps, how] = solve_task(steps, how, 0)[0]["objective"]
        expect_equal([objective[steps, how] for how in WORDS], 1e-9, f"{steps} steps")

    # the finer grid that the program takes is that of a file that asks for it, at the same times
    for how in WORDS:
        found, rows = solve_task(10, how, 1)
        assert found["refined"]["doublings"] == 1 and len(rows) == 21, found["refined"]
        expect_equal([found["objective"], objective[20, how]], 1e-7, f"refined, by {how}")
        assert rows[10]["t"] == "0.5" and abs(float(rows[10]["q.a"]) - 1) < 1e-9, rows[10]
        assert found["replaced"] == {"horizon.steps": "20", "horizon.asked": "10"}, found["replaced"]

    # and that of a phase
    found = [solve(PHASES.format(arm=ARM, at=WORDS[how](0.5, 4, 0.5)))[0] for how in WORDS]
    assert all(o["replaced"]["phases.0.horizon.asked"] == "4" for o in found), found[0]
    expect_equal([o["objective"] for o in found], 1e-7, "phases")

    # knots are those of the grid that the file asks for
    with open("task.yaml", "w", encoding="utf-8") as f:
        f.write(PHASES.format(arm=ARM, at="knot 5"))
    done = subprocess.run([DMOC, "check", "task.yaml"], capture_output=True, text=True)
    assert done.returncode == 2 and "found 'knot 5', expected a knot from 0 to 4" in done.stderr, done.stderr


with tempfile.TemporaryDirectory() as at:
    os.chdir(at)
    main()
