#!/bin/sh
# Moving pictures: that they show the motion at its times, what stands about it, and end in their size.
#   moving.sh DMOC SOURCE
# shellcheck source=tests/cli/facts.sh
. "$(dirname "$0")/facts.sh"
problems=$source/problems

# picture FILE EXPRESSION: of the SVG `at(class, t)`, the numbers of the first path of a class at time t of the
# picture; `has(class)`, `time`; `table(file)` a CSV table as a list of objects
picture() {
  fact "$2 in $1" python3 - "$1" "$2" <<'PY'
import csv, math, re, sys
import xml.etree.ElementTree as tree
root = tree.parse(sys.argv[1]).getroot()
paths = [e for e in root.iter() if e.tag.endswith('}path')]
animations = [a.attrib for a in root.iter() if a.tag.endswith('}animate')]
time = float(animations[0]['dur'][:-1])
def numbers(text):
    return [float(x) for x in re.findall(r'-?[0-9.]+', text)]
def of(word):
    return [p for p in paths if p.get('class', '').split()[:1] == [word]]
def has(word):
    return len(of(word))
def at(word, t, which=0):
    path = of(word)[which]
    move = list(path)
    if not move:
        return numbers(path.get('d'))
    keys = numbers(move[0].get('keyTimes').replace(';', ' '))
    values = [numbers(v) for v in move[0].get('values').split(';')]
    k = max(i for i in range(len(keys) - 1) if keys[i] <= t / time)
    share = (t / time - keys[k]) / max(keys[k + 1] - keys[k], 1e-12)
    return [a + share * (b - a) for a, b in zip(values[k], values[k + 1])]
def table(path):
    return [{k: float(v) if v else math.nan for k, v in r.items()} for r in csv.DictReader(open(path, encoding='utf-8'))]
# whatever moves has a value for each time, of as many numbers, and times go from 0 to 1
for a in animations:
    keys, values = numbers(a['keyTimes'].replace(';', ' ')), a['values'].split(';')
    assert len(keys) == len(values) and keys[0] == 0 and keys == sorted(keys) and keys[-1] <= 1, a['attributeName']
    assert float(a['dur'][:-1]) == time and a['repeatCount'] == 'indefinite'
    assert a['attributeName'] == 'visibility' or len({len(numbers(v)) for v in values}) == 1, a['attributeName']
assert root.find('.//{*}script') is None
sys.exit(not eval(sys.argv[2]))
PY
}

# --- the cart-pole: the bob where the motion has it, at every knot; without gnuplot ---
ends 0 optimize "$problems/cart-pole/swing-up.yaml" -o cp
mkdir bin
printf '#!/bin/sh\nexit 127\n' >bin/gnuplot
chmod +x bin/gnuplot
PATH=$dir/bin:$PATH ends 0 plot cp --what moving -o cp.svg
picture cp.svg 'abs(time - 3) < 1e-9 and has("link") == 1 and has("cart") == 1 and has("rail") == 3 and has("ghost") == 1'
# a pole of 0.5 m, its scale and its place from the first and the last knot
picture cp.svg 'all(math.hypot(b[0] - (o[0] + s * (r["q.slider"] - 0.5 * math.sin(r["q.pole"]))), b[1] - (o[1] + s * 0.5 * math.cos(r["q.pole"]))) < 1 for rows in [table("cp/trajectory.csv")] for o in [at("link", 0)[:2]] for s in [at("link", 2)[0] - o[0]] for r in rows for b in [at("mass", r["t"])])'
picture cp.svg 'max(abs(a - b) for a, b in zip(at("link", 2.9), at("link", 2))) < 0.01 and at("way", 0)[2] == 0 and abs(at("way", 2)[2] - 1) < 1e-3'
fact 'light and dark' grep -q 'prefers-color-scheme:dark' cp.svg
fact 'a few kB' [ "$(wc -c <cp.svg)" -lt 20000 ]
ends 0 plot cp --what moving --times 0.5,1 -o part.svg
picture part.svg 'abs(time - 1.5) < 1e-9 and has("ghost") == 0'

