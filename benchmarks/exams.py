#!/usr/bin/env python3
"""Exams: published problems with their numbers, each solved by DMOC and held against the number.

  exams.py [--urdf FOLDER] [--instances K] DMOC [NAME...]

Without names all of docs/exams.md, which says what each is. FOLDER has the published robot files
(else the variable DMOC_URDF, else data beside the sources); exams whose file is not there are
skipped. K is how many instances of a random exam are solved, else its own number. Exit status 1:
a number did not come out.
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
# those of published robots, whose files are not with us, stand apart: they cannot be read alone
FOLDERS = [os.path.join(SOURCE, top, "exams") for top in ("problems", "benchmarks")]
WIDTHS = (18, 12, 14, 14, 8, 12, 14)

# file: of FOLDERS; changes: lines of it by key; number: what was published; within: how far
# the objective may be off it, over it: of continuous time, where two grids tell that
Exam = namedtuple("Exam", "name file changes number within")
# draw: from a random generator the changes of an instance
Draws = namedtuple("Draws", "name file draw count seed")


def numbers(values):
    """Return a YAML list."""
    return "[" + ", ".join(f"{value:.17g}" for value in values) + "]"


def draw_reach(source):
    """A start around zero, and a point 0.2 to 0.755 m from the base, 20 to 85 degrees off upright."""
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
    """A place 1.2 to 2 m from the base in any direction, 0 to 1 m high."""
    radius, turn = source.uniform(1.2, 2), source.uniform(-math.pi, math.pi)
    place = zip("xyz", (radius * math.cos(turn), radius * math.sin(turn), source.uniform(0, 1)))
    at = ", ".join(f"mug.t{axis}: {value:.17g}" for axis, value in place)
    return {"goal": f"{{q: {{{at}}}, v: free}}"}


def steps(count, time):
    """The horizon with another number of steps."""
    return {"horizon": f"{{steps: {count}, time: {time}}}"}


EXAMS = [
    Exam("cart-pole-100", "cart-pole.yaml", steps(100, 2), 58.8076674582, 1e-5),
    Exam("cart-pole-200", "cart-pole.yaml", steps(200, 2), 58.8076674582, 1e-5),
    Exam("cart-pole-400", "cart-pole.yaml", steps(400, 2), 58.8076674582, 1e-5),
    Exam("hanging-cart", "hanging-cart.yaml", {}, 2242.828141, 1e-2),
    Exam("two-link", "two-link.yaml", {}, 2.9822799425495, 1e-5),
    Exam("rigid-body", "rigid-body.yaml", {}, 28.6304, 1e-5),
    Exam("manutec", "manutec.yaml", {}, 20.404247, 1e-5),
    Draws("ur5-reach", "ur5-reach.yaml", draw_reach, 80, 1),
    Draws("ur5-slalom", "ur5-slalom.yaml", draw_slalom, 50, 1),
    Draws("ur10-throw", "ur10-throw.yaml", draw_throw, 20, 1),
]


def find(name, folders):
    """Return the path of a file in the first of the folders that has it, else None."""
    paths = [os.path.join(folder, name) for folder in folders]
    return next((path for path in paths if os.path.exists(path)), None)


def write_problem(exam, changes, robots, folder):
    """Put the exam's files into the folder, with the changes; return the name of a file that lacks."""
    with open(find(exam.file, FOLDERS), encoding="utf-8") as file:
        text = file.read()
    for key, value in changes.items():
        text, found = re.subn(f"(?m)^{key}: .*$", f"{key}: {value}", text)
        assert found == 1, f"{exam.file}: {found} lines {key}"
    for name in re.findall(r"(?:urdf|csv): ([^,}\s]+)", text):
        path = find(name, FOLDERS + [robots])
        if path is None:
            return name
        shutil.copy(path, folder)
    with open(os.path.join(folder, exam.file), "w", encoding="utf-8") as file:
        file.write(text)
    return None


def solve(dmoc, exam, changes, robots):
    """Return what result.json says, with `lacks` where a robot file is not there."""
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
    """Did it come out?"""
    return result["status"] in ("solved", "solved_acceptable")


def figure_of(result):
    """Return the objective of continuous time, where two grids tell it, else None."""
    accuracy = result.get("accuracy", {})
    return None if accuracy.get("objective_differs", True) else accuracy["objective"]


def judge_number(exam, dmoc, robots, _):
    """Return the row of an exam with one number."""
    result = solve(dmoc, exam, exam.changes, robots)
    if "lacks" in result:
        return (exam.name, "", "", "", "skipped", "", f"no {result['lacks']}")
    ours, continuous = result["objective"], figure_of(result)
    held = continuous if continuous is not None else ours
    verdict = "pass" if solved(result) else "off"
    if abs(held - exam.number) > exam.within * exam.number:
        verdict = "off"
    return (exam.name, f"{exam.number:.9g}", f"{ours:.8g}",
            "-" if continuous is None else f"{continuous:.8g}", verdict, str(result["iterations"]),
            f"{1e3 * result['time']['total_s']:.1f}")


def judge_draws(exam, dmoc, robots, instances):
    """Return the row of a random exam: how many came out, in brackets those of them that took more
    than the file's own guess; median and largest of the rest."""
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
    return (exam.name, "-", f"{len(good)} of {len(results)} ({later})", "-",
            "pass" if len(good) == len(results) else "off",
            f"{statistics.median(counts):g}, {max(counts)}",
            f"{statistics.median(times):.0f}, {max(times):.0f}")


def print_row(row):
    """Print one line of the table."""
    print(" ".join(cell.ljust(width) for cell, width in zip(row, WIDTHS)).rstrip(), flush=True)


def main():
    """Run what the command line names."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n", maxsplit=1)[0])
    parser.add_argument("--urdf", default=os.environ.get("DMOC_URDF") or
                        os.path.join(SOURCE, "..", "shared", "data", "urdf"))
    parser.add_argument("--instances", type=int)
    parser.add_argument("dmoc")
    parser.add_argument("names", nargs="*")
    words = parser.parse_args()
    unknown = set(words.names) - {exam.name for exam in EXAMS}
    if unknown:
        parser.error(f"no exam {', '.join(unknown)}; there are {', '.join(exam.name for exam in EXAMS)}")
    print_row(("exam", "number", "ours", "continuous", "verdict", "iterations", "ms"))
    off = False
    for exam in EXAMS:
        if words.names and exam.name not in words.names:
            continue
        judge = judge_draws if isinstance(exam, Draws) else judge_number
        row = judge(exam, os.path.abspath(words.dmoc), words.urdf, words.instances)
        print_row(row)
        off |= row[4] == "off"
    return 1 if off else 0


if __name__ == "__main__":
    sys.exit(main())
