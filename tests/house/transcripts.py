"""Compare transcripts and figures in documents with the current output of their commands.

  transcripts.py FOLDER SOURCE [--all] [--write] [DOCUMENT...]
  transcripts.py --count SOURCE [--write]

The second form counts, for each document, the numbers that look like measurements and have no marker (figures.py),
and compares the count with figures.known: it must not be greater.

A transcript is a block fenced as `console`, or an indented block, that begins with `$ COMMAND`. Its commands run in
FOLDER one after another, and `cd` lasts until the end of the document. If no output line is shown, the command only
has to succeed; pictures, which take a second each, are then drawn with --all alone. A line `…` stands for omitted lines, a `…` within a line for omitted words. A comment before a block
adds more:

  <!-- file: PATH -->     the block is written to PATH, for the following commands
  <!-- nightly -->        the commands of the block take long: they are skipped unless --all is given
  <!-- shown: PATH -->    the block consists of consecutive lines of that file in the source tree
  <!-- inputs -->         the next paragraph says "fewer than N lines of input": each section (##) has files with
                          fewer lines; shown files count as a whole, blank lines and comments do not count

Figures in sentences and tables have their own markers (figures.py); their commands run in FOLDER, in the order of the
document, `nightly` commands only with --all. --write replaces differing text by the current output.

Words are compared exactly, numbers to 2 %. Not compared are times, iteration counts, the knots and samples named as
the worst, and residuals at rounding level with the names of their rows. Lines of stderr follow those of stdout;
progress lines are removed.
"""
import difflib
import functools
import os
import re
import subprocess
import sys

import figures

KNOWN = "tests/house/figures.known"
NUMBER = re.compile(r"(?<![\w.])-?\d+(?:\.\d+)?(?:e[-+]?\d+)?(?![\w])")
# a command prints these lines if it takes longer than 2 s
PROGRESS = re.compile(r"(reach|simulate|sweep|tune|verify): |\S+: (the solver starts|(\S+, )?iteration \d|\d+ searches, |motion \d)")
ROUNDING = 1e-8  # smaller values are noise
# a number between these words differs from machine to machine
VARIES = [(r"after $", r" iterations"), (r"", r" ms\b"), (r"", r" us each"), (r"derivatives $", r" %"),
          (r"knot $", r""), (r"sample $", r""), (r"order -?$", r""), (r" at $", r" s\b")]


class Command:
    """A command of a transcript: its position and the expected output below it."""

    def __init__(self, text, line, indent):
        self.text, self.line, self.indent = text, line, indent
        self.printed = []  # expected lines, without indentation
        self.nightly = False  # skipped unless --all is given
        self.end = line + 1  # the line of the document after the last of them


@functools.lru_cache
def can_draw():
    """Return whether a Python is here that has matplotlib."""
    words = ["-c", "import importlib.util, sys; sys.exit(not importlib.util.find_spec('matplotlib'))"]
    return any(not subprocess.run([python, *words], check=False).returncode for python in ("python3", "/usr/bin/python3"))


def read_document(lines):
    """Yield ('file' | 'shown', path, text) and ('run', Command) in the order of the document."""
    at, note = 0, None
    while at < len(lines):
        line = lines[at]
        comment = re.fullmatch(r"<!-- (file|shown): (\S+) -->", line)
        if comment or line == "<!-- nightly -->":
            note = comment.groups() if comment else ("nightly", None)
            at += 1
            continue
        if line.startswith("```"):
            end = next(i for i in range(at + 1, len(lines)) if lines[i].startswith("```"))
            if note and note[0] in ("file", "shown"):
                yield note[0], note[1], "\n".join(lines[at + 1:end]) + "\n"
            elif line == "```console":
                yield from read_commands(lines, at + 1, end, "", note)
            at, note = end + 1, None
            continue
        if line.startswith("    $ "):
            end = at
            while end < len(lines) and (lines[end].startswith("    ") or not lines[end].strip()):
                end += 1
            while not lines[end - 1].strip():
                end -= 1
            yield from read_commands(lines, at, end, "    ", note)
            at, note = end, None
            continue
        if line.strip():
            note = None
        at += 1


