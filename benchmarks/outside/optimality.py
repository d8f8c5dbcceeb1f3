"""Check first-order optimality of a plan from its motion alone.

The rows of the discrete equations are differentiated here, and multipliers of rows and of active
limits are fitted. The remaining gradient measures the distance from a stationary point; so do
limits with multipliers of the wrong sign.

    stationary(task, motion)    remaining gradient, relative to its largest entry, or to SMALL if
                                that is less, because solver tolerances are absolute; None if the
                                task is not supported
"""
import numpy as np

import discrete
from judge import objective
from mechanics import mass_matrix

MOST = 400  # unknowns in a dense fit
NEAR = 1e-4  # relative to 1 + limit: active
SMALL = 1e-2  # entries of a gradient
SOLVED = 1e-9  # the solver's tolerance
DROPS = 30  # maximum number of limits dropped, one after another


def applies(task, report):
    """Speeds at inner knots, rods, places and fitted inertias add unknowns and rows: not
    supported."""
    size = task.N * (task.tree.n + len(task.inputs))
    plain = not task.rods and not task.asked and np.isinf(task.v_limits).all() and not report.get("fitted")
    return plain and size <= MOST


def split(task, x):
    """Return q [N+1 x n], u [N+1 x nu] and h from the unknowns."""
    n, nu, N = task.tree.n, len(task.inputs), task.N
    inner = x[: (N - 1) * n].reshape(N - 1, n)
    q = np.vstack([task.q0, inner, task.q1])
    u = x[(N - 1) * n : (N - 1) * n + N * nu].reshape(N, nu)
    return q, np.vstack([u, np.full(nu, np.nan)]), x[-1]


def rows(task, x):
    """Return the discrete equations at all knots [(N+1) n]."""
    q, u, h = split(task, x)
    D1, D2, _ = discrete.ends(task, q[:-1], q[1:], u[:-1], u[1:], h)
    M = mass_matrix(task.tree, q[[0, -1]])
    first, last = M[0] @ task.v0 + D1[:1], D2[-1:] - M[1] @ task.v1
    return np.vstack([first, D2[:-1] + D1[1:], last]).ravel()


def limits(task):
    """Return the lower and upper limits of the unknowns."""
    n, N = task.tree.n, task.N
    q = np.tile(task.q_limits, (N - 1, 1))
    u = np.tile(np.stack([-task.u_limits, task.u_limits], 1), (N, 1))
    time = np.array(task.free or (task.T, task.T)) / N
    return np.vstack([q, u, time]).T


def differences(f, x, step):
    """Return central differences of a vector function, one column per entry of x."""
    columns = [(f(x + d) - f(x - d)) / (2 * step) for d in step * np.eye(len(x))]
    return np.array(columns).T


def fit_multipliers(A, g):
    """Return the largest entry of A y + g, and the y that minimizes the sum of squares."""
    fit, *_ = np.linalg.lstsq(A, -g, rcond=1e-12)
    return abs(A @ fit + g).max(), fit


def fit_limits(g, J, met, barrier):
    """Return the remaining gradient, and the multipliers of the active limits."""
    A = np.hstack([J.T, np.eye(len(g))[:, met]])
    left, fit = fit_multipliers(np.column_stack([barrier, A]), g)
    if not 0 <= fit[0] <= SOLVED:
        left, fit = fit_multipliers(A, g)
    return left, fit[len(fit) - len(met):]


def stationary(task, motion, report):
    if not applies(task, report):
        return None
    t, q, _, _, u = motion
    n = task.tree.n
    x = np.concatenate([q[1:-1].ravel(), u[:-1].ravel(), [t[-1] / task.N]])
    cost = lambda x: np.array([objective(task, *split(task, x))])
    g, J = differences(cost, x, 1e-5)[0], differences(lambda y: rows(task, y), x, 1e-5)

    # active limits have multipliers, a fixed step a multiplier of any sign
    low, high = limits(task)
    with np.errstate(invalid="ignore"):
        at_low, at_high = x - low < NEAR * (1 + abs(low)), high - x < NEAR * (1 + abs(high))
    # nearby limits push with mu / distance, with a common mu within a solver's tolerance
    with np.errstate(divide="ignore", invalid="ignore"):
        barrier = np.where(at_low | at_high, 0, 1 / (high - x) - 1 / (x - low))

    # multipliers may not be unique: drop a limit with the wrong sign, and fit the others again
    met, best = np.flatnonzero(at_low | at_high), np.inf
    for _ in range(DROPS):
        left, z = fit_limits(g, J, met, barrier)
        # at a lower limit the cost must not decrease inward: z = -fit there >= 0
        pulls = np.where(at_low[met] & at_high[met], 0, np.where(at_low[met], z, -z))
        best = min(best, max(left, pulls.max(initial=0)))
        if pulls.max(initial=0) <= left or left > best:
            break
        met = np.delete(met, pulls.argmax())
    return best / max(abs(g).max(), SMALL)
