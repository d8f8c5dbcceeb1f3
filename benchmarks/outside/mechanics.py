"""The mechanics of a tree of joints, from first principles and for many states at once.

Independent of dmoc except for the parameters of the robot. A tree is a list of Joint, each after
its parent; all arrays have the states in their first axis: q, v, a, tau [B x n]. SI units.

    lagrangian(tree, q, v)           L [B], kinetic minus potential energy; complex q and v allowed
    slopes(tree, q, v)               L_q, L_v [B x n], by complex steps: exact to rounding
    inverse_dynamics(tree, q, v, a)  tau [B x n], by the recursive Newton-Euler algorithm
    mass_matrix(tree, q)             M [B x n x n], by the same recursion
    follow(tree, q, v, u, h, parts)  Runge-Kutta motions under the inputs u(s), s in [0, 1]
"""
from dataclasses import dataclass, field

import numpy as np


@dataclass
class Joint:
    parent: int  # index of the parent joint, -1: the world
    xyz: np.ndarray  # of its frame in its parent's, at q = 0 [3]
    rpy: np.ndarray
    axis: np.ndarray  # unit vector, in its own frame [3]
    slides: bool
    mass: float
    centre: np.ndarray  # [3]
    inertia: np.ndarray  # about the center of mass, in the frame's axes [3 x 3]
    damping: float = 0
    armature: float = 0


@dataclass
class Spring:
    stiffness: float
    rest: float
    joint: int = -1  # on which it acts; otherwise it acts between two points
    bodies: tuple = ()  # indices of joints, -1: the world
    points: tuple = ()  # one on each [3]


@dataclass
class Tree:
    joints: list
    gravity: np.ndarray = field(default_factory=lambda: np.array([0, 0, -9.81]))
    springs: list = field(default_factory=list)

    @property
    def n(self):
        return len(self.joints)

    @property
    def damping(self):
        return np.array([j.damping for j in self.joints])


def rotation_rpy(rpy):
    """Rotations about the fixed axes x, y, z in this order: roll, pitch, yaw."""
    c, s = np.cos(rpy), np.sin(rpy)
    x = np.array([[1, 0, 0], [0, c[0], -s[0]], [0, s[0], c[0]]])
    y = np.array([[c[1], 0, s[1]], [0, 1, 0], [-s[1], 0, c[1]]])
    z = np.array([[c[2], -s[2], 0], [s[2], c[2], 0], [0, 0, 1]])
    return z @ y @ x


def rotation_about(axis, angle):
    """Rodrigues' formula for angles [B]: [B x 3 x 3]."""
    K = np.array([[0, -axis[2], axis[1]], [axis[2], 0, -axis[0]], [-axis[1], axis[0], 0]])
    s, c = np.sin(angle)[:, None, None], np.cos(angle)[:, None, None]
    return np.eye(3) + s * K + (1 - c) * (K @ K)


def frames(tree, q):
    """Position [B x 3] and orientation [B x 3 x 3] of every joint's frame in the world."""
    places, attitudes = [], []
    for i, joint in enumerate(tree.joints):
        fixed = rotation_rpy(joint.rpy)
        if joint.slides:
            place = joint.xyz + q[:, i, None] * (fixed @ joint.axis)
            attitude = np.broadcast_to(fixed, (len(q), 3, 3))
        else:
            place = np.broadcast_to(joint.xyz, (len(q), 3))
            attitude = fixed @ rotation_about(joint.axis, q[:, i])
        if joint.parent >= 0:
            R = attitudes[joint.parent]
            place = places[joint.parent] + np.einsum("bij,bj->bi", R, place)
            attitude = R @ attitude
        places.append(place)
        attitudes.append(attitude)
    return places, attitudes


def place_of(tree, q, body, point):
    """A point [3] of a body's frame in the world [B x 3]."""
    if body < 0:
        return np.broadcast_to(point, (len(q), 3))
    places, attitudes = frames(tree, q)
    return places[body] + np.einsum("bij,j->bi", attitudes[body], point)


def length(tree, q, bodies, points):
    """The distance of two points [B]; complex q allowed."""
    gap = place_of(tree, q, bodies[0], points[0]) - place_of(tree, q, bodies[1], points[1])
    return np.sqrt((gap * gap).sum(1))


def spring_energy(tree, q):
    total = 0
    for s in tree.springs:
        at = q[:, s.joint] if s.joint >= 0 else length(tree, q, s.bodies, s.points)
        total = total + s.stiffness / 2 * (at - s.rest) ** 2
    return total


def spring_torque(tree, q):
    """The gradient of the springs' energy by complex steps [B x n]."""
    if not tree.springs:
        return 0
    n, B = tree.n, len(q)
    x = (q[:, None, :] + 1e-40j * np.eye(n)).reshape(-1, n)
    return spring_energy(tree, x).imag.reshape(B, n) / 1e-40


