#!/usr/bin/env python3
"""Pictures: what each kind draws, in numbers; what is refused; names that are text.

The program hands its facts to a script that keeps them, and the module draws them here: one process
for all pictures. A few go all the way.
"""
import csv
import io
import json
import math
import os
import re
import shutil
import subprocess
import sys
import tempfile
import unittest
import xml.etree.ElementTree as tree

from support import DEBIAN, PROGRAM, main, problem, skip

try:
    import matplotlib  # noqa: F401
except ImportError:
    if os.path.realpath(sys.executable) == os.path.realpath(DEBIAN) or not os.path.exists(DEBIAN):
        skip("all pictures (needs matplotlib)")
    os.execv(DEBIAN, [DEBIAN, *sys.argv])

import numpy as np  # noqa: E402
from dmoc.errors import BadInput  # noqa: E402
from dmoc.pictures.drawing import collect, draw  # noqa: E402
from dmoc.pictures.kinds import KINDS  # noqa: E402

FOLDER = tempfile.mkdtemp(prefix="dmoc-pictures-")
KEEP = "#!/bin/sh\ncat >facts.json\necho x\necho '{}' >&3\n"


def setUpModule():
    os.chdir(FOLDER)
    with open("keep", "w", encoding="utf-8") as file:
        file.write(KEEP)
    os.chmod("keep", 0o700)


def tearDownModule():
    os.chdir("/")
    shutil.rmtree(FOLDER)


def dmoc(words, status=0, **environment):
    """Run the program; return what it says, on stdout and on stderr."""
    words = words.split() if isinstance(words, str) else words
    done = subprocess.run(
        [PROGRAM, *words], capture_output=True, text=True, env={**os.environ, **environment}
    )
    assert done.returncode == status, (words, done.returncode, done.stdout + done.stderr)
    return done.stdout + done.stderr


MADE = {}


def make(name):
    """Return the folder of a worked problem by the name it has here, made where it is not there yet."""
    path, command = {
        "one": ("two-point/circle-xy-one", "simulate"),
        "two": ("two-point/circle-xy-two", "simulate"),
        "polar": ("two-point/circle-polar-one", "simulate"),
        "dsp": ("double-spherical-pendulum/dsp", "simulate"),
        "em": ("double-spherical-pendulum/energy-momentum", "simulate"),
        "cart": ("cart-pole/swing-up", "run"),
        "bar": ("cart-pole/under-bar", "optimize"),
        "eight": ("six-axis-arm/eight", "optimize"),
        "level": ("six-axis-arm/level", "optimize"),
        "throw": ("throw/throw", "optimize"),
        "walker": ("contact/walker", "simulate"),
        "push": ("contact/push", "optimize"),
        "double": ("free-motion/double-pendulum", "simulate"),
        "swing": ("periodic/swing", "optimize"),
        "second": ("two-link/swing-up", "optimize"),
        "descent": ("pendulum/swing-up", "descend"),
        "compared": ("pendulum/paper-001", "descend --compare --starts 2 --method lbfgs,newton"),
        "marionette": ("marionette/reference", "simulate"),
        "four": ("four-bar/turn", "optimize"),
        "flip": ("quadrotor/flip-3d", "optimize"),
    }[name]
    if name not in MADE:
        dmoc(f"{command} {problem(*path.split('/'))}.yaml -o {name} --quiet")
        MADE[name] = name
    return name


def adapt(path, name, *pairs):
    """Write a worked problem with other words as NAME.yaml; return that."""
    with open(problem(*path.split("/")) + ".yaml", encoding="utf-8") as file:
        text = file.read()
    for pattern, words in pairs:
        assert re.search(pattern, text, re.M), (path, pattern)
        text = re.sub(pattern, words, text, flags=re.M)
    with open(f"{name}.yaml", "w", encoding="utf-8") as file:
        file.write(text)
    return f"{name}.yaml"


def facts_of(words):
    """Return the facts of `dmoc plot WORDS`, and what it said."""
    words = words.split() if isinstance(words, str) else words
    said = dmoc(["plot", *words, "-o", "x.svg"], DMOC_PYTHON=os.path.join(FOLDER, "keep"))
    with open("facts.json", encoding="utf-8") as file:
        return json.load(file), said


def drawn(words):
    """Return the sheet of `dmoc plot WORDS`."""
    return collect(facts_of(words)[0])[0]


def moving(words):
    """Return the text of `dmoc plot WORDS --what moving`."""
    return collect(facts_of(f"{words} --what moving")[0])[1]


def svg_of(words):
    """Return the SVG of `dmoc plot WORDS`, which readers of XML take."""
    held = io.BytesIO()
    draw(facts_of(words)[0], held)
    tree.fromstring(held.getvalue())
    return held.getvalue().decode()


def table(path):
    """Return a table as arrays by their columns."""
    with open(path, encoding="utf-8") as file:
        rows = [row for row in csv.reader(file) if not row[0].startswith("#")]
    return {name: np.array([float(x) if x else math.nan for x in column])
            for name, *column in zip(*rows)}  # fmt: skip


def labels(sheet):
    """Return the labels of its panels."""
    return [panel.label for panel in sheet.panels]


def points(panel, i=0):
    """Return the points of a curve [n x 2]."""
    return np.stack(panel.drawn[i][:2], axis=1)


class Base(unittest.TestCase):
    def refuses(self, words, sentence):
        """The program, or the module, refuses these words with a sentence."""
        words = words.split() if isinstance(words, str) else words
        done = subprocess.run(
            [PROGRAM, "plot", *words, "-o", "none.svg"], capture_output=True, text=True,
            env={**os.environ, "DMOC_PYTHON": os.path.join(FOLDER, "keep")},
        )  # fmt: skip
        if done.returncode:
            self.assertEqual(done.returncode, 2)
            self.assertIn(sentence, done.stderr)
            self.assertFalse(os.path.exists("none.svg"))
            return
        os.unlink("none.svg")
        with open("facts.json", encoding="utf-8") as file, self.assertRaises(BadInput) as told:
            draw(json.load(file), io.BytesIO())
        self.assertIn(sentence, str(told.exception))

    def near(self, a, b, tolerance=1e-8):
        np.testing.assert_allclose(a, b, rtol=tolerance, atol=tolerance)


