"""The discrete equations of docs/theory.md, section 1, implemented independently.

The two functions of inputs define the force rule, `fitted` the inertia added for stiff damping;
everything else follows from them.

    input_at(force, u, s)               the input at the fraction s of each step, from the rows of u
    impulses(force, q0, q1, u0, u1, ..) generalized impulses at the two ends of a step
"""
from dataclasses import replace

import numpy as np

from mechanics import length, mass_matrix, slopes

# the fraction of an impulse that acts at the left end of the step
LEFT = {"left": 1.0, "midpoint": 0.5}


def input_at(force, u, s):
    """Return inputs [N x nu] at the fraction s of each step, from the rows u [N+1 x nu] of a
    trajectory: zero-order hold."""
    if force not in LEFT:
        raise ValueError(f"no such force rule is known here: {force}")
    return u[:-1]


def scatter(tree):
    """Three generic configurations: values depend on the number of joints above; lengths are
    multiples of the longest path along the joints to a center of mass [3 x n]."""
    way, above = np.zeros(tree.n), np.zeros(tree.n)
    for i, j in enumerate(tree.joints):  # parents first
        way[i] = np.linalg.norm(j.xyz) + (way[j.parent] if j.parent >= 0 else 0)
        above[i] = above[j.parent] + 1 if j.parent >= 0 else 0
    extent = max((way[i] + np.linalg.norm(j.centre) for i, j in enumerate(tree.joints) if j.mass > 0), default=0)
    sizes = np.array([extent if j.slides and extent > 0 else 1 for j in tree.joints])
    return sizes * (0.3 + 0.7 * np.sin(1.7 * above + 2.3 * np.arange(3)[:, None]))


def added_inertia(tree, force, h):
    """The inertia that steps of length h add for damping that decays within one [n]. Over generic
    configurations, use the smallest inertia that resists a force on a single joint."""
    moved = (1 / np.diagonal(np.linalg.inv(mass_matrix(tree, scatter(tree))), axis1=1, axis2=2)).min(0)
    left, slowed = LEFT[force], h * tree.damping
    kept = np.exp(-slowed / moved)
    whole = np.divide(slowed * (1 - left + left * kept), 1 - kept, out=np.zeros(tree.n), where=slowed > moved)
    return np.maximum(0, whole - moved) * (slowed > moved)


def with_inertia(tree, added):
    return replace(tree, joints=[replace(j, armature=j.armature + float(a)) for j, a in zip(tree.joints, added)])


def said_inertia(tree, report):
    """The added inertia stated in a result."""
    return np.array([report.get("fitted", {}).get("inertia", {}).get(f"j{i}", 0.0) for i in range(tree.n)])


def fitted(tree, report):
    """Return the tree of the map, with the inertia that a result adds for stiff damping; and how
    far the positions of its states lag, per velocity [n]."""
    added = said_inertia(tree, report)
    lag = np.divide(added, tree.damping, out=np.zeros(tree.n), where=added > 0)
    return with_inertia(tree, added), lag


def impulses(force, tree, select, q0, q1, u0, u1, h):
    """Return F- and F+ [N x n] of steps from q0 to q1 in h under the inputs of their rows, on
    joints `select`."""
    total = -tree.damping * (q1 - q0)
    total[:, select] += h * u0
    return LEFT[force] * total, (1 - LEFT[force]) * total


def ends(task, q0, q1, u0, u1, h):
    """Return D1 and D2 of steps, and the size of their summands, [N x n] each."""
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


def rod_slopes(task, q):
    """The constraints of rods, (length^2 - fixed length^2)/2 [B x r], and their gradients [B x r x
    n]."""
    n, B = task.tree.n, len(q)
    x = (q[:, None, :] + 1e-40j * np.eye(n)).reshape(-1, n)
    square = lambda x, rod: length(task.tree, x, rod.bodies, rod.points) ** 2 / 2
    h = [square(q, rod) - rod.rest**2 / 2 for rod in task.rods]
    D = [square(x, rod).imag.reshape(B, n) / 1e-40 for rod in task.rods]
    return np.array(h).reshape(-1, B).T, np.array(D).reshape(-1, B, n).transpose(1, 0, 2)


def off_span(D, x):
    """Return x [B x n] minus its projection on the rows of D [B x r x n], because impulses of rods
    are arbitrary."""
    if D.shape[1] == 0:
        return x
    return np.array([b - d.T @ np.linalg.lstsq(d.T, b, rcond=None)[0] for d, b in zip(D, x)])


def velocity(task, q, p):
    """Return the velocity at a knot q [1 x n] with momentum p [n], after removing the part along
    rods by an impulse."""
    M, D = mass_matrix(task.tree, q)[0], rod_slopes(task, q)[1][0]
    K = np.block([[M, -D.T], [D, np.zeros((len(D), len(D)))]])
    return np.linalg.solve(K, np.concatenate([p, np.zeros(len(D))]))[: len(p)]


def velocities(task, q, p):
    """Return the velocities at all knots of a motion [N+1 x n]."""
    return np.array([velocity(task, q[k : k + 1], p[k]) for k in range(len(q))])


def roll(task, q, v, u, h):
    """Return the motion of the map from (q, v) under the rows u [N+1 x nu]: q, p [N+1 x n], or
    None."""
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
    """Return q1 and p1 by Newton's method with a finite-difference Jacobian; None if it does not
    converge."""
    n, delta, q1 = task.tree.n, 1e-7, guess.copy()
    D0 = rod_slopes(task, q[None])[1][0]
    pull = np.zeros(len(D0))
    for _ in range(30):
        tries = q1 + np.vstack([np.zeros(n), delta * np.eye(n)])
        rows = lambda x: np.broadcast_to(x, (n + 1, len(x)))
        D1, D2, size = ends(task, rows(q), tries, rows(u0), rows(u1), h)
        held, D = rod_slopes(task, q1[None])
        residual = np.concatenate([p + D1[0] - D0.T @ pull, held[0]])
        scale = size[0].max() + abs(p).max()
        if abs(residual[:n]).max() < 1e-12 * scale and abs(residual[n:]).max(initial=0) < 1e-13:
            return q1, D2[0]
        J = np.block([[(D1[1:] - D1[0]).T / delta, -D0.T], [D[0], np.zeros((len(D0), len(D0)))]])
        try:
            move = np.linalg.solve(J, residual)
        except np.linalg.LinAlgError:
            return None
        if not np.isfinite(move).all():
            return None
        q1, pull = q1 - move[:n], pull - move[n:]
    return (q1, D2[0]) if abs(residual).max() < 1e-9 * scale else None
