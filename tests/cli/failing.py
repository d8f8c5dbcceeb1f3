#!/usr/bin/env python3
"""Each command on a small problem while its calls fail: the disk is full, the device broken, memory short, the
process killed, the clock jumps, the locale has decimal commas.

    failing.py DMOC SOURCE FAULTS [SANITIZER] [--each N | --all] [--share N] [--seed S] [--only WORD] [--fault WORD] [--jobs J] [--counted]

FAULTS is tests/support/faults.c as a library to be preloaded. A few calls of each command fail, one a run (--each of
each kind, drawn anew with --seed); with --share calls of every Nth kind, from another one on for the next command;
with --all every one. After each it holds that the exit status is right and no signal's, that stdout is one JSON object
which says the same, that all files are as they were or as they were to be, and that nothing else is left. See docs/trust.md.
"""
import argparse
import collections
import hashlib
import json
import multiprocessing.pool
import os
import random
import re
import shutil
import subprocess
import sys
import tempfile

DONE, OUTCOME, INPUT, FAULT = range(4)
PATIENCE = 120  # s; what hangs is found

# a command, and what it writes: a folder that is committed as a whole, a file, a journal that goes on, nothing
Command = collections.namedtuple("Command", "name words writes")
COMMANDS = [Command(*row) for row in [
    ("check", "check task.yaml", None),
    ("optimize", "optimize task.yaml -o way", "way"),
    ("optimize from", "optimize task.yaml --from way -o fresh", "fresh"),
    ("ipopt", "optimize task.yaml --solver ipopt -o way", "way"),
    ("infeasible", "optimize hopeless.yaml -o way", "way"),
    ("run", "run task.yaml -o way", "way"),
    ("simulate", "simulate swing.yaml -o way", "way"),
    ("descend", "descend paper.yaml -o way", "way"),
    ("gains", "gains way", "way"),
    ("verify", "verify way", "way"),
    ("export", "export way --all", "way"),
    ("linearize", "linearize way", "way"),
    ("sweep", "sweep task.yaml --vary cost.input=1,2 --threads 1 -o cases", "journal"),
    ("tune", "tune soft.yaml --threads 1 -o tuned.yaml", "tuned.yaml"),
    ("plot", "plot way -o way.svg", "way.svg"),
    ("moving", "plot way --what moving -o moving.svg", "moving.svg"),
    ("report", "report way -o way.html", "way.html"),
    ("mcap", "convert way --to mcap -o way.mcap", "way.mcap"),
    ("npz", "convert way --to npz -o way.npz", "way.npz"),
    ("mujoco", "convert way --to mujoco -o way.xml", "way.xml"),
    ("info", "info pendulum.urdf", None),
    ("eval", "eval pendulum.urdf --q 1 --v 1", None),
]]
# what fails, in which calls, and the exit status that says so where it is told
FAULTS = [
    ("short memory", "memory", "", FAULT),
    ("no memory", "memory", "+", FAULT),
    ("full", "files", "", INPUT),
    ("broken", "files", "+", INPUT),
    ("full", "write", "", INPUT),
    ("broken", "write", "", INPUT),
    ("kill", "files", "", None),
    ("kill", "write", "", None),
]
TASK = """model: {urdf: pendulum.urdf, gravity: [0, 0, -9.8]}
inputs: [{joint: pivot, effort: 20}]
horizon: {steps: 8, time: 1}
start: {q: {pivot: 0}, v: 0}
goal: {q: {pivot: GOAL}, v: 0}
cost: {input: 1}
feedback: {Q: {q: 10, p: 1}, R: 1, Qf: riccatiMORE}
verify: {samples: 2, seed: 1, spread: {q: 0.01, v: 0.01}, tolerance: 0.5CRITERIA}
"""
SWING = """model: {urdf: pendulum.urdf, gravity: [0, 0, -9.8]}
simulate: {steps: 8, step: 0.01, start: {q: {pivot: 1}}}
"""
PAPER = TASK.replace("GOAL", "2").replace("MORE", "").replace("CRITERIA", "") + "guess: rollout\n"


class Trial:
    """One command: how it ends undisturbed, and what its files are before and after."""

    def __init__(self, bench, command):
        self.bench, self.command = bench, command
        first, second = bench.run(command), bench.run(command)
        self.status, self.before = first.status, bench.before
        self.volatile = {path for path in first.files if first.files[path] != second.files.get(path)}
        self.after = self.steady(first.files)
        a, b = flat(first.answer), flat(second.answer)
        self.volatile_keys = {key for key in a.keys() | b.keys() if a.get(key) != b.get(key)}
        self.answer = self.steady_answer(first.answer)
        self.known = set(first.files) | set(bench.before)

    def steady(self, files):
        """Files that differ from run to run count as there."""
        return {path: "there" if path in self.volatile and path not in self.bench.before
                or path in self.volatile and digest != self.bench.before[path] else digest
                for path, digest in files.items()}

    def steady_answer(self, answer):
        return {key: value for key, value in flat(answer).items() if key not in self.volatile_keys}


