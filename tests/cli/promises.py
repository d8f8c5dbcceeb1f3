#!/usr/bin/env python3
"""Every file that docs/results.md promises is there after the commands of worked problems, is read back, and shows
in the page without an error in the console; no other file is there.

promises.py DMOC SOURCE some|every (of the worked problems)
"""
import atexit
import concurrent.futures
import hashlib
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile

import plain
from browser import Browser

DMOC, SOURCE, SOME = os.path.abspath(sys.argv[1]), os.path.abspath(sys.argv[2]), sys.argv[3] == "some"
PROBLEMS = os.path.join(SOURCE, "problems")
# of which a few have most of all files
FEW = {"acrobot/second-order.yaml", "cart-pole/estimate.yaml", "cart-pole/robustness.yaml",
       "contact/walker.yaml", "throw/throw.yaml"}
failures, seen = [], set()


def expect(holds, words):
    if not holds:
        failures.append(words)
        print("failed:", words, flush=True)


class Folder:
    """A result folder, and the problem that it was made of."""

    def __init__(self, path, command, problem, phased=False):
        self.path, self.command = path, command
        with open(os.path.join(path, "result.json"), encoding="utf-8") as f:
            self.result = json.load(f)
        with open(problem, encoding="utf-8") as f:
            text = re.sub(r"(?m)(^|\s)#.*$", "", f.read())
        # the lines of each key that begins in the first column; those of phases, each of which may have any key
        self.blocks = {m[1]: m[0] for m in re.finditer(r"(?ms)^([\w-]+):.*?(?=^[\w-]|\Z)", text)}
        self.whole = not phased and "phases" in self.blocks
        self.moved = os.path.exists(os.path.join(path, "trajectory.csv"))

    def asks(self, key, entry=""):
        """Whether the problem has the key, with an entry in it."""
        return re.search(rf"\b{entry}\b", self.blocks.get(key, "")) is not None if key in self.blocks else False

    def has(self, path, value=None):
        """Whether result.json has a dotted key, with that value."""
        o = self.result
        for word in path.split("."):
            o = o.get(word) if isinstance(o, dict) else None
        return o is not None if value is None else o == value

    @property
    def optimized(self):
        return self.moved and self.has("solver") and not self.descended

    @property
    def multiplied(self):
        return (self.optimized or self.whole) and not self.has("solver.method", "newton")

    @property
    def descended(self):
        return self.has("methods")

    @property
    def second(self):
        return "second" in self.result.get("transcription", "") or "third" in self.result.get("transcription", "")

    @property
    def designed(self):
        return self.has("gains.status", "done")

    @property
    def verified(self):
        return self.designed and self.asks("verify") and self.has("verify.held")

    @property
    def law(self):
        """Whether what runs has a table of its own."""
        law = self.result["gains"].get("law", "") if self.designed else ""
        plain_law = law.startswith(("state", "velocity, exact", "positions, exact"))
        return law != "none" and self.designed and not (
            plain_law and "Hz" not in law and "integrated" not in law and not self.has("gains.hold_s"))


# the folder of a fit: tests/cli/identify.sh
FIT = {"fitted.yaml", "parameters.csv", "covariance.csv", "combinations.csv", "residuals.csv", "forces.csv", "identify.json",
       "identify.html", "fitted.urdf", "fitted.xml"}
# when a file is there, by its name in docs/results.md
RULES = {
    "result.json": lambda w: True,
    "inputs/": lambda w: True,
    "columns.txt": lambda w: True,
    "report.html": lambda w: w.command.startswith("run"),
    "trajectory.csv": lambda w: not w.whole,
    "outputs.csv": lambda w: not w.whole and w.asks("outputs"),
    "impulses.csv": lambda w: False,  # of equations that repeat others: tests/cli/loops.sh
    "plant.csv": lambda w: w.moved and w.has("plant.name"),
    "convergence.csv": lambda w: w.optimized or w.whole,
    "multipliers.csv": lambda w: w.multiplied,
    "violations.csv": lambda w: w.multiplied and w.result["sizes"]["constraints"] > 0,
    "optima.csv": lambda w: w.asks("starts") or "--starts" in w.command,
    "second-order.csv": lambda w: w.optimized and w.second,
    "momenta.csv": lambda w: w.moved and w.second,
    "descent.csv": lambda w: w.descended and not w.has("compare"),
    "compare.csv": lambda w: w.has("compare"),
    "monitors.csv": lambda w: w.has("monitors") and not w.second,
    "contacts.csv": lambda w: w.has("contacts"),
    "schedule.csv": lambda w: w.has("schedule"),
    "gains.csv": lambda w: w.designed,
    "measured.csv": lambda w: w.law,
    "estimator.csv": lambda w: w.designed and w.asks("feedback", "estimator"),
    "verify.csv": lambda w: w.verified or (w.whole and w.has("verify.periods")),
    "fan.csv": lambda w: w.verified,
    "response.csv": lambda w: w.verified and w.asks("verify", "start"),
    "robustness.csv": lambda w: w.verified and w.asks("verify", "sweep"),
    "region.csv": lambda w: w.verified and w.asks("verify", "region"),
    "criteria.csv": lambda w: w.verified and w.asks("verify", "criteria"),
    "linearization.csv": lambda w: w.has("linearization"),
    "reach.csv": lambda w: w.has("linearization"),
    "second.csv": lambda w: "--second" in w.command,
    "sweep.csv": lambda w: False,
    "finished.csv": lambda w: False,
}
for controller_file in ("controller.c", "controller.h"):
    RULES[controller_file] = lambda w: w.has("controller.status", "done")
