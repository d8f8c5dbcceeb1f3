#!/usr/bin/env python3
"""What a robot relies on in an exported controller.c: laws of every kind, read and run.

    controller.py DMOC SOURCE [LAW...]

Every law by every look, or those that are named: then the sanitizers of one compiler each, in turn, and MISRA's rules,
which take longest, in the first law.

Read: no warning of a strict compiler, no rule of MISRA C:2012 that cppcheck finds broken but those that
docs/exported-code.md lists, no recursion, no unbounded loop, nothing linked. Run, under
sanitizers: any measurement, time and knot, early, late, again and backwards; operations counted; ranges of inputs sampled.
"""
import os
import re
import shutil
import subprocess
import sys
import tempfile

DMOC, SOURCE = (os.path.abspath(word) for word in sys.argv[1:3])
HERE = os.path.dirname(os.path.abspath(__file__))
CART = f"model: {{urdf: {SOURCE}/problems/cart-pole/cart-pole.urdf}}\n"
MOTION = CART + "simulate: {time: 1, steps: 50}\nstart: {q: {pole: 2}}"
REST = CART + "balance: {q: {pole: pi}, steps: 50, time: 1}"
ARM = """model:
  bodies:
    - {name: upper, joints: [{name: shoulder, type: ry}], mass: 1, centre: [0, 0, -0.5]}
    - {name: lower, parent: upper, offset: {xyz: [0, 0, -1]}, joints: [{name: elbow, type: ry}],
       mass: 1.5, centre: [0, 0, -0.7]}
inputs: [{joint: shoulder, effort: 60}, {joint: elbow, effort: 25}]
balance: {q: {shoulder: 2, elbow: -1}, steps: 50, time: 1}"""
TIP = ARM + """
outputs:
  - {name: tip, type: position, bodies: lower, points: [0, 0, -1.4]}
  - {name: bend, type: sum, coordinates: [elbow]}"""
RUBBED = ARM.replace("inputs:", """  friction:
    - {joint: shoulder, force: 3, smooth: 0.02, static: 4, stribeck: 0.1, viscous: 0.3}
    - {joint: elbow, force: 1, smooth: 0.05, offset: 0.2}
inputs:""")
PERIODIC = """model: {bodies: [{name: bob, joints: [{name: pivot, type: ry, damping: 0.3}], mass: 1, centre: [0, 0, -1]}]}
inputs: [{joint: pivot, effort: 20}]
horizon: {steps: 30, time: 1.5}
start: {q: free}
goal: start
via: [{at: 50 %, q: {pivot: 60 deg}}]
cost: {input: 1}"""
BALL = """model:
  gravity: [0, 0, 0]
  bodies: [{name: hull, joints: [ball], mass: 1, inertia: {xx: 0.02, yy: 0.03, zz: 0.04, xy: 0.002}}]
inputs: [{joint: hull.rx, effort: 2}, {joint: hull.ry, effort: 2}, {joint: hull.rz, effort: 2}]
balance: {q: {hull: [0.3, 0.2, 0.1]}, steps: 50, time: 1}"""
with open(f"{SOURCE}/problems/quadrotor/gust-3d.yaml", encoding="utf-8") as task:
    FLYING = task.read().split("feedback:")[0].replace("steps: 100, time: 2", "steps: 30, time: 1.2, gap: none")
    FLYING = FLYING.replace("inputs:", "  wrenches: [{name: weight, body: hull, frame: mixed, point: [0, 0, -0.05], "
                            "force: [0, 0, -0.5]}]\ninputs:")
with open(f"{SOURCE}/problems/drives/elastic-arm.yaml", encoding="utf-8") as task:
    ELASTIC = task.read().split("feedback:")[0].replace("steps: 150", "steps: 45, gap: none")
SWING = CART + """inputs: [{joint: slider, effort: 20}]
horizon: {steps: 50, time: 2}
start: {q: {slider: 0, pole: 0}, v: 0}
goal: {q: {slider: 1, pole: -pi}, v: 0}
cost: {input: 1}"""
FLYER = """name: flyer
model:
  bodies:
    - {name: hull, joints: [{name: x, type: tx}, {name: z, type: tz}, {name: pitch, type: ry}], mass: 0.65,
       inertia: [0.0075, 0.0075, 0.013]}
    - {name: load, parent: hull, joints: [{name: swing, type: ry}], mass: 0.1, centre: [0, 0, -0.3],
       inertia: [1e-3, 1e-3, 1e-3]}
  wrenches: [{name: weight, body: hull, frame: mixed, point: [0, 0, -0.1], force: [0, 0, -0.7]}]
inputs:
  - {name: front, body: hull, frame: body, point: [0.17, 0, 0], force: [0, 0, 1], min: 0, max: 8}
  - {name: rear, body: hull, frame: body, point: [-0.17, 0, 0], force: [0, 0, 1], min: 0, max: 8}
horizon: {steps: 50, time: 1}
start: {q: 0, v: 0}
goal: {q: {x: 0.5, z: 0.1, pitch: 0, swing: 0}, v: 0}
cost: {input: 1}"""
TASK = SWING.replace("horizon: {steps: 50, time: 2}\n", "") + """
phases:
  - {name: up, horizon: {steps: 25, time: 1}}
  - {name: over, horizon: {steps: 25, time: 1}}"""
