// How the motion was found, and what it keeps: iterations, violations by row and knot, timings; energy,
// momenta, contacts.

'use strict';

// -- iterations

function convergenceChart(data, columns, title, log) {
  const curves = [];
  for (const g of wholesOf(data)) {
    const table = findTable(g, 'convergence.csv'), x = numbersOf(table, 'iteration');
    if (!x) continue;
    columns.forEach((name, i) => {
      const y = numbersOf(table, name);
      if (y)
        curves.push({
          name: g.label ? `${g.label}: ${name}` : name,
          x,
          y,
          colour: g.label ? g.group : i,
          dash: g.label ? i : 0
        });
    });
  }
  return curves.length ? [new Chart(title, curves, {xname: 'iteration', log})] : [];
}

// violations of rows at each knot, the largest first
function violationMaps(data, clock) {
  return wholesOf(data).flatMap(g => {
    const table = findTable(g, 'violations.csv'), k = numbersOf(table, 'k');
    if (!k) return [];
    const knots = [...k.keys()].filter(r => Number.isFinite(k[r])), steps = at(g, 'result.steps');
    const timed = !g.whole && g.scene && steps > 0;
    // the times of knots, whose steps may be unequal; between the rows of a long table by equal steps
    const motion = findTable(g, 'trajectory.csv'), own = timed && numbersOf(motion, 'k');
    const time = new Map(own ? [...own].map((knot, r) => [knot, timesOf(g, motion)[r]]) : []);
    const x = knots.map(r => (timed ? time.get(k[r]) ?? k[r] * g.scene.end / steps : k[r]));
    const rows = table.columns.filter(c => c.x && c.name !== 'k')
                   .map(c => ({name: c.name, y: knots.map(r => columnNumbers(c)[r])}));
    const most = r => Math.max(0, ...r.y.filter(Number.isFinite));
    rows.sort((a, b) => most(b) - most(a));
    const options =
      Object.assign({log: true, low: 1e-16, high: 1e-8}, timed ? {clock} : {xname: 'knot'});
    return x.length && rows.length ?
      [new Heat((g.label ? g.label + ': ' : '') + 'violation by row and knot', x, rows, options)] :
      [];
  });
}

// -- energy, momenta, constraints

function energyChart(data, clock) {
  const curves = [], words = ['kinetic', 'potential', 'sum'], told = new Set();
  for (const f of data.folders) {
    if (!f.energy) continue;
    const x = decodeNumbers(f.energy.x), n = f.energy.rows, of = nameOf(data, f);
    words.forEach((w, i) => {
      if (several(data) && i < 2) return;
      const name = told.has(of + w) ? '' : of ? `${of}: ${w}` : w;
      told.add(of + w);
      curves.push({
        name,
        x: x.subarray(0, n).map(t => t + (f.begin || 0)),
        y: x.subarray((i + 1) * n, (i + 2) * n),
        colour: several(data) ? f.group : i
      });
    });
  }
  return curves.length ? [new Chart('energy', curves, {unit: 'J', clock})] : [];
}

// units of audits, by the first word of their columns
const AUDITED = {
  energy: ['total energy', 'J'],
  moment: ['moment about the origin', 'N m s'],
  momentum: ['momentum', 'N s'],
  residual: ['constraint at knots', ''],
  middle: ['constraint between knots', ''],
  alternating: ['what alternates', ''],
  constraint: ['constraints', ''],
  form: ['symplectic form', '']
};

function auditColumns(f, table) {
  return plainColumns(f, table)
    .map(c => Object.assign(c, {key: c.key || c.label}))
    .filter(c => AUDITED[c.key])
    .map(c => Object.assign(c, {unit: AUDITED[c.key][1]}));
}

function auditCharts(data, clock) {
  const of = table =>
    timeCharts(data, clock, {table, columns: auditColumns, title: key => AUDITED[key][0]});
  const own = of('trajectory.csv');
  return own.length ? own : of('monitors.csv');
}

// -- contacts: bars while they hold, their colour the force

function contactMaps(data, clock) {
  return data.folders.flatMap(f => {
    const all = contactRows(f);
    const t = timesOf(f, findTable(f, 'trajectory.csv')),
          k = numbersOf(findTable(f, 'trajectory.csv'), 'k');
    if (!all || !t || !k) return [];
    const rows = new Map();
    all.k.forEach((n, r) => {
      // a joint with dry friction has no other impulse
      const impulse = all.impulse[r] || (all.friction ? all.friction[r] : 0), name = all.name[r];
      if (!rows.has(name))
        rows.set(name, {name, y: new Float32Array(k.length).fill(NaN), open: -1});
      const row = rows.get(name), i = rowBefore(k, n);

      // from where it was made, or is held again, to where it is left
      if (all.what[r] === 'left') {
        row.open = -1;
        return;
      }
      if (all.what[r] === 'held' && row.open >= 0) row.y.fill(row.y[row.open], row.open, i);
      row.y[i] = Math.max(0, impulse);
      row.open = i;
    });
    return [new Heat((several(data) ? f.name + ': ' : '') + 'contacts', t, [...rows.values()],
      {unit: 'N s', log: true, clock})];
  });
}

// -- timings: all of result.json whose names end with _s

function timingsOf(value, path, out) {
  for (const [key, v] of Object.entries(value || {})) {
    const name = path ? `${path}.${key}` : key;
    if (typeof v === 'number' && /_s$/.test(key))
      out.set(name.replace(/_s$/, ''), v);
    else if (v && typeof v === 'object' && !Array.isArray(v))
      timingsOf(v, name, out);
  }
  return out;
}

function timingsTable(data) {
  const wholes = wholesOf(data), all = wholes.map(g => timingsOf(g.result, '', new Map()));
  const names = [...new Set(all.flatMap(m => [...m.keys()]))];
  if (!names.length) return [];
  const most = Math.max(...all.flatMap(m => [...m.values()]));
  return [
    make('h3', {}, 'Time by part [s]'),
    barTable(
      names, wholes.map(g => g.label || 'seconds'), all.map(m => names.map(n => m.get(n))), most)
  ];
}

// rows with a bar for each column's number, of `most`, or without one of the row's own largest
function barTable(names, heads, columns, most) {
  const share = (v, r) =>
    (Number.isFinite(v) ? v / (most || Math.max(...columns.map(c => c[r] || 0), 1e-300)) : 0);
  const bar = (v, i, r) => make('td', {class: 'bars'}, make('i', {
    style: `width:calc(${share(v, r)} * (100% - 6rem));background:var(--tone${i % LIGHT.length})`
  }),
    make('span', {}, say(v, 4)));
  return make('div', {class: 'wide'},
    make('table', {class: 'full'},
      make('thead', {}, make('tr', {}, make('th', {}, ''), ...heads.map(h => make('th', {}, h)))),
      make('tbody', {},
        ...names.map((n, r) => make(
                       'tr', {}, make('td', {}, n), ...columns.map((c, i) => bar(c[r], i, r)))))));
}

function solverSection(data, clock) {
  const charts = [
    ...convergenceChart(data, ['violation', 'dual', 'mu'], 'how far from an optimum', true),
    ...convergenceChart(data, ['objective'], 'objective', false), ...violationMaps(data, clock)
  ];
  const parts = charts.length ? [chartGrid(charts)] : [];
  parts.push(...timingsTable(data));
  return parts.length ? [heading('Solver'), ...parts] : [];
}

function mechanicsSection(data, clock) {
  return section('Mechanics',
    [...energyChart(data, clock), ...auditCharts(data, clock), ...contactMaps(data, clock)]);
}
