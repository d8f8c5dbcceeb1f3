"""A solver of somebody else: L-BFGS-B of scipy swings a pendulum up by a motor too weak to lift it.

    the gradient agrees with differences: True
    upright and at rest within 0.1: True, by no more than 3 N m: True
"""
import os
import sys

import numpy as np

import dmoc

try:
    from scipy.optimize import check_grad, minimize
except ImportError:
    print("skipped: a solver of scipy (needs scipy)")
    sys.exit(77)

PROBLEMS = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "problems")
N, STEP, LIMIT, WEIGHT = 60, 0.1, 3.0, 200.0

m = dmoc.Map(os.path.join(PROBLEMS, "pendulum", "swing-up.yaml"), step=STEP)
x0, goal = m.state([0], [0]), m.state([np.pi], [0])


def cost(u):
    """Effort and the distance from upright at the end, with the gradient by the adjoint."""
    u = u.reshape(N, m.nu)
    x = m.rollout(x0, u)
    _, A, B = m.linear(x[:-1], u)
    gradient, adjoint = np.empty_like(u), WEIGHT * (x[-1] - goal)
    for k in reversed(range(N)):
        gradient[k] = STEP * u[k] + B[k].T @ adjoint
        adjoint = A[k].T @ adjoint
    return STEP * np.sum(u**2) / 2 + WEIGHT * np.sum((x[-1] - goal) ** 2) / 2, gradient.ravel()


guess = LIMIT * np.sign(np.sin(3.0 * STEP * np.arange(N)))
off = check_grad(lambda u: cost(u)[0], lambda u: cost(u)[1], guess) / np.linalg.norm(cost(guess)[1])
print(f"the gradient agrees with differences: {off < 1e-4}")
found = minimize(
    cost, guess, jac=True, method="L-BFGS-B", bounds=[(-LIMIT, LIMIT)] * N, options={"maxiter": 300}
)
end = m.rollout(x0, found.x.reshape(N, m.nu))[-1]
print(
    f"upright and at rest within 0.1: {np.abs(end - goal).max() < 0.1}, "
    f"by no more than {LIMIT:g} N m: {np.abs(found.x).max() <= LIMIT}"
)
