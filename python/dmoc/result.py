"""Result folders, as arrays with names and units."""
import json
import os
from typing import NamedTuple

import numpy as np

from .errors import BadInput
from .figures import describe
from .folder import hold, is_name
from .page import Shown
from .table import Table, frozen


def units_of_outputs(found, before=""):
    """Return the units of output rows by name: `tool.x` is nested in the object `tool`."""
    units = {}
    for name, row in found.items():
        if not isinstance(row, dict):
            continue
        if isinstance(row.get("unit"), str):
            units[before + name] = row["unit"]
        units.update(units_of_outputs(row, f"{before}{name}."))
    return units


class ContactForces(NamedTuple):
    """A contact of a plan over its knots: see `Result.contact_forces`."""

    state: np.ndarray
    gap: np.ndarray
    normal: np.ndarray
    friction: np.ndarray


class Folder(Shown):
    """A folder of tables: each NAME.csv is an attribute, with `-` replaced by `_`."""

    units = {}
    digests = {}  # SHA-256 digests of files by name, from result.json
    below = False  # inside the folder of another result

    def __init__(self, folder, keep=None, warnings=()):
        self.folder = self.shown = os.path.abspath(os.fspath(folder))
        self.keep = keep  # a temporary folder, which is kept as long as this object
        self.warnings = list(warnings)
        self.tables = {}

    @property
    def mark(self):
        """The file that every command rewrites."""
        return os.path.join(self.folder, self.MARK)

    @property
    def files(self):
        """The existing tables, by attribute names."""
        try:
            there = os.listdir(self.folder)
        except OSError as why:
            raise BadInput(f"{self.folder}: cannot be read any more: {why.strerror}") from None
        names = sorted(name for name in there if name.endswith(".csv"))
        return {name[:-4].replace("-", "_"): name for name in names}

    def table(self, name):
        """Return a table by its file's name, with or without .csv."""
        file = name if name.endswith(".csv") else f"{name}.csv"
        if file in self.tables:
            return self.tables[file]
        with hold(self.folder, self.below) as held:
            if not is_name(file) or not held.has(file):
                raise BadInput(
                    f"{self.folder}: found no {file}, there are {', '.join(self.files.values())}"
                )
            data = held.read(file, self.digests.get(file))
        path = os.path.join(self.folder, file)
        return self.tables.setdefault(file, Table(path, self.units, data=data))

    def __getattr__(self, name):
        if name.startswith("_") or "tables" not in self.__dict__:
            raise AttributeError(name)
        file = self.files.get(name)
        if not file:
            raise AttributeError(f"this result has no {name}: there are {', '.join(self.files)}")
        return self.table(file)

    def __dir__(self):
        return [*super().__dir__(), *self.files]


