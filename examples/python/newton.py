"""Newton's method on a whole motion, by the map's second derivatives: no solver, no differences.

A pendulum is carried from hanging to 1 rad in 1 s, at rest at both ends, by the least torque: the
stationary point of

    sum u_k.u_k h/2 + sum l_k+1.(f(x_k, u_k) - x_k+1) + nu.(x_N - goal)

by unknowns x_1 .. x_N, u_0 .. u_N-1, l_1 .. l_N, nu. The residual falls quadratically with the
exact Hessian of l.f, and by a factor without it:

    exact:    1e+00 6e-01 8e-03 1e-07
    without:  1e+00 6e-01 6e-02 3e-03
"""
import os

import numpy as np

import dmoc

PROBLEMS = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "problems")
N, STEP = 20, 0.05

m = dmoc.Map(os.path.join(PROBLEMS, "pendulum", "swing-up.yaml"), step=STEP)
nx, nu = m.nx, m.nu
x0, goal = m.state([0], [0]), m.state([1], [0])
# where the unknowns stand: x, u, l of all steps, then nu
sizes = np.cumsum([0, N * nx, N * nu, N * nx, nx])
X, U, L, E = (slice(a, b) for a, b in zip(sizes, sizes[1:]))


def conditions(z, exact):
    """Return the derivative of the Lagrange function by all unknowns, and its own derivative."""
    x, u, l, end = z[X].reshape(N, nx), z[U].reshape(N, nu), z[L].reshape(N, nx), z[E]
    start = np.vstack([x0, x[:-1]])
    ahead, A, B = m.linear(start, u)
    xx, xu, uu = m.hessian(start, u, l)
    r, J = np.zeros(sizes[-1]), np.zeros((sizes[-1], sizes[-1]))
    r_x, r_u, r_l = r[X].reshape(N, nx), r[U].reshape(N, nu), r[L].reshape(N, nx)
    r_x -= l
    r_x[-1] += end
    r_x[:-1] += np.einsum("kij,ki->kj", A[1:], l[1:])
    r_u += STEP * u + np.einsum("kij,ki->kj", B, l)
    r_l += ahead - x
    r[E] = x[-1] - goal

    # blocks by steps; x of knot k is what step k begins at
    at = [
        lambda k: slice((k - 1) * nx, k * nx),
        lambda k: slice(sizes[1] + k * nu, sizes[1] + (k + 1) * nu),
        lambda k: slice(sizes[2] + k * nx, sizes[2] + (k + 1) * nx),
    ]
    for k in range(N):
        u_k, l_k, next_x = at[1](k), at[2](k), at[0](k + 1)
        J[u_k, u_k] = STEP * np.eye(nu) + exact * uu[k]
        J[l_k, u_k], J[l_k, next_x] = B[k], -np.eye(nx)
        if k > 0:
            x_k = at[0](k)
            J[x_k, x_k], J[u_k, x_k], J[l_k, x_k] = exact * xx[k], exact * xu[k].T, A[k]
    J[E, (N - 1) * nx : N * nx] = np.eye(nx)
    return r, np.tril(J) + np.tril(J, -1).T


for name, exact in (("exact:", 1), ("without:", 0)):
    z, residuals = np.zeros(sizes[-1]), []
    for _ in range(4):
        r, J = conditions(z, exact)
        residuals.append(np.abs(r).max())
        z -= np.linalg.solve(J, r)
    print(f"{name:9s}", *(f"{value:.0e}" for value in residuals))