def flat(value, prefix=""):
    """A JSON value as a dictionary of paths."""
    if isinstance(value, dict):
        value = value.items()
    elif isinstance(value, list):
        value = enumerate(value)
    else:
        return {prefix: value}
    return {path: x for key, item in value for path, x in flat(item, f"{prefix}/{key}").items()}


def digests(root):
    """The SHA-256 of each file below a folder; of a page that is whole, which says what it lacks, a word."""
    found = {}
    for folder, _, names in os.walk(root):
        for name in names:
            path = os.path.join(folder, name)
            with open(path, "rb") as f:
                text = f.read()
            whole = name.endswith(".html") and text.rstrip().endswith(b"</html>")
            found[os.path.relpath(path, root)] = "a page" if whole else hashlib.sha256(text).hexdigest()
    return found


Run = collections.namedtuple("Run", "status out err answer files struck calls room")


class Bench:
    """A folder with small problems and a result, copied for each run."""

    def __init__(self, program, source, faults, root):
        self.program, self.faults, self.root = program, faults, root
        self.count = 0
        # pictures are their facts: what draws them is no part of the program
        self.draws = os.path.join(root, "draws")
        with open(self.draws, "w", encoding="utf-8") as file:
            file.write("#!/bin/sh\nunset LD_PRELOAD\ncat\necho '{}' >&3\n")
        os.chmod(self.draws, 0o700)
        self.template = os.path.join(root, "template")
        os.mkdir(self.template)
        shutil.copy(os.path.join(source, "problems", "pendulum", "pendulum.urdf"), self.template)
        self.write("task.yaml", TASK, "1", "", "")
        self.write("old.yaml", TASK, "0.5", "", "")
        self.write("hopeless.yaml", TASK.replace("time: 1", "time: 0.01"), "1", "", "")
        self.write("soft.yaml", TASK, "1", ", tune: {tries: 2, seed: 3}",
                   ", criteria: [{vary: delay, to: 0.1, levels: 3}]")
        self.write("swing.yaml", SWING)
        self.write("paper.yaml", PAPER)
        done = subprocess.run([program, "run", "old.yaml", "-o", "way"], cwd=self.template, capture_output=True, text=True)
        if done.returncode != DONE:
            raise SystemExit(f"the first result cannot be made: {done.stderr}")
        self.before = digests(self.template)

    def write(self, name, text, goal="", more="", criteria=""):
        with open(os.path.join(self.template, name), "w") as f:
            f.write(text.replace("GOAL", goal).replace("MORE", more).replace("CRITERIA", criteria))

    def room(self):
        self.count += 1
        path = os.path.join(self.root, str(self.count))
        shutil.copytree(self.template, path, symlinks=True)
        return path

    def run(self, command, fault="", environment=None, room=None, keep=False):
        """Run a command, in a copy of its own unless room is given."""
        room = room or self.room()
        extra = {"DMOC_PYTHON": self.draws, **(environment or {})}
        if fault:
            extra.update(FAULT=fault, LD_PRELOAD=self.faults)
        try:
            done = subprocess.run([self.program, *command.words.split(), "--json"], cwd=room, capture_output=True,
                                  env={**os.environ, **extra}, timeout=PATIENCE, stdin=subprocess.DEVNULL)
            status, out, err = done.returncode, done.stdout.decode(), done.stderr.decode()
        except subprocess.TimeoutExpired:
            status, out, err = None, "", "it did not end"
        calls = re.findall(r"^calls (\d+)$", err, re.M)
        found = Run(status, out, err, read_answer(out), digests(room), "struck\n" in err,
                    int(calls[-1]) if calls else 0, room)
        if not keep:
            shutil.rmtree(room)
        return found


def read_answer(out):
    try:
        answer = json.loads(out)
    except ValueError:
        return None
    return answer if isinstance(answer, dict) else None


def damaged(room):
    """The first file of a result folder that is not what its result.json says, or None."""
    path = os.path.join(room, "way", "result.json")
    if not os.path.exists(path):
        return None
    with open(path) as f:
        listed = json.load(f).get("files", {})
    there = digests(os.path.join(room, "way"))
    return next((name for name, digest in listed.items() if there.get(name) != digest), None)


