// The parts of the page below the robot: curves of tables, and what result.json says.

'use strict';

// folders side by side, each in a colour of its own; phases follow one another
const several = data => data.folders.length > 1 && !data.whole;

function heading(text) {
  return make('h2', {}, text);
}

// names of a kind that share a unit, at most eight a chart
function groupByUnit(list) {
  const groups = new Map();
  list.forEach((c, i) => {
    const key = c.unit || '';
    if (!groups.has(key)) groups.set(key, []);
    groups.get(key).push(Object.assign({index: i}, c));
  });
  const out = [];
  for (const [unit, names] of groups)
    for (let i = 0; i < names.length; i += 8) out.push({unit, names: names.slice(i, i + 8)});
  return out;
}

// the names of coordinates or inputs that any folder has, each with its unit
function namesOf(data, kind) {
  const all = new Map();
  for (const f of data.folders)
    for (const c of (f.names || {})[kind === 'u' ? 'inputs' : 'coordinates'] || [])
      if (!all.has(c.name)) all.set(c.name, c.unit);
  return [...all].map(([name, unit]) => ({name, unit}));
}

function hasNumbers(y) {
  return y.some(v => Number.isFinite(v));
}

// the curves of one kind of columns (q, v, u, ..) in the trajectories of all folders
function motionCharts(data, clock, kind, words) {
  const list = [];
  for (const group of groupByUnit(namesOf(data, kind))) {
    const curves = [], limits = [], named = new Set();
    data.folders.forEach((f, number) => {
      const table = findTable(f, 'trajectory.csv'), t = timesOf(f, table);
      const own = ((f.names || {})[kind === 'u' ? 'inputs' : 'coordinates'] || []).map(c => c.name);
      if (!t) return;
      group.names.forEach((c, i) => {
        const y = numbersOf(table, `${kind}.${c.name}`), tone = several(data) ? number : i;
        if (!y || !own.includes(c.name)) return;
        const name = several(data) ? `${f.name}: ${c.name}` : named.has(c.name) ? '' : c.name;
        curves.push({name, x: t, y, colour: tone, dash: several(data) && i > 0, steps: kind === 'u'});
        if (!named.has(c.name)) for (const l of limitsOf(f, kind, own.indexOf(c.name))) limits.push({value: l, colour: tone});
        named.add(c.name);
      });
    });
    const own = group.unit === '1' ? '' : group.unit;
    const unit = kind === 'v' ? (own ? own + '/s' : '1/s') : own;
    if (curves.length) list.push(new Chart(words, curves, {unit, clock, limits}));
  }
  return list;
}

function limitsOf(folder, kind, i) {
  const l = folder.limits || {}, of = (name, sign) => (l[name] && typeof l[name][i] === 'number' ? [sign * l[name][i]] : []);
  if (kind === 'v') return [...of('v_max', 1), ...of('v_max', -1)];
  return [...of(`${kind}_min`, 1), ...of(`${kind}_max`, 1)];
}

// any table by time: a chart for each first word of its columns
function tableCharts(f, name, clock, title, options) {
  const table = findTable(f, name), x = timesOf(f, table);
  if (!x) return [];
  const groups = new Map();
  for (const c of table.columns) {
    if (!c.x || ['t', 'k'].includes(c.name) || !hasNumbers(columnNumbers(c))) continue;
    const dot = c.name.indexOf('.');
    const key = options && options.one ? '' : dot > 0 ? c.name.slice(0, dot) : '';
    if (!groups.has(key)) groups.set(key, []);
    groups.get(key).push(c);
  }
  const out = [];
  for (const [key, list] of groups)
    for (let i = 0; i < list.length; i += 8) {
      const curves = list.slice(i, i + 8).map((c, j) => ({name: c.name, x, y: columnNumbers(c), colour: j, steps: options && options.steps}));
      out.push(new Chart([title, key].filter(w => w).join(' ') || list.map(c => c.name).join(', '), curves, Object.assign({clock}, options)));
    }
  return out;
}

function charts2(list) {
  return make('div', {class: 'charts'}, ...list.map(c => c.element));
}

function motionSection(data, clock) {
  const list = [...motionCharts(data, clock, 'q', 'position'), ...motionCharts(data, clock, 'v', 'velocity'), ...motionCharts(data, clock, 'u', 'input')];
  return list.length ? [heading('Motion'), charts2(list)] : [];
}

function outputsSection(data, clock) {
  const list = [];
  data.folders.forEach(f => list.push(...tableCharts(f, 'outputs.csv', clock, data.folders.length > 1 ? f.name : '')));
  return list.length ? [heading('Outputs'), charts2(list)] : [];
}

