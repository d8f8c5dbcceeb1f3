"""What pictures are drawn from: facts of the program, and the tables of result folders."""
import base64
import difflib
import os

import numpy as np

from ..errors import BadInput
from ..result import Result
from ..table import Table

# of a coordinate by its unit: its position, its rate, its runs
WORDS = {
    "m": ("position", "velocity", "closed loop, position"),
    "rad": ("angle", "angular velocity", "closed loop, angle"),
    "1": ("quaternion", "its rate", "closed loop, quaternion"),
}


def floats(text):
    """Return numbers that the program packed as base64 of 32-bit floats."""
    return np.frombuffer(base64.b64decode(text), "<f4").astype(float)


def numbers(values):
    """Return a list in which null stands for no number, as an array."""
    return np.array([np.nan if value is None else value for value in values], float)


def near(word, known):
    """Return a sentence's end that names what a word may have been meant for."""
    found = difflib.get_close_matches(word, known, 1, 0.7)
    return f"; did you mean '{found[0]}'?" if found else ""


def stands_for(word, name):
    """Return whether a word names it, or what it begins with: `tip` stands for `tip.x`."""
    return name == word or name.startswith(word + ".")


class Request:
    """What a command line asks for: the members of `request` in cli/pictures/facts.h."""

    def __init__(self, members):
        self.__dict__.update(members)
        self.only = self.only.split(",") if self.only else None
        self.range = [numbers(ends) for ends in self.range]
        self.plane = members.get("plane")

    def shows(self, name):
        """Return whether --only lets a coordinate, an input, an output or a contact through."""
        return not self.only or any(stands_for(word, name) for word in self.only)


class Exhibit:
    """A result folder, or a table by itself."""

    def __init__(self, facts):
        self.facts = facts
        self.path, self.name = facts["path"], facts["name"]
        self.begin, self.step, self.folder = facts["begin"], facts["step"], facts["folder"]
        at = os.path.abspath(os.fsdecode(bytes.fromhex(facts["at"])))
        self.tables = {}
        if not self.folder:
            self.columns = Table(at)
            return
        self.result = Result(at, below=facts["below"])
        self.motion = self.table("trajectory.csv")
        names = facts["names"]
        self.coords = [(each["name"], each["unit"]) for each in names["coordinates"]]
        self.inputs = [(each["name"], each["unit"]) for each in names["inputs"]]
        self.t = self.motion["t"]
        self.q = self.block("q", self.coords)
        self.v = self.block("v", self.coords)
        self.energy = np.array(facts["energy"], float)
        self.energy_t = self.t[:: facts["energy_every"]]

    def __getattr__(self, name):
        try:
            return self.__dict__["facts"][name]
        except KeyError:
            raise AttributeError(name) from None

    def block(self, kind, names):
        """Return the columns of a kind, in the order of names, [knots x names]."""
        columns = [self.motion[f"{kind}.{name}"] for name, _ in names]
        return np.stack(columns, axis=1) if columns else np.empty((len(self.motion), 0))

    def table(self, file):
        """Return a table of the folder; None: it has none."""
        if file not in self.tables:
            there = self.folder and file in self.result.files.values()
            self.tables[file] = self.result.table(file) if there else None
        return self.tables[file]

    def index(self, name):
        """Return the number of a coordinate; -1: it has none of that name."""
        return next((i for i, (own, _) in enumerate(self.coords) if own == name), -1)

    @property
    def end(self):
        """The duration of the motion, s."""
        return float(self.t[-1])

    @property
    def h(self):
        """The mean time between knots, s."""
        return self.end / (len(self.t) - 1)

    def knots(self, times):
        """Return the knots at these times; -1 for a time without one."""
        times = np.asarray(times, float)
        k = np.clip(np.searchsorted(self.t, times), 1, len(self.t) - 1)
        k = np.where(times - self.t[k - 1] < self.t[k] - times, k - 1, k)  # the nearest one
        return np.where(abs(self.t[k] - times) <= 1e-9 * self.end, k, -1)

    def places(self, times):
        """Return positions [times x n]: at knots, and between them on the cubic through the positions
        and velocities of the two beside."""
        times = np.asarray(times, float)
        k = np.clip(np.searchsorted(self.t, times, "right") - 1, 0, len(self.t) - 2)
        h = (self.t[k + 1] - self.t[k])[:, None]
        s = np.clip((times - self.t[k])[:, None] / h, 0, 1)
        r, q, v = 1 - s, self.q, self.v
        inner = (
            r * r * (1 + 2 * s) * q[k]
            + s * s * (1 + 2 * r) * q[k + 1]
            + h * s * r * (r * v[k] - s * v[k + 1])
        )
        at = self.knots(times)
        return np.where((at >= 0)[:, None], q[at], inner)

    def limit(self, name, i):
        """Return a limit of the task on a coordinate or an input; None: there is none."""
        values = self.limits.get(name)
        return values[i] if values else None

    def windows_of(self, column):
        """Return the limits of a column over spans: (t, low or None, high or None)."""
        return [
            (numbers(each["t"]), each.get("low"), each.get("high"))
            for each in self.facts.get("windows", ())
            if each["column"] == column
        ]


def unit_in_common(units):
    """Return the unit that all have, else SI."""
    return units[0] if len(set(units)) == 1 else "SI"


def refuse(words):
    """End with a sentence."""
    raise BadInput(words)
