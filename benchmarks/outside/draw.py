"""Random tasks, each determined by its seed: a tree of joints, ends, limits, costs, rules.

`kind` is the class of a task, which is known before it is solved:

    built       a motion within all limits was made first, and its end is the goal
    asked       ends and limits are random; nothing is known
    impossible  the speed limit makes the goal unreachable in time, or the goal exceeds a position
                limit
"""
from dataclasses import dataclass, field, replace

import numpy as np

import discrete
import features
from mechanics import Joint, Tree, inverse_dynamics, mass_matrix


@dataclass
class Task:
    seed: int
    kind: str
    tree: Tree
    N: int
    T: float
    free: tuple  # bounds of the final time, or None
    rule: str  # of the Lagrangian
    force: str
    inputs: list  # driven joints
    q0: np.ndarray = None
    v0: np.ndarray = None
    q1: np.ndarray = None
    v1: np.ndarray = None
    q_limits: np.ndarray = None  # [n x 2], inf: none
    v_limits: np.ndarray = None  # [n]
    u_limits: np.ndarray = None  # [nu]
    cost: dict = field(default_factory=dict)
    rods: list = field(default_factory=list)  # with fixed length; each closes a loop with the world
    asked: list = field(default_factory=list)  # conditions on positions of points, from features.py
    robot: str = None  # text of its robot file, robot.urdf, instead of bodies
    seconds: float = None  # time limit, if it differs from the runner's


def draw_joint(r, i):
    turn = np.linalg.qr(r.normal(size=(3, 3)))[0]
    sides, mass = r.uniform(0.02, 0.4, 3), 10 ** r.uniform(-1, 1)
    box = mass / 12 * np.diag([sides[1] ** 2 + sides[2] ** 2, sides[0] ** 2 + sides[2] ** 2, sides[0] ** 2 + sides[1] ** 2])
    axis = np.eye(3)[r.integers(3)] if r.random() < 0.6 else r.normal(size=3)
    return Joint(
        parent=-1 if i == 0 else int(r.integers(i)) if r.random() < 0.3 else i - 1,
        xyz=r.uniform(-0.5, 0.5, 3), rpy=r.uniform(-3, 3, 3) if r.random() < 0.5 else np.zeros(3),
        axis=axis / np.linalg.norm(axis), slides=r.random() < 0.3, mass=mass,
        centre=r.uniform(-0.3, 0.3, 3), inertia=turn @ box @ turn.T,
        armature=float(10 ** r.uniform(-3, -1)) if r.random() < 0.2 else 0.0)


def draw_tree(r):
    tree = Tree([draw_joint(r, i) for i in range(r.integers(1, 7))])
    # no damping, ordinary, or stiff: the decay times of a speed
    manner, M = r.random(), np.diagonal(mass_matrix(tree, np.zeros((1, tree.n)))[0])
    for joint, inertia in zip(tree.joints, M):
        if manner > 0.4:
            joint.damping = float(inertia / r.uniform(0.2, 5))
        if manner > 0.8 and r.random() < 0.5:
            joint.damping = float(inertia / 10 ** r.uniform(-4, -2))
    return tree


def draw_frame(seed):
    """A task without ends and limits."""
    r = np.random.default_rng(seed)
    kind = r.choice(["built", "asked", "impossible"], p=[0.45, 0.45, 0.1])
    tree, N, T = draw_tree(r), int(20 * 10 ** r.uniform(0, 1)), float(10 ** r.uniform(-0.5, 0.6))
    inputs = [i for i in range(tree.n) if r.random() < 0.85] or [int(r.integers(tree.n))]
    if r.random() < 0.6:
        inputs = list(range(tree.n))
    task = Task(seed, str(kind), tree, N, T, None, str(r.choice(["midpoint", "trapezoid"])),
                str(r.choice(["midpoint", "left"], p=[0.8, 0.2])), inputs)
    if r.random() < 0.3:
        task.free = (T * r.uniform(0.3, 0.9), T * r.uniform(1.1, 3))
    task.cost = {"input": float(10 ** r.uniform(-2, 1))}
    if r.random() < 0.3:
        task.cost["state.q"] = float(10 ** r.uniform(-1, 1))
    if r.random() < 0.2:
        task.cost["state.v"] = float(10 ** r.uniform(-2, 0))
    if task.free and r.random() < 0.7:
        task.cost["time"] = float(10 ** r.uniform(-1, 1))
    return r, task