function energySection(data, clock) {
  const curves = [];
  const words = ['kinetic', 'potential', 'sum'];
  data.folders.forEach((f, number) => {
    if (!f.energy) return;
    const x = decodeNumbers(f.energy.x), n = f.energy.rows;
    words.forEach((w, i) => {
      if (several(data) && i < 2) return;
      curves.push({name: several(data) ? `${f.name}: ${w}` : number === 0 ? w : '', x: x.subarray(0, n).map(t => t + (f.begin || 0)), y: x.subarray((i + 1) * n, (i + 2) * n), colour: several(data) ? number : i});
    });
  });
  return curves.length ? [new Chart('energy', curves, {unit: 'J', clock})] : [];
}

function gainCharts(f, clock, of) {
  return tableCharts(f, 'gains.csv', clock, of + 'gains', {steps: true});
}

// closed loops of fan.csv: how far each sample is from the motion
function loopCharts(f, clock, of) {
  const fan = findTable(f, 'fan.csv'), sample = numbersOf(fan, 'sample'), t = timesOf(f, fan);
  if (!sample || !t || !f.names) return [];
  const out = [];
  for (const group of groupByUnit(f.names.coordinates)) {
    const curves = [];
    group.names.forEach((c, i) => {
      const y = numbersOf(fan, `q.${c.name}`);
      if (!y) return;
      let first = 0, runs = 0;
      for (let r = 1; r <= sample.length; r++) {
        if (r < sample.length && sample[r] === sample[first]) continue;
        curves.push({name: runs === 0 ? c.name : '', x: t.subarray(first, r), y: y.subarray(first, r), colour: i});
        first = r;
        runs++;
      }
    });
    if (curves.length) out.push(new Chart(of + 'closed loops, position', curves, {unit: group.unit, clock}));
  }
  return out;
}

// where samples began and how far off they ended
function sampleChart(f, of) {
  const table = findTable(f, 'verify.csv');
  const start = numbersOf(table, 'start_q_error'), final = numbersOf(table, 'final_error');
  const plant = findColumn(table, 'plant');
  if (!start || !final) return [];
  const words = plant && plant.words ? [...new Set(plant.words)] : [''];
  const curves = words.map((w, i) => {
    const rows = [...start.keys()].filter(r => !plant || !plant.words || plant.words[r] === w);
    return {name: w || 'samples', x: Float32Array.from(rows, r => start[r]), y: Float32Array.from(rows, r => final[r]), colour: i, dots: true};
  });
  const limit = at(f, 'result.verify.tolerance');
  const limits = typeof limit === 'number' && limit > 0 ? [{value: Math.log10(limit), colour: 1}] : [];
  return [new Chart(of + 'final error of each sample', curves, {xname: 'error of the start in q', log: true, limits})];
}

function feedbackSection(data, clock) {
  const list = [];
  for (const f of data.folders) {
    const of = data.folders.length > 1 ? f.name + ': ' : '';
    list.push(...sampleChart(f, of), ...loopCharts(f, clock, of), ...gainCharts(f, clock, of));
  }
  return list.length ? [heading('Feedback'), charts2(list)] : [];
}

function convergenceCharts(data) {
  const make2 = (columns, title, log) => {
    const curves = [];
    const tables = data.whole ? [{name: '', tables: data.folders[0].tables}] : data.folders;
    tables.forEach((f, number) => {
      const table = findTable(f, 'convergence.csv') || findTable(f, 'descent.csv'), x = numbersOf(table, 'iteration');
      if (!x) return;
      columns.forEach((name, i) => {
        const y = numbersOf(table, name);
        if (y) curves.push({name: several(data) ? `${f.name}: ${name}` : name, x, y, colour: several(data) ? number : i, dash: several(data) && i > 0});
      });
    });
    return curves.length ? [new Chart(title, curves, {xname: 'iteration', log})] : [];
  };
  return [...make2(['violation', 'dual', 'mu'], 'how far from an optimum', true), ...make2(['objective'], 'objective', false)];
}

function solverSection(data, clock) {
  const list = [...convergenceCharts(data), ...energySection(data, clock)];
  return list.length ? [heading('Solver and mechanics'), charts2(list)] : [];
}

// tables that no other part shows
function otherSection(data, clock) {
  const shown = new Set(['trajectory.csv', 'outputs.csv', 'gains.csv', 'fan.csv', 'verify.csv', 'convergence.csv', 'descent.csv', 'multipliers.csv', 'measured.csv', 'controller_trace.csv', 'plant.csv', 'second.csv', 'linearization.csv', 'momenta.csv']);
  const list = [];
  for (const f of data.folders)
    for (const table of f.tables || []) {
      // of a folder that is damaged the motion, too
      if (shown.has(table.name) && (f.names || table.name !== 'trajectory.csv')) continue;
      const of = data.folders.length > 1 ? f.name + ': ' : '';
      list.push(...tableCharts(f, table.name, clock, of + table.name.replace('.csv', '')));
    }
  return list.length ? [heading('More tables'), charts2(list)] : [];
}

