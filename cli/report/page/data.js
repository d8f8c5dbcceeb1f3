// Data of the page: the file's content, and its numbers.

'use strict';

// numbers in base64, 32-bit floats with the lowest byte first
function decodeNumbers(text) {
  const letters = atob(text), bytes = new Uint8Array(letters.length);
  for (let i = 0; i < bytes.length; i++) bytes[i] = letters.charCodeAt(i);
  if (new Uint8Array(new Uint16Array([1]).buffer)[0] === 1) return new Float32Array(bytes.buffer);
  const view = new DataView(bytes.buffer);
  return Float32Array.from({length: bytes.length / 4}, (_, i) => view.getFloat32(4 * i, true));
}

// a table of a folder by its name, with its columns decoded when they are asked for; or null
function findTable(folder, name) {
  const table = (folder.tables || []).find(t => t.name === name);
  return table || null;
}

function columnNumbers(column) {
  if (!column.numbers) column.numbers = column.x ? decodeNumbers(column.x) : new Float32Array(0);
  return column.numbers;
}

function findColumn(table, name) {
  return table ? table.columns.find(c => c.name === name) || null : null;
}

function numbersOf(table, name) {
  const column = findColumn(table, name);
  return column && column.x ? columnNumbers(column) : null;
}

// What happened to contacts, a row for each knot and contact: from contacts.csv of a simulation, or
// schedule.csv of a plan; or null.
function contactRows(folder) {
  const made = findTable(folder, 'contacts.csv'), table = made || findTable(folder, 'schedule.csv');
  const words = name => (findColumn(table, name) || {}).words;
  const rows = {
    t: numbersOf(table, 't'),
    k: numbersOf(table, 'k'),
    name: words('contact'),
    impulse: numbersOf(table, 'impulse'),
    friction: numbersOf(table, 'friction'),
    what: made ? words('what') : (words('state') || []).map(s => s === 'open' ? 'left' : 'held')
  };
  return rows.k && rows.t && rows.name && rows.what && rows.impulse ? rows : null;
}

// words of the command line side by side, each in a colour of its own; phases of one follow one another
const several = data => data.groups.length > 1;

// the name of the folder or group that a folder's curves are told by; '' where there is one alone
function nameOf(data, f) {
  if (!several(data)) return '';
  return data.groups[f.group].result ? data.groups[f.group].name : f.name;
}

// result.json and tables of each group: of its phases as a whole, or of its one folder
function wholesOf(data) {
  return data.groups
    .map((g, i) => {
      const own = data.folders.filter(f => f.group === i);
      const whole = g.result ? Object.assign({whole: true, begin: 0, folders: own}, g) : own[0];
      if (g.result) whole.title = own.map(f => f.file_name).find(name => name);
      return Object.assign({}, whole, {group: i, label: several(data) ? whole.name : ''});
    })
    .filter(g => g.tables || g.result || g.study);
}

// the phases of all groups: when each begins, and its name
function phaseMarks(data) {
  return data.folders.filter(f => data.groups[f.group].result)
    .map(f => ({t: f.begin || 0, name: f.name.split('/').pop(), group: f.group}));
}

// the times of a table of a folder: a phase begins where the one before it ends
function timesOf(folder, table) {
  const t = numbersOf(table, 't');
  if (!t || !folder.begin) return t;
  table.shifted = table.shifted || t.map(x => x + folder.begin);
  return table.shifted;
}

// a.b.c of an object; undefined where it ends early
function at(object, path) {
  let x = object;
  for (const word of path.split('.')) {
    if (x === null || x === undefined) return undefined;
    x = x[word];
  }
  return x;
}

// a number for people: four digits, powers of ten where it is far from one
function say(x, digits) {
  if (x === null || x === undefined || Number.isNaN(x)) return '–';
  if (typeof x !== 'number') return String(x);
  if (!Number.isFinite(x)) return x > 0 ? '∞' : '−∞';
  if (x === 0) return '0';
  const size = Math.abs(x);
  if (Number.isInteger(x) && size < 1e6) return String(x);
  if (size < 1e-3 || size >= 1e6) return x.toExponential((digits || 4) - 2);
  return String(Number(x.toPrecision(digits || 4)));
}

function make(tag, attributes, ...children) {
  const e = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes || {})) {
    if (name === 'class')
      e.className = value;
    else if (name.startsWith('on'))
      e.addEventListener(name.slice(2), value);
    else
      e.setAttribute(name, value);
  }
  for (const child of children)
    if (child !== null && child !== undefined) e.append(child);
  return e;
}

// colours that the colour-blind tell apart (Okabe and Ito), darker or lighter with the page
const LIGHT =
  ['#0072b2', '#d55e00', '#009e73', '#cc79a7', '#9a7d00', '#3a9fd0', '#000000', '#7a5cc0'];
const DARK =
  ['#56b4e9', '#ff9448', '#2fd0a0', '#e39cc6', '#f0e442', '#8fd0ff', '#f4f4f4', '#b39cf0'];

function isDark() {
  return document.documentElement.classList.contains('dark');
}

function colour(i) {
  const list = isDark() ? DARK : LIGHT;
  return list[i % list.length];
}

function styleOf(name) {
  return getComputedStyle(document.documentElement).getPropertyValue(name).trim();
}
