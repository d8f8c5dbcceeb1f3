"""Damping and a mass of a cart-pole from a log of its encoders, by its discrete map.

    model.damping.slider = 0.70, within four standard deviations: True
    model.damping.pole = 0.05, within four standard deviations: True
    model.payload.0.mass = 0.15, within four standard deviations: True
    what is left is the encoders' noise: 0.001 m, 0.001 rad
"""
import os

import numpy as np

import dmoc

PROBLEMS = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "problems")

problem = dmoc.Problem(
    os.path.join(PROBLEMS, "cart-pole", "swing-up.yaml"),
    model={"payload": [{"body": "pole", "mass": 0.1, "offset": {"xyz": [0, 0, -0.4]}}]},
)
true = {"model.damping.slider": 0.7, "model.damping.pole": 0.05, "model.payload.0.mass": 0.15}

# a robot with other numbers is shaken for six seconds; its encoders are read every 0.01 s
t = 0.01 * np.arange(600)
u = (5 * np.sin(6 * t) + 3 * np.sin(11 * t))[:, None]
with dmoc.Map(problem, step=0.01, replace=true) as robot:
    places = robot.rollout(robot.state([0, 0.3], [0, 0]), u)[:, : robot.n]
log = places + np.random.default_rng(1).normal(scale=1e-3, size=places.shape)

# from numbers that are wrong
found = dmoc.identify(
    problem,
    {"model.damping.slider": 0.1, "model.damping.pole": 0.2, "model.payload.0.mass": 0.1},
    q=log,
    u=u,
    step=0.01,
    noise=1e-3,
)
for path, value in true.items():
    off = abs(found.values[path] - value) / found.deviations[path]
    print(f"{path} = {found.values[path]:.2f}, within four standard deviations: {off < 4}")
print(
    "what is left is the encoders' noise: "
    + ", ".join(f"{noise:.3f} {unit}" for noise, unit in zip(found.noise, ("m", "rad")))
)