MOTORS = MOTION.replace("urdf}", "urdf, drives: [{joint: slider, stall: 12, no_load_speed: 3}]}")
with open(f"{SOURCE}/problems/cart-pole/dry-friction.yaml", encoding="utf-8") as task:
    RUB = task.read().split("feedback:")[0]
FILTER = "estimator: {encoder: 1e-4, process: 1e-4"

# name, what moves, words of feedback, words of export
LAWS = [
    ("all", MOTION, "measure: velocity, limits: {slider: [-15, 12]}", "--all"),
    ("single", MOTION, "measure: state, delay: 1", "--all --single"),
    ("late", MOTION, "measure: positions, delay: 1, rate_limit: 300, envelope: 0.5", ""),
    ("continuous", MOTION, "measure: positions, motion: continuous, hold: 0", ""),
    ("rest", REST, "envelope_cost: 1e3, fallback: {damping: 5}, rate_limit: 100", ""),
    ("arm", ARM, "measure: velocity, momentum: exact, envelope: 0.5, fallback: {damping: 3}", ""),
    ("arm-filter", ARM, FILTER + ", disturbance: {time: 0.5, bound: 2}}", ""),
    ("swing", SWING, "measure: positions", "--all"),
    ("difference", MOTION, "measure: difference, delay: 1, envelope: 0.5", "--single"),
    ("flyer-exact", FLYER, "measure: positions, momentum: exact, rate: 100, envelope: 0.5", ""),
    ("rubbed-exact", RUBBED, "measure: positions, momentum: exact, rate: 100, envelope: 0.5", ""),
    ("positions-exact", ARM, "measure: positions, momentum: exact, rate: 80, envelope: 0.5", ""),
    ("difference-exact", ARM, "measure: difference, momentum: exact, rate: 80, rate_limit: 300, "
     "integral: [elbow], envelope: 0.3, fallback: {damping: 3}", ""),
    ("swing-filter", SWING, FILTER + ", disturbance: {time: 0.5, bound: 2}}", "--single"),
    ("task", TASK, "rate_limit: 300, envelope: 0.5, integral: [slider]", ""),
    ("task-positions", TASK, "measure: positions", "--single"),
    ("task-past", TASK, "measure: positions, momentum: exact", ""),
    ("task-difference", TASK, "measure: difference, momentum: exact, envelope: 0.5", "--single"),
    ("task-momentum", TASK, "momentum: exact, envelope_cost: 1e5", ""),
    ("friction", RUB, "friction: 0.9, hold: 1, integral: [cart], envelope: 0.9", ""),
    ("friction-single", RUB, "friction: compensate, hold: 1", "--single"),
    ("motors", MOTORS, "measure: velocity, rate_limit: 200, envelope: 0.5", ""),
    ("motors-single", MOTORS, "measure: difference, rate: 80", "--all --single"),
    ("lag", MOTORS.replace("speed: 3", "speed: 3, lag: 0.05"), "rate_limit: 200, integral: [slider]", "--all"),
    ("lag-single", MOTION.replace("urdf}", "urdf, drives: [{joint: slider, lag: 0.05}]}"), "measure: difference, rate: 80", "--single"),
    ("lag-filter", MOTION.replace("urdf}", "urdf, drives: [{joint: slider, lag: 0.05}]}"), FILTER + "}, delay: 1", ""),
    ("lag-late", MOTION.replace("urdf}", "urdf, drives: [{joint: slider, lag: 0.05}]}"),
     "measure: difference, rate: 80, delay: 1", "--single"),
    ("integral", MOTION, "integral: [slider], rate_limit: 60", ""),
    ("path", MOTION, "schedule: path, momentum: exact, rate_limit: 100, envelope: 1", ""),
    ("orbit", PERIODIC, "schedule: orbit, momentum: exact, envelope: 1", ""),
    ("orbit-single", PERIODIC, "schedule: orbit, rate_limit: 300, envelope_cost: 1e5", "--single"),
    ("momentum", MOTION, "momentum: exact, envelope: 0.3, envelope_cost: 1e5", ""),
    ("filter", MOTION, FILTER + ", gate: 4}, envelope_cost: 1e6", ""),
    ("filter-late", MOTION, FILTER + "}, delay: 1, rate_limit: 60, envelope: 0.3", ""),
    ("filter-rest", REST, FILTER + ", predict: map}, delay: 1", "--single"),
    ("filter-map", MOTION, FILTER + ", predict: map, disturbance: {time: 0.5, "
     "bound: {slider: 3}}}, rate_limit: 60, envelope: 0.3", ""),
]

