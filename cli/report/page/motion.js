// Curves over time, of any table: one chart a unit, folders side by side on one axis, phases one after
// another; the motion, its inputs and outputs, gains.

'use strict';

const MOST_CURVES = 8;  // of a chart

function heading(text) {
  return make('h2', {}, text);
}

function chartGrid(list) {
  return make('div', {class: 'charts'}, ...list.map(c => c.element));
}

function section(title, list) {
  return list.length ? [heading(title), chartGrid(list)] : [];
}

function hasNumbers(y) {
  return y.some(v => Number.isFinite(v));
}

// Charts of columns over time. spec.table: its name; spec.columns(f, table): what of a folder's table is
// drawn, [{column, label, unit, key, steps, limits}]: those of one key and unit share a chart;
// spec.title(key): of it.
function timeCharts(data, clock, spec) {
  // by key and unit, then by label: the curve of each folder
  const groups = new Map();
  for (const f of data.folders) {
    const table = findTable(f, spec.table), t = timesOf(f, table);
    if (!t) continue;
    for (const c of spec.columns(f, table)) {
      const y = numbersOf(table, c.column);
      if (!y || !hasNumbers(y)) continue;
      const key = JSON.stringify([c.key || '', c.unit || '']);
      if (!groups.has(key)) groups.set(key, new Map());
      const labels = groups.get(key);
      if (!labels.has(c.label)) labels.set(c.label, []);
      labels.get(c.label).push({f, x: t, y, c});
    }
  }
  const out = [];
  for (const [key, labels] of groups) {
    const [word, unit] = JSON.parse(key), names = [...labels.keys()];
    for (let i = 0; i < names.length; i += MOST_CURVES)
      out.push(makeTimeChart(
        data, clock, spec.title(word), unit, names.slice(i, i + MOST_CURVES), labels));
  }
  return out;
}

// a chart of those names: a colour a name, or side by side a colour a folder and a dash
function makeTimeChart(data, clock, title, unit, names, labels) {
  const curves = [], limits = [];
  names.forEach((name, i) => {
    const told = new Set();
    for (const {f, x, y, c} of labels.get(name)) {
      const of = nameOf(data, f), tone = several(data) ? f.group : i;
      curves.push({
        name: told.has(of) ? '' :
          of               ? `${of}: ${name}` :
                             name,
        x,
        y,
        colour: tone,
        dash: several(data) ? i : 0,
        steps: c.steps
      });
      if (!told.size || told.has(of)) limits.push(...limitsAlong(data, f, c, x, tone));
      told.add(of);
    }
  });
  return new Chart(title, curves, {unit, clock, limits, rounding: 1e-12});
}

// the limits of a folder's column: over all its times, over those of its phase, and over spans
function limitsAlong(data, f, c, x, tone) {
  const phase = data.groups[f.group].result, list = [];
  for (const v of c.limits || [])
    list.push(
      phase ? {value: [v, v], x: [x[0], x[x.length - 1]], colour: tone} : {value: v, colour: tone});
  for (const w of f.windows || []) {
    if (w.column !== c.column) continue;
    const t = w.t.map(at => at + (f.begin || 0)), equal = String(w.low) === String(w.high);
    for (const side of equal ? [w.low] : [w.low, w.high])
      if (side) list.push({value: side, x: t, colour: tone});
  }
  return list;
}

// -- the motion

function limitsOf(folder, kind, i) {
  const l = folder.limits || {},
        of = (name, sign) => (l[name] && typeof l[name][i] === 'number' ? [sign * l[name][i]] : []);
  if (kind === 'v') return [...of('v_max', 1), ...of('v_max', -1)];
  return [...of(`${kind}_min`, 1), ...of(`${kind}_max`, 1)];
}

const RATE = {
  m: 'm/s',
  rad: 'rad/s',
  '': '1/s'
};

function motionColumns(kind) {
  return f => ((f.names || {})[kind === 'u' ? 'inputs' : 'coordinates'] || []).map((c, i) => {
    const own = c.unit === '1' || !c.unit ? '' : c.unit;
    return {
      column: `${kind}.${c.name}`,
      label: c.name,
      unit: kind === 'v' ? RATE[own] : own,
      steps: kind === 'u',
      limits: limitsOf(f, kind, i)
    };
  });
}

function motionSection(data, clock) {
  const of = (kind, words) => timeCharts(
    data, clock, {table: 'trajectory.csv', columns: motionColumns(kind), title: () => words});
  return section('Motion', [...of('q', 'position'), ...of('v', 'velocity'), ...of('u', 'input')]);
}

// -- outputs: values of steps, as power is, have none at the last knot

function outputColumns(f, table) {
  const clearances = new Set(f.clearances);
  return table.columns.filter(c => c.x && !['t', 'k'].includes(c.name)).map(c => {
    const label = c.name.replace(/^y\./, ''), y = columnNumbers(c),
          unit = at(f.result, 'outputs.' + label + '.unit') || '';
    return {
      column: c.name,
      label,
      key: clearances.has(c.name) ? 'clearance' : 'output',
      unit: unit === '1' ? '' : unit,
      steps: y.length > 1 && !Number.isFinite(y[y.length - 1])
    };
  });
}

function outputsSection(data, clock) {
  return section('Outputs',
    timeCharts(data, clock, {table: 'outputs.csv', columns: outputColumns, title: key => key}));
}

// -- any other table by time: a chart for each first word of its columns

function plainColumns(f, table) {
  return table.columns.filter(c => c.x && !['t', 'k'].includes(c.name)).map(c => {
    const dot = c.name.indexOf('.');
    return {column: c.name, label: c.name, key: dot > 0 ? c.name.slice(0, dot) : ''};
  });
}

// tables that no other part shows
const SHOWN = new Set([
  'trajectory.csv', 'outputs.csv', 'gains.csv', 'fan.csv', 'verify.csv', 'convergence.csv',
  'compare.csv', 'descent.csv', 'violations.csv', 'contacts.csv', 'schedule.csv', 'monitors.csv',
  'robustness.csv', 'region.csv', 'criteria.csv', 'optima.csv', 'measured.csv'
]);

function otherSection(data, clock) {
  const list = [], names = new Set();
  for (const f of data.folders)
    for (const table of f.tables || [])
      // of a folder that is damaged the motion, too
      if (!f.study && (!SHOWN.has(table.name) || (!f.names && table.name === 'trajectory.csv')))
        names.add(table.name);
  for (const name of names) {
    const word = name.replace('.csv', '');
    list.push(...timeCharts(data, clock,
      {table: name, columns: plainColumns, title: key => [word, key].filter(w => w).join(' ')}));
  }
  return section('More tables', list);
}
