#!/usr/bin/env python3
"""IPOPT beside the stage solver on every worked problem: the table of docs/solvers.md.

    benchmarks/two_solvers.py [--write] [--tables] [DIR]      (default: build/two-solvers)

Solves each task of problems/ from its own guess (one start) with `--solver ipopt` and `--solver stage`, with the iterations
of its file and at most 1800 s each, and keeps each record in DIR: an interrupted run continues there. Objectives that
differ by more than 1e-9 are explained by solves with tolerance 1e-11 by both, by the inertia of the reduced Hessian at both
points, and by the stage solver from IPOPT's motion. Prints one row per problem with processor times, and the counts.
--tables: run nothing, take the records as they are. --write: put the rows that differ, and the counts, between the marks of
the page. DMOC: the program.
"""
import argparse
import json
import os
import resource
import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
PAGE = ROOT / "docs/solvers.md"
BEGIN, END = "<!-- begin: benchmarks/two_solvers.py -->\n", "<!-- end -->\n"
SOLVERS = ("ipopt", "stage")
LIMITS = ("--max-time", "1800", "--threads", "1")
SAME = 1e-9  # of the objective, or of 1 if it is smaller


def solve(program, path, solver, *more, folder=None):
    """The record of one solve: {status, objective, iterations, seconds, kind, contacts}, or {refused: sentence}."""
    begun = resource.getrusage(resource.RUSAGE_CHILDREN)
    one = () if "\nphases:" in path.read_text() else ("--starts", "1")  # phases have no starts
    with tempfile.TemporaryDirectory() as own:
        words = [program, "optimize", str(path), "--solver", solver, *one, *LIMITS, *more, "-o", folder or own,
                 "--json", "--quiet"]
        done = subprocess.run(words, capture_output=True, text=True, check=False)
    ended = resource.getrusage(resource.RUSAGE_CHILDREN)
    out = json.loads(done.stdout)
    if done.returncode > 1:
        return {"refused": out.get("error", done.stderr.strip())}
    return {"status": out["status"], "objective": out.get("objective"), "iterations": out.get("iterations"),
            "seconds": ended.ru_utime - begun.ru_utime, "kind": (out.get("inertia") or {}).get("kind"),
            "contacts": (out.get("schedule") or {}).get("strips")}


def difference(both):
    """The relative difference of two objectives, stage minus IPOPT."""
    theirs, ours = (both[s]["objective"] for s in SOLVERS)
    return (ours - theirs) / max(1, abs(theirs))


def judge(both):
    """`same`, `refused`, `not both` (solved), or `other`; `coarse` is solved on a grid that is too coarse."""
    if any("refused" in both[s] for s in SOLVERS):
        return "refused"
    if any(both[s]["status"] not in ("solved", "coarse") for s in SOLVERS):
        return "not both"
    return "same" if abs(difference(both)) <= SAME else "other"


def explain(program, path, both):
    """Why two objectives differ, by the points and by more solves."""
    fine = {s: solve(program, path, s, "--tol", "1e-11") for s in SOLVERS}
    if judge(fine) in ("same", "other") and abs(difference(fine)) < max(SAME, abs(difference(both)) / 10):
        return f"{difference(fine):+.0e} with tolerance 1e-11: the rest of the barrier"
    kinds = [both[s]["kind"] for s in SOLVERS]
    points = "two minima" if kinds == ["minimum", "minimum"] else f"IPOPT: {kinds[0]}, stage: {kinds[1]}"
    if both["ipopt"]["contacts"] != both["stage"]["contacts"]:
        points += " with other contacts"
    with tempfile.TemporaryDirectory() as folder:
        found = solve(program, path, "ipopt", folder=folder)
        again = solve(program, path, "stage", "--from", folder)
    if again.get("status") != "solved":
        return points
    if abs(difference({"ipopt": found, "stage": again})) < 1e-6:
        return points + "; from IPOPT's motion the stage solver ends at the same one"
    return points + "; from IPOPT's motion the stage solver goes on to another one"


