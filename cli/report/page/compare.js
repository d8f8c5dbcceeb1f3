// Comparisons of descents (compare.csv): work and precision, data and performance profiles, and a table
// of methods. Work counts in gradients: operations at their mean prices in processor time.

'use strict';

const OPERATIONS = ['rollouts', 'gradients', 'curvatures', 'sweeps', 'products'];
const COMPARE = {
  near: 0.01,
  met: 1e-4,
  farthest: 100
};  // as in cli/stages/descent_compare.c

// runs of a comparison: [{method, start, work, error}], a row of arrays per run
function comparedRuns(g, table) {
  const price = at(g, 'result.compare.price') || {}, lowest = at(g, 'result.compare.lowest');
  const method = wordsOf(table, 'method'), start = numbersOf(table, 'start');
  const cost = numbersOf(table, 'cost'), goal = numbersOf(table, 'goal');
  const counts = OPERATIONS.map(name => numbersOf(table, name));
  if (!method || !start || !cost || !goal || counts.some(c => !c)) return [];
  if (typeof lowest !== 'number') return [];
  const runs = [];
  for (let i = 0; i < table.rows; i++) {
    let run = runs[runs.length - 1];
    if (!run || run.method !== method[i] || run.start !== start[i]) {
      run = {method: method[i], start: start[i], work: [], error: []};
      runs.push(run);
    }
    run.work.push(OPERATIONS.reduce((sum, name, j) => sum + counts[j][i] * (price[name] || 0), 0));
    const over = (cost[i] - lowest) / Math.abs(lowest);
    run.error.push(Math.max(over, goal[i] > COMPARE.met ? goal[i] : 0));
  }
  return runs;
}

// the work from which a run stays near the lowest cost; Infinity: it does not
function workToStay(run) {
  let work = Infinity;
  for (let i = run.error.length - 1; i >= 0 && run.error[i] <= COMPARE.near; i--)
    work = run.work[i];
  return work;
}

// the fraction of values at most x, up to `end`
function staircase(name, colour, values, end) {
  const x = values.filter(Number.isFinite).sort((a, b) => a - b);
  const y = x.map((v, i) => (i + 1) / values.length);
  if (x.length) x.push(end), y.push(y[y.length - 1]);
  return {
    name,
    x: Float32Array.from(x),
    y: Float32Array.from(y),
    colour,
    dash: colour >= 8 ? 1 : 0,
    steps: true
  };
}

function drawCompare(g, table) {
  const runs = comparedRuns(g, table), methods = [...new Set(runs.map(r => r.method))];
  if (!runs.length) return methodsCompared(g);
  const works = runs.map(workToStay), known = works.filter(Number.isFinite);
  const charts = [];

  // from the problem's own guess; what is below rounding is at it
  const curves = methods.map((name, colour) => {
    const run = runs.find(r => r.method === name && r.start === 0);
    let least = Infinity;
    const y =
      run ? run.error.map(e => (least = Math.min(least, Number.isFinite(e) ? e : least))) : [];
    return {
      name,
      x: Float32Array.from(run ? run.work : []),
      y: Float32Array.from(y, e => (e < Infinity ? Math.max(e, 1e-16) : NaN)),
      colour,
      dash: colour >= 8 ? 1 : 0
    };
  });
  charts.push(new Chart('cost over the lowest, or error of the goal, from the own guess', curves,
    {xname: 'work [gradients]', log: true, xlog: true}));

  // all runs, and relative to the best method of a start
  const end = 1.2 * Math.max(1, ...known);
  charts.push(new Chart('runs within 1 % of the lowest cost',
    methods.map(
      (name, i) => staircase(name, i, works.filter((w, k) => runs[k].method === name), end)),
    {xname: 'work [gradients]', xlog: true, zero: true}));
  const ratio = works.map((w, k) => {
    const least = Math.min(...works.filter((v, j) => runs[j].start === runs[k].start));
    return Number.isFinite(least) ? w / least : NaN;
  });
  charts.push(new Chart('starts within a factor of the least work',
    methods.map(
      (name, i) => staircase(name, i,
        ratio.filter((r, k) => runs[k].method === name && !Number.isNaN(r)), COMPARE.farthest)),
    {xname: 'work / least work', xlog: true, zero: true}));
  return [chartGrid(charts), ...methodsCompared(g)];
}

function methodsCompared(g) {
  const told = at(g, 'result.compare') || {};
  const rows =
    Object.entries(told.methods || {})
      .map(([name, m]) => [name, `${m.found} of ${m.runs}`, say(m.work, 3), say(m.total, 3),
             say(m.order, 3), say(m.cpu, 3), `${Math.round(100 * m.curvature)} %`]);
  if (!rows.length) return [];
  const note = `Lowest cost ${say(told.lowest, 8)} of ${told.starts} starts, seed ${
    told.seed}; work in gradients.`;
  return [
    make('p', {class: 'note'}, note),
    plainTable(
      [
        'method', 'within 1 %', 'median work', 'median of all work', 'order', 'processor time [s]',
        'of it second derivatives'
      ],
      rows)
  ];
}
