#!/usr/bin/env python3
"""The tables of keys in docs/problem-format.md, held against those that the program reads files by.

  keys.py DMOC SOURCE [--write]

`dmoc --keys` has a row for each key, in the order of the schema: its path, value, unit and default.
The document has these rows, each with a meaning behind it, in tables of its own. --write makes them
so: what has changed is replaced, what is missing goes behind the key before it, with an empty meaning,
and what is no key any more is taken out.
"""
import os
import re
import subprocess
import sys

HEAD = "| key | value | unit | left out | meaning |"
PATH = re.compile(r"\| `([^`]+)` \|")
CELLS = re.compile(r"(\|(?: (?:[^|\\]|\\.)*\|){4})(.*)", re.S)  # the four that are made, and the meaning


def read_keys(dmoc):
    """Return the rows of all keys, by their paths, in the order of the schema."""
    text = subprocess.run([dmoc, "--keys"], check=True, capture_output=True, encoding="utf-8").stdout
    return {PATH.match(line).group(1): line for line in text.splitlines() if PATH.match(line)}


def find_rows(lines):
    """Return where the tables of keys have rows: (line, path)."""
    rows, inside = [], False
    for i, line in enumerate(lines):
        inside = line == HEAD or (inside and line.startswith("|"))
        if inside and PATH.match(line):
            rows.append((i, PATH.match(line).group(1)))
    return rows


def find_faults(lines, keys):
    """Return (line, what is wrong) for each row, and the keys that have none; another form of a key
    may stand in a row of its own beside the one that is made."""
    rows = find_rows(lines)
    whole = {path for i, path in rows if CELLS.match(lines[i]).group(1) == keys.get(path)}
    faults = [(i, f"no key is called `{path}`") for i, path in rows if path not in keys]
    faults += [(i, f"differs from the schema:\n  {keys[path]}") for i, path in rows
               if path in keys and path not in whole]
    return sorted(faults), [path for path in keys if path not in {path for _, path in rows}]


def mend(lines, keys):
    """Return the lines with their rows as the schema has them."""
    faults, missing = find_faults(lines, keys)
    for i, _ in reversed(faults):
        path = PATH.match(lines[i]).group(1)
        lines[i:i + 1] = [keys[path] + CELLS.match(lines[i]).group(2)] if path in keys else []
    order = list(keys)
    for path in missing:
        place = {name: i for i, name in find_rows(lines)}
        before = order[order.index(path) - 1] if order.index(path) else None
        lines.insert(place[before] + 1 if before else find_rows(lines)[0][0], keys[path] + " |")
    return lines


def main(dmoc, source, *options):
    path = os.path.join(source, "docs/problem-format.md")
    keys = read_keys(os.path.abspath(dmoc))
    with open(path, encoding="utf-8") as file:
        lines = file.read().splitlines()
    if options == ("--write",):
        lines = mend(lines, keys)
        with open(path, "w", encoding="utf-8") as file:
            file.write("\n".join(lines) + "\n")
    faults, missing = find_faults(lines, keys)
    said = [f"docs/problem-format.md:{i + 1}: {what}" for i, what in faults]
    said += [f"docs/problem-format.md: no row of `{name}`" for name in missing]

    # rows that are changed, taken out or invented are seen, and mended
    first = find_rows(lines)[0][0]
    spoiled = [line.replace("integer >= 1", "integer") if "`horizon.steps`" in line else line for line in lines]
    spoiled = spoiled[:first] + ["| `nonsense` | number | m | 0 | nothing |"] + spoiled[first + 1:]
    found, gone = find_faults(spoiled, keys)
    if not said and (len(found) != 2 or len(gone) != 1 or any(find_faults(mend(spoiled, keys), keys))):
        said.append("a row that differs, one that is no key's and one that is missing are not seen")
    print("\n".join(said + [f"{len(keys)} keys, {len(said)} faults"]))
    return 1 if said or not keys else 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
