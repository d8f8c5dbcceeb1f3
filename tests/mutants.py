#!/usr/bin/env python3
"""Change a source file at many places, and check whether the tests near it fail.

    mutants.py BUILD FILE[:FROM-TO]... [--tests NAME,...] [--every N] [--first N]
    mutants.py BUILD --diff REVISION   ...   lines that differ from a git revision

A mutant has one operator, number or statement changed: < for <=, + for -, && for ||, 3 for 4, a statement or a !
removed. For each mutant the test programs near the file are built and run: those named by --tests, otherwise those of
the same folder under tests/. Mutants that fail to compile do not count. Every Nth mutant is tried. Survivors are
listed, and the exit status is then 1. BUILD is a meson build folder; the file is restored afterwards, also after an
interrupt.
"""
import argparse
import json
import os
import re
import signal
import subprocess
import sys

SWAPS = [("<=", "<"), (">=", ">"), ("==", "!="), ("!=", "=="), ("&&", "||"), ("||", "&&"),
         ("<", "<="), (">", ">="), ("+", "-"), ("-", "+"), ("*", "/"), ("/", "*")]
BINARY = re.compile(r"(?<=[\w)\]] )(<=|>=|==|!=|&&|\|\||<|>|\+|-|\*|/)(?= [\w(!*&-])")
NUMBER = re.compile(r"(?<![\w.\"'%])(\d+)(?![\w.])")
STATEMENT = re.compile(r"^ +(?!return|break|continue|goto|const |static |int |double |bool |char )"
                       r"[\w>*(.\[\]-][^;{}]*;$")


def blanked(text):
    """Return the text with comments, strings and directives blanked, all positions unchanged."""
    def blank(match):
        return re.sub(r"[^\n]", " ", match.group())
    text = re.sub(r'/\*.*?\*/|//[^\n]*|"(?:\\.|[^"\\\n])*"|\'(?:\\.|[^\'\\\n])*\'', blank, text,
                  flags=re.S)
    return re.sub(r"^#(?:[^\n]*\\\n)*[^\n]*", blank, text, flags=re.M)


def mutants_of(text, lines):
    """Return (line, from, to, other text, description) of each mutant of the lines."""
    swap = dict(SWAPS)
    for number, (seen, line) in enumerate(zip(blanked(text).split("\n"), text.split("\n")), 1):
        if number not in lines:
            continue
        for m in BINARY.finditer(seen):
            yield number, m.start(), m.end(), swap[m.group()], f"{m.group()} -> {swap[m.group()]}"
        for m in NUMBER.finditer(seen):
            other = str(int(m.group()) + 1)
            yield number, m.start(), m.end(), other, f"{m.group()} -> {other}"
        for m in re.finditer(r"!(?=[\w(])", seen):
            yield number, m.start(), m.end(), "", "without !"
        if STATEMENT.match(seen.rstrip()):
            indent = len(line) - len(line.lstrip())
            yield number, indent, len(line), ";", "without the statement"


def lines_of(word):
    """Parse FILE or FILE:FROM-TO into a file and its lines."""
    path, _, part = word.partition(":")
    count = open(path, encoding="utf-8").read().count("\n") + 1
    first, _, last = part.partition("-")
    return path, set(range(int(first or 1), int(last or first or count) + 1))


def changed_lines(revision):
    """Return the C sources that differ from a revision, with the lines that differ."""
    # independent of the user's git settings, with paths relative to this folder
    said = subprocess.run(["git", "diff", "-U0", "--no-color", "--no-ext-diff", "--relative",
                           "--src-prefix=a/", "--dst-prefix=b/", revision, "--", "*.c"],
                          stdout=subprocess.PIPE, text=True)
    if said.returncode:
        sys.exit(said.returncode)
    files, path = {}, ""
    for line in said.stdout.split("\n"):
        # a deleted file is called /dev/null
        if line.startswith("+++ "):
            path = line[6:] if line.startswith("+++ b/") else ""
        m = re.match(r"@@ .* \+(\d+)(?:,(\d+))? @@", line)
        count = int(m.group(2) or 1) if m else 0
        if count and path and not path.startswith("tests/"):
            first = int(m.group(1))
            files.setdefault(path, set()).update(range(first, first + count))
    return files


