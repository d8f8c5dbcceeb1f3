"""What kinds of pictures draw on: panels with curves, limits and a legend, and the figure of them all."""
import io
import math
import re

import matplotlib
import numpy as np
from matplotlib.figure import Figure
from matplotlib.ticker import FuncFormatter, LogLocator, NullFormatter

# colours that people tell apart, whatever they see of red and green
COLOURS = ("#0072B2", "#D55E00", "#009E73", "#CC79A7", "#E69F00", "#56B4E9", "#8C564B", "#6B6B6B")
WIDTH, HEIGHT = 4.5, 2.7  # of a panel, in
LEFT, RIGHT, BELOW, ABOVE, LINE = 0.78, 0.16, 0.5, 0.1, 0.165  # about its axes; a legend's line; in
LETTERS, SHORT = 52, 48  # of a legend's line; of the longest name
DOTTED, DOTS, ROWS = 60, 300, 3000  # points with a dot each; dots and points that SVG keeps as such
ROUNDING = 1e-12  # of a coordinate, a velocity or an output, in SI units
STYLE = {
    "font.size": 9,
    "font.sans-serif": ["DejaVu Sans", "Verdana", "Helvetica"],
    "axes.labelsize": 9,
    "xtick.labelsize": 8,
    "ytick.labelsize": 8,
    "legend.fontsize": 8,
    "axes.edgecolor": "#444444",
    "axes.linewidth": 0.8,
    "axes.spines.top": False,
    "axes.spines.right": False,
    "axes.grid": True,
    "axes.axisbelow": True,
    "axes.formatter.useoffset": False,
    "grid.color": "#DDDDDD",
    "grid.linewidth": 0.6,
    "lines.solid_capstyle": "round",
    "text.parse_math": False,  # names are text
    "path.simplify_threshold": 0.3,
    "svg.fonttype": "none",
    "svg.hashsalt": "dmoc",
    "pdf.fonttype": 42,
}
RAISED = str.maketrans("-0123456789", "⁻⁰¹²³⁴⁵⁶⁷⁸⁹")


def power(k):
    """Return 10^k as text."""
    return "10" + str(k).translate(RAISED)


def shorten(text, most):
    """Return a text without its middle where it is longer than so many letters."""
    text = "".join(c if c.isprintable() else "?" for c in text)
    half = (most - 1) // 2
    return text if len(text) <= most else f"{text[:half]}…{text[-half:]}"


def spread(y):
    """Return the least and the largest finite value; (0, 0): there is none."""
    y = y[np.isfinite(y)]
    return (float(y.min()), float(y.max())) if len(y) else (0.0, 0.0)


