"""Identify parameters of a robot from logs of its positions and inputs: the command `identify`.

The positions of all knots and the parameters are unknown; the residual of the discrete equations of
motion and the differences from the measured positions are weighted by their noise. See
docs/theory.md and docs/machine.md.
"""
import csv
import json
import os
import warnings

import numpy as np

from . import program
from .arrays import measured, real, spread
from .commands import Kept, explain_failure
from .errors import BadInput, NotSolved, error_of
from .library import read_keys
from .map import Map
from .problem import as_problem
from .table import frozen

GROUPS = ("links", "offset", "encoders", "lengths", "delay")


class Identified:
    """The result of an identification.

    values        parameters by their paths
    deviations    their standard deviations, by paths
    noise         the standard deviation of the residuals of positions [n], m or rad, over all logs
    problem       the problem with these values
    iterations    number of iterations
    places        the fitted positions at the knots [knots x n], of all logs
    record        all figures, as in `identify.json`: parameters, combinations, logs
    covariance    of the values [parameters x parameters], in the order of `values`
    folder        the folder with fitted.yaml and the tables
    """

    def __init__(self, folder, record, names, problem, keep, scale=1.0):
        found = record["parameters"]
        self.values = {names.get(path, path): x["value"] for path, x in found.items()}
        self.deviations = {
            names.get(path, path): x["deviation"] * scale for path, x in found.items()
        }
        with open(os.path.join(folder, "covariance.csv"), encoding="utf-8", newline="") as file:
            rows = list(csv.reader(file))[1:]
        covariance = np.array([[float(x) for x in row] for row in rows if row])
        self.covariance = frozen(covariance.reshape(len(found), len(found)) * scale**2)
        self.noise = frozen(pool(record, "position_rms"))
        self.places = frozen(read_places(folder))
        self.iterations, self.record, self.folder, self.keep = record["iterations"], record, folder, keep
        self.problem = fitted_problem(problem, self.values, folder)

    def __repr__(self):
        return "\n".join(
            f"{name} = {value:.6g} +- {self.deviations[name]:.2g}"
            for name, value in self.values.items()
        )


def read_places(folder):
    """Return the fitted positions in forces.csv."""
    with open(os.path.join(folder, "forces.csv"), encoding="utf-8", newline="") as file:
        rows = csv.reader(file)
        at = [i for i, name in enumerate(next(rows)) if name.startswith("fitted.")]
        return np.array([[float(row[i]) for i in at] for row in rows]).reshape(-1, len(at))


def pool(record, key):
    """Return the root mean square of a figure of each joint over the logs that are fitted."""
    logs = [log for log in record["logs"] if not log["held_out"]]
    knots = np.array([log["knots"] for log in logs], float)
    squares = np.array([[joint[key] ** 2 for joint in log["joints"].values()] for log in logs])
    return np.sqrt(knots @ squares / knots.sum())


def fitted_problem(problem, values, folder):
    """Return the problem with the values: numbers at paths of the problem, else the model of
    fitted.yaml."""
    if all(path.startswith("model.") and has_number(problem.keys, path) for path in values):
        return problem.replaced(values)
    fitted = os.path.join(folder, "fitted.yaml")
    if not os.path.exists(fitted):
        return problem
    return problem.replaced({"model": json.loads(read_keys(fitted))["model"]})


def has_number(keys, path):
    """Whether the problem has a number at this path, or can have one."""
    at = keys
    for part in path.split("."):
        if isinstance(at, list) and part.isdigit() and int(part) < len(at):
            at = at[int(part)]
        elif isinstance(at, dict):
            at = at.get(part, {})
        else:
            return False
    return not isinstance(at, (list, dict)) or path.startswith(("model.damping.", "model.armature."))


def write_log(path, names, inputs, q, u, step):
    """Write arrays as a log."""
    u = np.vstack([u, u[-1:]])[: len(q)]
    t = step * np.arange(len(q))[:, None]
    header = ",".join(["t", *(f"q.{name}" for name in names), *(f"u.{name}" for name in inputs)])
    np.savetxt(path, np.hstack([t, q, u]), "%.17g", ",", header=header, comments="")


def moved(q):
    """Return the range of each position in a log [K+1 x n]; constant ones get the range of the
    others."""
    most = np.ptp(q, axis=0)
    return np.where(most > 0, most, most.max() or 1.0)


def check_log(problem, q, u, step):
    """Return a log as arrays, with the names of its columns; refuse a log of another size."""
    q, u = measured("q", q), real("u", u)
    if q.ndim != 2 or u.ndim != 2 or len(u) < len(q) - 1:
        raise BadInput(
            f"q, u: found the shapes {q.shape} and {u.shape}, expected (K+1, n) and (K, nu)"
        )
    u = measured("u", u[: len(q) - 1])
    with Map(problem, step=step) as m:
        if (m.n, m.nu) != (q.shape[1], u.shape[1]):
            raise BadInput(
                f"q, u: found {q.shape[1]} places and {u.shape[1]} inputs, expected "
                f"{m.n} ({', '.join(m.coordinates)}) and {m.nu} ({', '.join(m.inputs)})"
            )
        return q, u, list(m.coordinates), list(m.inputs)