def sizes(task, r):
    """Torques of the order that gravity and the motion require [n]."""
    q = r.uniform(-3, 3, (20, task.tree.n))
    weight = abs(inverse_dynamics(task.tree, q, 0 * q, 0 * q)).max(0)
    return weight + np.diagonal(mass_matrix(task.tree, q[:1])[0]) / task.T**2


def build(task, r, extra=None):
    """Set ends and limits around a motion of the map, with the inertia added by its steps; returns
    False if the motion cannot be made. `extra`: random numbers for conditions on points."""
    n, nu, s = task.tree.n, len(task.inputs), np.linspace(0, 1, task.N + 1)[:, None]
    size = sizes(task, r)[task.inputs]
    u = size * sum(r.uniform(-0.5, 0.5, nu) * np.sin(2 * np.pi * (r.uniform(0, 2, nu) * s + r.random(nu))) for _ in range(3))
    task.q0, task.v0 = r.uniform(-1, 1, n), r.uniform(-0.5, 0.5, n) if r.random() < 0.5 else np.zeros(n)
    if task.rods:
        features.hold_rods(task)
    h = task.T / task.N
    stepped = replace(task, tree=discrete.with_inertia(task.tree, discrete.added_inertia(task.tree, task.force, h)))
    with np.errstate(all="ignore"):
        motion = discrete.roll(stepped, task.q0, task.v0, u, h)
    turns = np.array([not j.slides for j in task.tree.joints])
    if motion is None or not np.isfinite(motion[0]).all() or abs(np.diff(motion[0], axis=0)[:, turns]).max(initial=0) > 0.5:
        return False
    q, p = motion
    task.q1 = q[-1]
    v = discrete.velocities(stepped, q, p)
    task.v1 = v[-1]
    room = lambda: 1 + 10 ** r.uniform(-2, 0)
    task.u_limits = abs(u[:-1]).max(0) * room() if r.random() < 0.7 else np.full(nu, np.inf)
    # speed limits apply to steps and to knots, which differ for stiff damping or jumps of inputs
    fastest = np.maximum(abs(np.diff(q, axis=0)).max(0) / h, np.maximum(abs(task.v0), abs(v).max(0)))
    task.v_limits = fastest * room() + 1e-3 if r.random() < 0.5 else np.full(n, np.inf)
    middle, half = (q.max(0) + q.min(0)) / 2, (q.max(0) - q.min(0)) / 2
    half = half * room() + 1e-3 if r.random() < 0.5 else np.full(n, np.inf)
    task.q_limits = np.stack([middle - half, middle + half], 1)
    if extra is not None:
        features.ask_places(task, q, extra)
    return True


def ask(task, r):
    """Set ends, mostly at rest, and limits, which may be infeasible."""
    n, nu = task.tree.n, len(task.inputs)
    task.q0, task.q1 = r.uniform(-2, 2, n), r.uniform(-2, 2, n)
    task.v0, task.v1 = np.zeros(n), np.zeros(n)
    if r.random() < 0.2:
        task.v1 = r.uniform(-1, 1, n)
    task.u_limits = sizes(task, r)[task.inputs] * 10 ** r.uniform(-1, 1) if r.random() < 0.7 else np.full(nu, np.inf)
    task.v_limits = abs(task.q1 - task.q0) / task.T * 10 ** r.uniform(0.1, 1) + 0.1 if r.random() < 0.5 else np.full(n, np.inf)
    task.v1 = np.clip(task.v1, -task.v_limits, task.v_limits)
    low, high = np.minimum(task.q0, task.q1), np.maximum(task.q0, task.q1)
    room = r.uniform(0.01, 2) if r.random() < 0.5 else np.inf
    task.q_limits = np.stack([low - room, high + room], 1)


