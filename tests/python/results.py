#!/usr/bin/env python3
"""Problems and results in Python: what the program prints and writes is what Python has, and how
it fails."""
import math
import os
import shutil
import signal
import subprocess
import sys
import tempfile
import threading
import time
import unittest

from support import PROGRAM, main, problem

import numpy as np

import dmoc

SWING = problem("cart-pole", "swing-up.yaml")
# keyword arguments that are that file
KEYS = dict(
    model={"urdf": "cart-pole.urdf", "gravity": [0, 0, -9.81]},
    inputs=[{"joint": "slider", "effort": 20}],
    horizon={"steps": 100, "time": 2},
    rule={"lagrangian": "midpoint", "force": "midpoint"},
    start={"q": {"slider": 0, "pole": 0}, "v": 0},
    goal={"q": {"slider": 1, "pole": -math.pi}, "v": 0},
    bounds={"q": {"slider": np.array([-2, 2])}},
    cost={"input": np.float64(1)},
    feedback={"Q": {"q": 100, "p": 1}, "R": 1, "Qf": "riccati"},
    verify={"samples": 20, "seed": 1, "spread": {"q": 0.05, "v": 0.1}, "tolerance": 0.05},
)


def words_of(*arguments):
    """Return the exit status of the program itself, and its sentence."""
    done = subprocess.run([PROGRAM, *arguments, "--quiet"], capture_output=True, text=True)
    return done.returncode, done.stderr.strip().splitlines()[-1].removeprefix("dmoc: ")