# --- what stands: floors, obstacles, what keeps out; feet end at their contact ---
ends 0 simulate "$problems/contact/walker.yaml" -o walker
ends 0 plot walker --what moving -o walker.svg
picture walker.svg 'has("floor") == 1 and max(at("link", 2)[1::2]) <= at("floor", 0)[1] + 1'
ends 0 optimize "$problems/six-axis-arm/level.yaml" -o level
ends 0 plot level --what moving -o level.svg
picture level.svg 'has("hull") == 1 and has("kept") == 1 and has("ground") == 1 and has("shadow") == 1'
ends 0 plot level --what moving --plane xz --points flange -o level.svg
picture level.svg 'has("ground") == 0 and has("way") == 1'

# --- an arm that turns about z is seen from above, also where it is wider along z than along y ---
cat >scara.yaml <<'EOF'
model:
  bodies:
    - {name: upper, joints: [{name: shoulder, type: rz, effort: 9}], mass: 3, centre: [0.2, 0, 0]}
    - {name: fore, parent: upper, offset: {xyz: [0.4, 0, 0]}, joints: [{name: elbow, type: rz, effort: 9}], mass: 1, centre: [0.3, 0, -0.3]}
    - {name: hand, parent: fore, offset: {xyz: [0.3, 0, -0.3]}, joints: [{name: wrist, type: rz, effort: 9}], mass: 1, centre: [0, 0, -0.1], inertia: [0.01, 0.01, 0.01]}
horizon: {steps: 20, time: 1}
start: {q: 0, v: 0}
goal: {q: {shoulder: -0.1, elbow: 0.15, wrist: 1}, v: 0}
cost: {input: 1}
EOF
ends 0 optimize scara.yaml -o scara
ends 0 plot scara --what moving -o scara.svg
picture scara.svg 'has("ground") == 0 and max(at("link", 1)[1::2]) - min(at("link", 1)[1::2]) < 0.2 * (max(at("link", 1)[::2]) - min(at("link", 1)[::2]))'
ends 0 plot scara --what path -o scara.svg
fact "and so are the ways of its points" grep -q '>y \[m\]<' scara.svg

# --- a motion that goes on has no rest at its end, and no goal ---
ends 0 optimize "$problems/periodic/swing.yaml" -o swing
ends 0 plot swing --what moving -o swing.svg
picture swing.svg 'abs(time - 1.5) < 1e-9 and has("ghost") == 0'

# --- several folders one after another ---
ends 0 optimize "$problems/throw/throw.yaml" -o throw
ends 0 plot throw/swing throw/flight --what moving -o throw.svg
picture throw.svg 'abs(time - 2.1) < 1e-9 and sum(a["attributeName"] == "visibility" for a in animations) == 2'

# --- many strokes over a long time stay a small file ---
ends 0 simulate "$problems/marionette/reference.yaml" -o marionette
ends 0 plot marionette --what moving -o marionette.svg
fact 'at most 150 kB' [ "$(wc -c <marionette.svg)" -lt 150000 ]

# --- names are text ---
mkdir "a<b>&'c"
cp -r cp/. "a<b>&'c"
ends 0 plot "a<b>&'c" --what moving -o named.svg
picture named.svg 'root.find("{*}title").text == "a<b>&'"'"'c"'

# --- refused with the reason ---
ends 2 plot cp --what moving -o x.png
says "what moving is drawn as SVG: -o FILE.svg, got 'x.png'"
ends 2 plot cp --what moving --times 1 -o x.svg
says 'takes two times, from and to'
ends 2 plot cp --what moving --times 2,3 -o x.svg
says 'cp goes from 0 to 2 s, got 2'
ends 2 plot cp --what moving --times 0,100 -o x.svg
says 'a moving picture shows 60 s at most, got 100 s'
ends 0 simulate "$problems/free-motion/double-pendulum.yaml" -o double
ends 2 plot double --what moving -o x.svg
says 'double keeps a knot every 5 s alone'
fact 'nothing is written then' [ ! -e x.svg ]
exit $failed