# receding-horizon control: name, what moves, words of mpc, words of export
HORIZONS = [
    ("horizon", SWING, "horizon: 12, measure: velocity", ""),
    ("horizon-single", SWING + "\nbounds: {q: {slider: [-1.05, 1.05]}}", "horizon: 12, measure: positions, "
     "bounds: [inputs, positions]", "--single"),
    ("horizon-flyer", FLYER, "horizon: 10, measure: positions", ""),
    ("horizon-arm", ARM, "horizon: 8, measure: state", ""),
    ("horizon-rubbed", RUBBED, "horizon: 8, measure: positions", "--single"),
    ("horizon-goal", SWING + "\nbounds: {v: {slider: 2}}", "horizon: 12, reference: goal, measure: velocity, "
     "bounds: [inputs, speeds]", "--single"),
    ("horizon-table", SWING, "horizon: 20, reference: table.csv, end: steady, measure: velocity", ""),
    ("horizon-caller", ARM, "horizon: 8, reference: caller, measure: velocity", ""),
    ("horizon-periodic", PERIODIC, "horizon: 20, measure: velocity", ""),
    ("horizon-late", SWING, "horizon: 12, measure: positions", ""),
    ("horizon-ball", BALL, "horizon: 8, measure: positions", ""),
    ("horizon-ball-caller", FLYING, "horizon: 8, reference: caller, measure: velocity", "--single"),
    ("horizon-ball-table", BALL, "horizon: 8, reference: turn.csv, measure: positions", ""),
    ("horizon-elastic", ELASTIC, "horizon: 8, measure: positions", "--single"),
    ("horizon-rate", SWING.replace(".urdf}", ".urdf, drives: [{joint: slider, stall: 20, no_load_speed: 6}]}"),
     "horizon: 20, measure: positions", "--single"),
    ("horizon-track", TIP, "horizon: 8, measure: state, outputs: [{output: tip, weight: 1e4, reference: track.csv}, "
     "{output: bend, weight: 10}]", ""),
    ("horizon-target", TIP, "horizon: 8, measure: positions, outputs: [{output: tip.z, weight: 1e4, reference: caller}]",
     "--single"),
    ("horizon-caller-single", SWING + "\nbounds: {q: {slider: [-1.05, 1.05]}}", "horizon: 12, reference: caller, "
     "measure: positions, bounds: [inputs, positions]", "--single"),
]

# rules that are not kept, on lines that look like this: docs/exported-code.md has the reasons
DEVIATIONS = {
    "2.3": r"\} memory;",
    "2.4": r"enum \{|typedef struct (\w+ )?\{",
    "8.7": r".*controller_momentum\(",
    "8.9": r"static const ",
    "11.8": r".*\b[mow]->",
}
STRICT = ("-std=c99 -O2 -Wall -Wextra -pedantic -Werror -Wconversion -Wsign-conversion -Wshadow "
          "-Wcast-qual -Wstrict-prototypes -Wmissing-prototypes -Wfloat-conversion "
          "-Wdouble-promotion -Wundef -Wswitch-default").split()

# compilers of the replay of a horizon; the first two if some laws are named
WAYS = [("gcc", "-O3", "-march=native"), ("clang", "-O0"), ("gcc", "-O0"), ("clang", "-O3", "-march=native")]

failed = False
skipped = set()


def fact(name, holds, why=""):
    """State a fact; what does not hold fails the test."""
    global failed
    if not holds:
        print("not so:", name, "\n    " + "\n    ".join(str(why)[:1500].split("\n")) if why else "")
        failed = True


def run(*words, **more):
    """Return the exit status and the output of a program."""
    done = subprocess.run([str(word) for word in words], stdin=subprocess.DEVNULL, text=True,
                          stdout=subprocess.PIPE, stderr=subprocess.STDOUT, **more)
    return done.returncode, done.stdout


def has(program):
    """Whether a program is there; what is left out without it is named once."""
    if shutil.which(program):
        return True
    if program not in skipped:
        print(f"skipped: what {program} finds in controller.c (it is not here)")
    skipped.add(program)
    return False


def export(name, motion, feedback, words):
    """Make a law and its C, in a folder of its name."""
    with open(name + ".yaml", "w", encoding="utf-8") as f:
        f.write("%s\nfeedback: {Q: {q: 100, p: 1}, R: 1, %s}\nverify: {samples: 2, required: 0, "
                "spread: {q: 0.002, v: 0.004}}\n"
                % (motion, feedback))
    status, said = run(DMOC, "run", name + ".yaml", "-o", name)
    if "no IPOPT" in said:
        print("skipped: the law of a motion that is optimized (built without IPOPT)")
        return None, None
    if status == 0 and words:
        status, said = run(DMOC, "export", name, "--force", *words.split())
    fact(f"{name} is exported", status == 0, said)
    with open(name + "/controller.c", encoding="utf-8") as f, \
            open(name + "/controller.h", encoding="utf-8") as g:
        return f.read(), g.read()


# -- read


def look_for_warnings(name):
    """Compilers' warnings: of clang all it has, but for those of padding and comments."""
    if has("gcc"):
        status, said = run("gcc", *STRICT, "-c", name + "/controller.c", "-o", name + ".o")
        fact(f"{name} without a warning of gcc", status == 0, said)
    if has("clang"):
        # they are found before it optimizes
        status, said = run("clang", "-std=c99", "-fsyntax-only", "-Weverything", "-Werror", "-Wno-padded",
                           "-Wno-unknown-warning-option", "-Wno-unsafe-buffer-usage",
                           "-Wno-declaration-after-statement", name + "/controller.c")
        fact(f"{name} without a warning of clang", status == 0, said)


def look_for_rules(name, source, header):
    """MISRA's rules by cppcheck: no line but those of the deviations."""
    if not has("cppcheck"):
        return
    lines = {"controller.c": source.split("\n"), "controller.h": header.split("\n")}
    status, said = run("cppcheck", "--std=c99", "--addon=misra", "--enable=style", "--quiet",
                       "--template={id} {file} {line}", "controller.c", cwd=name)
    if status or "misra-config" in said or "Bailing out" in said:
        print("skipped: MISRA's rules, which this cppcheck has not:", said[:200])
        return
    found = [(rule, lines[file][int(at) - 1])
             for rule, file, at in re.findall(r"misra-c2012-(\S+) (\S+) (\d+)", said)]
    broken = {rule + ": " + line for rule, line in found
              if not re.match(DEVIATIONS.get(rule, "(?!)"), line)}
    fact(f"{name} keeps the rules", found and not broken, "\n".join(sorted(broken)))


