"""How errors fall with the step: a body that turns freely, by the midpoint rule, and its order.

    order 2.03 of midpoint
    h = 0.200 s: off by 5.5e-02
    h = 0.100 s: off by 1.3e-02
    h = 0.050 s: off by 2.5e-03
"""
import importlib.util
import os
import sys

import dmoc

PROBLEMS = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "problems")

if not importlib.util.find_spec("matplotlib"):
    print("skipped: pictures (needs matplotlib)")
    sys.exit(77)
free = os.path.join(PROBLEMS, "rigid-body", "free.yaml")
steps = dmoc.sweep(free, {"simulate.step": [0.2, 0.1, 0.05, 0.025]}, run=True, keep=True)

# a picture of errors over steps, and what was found for it; a notebook shows it by itself
picture = dmoc.plot(steps, what="order", out="convergence.svg")
fit = picture.record["orders"][0]
print(f"order {fit['order']:.2f} of {fit['name']}")
for h, error in zip(fit["steps"], fit["errors"]):
    print(f"h = {h:5.3f} s: off by {error:.1e}")
