#!/usr/bin/env python3
"""Solve a problem with IPOPT and with the stage solver: prints its variables and rows, then for
each solver the minimum time of some runs [ms] and the iterations.

  benchmarks/solve_times.py PROBLEM [RUNS]

DMOC: the program. Times are wall times of the solve alone.
"""
import json
import os
import subprocess
import sys
import tempfile

ROOT = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..")
DMOC = os.environ.get("DMOC", os.path.join(ROOT, "dmoc"))


def solve(problem, solver, folder):
    done = subprocess.run([DMOC, "optimize", problem, "--solver", solver, "--starts", "1", "-o", folder, "--json"],
                          capture_output=True, text=True, check=False)
    return json.loads(done.stdout)


def main(problem, runs="5"):
    numbers = []
    with tempfile.TemporaryDirectory() as folder:
        for solver in ("ipopt", "stage"):
            results = [solve(problem, solver, os.path.join(folder, solver)) for _ in range(int(runs))]
            if not numbers:
                numbers = [results[0]["sizes"]["variables"], results[0]["sizes"]["constraints"]]
            least = min(result["time"]["total_s"] for result in results)
            numbers += [f"{1e3 * least:.3g}", results[0]["iterations"]]
    print(*numbers)


if __name__ == "__main__":
    main(*sys.argv[1:])
