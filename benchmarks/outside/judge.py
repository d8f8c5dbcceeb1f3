"""Judge the outcome of a task, recomputed from the result folder as described in docs/results.md.

    judge(task, exit_status, report, folder)   a Verdict

    true    the status is correct
    coarse  the knots are correct, but between them the robot behaves differently: a joint rotates
            more than pi/2 in a step, the continuous equations end elsewhere, or exceed the speed
            limit
    wrong   the status, or a reported number, is incorrect
    missed  a motion existed (`built`) and was not found
    open    nothing is known about the task that could contradict the status
"""
import csv
import os
from dataclasses import dataclass, field, replace

import numpy as np

import discrete
import features
from mechanics import follow, mass_matrix

TURN = np.pi / 2  # rad in a step
SPEED = 0.1  # excess between knots, relative to a limit
# between the knot and the plant's state, relative to the coordinate's largest step, or to its range
GAP = 0.25
RANGE, STEPS = 0.02, 4  # fraction of the range, limited to this many steps
PARTS = 1000  # of a step for its integration; stiffer ones are checked only at their knots
EXACT = 1e-6  # relative tolerance of equations at knots
SOLVED = ("solved", "solved_acceptable", "coarse")


@dataclass
class Verdict:
    word: str
    status: str
    why: list = field(default_factory=list)
    numbers: dict = field(default_factory=dict)


def read_trajectory(task, path):
    """Return t [N+1], q, p, v [N+1 x n], u [N+1 x nu], with nan for empty cells."""
    rows = list(csv.DictReader(line for line in open(path) if not line.startswith("#")))
    column = lambda name: np.array([float(r[name]) if r[name] else np.nan for r in rows])
    many = lambda kind, joints: np.stack([column(f"{kind}.j{i}") for i in joints], 1)
    every = range(task.tree.n)
    return column("t"), many("q", every), many("p", every), many("v", every), many("u", task.inputs)


def beyond(x, low, high):
    """Return how far x is outside its limits, in units of 1 + the limit."""
    with np.errstate(invalid="ignore"):
        below, above = (low - x) / (1 + abs(low)), (x - high) / (1 + abs(high))
    return max(0, np.nanmax(np.where(np.isinf(low), 0, below)), np.nanmax(np.where(np.isinf(high), 0, above)))


def objective(task, q, u, h):
    """Return the cost defined in docs/problem-format.md: zero-order hold of inputs, trapezoidal
    rule for positions."""
    held = discrete.input_at(task.force, u, 0.5)
    w, v = task.cost, np.diff(q, axis=0) / h
    knots = ((q[:-1] ** 2).sum() + (q[1:] ** 2).sum()) / 2
    running = w["input"] * (held**2).sum() + w.get("state.q", 0) * knots + w.get("state.v", 0) * (v**2).sum()
    return h * running / 2 + w.get("time", 0) * h * task.N


def at_knots(task, motion, report):
    """Check everything that must hold exactly: name and size of each error, of order 1."""
    t, q, p, v, u = motion
    h, held = t[-1] / task.N, discrete.input_at(task.force, u, 0)
    tree, _ = discrete.fitted(task.tree, report)
    step = report.get("fitted", {}).get("step", task.T / task.N)
    more, said = discrete.added_inertia(task.tree, task.force, step), discrete.said_inertia(task.tree, report)
    stepped = replace(task, tree=tree)
    D1, D2, size = discrete.ends(stepped, q[:-1], q[1:], held, u[1:], h)
    scale = size.max()
    M = mass_matrix(tree, q[[0, -1]])
    low, high = task.free or (task.T, task.T)
    speed = np.vstack([np.diff(q, axis=0) / h, discrete.velocities(stepped, q[1:-1], p[1:-1])])
    # impulses of rods are arbitrary
    loose, pull = discrete.rod_slopes(task, q)
    moved = discrete.off_span(pull[:-1], p[:-1] + D1)
    last = M[0] @ v[0] - p[0], M[1] @ v[-1] - p[-1]
    ends = discrete.off_span(pull[[0, -1]], np.array(last))
    goal = 0 if task.q1 is None else abs(q[-1] - task.q1).max()
    return {
        "inertia for damping": (abs(said - more) / (1 + more)).max(),
        "equations of motion": max(abs(moved).max(), abs(p[1:] - D2).max()) / scale,
        "rods": abs(loose).max(initial=0),
        "places in space": features.beyond_places(task, q),
        "start and goal": max(abs(q[0] - task.q0).max(), goal),
        "end velocities": max(abs(v[0] - task.v0).max(), 0 if task.v1 is None else abs(v[-1] - task.v1).max()),
        "end momenta": abs(ends).max() / scale,
        "times": abs(np.diff(t) - h).max() / h + beyond(t[-1], np.array(low), np.array(high)),
        "bounds.q": beyond(q, *task.q_limits.T),
        "bounds.v": beyond(speed, -task.v_limits, task.v_limits),
        "bounds.u": beyond(held, -task.u_limits, task.u_limits),
        "objective": abs(objective(task, q, u, h) - report["objective"]) / (1 + abs(report["objective"])),
    }


