"""Locate the program and the library.

The search order is: the environment variables ($DMOC, the program; $DMOC_LIBRARY, the library),
files installed with this package, a build of the sources that contain this file, the system.
"""
import glob
import os
import shutil

from .errors import Fault

HERE = os.path.dirname(os.path.abspath(__file__))
NATIVE = os.path.join(HERE, "native")
SOURCES = os.path.dirname(os.path.dirname(HERE))
LIBRARY = "libdmoc.so.2"
ADVICE = (
    "build it by `ninja -C build` in its sources and install this package anew, put it on PATH, "
    "or say where it is by $DMOC"
)


def build_folder():
    """Return the build folder of the sources that contain this package, or None."""
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

    # in the package, in its sources, on PATH
    build = build_folder()
    for path in (os.path.join(NATIVE, "dmoc"), build and os.path.join(build, "cli", "dmoc")):
        if path and os.access(path, os.X_OK):
            return path
    found = shutil.which("dmoc")
    if not found:
        raise Fault(f"the program dmoc is not here: {ADVICE}")
    return found


def library_folders():
    """Return possible folders of the library, in the order of find_program."""
    said = os.environ.get("DMOC")
    folders = []
    if said and shutil.which(said):
        # in a build it is above cli/dmoc, or below the launcher
        folder = os.path.dirname(os.path.realpath(shutil.which(said)))
        folders += [os.path.dirname(folder), os.path.join(folder, "build")]
    folders += [NATIVE, build_folder()]
    installed = said and shutil.which(said) or shutil.which("dmoc")
    if installed:
        root = os.path.dirname(os.path.dirname(os.path.realpath(installed)))
        folders += [os.path.join(root, "lib"), os.path.join(root, "lib64")]
        folders += glob.glob(os.path.join(glob.escape(root), "lib", "*-linux-*"))
    return [folder for folder in folders if folder]


def find_library():
    """Return the library to load: a path, or its name if only the system can find it."""
    said = os.environ.get("DMOC_LIBRARY")
    if said:
        return said
    paths = [os.path.join(folder, LIBRARY) for folder in library_folders()]
    return next((path for path in paths if os.path.exists(path)), LIBRARY)
