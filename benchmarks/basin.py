#!/usr/bin/env python3
"""Compare the basin of attraction of the compass gait with and without a motor between its legs.

  basin.py DMOC [SAMPLES [SPREAD]]

The same walker goes down a slope of 3 degrees: as in problems/walking/compass.yaml without a motor, and
with a motor of 50 N m between the legs, whose planned torque is zero: the gait is the same, and only the
gains differ. They act by the time since the last touch, or by the angle of the stance leg. All walk 20
steps from the same uniform errors of the start (SPREAD rad, four times as much in rad/s; by default 0.1).
The basin is the share of starts, times the volume of the box, that end within 0.05 of the gait. Prints the
largest multipliers, the shares on either plant, and their ratios to that without a motor.
"""
import json
import os
import subprocess
import sys
import tempfile

SOURCE = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
STEPS = 20

TASK = """
model:
  gravity: [0.5134157307432791, 0, -9.79655573594237]
  bodies:
    - {name: hip, joints: [tx, tz], mass: 10}
    - {name: stance, parent: hip, joints: [{name: stance, type: ry}], mass: 5, centre: [0, 0, -0.5]}
    - {name: swing, parent: stance, joints: [{name: swing, type: ry, effort: 50}], mass: 5, centre: [0, 0, -0.5]}
    - {name: stance_foot, parent: stance, offset: {xyz: [0, 0, -1]}}
    - {name: swing_foot, parent: swing, offset: {xyz: [0, 0, -1]}}
  constraints: [{name: pin, type: line, bodies: [stance_foot, world], axis: [0, 1, 0]}]
outputs:
  - {name: foot, type: height, bodies: swing_foot, axis: [0, 0, 1]}
  - {name: swing_leg, type: sum, coordinates: [stance, swing]}
start: {q: free, v: free, assemble: none}
guess: {csv: relative.csv}
phases:
  - name: step
    horizon: {steps: 40, time: {free: [0.5, 1]}}
    until: {touch: foot, clear: false}
    join: {into: {stance: swing_leg}, mirror: [swing], travel: {hip.tx: free}}
"""
WITHOUT = "inputs: []\nfeedback: {Q: {q: 1, p: 1}}\n"
MOTOR = "cost: {{input: 1}}\nfeedback: {{Q: {{q: 10000, p: 1}}, R: 10{}}}\n"
WALKERS = (
    ("without a motor", WITHOUT),
    ("with one, by time", MOTOR.format("")),
    ("with one, by the stance leg", MOTOR.format(", schedule: path, along: stance")),
)
VERIFY = "verify: {{samples: {}, periods: {}, spread: {{q: {}, v: {}}}, tolerance: 0.05, required: 0}}\n"


def write_guess(folder):
    """Write the guess of compass.yaml with the swing leg's angle relative to the stance leg."""
    with open(os.path.join(SOURCE, "problems/walking/compass.csv"), encoding="utf-8") as file:
        head, *rows = file.read().split()
    with open(os.path.join(folder, "relative.csv"), "w", encoding="utf-8") as file:
        file.write(head + "\n")
        for row in rows:
            *first, stance, swing = row.split(",")
            file.write(",".join([*first, stance, str(float(swing) - float(stance))]) + "\n")


def walk(dmoc, folder, name, text):
    """Return result.json of a gait whose samples have walked."""
    path, out = (os.path.join(folder, name + end) for end in (".yaml", ""))
    with open(path, "w", encoding="utf-8") as file:
        file.write(TASK + text)
    run = subprocess.run([dmoc, "run", path, "-o", out, "--quiet"], capture_output=True, text=True, check=False)
    if run.returncode:
        sys.exit(f"basin.py: {name}: {run.stderr or run.stdout}")
    with open(os.path.join(out, "result.json"), encoding="utf-8") as file:
        return json.load(file)


def main(words):
    dmoc = os.path.abspath(words[0])
    samples, spread = int((words[1:] or [200])[0]), float((words[2:] or [0.1])[0])
    verify = VERIFY.format(samples, STEPS, spread, 4 * spread)
    with tempfile.TemporaryDirectory() as folder:
        write_guess(folder)
        found = [walk(dmoc, folder, str(i), text + verify) for i, (_, text) in enumerate(WALKERS)]
    for (name, _), result in zip(WALKERS, found):
        cycle = result["cycle"].get("feedback", result["cycle"])
        print(f"{name:28} largest multiplier {cycle['largest']:.4g}")
    for plant in ("discrete", "continuous"):
        held = [result["verify"][plant]["held"] for result in found]
        ratios = ", ".join(f"{number} ({number / max(held[0], 1):.2f} times as many)" for number in held[1:])
        print(f"{plant:10} of {samples} starts {held[0]} walk {STEPS} steps, {ratios}")
    return 0


if __name__ == "__main__":
    if len(sys.argv) < 2:
        sys.exit(__doc__)
    sys.exit(main(sys.argv[1:]))
