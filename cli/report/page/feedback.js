// The feedback: gains over time by input, closed loops, samples and their outcomes, robustness.

'use strict';

// -- gains: K.INPUT.STATE, one chart an input, chosen where there are many

function splitGain(name, inputs) {
  const [letter, ...rest] = name.split('.'), text = rest.join('.');
  const input = inputs.find(u => text.startsWith(u + '.'));
  return input ? {letter, input, state: text.slice(input.length + 1)} : null;
}

function gainColumns(letters, only) {
  return (f, table) => {
    const inputs =
      ((f.names || {}).inputs || []).map(c => c.name).sort((a, b) => b.length - a.length);
    return table.columns
      .map(c => {
        const part = splitGain(c.name, inputs);
        if (!part || !letters.includes(part.letter) || (only && part.input !== only)) return null;
        return {
          column: c.name,
          label: part.state,
          key: `${part.letter} of ${part.input}`,
          steps: true
        };
      })
      .filter(c => c);
  };
}

// charts of all inputs, or with a list to choose one of: [element]
function gainsPart(data, clock) {
  const of = (table, letters, only) => timeCharts(
    data, clock, {table, columns: gainColumns(letters, only), title: key => 'gains ' + key});
  const inputs =
    [...new Set(data.folders.flatMap(f => ((f.names || {}).inputs || []).map(c => c.name)))];
  if (inputs.length <= 4)
    return [chartGrid([...of('gains.csv', ['K', 'W']), ...of('measured.csv', ['G'])])].filter(
      e => e.children.length);
  if (!data.folders.some(f => findTable(f, 'gains.csv'))) return [];
  const pick = make('select', {'aria-label': 'input whose gains are shown', id: 'gains'},
    ...inputs.map(u => make('option', {value: u}, u)));
  const place = make('div');
  const fill = () => place.replaceChildren(chartGrid(
    [...of('gains.csv', ['K', 'W'], pick.value), ...of('measured.csv', ['G'], pick.value)]));
  pick.addEventListener('change', fill);
  fill();
  return [make('p', {class: 'note'}, 'Gains of ', pick), place];
}

// -- closed loops of fan.csv

function loopCharts(data, clock) {
  const groups = new Map();
  for (const f of data.folders) {
    const fan = findTable(f, 'fan.csv'), sample = numbersOf(fan, 'sample'), t = timesOf(f, fan);
    if (!sample || !t || !f.names) continue;
    f.names.coordinates.forEach((c, i) => {
      const y = numbersOf(fan, `q.${c.name}`), unit = c.unit === '1' ? '' : c.unit;
      if (!y) return;
      const key = unit + (Math.floor(i / MOST_CURVES) || '');
      if (!groups.has(key)) groups.set(key, {unit, curves: [], limits: []});
      const of = nameOf(data, f), group = groups.get(key), label = of ? `${of}: ${c.name}` : c.name;
      const known = group.curves.find(x => x.name === label);
      const tone = several(data) ? f.group : known ? known.colour : i;
      group.limits.push(...limitsOf(f, 'stop', i).map(value => ({value, colour: tone})));

      // a run ends where the next sample begins
      let first = 0, runs = known ? 1 : 0;
      for (let r = 1; r <= sample.length; r++) {
        if (r < sample.length && sample[r] === sample[first]) continue;
        group.curves.push({
          name: runs++ ? '' : label,
          x: t.subarray(first, r),
          y: y.subarray(first, r),
          colour: tone,
          dash: several(data) ? i : 0
        });
        first = r;
      }
    });
  }
  return [...groups.values()].map(
    g => new Chart('closed loops, position', g.curves, {unit: g.unit, clock, limits: g.limits}));
}

// -- samples

