"""A task solved again and again in this process, from other starts to other goals."""
import contextlib
import ctypes
import math
import numbers
import os
import threading
from collections import namedtuple
from ctypes import byref, c_void_p

import numpy as np

from .arrays import FLOAT
from .errors import BadInput, NotSolved
from .library import MESSAGE, WATCH, fail, library
from .map import address, rows
from .problem import as_problem, write_replacements

RELATIVE_STEP = 1e-3  # of a parameter, between residuals
FIGURES = 7  # status, objective, iterations, warm, h, seconds, violation

Iterate = namedtuple("Iterate", "iteration objective violation dual mu step regularization")

# Derivatives by an end (q, v) [2n]: q [N+1, n, 2n], u [N, nu, 2n], h [2n] of the step, objective [2n]; zero by
# entries that are free. By a parameter: q [N+1, n], u [N, nu], and numbers.
Slopes = namedtuple("Slopes", "q u h objective")
Sensitivity = namedtuple("Sensitivity", "x0 goal parameters")


class Solution:
    """A motion of N steps: q, p, v [N+1, n], u [N, nu], impulses of constraints [N, nc] and of contacts
    [N+1, nr]; its objective; `iterations`; `warm`: whether it began at the solution before; the step h, s;
    `violation`, the largest of a row; `seconds` in the library; `status`, 0 if solved."""

    __slots__ = (
        "q", "p", "v", "u", "impulses", "contact", "status", "objective", "iterations", "warm", "h",
        "seconds", "violation",
    )  # fmt: skip

    @property
    def t(self):
        """The times of the knots [N+1], s."""
        return self.h * np.arange(len(self.q))

    def __repr__(self):
        return (
            f"<dmoc solution: {len(self.u)} steps, objective {self.objective:.9g},"
            f" {self.iterations} iterations>"
        )


