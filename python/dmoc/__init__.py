"""dmoc in Python: discrete mechanics and optimal control.

    import dmoc

    # the program's commands, on any problem; its tables are read-only arrays with names and units
    result = dmoc.run("problems/cart-pole/swing-up.yaml")
    result.trajectory.q                                      # [knots x n]

    # the discrete map itself, with exact derivatives, over any leading axes
    m = dmoc.Map("problems/cart-pole/swing-up.yaml")
    x1, A, B = m.linear(x, u)

    # the task in this process, again and again from other starts
    s = dmoc.Solver("problems/cart-pole/swing-up.yaml")
    s.solve(x0=[0.1, 0, 0, 0]).u

    # numbers of a model from a log of places and inputs
    dmoc.identify(problem, {"model.damping.pole": 0.1}, q, u, step=0.01)

The functions run, check, simulate, optimize, descend, excite, gains, verify, export, sweep, tune,
linearize, finish, report, convert, plot, info and evaluate are the commands of the program dmoc; a Problem
is a file, or keyword arguments with the same keys; a Result is a result folder, a Sweep that of a
sweep. Any other command of the program is a function f(what, **options) that returns its answer.
"""
from . import commands
from .commands import (
    check,
    convert,
    descend,
    excite,
    evaluate,
    export,
    gains,
    info,
    linearize,
    optimize,
    plot,
    report,
    run,
    simulate,
    sweep,
    tune,
    verify,
)
from .errors import BadInput, Error, Fault, NotSolved
from .formula import symbols
from .identification import Identified, identify
from .map import Map
from .page import File
from .problem import Problem, free
from .result import Result
from .solver import Iterate, Sensitivity, Slopes, Solution, Solver
from .study import Sweep, Tuned, finish, load, show
from .table import Table

__version__ = "0.2.0"
__all__ = [
    "BadInput",
    "Error",
    "Fault",
    "File",
    "Identified",
    "Iterate",
    "Map",
    "NotSolved",
    "Problem",
    "Result",
    "Sensitivity",
    "Slopes",
    "Solution",
    "Solver",
    "Sweep",
    "Table",
    "Tuned",
    "check",
    "convert",
    "descend",
    "excite",
    "evaluate",
    "export",
    "finish",
    "free",
    "gains",
    "identify",
    "info",
    "linearize",
    "load",
    "optimize",
    "plot",
    "report",
    "run",
    "show",
    "simulate",
    "sweep",
    "symbols",
    "tune",
    "verify",
]


def __getattr__(name):
    """Any other command of the program is a function that returns the command's answer."""
    command = None if name.startswith("_") else commands.find_command(name)
    if command is None:
        raise AttributeError(f"module 'dmoc' has no attribute '{name}'")
    return command
