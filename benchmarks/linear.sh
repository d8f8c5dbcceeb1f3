#!/bin/sh
# The two linear solvers for IPOPT, in processor time, and the estimate of `auto`: one row per program,
# milliseconds per iteration (docs/benchmarks.md, "Which linear solver").
#   benchmarks/linear.sh [TEXT]    only programs whose names contain TEXT: linear.arm8, linear.servo
set -eu
root=$(cd "$(dirname "$0")/.." && pwd)
"$root/dmoc" bench --filter "${1:-linear}" | awk '
  BEGIN { print "program unknowns entries products ldl mumps measured expected" }
  /^linear[.]/ {
    key = $1
    sub(/[.][a-z_]*$/, "", key)
    what = substr($1, length(key) + 2)
    is[what] = $2
    if (what != "mumps_ms") next
    ldl = is["ldl_ms"] / is["ldl_iterations"]
    mumps = is["mumps_ms"] / is["mumps_iterations"]
    printf "%s %d %d %.2g %.2f %.2f %.2f %.2f\n", substr(key, 8), is["unknowns"], is["entries"],
      is["products"], ldl, mumps, ldl / mumps, is["expected"]
  }' | column -t