def read_commands(lines, first, end, indent, note):
    """Yield ('run', Command) for each command of a block with a note."""
    command = None
    for i in range(first, end):
        text = lines[i][len(indent):]
        if text.startswith("$ "):
            if command:
                yield "run", command
            command = Command(text[2:], i, indent)
            command.nightly = note is not None and note[0] == "nightly"
        elif text.strip():
            command.printed.append(text.rstrip())
            command.end = i + 1
    if command:
        yield "run", command


def run_command(text, cwd, folder):
    """Return the lines printed by a command and its final working folder."""
    place = os.path.join(folder, "bin", "cwd")
    done = subprocess.run(["sh", "-c", f"{text}\npwd >'{place}'"], cwd=cwd, capture_output=True,
                          text=True, timeout=500, check=False)
    told = [line for line in done.stderr.splitlines() if not PROGRESS.match(line)]
    lines = [line.rstrip() for line in done.stdout.splitlines() + told if line.strip()]
    with open(place, encoding="utf-8") as file:
        return lines, file.read().strip()


def line_pattern(expected):
    """Return a regular expression for a line, and for each group the number there, or None if it varies."""
    pattern, numbers, at, noise = "", [], 0, False
    for found in re.finditer(f"{NUMBER.pattern}|…|\\([^()]*\\)", expected):
        text = found.group()
        inside = text.startswith("(")
        if inside and not noise:  # an ordinary bracket: its numbers one by one
            inner, more = line_pattern(text[1:-1])
            piece = r"\(" + inner + r"\)"
            numbers += more
        elif inside:  # the name of a row with a residual at rounding level
            piece = r"\([^()]*\)"
        elif text == "…":
            piece = ".*"
        else:
            before, after = expected[:found.start()], expected[found.end():]
            varies = any(re.search(a, before) and re.match(b, after) for a, b in VARIES)
            numbers.append(None if varies else float(text))
            noise = abs(float(text)) < ROUNDING and "e" in text
            piece = f"({NUMBER.pattern})"
        pattern += re.sub(r"(?:\\ )+", r"\\s+", re.escape(expected[at:found.start()])) + piece
        at = found.end()
    return pattern + re.sub(r"(?:\\ )+", r"\\s+", re.escape(expected[at:])), numbers


def same_line(expected, actual):
    """Whether a printed line matches the expected one."""
    pattern, numbers = line_pattern(expected)
    found = re.fullmatch(pattern, actual)
    if not found:
        return False
    for wanted, text in zip(numbers, found.groups()):
        value = float(text)
        if wanted is None or (abs(wanted) < ROUNDING and abs(value) < 10 * ROUNDING):
            continue
        if abs(value - wanted) > 0.02 * abs(wanted):
            return False
    return True


def same_output(expected, actual):
    """Whether all lines match; a line `…` stands for any number of lines."""
    @functools.lru_cache(None)
    def rest(i, j):
        if i == len(expected):
            return j == len(actual)
        if expected[i] == "…":
            return any(rest(i + 1, k) for k in range(j, len(actual) + 1))
        return (j < len(actual) and same_line(expected[i], actual[j]) and rest(i + 1, j + 1))
    return rest(0, 0)


def rewritten(expected, actual):
    """Return the lines for the document: the current output, except that matching or omitted lines are kept."""
    actual = [next((e for e in expected if "…" not in e and same_line(e, line)), line)
              for line in actual]
    if "…" not in "".join(expected):
        return actual
    lines, at = [], 0
    for line in expected:
        if line == "…":
            lines += ["…"] * (lines[-1:] != ["…"])
            continue
        begin = line.split("…")[0]
        best = max(range(at, len(actual)), default=None, key=lambda i: difflib.SequenceMatcher(
            None, begin, actual[i][:len(begin)]).ratio())
        if best is None:
            break
        if best > at and lines[-1:] != ["…"]:
            lines.append("…")
        text, at = actual[best], best + 1
        lines.append(" ".join(text.split(" ")[:len(begin.rstrip().split(" "))]) + " …"
                     if line.endswith("…") else text)
    if at < len(actual) and lines[-1:] != ["…"]:
        lines.append("…")
    return lines


