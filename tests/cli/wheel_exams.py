#!/usr/bin/env python3
"""Motions on wheels against continuous values of an independent program: docs/constrained-coordinates.md.

    wheel_exams.py DMOC

simulates each exam with N and 2N steps. The error falls by 4, and the value extrapolated from both agrees to `within`.
Prescribed angles are kinematic coordinates, whose positions at the knots are inputs.
"""
import csv
import math
import os
import subprocess
import sys
import tempfile

PLANAR = "joints: [{name: x, type: tx}, {name: y, type: ty}, {name: psi, type: rz}]"
PI = math.pi


def disk(torque):
    return f"""
  gravity: [0, 0, 0]
  bodies:
    - {{name: fork, {PLANAR}, mass: 1, inertia: [0.04, 0.04, 0.04]}}
    - {{name: wheel, parent: fork, offset: {{xyz: [0, 0, 0.4]}}, joints: [{{name: theta, type: ry}}], mass: 0, inertia: [0.04, 0.08, 0.04]}}
  constraints: [{{name: disk, type: rolling, body: wheel, radius: 0.4}}]
inputs: [{{joint: theta}}]
""", "x: 0, y: 0, psi: 0, theta: 0", "x: 1.2, y: 0, psi: 0.7, theta: 3", {"theta": lambda t: torque}


def sleigh():
    return f"""
  gravity: [0, 0, 0]
  bodies: [{{name: sleigh, {PLANAR}, mass: 1, centre: [0.3, 0, 0], inertia: [0.1, 0.1, 0.2]}}]
  constraints: [{{name: blade, type: knife-edge, body: sleigh, axis: [1, 0, 0]}}]
""", "x: 0, y: 0, psi: 0", "x: 0.5, y: 0, psi: 1.5", {}


def turntable():
    return """
  gravity: [0, 0, 0]
  kinematic: [table]
  bodies:
    - {name: table, joints: [{name: table, type: rz}], mass: 0}
    - {name: ball, joints: [{name: x, type: tx}, {name: y, type: ty}, {name: b, type: ball}], mass: 1, inertia: [0.004, 0.004, 0.004]}
  constraints: [{name: contact, type: rolling, body: ball, radius: 0.1, ground: table}]
""", "x: 1, y: 0, table: 0, b: 0", "x: 0, y: 0.3, table: 2, b: [17, 0, 0]", {"table": lambda t: 2 * t}


def snakeboard():
    return f"""
  gravity: [0, 0, 0]
  kinematic: [rotor, front, rear]
  bodies:
    - {{name: board, {PLANAR}, mass: 6, inertia: [0.1, 0.1, 0.168]}}
    - {{name: rotor, parent: board, joints: [{{name: rotor, type: rz}}], mass: 0, inertia: [0.04, 0.04, 0.072]}}
    - {{name: front, parent: board, offset: {{xyz: [0.2, 0, 0]}}, joints: [{{name: front, type: rz}}], mass: 0}}
    - {{name: rear, parent: board, offset: {{xyz: [-0.2, 0, 0]}}, joints: [{{name: rear, type: rz}}], mass: 0}}
  constraints:
    - {{name: ahead, type: no-slip, bodies: [front, world], axis: [0, 1, 0]}}
    - {{name: behind, type: no-slip, bodies: [rear, world], axis: [0, 1, 0]}}
""", "x: 0, y: 0, psi: 0, rotor: 0, front: 0, rear: 0", "x: 0, y: 0, psi: 0, rotor: 0.7, front: 0.3, rear: -0.3", {
        "rotor": lambda t: 0.7 * math.sin(t), "front": lambda t: 0.3 * math.sin(t), "rear": lambda t: -0.3 * math.sin(t)}


def ackermann(angle, rate):
    # the speed of the rear axle by a formula; a wheel that turns freely is left to move
    return f"""
  gravity: [0, 0, 0]
  kinematic: [delta]
  bodies:
    - {{name: car, {PLANAR}, mass: 1, inertia: [1, 1, 1]}}
    - {{name: front, parent: car, offset: {{xyz: [2.7, 0, 0]}}, joints: [{{name: delta, type: rz}}], mass: 0}}
    - {{name: free, parent: car, joints: [{{name: free, type: ry}}], mass: 1, inertia: [1, 1, 1]}}
  constraints:
    - {{name: behind, type: no-slip, bodies: [car, world], axis: [0, 1, 0]}}
    - {{name: ahead, type: no-slip, bodies: [front, world], axis: [0, 1, 0]}}
    - {{name: speed, type: formula, formula: v.x cos(q.psi) + v.y sin(q.psi) - 2}}
""", f"x: 0, y: 0, psi: 0, delta: {angle}, free: 0", (
        f"x: 2, y: 0, psi: {2 / 2.7 * math.tan(angle)}, delta: {rate}, free: 0"), {"delta": lambda t: angle + rate * t}