def lagrangian(tree, q, v):
    places, attitudes = frames(tree, q)
    turning, moving = [], []
    total = -spring_energy(tree, q)
    for i, joint in enumerate(tree.joints):
        axis = np.einsum("bij,j->bi", attitudes[i], joint.axis)
        rate = v[:, i, None] * axis
        if joint.parent >= 0:
            arm = places[i] - places[joint.parent]
            w, speed = turning[joint.parent], moving[joint.parent] + np.cross(turning[joint.parent], arm)
        else:
            w, speed = np.zeros_like(rate), np.zeros_like(rate)
        # a rotation adds to the angular velocity, a translation to the velocity of the frame's origin
        turning.append(w if joint.slides else w + rate)
        moving.append(speed + rate if joint.slides else speed)
        lever = np.einsum("bij,j->bi", attitudes[i], joint.centre)
        speed = moving[i] + np.cross(turning[i], lever)
        spin = np.einsum("bji,bj->bi", attitudes[i], turning[i])
        total = total + 0.5 * joint.mass * (speed * speed).sum(1)
        total = total + 0.5 * np.einsum("bi,ij,bj->b", spin, joint.inertia, spin)
        total = total + 0.5 * joint.armature * v[:, i] ** 2
        total = total + joint.mass * (places[i] + lever) @ tree.gravity
    return total


def slopes(tree, q, v):
    n, step = tree.n, 1e-40
    B = len(q)
    x = np.concatenate([q, v], 1)[:, None, :] + 1j * step * np.eye(2 * n)
    x = x.reshape(-1, 2 * n)
    d = lagrangian(tree, x[:, :n], x[:, n:]).imag.reshape(B, 2 * n) / step
    return d[:, :n], d[:, n:]


def inverse_dynamics(tree, q, v, a, gravity=True):
    places, attitudes = frames(tree, q)
    zero = np.zeros((len(q), 3))
    w, dw, acc, force, moment, axes = [], [], [], [], [], []
    # outward: velocities and accelerations of frames, forces required by their bodies
    for i, joint in enumerate(tree.joints):
        axis = np.einsum("bij,j->bi", attitudes[i], joint.axis)
        rate, gain = v[:, i, None] * axis, a[:, i, None] * axis
        if joint.parent >= 0:
            p = joint.parent
            arm = places[i] - places[p]
            w0, dw0 = w[p], dw[p]
            acc0 = acc[p] + np.cross(dw0, arm) + np.cross(w0, np.cross(w0, arm))
        else:
            w0, dw0, acc0 = zero, zero, zero - (tree.gravity if gravity else 0)
        if joint.slides:
            w.append(w0), dw.append(dw0)
            acc.append(acc0 + gain + 2 * np.cross(w0, rate))
        else:
            w.append(w0 + rate), dw.append(dw0 + gain + np.cross(w0, rate))
            acc.append(acc0)
        lever = np.einsum("bij,j->bi", attitudes[i], joint.centre)
        centre = acc[i] + np.cross(dw[i], lever) + np.cross(w[i], np.cross(w[i], lever))
        I = attitudes[i] @ joint.inertia @ np.swapaxes(attitudes[i], 1, 2)
        spin = np.einsum("bij,bj->bi", I, w[i])
        force.append(joint.mass * centre)
        moment.append(np.einsum("bij,bj->bi", I, dw[i]) + np.cross(w[i], spin) + np.cross(lever, force[i]))
        axes.append(axis)
    # inward: the force transmitted to each parent joint, and its component along the joint's axis
    tau = np.zeros(q.shape)
    for i in reversed(range(tree.n)):
        joint = tree.joints[i]
        tau[:, i] = ((force[i] if joint.slides else moment[i]) * axes[i]).sum(1) + joint.armature * a[:, i]
        if joint.parent >= 0:
            p = joint.parent
            moment[p] = moment[p] + moment[i] + np.cross(places[i] - places[p], force[i])
            force[p] = force[p] + force[i]
    return tau


def mass_matrix(tree, q):
    n, B = tree.n, len(q)
    many = np.repeat(q, n, 0)
    unit = np.tile(np.eye(n), (B, 1))
    columns = inverse_dynamics(tree, many, np.zeros_like(many), unit, gravity=False)
    return np.swapaxes(columns.reshape(B, n, n), 1, 2)


def acceleration(tree, q, v, tau):
    free = inverse_dynamics(tree, q, v, np.zeros_like(q))
    rest = tau - free - tree.damping * v - spring_torque(tree, q)
    return np.linalg.solve(mass_matrix(tree, q), rest[:, :, None])[:, :, 0]


def follow(tree, q, v, u, h, parts):
    """Integrate from the states (q, v) over the time h under generalized forces u(s) [B x n], s =
    t/h.

    Returns q and v [parts + 1 x B x n], the states at s = 0, 1/parts, ..., 1.
    """
    path_q, path_v, d = [q], [v], h / parts
    for k in range(parts):
        s, half, end = k / parts, (k + 0.5) / parts, (k + 1) / parts
        k1 = acceleration(tree, q, v, u(s))
        k2 = acceleration(tree, q + d / 2 * v, v + d / 2 * k1, u(half))
        k3 = acceleration(tree, q + d / 2 * v + d * d / 4 * k1, v + d / 2 * k2, u(half))
        k4 = acceleration(tree, q + d * v + d * d / 2 * k2, v + d * k3, u(end))
        q = q + d * v + d * d / 6 * (k1 + k2 + k3)
        v = v + d / 6 * (k1 + 2 * k2 + 2 * k3 + k4)
        path_q.append(q), path_v.append(v)
    return np.array(path_q), np.array(path_v)
