#!/usr/bin/env python3
"""Worked problems with a line changed, through every command with --json.

  mutate.py DMOC SOURCE [EVERY [FIRST]]

Each mutant is a problem file with a line deleted, doubled or cut off, or with one of its numbers or
values replaced. Whatever the command makes of it: the exit status is 0 to 3, stdout is one JSON
object in UTF-8 that has `warnings`, and `error` where the input was bad, stderr is plain lines, no
temporary file is left, and a command that takes long ends when it is told to; each fourth is told as
soon as it listens. Of all mutants every EVERYth is tried, from the FIRST on.
"""
import json
import math
import os
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import time

PATIENCE = float(os.environ.get("MUTATE_PATIENCE", "2"))  # s, until a command is interrupted
GRACE = float(os.environ.get("MUTATE_GRACE", "10"))  # s, from then on: machines may be loaded
VALUES = ["0", "-1", "1", "nan", "1e308", "-1e308", "1e-308", "2147483648", "1.5", "text", "[]",
          "{}", '""', "[1, 2]", "pi"]
NUMBER = re.compile(r"(?<![\w.])-?\d+(?:\.\d*)?(?:[eE][-+]?\d+)?(?![\w.])")
COMMANDS = [["check"], ["info"], ["optimize", "-o", "out"], ["run", "-o", "out"],
            ["simulate", "-o", "out"], ["gains", "-o", "out"], ["verify", "-o", "out"],
            ["linearize", "-o", "out", "--knot", "0"], ["export", "-o", "out", "--force"],
            ["descend", "-o", "out", "--tol", "1e-3"], ["eval", "--q", "0.1", "--v", "0"],
            ["identify", "log.csv", "-o", "out"]]
LOG = "t,q.shoulder,q.elbow,u.shoulder,u.elbow\n" + "".join(
    f"{0.01 * k:g},{math.sin(0.03 * k):.6f},{math.cos(0.05 * k):.6f},{math.sin(0.04 * k):.6f},0\n" for k in range(99))


def mutants(text):
    """Yield the name of each mutant of a text and the mutant itself."""
    lines = text.split("\n")
    for i, line in enumerate(lines):
        if not line.strip() or line.lstrip().startswith("#"):
            continue

        def put(new):
            return "\n".join(lines[:i] + new + lines[i + 1:])

        yield f"{i + 1} deleted", put([])
        yield f"{i + 1} doubled", put([line, line])
        yield f"{i + 1} cut", "\n".join(lines[:i] + [line[: len(line) // 2]])
        places = [m.span() for m in NUMBER.finditer(line)]
        places += [m.span(1) for m in re.finditer(r":\s*([^\s{}\[\],][^{}\[\],]*)", line)]
        for a, b in places:
            for value in VALUES:
                if value != line[a:b]:
                    yield f"{i + 1}:{a + 1} {value}", put([line[:a] + value + line[b:]])


def refuse_constant(name):
    raise ValueError(f"{name} is no JSON")


def complaint(status, out, err, folder):
    """What is wrong with how a command ended, or None."""
    if status not in (0, 1, 2, 3):
        return f"exit status {status}"
    try:
        answer = json.loads(out.decode("utf-8"), parse_constant=refuse_constant)
    except ValueError as error:
        return f"stdout is not one JSON object: {error}"
    if not isinstance(answer, dict) or not isinstance(answer.get("warnings"), list):
        return "the answer has no array of warnings"
    if status >= 2 and not answer.get("error"):
        return "the answer does not say what is wrong"
    try:
        words = err.decode("utf-8")
    except ValueError:
        return "stderr is not UTF-8"
    if re.search(r"[\x00-\x09\x0b-\x1f\x7f-\x9f]", words):
        return "stderr has control characters"
    if "runtime error" in words or "Sanitizer" in words:
        return "a sanitizer complains"
    left = [f for _, folders, files in os.walk(folder) for f in folders + files if f.startswith(".")]
    return f"left behind: {left}" if left else None


def listens(child):
    """Wait until a command takes SIGINT as its own: on a loaded machine, loading may take long."""
    for _ in range(int(GRACE / 0.01)):
        try:
            with open(f"/proc/{child.pid}/status", encoding="ascii") as file:
                caught = re.search(r"^SigCgt:\s*([0-9a-f]+)", file.read(), re.MULTILINE)
        except OSError:  # not Linux
            return
        if not caught or int(caught[1], 16) >> (signal.SIGINT - 1) & 1 or child.poll() is not None:
            return
        time.sleep(0.01)


def attempt(dmoc, command, name, folder, patience):
    """Run a command on a file; returns its exit status, stdout, stderr and how it was ended."""
    words = [dmoc, command[0], name, *command[1:], "--json"]
    child = subprocess.Popen(words, cwd=folder, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                             stderr=subprocess.PIPE)
    ended = ""
    try:
        out, err = child.communicate(timeout=patience)
    except subprocess.TimeoutExpired:
        ended = "interrupted"
        listens(child)
        child.send_signal(signal.SIGINT)
        try:
            out, err = child.communicate(timeout=GRACE)
        except subprocess.TimeoutExpired:
            child.kill()
            child.communicate()
            return -signal.SIGKILL, b"", b"", "deaf to SIGINT"
    return child.returncode, out, err, ended


def main():
    dmoc, source = os.path.abspath(sys.argv[1]), os.path.abspath(sys.argv[2])
    every = int(sys.argv[3]) if len(sys.argv) > 3 else 1
    first = int(sys.argv[4]) if len(sys.argv) > 4 else 0
    problems = os.path.join(source, "problems")
    names = sorted(os.path.join(folder, file) for folder, _, files in os.walk(problems)
                   for file in files if file.endswith(".yaml") and file != "expect.yaml")
    count, tried, ended, failed = 0, {}, 0, 0
    with tempfile.TemporaryDirectory() as work:
        for name in names:
            folder = os.path.join(work, os.path.basename(os.path.dirname(name)))
            if not os.path.isdir(folder):
                shutil.copytree(os.path.dirname(name), folder)
                with open(os.path.join(folder, "log.csv"), "w", encoding="utf-8") as file:
                    file.write(LOG)
            with open(name, encoding="utf-8") as file:
                text = file.read()
            for what, mutant in mutants(text):
                for command in COMMANDS:
                    count += 1
                    if (count - 1) % every != first:
                        continue
                    with open(os.path.join(folder, "mutant.yaml"), "w", encoding="utf-8") as file:
                        file.write(mutant)
                    patience = PATIENCE if sum(tried.values()) % 4 else 0
                    status, out, err, how = attempt(dmoc, command, "mutant.yaml", folder, patience)
                    why = how if how.startswith("deaf") else complaint(status, out, err, folder)
                    tried[status] = tried.get(status, 0) + 1
                    ended += how != ""
                    if why or status == 3:
                        line = f"{os.path.relpath(name, source)}:{what}: {' '.join(command)}"
                        print(f"{line}: {why or 'exit status 3'} {how}\n    {err[-300:]!r}",
                              flush=True)
                    failed += why is not None
                    shutil.rmtree(os.path.join(folder, "out"), ignore_errors=True)
    kinds = ", ".join(f"{n} with {status}" for status, n in sorted(tried.items()))
    print(f"{sum(tried.values())} of {count} ended: {kinds}; {ended} interrupted; {failed} wrongly")
    return 1 if failed or len(tried) < 3 else 0


if __name__ == "__main__":
    sys.exit(main())
