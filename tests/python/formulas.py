#!/usr/bin/env python3
"""Formulas by Python's operators have the values of Python, and the derivatives of differences."""
import math
import unittest

from support import main, problem

import numpy as np

import dmoc
from dmoc import formula as f

CEILING = problem("cart-pole", "soft-ceiling.yaml")


class Formulas(unittest.TestCase):
    def test_operators_have_the_values_of_python(self):
        p = dmoc.Problem(CEILING)
        s = dmoc.symbols(p)
        q, v = [0.3, 0.8], [1.5, -2.0]
        x, z = 0.3 - 0.5 * math.sin(0.8), -0.5 * math.cos(0.8)
        rows = [
            (-s.q.slider**2 + 1, -0.09 + 1),
            (2 - (s.q.pole - s.load.x) / (s.v.pole * 3), 2 - (0.8 - x) / -6),
            ((s.q.slider + 1) ** (s.q.pole / 2), 1.3**0.4),
            (1 + -s.q.pole * -2.5, 3),
            (-(s.q.slider - s.v.slider) - (s.q.pole - 1), 1.2 + 0.2),
            (np.float64(2) * s.q.slider / np.array([4.0])[0], 0.15),
            (2**s.q.slider, 2**0.3),
            (f.norm(s.load - [0.1, 0, -0.2]), math.hypot(x - 0.1, z + 0.2)),
            (f.dot(s.load, s.load) * s.load[2], (x * x + z * z) * z),
            (f.huber(s.load.x, 0.01) + f.softplus(s.v["pole"], 1), 0.01 * (abs(x) - 0.005)
             + math.log1p(math.exp(-2))),
        ]
        for text, value in rows:
            said = p.evaluate(text, q, v)
            self.assertAlmostEqual(said["value"], value, delta=1e-13, msg=str(text))

    def test_momenta_and_impulses_have_names(self):
        s, q, v = dmoc.symbols(CEILING), [0.3, 0.8], [1.5, -2.0]
        momenta = dmoc.evaluate(CEILING, q, v)["p"]
        self.assertAlmostEqual(dmoc.Problem(CEILING).evaluate(s.p.pole, q, v)["value"], momenta[1], delta=1e-13)
        pin = dmoc.symbols(problem("formulas", "pin.yaml"))
        force = f.norm(pin.lambda_["pin.1"], pin["lambda"]["pin.2"]) / pin.h
        self.assertEqual(str(force), "norm(lambda.pin.1, lambda.pin.2) / h")
        self.assertEqual(str(pin.t + pin.T), "t + T")

    def test_the_gradient_is_that_of_a_function_of_python(self):
        p = dmoc.Problem(CEILING)
        s = dmoc.symbols(p)
        text = f.sin(s.q.pole) * s.load.z + f.exp(-s.q.slider)

        def value(slider, pole):
            return math.sin(pole) * -0.5 * math.cos(pole) + math.exp(-slider)

        off = p.compare(text, value, [0.3, 0.8])
        self.assertLess(abs(off["value"]), 1e-14)
        self.assertLess(off["gradient"], 1e-9)
        other = p.compare(text, lambda slider, pole: value(slider, 1.01 * pole), [0.3, 0.8])
        self.assertGreater(other["gradient"], 1e-3)

    def test_a_problem_takes_them(self):
        p = dmoc.Problem(CEILING)
        s = dmoc.symbols(p)
        changed = p.replaced(constraints={"wall": {"formula": s.load.x + 0.1 * s.q.pole, "within": [-1, 2]}})
        self.assertIn("wall: {formula: load.x + 0.1 * q.pole", changed.text)
        self.assertEqual(dmoc.check(changed)["status"], "done")

    def test_mistakes_are_named(self):
        s = dmoc.symbols(CEILING)
        with self.assertRaisesRegex(AttributeError, "found no coordinate 'pol', expected one of slider, pole"):
            s.q.pol
        with self.assertRaisesRegex(AttributeError, "found no row load.w"):
            s.load.w
        with self.assertRaisesRegex(dmoc.BadInput, "found q.pole as a condition"):
            max(s.q.pole, s.q.slider) if s.q.pole else None
        with self.assertRaisesRegex(dmoc.BadInput, "found nan in a formula"):
            s.q.pole + float("nan")


if __name__ == "__main__":
    main()
