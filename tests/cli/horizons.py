#!/usr/bin/env python3
"""Receding-horizon control of the worked problems that have gains, as C: each is exported, compiles without a warning,
and replays its trace bit for bit, in double and in single precision in turn; or dmoc refuses it, by the name of the part
that it does not support. The problems that are refused are listed.

    horizons.py DMOC SOURCE some|every
"""
import glob
import os
import re
import shutil
import subprocess
import sys
import tempfile

DMOC, SOURCE = (os.path.abspath(word) for word in sys.argv[1:3])
SOME = ("acrobot/swing-up", "crane/stop", "pendulum/bounded", "four-bar/turn", "six-axis-arm/reach",
        "series-elastic/swing-up", "quadrotor/flip-3d")
STRICT = "cc -std=c99 -O2 -Wall -Wextra -Wconversion -Wshadow -Werror -pedantic".split()
# a motion of one step less than the horizon, or one that does not rest, has a shorter one
TOO_LONG = re.compile(r"mpc\.horizon: found \d+, more than the (\d+) steps")
REFUSAL = re.compile(r"receding-horizon|mpc|law")
EXPORTED = {"some": 6, "every": 54}  # at least

failures = []


def run(*words, folder=None):
    """Return the exit status and the output of a program."""
    done = subprocess.run(words, cwd=folder, stdin=subprocess.DEVNULL, text=True, stdout=subprocess.PIPE,
                          stderr=subprocess.STDOUT, timeout=600)
    return done.returncode, done.stdout


def sections_of(text):
    """The sections of a problem file by their keys, in order."""
    parts = re.split(r"^(?=\w+:)", text, flags=re.M)
    return {part.split(":")[0]: part for part in parts if re.match(r"\w+:", part)}


def write(problem, path, horizon):
    """Write the problem with receding-horizon control."""
    with open(f"{SOURCE}/problems/{problem}.yaml", encoding="utf-8") as f:
        sections = sections_of(f.read())
    measure = "" if "mpc" in sections else f"mpc: {{horizon: {horizon}}}\n"
    kept = "".join(text.rstrip("\n") + "\n" for key, text in sections.items() if key != "verify")
    with open(path, "w", encoding="utf-8") as f:
        f.write(kept + measure + "verify: {law: mpc, samples: 2, required: 0, spread: {q: 1e-3, v: 1e-3}}\n")


def export(problem, single):
    """Export a problem into the folder `out`; the refusal, or None."""
    folder = os.path.dirname(problem)
    path = os.path.join(folder, "receding.yaml")
    write(problem, path, 20)
    status, said = run(DMOC, "run", path, "-o", "out")
    short = TOO_LONG.search(said)
    if short:
        write(problem, path, short.group(1))
        status, said = run(DMOC, "run", path, "-o", "out")
    if status == 0:
        status, said = run(DMOC, "export", "out", "--mpc", *(["--single"] if single else []))
    return said if status else None


def replay(problem):
    """What is not so of the C in the folder `out`."""
    for name in ("controller.c", "controller_replay.c"):
        status, said = run(*STRICT, "-c", name, "-o", name + ".o", folder="out")
        if status:
            failures.append(f"{problem}: {name} has warnings\n{said[:800]}")
            return
    run("cc", "controller.c.o", "controller_replay.c.o", "-o", "replay", folder="out")
    status, said = run("./replay", folder="out")
    if status or not re.search(r"\b[1-9]\d* rows, 0 numbers differ", said):
        failures.append(f"{problem} is not replayed\n{said[:800]}")


def list_problems():
    """The worked problems with gains."""
    found = []
    for path in sorted(glob.glob(f"{SOURCE}/problems/*/*.yaml")):
        with open(path, encoding="utf-8") as f:
            if "feedback" in sections_of(f.read()):
                found.append(os.path.relpath(path, f"{SOURCE}/problems")[:-5])
    return found


def main():
    """Every problem, or some."""
    problems = SOME if sys.argv[3] == "some" else list_problems()
    refused, left_out = [], 0
    with tempfile.TemporaryDirectory() as folder:
        os.chdir(folder)
        for name in os.listdir(f"{SOURCE}/problems"):
            if os.path.isdir(f"{SOURCE}/problems/{name}"):
                shutil.copytree(f"{SOURCE}/problems/{name}", name)
        for i, problem in enumerate(problems):
            shutil.rmtree("out", ignore_errors=True)
            why = export(problem, i % 2 == 1)
            if why is None:
                replay(problem)
                continue
            if "no IPOPT" in why:
                left_out += 1
                continue
            line = next((x for x in why.split("\n") if x.startswith("dmoc: ") and "warning" not in x), why[-300:])
            refused.append(problem)
            print(f"refused: {problem}: {line}")
            if not REFUSAL.search(line):
                failures.append(f"{problem} is refused without a reason\n{why[-600:]}")
        os.chdir(SOURCE)
    exported = len(problems) - len(refused) - left_out
    print(f"{exported} of {len(problems)} problems exported")
    if exported < EXPORTED[sys.argv[3]] - left_out:
        failures.append(f"only {exported} are exported")
    for text in failures:
        print("not so:", text)
    return 1 if failures else 0


if not shutil.which("cc"):
    print("skipped: exported horizons (there is no cc)")
    sys.exit(77)
sys.exit(main())