class Problems(unittest.TestCase):
    def test_keyword_arguments_are_the_file(self):
        by_file = dmoc.optimize(SWING)
        by_keys = dmoc.optimize(dmoc.Problem(folder=problem("cart-pole"), **KEYS))
        np.testing.assert_allclose(by_keys.trajectory.values, by_file.trajectory.values, atol=1e-9)

    def test_a_dict_is_a_problem_and_files_are_beside_the_working_folder(self):
        before = os.getcwd()
        os.chdir(problem("cart-pole"))
        try:
            result = dmoc.optimize(KEYS)
        finally:
            os.chdir(before)
        self.assertEqual(result.status, "solved")

    def test_keys_of_a_file_are_replaced_entry_by_entry(self):
        changed = dmoc.Problem(SWING, horizon={"steps": 40}, verify=None, bounds={"u": [-15, 15]})
        self.assertEqual(changed.keys["horizon"], {"steps": 40, "time": 2})
        self.assertEqual(changed.keys["bounds"], {"q": {"slider": [-2, 2]}, "u": [-15, 15]})
        self.assertNotIn("verify", changed.keys)
        result = dmoc.optimize(changed)
        self.assertEqual(len(result.trajectory), 41)
        self.assertLessEqual(np.abs(result.u).max(), 15 + 1e-6)

    def test_paths_are_replaced_one_by_one(self):
        base = dmoc.Problem(SWING)
        other = base.replaced({"inputs.0.effort": 30, "horizon.time": 2.5}, cost={"input": 2})
        self.assertEqual(other.keys["inputs"], [{"joint": "slider", "effort": 30}])
        self.assertEqual(other.keys["horizon"], {"steps": 100, "time": 2.5})
        self.assertEqual(base.keys["horizon"], {"steps": 100, "time": 2})
        for path, words in (
            ("inputs.1.effort", "expected a place in a list of 1"),
            ("name.x", "expected a mapping"),
        ):
            with self.assertRaises(dmoc.BadInput) as told:
                base.replaced({"name": "n"}).replaced({path: 1})
            self.assertIn(words, str(told.exception))

    def test_a_file_is_written_for_any_place(self):
        with tempfile.TemporaryDirectory() as folder:
            path = dmoc.Problem(SWING).write(os.path.join(folder, "p.yaml"))
            self.assertEqual(dmoc.check(path)["sizes"], dmoc.check(SWING)["sizes"])

    def test_text_survives_the_way_to_yaml_and_back(self):
        keys = {
            "name": "a: b # c",
            "list": ["x y", "- z", "-pi", "{", "", "ü", 'say "yes"', "back\\slash", "a,b"],
            "numbers": [1, -2.5e-7, True, math.inf, dmoc.free, 1e300],
            "deep": {"with space": {"k": None or 3}},
        }
        with tempfile.TemporaryDirectory() as folder:
            path = dmoc.Problem(**keys).write(os.path.join(folder, "p.yaml"))
            back = dmoc.Problem(path).keys
        self.assertEqual(back["name"], keys["name"])
        self.assertEqual(back["list"], keys["list"])
        self.assertEqual(back["numbers"], [1, -2.5e-7, "true", "none", "free", 1e300])
        self.assertEqual(back["deep"], keys["deep"])
        with self.assertRaises(dmoc.BadInput) as told:
            dmoc.Problem(cost={"input": {1, 2}}).text
        self.assertIn("cost.input: found set", str(told.exception))

    def test_what_is_no_value_is_refused_with_its_key(self):
        ring, chain = {"at": {}}, {}
        ring["at"]["back"] = ring
        for _ in range(2000):
            chain = {"in": chain}
        twice = {"input": 1}
        masked = np.ma.array([1.0, 2.0], mask=[False, True])
        for keys, words in (
            ({"start": {"q": {"pole": math.nan}}}, "start.q.pole: found nan, expected a number; dmoc.free"),
            ({"goal": {"q": np.array([0, np.nan])}}, "goal.q.1: found nan"),
            ({"bounds": {"u": masked}}, "bounds.u: found 1 masked entries of 2"),
            ({"bounds": {"u": masked[1]}}, "bounds.u: found 1 masked entries of 1"),
            ({"cost": ring}, "cost.at.back: found a dict that contains itself"),
            ({"inputs": [ring]}, "inputs.0.at.back: found a dict that contains itself"),
            ({"cost": chain}, "in: found more than 30 levels"),
        ):
            with self.assertRaises(dmoc.BadInput) as told:
                dmoc.Problem(**keys).text
            self.assertIn(words, str(told.exception))
        # a mask that hides nothing, and one dict in two places
        self.assertIn("[1, 2]", dmoc.Problem(bounds={"u": np.ma.array([1, 2])}).text)
        self.assertEqual(dmoc.Problem(a=twice, b=[twice, twice]).text.count("input"), 3)
        with self.assertRaises(dmoc.BadInput) as told:
            dmoc.plot(SWING, times=masked)
        self.assertIn("masked", str(told.exception))

    def test_what_is_free_is_left_open(self):
        found = dmoc.optimize(dmoc.Problem(SWING, goal={"q": {"slider": dmoc.free}}))
        self.assertLess(found.objective, 29.49)

    def test_messages_name_the_problem_and_the_line(self):
        with self.assertRaises(dmoc.BadInput) as told:
            dmoc.optimize(dmoc.Problem(SWING, horizn={}))
        self.assertTrue(
            str(told.exception).startswith(
                f"<{SWING}, changed>:11:1: the file: found the unknown key 'horizn'"
            )
        )
        for path in ("/nowhere.yaml", problem("cart-pole", "cart-pole.urdf")):
            with self.assertRaises(dmoc.BadInput) as told:
                dmoc.check(path)
            self.assertEqual(str(told.exception), words_of("check", path)[1])
        with self.assertRaises(dmoc.BadInput) as told:
            dmoc.Problem("/nowhere.yaml", verify=None)
        self.assertEqual(str(told.exception), words_of("check", "/nowhere.yaml")[1])

    def test_a_key_among_the_options_is_told_its_place(self):
        for call in (dmoc.optimize, dmoc.check):
            with self.assertRaises(dmoc.BadInput) as told:
                call(SWING, horizon={"steps": 50})
            self.assertIn("dmoc.Problem(problem, horizon=...)", str(told.exception))


class Figures(unittest.TestCase):
    def test_each_value_of_a_result_has_a_meaning(self):
        result = dmoc.run(SWING)

        def visit(value, path):
            if path:
                figure = result.figure(path)
                self.assertEqual(figure.value, value)
                self.assertTrue(figure.meaning and figure.label)
            pairs = value.items() if isinstance(value, dict) else ()
            if isinstance(value, list) and value and isinstance(value[0], dict):
                pairs = enumerate(value)
            for name, each in pairs:
                visit(each, f"{path}.{name}" if path else str(name))

        visit({name: each for name, each in result.record.items() if name != "files"}, "")

    def test_units_are_of_the_value(self):
        result = dmoc.run(SWING)
        self.assertEqual(result.figure("time.total_s").unit, "s")
        self.assertEqual(result.figure("worst.value").unit, result.record["worst"]["unit"])
        self.assertEqual(result.figure("gains.largest").label, "largest gain")
        self.assertEqual(result.figure("plant.step_gap.v.t").unit, "s")
        for path in ("nonsense", "gains.nonsense", "status.more", "", "plant.step_gap.q.t.0"):
            with self.assertRaises(dmoc.BadInput):
                result.figure(path)