def judge_end(trial, run, fault, expected):
    """What is wrong with how a process ended, or None."""
    if run.status is None or run.status < 0 or run.status > FAULT:
        return f"exit status {run.status}"
    if run.answer is None:
        return "stdout is not one JSON object"
    if run.status == trial.status:
        if fault.startswith("short") and "/error" in trial.answer.keys() ^ flat(run.answer).keys():
            return "an error beside the usual exit status"
        return None
    if run.status != expected:
        return f"exit status {run.status}, expected {expected}"
    if run.answer.get("exit") != run.status:
        return f"the answer has exit {run.answer.get('exit')}, the process {run.status}"
    if "dmoc: " not in run.err:
        return "it fails without a word"
    if expected == FAULT and not re.search("memory", run.err, re.I):
        return "memory is short, and something else is said"
    return None


def finish(bench, trial, run):
    """The files after the command that does what a commit left to do."""
    folder = trial.command.writes
    bench.run(Command("", f"finish {folder}", None), room=run.room, keep=True)
    return trial.steady(digests(run.room))


def judge_again(bench, trial, run):
    """What is wrong once the command has run again, undisturbed: leftovers, or None."""
    again = bench.run(trial.command, room=run.room, keep=True)
    files = trial.steady(again.files)
    if again.status != trial.status:
        return f"again, it ends with {again.status}: {again.err[-200:]}"
    wrong = sorted(p for p in files.keys() | trial.after.keys() if files.get(p) != trial.after.get(p))
    return f"again, its files are others: {wrong}" if wrong else None


def lists_failure(room):
    """Does the table of tries say that one has failed, or the last ones, which are on fresh draws?"""
    with open(os.path.join(room, "tuned-tries.csv"), encoding="utf-8") as f:
        rows = [row.split(",") for row in f]
    return any(row[0] == "failed" or row[0] == "file" and not row[3] for row in rows)


def judge_files(bench, trial, run, lasting):
    """What is wrong with the files that are left, or None; lasting: nothing could be removed either."""
    files, before, after = trial.steady(run.files), trial.steady(trial.before), trial.after
    if trial.command.writes == "journal":  # each case is one, and the next command goes on
        return judge_again(bench, trial, run)
    half = any(path.endswith("/.dmoc-new/commit") for path in files)
    if half:
        files = finish(bench, trial, run)
    extra = sorted(p for p in files.keys() - trial.known if trial.command.name not in ("run", "infeasible") or "/unfinished/" not in p)
    if extra and not lasting:
        return f"left: {extra}"
    # stages that were finished, and a page that is made of the result behind it, are files of their own
    stages = any(p.startswith("way/unfinished/") for p in files)
    files, before, after = [
        {p: d for p, d in one.items() if not re.search("dmoc-new/|^way/unfinished/|^way/report.html$", p)}
        for one in (files, before, after)]
    if run.status == trial.status and "cannot be read" in run.err:  # it said what it went without
        return damaged(run.room) and f"{damaged(run.room)} is not what result.json says"
    if files not in (before, after):
        wrong = sorted(p for p in files.keys() | after.keys() if files.get(p) not in (after.get(p), before.get(p)))
        mixed = sorted(p for p in files.keys() | after.keys() if files.get(p) != after.get(p))
        if not wrong and trial.command.name == "tune" and run.status != trial.status:
            return None  # its file and the table of tries are committed one by one, and it said so
        if trial.command.name == "tune" and lists_failure(run.room):
            return None  # a try whose files could not be read
        return f"neither the old files nor the new ones: {wrong or mixed}, ended with {run.status}"
    if run.status == trial.status and files != after:
        return "it says that it wrote, and did not"
    if damaged(run.room):
        return f"{damaged(run.room)} is not what result.json says"
    return judge_again(bench, trial, run) if lasting or stages else None


def attempt(bench, trial, fault, at, expected):
    """One run with one fault: None, or what is wrong."""
    run = bench.run(trial.command, f"{fault} {at}", keep=True)
    wrong = None
    if run.struck:
        killed = fault.startswith("kill")
        if killed and run.status != -9:
            wrong = f"killed, and exit status {run.status}"
        if not killed:
            wrong = judge_end(trial, run, fault, expected)
        wrong = wrong or judge_files(bench, trial, run, killed or "files" in fault and str(at).endswith("+"))
        if wrong:
            wrong += " | " + run.err.replace("struck\n", "").strip().replace("\n", " / ")[-300:]
    shutil.rmtree(run.room)
    return wrong


def places(calls, each, draw):
    """Which calls fail: all, or some of them, spread over the command."""
    if not each or calls <= each:
        return range(1, calls + 1)
    return sorted({1 + int((i + draw.random()) * calls / each) for i in range(each)})


