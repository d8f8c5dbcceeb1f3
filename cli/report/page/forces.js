// What pushes, pulls and turns a robot: arrows, arcs about axes, and lines whose width is a tension.

'use strict';

// switches for forces: the word of the file, the word of its button, its colour; other parts look like friction
const FORCE_PARTS = [
  ['input', 'inputs', '#d55e00'], ['cable', 'cables', '#d55e00'], ['load', 'loads', '#9a7d00'],
  ['spring', 'springs', '#009e73'], ['constraint', 'constraints', '#7a5cc0'],
  ['friction', 'friction', '#8c564b'], ['contact', 'contacts', '#c2186b']
];
const partRow = part => FORCE_PARTS.find(p => p[0] === part) || [part, `${part}s`, '#8c564b'];
const PULL = new Float32Array([0.835, 0.369, 0]), PUSH = new Float32Array([0, 0.447, 0.698]);

// a column over time, constant from each row to the next or straight between rows
class Column {
  constructor(t, y, steps) {
    Object.assign(this, {t, y, steps, row: 0});
  }

  at(time) {
    const {t, y} = this;
    const last = t.length - 1;
    if (last < 0) return 0;

    // time goes on: the row is the one before, or near it
    if (t[this.row] > time) this.row = 0;
    if (last > 64 && time > t[Math.min(last, this.row + 64)]) this.row = rowBefore(t, time);
    while (this.row < last && t[this.row + 1] <= time) this.row++;
    let k = this.row;
    if (this.steps) {
      if (k === last && last > 0 && !Number.isFinite(y[k])) k--;
      return Number.isFinite(y[k]) ? y[k] : 0;
    }
    if (k === last) return y[k] || 0;
    const share = Math.max(0, Math.min(1, (time - t[k]) / (t[k + 1] - t[k] || 1)));
    return (1 - share) * y[k] + share * y[k + 1] || 0;
  }

  most() {
    let most = 0;
    for (const v of this.y)
      if (Number.isFinite(v)) most = Math.max(most, Math.abs(v));
    return most;
  }
}

function rowBefore(t, time) {
  let low = 0, high = t.length - 1;
  while (high - low > 1) {
    const middle = (low + high) >> 1;
    if (t[middle] <= time)
      low = middle;
    else
      high = middle;
  }
  return low;
}

// the impulses of one contact: each is shown a while
class Events {
  constructor(t, impulse, linger) {
    Object.assign(this, {t, impulse, linger});
  }

  at(time) {
    if (!this.t.length || time < this.t[0]) return 0;
    const k = this.t[this.t.length - 1] <= time ? this.t.length - 1 : rowBefore(this.t, time);
    return time - this.t[k] < this.linger ? this.impulse[k] : 0;
  }

  most() {
    return Math.max(0, ...this.impulse.map(Math.abs));
  }
}

const NO_COLUMN = {
  at: () => 1,
  most: () => 1
};

class Forces {
  // of a robot (robot.js): columns of its folder's tables, or of its scene's series
  constructor(robot, folder) {
    this.robot = robot;
    this.folder = folder;
    this.group = new THREE.Group();
    this.off = new Set();
    this.list = (robot.scene.forces || []).map(f => this.prepare(f)).filter(f => f && f.most > 0);
  }

  findColumn(name) {
    if (!name) return NO_COLUMN;
    const series = this.robot.scene.series, i = series ? series.names.indexOf(name) + 1 : 0;
    if (i > 0) {
      this.series = this.series || decodeNumbers(series.x);
      const n = series.rows;
      return new Column(
        this.series.subarray(0, n), this.series.subarray(i * n, (i + 1) * n), false);
    }
    const table = findTable(this.folder, 'trajectory.csv'), y = numbersOf(table, name);
    return y ? new Column(numbersOf(table, 't'), y, true) : null;
  }

  findEvents(name, what) {
    const all = contactRows(this.folder);
    if (!all) return null;
    const {t, impulse} = all;
    const rows =
      [...t.keys()].filter(r => all.name[r] === name && all.what[r] === what && impulse[r] !== 0);
    if (!rows.length) return null;

    // an impulse is seen a while, a force until the next row that is near
    const gaps = rows.slice(1).map((r, i) => t[r] - t[rows[i]]), end = this.robot.scene.end;
    const linger = what === 'made' ? end / 40 : Math.min(end / 20, 1.5 * Math.min(end, ...gaps));
    return new Events(rows.map(r => t[r]), rows.map(r => impulse[r]), linger);
  }

  // its columns, its largest value, its meshes; null: it has no numbers
  prepare(force) {
    const impulse = force.contact ? this.findEvents(force.contact, force.what) : NO_COLUMN;
    const terms = force.terms.map(t => Object.assign({values: this.findColumn(t.column)}, t));
    if (!impulse || terms.some(t => !t.values)) return null;
    let most = impulse.most() *
      Math.hypot(
        ...terms.map(t => t.factor * t.values.most() * (t.along ? Math.hypot(...t.along) : 1)));
    if (force.squared) most *= 2 * this.lengthOf(force.lines[0]);
    const shape = force.kind === 'line' ? this.makeLines(force) :
      force.kind === 'turn'             ? this.makeArc(force) :
                                          this.makeArrow(force);
    shape.visible = false;
    shape.traverse(m => {
      m.renderOrder = 5;
      m.userData.force = force;
    });
    this.group.add(shape);
    return Object.assign({impulse, most, shape}, force, {terms});
  }

