"""Features of robots and tasks besides joints, ends and limits: springs, free bases, rods to the
world, and conditions on points along a motion made before. Each is drawn, written and judged here.

A place is a dict: what (goal, via, bounds, apart), body, point, and

    goal     center [3]: the final position of the point, instead of goal.q
    via      share, low, high [3]: its position at that time
    bounds   axis, low: its height along the axis at every knot
    apart    center, radius: of a ball that the point must avoid
"""
import glob
import os
from dataclasses import replace

import numpy as np

import urdf
from mechanics import Joint, Spring, Tree, length, place_of

PROBLEMS = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "problems")
SHARES = (0.25, 0.5, 0.75)


def free_base(tree, r):
    """Return the tree on a body that moves freely in the plane y = 0: two translations, then a
    rotation."""
    still = dict(xyz=np.zeros(3), rpy=np.zeros(3), mass=0.0, centre=np.zeros(3), inertia=np.zeros((3, 3)))
    x, y, z = np.eye(3)
    base = [Joint(parent=-1, axis=x, slides=True, **still), Joint(parent=0, axis=z, slides=True, **still)]
    mass = 10 ** r.uniform(-0.5, 1)
    body = dict(still, mass=mass, inertia=mass * np.diag(r.uniform(0.02, 0.03, 3)))
    base.append(Joint(parent=1, axis=y, slides=False, **body))
    rest = [replace(j, parent=j.parent + 3 if j.parent >= 0 else 2) for j in tree.joints]
    return Tree(base + rest, springs=tree.springs)


def draw_spring(tree, r):
    if r.random() < 0.5:
        return Spring(10 ** r.uniform(-1, 2), r.uniform(-1, 1), joint=int(r.integers(tree.n)))
    bodies, points = (tree.n - 1, -1), (r.uniform(-0.3, 0.3, 3), r.uniform(2, 4, 3))
    return Spring(10 ** r.uniform(-1, 2), r.uniform(0, 2), bodies=bodies, points=points)


