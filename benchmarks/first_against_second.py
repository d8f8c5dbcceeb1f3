#!/usr/bin/env python3
"""First- against second-order descent over worked problems: the tables of docs/first-against-second.md.

    benchmarks/first_against_second.py [--quick | --starts N --max-iter N] [--write] [DIR]
                                                               (default: results/first-against-second)

Runs `dmoc descend --compare` on each problem with all methods, then newton with each projection, and
`dmoc optimize`, in folders of DIR, which continue a comparison that was interrupted. Then it prints the
tables, with the machine and the seed. It takes all worked problems of this kind, 30 starts and 3000
iterations, or --starts and --max-iter; --quick: three problems, four starts, 500 iterations.
--tables: run nothing, take the folders as they are. --write: put the tables between the marks of the page.
"""
import argparse
import csv
import json
import math
import os
import platform
import statistics
import subprocess
import textwrap
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
PAGE = ROOT / "docs/first-against-second.md"
BEGIN, END = "<!-- begin: benchmarks/first_against_second.py -->\n", "<!-- end -->\n"
METHODS = ("steepest", "bb", "cg", "lbfgs", "quasi", "paper", "ddp", "shift", "trust", "newton")
PROJECTIONS = ("regulator", "own", "open", "gaps")
QUICK = ("pendulum/paper-001", "pendulum/bounded", "cart-pole/paper-001")
ALL = QUICK + (
    "pendulum/swing-up", "two-link/descend", "acrobot/swing-up", "pendubot/swing-up", "cart-pole/swing-up",
    "cart-pole/headroom", "four-bar/turn", "satellite/reorient", "quadrotor/sidestep", "cart-pole/minimum-time",
    "series-elastic/swing-up", "series-elastic/lift", "quadrotor/flip", "two-string-load/winches",
    "two-string-load/servo", "six-axis-arm/reach", "quadrotor/flip-3d", "marionette/descend")
OPERATIONS = ("rollouts", "gradients", "curvatures", "sweeps", "products")
NEAR, MET = 0.01, 1e-4  # as in cli/stages/descent_compare.c
WORKS, RATIOS = (100, 300, 1000, 3000, 10000), (1, 2, 4, 10)


def run(words, folder):
    """Run a command of dmoc into a folder, and return its result.json, or None without one."""
    program = os.environ.get("DMOC", str(ROOT / "dmoc"))
    subprocess.run([program, *words, "-o", str(folder), "--quiet"], check=False, stdout=subprocess.DEVNULL,
                   stderr=subprocess.DEVNULL)


def read(folder):
    """Return the runs of a comparison, {(method, start): [row, ..]}, and its record; None: none."""
    try:
        record = json.loads((folder / "result.json").read_text())["compare"]
        lines = [x for x in (folder / "compare.csv").read_text().splitlines() if not x.startswith("#")]
    except (OSError, KeyError):
        return None
    runs = {}
    for row in csv.DictReader(lines):
        runs.setdefault((row["method"], int(row["start"])), []).append(row)
    return runs, record


def work_of(row, price):
    """Return the work of a row, in gradients."""
    return sum(float(row[name]) * (price[name] or 0) for name in OPERATIONS)


def success(rows, lowest, price):
    """Return the work from which a run stays near the lowest cost; inf: it does not."""
    work = math.inf
    for row in reversed(rows):
        cost, goal = float(row["cost"] or "nan"), float(row["goal"] or "nan")
        if not (goal <= MET and cost - lowest <= NEAR * abs(lowest)):
            break
        work = work_of(row, price)
    return work


def lowest_of(comparisons, objective):
    """Return the lowest cost with the goal met, of all runs and of optimize."""
    costs = [each[1]["lowest"] for each in comparisons if each and each[1]["lowest"] is not None]
    return min(costs + ([objective] if objective is not None else []), default=math.nan)


def number(x):
    """Return a count of gradients with three digits."""
    return "–" if not math.isfinite(x) else f"{float(f'{x:.3g}'):,.0f}"


def table(head, rows):
    """Return the lines of a table."""
    return ["| " + " | ".join(head) + " |", "| --- " * len(head) + "|"] + ["| " + " | ".join(r) + " |" for r in rows] + [""]


def found(works):
    """Return successes of all runs."""
    return f"{sum(map(math.isfinite, works))}/{len(works)}"


