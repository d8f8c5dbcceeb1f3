"""Figures of documents: numbers produced by a command, with a marker that names the command.

  <!-- run NAME: COMMAND -->        the output of a command, under a name
  <!-- nightly NAME: COMMAND -->    the same for a command that takes long: skipped unless --all is given
  <!-- run NAME{a, b}: COMMAND -->  a family: the command for each word, which replaces {}; NAME{as OTHER}: for
                                   the words of another family
  8.33<!--= EXPR -->                the number before it is the value of a Python expression on these names
  <!-- rows NAME: -; EXPR; EXPR --> the table below has a row for each `word` of the family, with its output as `it`,
                                    and in each column these numbers; `-`: a column of words

An output that is a JSON object has its keys as attributes, `swing.verify.continuous.rate`. For any other output,
`out["word"]` are the numbers after that word in the first line that contains it, `out.numbers` all numbers, and
`out.before("word")` the number before it; `out.after("word")` is the text below that line. An expression may give
several numbers, (a, b), for as many numbers before the marker or in the cell. If a number may differ between
machines, a tolerance is given: `EXPR ~ 5 %` allows this error, `EXPR x 3` a factor, for example for times. Otherwise
integers are exact, and other numbers agree within one unit of the last digit shown.
"""
import json
import math
import re
import statistics

NUMBER = re.compile(r"(?<![\w.])[-+]?\d[\d,]*(?:\.\d+)?(?:e[-+]?\d+)?(?![\d.]*\d)")
MARKER = re.compile(r"<!--=\s*(.*?)\s*-->", re.S)
RUN = re.compile(r"<!-- (run|nightly) (\w+)(?:\{([^}]*)\})?:\s+(.*?) -->", re.S)
ROWS = re.compile(r"<!-- rows (\w+): (.*?) -->\n", re.S)
FENCE = re.compile(r"^```.*?^```$", re.M | re.S)
# numbers that look like measurements: decimals, percentages, ratios of counts, times
MEASURED = re.compile(r"(?<![\w.,/`-])\d[\d,]*(?:\.\d+(?:e[-+]?\d+)?|e-\d+|(?:\.\d+)? ?%|(?:\.\d+)? (?:ms|µs|us|MB|iterations)\b"
                      r"| of \d+)")


class NotRun(Exception):
    """A figure of a command that was skipped."""


class Output:
    """Output of a command: its JSON object, or a text."""

    def __init__(self, text):
        self.text = text

    @property
    def numbers(self):
        return read_numbers(self.text)

    def before(self, word):
        """The last number before a word."""
        return read_numbers(self.text[:self.text.index(word)])[-1]

    def after(self, word):
        """The text below the first line with a word."""
        lines = self.text.splitlines()
        return Output("\n".join(lines[next(i for i, line in enumerate(lines) if word in line) + 1:]))

    def __getitem__(self, word):
        for line in self.text.splitlines():
            if word in line:
                return read_numbers(line.split(word, 1)[1])
        raise KeyError(f"no line has '{word}'")


class Record(dict):
    """A JSON object, with its keys as attributes."""

    def __getattr__(self, key):
        if key not in self:
            raise KeyError(f"no key '{key}', there are {', '.join(self)}")
        return self[key]


class Missing:
    """Output of a command that was not run."""

    def __init__(self, why):
        self.why = why

    def fail(self):
        raise NotRun(self.why)

    def __getattr__(self, key):
        return self.fail()

    def __getitem__(self, key):
        return self.fail()


def read_numbers(text):
    return [float(found.group().replace(",", "")) for found in NUMBER.finditer(text)]


def read_output(text):
    begin = text.lstrip()
    if begin.startswith("{"):
        return json.loads(begin, object_hook=Record)
    return Output(text)


def find_misplaced(text):
    """Yield the lines of markers that would split a paragraph: there is text directly before them."""
    for found in RUN.finditer(text):
        before = text[:found.start()].rstrip(" ").split("\n")
        if before[-1] or (before[-2:-1] and before[-2].strip() and not before[-2].endswith("-->")):
            yield text.count("\n", 0, found.start()) + 1


def find_runs(text):
    """Yield (line, nightly, name, words or None, command) of a document's markers."""
    for found in RUN.finditer(text):
        kind, name, words, command = found.groups()
        yield (text.count("\n", 0, found.start()), kind == "nightly", name,
               [word.strip() for word in words.split(",")] if words is not None else None,
               " ".join(command.split()))


# -- comparing

def split_tolerance(expression):
    """Split an expression from its tolerance: (text, relative error, factor)."""
    found = re.fullmatch(r"(.*?)\s*(?:~\s*([\d.]+) ?%|\bx ([\d.]+))", expression, re.S)
    if not found:
        return expression, None, None
    text, share, factor = found.groups()
    return text, float(share) / 100 if share else None, float(factor) if factor else None


def last_unit(shown):
    """Return the value of one unit in the last digit of a number."""
    digits, _, power = shown.replace(",", "").partition("e")
    places = len(digits.partition(".")[2])
    return 10.0 ** ((int(power) if power else 0) - places)