// where samples began and how far off they ended; those that are lost as crosses
function sampleCharts(data) {
  return data.folders.flatMap(f => {
    const table = findTable(f, 'verify.csv'), plant = findColumn(table, 'plant');
    const start = numbersOf(table, 'start_q_error'), final = numbersOf(table, 'final_error'),
          held = numbersOf(table, 'held');
    if (!start || !final) return [];
    const words = plant && plant.words ? [...new Set(plant.words)] : ['samples'], curves = [];

    // of each plant those that succeed, then those that are lost
    words.forEach((w, i) => {
      for (const lost of [false, true]) {
        const rows =
          [...start.keys()].filter(r => (!plant || !plant.words || plant.words[r] === w) &&
              (held ? held[r] < 0.5 : false) === lost);
        if (!rows.length) continue;
        curves.push({
          name: lost ? w + ', lost' : w,
          x: Float32Array.from(rows, r => start[r]),
          y: Float32Array.from(rows, r => final[r]),
          colour: i,
          dots: true,
          cross: lost
        });
      }
    });
    const limit = at(f, 'result.verify.tolerance');
    const limits =
      typeof limit === 'number' && limit > 0 ? [{value: Math.log10(limit), colour: 1}] : [];
    const of = data.folders.length > 1 ? f.name + ': ' : '';
    return [new Chart(of + 'final error of each sample', curves,
      {xname: 'error of the start in q [rad or m]', unit: 'rad or m', log: true, limits})];
  });
}

const PLANTS = ['discrete', 'continuous', 'mujoco', 'exported', 'gains'];

// how many succeed on each plant, and why the others are lost
function samplesTable(data) {
  const rows = [], why = [];
  for (const f of data.folders)
    for (const plant of PLANTS) {
      const v = at(f, 'result.verify.' + plant);
      if (!v || typeof v.held !== 'number') continue;
      const samples = f.result.verify.samples, lost = lostOf(f, plant);
      rows.push([
        data.folders.length > 1 ? f.name : '', plant, `${v.held} of ${samples}`,
        `${say(100 * v.rate_low, 3)} to ${say(100 * v.rate_high, 3)} %`, say(v.worst_final_error),
        String(v.saturated), lost, limitsOfSamples(v.limits)
      ]);
      if (v.lost)
        why.push(make('details', {},
          make('summary', {},
            `why samples are lost, ${plant}${data.folders.length > 1 ? ', ' + f.name : ''}`),
          make('div', {class: 'wide'}, tree(v.lost))));
    }
  if (!rows.length) return [];
  const head =
    ['', 'plant', 'succeed', 'rate, 95 %', 'worst final error', 'saturated', 'lost by', 'limits'];
  return [plainTable(head, rows), ...why, ...excessTable(data)];
}

// effects of position limits on samples
function limitsOfSamples(limits) {
  const said = [], {use, redrawn, passed, stopped} = limits || {};
  if (redrawn) said.push(`starts drawn again: ${redrawn}`);
  if (passed) said.push(`passed one: ${passed}`);
  if (use === 'stop') said.push(`met a stop: ${stopped}`);
  if (use === 'ignore') said.push('ignored');
  return said.join(', ');
}

// joints beyond their limits of position and speed, each with its worst sample
function excessTable(data) {
  const rows = [];
  for (const f of data.folders)
    for (const plant of PLANTS)
      for (const kind of ['position', 'speed'])
        for (const l of at(f, `result.verify.${plant}.limits.${kind}s`) || []) {
          if (!(l.samples > 0)) continue;
          rows.push([
            data.folders.length > 1 ? f.name : '', plant, l.joint, kind, say(l.limit), say(l.value),
            say(l.excess), say(l.t), String(l.sample), `${l.samples} of ${f.result.verify.samples}`
          ]);
        }
  if (!rows.length) return [];
  const head = [
    '', 'plant', 'joint', 'limit of', 'limit', 'worst', 'beyond by', 'at [s]', 'in sample',
    'samples beyond'
  ];
  return [make(
    'details', {open: ''}, make('summary', {}, 'samples beyond limits'), plainTable(head, rows))];
}

// the coordinates that are furthest off at the end, of those that are lost, or whose limit was passed
function lostOf(f, plant) {
  const table = findTable(f, 'verify.csv'), held = numbersOf(table, 'held');
  const words = name => (findColumn(table, name) || {}).words;
  const plants = words('plant'), worst = words('final_worst'), passed = words('passed');
  const final = numbersOf(table, 'final_error'), within = at(f, 'result.verify.tolerance');
  if (!held || !plants || !worst) return '';
  const count = new Map();
  held.forEach((h, r) => {
    if (h > 0.5 || plants[r] !== plant) return;
    const came = typeof within !== 'number' || (final && final[r] <= within);
    const by = came && passed && passed[r] ? 'limit of ' + passed[r] : worst[r];
    count.set(by, (count.get(by) || 0) + 1);
  });
  return [...count]
    .sort((a, b) => b[1] - a[1])
    .map(([w, n]) => `${w || 'not finite'} (${n})`)
    .join(', ');
}

