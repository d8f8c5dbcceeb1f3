// Studies: how each kind of table is drawn. A new kind is a row of STUDIES.

'use strict';

// table: its name in a folder, or none: what a file holds; ending: of a file's name; title of its part;
// draw(g, table): elements; say(table): the outcome in a sentence
const STUDIES = [
  {table: 'descent.csv', title: 'Descent, by method', draw: drawDescent},
  {table: 'compare.csv', title: 'Comparison of descents', draw: drawCompare},
  {table: 'optima.csv', title: 'Optima that were found', draw: drawOptima},
  {table: 'sweep.csv', title: 'Sweep', draw: drawSweep, say: saySweep},
  {ending: '-tries.csv', title: 'Search of numbers', draw: drawTries, say: sayTries},
  {title: 'Table', draw: drawTable, say: table => `A table of ${table.of} rows.`},
];

// the row of a table; of a folder that is no study only one that is called by its name
function rowOf(g, table) {
  const known =
    STUDIES.find(s => s.table === table.name || (s.ending && table.name.endsWith(s.ending)));
  return known || (g.study ? STUDIES[STUDIES.length - 1] : null);
}

function wordsOf(table, name) {
  return (findColumn(table, name) || {}).words || null;
}

// cells of a table as words
function cellsOf(table, name) {
  const c = findColumn(table, name);
  if (!c) return null;
  return c.words || Array.from(columnNumbers(c), v => (Number.isFinite(v) ? say(v, 6) : ''));
}

function tableOf(table, names, rows) {
  const columns = names.map(n => cellsOf(table, n));
  return plainTable(names, rows.map(r => columns.map(c => (c ? c[r] : ''))));
}

// -- descend: each quantity over iterations and over time

function drawDescent(g, table) {
  const method = wordsOf(table, 'method'), out = [];
  if (!method) return out;
  const names = [...new Set(method)];
  const shown = [
    ['cost', 'cost', false, ''], ['slope', 'slope, its size', true, 'of the cost'],
    ['goal', 'error of the goal', true, 'rad or m']
  ];
  for (const [column, title, log, unit] of shown)
    for (const [over, xname] of [['iteration', 'iteration'], ['time', 'time [s]']]) {
      const x = numbersOf(table, over), y = numbersOf(table, column);
      if (!x || !y || !hasNumbers(y)) continue;

      // a curve a method, over iterations that differ much by their logarithms
      const curves = names.map((name, i) => {
        const rows = [...x.keys()].filter(r => method[r] === name);
        return {
          name,
          x: Float32Array.from(rows, r => x[r]),
          y: Float32Array.from(rows, r => (log ? Math.abs(y[r]) : y[r])),
          colour: i
        };
      });
      const wide = over === 'iteration' ? x.reduce((a, b) => Math.max(a, b), 0) > 100 : true;
      if (wide)
        curves.forEach(c => {
          c.x = c.x.map(v => Math.max(v, over === 'time' ? 1e-6 : 0.5));
        });
      out.push(new Chart(`${title} over ${over}`, curves, {xname, unit, log, xlog: wide}));
    }
  return [chartGrid(out), ...methodsTable(g)];
}

function methodsTable(g) {
  const rows =
    Object.entries(at(g, 'result.methods') || {})
      .map(([
        name, m
      ]) => [name, String(m.status).replace(/_/g, ' '), String(m.iterations), say(m.objective, 8),
             say(m.slope, 3), say(m.goal_error, 3), say(m.time_s, 3), m.detail || '']);
  return rows.length ?
    [plainTable(
      ['method', 'status', 'iterations', 'objective', 'slope', 'error of the goal', 'time [s]', ''],
      rows)] :
    [];
}

// -- starts: distinct optima, and how often each was found

function drawOptima(g, table) {
  const x = numbersOf(table, 'objective'), y = numbersOf(table, 'runs');
  if (!x || !y) return [];
  const s = at(g, 'result.starts') || {};
  const chart = new Chart('how often each optimum was found',
    [{name: 'optima', x, y, colour: 0, dots: true, stem: true}],
    {xname: 'objective', unit: 'runs', zero: true});
  const told = typeof s.better === 'number' ?
    [make('p', {class: 'note'},
      `${s.searches || s.starts || ''} searches, ${
        s.solved} solved; the chance that one more run finds a better optimum: ${
        say(s.better, 2)}, a new one: ${say(s.unseen, 2)}.`)] :
    [];
  return [
    chartGrid([chart]), ...told,
    tableOf(table, table.columns.map(c => c.name), [...x.keys()].slice(0, 100))
  ];
}

