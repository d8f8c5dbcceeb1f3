"""dmoc in Python: discrete mechanics and optimal control.

    import dmoc

    # the program's commands, on any problem; its tables are read-only arrays with names and units
    result = dmoc.run("problems/cart-pole/swing-up.yaml")
    result.trajectory.q                                      # [knots x n]

    # the discrete map itself, with exact derivatives, over any leading axes
    m = dmoc.Map("problems/cart-pole/swing-up.yaml")
    x1, A, B = m.linear(x, u)

    # numbers of a model from a log of places and inputs
    dmoc.identify(problem, {"model.damping.pole": 0.1}, q, u, step=0.01)

The commands optimize, descend, simulate, gains, verify, export, linearize, run and check are those
of the program dmoc; a Problem is a file, or keyword arguments with the same keys; a Result is a
result folder.
"""
from .commands import (
    check,
    descend,
    export,
    gains,
    info,
    linearize,
    optimize,
    run,
    simulate,
    verify,
)
from .errors import BadInput, Error, Fault, NotSolved
from .identification import Identified, identify
from .map import Map
from .problem import Problem
from .result import Result, load, show
from .table import Table

__version__ = "0.2.0"
__all__ = [
    "BadInput",
    "Error",
    "Fault",
    "Identified",
    "Map",
    "NotSolved",
    "Problem",
    "Result",
    "Table",
    "check",
    "descend",
    "export",
    "gains",
    "identify",
    "info",
    "linearize",
    "load",
    "optimize",
    "run",
    "show",
    "simulate",
    "verify",
]
