// A heat map: rows by name over an axis, each cell a colour of its value (viridis, which the
// colour-blind can read); the value under the pointer, a click moves the clock.

'use strict';

const VIRIDIS = [[68, 1, 84], [59, 82, 139], [33, 145, 140], [94, 201, 98], [253, 231, 37]];

function heatColour(share) {
  const s = Math.max(0, Math.min(1, share)) * (VIRIDIS.length - 1),
        i = Math.min(VIRIDIS.length - 2, Math.floor(s));
  return VIRIDIS[i].map((a, c) => Math.round(a + (s - i) * (VIRIDIS[i + 1][c] - a)));
}

class Heat {
  // x: the places of columns, ascending; rows: [{name, y}] with y[i] at x[i]; options: unit, xname, log,
  // low, high (of the colours), clock, labels: words in cells, ticks: words for x
  constructor(title, x, rows, options) {
    Object.assign(this, {x, rows, options: options || {}, pointer: null});
    this.canvas = make('canvas', {role: 'img', 'aria-label': title});
    this.values = make('span', {class: 'note'});
    const unit = this.options.unit ? ` [${this.options.unit}]` : '';
    this.element = make('div', {class: 'chart heat'}, make('h3', {}, title + unit), this.canvas,
      this.makeScale(), this.values);

    // high enough for words in cells, or for names beside rows
    const each = this.options.labels ? 34 : Math.max(4, Math.min(18, 360 / rows.length));
    this.canvas.style.height = `${Math.round(each * rows.length + 46)}px`;
    this.canvas.addEventListener('pointermove', e => {
      this.pointer = this.cellAt(e);
      this.tell();
    });
    this.canvas.addEventListener('pointerleave', () => {
      this.pointer = null;
      this.tell();
    });
    this.canvas.addEventListener('click', e => {
      const cell = this.cellAt(e);
      if (cell && this.options.clock) this.options.clock.set(this.x[cell[0]]);
    });
    if (this.options.clock) this.options.clock.listen(() => this.mark());
    this.sheet = document.createElement('canvas');
    charts.push(this);
    new ResizeObserver(() => this.draw()).observe(this.canvas);
  }

  fillLegend() {}

  // the range of the colours: of finite values, of logarithms those above zero
  range() {
    if (this.bounds) return this.bounds;
    let low = Infinity, high = -Infinity;
    for (const r of this.rows)
      for (const v of r.y) {
        if (!Number.isFinite(v) || (this.options.log && v <= 0)) continue;
        low = Math.min(low, v);
        high = Math.max(high, v);
      }
    if (this.options.low !== undefined) low = this.options.low;
    if (this.options.high !== undefined) high = Math.max(high, this.options.high);
    if (!(high >= low)) [low, high] = this.options.log ? [1e-16, 1] : [0, 1];
    this.bounds = [low, high];
    return this.bounds;
  }

  shareOf(v) {
    const [low, high] = this.range();
    if (!this.options.log) return high > low ? (v - low) / (high - low) : 0.5;
    return v > 0 ? Math.log(v / low) / (Math.log(high / low) || 1) : 0;
  }

  makeScale() {
    const [low, high] = this.range();
    const bar = VIRIDIS.map(c => `rgb(${c})`).join(', ');
    return make('div', {class: 'scale'}, make('span', {}, say(low, 3)),
      make('i', {style: `background:linear-gradient(90deg, ${bar})`}),
      make('span', {}, say(high, 3)),
      make('span', {class: 'note'}, this.options.log ? 'logarithmic; dark: less, or none' : ''));
  }

  cellAt(e) {
    const box = this.canvas.getBoundingClientRect(), {left, right, top, bottom} = this.frame || {};
    const px = e.clientX - box.left, py = e.clientY - box.top;
    if (!this.frame || px < left || px > right || py < top || py > bottom) return null;
    const row =
      Math.min(this.rows.length - 1, Math.floor((py - top) / (bottom - top) * this.rows.length));
    return [
      Math.min(this.x.length - 1, Math.floor((px - left) / (right - left) * this.x.length)), row
    ];
  }

  draw() {
    const {g, w, h, ratio} = openSheet(this);
    if (!g) return;
    const widest = Math.max(...this.rows.map(r => g.measureText(r.name).width));
    const left = Math.round(Math.min(0.42 * w, widest + 10)), right = w - 8, top = 6,
          bottom = h - 34;
    this.frame = {left, right, top, bottom, ratio};
    this.drawCells(g);
    this.drawNames(g);
    this.drawTicks(g);
    this.mark();
  }

