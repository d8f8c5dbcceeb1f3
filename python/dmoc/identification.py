"""Identify model parameters from logs of a robot: masses, damping, friction, with the discrete map.

A log is cut into windows with equal numbers of steps. The start x = (q,p) of each window and the
common parameters theta are unknown; the motions of the map are compared with measured positions,

  minimize  sum over windows, knots  |q_k(theta, x_0) - measured_k|^2 / noise^2

by the Gauss-Newton method with Levenberg damping. Derivatives with respect to x_0 are products of
the map's A; those with respect to theta come from steps of maps with perturbed parameters, one
after the other along the window,

  S_k+1 = A_k S_k + df/dtheta

The unknowns of each window are eliminated first (QR), so that a single small system remains.
Source: [bock-1983] in docs/sources.md.
"""
import numpy as np

from .arrays import measured, real, spread
from .errors import BadInput, NotSolved
from .map import Map
from .problem import as_problem


class Identified:
    """The result of an identification.

    values       parameters by their paths
    deviations   their standard deviations, by paths, from the remaining noise
    noise        the standard deviation of the residuals of positions [n], m or rad
    problem      the problem with these values
    iterations   number of iterations
    places       the model's positions along the log [windows x W+1 x n]
    """

    def __init__(self, problem, names, theta, deviations, misfit, iterations, places):
        self.values = dict(zip(names, map(float, theta)))
        self.deviations = dict(zip(names, map(float, deviations)))
        self.problem = problem.replaced(self.values)
        self.noise, self.iterations, self.places = misfit, iterations, places

    def __repr__(self):
        return "\n".join(
            f"{name} = {value:.6g} +- {self.deviations[name]:.2g}"
            for name, value in self.values.items()
        )


def cut(name, values, windows, knots):
    """Return the windows [windows x knots x ..] of a log, each from the end of the one before."""
    steps = knots - 1 if name == "q" else knots
    return np.stack([values[w * steps : w * steps + knots] for w in range(windows)])


def moved(q):
    """Return the range of each position in a log [.. x n]; constant ones get the range of the
    others."""
    most = np.ptp(q.reshape(-1, q.shape[-1]), axis=0)
    return np.where(most > 0, most, most.max() or 1.0)


