// A chart: curves over one axis, with a cursor of the clock, values under the pointer, zoom by
// dragging, a legend whose names toggle their curves.

'use strict';

const charts = [];

class Chart {
  // curves: [{name, x, y, colour, dash, steps, dots}]; options: unit, xname, xunit, log, clock,
  // limits: [{value, colour}]
  constructor(title, curves, options) {
    Object.assign(this, {curves, options: options || {}, off: new Set(), zoom: null, pointer: null});
    this.canvas = make('canvas', {role: 'img', 'aria-label': title});
    this.values = make('span', {class: 'note'});
    this.legend = make('div', {class: 'legend'});
    const unit = this.options.unit ? ` [${this.options.unit}]` : '';
    this.element = make('div', {class: 'chart'}, make('h3', {}, title + unit), this.canvas, this.legend, this.values);
    this.fillLegend();
    this.follow();
    charts.push(this);
    this.sheet = document.createElement('canvas');
    if (this.options.clock) this.options.clock.listen(() => this.mark());
    new ResizeObserver(() => this.draw()).observe(this.canvas);
    new IntersectionObserver(list => {
      this.seen = list[list.length - 1].isIntersecting;
      if (this.seen) this.draw();
    }, {rootMargin: '100px'}).observe(this.canvas);
  }

  fillLegend() {
    this.legend.replaceChildren();
    this.curves.forEach((c, i) => {
      if (!c.name) return;
      const mark = make('i', {style: `border-color:${colour(c.colour)};border-top-style:${c.dash ? 'dashed' : 'solid'}`});
      const button = make('button', {type: 'button', 'aria-pressed': String(!this.off.has(i))}, mark, c.name);
      button.classList.toggle('off', this.off.has(i));
      button.addEventListener('click', () => {
        if (this.off.has(i)) this.off.delete(i); else this.off.add(i);
        this.fillLegend();
        this.draw();
      });
      this.legend.append(button);
    });
  }

  // the pointer: values under it, a drag zooms, a double click shows all, a click moves the clock
  follow() {
    const place = e => {
      const box = this.canvas.getBoundingClientRect();
      return this.inside ? this.toX(e.clientX - box.left) : null;
    };
    let from = null;
    this.canvas.addEventListener('pointerdown', e => { from = place(e); });
    this.canvas.addEventListener('pointermove', e => {
      this.pointer = place(e);
      this.drag = from !== null && e.buttons ? [from, this.pointer] : null;
      this.mark();
    });
    this.canvas.addEventListener('pointerleave', () => {
      this.pointer = this.drag = from = null;
      this.mark();
    });
    this.canvas.addEventListener('pointerup', e => {
      const to = place(e);
      const wide = from !== null && Math.abs(to - from) > 0.02 * (this.range[1] - this.range[0]);
      if (wide) this.zoom = [Math.min(from, to), Math.max(from, to)];
      else if (this.options.clock && to !== null) this.options.clock.set(to);
      from = this.drag = null;
      this.draw();
    });
    this.canvas.addEventListener('dblclick', () => { this.zoom = null; this.draw(); });
  }

  shown() {
    return this.curves.filter((c, i) => !this.off.has(i));
  }

