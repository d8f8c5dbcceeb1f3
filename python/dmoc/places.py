"""Where the program and the library are.

In this order: what the environment says ($DMOC, the program; $DMOC_LIBRARY, the library), what was
installed with this package, a build of the sources that this file stands in, what the system has.
"""
import os
import shutil

from .errors import Fault

HERE = os.path.dirname(os.path.abspath(__file__))
NATIVE = os.path.join(HERE, "native")
SOURCES = os.path.dirname(os.path.dirname(HERE))
LIBRARY = "libdmoc.so.1"
ADVICE = ("build it by ./dmoc in its sources and install this package anew, put it on PATH, or say "
          "where it is by $DMOC")


def build_folder():
    """Return the build folder of the sources that this package stands in, or None."""
    build = os.environ.get("BUILD") or os.path.join(SOURCES, "build")
    return build if os.path.exists(os.path.join(SOURCES, "meson.build")) else None


def find_program():
    """Return the path of the program dmoc."""
    said = os.environ.get("DMOC")
    if said:
        found = shutil.which(said)
        if not found:
            raise Fault(f"$DMOC is {said}, which is no program that can be run")
        return found

    # beside the package, in its sources, on PATH
    build = build_folder()
    for path in (os.path.join(NATIVE, "dmoc"), build and os.path.join(build, "cli", "dmoc")):
        if path and os.access(path, os.X_OK):
            return path
    found = shutil.which("dmoc")
    if not found:
        raise Fault(f"the program dmoc is not here: {ADVICE}")
    return found


def find_library():
    """Return what to load as the library: a path, or its name where only the system knows it."""
    said = os.environ.get("DMOC_LIBRARY")
    if said:
        return said
    build = build_folder()
    beside = os.path.dirname(os.environ["DMOC"]) if os.environ.get("DMOC") else None
    folders = [NATIVE, build, beside and os.path.dirname(beside)]
    found = shutil.which("dmoc")
    if found:
        root = os.path.dirname(os.path.dirname(os.path.realpath(found)))
        folders += [os.path.join(root, "lib"), os.path.join(root, "lib64")]
        folders += [os.path.join(root, "lib", name) for name in os.listdir(os.path.join(root, "lib"))
                    if "linux" in name] if os.path.isdir(os.path.join(root, "lib")) else []
    for folder in folders:
        if folder and os.path.exists(os.path.join(folder, LIBRARY)):
            return os.path.join(folder, LIBRARY)
    return LIBRARY