class Fit:
    """A log in windows, and the motions of maps with given parameters."""

    def __init__(self, problem, guess, q, u, step, window, noise, threads):
        self.problem, self.names, self.step, self.threads = problem, list(guess), step, threads
        self.first = np.array([float(value) for value in guess.values()])
        self.positive = self.first > 0
        q, u = measured("q", q), real("u", u)
        if q.ndim != 2 or u.ndim != 2 or len(u) < len(q) - 1:
            raise BadInput(
                f"q, u: found the shapes {q.shape} and {u.shape}, expected (K+1, n) and (K, nu)"
            )
        self.window = min(window, len(q) - 1)
        self.count = (len(q) - 1) // self.window
        self.q = cut("q", q, self.count, self.window + 1)
        self.u = cut("u", measured("u", u[: len(q) - 1]), self.count, self.window)
        if noise is None:
            noise = moved(self.q)
        self.weight = 1 / spread("noise", measured("noise", noise), (q.shape[1],))
        # residual of a log that is reproduced up to rounding
        last = 16 * np.finfo(float).eps * np.abs(self.q).max(axis=(0, 1))
        self.rounding = self.q[:, :, 0].size * np.sum((last * self.weight) ** 2)
        self.size = np.abs(self.first)
        for i in np.flatnonzero(self.first == 0):
            self.size[i] = self.find_size(i)

    def values(self, s):
        """Return the parameters for the unknowns s: logarithms of positive parameters, otherwise
        the scaled difference from the initial value."""
        return np.where(
            self.positive,
            self.first * np.exp(np.where(self.positive, s, 0)),
            self.first + self.size * s,
        )

    def find_size(self, i):
        """Return a size for a parameter with initial value 0: it changes the simulated log by 1 %
        of its range, or 1 if it has no effect."""
        here = np.zeros(len(self.first))
        _, path = self.misfit(here, self.start(here))
        places, size = path[:, :, : self.q.shape[2]], 1.0
        for _ in range(60):
            self.size[i] = size
            _, other = self.misfit(np.eye(len(here))[i], path[:, 0])
            change = np.max(np.abs(other[:, :, : self.q.shape[2]] - places) / moved(self.q))
            if 1e-3 < change < 1e-1:
                return size * 1e-2 / change
            size *= 10.0 if change < 1e-2 else 0.1
        return 1.0

    def map(self, s):
        """Return the map with parameters s."""
        return Map(
            self.problem,
            step=self.step,
            threads=self.threads,
            replace=dict(zip(self.names, self.values(s))),
            failed="nan",
        )

    def start(self, s):
        """Return states at the starts of windows, from finite differences of positions."""
        with self.map(s) as m:
            if (m.n, m.nu) != (self.q.shape[2], self.u.shape[2]):
                raise BadInput(
                    f"q, u: found {self.q.shape[2]} places and {self.u.shape[2]} inputs, expected "
                    f"{m.n} ({', '.join(m.coordinates)}) and {m.nu} ({', '.join(m.inputs)})"
                )
            v = (-3 * self.q[:, 0] + 4 * self.q[:, 1] - self.q[:, 2]) / (2 * self.step)
            return m.state(self.q[:, 0], v)

    def misfit(self, s, x):
        """Return residuals of positions relative to their noise [windows x (W+1) n], and states."""
        with self.map(s) as m:
            path = m.rollout(x, self.u)
        off = (path[:, :, : self.q.shape[2]] - self.q) * self.weight
        return off.reshape(self.count, -1), path

    def slopes(self, s, path):
        """Return the derivatives of the residuals by each window's start and by the parameters."""
        n, nx, nt = self.q.shape[2], path.shape[2], len(s)
        small = 1e-5
        beside = [[self.map(s + sign * small * e) for sign in (-1, 1)] for e in np.eye(nt)]
        by_x = np.tile(np.eye(nx), (self.count, 1, 1))
        by_s = np.zeros((self.count, nx, nt))
        rows_x, rows_s = [by_x[:, :n]], [by_s[:, :n]]
        with self.map(s) as m:
            for k in range(self.window):
                x, u = path[:, k], self.u[:, k]
                _, A, _ = m.linear(x, u)
                own = np.stack(
                    [(high.step(x, u) - low.step(x, u)) / (2 * small) for low, high in beside],
                    axis=2,
                )
                by_x, by_s = A @ by_x, A @ by_s + own
                rows_x.append(by_x[:, :n])
                rows_s.append(by_s[:, :n])
        for low, high in beside:
            low.close()
            high.close()
        scale = self.weight[:, None]
        return [np.concatenate([row * scale for row in rows], axis=1) for rows in (rows_x, rows_s)]


def reduce_windows(off, by_x, by_s, damping):
    """Return (J'J, J'r) for the parameters alone, and per window the data to recover its start."""
    nx, nt = by_x.shape[2], by_s.shape[2]
    normal, right, follow = np.zeros((nt, nt)), np.zeros(nt), []
    for r, X, S in zip(off, by_x, by_s):
        scale = np.linalg.norm(X, axis=0)
        X = np.vstack([X, damping * np.diag(scale)])
        Q, R = np.linalg.qr(X)
        Q = Q[: len(r)]
        S_off, r_off = S - Q @ (Q.T @ S), r - Q @ (Q.T @ r)
        normal += S_off.T @ S_off
        right += S_off.T @ r_off
        follow.append(np.linalg.solve(R, np.column_stack([Q.T @ S, Q.T @ r])))
    return normal, right, np.array(follow).reshape(len(off), nx, nt + 1)