for controller_file in ("controller_trace.csv", "controller_replay.c"):
    RULES[controller_file] = lambda w: w.has("controller.status", "done") and not w.whole
CONVERTED = {"motion.mcap": "mcap", "tables.npz": "npz", "mujoco.xml": "mujoco"}
# in the place of Python: pictures are their facts, and the tables that they are drawn from are read by then
DRAWS = os.path.join(tempfile.mkdtemp(prefix="dmoc-draws-"), "draws")
with open(DRAWS, "w", encoding="utf-8") as draws:
    draws.write("#!/bin/sh\ncat\necho '{}' >&3\n")
os.chmod(DRAWS, 0o700)
atexit.register(shutil.rmtree, os.path.dirname(DRAWS))
# pictures that are drawn from a file
PLOTS = {"trajectory.csv": "trajectory", "outputs.csv": "outputs", "gains.csv": "gains", "fan.csv": "loop",
         "response.csv": "error", "robustness.csv": "robustness", "region.csv": "robustness", "monitors.csv": "monitors",
         "contacts.csv": "contacts", "momenta.csv": "momenta", "convergence.csv": "convergence", "descent.csv": "descent"}


def promised():
    """The names of files in the tables of docs/results.md, up to the files of other programs."""
    with open(os.path.join(SOURCE, "docs", "results.md"), encoding="utf-8") as f:
        text = f.read()
    rows = re.findall(r"(?m)^\| (`[^|]*`) \|", text[text.index("## The files"):text.index("## Files for other programs")])
    return {name for row in rows for name in re.findall(r"`([^`]+)`", row)}


def dmoc(*words, status=0):
    done = subprocess.run([DMOC, *words], capture_output=True, text=True, env={**os.environ, "DMOC_PYTHON": DRAWS})
    expect(done.returncode in (status if isinstance(status, tuple) else (status,)),
           f"dmoc {' '.join(words)} ends with {done.returncode}, not {status}: {done.stderr[-600:]}")
    return done


def worked():
    """(file, command, exit status) of each run of worked problems, as their expect.yaml has them."""
    for folder in sorted(os.listdir(PROBLEMS)):
        path = os.path.join(PROBLEMS, folder, "expect.yaml")
        if not os.path.exists(path):
            continue
        with open(path, encoding="utf-8") as f:
            text = re.sub(r"(?m)#.*$", "", f.read())
        for name, body in re.findall(r"(?ms)^(\S[^\n]*):\n(.*?)(?=^\S|\Z)", text):
            said = dict(re.findall(r"(?m)^  (file|command|exit): (.*?)\s*$", body))
            file = f"{folder}/{said.get('file', name)}"
            if not SOME or (file in FEW and "file" not in said):
                yield file, said.get("command", "run"), int(said.get("exit", 0))
    if not SOME:
        yield "cart-pole/swing-up.yaml", "optimize --starts 4", 0


def check_files(w, name):
    """The files of a folder are those that are promised, as they were written."""
    there = {entry + "/" * os.path.isdir(os.path.join(w.path, entry)) for entry in os.listdir(w.path)}
    there -= {phase["name"] + "/" for phase in w.result.get("phases", [])} | {"unfinished/"} | set(CONVERTED)
    if not w.command.startswith("run"):
        there -= {"report.html"}
    wanted = {file for file, rule in RULES.items() if rule(w)}
    # the controller of a phase has the phase's prefix
    prefix = w.result.get("controller", {}).get("prefix", "controller")
    plainly = {re.sub(f"^{re.escape(prefix)}", "controller", file) for file in there}
    expect(not wanted - plainly, f"{name}: there is no {sorted(wanted - plainly)}")
    expect(not plainly - wanted, f"{name}: there is {sorted(plainly - wanted)}, which nothing promises")
    seen.update(plainly)
    for file, digest in w.result["files"].items():
        with open(os.path.join(w.path, file), "rb") as f:
            expect(hashlib.sha256(f.read()).hexdigest() == digest, f"{name}: {file} has another digest")
    return there


