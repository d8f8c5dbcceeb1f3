"""The commands of the program as functions.

Each takes a problem (a Problem, a path, or a dict of keys), or where the program takes a result
folder a Result to go on from, and the options of its command by their names: solver="ipopt",
starts="auto", threads=4, from_=result, single=True. docs/commands.md has them. Each returns a
Result, or raises BadInput, NotSolved (with the result that there is) or Fault.

    out       the result folder; None: a temporary one, which goes with the Result; of a Result its
              own
    progress  None: silent; True: to stderr; a function of one line of text
"""
import os
import shutil
import tempfile
import time
import weakref

from . import program
from .errors import error_of
from .problem import as_problem
from .result import Result


class Kept:
    """A temporary folder that goes with the last result that is in it."""

    def __init__(self):
        self.name = tempfile.mkdtemp(prefix="dmoc-")
        weakref.finalize(self, shutil.rmtree, self.name, ignore_errors=True)


def read_left(folder, keep, answer, began):
    """Return the result that a command left that did not succeed, None where it left none."""
    for place in (os.path.join(folder, "unfinished"), folder):
        record = os.path.join(place, "result.json")
        # one of an earlier command is not its
        if os.path.exists(record) and os.path.getmtime(record) >= began:
            return Result(place, keep, answer.warnings)
    return None


def explain_failure(answer, options):
    """Return its words; where an option is none, what keys of a problem go into."""
    for name in options:
        if f"has no option '--{name.replace('_', '-')}'" in answer.words:
            return f"{answer.words}; a key of the problem goes into dmoc.Problem(problem, {name}=...)"
    return answer.words


def ask(command, operand, label, folder, keep, progress, options):
    """Run a command that leaves a result in a folder; return it, or raise what else came out."""
    began = time.time() - 1  # clocks of files are coarse
    answer = program.run(command, operand, options, progress, label, folder)
    if not answer.status:
        return Result(folder, keep, answer.warnings)
    words = explain_failure(answer, options)
    raise error_of(answer.status, words, read_left(folder, keep, answer, began))


def do(command, what, out, progress, options):
    """Run a command on a problem, or on a result."""
    if isinstance(what, Result):
        folder = os.path.abspath(os.fspath(out)) if out else what.folder
        return ask(command, what.folder, None, folder, what.keep, progress, options)
    problem, keep = as_problem(what), None
    if not out:
        keep = Kept()
        out = os.path.join(keep.name, problem.name if problem.changed else problem.file_name)
    with problem.as_file() as (path, label):
        return ask(command, path, label, os.path.abspath(os.fspath(out)), keep, progress, options)


def tell(command, what, progress, options):
    """Run a command that leaves nothing; return its answer."""
    with as_problem(what).as_file() as (path, label):
        answer = program.run(command, path, options, progress, label)
    if answer.status:
        raise error_of(answer.status, explain_failure(answer, options))
    return answer.found


def run(problem, out=None, progress=None, **options):
    """Go the whole way: optimize, gains, verify, export; without a horizon simulate or balance."""
    return do("run", problem, out, progress, options)


def optimize(problem, out=None, progress=None, **options):
    """Find the trajectory."""
    return do("optimize", problem, out, progress, options)


def descend(problem, out=None, progress=None, **options):
    """Find the trajectory by descent on motions."""
    return do("descend", problem, out, progress, options)


def simulate(problem, out=None, progress=None, **options):
    """Integrate forward, as the problem's `simulate` says."""
    return do("simulate", problem, out, progress, options)


def gains(what, out=None, progress=None, **options):
    """Design the feedback of a problem, or along the trajectory of a result."""
    return do("gains", what, out, progress, options)


def verify(what, out=None, progress=None, **options):
    """Try the feedback in closed loop, from perturbed starts."""
    return do("verify", what, out, progress, options)


def export(what, out=None, progress=None, **options):
    """Write the law as C99: `controller.c` in the result's folder."""
    return do("export", what, out, progress, options)


def linearize(what, out=None, progress=None, **options):
    """Write A and B of every knot, and what inputs reach."""
    return do("linearize", what, out, progress, options)


def check(problem, progress=None, **options):
    """Read a problem and hold its derivatives against differences; return a dict of what was
    found."""
    return tell("check", problem, progress, options)


def info(model, progress=None, **options):
    """Tell of a model (a robot file or a problem): coordinates, links, inputs, masses; a dict."""
    if isinstance(model, (str, os.PathLike)):
        answer = program.run("info", os.path.abspath(os.fspath(model)), options, progress)
        if answer.status:
            raise error_of(answer.status, answer.words)
        return answer.found
    return tell("info", model, progress, options)
