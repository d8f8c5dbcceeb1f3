"""Model predictive control by random shooting: hundreds of futures at a time, on threads.

    balanced for 1 s: within 0.1 rad
    300 futures of 25 steps each time
"""
import os

import numpy as np

import dmoc

PROBLEMS = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "problems")
FUTURES, STEPS, PLAN = 300, 50, 25

random = np.random.default_rng(0)
with dmoc.Map(
    os.path.join(PROBLEMS, "cart-pole", "swing-up.yaml"), step=0.02, threads=2, failed="nan"
) as m:
    low, high = m.limits["u"]
    goal = m.state([0, np.pi], [0, 0])
    x = m.state([0.1, np.pi - 0.1], [0, 0])
    weight = np.array([1, 10, 0.1, 1])
    plan, worst = np.zeros((PLAN, m.nu)), 0.0
    for k in range(STEPS):
        # futures about the last plan, in pieces of five steps; the best ones are averaged
        noise = np.repeat(random.normal(scale=3, size=(FUTURES, PLAN // 5, m.nu)), 5, axis=1)
        u = np.clip(plan + noise, low, high)
        paths = m.rollout(np.broadcast_to(x, (FUTURES, m.nx)), u)
        cost = np.sum((paths - goal) ** 2 * weight, axis=(1, 2)) + 1e-3 * np.sum(
            u**2, axis=(1, 2)
        )
        share = np.exp(-(cost - np.nanmin(cost)) / (0.05 * np.nanmin(cost)))
        plan = np.einsum("s,ski->ki", np.nan_to_num(share) / np.nansum(share), u)

        # the first of its inputs is taken, the rest is where the next begins
        x = m.step(x, plan[0])
        plan = np.vstack([plan[1:], plan[-1:]])
        worst = max(worst, abs(x[1] - np.pi))
    print(f"balanced for {STEPS * m.h:.2g} s: within {worst:.1g} rad")
    print(f"{FUTURES} futures of {PLAN} steps each time")