class Kinds(Base):
    """Each kind of the table draws what it says."""

    SHOWN = {
        "trajectory": "cart", "inputs": "cart", "outputs": "bar", "gains": "cart", "loop": "cart",
        "error": "error", "convergence": "cart", "descent": "descent", "compare": "compared", "energy": "dsp",
        "momenta": "second", "contacts": "walker", "monitors": "dsp", "robustness": "robust",
        "difference": "dsp em", "columns": "dsp", "phase": "one", "path": "eight", "frames": "four",
        "moving": "flip", "order": "study.csv",
    }  # fmt: skip
    WORDS = {"columns": "--y energy", "order": "--x h --y error"}

    def make_folders(self):
        for name in ("cart", "bar", "descent", "compared", "dsp", "em", "second", "walker", "one", "eight", "four", "flip"):
            make(name)
        spread = r"^verify:.*"
        # the cart-pole from one more start, and along two axes of errors
        for name, more in (
            ("error", "start: {q: 0.1}"),
            ("robust", "errors: {mass: 0.1}, sweep: {points: 3, samples: 4}, region: {directions: 4, halvings: 2, most: 4, rate: 0.9, "
             "confidence: 0.9, samples: 50}"),
        ):
            base = "verify: {samples: 4, seed: 1, spread: {q: 0.05, v: 0.1}, tolerance: 1, required: 0, "
            adapt("cart-pole/swing-up", name, (spread, base + more + "}"))
        shutil.copy(problem("cart-pole", "cart-pole.urdf"), ".")
        for name in ("error", "robust"):
            dmoc(f"run {name}.yaml -o {name} --quiet")
        with open("study.csv", "w", encoding="utf-8") as file:
            file.write("h,error,none\n0.4,0.16,1\n0.2,0.04,1\n0.1,0.01,1\n")

    def test_every_kind_is_drawn(self):
        self.make_folders()
        help_text = dmoc("plot --help")
        words = re.findall(r"^  ([a-z]+) +\S", help_text.split("WHAT is one of")[1], re.M)
        self.assertEqual(words, [*KINDS, "all"])
        self.assertEqual(set(KINDS), set(self.SHOWN))
        for kind, folders in self.SHOWN.items():
            with self.subTest(kind):
                svg = svg_of(f"{folders} --what {kind} {self.WORDS.get(kind, '')}")
                self.assertGreater(svg.count("<path"), 3)
                self.assertLess(len(svg), 150000)

    def test_the_same_folder_makes_the_same_bytes(self):
        make("cart")
        self.assertEqual(svg_of("cart --what trajectory"), svg_of("cart --what trajectory"))
        self.assertEqual(moving("cart"), moving("cart"))

    def test_a_picture_is_made_in_each_format(self):
        make("cart")
        facts, _ = facts_of("cart --what inputs")
        for suffix, first in (("svg", b"<?xml"), ("png", b"\x89PNG"), ("pdf", b"%PDF")):
            facts["request"]["suffix"] = suffix
            held = io.BytesIO()
            draw(facts, held)
            self.assertTrue(held.getvalue().startswith(first))

    def test_contacts_of_a_plan_are_those_of_its_schedule(self):
        impulse, friction = drawn(f"{make('push')} --what contacts").panels
        motion = table("push/trajectory.csv")["contact.face"]
        self.near(points(impulse)[:, 1], motion[motion > 0])
        self.assertGreater(len(points(friction, 1)), 3)

    def test_states_have_limits_and_the_plant(self):
        panel = drawn(f"{make('cart')} --what trajectory --only slider").panels[0]
        self.assertEqual((panel.label, panel.unit), ("position", "m"))
        self.assertEqual([value for value, _ in panel.flat], [-2, 2])
        self.near(points(panel)[:, 1], table("cart/trajectory.csv")["q.slider"])
        self.near(points(panel, 1)[:, 1], table("cart/plant.csv")["q.slider"])

    def test_velocities_are_those_of_steps_where_these_are_limited(self):
        panel = drawn(f"{make('cart')} --what trajectory --only slider").panels[1]
        q = table("cart/trajectory.csv")["q.slider"]
        self.near(points(panel)[:-1, 1], np.diff(q) / 0.02, 1e-6)
        self.assertTrue(panel.drawn[0][3]["steps"])

    def test_gains_are_named_or_told_by_their_norms(self):
        names = [name for name, _, _ in drawn(f"{make('cart')} --what gains").panels[0].legend]
        self.assertEqual(names, ["q.slider", "q.pole", "p.slider", "p.pole"])
        dmoc(f"gains {problem('six-axis-arm', 'reach.yaml')} -o arm --quiet")
        self.assertEqual(labels(drawn("arm --what gains")), ["norm of gains on q", "norm of gains on p"])

    def test_runs_are_about_the_plan_and_off_it(self):
        sheet = drawn(f"{make('cart')} --what loop --only pole")
        self.assertEqual(labels(sheet), ["closed loop, angle", "closed loop - plan"])
        self.assertIn("continuous plant", sheet.panels[0].across)
        off = points(sheet.panels[1])
        off = off[np.isfinite(off[:, 1])]
        self.assertLess(abs(off[:, 1]).max(), 0.1)

    def test_one_start_is_drawn_beside_plan_and_reference(self):
        self.make_folders()
        facts, _ = facts_of("error --what error --only pole")
        facts["exhibits"][0]["reference"] = {"pole": [0.0] * 101}
        sheet = collect(facts)[0]
        self.assertEqual(labels(sheet), ["norm of error in (q, p)", "pole"])
        names = [[name for name, _, _ in panel.legend] for panel in sheet.panels]
        self.assertEqual(names, [["open loop", "closed loop"], ["reference", "open loop", "closed loop", "plan"]])
        self.assertIn("continuous plant", sheet.panels[0].across)

    def test_many_coordinates_share_as_few_panels_as_have_colours(self):
        sheet = drawn(f"{make('marionette')} --what trajectory")
        self.assertEqual(labels(sheet).count("angle"), 3)
        sheet = drawn("marionette --what trajectory --only torso_tx,torso_rx")
        self.assertEqual(labels(sheet), ["position", "angle", "velocity", "angular velocity"])

    def test_a_flow_has_velocities_of_knots_and_no_energy(self):
        facts, _ = facts_of(f"{make('second')} --what trajectory")
        self.assertFalse(any(style["steps"] for panel in collect(facts)[0].panels
                             for _, _, _, style in panel.drawn if "steps" in style))  # fmt: skip
        facts["request"].update(what="energy", draw=["energy"])
        facts["exhibits"][0]["flow"] = True
        with self.assertRaises(BadInput):
            collect(facts)

    def test_columns_have_the_units_of_outputs(self):
        panel = drawn(f"{make('bar')} --y y.load.z").panels[0]
        self.assertEqual((panel.label, panel.unit), ("y.load.z", "m"))

    def test_an_optimized_motion_has_no_drift(self):
        self.assertEqual(labels(drawn(f"{make('cart')} --what energy")), ["energy"])
        sheet = drawn(f"{make('dsp')} --what energy")
        self.assertEqual(labels(sheet), ["energy", "total energy - its start"])
        self.assertEqual(sheet.panels[1].drawn[0][1][0], 0)

    def test_a_limit_over_a_span_is_drawn_there(self):
        shutil.copy(problem("cart-pole", "cart-pole.urdf"), ".")
        words = "via: [{from: 40 %, to: 60 %, v: {slider: [0.5, 3]}}, {from: 20 %, to: 40 %, u: {slider: [-4, 4]}}]"
        dmoc(f"optimize {adapt('cart-pole/under-bar', 'asked', ('^via:.*', words))} -o asked --quiet")
        panel = drawn("asked --what trajectory --only slider").panels[1]
        self.assertTrue(any(set(y) == {0.5} for _, y, _, style in panel.drawn if style.get("dash")))
        panel = drawn("asked --what inputs").panels[0]
        sides = [y for _, y, _, style in panel.drawn if style.get("dash")]
        self.assertEqual([set(y) for y in sides], [{-4.0}, {4.0}])
        sheet = drawn("asked --what outputs --only load")
        self.assertEqual([name for name, _, _ in sheet.panels[0].legend], ["load.x", "load.y", "load.z"])

    def test_the_path_that_is_followed_is_drawn(self):
        sheet = drawn(f"{make('eight')} --what path")
        self.assertEqual([name for name, _, _ in sheet.panels[0].legend], ["flange", "path"])
        way, path = points(sheet.panels[0]), points(sheet.panels[0], 1)
        apart = np.linalg.norm(way[:, None] - path[None], axis=2).min(axis=1)
        self.assertLess(apart.max(), 0.01)

    def test_directions_that_hold_to_the_end_do_not_end_there(self):
        self.make_folders()
        # of a folder whose digests are not known any more
        with open("robust/result.json", encoding="utf-8") as file:
            record = json.load(file)
        del record["files"]
        with open("robust/result.json", "w", encoding="utf-8") as file:
            json.dump(record, file)
        with open("robust/region.csv", "w", encoding="utf-8") as file:
            file.write("direction,held,failed\n0,4,4\n1,1,2\n2,4,4\n3,3,4\n")
        panel = drawn("robust --what robustness").panels[-1]
        self.assertEqual(points(panel).tolist(), [[0, 100], [1, 100], [1, 75], [3, 75], [3, 50], [4, 50]])

    def test_empty_columns_are_left_out(self):
        with open("gaps.csv", "w", encoding="utf-8") as file:
            file.write("h,none,some,word\n1,,2,a\n2,nan,,b\n3,,4,c\n")
        panel = drawn("gaps.csv --x h --y some").panels[0]
        self.assertEqual(np.isfinite(points(panel)[:, 1]).tolist(), [True, False, True])
        for column in ("none", "word"):
            self.assertEqual(drawn(f"gaps.csv --x h --y {column}").panels[0].drawn, [])
            svg_of(f"gaps.csv --x h --y {column}")


