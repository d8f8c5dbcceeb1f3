#!/usr/bin/env python3
"""Studies and files in Python: sweeps, tuning, pictures, conversions, pages are what the program
makes, and every command of the program has its function."""
import importlib.util
import os
import re
import subprocess
import tempfile
import unittest

from support import PROGRAM, main, problem

import numpy as np

import dmoc

SWING = problem("cart-pole", "swing-up.yaml")
ARM = problem("six-axis-arm", "arm.urdf")
# a law that is far too soft, and what it is to survive
SOFT = dmoc.Problem(SWING).replaced(
    {
        "feedback.Q": {"q": 1, "p": 1},
        "feedback.R": 100,
        "feedback.tune": {"tries": 30, "seed": 3, "vary": ["feedback.Q", "feedback.R"]},
        "verify.tolerance": 0.3,
        "verify.criteria": [
            {"vary": "mass", "of": "pole", "from": 1, "to": 1.5, "levels": 20},
            {"vary": "damping", "of": "slider", "to": 1, "levels": 20},
        ],
    }
)

drawn = unittest.skipUnless(importlib.util.find_spec("matplotlib"), "needs matplotlib")


def is_frame(html):
    return html.lower().startswith('<iframe srcdoc="&lt;!doctype html')


class Commands(unittest.TestCase):
    def test_each_command_of_the_program_has_its_function(self):
        help_text = subprocess.run([PROGRAM, "--help"], capture_output=True, text=True).stdout
        commands = re.findall(r"^  ([a-z]+) +[A-Z]", help_text, re.M)
        self.assertGreater(len(commands), 14)
        for command in commands:
            name = {"eval": "evaluate"}.get(command, command)
            self.assertTrue(callable(getattr(dmoc, name)))

    def test_a_command_without_a_function_of_its_own_returns_its_answer(self):
        self.assertNotIn("eval", dmoc.__all__)
        self.assertEqual(dmoc.eval(SWING, q=0, v=0)["p"], [0, 0])
        with self.assertRaises(dmoc.BadInput):
            dmoc.eval(SWING, q=0, speed=1)
        with self.assertRaises(AttributeError):
            dmoc.no_such_command


