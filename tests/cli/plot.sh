#!/bin/sh
# Pictures: of each plot what its script draws, in numbers, and that gnuplot takes it.
#   plot.sh DMOC SOURCE
# shellcheck source=tests/cli/facts.sh
. "$(dirname "$0")/facts.sh"
if ! command -v gnuplot >/dev/null; then
  echo "skipped: all pictures (needs gnuplot)"
  exit 77
fi
problems=$source/problems

# a gnuplot that keeps its script, and complains aloud
mkdir bin
cat >bin/gnuplot <<WRAP
#!/bin/sh
cat >"$dir/script"
exec $(command -v gnuplot) "\$@" <"$dir/script"
WRAP
chmod +x bin/gnuplot
PATH=$dir/bin:$PATH
# drawn WORDS..: a picture of these words, without a word of gnuplot's; its script is in `script`
drawn() {
  ends 0 plot "$@" -o x.svg
  fact "gnuplot has nothing to say of $*" sh -c '! grep -q "line [0-9]*:\|arning: e\|arning: s\|arning: i" err'
  fact "a picture of $*" grep -q '</svg>' x.svg
}
# panels LABEL: how many panels have this on their vertical axis
panels() { grep -c "^set ylabel '$1" script; }
# numbers WORDS..: a Python expression on the blocks of the script, lists of rows, by name; `table(file)` reads
# a CSV table as a list of objects
numbers() {
  fact "$1" python3 - "$1" <<'PY'
import csv, math, re, sys
blocks, name = {}, None
for line in open('script', encoding='utf-8'):
    begun = re.match(r'\$(\w+) << EOD', line)
    if begun:
        name = begun.group(1)
        blocks[name] = []
    elif line == 'EOD\n':
        name = None
    elif name:
        blocks[name].append([float(x) for x in line.split()])
b = [blocks[k] for k in blocks if re.match(r'b\d+$', k)]
text = open('script', encoding='utf-8').read()
def table(path):
    return [{k: float(v) if v else math.nan for k, v in r.items()} for r in csv.DictReader(open(path, encoding='utf-8'))]
def near(a, c, tol=1e-8):
    return abs(a - c) <= tol * max(1, abs(c))
sys.exit(not eval(sys.argv[1]))
PY
}

for run in circle-xy-one circle-xy-two circle-polar-one line-polar-one; do
  ends 0 simulate "$problems/two-point/$run.yaml" -o $run
done
dsp=$problems/double-spherical-pendulum
ends 0 simulate "$dsp/dsp.yaml" -o dsp
ends 0 simulate "$dsp/energy-momentum.yaml" -o em

# --- phase portraits: velocities over places ---
drawn circle-xy-one --what phase
fact 'a panel a coordinate' [ "$(panels 'rate of')" = 2 ]
numbers "all(near(r[0], t['q.x']) and near(r[1], t['v.x']) for r, t in zip(b[0], table('circle-xy-one/trajectory.csv')))"
numbers "len(b[0]) == 66 and len(b[1]) == 1"
drawn circle-xy-one circle-xy-two --what phase --only y
fact 'of two folders in one panel' [ "$(panels 'rate of y')/$(panels 'rate of x')" = 1/0 ]
numbers "len(b) == 4 and b[2][5] != b[0][5]"