class Results(unittest.TestCase):
    def test_rows_of_an_output_have_its_unit(self):
        outputs = dmoc.optimize(problem("cart-pole", "under-bar.yaml")).outputs
        self.assertEqual([outputs.unit(f"y.load.{axis}") for axis in "xyz"], ["m"] * 3)

    @classmethod
    def setUpClass(cls):
        cls.result = dmoc.run(dmoc.Problem(SWING, verify={"samples": 20}))

    def test_tables_are_what_is_written(self):
        r = self.result
        with open(os.path.join(r.folder, "trajectory.csv"), encoding="utf-8") as file:
            self.assertEqual(",".join(r.trajectory.names), file.readline().strip())
        plain = np.genfromtxt(os.path.join(r.folder, "trajectory.csv"), names=True, delimiter=",")
        np.testing.assert_array_equal(r.trajectory["q.pole"], plain["qpole"])
        self.assertEqual(r.trajectory.q.shape, (101, 2))
        self.assertEqual(r.x.shape, (101, 4))
        self.assertEqual(r.u.shape, (100, 1))
        self.assertTrue(np.isnan(r.trajectory.u[-1]).all())
        self.assertEqual(r.trajectory.unit("p.pole"), "N m s")
        self.assertEqual(r.gains.unit("K.slider.p.slider"), "N/(N s)")
        self.assertLessEqual({"discrete", "continuous"}, set(r.verify["plant"]))
        self.assertEqual(
            sorted(r.files.values()), sorted(f for f in os.listdir(r.folder) if f.endswith(".csv"))
        )
        self.assertEqual(r.objective, r.record["objective"])

    def test_contacts_of_a_plan_have_forces_at_knots(self):
        plan = dmoc.optimize(problem("contact", "soft-jump.yaml"))
        floor = plan.contact_forces["floor"]
        self.assertEqual(list(plan.contact_forces), ["floor"])
        self.assertEqual(floor.normal.shape, plan.trajectory.t.shape)
        np.testing.assert_allclose(floor.normal, plan.outputs["y.push"], rtol=1e-12, atol=1e-9)
        self.assertAlmostEqual(floor.normal.max(), 140, 6)
        np.testing.assert_allclose(floor.gap, plan.trajectory.q.sum(axis=1), atol=1e-12)
        self.assertEqual(set(floor.state), {"open", "sticks"})
        self.assertTrue((floor.normal[floor.state == "open"] == 0).all())
        self.assertTrue((floor.friction == 0).all())
        with self.assertRaisesRegex(dmoc.BadInput, "found no schedule.csv"):
            self.result.contact_forces

    def test_a_table_is_its_numbers(self):
        table, verify = self.result.trajectory, self.result.verify
        np.testing.assert_array_equal(np.asarray(table), table.values)
        np.testing.assert_array_equal(np.asarray(verify), verify.values)
        self.assertEqual(np.asarray(table, np.float32).dtype, np.float32)
        np.testing.assert_allclose(np.abs(np.asarray(table)[:-1]).max(), np.abs(table.values[:-1]).max())

    def test_a_table_is_a_data_frame(self):
        table, verify = self.result.trajectory, self.result.verify
        try:
            import pandas
        except ImportError:
            with self.assertRaisesRegex(ImportError, "to_pandas needs pandas"):
                table.to_pandas()
            print("skipped: tables as data frames (needs pandas)")
            self.skipTest("needs pandas")
        frame = table.to_pandas()
        self.assertIsInstance(frame, pandas.DataFrame)
        self.assertEqual(tuple(frame.columns), table.names)
        np.testing.assert_array_equal(frame.to_numpy(), table.values)
        self.assertEqual(list(verify.to_pandas()["plant"]), list(verify["plant"]))
        frame.loc[0, "q.pole"] = 7  # its own numbers, not the table's
        self.assertNotEqual(table["q.pole"][0], 7)

    def test_warnings_are_a_list_of_texts(self):
        picture = dmoc.convert(self.result, "npz")
        with self.result.map() as m:
            for warnings in (self.result.warnings, picture.warnings, m.warnings):
                self.assertIsInstance(warnings, list)

        # friction that a robot file has and nobody models
        with open(problem("cart-pole", "cart-pole.urdf"), encoding="utf-8") as file:
            robot = file.read()
        with tempfile.TemporaryDirectory() as folder:
            with open(os.path.join(folder, "robot.urdf"), "w", encoding="utf-8") as file:
                file.write(robot.replace("</joint>", '<dynamics friction="2"/></joint>', 1))
            keys = {"model": {"urdf": "robot.urdf"}, "simulate": {"steps": 10, "step": 0.01}}
            told = dmoc.simulate(dmoc.Problem(folder=folder, **keys)).warnings
        self.assertTrue(told and all(isinstance(text, str) for text in told), told)

    def test_nothing_can_be_written_to(self):
        r = self.result
        for array in (
            r.trajectory.values,
            r.trajectory.q,
            r.trajectory["q.pole"],
            r.verify["plant"],
            r.K,
            r.x,
        ):
            with self.assertRaises(ValueError):
                array[0] = array[1]

    def test_gains_are_an_array_in_the_order_of_the_state(self):
        r = self.result
        self.assertEqual(r.K.shape, (100, 1, 4))
        np.testing.assert_array_equal(r.K[:, 0, 3], r.gains["K.slider.p.pole"])

    def test_what_is_not_there_is_named(self):
        with self.assertRaises(AttributeError) as told:
            self.result.outputs
        self.assertIn(
            "this result has no outputs: there are controller_trace, convergence",
            str(told.exception),
        )
        with self.assertRaises(KeyError):
            self.result.trajectory["w"]
        with self.assertRaises(dmoc.BadInput):
            dmoc.load("/nowhere")

    def test_stages_go_on_from_a_result(self):
        with tempfile.TemporaryDirectory() as folder:
            plan = dmoc.optimize(SWING, out=os.path.join(folder, "plan"))
            self.assertEqual(plan.folder, os.path.join(folder, "plan"))
            self.assertNotIn("gains", plan.files)
            law = dmoc.gains(plan)
            self.assertIn("gains", law.files)
            with self.assertRaises(dmoc.NotSolved):
                dmoc.export(law)
            checked = dmoc.export(dmoc.verify(law, threads=2), single=True)
            self.assertTrue(os.path.exists(os.path.join(checked.folder, "controller.c")))
            warm = dmoc.optimize(SWING, from_=plan)
            self.assertEqual(warm.record["iterations"], 0)
        self.assertFalse(os.path.exists(plan.folder))

    def test_a_temporary_folder_goes_with_its_result(self):
        result = dmoc.optimize(SWING)
        folder = result.folder
        law = dmoc.gains(result)
        del result
        self.assertTrue(os.path.exists(folder))
        del law
        self.assertFalse(os.path.exists(folder))

    def test_phases_are_results_by_name(self):
        result = dmoc.optimize(problem("throw", "throw.yaml"))
        self.assertEqual(list(result.phases), [phase["name"] for phase in result.record["phases"]])
        for name, phase in result.phases.items():
            self.assertEqual(phase.record["problem"], result.record["problem"])
            with phase.map() as m:
                x, u = phase.x, phase.u
                self.assertLess(np.abs(m.step(x[:-1], u) - x[1:]).max(), 1e-8, name)

    def test_pages_are_shown(self):
        page = dmoc.optimize(SWING)
        html = page._repr_html_()
        self.assertTrue(html.lower().startswith('<iframe srcdoc="&lt;!doctype html'))
        self.assertTrue(os.path.exists(page.page))
        # a browser that writes down what it is asked for
        with tempfile.TemporaryDirectory() as folder:
            told = os.path.join(folder, "told")
            browser = os.path.join(folder, "browser")
            with open(browser, "w", encoding="utf-8") as file:
                file.write(f'#!/bin/sh\nprintf %s "$1" >{told}\n')
            os.chmod(browser, 0o755)
            subprocess.run(
                [sys.executable, "-c", f"import dmoc; dmoc.show({page.folder!r})"],
                check=True,
                env={**os.environ, "BROWSER": browser},
            )
            for _ in range(100):
                if os.path.exists(told) and os.path.getsize(told):
                    break
                time.sleep(0.05)
            with open(told, encoding="utf-8") as file:
                self.assertEqual(file.read(), "file://" + page.page)

    def test_checks_and_models_are_dicts(self):
        self.assertEqual(dmoc.info(problem("cart-pole", "cart-pole.urdf"))["coordinates"], 2)
        self.assertEqual(
            dmoc.info(dmoc.Problem(SWING, model={"damping": {"pole": 3}}))["coordinate"][1][
                "damping"
            ],
            3,
        )
        found = dmoc.check(SWING)
        self.assertTrue(all(block["holds"] for block in found["blocks"]))
        self.assertEqual(found["sizes"]["variables"], 306)


