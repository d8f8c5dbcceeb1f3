#!/bin/sh
# dmoc tune and verify.criteria as a user meets them: a score, what a search gains, and the file it writes.
#   tune.sh DMOC SOURCE
. "$(dirname "$0")/facts.sh"
cp "$source/problems/cart-pole/cart-pole.urdf" .

# write MORE LEVELS: a cart-pole kept upright by a law that is too soft, with more in its feedback
write() {
  cat >soft.yaml <<YAML
# nothing but numbers changes: ü
model: {urdf: cart-pole.urdf}
horizon: {steps: 20, time: 1}
start: {q: {slider: 0.2, pole: pi}, v: 0}
goal: {q: {pole: pi}, v: 0}
bounds: {u: {slider: [-9, 9]}}
cost: {input: 1}
feedback: {Q: {q: {slider: 1, pole: 0.01}, p: 0.01}, R: 100, hold: 1, rate: 100, limits: [-20, 20]$1}
verify:
  samples: 1
  tolerance: 0.3
  spread: {q: 0, v: 0}
  criteria: [{vary: pushes, of: pole, from: 0.1, to: 3, levels: $2, count: 1, gap: 0.4}, {vary: delay, to: 0.1, levels: 5}]
YAML
}

# --- a score, its table, and the same again ---
write '' 12
ends 0 verify soft.yaml -o one --json
json out "o['verify']['criteria']['pushes']['levels'] == 12 and o['verify']['criteria']['delay']['levels'] == 5"
json out "abs(o['verify']['criteria']['score'] - sum(o['verify']['criteria'][k]['survived'] / o['verify']['criteria'][k]['levels'] for k in ('pushes', 'delay')) / 2) < 1e-12"
fact "the table has each level" [ "$(wc -l <one/criteria.csv)" = 18 ]
fact "and how many survived" [ "$(grep -c ',1$' one/criteria.csv)" = "$(value one/result.json "sum(o['verify']['criteria'][k]['survived'] for k in ('pushes', 'delay'))")" ]
ends 0 verify soft.yaml -o two
fact "the same seed gives the same levels" cmp -s one/criteria.csv two/criteria.csv

# --- a search does not lose; what it writes has the score that it says, and nothing else is changed ---
write ', tune: {tries: 8, seed: 3}' 12
ends 0 tune soft.yaml --json
mv out tuned.json
json tuned.json "o['tuned']['score'] >= o['tuned']['before'] and o['tuned']['tries'] == 8"
json tuned.json "o['tuned']['levels'] == 17 and o['tuned']['kept'] == (not o['tuned']['gain'] > 2 * o['tuned']['gain_error'])"
json tuned.json "abs(float(o['tuned']['values']['horizon.time']) + float(o['tuned']['values']['feedback.hold']) - 2) < 1e-5"
json tuned.json "float(o['tuned']['values']['bounds.u.slider.0']) == -float(o['tuned']['values']['bounds.u.slider.1'])"
ends 0 verify soft-tuned.yaml -o tuned --json
fact "the file has the score that was found" python3 -c 'import json
a, b = json.load(open("tuned.json"))["tuned"]["score"], json.load(open("out"))["verify"]["criteria"]["score"]
raise SystemExit(a != b)'
cat >tries.py <<'PYTHON'
import csv, json
answer, rows = json.load(open("tuned.json")), list(csv.DictReader(open("soft-tuned-tries.csv")))
o, words = answer["tuned"], [r["what"] for r in rows]
assert answer["tries"] == "soft-tuned-tries.csv"
assert words[0] == "file" and words[-1] == "taken" and set(words[1:-1]) <= {"whole", "screened", "failed", "mean"}
assert [int(r["try"]) for r in rows if r["what"] in ("whole", "screened", "failed")] == list(range(1, 9))
assert float(rows[0]["score"]) == o["before"] and float(rows[-1]["score"]) == o["score"]
assert float(rows[0]["fresh"]) == o["fresh_before"] and float(rows[-1]["fresh"]) == o["fresh_score"]
assert all((r["score"] == "") == (r["what"] in ("screened", "failed")) for r in rows)
assert all(rows[-1][path] == value for path, value in o["values"].items())
# what is taken is one of them: the file, a try, or the mean
numbers = [[r[path] for path in o["values"]] for r in rows]
assert numbers[-1] in numbers[:-1]
PYTHON
fact "the table beside it has each try, and what was taken" python3 tries.py
fact "only numbers differ" python3 -c 'import re
bare = lambda path: re.sub(r"-?[0-9.]+(e-?[0-9]+)?", "#", open(path, encoding="utf-8").read())
raise SystemExit(bare("soft.yaml") != bare("soft-tuned.yaml"))'

# --- the same numbers, however many processes there are ---
write ', tune: {tries: 12, seed: 3}' 12
for k in 1 2 5; do
  ends 0 tune soft.yaml --threads $k -o threads-$k.yaml --json
  value out "sorted(o['tuned'].items())" >threads-$k
