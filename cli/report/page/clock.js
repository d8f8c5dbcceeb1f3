// The time that the robot and all charts show.

'use strict';

class Clock {
  // marks: [{t, name, group}], where phases begin
  constructor(end, marks) {
    this.end = end;
    this.marks = marks || [];
    this.t = 0;
    this.speed = 1;
    this.playing = false;
    this.listeners = [];
    this.last = null;
  }

  listen(f) {
    this.listeners.push(f);
  }

  set(t) {
    this.t = Math.max(0, Math.min(this.end, t));
    for (const f of this.listeners) f(this.t);
  }

  play() {
    if (this.t >= this.end) this.t = 0;
    this.playing = true;
    this.last = null;
    requestAnimationFrame(now => this.tick(now));
  }

  pause() {
    this.playing = false;
    this.set(this.t);
  }

  tick(now) {
    if (!this.playing) return;
    const passed = this.last === null ? 0 : (now - this.last) / 1000;
    this.last = now;
    const t = this.t + this.speed * passed;
    if (t >= this.end) {
      this.playing = false;
      this.set(this.end);
      return;
    }
    this.set(t);
    requestAnimationFrame(next => this.tick(next));
  }

  // play, scrub, speed
  bar() {
    const play = make('button', {type: 'button', id: 'play', title: 'play or pause (space)'}, '▶');
    const range = make(
      'input', {type: 'range', id: 'scrub', min: 0, max: 1000, value: 0, 'aria-label': 'time'});
    const speed = make('select', {id: 'speed', 'aria-label': 'speed'});
    for (const s of [0.1, 0.25, 0.5, 1, 2, 4]) speed.append(make('option', {value: s}, '×' + s));
    speed.value = '1';
    const shown = make('output', {id: 'time'});

    // the button and the space bar do the same
    const turn = () => (this.playing ? this.pause() : this.play());
    play.addEventListener('click', turn);
    range.addEventListener('input', () => {
      this.playing = false;
      this.set(this.end * range.value / 1000);
    });
    speed.addEventListener('change', () => {
      this.speed = Number(speed.value);
    });
    document.addEventListener('keydown', e => {
      if (e.key !== ' ' || /^(INPUT|SELECT|BUTTON|TEXTAREA)$/.test(e.target.tagName)) return;
      e.preventDefault();
      turn();
    });
    this.listen(t => {
      range.value = this.end > 0 ? 1000 * t / this.end : 0;
      shown.textContent = `${t.toFixed(3)} of ${say(this.end)} s`;
      play.textContent = this.playing ? '❚❚' : '▶';
    });
    return make('div', {class: 'bar'}, play, range, shown, speed);
  }
}
