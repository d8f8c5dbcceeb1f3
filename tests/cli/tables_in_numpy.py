"""Hold tables.npz of result folders against their CSV tables.

    tables_in_numpy.py DIR...

Every table is there, without pickles: its numbers are those of its cells, an empty cell and a word are
NaN, words stand in an array of their own. Pandas reads the CSV as it is, where there is pandas.
"""
import csv
import json
import pathlib
import sys

import numpy as np

try:
    import pandas
except ImportError:
    pandas = None
    print("skipped: tables in pandas (needs python3-pandas)")


def number(cell):
    try:
        return float(cell)
    except ValueError:
        return np.nan


def check_table(arrays, key, path):
    with open(path, encoding="utf-8", newline="") as f:
        names, *rows = csv.reader(f)
    numbers = np.array([[number(c) for c in row] for row in rows])
    assert arrays[key].dtype == np.float64 and arrays[key].shape == (len(rows), len(names)), key
    assert np.array_equal(arrays[key], numbers, equal_nan=True), key
    assert list(arrays[key + ".columns"]) == names and len(set(names)) == len(names), key
    units = dict(zip(names, arrays[key + ".units"], strict=True))
    assert units.get("t", "s") == "s"
    for i, name in enumerate(names):
        column = [row[i] for row in rows]
        words = any(c and np.isnan(number(c)) for c in column)
        assert (f"{key}.{name}" in arrays) == words, (key, name)
        assert not words or list(arrays[f"{key}.{name}"]) == column, (key, name)

    # numpy's and pandas' own readers take the text as it is
    named = np.genfromtxt(path, names=True, delimiter=",", dtype=None, encoding="utf-8")
    assert named.size == len(rows), path
    if pandas:
        frame = pandas.read_csv(path)
        assert list(frame.columns) == names and len(frame) == len(rows), path
    return units


def check_folder(arrays, folder, before):
    tables = json.loads((folder / "result.json").read_text())["files"]
    found = {}
    for name in (t for t in tables if t.endswith(".csv") and "/" not in t):
        found[name] = check_table(arrays, before + name[:-4], folder / name)
    return found


def main(folders):
    for folder in map(pathlib.Path, folders):
        arrays = np.load(folder / "tables.npz", allow_pickle=False)
        result = json.loads((folder / "result.json").read_text())
        units = check_folder(arrays, folder, "")
        for phase in result.get("phases", []):
            units = check_folder(arrays, folder / phase["name"], phase["name"] + "/")
        kinds = units["trajectory.csv"]
        assert all(kinds[c] in ("m", "rad", "1") for c in kinds if c.startswith("q.")), kinds
        said = {f"{of}.{name}": unit for of, list in result.get("units", {}).items() for name, unit in list.items()}
        assert all(kinds[c] in ("N", "N m", "1") for c in kinds if c.startswith("u.") and c not in said), kinds
        assert all(kinds[c] == said[c] for c in kinds if c in said), kinds
        for name, unit in output_units(result.get("outputs", {}), "y"):
            assert units["outputs.csv"][name] == unit, name


def output_units(rows, before):
    """The unit of each row of outputs, in objects within objects."""
    if "unit" in rows:
        yield before, rows["unit"]
        return
    for name, inner in rows.items():
        yield from output_units(inner, f"{before}.{name}")


if __name__ == "__main__":
    main(sys.argv[1:])
