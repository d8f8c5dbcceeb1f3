"""Curves of one quantity: of its parts, or of several folders; and columns of tables."""
import numpy as np

from .facts import WORDS, near, refuse, stands_for, unit_in_common
from .sheet import COLOURS, ROUNDING, spread

# of a column of a table by the word before its first dot: its quantity, its unit
QUANTITIES = {
    "t": ("time", "s"),
    "k": ("knot", ""),
    "h": ("step h", "s"),
    "p": ("momentum", "SI"),
    "lambda": ("impulse of a constraint", "SI"),
    "energy": ("energy", "J"),
    "moment": ("moment", "N m s"),
    "momentum": ("momentum", "N s"),
    "residual": ("residual at knots", ""),
    "middle": ("residual between knots", ""),
    "alternating": ("alternating part of the constraints", ""),
    "constraint": ("residual", ""),
    "form": ("symplectic form over its start", ""),
    "impulse": ("impulse", "N s"),
    "friction": ("impulse of friction", "N s"),
    "time": ("time", "s"),
    "K": ("gain", "SI"),
    "error": ("error", "SI"),
}


class Curve:
    """Numbers over others, of a folder: its colour and its name follow from its place."""

    def __init__(self, sheet, i, x, y, less=0.0, name=None, rounding=0.0, **style):
        exhibit = sheet.all[i]
        self.x = np.asarray(x, float)
        self.y = np.asarray(y, float) - less
        self.name = exhibit.name if name is None else name
        self.colour, self.less, self.rounding, self.style = i, less, rounding, style
        if i >= len(COLOURS):
            style.setdefault("dash", i // len(COLOURS))

    @property
    def span(self):
        """How far it goes up and down."""
        low, high = spread(self.y)
        return high - low

    def is_still(self):
        """Return whether it varies by less than a hundredth of its size, and by more than rounding."""
        first = abs(self.y[0]) if len(self.y) else 0
        return self.rounding * first < self.span < 1e-2 * first and not self.less


def at_knots(sheet, i, y, **style):
    """Return a curve of a folder at its knots."""
    exhibit = sheet.all[i]
    return Curve(sheet, i, exhibit.begin + exhibit.t, y, **style)


def split(spans):
    """Return the parts that curves belong to: each with those that can be seen beside its widest."""
    part, panels = np.full(len(spans), -1), 0
    while (part < 0).any() and spans[part < 0].max() > 0:
        part[(part < 0) & (spans >= 0.01 * spans[part < 0].max())] = panels
        panels += 1
    part[part < 0] = max(panels - 1, 0)
    return part, max(panels, 1)


def compare(sheet, label, unit, curves, together, named=True):
    """Draw curves under one label. Those that would be flat lines beside the others have a panel with a
    scale of its own: in place of the first, or with `together`, where curves are of different folders,
    beside it. Where all of a panel vary by less than a hundredth of their size, it shows their change."""
    if not curves:
        return
    one = sheet.request.logy or sheet.phases  # on logarithms nothing is flat, and phases are one curve
    part, parts = split(np.array([curve.span for curve in curves]))
    for k in range(1 if one else parts):
        shown = [c for c, own in zip(curves, part) if (together or one) and k == 0 or own == k]
        still = all(curve.is_still() for curve in shown)
        panel = sheet.panel(label + " - its start" if still else label, unit)
        for curve in shown:
            y = curve.y - curve.y[0] if still else curve.y
            panel.curve(
                curve.x, abs(y) if sheet.request.logy else y,
                curve.name if named else None, curve.colour, **curve.style,
            )  # fmt: skip


def names_of_all(sheet, names_of):
    """Return the names that any folder has and --only shows, with their units, in their order."""
    found = {}
    for exhibit in sheet.all:
        for name, unit in names_of(exhibit):
            if sheet.request.shows(name):
                found.setdefault(name, unit)
    return found.items()


def compare_states(sheet, velocity):
    """A panel for each coordinate that any folder has: its position or its rate."""
    for name, unit in names_of_all(sheet, lambda exhibit: exhibit.coords):
        curves = []
        for i, exhibit in enumerate(sheet.all):
            c = exhibit.index(name)
            if c >= 0:
                y = (exhibit.v if velocity else exhibit.q)[:, c]
                y = np.where(abs(y) < ROUNDING, 0, y)
                curves.append(at_knots(sheet, i, y, rounding=ROUNDING))
        label = f"rate of {name}" if velocity else name
        compare(sheet, label, rate_of(unit) if velocity else unit, curves, True)


def rate_of(unit):
    """Return the unit of a rate."""
    return f"{unit}/s"


# -- differences


def common(exhibit, other):
    """Return whether two motions have so many knots at the same times that these will do."""
    return 2 * (other.knots(exhibit.t) >= 0).sum() > min(len(exhibit.t), len(other.t)) - 1


def draw_difference(sheet):
    """Each coordinate less that of the first folder, or of --against; and the norm of all."""
    request = sheet.request
    base = sheet.reference or sheet.first
    if not sheet.reference and len(sheet.all) < 2:
        refuse("--what difference needs two folders, or one and --against DIR")
    found = []
    for i, exhibit in enumerate(sheet.all):
        if exhibit is base:
            continue
        times = exhibit.t[exhibit.t <= base.end * (1 + 1e-12)]
        if common(exhibit, base):
            times = times[base.knots(times) >= 0]
        else:
            sheet.notes.append(
                f"{exhibit.path} has its knots at other times than {base.path}: the latter is taken "
                "between its knots by cubics of its positions and velocities"
            )
        found.append((i, times, exhibit.q[exhibit.knots(times)] - base.places(times)))
    shown = [c for c, (name, _) in enumerate(sheet.first.coords) if request.shows(name)]

    # the norm, where there is more than one coordinate to take it of
    def curves(y):
        return [Curve(sheet, i, t, y(off)) for i, t, off in found if len(t)]

    if len(shown) > 1:
        unit = unit_in_common([sheet.first.coords[c][1] for c in shown])
        norms = curves(lambda off: np.linalg.norm(off[:, shown], axis=1))
        compare(sheet, f"|q - q of {base.name}|", unit, norms, True)
    for c in shown:
        name, unit = sheet.first.coords[c]
        each = curves(lambda off, c=c: off[:, c])
        compare(sheet, f"{name} - that of {base.name}", unit, each, True)


# -- columns


def lack(table, request):
    """Return the first word that a table has no column for; None: it has all."""
    if request.x and request.x not in table:
        return request.x
    return next((word for word in request.y if not columns_for(table, word)), None)


def columns_for(table, word):
    """Return the columns that a word stands for: that of its name, else all that begin with it."""
    return [word] if word in table else [name for name in table if stands_for(word, name)]


def refuse_lack(where, word, tables):
    """End with a column that no table has, beside the nearest that one has."""
    aside = " beside the others in one table" if len(tables) > 1 else ""
    known = [name for table in tables for name in table]
    refuse(f"{where} has no column '{word}'{aside}{near(word, known)}")


def find_table(exhibit, request):
    """Return the first table of a folder that has all columns, or the one that is named."""
    if not exhibit.folder:
        tables = [exhibit.columns]
    else:
        files = exhibit.result.files.values()
        order = sorted(files, key=lambda file: (file not in FIRST, FIRST.index(file) if file in FIRST else 0))
        wanted = [file for file in order if not request.table or file == request.table]
        tables = [exhibit.table(file) for file in wanted]
        if not tables:
            refuse(f"{exhibit.path} has no table {request.table or ''}")
    for table in tables:
        if not lack(table, request):
            return table
    where = f"{exhibit.path}/{request.table}" if request.table else exhibit.path
    return refuse_lack(where, lack(tables[0], request), tables)


# tables in which columns are looked for before all others
FIRST = ["trajectory.csv", "outputs.csv", "monitors.csv"]


def words_of(table, name):
    """Return the quantity and the unit of a column; of one that is not known, its name itself."""
    kind, _, rest = name.partition(".")
    unit = table.unit(name)
    if kind in ("q", "v") and rest and unit:
        base = unit[:-2] if kind == "v" and unit.endswith("/s") else unit
        return (WORDS[base][kind == "v"] if base in WORDS else name), unit
    if kind == "u" and rest:
        return "input", unit or "SI"
    if kind == "y" and rest:
        return rest, "" if unit == "1" else unit
    return QUANTITIES.get(kind, (name, ""))


def numbers_in(table, name):
    """Return a column's numbers; NAN for words."""
    return table.values[:, table.names.index(name)]


def draw_columns(sheet):
    """Any columns of a table over another, each quantity and unit in a panel of its own."""
    request = sheet.request
    if not request.y:
        refuse("--what columns needs --y COLUMNS: names of columns, separated by commas")
    found = []  # (panel's key, label, unit, curve)
    for word in request.y:
        for i, exhibit in enumerate(sheet.all):
            table = find_table(exhibit, request)
            x = request.x or ("t" if "t" in table else table.names[0])
            for name in columns_for(table, word):
                quantity, unit = words_of(table, name)
                key = name if len(sheet.all) > 1 else (quantity, unit)
                begin = exhibit.begin if x == "t" else 0
                own = exhibit.name if len(sheet.all) > 1 else name
                curve = Curve(sheet, i, begin + numbers_in(table, x), numbers_in(table, name), name=own)
                found.append((key, name, (quantity, unit), curve))
            if exhibit is sheet.first:
                quantity, unit = words_of(table, x)
                across = quantity if x in ("t", "k", "h") else x
                sheet.across = f"{across} [{unit}]" if unit else across
    for key in dict.fromkeys(each[0] for each in found):
        same = [each for each in found if each[0] == key]
        _, name, (quantity, unit), _ = same[0]
        curves = [each[3] for each in same]
        if len(sheet.all) == 1:
            for i, curve in enumerate(curves):
                curve.colour = i
                curve.style["dash"] = i // len(COLOURS)
        alone = len(curves) == 1
        label = name if alone or len(sheet.all) > 1 else quantity
        compare(sheet, label, unit, curves, len(sheet.all) > 1, not alone)
