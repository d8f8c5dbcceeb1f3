"""Formulas as text, by Python's operators.

    s = dmoc.symbols(problem)
    cost = dmoc.formula.huber(s.tool.x - 0.3, 0.05) + 0.1 * s.u.elbow**2
    problem.replaced(cost={"minimize": cost})

The text of a formula is that of a problem file (docs/formulas.md); the program compiles and differentiates it."""
import numbers

from .errors import BadInput

__all__ = ["Formula", "symbols"]

# of an operation; a name or a number binds most
SUM, PRODUCT, POWER, NAME = range(4)


class Formula:
    """A formula; `str` gives its text."""

    __array_ufunc__ = None  # numpy's numbers leave the operation to this class

    def __init__(self, text, level=SUM):
        self.text = text
        self.level = level

    def __str__(self):
        return self.text

    def __repr__(self):
        return f"<formula {self.text}>"

    def __bool__(self):
        raise BadInput(
            f"found {self.text} as a condition, expected an expression without one; "
            "smoothmax, softplus and huber are smooth"
        )

    def __neg__(self):
        return Formula(f"-{write(self, PRODUCT)}")

    def __pos__(self):
        return self

    def __add__(self, other):
        return join(self, "+", other, SUM, PRODUCT)

    def __radd__(self, other):
        return join(other, "+", self, SUM, PRODUCT)

    def __sub__(self, other):
        return join(self, "-", other, SUM, PRODUCT)

    def __rsub__(self, other):
        return join(other, "-", self, SUM, PRODUCT)

    def __mul__(self, other):
        return join(self, "*", other, PRODUCT, PRODUCT)

    def __rmul__(self, other):
        return join(other, "*", self, PRODUCT, PRODUCT)

    def __truediv__(self, other):
        return join(self, "/", other, PRODUCT, POWER)

    def __rtruediv__(self, other):
        return join(other, "/", self, PRODUCT, POWER)

    def __pow__(self, other):
        return Formula(f"{write(self, NAME)}^{write(other, NAME)}", POWER)

    def __rpow__(self, other):
        return Formula(f"{write(other, NAME)}^{write(self, NAME)}", POWER)

    def __getitem__(self, index):
        return Formula(f"{write(self, NAME)}[{int(index)}]", NAME)


def write(what, level):
    """Return an operand as text, in parentheses if its operation binds less than `level`."""
    if isinstance(what, Formula):
        return what.text if what.level >= level else f"({what.text})"
    if isinstance(what, (list, tuple)) or getattr(what, "ndim", 0) == 1:
        return "[" + ", ".join(write(each, SUM) for each in what) + "]"
    if not isinstance(what, numbers.Real) or what != what or what in (float("inf"), -float("inf")):
        raise BadInput(f"found {what!r} in a formula, expected a number or a formula")
    text = repr(float(what)) if float(what) != int(what) or abs(what) > 1e15 else str(int(what))
    return f"({text})" if what < 0 else text


def join(left, sign, right, level, right_level):
    """Return left SIGN right, each in parentheses if it binds less than its level."""
    return Formula(f"{write(left, level)} {sign} {write(right, right_level)}", level)


def call(name, arguments):
    """Return NAME(arguments)."""
    return Formula(f"{name}({', '.join(write(each, SUM) for each in arguments)})", NAME)


def named(name):
    """Return the function of this name in formulas."""

    def function(*arguments):
        return call(name, arguments)

    function.__name__ = name
    function.__doc__ = f"{name}(...) of formulas: docs/formulas.md."
    return function


FUNCTIONS = (
    "sin cos tan asin acos atan sinh cosh tanh exp log sqrt atan2 hypot smoothabs softplus huber "
    "norm dot cross smoothmax smoothmin"
).split()
for each in FUNCTIONS:
    globals()[each] = named(each)
    __all__.append(each)


class Names:
    """Names as attributes, or by index if they are not Python's: names["base.x"]."""

    def __init__(self, what, formulas):
        self.what = what
        self.formulas = formulas

    def __getattr__(self, name):
        if name.startswith("__") or name not in self.__dict__.get("formulas", {}):
            known = ", ".join(self.__dict__.get("formulas", {}))
            raise AttributeError(f"found no {self.what} {name!r}, expected one of {known}")
        return self.formulas[name]

    __getitem__ = __getattr__

    def __dir__(self):
        return list(self.formulas)


class Output(Formula):
    """An output; its rows are attributes x, y, z."""

    def __init__(self, name, rows):
        super().__init__(name, NAME)
        self.rows = rows

    def __getattr__(self, row):
        rows = self.__dict__.get("rows", [])
        if f"{self.text}.{row}" not in rows:
            raise AttributeError(f"found no row {self.text}.{row}, expected one of {', '.join(rows)}")
        return Formula(f"{self.text}.{row}", NAME)


def symbols(problem):
    """Return the names that formulas of a problem may have: s.q.NAME, s.v.NAME and s.p.NAME of coordinates, s.u.NAME of
    inputs, s.lambda_.NAME of constraints, the times s.t, s.T and s.h, and outputs: s.tool, s.tool.x."""
    from . import commands

    said = commands.info(problem)
    coordinates = [str(each["name"]) for each in said["coordinate"]]
    inputs = [str(each["name"]) for each in said["input"]]
    rows = []
    for each in said["constraint"]:
        name, count = str(each["name"]), each["rows"]
        rows += [name] if count == 1 else [f"{name}.{i + 1}" for i in range(count)]
    groups = [(group, "coordinate", coordinates) for group in "qvp"]
    groups += [("u", "input", inputs), ("lambda", "constraint", rows)]
    all_names = {name: Formula(name, NAME) for name in ("t", "T", "h")}
    for group, what, names in groups:
        all_names[group] = Names(what, {name: Formula(f"{group}.{name}", NAME) for name in names})
    all_names["lambda_"] = all_names["lambda"]  # a keyword of Python
    for each in said["output"]:
        all_names[str(each["name"])] = Output(str(each["name"]), [str(row) for row in each["rows"]])
    return Names("name", all_names)
