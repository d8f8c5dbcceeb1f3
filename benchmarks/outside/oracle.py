#!/usr/bin/env python3
"""Solve random tasks and all worked problems with dmoc, judge the results independently, and check
gates.

    benchmarks/outside/oracle.py [--count N] [--seed FIRST] [--worked] [--keep DIR] [--times FILE]
                                 [--against FILE] [--program PATH]

Besides joints, robots have springs, free bases and loops; tasks have points in space, balls to
avoid and
time limits (features.py). Needs numpy. Exit status 1 if a gate is missed. See docs/trust.md.
"""
import argparse
import collections
import csv
import json
import os
import resource
import shutil
import subprocess
import sys
import tempfile
import time

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import draw  # noqa: E402
import judge as outside  # noqa: E402
from optimality import stationary  # noqa: E402
from tasks import keep, print_table, print_worst  # noqa: E402

SOURCE = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..")
OPTIMAL = 1e-5  # remaining part of the gradient, at most
LATE = 1.0  # s of processor time beyond a time limit
FEW = 0.005  # fraction of built tasks that may be missed, and of all tasks that may be late
WORDS = {"solved": 0, "solved_acceptable": 0, "done": 0, "coarse": 1, "saddle": 1, "infeasible": 1, "stalled": 1, "iteration_limit": 1,
         "time_limit": 1, "interrupted": 1, "not_finite": 1, "failed": 1, "error": 2}


def call(words, patience):
    """Return exit status, the JSON object or None, the last message, and seconds of wall and
    processor time."""
    used, began = resource.getrusage(resource.RUSAGE_CHILDREN), time.monotonic()
    try:
        done = subprocess.run(words, capture_output=True, text=True, timeout=patience, stdin=subprocess.DEVNULL)
        code, out, err = done.returncode, done.stdout, done.stderr
    except subprocess.TimeoutExpired:
        code, out, err = None, "", "it did not end"
    now, wall = resource.getrusage(resource.RUSAGE_CHILDREN), time.monotonic() - began
    cpu = now.ru_utime + now.ru_stime - used.ru_utime - used.ru_stime
    try:
        answer = json.loads(out)
    except ValueError:
        answer = None
    last = (err.strip().splitlines() or [""])[-1]
    return code, answer if isinstance(answer, dict) else None, last, wall, cpu


def broken(code, answer):
    """Return a violation of the rules for every command, or None."""
    if code is None or code < 0 or code > 2:
        return f"exit status {code}"
    if answer is None:
        return "stdout is not one JSON object"
    word = answer.get("status", "done")
    if word not in WORDS or WORDS[word] != code:
        return f"exit status {code} with '{word}'"
    return None


def decide(seed, args, folder):
    task, path = draw.draw(seed, more=True), os.path.join(folder, "task.yaml")
    with open(path, "w") as f:
        f.write(draw.text(task, args.iterations, args.time))
    if task.robot:
        with open(os.path.join(folder, "robot.urdf"), "w") as f:
            f.write(task.robot)
    result, limit = os.path.join(folder, "result"), task.seconds or args.time
    code, answer, last, wall, cpu = call([args.program, "optimize", path, "-o", result, "--json"], 20 * limit + 120)
    fault = broken(code, answer)
    if fault:
        return task, outside.Verdict("wrong", "none", [fault, last]), wall, cpu, cpu > limit + LATE
    answer.setdefault("error", last)
    verdict = outside.judge(task, code, answer, result)
    if verdict.numbers:
        judge_optimum(task, verdict, answer, result)
    return task, verdict, wall, cpu, cpu > limit + LATE


def judge_optimum(task, verdict, answer, folder):
    motion = outside.read_trajectory(task, os.path.join(folder, "trajectory.csv"))
    left = stationary(task, motion, answer)
    verdict.numbers["gradient left"] = -1 if left is None else left
    if left is not None and left > OPTIMAL:
        verdict.word = "wrong"
        verdict.why.append(f"no optimum: {left:.1e} of the gradient is left")


def try_worked(args):
    """Run every worked problem with `optimize` or, for simulations, `run`: check the rules for
    every command."""
    faults, count = [], 0
    for folder, _, files in sorted(os.walk(os.path.join(SOURCE, "problems"))):
        for name in sorted(f for f in files if f.endswith(".yaml") and f != "expect.yaml"):
            with tempfile.TemporaryDirectory() as out:
                path = os.path.join(folder, name)
                with open(path) as f:
                    command = "optimize" if "\nhorizon" in f.read() else "run"
                words = [args.program, command, path, "-o", os.path.join(out, "r"), "--json"]
                code, answer, last, _, _ = call(words, 1200)
                fault, count = broken(code, answer), count + 1
                if fault:
                    faults.append(f"{os.path.relpath(path, SOURCE)}: {fault}: {last}")
    return faults, count