  // the least and the largest of x and y of what is shown
  measure() {
    const x = [Infinity, -Infinity], y = [Infinity, -Infinity];
    for (const c of this.shown())
      for (let i = 0; i < c.x.length; i++) {
        if (!Number.isFinite(c.x[i])) continue;
        x[0] = Math.min(x[0], c.x[i]);
        x[1] = Math.max(x[1], c.x[i]);
      }
    if (this.zoom) [x[0], x[1]] = this.zoom;
    for (const c of this.shown())
      for (let i = 0; i < c.x.length; i++) {
        const v = this.options.log ? (c.y[i] > 0 ? Math.log10(c.y[i]) : NaN) : c.y[i];
        if (!Number.isFinite(v) || c.x[i] < x[0] || c.x[i] > x[1]) continue;
        y[0] = Math.min(y[0], v);
        y[1] = Math.max(y[1], v);
      }
    if (!(x[1] > x[0])) { x[0] -= 0.5; x[1] = x[0] + 1; }
    if (!(y[1] >= y[0])) { y[0] = 0; y[1] = 1; }

    // limits are shown where curves come near
    const reach = 0.6 * (y[1] - y[0]) + 1e-12;
    for (const l of this.options.limits || [])
      if (l.value > y[0] - reach && l.value < y[1] + reach) {
        y[0] = Math.min(y[0], l.value);
        y[1] = Math.max(y[1], l.value);
      }
    const room = 0.06 * (y[1] - y[0]) || Math.max(1e-9, 0.05 * Math.abs(y[0]));
    return [x, [y[0] - room, y[1] + room]];
  }

  // axes and curves, on a sheet of their own that stays; then what moves
  draw() {
    if (!this.seen) return;
    const ratio = window.devicePixelRatio || 1;
    const w = this.canvas.clientWidth, h = this.canvas.clientHeight;
    if (!w || !h) return;
    this.canvas.width = this.sheet.width = w * ratio;
    this.canvas.height = this.sheet.height = h * ratio;
    const g = this.sheet.getContext('2d');
    g.scale(ratio, ratio);
    g.font = '12px system-ui, "DejaVu Sans", sans-serif';
    const [x, y] = this.measure();
    this.range = x;
    const left = 58, right = w - 8, top = 8, bottom = h - 34;
    this.inside = true;
    const px = v => left + (v - x[0]) / (x[1] - x[0]) * (right - left);
    const py = v => bottom - (v - y[0]) / (y[1] - y[0]) * (bottom - top);
    this.toX = p => x[0] + (Math.max(left, Math.min(right, p)) - left) / (right - left) * (x[1] - x[0]);
    this.drawAxes(g, x, y, px, py, [left, right, top, bottom]);
    g.save();
    g.beginPath();
    g.rect(left, top, right - left, bottom - top);
    g.clip();
    this.drawLimits(g, y, py, left, right);
    for (const c of this.shown()) this.drawCurve(g, c, px, py);
    g.restore();
    Object.assign(this, {px, top, bottom, ratio, tone: styleOf('--faint'), tint: styleOf('--accent') + '33'});
    this.mark();
  }

  // the cursor and what is being dragged over, on the sheet
  mark() {
    if (!this.seen || !this.px) return;
    const g = this.canvas.getContext('2d'), {px, top, bottom, ratio} = this;
    g.setTransform(1, 0, 0, 1, 0, 0);
    g.clearRect(0, 0, this.canvas.width, this.canvas.height);
    g.drawImage(this.sheet, 0, 0);
    g.setTransform(ratio, 0, 0, ratio, 0, 0);
    if (this.drag) {
      g.fillStyle = this.tint;
      g.fillRect(px(this.drag[0]), top, px(this.drag[1]) - px(this.drag[0]), bottom - top);
    }
    const now = this.pointer !== null ? this.pointer : this.options.clock ? this.options.clock.t : null;
    if (now !== null && now >= this.range[0] && now <= this.range[1]) {
      g.fillStyle = this.tone;
      g.fillRect(px(now) - 0.5, top, 1, bottom - top);
    }
    this.tell(now);
  }

  drawAxes(g, x, y, px, py, [left, right, top, bottom]) {
    g.strokeStyle = styleOf('--line');
    g.fillStyle = styleOf('--faint');
    g.lineWidth = 1;
    g.textAlign = 'right';
    g.textBaseline = 'middle';
    for (const v of this.ticks(y, this.options.log)) {
      g.beginPath();
      g.moveTo(left, py(v));
      g.lineTo(right, py(v));
      g.stroke();
      g.fillText(this.options.log ? '1e' + v : say(v, 3), left - 6, py(v));
    }
    g.textAlign = 'center';
    g.textBaseline = 'top';
    for (const v of this.ticks(x)) {
      g.beginPath();
      g.moveTo(px(v), top);
      g.lineTo(px(v), bottom);
      g.stroke();
      g.fillText(say(v, 4), px(v), bottom + 4);
    }
    g.fillText(this.options.xname || 't [s]', (left + right) / 2, bottom + 19);
  }

