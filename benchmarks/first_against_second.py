#!/usr/bin/env python3
"""First- against second-order descent over worked problems: the tables of docs/first-against-second.md.

    benchmarks/first_against_second.py [--quick] [--write] [DIR]     (default: results/first-against-second)

Runs `dmoc descend --compare` on each problem in a folder of DIR, which continues a comparison that was
interrupted, then prints the tables, with the machine and the seed. --quick: three problems, four starts, at most
500 iterations. --tables: run nothing, take the folders as they are. --write: put the tables between the marks of the page.
"""
import argparse
import json
import os
import platform
import subprocess
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
PAGE = ROOT / "docs/first-against-second.md"
BEGIN, END = "<!-- begin: benchmarks/first_against_second.py -->\n", "<!-- end -->\n"
METHODS = ("steepest", "bb", "cg", "lbfgs", "quasi", "paper", "ddp", "shift", "trust", "newton")
QUICK = ("pendulum/paper-001", "pendulum/bounded", "cart-pole/paper-001")
ALL = QUICK + (
    "satellite/reorient", "two-link/descend", "four-bar/turn",
    "pendulum/swing-up", "cart-pole/swing-up", "cart-pole/headroom", "cart-pole/minimum-time", "acrobot/swing-up",
    "pendubot/swing-up", "marionette/descend", "six-axis-arm/reach", "quadrotor/sidestep", "quadrotor/flip",
    "quadrotor/flip-3d", "two-string-load/winches", "two-string-load/servo", "series-elastic/swing-up",
    "series-elastic/lift")


def compare(problem, folder, starts, iterations, runs=True):
    """Run a comparison in a folder, and return its record."""
    if not runs:
        return json.loads((folder / "result.json").read_text())["compare"]
    program = os.environ.get("DMOC", str(ROOT / "dmoc"))
    words = [program, "descend", str(ROOT / "problems" / f"{problem}.yaml"), "--compare", "--starts", str(starts),
             "--max-iter", str(iterations), "-o", str(folder), "--quiet"]
    subprocess.run(words, check=False, stdout=subprocess.DEVNULL)
    return json.loads((folder / "result.json").read_text())["compare"]


def number(x):
    """Return a count of gradients with three digits."""
    return "–" if x is None else f"{float(f'{x:.3g}'):,.0f}"


def tables(records):
    """Return the lines of the tables."""
    lines = ["Runs within 1 % of the lowest cost, of all runs:", "", "| problem | lowest cost | " + " | ".join(METHODS) + " |",
             "| --- " * (2 + len(METHODS)) + "|"]
    for problem, told in records.items():
        cells = [f"{told['methods'][m]['found']}/{told['methods'][m]['runs']}" for m in METHODS]
        lowest = "–" if told["lowest"] is None else f"{told['lowest']:.8g}"
        lines.append(f"| {problem} | {lowest} | " + " | ".join(cells) + " |")
    total = [f"{sum(r['methods'][m]['found'] for r in records.values())}/"
             f"{sum(r['methods'][m]['runs'] for r in records.values())}" for m in METHODS]
    lines += ["| all | | " + " | ".join(total) + " |", "", "Median work of these runs until they stayed there, in gradients:",
              "", "| problem | " + " | ".join(METHODS) + " |", "| --- " * (1 + len(METHODS)) + "|"]
    for problem, told in records.items():
        lines.append(f"| {problem} | " + " | ".join(number(told["methods"][m]["work"]) for m in METHODS) + " |")
    prices = ("rollouts", "sweeps", "curvatures", "products")
    lines += ["", "Prices of operations along the motion, in gradients, and the share of second derivatives in newton's",
              "processor time:", "", "| problem | " + " | ".join(prices) + " | share |", "| --- " * (2 + len(prices)) + "|"]
    for problem, told in records.items():
        share = told["methods"]["newton"]["curvature"]
        lines.append(f"| {problem} | " + " | ".join(f"{told['price'][p]:.2f}" for p in prices) + f" | {100 * share:.0f} % |")
    return lines


def main():
    """Run, print, and write."""
    words = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    words.add_argument("--quick", action="store_true")
    words.add_argument("--write", action="store_true")
    words.add_argument("--tables", action="store_true")
    words.add_argument("dir", nargs="?", type=Path, default=Path("results/first-against-second"))
    asked = words.parse_args()
    starts, iterations = (4, 500) if asked.quick else (30, 3000)
    records, seed = {}, None
    for problem in QUICK if asked.quick else ALL:
        records[problem] = compare(problem, asked.dir / problem.replace("/", "-"), starts, iterations, not asked.tables)
        seed = records[problem]["seed"]
    text = "\n".join([f"{starts} starts (seed {seed}), at most {iterations} iterations and 20,000 operations per run, on"
                      f" {os.cpu_count()} processors ({platform.machine()}).", "", *tables(records), ""])
    print(text)
    if asked.write:
        page = PAGE.read_text()
        head, rest = page.split(BEGIN)
        PAGE.write_text(head + BEGIN + text + END + rest.split(END, 1)[1])


if __name__ == "__main__":
    main()
