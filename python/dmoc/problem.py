"""Problems: from files, from keyword arguments with the same keys, or from both."""
import contextlib
import copy
import ctypes
import json
import math
import os
import re
import tempfile

from .arrays import refuse_masked
from .errors import BadInput
from .formula import Formula
from .library import read_keys

# text that needs no quotes in YAML, in any position
PLAIN = re.compile(r"(?:[A-Za-z0-9_./~(+<>=]|-(?=[^\s]))[A-Za-z0-9_./~()+*^ <>=-]*(?<! )")
FILE_NAME = "problem.yaml"
DEEPEST = 30  # nesting depth of lists and dicts; the reader of problem files accepts 32

# an open value: start={"q": {"pole": dmoc.free}}
free = "free"


def plain_value(value, where):
    """Return numpy numbers and arrays as Python objects; `where` is the path of their key."""
    refuse_masked(where, value)
    if isinstance(value, Formula):
        return value.text
    if hasattr(value, "tolist"):
        value = value.tolist()
    return os.fspath(value) if isinstance(value, os.PathLike) else value


def enter(value, where, above):
    """Return the identities of a list or dict and of its containers, to detect cycles."""
    if id(value) in above:
        kind = type(value).__name__
        raise BadInput(f"{where}: found a {kind} that contains itself, expected one that ends")
    if len(above) == DEEPEST:
        raise BadInput(f"{where}: found more than {DEEPEST} levels of lists and dicts")
    return (*above, id(value))


def write_number(value, where):
    """Return a number as YAML: inf is `none`, no limit; NAN is refused as a failed computation."""
    if math.isnan(value):
        raise BadInput(
            f"{where}: found nan, expected a number; dmoc.free leaves a value open, math.inf is no limit"
        )
    return repr(value) if math.isfinite(value) else "none"


def write_value(value, where, above=()):
    """Return a value as YAML in one line; `where` is the path of its key, `above` its
    containers."""
    value = plain_value(value, where)
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, int):
        return str(value)
    if isinstance(value, float):
        return write_number(value, where)
    if isinstance(value, str):
        return value if PLAIN.fullmatch(value) else json.dumps(value, ensure_ascii=False)
    if isinstance(value, dict):
        above = enter(value, where, above)
        entries = (
            f"{write_value(str(key), where)}: {write_value(entry, f'{where}.{key}', above)}"
            for key, entry in value.items()
        )
        return "{" + ", ".join(entries) + "}"
    if isinstance(value, (list, tuple)):
        above = enter(value, where, above)
        entries = (write_value(entry, f"{where}.{i}", above) for i, entry in enumerate(value))
        return "[" + ", ".join(entries) + "]"
    raise BadInput(
        f"{where}: found {type(value).__name__}, expected a number, text, a list or a dict"
    )


def merge(keys, more, where="", above=()):
    """Merge `more` into `keys`: mappings entry by entry, None removes a key, others replace."""
    above = enter(more, where or "the problem", above)
    for key, value in more.items():
        path = f"{where}.{key}" if where else str(key)
        value = plain_value(value, path)
        if value is None:
            keys.pop(key, None)
        elif isinstance(value, dict):
            inner = keys.get(key)
            keys[key] = inner if isinstance(inner, dict) else {}
            merge(keys[key], value, path, above)
        else:
            keys[key] = copy.deepcopy(value)


def set_path(keys, path, value):
    """Set a value at "horizon.steps", or "model.bodies.0.mass"."""
    *way, last = path.split(".")
    at = keys
    for part in way:
        at = at[place(at, part, path)] if isinstance(at, list) else at.setdefault(part, {})
        if not isinstance(at, (dict, list)):
            raise BadInput(f"{path}: found {at!r} at {part}, expected a mapping")
    if isinstance(at, list):
        at[place(at, last, path)] = plain_value(value, path)
    elif value is None:
        at.pop(last, None)
    else:
        at[last] = plain_value(value, path)


def place(entries, part, path):
    """Return the list index for a component of a path."""
    if not part.isdigit() or int(part) >= len(entries):
        raise BadInput(
            f"{path}: found '{part}', expected a place in a list of {len(entries)}, from 0"
        )
    return int(part)


