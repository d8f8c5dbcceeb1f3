// A chart: curves over one axis, with a cursor of the clock, values under the pointer, zoom by
// dragging, a legend whose names toggle their curves.

'use strict';

const charts = [];

// the sheet of a chart, empty and as large as its canvas: {g, w, h, ratio}; g null: it has no room
function openSheet(chart) {
  const ratio = window.devicePixelRatio || 1, w = chart.canvas.clientWidth,
        h = chart.canvas.clientHeight;
  if (!w || !h) return {g: null};
  chart.canvas.width = chart.sheet.width = w * ratio;
  chart.canvas.height = chart.sheet.height = h * ratio;
  const g = chart.sheet.getContext('2d');
  g.scale(ratio, ratio);
  g.font = '12px system-ui, "DejaVu Sans", sans-serif';
  return {g, w, h, ratio};
}

// fixed parts are on the canvas; moving parts are drawn over it
function copySheet(chart, ratio) {
  const g = chart.canvas.getContext('2d');
  g.setTransform(1, 0, 0, 1, 0, 0);
  g.clearRect(0, 0, chart.canvas.width, chart.canvas.height);
  g.drawImage(chart.sheet, 0, 0);
  g.setTransform(ratio, 0, 0, ratio, 0, 0);
  return g;
}

