// The page in words: the outcome in a sentence, warnings, figures side by side, the record.

'use strict';

const STATUS = {
  solved: 'good',
  solved_acceptable: 'good',
  done: 'good',
  simulated: 'good',
  refused: 'warn'
};

function statusWord(status) {
  return make(
    'strong', {class: STATUS[status] || 'bad'}, String(status || 'no status').replace(/_/g, ' '));
}

// the outcome in a sentence
function sentence(f) {
  const r = f.result || {}, p = make('p', {class: 'sentence'});
  const add = (...parts) => p.append(...parts);
  add(statusWord(r.status), r.steps ? ` on ${r.steps} steps` : '',
    f.scene ? ` over ${say(f.scene.end)} s` : '');
  if (typeof r.objective === 'number') {
    add(`; objective ${say(r.objective, 6)}`);
    const off = at(r, 'accuracy.objective_error');
    if (typeof off === 'number') add(`, off by ${say(Math.abs(off), 2)} for its steps`);
  }
  const v = r.verify;
  if (v && v.samples && typeof v.held === 'number') {
    add('; ',
      make('strong',
        {class: v.held === v.samples      ? 'good' :
            v.rate >= (v.required || 0.9) ? 'warn' :
                                            'bad'},
        `${v.held} of ${v.samples}`),
      ' perturbed starts succeeded');
  }
  add('.');
  return p;
}

function warningsOf(f) {
  const list = [...(at(f, 'result.warnings') || []), ...(f.odd || [])];
  if (at(f, 'result.error')) list.unshift(f.result.error);
  return list.map(
    w => make('p', {class: 'note warn'}, typeof w === 'string' ? w : JSON.stringify(w)));
}

// parts of robots that are not shown: a sentence, or a list that opens
function missingOf(folders) {
  const list = folders.flatMap(f => at(f, 'scene.missing') || []);
  const lines = list.map(w => make('p', {class: 'note warn'}, w));
  if (lines.length < 2) return lines;
  const count =
    `${lines.length} looks of links cannot be shown; sticks or <collision> stand for them`;
  return [make('details', {class: 'note'}, make('summary', {}, count), ...lines)];
}

// numbers of result.json that several folders are compared by
const COMPARED = [
  'status', 'steps', 'objective', 'accuracy.objective_error', 'iterations', 'time.total_s',
  'max_violation', 'largest_turn.rad', 'plant.step_gap.q.most', 'gains.largest', 'verify.rate',
  'verify.samples', 'verify.continuous.worst_final_error', 'controller.table_bytes', 'version'
];

// the label and unit of a number, by its key or a key for any plant
function labelOf(data, path) {
  const parts = path.split('.');
  const [label, unit] =
    data.labels[path] || data.labels[`${parts[0]}.*.${parts.slice(2).join('.')}`] || [path, ''];
  const which = data.labels[path] || parts.length < 3 ? '' : `, ${parts[1]}`;
  return `${label}${which}${unit && unit !== '1' && unit !== 'unit' ? ` [${unit}]` : ''}`;
}

function factsTable(data) {
  const all = [];
  for (const g of wholesOf(data)) {
    if (g.result) all.push(g);
    if (g.whole) all.push(...g.folders);
  }
  if (!all.length) return [];
  const head =
    make('tr', {}, make('th', {}, ''), ...all.map(f => make('th', {class: 'number'}, f.name)));
  if (all.length === 2) head.append(make('th', {class: 'number'}, 'difference'));

  // rows that one of them has at least
  const rows = [];
  for (const path of COMPARED) {
    const values = all.map(f => at(f.result, path));
    if (values.every(v => v === undefined)) continue;
    const row = make('tr', {}, make('td', {}, labelOf(data, path)),
      ...values.map(v => make('td', {class: 'number'}, say(v, 6))));
    if (all.length === 2)
      row.append(make('td', {class: 'number'},
        values.every(v => typeof v === 'number') ? say(values[1] - values[0], 3) : ''));
    rows.push(row);
  }
  const title = all.length > 1 ? 'Side by side' : 'Figures';
  return [
    heading(title),
    make('div', {class: 'wide'},
      make('table', {}, make('thead', {}, head), make('tbody', {}, ...rows)))
  ];
}

// an object as rows, parts within parts
function tree(value) {
  if (value === null || typeof value !== 'object') return document.createTextNode(say(value, 8));
  if (Array.isArray(value) && value.every(v => typeof v !== 'object'))
    return document.createTextNode(value.map(v => say(v, 6)).join(', '));
  const rows = Object.entries(value).map(
    ([key, v]) => make('tr', {}, make('th', {}, key), make('td', {}, tree(v))));
  return make('table', {}, make('tbody', {}, ...rows));
}

function recordSection(data) {
  const out = [heading('Record')];
  for (const f of data.folders.filter(x => !x.study)) {
    const thin =
      (f.tables || []).filter(t => t.every > 1).map(t => `${t.name} every ${t.every}. row`);
    if (thin.length)
      out.push(make('p', {class: 'note'}, `Of ${f.name} are drawn: ${thin.join(', ')}.`));
    if (f.problem)
      out.push(make('details', {}, make('summary', {}, `problem file of ${f.name}`),
        make('pre', {}, f.problem)));
    out.push(make('details', {}, make('summary', {}, `result.json of ${f.name}`),
      make('div', {class: 'wide'}, tree(f.result || {}))));
  }
  return out.length > 1 ? out : [];
}