def check_tables(w, there, name):
    """Tables are plain, have their place in columns.txt, and are read back by what draws them."""
    with open(os.path.join(w.path, "columns.txt"), encoding="utf-8") as f:
        columns = f.read()
    for file in sorted(f for f in there if f.endswith(".csv")):
        faults = list(plain.faults(plain.pathlib.Path(w.path, file)))
        expect(not faults, f"{name}: {file}: {faults}")
        expect(file in columns, f"{name}: columns.txt does not tell of {file}")
        if file in PLOTS and not w.whole:
            dmoc("plot", w.path, "--what", PLOTS[file], "-o", os.path.join(w.path, "..", f"{name}.svg".replace("/", "-")))


def check_code(w, there, name):
    """The controller and its replay are C that a compiler takes, and agree."""
    if not {"controller.c", "controller_replay.c"} <= there or not shutil.which("cc"):
        return
    with tempfile.TemporaryDirectory() as at:
        replay = os.path.join(at, "replay")
        made = subprocess.run(["cc", "-std=c99", "-ffp-contract=off", "-o", replay, *(os.path.join(w.path, f"controller{part}.c")
                               for part in ("", "_replay")), "-lm"], capture_output=True, text=True)
        expect(made.returncode == 0, f"{name}: controller.c does not compile: {made.stderr[:400]}")
        if made.returncode == 0:
            ran = subprocess.run([replay, os.path.join(w.path, "controller_trace.csv")], capture_output=True, text=True)
            expect(ran.returncode == 0, f"{name}: controller_replay finds {ran.stdout[-200:]}{ran.stderr[-200:]}")


def run_problem(at, number, file, command, status):
    """Run a worked problem and look at all that it leaves; return its page."""
    name, problem = f"{file} ({command})", os.path.join(PROBLEMS, file)
    out = os.path.join(at, str(number))
    done = dmoc(*command.split(), problem, "-o", out, "--json", "--quiet", status=status)
    if not os.path.exists(os.path.join(out, "result.json")):
        expect(status == 2, f"{name}: there is no result.json")
        return None
    found = json.loads(done.stdout)
    expect(found.get("exit", 0) == done.returncode, f"{name}: the answer tells another exit status")
    expect(done.returncode == 0 or found.get("error") in found["warnings"] or status == 2, f"{name}: no warning says {found.get('error')}")
    whole = Folder(out, command, problem)
    folders = [(whole, name)]
    for phase in whole.result.get("phases", []):
        folders.append((Folder(os.path.join(out, phase["name"]), "optimize", problem, True), f"{name} {phase['name']}"))
    for w, words in folders:
        there = check_files(w, words)
        check_tables(w, there, words)
        check_code(w, there, words)

    # the page, and files for other programs, which are made on their own
    if not command.startswith("run"):
        dmoc("report", out)
    for converted, to in CONVERTED.items():
        dmoc("convert", out, "--to", to, status=(0, 2) if to == "mujoco" else 0)
        if os.path.exists(os.path.join(out, converted)):
            seen.add(converted)
    return name, os.path.join(out, "report.html"), [w for w, _ in folders]


def check_page(browser, name, page, folders):
    """A page opens clean, and has each table of its folders with no word that it could not be read."""
    text, faults = browser.open_clean(page)
    expect(not faults and text, f"{name}: the page: {faults}")
    data = browser.run("const d = JSON.parse(document.getElementById('data').textContent);"
                       "return [...d.folders, ...d.groups].map(f => [f.path || '', f.odd || [], (f.tables || []).map(t => [t.name, t.rows])])")
    expect(not any(odd for _, odd, _ in data), f"{name}: the page tells of {[odd for _, odd, _ in data if odd]}")
    shown = {table for _, _, tables in data for table, rows in tables if rows > 0}
    drawn = {file for w in folders for file in PLOTS if file != "momenta.csv" and os.path.exists(os.path.join(w.path, file))}
    expect(drawn <= shown, f"{name}: the page lacks {sorted(drawn - shown)}")
    blank = browser.run("for (const c of charts) { c.seen = true; c.draw(); }"
                        "return charts.filter(c => !(c.sheet.width > 0)).length")
    expect(blank == 0, f"{name}: {blank} charts are not drawn")


def main():
    names = promised()
    known = {*RULES, *CONVERTED, *FIT}
    expect(names == known, f"docs/results.md and this test differ in {sorted(names ^ known)}")
    with tempfile.TemporaryDirectory() as at:
        with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
            runs = [pool.submit(run_problem, at, i, *run) for i, run in enumerate(worked())]
            pages = [run.result() for run in runs if run.result()]
        expect(len(pages) >= len(FEW), f"{len(pages)} worked problems were run")
        if not SOME:
            missing = names - seen - {"sweep.csv", "finished.csv", *FIT}
            expect(not missing, f"no worked problem leaves {sorted(missing)}")
        if not shutil.which("chromium") or not shutil.which("chromedriver"):
            print("skipped: pages in a browser (Debian: chromium chromium-driver)")
            return
        browser = Browser(os.path.join(at, "profile"), flat=SOME)
        try:
            for page in pages:
                check_page(browser, *page)
        finally:
            browser.close()


main()
print(f"{len(failures)} failed")
sys.exit(1 if failures else 0)
