#!/usr/bin/env python3
"""Compare the tables in documents that the program can print with its output.

  keys.py DMOC SOURCE [--write]

`dmoc --keys` has a row for each key of problem files: its path, value, unit, default and meaning; `dmoc --results` one
for each key of result.json; `dmoc --elements` one for each element of robot files. The documents have these rows in a
shorter form: keys that a section shares with an earlier one are documented once, the keys of an outer object of
result.json are one row, elements with equal rows are one row, and elements that are ignored, or read without a note, are
left out. Cells that people write may follow and must not be empty. --write replaces changed rows, inserts missing ones,
and removes rows that the program does not print.
"""
import os
import re
import subprocess
import sys
from collections import namedtuple

# printed, head: headers of the program's and of the document's table; the program generates its first `made` cells, and
# the first `named` identify a row
Table = namedtuple("Table", "option document printed head named made shorten")


def cut_row(line, cells):
    """Return the first cells of a row and the rest."""
    match = re.match(r"(\|(?: (?:[^|\\]|\\.)*\|){%d})(.*)" % cells, line, re.S)
    return match.groups() if match else (line, "")


def find_rows(table, lines, made=False):
    """Return the positions of a table's rows: (line, name). made: search the program's output."""
    head = table.printed if made else table.head
    rows, inside = [], False
    for i, line in enumerate(lines):
        inside = line == head or (inside and line.startswith("|"))
        if inside and line != head and not line.startswith("| ---"):
            rows.append((i, cut_row(line, table.named)[0]))
    return rows


def fold_shared(printed):
    """Leave out the keys below a section that an earlier section has as well, and refer to that section."""
    below = {}
    for row in printed.values():
        key, rest = re.match(r"\| `([^`]*)`(.*)", row).groups()
        for dot in re.finditer(r"\.", key):
            below.setdefault(key[:dot.start()], []).append((key[dot.end():], rest))
    first, shared = {}, {}
    for section, keys in below.items():
        origin = first.setdefault(tuple(keys), section)
        if origin != section and len(keys) > 1:
            shared[section] = origin

    rows = {}
    for name, row in printed.items():
        key = name.strip("| `")
        if any(key.startswith(f"{section}.") for section in shared):
            continue
        rows[name] = f"{row[:-2]}; keys as `{shared[key]}` |" if key in shared else row
    return rows


def merge_alike(rows):
    """Merge consecutive keys of a section that differ only in their names into one row."""
    merged, before, names = {}, None, []
    for name, row in rows.items():
        section, _, key = name.strip("| `").rpartition(".")
        alike = section and (section, row[len(name):])
        if alike and alike == before:
            merged.pop(names[-1])
            names.append(names[-1][:-2] + f" `{key}` |")
        else:
            names, before = [name], alike
        merged[names[-1]] = names[-1] + row[len(name):]
    return merged


def refer_to_earlier(rows):
    """Replace consecutive keys of a section that an earlier section has with equal rows by one row; short rows stay,
    unless they follow such a key."""
    first, shorter, last, names = {}, {}, None, []
    for name, row in rows.items():
        section, _, key = name.strip("| `").rpartition(".")
        rest = row[len(name):]
        origin = first.setdefault((key, rest), section)
        if origin == section or (len(rest) < SHORT and last != (section, origin)):
            last = None
            shorter[name] = row
            continue
        if last == (section, origin):
            shorter.pop(names[-1])
            names.append(names[-1][:-2] + f" `{key}` |")
        else:
            last, names = (section, origin), [name]
        shorter[names[-1]] = f"{names[-1]} as in `{origin}` | – |"
    return shorter


def join_cells(name, row):
    """Write the unit of a row behind its value, and its default in parentheses; a range or words need no type."""
    value, unit, absent, rest = row[len(name):].strip().split(" | ", 3)
    value = re.sub(r"^(number (?=[<>])|one of )", "", value)
    value += "" if unit == "–" else f"; {unit}"
    return f"{name} {value}{'' if absent == '–' else f' ({absent})'} | {rest}"


def shorten_keys(rows):
    return refer_to_earlier(merge_alike(fold_shared({name: join_cells(name, row) for name, row in rows.items()})))


def gather_members(rows):
    """Return one row per object of result.json that is not in another one, with the names of its keys, and one per key
    outside of objects; an object with the content of another one has no row."""
    gathered, members = {}, {}
    for name, row in rows.items():
        key, (value, unit, meaning) = name.strip("| `"), [cell.strip(" |") for cell in row.split(" | ")[1:]]
        section, _, member = key.rpartition(".")
        if section in members:
            members[section].append(f"`{member}`")
        if "object" in value:
            key += "[]" if "list" in value else ""
            members[key] = []
        if section:
            continue
        if "Content as in `" in meaning:
            continue
        gathered[key] = (value if unit == "–" else f"{value}, {unit}", meaning)
    return {f"| `{key}` |": f"| `{key}` | {' '.join(members.get(key, [])) or value} | {meaning} |"
            for key, (value, meaning) in gathered.items()}