class Solver:
    """The task of a problem, solved again and again, without files.

        s = dmoc.Solver("cart-pole/swing-up.yaml")
        plan = s.solve()                     # as `optimize` on the problem's grid
        x0 = s.x0
        x0[1] += 0.01
        plan = s.solve(x0=x0)                # begins at the solution before: some iterations
        plan = s.solve(parameters={"inputs.0.effort": 18})
        K = s.sensitivity().x0.u[0]          # how the first input follows the start

    An end is (q, v) [2n]: positions and velocities, NAN where the problem leaves it free. A solve keeps the ends of
    the one before, begins at its solution with its multipliers, and keeps the memory.

    problem  a Problem, a path or a dict of keys, with a `horizon`; without `phases`, `starts` and `design`
    replace  {"model.bodies.0.mass": 2}: values that replace the file's
    watch    a function of each Iterate; returning False stops the solve
    copies   a folder with copies to read instead of the files: `inputs` of a result folder

    The grid is that of the problem: `solve` neither refines it nor narrows limits between knots. A call releases the
    interpreter lock. Concurrent calls of one solver wait for each other; give each thread its own.
    """

    def __init__(self, problem, replace=None, watch=None, copies=None):
        self.handle, self.watch, self.raised = c_void_p(), watch, None
        problem = as_problem(problem) if copies is None else os.fspath(problem)
        copies = None if copies is None else os.path.abspath(os.fspath(copies))
        self.opened = problem, dict(replace or {}), watch, copies
        self.library, self.lock = library(), threading.Lock()
        self.callback = WATCH(self.report) if watch else WATCH()
        if copies is None:
            with problem.as_file() as (path, label):
                self.open(path, None, replace or {}, label)
        else:
            self.open(problem, copies, replace or {}, None)
        self.describe()

    def open(self, path, copies, replace, label):
        """Open the handle."""
        texts, count = write_replacements(replace)
        message = ctypes.create_string_buffer(MESSAGE)
        status = self.library.pb_solver_open(
            byref(self.handle),
            path.encode(),
            copies and copies.encode(),
            texts,
            count,
            self.callback,
            None,
            message,
        )
        if status:
            words = message.value.decode(errors="replace")
            fail(status, words.replace(path, label) if label else words)

    def describe(self):
        """Get sizes and names, and the parts of a motion in the library's one array."""
        count = lambda what: self.library.pb_solver_count(self.handle, what.encode())
        names = lambda what: tuple(
            self.library.pb_solver_name(self.handle, what.encode(), i).decode()
            for i in range(count(what))
        )
        self.n, self.nu, self.nc, self.N = map(count, ("coordinate", "input", "constraint", "step"))
        self.coordinates, self.inputs = names("coordinate"), names("input")
        self.constraints, self.warnings = names("constraint"), list(names("warning"))
        n, N = self.n, self.N
        shapes = 3 * [(N + 1, n)] + [(N, self.nu), (N, self.nc), (N + 1, count("contact"))]
        self.parts, self.size = [], 0
        for shape in shapes:
            end = self.size + shape[0] * shape[1]
            self.parts.append((self.size, end, shape))
            self.size = end

    def ends(self):
        """Return the ends of the last solve."""
        x0, goal = np.empty(2 * self.n), np.empty(2 * self.n)
        with self.lock:
            self.check_open()
            self.library.pb_solver_ends(self.handle, address(x0), address(goal))
        return x0, goal

    @property
    def x0(self):
        """The start (q, v) [2n] of the last solve, NAN where it is free; a copy."""
        return self.ends()[0]

    @property
    def goal(self):
        """The goal (q, v) [2n] of the last solve, NAN where it is free; a copy."""
        return self.ends()[1]

    def check_open(self):
        """Refuse a solver that is closed."""
        if not self.handle:
            raise BadInput("the solver is closed")

    def report(self, _, row):
        """Call the caller's function; its exception stops the solve."""
        try:
            return self.watch(Iterate(int(row[0]), *row[1:7])) is not False
        except BaseException as why:  # pylint: disable=broad-except
            self.raised = why
            return False

    def read_end(self, name, x):
        """Return an end as an array of doubles, and its address."""
        if x is None:
            return None, None
        if not (type(x) is np.ndarray and x.dtype == FLOAT and x.shape == (2 * self.n,)):
            x, front = rows(name, x, 2 * self.n)
            if front:
                raise BadInput(f"{name}: found the shape {x.shape}, expected ({2 * self.n},)")
        x = np.ascontiguousarray(x)
        return x, address(x)

    def open_files(self):
        """The path of the problem's file, and its name for messages, as a context."""
        problem, _, _, copies = self.opened
        return problem.as_file() if copies is None else contextlib.nullcontext((problem, None))

    def replace(self, parameters):
        """Read the problem again with other values."""
        problem, replace, watch, copies = self.opened
        merged = {**replace, **parameters}
        texts, count = write_replacements(merged)
        with self.open_files() as (path, label), self.lock:
            self.check_open()
            status = self.library.pb_solver_replace(
                self.handle, path.encode(), copies and copies.encode(), texts, count
            )
            words = self.explain() if status else None
        if status:
            fail(status, words.replace(path, label) if label else words)
        self.opened = problem, merged, watch, copies

    @property
    def parameters(self):
        """The values that replace those of the file, by their paths; a copy."""
        return dict(self.opened[1])

    def solve(self, x0=None, goal=None, parameters=None):
        """Solve from the start x0 [2n] to the goal [2n], by default those of the last solve, and return a
        Solution. `parameters` are values that replace the file's from now on, {"model.bodies.0.mass": 2}: they may
        change numbers, but neither sizes nor the start and the goal; the file is read again. Raises NotSolved, with
        the best motion as its `result`."""
        if parameters:
            self.replace(parameters)
        block = np.empty(self.size + FIGURES)
        at = address(block)
        x0, start = self.read_end("x0", x0)
        goal, end = self.read_end("goal", goal)
        with self.lock:
            self.check_open()
            status = self.library.pb_solver_solve(
                self.handle, start, end, at, at + 8 * self.size
            )
            raised, self.raised = self.raised, None
            words = self.explain() if status else None
        if raised is not None:
            raise raised
        if status < 0:
            fail(status, words)
        solution = self.wrap(block)
        if status:
            raise NotSolved(words, solution)
        return solution

    def sensitivity(self, parameters=()):
        """Return the derivatives of the last solution by its start, its goal and parameters, a Sensitivity of Slopes:
        `sensitivity().x0.u[0]` [nu, 2n] is how the first input follows the start. `parameters` are paths of numbers
        that were given as `replace` or to `solve`, or {path: step}; `sensitivity(paths).parameters[path]` has their
        derivatives, from residuals at four values in steps of 0.001 of the value, or of `step`. They hold as long as
        no limit becomes active or inactive."""
        ends, sizes = 4 * self.n, self.shapes()
        block = np.empty(ends * sum(math.prod(size) for size in sizes))
        with self.lock:
            self.check_open()
            status = self.library.pb_solver_differentiate(self.handle, address(block))
            words = self.explain() if status else None
        if status:
            fail(status, words)
        parts, at = [], 0
        for size in sizes:
            count = ends * math.prod(size)
            parts.append(np.moveaxis(block[at : at + count].reshape(ends, *size), 0, -1))
            at += count
        half = 2 * self.n
        return Sensitivity(
            Slopes(*[part[..., :half] for part in parts]),
            Slopes(*[part[..., half:] for part in parts]),
            {path: self.differentiate_by(path, parameters) for path in parameters},
        )

    def shapes(self):
        """Return the shapes of the parts of Slopes by one number."""
        return [(self.N + 1, self.n), (self.N, self.nu), (), ()]

    def differentiate_by(self, path, steps):
        """Return the Slopes by the number at a path; its step from {path: step}, or from its value."""
        copies, replace = self.opened[3], self.opened[1]
        value = replace.get(path)
        if isinstance(value, bool) or not isinstance(value, numbers.Real):
            raise BadInput(
                f"{path}: found {value!r}, expected a number that was given as `replace` or to `solve`"
            )
        step = steps[path] if isinstance(steps, dict) else RELATIVE_STEP * abs(value)
        if not 0 < step < math.inf:
            raise BadInput(f"{path}: found the step {step}, expected {{path: step}} with a step > 0")
        sizes, block = self.shapes(), np.empty((self.N + 1) * self.n + self.N * self.nu + 2)
        texts, count = write_replacements(replace)
        with self.open_files() as (file, label), self.lock:
            self.check_open()
            status = self.library.pb_solver_differentiate_by(
                self.handle,
                file.encode(),
                copies and copies.encode(),
                texts,
                count,
                list(replace).index(path),
                value,
                step,
                address(block),
            )
            words = self.explain() if status else None
        if status:
            fail(status, words.replace(file, label) if label else words)
        cut = math.prod(sizes[0])
        return Slopes(
            block[:cut].reshape(sizes[0]),
            block[cut:-2].reshape(sizes[1]),
            float(block[-2]),
            float(block[-1]),
        )

    def wrap(self, block):
        """Return the Solution in an array of the library."""
        s = Solution()
        s.q, s.p, s.v, s.u, s.impulses, s.contact = [
            block[begin:end].reshape(shape) for begin, end, shape in self.parts
        ]
        status, s.objective, iterations, warm, s.h, s.seconds, s.violation = block[
            self.size :
        ].tolist()
        s.status, s.iterations, s.warm = int(status), int(iterations), warm != 0
        return s

    def explain(self):
        """Return the library's sentence about the last solve."""
        message = ctypes.create_string_buffer(MESSAGE)
        self.library.pb_solver_explain(self.handle, message)
        return message.value.decode(errors="replace")

    def close(self):
        """Free its memory; this also happens when the solver is no longer referenced."""
        with self.lock:
            handle, self.handle = self.handle, None
            if handle:
                self.library.pb_solver_close(handle)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.close()

    def __reduce__(self):
        # the handle belongs to this process: the receiver opens its own
        self.check_open()
        return Solver, self.opened

    def __del__(self):
        if self.__dict__.get("handle"):
            self.close()

    def __repr__(self):
        return f"<dmoc solver: {self.n} coordinates, {self.nu} inputs, {self.N} steps>"