class Chart {
  // curves: [{name, x, y, colour, dash, steps, stem, dots, cross, join, low, high}]: join: dots with lines between
  // them; low, high: a band about y; stem: lines up to dots. options: unit, xname, log,
  // xlog, zero (the axis begins there), clock, rounding: what is smaller is rounding of zero,
  // limits: [{value, colour, x}]: a number, or with x a list of them at those places
  constructor(title, curves, options) {
    Object.assign(
      this, {curves, options: options || {}, off: new Set(), zoom: null, pointer: null});
    this.canvas = make('canvas', {role: 'img', 'aria-label': title});
    this.values = make('span', {class: 'note'});
    this.legend = make('div', {class: 'legend'});
    const unit = this.options.unit ? ` [${this.options.unit}]` : '';
    this.element = make(
      'div', {class: 'chart'}, make('h3', {}, title + unit), this.canvas, this.legend, this.values);
    this.fillLegend();
    this.follow();
    charts.push(this);

    // axes and curves stay on a sheet; drawn while in sight alone
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
      const mark = this.makeMark(c);
      const button =
        make('button', {type: 'button', 'aria-pressed': String(!this.off.has(i))}, mark, c.name);
      button.classList.toggle('off', this.off.has(i));
      button.addEventListener('click', () => {
        if (this.off.has(i))
          this.off.delete(i);
        else
          this.off.add(i);
        this.fillLegend();
        this.draw();
      });
      this.legend.append(button);
    });
  }

  // a piece of the curve as it is drawn
  makeMark(c) {
    const svg = document.createElementNS('http://www.w3.org/2000/svg', 'svg');
    svg.setAttribute('width', 20);
    svg.setAttribute('height', 8);
    const path = document.createElementNS('http://www.w3.org/2000/svg', 'path');
    const round = 'M7.5 4 a2.5 2.5 0 1 0 5 0 a2.5 2.5 0 1 0 -5 0', cross = 'M7 1 L13 7 M13 1 L7 7';
    path.setAttribute('d', c.cross ? cross : c.dots && !c.join ? round : 'M0 4 H20');
    path.setAttribute('stroke', colour(c.colour));
    path.setAttribute('fill', c.dots && !c.cross && !c.join ? colour(c.colour) : 'none');
    path.setAttribute('stroke-width', 2.2);
    path.setAttribute('stroke-dasharray', dashOf(c).join(' '));
    svg.append(path);
    return svg;
  }

  // the pointer: values under it, a drag zooms, a double click shows all, a click moves the clock
  follow() {
    const place = e => {
      const box = this.canvas.getBoundingClientRect();
      return this.inside ? this.toX(e.clientX - box.left) : null;
    };

    // where a drag began, in the units of x
    let from = null;
    this.canvas.addEventListener('pointerdown', e => {
      from = place(e);
    });
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
      if (wide)
        this.zoom = [Math.min(from, to), Math.max(from, to)];
      else if (this.options.clock && to !== null)
        this.options.clock.set(to);
      from = this.drag = null;
      this.draw();
    });
    this.canvas.addEventListener('dblclick', () => {
      this.zoom = null;
      this.draw();
    });
  }

  shown() {
    return this.curves.filter((c, i) => !this.off.has(i));
  }

  // the least and the largest x and y of the visible curves
  measure() {
    const x = [Infinity, -Infinity], y = [Infinity, -Infinity];
    for (const c of this.shown())
      for (let i = 0; i < c.x.length; i++) {
        if (!Number.isFinite(c.x[i])) continue;
        x[0] = Math.min(x[0], c.x[i]);
        x[1] = Math.max(x[1], c.x[i]);
      }
    // over time all charts show the same, so that their cursors stand below one another
    const clock = this.options.clock;
    if (clock && clock.end > 0) [x[0], x[1]] = [Math.min(0, x[0]), Math.max(clock.end, x[1])];
    if (this.zoom) [x[0], x[1]] = this.zoom;
    if (this.options.zero) y[0] = 0;
    for (const c of this.shown())
      for (const list of [c.y, c.low, c.high])
        for (let i = 0; list && i < c.x.length; i++) {
          const v = this.options.log ? (list[i] > 0 ? Math.log10(list[i]) : NaN) : list[i];
          if (!Number.isFinite(v) || c.x[i] < x[0] || c.x[i] > x[1]) continue;
          y[0] = Math.min(y[0], v);
          y[1] = Math.max(y[1], v);
        }
    if (this.options.xlog) [x[0], x[1]] = x.map(Math.log10);
    if (!(x[1] > x[0])) {
      x[0] -= 0.5;
      x[1] = x[0] + 1;
    }

    // dots stand clear of the edges
    if (!this.zoom && this.curves.some(c => c.dots)) {
      const edge = 0.03 * (x[1] - x[0]);
      x[0] -= edge;
      x[1] += edge;
    }
    if (!(y[1] >= y[0])) {
      y[0] = 0;
      y[1] = 1;
    }

    // limits are shown where curves come near
    const reach = 0.6 * (y[1] - y[0]) + 1e-12, low = y[0] - reach, high = y[1] + reach;
    for (const v of (this.options.limits || []).flatMap(valuesOfLimit))
      if (v > low && v < high) {
        y[0] = Math.min(y[0], v);
        y[1] = Math.max(y[1], v);
      }

    // rounding of zero has no axis of its own
    const least = this.options.rounding || 0;
    const flat = Math.max(Math.abs(y[0]), Math.abs(y[1])) < least;
    const room = flat ? 1 : 0.06 * (y[1] - y[0]) || Math.max(1e-9, 0.05 * Math.abs(y[0]));
    return [x, [this.options.zero ? 0 : y[0] - room, y[1] + room]];
  }

  // axes and curves on a separate, fixed sheet; then the moving parts
  draw() {
    if (!this.seen) return;
    const {g, w, h, ratio} = openSheet(this);
    if (!g) return;
    const [x, y] = this.measure();
    this.range = this.options.xlog ? x.map(v => Math.pow(10, v)) : x;
    const left = 58, right = w - 8, top = 8, bottom = h - 34;
    this.inside = true;
    const px = v =>
      left + ((this.options.xlog ? Math.log10(v) : v) - x[0]) / (x[1] - x[0]) * (right - left);
    const py = v => bottom - (v - y[0]) / (y[1] - y[0]) * (bottom - top);
    const inX = p =>
      x[0] + (Math.max(left, Math.min(right, p)) - left) / (right - left) * (x[1] - x[0]);
    this.toX = p => (this.options.xlog ? Math.pow(10, inX(p)) : inX(p));
    this.drawAxes(g, x, y, px, py, [left, right, top, bottom]);

    // curves within the frame
    g.save();
    g.beginPath();
    g.rect(left, top, right - left, bottom - top);
    g.clip();
    this.drawMarks(g, px, top, bottom);
    this.drawLimits(g, y, px, py, left, right);
    for (const c of this.shown()) {
      if (c.low) this.drawBand(g, c, px, py);
      this.drawCurve(g, c, px, py);
      if (c.join) this.drawCurve(g, Object.assign({}, c, {dots: false}), px, py);
    }
    g.restore();
    Object.assign(
      this, {px, top, bottom, ratio, tone: styleOf('--faint'), tint: styleOf('--accent') + '33'});
    this.mark();
  }

  // the cursor and the dragged range, on the sheet
  mark() {
    if (!this.seen || !this.px) return;
    const {px, top, bottom, ratio} = this, g = copySheet(this, ratio);
    if (this.drag) {
      g.fillStyle = this.tint;
      g.fillRect(px(this.drag[0]), top, px(this.drag[1]) - px(this.drag[0]), bottom - top);
    }
    const now = this.pointer !== null ? this.pointer :
      this.options.clock              ? this.options.clock.t :
                                        null;
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

    // lines at round numbers of y, then of x
    for (const [v, text] of roundTicks(y, this.options.log, 3)) {
      g.beginPath();
      g.moveTo(left, py(v));
      g.lineTo(right, py(v));
      g.stroke();
      g.fillText(text, left - 6, py(v));
    }
    g.textAlign = 'center';
    g.textBaseline = 'top';
    for (const [v, text] of roundTicks(x, this.options.xlog, 4)) {
      const at = px(this.options.xlog ? Math.pow(10, v) : v);
      g.beginPath();
      g.moveTo(at, top);
      g.lineTo(at, bottom);
      g.stroke();
      // whole at the canvas's edge, too
      const half = g.measureText(text).width / 2, edge = this.canvas.clientWidth;
      g.fillText(text, Math.min(at, edge - half), bottom + 4);
    }
    g.fillText(this.options.xname || 't [s]', (left + right) / 2, bottom + 19);
  }

  // where phases begin: a line, and from there the name, if there is room up to the next phase
  drawMarks(g, px, top, bottom) {
    const marks = this.options.clock ? this.options.clock.marks : [];
    const one = marks.every(m => m.group === marks[0].group);
    g.setLineDash([2, 3]);
    g.lineWidth = 1;
    g.textAlign = 'left';
    g.textBaseline = 'top';
    marks.forEach((m, i) => {
      g.strokeStyle = g.fillStyle = one ? styleOf('--faint') : colour(m.group);
      if (m.t > 0) {
        g.beginPath();
        g.moveTo(px(m.t), top);
        g.lineTo(px(m.t), bottom);
        g.stroke();
      }
      const next = i + 1 < marks.length ? px(marks[i + 1].t) : Infinity;
      if (one && px(m.t) + g.measureText(m.name).width + 6 < next)
        g.fillText(m.name, px(m.t) + 3, top + 2);
    });
    g.setLineDash([]);
  }

  drawLimits(g, y, px, py, left, right) {
    g.setLineDash([5, 4]);
    g.lineWidth = 1;
    for (const l of this.options.limits || []) {
      const values = valuesOfLimit(l), x = l.x ? l.x.map(px) : [left, right];
      if (values.every(v => v < y[0] || v > y[1])) continue;
      g.strokeStyle = g.fillStyle = colour(l.colour);
      g.beginPath();
      if (x.length === 1) {
        g.arc(x[0], py(values[0]), 3, 0, 7);
        g.fill();
        continue;
      }
      x.forEach((at, i) => g.lineTo(at, py(l.x ? values[i] : l.value)));
      g.stroke();
    }
    g.setLineDash([]);
  }

  // the largest number of all curves
  most() {
    if (this.largest === undefined) {
      this.largest = 0;
      for (const c of this.curves)
        for (const v of c.y)
          if (Math.abs(v) > this.largest) this.largest = Math.abs(v);
    }
    return this.largest;
  }

  // a number of a curve; zero if it is rounding of zero
  round(v) {
    const least = Math.max(1e-10 * this.most(), this.options.rounding || 0);
    return !this.options.log && Math.abs(v) <= least ? 0 : v;
  }

  // from zero up to each dot
  drawStems(g, c, px, py) {
    g.beginPath();
    for (let i = 0; i < c.x.length; i++) {
      g.moveTo(px(c.x[i]), py(0));
      g.lineTo(px(c.x[i]), py(c.y[i]));
    }
    g.stroke();
  }

  // between low and high
  drawBand(g, c, px, py) {
    g.globalAlpha = 0.18;
    g.fillStyle = colour(c.colour);
    g.beginPath();
    for (let i = 0; i < c.x.length; i++) g.lineTo(px(c.x[i]), py(c.low[i]));
    for (let i = c.x.length - 1; i >= 0; i--) g.lineTo(px(c.x[i]), py(c.high[i]));
    g.fill();
    g.globalAlpha = 1;
  }

  drawCurve(g, c, px, py) {
    g.strokeStyle = g.fillStyle = colour(c.colour);
    g.lineWidth = 1.8;
    g.setLineDash(dashOf(c));
    if (c.stem) this.drawStems(g, c, px, py);
    g.beginPath();

    // a gap where a number is missing; long curves are thinned
    let open = false, before = 0;
    const [first, last] = rowsIn(c, this.range),
                  step = c.dots ? 1 : Math.max(1, Math.floor((last - first) / 4000));
    for (let i = first; i < last; i += step) {
      const v = this.options.log ? (c.y[i] > 0 ? Math.log10(c.y[i]) : NaN) : c.y[i];
      if (!Number.isFinite(v)) {
        if (open && c.steps) g.lineTo(px(c.x[i]), before);
        open = false;
        continue;
      }
      const a = px(c.x[i]), b = py(v);
      if (c.dots && c.cross) {
        for (const s of [1, -1]) {
          g.moveTo(a - 3, b - 3 * s);
          g.lineTo(a + 3, b + 3 * s);
        }
      } else if (c.dots) {
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
    if (c.dots && !c.cross)
      g.fill();
    else
      g.stroke();
    g.setLineDash([]);
  }

  // the values at a place, in words below
  tell(x) {
    if (x === null) {
      this.values.textContent = '';
      return;
    }
    const unit = this.options.unit ? ' ' + this.options.unit : '';
    const parts = this.shown()
                    .filter(c => c.name && (!c.dots || c.join))
                    .slice(0, 8)
                    .map(c => `${c.name} ${say(this.round(valueAt(c, x)))}${unit}`);
    this.values.textContent =
      `${(this.options.xname || 't [s]').split(' ')[0]} ${say(x)}: ${parts.join(', ')}`;
  }
}

// the numbers of a limit
function valuesOfLimit(l) {
  return l.x ? l.value : [l.value];
}

// round numbers in a range, about five, as they are said; of logarithms powers of ten, or 1, 2, 5
function roundTicks([low, high], log, digits) {
  const list = [];
  if (log && high - low < 2.5) {
    for (let power = Math.floor(low); power <= high; power++)
      for (const f of [1, 2, 5]) {
        const at = power + Math.log10(f);
        if (at >= low && at <= high)
          list.push([at, say(Number((f * Math.pow(10, power)).toPrecision(3)), 3)]);
      }
    if (list.length > 1) return list;
  }

  // 1, 2 or 5 times a power of ten, about five of them
  const rough = (high - low) / 5, power = Math.pow(10, Math.floor(Math.log10(rough)));
  let step = [1, 2, 5, 10].map(f => f * power).find(s => s >= rough * (1 - 1e-9));
  const whole = log && step >= 0.5;
  if (whole) step = Math.max(1, Math.round(step));

  // as many digits as tell them apart
  const size = Math.max(Math.abs(low), Math.abs(high));
  const apart = Math.max(digits || 4, 1 + Math.ceil(Math.log10(size / step)));
  for (let i = Math.ceil(low / step); i * step <= high + 1e-9 * step; i++) {
    const at = Number((i * step).toPrecision(12));
    list.push([at, whole ? '1e' + at : say(log ? Math.pow(10, at) : at, apart)]);
  }
  return list;
}

// curves of one colour are told apart by their dashes; dash: a number, 0 for none
const DASHES = [[], [7, 4], [2, 3], [10, 3, 2, 3], [14, 4], [4, 2, 1, 2], [1, 5], [18, 3, 3, 3]];

function dashOf(c) {
  return DASHES[(c.dash || 0) % DASHES.length];
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
    if (c.x[middle] <= x)
      low = middle;
    else
      high = middle;
  }
  if (c.steps || high === low) return x >= c.x[high] ? c.y[high] : c.y[low];
  const share = (x - c.x[low]) / (c.x[high] - c.x[low] || 1);
  return c.y[low] + share * (c.y[high] - c.y[low]);
}
