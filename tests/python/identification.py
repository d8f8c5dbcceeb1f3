#!/usr/bin/env python3
"""Identification: it finds the numbers that a log was made with, and says how well."""
import os
import tempfile
import unittest

from support import main, problem

import numpy as np

import dmoc

SWING = problem("cart-pole", "swing-up.yaml")
TRUE = {"model.damping.slider": 0.7, "model.damping.pole": 0.05}
GUESS = {"model.damping.slider": 0.1, "model.damping.pole": 0.2}
STEP = 0.01


def shake(noise, seed=0, steps=400):
    """Return a log of the cart-pole with the true numbers."""
    t = STEP * np.arange(steps)
    u = (5 * np.sin(6 * t) + 3 * np.sin(11 * t))[:, None]
    with dmoc.Map(SWING, step=STEP, replace=TRUE) as m:
        places = m.rollout(m.state([0, 0.3], [0, 0]), u)[:, : m.n]
    return places + noise * np.random.default_rng(seed).normal(size=places.shape), u


def cart(m, l, t):
    """Return a pole on a cart on a slope in other units of mass, length and time."""
    force, torque = m * l / t**2, m * l * l / t**2
    return {
        "model": {
            "gravity": [0.3 * l / t**2, 0, -9.81 * l / t**2],
            "bodies": [
                {"name": "cart", "joints": [{"name": "x", "type": "tx"}], "mass": 1.0 * m},
                {"name": "bob", "parent": "cart", "joints": [{"name": "pole", "type": "ry"}],
                 "mass": 0.3 * m, "centre": [0, 0, -0.5 * l]},
            ],
            "damping": {"x": 0.7 * force / (l / t), "pole": 0.05 * torque * t},
        },
        "inputs": [{"joint": "x", "effort": 20 * force}],
        "horizon": {"steps": 10, "time": 1.0 * t},
        "start": {"q": 0, "v": 0},
    }


def identify_in_units(m, l, t):
    """Identify two dampings, and the slope of the ground from 0, from a log in these units."""
    force, torque = m * l / t**2, m * l * l / t**2
    times = STEP * np.arange(300)
    u = force * (5 * np.sin(6 * times) + 3 * np.sin(11 * times))[:, None]
    problem = cart(m, l, t)
    with dmoc.Map(problem, step=STEP * t) as the_map:
        q = the_map.rollout(the_map.state([0, 0.3], [0, 0]), u)[:, : the_map.n]
    q += 1e-3 * np.array([l, 1]) * np.random.default_rng(1).normal(size=q.shape)
    guess = {
        "model.damping.x": 0.1 * force / (l / t),
        "model.damping.pole": 0.2 * torque * t,
        "model.gravity.0": 0.0,
    }
    return dmoc.identify(problem, guess, q, u, STEP * t)


