"""The discrete equations of docs/theory.md, section 1, evaluated anew.

The two functions on inputs are where a force rule is said, `fitted` is what stiff damping adds; all else follows from them.

    input_at(force, u, s)               what acts at the share s of each step, from the rows of u
    impulses(force, q0, q1, u0, u1, ..) generalized impulses at the two ends of a step
"""
from dataclasses import replace

import numpy as np

from mechanics import mass_matrix, slopes

# of an impulse, how much acts at the left end of the step
LEFT = {"left": 1.0, "midpoint": 0.5}


def input_at(force, u, s):
    """Inputs [N x nu] at the share s of each step, of the rows u [N+1 x nu] of a trajectory: held."""
    if force not in LEFT:
        raise ValueError(f"no such force rule is known here: {force}")
    return u[:-1]


def fitted(tree, report):
    """The tree of the map, with the inertia that a result says its steps take more for stiff damping; and how far the
    positions of its states lag behind, per velocity [n]."""
    added = np.array([report.get("fitted", {}).get("inertia", {}).get(f"j{i}", 0.0) for i in range(tree.n)])
    joints = [replace(j, armature=j.armature + a) for j, a in zip(tree.joints, added)]
    lag = np.divide(added, tree.damping, out=np.zeros(tree.n), where=added > 0)
    return replace(tree, joints=joints), lag


def impulses(force, tree, select, q0, q1, u0, u1, h):
    """F- and F+ [N x n] of steps from q0 to q1 in h under the inputs of their rows, on joints `select`."""
    total = -tree.damping * (q1 - q0)
    total[:, select] += h * u0
    return LEFT[force] * total, (1 - LEFT[force]) * total


def ends(task, q0, q1, u0, u1, h):
    """D1 and D2 of steps, and the size of what is added up in them, [N x n] each."""
    v = (q1 - q0) / h
    D1, D2 = impulses(task.force, task.tree, task.inputs, q0, q1, u0, u1, h)
    size = abs(D1) + abs(D2)
    points = [(1.0, 0.5)] if task.rule == "midpoint" else [(0.5, 0.0), (0.5, 1.0)]
    for weight, place in points:
        L_q, L_v = slopes(task.tree, (1 - place) * q0 + place * q1, v)
        D1 = D1 + weight * (h * (1 - place) * L_q - L_v)
        D2 = D2 + weight * (h * place * L_q + L_v)
        size = size + weight * (abs(h * L_q) + abs(L_v))
    return D1, D2, size


def roll(task, q, v, u, h):
    """The motion of the map from (q, v) under the rows u [N+1 x nu]: q, p [N+1 x n], or None."""
    n = task.tree.n
    p = (mass_matrix(task.tree, q[None]) @ v)[0]
    path, momenta, guess = [q], [p], q + h * v
    for k in range(len(u) - 1):
        reached = step(task, q, p, u[k], u[k + 1], h, guess)
        if reached is None:
            return None
        q1, p = reached
        guess, q = 2 * q1 - q, q1
        path.append(q), momenta.append(p)
    return np.array(path), np.array(momenta)


def step(task, q, p, u0, u1, h, guess):
    """q1 and p1 by Newton's method with differences for its matrix; None where it does not converge."""
    n, delta, q1 = task.tree.n, 1e-7, guess.copy()
    for _ in range(30):
        tries = q1 + np.vstack([np.zeros(n), delta * np.eye(n)])
        rows = lambda x: np.broadcast_to(x, (n + 1, len(x)))
        D1, D2, size = ends(task, rows(q), tries, rows(u0), rows(u1), h)
        residual = p + D1[0]
        scale = size[0].max() + abs(p).max()
        if abs(residual).max() < 1e-12 * scale:
            return q1, D2[0]
        J = (D1[1:] - D1[0]).T / delta
        move = np.linalg.solve(J, residual)
        if not np.isfinite(move).all():
            return None
        q1 = q1 - move
    return (q1, D2[0]) if abs(residual).max() < 1e-9 * scale else None
