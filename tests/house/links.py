#!/usr/bin/env python3
"""Check the links between documents: each leads to a file, and to a heading of that file if it names one.

  links.py SOURCE

Also checks the README: at most 150 lines, none wider than 100 characters.
"""
import os
import re
import sys

LINK = re.compile(r"!?\[[^\]]*\]\(<?([^)\s>]+)>?\)")


def prose_of(path):
    """Return a document's lines without code: blocks are removed, spans become spaces."""
    lines, fenced = [], False
    with open(path, encoding="utf-8") as file:
        for line in file.read().split("\n"):
            if line.startswith("```"):
                fenced = not fenced
            elif not fenced and not line.startswith("    "):
                lines.append(line)
    return lines


def headings_of(path):
    """Return the anchors of a document's headings, as GitHub generates them."""
    names = {}
    for line in prose_of(path):
        heading = re.match(r"#+ +(.*)", line)
        if heading:
            name = re.sub(r"\[([^\]]*)\]\([^)]*\)", r"\1", heading.group(1)).strip().lower()
            name = re.sub(r"[^\w\- ]", "", name).replace(" ", "-")
            names[name] = names.get(name, -1) + 1
    return {f"{name}-{i}" if i else name for name, last in names.items() for i in range(last + 1)}


def dead_links(path):
    """Yield the dead links of a document."""
    for line in prose_of(path):
        for target in LINK.findall(re.sub(r"`[^`]*`(?!\])", " ", line)):
            if re.match(r"[a-z]+:", target):
                continue
            name, _, part = target.partition("#")
            file = os.path.join(os.path.dirname(path), name) if name else path
            if not os.path.exists(file):
                yield f"{target}: no such file"
            elif part and part not in headings_of(file):
                yield f"{target}: no such heading"


def main(source):
    folders = [os.path.join(source, folder) for folder in ("", "docs", "examples")]
    documents = [os.path.join(folder, name) for folder in folders if os.path.isdir(folder)
                 for name in sorted(os.listdir(folder)) if name.endswith(".md")]
    faults = [f"{os.path.relpath(path, source)}: {fault}" for path in documents
              for fault in dead_links(path)]
    with open(os.path.join(source, "README.md"), encoding="utf-8") as file:
        lines = file.read().splitlines()
    if len(lines) > 150:
        faults.append(f"README.md: {len(lines)} lines, at most 150")
    faults += [f"README.md:{i}: {len(line)} characters, at most 100"
               for i, line in enumerate(lines, 1) if len(line) > 100]
    print("\n".join(faults + [f"{len(documents)} documents, {len(faults)} faults"]))
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1]))