class Columns(Base):
    def test_velocities_over_positions(self):
        sheet = drawn(f"{make('one')} --what phase")
        motion = table("one/trajectory.csv")
        self.assertEqual(labels(sheet), ["rate of x", "rate of y"])
        self.near(points(sheet.panels[0]), np.stack([motion["q.x"], motion["v.x"]], axis=1))
        self.assertEqual(len(points(sheet.panels[0], 1)), 1)  # the dot at its start
        sheet = drawn(f"one {make('two')} --what phase --only y")
        self.assertEqual(labels(sheet), ["rate of y"])
        self.assertEqual(len(sheet.panels[0].drawn), 4)

    def test_each_unit_has_a_panel(self):
        sheet = drawn(f"{make('one')} --y q.x,q.y,energy,lambda")
        self.assertEqual(labels(sheet), ["position", "energy - its start", "lambda.circle"])
        self.assertLess(abs(points(sheet.panels[1])[:, 1]).max(), 1e-9)
        self.assertLess(sheet.panels[1].scale(), -9)  # in a power of ten

    def test_over_another_column_in_a_range(self):
        sheet = drawn(f"{make('one')} --what columns --x q.x --y q.y --xrange -1.5:1.5 --yrange :2")
        motion = table("one/trajectory.csv")
        self.near(points(sheet.panels[0]), np.stack([motion["q.x"], motion["q.y"]], axis=1))
        self.assertEqual(sheet.request.range[0].tolist(), [-1.5, 1.5])
        self.assertTrue(np.isnan(sheet.request.range[1][0]))

    def test_what_is_flat_beside_others_has_a_scale_of_its_own(self):
        sheet = drawn(f"{make('one')} {make('two')} --x k --y lambda.circle")
        self.assertEqual(labels(sheet), ["lambda.circle", "lambda.circle"])
        sheet = drawn(f"{make('em')} --y moment")
        self.assertEqual(labels(sheet), ["moment", "moment - its start"])

    def test_logarithms_are_of_what_is_above_zero(self):
        sheet = drawn(f"{make('dsp')} {make('em')} --y form.cloud --log y")
        for _, y, _, _ in sheet.panels[0].drawn:
            self.assertTrue(((y > 0) | np.isnan(y)).all())
        svg_of("dsp em --y form.cloud --log xy")

    def test_the_first_table_that_has_all_is_taken(self):
        self.assertEqual(labels(drawn(f"{make('dsp')} --y form")), ["form - its start"])
        self.assertEqual(labels(drawn("dsp --table monitors.csv --y energy.step")), ["energy.step"])
        self.refuses("dsp --y q.uper.tx", "dsp has no column 'q.uper.tx' beside the others in one table; "
                     "did you mean 'q.upper.tx'?")  # fmt: skip
        self.refuses("dsp --table monitors.csv --y enrgy", "dsp/monitors.csv has no column 'enrgy'; did you mean 'energy'?")
        self.refuses("dsp --table nothing.csv --y energy", "dsp has no table nothing.csv")
        self.refuses("dsp --what columns", "--what columns needs --y")

    def test_any_table(self):
        for name, text in (("study", "h,error,none\n0.4,0.16,1\n0.2,0.04,1\n0.1,0.01,1\n"),
                           ("torn", "a,b\n1,2\n1\n"), ("empty", "a,b\n")):  # fmt: skip
            with open(f"{name}.csv", "w", encoding="utf-8") as file:
                file.write(text)
        self.assertEqual(points(drawn("study.csv --x h --y error").panels[0]).tolist(),
                         [[0.4, 0.16], [0.2, 0.04], [0.1, 0.01]])  # fmt: skip
        self.refuses("study.csv --x h --y eror", "study.csv has no column 'eror'; did you mean 'error'?")
        self.refuses("torn.csv --y b", "torn.csv:3: found 1 cells, expected 2")
        self.refuses("empty.csv --y b", "empty.csv: no rows")
        self.refuses("study.csv", "--what all draws result folders, study.csv is a table")