def count_lines(text):
    """Count the lines of an input file, without blank lines and comments."""
    text = re.sub(r'""".*?"""|/\*.*?\*/|<!--.*?-->', "", text, flags=re.S)
    return sum(not re.match(r"\s*($|#(?!include|define)|//)", line) for line in text.split("\n"))


class Check:
    """A document whose commands run in a folder, and the results."""

    def __init__(self, path, folder, source, whole):
        self.path, self.folder, self.source, self.whole = path, folder, source, whole
        with open(os.path.join(source, path), encoding="utf-8") as file:
            self.text = file.read()
        self.cwd, self.ran, self.wrong = folder, 0, 0
        self.edits = []  # (Command, lines)
        self.names = {}  # outputs of figures
        self.words = {}  # words of families
        self.figures = None
        self.why = None  # reason for skipping

    def complain(self, sentence):
        self.wrong += 1
        print(f"{self.path}:{sentence}")

    def write_file(self, path, text):
        os.makedirs(os.path.dirname(os.path.join(self.folder, path)), exist_ok=True)
        with open(os.path.join(self.folder, path), "w", encoding="utf-8") as file:
            file.write(text)

    def compare_file(self, path, text):
        with open(os.path.join(self.source, path), encoding="utf-8") as file:
            if text not in file.read():
                self.complain(f" the lines shown are not those of {path}")

    def check_inputs(self):
        """Check that the files of each section are as short as the document says."""
        for promise in re.finditer(r"^<!-- inputs -->\n+((?:.+\n)+)", self.text, re.M):
            most = re.search(r"fewer than (\d+) lines of input", promise[1])
            if not most:
                self.complain(" found '<!-- inputs -->', expected \"fewer than N lines of input\" below it")
                continue
            for section in re.split(r"^## ", self.text, flags=re.M)[1:]:
                count = 0
                for kind, *item in read_document(section.split("\n")):
                    if kind == "shown":
                        with open(os.path.join(self.source, item[0]), encoding="utf-8") as file:
                            count += count_lines(file.read())
                    elif kind == "file":
                        count += count_lines(item[1])
                if not 0 < count < int(most[1]):
                    self.complain(f" '{section.splitlines()[0]}' has {count} lines of input, expected 1 to "
                                  f"{int(most[1]) - 1}")

    def run_transcript(self, command):
        if command.nightly and not self.whole:
            return
        if " plot " in command.text and not command.printed and not self.whole:
            return
        if " plot " in command.text and not can_draw():
            print(f"skipped: {self.path}: {command.text} (no matplotlib)")
            return
        actual, self.cwd = run_command(command.text, self.cwd, self.folder)
        if re.search(r"build has no IPOPT", "\n".join(actual)):
            self.why = actual[-1]
            return
        self.ran += 1
        if not command.printed or same_output(tuple(command.printed), tuple(actual)):
            return
        new = rewritten(command.printed, actual)
        self.edits.append((command, new))
        self.complain(f"{command.line + 1}: $ {command.text}")
        print("\n".join(difflib.unified_diff(command.printed, new, "document", "program", lineterm="", n=0)))

    def find_output(self, command, nightly):
        """Return the output of a marker's command."""
        if nightly and not self.whole:
            return figures.Missing("nightly")
        done = subprocess.run(["sh", "-c", command], cwd=self.folder, capture_output=True, text=True,
                              timeout=7200, check=False)
        if done.returncode == 77:
            print(f"skipped: {self.path}: {command} ({done.stdout.strip()[-200:]})")
            return figures.Missing("skipped")
        if done.returncode not in (0, 1) or not done.stdout.strip():
            self.complain(f" {command}: exit status {done.returncode}: {done.stderr.strip()[-300:]}")
            return figures.Missing("failed")
        self.ran += 1
        return figures.read_output(done.stdout)

    def run_marker(self, nightly, name, words, command):
        if words and words[0].startswith("as "):
            words = self.words[words[0][3:].strip()]
        self.words[name] = words
        if words is None:
            self.names[name] = self.find_output(command, nightly)
            return
        family = figures.Record((word, self.find_output(command.replace("{}", word), nightly)) for word in words)
        left = [output for output in family.values() if isinstance(output, figures.Missing)]
        self.names[name] = left[0] if left else family

    def run(self):
        markers = list(figures.find_runs(self.text))
        self.check_inputs()
        for kind, *item in read_document(self.text.split("\n")):
            line = item[0].line if kind == "run" else None
            while line is not None and markers and markers[0][0] < line:
                self.run_marker(*markers.pop(0)[1:])
            if kind == "file":
                self.write_file(*item)
            elif kind == "shown":
                self.compare_file(*item)
            else:
                self.run_transcript(item[0])
            if self.why:
                return
        for marker in markers:
            self.run_marker(*marker[1:])
        for line in figures.find_misplaced(self.text):
            self.complain(f"{line}: found text just before a marker of a command, expected an empty line")
        self.figures = figures.Figures(self.text, self.names)
        self.figures.check_all()
        for sentence in self.figures.wrong:
            self.complain(sentence)

    def write(self):
        """Write the document with the current output."""
        lines = (self.figures.renewed() if self.figures else self.text).split("\n")
        for command, new in reversed(self.edits):
            lines[command.line + 1:command.end] = [command.indent + text for text in new]
        if "\n".join(lines) == self.text:
            return
        with open(os.path.join(self.source, self.path), "w", encoding="utf-8") as file:
            file.write("\n".join(lines))
        print(f"{self.path}: written anew")


