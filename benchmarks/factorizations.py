#!/usr/bin/env python3
"""CHOLMOD beside what dmoc uses in its place: the table of docs/solvers.md.

    benchmarks/factorizations.py [--write] [BENCH]      (default: build/benchmarks/bench)

Runs the groups `factor`, `identify` and, for directions, `descent.solve` of the benchmarks. Processor times of numerical
factorizations; CHOLMOD is the faster of its simplicial and its supernodal factorization, with the pattern analyzed before.
--write: put the table between the marks of the page.
"""
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
PAGE = ROOT / "docs/solvers.md"
BEGIN, END = "<!-- begin: benchmarks/factorizations.py -->\n", "<!-- end: benchmarks/factorizations.py -->\n"
GROUPS = ("factor.", *(f"identify_{n}_{what}" for n in (2, 7, 30)
                       for what in ("recursion", "cholmod_us", "supernodal", "covariance")), "descent.solve")


def measure(bench):
    """All figures of the groups, by name, in us."""
    figures = {}
    for group in GROUPS:
        done = subprocess.run([bench, "--filter", group], capture_output=True, text=True, check=True)
        for line in done.stdout.splitlines():
            name, value, unit = line.split(None, 2)
            figures[name] = float(value) * (1e3 if unit.startswith("ms") else 1)
    return figures


def least(figures, *names):
    """The smallest of those figures that exist."""
    return min((figures[n] for n in names if n in figures), default=None)


def jobs(f):
    """The rows (job, size, factorization in use, its time, LAPACK's, CHOLMOD's)."""
    def factor(job, size):
        at = f"factor.{job}.{size}."
        return (f.get(at + "used_us"), least(f, at + "lapack_us", at + "band_us"),
                least(f, at + "cholmod_us", at + "supernodal_us"))

    for n in (2, 7, 30):
        at = f"identify_{n}_"
        yield ("identification, per knot", f"{n} joints", "elimination by knots", f.get(at + "recursion_us"), None,
               least(f, at + "cholmod_us", at + "supernodal_us"))
    for n in (2, 7, 30):
        at = f"identify_{n}_covariance"
        yield ("covariances", f"{n} joints", "inverse of its border", f.get(at + "_ms"), None, f.get(at + "_cholmod_ms"))
    for n in (12, 48, 192):
        yield ("contacts, in piles of four", f"{n} rows", "`lib/contact/row_set`", *factor("contacts", n))
    for n in (2, 7, 30):
        yield ("second-order boundary value problem, per knot", f"{n} coordinates", "block elimination",
               *factor("second", n))
    for n in (6, 30, 90, 300):
        yield ("assembly, inverse kinematics: R M⁻¹R'", f"{n} rows", "dense LU", *factor("loops", n))
    for name, size in (("pendulum.N100", "2 states, 100 stages"), ("cart-pole.N100", "4 states, 100 stages"),
                       ("marionette.N50", "80 states, 50 stages")):
        at = f"descent.solve.{name}."
        yield ("direction of `descend`", size, "Riccati sweep", f.get(at + "riccati_ms"), None,
               f.get(at + "cholmod_ms"))


def show(us):
    """A time with three digits and its unit."""
    if us is None:
        return "–"
    for by, unit in ((1e6, "s"), (1e3, "ms")):
        if us >= by:
            return f"{us / by:.3g} {unit}"
    return f"{us:.3g} µs"


def main():
    words = [w for w in sys.argv[1:] if w != "--write"]
    write_table(measure(words[0] if words else ROOT / "build/benchmarks/bench"), "--write" in sys.argv)


def write_table(figures, keep):
    """Print the table of these figures, and with `keep` put it on the page."""
    rows = [row for row in jobs(figures) if row[3] is not None]
    table = "| job | size | used | time | LAPACK | CHOLMOD | CHOLMOD / used |\n" + "| --- " * 7 + "|\n"
    fastest = []
    for job, size, used, own, lapack, cholmod in rows:
        ratio = cholmod / own if own and cholmod else None
        table += (f"| {job} | {size} | {used} | {show(own)} | {show(lapack)} | {show(cholmod)} | "
                  f"{'–' if ratio is None else format(ratio, '.2g')} |\n")
        if cholmod and cholmod < min(t for t in (own, lapack) if t is not None):
            fastest.append(f"{job} with {size}")
    table += "\nCHOLMOD is the fastest of the three for: " + ("; ".join(fastest) or "none of these jobs") + ".\n"
    print(table)
    if keep:
        text = PAGE.read_text(encoding="utf-8")
        head, rest = text.split(BEGIN)
        PAGE.write_text(head + BEGIN + table + END + rest.split(END)[1], encoding="utf-8")


if __name__ == "__main__":
    main()