# --- columns over columns, each unit on an axis of its own ---
drawn circle-xy-one --y q.x,q.y,energy,lambda
fact 'places in one panel' [ "$(panels 'position')" = 1 ]
fact 'a constant as its change' [ "$(panels 'energy - its start .10⁻[¹²³⁴⁵⁶⁷⁸⁹⁰]* J')" = 1 ]
numbers "max(abs(r[1]) for r in b[2]) < 1e-9 and 'Y = 1e+1' in text" # in a power of ten
fact 'an impulse apart' [ "$(panels 'lambda.circle')" = 1 ]
drawn circle-xy-one --what columns --x q.x --y q.y --xrange -1.5:1.5 --yrange :2
numbers "all(near(r[0], t['q.x']) and near(r[1], t['q.y']) for r, t in zip(b[0], table('circle-xy-one/trajectory.csv')))"
fact 'in the ranges that were asked for' grep -q '^set xrange \[-1.5:1.5\]' script
fact 'one end may be left out' grep -q '^set yrange \[\*:2\]' script
drawn circle-xy-one circle-xy-two --x k --y lambda.circle
fact 'of several folders, the flat one has a panel with its own scale' [ "$(panels 'lambda.circle')" = 2 ]
drawn dsp em --y form.cloud --log y
numbers "all(r[1] > 0 or math.isnan(r[1]) for k in b for r in k) and 'set logscale y' in text"
drawn dsp --y form
fact 'what the first table has not, another has' [ "$(panels 'form')" = 1 ]
drawn em --y moment
fact 'a word for all of moment.x, ..: what is conserved apart' [ "$(panels 'moment')/$(panels 'moment - its start')" = 2/1 ]
drawn dsp --table monitors.csv --y energy.step
ends 2 plot dsp -o x.svg --y q.uper.tx
says "dsp has no column 'q.uper.tx' beside the others in one table; did you mean 'q.upper.tx'?"
ends 2 plot dsp -o x.svg --table monitors.csv --y enrgy
says "dsp/monitors.csv has no column 'enrgy'; did you mean 'energy'?"
ends 2 plot dsp -o x.svg --table nothing.csv --y energy
says 'dsp has no table nothing.csv'
ends 2 plot dsp -o x.svg --what columns
says '--what columns needs --y'
# any table
printf 'h,error,none\n0.4,0.16,1\n0.2,0.04,1\n0.1,0.01,1\n' >study.csv
drawn study.csv --x h --y error
numbers "b[0] == [[0.4, 0.16], [0.2, 0.04], [0.1, 0.01]]"
ends 2 plot study.csv -o x.svg --x h --y eror
says "study.csv has no column 'eror'; did you mean 'error'?"
printf 'a,b\n1,2\n1\n' >torn.csv
ends 2 plot torn.csv -o x.svg --y b
says 'torn.csv:3: found 1 cells, expected 2'
printf 'a,b\n' >empty.csv
ends 2 plot empty.csv -o x.svg --y b
says 'empty.csv: no rows'
ends 2 plot study.csv -o x.svg
says '--what all draws result folders, study.csv is a table'

# --- ways of points: whatever the coordinates, in the world ---
drawn circle-xy-one circle-polar-one --what path
fact 'the unit of length is one on both axes' grep -q 'set size ratio -1' script
numbers "all(near(r[0], t['q.r'] * math.cos(t['q.theta'])) and near(r[1], t['q.r'] * math.sin(t['q.theta'])) for r, t in zip(b[1], table('circle-polar-one/trajectory.csv')))"
numbers "len(b) == 2 and all(near(math.hypot(*r), 1) for k in b for r in k)"
fact 'x to the right, y upwards' grep -q "^set ylabel 'y \[m\]'" script
drawn dsp --what path --points upper,lower:0:0:0.5 --plane xz
numbers "all(near(r[0], t['q.upper.tx'] + t['q.lower.tx']) and near(r[1], 0.5 + t['q.upper.tz'] + t['q.lower.tz']) for r, t in zip(b[1], table('dsp/trajectory.csv')))"
drawn circle-xy-one circle-xy-two --what path --each --xrange -1.4:1.4 --yrange -1.4:1.4
fact 'a panel each' [ "$(panels 'y \[m\]')" = 2 ]
drawn dsp em --what path --plane xy
fact 'of two folders with two points each both are named' grep -q "title 'dsp: upper'" script
ends 2 plot dsp -o x.svg --what path --points uper
says "--points takes bodies, or BODY:X:Y:Z, got 'uper', which dsp has not; did you mean 'upper'?"
ends 2 plot dsp -o x.svg --what path --plane xx
says "--plane takes two of the world's axes, such as xz, found 'xx'"

# --- the robot at chosen times ---
ends 0 simulate "$problems/free-motion/double-pendulum.yaml" -o double
drawn dsp --what frames --times 0,2.5,5
fact 'three frames' [ "$(grep -o "title '[0-9.]* s'" script | tr '\n' ' ')" = "title '0 s' title '2.5 s' title '5 s' " ]
numbers "sum(len(k) == 6 and k[2] == [] for k in b) == 3" # two rods
numbers "any(near(math.hypot(k[0][0] - k[1][0], k[0][1] - k[1][1]), 1, 0.5) for k in b if len(k) == 6)"
drawn double em --what frames --plane xz
fact 'a panel a folder' [ "$(panels 'z \[m\], ')" = 2 ]
ends 2 plot dsp -o x.svg --what frames --times 0,7
says '--times: dsp goes from 0 to 5 s, got 7'
ends 2 plot dsp -o x.svg --what frames --times 0,late
says "--times takes times in s separated by commas, found 'late'"

