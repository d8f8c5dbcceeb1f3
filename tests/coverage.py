#!/usr/bin/env python3
"""Print what tests reach: lines by room and wing, and the functions that they reach least of, those
of the library and those of the program.

    coverage.py COVERAGE.json [FUNCTIONS]

The file is gcovr's (--json); FUNCTIONS how many are listed, 20 where nothing is said.
"""
import bisect
import collections
import json
import sys


def wing_of(path):
    return path.rsplit("/", 1)[0]


def functions_of(file):
    """The functions of a file as [name, line, lines reached, lines], by where they begin."""
    found = sorted((f["lineno"], f["name"]) for f in file["functions"])
    rows = [[name, line, 0, 0] for line, name in found]
    starts = [line for line, _ in found]
    for line in file["lines"]:
        at = bisect.bisect(starts, line["line_number"]) - 1
        if at >= 0 and not line.get("gcovr/noncode"):
            rows[at][2] += line["count"] > 0
            rows[at][3] += 1
    return rows


def percent(reached, lines):
    return f"{100 * reached / lines:5.1f} %" if lines else "      -"


def main():
    files = json.load(open(sys.argv[1]))["files"]
    shown = int(sys.argv[2]) if len(sys.argv) > 2 else 20
    rooms, wings, functions = collections.Counter(), collections.Counter(), []
    for file in files:
        path = file["file"]
        lines = [line for line in file["lines"] if not line.get("gcovr/noncode")]
        reached = sum(line["count"] > 0 for line in lines)
        for key, table in ((path.split("/")[0], rooms), (wing_of(path), wings)):
            table[key, "lines"] += len(lines)
            table[key, "reached"] += reached
        functions += [(path, *row) for row in functions_of(file) if row[3] > 2]
    for room in sorted({key for key, _ in rooms}):
        print(f"{percent(rooms[room, 'reached'], rooms[room, 'lines'])} of {rooms[room, 'lines']:5} lines  {room}")
        for wing in sorted({key for key, _ in wings if key.split("/")[0] == room}):
            print(f"{percent(wings[wing, 'reached'], wings[wing, 'lines'])} of {wings[wing, 'lines']:5}          {wing}")
    functions.sort(key=lambda f: (f[3] / f[4], -f[4]))
    for what, of_program in (("library", False), ("program", True)):
        print(f"\nfunctions of the {what} that are reached least of:")
        chosen = [f for f in functions if f[0].startswith("cli/") == of_program]
        for path, name, line, reached, lines in chosen[:shown]:
            print(f"{percent(reached, lines)} of {lines:3}  {name} ({path}:{line})")


main()
