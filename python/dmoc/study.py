"""Studies of many motions: sweeps, and searches for controller parameters."""
import os

from . import program
from .errors import BadInput, error_of
from .folder import hold, is_name
from .page import Shown, open_page
from .result import Folder, Result
from .table import Table

# columns of sweep.csv after the varied keys
BEHIND = "start"
known = {}


def read_key_units():
    """Return the unit of each key of problem files, as listed by `dmoc --keys`."""
    if not known:
        text = program.run("--keys", (), {}).found.get("keys", "")
        rows = [[cell.strip(" |") for cell in line.split(" | ")] for line in text.splitlines()]
        for key, _, unit, *_ in (row for row in rows if len(row) > 3):
            known[key.strip("`")] = "" if unit.strip("–-") == "" else unit
    return known


def unit_of_key(path):
    """Return the unit of a number of a problem by its path, inputs.0.effort; "" if it has none or
    it is unknown."""
    parts = []
    for part in path.split("."):
        if part.isdigit() and parts:
            parts[-1] += "[]"
        else:
            parts.append(part)

    # names, for example of coordinates, come after a key; some lists have one unit for all entries
    units = read_key_units()
    while parts:
        key = ".".join(parts)
        found = units.get(key, units.get(key.rstrip("[]")))
        if found is not None:
            return found
        parts.pop()
    return ""


class Sweep(Folder):
    """The folder of a sweep. Everything in it is read-only.

    s.cases      a Table with one row per case: case, the varied keys by their paths, start, status,
                 objective, iterations, time [s], held, samples, turn [rad], rank, ..
    s.keys       the varied keys; s.cases.unit(key) is the unit of each
    s.solved     number of cases with a solution
    s.best       the row of the best case, a dict by columns; None if none is solved
    s.result(i)  the result of case i, for a sweep with keep=True; s.results all of them, by case
    s.record     the command's answer; {} for a loaded folder
    s.folder     the path of the folder
    """

    MARK = "sweep.csv"

    def __init__(self, folder, keep=None, warnings=(), record=None):
        super().__init__(folder, keep, warnings)
        self.record = record or {}
        with hold(self.folder) as held:
            if not held.has(self.MARK):
                raise BadInput(f"{folder}: found no {self.MARK}, expected the folder of a sweep")
            data = held.read(self.MARK)
        self.tables[self.MARK] = Table(self.mark, of_key=unit_of_key, data=data)

    @property
    def cases(self):
        """The table of all cases."""
        return self.tables[self.MARK]

    @property
    def keys(self):
        """The varied keys."""
        names = self.cases.names
        return names[1 : names.index(BEHIND)]

    @property
    def solved(self):
        """The number of cases with a solution."""
        return sum(status in ("solved", "solved_acceptable", "done") for status in self.statuses)

    @property
    def statuses(self):
        """The status of each case as a word."""
        return tuple(map(str, self.cases["status"]))

    @property
    def best(self):
        """The row of the best solved case, by columns, or None."""
        if not self.solved:
            return None
        return self.cases.row(int((self.cases["rank"] == 1).argmax()))

    def folder_of(self, case):
        """Return the folder of a case's result, if it was kept."""
        rows = [row for row, number in enumerate(self.cases["case"]) if number == case]
        if not rows:
            raise BadInput(f"case: found {case!r}, expected one of {len(self.cases)}, from 0")
        key = str(self.cases["key"][rows[0]])
        if not is_name(key):
            raise BadInput(f"{self.mark} is damaged: found the key {key!r}, expected a folder's name")
        return os.path.join(self.folder, key)

    def result(self, case):
        """Return the result of a case by its number."""
        folder = self.folder_of(case)
        if not os.path.exists(os.path.join(folder, Result.MARK)):
            raise BadInput(
                f"{self.folder}: found no result of case {case}, which a sweep with keep=True has"
            )
        return Result(folder, self.keep, below=True)

    @property
    def results(self):
        """The kept results of cases, by number."""
        there = [
            int(case)
            for case in self.cases["case"]
            if os.path.exists(os.path.join(self.folder_of(case), Result.MARK))
        ]
        return {case: self.result(case) for case in there}

    def __len__(self):
        return len(self.cases)

    def __repr__(self):
        over = f" over {', '.join(self.keys)}" if self.keys else ""
        name = os.path.basename(self.folder)
        return f"<dmoc sweep {name}: {self.solved} of {len(self)} cases solved{over}>"


def read_number(text):
    """Return a number of a problem file, integers as int."""
    value = float(text)
    return int(value) if value.is_integer() and not set(text) & set(".eE") else value


class Tuned(Shown):
    """The result of a search for controller parameters.

    t.values      the numbers by their paths in the problem
    t.problem     the problem with these numbers
    t.score       their score by verify.criteria, 0 to 1; t.before: the score of the original
                  problem
    t.gain        the difference on draws not used in the search; t.gain_error: its standard error
    t.kept        the improvement is not significant: the original numbers are kept
    t.tries       a Table with one row per trial: what, try, score, fresh, then the numbers by path
    t.file        the problem file with these numbers, written by the program
    t.record      the command's whole answer, a dict
    """

    def __init__(self, problem, file, answer, keep=None):
        self.file, self.keep = os.path.abspath(file), keep
        self.record, self.warnings = answer["tuned"], list(answer.get("warnings", ()))
        self.score, self.before, self.kept = (self.record[k] for k in ("score", "before", "kept"))
        self.gain, self.gain_error = self.record["gain"], self.record["gain_error"]
        self.values = {path: read_number(text) for path, text in self.record["values"].items()}
        self.problem = problem.replaced(self.values)
        self.shown = self.mark = os.path.abspath(answer["tries"])
        self.tries = Table(self.shown, of_key=unit_of_key)

    def __repr__(self):
        name = os.path.basename(self.file)
        return f"<dmoc tuned {name}: score {self.score:.3f}, at first {self.before:.3f}>"


def load(folder):
    """Read the folder of a result, or of a sweep. Writes nothing: a folder in which a command was
    killed during a commit is refused (BadInput); `finish` completes the commit."""
    with hold(os.path.abspath(os.fspath(folder))) as held:
        swept = held.has(Sweep.MARK) and not held.has(Result.MARK)
    return Sweep(folder) if swept else Result(folder)


def finish(folder):
    """Finish the commit of a killed command in a result folder of yours; return it, read."""
    answer = program.run("finish", os.fspath(folder), {})
    if answer.status:
        raise error_of(answer.status, answer.words)
    return load(folder)


def show(result):
    """Open the page of a result, a study, or a folder of one in the browser; return its path."""
    return open_page((result if hasattr(result, "page") else load(result)).page)
