"""The commands of the program as functions.

Each takes a problem (a Problem, a path, or a dict of keys), or a Result if the program takes a
result folder, and the options of its command by name: solver="ipopt", tol=1e-6, max_iter=200,
starts="auto", threads=4, from_=result, single=True; lists and arrays are written as comma-separated values. See
docs/commands.md. Each returns a Result, a Sweep, a Tuned, a File or a dict, or raises BadInput,
NotSolved (with the result, if there is one) or Fault.

    out       the result folder or file; None: a temporary one, which is removed together with the
              returned object; for a Result its own folder
    progress  None: silent; True: to stderr; a function of one line of text
"""
import os
import shutil
import tempfile
import time
import weakref

import numpy as np

from . import program
from .errors import BadInput, error_of
from .page import File
from .problem import as_problem
from .result import Result
from .study import Sweep, Tuned
from .table import frozen


class Kept:
    """A temporary folder that is removed with the last result in it."""

    def __init__(self):
        self.name = tempfile.mkdtemp(prefix="dmoc-")
        weakref.finalize(self, shutil.rmtree, self.name, ignore_errors=True)


def read_left(kind, folder, keep, answer, began):
    """Return what a command that failed has left in its folder, or None."""
    for place in (os.path.join(folder, "unfinished"), folder):
        mark = os.path.join(place, kind.MARK)
        # a folder of an earlier command does not count
        if os.path.exists(mark) and os.path.getmtime(mark) >= began:
            return read_folder(kind, place, keep, answer)
    return None


def read_folder(kind, folder, keep, answer):
    """Return the result or the study in a folder, with the command's answer."""
    if kind is Sweep:
        return Sweep(folder, keep, answer.warnings, answer.found)
    return kind(folder, keep, answer.warnings)


def explain_failure(answer, options):
    """Return the error message; if an option is unknown, explain how to pass keys of a problem."""
    for name in options:
        if f"has no option '--{name.replace('_', '-')}'" in answer.words:
            return f"{answer.words}; a key of the problem goes into dmoc.Problem(problem, {name}=...)"
    return answer.words


def ask(command, operand, label, folder, keep, progress, options, kind=Result):
    """Run a command that leaves a result or a study in a folder, and return it, or raise the
    error."""
    began = time.time() - 1  # file times have a coarse resolution
    answer = program.run(command, operand, options, progress, label, folder)
    if not answer.status:
        return read_folder(kind, folder, keep, answer)
    words = explain_failure(answer, options)
    raise error_of(answer.status, words, read_left(kind, folder, keep, answer, began))


def do(command, what, out, progress, options, kind=Result):
    """Run a command on a problem, or on a result."""
    if isinstance(what, Result):
        folder = os.path.abspath(os.fspath(out)) if out else what.folder
        return ask(command, what.folder, None, folder, what.keep, progress, options, kind)
    problem, keep = as_problem(what), None
    if not out:
        keep = Kept()
        out = os.path.join(keep.name, problem.name if problem.changed else problem.file_name)
    with problem.as_file() as (path, label):
        folder = os.path.abspath(os.fspath(out))
        return ask(command, path, label, folder, keep, progress, options, kind)


def place_of(what):
    """Return the folder or file of a result, a study, a table, a file, or a path."""
    for name in ("folder", "shown", "path"):
        place = getattr(what, name, None)
        if isinstance(place, str):
            return place
    if not isinstance(what, (str, os.PathLike)):
        kind = type(what).__name__
        raise BadInput(f"found a {kind}, expected a result, a study, a File, or the path of one")
    return os.path.abspath(os.fspath(what))


def make(command, key, what, out, temporary, progress, options):
    """Run a command that makes one file from results and studies; return the File.

    out: its path; None: named `temporary` in a folder that is removed with the File or, if that is
    None, in the first result's folder. key: the key of its path in the answer
    """
    keep = getattr(what[0], "keep", None) if what and not out else None
    if not out and temporary:
        keep = Kept()
        out = os.path.join(keep.name, temporary)
    places = tuple(place_of(each) for each in what)
    answer = program.run(command, places, options, progress, folder=out and os.fspath(out))
    if answer.status:
        raise error_of(answer.status, explain_failure(answer, options))
    return File(out or answer.found[key], answer.found, keep)


def tell(command, what, progress, options):
    """Run a command that leaves no files, on a problem or on a result; return its answer."""
    if isinstance(what, Result):
        answer = program.run(command, what.folder, options, progress)
        if answer.status:
            raise error_of(answer.status, explain_failure(answer, options))
        return answer.found
    with as_problem(what).as_file() as (path, label):
        answer = program.run(command, path, options, progress, label)
    if answer.status:
        raise error_of(answer.status, explain_failure(answer, options))
    return answer.found


def find_command(name):
    """Return a command of the program as a function without documentation, f(what, progress=None,
    **options), which returns the command's answer; None if the program has no command of this name."""
    if name not in program.list_commands():
        return None

    def command(what, progress=None, **options):
        return tell(name, what, progress, options)

    command.__name__ = command.__qualname__ = name
    return command


def run(problem, out=None, progress=None, **options):
    """Run all stages: optimize, gains, verify, export; without a horizon simulate or balance."""
    return do("run", problem, out, progress, options)


