#!/usr/bin/env python3
"""The table of methods and kinds of models in docs/limits.md: each cell works, or the program refuses it by name.

    matrix.py DMOC SOURCE [--write] [KIND...]

runs every method on a small model of every kind (KIND: of these alone). A method works if the program succeeds; it is
refused if the program exits with 2 (or 1 without a result) and a message that says why. Anything else fails. Without
--write the cells must be those of the document.
"""
import os
import subprocess
import sys
import tempfile

ARM = """bodies: [{name: a, joints: [{name: a, type: ry, effort: 9%s}], mass: 1, centre: [0, 0, -0.4], inertia: [0.02, 0.02, 0.01]},
    {name: b, parent: a, offset: {xyz: [0, 0, -0.8]}, joints: [{name: b, type: ry, effort: 9}], mass: 0.5, centre: [0, 0, -0.3], inertia: [0.01, 0.01, 0.005]}]"""
GO = "{a: 0.3, b: -0.2}"
KINDS = {  # model; inputs; start and goal positions; the coordinate that q, v and weights name
    "tree": (ARM % "", "[{joint: a}, {joint: b}]", "0", GO, "{a: 10, b: 10}"),
    "springs": (ARM % "" + "\n  springs: [{name: s, joint: b, stiffness: 3, rest: 0}]", "[{joint: a}, {joint: b}]", "0", GO,
                "{a: 10, b: 10}"),
    "underactuated": (ARM % "", "[{joint: a}]", "0", "{a: 0.1, b: 0}", "{a: 10, b: 10}"),
    "loop": (ARM % "" + "\n  constraints: [{name: gear, type: equal, coordinates: [b, a], ratio: -1}]", "[{joint: a}, {joint: b}]",
             "0", "{a: 0.2, b: -0.2}", "{a: 10, b: 10}"),
    "ball": ("bodies: [{name: a, joints: [{name: a, type: ball}], mass: 1, centre: [0, 0, -0.4], inertia: [0.02, 0.02, 0.01]}]",
             "[{name: m, body: a, frame: body, torque: [1, 0, 0], min: -9, max: 9}, {name: n, body: a, frame: body, "
             "torque: [0, 1, 0], min: -9, max: 9}, {name: o, body: a, frame: body, torque: [0, 0, 1], min: -9, max: 9}]",
             "0", "{a: [0.2, 0, 0]}", "10"),
    "floating": ("gravity: [0, 0, 0]\n  bodies: [{name: a, joints: [{name: x, type: tx}, {name: y, type: ty}, {name: z, type: tz}, "
                 "{name: rz, type: rz}, {name: ry, type: ry}, {name: rx, type: rx}], mass: 1, inertia: [0.02, 0.03, 0.04]}]",
                 "[" + ", ".join(f"{{joint: {j}, effort: 5}}" for j in "x y z rz ry rx".split()) + "]", "0", "{x: 0.2, rz: 0.3}",
                 "10"),
    "prescribed": (ARM % "" + "\n  kinematic: [a]", "[{joint: b}]", "0", "{a: 0.1, b: 0}", "10"),
    "rolling": ("gravity: [0, 0, 0]\n  bodies: [{name: car, joints: [{name: x, type: tx}, {name: y, type: ty}, {name: psi, type: rz}], "
                "mass: 1, inertia: [0.01, 0.01, 0.02]}]\n  constraints: [{name: wheel, type: no-slip, bodies: [car, world], "
                "axis: [0, 1, 0]}]",
                "[{name: drive, body: car, frame: body, force: [1, 0, 0], min: -9, max: 9}, {name: steer, body: car, "
                "frame: body, torque: [0, 0, 1], min: -9, max: 9}]", "0", "{x: 1, y: 0.2, psi: 0}", "{x: 10, y: 0, psi: 10}"),
}
TASK = "horizon: {steps: 20, time: 1}\nstart: {q: START, v: 0}\ngoal: {q: GOAL, v: 0}\ncost: {input: 1}\n"
GAINS = "feedback: {Q: {q: WEIGHT, p: 0.1}, R: 1}\n"
AGAIN = "horizon: {steps: 20, time: 2}\nstart: {q: START, v: 0.5}\ngoal: start\ncost: {input: 1}\n"
SIM = "simulate: {steps: 20, time: 0.2, start: {q: START, v: 0}%s}\n"
METHODS = [  # what the table says; sections of the file, after model and inputs; commands
    ("`simulate`", SIM % "", "simulate"),
    ("order 4", SIM % ", order: 4", "simulate"),
    ("energy-momentum", SIM % ", method: energy-momentum", "simulate"),
    ("rule lobatto-3", SIM % "" + "rule: {lagrangian: lobatto-3}\n", "simulate"),
    ("`optimize`", TASK, "optimize"),
    ("free time", TASK.replace("time: 1", "time: {free: [0.5, 3]}").replace("{input: 1}", "{input: 1, time: 1}"), "optimize"),
    ("second order", TASK + "transcription: second-order\n", "optimize"),
    ("periodic", TASK.replace("goal: {q: GOAL, v: 0}", "goal: {periodic: true}"), "optimize"),
    ("periodic, second order", AGAIN + "transcription: second-order\n", "optimize"),
    ("`descend`", TASK, "descend"),
    ("gains, `verify`", TASK + GAINS + "verify: {samples: 4, spread: {q: 0.001}, tolerance: 1, required: 0}\n", "run"),
    ("`schedule: orbit`", AGAIN + GAINS[:-2] + ", schedule: orbit}\nverify: {samples: 4, spread: {q: 0.001}, tolerance: 1, required: 0}\n",
     "run"),
    ("estimator", TASK + GAINS[:-2] + ", estimator: {encoder: 0.001, process: 0.001}}\n", "optimize gains"),
    ("`export`", TASK + GAINS, "optimize gains export"),
    ("`mpc`", TASK + GAINS + "mpc: {horizon: 10}\nverify: {law: mpc, samples: 2, spread: {q: 0.001}, tolerance: 1, required: 0}\n",
     "run"),
    ("second variation", TASK + "feedback: {Q: second-variation}\n", "optimize gains"),
    ("`linearize`, controllability", TASK, "optimize linearize"),
    ("`linearize --second`", TASK, "optimize linearize-second"),
    ("file for MuJoCo", TASK, "optimize convert"),
]


