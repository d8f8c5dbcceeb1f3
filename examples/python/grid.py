"""A grid of problems, on all processors: how long a swing-up takes, how strong its motor is.

    7 of 9 cases solved over horizon.time [s] and inputs.0.effort [N or N m]
    1.2 s: - at 10 N, - at 15 N, 113.2 at 20 N
    1.6 s: 36.6 at 10 N, 34.5 at 15 N, 34.5 at 20 N
    2.0 s: 31.2 at 10 N, 29.5 at 15 N, 29.5 at 20 N
    the best goes as far as 1.18 m
"""
import os

import numpy as np

import dmoc

PROBLEMS = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "problems")

swing = dmoc.Problem(
    os.path.join(PROBLEMS, "cart-pole", "swing-up.yaml"), feedback=None, verify=None
)
sweep = dmoc.sweep(
    swing, {"horizon.time": np.linspace(1.2, 2, 3), "inputs.0.effort": [10, 15, 20]}, keep=True
)
cases = sweep.cases
keys = " and ".join(f"{key} [{cases.unit(key)}]" for key in sweep.keys)
print(f"{sweep.solved} of {len(sweep)} cases solved over {keys}")

# a table of columns by names; what has no solution is a row as well
solved = cases["status"] == "solved"
for time in np.unique(cases["horizon.time"]):
    rows = cases["horizon.time"] == time
    costs = np.where(solved, cases["objective"], np.nan)[rows]
    print(
        f"{time:.1f} s:",
        ", ".join(
            f"{'-' if np.isnan(cost) else f'{cost:.1f}'} at {effort:g} N"
            for cost, effort in zip(costs, cases["inputs.0.effort"][rows])
        ),
    )

# kept cases are results like any other; a notebook shows the sweep's page by itself
if sweep.best:
    best = sweep.result(int(sweep.best["case"]))
    print(f"the best goes as far as {np.ptp(best.trajectory['q.slider']):.2f} m")
