#!/usr/bin/env python3
"""`pip install ./python` without a network, into an environment of its own: the package finds the
program and the library that it took along; in place, it finds those of the build."""
import os
import subprocess
import sys
import tempfile

from support import BUILD, PROBLEMS, SOURCE, skip

LOOK = f"""
import dmoc, os
from dmoc import places
m = dmoc.Map({os.path.join(PROBLEMS, "cart-pole", "swing-up.yaml")!r})
assert m.step([0, 0, 0, 0], [1]).shape == (4,)
assert dmoc.optimize({os.path.join(PROBLEMS, "cart-pole", "swing-up.yaml")!r}).status == "solved"
for path in dmoc.__file__, places.find_program(), places.find_library():
    print(os.path.dirname(path))
"""
# what says where things are elsewhere is not to help
CLEAN = {
    name: value
    for name, value in os.environ.items()
    if name not in ("DMOC", "DMOC_LIBRARY", "PYTHONPATH", "BUILD")
}
PATH = {**CLEAN, "PATH": "/usr/bin:/bin"}


def run(*words, env=None):
    """Run a command and return what it prints; what it says where it fails."""
    done = subprocess.run(words, capture_output=True, text=True, env=env or PATH, cwd="/")
    if done.returncode:
        sys.exit(f"{' '.join(words)}:\n{done.stdout}{done.stderr}")
    return done.stdout.strip()


def install(folder, name, *words):
    """Install the package where it sees the system's numpy; return the environment's Python."""
    venv = os.path.join(folder, name)
    python = os.path.join(venv, "bin", "python")
    run(sys.executable, "-m", "venv", "--system-site-packages", venv)
    run(
        python,
        "-m",
        "pip",
        "install",
        "--no-index",
        "--no-deps",
        "--quiet",
        "--disable-pip-version-check",
        *words,
        os.path.join(SOURCE, "python"),
        env={**PATH, "DMOC_BUILD": BUILD},
    )
    return python


def main():
    try:
        import ensurepip  # noqa: F401
        import venv  # noqa: F401
    except ImportError:
        skip("pip install of dmoc (needs venv and pip, Debian's python3-venv)")
    with tempfile.TemporaryDirectory() as folder:
        # a wheel with all in it
        python = install(folder, "whole")
        package, *native = run(python, "-c", LOOK).split()
        assert package.startswith(folder) and native == 2 * [os.path.join(package, "native")], (
            package,
            native,
        )
        run(
            python,
            "-c",
            "import dmoc, importlib.metadata as m; assert m.version('dmoc') == dmoc.__version__",
        )
        assert run(os.path.join(os.path.dirname(python), "dmoc"), "--version").startswith("dmoc ")
        run(python, "-m", "pip", "uninstall", "--yes", "dmoc")
        assert not os.path.exists(package), os.listdir(package)

        # the sources in place, with a build that $BUILD names
        python = install(folder, "in-place", "--editable")
        package, *native = run(python, "-c", LOOK, env={**PATH, "BUILD": BUILD}).split()
        assert package == os.path.join(SOURCE, "python", "dmoc"), package
        assert native == [os.path.join(BUILD, "cli"), BUILD], native

        # what `meson install` puts down, found by PATH
        root = os.path.join(folder, "root")
        run(
            "meson", "install", "-C", BUILD, "--no-rebuild", "--quiet", "--destdir", root, env=CLEAN
        )
        bins = [at for at, _, files in os.walk(root) if "dmoc" in files and at.endswith("/bin")]
        copy = os.path.join(folder, "copy")
        run("cp", "-r", os.path.join(SOURCE, "python", "dmoc"), copy + "-dmoc")
        os.mkdir(copy)
        os.rename(copy + "-dmoc", os.path.join(copy, "dmoc"))
        package, *native = run(
            sys.executable,
            "-c",
            LOOK,
            env={**PATH, "PATH": f"{bins[0]}:{PATH['PATH']}", "PYTHONPATH": copy},
        ).split()
        assert native[0] == bins[0] and native[1].startswith(os.path.dirname(bins[0])), native

        # and nowhere: what to do is said
        done = subprocess.run(
            [sys.executable, "-c", LOOK],
            capture_output=True,
            text=True,
            cwd="/",
            env={**PATH, "PYTHONPATH": copy},
        )
        assert "build it by `ninja -C build` in its sources" in done.stderr, done.stderr


main()
