#!/usr/bin/env python3
"""Solve random tasks in equivalent formulations. All require the same motion, so status and
objective must agree.

    benchmarks/outside/alike.py [--count N] [--seed FIRST] [--iterations N] [--program PATH]

    units     of mass 1e-6..1e6, length 1e-3..1e2, time 1e-2..1e1
    size      a robot 1/100 to 50 times as large, with gravity that makes it similar
    mass      four times the mass
    order     bodies and joints in another order, with other names
    mirror    reflected in the plane x = 0
    turn      rotated, together with gravity

Prints every exception with both objectives. Needs numpy. Exit status 1 if fewer than 97 % of the
variants agree with the original task. See docs/trust.md.
"""
import argparse
import copy
import json
import os
import subprocess
import sys
import tempfile

import numpy as np

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import draw  # noqa: E402
from draw import number, numbers  # noqa: E402
from mechanics import rotation_rpy  # noqa: E402

GRAVITY = np.array([0, 0, -9.81])
ALIKE, SHARE = 1e-6, 0.97
SOLVED = ("solved", "coarse")


class Saying:
    """A task with the units, the joint order and the gravity in which it is written. It owns a copy
    of the task."""

    def __init__(self, task):
        self.task, self.gravity = copy.deepcopy(task), GRAVITY
        self.mass = self.length = self.time = 1.0
        self.order = list(range(task.tree.n))
        self.name = [f"j{i}" for i in self.order]

    def of_q(self, i):
        return self.length if self.task.tree.joints[i].slides else 1.0

    def of_inertia(self, i):
        return self.mass * (1.0 if self.task.tree.joints[i].slides else self.length**2)

    def of_input(self, i):
        return self.mass * self.length / self.time**2 * (1.0 if self.task.tree.joints[i].slides else self.length)


def in_units(s, mass, length, time):
    s.mass, s.length, s.time = mass, length, time
    s.gravity = s.gravity * length / time**2


def in_order(s, r):
    """Parents before children, otherwise in random order."""
    joints, left, s.order = s.task.tree.joints, set(range(s.task.tree.n)), []
    while left:
        ready = sorted(i for i in left if joints[i].parent not in left)
        s.order.append(ready[r.integers(len(ready))])
        left.discard(s.order[-1])
    s.name = [f"a{k}" for k in r.permutation(s.task.tree.n)]


def rpy_of(R):
    pitch = np.arctan2(-R[2, 0], np.hypot(R[0, 0], R[1, 0]))
    rpy = np.array([np.arctan2(R[2, 1], R[2, 2]), pitch, np.arctan2(R[1, 0], R[0, 0])])
    assert abs(rotation_rpy(rpy) - R).max() < 1e-12
    return rpy


def mirrored(s):
    S = np.diag([-1.0, 1, 1])
    for j in s.task.tree.joints:
        j.rpy = rpy_of(S @ rotation_rpy(j.rpy) @ S)
        j.xyz, j.centre, j.inertia = S @ j.xyz, S @ j.centre, S @ j.inertia @ S
        j.axis = S @ j.axis if j.slides else -S @ j.axis


def turned(s, r):
    R = rotation_rpy(r.uniform(-1.4, 1.4, 3))
    s.gravity = R @ s.gravity
    for j in s.task.tree.joints:
        if j.parent < 0:
            j.xyz, j.rpy = R @ j.xyz, rpy_of(R @ rotation_rpy(j.rpy))


def body_text(s, i):
    j, m, l = s.task.tree.joints[i], s.mass, s.length
    I = j.inertia * m * l * l
    moments = ", ".join(f"{'xyz'[a]}{'xyz'[b]}: {number(I[a, b])}" for a in range(3) for b in range(a, 3))
    return f"""    - name: {s.name[i]}-body
      parent: {"world" if j.parent < 0 else s.name[j.parent] + "-body"}
      offset: {{xyz: {numbers(j.xyz * l)}, rpy: {numbers(j.rpy)}}}
      joints: [{{name: {s.name[i]}, {"slide" if j.slides else "rotate"}: {numbers(j.axis)}, damping: {number(j.damping * s.of_inertia(i) / s.time)}, armature: {number(j.armature * s.of_inertia(i))}}}]
      mass: {number(j.mass * m)}
      centre: {numbers(j.centre * l)}
      inertia: {{{moments}}}
"""


def by_joint(s, values, unit, of=None):
    """{name: value} in the written order; `of` lists the joints that have values."""
    value = dict(zip(of if of is not None else range(s.task.tree.n), values))
    return "{" + ", ".join(f"{s.name[i]}: {number(value[i] * unit(i))}" for i in s.order if i in value) + "}"