class Space(Base):
    def test_paths_are_in_the_world_whatever_the_coordinates(self):
        sheet = drawn(f"{make('one')} {make('polar')} --what path")
        motion = table("polar/trajectory.csv")
        r, theta = motion["q.r"], motion["q.theta"]
        self.near(points(sheet.panels[0], 1), np.stack([r * np.cos(theta), r * np.sin(theta)], axis=1), 1e-6)
        for i in range(2):
            self.near(np.hypot(*points(sheet.panels[0], i).T), 1, 1e-6)
        self.assertTrue(sheet.panels[0].equal)
        self.assertEqual((sheet.panels[0].across, sheet.panels[0].label), ("x [m]", "y [m]"))

    def test_points_of_bodies(self):
        sheet = drawn(f"{make('dsp')} --what path --points upper,lower:0:0:0.5 --plane xz")
        motion = table("dsp/trajectory.csv")
        x = motion["q.upper.tx"] + motion["q.lower.tx"]
        z = 0.5 + motion["q.upper.tz"] + motion["q.lower.tz"]
        self.near(points(sheet.panels[0], 1), np.stack([x, z], axis=1), 1e-6)
        self.refuses("dsp --what path --points uper",
                     "--points takes bodies, or BODY:X:Y:Z, got 'uper', which dsp has not; did you mean 'upper'?")  # fmt: skip
        for word in ("upper:1:2", "upper:1:2:x"):
            self.refuses(f"dsp --what path --points {word}", "--points takes bodies")
        self.refuses("dsp --what path --plane xx", "--plane takes two of the world's axes, such as xz, found 'xx'")

    def test_folders_have_a_panel_each_or_names(self):
        sheet = drawn(f"{make('one')} {make('two')} --what path --each --xrange -1.4:1.4 --yrange -1.4:1.4")
        self.assertEqual(labels(sheet), ["y [m]", "y [m]"])
        sheet = drawn(f"{make('dsp')} {make('em')} --what path --plane xy")
        self.assertEqual(sheet.panels[0].legend[0][0], "dsp: upper")

    def test_frames_show_the_robot_at_chosen_times(self):
        sheet = drawn(f"{make('dsp')} --what frames --times 0,2.5,5")
        self.assertEqual([name for name, _, _ in sheet.panels[0].legend], ["0 s", "2.5 s", "5 s"])
        rods = [points(sheet.panels[0], i) for i, each in enumerate(sheet.panels[0].drawn) if len(each[0]) == 6]
        self.assertEqual(len(rods), 3)  # two of them each, and gaps behind
        self.assertTrue(all(np.isnan(rod[2::3]).all() for rod in rods))
        sheet = drawn(f"{make('double')} em --what frames --plane xz")
        self.assertEqual(len(sheet.panels), 2)
        self.assertTrue(labels(sheet)[1].endswith(", em"))
        self.refuses("dsp --what frames --times 0,7", "--times: dsp goes from 0 to 5 s, got 7")
        self.refuses("dsp --what frames --times 0,late", "--times takes times in s separated by commas, found 'late'")