def look_for_ends(name, source):
    """Loops over counters that nothing in them changes, and functions with one way out."""
    code = re.sub(r"/\*.*?\*/|//[^\n]*", "", source, flags=re.S)
    fact(f"{name} has no other loops", not re.search(r"\b(while|do|goto|setjmp|continue)\b", code))
    for counter, first, test, step in re.findall(
            r"for \((\w+) = ([^;]*); ([^;]*); ([^)]*)\)", code):
        end = test.split("&&")[-1].strip(" ()")
        fact(f"{name}: for ({counter} = {first}; {test}; {step}) ends", step == counter + "++" and
             re.fullmatch(counter + r" <=? (\w->)?\w+", end))
    bodies = re.findall(r"^\w[^\n;=]*\)?\s?\{\n(.*?)^\}", code, flags=re.S | re.M)
    fact(f"{name} has functions", len(bodies) > 3)
    for body in bodies:
        returns = [m.start() for m in re.finditer(r"\breturn\b", body)]
        fact(f"{name}: one way out, the last", len(returns) < 2 and
             (not returns or body[returns[0]:].count(";") == 1), body)


def look_for_bytes(name, source, header):
    """The tables are as large as the header says; it may count damping that is left out."""
    size = 4 if "typedef float" in header else 8
    count = 0
    for kind, sizes, body in re.findall(
            r"^static const (controller_real|int) \w+((?:\[\w+\])*) = (.*?);", source, flags=re.S | re.M):
        count += (size if kind != "int" else 4) * (body.count(",") - body.count("},") + 1
                                                   if sizes.count("[") < 2 else 5 * body.count("{", 1))
    said = int(re.search(r"// Tables: (\d+) bytes", header).group(1))
    fact(f"{name} has {count} bytes of tables", count <= said <= count + 48 * max(1, source.count("the numbers of phase")), f"{said} are said")


def look_for_calls(name, header):
    """What calls what is without a circle; what is linked is sines; the stack is as said."""
    if not has("gcc"):
        return
    status, said = run("gcc", "-std=c99", "-O0", "-fcallgraph-info=su", "-c",
                       "controller.c", "-o", "graph.o", cwd=name)
    if status:
        print("skipped: the calls of controller.c, which this gcc does not list")
        return
    with open(name + "/graph.ci", encoding="utf-8") as f:
        graph = f.read()
    calls = {}
    for a, b in re.findall(r'edge: \{ sourcename: "([^"]*)" targetname: "([^"]*)"', graph):
        calls.setdefault(a, set()).add(b)

    def deepest(at, way):
        if at in way:
            return None
        below = [deepest(to, way + [at]) for to in calls.get(at, ())]
        return None if None in below else 1 + max(below, default=0)
    frames = {title: int(size) for title, size in re.findall(
        r'node: \{ title: "([^"]*)" label: "[^"]*?(\d+) bytes \(static\)', graph)}

    def dearest(at):
        # its frame, where it was called from, and the dearest that it calls
        return frames.get(at, 0) + 8 + max((dearest(to) for to in calls.get(at, ())), default=0)
    fact(f"{name} has calls", calls and frames)
    fact(f"{name} does not call itself", all(deepest(at, []) for at in list(calls)), calls)
    if all(deepest(at, []) for at in list(calls)):
        most = max(dearest(at) for at in frames)
        stack = int(re.search(r"Stack: at most (\d+) bytes", header).group(1))
        fact(f"{name} takes {most} bytes of stack", most <= stack <= 3 * most, f"{stack} are said")
    _, said = run("nm", "-u", name + "/graph.o")
    fact(f"{name} is linked with nothing",
         set(said.split()) <= {"U", "memcpy", "memset"}, said)


# -- run


class Function:
    """A function of controller.h: its name and parameters, each (type, name, count)."""

    def __init__(self, name, words):
        self.name = name
        self.parameters = []
        for word in words.split(","):
            kind, star, own, count = re.fullmatch(
                r"\s*(?:const )?(\w+) (\*?)(\w+)(?:\[(\d+)\])?\s*", word).groups()
            self.parameters.append((kind + star, own, int(count or 0)))


def functions_of(header):
    """The functions that decide an input, and those of integrals."""
    found = [Function(*m) for m in re.findall(
        r"^(?:int|void) (controller_\w+)\(([^;]*)\);", header, flags=re.M)]
    return [f for f in found if any(p[1] == "u" for p in f.parameters)
            and f.name != "controller_first"]


KEPT = {"controller_filter*": ("filter", "controller_begin"),
        "controller_guard*": ("guard", "controller_reset"),
        "controller_output*": ("last", "controller_start"),
        "controller_path*": ("path", "controller_enter"),
        "controller_run*": ("run", "controller_begin"),
        "controller_rates*": ("rates", "controller_forget")}


