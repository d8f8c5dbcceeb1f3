#!/usr/bin/env python3
"""Check every example of a page of problem files.

  examples.py DMOC SOURCE [DOCUMENT]

Each YAML block is a whole problem, or begins with `# in FILE`: then its sections replace the sections of that problem.
`dmoc check` must accept the problem, and its derivatives must agree with finite differences.
"""
import os
import re
import shutil
import subprocess
import sys
import tempfile


def cut_sections(text):
    """Return the sections of a problem by their keys, each with its lines."""
    sections, key = {}, ""
    for line in text.splitlines(True):
        found = re.match(r"([a-z_]+):", line)
        key = found.group(1) if found else key
        sections[key] = sections.get(key, "") + line
    return sections


def complete(example, folder):
    """Return the problem of an example, and the folder that its file names refer to."""
    inside = re.match(r"# in (\S+)\n", example)
    if not inside:
        return example, folder
    path = os.path.join(folder, inside.group(1))
    with open(path, encoding="utf-8") as file:
        sections = cut_sections(file.read())
    return "".join({**sections, **cut_sections(example[inside.end():])}.values()), os.path.dirname(path)


def find_examples(text):
    """Return (line, block) for each YAML block of a page."""
    return [(text.count("\n", 0, m.start()) + 1, m.group(1)) for m in re.finditer(r"(?ms)^```yaml\n(.*?)^```", text)]


def check(dmoc, example, folder):
    """Return the program's sentence if it refuses the example, or ""."""
    problem, place = complete(example, folder)
    path = os.path.join(place, "example.yaml")
    with open(path, "w", encoding="utf-8") as file:
        file.write(problem)
    done = subprocess.run([dmoc, "check", path], capture_output=True, encoding="utf-8", check=False)
    return "" if done.returncode == 0 else (done.stderr or done.stdout).strip()


def main(dmoc, source, document="docs/problem-format.md"):
    with open(os.path.join(source, document), encoding="utf-8") as file:
        examples = find_examples(file.read())
    with tempfile.TemporaryDirectory() as folder:
        shutil.copytree(os.path.join(source, "problems"), os.path.join(folder, "problems"))
        found = [(line, check(os.path.abspath(dmoc), text, folder)) for line, text in examples]
        sees = check(os.path.abspath(dmoc), "model: {nonsense: 1}\n", folder) != ""
    for line, fault in found:
        if fault:
            print(f"{document}:{line}: {fault}")
    faults = sum(1 for _, fault in found if fault) + (not sees)
    print(f"{document}: {len(found)} examples, {faults} faults")
    return 1 if faults or not found else 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