class Folders(Base):
    def test_several_are_drawn_on_one_axis(self):
        facts, said = facts_of(f"{make('dsp')} {make('em')}")
        sheet = collect(facts)[0]
        for label in ("upper.tx", "rate of upper.tx", "kinetic energy", "moment - its start, vertical"):
            self.assertEqual(labels(sheet).count(label), 1, label)
        self.assertEqual(labels(sheet).count("total energy - its start"), 2)
        self.assertIn("they are drawn over the same time", said)
        sheet = drawn("dsp em --what energy --names midpoint,momentum-keeping")
        self.assertEqual([name for name, _, _ in sheet.panels[0].legend], ["midpoint", "momentum-keeping"])

    def test_names_and_numbers_of_folders(self):
        make("dsp"), make("em"), make("one"), make("polar")
        self.refuses("dsp em --names one", "--names has 1 names, expected one for each of 2 folders")
        self.refuses("one polar", "one has the coordinates x, y, polar has theta, r: path and columns draw them on one axis")
        self.refuses("dsp em --what gains", "--what gains draws one folder, got 2; several are drawn by trajectory, "
                     "inputs, outputs, compare, energy, monitors, difference")  # fmt: skip
        for name in ("a", "b"):
            shutil.copytree("dsp", f"{name}/run")
        sheet = drawn("a/run b/run --what energy")
        self.assertEqual([name for name, _, _ in sheet.panels[0].legend], ["a/run", "b/run"])

    def test_differences(self):
        sheet = drawn(f"{make('dsp')} {make('em')} --what difference --only upper.tx")
        self.assertEqual(labels(sheet), ["upper.tx - that of dsp"])
        a, b = table("em/trajectory.csv"), table("dsp/trajectory.csv")
        self.near(points(sheet.panels[0])[:, 1], a["q.upper.tx"] - b["q.upper.tx"])
        sheet = drawn("em --what difference --against dsp --log y")
        self.assertEqual((labels(sheet)[0], sheet.panels[0].unit, len(sheet.panels)), ("|q - q of dsp|", "m", 7))
        self.refuses("dsp --what difference", "--what difference needs two folders, or one and --against DIR")
        self.refuses("dsp --what difference --against nowhere", "nowhere")

    def test_knots_elsewhere_are_met_by_cubics(self):
        make("dsp")
        dmoc(f"simulate {adapt('double-spherical-pendulum/dsp', 'uneven', ('^  step:.*', '  step: 0.04'))} -o uneven --quiet")
        sheet = drawn("uneven --what difference --against dsp")
        self.assertIn("uneven has its knots at other times than dsp", sheet.notes[0])
        self.assertLess(abs(points(sheet.panels[0])[:, 1]).max(), 0.1)

    def test_phases_follow_one_another(self):
        sheet = drawn(make("throw"))
        self.assertEqual([panel.unit for panel in sheet.panels if panel.label == "shoulder"], ["rad", "N m"])
        first, second = (points(sheet.panels[0], i) for i in range(2))
        swing, flight = (table(f"throw/{phase}/trajectory.csv") for phase in ("swing", "flight"))
        self.assertEqual((len(first), len(second)), (len(swing["t"]), len(flight["t"])))
        self.near(first[-1], second[0], 1e-6)
        self.near(second[-1, 0], swing["t"][-1] + flight["t"][-1])
        self.assertTrue(sheet.phases)
        self.near(points(drawn("throw --y q.elbow").panels[0], 1)[0, 0], swing["t"][-1])
        self.refuses("throw --what gains", "throw has phases, and --what gains draws one motion: take the folder of "
                     "a phase, such as throw/swing")  # fmt: skip
        self.refuses("throw --what moving", "throw has phases, and --what moving draws one motion")

    def test_options_that_a_kind_does_not_take_are_refused(self):
        make("dsp")
        for words, sentence in (
            ("--what energy --x t", "--x is for --what columns, order, not for energy"),
            ("--what energy --each", "--each is for --what path, not for energy"),
            ("--y energy --log z", "--log takes one of x, y, xy, got 'z'"),
            ("--y energy --xrange 2:1", "--xrange takes LOW:HIGH, numbers of which the first is less, found '2:1'"),
            ("--y energy,", "--y takes words separated by commas, found an empty one"),
            ("--what pth", "did you mean 'path'?"),
            ("--what gains", "dsp has nothing to draw for --what gains; see dmoc plot --help"),
        ):
            self.refuses(f"dsp {words}", sentence)


