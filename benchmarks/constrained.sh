#!/bin/sh
# Reproduce the study of docs/constrained-coordinates.md: its figures on stdout, its pictures in a folder.
#   benchmarks/constrained.sh [FOLDER]    (default: docs)
set -eu
root=$(dirname "$(readlink -f "$0")")/..
dmoc=${DMOC:-$root/dmoc}
out=$(readlink -f "${1:-$root/docs}")
problems=$(readlink -f "$root/problems/double-spherical-pendulum")
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
cd "$dir"

# cases FOLDER PROBLEM KEY=VALUES..: all combinations, one result folder each
cases() {
  folder=$1 problem=$2
  shift 2
  for vary; do set -- "$@" --vary "simulate.$vary" && shift; done
  "$dmoc" sweep "$problems/$problem.yaml" "$@" --run --keep -o "$folder" --quiet >/dev/null
}
steps=0.1,0.05,0.025,0.0125,0.00625
cases steps dsp order=2,4,6 step=$steps
cases em energy-momentum step=$steps
cases exact dsp order=6 step=0.004
cases long long order=2,4 monitors=form every=20
cases long-em long method=energy-momentum monitors=form every=20

# with a spring, by the mean of two middles, by SHAKE and by the energy-momentum method
cases spring-exact spring order=6 step=0.0025
for method in spring spring-verlet spring-energy-momentum; do cases $method $method step=0.05,0.025,0.0125; done

# errors after 5 s, and the order of each method
"$dmoc" plot steps em --what order --against exact --times 5 --json -o "$out/constrained-orders.svg" >orders.json 2>/dev/null
"$dmoc" plot steps em --what order --y energy.drift -o "$out/constrained-energies.svg" --quiet >/dev/null 2>&1
"$dmoc" plot long long-em --table monitors.csv --y energy,form.cloud,moment.vertical \
  --names 'midpoint,order 4,energy-momentum' -o "$out/constrained-long.svg" --quiet >/dev/null 2>&1

# the same with the spring: errors and energy at knots
"$dmoc" plot spring spring-verlet spring-energy-momentum --what order --against spring-exact --times 5 --json \
  -o springs.svg >springs.json 2>/dev/null
python3 - <<'PY'
import glob, json
print("with a spring,h,error,energy_range")
for family in json.load(open("springs.json"))["orders"]:
    print(family["name"], " ".join(f"{h:g}: {e:.3e}" for h, e in zip(family["steps"], family["errors"])), sep=",")
for f in sorted(glob.glob("spring*/*/result.json")):
    r = json.load(open(f))
    e = r["energy"]
    print(f.split("/")[0], r["replaced"].get("simulate.step"), f'{e["high"] - e["low"]:.2e} J', sep=",")
PY

# a table for each method, with errors over the number of equations solved, including those of partial steps
python3 - <<'PY'
import csv, glob, json
parts = {"midpoint": 1, "energy-momentum": 1, "midpoint, order 4": 5, "midpoint, order 6": 9}
runs = [json.load(open(f)) for f in glob.glob("steps/*/result.json") + glob.glob("em/*/result.json")]

def find(name, h):
    order = name[-1] if name[-1] in "46" else "2"
    for r in runs:
        v = r["replaced"]
        same = ("simulate.order" not in v) if name == "energy-momentum" else v.get("simulate.order") == order
        if same and float(v["simulate.step"]) == h:
            return r

print("method,h,error,solves,energy_offset,energy_range,vertical_moment,form_off")
for family in json.load(open("orders.json"))["orders"]:
    name = family["name"]
    with open(name.replace("midpoint, ", "").replace(" ", "-") + ".csv", "w") as table:
        table.write("solves,error\n")
        for h, error in zip(family["steps"], family["errors"]):
            r = find(name, h)
            m = r["monitors"]
            span = lambda x: x["high"] - x["low"]
            solves = parts[name] * r["steps"]
            table.write(f"{solves},{error}\n")
            print(f'{name.replace(",", "")},{h:g},{error:.3e},{solves},{m["energy"]["mean"] - m["energy"]["start"]:.2e},'
                  f'{span(m["energy"]):.2e},{span(m["moment"]["vertical"]):.0e},{span(m["form"]["cloud"]):.1e}')
for f in sorted(glob.glob("long*/*/result.json")):
    r = json.load(open(f))
    m, v = r["monitors"], r["replaced"]
    print(f'200 s, {v.get("simulate.method", "order " + v.get("simulate.order", "2"))}: slope {m["energy"]["slope"]:.2g} J/s, '
          f'scatter {m["energy"]["scatter"]:.2g} J, vertical moment within {m["moment"]["vertical"]["scatter"]:.1g} N m s, '
          f'form in {m["form"]["cloud"]["low"]:.6g} .. {m["form"]["cloud"]["high"]:.8g}')
PY
"$dmoc" plot midpoint.csv energy-momentum.csv order-4.csv order-6.csv --x solves --y error --log xy \
  --names 'midpoint,energy-momentum,order 4,order 6' -o "$out/constrained-work.svg" --quiet >/dev/null
