#!/usr/bin/env python3
"""Exams: published problems with published numbers, each solved by DMOC and compared with them.

  exams.py [--urdf FOLDER] [--instances K] DMOC [NAME...]

By default all exams of docs/exams.md, which describes them. FOLDER has the published robot files
(else the variable DMOC_URDF, else data next to the sources); exams with missing files are skipped.
K is the number of instances of a random exam, by default its own. Exit status 1: a number was not
reproduced.
"""
import argparse
import json
import math
import os
import random
import re
import shutil
import statistics
import subprocess
import sys
import tempfile
from collections import namedtuple

SOURCE = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
# exams with published robots, whose files are not included, are in a separate folder: they cannot be read
# alone
FOLDERS = [os.path.join(SOURCE, top) for top in ("problems/exams", "problems/six-axis-arm", "problems/formulas",
                                                 "benchmarks/exams")]
WIDTHS = (18, 12, 14, 14, 8, 12, 14)

# file: in FOLDERS; changes: replaced lines by key, None: removed; number: the published one; within: relative
# tolerance of the objective, in continuous time if that is known; None: the number is a local optimum of
# others, and ours must be lower
Exam = namedtuple("Exam", "name file changes number within")
# measure: of result.json, at knots and on the plant; limit: its maximum at knots
Task = namedtuple("Task", "name file changes measure limit unit")
# draw: the changes of an instance, from a random generator
Draws = namedtuple("Draws", "name file draw count seed")


def numbers(values):
    """Return a YAML list."""
    return "[" + ", ".join(f"{value:.17g}" for value in values) + "]"


def draw_reach(source):
    """A start around zero, and a point 0.2 to 0.755 m from the base, 20 to 85 degrees from
    upright."""
    start = [source.gauss(0, 1) for _ in range(6)]
    radius, polar = source.uniform(0.2, 0.755), math.radians(source.uniform(20, 85))
    turn = source.uniform(0, 2 * math.pi)
    point = [radius * math.sin(polar) * math.cos(turn), radius * math.sin(polar) * math.sin(turn),
             radius * math.cos(polar)]
    return {"start": f"{{q: {numbers(start)}, v: 0}}",
            "goal": f"{{outputs: {{tool: {numbers(point)}}}, v: free}}"}


def draw_slalom(source):
    """An end around (0, -0.4, 0.3)."""
    point = [middle + 0.05 * source.gauss(0, 1) for middle in (0, -0.4, 0.3)]
    return {"goal": f"{{outputs: {{tool: {numbers(point)}}}, v: 0}}"}


def draw_throw(source):
    """A target 1.2 to 2 m from the base in any direction, 0 to 1 m high."""
    radius, turn = source.uniform(1.2, 2), source.uniform(-math.pi, math.pi)
    place = zip("xyz", (radius * math.cos(turn), radius * math.sin(turn), source.uniform(0, 1)))
    at = ", ".join(f"mug.t{axis}: {value:.17g}" for axis, value in place)
    return {"goal": f"{{q: {{{at}}}, v: free}}"}


def steps(count, time):
    """The horizon with another number of steps."""
    return {"horizon": f"{{steps: {count}, time: {time}}}"}


def rows_of(result, place):
    """Return value and excess of each limited row of outputs, at `knots` or on the `plant`."""
    return {row["output"]: row[place] for row in result["output_limits"]}


def measure_tilt(result, place):
    """Return an upper bound of the angle between the cup's axis and the vertical: both roll and
    pitch at their maximum."""
    rows = rows_of(result, place)
    return math.degrees(math.asin(math.hypot(*(rows[name]["excess"] for name in ("roll", "pitch")))))


def measure_landing(result, place):
    """Return the distance from (1.15, 0.2) m at which the ball hits the floor, thrown at the end of
    the motion."""
    rows = rows_of(result, place)
    x, y, z = (rows[f"ball.{axis}"]["value"] for axis in "xyz")
    vx, vy, vz = (rows[f"throw.{axis}"]["value"] for axis in "xyz")
    flight = (vz + math.sqrt(vz * vz + 2 * 9.81 * z)) / 9.81
    return math.hypot(x + vx * flight - 1.15, y + vy * flight - 0.2)