def tests_near(build, path, names):
    """Return the tests whose program is built from a source next to the file, or the named tests."""
    def introspect(what):
        return json.loads(subprocess.run(["meson", "introspect", build, "--" + what], check=True,
                                         stdout=subprocess.PIPE, text=True).stdout)
    wing = os.path.dirname(path)
    while True:
        near = {target["filename"][0] for target in introspect("targets")
                for group in target.get("target_sources", []) for source in group.get("sources", [])
                if target["type"] == "executable" and
                os.path.relpath(os.path.dirname(source)) == os.path.join("tests", wing)}
        found = [test for test in introspect("tests")
                 if (test["name"] in names if names else test["cmd"][0] in near)]
        if found or names or not wing:
            return found
        wing = os.path.dirname(wing)


def build_and_run(build, tests):
    """Whether the tests build, and whether all pass."""
    # words of a test's command that are files of the build: its program or dmoc
    root = os.path.abspath(build)
    words = {os.path.join(root, word) for test in tests for word in test["cmd"]}
    programs = sorted(os.path.relpath(word, root) for word in words
                      if word.startswith(root + os.sep) and os.path.isfile(word))
    made = subprocess.run(["ninja", "-C", build, *programs], stdout=subprocess.DEVNULL,
                          stderr=subprocess.DEVNULL)
    if made.returncode:
        return False, True
    for test in tests:
        try:
            done = subprocess.run(test["cmd"], env=os.environ | test["env"], timeout=120,
                                  cwd=test["workdir"] or build, stdin=subprocess.DEVNULL,
                                  stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        except subprocess.TimeoutExpired:
            return True, False
        if done.returncode not in (0, 77):
            return True, False
    return True, True


def try_mutants(build, path, lines, options):
    """Try the mutants of one file; return the survivors."""
    tests = tests_near(build, path, options.tests.split(",") if options.tests else [])
    if not tests:
        sys.exit(f"mutants.py: no test is near {path}: name some by --tests")
    text = open(path, encoding="utf-8").read()
    rows = text.split("\n")
    mutants = list(mutants_of(text, lines))[options.first::options.every]
    print(f"{path}: {len(mutants)} mutants, {', '.join(test['name'] for test in tests)}")
    if build_and_run(build, tests) != (True, True):
        sys.exit("mutants.py: the tests fail as it is")

    tried, survivors = 0, []
    try:
        for number, start, end, other, what in mutants:
            row = rows[number - 1]
            changed = rows[:number - 1] + [row[:start] + other + row[end:]] + rows[number:]
            with open(path, "w", encoding="utf-8") as f:
                f.write("\n".join(changed))
            built, passed = build_and_run(build, tests)
            tried += built
            if built and passed:
                survivors.append((number, what, row.strip()))
                print(f"{path}:{number}: {what}: {row.strip()}", flush=True)
    finally:
        with open(path, "w", encoding="utf-8") as f:
            f.write(text)
    print(f"{path}: {tried} compiled, {tried - len(survivors)} noticed, {len(survivors)} survived")
    return survivors


def main():
    """Try mutants of files or of a difference."""
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("build")
    parser.add_argument("files", nargs="*")
    parser.add_argument("--diff", metavar="REVISION")
    parser.add_argument("--tests", default="")
    parser.add_argument("--every", type=int, default=1)
    parser.add_argument("--first", type=int, default=0)
    options = parser.parse_args()
    # restore the file on termination as well
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(1))
    files = dict(lines_of(word) for word in options.files)
    if options.diff:
        files.update(changed_lines(options.diff))
    if not files:
        parser.error("found no file with lines to change")
    survivors = [row for path, lines in files.items()
                 for row in try_mutants(options.build, path, lines, options)]
    return 1 if survivors else 0


sys.exit(main())