class Orders(Base):
    @classmethod
    def setUpClass(cls):
        short = (r"^  time:.*", "  time: 1"), (r"^.*monitors.*\n", "")
        adapt("double-spherical-pendulum/dsp", "steps", *short)
        adapt("double-spherical-pendulum/dsp", "fourth", (r"^  time:.*", "  order: 4\n  time: 1"), short[1])
        adapt("double-spherical-pendulum/dsp", "exact", (r"^  time:.*", "  order: 4\n  time: 1"), short[1],
              (r"^  step:.*", "  step: 0.005"))  # fmt: skip
        vary = "--vary simulate.step=0.1,0.05,0.025"
        dmoc(f"sweep steps.yaml {vary},0.0125,0.00625 --run --keep -o steps --quiet")
        dmoc(f"sweep fourth.yaml {vary} --run --keep -o fourth --quiet")
        dmoc("simulate exact.yaml -o exact --quiet")

    def orders(self, words):
        return drawn(f"{words} --what order").found["orders"]

    def test_orders_of_motions(self):
        sheet = drawn("steps --what order")
        own = sheet.found["orders"][0]
        self.assertEqual((own["name"], len(own["steps"])), ("midpoint", 4))
        self.assertAlmostEqual(own["order"], 2, delta=0.1)
        self.assertGreater(own["errors"][0], 3 * own["errors"][1])
        self.assertEqual(sheet.panels[0].marks, own["steps"])
        self.assertIn("midpoint: order", sheet.panels[0].legend[0][0])
        both = drawn("steps fourth --what order --against exact --times 1")
        self.assertEqual([round(each["order"]) for each in both.found["orders"]], [2, 4])
        self.assertEqual(both.found["orders"][1]["name"], "midpoint, order 4")
        self.assertEqual((both.panels[0].label, both.panels[0].unit), ("|q - q of exact| at 1 s", "m"))

    def test_orders_of_numbers(self):
        self.assertAlmostEqual(self.orders("steps --y energy.drift")[0]["order"], 2, delta=0.1)
        sheet = drawn("steps --what order --y energy.drift --against finest")
        self.assertEqual(sheet.panels[0].label, "|energy.drift - that of step 0.00625|")
        self.refuses("steps --what order --y energy.drif", "has no number 'energy.drif'")

    def test_orders_of_columns(self):
        for name, text in (
            ("study", "h,error,none\n0.4,0.16,1\n0.2,0.04,1\n0.1,0.01,1\n"),
            ("values", "steps,value\n10,1.01\n20,1.0025\n40,1.000625\n"),
            ("rounding", "h,value\n4,1e-13\n2,3e-15\n1,2e-13\n"),
        ):
            with open(f"{name}.csv", "w", encoding="utf-8") as file:
                file.write(text)
        own = self.orders("study.csv --x h --y error,none")[0]
        self.assertAlmostEqual(own["order"], 2, delta=1e-9)
        self.assertAlmostEqual(own["constant"], 1, delta=1e-9)
        for against in ("1", "finest"):
            own = self.orders(f"values.csv --x steps --y value --against {against}")[0]
            self.assertAlmostEqual(own["order"], 2, delta=1e-5)
        # rounding has no order
        sheet = drawn("rounding.csv --what order --x h --y value")
        self.assertIsNone(sheet.found["orders"][0]["order"])
        self.assertEqual([name for name, _, _ in sheet.panels[0].legend], ["value"])
        self.refuses("study.csv --what order", "--what order of a table needs --x COLUMN")
        self.refuses("study.csv --what order --x h --y eror", "eror")

    def test_what_has_no_order_is_refused(self):
        self.refuses("exact --what order", "--what order needs two errors above 0 at steps of different length, got 0")
        self.refuses("steps --what order --times 9", "got 9")
        self.refuses("steps --what order --times 0,1", "takes one time, got 2")
        adapt("double-spherical-pendulum/dsp", "longer", (r"^.*monitors.*\n", ""))
        dmoc("sweep longer.yaml --vary simulate.time=1,1.5,2 --run --keep -o lengths --quiet")
        self.refuses("lengths --what order", "compares one motion at several steps")
        drawn("lengths steps --what order --times 1")

    def test_cases_have_names_and_sweeps_have_tables(self):
        sheet = drawn("steps fourth --what energy")
        names = [name for name, _, _ in sheet.panels[0].legend]
        self.assertIn("steps: step 0.1", names)
        self.assertIn("fourth: step 0.1", names)
        sheet = drawn("steps --x simulate.step --y steps")
        self.assertEqual(points(sheet.panels[0])[0].tolist(), [0.1, 10])
        dmoc("sweep fourth.yaml --vary simulate.step=0.1,0.05 --run -o none --quiet")
        self.refuses("none", "none keeps no result folder of its cases: dmoc sweep --keep makes them")


class Film:
    """A moving picture, read: what is where at which time."""

    def __init__(self, text):
        self.root = tree.fromstring(text)
        self.paths = [e for e in self.root.iter() if e.tag.endswith("}path")]
        self.animations = [a.attrib for a in self.root.iter() if a.tag.endswith("}animate")]
        self.time = float(self.animations[0]["dur"][:-1])

    @staticmethod
    def numbers(text):
        return [float(x) for x in re.findall(r"-?[0-9.]+", text)]

    def of(self, word):
        return [p for p in self.paths if p.get("class", "").split()[:1] == [word]]

    def at(self, word, t, which=0):
        """Return the numbers of a path of a class at a time of the picture."""
        path = self.of(word)[which]
        move = list(path)
        if not move:
            return self.numbers(path.get("d"))
        keys = self.numbers(move[0].get("keyTimes").replace(";", " "))
        values = [self.numbers(v) for v in move[0].get("values").split(";")]
        k = max(i for i in range(len(keys) - 1) if keys[i] <= t / self.time)
        share = (t / self.time - keys[k]) / max(keys[k + 1] - keys[k], 1e-12)
        return [a + share * (b - a) for a, b in zip(values[k], values[k + 1])]