def change_robot(task, r):
    """Change the robot before a motion is made. Rods need a suitable start, so that only built
    tasks have them."""
    worked = [w for w in map(urdf.read, sorted(glob.glob(os.path.join(PROBLEMS, "*", "*.urdf")))) if w]
    if r.random() < 0.2:
        task.tree, task.robot = worked[r.integers(len(worked))]
        task.inputs = [i for i in range(task.tree.n) if r.random() < 0.85] or [0]
    elif r.random() < 0.2 and task.tree.n <= 4:
        task.tree = free_base(task.tree, r)
        driven = [i + 3 for i in task.inputs]
        task.inputs = [i for i in range(3)] + driven if r.random() < 0.7 else driven
    if r.random() < 0.4:
        task.tree.springs = [draw_spring(task.tree, r) for _ in range(r.integers(1, 3))]
    if task.kind == "built" and task.tree.n >= 2 and r.random() < 0.25:
        bodies, points = (task.tree.n - 1, -1), (r.uniform(-0.3, 0.3, 3), r.uniform(1, 3, 3))
        task.rods = [Spring(0, 0, bodies=bodies, points=points)]
    if r.random() < 0.1:
        task.seconds = float(10 ** r.uniform(-1.5, 0))
    task.N = 4 * (task.N // 4)


def hold_rods(task):
    """Set the lengths of rods from the start, and the start at rest."""
    task.v0 = np.zeros(task.tree.n)
    task.rods = [replace(rod, rest=float(length(task.tree, task.q0[None], rod.bodies, rod.points)[0])) for rod in task.rods]


def ask_places(task, q, r):
    """Add conditions on points that the motion q of the task satisfies."""
    body, point = task.tree.n - 1, r.uniform(-0.3, 0.3, 3)
    path = place_of(task.tree, q, body, point)
    room = 10 ** r.uniform(-2, 0)
    at = dict(body=body, point=point)
    if r.random() < 0.25:
        task.asked.append(dict(at, what="goal", center=path[-1]))
        task.q1 = None
    if r.random() < 0.3:
        share = SHARES[r.integers(3)]
        here = path[round(share * task.N)]
        task.asked.append(dict(at, what="via", share=share, low=here - room, high=here + room))
    if r.random() < 0.25:
        axis = np.eye(3)[r.integers(3)]
        task.asked.append(dict(at, what="bounds", axis=axis, low=float((path @ axis).min() - room)))
    if r.random() < 0.25:
        center = path[r.integers(len(path))] + r.normal(size=3) * 10 ** r.uniform(-1, 0)
        nearest = np.linalg.norm(path - center, axis=1).min()
        task.asked.append(dict(at, what="apart", center=center, radius=float(nearest * r.uniform(0.3, 0.95))))


def beyond_places(task, q):
    """Return violations of conditions on points at knots, in m."""
    worst = 0
    for a in task.asked:
        path = place_of(task.tree, q, a["body"], a["point"])
        if a["what"] == "goal":
            worst = max(worst, abs(path[-1] - a["center"]).max())
        if a["what"] == "via":
            here = path[round(a["share"] * (len(q) - 1))]
            worst = max(worst, (a["low"] - here).max(), (here - a["high"]).max())
        if a["what"] == "bounds":
            worst = max(worst, (a["low"] - path @ a["axis"]).max())
        if a["what"] == "apart":
            worst = max(worst, (a["radius"] - np.linalg.norm(path - a["center"], axis=1)).max())
    return worst


def vector(x):
    return "[" + ", ".join(repr(float(v)) for v in x) + "]"


def between(s):
    names = ["world" if b < 0 else f"b{b}" for b in s.bodies]
    return f"bodies: [{', '.join(names)}], points: [{vector(s.points[0])}, {vector(s.points[1])}]"


def robot_text(task):
    """Return the part of `model` other than its bodies."""
    rows = []
    for i, s in enumerate(task.tree.springs):
        on = f"joint: j{s.joint}" if s.joint >= 0 else between(s)
        rows.append(f"    - {{name: s{i}, {on}, stiffness: {s.stiffness!r}, rest: {s.rest!r}}}\n")
    text = "  springs:\n" + "".join(rows) if rows else ""
    rods = [f"    - {{name: rod{i}, type: distance, {between(s)}, length: {s.rest!r}}}\n" for i, s in enumerate(task.rods)]
    return text + ("  constraints:\n" + "".join(rods) if rods else "")


def goal_text(task):
    by_name = lambda x: "{" + ", ".join(f"j{i}: {float(value)!r}" for i, value in enumerate(x)) + "}"
    ends = [f"{key}: {by_name(x)}" for key, x in (("q", task.q1), ("v", task.v1)) if x is not None]
    places = [f"p{i}: {vector(a['center'])}" for i, a in enumerate(task.asked) if a["what"] == "goal"]
    return "{" + ", ".join(ends + ([f"outputs: {{{', '.join(places)}}}"] if places else [])) + "}"


def bounds_text(task):
    rows = [f"p{i}: [{a['low']!r}, none]" for i, a in enumerate(task.asked) if a["what"] == "bounds"]
    return f", outputs: {{{', '.join(rows)}}}" if rows else ""


def output_text(i, a):
    at = f"bodies: b{a['body']}, points: {vector(a['point'])}"
    if a["what"] == "bounds":
        return f"  - {{name: p{i}, type: height, {at}, axis: {vector(a['axis'])}}}\n"
    return f"  - {{name: p{i}, type: position, {at}}}\n"


def ball_text(i, a):
    """Return a point and a ball of the world that must stay apart: in `keep_out`, if it supports
    the body's sphere."""
    small = a["radius"] * 0.25
    return (f"    - {{name: tool{i}, type: sphere, body: b{a['body']}, point: {vector(a['point'])}, radius: {small!r}}}\n"
            f"    - {{name: ball{i}, type: sphere, point: {vector(a['center'])}, radius: {a['radius'] - small!r}}}\n")


def places_text(task):
    """Return the sections outputs, via and keep_out."""
    asked = list(enumerate(task.asked))
    rows = [output_text(i, a) for i, a in asked if a["what"] != "apart"]
    text = "outputs:\n" + "".join(rows) if rows else ""
    window = lambda a: "[" + ", ".join(f"[{x!r}, {y!r}]" for x, y in zip(map(float, a["low"]), map(float, a["high"]))) + "]"
    via = [f"  - {{at: {100 * a['share']:g} %, outputs: {{p{i}: {window(a)}}}}}\n" for i, a in asked if a["what"] == "via"]
    text += "via:\n" + "".join(via) if via else ""
    balls = [ball_text(i, a) for i, a in asked if a["what"] == "apart"]
    return text + ("keep_out:\n  shapes:\n" + "".join(balls) if balls else "")