def optimize(problem, out=None, progress=None, **options):
    """Compute the optimal trajectory."""
    return do("optimize", problem, out, progress, options)


def descend(problem, out=None, progress=None, **options):
    """Compute the optimal trajectory with descent methods on motions."""
    return do("descend", problem, out, progress, options)


def excite(problem, out=None, progress=None, **options):
    """Compute the motion that tells most about the parameters of `identify`, and its gains."""
    return do("excite", problem, out, progress, options)


def simulate(problem, out=None, progress=None, **options):
    """Integrate forward according to the problem's `simulate` section."""
    return do("simulate", problem, out, progress, options)


def gains(what, out=None, progress=None, **options):
    """Design the feedback of a problem, or along the trajectory of a result."""
    return do("gains", what, out, progress, options)


def verify(what, out=None, progress=None, **options):
    """Test the feedback in closed loop, from perturbed starts.

    r.verify has one row per sample, with the joint that exceeded its position limit (`passed`,
    `passed_by`); r.record["verify"][PLANT]["limits"] has the worst sample of each joint.
    """
    return do("verify", what, out, progress, options)


def export(what, out=None, progress=None, **options):
    """Write the controller as C99: `controller.c` in the result's folder."""
    return do("export", what, out, progress, options)


def linearize(what, out=None, progress=None, **options):
    """Write A and B at every knot, and a controllability analysis."""
    return do("linearize", what, out, progress, options)


def check(problem, progress=None, **options):
    """Read a problem and compare its derivatives with finite differences; return a dict of
    results."""
    return tell("check", problem, progress, options)


def info(model, progress=None, **options):
    """Describe a model (a robot file or a problem): coordinates, links, inputs, masses; a dict."""
    return tell("info", model, progress, options)


def sweep(problem, vary=None, out=None, progress=None, **options):
    """Solve a grid of problems, or from many guesses; return a Sweep.

    vary  {"horizon.time": [1, 1.5, 2], "cost.input": "1:2:3"}: values by paths in the problem, or
          from:to:count; None: no varied keys, for example with starts=8 initial guesses
    A sweep into the folder of an earlier one computes only the missing cases.
    """
    return do("sweep", problem, out, progress, {"vary": vary, **options}, Sweep)


def tune(problem, out=None, progress=None, **options):
    """Search for the controller parameters with the best score of `verify.criteria`; return a
    Tuned.

    out  the problem file to write; the table of trials is written next to it
    """
    problem, keep = as_problem(problem), None
    if not out:
        keep = Kept()
        out = os.path.join(keep.name, f"{problem.file_name}-tuned.yaml")
    with problem.as_file() as (path, label):
        answer = program.run("tune", path, options, progress, label, os.fspath(out))
    if answer.status:
        raise error_of(answer.status, explain_failure(answer, options))
    return Tuned(problem, out, answer.found, keep)


def plot(*results, out=None, progress=None, **options):
    """Draw results, studies or tables (or their folders and files); return the picture, a File.

    out      its path; its suffix selects the format (.svg, .png, .pdf); None: a temporary SVG
    options  what="trajectory", y=["q.pole"], times=[0, 1], xrange=(0, 2), names=["one", "two"], ..
    """
    return make("plot", "picture", results, out, "picture.svg", progress, options)


def convert(result, to=None, out=None, progress=None, **options):
    """Write a result as a File for another program.

    to   "mcap", "npz", "mujoco"; None: by the suffix of `out`
    out  its path; None: in the result's folder
    """
    return make("convert", to, (result,), out, None, progress, {"to": to, **options})


def report(*results, out=None, progress=None, **options):
    """Make one page of several results and studies; return it as a File.

    out  its path, FILE.html; None: in the folder of the first
    """
    return make("report", "report", results, out, None, progress, options)


def freeze(value):
    """Return an answer with lists of numbers as read-only arrays."""
    if isinstance(value, dict):
        return {key: freeze(each) for key, each in value.items()}
    if not isinstance(value, list):
        return value
    try:
        numbers = np.array(value, float)
    except (TypeError, ValueError):
        return [freeze(each) for each in value]
    return frozen(numbers)


def list_word(name, numbers):
    """Return the numbers of an option as text: a list in brackets, which must be complete; a single
    number applies to all."""
    if not isinstance(numbers, (list, tuple)) and np.ndim(numbers) == 0:
        return numbers
    if any(np.ndim(each) for each in numbers):
        raise BadInput(f"{name}: found a list of lists, expected a list of numbers, or one number")
    return f"[{program.value_word(numbers)}]"


def evaluate(model, q, v=None, progress=None, **options):
    """Evaluate a model at a state, as the command `eval` does; return a dict of arrays.

    q, v  [n] or one number for all, m or rad, m/s or rad/s; a: accelerations, likewise; a list of
          one number is a list, not a number for all
    The result has the mass matrix M [n x n], the momentum p [n], L_q [n], L_qq, L_qv, L_vv [n x n],
    the inverse dynamics [n] and the energies, J; or, with output="tool.z" (and u, hessian=True), an
    output of the problem.
    """
    given = {"q": q, "v": v, **options}
    for name in given.keys() & {"q", "v", "a", "u"}:
        given[name] = list_word(name, given[name])
    return freeze(tell("eval", model, progress, given))
