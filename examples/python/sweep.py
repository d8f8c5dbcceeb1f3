"""One problem with ever weaker motors: keys of the file replaced by arguments, failures caught.

    effort 20 N: cost 29.5
    effort 12 N: cost 29.7
    effort 10 N: cost 31.2
    effort  6 N: infeasible
"""
import os

import dmoc

PROBLEMS = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "problems")

swing = dmoc.Problem(
    os.path.join(PROBLEMS, "cart-pole", "swing-up.yaml"), feedback=None, verify=None
)
for effort in (20, 12, 10, 6):
    try:
        result = dmoc.optimize(swing.replaced({"inputs.0.effort": effort}))
        print(f"effort {effort:2d} N: cost {result.objective:.1f}")
    except dmoc.NotSolved as why:
        print(f"effort {effort:2d} N: {why.result.status if why.result else why}")