def agrees(shown, value, share, factor):
    stated = float(shown.replace(",", ""))
    if factor:
        return stated / factor <= value <= stated * factor
    if share:
        return abs(value - stated) <= share * abs(stated)
    whole = re.fullmatch(r"[-+]?[\d,]+", shown)
    return abs(value - stated) <= last_unit(shown) * (0.5 if whole else 1) * (1 + 1e-9)


def write_like(shown, value):
    """Format a value with as many digits as a number has."""
    digits, e, power = shown.replace(",", "").partition("e")
    places = len(digits.partition(".")[2])
    if not e:
        return f"{value:,.{places}f}" if "," in shown else f"{value:.{places}f}"
    digits, _, power = f"{value:.{places}e}".partition("e")
    return f"{digits}e{int(power)}"


# -- the figures of a document

def mark_code(text):
    """Return the text with its fenced blocks blanked, because they have no figures."""
    return FENCE.sub(lambda found: re.sub(r"[^\n]", " ", found.group()), text)


def find_inline(text):
    """Yield (expression, end of the text before it, start of that text)."""
    at = 0
    for found in MARKER.finditer(text):
        yield found.group(1), max(at, found.start() - 200), found.start()
        at = found.end()


def find_cells(text):
    """Yield (family, [expressions], [[(begin, end)]]) of tables, with the positions of their cells."""
    for found in ROWS.finditer(text):
        begin, rows = found.end(), []
        while text[begin:begin + 1] == "|":
            end = text.find("\n", begin)
            end = end if end >= 0 else len(text)
            bars = [begin + bar.start() for bar in re.finditer(r"\|", text[begin:end])]
            rows.append([(a + 1, b) for a, b in zip(bars, bars[1:])])
            begin = end + 1
        yield found.group(1), [e.strip() for e in found.group(2).split(";")], rows[2:], found.start()


class Figures:
    """Compare the numbers of a document with those of its commands."""

    def __init__(self, text, names):
        self.text, self.code = text, mark_code(text)
        self.names = dict(vars(math), mean=statistics.fmean, median=statistics.median, **names)
        self.compared = self.left = 0
        self.wrong = []  # sentences
        self.edits = []  # (begin, end, new text)

    def place(self, at):
        return self.text.count("\n", 0, at) + 1

    def check(self, expression, begin, end, names):
        """Compare the last numbers of text[begin:end] with those of an expression."""
        expression, share, factor = split_tolerance(expression)
        try:
            values = eval(expression, {"__builtins__": {"len": len, "sum": sum, "min": min, "max": max, "abs": abs,
                                                        "round": round, "sorted": sorted, "float": float}}, names)
        except NotRun:
            self.left += 1
            return
        except Exception as error:  # any error in an expression is an error of the document
            self.wrong.append(f"{self.place(end)}: {expression}: {error}")
            return
        values = list(values) if isinstance(values, (tuple, list)) else [values]
        shown = list(NUMBER.finditer(self.text, begin, end))[-len(values):]
        if len(shown) < len(values):
            self.wrong.append(f"{self.place(end)}: {expression} is {values}, and there are {len(shown)} numbers")
            return
        for found, value in zip(shown, values):
            self.compared += 1
            if value is None or not agrees(found.group(), float(value), share, factor):
                self.wrong.append(f"{self.place(found.start())}: found {found.group()}, expected {value} ({expression})")
                if value is not None:
                    self.edits.append((found.start(), found.end(), write_like(found.group(), float(value))))

    def check_rows(self, name, expressions, rows, at):
        family = self.names.get(name)
        if isinstance(family, Missing):
            self.left += len(rows)
            return
        if not isinstance(family, dict) or len(family) != len(rows):
            self.wrong.append(f"{self.place(at)}: rows of '{name}': found {len(rows)} rows, expected a family of as many")
            return
        for (word, it), cells in zip(family.items(), rows):
            if len(cells) != len(expressions):
                self.wrong.append(f"{self.place(cells[0][0])}: found {len(cells)} cells, expected {len(expressions)}")
                continue
            for (begin, end), expression in zip(cells, expressions):
                if expression != "-":
                    self.check(expression, begin, end, dict(self.names, it=it, word=word))

    def check_all(self):
        for expression, begin, end in find_inline(self.code):
            self.check(expression, begin, end, self.names)
        for name, expressions, rows, at in find_cells(self.code):
            self.check_rows(name, expressions, rows, at)

    def renewed(self):
        text = self.text
        for begin, end, new in sorted(self.edits, reverse=True):
            text = text[:begin] + new + text[end:]
        return text


def count_unmarked(text):
    """Count the numbers that look like measurements and have no marker."""
    text = mark_code(text)
    marked = [(a, b) for *_, a, b in find_inline(text)]
    rows = [cell for _, _, table, _ in find_cells(text) for row in table for cell in row]
    comments = [found.span() for found in re.finditer(r"<!--.*?-->", text, re.S)]
    count = 0
    for found in MEASURED.finditer(re.sub(r"`[^`\n]*`", lambda f: " " * len(f.group()), text)):
        inside = any(a <= found.start() < b for a, b in rows + comments)
        near = any(found.end() <= b and not re.search(r"\d", text[found.end():b]) for a, b in marked if b - found.end() < 12)
        count += not inside and not near
    return count