def text(s, iterations):
    t, n = s.task, range(s.task.tree.n)
    rate = lambda i: s.of_q(i) / s.time
    free = t.free and f"{{free: {numbers(np.array(t.free) * s.time)}, guess: {number(t.T * s.time)}}}"
    inputs = ", ".join(f"{{joint: {s.name[i]}, effort: {number(x * s.of_input(i))}}}" for i, x in zip(t.inputs, t.u_limits))
    limits = ", ".join(f"{s.name[i]}: {numbers(t.q_limits[i] * s.of_q(i))}" for i in s.order)
    weight = lambda unit: lambda i: 1 / (unit(i) ** 2 * s.time)
    cost = [f"input: {by_joint(s, [t.cost['input']] * len(t.inputs), weight(s.of_input), t.inputs)}"]
    if "time" in t.cost:
        cost.append(f"time: {number(t.cost['time'] / s.time)}")
    state = [f"{x}: {by_joint(s, [t.cost['state.' + x] for _ in n], weight(unit))}" for x, unit in (("q", s.of_q), ("v", rate)) if "state." + x in t.cost]
    if state:
        cost.append(f"state: {{{', '.join(state)}}}")
    return f"""# random task {t.seed}, {t.kind}
model:
  gravity: {numbers(s.gravity)}
  bodies:
{"".join(body_text(s, i) for i in s.order)}inputs: [{inputs}]
horizon: {{steps: {t.N}, time: {free or number(t.T * s.time)}}}
rule: {{lagrangian: {t.rule}, force: {t.force}}}
start: {{q: {by_joint(s, t.q0, s.of_q)}, v: {by_joint(s, t.v0, rate)}}}
goal: {{q: {by_joint(s, t.q1, s.of_q)}, v: {by_joint(s, t.v1, rate)}}}
bounds: {{q: {{{limits}}}, v: {by_joint(s, t.v_limits, rate)}}}
cost: {{{', '.join(cost)}}}
solver: {{max_iter: {iterations}}}
"""


def sayings(task, r):
    said = {name: Saying(task) for name in ("as it stands", "units", "size", "mass", "order", "mirror", "turn")}
    in_units(said["units"], 10 ** r.uniform(-6, 6), 10 ** r.uniform(-3, 2), 10 ** r.uniform(-2, 1))
    in_units(said["size"], 1, 10 ** r.uniform(-2, 1.7), 1)
    in_units(said["mass"], 4, 1, 1)
    in_order(said["order"], r)
    mirrored(said["mirror"])
    turned(said["turn"], r)
    return said


def solve(s, args, folder):
    """Return status, objective and iterations."""
    path = os.path.join(folder, "task.yaml")
    with open(path, "w") as f:
        f.write(text(s, args.iterations))
    command = [args.program, "optimize", path, "-o", os.path.join(folder, "result"), "--json"]
    try:
        report = json.loads(subprocess.run(command, capture_output=True, text=True, timeout=600).stdout)
    except (subprocess.TimeoutExpired, ValueError) as fault:
        return "error", str(fault), 0
    return report["status"], report.get("objective"), report.get("iterations")


def main():
    here = os.path.dirname(os.path.abspath(__file__))
    p = argparse.ArgumentParser(description="random tasks, each said in seven ways")
    p.add_argument("--count", type=int, default=100)
    p.add_argument("--seed", type=int, default=1, help="of the first task")
    p.add_argument("--iterations", type=int, default=300)
    p.add_argument("--program", default=os.path.join(here, "..", "..", "build", "cli", "dmoc"))
    args = p.parse_args()
    total, alike, steps = {}, {}, {}
    for seed in range(args.seed, args.seed + args.count):
        results = {}
        for name, s in sayings(draw.draw(seed), np.random.default_rng([seed, 2])).items():
            with tempfile.TemporaryDirectory() as folder:
                results[name] = solve(s, args, folder)
        status, objective, iterations = results.pop("as it stands")
        if status not in SOLVED:
            continue
        for name, (other, value, taken) in results.items():
            same = other == status and abs(value - objective) <= ALIKE * abs(objective)
            total[name], alike[name] = total.get(name, 0) + 1, alike.get(name, 0) + same
            steps[name] = steps.get(name, 0) + (taken == iterations)
            if not same:
                print(f"seed {seed}, {name}: {other} {value!r}, as it stands {status} {objective!r} ({iterations} iterations)", flush=True)
    print("\n| said in other | tasks | alike | of as many iterations |\n| --- | --- | --- | --- |")
    for name, n in total.items():
        print(f"| {name} | {n} | {alike[name]} | {steps[name]} |")
    return 0 if total and sum(alike.values()) >= SHARE * sum(total.values()) else 1


if __name__ == "__main__":
    sys.exit(main())