  lengthOf(line) {
    return this.robot.place(this.robot.poses, 0, line.from)
      .distanceTo(this.robot.place(this.robot.poses, 0, line.to));
  }

  material(part) {
    return new THREE.MeshBasicMaterial(
      {color: partRow(part)[2], transparent: true, opacity: 0.92, depthTest: false});
  }

  // along y, its tail at the origin; the head keeps its shape
  makeArrow(force) {
    const s = this.robot.size, material = this.material(force.part), arrow = new THREE.Group();
    const shaft =
      new THREE.Mesh(new THREE.CylinderBufferGeometry(0.008 * s, 0.008 * s, 1, 10), material);
    const head = new THREE.Mesh(new THREE.ConeBufferGeometry(0.024 * s, 0.06 * s, 14), material);
    return arrow.add(shaft, head);
  }

  // three quarters of a circle about z, of radius one, with a head
  makeArc(force) {
    const material = this.material(force.part), arc = new THREE.Group(), sweep = 1.5 * Math.PI;
    const ring = new THREE.Mesh(new THREE.TorusBufferGeometry(1, 0.06, 8, 40, sweep), material);
    const head = new THREE.Mesh(new THREE.ConeBufferGeometry(0.2, 0.5, 14), material);
    head.position.set(Math.cos(sweep), Math.sin(sweep), 0);
    head.rotation.z = sweep;
    return arc.add(ring, head);
  }

  makeLines(force) {
    const group = new THREE.Group(), material = this.material(force.part);
    for (const line of force.lines) {
      const mesh = new THREE.Mesh(new THREE.CylinderBufferGeometry(1, 1, 1, 10), material);
      mesh.userData.line = line;
      group.add(mesh);
    }
    return group;
  }

  // the largest of each unit, so that folders side by side share a scale
  mostOf(kind, unit) {
    return Math.max(
      0, ...this.list.filter(f => f.kind === kind && f.unit === unit).map(f => f.most));
  }

  // the vector, or the tension, of a force at a time; copy: the robot as it is drawn there
  valueOf(f, copy, time) {
    const sum = new THREE.Vector3(), strength = f.impulse.at(time);
    let tension = 0;
    for (const t of f.terms) {
      const size = strength * t.factor * t.values.at(time);
      if (!t.along) {
        tension += size;
        continue;
      }
      const along = new THREE.Vector3(...t.along);
      if (t.joint >= 0)
        along.transformDirection(copy.joints[t.joint].matrix)
          .multiplyScalar(Math.hypot(...t.along));
      sum.addScaledVector(along, size);
    }
    return f.kind === 'line' ? tension : sum;
  }

  put(time, scales) {
    const copy = this.robot.body;
    for (const f of this.list) {
      const on = !this.off.has(f.part);
      let value = on ? this.valueOf(f, copy, time) : 0;
      if (on && f.squared) value *= 2 * this.ends(copy, f.lines[0])[2];
      const size = typeof value === 'number' ? value : value.length(),
            share = Math.abs(size) / scales(f);
      f.shape.visible = on && (share > 0.004 || f.part === 'cable');
      f.now = size;
      if (!f.shape.visible) continue;
      if (f.kind === 'line')
        this.putLines(f, copy, size, share);
      else
        this.putVector(f, copy, value, size, share);
    }
  }

  ends(copy, line) {
    const a = pointOf(copy, line.from), b = pointOf(copy, line.to);
    return [a, b, a.distanceTo(b)];
  }

  // as wide as it is strong; a pull is orange, a push blue
  putLines(f, copy, tension, share) {
    const wide =
      (f.part === 'spring' ? 0.003 + 0.005 * share : 0.004 + 0.012 * share) * this.robot.size;
    for (const mesh of f.shape.children) {
      const [a, b] = this.ends(copy, mesh.userData.line);
      layAlong(mesh, a, b, wide);
      mesh.material.color.fromArray(tension < 0 ? PUSH : PULL);
      mesh.material.opacity = share > 0.004 ? 0.9 : 0.35;
    }
  }

  putVector(f, copy, value, size, share) {
    const from = pointOf(copy, f), s = this.robot.size, along = value.clone().divideScalar(size);
    f.shape.position.copy(from);
    if (f.kind === 'turn') {
      f.shape.quaternion.setFromUnitVectors(new THREE.Vector3(0, 0, 1), along);
      f.shape.scale.setScalar((0.03 + 0.13 * share) * s);
      return;
    }
    const [shaft, head] = f.shape.children, length = 0.4 * s * share,
                  tip = Math.min(0.06 * s, 0.6 * length);
    f.shape.quaternion.setFromUnitVectors(new THREE.Vector3(0, 1, 0), along);
    shaft.scale.set(1, Math.max(1e-9, length - tip), 1);
    shaft.position.y = (length - tip) / 2;
    head.scale.setScalar(tip / (0.06 * s));
    head.position.y = length - tip / 2;
  }
}

// a point {joint, at} of a copy of a robot as it stands
function pointOf(copy, p) {
  const v = new THREE.Vector3(...p.at);
  return p.joint < 0 ? v : v.applyMatrix4(copy.joints[p.joint].matrix);
}

// a cylinder along y of length and radius one, from a to b
function layAlong(mesh, a, b, wide) {
  const along = b.clone().sub(a), length = along.length();
  mesh.position.copy(a).add(b).multiplyScalar(0.5);
  mesh.scale.set(wide, Math.max(length, 1e-9), wide);
  if (length > 1e-9)
    mesh.quaternion.setFromUnitVectors(new THREE.Vector3(0, 1, 0), along.divideScalar(length));
}
