"""Kinds of pictures over time, and over iterations: a function each, which draws the panels that a
folder has something for."""
import numpy as np

from .compare import Curve, at_knots, compare, compare_states, names_of_all, rate_of
from .facts import WORDS, numbers
from .sheet import COLOURS, ROUNDING, spread

RESPONSES, NAMED = 5, 12  # coordinates of one start, and gains that have a curve each, at most
BLACK = {"rgb": "#000000", "width": 1.1, "line": True}


def kinds_of(sheet):
    """Return the groups of coordinates of each unit: (unit, [(number, colour)])."""
    coords = sheet.first.coords
    for unit in WORDS:
        own = [i for i, (_, each) in enumerate(coords) if each == unit]
        for group in sheet.groups([name for name, _ in coords], own):
            yield unit, group


def clean(y):
    """Return numbers without rounding errors."""
    return np.where(abs(y) < ROUNDING, 0, y)


# -- states, inputs, outputs


def draw_trajectory(sheet):
    """Positions and velocities with limits that are near, and the plan on a plant."""
    for velocity in (False, True):
        if len(sheet.all) > 1:
            compare_states(sheet, velocity)
        else:
            draw_states(sheet, velocity)


def draw_states(sheet, velocity):
    """The coordinates of each unit, or their rates."""
    of, plant = sheet.first, sheet.first.table("plant.csv")
    kind = "v" if velocity else "q"
    for unit, group in kinds_of(sheet):
        panel = sheet.panel(WORDS[unit][velocity], rate_of(unit) if velocity else unit)
        for i, colour in group:
            name = of.coords[i][0]
            y = clean((of.v if velocity else of.q)[:, i])
            steps = velocity and not of.at_knots
            if steps:  # what is limited: the velocity of the step, up to its end
                y = np.diff(of.q[:, i]) / np.diff(of.t)
                y = clean(np.append(y, y[-1]))
            panel.curve(of.t, y, name, colour, steps=steps, line=True)
            if plant:
                thin = {"width": 0.7, "line": True}
                panel.curve(plant["t"], plant[f"{kind}.{name}"], None, colour, **thin)
            most = of.limit("v_max", i)
            low = of.limit("q_min", i) if not velocity else most and -most
            for bound in (low, most if velocity else of.limit("q_max", i)):
                if bound is not None:
                    panel.limit(bound, y, colour)
            panel.windows(of, f"{kind}.{name}", y, colour)


def steps_of(exhibit, name):
    """Return an input: its value of each step, the last one again at its end."""
    u = exhibit.motion[f"u.{name}"]
    return np.append(u[:-1], u[-2])


def forces_of(exhibit):
    """Return the inputs that are not coordinates, with their units."""
    own = {name for name, _ in exhibit.coords}
    force = {"N", "N m", "N s/m", "N m s", "1"}
    columns = exhibit.motion
    return [
        (name, unit) for name, unit in exhibit.inputs
        if f"u.{name}" in columns and (unit in force and not (name in own and unit == "1"))
    ]  # fmt: skip


INPUTS = (
    ("force", "N"), ("torque", "N m"), ("steering", "N s/m"), ("steering", "N m s"), ("load", "1"),
)  # fmt: skip


def draw_inputs(sheet):
    """Forces, torques and loads with limits that are near."""
    if len(sheet.all) > 1:
        for name, unit in names_of_all(sheet, forces_of):
            curves = [
                at_knots(sheet, i, steps_of(exhibit, name), steps=True)
                for i, exhibit in enumerate(sheet.all)
                if name in dict(forces_of(exhibit))
            ]
            compare(sheet, name, unit, curves, True)
        return
    of = sheet.first
    forces, names = dict(forces_of(of)), [name for name, _ in of.inputs]
    for label, unit in INPUTS:
        own = [i for i, name in enumerate(names) if forces.get(name) == unit]
        for group in sheet.groups(names, own):
            panel = sheet.panel(label, unit)
            for i, colour in group:
                u = steps_of(of, names[i])
                panel.curve(of.t, u, names[i], colour, steps=True)
                for bound in (of.limit("u_min", i), of.limit("u_max", i)):
                    if bound is not None:
                        panel.limit(bound, u, colour)
                panel.windows(of, f"u.{names[i]}", u, colour)


