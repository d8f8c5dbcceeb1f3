#!/usr/bin/env python3
"""The types that dmoc in Python says are those of its code: names, arguments, docstrings; by mypy,
where that is there, on the stubs and on the examples too."""
import ast
import inspect
import os
import re
import subprocess
import sys
import unittest

from support import SOURCE, main

import dmoc

STUB = os.path.join(SOURCE, "python", "dmoc", "__init__.pyi")
# what only the package itself calls
INNER = {
    "settle",
    "as_file",
    "changed",
    "open",
    "describe",
    "find_limits",
    "pair",
    "call",
    "handle",
    "library",
    "keep",
    "tables",
    "columns",
    "lock",
    "file_name",
    "mark",
    "shown",
    "folder_of",
    "callback",
    "check_open",
    "ends",
    "explain",
    "read_end",
    "replace",
    "open_files",
    "shapes",
    "differentiate_by",
    "report",
    "wrap",
    "opened",
    "parts",
    "raised",
    "size",
}


def stub():
    with open(STUB, encoding="utf-8") as file:
        body = ast.parse(file.read()).body
    # what classes have in common stands in one that has no name outside
    inner = {node.name: node.body for node in body if getattr(node, "name", "").startswith("_")}
    for node in body:
        for base in getattr(node, "bases", ()):
            node.body = node.body + inner.get(getattr(base, "id", ""), [])
    return [node for node in body if getattr(node, "name", None) not in inner]


def arguments(function):
    """Return the names of a stub's arguments, and which have defaults."""
    given = function.args
    named = [a.arg for a in given.posonlyargs + given.args + given.kwonlyargs]
    return [name for name in named if name != "self"], bool(given.kwarg)


class Stubs(unittest.TestCase):
    def test_names_are_those_of_the_module(self):
        names = {node.name for node in stub() if isinstance(node, (ast.ClassDef, ast.FunctionDef))}
        values = {node.target.id for node in stub() if isinstance(node, ast.AnnAssign)}
        names |= {name for name in values if not name.startswith("__")}
        self.assertEqual(names, set(dmoc.__all__))
        for name in dmoc.__all__:
            self.assertTrue(hasattr(dmoc, name))

    def test_arguments_are_those_of_functions_and_methods(self):
        for node in stub():
            functions = (
                [(node, getattr(dmoc, node.name))] if isinstance(node, ast.FunctionDef) else []
            )
            if isinstance(node, ast.ClassDef):
                kind = getattr(dmoc, node.name)
                functions = [
                    (f, inspect.getattr_static(kind, f.name))
                    for f in node.body
                    if isinstance(f, ast.FunctionDef)
                ]
            for said, real in functions:
                if isinstance(real, property) or said.name in ("__exit__", "__getattr__"):
                    continue
                wanted = [
                    p for p in inspect.signature(real).parameters.values() if p.name != "self"
                ]
                names = [p.name for p in wanted if p.kind not in (p.VAR_KEYWORD, p.VAR_POSITIONAL)]
                self.assertEqual(
                    arguments(said),
                    (names, any(p.kind == p.VAR_KEYWORD for p in wanted)),
                    f"{node.name}.{said.name}",
                )

    def test_members_are_said(self):
        for node in stub():
            if not isinstance(node, ast.ClassDef):
                continue
            said = {f.name for f in node.body if isinstance(f, ast.FunctionDef)}
            # its own, and those of bases that are not said
            kinds = getattr(dmoc, node.name).__mro__
            real = {
                name
                for kind in kinds
                if kind.__module__.startswith("dmoc")
                for name, value in vars(kind).items()
                if not name.startswith("_") and (callable(value) or isinstance(value, property))
            }
            self.assertEqual(
                real - INNER, {name for name in said if not name.startswith("_")}, node.name
            )

    def test_everything_has_a_docstring_and_maps_have_shapes(self):
        for name in dmoc.__all__:
            self.assertTrue(inspect.getdoc(getattr(dmoc, name)), name)
        for name in ("state", "velocity", "energy", "step", "rollout", "linear", "hessian"):
            self.assertRegex(inspect.getdoc(getattr(dmoc.Map, name)), r"\[\.\.\.")

    def test_the_version_is_that_of_the_sources(self):
        with open(os.path.join(SOURCE, "meson.build"), encoding="utf-8") as file:
            self.assertEqual(
                dmoc.__version__, re.search(r"version: '([^']*)'", file.read()).group(1)
            )

    def test_mypy_agrees(self):
        if subprocess.run(
            [sys.executable, "-m", "mypy", "--version"], capture_output=True
        ).returncode:
            print("skipped: what mypy says of the stubs (needs mypy)")
            self.skipTest("needs mypy")
        examples = os.path.join(SOURCE, "examples", "python")
        done = subprocess.run(
            [
                sys.executable,
                "-m",
                "mypy",
                "--strict",
                "--ignore-missing-imports",
                "--no-incremental",
                "--cache-dir",
                os.devnull,
                STUB,
            ],
            capture_output=True,
            text=True,
        )
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        done = subprocess.run(
            [
                sys.executable,
                "-m",
                "mypy",
                "--ignore-missing-imports",
                "--no-incremental",
                "--cache-dir",
                os.devnull,
                *sorted(os.path.join(examples, name) for name in os.listdir(examples)),
            ],
            capture_output=True,
            text=True,
            env={**os.environ, "MYPYPATH": os.path.join(SOURCE, "python")},
        )
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)


main()
