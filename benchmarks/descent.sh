#!/bin/sh
# Reproduce the study of docs/first-against-second.md: its figures on stdout, its pictures in a folder.
#   benchmarks/descent.sh [FOLDER]    (default: docs)
set -eu
root=$(dirname "$(readlink -f "$0")")/..
out=${1:-$root/docs}
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT

# the curves of all methods, as in the paper's figure 3
"$root/dmoc" descend "$root/problems/pendulum/paper-001.yaml" --method all --quasi 4 --tol 1e-6 --quiet -o "$dir/pendulum" >/dev/null
"$root/dmoc" plot "$dir/pendulum" --what descent -o "$out/descent-pendulum.svg" >/dev/null

"$root/dmoc" bench --filter descent | tee "$dir/figures"

# TEXT: N and the figure of each line `descent.TEXT.Nn.WHAT`
pick() { sed -n "s/^descent\.$1\.N\([0-9]*\)\.$2 \([^ ]*\) .*/\1 \2/p" "$dir/figures"; }
{
  echo "set terminal svg size 920,320 font 'Helvetica,13' background 'white' enhanced"
  echo "set output '$out/descent-steps.svg'"
  echo "set logscale xy; set format y '10^{%T}'; set xrange [40:2500]"
  echo "set border 3 lw 1 lc rgb '#444444'; set tics out nomirror scale 0.6"
  echo "set grid lc rgb '#DDDDDD' lw 0.7 lt 1"
  echo "set key above left horizontal Left reverse samplen 1.4"
  for m in steepest quasi newton; do
    printf '$%s << EOD\n%s\nEOD\n' "$m" "$(pick pendulum "${m}_ms")"
  done
  for m in riccati cholmod; do
    printf '$%s << EOD\n%s\nEOD\n' "$m" "$(pick solve.cart-pole "${m}_ms")"
  done
  echo 'set multiplot layout 1,2'
  echo "set xlabel 'steps N, pendulum'; set ylabel 'time to tolerance [ms]'"
  echo "plot \$steepest with linespoints pt 7 ps 0.4 lw 2 lc rgb '#0072B2' title 'steepest', \\"
  echo "  \$quasi with linespoints pt 7 ps 0.4 lw 2 lc rgb '#D55E00' title 'quasi', \\"
  echo "  \$newton with linespoints pt 7 ps 0.4 lw 2 lc rgb '#009E73' title 'newton'"
  echo "set xlabel 'steps N, cart-pole'; set ylabel 'a direction solved [ms]'"
  echo "plot \$riccati with linespoints pt 7 ps 0.4 lw 2 lc rgb '#0072B2' title 'riccati', \\"
  echo "  \$cholmod with linespoints pt 7 ps 0.4 lw 2 lc rgb '#D55E00' title 'cholmod'"
  echo 'unset multiplot'
} >"$dir/steps.gp"
gnuplot "$dir/steps.gp"