def spoil(task, r):
    """Make a task impossible by speed or by position."""
    i, T = int(r.integers(task.tree.n)), task.free[1] if task.free else task.T
    if r.random() < 0.7:
        task.v_limits[i] = max(abs(task.q1[i] - task.q0[i]) / T * r.uniform(0.1, 0.95), 1e-3)
        task.v0[i] = task.v1[i] = 0
        if abs(task.q1[i] - task.q0[i]) < 1.05 * T * task.v_limits[i]:
            task.q1[i] = task.q0[i] + 1.1 * T * task.v_limits[i]
            task.q_limits[i] = -np.inf, np.inf
    else:
        low, high = sorted((task.q0[i], task.q1[i]))
        task.q_limits[i] = low - 1, (low + high) / 2
        task.q0[i], task.q1[i] = low, high


def draw(seed, more=False):
    """Return the task of a seed; with `more` also springs, free bases, loops and points in
    space."""
    r, task = draw_frame(seed)
    extra = np.random.default_rng([seed, 1]) if more else None
    if more:
        features.change_robot(task, extra)
    if task.kind == "built" and not build(task, r, extra):
        task.kind = "asked"
        task.rods = []
    if task.kind != "built":
        ask(task, r)
    if task.kind == "impossible":
        spoil(task, r)
    return task


def numbers(values):
    return "[" + ", ".join(number(x) for x in values) + "]"


def number(x):
    return "none" if np.isinf(x) else repr(float(x))


def by_name(values):
    return "{" + ", ".join(f"j{i}: {number(x)}" for i, x in values) + "}"


def body_text(i, joint):
    I, word = joint.inertia, "slide" if joint.slides else "rotate"
    moments = f"{{xx: {number(I[0, 0])}, yy: {number(I[1, 1])}, zz: {number(I[2, 2])}, xy: {number(I[0, 1])}, xz: {number(I[0, 2])}, yz: {number(I[1, 2])}}}"
    parent = "world" if joint.parent < 0 else f"b{joint.parent}"
    return f"""    - name: b{i}
      parent: {parent}
      offset: {{xyz: {numbers(joint.xyz)}, rpy: {numbers(joint.rpy)}}}
      joints: [{{name: j{i}, {word}: {numbers(joint.axis)}, damping: {number(joint.damping)}, armature: {number(joint.armature)}}}]
      mass: {number(joint.mass)}
      centre: {numbers(joint.centre)}
      inertia: {moments}
"""


def bodies_text(task):
    if task.robot:
        return "  robot: robot.urdf\n"
    return "  bodies:\n" + "".join(body_text(i, j) for i, j in enumerate(task.tree.joints))


def cost_text(cost):
    state = ", ".join(f"{key[6:]}: {number(w)}" for key, w in cost.items() if key.startswith("state."))
    rest = [f"{key}: {number(w)}" for key, w in cost.items() if "." not in key]
    return "{" + ", ".join(rest + ([f"state: {{{state}}}"] if state else [])) + "}"


def text(task, iterations, seconds):
    """The problem file."""
    seconds = task.seconds or seconds
    free = task.free and f"{{free: [{number(task.free[0])}, {number(task.free[1])}], guess: {number(task.T)}}}"
    inputs = ", ".join(f"{{joint: j{i}, effort: {number(x)}}}" for i, x in zip(task.inputs, task.u_limits))
    limits = ", ".join(f"j{i}: {numbers(x)}" for i, x in enumerate(task.q_limits))
    return f"""# random task {task.seed}, {task.kind}
model:
{bodies_text(task)}{features.robot_text(task)}inputs: [{inputs}]
horizon: {{steps: {task.N}, time: {free or number(task.T)}}}
rule: {{lagrangian: {task.rule}, force: {task.force}}}
start: {{q: {by_name(enumerate(task.q0))}, v: {by_name(enumerate(task.v0))}}}
goal: {features.goal_text(task)}
bounds: {{q: {{{limits}}}, v: {by_name(enumerate(task.v_limits))}{features.bounds_text(task)}}}
cost: {cost_text(task.cost)}
{features.places_text(task)}solver: {{max_time: {seconds}, max_iter: {iterations}}}
"""
