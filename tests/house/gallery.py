#!/usr/bin/env python3
"""Check the gallery: it has a picture for every folder of worked problems, one row per picture, and shows the current
output of the program: two pictures are drawn again and compared at several times of their motion.

  gallery.py DMOC SOURCE
"""
import os
import re
import sys
import tempfile
import xml.etree.ElementTree as tree

LARGEST, ALL = 150_000, 2_500_000  # bytes of one picture, of all pictures
ANEW = ("cart-pole-swing-up", "throw-throw")
NUMBER = re.compile(r"-?\d+(?:\.\d+)?(?:e-?\d+)?")
# px: optima on other machines differ in the last digits, and therefore also the selected frames
OFF = 4


def numbers(text):
    return [float(x) for x in NUMBER.findall(text)]


def paths_at(root, share):
    """Return (class, coordinates) of each moving path, at a fraction of the picture's time."""
    found = []
    for path in root.iter("{http://www.w3.org/2000/svg}path"):
        for move in path:
            if move.get("attributeName") != "d":
                continue
            keys = numbers(move.get("keyTimes").replace(";", " "))
            values = [numbers(value) for value in move.get("values").split(";")]
            k = max(i for i in range(len(keys) - 1) if keys[i] <= share)
            part = (share - keys[k]) / max(keys[k + 1] - keys[k], 1e-12)
            found.append((path.get("class"), [a + part * (b - a) for a, b in zip(values[k], values[k + 1])]))
    return found


def compare(old, new):
    """Return the difference between two pictures, or an empty value."""
    a, b = tree.parse(old).getroot(), tree.parse(new).getroot()
    times = [float(next(r.iter("{http://www.w3.org/2000/svg}animate")).get("dur")[:-1]) for r in (a, b)]
    if abs(times[0] - times[1]) > 0.01 * times[0]:
        return f"lasts {times[0]} s, now {times[1]} s"
    for step in range(20):
        one, two = paths_at(a, step / 20), paths_at(b, step / 20)
        if [word for word, _ in one] != [word for word, _ in two]:
            return "other strokes"
        off = max(abs(x - y) for (_, p), (_, q) in zip(one, two) for x, y in zip(p, q))
        if off > OFF or any(len(p) != len(q) for (_, p), (_, q) in zip(one, two)):
            return f"{off:.1f} px off at {step / 20 * times[0]:.2f} s"
    return ""


def main(dmoc, source):
    sys.dont_write_bytecode = True
    sys.path.insert(0, os.path.join(source, "docs"))
    import gallery  # pylint: disable=import-outside-toplevel

    rows, folder = gallery.read_rows(), os.path.join(source, "docs/gallery")
    pictures = {name[:-4]: os.path.getsize(os.path.join(folder, name)) for name in os.listdir(folder)}
    problems = {name for name in os.listdir(os.path.join(source, "problems"))
                if os.path.exists(os.path.join(source, "problems", name, "expect.yaml")) or name == "exams"}
    with open(os.path.join(source, "docs/gallery.md"), encoding="utf-8") as file:
        lines = sum(line.startswith("| ![") for line in file)
    faults = [f"docs/gallery/{name}.svg: no row of docs/gallery.md has it" for name in set(pictures) - set(rows)]
    faults += [f"docs/gallery/{name}.svg: docs/gallery.py draws it" for name in set(rows) - set(pictures)]
    faults += [f"problems/{name}: no picture of it" for name in problems - {r["problem"].split("/")[0] for r in rows.values()}]
    faults += [f"docs/gallery/{name}.svg: {size} bytes" for name, size in pictures.items() if size > LARGEST]
    if lines != len(rows):
        faults.append(f"docs/gallery.md: {lines - len(rows)} rows that docs/gallery.py does not read")
    if sum(pictures.values()) > ALL:
        faults.append(f"docs/gallery: {sum(pictures.values())} bytes")

    # draw two of them again, and check that a difference would be detected
    with tempfile.TemporaryDirectory() as place:
        new = os.path.join(place, "new.svg")
        for name in ANEW:
            gallery.draw(os.path.abspath(dmoc), rows[name], new)
            found = compare(os.path.join(folder, name + ".svg"), new)
            faults += [f"docs/gallery/{name}.svg: {found}: draw it anew by docs/gallery.py"] if found else []
        if not compare(os.path.join(folder, ANEW[0] + ".svg"), new):
            faults.append("two pictures of different motions are alike")
    print("\n".join(sorted(faults) + [f"{len(rows)} pictures, {sum(pictures.values())} bytes, {len(faults)} faults"]))
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
