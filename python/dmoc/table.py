"""Tables of result folders as read-only arrays with names and units."""
import csv
import io
import math
import os

import numpy as np

from .errors import BadInput
from .folder import read_file

# columns with the same unit in every result
FIXED = {
    "t": "s",
    "energy": "J",
    "time": "s",
    "kinetic": "J",
    "potential": "J",
    "total": "J",
    "turn": "rad",
}


def frozen(array):
    """Return a read-only array."""
    array.setflags(write=False)
    return array


def read_column(cells):
    """Return numbers if all cells are numbers (NAN: empty), else text."""
    try:
        return np.array([float(cell) if cell else math.nan for cell in cells])
    except ValueError:
        return np.array(cells, dtype=str)


def unit_of(column, units):
    """Return the unit of a column by its name; "" if it has none or it is unknown."""
    kind, _, rest = column.partition(".")
    kind = "u" if kind == "u_d" else kind
    if kind in ("q", "v", "p", "u", "y"):
        return units.get(kind, {}).get(rest, "")
    if kind == "K":
        # K.INPUT.STATE, whose names may contain dots
        for name, unit in units.get("u", {}).items():
            for state in ("q", "p"):
                if rest.startswith(f"{name}.{state}."):
                    below = units[state].get(rest[len(name) + 3 :], "")
                    return f"{unit}/({below})" if set(below) & set(" /") else f"{unit}/{below}"
    return FIXED.get(column, "")


class Table:
    """A table of a result: columns with names and units; everything in it is read-only.

        t["q.pole"]    a column: numbers [rows], or text if cells are words
        t["q"], t.q    all columns q.NAME side by side [rows x n], in the robot's order
        t.names        the names of all columns
        t.units        the unit of each, "" if it has none
        t.values       all numeric columns [rows x columns]; text is NAN; np.asarray(t) is the same
        t.to_pandas()  the table as a DataFrame, if pandas is installed

    An empty cell is NAN: the last knot has no input.
    """

    def __init__(self, path, units=None, of_key=None, data=None):
        text = (read_file(os.path.abspath(path)) if data is None else data).decode("utf-8", "replace")
        rows = [row for row in csv.reader(io.StringIO(text)) if row and not row[0].startswith("#")]
        if not rows or any(len(row) != len(rows[0]) for row in rows):
            raise BadInput(f"{path} is damaged: expected names of columns, and rows of as many cells")
        self.path = os.fspath(path)
        self.names = tuple(rows[0])
        columns = [read_column(cells) for cells in zip(*rows[1:])] or [
            np.empty(0) for _ in self.names
        ]
        self.columns = dict(zip(self.names, columns))
        self.units = tuple(
            unit_of(name, units or {}) or (of_key(name) if of_key and "." in name else "")
            for name in self.names
        )

        # all numbers in one array; numeric columns are views of it
        values = np.full((len(rows) - 1, len(self.names)), math.nan)
        for i, column in enumerate(columns):
            if column.dtype.kind == "f":
                values[:, i] = column
        self.values = frozen(values)
        for i, name in enumerate(self.names):
            if self.columns[name].dtype.kind == "f":
                self.columns[name] = self.values[:, i]
            else:
                frozen(self.columns[name])

    def __array__(self, dtype=None, copy=None):
        """Return `values`, or a copy of another type."""
        if copy is False and dtype is not None and np.dtype(dtype) != self.values.dtype:
            raise ValueError(f"found {self.values.dtype}, which is not {np.dtype(dtype)} without a copy")
        if copy:
            return np.array(self.values, dtype)
        return np.asarray(self.values, dtype)

    def to_pandas(self):
        """Return a DataFrame with the names of the columns, numbered from row 0; needs pandas."""
        try:
            from pandas import DataFrame
        except ImportError as why:
            raise ImportError(
                f"Table.to_pandas needs pandas, which cannot be imported ({why}); install it (Debian: "
                "python3-pandas), or use values and names"
            ) from None
        # a copy, which the caller may modify
        return DataFrame({name: np.array(self.columns[name]) for name in self.names})

    def row(self, i):
        """Return row i as a dict by columns: floats, and words."""
        return {name: self.columns[name][i].item() for name in self.names}

    def unit(self, name):
        """Return the unit of a column."""
        if name not in self.columns:
            raise KeyError(self.list_columns(name))
        return self.units[self.names.index(name)]

    def list_columns(self, name):
        """Return a sentence saying that a column does not exist, and listing the columns."""
        return f"{os.path.basename(self.path)} has no column {name}: {', '.join(self.names)}"

    def group(self, name):
        """Return the names of the columns NAME.*, without this prefix."""
        return tuple(
            column[len(name) + 1 :] for column in self.names if column.startswith(name + ".")
        )

    def __getitem__(self, name):
        if name in self.columns:
            return self.columns[name]
        at = [i for i, column in enumerate(self.names) if column.startswith(f"{name}.")]
        if not at:
            raise KeyError(self.list_columns(name))
        # adjacent columns are a view
        if at == list(range(at[0], at[-1] + 1)):
            return self.values[:, at[0] : at[-1] + 1]
        return frozen(self.values[:, at])

    def __getattr__(self, name):
        if name.startswith("_") or "columns" not in self.__dict__:
            raise AttributeError(name)
        try:
            return self[name]
        except KeyError as why:
            raise AttributeError(why.args[0]) from None

    def __contains__(self, name):
        return name in self.columns

    def __iter__(self):
        return iter(self.names)

    def __len__(self):
        return len(self.values)

    def __dir__(self):
        return [*super().__dir__(), *{name.partition(".")[0] for name in self.names}]

    def __repr__(self):
        return f"<{os.path.basename(self.path)}: {len(self)} rows of {', '.join(self.names)}>"
