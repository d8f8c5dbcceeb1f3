#!/usr/bin/env python3
"""Hold every table below a folder to what any reader of tables expects.

    plain.py FOLDER [EXCEPT...]

EXCEPT are folders and files below it that are left aside, as copies of inputs are.
The first line has the names of the columns, each once; every row has as many cells; a cell is
empty, a number or a word, and a column is of words or of numbers. Ends with 1 where one is not,
or where there is no table at all.
"""
import pathlib
import sys

WORDS = {"kind", "joint", "method", "direction", "plant", "final_worst", "passed", "axis", "part", "state", "row", "column",
         "contact", "what", "status", "key", "criterion", "vary"}


def is_number(cell):
    try:
        float(cell)
    except ValueError:
        return False
    return True


def faults(path):
    lines = path.read_text().split("\n")
    if lines.pop() != "":
        yield "the last line has no end"
    names = lines[0].split(",") if lines else []
    if len(names) < 2 or any(is_number(n) or n.startswith("#") or not n for n in names):
        yield f"line 1 has no names: {lines[:1]}"
    if len(set(names)) != len(names):
        yield "a name stands twice"
    for at, line in enumerate(lines[1:], 2):
        cells = line.split(",")
        if len(cells) != len(names):
            yield f"line {at} has {len(cells)} cells, the header {len(names)}"
            return
        for name, cell in zip(names, cells):
            if cell and name not in WORDS and not is_number(cell):
                yield f"line {at}, column {name}: {cell!r} is no number"
                return


def is_copy(path):
    """Whether a table is a copy of what a result was made from, which is whoever wrote that's."""
    return path.parent.name == "inputs" and (path.parent.parent / "result.json").exists()


def main(folder, *aside):
    root = pathlib.Path(folder)
    left = {root / a for a in aside}
    tables = [t for t in sorted(root.rglob("*.csv"))
              if not left & {t, *t.parents} and not is_copy(t)]
    bad = [f"{path}: {fault}" for path in tables for fault in faults(path)]
    print("\n".join(bad))
    print(f"{len(tables)} tables")
    return 1 if bad or not tables else 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