NO_OBSTACLE = {"keep_out": None}
EXAMS = [
    Exam("cart-pole-100", "cart-pole.yaml", steps(100, 2), 58.8076674582, 1e-5),
    Exam("cart-pole-200", "cart-pole.yaml", steps(200, 2), 58.8076674582, 1e-5),
    Exam("cart-pole-400", "cart-pole.yaml", steps(400, 2), 58.8076674582, 1e-5),
    Exam("hanging-cart", "hanging-cart.yaml", {}, 2242.828141, 1e-2),
    Exam("two-link", "two-link.yaml", {}, 2.9822799425495, 1e-5),
    Exam("rigid-body", "rigid-body.yaml", {}, 28.6304, 1e-5),
    Exam("manutec", "manutec.yaml", {}, 20.404247, 1e-5),
    Exam("brachistochrone", "brachistochrone.yaml", {}, 1.8016031225, 1e-5),
    Exam("hanging-chain", "hanging-chain.yaml", steps(400, 1), 5.068480111, 1e-5),
    Exam("van-der-pol", "van-der-pol.yaml", {}, 2.867259, 1e-5),
    Exam("talos-arm", "talos-arm.yaml", {}, 40.47, None),
    Exam("kinova-arm", "kinova-arm.yaml", {}, 8.125, None),
    Task("level-cup", "level.yaml", NO_OBSTACLE, measure_tilt, 1e-6, "deg"),
    Task("level-cup-post", "level.yaml", {}, measure_tilt, 1e-6, "deg"),
    Task("ur5-cup", "ur5-cup.yaml", NO_OBSTACLE, measure_tilt, 1e-6, "deg"),
    Task("ur5-cup-post", "ur5-cup.yaml", {}, measure_tilt, 1e-6, "deg"),
    Task("throw", "throw.yaml", {}, measure_landing, 1e-6, "m"),
    Draws("ur5-reach", "ur5-reach.yaml", draw_reach, 80, 1),
    Draws("ur5-slalom", "ur5-slalom.yaml", draw_slalom, 50, 1),
    Draws("ur10-throw", "ur10-throw.yaml", draw_throw, 20, 1),
]


def find(name, folders):
    """Return the path of a file in the first of the folders that has it, else None."""
    paths = [os.path.join(folder, name) for folder in folders]
    return next((path for path in paths if os.path.exists(path)), None)


def write_problem(exam, changes, robots, folder):
    """Copy the exam's files into the folder, with the changes; return the name of a missing
    file."""
    with open(find(exam.file, FOLDERS), encoding="utf-8") as file:
        text = file.read()
    for key, value in changes.items():
        line = "" if value is None else f"{key}: {value}"
        text, found = re.subn(f"(?m)^{key}: .*$", line, text)
        assert found == 1, f"{exam.file}: {found} lines {key}"
    for name in re.findall(r"(?:robot|csv): ([^,}\s]+)", text):
        path = find(name, FOLDERS + [robots])
        if path is None:
            return name
        shutil.copy(path, folder)
    with open(os.path.join(folder, exam.file), "w", encoding="utf-8") as file:
        file.write(text)
    return None


def solve(dmoc, exam, changes, robots):
    """Return result.json, with `lacks` if a robot file is missing."""
    with tempfile.TemporaryDirectory() as folder:
        lacks = write_problem(exam, changes, robots, folder)
        if lacks:
            return {"lacks": lacks}
        run = subprocess.run([dmoc, "optimize", os.path.join(folder, exam.file), "-o",
                              os.path.join(folder, "out"), "--quiet"], check=False, text=True,
                             stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)
        path = os.path.join(folder, "out", "result.json")
        if run.returncode not in (0, 1) or not os.path.exists(path):
            sys.exit(f"{exam.name}: {run.stderr}")
        with open(path, encoding="utf-8") as file:
            return json.load(file)


def solved(result):
    """Return whether the exam passed."""
    return result["status"] in ("solved", "solved_acceptable")


def figure_of(result):
    """Return the objective in continuous time if known from two grids, else None."""
    accuracy = result.get("accuracy", {})
    return None if accuracy.get("objective_differs", True) else accuracy["objective"]


