#!/bin/sh
# The study of docs/two-point.md from one command: problems/two-point run, the growth of what
# alternates on stdout, paper 000's figures 4 to 9 in a folder.
#   benchmarks/two-point.sh [FOLDER]    (default: docs)
set -eu
root=$(dirname "$(readlink -f "$0")")/..
out=${1:-$root/docs}
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT

for file in "$root"/problems/two-point/c*.yaml "$root"/problems/two-point/l*.yaml; do
  "$root/dmoc" simulate "$file" --quiet -o "$dir/$(basename "$file" .yaml)" >/dev/null
done

# t and the size of what alternates in the constraint at knots
for run in circle-xy-improved circle-xy-half circle-xy-tenth circle-xy-steady line-polar-two; do
  awk -F, 'NR == 1 { for (i = 1; i <= NF; i++) if ($i ~ /^residual/) c = i; next }
    { if (NR > 3) { d = (a - 2 * b + $c) / 4; print t, d < 0 ? -d : d }
      a = b; b = $c; t = $2 }' "$dir/$run/trajectory.csv" >"$dir/$run.alternates"
done
# of the last window: residuals, then multipliers
for run in improved half tenth; do
  printf 'two-point.circle-xy-%s.growth %s a step\n' $run \
    "$(grep '"growth"' "$dir/circle-xy-$run/result.json" | tail -n 2 | sed -n '1s/[^0-9]*\([0-9.]*\).*/\1/p')"
done

path='using (column("q.x")):(column("q.y")) with linespoints pt 7 ps 0.3 lw 1'
polar='using (column("q.r")*cos(column("q.theta"))):(column("q.r")*sin(column("q.theta")))'
polar="$polar with linespoints pt 7 ps 0.3 lw 1"
blue="lc rgb '#0072B2'" red="lc rgb '#D55E00'" green="lc rgb '#009E73'"
lambda='with linespoints pt 7 ps 0.3 lw 1'
cat >"$dir/figures.gp" <<EOD
set encoding utf8
set terminal svg size 1140,1360 font 'Helvetica,12' background 'white' enhanced
set output '$out/two-point.svg'
set datafile separator ','
set border 3 lw 1 lc rgb '#444444'; set tics out nomirror scale 0.6
set grid lc rgb '#DDDDDD' lw 0.7 lt 1
set key above left horizontal Left reverse samplen 1.2 maxcols 3
set title offset 0,-0.5 noenhanced
set parametric; set trange [0:2*pi]; set samples 200
set multiplot layout 4,3
set xlabel 'x [m]'; set ylabel 'y [m]'
set size ratio -1
set xrange [-1.4:1.4]; set yrange [-1.4:1.4]
set title '4: circle in (x, y), one point'
plot cos(t),sin(t) with lines lc rgb '#BBBBBB' notitle, '$dir/circle-xy-one/trajectory.csv' $path $blue notitle
set title '4: two points'
plot cos(t),sin(t) with lines lc rgb '#BBBBBB' notitle, '$dir/circle-xy-two/trajectory.csv' $path $red notitle
set title '5: two points, improved start'
plot cos(t),sin(t) with lines lc rgb '#BBBBBB' notitle, '$dir/circle-xy-improved/trajectory.csv' $path $red notitle
set title '6: circle in (θ, r), one point'
plot cos(t),sin(t) with lines lc rgb '#BBBBBB' notitle, '$dir/circle-polar-one/trajectory.csv' $polar $blue notitle
set title '6: two points'
plot cos(t),sin(t) with lines lc rgb '#BBBBBB' notitle, '$dir/circle-polar-two/trajectory.csv' $polar $red notitle
unset parametric; set size noratio; set autoscale; set offsets 0,0,graph 0.05,graph 0.05
set xlabel 'step'; set ylabel 'multiplier [N s/m]'
set title '7: circle in (θ, r)'
plot [1:65] '$dir/circle-polar-one/trajectory.csv' using (column("k")):(column("lambda.circle")) $lambda $blue title 'one', \\
  '$dir/circle-polar-two/trajectory.csv' using (column("k")+1):(column("lambda.circle")) $lambda $red title 'two', \\
  '$dir/circle-polar-chosen/trajectory.csv' using (column("k")+1):(column("lambda.circle")) $lambda $green title 'two, chosen'
set xlabel 'x [m]'; set ylabel 'y [m]'
set xtics 1; set ytics 1
set title '8: line in (x, y)'
plot '$dir/line-xy-one/trajectory.csv' $path $blue title 'one', \\
  '$dir/line-xy-two/trajectory.csv' $path $red title 'two'
set xlabel 'step'; set ylabel 'multiplier of x + 1 - y [N s]'
set xtics auto; set ytics auto
set title '8: line in (x, y)'
plot [1:65] '$dir/line-xy-one/trajectory.csv' using (column("k")):(column("lambda.line")/sqrt(2)) $lambda $blue title 'one', \\
  '$dir/line-xy-two/trajectory.csv' using (column("k")+1):(column("lambda.line")/sqrt(2)) $lambda $red title 'two'
set xlabel 'x [m]'; set ylabel 'y [m]'
set xtics 1; set ytics 1
set title '9: line in (θ, r), one point'
plot '$dir/line-polar-one/trajectory.csv' $polar $blue notitle
set title '9: two points'
plot [-3:1.5] [-2:2.5] '$dir/line-polar-two/trajectory.csv' $polar $red notitle
set xlabel 'step'; set ylabel 'multiplier of x + 1 - y [N s]'
set xtics auto; set ytics auto
set title '9: line in (θ, r)'
plot '$dir/line-polar-one/trajectory.csv' using (column("k")):(column("lambda.line")/sqrt(2)) $lambda $blue title 'one', \\
  '$dir/line-polar-two/trajectory.csv' using (column("k")+1):(column("lambda.line")/sqrt(2)) $lambda $red title 'two'
set datafile separator whitespace
set key inside bottom right vertical
set title 'circle in (x, y): what alternates'
set xlabel 'time [s]'; set ylabel 'alternates in x^2 + y^2 - 1'
set logscale y; set format y '10^{%T}'; set offsets 0,0,0,0
plot [0:3] '$dir/circle-xy-improved.alternates' with lines lw 2 $red title 'h 0.01', \\
  '$dir/circle-xy-half.alternates' with lines lw 2 $green title '0.005', \\
  '$dir/circle-xy-tenth.alternates' with lines lw 2 $blue title '0.001', \\
  '$dir/circle-xy-steady.alternates' with lines lw 2 lc rgb '#CC79A7' title 'by rounding', \\
  1e-16*exp(10*x) with lines lw 1 dt 2 lc rgb '#000000' title 'e^{10 t}'
unset multiplot
EOD
gnuplot "$dir/figures.gp"