done
fact "two processes find what one does" cmp -s threads-1 threads-2
fact "five as well" cmp -s threads-1 threads-5
fact "and write it" cmp -s threads-1.yaml threads-5.yaml
fact "and tried the same" cmp -s threads-1-tries.csv threads-5-tries.csv
ends 2 tune soft.yaml --threads 0
says "takes a whole number, 1 to 256, got '0'"

# --- numbers that are no better than luck stay as they were: each level is survived as it is, pushes being too
# small to drive the cart to the end of its rail ---
write ', tune: {tries: 8}' 2
sed -i 's/from: 0.1, to: 3, levels/from: 0.02, to: 0.02, levels/; s/to: 0.1, levels: 5/to: 0, levels: 5/' soft.yaml
ends 0 tune soft.yaml --json
json out "o['tuned']['kept'] and o['tuned']['score'] == o['tuned']['before'] == 1 and o['tuned']['gain'] == 0"
fact "the file is what it was" cmp -s soft.yaml soft-tuned.yaml
ends 0 tune soft.yaml
fact "and that is said" grep -q "the file's own numbers are kept" out

# --- a motor gives what it gives, a whole number stays one ---
write ', tune: {tries: 16, step: 2, vary: [bounds.u, feedback.limits]}' 12
sed -i 's/^bounds:/inputs: [{joint: slider, effort: 10}]\nbounds:/' soft.yaml
sed -i 's/limits: \[-20, 20\]/limits: [-8, 8]/' soft.yaml
ends 0 tune soft.yaml --json
json out "all(abs(float(v)) <= 10 for v in o['tuned']['values'].values())"
write ', tune: {tries: 4, vary: [horizon.steps]}' 12
ends 0 tune soft.yaml --json
json out "o['tuned']['values']['horizon.steps'].isdigit()"

# --- where it is written: beside the file, whatever dots there are ---
mkdir arm.v2
write ', tune: {tries: 1, vary: [feedback.R]}' 12
cp soft.yaml arm.v2.yaml
cp soft.yaml arm.v2/soft
cp cart-pole.urdf arm.v2
ends 0 tune arm.v2.yaml
fact "arm.v2.yaml is arm.v2-tuned.yaml" [ -s arm.v2-tuned.yaml ]
ends 0 tune arm.v2/soft
fact "arm.v2/soft is arm.v2/soft-tuned.yaml" [ -s arm.v2/soft-tuned.yaml ]

# --- only what is named, to where it is wanted ---
write ', tune: {tries: 2, vary: [feedback.R]}' 12
ends 0 tune soft.yaml -o there.yaml --json
json out "list(o['tuned']['values']) == ['feedback.R']"
fact "it is there" [ -s there.yaml ]
fact "and its tries beside it" [ -s there-tries.csv ]

# --- what cannot be tuned ---
write ', tune: {vary: [feedback.S]}' 12
ends 2 tune soft.yaml
says "feedback.tune.vary: found 'feedback.S', expected a key of this file"
while IFS='|' read -r vary words; do
  write ", tune: {tries: 3, vary: [$vary]}" 12
  ends 2 tune soft.yaml
  says "$words"
done <<'ROWS'
''|feedback.tune.vary: found '', expected a key of this file
feedback.q|expected a key of this file with numbers other than 0: one of .*feedback.Q.*did you mean 'feedback.Q'
'feedback.R.'|feedback.tune.vary: found 'feedback.R.', expected a key of this file
feedback.Q, feedback.Q.q|feedback.tune.vary: found 'feedback.Q.q', of which a number is in a key before it
feedback|feedback.tune.vary: found 'feedback', which has the settings of the search in it
feedback.tune.tries|feedback.tune.vary: found 'feedback.tune.tries', which has the settings
ROWS
# pushes that a run has no room for are not pushes that are survived
write '' 12
sed -i 's/gap: 0.4/gap: 1.1/' soft.yaml
ends 2 verify soft.yaml -o crowded
says 'verify.criteria: found 1 pushes with gaps of 1.1 s in a run of 2 s'
ends 2 tune soft.yaml -o crowded.yaml
says 'soft.yaml:[0-9]*:[0-9]*: verify.criteria: found 1 pushes with gaps of 1.1 s in a run of 2 s'

# refused by every command, in the range that is told
write ', tune: {step: 2.01}' 12
ends 2 gains soft.yaml
says "feedback.tune.step: found '2.01', expected a number in (0, 2\]"
write ', tune: {trys: 3}' 12
ends 2 gains soft.yaml
says "feedback.tune: found the unknown key 'trys'"
write ', tune: {step: 2}' 12
ends 0 gains soft.yaml
write '' 12
sed -i '/criteria:/d' soft.yaml
ends 2 tune soft.yaml
says 'found no verify.criteria to tune by'
ends 2 tune one
says 'tune takes a problem file, but one is a folder'
exit $failed