class Result(Folder):
    """A result folder. Everything in it is read-only.

    r.status         "solved", "done", .. (docs/results.md has them all)
    r.objective      the cost
    r.record         result.json, as dicts and lists
    r.figure(path)   a value of it with its unit, label and meaning
    r.trajectory     a Table: t, q.NAME, p.NAME, v.NAME, u.NAME; r.trajectory.q [knots x n]
    r.gains, r.verify, r.outputs, r.plant, ..   each table NAME.csv of the folder
    r.contact_forces states, gaps and forces of the contacts of a plan, by name
    r.K              the gains [N x m x 2n] of u = u_d - K (x - x_d), x = (q, p)
    r.phases         results of phases by name, for a problem with phases
    r.folder         the path of the folder
    """

    MARK = "result.json"

    def __init__(self, folder, keep=None, warnings=(), below=False):
        super().__init__(folder, keep, warnings)
        self.below = below
        with hold(self.folder, below) as held:
            if not held.has(self.MARK):
                raise BadInput(f"{folder}: found no result.json, expected a result folder")
            data = held.read(self.MARK)
        try:
            self.record = json.loads(data)
            self.digests = dict(self.record.get("files", {}))
        except (ValueError, AttributeError, TypeError, RecursionError) as why:
            raise BadInput(
                f"{folder}/result.json is damaged ({why}), expected the record of a result"
            ) from None

    def figure(self, path):
        """Return a value of result.json with its unit, label and meaning: "accuracy.objective"."""
        return describe(self.record, path)

    @property
    def status(self):
        """The status as a word."""
        return self.record.get("status", "")

    @property
    def objective(self):
        """The value of the cost, or None."""
        return self.record.get("objective")

    @property
    def units(self):
        """The units of q, v, p, u and of outputs y, by name."""
        outputs = units_of_outputs(self.record.get("outputs", {}))
        return {**self.record.get("units", {}), "y": outputs}

    @property
    def phases(self):
        """The results of phases by name; {} if there are none."""
        names = [phase["name"] for phase in self.record.get("phases", [])]
        for name in names:
            if not is_name(name):
                raise BadInput(f"{self.mark} is damaged: found a phase {name!r}, expected a folder's name")
        return {
            name: Result(os.path.join(self.folder, name), self.keep, below=True) for name in names
        }

    @property
    def inputs(self):
        """The names of inputs, as in columns u.NAME."""
        return self.trajectory.group("u")

    @property
    def contact_forces(self):
        """The contacts of a plan, and joints with dry friction, by name, each as arrays over knots [N+1]:

        state     "open", "sticks", "slides", ..: the words of schedule.csv
        gap       m or rad; NAN of a joint
        normal    the normal force, N or N m: the impulse over the step, at both ends over half of it
        friction  the size of its friction
        """
        table = self.table("schedule")
        share = np.full(len(self.trajectory), self.h)
        share[[0, -1]] /= 2
        found = {}
        for name in dict.fromkeys(table["contact"].tolist()):
            at = table["contact"] == name
            found[name] = ContactForces(
                *(
                    frozen(part)
                    for part in (
                        table["state"][at],
                        table["gap"][at],
                        table["impulse"][at] / share,
                        table["friction"][at] / share,
                    )
                )
            )
        return found

    @property
    def K(self):
        """The gains [N x m x 2n]: K[k] at knot k, rows by inputs, columns by (q, p)."""
        gains = self.gains
        columns = [
            f"K.{name}.{x}.{at}"
            for name in self.inputs
            for x in ("q", "p")
            for at in self.trajectory.group(x)
            if f"K.{name}.{x}.{at}" in gains
        ]
        inputs = sum(
            any(column.startswith(f"K.{name}.") for column in columns) for name in self.inputs
        )
        block = np.stack([gains[column] for column in columns], axis=1)
        return frozen(block.reshape(len(gains), inputs, -1))

    @property
    def x(self):
        """The states (q, p) at knots [N+1 x 2n]."""
        return frozen(np.hstack([self.trajectory.q, self.trajectory.p]))

    @property
    def u(self):
        """The inputs of steps [N x nu]."""
        return (
            self.trajectory.u[:-1]
            if self.inputs
            else frozen(np.empty((len(self.trajectory) - 1, 0)))
        )

    @property
    def h(self):
        """The time between stored knots, s; with steps of unequal length the first one."""
        return float(self.trajectory.t[1] - self.trajectory.t[0])

    def map(self, threads=1, **options):
        """Return the discrete map that was used for this result, a `dmoc.Map`."""
        from .map import Map

        found = Map(
            self.record["problem"],
            step=self.h / self.record.get("every", 1),
            threads=threads,
            copies=os.path.join(self.folder, "inputs"),
            replace=self.record.get("replaced", {}),
            **options,
        )
        # a pickled map is opened again from the copies, whose folder may be temporary
        found.keep = self.keep
        return found

    def __repr__(self):
        cost = "" if self.objective is None else f", objective {self.objective:.10g}"
        return f"<dmoc result {os.path.basename(self.folder)}: {self.status}{cost}>"