class Problem:
    """A problem: a file, keyword arguments with its keys, or a file with some keys replaced.

        Problem("swing-up.yaml")
        Problem("swing-up.yaml", horizon={"steps": 200}, feedback=None)
        Problem(model={"robot": "arm.urdf"}, horizon={"steps": 50, "time": 1}, start=..., goal=...)

    Mappings are merged entry by entry, None removes a key, lists and numbers are replaced. numpy
    arrays are lists; math.inf is `none` (no limit), dmoc.free leaves a value open. NAN and masked
    entries are refused. SI units, angles in rad, as in files; for the keys see
    docs/problem-format.md.

    Files that it names, robots and tables, are relative to its file; without one to `folder`, which
    is a key like others, else to the current working directory.
    """

    def __init__(self, file=None, /, **keys):
        self.file = None if file is None else os.path.abspath(os.fspath(file))
        self.changed = bool(keys) or file is None
        self.read = {} if file is None else None
        if self.changed:
            merge(self.keys, keys)
            self.settle(os.path.dirname(self.file) if self.file else os.getcwd())

    @property
    def keys(self):
        """Its keys as a dict; keys of a file are read on first use."""
        if self.read is None:
            self.read = json.loads(read_keys(self.file))
        return self.read

    def settle(self, base):
        """Set the folder of files and the name of results, for a text that may be stored
        anywhere."""
        self.keys["folder"] = os.path.join(base, str(self.keys.get("folder", "")))
        self.keys.setdefault("name", self.file_name)

    def replaced(self, values=None, /, **keys):
        """Return another problem with keys replaced: keyword arguments as above, or a dict of
        paths, {"horizon.steps": 200, "model.bodies.0.mass": 1.5}."""
        other = Problem.__new__(Problem)
        other.file, other.changed, other.read = self.file, True, copy.deepcopy(self.keys)
        merge(other.keys, keys)
        for path, value in (values or {}).items():
            set_path(other.keys, path, value)
        if not self.changed:
            other.settle(os.path.dirname(self.file))
        return other

    def evaluate(self, formula, q, v=None, u=None, hessian=False):
        """Evaluate a formula, text or of dmoc.symbols, at a state; return a dict with its value, rate, gradient and
        Hessian, as the command `eval` does for an output.

        q, v, u  [n], [n], [nu] or one number for all, m or rad, m/s or rad/s, N or N m
        """
        from . import commands

        name = "the-formula"
        outputs = list(self.keys.get("outputs") or []) + [{"name": name, "formula": str(formula)}]
        options = {key: value for key, value in (("u", u), ("hessian", hessian)) if value is not None}
        said = commands.evaluate(self.replaced(outputs=outputs), q, v, output=name, **options)
        return said["output"][0]

    def compare(self, formula, function, q):
        """Compare a formula of positions with a function of Python at q [n]; return a dict with the difference of both
        values, `value`, and the largest difference of the formula's gradient from central differences of the
        function, `gradient`: about 1e-10 of its size if both are the same.

        function(*q) gets the positions in the order of the coordinates and returns a number.
        """
        said, q = self.evaluate(formula, q), [float(x) for x in q]

        def change(i):
            step = 1e-5 * max(1, abs(q[i]))
            ends = [function(*q[:i], q[i] + side * step, *q[i + 1 :]) for side in (1, -1)]
            return (ends[0] - ends[1]) / (2 * step)

        slopes = list(said["gradient"].values())
        return {
            "value": said["value"] - function(*q),
            "gradient": max(abs(slope - change(i)) for i, slope in enumerate(slopes)),
        }

    @property
    def file_name(self):
        """The default name of results: FOLDER-FILE."""
        if not self.file:
            return "problem"
        folder, file = os.path.split(self.file)
        return f"{os.path.basename(folder)}-{os.path.splitext(file)[0]}"

    @property
    def name(self):
        """The name of its results."""
        return str(self.keys.get("name", self.file_name))

    @property
    def text(self):
        """The problem as YAML, one line per key."""
        return "".join(
            f"{write_value(key, key)}: {write_value(value, key)}\n"
            for key, value in self.keys.items()
            if value is not None
        )

    def write(self, path):
        """Write it as a file that works in any folder; return the path."""
        settled = self if self.changed else self.replaced()
        with open(path, "w", encoding="utf-8") as file:
            file.write(settled.text)
        return path

    @contextlib.contextmanager
    def as_file(self):
        """Its path, and its name for messages; keyword arguments are written to a temporary
        file."""
        if not self.changed:
            yield self.file, self.file
            return
        with tempfile.TemporaryDirectory(prefix="dmoc-") as folder:
            label = f"<{self.file}, changed>" if self.file else "<problem>"
            yield self.write(os.path.join(folder, FILE_NAME)), label

    def __repr__(self):
        return f"<dmoc problem {self.name if self.changed else self.file}>"


def write_replacements(replace):
    """Return {path: value} as an array of paths and texts for the library, and their number."""
    texts = []
    for key, value in replace.items():
        value = value if isinstance(value, str) else write_value(value, key)
        texts += [key.encode(), value.encode()]
    return (ctypes.c_char_p * len(texts))(*texts), len(replace)


def as_problem(what):
    """Return a Problem for a Problem, a path, or a dict of keys."""
    if isinstance(what, Problem):
        return what
    return Problem(**what) if isinstance(what, dict) else Problem(what)
