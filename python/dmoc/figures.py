"""The meaning of the keys of result.json, from the program's table (docs/results.md)."""
import functools
import json
import subprocess

from .errors import BadInput, Fault
from .places import find_program


@functools.lru_cache(maxsize=None)
def read_keys():
    """Return the table of the program: {key: {value, unit, label, meaning, like}}."""
    try:
        done = subprocess.run([find_program(), "--results", "--json"], capture_output=True, check=True)
        return json.loads(done.stdout)["results"]
    except (OSError, subprocess.CalledProcessError, ValueError, KeyError) as why:
        raise Fault(f"the keys of results cannot be read from {find_program()}: {why}") from None


def find_key(above, name, value):
    """Return the key of the table for a name in a group, whose content is at `above`."""
    keys = read_keys()
    before = above + "." if above else ""
    nested = isinstance(value, dict)
    for key in (before + name, before + "*", before + "**"):
        if key in keys and (value is None or nested == (keys[follow(key)]["value"] == "object")):
            return key
    return above if nested and above.endswith("**") else None


def follow(key):
    """Return the key with the content of a group or list."""
    while read_keys()[key]["like"]:
        key = read_keys()[key]["like"]
    return key


class Figure:
    """A value of result.json: `value`, `unit`, `label`, `meaning`."""

    def __init__(self, path, value, row, unit):
        self.path, self.value, self.unit = path, value, unit
        self.label, self.meaning = row["label"] or path.split(".")[-1], row["meaning"]

    def __repr__(self):
        value = "" if isinstance(self.value, (dict, list)) else f" = {self.value}"
        unit = f" {self.unit}" if value and self.unit not in ("", "1") else ""
        return f"{self.path}{value}{unit}: {self.meaning}"


def split_path(path, group):
    """Return the first name of a path in a group, and the rest: names may contain dots."""
    parts = path.split(".")
    for n in range(len(parts), 0, -1):
        if ".".join(parts[:n]) in group:
            return ".".join(parts[:n]), ".".join(parts[n:])
    raise BadInput(f"found no {parts[0]}, there are {', '.join(group)}")


def describe(record, path):
    """Return the Figure at a path of a record, `verify.continuous.rate` or `phases.0.time`."""
    value, above, rest = record, "", path
    row, unit = None, ""
    while rest:
        if isinstance(value, list):
            place, _, rest = rest.partition(".")
            if not place.isdigit() or int(place) >= len(value):
                raise BadInput(f"{path}: found {place}, expected a place in a list of {len(value)}")
            value, above = value[int(place)], above + "[]"
            continue
        if not isinstance(value, dict):
            raise BadInput(f"{path}: found {rest}, but the value before it has no parts")
        group = value
        name, rest = split_path(rest, group)
        value = group[name]
        key = find_key(above, name, value)
        if key is None:
            raise BadInput(f"{path}: this version of dmoc does not know {name}")
        row = read_keys()[key]
        above = follow(key)
        unit = group.get("unit", "") if row["unit"] == "unit" else row["unit"]
    if row is None:
        raise BadInput("found an empty path, expected a key of result.json")
    return Figure(path, value, row, unit)
