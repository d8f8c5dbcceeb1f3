// Numbers of a problem file that were found: by a search for the best score (tune), or together with
// the motion (design).

'use strict';

// -- tune: NAME-tries.csv, a row a try

const BEFORE_NUMBERS = ['what', 'try', 'score', 'fresh'];

// columns of numbers of the file, and the rows of the file's own and of those that were taken
function readTries(table) {
  const what = wordsOf(table, 'what'), score = numbersOf(table, 'score'),
        number = numbersOf(table, 'try');
  if (!what || !score || !number) return null;
  const names = table.columns.map(c => c.name).filter(n => !BEFORE_NUMBERS.includes(n));
  return {
    what,
    score,
    number,
    fresh: numbersOf(table, 'fresh') || score.map(() => NaN),
    names: names.filter(n => numbersOf(table, n)),
    file: what.indexOf('file'),
    taken: what.lastIndexOf('taken'),
    whole: [...what.keys()].filter(r => what[r] === 'whole')
  };
}

function sayTries(table) {
  const t = readTries(table);
  if (!t || t.file < 0 || t.taken < 0) return `A table of ${table.of} rows.`;
  const kept = t.names.every(n => numbersOf(table, n)[t.file] === numbersOf(table, n)[t.taken]);
  const fresh = Number.isFinite(t.fresh[t.taken]) ?
    `; on draws that the search has not seen ${say(t.fresh[t.taken], 3)}, at first ${
      say(t.fresh[t.file], 3)}` :
    '';
  return `Score ${say(t.score[t.taken], 3)} after ${t.number[t.taken]} tries, at first ${
    say(t.score[t.file], 3)}${fresh}.${kept ? ' The numbers of the file are kept.' : ''}`;
}

// scores in the order of tries, and the best so far
function drawScores(t) {
  let best = t.file < 0 ? -Infinity : t.score[t.file];
  const x = [0], y = [best];
  for (const r of t.whole) {
    best = Math.max(best, t.score[r]);
    x.push(t.number[r]);
    y.push(best);
  }
  const pick = list => Float32Array.from(t.whole, r => list[r]);
  const tries = {name: 'tries', x: pick(t.number), y: pick(t.score), colour: 0, dots: true};
  const front = {
    name: 'the best so far',
    x: Float32Array.from(x),
    y: Float32Array.from(y),
    colour: 1,
    steps: true
  };
  return new Chart('score of each try', [tries, front], {xname: 'try', zero: true});
}

// the score over each number, but for those that only mirror one before
function drawNumbers(table, t) {
  const seen = [], out = [];
  for (const name of t.names) {
    const x = numbersOf(table, name).map(Math.abs), rows = t.whole;
    if (!rows.some(r => x[r] !== x[rows[0]])) continue;
    if (seen.some(s => s.every((v, r) => Math.abs(v - x[r]) <= 1e-5 * v))) continue;
    seen.push(x);
    const curve = (words, list, colour, more) => Object.assign({
      name: words,
      x: Float32Array.from(list, r => x[r]),
      y: Float32Array.from(list, r => t.score[r]),
      colour,
      dots: true
    },
      more);
    const one = r => (r < 0 ? [] : [r]);
    out.push(new Chart(`score over ${name}`,
      [
        curve('tries', rows, 0, {}), curve('the file', one(t.file), 2, {}),
        curve('taken', one(t.taken), 1, {cross: true})
      ],
      {xname: name, xlog: rows.every(r => x[r] > 0), zero: true}));
  }
  return out;
}

function drawTries(g, table) {
  const t = readTries(table);
  if (!t || t.file < 0 || t.taken < 0) return drawTable(g, table);
  const rows = t.names.map(name => {
    const x = numbersOf(table, name), was = x[t.file], is = x[t.taken];
    return [name, say(was, 6), say(is, 6), was ? say(is / was, 3) : ''];
  });
  const order =
    t.whole.concat(t.what.map((w, r) => (w === 'mean' ? r : -1)).filter(r => r >= 0), [t.file])
      .sort((a, b) => t.score[b] - t.score[a]);
  return [
    chartGrid([drawScores(t), ...drawNumbers(table, t)]),
    plainTable(['number', 'in the file', 'taken', 'times'], rows),
    make('h3', {}, order.length > 200 ? 'The best 200 tries' : 'Tries by their score'),
    tableOf(table, table.columns.map(c => c.name), order.slice(0, 200))
  ];
}

// -- design: numbers that the file leaves open

function designSection(data) {
  const out = [];
  for (const g of wholesOf(data)) {
    const list = at(g, 'result.design.parameters') || [];
    if (!list.length) continue;
    const rows = list.map(p => [p.name, say(p.was, 6), say(p.value, 6), say(p.low, 6),
                            say(p.high, 6), p.at_bound || '', p.at_bound ? say(p.slope, 4) : '']);
    out.push(heading((g.label ? g.label + ': ' : '') + 'Numbers that the file leaves open'),
      plainTable(
        ['number', 'in the file', 'found', 'from', 'to', 'at its bound', 'worth of a unit more'],
        rows));
  }
  return out;
}