def output_names(exhibit):
    """Return the rows of outputs with their units."""
    table = exhibit.table("outputs.csv")
    columns = [] if table is None else [name for name in table if name.startswith("y.")]
    return [(name[2:], "" if table.unit(name) == "1" else table.unit(name)) for name in columns]


def output_curve(sheet, i, name, **style):
    """Return a row of outputs of a folder; one without a value at the last knot is of the steps."""
    table = sheet.all[i].table("outputs.csv")
    y = clean(table[f"y.{name}"])
    steps = len(y) > 1 and np.isnan(y[-1])
    y = np.append(y[:-1], y[-2]) if steps else y
    return Curve(sheet, i, sheet.all[i].begin + table["t"], y, rounding=ROUNDING, steps=steps, **style)


def draw_outputs(sheet):
    """The outputs of the problem file, with their limits in the task and the path that they follow."""
    if len(sheet.all) > 1:
        for name, unit in names_of_all(sheet, output_names):
            curves = [
                output_curve(sheet, i, name)
                for i, exhibit in enumerate(sheet.all)
                if name in dict(output_names(exhibit))
            ]
            compare(sheet, name, unit, curves, True)
        return
    of, groups = sheet.first, {}
    for name, unit in output_names(of):
        kept = f"y.{name}" in of.clearances
        if sheet.request.shows(name):
            label = "clearance" if kept else name.rpartition(".")[0] or name
            groups.setdefault((label, unit), []).append(name)
    for (label, unit), names in groups.items():
        for at in range(0, len(names), len(COLOURS)):
            panel = sheet.panel(label, unit)
            for colour, name in enumerate(names[at : at + len(COLOURS)]):
                curve = output_curve(sheet, 0, name)
                panel.curve(curve.x, curve.y, name, colour, **curve.style)
                panel.windows(of, f"y.{name}", curve.y, colour)
                draw_followed(panel, of, name, colour)


def draw_followed(panel, of, name, colour):
    """The path that a row is to follow, at the parameters s that its knots have."""
    table = of.table("outputs.csv")
    for each in of.follow:
        if each["column"] == f"y.{name}" and "s" in table:
            curve = numbers(each["curve"])
            y = np.interp(table["s"], np.linspace(0, 1, len(curve)), curve)
            panel.curve(table["t"], y, None, colour, dash=1, width=1.1, line=True)
            panel.bounds = True


# -- feedback


