"""Plans from many starts in one process: each begins at the plan before.

    from the problem's start: 15 iterations, 29.49 N2 s
    pole at +0.05 rad: 4 iterations, 30.80 N2 s
    pole at +0.10 rad: 4 iterations, 32.11 N2 s
    pole at +0.15 rad: 4 iterations, 33.41 N2 s
"""
import os

import dmoc

PROBLEMS = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "problems")

solver = dmoc.Solver(os.path.join(PROBLEMS, "cart-pole", "swing-up.yaml"))
plan = solver.solve()
print(f"from the problem's start: {plan.iterations} iterations, {plan.objective:.2f} N2 s")
for angle in (0.05, 0.10, 0.15):
    x0 = solver.x0  # slider, pole, and their velocities
    x0[1] = angle
    plan = solver.solve(x0=x0)
    print(f"pole at {angle:+.2f} rad: {plan.iterations} iterations, {plan.objective:.2f} N2 s")