def warn_of_old(**given):
    """Warn of arguments of earlier versions, which have no meaning any more."""
    for name, value in given.items():
        if value is not None:
            warnings.warn(
                f"dmoc.identify: '{name}' has no effect since the fit has no windows; leave it out",
                DeprecationWarning,
                stacklevel=3,
            )


def identify(
    problem,
    parameters=None,
    q=None,
    u=None,
    step=None,
    window=None,
    noise=None,
    max_iter=100,
    tolerance=None,
    threads=None,
    *,
    logs=None,
    hold_out=None,
    lack=None,
    prior=None,
    out=None,
    progress=None,
):
    """Identify parameters of a robot from logs.

    problem     a Problem, a path or a dict of keys with the model; its task is not used
    parameters  {"model.damping.pole": 0.1, "model.springs.heel.stiffness": 2}: paths of numbers in
                the problem and initial values, or a list of paths as in `identify.parameters`; None:
                those of the problem
    q           [K+1 x n] m or rad: measured positions, one row per sample, in the problem's order
    u           [K x nu] N or N m: inputs, held from each sample to the next
    step        the time between samples, s; with `logs` the step of the map
    noise       the standard deviation of measured positions, m or rad, one or [n]; None: with q
                equal shares of each range, and deviations from the residual; with `logs` the problem's
    lack        the standard deviation of forces that the model lacks, N or N m, one or [n]; None:
                with q a model that is exact; with `logs` the problem's
    prior       the relative standard deviation of the robot's masses; None: with q no prior; with
                `logs` the problem's
    logs        in place of q and u: the files of logs
    hold_out    files of logs that are predicted only
    out         the folder for fitted.yaml and tables; None: a temporary one

    Returns an `Identified`. Raises NotSolved if the search does not converge, or if the log cannot
    distinguish the parameters. `window`, `tolerance` and `threads` have no effect.
    """
    warn_of_old(window=window, tolerance=tolerance, threads=threads)
    problem, keep = as_problem(problem), Kept()
    section, names, scaled = {}, {}, False
    if parameters is not None and not parameters and q is not None:
        raise BadInput("parameters: found none, expected one parameter at least")
    if isinstance(parameters, dict):
        problem = problem.replaced(parameters)
        names = {path[len("model.") :]: path for path in parameters if path.startswith("model.")}
    if parameters is not None:
        section["parameters"] = list(parameters)
    if step is not None:
        section["step"] = float(step)
    if q is not None:
        if step is None or len(q) < 3:
            raise BadInput("q, step: expected three samples at least, and the time between them")
        q, u, coordinates, inputs = check_log(problem, q, u, step)
        scaled = noise is None
        noise = spread("noise", measured("noise", 1e-4 * moved(q) if scaled else noise), (q.shape[1],))
        if lack is None:
            lack = 1e-3 * forces_of(problem, q, step)
        prior = np.inf if prior is None else prior
        logs = [os.path.join(keep.name, "log.csv")]
        write_log(logs[0], coordinates, inputs, q, u, step)
    if not logs:
        raise BadInput("logs, q: found neither, expected the files of logs, or q, u and step")
    for key, value in (("q", noise), ("u", lack)):
        if value is not None:
            with Map(problem, step=section.get("step", 0.01)) as m:
                of = spread(key, measured(key, value), (m.n,))
                section.setdefault("noise", {})[key] = dict(zip(m.coordinates, map(float, of)))
    if prior is not None:
        section["prior"] = float(prior)
    section["iterations"] = int(max_iter)
    folder = os.path.abspath(os.fspath(out)) if out else os.path.join(keep.name, "fit")
    found = problem.replaced(identify=section)
    options = {"hold_out": list(hold_out) if hold_out else None}
    with found.as_file() as (path, label):
        answer = program.run("identify", (path, *logs), options, progress, label, folder)
    return conclude(answer, options, folder, names, problem, keep, noise if scaled else None)


def forces_of(problem, q, step):
    """Return the size of forces on each joint in a log [n]: the range of its momentum by the
    duration."""
    with Map(problem, step=step) as m:
        v = np.diff(q, axis=0) / step
        p = m.state(q[:-1], v)[:, m.n :]
    return moved(p) / (step * len(v))


def conclude(answer, options, folder, names, problem, keep, guessed):
    """Return the result of the command, or raise its error; guessed: the noise of positions [n] that
    only sets weights, so that deviations follow from the residual."""
    if answer.status:
        words = explain_failure(answer, options)
        if "have no information about" in words:
            raise NotSolved(f"the log does not tell these parameters apart: {words}")
        raise error_of(answer.status, words)
    found = Identified(folder, answer.found, names, problem, keep)
    if guessed is None:
        return found
    scale = np.sqrt(np.mean((found.noise / guessed) ** 2))
    return Identified(folder, answer.found, names, problem, keep, scale)
