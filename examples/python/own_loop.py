"""A sweep over the duration, then a loop of one's own on the discrete map, with the gains of the best case.

    1.5 s: 39.9 N2 s
    2.0 s: 29.5 N2 s
    2.5 s: 29.4 N2 s
    0.050 m or rad off at the start, 0.000 at the end
"""
import os

import numpy as np

import dmoc

PROBLEMS = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "problems")
PROBLEM = os.path.join(PROBLEMS, "cart-pole", "swing-up.yaml")

sweep = dmoc.sweep(PROBLEM, {"horizon.time": [1.5, 2, 2.5]}, keep=True)
for time, objective in zip(sweep.cases["horizon.time"], sweep.cases["objective"]):
    print(f"{time:.1f} s: {objective:.1f} N2 s")

best = int(np.nanargmin(sweep.cases["objective"]))
plan = dmoc.gains(sweep.result(best))
with plan.map() as m:
    x = plan.x[0] + np.array([0.05, 0.05, 0, 0])
    for k in range(len(plan.u)):
        u = plan.u[k] - plan.K[k] @ (x - plan.x[k])
        x = m.step(x, np.clip(u, *m.limits["u"]))
    off = np.abs(x - plan.x[-1])[: m.n].max()
print(f"0.050 m or rad off at the start, {off:.3f} at the end")