def draw_gains(sheet):
    """Each gain by name where they are few; else their norms on errors of q and of p, by input."""
    of, table = sheet.first, sheet.first.table("gains.csv")
    names = [name for name in table if name.startswith("K.")]
    if len(names) <= NAMED:
        panel = sheet.panel("gains K", "SI")
        for i, name in enumerate(names):
            own = name[2:]
            for name_in, _ in of.inputs if len(of.inputs) == 1 else ():
                own = own[len(name_in) + 1 :]  # an only input goes without saying
            panel.curve(table["t"], table[name], own, i, dash=i // len(COLOURS), line=True)
        return
    inputs = [name for name, _ in of.inputs]
    for kind in "qp":
        for group in sheet.groups(inputs):
            panel = sheet.panel(f"norm of gains on {kind}", "SI")
            for i, colour in group:
                begin = f"K.{inputs[i]}.{kind}."
                columns = [table[name] for name in names if name.startswith(begin)]
                if columns:
                    norm = np.linalg.norm(np.stack(columns), axis=0)
                    panel.curve(table["t"], norm, inputs[i], colour, line=True)


def draw_loop(sheet):
    """Closed-loop runs from perturbed starts, about the plan and off it, with limits that are near."""
    of, fan = sheet.first, sheet.first.table("fan.csv")
    t, ends = fan["t"], np.flatnonzero(np.diff(fan["sample"])) + 1
    for off in (False, True):
        for unit, group in kinds_of(sheet):
            sheet.across = f"time [s], {of.plant} plant"
            panel = sheet.panel("closed loop - plan" if off else WORDS[unit][2], unit)
            for i, colour in group:
                name = of.coords[i][0]
                y = fan[f"q.{name}"] - (of.places(t)[:, i] if off else 0)
                runs = list(zip(np.split(t, ends), np.split(y, ends)))
                runs = runs if off else runs[:9]  # the plan covers most of them: a few will do there
                x = np.concatenate([np.append(run[0], np.nan) for run in thinned(runs)])
                values = np.concatenate([np.append(run[1], np.nan) for run in thinned(runs)])
                panel.curve(x, values, name, colour, width=0.8, alpha=0.45, line=True, whole=True)
                if not off:  # the plan stays at its end
                    stays = max(of.end, t.max())
                    panel.curve(np.append(of.t, stays), np.append(of.q[:, i], of.q[-1, i]), None, **BLACK)
                for side in ("stop_min", "stop_max") if of.stops and not off else ():
                    if of.limit(side, i) is not None:
                        panel.limit(of.limit(side, i), y, colour)
            panel.legend.append(("plan", 0, BLACK))
            if off:
                panel.curve([0, max(of.end, t.max())], [0, 0], None, **BLACK)
    sheet.across = "time [s]"


def thinned(runs):
    """Return runs with as many points as a picture of them all can show."""
    stride = sum(len(t) for t, _ in runs) // 3000 + 1
    return [(np.append(t[:-1:stride], t[-1:]), np.append(y[:-1:stride], y[-1:])) for t, y in runs]


def draw_error(sheet):
    """One start with feedback and without: the norm of its error, and the coordinates that go astray
    most without, or those asked for."""
    of, table = sheet.first, sheet.first.table("response.csv")
    t = table["t"]
    plan = of.places(t)
    sheet.across = f"time [s], {of.start_plant} plant"
    panel = sheet.panel("norm of error in (q, p)", "SI")
    names = list(table)
    for name, column, colour in (("open loop", names[2], 1), ("closed loop", names[3], 0)):
        panel.curve(t, table[column], name, colour, line=True)
    panel.range[1] = (0, None)
    n = len(of.coords)
    free = [names[4 + i] for i in range(n)]
    held = [names[4 + n + i] for i in range(n)]
    shown = [i for i, (name, _) in enumerate(of.coords) if sheet.request.shows(name)]
    shown.sort(key=lambda i: -np.nanmax(abs(table[free[i]] - plan[:, i]), initial=0))
    for i in shown if sheet.request.only else shown[:RESPONSES]:
        name, unit = of.coords[i]
        panel = sheet.panel(name, unit)
        if name in of.reference:
            grey = {"rgb": "#888888", "width": 1.1, "dash": 1, "line": True}
            panel.curve(of.t, numbers(of.reference[name]), "reference", **grey)
        panel.curve(t, table[free[i]], "open loop", 1, line=True)
        panel.curve(t, table[held[i]], "closed loop", 0, line=True)
        panel.curve(of.t, of.q[:, i], "plan", **BLACK)
    sheet.across = "time [s]"


def draw_robustness(sheet):
    """Success rates along each axis alone, a curve for each part with its interval; and the region of
    starts."""
    of = sheet.first
    table, region = of.table("robustness.csv"), of.table("region.csv")
    if table:
        axis, part, level, rates = (numbers_or_words(table, i) for i in (0, 1, 2, slice(3, 7)))
        sheet.across = "level"
        for own in dict.fromkeys(axis):
            panel = sheet.panel(f"{own}: held", "%")
            panel.range[1] = (0, 105)
            for colour, each in enumerate(dict.fromkeys(part[axis == own])):
                at = (axis == own) & (part == each)
                held, of_all, low, high = rates[at].T
                panel.curve(level[at], 100 * held / of_all, str(each) or str(own), colour)
                for x, a, b in zip(level[at], low, high):
                    panel.curve([x, x], [100 * a, 100 * b], None, colour, width=0.8, line=True)
    if region:
        sheet.across = "start error [spreads]"
        panel = sheet.panel("directions held", "%")
        panel.range[1] = (0, 105)
        size, tried = np.sort(region.values[:, 1]), np.nanmax(region.values[:, 2], initial=0)
        x, y = [0.0], [100.0]
        for i, each in enumerate(size):  # those that hold at the largest tried are not known to end there
            x, y = x + [each], y + [100 * (len(size) - i) / len(size)]
            if each >= tried:
                break
            x, y = x + [each], y + [100 * (len(size) - i - 1) / len(size)]
        panel.curve(x, y, None, 0, line=True)
    sheet.across = "time [s]"


def numbers_or_words(table, columns):
    """Return columns of a table by their numbers: words where they are words."""
    if isinstance(columns, slice):
        return table.values[:, columns]
    return table[table.names[columns]]


# -- iterations


def draw_convergence(sheet):
    """Iterations of the optimizer: violation, dual, barrier."""
    table = sheet.first.table("convergence.csv")
    sheet.across = "iteration"
    panel = sheet.panel("convergence")
    panel.log_y = True
    panel.range[0] = (0, max(len(table) - 1, 1))
    for i, (name, column) in enumerate((("violation", "violation"), ("dual", "dual"), ("barrier", "mu"))):
        panel.curve(table["iteration"], table[column], name, i)
    sheet.across = "time [s]"


def draw_descent(sheet):
    """Iterations of each method of descent: cost and slope, against their number and time."""
    table = sheet.first.table("descent.csv")
    methods = list(dict.fromkeys(table["method"]))
    for label, column, sign in (("cost - its last", "cost", 1), ("-slope", "slope", -1)):
        for across, column_x, factor, first in (("iteration", "iteration", 1, 1), ("time [ms]", "time", 1e3, 0)):
            sheet.across = across
            panel = sheet.panel(label)
            panel.log_x = panel.log_y = True
            for i, method in enumerate(methods):
                at = table["method"] == method
                y = table[column][at]
                y = abs(y - y[-1]) if sign > 0 else -y
                panel.curve(table[column_x][at] * factor + first, y, method, i)
    sheet.across = "time [s]"


# -- what is conserved


def draw_energy(sheet):
    """Kinetic, potential and total energy; of a simulation also its drift."""
    if any(exhibit.flow for exhibit in sheet.all):
        return  # of a flow of second order the robot's energy is no figure of the motion
    labels = ("kinetic energy", "potential energy", "total energy - its start")

    def part_of(i, part, less=0.0):
        own = sheet.all[i]
        return Curve(sheet, i, own.begin + own.energy_t, own.energy[:, part], less=less)

    def gain(i):
        return part_of(i, 2, less=sheet.all[0 if sheet.phases else i].energy[0, 2])

    if len(sheet.all) > 1:
        for part, label in enumerate(labels):
            curves = [
                gain(i) if part == 2 else part_of(i, part) for i in range(len(sheet.all))
            ]
            compare(sheet, label, "J", curves, True)
        return
    of = sheet.first
    panel = sheet.panel("energy", "J")
    for part, name in enumerate(("kinetic", "potential", "total")):
        own = {"rgb": "#000000"} if part == 2 else {}
        panel.curve(of.energy_t, of.energy[:, part], name, part, line=True, **own)
    if of.simulated:  # which conserves the sum: its change has an axis of its own
        curve = gain(0)
        curve.style.update(rgb="#000000", line=True)
        compare(sheet, labels[2], "J", [curve], False, named=False)


def draw_momenta(sheet):
    """Of second order: the momenta of q, v (and a) along the solution, and its energy."""
    of, table = sheet.first, sheet.first.table("momenta.csv")
    if len(table) < 2:
        return
    t, names = table["t"][1:], [name for name, _ in of.coords]  # P1 is at the end of each step
    for order in "qva":
        if not any(name.startswith(f"P1.{order}.") for name in table):
            continue
        for group in sheet.groups(names):
            panel = sheet.panel(f"momentum of {order}")
            for i, colour in group:
                panel.curve(t, table[f"P1.{order}.{names[i]}"][:-1], names[i], colour, line=True)
    panel = sheet.panel("energy of the Lagrangian")
    panel.curve(t, table["energy"][:-1], "-dLd/dh", 0, line=True)


MONITORS = (
    ("energy - its start", "J", {"energy": "of knots", "energy.step": "of steps"}),
    ("moment - its start", "N m s",
     {"moment.x": "x", "moment.y": "y", "moment.z": "z", "moment.vertical": "vertical"}),
    ("momentum - its start", "N s", {"momentum.x": "x", "momentum.y": "y", "momentum.z": "z"}),
    ("constraints", "", {"constraint": "largest residual"}),
    ("form - 1", "", {"form": "by derivatives", "form.cloud": "by a cloud"}),
)  # fmt: skip


def draw_monitors(sheet):
    """Conserved quantities of a simulation, each less its first value."""

    def watched(i, column):
        table = sheet.all[i].table("monitors.csv")
        return table is not None and column in table and not np.isnan(table[column][0])

    def monitor(i, column):
        table = sheet.all[i].table("monitors.csv")
        less = 0 if column == "constraint" else table[column][0]
        return Curve(sheet, i, sheet.all[i].begin + table["t"], table[column], less=less)

    for label, unit, columns in MONITORS:
        if len(sheet.all) > 1:
            for column, name in columns.items():
                curves = [monitor(i, column) for i in range(len(sheet.all)) if watched(i, column)]
                compare(sheet, f"{label}, {name}", unit, curves, True)
            continue
        curves = []
        for colour, (column, name) in enumerate(columns.items()):
            if watched(0, column):
                curves.append(monitor(0, column))
                curves[-1].colour, curves[-1].name = colour, name
        compare(sheet, label, unit, curves, False)


def draw_contacts(sheet):
    """Impulses of contacts and of their friction, a dot a step, of a plan a dot a knot."""
    table = sheet.first.table("contacts.csv")
    planned = table is None
    if planned:
        table = sheet.first.table("schedule.csv")
    hit = (table["impulse"] > 0) | (table["friction"] > 0)
    of = "at a knot" if planned else "in a step"
    for column, label in (("impulse", f"impulse of a contact {of}"), ("friction", "impulse of its friction")):
        y = table[column]
        if not (y > 0).any():
            continue
        panel = sheet.panel(label, "N s")
        panel.range[1] = (min(1.05 * spread(y[hit])[0], 0), max(1.05 * spread(y[hit])[1], 1e-12))
        for colour, name in enumerate(dict.fromkeys(table["contact"])):
            at = hit & (table["contact"] == name)
            if not sheet.request.shows(name):
                continue
            panel.curve(table["t"][at], y[at], name if colour < len(COLOURS) else None, colour, dots=True)


def draw_phase(sheet):
    """Phase portraits: the velocity of each coordinate over its position, from a dot on."""
    for name, unit in names_of_all(sheet, lambda exhibit: exhibit.coords):
        sheet.across = f"{name} [{unit}]"
        panel = sheet.panel(f"rate of {name}", rate_of(unit))
        for i, exhibit in enumerate(sheet.all):
            c = exhibit.index(name)
            if c < 0:
                continue
            own = exhibit.name if len(sheet.all) > 1 else None
            style = {"dash": i // len(COLOURS)}
            panel.curve(exhibit.q[:, c], exhibit.v[:, c], own, i, **style)
            panel.curve(exhibit.q[:1, c], exhibit.v[:1, c], None, i, dots=True, width=5)
    sheet.across = "time [s]"