// -- the outcome of a study in a sentence

function sayStudy(g) {
  const table = (g.tables || [])[0], row = table ? rowOf(g, table) : null;
  if (typeof g.text === 'string') {
    const {figures, rows} = readLines(g.text), passed = rows.filter(r => r.includes('pass')).length;
    if (figures.length) return `${figures.length} figures that were printed.`;
    return rows.length > 1 ? `${passed} of ${rows.length - 1} passed.` : 'Lines that were printed.';
  }
  if (row) return (row.say || STUDIES[STUDIES.length - 1].say)(table);
  if (g.json === undefined) return 'It cannot be read.';
  const status = at(g, 'json.status');
  return status ? `The answer of a command: ${String(status).replace(/_/g, ' ')}.` : 'JSON.';
}

function saySweep(table) {
  const keys = sweepKeys(table), rank = numbersOf(table, 'rank');
  const status = cellsOf(table, 'status') || [], J = numbersOf(table, 'objective');
  const solved = status.filter(w => /^solved/.test(w)).length;
  const over = keys.length ? ` over ${keys.join(' and ')}` : ' from as many guesses';
  const first = rank ? rank.indexOf(1) : -1;
  const where = keys.map(k => `${k} = ${cellsOf(table, k)[first]}`).join(', ');
  const best =
    first >= 0 && J ? `; the best ${say(J[first], 6)}${where ? ` at ${where}` : ''}` : '';
  return `${solved} of ${table.rows} cases solved${over}${best}.`;
}

// -- sweeps

// columns of a sweep that are drawn if they have numbers
const SWEPT = [
  ['objective', 'objective', ''], ['iterations', 'iterations', ''], ['time', 'time', 's'],
  ['turn', 'largest turn of a step', 'rad']
];

function sweepKeys(table) {
  const names = table.columns.map(c => c.name), keys = names.slice(1, names.indexOf('start'));
  return keys.filter(k => new Set(cellsOf(table, k)).size > 1);
}

function drawSweep(g, table) {
  const keys = sweepKeys(table), n = table.rows, status = cellsOf(table, 'status') || [];
  const solved = [...Array(n).keys()].filter(r => /^solved/.test(status[r]));
  const out = [];

  // guesses by their order, one key as curves, two as maps
  const starts = numbersOf(table, 'start');
  const charts = [];
  if (starts && new Set(starts).size > 1) charts.push(...startCharts(table, solved));
  if (keys.length === 1 && findColumn(table, keys[0]).x)
    charts.push(...lineCharts(table, keys[0], solved));
  if (keys.length >= 2) charts.push(...mapCharts(table, keys, solved));
  if (charts.length) out.push(chartGrid(charts));

  // then the cases themselves
  const rank = numbersOf(table, 'rank'),
        order = [...Array(n).keys()].sort((a, b) => (rank ? rank[a] - rank[b] : 0));
  const shown = table.columns.map(c => c.name).filter(name => name !== 'key');
  out.push(make('h3', {}, n > 200 ? 'The best 200 cases' : 'All cases, the best first'),
    tableOf(table, shown, order.slice(0, 200)));
  return out;
}

// success of samples as a share
function rateOf(table) {
  const held = numbersOf(table, 'held'), samples = numbersOf(table, 'samples');
  return held && samples ? held.map((h, r) => h / samples[r]) : null;
}

// those that differ from case to case, success first
function sweptColumns(table) {
  const list = SWEPT.map(([name, title, unit]) => ({title, unit, y: numbersOf(table, name)}));
  list.unshift({title: 'share of samples that succeed', unit: '', y: rateOf(table)});
  const differs = y => new Set(Array.from(y).filter(Number.isFinite)).size > 1;
  const some = list.filter(c => c.y && hasNumbers(c.y));
  return some.some(c => differs(c.y)) ? some.filter(c => differs(c.y)) : some;
}

function lineCharts(table, key, solved) {
  const x = numbersOf(table, key), rows = solved.slice().sort((a, b) => x[a] - x[b]);
  const take = y => Float32Array.from(rows, r => y[r]);
  const wide = rows.length > 0 && x[rows[0]] > 0 && x[rows[rows.length - 1]] >= 8 * x[rows[0]];
  const out = sweptColumns(table).map(
    c => new Chart(c.title,
      [{name: c.title, x: take(x), y: take(c.y), colour: 0, dots: true, join: true}],
      {xname: key, unit: c.unit, xlog: wide}));
  const J = numbersOf(table, 'objective');
  if (/steps$/.test(key) && J && rows.length > 2) out.push(orderChart(x, J, rows, key));
  return out;
}

