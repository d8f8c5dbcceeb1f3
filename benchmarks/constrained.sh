#!/bin/sh
# The study of docs/constrained-coordinates.md from one command: its figures on stdout, its picture
# in a folder.
#   benchmarks/constrained.sh [FOLDER]    (default: docs)
set -eu
root=$(dirname "$(readlink -f "$0")")/..
dmoc=${DMOC:-$root/dmoc}
out=${1:-$root/docs}
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
base="$root/problems/double-spherical-pendulum/dsp.yaml"

# simulate FOLDER METHOD STEP STEPS MONITORS [EVERY]
simulate() {
  case $2 in
  midpoint) key=order value=2 ;;
  energy-momentum) key=method value=energy-momentum ;;
  *) key=order value=${2#order-} ;;
  esac
  sed -e "s/^  steps:.*/  steps: $4/" -e "s/^  step:.*/  step: $3/" -e "s/^  monitors:.*/  monitors: $5/" \
    -e "/^simulate:/a\\  $key: $value" -e "/^simulate:/a\\  every: ${6:-1}" "$base" >"$dir/p.yaml"
  "$dmoc" simulate "$dir/p.yaml" -o "$dir/$1" --quiet >/dev/null
}
# result FOLDER DOTTED
result() { python3 -c 'import functools, json, sys
print("%.17g" % functools.reduce(lambda o, k: o[k], sys.argv[2].split("."), json.load(open(sys.argv[1]))))' "$dir/$1/result.json" "$2"; }
# where the run FOLDER ends
last() { tail -1 "$dir/$1/trajectory.csv" | cut -d, -f3-8; }

simulate exact order-6 0.004 1250 none
exact=$(last exact)
echo "method h error solves energy_offset energy_range vertical_moment form_off"
for method in midpoint energy-momentum order-4 order-6; do
  case $method in order-4) parts=5 ;; order-6) parts=9 ;; *) parts=1 ;; esac
  for steps in 50 100 200 400 800 1600; do
    h=$(awk "BEGIN{print 5/$steps}")
    simulate run $method "$h" $steps form
    error=$(echo "$(last run),$exact" | awk -F, '{for (i = 1; i <= 6; i++) s += ($i - $(i+6))^2; print sqrt(s)}')
    awk "BEGIN{printf \"%s %g %.3e %d %.2e %.2e %.0e %.1e\\n\", \"$method\", $h, $error, $parts*$steps,
      $(result run monitors.energy.mean) - ($(result run monitors.energy.start)),
      $(result run monitors.energy.high) - ($(result run monitors.energy.low)),
      $(result run monitors.moment.vertical.high) - ($(result run monitors.moment.vertical.low)),
      $(result run monitors.form.cloud.high) - ($(result run monitors.form.cloud.low))}"
  done
done | tee "$dir/figures"

# long runs: 200 s
for method in midpoint energy-momentum order-4; do
  simulate long-$method $method 0.02 10000 form 20
  echo "$method, 200 s: slope $(result long-$method monitors.energy.slope) J/s, scatter $(result long-$method monitors.energy.scatter) J, vertical moment within" \
    "$(result long-$method monitors.moment.vertical.scatter) N m s, form in $(result long-$method monitors.form.cloud.low) .. $(result long-$method monitors.form.cloud.high)"
done

pick() { awk -v m="$1" -v a="$2" -v b="$3" '$1 == m {print $a, $b}' "$dir/figures"; }
{
  echo "set terminal svg size 1380,640 font 'Helvetica,13' background 'white' enhanced"
  echo "set output '$out/constrained-coordinates.svg'"
  echo "set border 3 lw 1 lc rgb '#444444'; set tics out nomirror scale 0.6; set grid lc rgb '#DDDDDD' lw 0.7 lt 1"
  echo "set key above left horizontal Left reverse samplen 1.4 noenhanced; set datafile separator whitespace"
  for m in midpoint energy-momentum order-4 order-6; do
    name=$(echo $m | tr - _)
    printf '$h_%s << EOD\n%s\nEOD\n' "$name" "$(pick $m 2 3)"
    printf '$t_%s << EOD\n%s\nEOD\n' "$name" "$(pick $m 4 3)"
    printf '$e_%s << EOD\n%s\nEOD\n' "$name" "$(pick $m 2 6)"
  done
  echo 'set multiplot layout 2,3; set logscale xy; set format xy "10^{%T}"'
  for panel in 'h:step h [s]:error at 5 s' 't:steps solved for, parts included:error at 5 s' 'e:step h [s]:range of the energy [J]'; do
    d=${panel%%:*} rest=${panel#*:}
    echo "set xlabel '${rest%%:*}'; set ylabel '${rest#*:}'"
    echo "plot \$${d}_midpoint with linespoints pt 7 ps 0.4 lw 2 lc rgb '#0072B2' title 'midpoint', \\"
    echo "  \$${d}_energy_momentum with linespoints pt 7 ps 0.4 lw 2 lc rgb '#D55E00' title 'energy-momentum', \\"
    echo "  \$${d}_order_4 with linespoints pt 7 ps 0.4 lw 2 lc rgb '#009E73' title 'order 4', \\"
    echo "  \$${d}_order_6 with linespoints pt 7 ps 0.4 lw 2 lc rgb '#CC79A7' title 'order 6'"
  done
  echo 'unset logscale xy; set format xy "%h"; set datafile separator comma; set xlabel "time [s]"; set xrange [0:200]'
  for column in '3:energy of the knots [J]' '14:form, over its start' '8:moment upwards - its start [1e-12 N m s]'; do
    c=${column%%:*}
    [ "$c" = 8 ] && c="(1e12*(\$8-($(result long-midpoint monitors.moment.vertical.start))))"
    echo "set ylabel '${column#*:}'"
    echo "plot '$dir/long-midpoint/monitors.csv' using 2:$c skip 1 with lines lc rgb '#0072B2' title 'midpoint', \\"
    echo "  '$dir/long-energy-momentum/monitors.csv' using 2:$c skip 1 with lines lc rgb '#D55E00' title 'energy-momentum', \\"
    echo "  '$dir/long-order-4/monitors.csv' using 2:$c skip 1 with lines lc rgb '#009E73' title 'order 4'"
  done
  echo 'unset multiplot'
} >"$dir/picture.gp"
gnuplot "$dir/picture.gp"
