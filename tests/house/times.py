#!/usr/bin/env python3
"""List the processor time of each test of a change, and compare their sum with the budget.

  ./dmoc test --times [--budget SECONDS] [NAME...]          (all tests but those of nightly, or those named)

The tests run one at a time, as `meson test` runs them. Time of processes counts, also of those that a test leaves
behind, so a loaded machine changes little. A test that fails is named. The exit status is 1 if one fails or the sum is
above the budget.
"""
import argparse
import ctypes
import json
import os
import resource
import signal
import subprocess
import sys

SUBREAPER = 36  # PR_SET_CHILD_SUBREAPER: processes whose parent has ended become children of this one


def read_tests(build, names):
    """Return the tests with these names; without names, those of a change."""
    listed = subprocess.run(["meson", "introspect", build, "--tests"], capture_output=True, text=True, check=True)
    tests = json.loads(listed.stdout)
    unknown = set(names) - {test["name"] for test in tests}
    if unknown:
        sys.exit(f"times.py: no test is called {', '.join(sorted(unknown))}: 'meson test -C {build} --list' lists them")
    return [test for test in tests if (test["name"] in names if names else
                                       not any(suite.endswith(":nightly") for suite in test["suite"]))]


def children_time():
    """Return the processor time in s of all processes that have ended."""
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def run_test(build, test):
    """Return the processor time in s of a test, and whether it passes."""
    before = children_time()
    done = subprocess.run(test["cmd"], cwd=test["workdir"] or build, check=False,
                          env={"OPENBLAS_NUM_THREADS": "1", **os.environ, **test["env"]},
                          stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    try:
        while os.waitpid(-1, os.WNOHANG)[0]:
            pass
    except ChildProcessError:
        pass
    return children_time() - before, done.returncode in (0, 77)


def main():
    words = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    words.add_argument("build")
    words.add_argument("names", nargs="*")
    words.add_argument("--budget", type=float, default=float("inf"), help="most processor time of all, in s")
    words = words.parse_args()
    signal.signal(signal.SIGINT, signal.SIG_DFL)  # a shell has it ignored by what runs in its background
    ctypes.CDLL(None).prctl(SUBREAPER, 1, 0, 0, 0)
    total, failed, rows = 0.0, [], []
    for test in read_tests(words.build, words.names):
        time, passes = run_test(words.build, test)
        total += time
        rows.append((time, test["name"]))
        failed += [] if passes else [test["name"]]
        print(f"{time:8.2f} s  {test['name']}", file=sys.stderr, flush=True)
    print("".join(f"{time:8.2f} s  {name}\n" for time, name in sorted(rows, reverse=True)), end="")
    print(f"{total:8.2f} s  all {len(rows)} tests, at most {words.budget:g} s" + "".join(f"; {name} fails" for name in failed))
    return 1 if failed or total > words.budget else 0


if __name__ == "__main__":
    sys.exit(main())