// -- words

const STATUS = {solved: 'good', solved_acceptable: 'good', done: 'good', simulated: 'good', refused: 'warn'};

function statusWord(status) {
  return make('strong', {class: STATUS[status] || 'bad'}, String(status || 'no status').replace(/_/g, ' '));
}

// the outcome in a sentence
function sentence(f) {
  const r = f.result || {}, p = make('p', {class: 'sentence'});
  const add = (...parts) => p.append(...parts);
  add(statusWord(r.status), r.steps ? ` on ${r.steps} steps` : '', f.scene ? ` over ${say(f.scene.end)} s` : '');
  if (typeof r.objective === 'number') {
    add(`; objective ${say(r.objective, 6)}`);
    const off = at(r, 'accuracy.objective_error');
    if (typeof off === 'number') add(`, off by ${say(Math.abs(off), 2)} for its steps`);
  }
  const v = r.verify;
  if (v && v.samples && typeof v.held === 'number') {
    add('; ', make('strong', {class: v.held === v.samples ? 'good' : v.rate >= (v.required || 0.9) ? 'warn' : 'bad'}, `${v.held} of ${v.samples}`), ' perturbed starts succeeded');
  }
  add('.');
  return p;
}

function warningsOf(f) {
  const list = [...(at(f, 'result.warnings') || []), ...(f.odd || [])];
  if (at(f, 'result.error')) list.unshift(f.result.error);
  return list.map(w => make('p', {class: 'note warn'}, typeof w === 'string' ? w : JSON.stringify(w)));
}

// what of robots is not shown: a sentence, or a list that opens
function missingOf(folders) {
  const list = folders.flatMap(f => at(f, 'scene.missing') || []);
  const lines = list.map(w => make('p', {class: 'note warn'}, w));
  if (lines.length < 2) return lines;
  const count = `${lines.length} looks of links cannot be shown; sticks or <collision> stand for them`;
  return [make('details', {class: 'note'}, make('summary', {}, count), ...lines)];
}

// numbers of result.json that several folders are compared by
const COMPARED = [['status', 'status'], ['steps', 'steps'], ['objective', 'objective'], ['accuracy.objective_error', 'its error by the steps'],
  ['iterations', 'iterations'], ['time.total_s', 'time of the solve [s]'], ['max_violation', 'largest violation'],
  ['largest_turn.rad', 'largest turn in a step [rad]'], ['plant.step_gap.q.most', 'gap to the plant in a step'],
  ['gains.largest', 'largest gain'], ['verify.rate', 'share of samples that held'], ['verify.samples', 'samples'],
  ['verify.continuous.worst_final_error', 'worst final error, continuous plant'], ['controller.table_bytes', 'controller, bytes of tables'], ['version', 'version']];

function factsTable(data) {
  const head = make('tr', {}, make('th', {}, ''), ...data.folders.map(f => make('th', {class: 'number'}, f.name)));
  if (data.folders.length === 2) head.append(make('th', {class: 'number'}, 'difference'));
  const rows = [];
  for (const [path, words] of COMPARED) {
    const values = data.folders.map(f => at(f.result, path));
    if (values.every(v => v === undefined)) continue;
    const row = make('tr', {}, make('td', {}, words), ...values.map(v => make('td', {class: 'number'}, say(v, 6))));
    if (data.folders.length === 2) row.append(make('td', {class: 'number'}, values.every(v => typeof v === 'number') ? say(values[1] - values[0], 3) : ''));
    rows.push(row);
  }
  return make('div', {class: 'wide'}, make('table', {}, make('thead', {}, head), make('tbody', {}, ...rows)));
}

// an object as rows, parts within parts
function tree(value) {
  if (value === null || typeof value !== 'object') return document.createTextNode(say(value, 8));
  if (Array.isArray(value) && value.every(v => typeof v !== 'object')) return document.createTextNode(value.map(v => say(v, 6)).join(', '));
  const rows = Object.entries(value).map(([key, v]) => make('tr', {}, make('th', {}, key), make('td', {}, tree(v))));
  return make('table', {}, make('tbody', {}, ...rows));
}

function recordSection(data) {
  const out = [heading('Record')];
  for (const f of data.folders) {
    const thin = (f.tables || []).filter(t => t.every > 1).map(t => `${t.name} every ${t.every}. row`);
    if (thin.length) out.push(make('p', {class: 'note'}, `Of ${f.name} are drawn: ${thin.join(', ')}.`));
    if (f.problem) out.push(make('details', {}, make('summary', {}, `problem file of ${f.name}`), make('pre', {}, f.problem)));
    out.push(make('details', {}, make('summary', {}, `result.json of ${f.name}`), make('div', {class: 'wide'}, tree(f.result || {}))));
  }
  return out;
}