# values of a row of trajectory.csv beside its coordinates: the speed along the heading, and the snakeboard's momentum, whose
# steering is straight at the end of a cycle; how far a ball's velocity has turned from y on, and its speed
DERIVED = {
    "turned": lambda r: (math.atan2(r["v.y"], r["v.x"]) - PI / 2) % (2 * PI),
    "speed": lambda r: math.hypot(r["v.x"], r["v.y"]),
    "u": lambda r: r["v.x"] * math.cos(r["q.psi"]) + r["v.y"] * math.sin(r["q.psi"]),
    "omega": lambda r: r["v.psi"],
    "p": lambda r: 6 * DERIVED["u"](r),
}


EXAMS = [  # name, problem, duration, steps, values at the end, tolerance
    ("disk", disk(0), 5, 200, {"x": -0.6013426760393, "y": 3.319640035356}, 1e-6),
    ("disk with a torque", disk(0.3), 5, 200, {"theta": 30.625, "x": -3.830116129309, "y": 6.30618613518}, 1e-6),
    ("sleigh", sleigh(), 2, 100, {"psi": 1.545135106227, "x": 0.7457788750819, "y": 1.31239444803, "u": 0.9384990241303, "omega": 0.273669708467}, 1e-6),
    ("ball on a turntable", turntable(), 3, 400, {"x": 0.3999263096558, "y": 0.5196046006514, "turned": 2 / 7 * 2 * 3, "speed": 0.3}, 1e-5),
    ("snakeboard", snakeboard(), 2 * PI, 100, {"psi": -0.0581256237547, "x": 0.1201482681951, "y": -0.001106748307, "p": 0.2348424810107}, 1e-6),
    ("Ackermann, 0.2 t", ackermann(0, 0.2), 3, 50, {"psi": 0.7109821089609, "x": 5.714655044721, "y": 1.336592709014}, 1e-6),
    ("Ackermann, 0.5", ackermann(0.5, 0), 3, 50, {"psi": 1.214005532986, "x": 4.63106220291, "y": 3.216119089104}, 1e-6),
]


def simulate(dmoc, folder, exam, steps):
    _, (model, q, v, inputs), time, _, values, _ = exam
    h = time / steps
    kinematic = "kinematic" in model
    with open(os.path.join(folder, "u.csv"), "w", encoding="ascii") as f:
        f.write("t" + "".join(f",u.{name}" for name in inputs) + "\n")
        for k in range(steps):
            at = (k + 1) * h if kinematic else k * h
            f.write(f"{k * h:.17g}" + "".join(f",{u(at):.17g}" for u in inputs.values()) + "\n")
    with open(os.path.join(folder, "case.yaml"), "w", encoding="utf-8") as f:
        f.write(f"model:{model}simulate: {{steps: {steps}, time: {time!r}, start: {{q: {{{q}}}, v: {{{v}}}}}"
                + (", input: {csv: u.csv}" if inputs else "") + "}\n")
    done = subprocess.run([dmoc, "simulate", "case.yaml", "-o", "out"], cwd=folder, capture_output=True, text=True, timeout=60)
    if done.returncode:
        raise SystemExit(f"{exam[0]}: {done.stderr}")
    with open(os.path.join(folder, "out", "trajectory.csv"), encoding="utf-8") as f:
        rows = [{key: float(x) for key, x in row.items() if x} for row in csv.DictReader(f)]
    return {name: DERIVED[name](rows[-1]) if name in DERIVED else rows[-1]["q." + name] for name in values}


def main():
    dmoc, faults = os.path.abspath(sys.argv[1]), 0
    for exam in EXAMS:
        name, _, _, steps, values, within = exam
        with tempfile.TemporaryDirectory() as folder:
            coarse, fine = (simulate(dmoc, folder, exam, n) for n in (steps, 2 * steps))
        for key, value in values.items():
            found = (4 * fine[key] - coarse[key]) / 3
            first, second = coarse[key] - value, fine[key] - value
            exact = abs(first) < 1e-9
            order = math.log2(first / second) if not exact and first * second > 0 else math.nan
            good = abs(found - value) <= within and (exact or abs(order - 2) < 0.1)
            faults += not good
            print(f"{name:20} {key:5} {value:16.12f} extrapolated {found:16.12f} order {order:.3f}{'' if good else '  NOT SO'}")
    print(f"{len(EXAMS)} exams, {faults} faults")
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())
