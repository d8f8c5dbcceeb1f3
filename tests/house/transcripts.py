"""Transcripts of documents, held against what their commands print now.

  transcripts.py FOLDER SOURCE [--write] [DOCUMENT...]

A transcript is a block fenced as `console`, or an indented block, that begins with `$ COMMAND`. Its
commands run in FOLDER one after the other, and `cd` lasts to the end of the document. A line `…`
stands for lines left out, a `…` within a line for words left out. A comment before a block says more:

  <!-- file: PATH -->     the block is written to PATH, for the commands that follow
  <!-- shown: PATH -->    the block is a run of lines of that file of the source tree
  <!-- loosely -->        the block's numbers are not compared

Words are compared as they are, numbers to 2 %. Not compared are times, counts of iterations, the
knots and samples named as the worst, and residuals at the size of rounding, with what they are of.
Lines of stderr stand after those of stdout, without those that tell of progress.
"""
import difflib
import functools
import os
import re
import shutil
import subprocess
import sys

DOCUMENTS = ["README.md", "docs/tutorial.md", "docs/guide.md", "docs/commands.md",
             "docs/results.md", "docs/worked-problems.md", "docs/plant.md", "docs/sweep.md"]
NUMBER = re.compile(r"(?<![\w.])-?\d+(?:\.\d+)?(?:e[-+]?\d+)?(?![\w])")
ROUNDING = 1e-8  # what is smaller is noise
# a number between these words is another on every machine
VARIES = [(r"after $", r" iterations"), (r"", r" ms\b"), (r"", r" us each"), (r"derivatives $", r" %"),
          (r"knot $", r""), (r"sample $", r""), (r"order -?$", r""), (r" at $", r" s\b")]


class Command:
    """A command of a transcript: where it stands and what is printed below it."""

    def __init__(self, text, line, indent, loosely):
        self.text, self.line, self.indent, self.loosely = text, line, indent, loosely
        self.printed = []  # expected lines, without the indent
        self.end = line + 1  # the line of the document after the last of them


def read_document(lines):
    """Yield ('file' | 'shown', path, text) and ('run', Command) in the order of the document."""
    at, note = 0, None
    while at < len(lines):
        line = lines[at]
        comment = re.fullmatch(r"<!-- (file|shown|loosely)(?:: (\S+))? -->", line)
        if comment:
            note = comment.groups()
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
    """Yield ('run', Command) for each command of a block."""
    command = None
    loosely = bool(note) and note[0] == "loosely"
    for i in range(first, end):
        text = lines[i][len(indent):]
        if text.startswith("$ "):
            if command:
                yield "run", command
            command = Command(text[2:], i, indent, loosely)
        elif text.strip():
            command.printed.append(text.rstrip())
            command.end = i + 1
    if command:
        yield "run", command


def run_command(text, cwd, folder):
    """Return the lines that a command prints and the folder that it ends in."""
    place = os.path.join(folder, "bin", "cwd")
    done = subprocess.run(["sh", "-c", f"{text}\npwd >'{place}'"], cwd=cwd, capture_output=True,
                          text=True, timeout=500, check=False)
    progress = r"(descend|optimize|reach|simulate|sweep|verify): "
    told = [line for line in done.stderr.splitlines() if not re.match(progress, line)]
    lines = [line.rstrip() for line in done.stdout.splitlines() + told if line.strip()]
    with open(place, encoding="utf-8") as file:
        return lines, file.read().strip()


def line_pattern(expected):
    """Return a regular expression of a line, and per group the number there, None where it varies."""
    pattern, numbers, at, noise = "", [], 0, False
    for found in re.finditer(f"{NUMBER.pattern}|…|\\([^()]*\\)", expected):
        text = found.group()
        inside = text.startswith("(")
        if inside and not noise:  # an ordinary bracket: its numbers one by one
            inner, more = line_pattern(text[1:-1])
            piece = r"\(" + inner + r"\)"
            numbers += more
        elif inside:  # what a residual at rounding is of
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


def same_line(expected, actual, loosely):
    """Whether a line that was printed is the one expected."""
    pattern, numbers = line_pattern(expected)
    found = re.fullmatch(pattern, actual)
    if not found:
        return False
    for wanted, text in zip(numbers, found.groups()):
        value = float(text)
        if loosely or wanted is None or (abs(wanted) < ROUNDING and abs(value) < 10 * ROUNDING):
            continue
        if abs(value - wanted) > 0.02 * abs(wanted):
            return False
    return True


def same_output(expected, actual, loosely):
    """Whether all lines agree, where a line `…` stands for any number of them."""
    @functools.lru_cache(None)
    def rest(i, j):
        if i == len(expected):
            return j == len(actual)
        if expected[i] == "…":
            return any(rest(i + 1, k) for k in range(j, len(actual) + 1))
        return (j < len(actual) and same_line(expected[i], actual[j], loosely) and rest(i + 1, j + 1))
    return rest(0, 0)


def rewritten(expected, actual, loosely):
    """Return the lines for the document: those printed now, but what agrees or is left out stays."""
    actual = [next((e for e in expected if "…" not in e and same_line(e, line, loosely)), line)
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


def check_document(path, folder, source, write):
    """Run a document's transcripts; return (commands that ran, those that differ, why it was left)."""
    with open(os.path.join(source, path), encoding="utf-8") as file:
        lines = file.read().split("\n")
    cwd, ran, wrong, edits = folder, 0, 0, []
    for kind, *item in read_document(lines):
        if kind == "file":
            os.makedirs(os.path.dirname(os.path.join(folder, item[0])), exist_ok=True)
            with open(os.path.join(folder, item[0]), "w", encoding="utf-8") as file:
                file.write(item[1])
        elif kind == "shown":
            with open(os.path.join(source, item[0]), encoding="utf-8") as file:
                if item[1] not in file.read():
                    print(f"{path}: the lines shown are not those of {item[0]}")
                    wrong += 1
        else:
            command = item[0]
            if " plot " in command.text and not shutil.which("gnuplot"):
                print(f"skipped: {path}: {command.text} (no gnuplot)")
                continue
            actual, cwd = run_command(command.text, cwd, folder)
            if re.search(r"build has no IPOPT", "\n".join(actual)):
                return ran, wrong, actual[-1]
            ran += 1
            if same_output(tuple(command.printed), tuple(actual), command.loosely):
                continue
            new = rewritten(command.printed, actual, command.loosely)
            edits.append((command, new))
            if not write:
                wrong += 1
                print(f"{path}:{command.line + 1}: $ {command.text}")
                print("\n".join(difflib.unified_diff(command.printed, new, "document", "program",
                                                     lineterm="", n=0)))
    if write and edits:
        for command, new in reversed(edits):
            lines[command.line + 1:command.end] = [command.indent + text for text in new]
        with open(os.path.join(source, path), "w", encoding="utf-8") as file:
            file.write("\n".join(lines))
        print(f"{path}: {len(edits)} transcripts written anew")
    return ran, wrong, None


def main(folder, source, *words):
    write = "--write" in words
    documents = [word for word in words if word != "--write"] or DOCUMENTS
    ran = wrong = left = 0
    for path in documents:
        some, bad, why = check_document(path, folder, source, write)
        ran, wrong = ran + some, wrong + bad
        if why:
            left += 1
            print(f"skipped: {path}: {why}")
    print(f"{ran} commands of {len(documents)} documents, {wrong} with another output")
    return 1 if wrong or not ran and not left else 77 if not ran else 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