# --- several folders on one axis ---
drawn dsp em
fact 'a panel a place' [ "$(panels 'upper.tx')" = 1 ]
fact 'and a rate, energies, monitors' [ "$(panels 'rate of upper.tx')/$(panels 'kinetic energy')/$(panels 'moment - its start, vertical')" = 1/1/1 ]
numbers "text.count(\"title 'em'\") > 10"
fact 'energy that is kept has a scale of its own beside' [ "$(panels 'total energy - its start')" = 2 ]
says 'dsp is of problem double-spherical-pendulum-dsp, em of double-spherical-pendulum-energy-momentum: they are drawn over the same time'
drawn dsp em --what energy --names midpoint,momentum-keeping
fact 'names of the legend' [ "$(grep -c "title 'momentum-keeping'" script)" -ge 3 ]
ends 2 plot dsp em -o x.svg --names one
says '--names has 1 names, expected one for each of 2 folders'
ends 2 plot circle-xy-one circle-polar-one -o x.svg
says 'circle-xy-one has the coordinates x, y, circle-polar-one has theta, r: path and columns draw them on one axis'
ends 2 plot dsp em -o x.svg --what gains
says '--what gains draws one folder, got 2; several are drawn by trajectory, inputs, outputs, energy, monitors, difference'
mkdir -p a/run b/run
cp -r dsp/. a/run
cp -r em/. b/run
drawn a/run b/run --what energy
fact 'folders of one name are told apart by what is above them' grep -q "title 'a/run'.*title 'b/run'" script

# --- their differences ---
drawn dsp em --what difference --only upper.tx
fact 'one coordinate: no norm' [ "$(grep -c '^set ylabel' script)" = 1 ]
numbers "all(near(r[1], t['q.upper.tx'] - s['q.upper.tx']) for r, t, s in zip(b[0], table('em/trajectory.csv'), table('dsp/trajectory.csv')))"
drawn em --what difference --against dsp --log y
fact 'the norm of all, then each' [ "$(panels '|q - q of dsp| \[m\]')/$(panels '.*- that of dsp')" = 1/6 ]
sed 's/^  step:.*/  step: 0.04/' "$dsp/dsp.yaml" >uneven.yaml
ends 0 simulate uneven.yaml -o uneven
drawn uneven --what difference --against dsp
says 'uneven has its knots at other times than dsp: the latter is taken between its knots by cubics'
numbers "max(abs(r[1]) for r in b[0]) < 0.1"
ends 2 plot dsp -o x.svg --what difference
says '--what difference needs two folders, or one and --against DIR'
ends 2 plot dsp -o x.svg --what difference --against nowhere
says 'nowhere'