def explain_failure(program, path, both):
    """Why one of them has no solution: its end, and where it ends from the motion of the other."""
    failed = [s for s in SOLVERS if both[s]["status"] not in ("solved", "coarse")]
    names = {"ipopt": "IPOPT", "stage": "the stage solver"}
    why = "; ".join(f"{names[s]}: {both[s]['status'].replace('_', ' ')}" for s in failed)
    if len(failed) == 2:
        return why
    other = SOLVERS[1 - SOLVERS.index(failed[0])]
    with tempfile.TemporaryDirectory() as folder:
        found = solve(program, path, other, folder=folder)
        again = solve(program, path, failed[0], "--from", folder)
    if again.get("status") not in ("solved", "coarse"):
        return why + ", also from the other's motion"
    apart = abs(again["objective"] - found["objective"]) / max(1, abs(found["objective"]))
    end = "the same point" if apart < 1e-6 else "another point"
    return f"{why}; from the other's motion it ends at {end} after {again['iterations']} iterations"


def record(program, folder, path, runs):
    """Both records of a problem, from its file in the folder if it has them."""
    name = path.relative_to(ROOT / "problems").with_suffix("")
    kept = folder / (str(name).replace("/", "-") + ".json")
    both = json.loads(kept.read_text()) if kept.exists() else None
    if not both and runs:
        both = {solver: solve(program, path, solver) for solver in SOLVERS}
        kept.write_text(json.dumps(both))
    reasons = {"other": explain, "not both": explain_failure}
    if both and runs and judge(both) in reasons and "why" not in both:
        both["why"] = reasons[judge(both)](program, path, both)
        kept.write_text(json.dumps(both))
    return str(name), both


def row(name, both, timed):
    """One line of the table."""
    one, two = (both[s] for s in SOLVERS)
    best = min((x["objective"] for x in (one, two) if x["status"] in ("solved", "coarse")), default=None)
    shown = "–" if best is None else f"{best:.10g}"
    off = {"same": "–", "other": "" if judge(both) != "other" else f"{difference(both):+.1e}"}.get(judge(both), "–")
    why = both.get("why", "")
    times = f" {one.get('seconds', 0):.3g}, {two.get('seconds', 0):.3g} |" if timed else ""
    return (f"| {name} | {one['status']} | {two['status']} | {shown} | {off} | {one['iterations']}, {two['iterations']} |"
            f"{times} {why} |")


def table(rows, timed):
    """The lines of the table."""
    head = ["problem", "IPOPT", "stage", "lower objective", "stage minus IPOPT", "iterations"] + ["s"] * timed + ["why"]
    return ["| " + " | ".join(head) + " |", "| " + " | ".join("---" for _ in head) + " |"] + [
        row(name, both, timed) for name, both in rows]


def main():
    parse = argparse.ArgumentParser()
    parse.add_argument("--write", action="store_true")
    parse.add_argument("--tables", action="store_true")
    parse.add_argument("folder", nargs="?", default=str(ROOT / "build/two-solvers"))
    args = parse.parse_args()
    program, folder = os.environ.get("DMOC", str(ROOT / "dmoc")), Path(args.folder)
    folder.mkdir(parents=True, exist_ok=True)
    paths = sorted(p for p in (ROOT / "problems").glob("*/*.yaml") if p.name != "expect.yaml")
    rows = []
    for path in paths:
        name, both = record(program, folder, path, not args.tables)
        if both:
            print(name, judge(both), file=sys.stderr, flush=True)
            rows.append((name, both))
    tasks = [(name, both) for name, both in rows if judge(both) != "refused"]
    odd = [(name, both) for name, both in tasks if judge(both) != "same"]
    counts = (f"{sum(judge(b) == 'same' for _, b in tasks)} of {len(tasks)} tasks have the same objective to 1e-9 of it "
              f"(or of 1), {sum(judge(b) == 'other' for _, b in tasks)} another one, and "
              f"{sum(judge(b) == 'not both' for _, b in tasks)} are not solved by both:")
    print("\n".join(table(tasks, True)) + "\n\n" + counts)
    if args.write:
        page = PAGE.read_text()
        first, rest = page.split(BEGIN)
        text = counts + "\n\n" + "\n".join(table(odd, False)) + "\n"
        PAGE.write_text(first + BEGIN + text + END + rest.split(END, 1)[1])


if __name__ == "__main__":
    main()