def plan(bench, trial, each, draw, only, faults):
    """The runs of a command: fault, place, expected exit status."""
    counted = {}
    for what, which, more, expected in faults:
        word = {"no memory": "short"}.get(what, what.split()[0])
        if only and only not in f"{what} {which}":
            continue
        if which not in counted:
            counted[which] = bench.run(trial.command, f"count {which} 1").calls
        for n in places(counted[which], each, draw):
            yield f"{word} {which}", f"{n}{more}", expected


def same(trial, run):
    """What differs from the undisturbed run, or None."""
    if run.status != trial.status:
        return f"exit status {run.status}, expected {trial.status}: {run.err[-200:]}"
    if run.answer is None:
        return "stdout is not one JSON object"
    here = {k: v for k, v in flat(run.answer).items() if k not in trial.volatile_keys}
    for key in here.keys() | trial.answer.keys():
        if here.get(key) != trial.answer.get(key):
            return f"{key} is {here.get(key)}, undisturbed {trial.answer.get(key)}"
    files = trial.steady(run.files)
    differ = sorted(p for p in files.keys() | trial.after.keys() if files.get(p) != trial.after.get(p))
    return f"files differ: {differ}" if differ else None


def surroundings(bench, trial):
    """Under clocks that jump and a locale with decimal commas all is the same."""
    run = bench.run(trial.command, "jump clock 1+")
    timed = trial.command.name == "tune"  # which has a limit of time, that a clock may say is over
    wrong = judge_end(trial, run, "jump clock", trial.status) if timed else same(trial, run)
    if wrong:
        yield "clocks that jump", wrong
    if bench.commas:
        wrong = same(trial, bench.run(trial.command, environment=bench.commas))
        if wrong:
            yield "decimal commas", wrong


def comma_locale(root):
    """The environment of a locale with decimal commas, made here; None without localedef."""
    if not shutil.which("localedef"):
        return None
    path = os.path.join(root, "de_DE.UTF-8")
    made = subprocess.run(["localedef", "-i", "de_DE", "-f", "UTF-8", path], capture_output=True)
    if made.returncode or not os.path.isdir(path):
        return None
    return {"LOCPATH": root, "LC_ALL": "de_DE.UTF-8", "LANG": "de_DE.UTF-8"}


def read_words():
    words = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    words.add_argument("program")
    words.add_argument("source")
    words.add_argument("faults")
    words.add_argument("sanitizer", nargs="?", default="none")
    words.add_argument("--each", type=int, default=1)
    words.add_argument("--all", action="store_true")
    words.add_argument("--share", type=int, default=1)
    words.add_argument("--seed", type=int, default=1)
    words.add_argument("--only", help="commands of this name")
    words.add_argument("--fault", default="", help="faults with this word")
    words.add_argument("--jobs", type=int, default=os.cpu_count())
    words.add_argument("--counted", action="store_true", help="the program counts its lines (gcov)")
    return words.parse_args()


def main():
    words = read_words()
    if words.sanitizer != "none":
        print("skipped: calls that fail (a sanitizer wants to be loaded first)")
        return 77
    if words.counted:
        print("skipped: short memory (what counts lines asks for some when the program has ended)")
        FAULTS[:] = [row for row in FAULTS if row[1] != "memory"]
    failures, tried = [], collections.Counter()
    with tempfile.TemporaryDirectory() as root, multiprocessing.pool.ThreadPool(words.jobs) as pool:
        bench = Bench(os.path.realpath(words.program), os.path.realpath(words.source), os.path.realpath(words.faults), root)
        bench.commas = comma_locale(root)
        if not bench.commas:
            print("skipped: a locale with decimal commas (no localedef)")
        draw = random.Random(words.seed)
        for number, command in enumerate(COMMANDS):
            if words.only and words.only != command.name:
                continue
            trial = Trial(bench, command)
            faults = FAULTS[number % words.share::words.share]
            runs = list(plan(bench, trial, 0 if words.all else words.each, draw, words.fault, faults))
            ends = pool.map(lambda r: attempt(bench, trial, *r), runs, chunksize=1)
            bad = [(f"{fault} {at}", wrong) for (fault, at, _), wrong in zip(runs, ends) if wrong]
            bad += [] if words.fault else surroundings(bench, trial)
            tried[command.name] = len(runs)
            print(f"{command.name}: {len(runs)} calls, {len(bad)} wrong", flush=True)
            failures += [(command.name, *b) for b in bad]
    for name, fault, wrong in failures:
        print(f"not so: {name}, FAULT='{fault}': {wrong}")
    print(f"{sum(tried.values())} calls failed, {len(failures)} with something wrong")
    return bool(failures)


if __name__ == "__main__":
    sys.exit(main())