# --- convergence: orders ---
sed 's/^  time:.*/  time: 1/; /monitors/d' "$dsp/dsp.yaml" >steps.yaml
ends 0 sweep steps.yaml --vary simulate.step=0.1,0.05,0.025,0.0125,0.00625 --run --keep -o steps
sed 's/^  time:/  order: 4\n  time:/' steps.yaml >four.yaml
ends 0 sweep four.yaml --vary simulate.step=0.1,0.05,0.025 --run --keep -o four
drawn steps --what order --json
json out "len(o['orders']) == 1 and o['orders'][0]['name'] == 'midpoint' and abs(o['orders'][0]['order'] - 2) < 0.1"
json out "len(o['orders'][0]['steps']) == 4 and o['orders'][0]['errors'][0] > 3 * o['orders'][0]['errors'][1]"
numbers "len(b[0]) == 4 and len(b[1]) == 60 and 'set logscale xy' in text and 'midpoint: order ' in text"
fact 'marks at the steps' grep -q "^set xtics ('0.1' 0.1, '0.05' 0.05" script
ends 0 simulate steps.yaml -o exact --quiet
sed 's/step: 0.05/step: 0.005/' four.yaml >finer.yaml
ends 0 simulate finer.yaml -o exact
drawn steps four --what order --against exact --times 1 --json
json out "[round(r['order']) for r in o['orders']] == [2, 4] and o['orders'][1]['name'] == 'midpoint, order 4'"
fact 'at one time' [ "$(panels '|q - q of exact| at 1 s \[m\]')" = 1 ]
drawn steps --what order --y energy.drift --json
json out "abs(o['orders'][0]['order'] - 2) < 0.1"
drawn steps --what order --y energy.drift --against finest
fact 'a number less that of the finest' [ "$(panels '|energy.drift - that of step 0.00625|')" = 1 ]
drawn study.csv --what order --x h --y error,none --json
json out "abs(o['orders'][0]['order'] - 2) < 1e-9 and abs(o['orders'][0]['constant'] - 1) < 1e-9"
printf 'steps,value\n10,1.01\n20,1.0025\n40,1.000625\n' >values.csv
drawn values.csv --what order --x steps --y value --against 1 --json
json out "abs(o['orders'][0]['order'] - 2) < 1e-9"
drawn values.csv --what order --x steps --y value --against finest --json
json out "abs(o['orders'][0]['order'] - 2) < 1e-5"
printf 'h,value\n4,1e-13\n2,3e-15\n1,2e-13\n' >rounding.csv
drawn rounding.csv --what order --x h --y value --json
json out "o['orders'][0]['order'] is None"
fact 'rounding has no order' sh -c '! grep -q "value: order" script'
ends 2 plot exact -o x.svg --what order
says '--what order needs two errors above 0 at steps of different length, got 0'
# motions of other lengths have no error at a step, but at a time
sed 's/^  time:.*/  time: 3/' steps.yaml >longer.yaml
ends 0 sweep longer.yaml --vary simulate.time=1,1.5,2 --run --keep -o lengths
ends 2 plot lengths -o x.svg --what order
says 'compares one motion at several steps'
ends 0 plot lengths steps -o x.svg --what order --times 1
ends 2 plot steps -o x.svg --what order --y energy.drif
says "has no number 'energy.drif'"
ends 2 plot study.csv -o x.svg --what order
says '--what order of a table needs --x COLUMN'
# cases of one name, of two sweeps, by the names of these
drawn steps four --what energy
fact 'of one step twice' grep -q "title 'steps: step 0.1'" script
fact 'and of the other' grep -q "title 'four: step 0.1'" script
# a sweep by its table, where that has the column
drawn steps --x simulate.step --y steps
numbers "b[0][0] == [0.1, 10]"
ends 0 sweep four.yaml --vary simulate.step=0.1,0.05 --run -o none
ends 2 plot none -o x.svg
says 'none keeps no result folder of its cases: dmoc sweep --keep makes them'

# --- words that a plot does not heed ---
ends 2 plot dsp -o x.svg --what energy --x t
says '--x is for --what columns, order, not for energy'
ends 2 plot dsp -o x.svg --what energy --each
says '--each is for --what path, not for energy'
ends 2 plot dsp -o x.svg --y energy --log z
says "--log takes one of x, y, xy, got 'z'"
ends 2 plot dsp -o x.svg --y energy --xrange 2:1
says "--xrange takes LOW:HIGH, numbers of which the first is less, found '2:1'"
ends 2 plot dsp -o x.svg --y energy,
says '--y takes words separated by commas, found an empty one'
ends 2 plot dsp -o x.svg --what pth
says "did you mean 'path'?"
fact 'a refusal writes nothing' [ ! -e refused.svg ]

# --- legends: whole, within the picture, none over another ---
long=a_name_that_goes_on_and_on_for_longer_than_any_panel_of_a_picture_could_ever_be_wide_in_any_font
long=$long$long
{
  printf 'model:\n  gravity: [0, 0, 0]\n  bodies:\n'
  for i in 1 2 3 4 5 6 7 8; do # up to 176 letters
    printf '    - {name: body%s, joints: [{name: %s, type: tx}], mass: 1}\n' $i "$(printf "%.$((i * 22))s%s" $long $i)"
  done
  printf 'simulate: {steps: 20, step: 0.1, start: {v: 1}}\n'
} >long.yaml
ends 0 simulate long.yaml -o long
for what in trajectory phase path; do drawn long --what $what; done
drawn long --what trajectory
fact 'names are in the picture, the longest without its middle' grep -q 'a_name_that.*…' x.svg
fact 'and those that fit are whole' grep -q 'a_name_that_goes_on_and_on_for_longer_than_a2' x.svg
for shown in "long --what trajectory" "dsp em" "double"; do
  # shellcheck disable=SC2086 # words
  drawn $shown
  fact "legends of $shown stand within it" python3 - <<'PY'
