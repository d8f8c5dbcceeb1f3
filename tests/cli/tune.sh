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
fact "and how many survived" [ "$(grep -c ',1$' one/criteria.csv)" = "$(python3 -c 'import json; c = json.load(open("one/result.json"))["verify"]["criteria"]; print(sum(c[k]["survived"] for k in ("pushes", "delay")))')" ]
ends 0 verify soft.yaml -o two
fact "the same seed gives the same levels" cmp -s one/criteria.csv two/criteria.csv

# --- a search does not lose; what it writes has the score that it says, and nothing else is changed ---
write ', tune: {tries: 8, seed: 3}' 12
ends 0 tune soft.yaml --json
mv out tuned.json
json tuned.json "o['tuned']['score'] >= o['tuned']['before'] and o['tuned']['tries'] == 8"
json tuned.json "abs(float(o['tuned']['values']['horizon.time']) + float(o['tuned']['values']['feedback.hold']) - 2) < 1e-5"
json tuned.json "float(o['tuned']['values']['bounds.u.slider.0']) == -float(o['tuned']['values']['bounds.u.slider.1'])"
ends 0 verify soft-tuned.yaml -o tuned --json
fact "the file has the score that was found" python3 -c 'import json
a, b = json.load(open("tuned.json"))["tuned"]["score"], json.load(open("out"))["verify"]["criteria"]["score"]
raise SystemExit(a != b)'
fact "only numbers differ" python3 -c 'import re
bare = lambda path: re.sub(r"-?[0-9.]+(e-?[0-9]+)?", "#", open(path, encoding="utf-8").read())
raise SystemExit(bare("soft.yaml") != bare("soft-tuned.yaml"))'

# --- only what is named, to where it is wanted ---
write ', tune: {tries: 2, vary: [feedback.R]}' 12
ends 0 tune soft.yaml -o there.yaml --json
json out "list(o['tuned']['values']) == ['feedback.R']"
fact "it is there" [ -s there.yaml ]

# --- what cannot be tuned ---
write ', tune: {vary: [feedback.S]}' 12
ends 2 tune soft.yaml
says "feedback.tune.vary: found 'feedback.S', expected a key of this file"
write '' 12
sed -i '/criteria:/d' soft.yaml
ends 2 tune soft.yaml
says 'found no verify.criteria to tune by'
ends 2 tune one
says 'tune takes a problem file, but one is a folder'
exit $failed