def call_of(f, measured="y"):
    """The text of a call, whose arrays follow one another in `measured`."""
    words, at = [], 0
    for kind, name, count in f.parameters:
        if kind in KEPT:
            words.append("&" + KEPT[kind][0])
        elif name in ("u", "integral", "motor"):
            words.append(name)
        elif count:
            words.append(f"&{measured}[{at}]")
            at += count
        else:
            words.append(name)
    return f"{f.name}({', '.join(words)})", at


def kept_by(functions):
    """Declarations of what a caller keeps, and what begins it."""
    kinds = {p[0] for f in functions for p in f.parameters} & set(KEPT)
    declared = "".join(f"static {k[:-1]} {KEPT[k][0]};\n" for k in sorted(kinds))
    begun = "".join(f"  {KEPT[k][1]}(&{KEPT[k][0]});\n" for k in sorted(kinds))
    return declared, begun, kinds


def limits_of(source):
    """The limits' rows as they stand in the text."""
    return [re.search(r"%s(?:_0)?\[\d+\] = (\{.*?\});" % side, source).group(1)
            for side in ("u_min", "u_max")]


def step_of(header):
    """The step h of a law, or of the first phase."""
    return float(re.search(r"h = (\S+) s;|^//   0 \S+ +\S+ +([\d.]+)$", header,
                           flags=re.M).expand(r"\1\2"))


def end_of(header):
    """The end of the motion, or of all phases, in C."""
    lengths = re.findall(r"^//   \d \S+ +([\d.]+) +[\d.]+$", header, flags=re.M)
    return " + ".join(lengths) if lengths else "STEP * (controller_real)CONTROLLER_STEPS"


def most_integrals(functions):
    """How many integrals the caller keeps; one where there are none."""
    return max([p[2] for f in functions for p in f.parameters if p[1] == "integral"] or [1])


PROGRAM = """#include "{here}/controller_calls.h"
#define STEP ((controller_real){step!r})
{steps}#define END ((controller_real)({end}))
#define LARGEST {largest}
#define ROUNDING {rounding}
static const controller_real low[] = {low}, high[] = {high};
static controller_real y[{width}], u[CONTROLLER_NU], integral[{ni}], motor[8];
static int k;
static controller_real t, age, hold;
{declared}
static void begin(void) {{
{begun}  memset(integral, 0, sizeof integral);
  memset(motor, 0, sizeof motor);
}}

static int holds(void) {{
  int ok = 1, i;
  for (i = 0; i < CONTROLLER_NU; i++) ok = ok && u[i] >= low[i] && u[i] <= high[i];
  for (i = 0; i < {ni}; i++) ok = ok && isfinite(integral[i]);
{estimate}  return ok;
}}

{calls}
static const struct call calls[] = {{
{rows}}};
#include "{here}/controller_calls.c"
"""
ESTIMATE = """#define KEEPS_ESTIMATE
  for (i = 0; i < (int)(sizeof filter.z / sizeof *filter.z); i++)
    ok = ok && isfinite(filter.z[i]);
"""


def program_of(source, header):
    """A program that calls each function by everything odd, and counts what is not as said."""
    functions = functions_of(header)
    declared, begun, kinds = kept_by(functions)
    low, high = limits_of(source)
    calls = rows = ""
    for f in functions:
        call, count = call_of(f)
        decides = "integrate" not in f.name
        plain = decides and not any(p[0] in KEPT for p in f.parameters)
        calls += f"static void call_{f.name}(void) {{ (void){call}; }}\n"
        rows += '  {"%s", call_%s, %d, %d, %d},\n' % (f.name, f.name, count, decides, plain)
    return PROGRAM.format(
        here=HERE, low=low, high=high, declared=declared, begun=begun, calls=calls, rows=rows,
        step=step_of(header), end=end_of(header),
        steps="" if "CONTROLLER_STEPS" in header else "enum { CONTROLLER_STEPS = 50 };\n",
        largest="FLT_MAX" if "typedef float" in header else "DBL_MAX",
        rounding="(controller_real)" + ("1e-4" if "typedef float" in header else "1e-9"),
        ni=most_integrals(functions),
        width=max(call_of(f)[1] for f in functions),
        estimate=ESTIMATE if "controller_filter*" in kinds else "")


def call_oddly(name, source, header, compilers):
    """Run that program under the sanitizers of those of the compilers that are here."""
    with open(name + "/odd.c", "w", encoding="utf-8") as f:
        f.write(program_of(source, header))
    for cc in compilers:
        if not has(cc):
            continue
        status, said = run(cc, "-std=c99", "-O1", "-g", "-Wall", "-Wextra",
                           "-fsanitize=undefined,address,float-cast-overflow",
                           "-fno-sanitize-recover=all", "-I.", "odd.c", "controller.c", "-lm", "-o", "odd",
                           cwd=name)
        fact(f"calls of {name} are compiled by {cc}", status == 0, said)
        if status:
            continue
        status, said = run("./odd", cwd=name)
        fact(f"{name} answers any call as controller.h says ({cc})", status == 0, said)


COUNTED = """#include "controller.c"
static controller_real y[{width}], u[CONTROLLER_NU], integral[{ni}], motor[8], t, age, hold;
static int k;
{declared}
static void begin(void) {{
{begun}  memset(integral, 0, sizeof integral);
  memset(motor, 0, sizeof motor);
}}
{calls}
int main(void) {{
{rows}}}
"""