def merge_elements(rows):
    """Leave out ignored elements and those that are read without a note, and merge elements whose rows have the same
    attributes, use and note."""
    alike = {}
    for name, row in rows.items():
        element, _ = cut_row(row, 1)
        use, note = [cell.strip() for cell in row[len(name):].strip("|\n").split(" |")][:2]
        if use != "ignored" and (note or use != "read"):
            attributes = name[len(element):].strip(" |").split(", ")
            short = ", ".join(attributes[:4] + ["…"] if len(attributes) > 5 else attributes)
            alike.setdefault(f" {short} |{row[len(name):]}", []).append(element.strip("| "))
    merged = (f"| {', '.join(elements)} |{rest}" for rest, elements in alike.items())
    return {cut_row(row, 2)[0]: row for row in merged}


SHORT = 50  # characters of a row after its key
KEYS, RESULTS = "| key | value | unit | left out | meaning |", "| key of result.json | value | unit | meaning |"
ELEMENTS = [f"| element of {name} | attributes | dmoc | note |" for name in ("MJCF", "URDF")]
OUTPUTS = "| output type | keys besides `name` | value | unit | suffixes of its rows |"
TABLES = [Table("--keys", "docs/problem-format.md", KEYS, "| key | value; unit (default) | meaning |", 1, 3, shorten_keys),
          Table("--keys", "docs/problem-format.md", OUTPUTS, OUTPUTS, 1, 5, dict),
          Table("--results", "docs/results.md", RESULTS, "| key of result.json | keys in it, or value | meaning |", 1, 3,
                gather_members)]
TABLES += [Table("--elements", "docs/robot-files.md", head, head, 2, 4, merge_elements) for head in ELEMENTS]


def read_rows(table, dmoc):
    """Return the rows that the program prints, by name, in its order."""
    text = subprocess.run([dmoc, table.option], check=True, capture_output=True, encoding="utf-8").stdout
    lines = text.splitlines()
    return table.shorten({name: lines[i] for i, name in find_rows(table, lines, True)})


def find_faults(table, lines, printed):
    """Return (line, error) for each wrong row, and the names without a row; another form of a key may have its own
    row next to the generated one."""
    rows = find_rows(table, lines)
    whole = {name for i, name in rows if cut_row(lines[i], table.made)[0] == printed.get(name)}
    faults = [(i, f"the program has no row {name}") for i, name in rows if name not in printed]
    faults += [(i, f"differs from the program's row:\n  {printed[name]}") for i, name in rows
               if name in printed and name not in whole]
    return sorted(faults), [name for name in printed if name not in {name for _, name in rows}]


def find_blank(table, lines):
    """Return (line, what is wrong) for each row with an empty cell of people."""
    return [(i, f"{name} has no meaning") for i, name in find_rows(table, lines)
            if re.fullmatch(r"(?: *\|)+", cut_row(lines[i], table.made)[1])]


def mend(table, lines, printed):
    """Return the lines with the table's rows as the program prints them."""
    blank = " |" * (cut_row(table.head, table.made)[1].count("|"))
    faults, missing = find_faults(table, lines, printed)
    for i, _ in reversed(faults):
        name = cut_row(lines[i], table.named)[0]
        lines[i:i + 1] = [printed[name] + cut_row(lines[i], table.made)[1]] if name in printed else []
    order = list(printed)
    for name in missing:
        place = {name: i for i, name in find_rows(table, lines)}
        before = order[order.index(name) - 1] if order.index(name) else None
        lines.insert(place[before] + 1 if before else lines.index(table.head) + 2, printed[name] + blank)
    return lines


def sees_faults(table, lines, printed):
    """Whether a changed row, an invented row and a missing row are detected and mended."""
    rows = find_rows(table, lines)
    first, second = rows[0][0], rows[1][0]
    spoiled = lines[:first] + ["| `nonsense` | number | m | 0 |" + cut_row(lines[first], table.made)[1]] + lines[first + 1:]
    spoiled[second] = rows[1][1] + " nothing |" * (table.made - table.named) + cut_row(lines[second], table.made)[1]
    found, gone = find_faults(table, spoiled, printed)
    mended = mend(table, spoiled, printed)
    blanks = 1 if cut_row(table.head, table.made)[1] else 0  # the missing row is put in without a meaning
    return (len(found) == 2 and len(gone) == 1 and not any(find_faults(table, mended, printed))
            and len(find_blank(table, mended)) == blanks)


def compare(table, dmoc, source, write):
    """Return the errors of a table in the document; mends it first if requested."""
    path = os.path.join(source, table.document)
    printed = read_rows(table, os.path.abspath(dmoc))
    with open(path, encoding="utf-8") as file:
        lines = file.read().splitlines()
    if write:
        lines = mend(table, lines, printed)
        with open(path, "w", encoding="utf-8") as file:
            file.write("\n".join(lines) + "\n")
    faults, missing = find_faults(table, lines, printed)
    said = [f"{table.document}:{i + 1}: {what}" for i, what in faults + find_blank(table, lines)]
    said += [f"{table.document}: no row {name}" for name in missing]
    if not said and not (printed and sees_faults(table, lines, printed)):
        said.append(f"{table.document}: faults of `{table.head}` are not seen")
    print("\n".join(said + [f"{table.document}: {len(printed)} rows, {len(said)} faults"]))
    return len(said)


def main(dmoc, source, *options):
    return 1 if sum(compare(table, dmoc, source, options == ("--write",)) for table in TABLES) else 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