class Moving(Base):
    def film(self, words):
        text = moving(words)
        film = Film(text)
        # whatever moves has a value for each time, of as many numbers, and times go from 0 to 1
        for a in film.animations:
            keys, values = film.numbers(a["keyTimes"].replace(";", " ")), a["values"].split(";")
            self.assertEqual(len(keys), len(values))
            self.assertTrue(keys[0] == 0 and keys == sorted(keys) and keys[-1] <= 1)
            self.assertEqual((float(a["dur"][:-1]), a["repeatCount"]), (film.time, "indefinite"))
            if a["attributeName"] != "visibility":
                self.assertEqual(len({len(film.numbers(v)) for v in values}), 1)
        self.assertIsNone(film.root.find(".//{*}script"))
        self.assertLess(len(text), 150000)
        return film

    def test_the_bob_is_where_the_motion_has_it(self):
        film = self.film(make("cart"))
        self.assertAlmostEqual(film.time, 3)
        self.assertEqual([len(film.of(word)) for word in ("link", "cart", "rail", "ghost")], [1, 1, 3, 1])
        # a pole of 0.5 m, its scale and its place from the first and the last knot
        origin, scale = film.at("link", 0)[:2], film.at("link", 2)[0] - film.at("link", 0)[0]
        rows = table("cart/trajectory.csv")
        for t, x, angle in zip(rows["t"], rows["q.slider"], rows["q.pole"]):
            bob = film.at("mass", t)
            at = origin[0] + scale * (x - 0.5 * math.sin(angle)), origin[1] + scale * 0.5 * math.cos(angle)
            self.assertLess(math.hypot(bob[0] - at[0], bob[1] - at[1]), 1)
        self.near(film.at("link", 2.9), film.at("link", 2), 0.01)
        self.assertEqual(film.at("way", 0)[2], 0)
        self.assertAlmostEqual(film.at("way", 2)[2], 1, delta=1e-3)
        self.assertIn("prefers-color-scheme:dark", moving("cart"))
        self.assertLess(len(moving("cart")), 20000)

    def test_times_are_chosen(self):
        film = self.film(f"{make('cart')} --times 0.5,1")
        self.assertAlmostEqual(film.time, 1.5)
        self.assertEqual(len(film.of("ghost")), 0)

    def test_what_stands_is_drawn(self):
        film = self.film(make("walker"))
        self.assertEqual(len(film.of("floor")), 1)
        self.assertLessEqual(max(film.at("link", 2)[1::2]), film.at("floor", 0)[1] + 1)
        film = self.film(make("level"))
        self.assertEqual([len(film.of(word)) for word in ("hull", "kept", "ground", "shadow")], [1, 1, 1, 1])
        film = self.film("level --plane xz --points flange")
        self.assertEqual([len(film.of(word)) for word in ("ground", "way")], [0, 1])

    def test_shapes_of_every_kind(self):
        shapes = (
            "{name: floor, type: half-space, point: [0, 0, -1], axis: [0, 0, 1]}",
            "{name: step, type: box, point: [2, 0, -0.9], size: [0.4, 1, 0.2]}",
            "{name: ball, type: sphere, point: [3, 0, 0], radius: 0.1}",
            "{name: rod, type: capsule, body: pole, points: [[0, 0, 0], [0, 0, -0.5]], radius: 0.05}",
            "{name: bar, type: capsule, points: [[4, -1, 0], [4, 1, 0]], radius: 0.05}",
            "{name: post, type: cylinder, point: [-2, 0, -0.5], axis: [0, 0, 1], radius: 0.1, length: 1}",
        )
        with open("yard.yaml", "w", encoding="utf-8") as file:
            file.write(
                "model: {bodies: [{name: cart, joints: [{name: x, type: tx}], mass: 1}, {name: pole, parent: cart, "
                "joints: [{name: p, type: ry}], mass: 1, centre: [0, 0, -0.5]}]}\n"
                f"keep_out: {{shapes: [{', '.join(shapes)}]}}\n"
                "simulate: {steps: 20, step: 0.02, start: {q: {p: 1}}}\n"
            )
        dmoc("simulate yard.yaml -o yard --quiet")
        film = self.film("yard --plane xz")
        self.assertEqual([len(film.of(word)) for word in ("floor", "hull")], [1, 2])
        strokes = sum(path.get("d").count("M") for path in film.of("kept"))
        self.assertEqual(strokes, 3)

    def test_an_arm_that_turns_about_z_is_seen_from_above(self):
        with open("scara.yaml", "w", encoding="utf-8") as file:
            file.write(
                """model:
  bodies:
    - {name: upper, joints: [{name: shoulder, type: rz, effort: 9}], mass: 3, centre: [0.2, 0, 0]}
    - {name: fore, parent: upper, offset: {xyz: [0.4, 0, 0]}, joints: [{name: elbow, type: rz, effort: 9}], mass: 1, centre: [0.3, 0, -0.3]}
    - {name: hand, parent: fore, offset: {xyz: [0.3, 0, -0.3]}, joints: [{name: wrist, type: rz, effort: 9}], mass: 1, centre: [0, 0, -0.1], inertia: [0.01, 0.01, 0.01]}
horizon: {steps: 20, time: 1}
start: {q: 0, v: 0}
goal: {q: {shoulder: -0.1, elbow: 0.15, wrist: 1}, v: 0}
cost: {input: 1}
"""
            )
        dmoc("optimize scara.yaml -o scara --quiet")
        film = self.film("scara")
        x, y = film.at("link", 1)[::2], film.at("link", 1)[1::2]
        self.assertEqual(len(film.of("ground")), 0)
        self.assertLess(max(y) - min(y), 0.2 * (max(x) - min(x)))
        self.assertEqual(labels(drawn("scara --what path")), ["y [m]"])

    def test_what_goes_on_has_no_rest_and_no_goal(self):
        film = self.film(make("swing"))
        self.assertAlmostEqual(film.time, 1.5)
        self.assertEqual(len(film.of("ghost")), 0)

    def test_folders_follow_one_another(self):
        film = self.film(f"{make('throw')}/swing throw/flight")
        self.assertAlmostEqual(film.time, 2.1)
        self.assertEqual(sum(a["attributeName"] == "visibility" for a in film.animations), 2)

    def test_many_strokes_over_a_long_time_stay_a_small_file(self):
        self.film(make("marionette"))

    def test_refusals(self):
        make("cart"), make("double")
        for words, sentence in (
            ("--times 1", "takes two times, from and to"),
            ("--times 1,1", "takes two times, from and to"),
            ("--times 2,3", "cart goes from 0 to 2 s, got 2"),
            ("--times 0,100", "a moving picture shows 60 s at most, got 100 s"),
        ):
            self.refuses(f"cart --what moving {words}", sentence)
        self.refuses("double --what moving", "double keeps a knot every 5 s alone")
        self.assertIn("what moving is drawn as SVG: -o FILE.svg, got 'x.png'",
                      dmoc("plot cart --what moving -o x.png", 2))  # fmt: skip