def count_operations(name, source, header):
    """A call takes no more operations than the header says; and calls come to that, or near it."""
    if not has("g++"):
        return
    functions = [f for f in functions_of(header) if "integrate" not in f.name]
    declared, begun, _ = kept_by(functions)
    calls = rows = ""
    for f in functions:
        call, count = call_of(f)
        calls += f"static void call_{f.name}(void) {{ (void){call}; }}\n"
        rows += f'  measure_most("{f.name}", begin, call_{f.name}, y, {count}, k, t, age, hold, ' \
                f"{step_of(header)!r});\n"
    os.makedirs(name + "/counted", exist_ok=True)
    with open(name + "/counted/controller.h", "w", encoding="utf-8") as f:
        f.write(f'#include "{HERE}/controller_counted.h"\n' + re.sub(
            r"typedef (double|float) controller_real", "typedef counted controller_real", header))
    with open(name + "/counted/controller.c", "w", encoding="utf-8") as f:
        f.write(source)
    with open(name + "/counted/most.cpp", "w", encoding="utf-8") as f:
        f.write(COUNTED.format(
            width=max(call_of(f)[1] for f in functions), declared=declared, begun=begun,
            ni=most_integrals(functions), calls=calls, rows=rows))
    status, said = run("g++", "-std=c++11", "-O0", "-D_Bool=bool", "-Wno-unknown-pragmas", "-I.",
                       "most.cpp", "-o", "most", cwd=name + "/counted")
    fact(f"{name} counts its operations", status == 0, said)
    if status:
        return
    _, said = run("./most", cwd=name + "/counted")
    for line in said.split("\n")[:-1]:
        word, *most = line.split()
        found = re.search(rf"^//   {word} +(\d+) products, (\d+) sums, (\d+) comparisons"
                          r"(?:, (\d+) divisions?)?", header, flags=re.M)
        bound = [int(n or 0) for n in found.groups()]
        most = [int(n) for n in most]
        # to the last one; of an estimate between calls branches shut one another out
        shut = 0.93 if "encoders" in word else 1
        fact(f"{name}: {word} takes {bound} at most", all(
            shut * b <= a <= b for a, b in zip(most, bound)), f"{most} were measured")


SAMPLED = """#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include "controller.h"
static const controller_real *box;
static double draw(void) {{
  static uint64_t at = 1;
  uint64_t z = (at += 0x9e3779b97f4a7c15u);
  z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
  z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
  return 2 * ((double)((z ^ (z >> 31)) >> 11) / 9007199254740992.0) - 1;
}}
#include "sampled_controller.c"
static controller_real y[{width}], u[CONTROLLER_NU], integral[{ni}], motor[8], t, age, hold;
static int k;
{declared}
static void begin(void) {{
{begun}  memset(integral, 0, sizeof integral);
  memset(motor, 0, sizeof motor);
}}
static void sample(const char *name, void (*run)(void), const controller_real *r, int count) {{
  double low = INFINITY, high = -INFINITY;
  box = r;
  for (int i = 0; i < {samples}; i++) {{
    if (i % 50 == 0) begin();
    for (int j = 0; j < count; j++) y[j] = (controller_real)(0.01 * draw());
    k = (int)((draw() + 1) / 2 * (CONTROLLER_STEPS - 0.5));
    t = (controller_real)(draw() + 1) / 2 * CONTROLLER_STEPS * (controller_real){step!r};
    hold = (controller_real)(draw() + 1) / 2 * (controller_real){step!r};
    run();
    low = fmin(low, (double)u[0]);
    high = fmax(high, (double)u[0]);
  }}
  printf("%s %.17g %.17g\\n", name, low, high);
}}
{calls}
int main(void) {{
{rows}  return 0;
}}
"""


# the law of what is drawn from the box around y_d, half of it at a corner
SAMPLED_LAW = """
static void law(const tables *T, const real *G, const real *y_d, const real *c, const real *y, real *u) {
  const int corner = draw() < 0;
  for (int j = 0; j < T->ny; j++) {
    const double x = draw();
    ((real *)y)[j] = y_d[j] + (real)(corner ? (x < 0 ? -1 : 1) : x) * box[j];
  }
  law_of(T, G, y_d, c, y, u);
}
"""
SAMPLED_BETWEEN = SAMPLED_LAW.replace("void law(", "void law_between(").replace("law_of(T, G,", "between_of(T, G0, G1, s,").replace(
    "const real *G,", "const real *G0, const real *G1, real s,")


def entries_of(f, source, header):
    """The kinds of entry of what a function's law takes: by encoders a state, by differences v."""
    names = [p[1] for p in f.parameters if p[2] and p[1] != "u"]
    if names[0] == "encoder":
        names[:1] = ["q", "p"]
    if "difference" in f.name:
        names.insert(1, "v")
    if "positions" in f.name and "static void past_momentum(" in source:
        names[1:3] = ["p"]
    if "v" in names and "void controller_momentum(" in header:
        names[names.index("v")] = "p"
    return names