class Identification(unittest.TestCase):
    def test_a_log_without_noise_gives_the_numbers_themselves(self):
        found = dmoc.identify(SWING, GUESS, *shake(0), STEP)
        for path, value in TRUE.items():
            self.assertAlmostEqual(found.values[path], value, delta=1e-6 * value)
        self.assertEqual(
            found.problem.keys["model"]["damping"],
            {
                "slider": found.values["model.damping.slider"],
                "pole": found.values["model.damping.pole"],
            },
        )

    def test_the_documented_example_succeeds_for_every_seed(self):
        # 20 seeds; .ci/nightly takes all 200
        problem = dmoc.Problem(
            SWING, model={"payload": [{"body": "pole", "mass": 0.1, "offset": {"xyz": [0, 0, -0.4]}}]}
        )
        true = {**TRUE, "model.payload.0.mass": 0.15}
        t = STEP * np.arange(600)
        u = (5 * np.sin(6 * t) + 3 * np.sin(11 * t))[:, None]
        with dmoc.Map(problem, step=STEP, replace=true) as m:
            places = m.rollout(m.state([0, 0.3], [0, 0]), u)[:, : m.n]
        for seed in range(int(os.environ.get("SEEDS", "20"))):
            log = places + 1e-3 * np.random.default_rng(seed).normal(size=places.shape)
            found = dmoc.identify(
                problem, {**GUESS, "model.payload.0.mass": 0.1}, log, u, STEP, noise=1e-3
            )
            for path, value in true.items():
                self.assertLess(abs(found.values[path] - value), 5 * found.deviations[path])
            self.assertEqual(found.problem.keys["model"]["payload"][0]["mass"], found.values["model.payload.0.mass"])

    def test_arguments_of_earlier_versions_are_accepted(self):
        with self.assertWarns(DeprecationWarning):
            found = dmoc.identify(SWING, GUESS, *shake(0), STEP, 50, None, 50, 1e-8, 1)
        self.assertAlmostEqual(found.values["model.damping.pole"], 0.05, delta=1e-8)

    def test_files_of_logs_give_the_same_fit_with_logs_held_out(self):
        with tempfile.TemporaryDirectory() as folder:
            paths = []
            for seed in range(3):
                q, u = shake(1e-3, seed)
                rows = np.hstack([STEP * np.arange(len(q))[:, None], q, np.vstack([u, u[-1:]])])
                paths.append(os.path.join(folder, f"{seed}.csv"))
                np.savetxt(paths[-1], rows, "%.17g", ",", header="t,q.slider,q.pole,u.slider", comments="")
            found = dmoc.identify(
                dmoc.Problem(SWING), ["damping"], step=STEP, noise=1e-3, lack=1e-4, logs=paths[:2],
                hold_out=paths[2:],
            )
        for path, value in TRUE.items():
            self.assertLess(abs(found.values[path[6:]] - value), 5 * found.deviations[path[6:]])
        self.assertEqual([log["held_out"] for log in found.record["logs"]], [False, False, True])
        self.assertAlmostEqual(found.problem.keys["model"]["damping"]["pole"], found.values["damping.pole"], delta=1e-9)

    def test_deviations_are_those_of_many_logs(self):
        # chi-squared of 2 x 30 numbers over their own deviations: 60 +- 11
        errors = []
        for seed in range(30):
            found = dmoc.identify(SWING, GUESS, *shake(1e-3, seed), STEP, noise=1e-3)
            errors += [
                (found.values[path] - value) / found.deviations[path]
                for path, value in TRUE.items()
            ]
        self.assertGreater(np.sum(np.square(errors)), 60 - 33)
        self.assertLess(np.sum(np.square(errors)), 60 + 33)

    def test_noise_of_each_place_is_found(self):
        q, u = shake(0)
        q += np.random.default_rng(4).normal(size=q.shape) * [2e-3, 5e-4]
        found = dmoc.identify(SWING, GUESS, q, u, STEP, noise=[2e-3, 5e-4])
        np.testing.assert_allclose(found.noise, [2e-3, 5e-4], rtol=0.15)

    def test_units_do_not_matter(self):
        si = identify_in_units(1, 1, 1)
        for m, l, t in ((1e-9, 1e-3, 0.1), (1e6, 1e2, 10), (1, 1e-3, 1)):
            other = identify_in_units(m, l, t)
            force, torque = m * l / t**2, m * l * l / t**2
            units = (force / (l / t), torque * t, l / t**2)
            for a, b, unit in zip(si.values.values(), other.values.values(), units):
                self.assertAlmostEqual(b / unit, a, delta=1e-6 * abs(a))
            self.assertEqual(other.iterations, si.iterations)

    def test_what_a_log_does_not_show_is_refused(self):
        q, u = shake(0)
        still = np.zeros_like(q)
        with self.assertRaises(dmoc.NotSolved) as told:
            dmoc.identify(SWING, GUESS, still, 0 * u, STEP)
        self.assertIn("does not tell these parameters apart", str(told.exception))

    def test_wrong_arguments_are_refused(self):
        q, u = shake(0)
        lost = q.copy()
        lost[2, 1] = np.nan
        for words, call in (
            (
                "found 1 places and 1 inputs, expected 2 (slider, pole) and 1 (slider)",
                lambda: dmoc.identify(SWING, GUESS, q[:, :1], u, STEP),
            ),
            ("expected (K+1, n) and (K, nu)", lambda: dmoc.identify(SWING, GUESS, q, u[:5], STEP)),
            ("q[2, 1]: found nan", lambda: dmoc.identify(SWING, GUESS, lost, u, STEP)),
            (
                "u: found 1 masked entries",
                lambda: dmoc.identify(SWING, GUESS, q, np.ma.masked_equal(u, u[3, 0]), STEP),
            ),
            ("one parameter at least", lambda: dmoc.identify(SWING, {}, q, u, STEP)),
            (
                "model.damping: found the unknown joint 'pol'",
                lambda: dmoc.identify(SWING, {"model.damping.pol": 1}, q, u, STEP),
            ),
        ):
            with self.assertRaises(dmoc.BadInput) as told:
                call()
            self.assertIn(words, str(told.exception))


main()