def identify(
    problem, parameters, q, u, step, window=50, noise=None, max_iter=50, tolerance=1e-8, threads=1
):
    """Identify parameters of a model so that its discrete map reproduces the motion of a robot.

    problem     a Problem, a path or a dict of keys with the model; its task is not used
    parameters  {"model.damping.pole": 0.1, "model.springs.heel.stiffness": 2}: paths of numbers in
                the problem, with names or indices of list entries, and initial values; a positive
                number stays positive
    q           [K+1 x n] m or rad: measured positions, one row per sample, in the problem's order
    u           [K x nu] N or N m: inputs, held from each sample to the next
    step        the time between samples, s
    window      steps per window, each of which starts near its first measurement
    noise       the standard deviation of measured positions, m or rad, one or [n]; by default
                positions are weighted by their range in the log

    Returns an `Identified`. Raises NotSolved if the search does not converge, with the last
    parameters in the message, or if the log cannot distinguish the parameters.
    """
    if not parameters or len(q) < 3 or window < 2:
        raise BadInput(
            "parameters, q, window: expected one parameter at least, three samples, two steps"
        )
    fit = Fit(as_problem(problem), parameters, q, u, step, window, noise, threads)
    at = Iterate(fit, np.zeros(len(parameters)), None)
    if not np.isfinite(at.cost):
        raise NotSolved("the model cannot be stepped along the log from the values to begin with")
    damping = 1e-3
    for iteration in range(1, max_iter + 1):
        found, damping = find_better(fit, at, damping)
        done = found is None or at.cost - found.cost <= tolerance * at.cost + fit.rounding
        at = found or at
        if done:
            return conclude(fit, at, iteration)
    raise NotSolved(
        f"no end after {max_iter} iterations, at {dict(zip(fit.names, fit.values(at.s)))}"
    )


class Iterate:
    """Parameters, starts of windows, and the resulting motion of the map."""

    def __init__(self, fit, s, x):
        self.s, self.x = s, fit.start(s) if x is None else x
        self.off, self.path = fit.misfit(self.s, self.x)
        self.cost = np.sum(self.off**2)


def find_better(fit, at, damping):
    """Return an iterate with no larger cost (None if there is none), and the next damping: smaller
    if the cost decreases, larger otherwise."""
    by_x, by_s = fit.slopes(at.s, at.path)
    while damping < 1e9:
        normal, right, follow = reduce_windows(at.off, by_x, by_s, damping)
        damped = normal + damping * np.diag(np.diag(normal))
        size = np.sqrt(np.diag(damped))
        size[size == 0] = 1
        ds = -np.linalg.lstsq(damped / np.outer(size, size), right / size, rcond=None)[0] / size
        found = Iterate(fit, at.s + ds, at.x - follow[:, :, -1] - follow[:, :, :-1] @ ds)
        if found.cost <= at.cost:
            return found, max(damping / 10, 1e-12)
        damping *= 10
    return None, damping


def conclude(fit, at, iterations):
    """Return the result, with standard deviations from the remaining noise."""
    s, off, path = at.s, at.off, at.path
    normal, _, _ = reduce_windows(off, *fit.slopes(s, path), 1e-9)
    scale = np.sqrt(np.diag(normal))
    if not (scale > 0).all() or np.linalg.cond(normal / np.outer(scale, scale)) > 1e12:
        raise NotSolved("the log does not tell these parameters apart: " + ", ".join(fit.names))
    n, nx = fit.q.shape[2], path.shape[2]
    free = off.size - fit.count * nx - len(s)
    size = np.sum(off**2) / max(free, 1)
    deviations = np.sqrt(np.diag(np.linalg.inv(normal)) * size)
    theta = fit.values(s)
    misfit = np.sqrt(np.mean((path[:, :, :n] - fit.q) ** 2, axis=(0, 1)))
    return Identified(
        fit.problem,
        fit.names,
        theta,
        np.where(fit.positive, theta, fit.size) * deviations,
        misfit,
        iterations,
        path[:, :, :n],
    )
