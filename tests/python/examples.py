#!/usr/bin/env python3
"""A script of examples/python prints what the indented lines of its docstring say.

    examples.py PROGRAM SOURCE BUILD SANITIZERS NAME
"""
import ast
import difflib
import os
import subprocess
import sys
import tempfile

from support import SOURCE

path = os.path.join(SOURCE, "examples", "python", sys.argv[5] + ".py")
with open(path, encoding="utf-8") as file:
    document = ast.get_docstring(ast.parse(file.read()), clean=False)
# the last block of indented lines
blocks = [block for block in document.split("\n\n") if block.startswith("    ")]
wanted = [line[4:].rstrip() for line in blocks[-1].rstrip("\n").split("\n")]
with tempfile.TemporaryDirectory() as folder:
    done = subprocess.run([sys.executable, path], cwd=folder, capture_output=True, text=True)
if done.returncode == 77:
    print(done.stdout, end="")
    sys.exit(77)
said = done.stdout.rstrip("\n").split("\n")
sys.stdout.writelines(
    f"{line}\n" for line in difflib.unified_diff(wanted, said, "docstring", "printed", lineterm="")
)
print(done.stderr, end="")
sys.exit(done.returncode or wanted != said)