class Sweeps(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        vary = {"horizon.time": np.linspace(1.5, 2, 2), "cost.input": [1, 2]}
        cls.sweep = dmoc.sweep(SWING, vary, keep=True)

    def test_rows_are_cases_with_names_and_units(self):
        s = self.sweep
        self.assertEqual((len(s), s.solved, s.keys), (4, 4, ("horizon.time", "cost.input")))
        np.testing.assert_array_equal(s.cases["horizon.time"], [1.5, 1.5, 2, 2])
        self.assertEqual(
            [s.cases.unit(name) for name in ("horizon.time", "cost.input", "time", "turn")],
            ["s", "per N2 or (N m)2", "s", "rad"],
        )
        with self.assertRaises(ValueError):
            s.cases["objective"][0] = 0
        self.assertEqual(s.best["objective"], s.cases["objective"].min())
        self.assertEqual(s.best["case"], s.record["best"]["case"])
        self.assertEqual(s.record["computed"], 4)

    def test_a_case_is_the_problem_with_its_values(self):
        alone = dmoc.optimize(dmoc.Problem(SWING).replaced({"horizon.time": 1.5}))
        case = self.sweep.result(0)
        np.testing.assert_array_equal(case.trajectory.values, alone.trajectory.values)
        self.assertEqual(list(self.sweep.results), [0, 1, 2, 3])
        # the map of a case is that of its values
        with case.map() as m:
            self.assertLess(np.abs(m.step(case.x[:-1], case.u) - case.x[1:]).max(), 1e-9)
        with self.assertRaises(dmoc.BadInput) as told:
            self.sweep.result(9)
        self.assertIn("case: found 9, expected one of 4", str(told.exception))
        with self.assertRaises(dmoc.BadInput) as told:
            self.sweep.result("nine")
        self.assertIn("case: found 'nine', expected one of 4", str(told.exception))
        with self.assertRaises(KeyError) as told:
            self.sweep.cases.unit("nine")
        self.assertIn("sweep.csv has no column nine: case, ", str(told.exception))

    def test_it_is_read_again_and_goes_on(self):
        with tempfile.TemporaryDirectory() as folder:
            first = dmoc.sweep(SWING, "horizon.time=1.5,2", out=folder)
            with self.assertRaises(dmoc.BadInput) as told:
                first.result(0)
            self.assertIn("keep=True", str(told.exception))
            again = dmoc.sweep(SWING, ["horizon.time=1.5,2,2.5"], out=folder)
            self.assertEqual((again.record["computed"], len(again)), (1, 3))
            read = dmoc.load(folder)
            self.assertIsInstance(read, dmoc.Sweep)
            np.testing.assert_array_equal(read.cases["objective"], again.cases["objective"])
            # a page that is older than the table is made anew
            os.utime(read.page, (1, 1))
            self.assertGreater(os.path.getmtime(dmoc.load(folder).page), 1)

    def test_one_that_solves_nothing_is_told_with_its_rows(self):
        with self.assertRaises(dmoc.NotSolved) as told:
            dmoc.sweep(SWING, {"horizon.time": [0.1]})
        left = told.exception.result
        self.assertEqual((left.solved, left.best, left.statuses), (0, None, ("infeasible",)))
        self.assertEqual(told.exception.words, "none of 1 case has a solution")

    def test_it_has_a_page(self):
        self.assertTrue(is_frame(self.sweep._repr_html_()))
        self.assertEqual(os.path.dirname(self.sweep.page), self.sweep.folder)

    @drawn
    def test_it_is_drawn(self):
        picture = dmoc.plot(self.sweep, x="horizon.time", y=["objective"])
        shown = picture._repr_mimebundle_()["image/svg+xml"]
        self.assertTrue(shown.startswith("<svg"), shown[:80])
        # text without a declared encoding, which readers of XML refuse; the file keeps its own
        self.assertNotIn("encoding=", shown[:200])
        with open(picture, encoding="utf-8") as file:
            self.assertTrue(file.read().endswith(shown))


class Tuning(unittest.TestCase):
    def test_numbers_are_found_and_their_tries_are_a_table(self):
        with tempfile.TemporaryDirectory() as folder:
            tuned = dmoc.tune(SOFT, out=os.path.join(folder, "tuned.yaml"))
            self.assertGreater(tuned.gain, 2 * tuned.gain_error)
            self.assertGreater(tuned.score, tuned.before)
            self.assertFalse(tuned.kept)
            self.assertEqual(
                list(tuned.values), ["feedback.Q.q", "feedback.Q.p", "feedback.R"]
            )
            # the score is that of the problem, and of the file
            for what in (tuned.problem, tuned.file):
                scored = dmoc.verify(dmoc.gains(dmoc.optimize(what)))
                score = scored.record["verify"]["criteria"]["score"]
                self.assertAlmostEqual(score, tuned.score, places=12)
            tries = tuned.tries
            self.assertEqual((tries["what"][0], tries["what"][-1]), ("file", "taken"))
            self.assertEqual(tries["try"][-1], 30)
            self.assertEqual(tries.row(-1)["feedback.R"], tuned.values["feedback.R"])
            with self.assertRaises(ValueError):
                tries["score"][0] = 1
            self.assertTrue(is_frame(tuned._repr_html_()))
            self.assertEqual(os.path.dirname(tuned.page), folder)
        self.assertEqual(SOFT.keys["feedback"]["R"], 100)

    def test_without_criteria_it_is_refused(self):
        with self.assertRaises(dmoc.BadInput) as told:
            dmoc.tune(SWING)
        self.assertIn("found no verify.criteria to tune by", str(told.exception))


class Files(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.result = dmoc.optimize(SWING)

    @drawn
    def test_pictures_are_files_that_a_notebook_shows(self):
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "p.png")
            picture = dmoc.plot(self.result, out=path, what="trajectory", only="pole")
            self.assertEqual(str(picture), path)
            self.assertTrue(picture._repr_mimebundle_()["image/png"].startswith("iVBORw0KGgo"))
        moving = dmoc.plot(self.result, what="moving", times=[0, 1])
        with open(moving, encoding="utf-8") as file:
            self.assertIn("</svg>", file.read())
        kept = moving.path
        del moving
        self.assertFalse(os.path.exists(kept))
        # a table of a result stands for its file
        portrait = dmoc.plot(
            self.result.trajectory, x="q.pole", y="v.pole", xrange=(None, 0.5), log=None
        )
        self.assertIn("<svg", portrait._repr_mimebundle_()["image/svg+xml"])

    @drawn
    def test_what_is_found_for_a_picture_is_its_record(self):
        base = dmoc.Problem(problem("rigid-body", "free.yaml"))
        steps = dmoc.sweep(base, {"simulate.step": [0.2, 0.1, 0.05]}, run=True, keep=True)
        orders = dmoc.plot(steps, what="order").record["orders"]
        self.assertAlmostEqual(orders[0]["order"], 2, delta=0.1)

    def test_conversions_are_read_by_others(self):
        arrays = np.load(dmoc.convert(self.result, "npz"))
        np.testing.assert_array_equal(arrays["trajectory"], self.result.trajectory.values)
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "m.mcap")
            with open(dmoc.convert(self.result, out=path), "rb") as file:
                self.assertEqual(file.read(5), b"\x89MCAP")
        with self.assertRaises(dmoc.BadInput) as told:
            dmoc.convert(self.result, "bag")
        self.assertIn("--to takes one of mcap, npz, mujoco, got 'bag'", str(told.exception))

    def test_several_stand_on_one_page(self):
        other = dmoc.optimize(dmoc.Problem(SWING, cost={"input": 2}))
        with tempfile.TemporaryDirectory() as folder:
            page = dmoc.report(self.result, other, out=os.path.join(folder, "both.html"))
            self.assertTrue(is_frame(page._repr_mimebundle_()["text/html"]))
        self.assertEqual(dmoc.report(self.result).path, self.result.page)

    def test_a_model_is_evaluated_as_arrays(self):
        found = dmoc.evaluate(SWING, [0.3, 0.4], [2, 5])
        self.assertEqual((found["M"].shape, found["p"].shape), ((2, 2), (2,)))
        np.testing.assert_allclose(found["M"] @ [2, 5], found["p"], atol=1e-12)
        self.assertEqual(found["names"], ["slider", "pole"])
        with self.assertRaises(ValueError):
            found["p"][0] = 0
        # the map's state of the same place has this momentum
        with dmoc.Map(SWING) as m:
            np.testing.assert_allclose(m.state([0.3, 0.4], [2, 5])[2:], found["p"], atol=1e-12)
        # a list has a number for each coordinate, as in files; a number alone is one for all
        np.testing.assert_array_equal(dmoc.evaluate(SWING, 0.3, 0)["M"], dmoc.evaluate(SWING, [0.3, 0.3], 0)["M"])
        for given, words in (
            ({"q": [0.1]}, "--q: found 1 number, expected 2"),
            ({"q": 0, "v": np.zeros(3)}, "--v: found 3 numbers, expected 2"),
            ({"q": 0, "a": (1,)}, "--a: found 1 number, expected 2"),
            ({"q": [[0.1], [0.2]]}, "q: found a list of lists"),
        ):
            with self.assertRaises(dmoc.BadInput) as told:
                dmoc.evaluate(SWING, **{"v": 0, **given})
            self.assertIn(words, str(told.exception))
        flange = dmoc.evaluate(ARM, np.zeros(6), output="flange")["output"]
        self.assertEqual(len(flange), 6)
        self.assertEqual(flange[0]["unit"], "m")

    def test_options_of_a_wrong_kind_are_refused(self):
        with self.assertRaises(dmoc.BadInput) as told:
            dmoc.sweep(SWING, {"horizon.time": {"free": [1, 2]}})
        self.assertIn("expected numbers or text", str(told.exception))

    def test_a_problem_is_no_result(self):
        for make in (dmoc.plot, dmoc.report, lambda what: dmoc.convert(what, "npz")):
            with self.assertRaises(dmoc.BadInput) as told:
                make(dmoc.Problem(SWING))
            self.assertIn("found a Problem, expected a result", str(told.exception))


main()