// convergence in h: off the finest one, and the slope of the first and the last but one
function orderChart(x, J, rows, key) {
  const last = rows[rows.length - 1], list = rows.slice(0, -1);
  const off = list.map(r => Math.abs(J[r] - J[last]));
  const a = list[0], b = list[list.length - 1],
        order = Math.log(off[0] / off[off.length - 1]) / Math.log(x[b] / x[a]);
  const told = Number.isFinite(order) && list.length > 1 ? `, falls as h^${say(order, 2)}` : '';
  const curve = {
    name: 'off the finest grid',
    x: Float32Array.from(list, r => x[r]),
    y: Float32Array.from(off),
    colour: 0,
    dots: true,
    join: true
  };
  return new Chart(
    'objective against the finest grid' + told, [curve], {xname: key, log: true, xlog: true});
}

// values in their order: numbers by size, words as they come
function levelsOf(table, key) {
  const c = findColumn(table, key), cells = c.words || Array.from(columnNumbers(c));
  const levels = [...new Set(cells)];
  return {
    cells,
    levels: c.words ? levels : levels.sort((a, b) => a - b),
    ticks: l => (typeof l === 'number' ? say(l, 4) : l)
  };
}

// two keys as a map, of cases that share the others the best
function mapCharts(table, keys, solved) {
  const [a, b] = keys.map(k => levelsOf(table, k)), done = new Set(solved), out = [];
  for (const c of sweptColumns(table)) {
    // the second key upwards, of several cases at a place the largest
    const rows = b.levels.slice().reverse().map(
      l => ({name: `${keys[1]} ${b.ticks(l)}`, y: a.levels.map(() => NaN)}));
    for (let r = 0; r < table.rows; r++) {
      if (!done.has(r) || !Number.isFinite(c.y[r])) continue;
      const row = rows[b.levels.length - 1 - b.levels.indexOf(b.cells[r])],
            i = a.levels.indexOf(a.cells[r]);
      if (!(row.y[i] <= c.y[r])) row.y[i] = c.y[r];
    }
    const share = /share/.test(c.title);
    out.push(new Heat(c.title, a.levels.map((l, i) => i), rows,
      Object.assign({
        xname: keys[0],
        unit: c.unit,
        ticks: a.levels.map(a.ticks),
        labels: v => (share ? say(100 * v, 3) + ' %' : say(v, 3))
      },
        share ? {low: 0, high: 1} : {})));
  }
  return out;
}

// many guesses: objectives in their order, and how often each was found
function startCharts(table, solved) {
  const J = numbersOf(table, 'objective'),
        sorted = solved.filter(r => Number.isFinite(J[r])).map(r => J[r]).sort((a, b) => a - b);
  if (!sorted.length) return [];

  // objectives that agree to four digits are one optimum
  const optima = [];
  for (const v of sorted) {
    const last = optima[optima.length - 1];
    if (last && Math.abs(v - last.value) <= 1e-4 * Math.max(1, Math.abs(v)))
      last.runs++;
    else
      optima.push({value: v, runs: 1});
  }
  const index = Float32Array.from(sorted, (v, i) => i + 1);
  return [
    new Chart('objectives of all guesses, the best first',
      [{name: 'objective', x: index, y: Float32Array.from(sorted), colour: 0, dots: true}],
      {xname: 'guess'}),
    new Chart(`${optima.length} distinct optima, how often each was found`, [{
      name: 'runs',
      x: Float32Array.from(optima, o => o.value),
      y: Float32Array.from(optima, o => o.runs),
      colour: 1,
      dots: true,
      stem: true
    }],
      {xname: 'objective', unit: 'runs', zero: true})
  ];
}

// -- any other table: numbers over the first column of numbers

function drawTable(g, table) {
  const numbers = table.columns.filter(c => c.x && hasNumbers(columnNumbers(c)));
  const [first, ...rest] = numbers, out = [];
  for (let i = 0; first && i < rest.length; i += MOST_CURVES) {
    const curves =
      rest.slice(i, i + MOST_CURVES)
        .map((c, j) => ({name: c.name, x: columnNumbers(first), y: columnNumbers(c), colour: j}));
    out.push(
      new Chart(rest.slice(i, i + 3).map(c => c.name).join(', '), curves, {xname: first.name}));
  }
  const some = [...Array(Math.min(table.rows, 200)).keys()];
  return [
    ...(out.length ? [chartGrid(out)] : []),
    make('h3', {}, table.rows > 200 ? 'The first 200 rows' : 'The table'),
    tableOf(table, table.columns.map(c => c.name), some)
  ];
}