def report_gates(rows, faults):
    """Print a line for each gate; returns true if all are satisfied."""
    verdicts = [row[1] for row in rows]
    built = [row for row in rows if row[0].kind == "built" and row[0].seconds is None]
    missed = sum(v.word == "missed" and v.status == "infeasible" for _, v, *_ in built)
    wrong = sum(v.word == "wrong" for v in verdicts)
    late = sum(row[4] for row in rows)
    stopped = sum(v.word == "missed" for _, v, *_ in built) - missed
    gates = [("wrong statuses, and commands that end as none may", wrong + len(faults), 0),
             (f"infeasible, of {len(built)} built to be feasible", missed, FEW * len(built)),
             (f"over their limit of time, of {len(rows)}", late, FEW * len(rows))]
    print("\n| gate | found | allowed | |\n| --- | --- | --- | --- |")
    for name, found, allowed in gates:
        print(f"| {name} | {found} | {int(allowed)} | {'kept' if found <= allowed else 'MISSED'} |")
    print(f"\nOf those built {stopped} more ended at a limit of iterations or time, or stalled.")
    return all(found <= allowed for _, found, allowed in gates)


def write_times(rows, path):
    """Write processor seconds by task, and their quantiles, for comparison with a later run."""
    took = sorted(row[3] for row in rows)
    with open(path, "w") as f:
        f.write("seed,kind,n,steps,status,word,cpu_s,wall_s\n")
        for task, v, wall, cpu, _ in rows:
            f.write(f"{task.seed},{task.kind},{task.tree.n},{task.N},{v.status},{v.word},{cpu:.4g},{wall:.4g}\n")
    marks = [(share, took[min(len(took) - 1, int(share * len(took)))]) for share in (0.1, 0.5, 0.9, 0.99)]
    print("\nprocessor time: " + ", ".join(f"{100 * s:g} % within {x:.3g} s" for s, x in marks) + f"; {took[-1]:.3g} s at most")


def compare_times(rows, path):
    """Compare with an earlier table of times: the total ratio, and tasks that take much longer."""
    with open(path, newline="") as f:
        before = {int(row["seed"]): float(row["cpu_s"]) for row in csv.DictReader(f)}
    both = [(task.seed, cpu, before[task.seed]) for task, _, _, cpu, _ in rows if task.seed in before]
    longer = [f"{seed} ({old:.2g} s, now {now:.2g} s)" for seed, now, old in both if now > 3 * old + 1]
    now, old = sum(x[1] for x in both), sum(x[2] for x in both)
    print(f"{len(both)} tasks of {path} took {old:.3g} s, and {now:.3g} s now; much longer: {', '.join(longer) or 'none'}")


def main():
    p = argparse.ArgumentParser(description="random tasks and worked problems, judged from outside")
    p.add_argument("--count", type=int, default=1000)
    p.add_argument("--seed", type=int, default=1, help="the first")
    p.add_argument("--iterations", type=int, default=300, help="that a solve may take")
    p.add_argument("--time", type=float, default=20, help="seconds that it may take, where a task does not say")
    p.add_argument("--worked", action="store_true", help="all worked problems, too")
    p.add_argument("--program", default=os.path.join(SOURCE, "build", "cli", "dmoc"))
    p.add_argument("--keep", help="folder that what is wrong, missed or late is copied to")
    p.add_argument("--times", default=os.devnull, help="a CSV file of what each task took")
    p.add_argument("--against", help="such a file of an earlier version, on the same machine")
    args = p.parse_args()
    rows, kinds = [], collections.Counter()
    for seed in range(args.seed, args.seed + args.count):
        with tempfile.TemporaryDirectory() as folder:
            task, v, wall, cpu, late = decide(seed, args, folder)
            rows.append((task, v, wall, cpu, late))
            kinds[task.kind] += 1
            if v.word in ("wrong", "missed") or late:
                print(f"seed {seed}: {v.status}, {v.word} ({task.kind}): {'; '.join(v.why)}", flush=True)
                if args.keep:
                    keep(task, folder, args.keep)
    faults, worked = try_worked(args) if args.worked else ([], 0)
    print(*faults, sep="\n")
    print(f"{len(rows)} random tasks ({', '.join(f'{n} {k}' for k, n in kinds.items())}), {worked} worked problems")
    print_table([row[:2] for row in rows])
    print_worst([row[:2] for row in rows])
    write_times(rows, args.times)
    if args.against:
        compare_times(rows, args.against)
    return 0 if report_gates(rows, faults) else 1


if __name__ == "__main__":
    sys.exit(main())