class Panel:
    """One diagram: curves are collected first, and drawn when their range and legend are known."""

    def __init__(self, sheet, label, unit=""):
        self.sheet, self.label, self.unit = sheet, label, unit
        self.across = sheet.across
        self.drawn, self.legend, self.flat, self.bounds = [], [], [], False
        self.equal = self.log_x = self.log_y = False
        self.range = [None, None]
        self.marks = None  # of the horizontal axis

    def curve(self, x, y, name=None, colour=0, **style):
        """Add a curve, or with `steps` a staircase, with `dots` points alone, with `line` no dots;
        `rgb`, `width`, `alpha`, `dash`, `marker` say how it looks."""
        x, y = np.asarray(x, float), np.asarray(y, float)
        request = self.sheet.request
        if self.log_y or request.logy:
            y = np.where(y > 0, y, np.nan)
        if self.log_x or request.logx:
            x = np.where(x > 0, x, np.nan)
        keep = np.isfinite(x) & np.isfinite(y)
        if not keep.any():
            return
        if len(x) > ROWS and not style.get("whole"):
            thin = np.unique(np.append(np.arange(0, len(x), len(x) // ROWS + 1), len(x) - 1))
            x, y = x[thin], y[thin]
        self.drawn.append((x, y, colour, style))
        if name is not None:
            self.legend.append((name, colour, style))

    def limit(self, value, y, colour):
        """Add a limit, a number or (t, values), where it is near a curve: further off, that would look
        flat beside it."""
        t, low = value if isinstance(value, tuple) else (None, value)
        if low is None or not np.isfinite(low).all():
            return
        least, largest = spread(y)
        room = 2 * max(largest - least, 1e-3 * (1 + abs(largest)))
        if not least - room <= np.ravel(low)[0] <= largest + room:
            return
        if t is None:
            self.flat.append((low, colour))
        else:
            self.drawn.append((t, np.asarray(low, float), colour, {"dash": 1, "width": 1.1, "line": 1}
                               if len(t) > 1 else {"dots": True}))
        self.bounds |= t is None or len(t) > 1

    def windows(self, exhibit, column, y, colour):
        """Add the limits of a column over spans."""
        for t, low, high in exhibit.windows_of(column):
            for side in (low, high) if low != high else (low,):
                if side is not None:
                    self.limit((t, side), y, colour)

    # -- on the figure

    def ends(self, axis):
        """Return the least and the largest number along an axis."""
        values = [each[axis] for each in self.drawn] + ([[v for v, _ in self.flat]] if axis else [])
        return spread(np.concatenate([np.ravel(v) for v in values])) if values else (0.0, 0.0)

    def scale(self):
        """Return the power of ten in which the vertical axis counts."""
        low, high = self.ends(1)
        size = max(abs(low), abs(high))
        if self.log_y or self.sheet.request.logy or self.equal or not size > 0:
            return 0
        k = math.floor(math.log10(size))
        return k if k < -3 or k > 4 else 0

    def draw(self, axes):
        """Draw it."""
        k = self.scale()
        factor = 10.0**-k
        for x, y, colour, style in self.drawn:
            axes.plot(x, y * factor, **look(colour, style, len(x)))
        for value, colour in self.flat:
            axes.axhline(value * factor, color=COLOURS[colour % len(COLOURS)], lw=1.1, dashes=(6, 4))
        unit = " ".join(([power(k)] if k else []) + ([self.unit] if self.unit else []))
        label = f"{self.label} [{unit}]" if unit else self.label
        axes.set_ylabel(shorten(label, 60), fontsize=9 if len(label) < 38 else 7)
        axes.set_xlabel(shorten(self.across, 50))
        self.set_scales(axes)
        self.set_range(axes, 0, 1)
        self.set_range(axes, 1, factor)
        longest = max(map(len, axes.yaxis.get_major_formatter().format_ticks(axes.get_yticks())), default=0)
        if longest > 6:  # numbers stay apart from the label
            axes.tick_params(axis="y", labelsize=8 * 6 / longest)
        if self.sheet.phases and self.across.startswith("time"):
            for each in self.sheet.all[1:]:
                axes.axvline(each.begin, color="#999999", lw=0.8, dashes=(2, 2))
        self.put_legend(axes)

    def set_scales(self, axes):
        """Logarithms where they are wanted, and one unit of length on both axes."""
        logs = (self.log_x or self.sheet.request.logx, self.log_y or self.sheet.request.logy)
        for log, axis, set_scale in zip(logs, (axes.xaxis, axes.yaxis), (axes.set_xscale, axes.set_yscale)):
            if log:
                set_scale("log")
                axis.set_major_locator(LogLocator(10, numticks=8))
                axis.set_major_formatter(FuncFormatter(lambda v, _: power(round(math.log10(v)))))
                axis.set_minor_formatter(NullFormatter())
        if self.marks is not None:
            axes.set_xticks(self.marks, [f"{each:.4g}" for each in self.marks])
        if self.equal:
            axes.set_aspect("equal", adjustable="datalim" if self.free() else "box")

    def free(self):
        """Return whether nobody has asked for a range."""
        return all(np.isnan(ends).all() for ends in self.sheet.request.range)

    def set_range(self, axes, i, factor):
        """The range that was asked for, that the kind gives, or one that is not empty."""
        asked = self.sheet.request.range[i]
        low, high = self.ends(i)
        own = self.range[i]
        log = (self.log_x or self.sheet.request.logx, self.log_y or self.sheet.request.logy)[i]
        if own is None and log and low > 0:
            own = (10.0 ** math.floor(math.log10(low)), 10.0 ** math.ceil(math.log10(high) + 1e-9))
            own = own if own[1] > own[0] else (own[0], 10 * own[0])
        if own is None and i == 0 and not self.equal and high > low:
            own = (min(low, 0) if self.across.startswith("time") else low, high)
        size = max(abs(low), abs(high))
        if own is None and not high - low > 1e-7 * size and not log:
            own = (low - (0.1 * size or 1), high + (0.1 * size or 1))
        ends = [a if np.isfinite(a) else b for a, b in zip(asked, own or (None, None))]
        scaled = [None if each is None else each * factor for each in ends]
        if scaled != [None, None]:
            (axes.set_ylim if i else axes.set_xlim)(scaled[0], scaled[1])

    def put_legend(self, axes):
        """Names over the panel, in as many columns as they have room for."""
        handles, names = [], self.names()
        for _, colour, style in self.legend:
            handles += axes.plot([], [], **look(colour, {**style, "alpha": 1, "whole": 0}, 0))
        if self.bounds:
            handles += axes.plot([], [], color="#444444", lw=1.1, dashes=(4, 2))
        if handles:
            axes.legend(
                handles, names, loc="lower left", bbox_to_anchor=(-0.03, 1.0), frameon=False,
                ncol=columns_of(names), borderaxespad=0.1, handlelength=1.6, columnspacing=1.2,
                handletextpad=0.5, labelspacing=0.2,
            )  # fmt: skip

    def names(self):
        """Return the names of the legend."""
        return [shorten(name, SHORT) for name, _, _ in self.legend] + ["limits"] * self.bounds

    def height(self):
        """Return how high the panel is; of positions in the world as their shape asks for."""
        rows = -(-len(self.names()) // columns_of(self.names()))
        own = HEIGHT - BELOW - ABOVE
        if self.equal:
            (left, right), (low, high) = self.ends(0), self.ends(1)
            shape = (high - low) / max(right - left, 1e-9)
            own = min(max(shape * (WIDTH - LEFT - RIGHT), 1.4), 6.0)
        return own + BELOW + ABOVE + LINE * rows


def look(colour, style, points):
    """Return how matplotlib draws a curve."""
    own = {"color": style.get("rgb") or COLOURS[colour % len(COLOURS)], "alpha": style.get("alpha")}
    if style.get("dots"):
        return {
            **own, "ls": "", "marker": style.get("marker", "o"), "ms": style.get("width", 3.5),
            "mew": 0, "rasterized": points > DOTS,
        }  # fmt: skip
    own["lw"] = style.get("width", 1.6)
    if style.get("dash"):
        own["dashes"] = ((6, 3), (2, 2), (6, 2, 2, 2))[(style["dash"] - 1) % 3]
    if style.get("steps"):
        own["drawstyle"] = "steps-post"
    elif 0 < points <= DOTTED and not style.get("line"):
        own.update(marker="o", ms=2.5, mew=0)
    return own


class Sheet:
    """A picture under way: what it shows, and its panels so far."""

    def __init__(self, exhibits, shown, request, phases, reference):
        self.all, self.first = exhibits[:shown], exhibits[0]
        self.request, self.phases, self.reference = request, phases, reference
        self.panels, self.across = [], "time [s]"
        self.notes, self.lines, self.found = [], [], {}

    def panel(self, label, unit=""):
        """Begin a panel."""
        self.panels.append(Panel(self, label, unit))
        return self.panels[-1]

    def groups(self, names, wanted=None):
        """Return the names (of these numbers alone) that --only shows, in groups that a panel each has
        colours for, as lists of (number, colour)."""
        wanted = range(len(names)) if wanted is None else wanted
        shown = [i for i in wanted if self.request.shows(names[i])]
        count = -(-len(shown) // len(COLOURS))
        each = -(-len(shown) // count) if count else 1
        few = len(names) <= len(COLOURS)
        return [
            [(i, i if few else j) for j, i in enumerate(shown[at : at + each])]
            for at in range(0, len(shown), each)
        ]

    def write(self, file):
        """Write the picture: panels side by side, one, two columns up to four, else three."""
        n = len(self.panels)
        columns = 1 if n == 1 else 2 if n <= 4 else 3
        rows = -(-n // columns)
        with matplotlib.rc_context():
            matplotlib.rcdefaults()  # no settings of the user's
            matplotlib.rcParams.update(STYLE)
            high = max(panel.height() for panel in self.panels)
            figure = Figure(figsize=(columns * WIDTH, rows * high))
            for i, panel in enumerate(self.panels):
                top = ABOVE + LINE * -(-len(panel.names()) // columns_of(panel.names()))
                x, y = (i % columns) * WIDTH + LEFT, (rows - 1 - i // columns) * high + BELOW
                box = (x, y, WIDTH - LEFT - RIGHT, high - BELOW - top)
                whole = (columns * WIDTH, rows * high) * 2
                axes = figure.add_axes([a / b for a, b in zip(box, whole)])
                axes.yaxis.set_label_coords(-0.56 / box[2], 0.5)
                axes.xaxis.set_label_coords(0.5, -0.27 / box[3])
                panel.draw(axes)
            save(figure, self.request.suffix, file)


def columns_of(names):
    """Return how many columns of a legend have room for names."""
    longest = max(map(len, names), default=0)
    return max(1, min(len(names), (LETTERS + 4) // (longest + 5)))


def save(figure, suffix, file):
    """Write a figure: the same bytes for the same picture."""
    without = {"svg": {"Date": None, "Creator": None, "Format": None, "Type": None}, "pdf": {"CreationDate": None}, "png": {"Software": None}}
    held = io.BytesIO()
    figure.savefig(held, format=suffix, dpi=200, metadata=without[suffix])
    data = held.getvalue()
    if suffix == "svg":  # without a reference to elsewhere; hundredths of a point are enough
        data = re.sub(rb"<!DOCTYPE[^>]*>\s*|<!--.*?-->\s*", b"", data, flags=re.S)
        data = re.sub(rb' d="[^"]*"', lambda d: re.sub(rb"(\.\d\d)\d+", rb"\1", d.group()), data)
    file.write(data)
