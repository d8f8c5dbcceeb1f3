"""Orders of convergence: errors over steps by their logarithms, with the power that fits."""
import numpy as np

from .compare import numbers_in
from .facts import near, refuse, unit_in_common

SCATTERED = 0.5  # log e about the fit: errors that are further off follow no power of the step
HIGHEST = 16.0  # orders that are looked for lie below


class Family:
    """Errors of one method, or of one column, at several steps; r: the step that they are measured
    from, where it is one of its own, else 0."""

    def __init__(self, name):
        self.name, self.h, self.e, self.r = name, [], [], 0.0
        self.order = self.constant = self.scatter = np.nan
        self.used = 0

    def add(self, h, e):
        """Add an error."""
        self.h.append(float(h))
        self.e.append(float(e))

    def shape(self, h, p):
        """Return log |h^p - r^p|."""
        return np.log(abs(h**p - self.r**p)) if self.r > 0 else p * np.log(h)

    def error(self, h):
        """Return C |h^p - r^p|."""
        return self.constant * np.exp(self.shape(h, self.order))

    def fit(self):
        """Fit C and p by least squares of log e: those that are 0, and that of step r, are left out."""
        h, e = np.array(self.h), np.array(self.e)
        keep = (h > 0) & (e > 0) & np.isfinite(e) & (abs(h - self.r) > 1e-9 * h)
        h, loge = h[keep], np.log(e[keep])
        self.used = len(h)
        if not len(h) or (abs(h - h[0]) <= 1e-9 * h[0]).all():
            return

        def misfit(p):
            return np.var(loge - self.shape(h, p))

        if self.r > 0:  # on a grid, then by golden sections on the best one's side of 0
            grid = np.linspace(-HIGHEST, HIGHEST, 401)
            step = grid[1] - grid[0]
            best = min(grid[abs(grid) > step / 2], key=misfit)
            low, high = best - step, best + step
            low, high = (max(low, 1e-6), high) if best > 0 else (low, min(high, -1e-6))
            for _ in range(60):
                golden = (np.sqrt(5) - 1) / 2 * (high - low)
                a, b = high - golden, low + golden
                low, high = (low, b) if misfit(a) < misfit(b) else (a, high)
            self.order = (low + high) / 2
        else:
            self.order = np.polyfit(np.log(h), loge, 1)[0]
        rest = loge - self.shape(h, self.order)
        self.scatter, self.constant = np.std(rest), np.exp(np.mean(rest))

    @property
    def fits(self):
        """Return whether the errors follow a power of the step."""
        return self.scatter < SCATTERED


