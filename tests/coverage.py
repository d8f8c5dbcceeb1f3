#!/usr/bin/env python3
"""Print the coverage of the tests: lines and branches by room and wing, the files with the most branches not taken,
and the functions with the lowest coverage, separately for the library and the program.

    coverage.py COVERAGE.json [ROWS]

The file is written by gcovr (--json); ROWS is the number of rows listed, by default 20. A branch is one outcome of a
condition, as gcov counts it in the compiled code; branches that only exceptions take do not count.
"""
import bisect
import collections
import json
import sys


def wing_of(path):
    return path.rsplit("/", 1)[0]


def lines_of(file):
    """Return the compiled lines of a file."""
    return [line for line in file["lines"] if not line.get("gcovr/noncode")]


def functions_of(file):
    """Return the functions of a file as [name, line, lines reached, lines], by their first line."""
    found = sorted((f["lineno"], f["name"]) for f in file["functions"])
    rows = [[name, line, 0, 0] for line, name in found]
    starts = [line for line, _ in found]
    for line in lines_of(file):
        at = bisect.bisect(starts, line["line_number"]) - 1
        if at >= 0:
            rows[at][2] += line["count"] > 0
            rows[at][3] += 1
    return rows


def figures_of(file):
    """Return lines and branches of a file, total and reached."""
    lines = lines_of(file)
    branches = [b for line in lines for b in line["branches"] if not b["throw"]]
    return collections.Counter({
        "lines": len(lines), "lines reached": sum(line["count"] > 0 for line in lines),
        "branches": len(branches), "branches taken": sum(b["count"] > 0 for b in branches)})


def lines_missed(file):
    """Return the lines of a file with branches not taken, largest number first."""
    rows = [(sum(b["count"] == 0 and not b["throw"] for b in line["branches"]),
             line["line_number"]) for line in lines_of(file)]
    return [line for missed, line in sorted(rows, key=lambda row: (-row[0], row[1])) if missed]


def percent(reached, of):
    return f"{100 * reached / of:5.1f} %" if of else "      -"


def figures(f):
    return (f"{percent(f['lines reached'], f['lines'])} of {f['lines']:5} lines  "
            f"{percent(f['branches taken'], f['branches'])} of {f['branches']:5} branches")


def show_rooms(files):
    """Print lines and branches of each room, followed by its wings."""
    rooms = collections.defaultdict(collections.Counter)
    wings = collections.defaultdict(collections.Counter)
    for file in files:
        rooms[file["file"].split("/")[0]] += figures_of(file)
        wings[wing_of(file["file"])] += figures_of(file)
    for room in sorted(rooms):
        print(f"{figures(rooms[room])}  {room}")
        for wing in sorted(wing for wing in wings if wing.split("/")[0] == room):
            print(f"{figures(wings[wing])}    {wing}")


def show_files(files, shown):
    """Print the files with the most branches not taken, and their lines."""
    rows = [(figures_of(file), file) for file in files]
    rows.sort(key=lambda row: row[0]["branches taken"] - row[0]["branches"])
    print("\nfiles with most branches that are not taken, and lines with most of them:")
    for f, file in rows[:shown]:
        missed = f["branches"] - f["branches taken"]
        where = " ".join(str(line) for line in lines_missed(file)[:8])
        print(f"{missed:5} of {f['branches']:5}  {file['file']}: {where}")


def show_functions(files, shown):
    """Print the functions with the lowest line coverage, of the library and of the program."""
    functions = [(file["file"], *row) for file in files for row in functions_of(file) if row[3] > 2]
    functions.sort(key=lambda f: (f[3] / f[4], -f[4]))
    for what, of_program in (("library", False), ("program", True)):
        print(f"\nfunctions of the {what} that are reached least of:")
        chosen = [f for f in functions if f[0].startswith("cli/") == of_program]
        for path, name, line, reached, lines in chosen[:shown]:
            print(f"{percent(reached, lines)} of {lines:3}  {name} ({path}:{line})")


def main():
    """Print all reports for the named file."""
    files = json.load(open(sys.argv[1], encoding="utf-8"))["files"]
    shown = int(sys.argv[2]) if len(sys.argv) > 2 else 20
    show_rooms(files)
    show_files(files, shown)
    show_functions(files, shown)


main()
