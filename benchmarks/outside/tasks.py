#!/usr/bin/env python3
"""Solve random tasks with dmoc and judge them independently: a table of statuses against the truth.

    benchmarks/outside/tasks.py [--seeds FROM:TO] [--iterations N] [--time SECONDS] [--program PATH]
    [--keep DIR] [--list]

Needs numpy. Exit status 1 if a status was wrong. See docs/trust.md.
"""
import argparse
import collections
import json
import os
import shutil
import subprocess
import sys
import tempfile

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import draw  # noqa: E402
from judge import Verdict, judge  # noqa: E402

WORDS = ["true", "coarse", "wrong", "missed", "open"]


def solve(task, args, folder):
    """Return exit status and the JSON object of `dmoc optimize`; None if it did not end or printed
    no object."""
    path, seconds = os.path.join(folder, "task.yaml"), args.time
    with open(path, "w") as f:
        f.write(draw.text(task, args.iterations, seconds))
    command = [args.program, "optimize", path, "-o", os.path.join(folder, "result"), "--json"]
    try:
        done = subprocess.run(command, capture_output=True, text=True, timeout=5 * seconds + 30)
        report = json.loads(done.stdout)
    except (subprocess.TimeoutExpired, ValueError) as fault:
        return None, {"error": str(fault)}
    report.setdefault("error", (done.stderr.strip().splitlines() or [""])[-1])
    return done.returncode, report


def decide(seed, args, folder):
    task = draw.draw(seed)
    exit_status, report = solve(task, args, folder)
    if exit_status is None:
        return task, Verdict("wrong", "none", [report["error"]])
    return task, judge(task, exit_status, report, os.path.join(folder, "result"))


def print_table(verdicts):
    counts = collections.Counter((v.status, v.word) for _, v in verdicts)
    statuses = sorted({v.status for _, v in verdicts}, key=lambda s: -sum(counts[s, w] for w in WORDS))
    print("\n| status | " + " | ".join(WORDS) + " |")
    print("| --- |" + " --- |" * len(WORDS))
    for status in statuses:
        print(f"| {status} | " + " | ".join(str(counts[status, w]) for w in WORDS) + " |")


def print_worst(verdicts):
    """Print the maximum of each number over solved tasks, with its seed."""
    solved = [(t, v) for t, v in verdicts if v.numbers]
    print("\n| largest | value | seed |\n| --- | --- | --- |")
    for name in solved[0][1].numbers if solved else []:
        task, v = max(solved, key=lambda x: x[1].numbers[name])
        print(f"| {name} | {v.numbers[name]:.3g} | {task.seed} |")


def keep(task, folder, where):
    target = os.path.join(where, str(task.seed))
    shutil.rmtree(target, ignore_errors=True)
    shutil.copytree(folder, target)


def main():
    here = os.path.dirname(os.path.abspath(__file__))
    p = argparse.ArgumentParser(description="random tasks, judged from outside")
    p.add_argument("--seeds", default="0:1000", help="FROM:TO")
    p.add_argument("--iterations", type=int, default=300, help="that a solve may take")
    p.add_argument("--time", type=float, default=30, help="seconds that it may take, where those are slow")
    p.add_argument("--program", default=os.path.join(here, "..", "..", "build", "cli", "dmoc"))
    p.add_argument("--keep", help="folder that what is wrong, coarse or missed is copied to")
    p.add_argument("--list", action="store_true", help="a line for every seed, not for those alone")
    args = p.parse_args()
    first, last = map(int, args.seeds.split(":"))
    verdicts = []
    for seed in range(first, last):
        with tempfile.TemporaryDirectory() as folder:
            task, v = decide(seed, args, folder)
            verdicts.append((task, v))
            if args.list or v.word in ("wrong", "coarse", "missed"):
                print(f"seed {seed}: {v.status}, {v.word} ({task.kind}): {'; '.join(v.why)}", flush=True)
            if args.keep and v.word in ("wrong", "coarse", "missed"):
                keep(task, folder, args.keep)
    print_table(verdicts)
    print_worst(verdicts)
    return 1 if any(v.word == "wrong" for _, v in verdicts) else 0


if __name__ == "__main__":
    sys.exit(main())
