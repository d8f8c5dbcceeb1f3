"""The processor time that Python adds to a call of dmoc.Solver.solve: with the library's function replaced by one that
does nothing, the least of 20 times 1000 calls.

    python3 benchmarks/solver_overhead.py
"""
import ctypes
import os
import sys
import time
import timeit

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(HERE, "..", "python"))

import dmoc  # noqa: E402

MOST = 20  # us


class Empty:
    """A library whose solve returns 0 at once."""

    def __init__(self, real):
        self.pb_solver_close = real.pb_solver_close
        self.pb_solver_solve = ctypes.CDLL(None).abs
        self.pb_solver_solve.argtypes = real.pb_solver_solve.argtypes
        self.pb_solver_solve.restype = lambda _: 0


solver = dmoc.Solver(os.path.join(HERE, "..", "problems", "cart-pole", "swing-up.yaml"))
start = solver.x0
wrap = solver.wrap


def wrap_filled(block):
    """Wrap an array with figures, which are not computed."""
    block[solver.size :] = 1.0
    return wrap(block)


solver.library, solver.wrap = Empty(solver.library), wrap_filled
calls = {
    "solve()": solver.solve,
    "solve(x0)": lambda: solver.solve(x0=start),
    "solve(x0, goal)": lambda: solver.solve(x0=start, goal=start),
}
worst = 0.0
for name, call in calls.items():
    spent = min(timeit.repeat(call, number=1000, repeat=20, timer=time.thread_time)) * 1e3
    worst = max(worst, spent)
    print(f"{name:16s} {spent:5.1f} us")
sys.exit(worst > MOST)