class Names(Base):
    """Names are text and nothing else."""

    HOSTILE = ("'; `x` @x ${y} \"{/Bold b}_", "$\\frac{1}{2}$ %s", "</text><script>a</script>", "a&b;]]>", "é漢字\u202e\x1b[31m")

    def bones(self, text):
        """Return the elements of a picture without their text and numbers."""
        root = tree.fromstring(text)
        return [(e.tag, sorted(k for k in e.attrib)) for e in root.iter()]

    def renamed(self, facts, name):
        """Return facts with a name of each kind replaced."""
        text = json.dumps(facts)
        facts = json.loads(text)
        for each in facts["exhibits"]:
            each["name"] = name + each["name"]
            for body in each.get("scene", {}).get("bodies", ()):
                body["name"] = name + body["name"]
        return facts

    def test_names_change_nothing_but_text(self):
        make("dsp"), make("em")
        for words in ("dsp em --what energy", "dsp em --what path --plane xy", "dsp em --what moving"):
            facts, _ = facts_of(words)
            for name in self.HOSTILE:
                held = []
                for each in (facts, self.renamed(facts, name)):
                    file = io.BytesIO()
                    draw(each, file)
                    held.append(file.getvalue())
                plain, wild = map(self.bones, held)
                self.assertEqual(plain, wild, (words, name))
                self.assertNotIn(b"<script", held[1])

    def test_long_names_are_shortened_and_stand_within_the_picture(self):
        long = "a_name_that_goes_on_and_on_for_longer_than_any_panel_of_a_picture_could_ever_be_wide" * 2
        bodies = "".join(
            f"    - {{name: body{i}, joints: [{{name: {long[: i * 20]}{i}, type: tx}}], mass: 1}}\n" for i in range(1, 9)
        )
        with open("long.yaml", "w", encoding="utf-8") as file:
            file.write(f"model:\n  gravity: [0, 0, 0]\n  bodies:\n{bodies}simulate: {{steps: 20, step: 0.1, start: {{v: 1}}}}\n")
        dmoc("simulate long.yaml -o long --quiet")
        for words in ("long --what trajectory", "long --what phase", f"{make('dsp')} {make('em')} --what energy"):
            root = tree.fromstring(svg_of(words))
            width, height = (float(x) for x in root.get("viewBox").split()[2:])
            texts = [e for e in root.iter() if e.tag.endswith("}text")]
            self.assertGreater(len(texts), 10)
            for each in texts:
                x, y = (float(each.get(axis)) for axis in "xy")
                turned = "rotate(-90" in each.get("transform")
                self.assertTrue(0 <= x <= width and 0 <= y <= height, each.text)
                if not turned and "text-anchor: middle" not in (each.get("style") or ""):
                    self.assertLess(x + 0.5 * 8 * len(each.text), width + 4, each.text)
        svg = svg_of("long --what trajectory")
        self.assertRegex(svg, "a_name_that.*…")
        self.assertIn("a_name_that_goes_on_and_on_for_longer_than_a2"[:20], svg)


class Program(Base):
    """All the way: the program, Python, the file."""

    def test_a_picture_is_written_and_told(self):
        make("cart")
        said = dmoc("plot cart --what inputs -o deep/all.svg --json")
        self.assertTrue(said.startswith("{") and json.loads(said)["picture"] == "deep/all.svg")
        with open("deep/all.svg", encoding="utf-8") as file:
            self.assertIn("</svg>", file.read())
        self.assertEqual(os.listdir("deep"), ["all.svg"])

    def test_what_is_missing_is_said(self):
        make("cart")
        advice = "apt-get install python3-matplotlib"
        self.assertIn(advice, dmoc("plot cart -o no.svg", 2, DMOC_PYTHON="/nowhere/python3"))
        self.assertIn(advice, dmoc("plot cart -o no.svg", 2, PATH=FOLDER))
        with open("bare", "w", encoding="utf-8") as file:  # a Python without matplotlib
            file.write("#!/bin/sh\ncat >/dev/null\necho '{\"error\": \"has no matplotlib\"}' >&3\n")
        os.chmod("bare", 0o700)
        self.assertIn("has no matplotlib", dmoc("plot cart -o no.svg", 2, DMOC_PYTHON=os.path.join(FOLDER, "bare")))
        with open("fails", "w", encoding="utf-8") as file:
            file.write("#!/bin/sh\nexit 1\n")
        os.chmod("fails", 0o700)
        self.assertIn("Python failed", dmoc("plot cart -o no.svg", 3, DMOC_PYTHON=os.path.join(FOLDER, "fails")))
        self.assertFalse(os.path.exists("no.svg"))

    def test_nothing_of_where_it_runs_is_taken_for_a_module_or_a_setting(self):
        make("cart")
        with tempfile.TemporaryDirectory() as folder:
            for name in ("numpy.py", "matplotlib.py", "json.py", "matplotlibrc"):
                with open(os.path.join(folder, name), "w", encoding="utf-8") as file:
                    file.write("raise SystemExit('taken')\n")
            done = subprocess.run(
                [PROGRAM, "plot", os.path.join(FOLDER, "cart"), "--what", "inputs", "-o", "x.svg"],
                cwd=folder, capture_output=True, text=True,
            )  # fmt: skip
            self.assertEqual(done.returncode, 0, done.stderr)
            self.assertEqual(done.stderr, "")

    def test_a_full_disk_is_said(self):
        make("cart")
        facts, _ = facts_of("cart --what inputs")

        class Full(io.RawIOBase):
            def write(self, data):
                raise OSError(28, "No space left on device")

        with self.assertRaises(OSError):
            draw(facts, Full())
        if os.path.exists("/dev/full"):
            script = os.path.join(os.path.dirname(sys.modules["dmoc"].__file__), "pictures", "__main__.py")
            with open("/dev/full", "wb") as full, open("facts.json", "rb") as stdin:
                words = 'exec "$0" -B "$1" 3>reply.json'
                subprocess.run(["/bin/sh", "-c", words, sys.executable, script], stdin=stdin, stdout=full, check=True)
            with open("reply.json", encoding="utf-8") as file:
                self.assertIn("cannot be written: No space left", json.load(file)["error"])


main()