def between_knots(task, motion, report):
    """Return the rotation of the largest step; the plant's largest speed over its limit, and its
    gap at the next knot; steps per decay time."""
    t, q, p, v, u = motion
    h, n = t[-1] / task.N, task.tree.n
    turns = np.array([not j.slides for j in task.tree.joints])
    turn = abs(np.diff(q, axis=0)[:, turns]).max(initial=0)

    def torque(s):
        tau = np.zeros((task.N, n))
        tau[:, task.inputs] = discrete.input_at(task.force, u, s)
        return tau

    # the fastest decay that Runge-Kutta must resolve
    M = mass_matrix(task.tree, q[:-1])
    rate = abs(np.linalg.eigvals(np.linalg.solve(M, np.broadcast_to(np.diag(task.tree.damping), M.shape)))).max()
    parts = max(20, int(np.ceil(1.5 * h * rate)))
    if parts > PARTS or task.rods:
        return {"turn": turn, "speed": 0, "gap": 0, "stiff": h * rate}

    # positions of the map's states
    tree, lag = discrete.fitted(task.tree, report)
    speeds = np.linalg.solve(mass_matrix(tree, q), p[:, :, None])[:, :, 0]
    q = q + lag * speeds
    with np.errstate(all="ignore"):
        path_q, path_v = follow(task.tree, q[:-1], speeds[:-1], torque, h, parts)
    longest = abs(np.diff(q, axis=0)).max(0)
    range_of = np.subtract(*task.q_limits.T[::-1])
    range_of[turns] = np.minimum(range_of[turns], 2 * np.pi)
    floor = np.minimum(RANGE * range_of, np.minimum(np.ptp(q, axis=0), STEPS * longest))
    longest = np.maximum(longest, floor) + 1e-3
    with np.errstate(invalid="ignore"):
        fast = np.nanmax(abs(path_v).max((0, 1)) / task.v_limits)
        gap = (abs(path_q[-1] - q[1:]) / longest).max()
    return {"turn": turn, "speed": fast, "gap": gap if np.isfinite(gap) else np.inf, "stiff": h * rate}


def judge_motion(task, status, report, folder):
    verdict = Verdict("true", status)
    motion = read_trajectory(task, os.path.join(folder, "trajectory.csv"))
    # a refined plan is the same task with more steps
    task.N = len(motion[0]) - 1
    exact = at_knots(task, motion, report)
    between = between_knots(task, motion, report)
    verdict.numbers = {**exact, **between}
    verdict.why = [f"{name} off by {error:.1e}" for name, error in exact.items() if not error < EXACT]
    if task.kind == "impossible":
        verdict.why.append("a task that no motion can meet")
    if verdict.why:
        verdict.word = "wrong"
        return verdict
    if between["turn"] > TURN:
        verdict.why.append(f"turns {between['turn']:.2f} rad in a step")
    if between["speed"] > 1 + SPEED:
        verdict.why.append(f"speed {between['speed']:.2f} times its limit between knots")
    if between["gap"] > GAP:
        verdict.why.append(f"the plant lands {between['gap']:.2g} of a step beside the knot")
    verdict.word = "coarse" if verdict.why else "true"
    if status == "coarse":
        # between knots rods and very stiff damping are not simulated, and points are not checked
        unseen = "open" if task.rods or task.asked or between["stiff"] * 1.5 > PARTS else "wrong"
        verdict.word = "true" if verdict.why else unseen
    if between["stiff"] * 1.5 > PARTS:
        verdict.why.append("too stiff to be followed between knots")
    return verdict


def judge(task, exit_status, report, folder):
    status = "refused" if exit_status == 2 else report.get("status", "none")
    if (exit_status == 0) != (status in SOLVED and status != "coarse"):
        return Verdict("wrong", status, [f"exit status {exit_status} with '{status}'"])
    if status in SOLVED:
        return judge_motion(task, status, report, folder)
    if exit_status not in (1, 2):
        return Verdict("wrong", status, [f"exit status {exit_status}"])
    if task.kind == "impossible":
        return Verdict("true" if status in ("infeasible", "refused") else "open", status)
    if exit_status == 2:
        return Verdict("wrong", status, ["refused: " + report.get("error", "no reason")])
    return Verdict("missed" if task.kind == "built" else "open", status)
