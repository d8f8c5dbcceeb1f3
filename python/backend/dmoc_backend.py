"""The build backend of this package (PEP 517): it packs the Python sources, and the program and
library of a build of dmoc, into a wheel. It needs only Python, so that `pip install ./python`
downloads nothing but numpy, if that is missing.

The program and the library come from $DMOC_BUILD, or from the build folder ../build, which
../dmoc creates if it is missing; or neither is packed, if dmoc is installed in the system and
the sources are not available.
"""
import base64
import hashlib
import os
import re
import shutil
import subprocess
import sysconfig
import tempfile
import zipfile

HERE = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
ROOT = os.path.dirname(HERE)
NAME = "dmoc"
LIBRARY = "libdmoc.so.2"
METADATA = """Metadata-Version: 2.1
Name: dmoc
Version: {version}
Summary: discrete mechanics and optimal control: trajectories, gains, and a robot's discrete map
License: BSD-3-Clause
Requires-Python: >=3.8
Requires-Dist: numpy
Provides-Extra: pictures
Requires-Dist: matplotlib; extra == "pictures"
Description-Content-Type: text/plain

Optimal trajectories of robots, the feedback that holds them, and the discrete map itself with its
exact derivatives, by the program dmoc and its library. docs/python.md in the sources has more.
"""
SCRIPTS = "[console_scripts]\ndmoc = dmoc.program:main\n"
EXECUTABLE, PLAIN = 0o100755, 0o100644


def version():
    """Return the version of the package."""
    with open(os.path.join(HERE, NAME, "__init__.py"), encoding="utf-8") as file:
        return re.search(r'__version__ = "([^"]*)"', file.read()).group(1)


INFO = f"{NAME}-{version()}.dist-info"


def built(build):
    """Return whether a build folder contains the program and the library."""
    return os.path.exists(os.path.join(build, LIBRARY)) and os.path.exists(
        os.path.join(build, "cli", "dmoc")
    )


def make(build):
    """Build both: the launcher installs missing packages, configures and builds the program."""
    # Meson is also written in Python, and needs the system's packages, unlike this backend
    clean = {name: value for name, value in os.environ.items() if not name.startswith("PYTHON")}
    clean["BUILD"] = build
    steps = (
        [os.path.join(ROOT, "dmoc"), "--version"],
        ["meson", "compile", "-C", build, "dmoc:shared_library"],
    )
    for words in steps:
        if subprocess.run(words, env=clean, check=False).returncode:
            raise SystemExit(f"{' '.join(words)} failed: what it said is above, by pip -v")


def native():
    """Return the binary files to pack, by their names in the package; {}: the system has them."""
    said = os.environ.get("DMOC_BUILD")
    build = os.path.abspath(said or os.path.join(ROOT, "build"))
    if not said and not built(build) and not os.path.exists(os.path.join(ROOT, "meson.build")):
        if shutil.which(NAME):
            return {}
        raise SystemExit(
            f"{ROOT} has no sources of dmoc, and the program dmoc is not on PATH: install it, or "
            "say by DMOC_BUILD where it was built"
        )
    if not said and not built(build):
        make(build)
    if not built(build):
        raise SystemExit(
            f"{build} has no {LIBRARY} and cli/dmoc: build dmoc there (ninja -C {build})"
        )
    return {
        "native/dmoc": os.path.join(build, "cli", "dmoc"),
        f"native/{LIBRARY}": os.path.join(build, LIBRARY),
    }


def stripped(path):
    """Return the bytes of a program without debug data, if `strip` is available."""
    with tempfile.TemporaryDirectory() as folder:
        copy = os.path.join(folder, "copy")
        try:
            subprocess.run(["strip", "-o", copy, path], check=True, capture_output=True)
        except (OSError, subprocess.CalledProcessError):
            shutil.copy(path, copy)
        with open(copy, "rb") as file:
            return file.read()


def information(tag):
    """Return the metadata files of the package by name, except the wheel's RECORD."""
    pure = "true" if tag.endswith("-any") else "false"
    kind = f"Wheel-Version: 1.0\nGenerator: dmoc\nRoot-Is-Purelib: {pure}\nTag: {tag}\n"
    licence = os.path.join(ROOT, "LICENSE")
    found = {"LICENSE": open(licence, encoding="utf-8").read()} if os.path.exists(licence) else {}
    return {
        **found,
        "METADATA": METADATA.format(version=version()),
        "WHEEL": kind,
        "entry_points.txt": SCRIPTS,
    }


class Wheel:
    """A wheel being written: files, and their RECORD."""

    def __init__(self, folder, tag):
        self.name = f"{NAME}-{version()}-{tag}.whl"
        self.tag, self.record = tag, []
        self.zip = zipfile.ZipFile(os.path.join(folder, self.name), "w", zipfile.ZIP_DEFLATED)

    def put(self, name, data, mode=PLAIN):
        """Add a file."""
        data = data if isinstance(data, bytes) else data.encode()
        entry = zipfile.ZipInfo(name, (1980, 1, 1, 0, 0, 0))
        entry.external_attr, entry.compress_type = mode << 16, zipfile.ZIP_DEFLATED
        self.zip.writestr(entry, data)
        digest = base64.urlsafe_b64encode(hashlib.sha256(data).digest()).rstrip(b"=").decode()
        self.record.append(f"{name},sha256={digest},{len(data)}\n")

    def close(self):
        """Add metadata and RECORD; return its name."""
        for name, text in information(self.tag).items():
            self.put(f"{INFO}/{name}", text)
        self.put(f"{INFO}/RECORD", "".join(self.record) + f"{INFO}/RECORD,,\n")
        self.zip.close()
        return self.name


def platform_tag():
    """Return the tag of this system, for example linux_x86_64."""
    return "py3-none-" + re.sub(r"[-.]", "_", sysconfig.get_platform())


def prepare_metadata_for_build_wheel(metadata_directory, config_settings=None):
    """Write the metadata of the wheel (PEP 517), before anything is built."""
    folder = os.path.join(metadata_directory, INFO)
    os.mkdir(folder)
    for name, text in information(platform_tag()).items():
        with open(os.path.join(folder, name), "w", encoding="utf-8") as file:
            file.write(text)
    return INFO


prepare_metadata_for_build_editable = prepare_metadata_for_build_wheel


def build_wheel(wheel_directory, config_settings=None, metadata_directory=None):
    """Write the wheel (PEP 517)."""
    files = native()
    wheel = Wheel(wheel_directory, platform_tag() if files else "py3-none-any")
    for package in (NAME, f"{NAME}/pictures"):
        for name in sorted(os.listdir(os.path.join(HERE, package))):
            if name.endswith((".py", ".pyi", ".typed")):
                with open(os.path.join(HERE, package, name), "rb") as file:
                    wheel.put(f"{package}/{name}", file.read())
    for name, path in files.items():
        wheel.put(f"{NAME}/{name}", stripped(path), EXECUTABLE)
    return wheel.close()


def build_editable(wheel_directory, config_settings=None, metadata_directory=None):
    """Write a wheel that points at these sources (PEP 660), which find the build next to them."""
    wheel = Wheel(wheel_directory, "py3-none-any")
    wheel.put("dmoc-sources.pth", HERE + "\n")
    return wheel.close()


def build_sdist(sdist_directory, config_settings=None):
    """Refuse (PEP 517): this folder does not contain the library, which needs the whole
    repository."""
    raise SystemExit(
        "a source distribution of dmoc is that of its whole repository: install from there"
    )
