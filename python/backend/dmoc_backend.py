"""The build backend of this package (PEP 517): it puts the sources, and the program and the library
that a build of dmoc has made, into a wheel. It needs Python alone, so that `pip install ./python`
asks for nothing on the network but numpy, where that is not there.

The program and the library are those of $DMOC_BUILD, or of the build folder ../build, which ../dmoc
makes where it is not there; of neither, where dmoc is installed in the system and there are no
sources here.
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
LIBRARY = "libdmoc.so.1"
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
    """Return the version that the package says."""
    with open(os.path.join(HERE, NAME, "__init__.py"), encoding="utf-8") as file:
        return re.search(r'__version__ = "([^"]*)"', file.read()).group(1)


INFO = f"{NAME}-{version()}.dist-info"


def built(build):
    """Return whether a build folder has the program and the library."""
    return os.path.exists(os.path.join(build, LIBRARY)) and os.path.exists(
        os.path.join(build, "cli", "dmoc")
    )


def make(build):
    """Build both: the launcher installs what is missing, configures and builds the program."""
    # Meson is in Python, too, and is not to be kept from the system's packages as this backend is
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
    """Return the files to take along, by their names in the package; {}: the system has them."""
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
    """Return the bytes of a program without what only debuggers read, where `strip` is there."""
    with tempfile.TemporaryDirectory() as folder:
        copy = os.path.join(folder, "copy")
        try:
            subprocess.run(["strip", "-o", copy, path], check=True, capture_output=True)
        except (OSError, subprocess.CalledProcessError):
            shutil.copy(path, copy)
        with open(copy, "rb") as file:
            return file.read()


def information(tag):
    """Return the files that tell of the package, by their names, but for the record of a wheel."""
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
    """A wheel that is being written: files, and the record of them."""

    def __init__(self, folder, tag):
        self.name = f"{NAME}-{version()}-{tag}.whl"
        self.tag, self.record = tag, []
        self.zip = zipfile.ZipFile(os.path.join(folder, self.name), "w", zipfile.ZIP_DEFLATED)

    def put(self, name, data, mode=PLAIN):
        """Put a file into it."""
        data = data if isinstance(data, bytes) else data.encode()
        entry = zipfile.ZipInfo(name, (1980, 1, 1, 0, 0, 0))
        entry.external_attr, entry.compress_type = mode << 16, zipfile.ZIP_DEFLATED
        self.zip.writestr(entry, data)
        digest = base64.urlsafe_b64encode(hashlib.sha256(data).digest()).rstrip(b"=").decode()
        self.record.append(f"{name},sha256={digest},{len(data)}\n")

    def close(self):
        """Put what tells of it, and the record; return its name."""
        for name, text in information(self.tag).items():
            self.put(f"{INFO}/{name}", text)
        self.put(f"{INFO}/RECORD", "".join(self.record) + f"{INFO}/RECORD,,\n")
        self.zip.close()
        return self.name


def platform_tag():
    """Return the tag of this system, as linux_x86_64."""
    return "py3-none-" + re.sub(r"[-.]", "_", sysconfig.get_platform())


def prepare_metadata_for_build_wheel(metadata_directory, config_settings=None):
    """Write what tells of the wheel (PEP 517), before anything is built."""
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
    """Write a wheel that points at the sources here (PEP 660), which find the build beside them."""
    wheel = Wheel(wheel_directory, "py3-none-any")
    wheel.put("dmoc-sources.pth", HERE + "\n")
    return wheel.close()


def build_sdist(sdist_directory, config_settings=None):
    """Refuse (PEP 517): the library is not in this folder, but in the whole repository."""
    raise SystemExit(
        "a source distribution of dmoc is that of its whole repository: install from there"
    )