def sample_ranges(name, source, header):
    """Of 100,000 states in the box none leaves the range that is proved, and some come near its ends."""
    if not has("gcc"):
        return
    functions = [f for f in functions_of(header) if "integrate" not in f.name]
    declared, begun, kinds = kept_by(functions)
    told = header[header.index("// Range of u"):header.index("// Operations on")]
    widths = dict(re.findall(r"^//   (\w+) +([-\d.e, ]+)$", told, flags=re.M))
    calls = rows = ""
    for f in functions:
        call, count = call_of(f)
        box = ", ".join(widths[word] for word in entries_of(f, source, header))
        calls += f"static void call_{f.name}(void) {{ (void){call}; }}\n" \
                 f"static const controller_real box_{f.name}[] = {{{box}}};\n"
        rows += f'  sample("{f.name}", call_{f.name}, box_{f.name}, {count});\n'
    with open(name + "/sampled_controller.c", "w", encoding="utf-8") as f:
        own = source.replace("static void law(", "static void law_of(")
        end = own.index("\n// -- ", own.index("static void law_of("))
        orbits = "static void law_between(" in own
        own = own[:end] + SAMPLED_LAW + (SAMPLED_BETWEEN if orbits else "") + own[end:]
        f.write(own.replace("static void law_between(", "static void between_of(", 1))
    with open(name + "/sampled.c", "w", encoding="utf-8") as f:
        f.write(SAMPLED.format(
            width=max(call_of(f)[1] for f in functions), declared=declared, begun=begun,
            ni=most_integrals(functions), calls=calls, rows=rows, step=step_of(header),
            samples=100000))
    status, said = run("gcc", "-std=c99", "-O1", "sampled.c", "-lm", "-o", "sampled", cwd=name)
    fact(f"{name} is sampled", status == 0, said)
    _, said = run("./sampled", cwd=name) if status == 0 else (0, "")
    limits = [float(re.sub("[{}F]", "", side).split(",")[0]) for side in limits_of(source)]
    for line in said.split("\n")[:-1]:
        word, low, high = line.split()
        found = re.search(rf"^//   {re.sub('_(at|hold)$', '', word)} u\[0\] (\S+) to ([^\s,]+)", told, flags=re.M)
        bound, seen = [float(x) for x in found.groups()], [float(low), float(high)]
        fact(f"{name}: {word} stays within {bound}",
             limits[0] <= bound[0] <= seen[0] <= seen[1] <= bound[1] <= limits[1], seen)
        # where nothing slows it or adds to it; a step has one end of the plan's input of two
        if "d" not in widths and not kinds & {"controller_output*", "controller_guard*"}:
            near = 0.05 if word.endswith("_at") else 0.15
            off = max(seen[0] - bound[0], bound[1] - seen[1])
            fact(f"{name}: {word} comes near {bound}", off < near * (bound[1] - bound[0]), seen)


def call_horizon_oddly(name, header, compilers):
    """Late, early, again, backwards, and inside controller_prepare."""
    form = [i for i, word in enumerate(("state", "velocity", "positions")) if f"int controller_{word}(" in header]
    with open(name + "/controller_trace.csv", encoding="utf-8") as f:
        targets = f.readline().count(",target.y.")
    for compiler in compilers:
        if not has(compiler):
            continue
        status, said = run(compiler, "-std=c99", "-O1", "-g", "-finstrument-functions", "-fsanitize=undefined,address",
                           "-fno-sanitize-recover=all", f"-DFORM={form[0]}",
                           f"-DASKS={int('void controller_reference(' in header)}", f"-DTARGETS={targets}", "-I.",
                           HERE + "/horizon_calls.c", "-lm", "-o", "odd", cwd=name)
        fact(f"odd calls of {name} are compiled by {compiler}", status == 0, said)
        status, said = run("./odd", cwd=name)
        fact(f"{name} answers odd calls ({compiler})", status == 0, said)


def look_at_horizon(name, motion, mpc, words, some):
    """Receding-horizon control as C: read like a law, and replayed bit for bit by each of these compilers."""
    # a table ends elsewhere than the plan: there its samples must end
    with open("table.csv", "w", encoding="utf-8") as f:
        f.write("t,q.slider,q.pole\n0,0,0\n1,0.15,0\n")
    with open("turn.csv", "w", encoding="utf-8") as f:
        f.write("t,q.hull.qw,q.hull.qx,q.hull.qy,q.hull.qz\n0,1,0,0,0\n0.5,0.98,0.1,0,0.2\n1,1,0.3,0.1,0.2\n")
    with open("track.csv", "w", encoding="utf-8") as f:
        f.write("t,y.tip.x,y.tip.y,y.tip.z\n0,-2.087,0,-0.340\n0.5,-2,0,-0.3\n")
    required = 1 if "table" in mpc else 0
    with open(name + ".yaml", "w", encoding="utf-8") as f:
        late = ", delay: 1" if "late" in name else ", rate: 40" if "rate" in name else ""
        f.write(f"{motion}\nfeedback: {{Q: {{q: 100, p: 1}}, R: 1{late}}}\nmpc: {{{mpc}}}\n"
                f"verify: {{law: mpc, samples: 2, required: {required}, spread: {{q: 0.1, v: 0.2}}}}\n")
    status, said = run(DMOC, "verify", name + ".yaml", "-o", name)
    if "no IPOPT" in said:
        return
    if status == 0:
        status, said = run(DMOC, "export", name, "--mpc", *words.split())
    fact(f"{name} is exported", status == 0, said)
    with open(name + "/controller.c", encoding="utf-8") as f, \
            open(name + "/controller.h", encoding="utf-8") as g:
        source, header = f.read(), g.read()
    look_for_warnings(name)
    if not some:
        look_for_rules(name, source, header)
    look_for_ends(name, source)
    for compiler, *options in WAYS[:2] if some else WAYS:
        if not has(compiler):
            continue
        status, said = run(compiler, "-std=c99", *options, "controller.c", "controller_replay.c", "-o", "replay", cwd=name)
        fact(f"{name} is compiled", status == 0, said)
        status, said = run("./replay", cwd=name)
        fact(f"{name} is replayed by {compiler} {options}", status == 0, said)
    # positions of ball joints are on board in another order than the caller's, which the odd calls take as one
    if "ball" not in name:
        call_horizon_oddly(name, header, ("clang",) if some else ("gcc", "clang"))
    run("gcc", "-std=c99", "-O2", "-c", "controller.c", "-o", "linked.o", cwd=name)
    _, said = run("nm", "-u", name + "/linked.o")
    fact(f"{name} is linked with nothing", set(said.split()) <= {"U", "memcpy", "memset", "memmove"}, said)