// -- output of a benchmark or an exam

// name value unit, or columns between two blanks
function readLines(text) {
  const lines = text.split('\n').map(l => l.trimEnd()).filter(l => l), figures = [], rows = [],
        rest = [];
  for (const l of lines) {
    const figure = l.match(/^(\S+) ([-+0-9.eE]+) (\S+)$/), cells = l.trim().split(/\s{2,}/);
    if (figure && Number.isFinite(Number(figure[2])))
      figures.push({name: figure[1], value: Number(figure[2]), unit: figure[3]});
    else if (cells.length > 2)
      rows.push(cells);
    else
      rest.push(l);
  }
  return {figures, rows, rest};
}

function figureTables(read, names) {
  const units = [...new Set(read.flatMap(r => r.figures.map(f => f.unit)))];
  return units.flatMap(unit => {
    const lists =
      read.map(r => new Map(r.figures.filter(f => f.unit === unit).map(f => [f.name, f.value])));
    const rows = [...new Set(lists.flatMap(m => [...m.keys()]))],
          columns = lists.map(m => rows.map(n => m.get(n)));
    const most = columns.length > 1 ? 0 : Math.max(...columns.flat().filter(Number.isFinite));
    const table = barTable(rows, names, columns, most);

    // of two files how the second stands to the first
    if (columns.length === 2) {
      table.querySelector('thead tr').append(make('th', {class: 'number'}, 'second over first'));
      table.querySelectorAll('tbody tr')
        .forEach((tr, r) =>
                   tr.append(make('td', {class: 'number'}, say(columns[1][r] / columns[0][r], 3))));
    }
    return [make('h3', {}, `Figures [${unit}]`), table];
  });
}

function textSection(data) {
  const files = data.folders.filter(f => typeof f.text === 'string');
  if (!files.length) return [];
  const read = files.map(f => readLines(f.text)),
        out = [heading('Figures that were printed'), ...figureTables(read, files.map(f => f.name))];
  read.forEach((r, i) => {
    if (r.rows.length > 1) {
      const wide = Math.max(...r.rows.map(x => x.length)),
            full = r.rows.map(x => [...x, ...Array(wide - x.length).fill('')]);
      out.push(make('h3', {}, files[i].name), plainTable(full[0], full.slice(1)));
    }
    if (r.rest.length) out.push(make('pre', {}, r.rest.join('\n')));
  });
  return out;
}

// JSON: lists of alike objects are tables, the rest a tree
function jsonPart(value) {
  if (Array.isArray(value) && value.length &&
    value.every(v => v && typeof v === 'object' && !Array.isArray(v))) {
    const head = [...new Set(value.flatMap(v => Object.keys(v)))];
    const flat = v => (v !== null && typeof v === 'object' ? JSON.stringify(v) :
        v === undefined                                    ? '' :
                                                             say(v, 6));
    return plainTable(head, value.map(v => head.map(h => flat(v[h]))));
  }
  if (value && typeof value === 'object' && !Array.isArray(value)) {
    const parts = make('div', {}), own = {};
    for (const [key, v] of Object.entries(value))
      if (Array.isArray(v) && v.length && typeof v[0] === 'object' && v[0] !== null &&
        !Array.isArray(v[0]))
        parts.append(make('h3', {}, key), jsonPart(v));
      else
        own[key] = v;
    parts.prepend(make('div', {class: 'wide'}, tree(own)));
    return parts;
  }
  return make('div', {class: 'wide'}, tree(value));
}

function jsonSection(data) {
  return data.folders.filter(f => f.json !== undefined)
    .flatMap(f => [heading(f.name), jsonPart(f.json)]);
}

// all studies of all folders, each by the first row that knows its table
function studiesSections(data) {
  const out = [];
  for (const g of wholesOf(data))
    for (const table of g.tables || []) {
      const row = rowOf(g, table), parts = row ? row.draw(g, table) : [];
      const named = row && (row.table || row.ending);
      if (parts.length)
        out.push(
          heading((g.label ? g.label + ': ' : '') + (named ? row.title : table.name)), ...parts);
    }
  return [...out, ...textSection(data), ...jsonSection(data)];
}