  // round numbers in a range, about five; whole ones of logarithms
  ticks([low, high], whole) {
    const rough = (high - low) / 5, power = Math.pow(10, Math.floor(Math.log10(rough)));
    let step = [1, 2, 5, 10].map(f => f * power).find(s => s >= rough);
    if (whole) step = Math.max(1, Math.round(step));
    const list = [];
    for (let i = Math.ceil(low / step); i * step <= high + 1e-9 * step; i++)
      list.push(Number((i * step).toPrecision(12)));
    return list;
  }

  drawLimits(g, y, py, left, right) {
    g.setLineDash([5, 4]);
    g.lineWidth = 1;
    for (const l of this.options.limits || []) {
      if (l.value < y[0] || l.value > y[1]) continue;
      g.strokeStyle = colour(l.colour);
      g.beginPath();
      g.moveTo(left, py(l.value));
      g.lineTo(right, py(l.value));
      g.stroke();
    }
    g.setLineDash([]);
  }

  drawCurve(g, c, px, py) {
    g.strokeStyle = g.fillStyle = colour(c.colour);
    g.lineWidth = 1.8;
    g.setLineDash(c.dash ? [6, 4] : []);
    g.beginPath();
    let open = false, before = 0;
    const [first, last] = rowsIn(c, this.range), step = c.dots ? 1 : Math.max(1, Math.floor((last - first) / 4000));
    for (let i = first; i < last; i += step) {
      const v = this.options.log ? (c.y[i] > 0 ? Math.log10(c.y[i]) : NaN) : c.y[i];
      if (!Number.isFinite(v)) {
        if (open && c.steps) g.lineTo(px(c.x[i]), before);
        open = false;
        continue;
      }
      const a = px(c.x[i]), b = py(v);
      if (c.dots) {
        g.moveTo(a + 2.5, b);
        g.arc(a, b, 2.5, 0, 7);
      } else if (!open) {
        g.moveTo(a, b);
      } else {
        if (c.steps) g.lineTo(a, before);
        g.lineTo(a, b);
      }
      open = true;
      before = b;
    }
    if (c.dots) g.fill(); else g.stroke();
    g.setLineDash([]);
  }

  // the values at a place, in words below
  tell(x) {
    if (x === null) { this.values.textContent = ''; return; }
    const unit = this.options.unit ? ' ' + this.options.unit : '';
    const parts = this.shown().filter(c => c.name && !c.dots).slice(0, 8).map(c => `${c.name} ${say(valueAt(c, x))}${unit}`);
    this.values.textContent = `${(this.options.xname || 't [s]').split(' ')[0]} ${say(x)}: ${parts.join(', ')}`;
  }
}

// the rows of a curve in a range, and one beside it on either side
function rowsIn(c, range) {
  if (c.dots) return [0, c.x.length];
  let first = 0, last = c.x.length;
  while (first + 1 < last && c.x[first + 1] < range[0]) first++;
  while (last - 1 > first && c.x[last - 2] > range[1]) last--;
  return [first, last];
}

// a curve at x: between its points, or of steps the one before
function valueAt(c, x) {
  let low = 0, high = c.x.length - 1;
  if (high < 0 || x < c.x[0] || x > c.x[high]) return NaN;
  while (high - low > 1) {
    const middle = (low + high) >> 1;
    if (c.x[middle] <= x) low = middle; else high = middle;
  }
  if (c.steps || high === low) return x >= c.x[high] ? c.y[high] : c.y[low];
  const share = (x - c.x[low]) / (c.x[high] - c.x[low] || 1);
  return c.y[low] + share * (c.y[high] - c.y[low]);
}
