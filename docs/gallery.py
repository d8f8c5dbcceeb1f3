#!/usr/bin/env python3
"""Draw the pictures of docs/gallery.md: gallery.py DMOC [NAME...] (all, or those named).

Each row of the document names a problem, and how its picture is drawn; the problem is solved in a
folder of its own, without gains, and its moving picture, or that of --what, written to docs/gallery/NAME.svg.
"""
import json
import os
import re
import subprocess
import sys
import tempfile

SOURCE = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
ROW = re.compile(r"\| !\[[^\]]*\]\(gallery/(?P<name>[\w-]+)\.svg\) \| .*"
                 r"`dmoc (?P<command>run|optimize|simulate) problems/(?P<problem>[\w/-]+)\.yaml`"
                 r"(?:, drawn with `(?P<options>[^`]*)`)? \|")


def read_rows():
    """Return the rows of the document by their names."""
    with open(os.path.join(SOURCE, "docs/gallery.md"), encoding="utf-8") as file:
        rows = [ROW.fullmatch(line.rstrip("\n")) for line in file if line.startswith("| ![")]
    return {row["name"]: row.groupdict() for row in rows}


def run(*words):
    subprocess.run(words, check=True, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)


def draw(dmoc, row, picture):
    """Solve the problem of a row, without its gains, and draw it; of phases all, one after another."""
    problem = os.path.join(SOURCE, "problems", row["problem"] + ".yaml")
    with open(problem, encoding="utf-8") as file:
        task = re.search(r"^(horizon|phases):", file.read(), re.M)
    with tempfile.TemporaryDirectory() as folder:
        result = os.path.join(folder, row["name"])
        run(dmoc, "optimize" if task else "simulate", problem, "-o", result)
        with open(os.path.join(result, "result.json"), encoding="utf-8") as file:
            phases = json.load(file).get("phases", [])
        shown = [os.path.join(result, phase["name"]) for phase in phases] or [result]
        options = (row["options"] or "").split()
        what = [] if "--what" in options else ["--what", "moving"]
        run(dmoc, "plot", *shown, *what, *options, "-o", picture)


def main(dmoc, *names):
    rows = read_rows()
    strangers = set(names) - set(rows)
    if strangers:
        sys.exit(f"docs/gallery.md has no row of {' '.join(sorted(strangers))}")
    for name in names or rows:
        draw(os.path.abspath(dmoc), rows[name], os.path.join(SOURCE, "docs/gallery", name + ".svg"))
        print(name, flush=True)


if __name__ == "__main__":
    main(*sys.argv[1:])