class Failures(unittest.TestCase):
    def test_a_folder_that_is_gone_is_told(self):
        result = dmoc.optimize(SWING)
        shutil.rmtree(result.folder)
        for read in (lambda: result.x, lambda: result.trajectory, lambda: result.files, result.map):
            with self.assertRaises(dmoc.BadInput) as told:
                read()
            self.assertIn("cannot be read any more: No such file", str(told.exception))

    def test_words_and_statuses_are_the_program_s(self):
        impossible = {"horizon.time": 0.2}
        with tempfile.TemporaryDirectory() as folder:
            shutil.copy(problem("cart-pole", "cart-pole.urdf"), folder)
            path = dmoc.Problem(SWING).replaced(impossible).write(os.path.join(folder, "p.yaml"))
            status, words = words_of("optimize", path, "-o", os.path.join(folder, "r"))
            with self.assertRaises(dmoc.NotSolved) as told:
                dmoc.optimize(path)
        self.assertEqual((told.exception.status, status), (1, 1))
        self.assertEqual(told.exception.words, words)
        self.assertEqual(told.exception.result.status, "infeasible")
        self.assertGreater(len(told.exception.result.trajectory), 1)

    def test_bad_input_is_a_value_error(self):
        with self.assertRaises(ValueError) as told:
            dmoc.optimize(SWING, solver="magic")
        self.assertEqual(told.exception.status, 2)
        self.assertEqual(told.exception.words, words_of("optimize", SWING, "--solver", "magic")[1])
        with self.assertRaises(dmoc.BadInput) as told:
            dmoc.optimize(SWING, sollver="ipopt")
        self.assertIn("--sollver", str(told.exception))

    def test_a_program_that_is_not_there_is_a_fault(self):
        code = "import dmoc\ntry: dmoc.optimize({!r})\nexcept dmoc.Fault as why: print(why)"
        done = subprocess.run(
            [sys.executable, "-c", code.format(SWING)],
            capture_output=True,
            text=True,
            env={**os.environ, "DMOC": "/nowhere/dmoc"},
        )
        self.assertEqual(
            done.stdout.strip(), "$DMOC is /nowhere/dmoc, which is no program that can be run"
        )

    def test_progress_comes_line_by_line_and_silence_is_silent(self):
        lines = []
        result = dmoc.simulate(problem("two-point", "circle-polar-two.yaml"), progress=lines.append)
        self.assertTrue(
            any(
                line.startswith("warning: ") and "are a study, not for use" in line
                for line in lines
            ),
            lines,
        )
        self.assertTrue(any("are a study, not for use" in line for line in result.warnings))
        code = f"import dmoc; dmoc.optimize({SWING!r})"
        done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
        self.assertEqual((done.stdout, done.stderr), ("", ""))

    def test_an_interrupt_keeps_the_best_so_far(self):
        with tempfile.TemporaryDirectory() as folder:
            out = os.path.join(folder, "r")
            # a simulation of minutes
            long = dmoc.Problem(
                problem("free-motion", "double-pendulum.yaml"),
                simulate={"steps": 20000000, "every": 100000, "time": 100000, "step": None},
            )
            timer = threading.Timer(1.0, os.kill, (os.getpid(), signal.SIGINT))
            timer.start()
            began = time.monotonic()
            with self.assertRaises(KeyboardInterrupt):
                dmoc.simulate(long, out=out)
            self.assertLess(time.monotonic() - began, 60)
            self.assertEqual(dmoc.load(out).status, "interrupted")


main()