def list_documents(source):
    """List the documents that have a command or a marker."""
    paths = ["README.md"] + sorted("docs/" + name for name in os.listdir(os.path.join(source, "docs"))
                                   if name.endswith(".md"))
    found = []
    for path in paths:
        with open(os.path.join(source, path), encoding="utf-8") as file:
            text = file.read()
        if re.search(r"^(    )?\$ |<!-- (run|nightly|shown|file)\b", text, re.M):
            found.append(path)
    return found


def check_documents(folder, source, documents, whole, write):
    ran = wrong = left = compared = 0
    for path in documents:
        check = Check(path, folder, source, whole)
        check.run()
        ran, wrong = ran + check.ran, wrong + check.wrong
        if check.figures:
            compared += check.figures.compared
        if check.why:
            left += 1
            print(f"skipped: {path}: {check.why}")
        elif write and check.wrong:
            check.write()
        sys.stdout.flush()
    print(f"{ran} commands of {len(documents)} documents and {compared} figures, {wrong} with another output")
    return 1 if wrong or not ran and not left else 77 if not ran else 0


def count_figures(source, write):
    """Compare the number of figures without a marker, for each document, with the known number."""
    counts = {}
    for path in ["README.md"] + sorted("docs/" + name for name in os.listdir(os.path.join(source, "docs"))):
        if path.endswith(".md"):
            with open(os.path.join(source, path), encoding="utf-8") as file:
                counts[path] = figures.count_unmarked(file.read())
    known = os.path.join(source, KNOWN)
    if write:
        with open(known, "w", encoding="utf-8") as file:
            file.write("".join(f"{count:5} {path}\n" for path, count in counts.items() if count))
        return 0
    with open(known, encoding="utf-8") as file:
        allowed = {path: int(count) for count, path in (line.split() for line in file)}
    more = {path: count for path, count in counts.items() if count > allowed.get(path, 0)}
    for path, count in more.items():
        print(f"{path}: {count} numbers look like measurements and have no marker, and {allowed.get(path, 0)} did: "
              "name the command of the new ones (tests/house/figures.py); a number that no command produces is renewed by "
              "'tests/house/transcripts.py --count . --write'")
    return 1 if more else 0


def main(*words):
    given = [word for word in words if not word.startswith("--")]
    if "--count" in words:
        return count_figures(given[0], "--write" in words)
    folder, source, *documents = given
    return check_documents(folder, source, documents or list_documents(source), "--all" in words, "--write" in words)


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