function plainTable(head, rows) {
  const numeric = text => /^[-−]?[0-9.]/.test(text);
  const cell = text => make('td', {class: numeric(text) ? 'number' : ''}, text);
  const used = head.map((h, i) => rows.some(r => r[i] !== ''));
  const pick = list => list.filter((x, i) => used[i]);
  const top =
    pick(head.map((h, i) => make('th',
                    {class: rows.every(r => r[i] === '' || numeric(r[i])) ? 'number' : ''}, h)));
  return make('div', {class: 'wide'},
    make('table', {}, make('thead', {}, make('tr', {}, ...top)),
      make('tbody', {}, ...rows.map(r => make('tr', {}, ...pick(r.map(cell)))))));
}

// -- robustness: the share that succeeds by level, with its interval of 95 %

function robustnessCharts(f, of) {
  const table = findTable(f, 'robustness.csv');
  const [level, held, samples, low, high] =
    ['level', 'held', 'samples', 'low', 'high'].map(n => numbersOf(table, n));
  const axis = (findColumn(table, 'axis') || {}).words,
        part = (findColumn(table, 'part') || {}).words;
  if (!level || !axis || !part) return [];
  return [...new Set(axis)].map(a => {
    const parts = [...new Set(part.filter((p, r) => axis[r] === a))];
    const curves = parts.map((p, i) => {
      const rows = [...level.keys()]
                     .filter(r => axis[r] === a && part[r] === p)
                     .sort((r, s) => level[r] - level[s]);
      const take = y => Float32Array.from(rows, r => y[r]);
      return {
        name: p,
        x: take(level),
        y: Float32Array.from(rows, r => held[r] / samples[r]),
        low: take(low),
        high: take(high),
        colour: i,
        dots: true,
        join: true
      };
    });
    return new Chart(
      `${of}share that succeeds, errors of ${a}`, curves, {xname: `level of ${a}`, zero: true});
  });
}

function regionChart(f, of) {
  const table = findTable(f, 'region.csv'), x = numbersOf(table, 'direction'),
        held = numbersOf(table, 'held'), failed = numbersOf(table, 'failed');
  if (!x || !held) return [];
  const curves = [{name: 'largest that succeeds', x, y: held, colour: 0, dots: true}];
  if (failed && hasNumbers(failed))
    curves.push({name: 'least that fails', x, y: failed, colour: 1, dots: true, cross: true});
  return [new Chart(
    of + 'region of attraction, size by direction', curves, {xname: 'direction', unit: 'spreads'})];
}

// criterion by level: the levels that succeed
function criteriaMap(f, of) {
  const table = findTable(f, 'criteria.csv'), level = numbersOf(table, 'level'),
        survived = numbersOf(table, 'survived');
  const words = name => (findColumn(table, name) || {}).words || [];
  if (!level || !survived) return [];
  const [criterion, vary, part] = ['criterion', 'vary', 'part'].map(words);
  const levels = [...new Set(level)].sort((a, b) => a - b), rows = new Map();
  level.forEach((l, r) => {
    const name = [criterion[r], vary[r], part[r]].filter(w => w).join(' ');
    if (!rows.has(name)) rows.set(name, {name, y: levels.map(() => NaN)});
    rows.get(name).y[levels.indexOf(l)] = survived[r];
  });
  return [new Heat(of + 'criteria: what was survived', levels, [...rows.values()],
    {xname: 'level', low: 0, high: 1, labels: v => (v > 0.5 ? 'yes' : 'no')})];
}

function feedbackSection(data, clock) {
  const charts = [...sampleCharts(data), ...loopCharts(data, clock)];
  for (const f of data.folders) {
    const of = data.folders.length > 1 ? f.name + ': ' : '';
    charts.push(...robustnessCharts(f, of), ...regionChart(f, of), ...criteriaMap(f, of));
  }
  const parts = [
    ...samplesTable(data), ...(charts.length ? [chartGrid(charts)] : []), ...gainsPart(data, clock)
  ];
  return parts.length ? [heading('Feedback'), ...parts] : [];
}