def refuse_motions_that_do_not_rest():
    """dmoc refuses references and horizons beyond a motion that does not end at rest."""
    for mpc, why in (("reference: goal", "mpc.reference: found another one than the plan of a motion that does not end"),
                     ("horizon: 60", "mpc.horizon: found 60, more than the 50 steps of a motion that does not end")):
        with open("moves.yaml", "w", encoding="utf-8") as f:
            f.write(SWING.replace("pole: -pi}", "pole: -2}") +
                    "\nfeedback: {Q: {q: 100, p: 1}, R: 1, Qf: {q: 100, p: 1}}\n"
                    f"mpc: {{{mpc}}}\nverify: {{law: mpc, samples: 2}}\n")
        status, said = run(DMOC, "verify", "moves.yaml", "-o", "moves")
        fact(f"{mpc} is refused", "no IPOPT" in said or (status != 0 and why in said), said)


def warn_of_tables_beyond_limits():
    """A table that needs more than the motors give is followed as near as the costs allow, with a warning."""
    with open("far.csv", "w", encoding="utf-8") as f:
        f.write("t,q.slider,q.pole\n0,0,0\n1,30,0\n")
    with open("far.yaml", "w", encoding="utf-8") as f:
        f.write(SWING + "\nfeedback: {Q: {q: 100, p: 1}, R: 1}\nmpc: {horizon: 20, reference: far.csv}\n"
                "verify: {law: mpc, samples: 2, required: 0}\n")
    for words in (("verify", "far.yaml", "-o", "far"), ("export", "far", "--mpc")):
        status, said = run(DMOC, *words)
        warned = re.search(r"warning: mpc.reference: 'slider' needs -?\d\S* at \S+ s, beyond its limits \[-20, 20\]", said)
        fact(f"{words[0]} warns of a table beyond limits", "no IPOPT" in said or (status == 0 and warned), said)


def hold_tables_that_end_early():
    """A table that ends before the end of the hold rests at its last row: the robot is judged there."""
    with open("early.csv", "w", encoding="utf-8") as f:
        f.write("t,q.slider,q.pole\n0,0,0\n1.2,0.5,0\n")
    with open("early.yaml", "w", encoding="utf-8") as f:
        f.write(CART + """inputs: [{joint: slider, min: -30, max: 30}, {joint: pole}]
horizon: {steps: 40, time: 1.2}
start: {q: 0, v: 0}
goal: {q: {slider: 0.5, pole: 0}, v: 0}
cost: {input: 1}
feedback: {Q: {q: 100, p: 1}, R: 0.01, hold: 1}
mpc: {horizon: 10, reference: early.csv}
verify: {law: mpc, samples: 2, spread: {q: 0.02, v: 0.05}, tolerance: 0.1, required: 1}
""")
    status, said = run(DMOC, "verify", "early.yaml", "-o", "early")
    fact("a table that ends before the hold is held", "no IPOPT" in said or status == 0, said)


def chosen_laws(words):
    """The laws that are named; all where none is."""
    unknown = set(words) - {row[0] for row in LAWS + HORIZONS}
    fact("every law that is named is known", not unknown, unknown)
    return [[row for row in rows if not words or row[0] in words] for rows in (LAWS, HORIZONS)]


def main():
    """Every law, by every look; some laws, by most."""
    (laws, horizons), some = chosen_laws(sys.argv[3:]), len(sys.argv) > 3
    folder = tempfile.mkdtemp()
    os.chdir(folder)
    try:
        for i, law in enumerate(laws):
            source, header = export(*law)
            if not source:
                continue
            look_for_warnings(law[0])
            if not some or i == 0:
                look_for_rules(law[0], source, header)
            look_for_ends(law[0], source)
            look_for_calls(law[0], header)
            look_for_bytes(law[0], source, header)
            call_oddly(law[0], source, header, ("gcc", "clang")[i % 2:i % 2 + 1] if some else ("gcc", "clang"))
            if "controller_run" in header:
                continue # the headers of the phases have the numbers of operations and the ranges
            count_operations(law[0], source, header)
            sample_ranges(law[0], source, header)
        for horizon in horizons:
            look_at_horizon(*horizon, some)
        if horizons:
            refuse_motions_that_do_not_rest()
            warn_of_tables_beyond_limits()
            hold_tables_that_end_early()
    finally:
        shutil.rmtree(folder)
    return failed


sys.exit(main())