class Study:
    """Families by name, and what their errors are."""

    def __init__(self, sheet):
        self.sheet, self.request, self.families = sheet, sheet.request, {}
        self.label, self.unit = "", ""
        self.kind, self.number = "nothing", 0.0
        word = self.request.against
        if word is not None:
            try:
                self.kind, self.number = "number", float(word)
            except ValueError:
                self.kind = "finest" if word == "finest" else "folder"
        self.reference = None

    def family(self, name):
        """Return the family of a name."""
        return self.families.setdefault(name, Family(name))

    def name_of(self, exhibit):
        """Return what the family of a folder is called: its method, or as --names says."""
        return exhibit.name if self.request.names else exhibit.method

    def finest(self):
        """Return the folder of the smallest step."""
        return min(self.sheet.all, key=lambda exhibit: exhibit.step)

    def measure(self):
        """Measure the errors of motions, of numbers of result.json, or of columns of tables."""
        exhibits = self.sheet.all
        if len({exhibit.folder for exhibit in exhibits}) > 1:
            refuse("--what order takes folders or tables, got both")
        if not exhibits[0].folder:
            self.measure_tables()
        elif len(self.request.y) > 1:
            refuse(
                "--what order of folders takes one number of result.json by --y, got "
                f"{len(self.request.y)}"
            )
        elif self.request.y:
            self.measure_numbers(self.request.y[0])
        else:
            self.measure_motions()
        if self.reference and self.name_of(self.reference) in self.families:
            self.family(self.name_of(self.reference)).r = self.reference.step
        for family in self.families.values():
            family.fit()
        used = sum(family.used for family in self.families.values())
        if used < 2:
            refuse(
                "--what order needs two errors above 0 at steps of different length, got "
                f"{used} (motions are measured from the finest, which has none)"
            )

    # -- of motions

    def check_motions(self):
        """Refuse what cannot be compared."""
        times, base = self.request.times, self.reference
        if len(times) > 1:
            refuse(f"--what order takes one time, got {len(times)}")
        for each in {id(x): x for x in [*self.sheet.all, base]}.values():
            if times and not 0 <= times[0] <= each.end * (1 + 1e-9):
                refuse(f"--times: {each.path} goes from 0 to {each.end:g} s, got {times[0]:g}")
        if self.kind == "number":
            refuse(
                "--against takes a folder where motions are compared, got the number "
                f"{self.request.against}; --y names a number of result.json"
            )
        for each in self.sheet.all:
            own, other = ([name for name, _ in x.coords] for x in (base, each))
            if own != other:
                refuse(
                    f"{base.path} has the coordinates {', '.join(own)}, {each.path} has "
                    f"{', '.join(other)}: their motions cannot be compared"
                )
            if not times and abs(each.end - base.end) > max(each.step, base.step) * (1 + 1e-9):
                refuse(
                    f"--what order compares one motion at several steps: {each.path} ends after "
                    f"{each.end:g} s, {base.path} after {base.end:g} s; --times T compares both at "
                    "one time"
                )

    def measure_motions(self):
        """The distance of q at one time, or the largest at knots that both have."""
        times = self.request.times
        self.reference = base = self.sheet.reference or self.finest()
        self.check_motions()
        shown = [i for i, (name, _) in enumerate(base.coords) if self.request.shows(name)]
        for each in self.sheet.all:
            if each is not base:
                at = np.array(times) if times else each.t[base.knots(each.t) >= 0]
                off = (each.places(at) - base.places(at))[:, shown]
                self.family(self.name_of(each)).add(
                    each.step, np.linalg.norm(off, axis=1).max(initial=0)
                )
        self.unit = unit_in_common([base.coords[i][1] for i in shown])
        own = f"|q - q of {base.name}|"
        self.label = f"{own} at {times[0]:g} s" if times else f"largest {own}"

    # -- of numbers of result.json

    def measure_numbers(self, path):
        """A number at a dotted path, less that of a folder or less a number."""
        if self.kind in ("folder", "finest"):
            self.reference = self.sheet.reference if self.kind == "folder" else self.finest()

        def number(exhibit):
            value = exhibit.result.record
            for key in path.split("."):
                value = value.get(key) if isinstance(value, dict) else None
            if isinstance(value, bool) or not isinstance(value, (int, float)):
                refuse(
                    f"{exhibit.path}/result.json has no number '{path}', as objective or "
                    "energy.drift is one"
                )
            return value

        base = number(self.reference) if self.reference else self.number
        for each in self.sheet.all:
            off = abs(number(each) - base)
            if each is not self.reference:
                self.family(self.name_of(each)).add(each.step, off)
        of = f" - that of {self.reference.name}" if self.reference else f" - {self.request.against}"
        self.label = f"|{path}|" if self.kind == "nothing" else f"|{path}{of}|"

    # -- of columns

    def measure_tables(self):
        """Each column of --y less a number, or less its value at the finest step."""
        x, y = self.request.x, self.request.y
        if not x or not y:
            refuse("--what order of a table needs --x COLUMN, the step, and --y COLUMNS, errors")
        if self.kind == "folder":
            refuse(f"--against takes a number or finest for tables, got '{self.request.against}'")
        for each in self.sheet.all:
            for column in y:
                for name in (x, column):
                    if name not in each.columns:
                        refuse(f"{each.path} has no column '{name}'{near(name, list(each.columns))}")
                own = f"{each.name}: {column}" if len(self.sheet.all) > 1 else column
                self.measure_column(self.family(own), each.columns, x, column)
        off = f" - {self.request.against}" if self.request.against else ""
        self.label = f"{y[0] if len(y) == 1 else 'error'}{off}"
        self.label = f"|{self.label}|" if off else self.label

    def measure_column(self, family, table, x, y):
        """The errors of a column."""
        h, values, base, finest = numbers_in(table, x), numbers_in(table, y), self.number, -1
        if self.kind == "finest":
            finest = int(np.nanargmax(h) if "steps" in x else np.nanargmin(h))
            base, family.r = values[finest], h[finest]
        for i, value in enumerate(values):
            if i != finest:
                family.add(h[i], abs(value - base))


def draw_order(sheet):
    """Errors over steps by their logarithms, with the order that fits."""
    study = Study(sheet)
    study.measure()
    sheet.across = "step h [s]" if sheet.first.folder else sheet.request.x
    panel = sheet.panel(study.label, study.unit)
    panel.log_x = panel.log_y = True
    steps = []
    for i, family in enumerate(study.families.values()):
        h, e = np.array(family.h), np.array(family.e)
        keep = (h > 0) & (e > 0)
        panel.curve(h, e, None if family.fits else family.name, i, dots=True, width=5)
        steps += list(h[keep])
        if family.fits:
            x = np.geomspace(h[keep].min(), h[keep].max(), 60)
            name = f"{family.name}{': ' if family.name else ''}order {abs(family.order):.2f}"
            panel.curve(x, family.error(x), name, i, line=True, width=1.3, dash=i // 8)
        tell(sheet, family, i)
    set_axis(panel, np.array(steps))


def set_axis(panel, steps):
    """Steps with some room about them, and marks at the steps themselves where they have room."""
    marks = []
    for h in steps:
        if all(abs(np.log(h / at)) >= np.log(1.3) for at in marks):
            marks.append(h)
    panel.range[0] = (steps.min() / 1.2, steps.max() * 1.2)
    panel.marks = marks if len(marks) <= 12 else None


def tell(sheet, family, i):
    """Say what was found, in words and as an object."""
    order = abs(family.order) if family.fits else None
    said = "none" if order is None else f"{order:.3f}"
    words = f"{said} of {family.name}: {family.used} steps, log e off by {family.scatter:.2g}"
    sheet.lines.append(("" if i else "order", words))

    def number(x):
        return float(x) if x is not None and np.isfinite(x) else None

    sheet.found.setdefault("orders", []).append(
        {
            "name": family.name,
            "order": number(order),
            "constant": number(family.constant),
            "scatter": number(family.scatter),
            "steps": family.h,
            "errors": [number(e) for e in family.e],
        }
    )
