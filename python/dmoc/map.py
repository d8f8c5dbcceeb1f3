"""The discrete map of a problem, for custom solvers, learning code and simulations."""
import ctypes
import math
import numbers
import os
import threading
from ctypes import byref, c_double, c_void_p

import numpy as np

from .arrays import FLOAT, real, spread
from .errors import BadInput
from .library import MESSAGE, fail, library
from .problem import as_problem, write_replacements
from .table import frozen

MOST = 2**31 - 1  # states per call: an int


def address(array):
    """Return the address of an array's data; None if it is not requested."""
    return None if array is None else array.__array_interface__["data"][0]


def rows(name, array, *shape):
    """Return a contiguous array of doubles whose last axes are `shape`, and its leading axes."""
    array = real(name, array)
    array = np.ascontiguousarray(array, FLOAT) if array.ndim else array
    before = array.ndim - len(shape)
    if before < 0 or array.shape[before:] != shape:
        expected = ", ".join(["...", *map(str, shape)])
        raise BadInput(f"{name}: found the shape {array.shape}, expected ({expected})")
    return array, array.shape[:before]


class Map:
    """The discrete map x1 = f(x, u) of a problem, with its exact derivatives.

    x = (q, p) [2n]: positions and discrete momenta; u [nu]: forces and torques, held over the step,
    then the next values of kinematic coordinates. `state(q, v)` computes x from velocities, and
    `velocity(x)` is its inverse. Each call accepts any leading axes, the same for all its arrays,
    or
    one input for all states: x [..., 2n], u [..., nu] or [nu]. Results have the same leading axes.

        m = dmoc.Map("cart-pole/swing-up.yaml", threads=4)
        x1 = m.step(x, u)                      # [..., 2n]
        x1, A, B = m.linear(x, u)              # [..., 2n], [..., 2n, 2n], [..., 2n, nu]
        xx, xu, uu = m.hessian(x, u, z)        # second derivatives of z.f

    problem  a Problem, a path or a dict of keys, with a `horizon`, a `simulate` or a `balance`
    step     the step h, s; None: the problem's
    threads  threads for calls with many states; results do not depend on their number
    replace  {"model.bodies.0.mass": 2}: values that replace the file's
    failed   "raise": a state whose step fails raises NotSolved; "nan": its outputs are NAN
    copies   a folder with copies to read instead of the files: `inputs` of a result folder

    A call releases the interpreter lock, and allocates only its outputs. Concurrent calls of one
    map
    wait for each other. A map that is pickled or copied is opened again from its problem's files,
    with the same options.
    """

    def __init__(self, problem, step=None, threads=1, replace=None, failed="raise", copies=None):
        if failed not in ("raise", "nan"):
            raise BadInput(f"failed: found {failed!r}, expected 'raise' or 'nan'")
        if not isinstance(threads, numbers.Integral):
            raise BadInput(f"threads: found {threads!r}, expected an integer")
        if step is not None and not isinstance(step, numbers.Real):
            raise BadInput(f"step: found {step!r}, expected a number > 0")
        self.handle, self.failed = c_void_p(), failed
        problem = as_problem(problem) if copies is None else os.fspath(problem)
        copies = None if copies is None else os.path.abspath(os.fspath(copies))
        self.opened = problem, step, threads, dict(replace or {}), failed, copies
        self.library, self.lock = library(), threading.Lock()
        if copies is None:
            with problem.as_file() as (path, label):
                self.open(path, None, replace or {}, step, threads, label)
        else:
            self.open(problem, copies, replace or {}, step, threads, None)
        self.describe()

    def open(self, path, copies, replace, step, threads, label):
        """Open the handle."""
        texts, count = write_replacements(replace)
        message = ctypes.create_string_buffer(MESSAGE)
        status = self.library.pb_map_open(
            byref(self.handle),
            path.encode(),
            copies and copies.encode(),
            texts,
            count,
            0 if step is None else step,
            threads,
            message,
        )
        if status:
            words = message.value.decode(errors="replace")
            fail(status, words.replace(path, label) if label else words)

    def describe(self):
        """Get sizes, names, units and limits."""
        count = lambda what: self.library.pb_map_count(self.handle, what.encode())
        self.n, self.nu, self.nc = count("coordinate"), count("input"), count("constraint")
        self.nx, self.threads = 2 * self.n, count("thread")
        self.h = self.library.pb_map_step_length(self.handle)
        names = {
            what: tuple(
                self.library.pb_map_name(self.handle, what.encode(), i).decode()
                for i in range(count(what))
            )
            for what in ("coordinate", "input", "constraint", "warning")
        }
        self.coordinates, self.inputs = names["coordinate"], names["input"]
        self.constraints, self.warnings = names["constraint"], list(names["warning"])
        self.units = {
            what: tuple(
                self.library.pb_map_unit(self.handle, what.encode(), i).decode()
                for i in range(self.nu if what == "u" else self.n)
            )
            for what in "qvpu"
        }
        self.limits = {what: self.find_limits(what) for what in "qvu"}

    def find_limits(self, what):
        """Return [2 x n] the lower and upper limits of "q", "v", "u"."""
        low, high = c_double(), c_double()
        found = np.empty((2, self.nu if what == "u" else self.n))
        for i in range(found.shape[1]):
            self.library.pb_map_limits(self.handle, what.encode(), i, byref(low), byref(high))
            found[:, i] = low.value, high.value
        return frozen(found)

    def close(self):
        """Free its memory; this also happens when the map is no longer referenced."""
        with self.lock:
            handle, self.handle = self.handle, None
            if handle:
                self.library.pb_map_close(handle)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.close()

    def __reduce__(self):
        # the handle belongs to this process: the receiver opens its own
        if not self.handle:
            raise BadInput("the map is closed")
        return Map, self.opened

    def __del__(self):
        if self.__dict__.get("handle"):
            self.close()

    def __repr__(self):
        sizes = f"{self.n} coordinates, {self.nu} inputs, {self.nc} constraints"
        return f"<dmoc map: {sizes}, h = {self.h:g} s>"

    def pair(self, x, u, *steps):
        """Return states and inputs with the same leading axes, and these axes."""
        x, front = rows("x", x, self.nx)
        if u is None and self.nu == 0:
            u = np.empty((*steps, 0))
        u = real("u", u)
        if front and u.ndim == len(steps) + 1:
            u = np.broadcast_to(u, (*front, *u.shape))
        u, of_inputs = rows("u", u, *steps, self.nu)
        if of_inputs != front:
            raise BadInput(
                f"x, u: found the axes {front} and {of_inputs} in front, expected the same"
            )
        return x, u, front

    def call(self, name, front, *arrays, steps=None):
        """Call the library for all states of the leading axes."""
        count = math.prod(front)
        if count > MOST:
            raise BadInput(f"x: found {count} states, expected at most {MOST} in one call")
        more = () if steps is None else (steps,)
        with self.lock:
            if not self.handle:
                raise BadInput("the map is closed")
            status = getattr(self.library, name)(
                self.handle, count, *more, *map(address, arrays), None
            )
            if not status or self.failed != "raise":
                return
            message = ctypes.create_string_buffer(MESSAGE)
            self.library.pb_map_explain(self.handle, message)
        fail(status, message.value.decode(errors="replace"))

    def state(self, q, v):
        """Return the states x [..., 2n] for q [..., n] m or rad and v [..., n] m/s or rad/s."""
        q, front = rows("q", q, self.n)
        v, _ = rows("v", spread("v", v, q.shape), self.n)
        x = np.empty((*front, self.nx))
        self.call("pb_map_state", front, q, v, x)
        return x

    def velocity(self, x):
        """Return q [..., n] m or rad and v [..., n] m/s or rad/s of states x [..., 2n]."""
        x, front = rows("x", x, self.nx)
        q, v = np.empty((*front, self.n)), np.empty((*front, self.n))
        self.call("pb_map_velocity", front, x, q, v)
        return q, v

    def energy(self, x):
        """Return the kinetic and the potential energy [...] J of states x [..., 2n]."""
        x, front = rows("x", x, self.nx)
        kinetic, potential = np.empty(front), np.empty(front)
        self.call("pb_map_energy", front, x, kinetic, potential)
        return kinetic, potential

    def step(self, x, u=None, impulses=False):
        """Take one step from each state.

        x [..., 2n], u [..., nu] N or N m -> x1 [..., 2n]; with `impulses` also the impulses of
        constraints, [..., nc] N s or N m s.
        """
        x, u, front = self.pair(x, u)
        x1 = np.empty((*front, self.nx))
        taken = np.empty((*front, self.nc)) if impulses else None
        self.call("pb_map_step", front, x, u, x1, taken)
        return (x1, taken) if impulses else x1

    def rollout(self, x, u, impulses=False):
        """Take as many steps from each state as it has inputs.

        x [..., 2n], u [..., N, nu] -> x [..., N+1, 2n], the start first; with `impulses` also
        [..., N, nc]. If a step fails and failed="nan", the later knots are NAN.
        """
        steps = np.shape(u)[-2] if np.ndim(u) > 1 else 0
        if not steps:
            raise BadInput(
                f"u: found the shape {np.shape(u)}, expected (..., N, {self.nu}) with a step at"
                " least"
            )
        x, u, front = self.pair(x, u, steps)
        x1 = np.empty((*front, steps + 1, self.nx))
        taken = np.empty((*front, steps, self.nc)) if impulses else None
        self.call("pb_map_rollout", front, x, u, x1, taken, steps=steps)
        return (x1, taken) if impulses else x1

    def linear(self, x, u=None, impulses=False):
        """Return the step and its first derivatives.

        x [..., 2n], u [..., nu] -> x1 [..., 2n], A = f_x [..., 2n, 2n], B = f_u [..., 2n, nu]; with
        `impulses` also the derivatives of the constraints' impulses, [..., nc, 2n], [..., nc, nu].
        """
        x, u, front = self.pair(x, u)
        nx, nu, nc = self.nx, self.nu, self.nc
        found = [np.empty((*front, *shape)) for shape in ((nx,), (nx, nx), (nx, nu))]
        taken = (
            [np.empty((*front, *shape)) for shape in ((nc, nx), (nc, nu))]
            if impulses
            else [None, None]
        )
        self.call("pb_map_linear", front, x, u, *found, *taken)
        return tuple(found + taken if impulses else found)

    def hessian(self, x, u=None, z=None):
        """Return second derivatives of the step.

        z [..., 2n] -> of z.f: xx [..., 2n, 2n], xu [..., 2n, nu], uu [..., nu, nu]. Without z for
        each
        component of f: xx [..., 2n, 2n, 2n], xu [..., 2n, 2n, nu], uu [..., 2n, nu, nu], with the
        component's index first.
        """
        x, u, front = self.pair(x, u)
        nx, nu = self.nx, self.nu
        of = () if z is not None else (nx,)
        found = [np.empty((*front, *of, *shape)) for shape in ((nx, nx), (nx, nu), (nu, nu))]
        if z is None:
            self.call("pb_map_tensor", front, x, u, *found)
        else:
            z, _ = rows("z", spread("z", z, (*front, nx)), nx)
            self.call("pb_map_hessian", front, x, u, z, *found)
        return tuple(found)