def judge_number(exam, dmoc, robots, _):
    """Return the row of an exam with one number."""
    result = solve(dmoc, exam, exam.changes, robots)
    if "lacks" in result:
        return (exam.name, "", "", "", "skipped", "", f"no {result['lacks']}")
    ours, continuous = result["objective"], figure_of(result)
    held = continuous if continuous is not None else ours
    if exam.within is None:
        verdict = "lower" if held < exam.number else "off"
    else:
        verdict = "pass" if abs(held - exam.number) <= exam.within * exam.number else "off"
    verdict = verdict if solved(result) else "off"
    return (exam.name, f"{exam.number:.9g}", f"{ours:.8g}",
            "-" if continuous is None else f"{continuous:.8g}", verdict, str(result["iterations"]),
            f"{1e3 * result['time']['total_s']:.1f}")


def judge_task(exam, dmoc, robots, _):
    """Return the row of a task: its measure at knots, and on the plant."""
    result = solve(dmoc, exam, exam.changes, robots)
    if "lacks" in result:
        return (exam.name, "", "", "", "skipped", "", f"no {result['lacks']}")
    knots, plant = (exam.measure(result, place) for place in ("knots", "plant"))
    return (exam.name, f"{exam.limit:g} {exam.unit}", f"{knots:.1e}", f"{plant:.1e}",
            "pass" if solved(result) and knots <= exam.limit else "off", str(result["iterations"]),
            f"{1e3 * result['time']['total_s']:.1f}")


def judge_draws(exam, dmoc, robots, instances):
    """Return the row of a random exam: the number that passed, in parentheses those that needed
    more than the file's own guess; the median objective of those; median and maximum of the rest."""
    source, results = random.Random(exam.seed), []
    for _ in range(instances or exam.count):
        results.append(solve(dmoc, exam, exam.draw(source), robots))
        if "lacks" in results[0]:
            return (exam.name, "", "", "", "skipped", "", f"no {results[0]['lacks']}")
    good = [result for result in results if solved(result)]
    later = sum(result.get("guesses", 1) > 1 for result in good)
    for k, result in enumerate(results):
        if not solved(result):
            print(f"{exam.name}: instance {k}: {result['status']}", file=sys.stderr)
    counts = [result["iterations"] for result in results]
    times = [1e3 * result["time"]["total_s"] for result in results]
    median = statistics.median(result["objective"] for result in good) if good else math.nan
    return (exam.name, "-", f"{len(good)} of {len(results)} ({later})", f"{median:.4g}",
            "pass" if len(good) == len(results) else "off",
            f"{statistics.median(counts):g}, {max(counts)}",
            f"{statistics.median(times):.0f}, {max(times):.0f}")


JUDGES = {Exam: judge_number, Task: judge_task, Draws: judge_draws}


def list_exams():
    """Return the list of exams for --help."""
    rows = []
    for exam in EXAMS:
        kinds = {Exam: "the number {0.number:.9g}", Task: "at most {0.limit:g} {0.unit}", Draws: "{0.count} random instances"}
        rows.append(f"  {exam.name:16} {exam.file:18} " + kinds[type(exam)].format(exam))
    return "\n".join(["exams:"] + rows + ["docs/exams.md says what each is."])


def print_row(row):
    """Print one line of the table."""
    print(" ".join(cell.ljust(width) for cell, width in zip(row, WIDTHS)).rstrip(), flush=True)


def main():
    """Run the exams named on the command line."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n", maxsplit=1)[0], epilog=list_exams(),
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--urdf", default=os.environ.get("DMOC_URDF") or
                        os.path.join(SOURCE, "..", "shared", "data", "urdf"),
                        help="the folder of published robots (else the variable DMOC_URDF)")
    parser.add_argument("--instances", type=int, help="of a random exam, else its own number")
    parser.add_argument("dmoc", help="the program")
    parser.add_argument("names", nargs="*", help="exams, else all")
    words = parser.parse_args()
    unknown = set(words.names) - {exam.name for exam in EXAMS}
    if unknown:
        parser.error(f"no exam {', '.join(unknown)}; there are {', '.join(exam.name for exam in EXAMS)}")
    print_row(("exam", "number", "ours", "continuous", "verdict", "iterations", "ms"))
    off = False
    for exam in EXAMS:
        if words.names and exam.name not in words.names:
            continue
        row = JUDGES[type(exam)](exam, os.path.abspath(words.dmoc), words.urdf, words.instances)
        print_row(row)
        off |= row[4] == "off"
    return 1 if off else 0


if __name__ == "__main__":
    sys.exit(main())