import re, sys
svg = open('x.svg', encoding='utf-8').read()
width, height = (float(v) for v in re.search(r'viewBox="0 0 ([\d.]+) ([\d.]+)"', svg).groups())
bad = []
for x, y, size, text in re.findall(r'<g transform="translate\(([-\d.]+),([-\d.]+)\)"[^>]*font-size="([\d.]+)"[^>]*text-anchor="start">\s*<text><tspan[^>]*>(.*?)</tspan>', svg) + \
        re.findall(r'<g transform="translate\(([-\d.]+),([-\d.]+)\)"[^>]*font-size="([\d.]+)"[^>]*text-anchor="start">\s*<text>([^<]*)</text>', svg):
    right = float(x) + 0.56 * float(size) * len(text)
    if right > width or float(y) > height or float(y) < 0 or float(x) < 0:
        bad.append((text, x, y, right))
print(bad, file=sys.stderr)
sys.exit(bool(bad) or 'text-anchor="start"' not in svg)
PY
done
for kind in png pdf; do ends 0 plot long -o "long.$kind"; done
# --- what is asked for a while is drawn over that while; an output's name stands for all its rows ---
cp -r "$source/problems/cart-pole" .
sed 's/^via:.*/via: [{from: 40 %, to: 60 %, v: {slider: [0.5, 3]}}, {from: 20 %, to: 40 %, u: {slider: [-4, 4]}}]/' \
  cart-pole/under-bar.yaml >cart-pole/asked.yaml
ends 0 optimize cart-pole/asked.yaml -o asked
drawn asked --what trajectory --only slider
numbers "any(len(k) == 21 and all(r[1] == 0.5 for r in k) for k in b)"
drawn asked --what inputs
numbers "sorted(k[0][1] for k in b if len(k) == 21 and k[0][1] == k[-1][1]) == [-4, 4]"
drawn asked --what outputs --only load
fact 'all rows of an output' grep -q "title 'load.x'" script
ends 2 plot asked --only loaf -o x.svg
says "got 'loaf'"

# --- a folder with phases: each phase from the end of the one before it, on one time axis ---
ends 0 optimize "$problems/throw/throw.yaml" -o thrown
drawn thrown
fact 'a panel for each coordinate' [ "$(panels 'shoulder \[rad\]')/$(panels 'elbow \[rad\]')" = 1/1 ]
numbers "[len(k) for k in b[:2]] == [len(table('thrown/%s/trajectory.csv' % p)) for p in ('swing', 'flight')]"
numbers "b[0][0][0] == 0 and near(b[0][-1][0], b[1][0][0]) and near(b[0][-1][1], b[1][0][1], 1e-6)"
numbers "near(b[1][-1][0], sum(table('thrown/%s/trajectory.csv' % p)[-1]['t'] for p in ('swing', 'flight')))"
numbers "'set arrow from first 0.6, graph 0' in text and 'T = 1.1' in text"
drawn thrown --what columns --y q.elbow
numbers "near(b[0][-1][0], b[1][0][0])"
ends 2 plot thrown --what gains -o x.svg
says 'thrown has phases, and --what gains draws one motion: take the folder of a phase, such as thrown/swing'
ends 2 plot thrown --what moving -o x.svg
says 'thrown has phases, and --what moving draws one motion'
# an input that the second folder alone has
sed 's/inputs: .*/inputs: [{joint: slider, effort: 20}, {joint: pole, effort: 1}]/' "$problems/cart-pole/swing-up.yaml" >cart-pole/two.yaml
ends 0 optimize cart-pole/two.yaml -o two-inputs
drawn asked two-inputs --what inputs
fact 'a panel of the other input' [ "$(panels 'pole \[N m\]')" = 1 ]
# a warning of the robot file that both folders have appears once
sed 's|<limit|<dynamics friction="0.1"/><limit|' "$problems/cart-pole/cart-pole.urdf" >cart-pole/cart-pole.urdf
for run in rough rougher; do ends 0 optimize cart-pole/two.yaml -o $run; done
ends 0 plot rough rougher -o x.svg
fact 'a warning once' [ "$(grep -c 'dry friction' err)" = 1 ]

exit $failed