def run(dmoc, folder, name, commands):
    """Status of the last command and all messages."""
    text = ""
    for word in commands.split():
        out = os.path.join(folder, "out")
        args = {
            "gains": ["gains", out], "export": ["export", out, "--force"], "linearize": ["linearize", out],
            "linearize-second": ["linearize", out, "--second"],
            "convert": ["convert", out, "--to", "mujoco", "-o", os.path.join(folder, "out.xml")],
        }.get(word, [word, name, "-o", out])
        done = subprocess.run([dmoc, *args], cwd=folder, capture_output=True, text=True, timeout=240)
        text += done.stdout + done.stderr
        if done.returncode:
            return done.returncode, text
    return 0, text


def find_cell(dmoc, kind, method):
    model, inputs, start, goal, weight = KINDS[kind]
    _, sections, commands = method
    with tempfile.TemporaryDirectory() as folder:
        file = os.path.join(folder, "case.yaml")
        with open(file, "w", encoding="utf-8") as f:
            f.write(f"model:\n  {model}\ninputs: {inputs}\n")
            f.write(sections.replace("START", start).replace("GOAL", goal).replace("WEIGHT", weight))
        status, text = run(dmoc, folder, file, commands)
    said = [line for line in text.splitlines() if line.startswith("dmoc: ")]
    left = [line for line in said if "file for MuJoCo: the" in line and "not in it" in line]
    if status == 0:
        return ("no", left[0]) if left else ("yes", "")
    why = [line for line in said if not line.startswith("dmoc: warning") and not line.endswith("is unchanged")]
    return ("no", why[-1]) if status in (1, 2) and why else ("?", f"exit {status}: {text[-300:]}")


def table(cells):
    rows = ["| method | " + " | ".join(KINDS) + " |", "| --- |" + " --- |" * len(KINDS)]
    for name, _, _ in METHODS:
        rows.append(f"| {name} | " + " | ".join(cells[name, kind][0] for kind in KINDS) + " |")
    return "\n".join(rows)


def main():
    words = [w for w in sys.argv[1:] if w != "--write"]
    dmoc, source, kinds = os.path.abspath(words[0]), words[1], words[2:] or list(KINDS)
    path = os.path.join(source, "docs", "limits.md")
    with open(path, encoding="utf-8") as f:
        text = f.read()
    cells = {(m[0], kind): find_cell(dmoc, kind, m) for m in METHODS for kind in kinds}
    wrong = [(k, why) for k, (mark, why) in cells.items() if mark == "?"]
    if os.environ.get("MATRIX_WHY"):
        for key, (mark, why) in cells.items():
            if mark != "yes":
                print(*key, mark, why, sep="\t")
    begin, end = text.find("| method | "), text.find("\n\n", text.find("| method | "))
    if "--write" in sys.argv and not wrong:
        with open(path, "w", encoding="utf-8") as f:
            f.write(text[:begin] + table(cells) + text[end:])
    elif not wrong:
        heads = text[begin:end].splitlines()
        names = [c.strip() for c in heads[0].split("|")[1:-1]]
        for line in heads[2:]:
            marks = dict(zip(names, (c.strip() for c in line.split("|")[1:-1])))
            for kind in kinds:
                if marks[kind] != cells[marks["method"], kind][0]:
                    wrong.append(((marks["method"], kind), "docs/limits.md says " + marks[kind]))
    for key, why in wrong:
        print("not so:", *key, "-", why)
    print(f"{len(cells)} cells, {len(wrong)} faults")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