  // where cells are narrower than a pixel, the largest of those in it
  drawCells(g) {
    const {left, right, top, bottom} = this.frame, n = this.x.length,
                             high = (bottom - top) / this.rows.length;
    const columns = Math.min(n, Math.floor(right - left)), wide = (right - left) / columns,
          gap = high > 8 ? 1 : 0;
    this.rows.forEach((r, j) => {
      for (let c = 0; c < columns; c++) {
        let most = NaN;
        for (let i = Math.floor(c * n / columns); i < Math.floor((c + 1) * n / columns); i++)
          if (Number.isFinite(r.y[i]) && !(r.y[i] <= most)) most = r.y[i];
        if (!Number.isFinite(most)) continue;
        const tone = heatColour(this.shareOf(most));
        g.fillStyle = `rgb(${tone})`;
        g.fillRect(
          left + c * wide, top + j * high, wide + (this.options.labels ? -1 : 0.5), high - gap);
        if (this.options.labels)
          this.drawLabel(g, this.options.labels(most), tone, left + (c + 0.5) * wide,
            top + (j + 0.5) * high, wide);
      }
    });
  }

  drawLabel(g, text, tone, x, y, wide) {
    if (g.measureText(text).width > wide - 4) return;
    g.fillStyle = tone[0] * 0.3 + tone[1] * 0.6 + tone[2] * 0.1 > 130 ? '#000' : '#fff';
    g.textAlign = 'center';
    g.textBaseline = 'middle';
    g.fillText(text, x, y);
  }

  drawNames(g) {
    const {left, top, bottom} = this.frame, high = (bottom - top) / this.rows.length;
    g.fillStyle = styleOf('--faint');
    g.textAlign = 'right';
    g.textBaseline = 'middle';
    const every = Math.ceil(12 / high);
    this.rows.forEach((r, j) => {
      if (j % every === 0)
        g.fillText(cutText(g, r.name, left - 8), left - 6, top + (j + 0.5) * high);
    });
  }

  drawTicks(g) {
    const {left, right, bottom} = this.frame, n = this.x.length, wide = (right - left) / n;
    g.fillStyle = styleOf('--faint');
    g.textAlign = 'center';
    g.textBaseline = 'top';
    g.fillText(this.options.xname || 't [s]', (left + right) / 2, bottom + 19);
    if (!this.options.ticks && n > 12) {
      const [first, last] = [this.x[0], this.x[n - 1]];
      for (const [v, text] of roundTicks([first, last], false, 4))
        g.fillText(text, left + 0.5 * wide + (v - first) / (last - first) * (right - left - wide),
          bottom + 4);
      return;
    }
    const every = Math.max(1, Math.ceil(n / Math.max(2, Math.floor((right - left) / 70))));
    for (let i = 0; i < n; i += every)
      g.fillText(this.options.ticks ? this.options.ticks[i] : say(this.x[i], 3),
        left + (i + 0.5) * wide, bottom + 4);
  }

  // the clock's line, on the sheet
  mark() {
    if (!this.frame) return;
    const {left, right, top, bottom, ratio} = this.frame, g = copySheet(this, ratio);
    if (!this.options.clock) return;
    const t = this.options.clock.t, n = this.x.length;
    if (t < this.x[0] || t > this.x[n - 1]) return;
    g.fillStyle = styleOf('--bad');
    g.fillRect(left + (rowBefore(this.x, t) + 0.5) / n * (right - left) - 1, top, 2, bottom - top);
  }

  tell() {
    if (!this.pointer) {
      this.values.textContent = '';
      return;
    }
    const [i, j] = this.pointer, v = this.rows[j].y[i],
              unit = this.options.unit ? ' ' + this.options.unit : '';
    const at = this.options.ticks ? this.options.ticks[i] : say(this.x[i]);
    const value = Number.isFinite(v) ?
      (this.options.labels ? this.options.labels(v) : say(v, 3)) + unit :
      'none';
    this.values.textContent =
      `${this.rows[j].name}, ${(this.options.xname || 't [s]').split(' [')[0]} ${at}: ${value}`;
  }
}

// a text that fits, by dots at its end
function cutText(g, text, wide) {
  if (g.measureText(text).width <= wide) return text;
  let n = text.length;
  while (n > 1 && g.measureText(text.slice(0, n) + '…').width > wide) n--;
  return text.slice(0, n) + '…';
}
