"""A pole is swung up: the motion, its gains, how well they hold it, and a picture.

    solved: cost 29.49 in 15 iterations
    100 steps of 0.02 s; the cart goes from 0.00 to 1.18 m
    K of the first step: (1, 4), by N/m, N/rad, N/(N s), N/(N m s)
    200 of 200 samples hold on the continuous plant
"""
import os

import dmoc

PROBLEMS = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "problems")

# all that the program does with a problem: optimize, gains, verify, export
result = dmoc.run(os.path.join(PROBLEMS, "cart-pole", "swing-up.yaml"))
print(f"{result.status}: cost {result.objective:.2f} in {result.record['iterations']} iterations")

# tables are read-only arrays with names and units
x = result.trajectory
cart = x["q.slider"]
print(
    f"{len(x) - 1} steps of {result.h:.2g} s;"
    f" the cart goes from {cart.min():.2f} to {cart.max():.2f} m"
)
print(f"K of the first step: {result.K[0].shape}, by {', '.join(result.gains.units[2:])}")

held = result.verify["held"][result.verify["plant"] == "continuous"]
print(f"{held.sum():.0f} of {len(held)} samples hold on the continuous plant")

# dmoc.show(result) opens the page with the robot moving; a notebook shows it by itself
try:
    import matplotlib
except ImportError:
    matplotlib = None
if matplotlib:
    matplotlib.use("Agg")
    import matplotlib.pyplot as plt

    figure, axes = plt.subplots(2, sharex=True)
    axes[0].plot(x.t, x.q, label=x.group("q"))
    axes[0].set_ylabel("q, m and rad")
    axes[0].legend()
    axes[1].step(x.t, x.u, where="post")
    axes[1].set(ylabel=f"force, {x.unit('u.slider')}", xlabel="t, s")
    figure.savefig("swing-up.png")
