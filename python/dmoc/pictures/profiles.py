"""Comparisons of descents: work and precision, data profiles, performance profiles.

Work counts in gradients: operations along the whole motion, each at its mean price in processor time
(`compare.price`). A run succeeds within 1 % of the lowest cost of its folder, with the goal met to 1e-4
(cli/stages/descent_compare.h). A data profile is the fraction of runs that succeed within a work; a
performance profile, within a multiple of the least work of any method from the same start.
"""
import numpy as np

NEAR, MET = 0.01, 1e-4
OPERATIONS = ("rollouts", "gradients", "curvatures", "sweeps", "products")


def runs_of(exhibit):
    """Return {(method, start): (work, precision)} of a folder."""
    table, told = exhibit.table("compare.csv"), exhibit.result.record["compare"]
    work = sum(table[name] * (told["price"][name] or 0) for name in OPERATIONS)
    lowest = told["lowest"] if told["lowest"] is not None else np.nan
    error = np.maximum((table["cost"] - lowest) / abs(lowest), np.where(table["goal"] > MET, table["goal"], 0))
    runs = {}
    for i, (method, start) in enumerate(zip(table["method"], table["start"])):
        runs.setdefault((method, int(start)), []).append((work[i], error[i]))
    return {key: np.array(rows).T for key, rows in runs.items()}


def success(work, error):
    """Return the work from which a run stays near the lowest cost; inf: never."""
    far = np.flatnonzero(~(error <= NEAR))
    first = far[-1] + 1 if len(far) else 0
    return work[first] if first < len(work) else np.inf


def look_of(i):
    """Return the look of method i: more than eight have dashes."""
    return {"line": True, "whole": True, **({"dash": 1} if i >= 8 else {})}


def draw_profile(panel, method, colour, values, end):
    """Put the fractions of `values` at most x on a panel, as a staircase that ends at `end`."""
    x = np.sort(values[np.isfinite(values)])
    y = np.arange(1, len(x) + 1) / len(values)
    x, y = np.append(x, end), np.append(y, y[-1] if len(y) else 0)
    panel.curve(np.repeat(x, 2)[1:], np.repeat(y, 2)[:-1], method, colour, **look_of(colour))


def draw_compare(sheet):
    """Work and precision from the first start; profiles over all starts of all folders."""
    folders = [runs_of(each) for each in sheet.all]
    methods = list(dict.fromkeys(method for runs in folders for method, _ in runs))

    # 1  precision over work, from the first folder's own guess
    sheet.across = "work [gradients]"
    panel = sheet.panel("cost over the lowest - 1, or error of the goal")
    panel.log_x = panel.log_y = True
    for i, method in enumerate(methods):
        if (method, 0) in folders[0]:
            work, error = folders[0][method, 0]
            panel.curve(work, np.maximum(np.fmin.accumulate(error), 1e-16), method, i, **look_of(i))

    # 2  data profile
    works = {m: np.array([success(*r[m, s]) for r in folders for k, s in r if k == m]) for m in methods}
    ends = [w[np.isfinite(w)].max() for w in works.values() if np.isfinite(w).any()]
    panel = sheet.panel("runs within 1 %")
    panel.log_x, panel.range[1] = True, (0, 1)
    for i, method in enumerate(methods):
        draw_profile(panel, method, i, works[method], 1.2 * max(ends, default=1))

    # 3  performance profile, over the starts from which a method succeeds
    sheet.across = "work / least work of any method"
    starts = [(j, s) for j, r in enumerate(folders) for s in dict.fromkeys(s for _, s in r)]
    cost = {m: np.array([success(*folders[j][m, s]) if (m, s) in folders[j] else np.inf for j, s in starts])
            for m in methods}
    least = np.min(list(cost.values()), axis=0)
    known = np.isfinite(least)
    panel = sheet.panel("starts within this factor")
    panel.log_x, panel.range[1] = True, (0, 1)
    for i, method in enumerate(methods):
        draw_profile(panel, method, i, cost[method][known] / least[known], 100.0)
    sheet.across = "time [s]"