def tables(data):
    """Return the lines of all tables, from {problem: (lowest, objective, {projection: comparison})}."""
    works, counts, medians, prices, ways, orders = {}, [], [], [], [], {m: [] for m in METHODS}
    for problem, (lowest, objective, by) in data.items():
        runs, record = by["regulator"]
        price = record["price"]
        each = {m: {s: success(rows, lowest, price) for (k, s), rows in runs.items() if k == m} for m in METHODS}
        works[problem] = each
        best = "–" if objective is None else f"{objective:.8g}"
        counts.append([problem, f"{lowest:.8g}", best] + [found(each[m].values()) for m in METHODS])
        good = {m: [w for w in each[m].values() if math.isfinite(w)] for m in METHODS}
        medians.append([problem] + [number(statistics.median(good[m]) if good[m] else math.inf) for m in METHODS])
        prices.append([problem] + [f"{price[p] or 0:.2f}" for p in OPERATIONS if p != "gradients"]
                      + [f"{100 * record['methods']['newton']['curvature']:.0f} %"])
        for (m, _), rows in runs.items():
            order = float(rows[-1]["order"] or "nan")
            if math.isfinite(order):
                orders[m].append(order)
        cells = []
        for way in PROJECTIONS:
            if not by.get(way):
                cells += ["–", "–"]
                continue
            own = [success(rows, lowest, by[way][1]["price"]) for (k, _), rows in by[way][0].items() if k == "newton"]
            fine = [w for w in own if math.isfinite(w)]
            cells += [found(own), number(statistics.median(fine) if fine else math.inf)]
        ways.append([problem] + cells)
    every = {m: [w for each in works.values() for w in each[m].values()] for m in METHODS}
    counts.append(["all", "", ""] + [found(every[m]) for m in METHODS])
    lines = ["Runs within 1 % of the lowest cost, of all runs:", ""]
    lines += table(["problem", "lowest cost", "`optimize`", *METHODS], counts)
    lines += ["Median work of these runs until they stayed there, in gradients:", ""]
    lines += table(["problem", *METHODS], medians)
    lines += ["Data profile: the fraction of all runs that succeed within a work, in gradients:", ""]
    lines += table(["work", *METHODS], [[number(w)] + [share([x <= w for x in every[m]]) for m in METHODS] for w in WORKS])
    lines += ["Performance profile: the fraction of starts, from which some method succeeds, at which a method needs at",
              "most this multiple of the least work:", ""]
    ratios = {m: [] for m in METHODS}
    for each in works.values():
        for start in sorted({s for m in METHODS for s in each[m]}):
            least = min(each[m].get(start, math.inf) for m in METHODS)
            for m in METHODS:
                if math.isfinite(least):
                    ratios[m].append(each[m].get(start, math.inf) / least)
    lines += table(["ratio", *METHODS], [[str(r)] + [share([x <= r for x in ratios[m]]) for m in METHODS] for r in RATIOS])
    lines += ["Order of convergence, the median of the runs whose tail has full steps, and their number:", ""]
    lines += table(list(METHODS), [[f"{statistics.median(orders[m]):.2f} ({len(orders[m])})" if orders[m] else "–"
                                    for m in METHODS]])
    lines += ["newton with each projection: successes, and median work:", ""]
    lines += table(["problem"] + [word for way in PROJECTIONS for word in (way, "work")], ways)
    lines += ["Prices of operations along the motion, in gradients, and the share of second derivatives in newton's",
              "processor time:", ""]
    return lines + table(["problem", *(p for p in OPERATIONS if p != "gradients"), "share"], prices)


def share(hits):
    """Return a fraction with two digits."""
    return f"{sum(hits) / len(hits):.2f}" if hits else "–"


def main():
    """Run, print, and write."""
    words = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    words.add_argument("--quick", action="store_true")
    words.add_argument("--starts", type=int, default=30)
    words.add_argument("--max-iter", type=int, default=3000)
    words.add_argument("--write", action="store_true")
    words.add_argument("--tables", action="store_true")
    words.add_argument("dir", nargs="?", type=Path, default=Path("results/first-against-second"))
    asked = words.parse_args()
    starts, iterations = (4, 500) if asked.quick else (asked.starts, asked.max_iter)
    data, seed, missing = {}, None, []
    for problem in QUICK if asked.quick else ALL:
        path, name = str(ROOT / "problems" / f"{problem}.yaml"), problem.replace("/", "-")
        compare = ["descend", path, "--compare", "--starts", str(starts), "--max-iter", str(iterations)]
        folders = {way: asked.dir / (name if way == "regulator" else f"{name}-{way}") for way in PROJECTIONS}
        for way, folder in folders.items():
            if not asked.tables:
                run(compare + ([] if way == "regulator" else ["--method", "newton", "--projection", way]), folder)
        if not asked.tables:
            run(["optimize", path], asked.dir / f"{name}-optimize")
        by = {way: read(folder) for way, folder in folders.items()}
        if not by["regulator"]:
            missing.append(problem)
            continue
        try:
            told = json.loads((asked.dir / f"{name}-optimize" / "result.json").read_text())
            objective = told["objective"] if told["status"] == "solved" else None
        except (OSError, KeyError):
            objective = None
        data[problem] = (lowest_of(by.values(), objective), objective, by)
        seed = by["regulator"][1]["seed"]
    if not data:
        raise SystemExit(f"no comparison in {asked.dir}: run without --tables first")
    taken = sorted({by["regulator"][1]["starts"] for _, _, by in data.values()})
    starts = f"{taken[0]}" if len(taken) == 1 else f"{taken[0]} to {taken[-1]}"
    text = [f"{starts} starts (seed {seed}), at most {iterations} iterations and 20,000 operations per run, on"
            f" {os.cpu_count()} processors ({platform.machine()}).", ""]
    if missing:
        text += [*textwrap.wrap("Not run: " + ", ".join(missing) + ".", 118, break_on_hyphens=False), ""]
    text = "\n".join([*text, *tables(data)])
    print(text)
    if asked.write:
        page = PAGE.read_text()
        head, rest = page.split(BEGIN)
        PAGE.write_text(head + BEGIN + text + END + rest.split(END, 1)[1])


if __name__ == "__main__":
    main()
