// The robots of all folders, moving: links as they look or as sticks, the goal's and closed loops'
// ghosts, obstacles; orbit, zoom and pan by three.js.

'use strict';

const POSE = 12;

// A robot of one folder: groups, one a joint, that poses are put into.
class Robot {
  // tint: a colour in place of its own; or null. last: it stays when its motion is over
  constructor(folder, tint, phased, last) {
    const scene = folder.scene;
    this.scene = scene;
    this.poses = decodeNumbers(scene.poses);
    this.goal = decodeNumbers(scene.goal);
    this.runs = (scene.samples || []).map(s => ({frames: s.frames, end: s.end, poses: decodeNumbers(s.poses)}));
    Object.assign(this, {tint, phased, last, begin: folder.begin || 0});
    this.measure();
    this.root = new THREE.Group();
    this.body = this.build(1);
    this.root.add(this.body.group);
    this.ghosts = [];
    this.showGhosts('goal', true);
  }

  // the points that say where it is: joints, ends of lines
  pointsAt(poses, frame) {
    const list = (this.scene.marks || []).map(m => this.place(poses, frame, m));
    for (const part of this.scene.parts || []) list.push(this.place(poses, frame, {joint: part.joint, at: part.pose.slice(9)}));
    for (const l of this.scene.lines || []) if (l.kind !== 'box') list.push(this.place(poses, frame, l.from), this.place(poses, frame, l.to));
    return list;
  }

  // the box of its motion, and its own size: of all at the start, less what is far away
  measure() {
    const joints = this.scene.joints, step = Math.ceil(this.scene.frames / 60);
    this.box = new THREE.Box3();
    for (let f = 0; f < this.scene.frames; f += step)
      this.pointsAt(this.poses, f * joints).forEach(p => this.box.expandByPoint(p));
    if (this.box.isEmpty()) this.box.expandByPoint(new THREE.Vector3());
    this.span = this.box.getSize(new THREE.Vector3());
    this.box.expandByScalar(0.04 * this.box.getSize(new THREE.Vector3()).length() + 0.02);
    const links = (this.scene.lines || []).filter(l => l.kind === 'link')
      .map(l => this.place(this.poses, 0, l.from).distanceTo(this.place(this.poses, 0, l.to)));
    const all = this.box.getSize(new THREE.Vector3()).length();
    const longest = links.length ? Math.max(...links) : 0.3 * all;
    this.size = Math.max(0.05, Math.min(all, 3 * longest));
  }

  // a point {joint, at} of a frame of poses in the world
  place(poses, frame, p) {
    const v = new THREE.Vector3(...p.at);
    if (p.joint < 0) return v;
    return v.applyMatrix4(matrixOf(poses, (frame + p.joint) * POSE));
  }

  boxAt(frame) {
    const box = new THREE.Box3().setFromPoints(this.pointsAt(this.poses, frame * this.scene.joints));
    return box.expandByScalar(0.3 * this.size);
  }

  middleAt(time) {
    const share = this.scene.end > 0 ? Math.max(0, Math.min(1, (time - this.begin) / this.scene.end)) : 0;
    return this.boxAt(Math.round(share * (this.scene.frames - 1))).getCenter(new THREE.Vector3());
  }

  // does it go so far that all of its way would show it small?
  roams() {
    return this.span.length() > 6 * this.size;
  }

  // joints whose cuboid is longer than all links: a mass and an inertia that are no body's
  findOdd() {
    const length = l => this.place(this.poses, 0, l.from).distanceTo(this.place(this.poses, 0, l.to));
    const lines = this.scene.lines || [], links = lines.filter(l => l.kind === 'link').map(length);
    const longest = links.length ? Math.max(...links) : Infinity;
    return new Set(lines.filter(l => l.kind === 'box' && length(l) > longest).map(l => l.from.joint));
  }

  // a copy of the robot, of that opacity
  build(opacity) {
    const group = new THREE.Group(), joints = [];
    for (let j = 0; j < this.scene.joints; j++) {
      const g = new THREE.Group();
      g.matrixAutoUpdate = false;
      joints.push(g);
      group.add(g);
    }
    const world = new THREE.Group();
    group.add(world);
    const carry = j => (j < 0 ? world : joints[j]);
    const looked = new Set();
    for (const part of this.scene.parts || []) {
      const mesh = this.makePart(part, opacity);
      if (!mesh) continue;
      looked.add(part.joint);
      carry(part.joint).add(mesh);
    }
    if (opacity === 1)
      for (const s of this.scene.shapes || []) carry(s.joint).add(this.makeShape(s));
    const sticks = [], odd = this.findOdd();
    for (const line of this.scene.lines || []) {
      if (line.kind === 'link' && looked.has(line.from.joint)) continue;
      if (line.kind === 'box' && (looked.has(line.from.joint) || odd.has(line.from.joint))) continue;
      sticks.push(this.makeStick(line, opacity));
      group.add(sticks[sticks.length - 1].mesh);
    }
    for (const mark of this.scene.marks || []) {
      if (looked.has(mark.joint)) continue;
      const s = this.size;
      const shape = mark.slides ? new THREE.BoxBufferGeometry(0.09 * s, 0.05 * s, 0.045 * s)
        : new THREE.SphereBufferGeometry((mark.mass > 0 ? 0.022 : 0.012) * s, 20, 14);
      const mesh = new THREE.Mesh(shape, this.material(mark.slides ? '#6f94bd' : '#e0a030', opacity));
      mesh.position.set(...mark.at);
      carry(mark.joint).add(mesh);
    }
    return {group, joints, sticks};
  }

  material(own, opacity) {
    return new THREE.MeshStandardMaterial({color: this.tint || own, metalness: 0, roughness: 0.85,
      transparent: opacity < 1, opacity, depthWrite: opacity >= 1});
  }

  makePart(part, opacity) {
    const s = part.size;
    let shape = null;
    if (part.kind === 'box') shape = new THREE.BoxBufferGeometry(s[0], s[1], s[2]);
    if (part.kind === 'sphere') shape = new THREE.SphereBufferGeometry(s[0], 28, 18);
    if (part.kind === 'cylinder' || part.kind === 'capsule') {
      shape = new THREE.CylinderBufferGeometry(s[0], s[0], s[1], 28);
      shape.rotateX(Math.PI / 2);
    }
    if (part.kind === 'mesh') shape = this.meshOf(part.mesh);
    if (!shape) return null;
    const c = part.colour;
    const own = c ? new THREE.Color(c[0], c[1], c[2]) : new THREE.Color('#8fa3b5');
    const mesh = new THREE.Mesh(shape, this.material(own, opacity * (c ? c[3] : 1)));
    if (part.kind === 'capsule')
      for (const end of [-1, 1]) {
        const cap = new THREE.Mesh(new THREE.SphereBufferGeometry(s[0], 24, 16), mesh.material);
        cap.position.z = end * s[1] / 2;
        mesh.add(cap);
      }
    mesh.matrixAutoUpdate = false;
    mesh.matrix.copy(matrixOf(part.pose, 0));
    return mesh;
  }

  // a shape of keep_out: obstacles of the world, and what moves, lighter
  makeShape(s) {
    const endless = 4 * this.size, half = s.half.map(h => (h === null ? endless : h));
    const pose = matrixOf(s.pose, 0);
    const material = new THREE.MeshStandardMaterial({color: s.joint < 0 ? '#d98c5f' : '#c9a0dc', transparent: true,
      opacity: s.joint < 0 ? 0.45 : 0.22, depthWrite: false, roughness: 0.9});
    let shape;
    if (s.kind === 'half-space') shape = new THREE.PlaneBufferGeometry(endless, endless);
    else if (s.kind === 'sphere') shape = new THREE.SphereBufferGeometry(s.radius, 28, 18);
    else if (s.kind === 'box') shape = new THREE.BoxBufferGeometry(2 * half[0], 2 * half[1], 2 * half[2]);
    else shape = new THREE.CylinderBufferGeometry(s.radius, s.radius, 2 * half[2], 28, 1, s.kind === 'capsule').rotateX(Math.PI / 2);
    const mesh = new THREE.Mesh(shape, material);
    if (s.kind === 'half-space') material.side = THREE.DoubleSide;
    if (s.kind === 'capsule')
      for (const end of [-1, 1]) {
        const cap = new THREE.Mesh(new THREE.SphereBufferGeometry(s.radius, 24, 9, 0, 7, 0, Math.PI / 2).rotateX(end * Math.PI / 2), material);
        cap.position.z = end * half[2];
        mesh.add(cap);
      }
    mesh.matrixAutoUpdate = false;
    mesh.matrix.copy(pose);
    mesh.userData.kept = true;
    return mesh;
  }

  meshOf(number) {
    this.shapes = this.shapes || [];
    if (!this.shapes[number]) {
      const shape = new THREE.BufferGeometry();
      shape.setAttribute('position', new THREE.BufferAttribute(decodeNumbers(this.scene.meshes[number].x), 3));
      shape.computeVertexNormals();
      this.shapes[number] = shape;
    }
    return this.shapes[number];
  }

  // a stick between two points that joints carry: a cylinder along y, placed frame by frame
  makeStick(line, opacity) {
    const thick = {link: 0.014, box: 0.004, rod: 0.004, spring: 0.004}[line.kind] * this.size;
    const tone = {link: '#6f94bd', box: '#7f8fa3', rod: '#999999', spring: '#2f9e6f'}[line.kind];
    const mesh = new THREE.Mesh(new THREE.CylinderBufferGeometry(thick, thick, 1, 14), this.material(tone, opacity));
    return {mesh, line};
  }

  // put a copy where its joints are in a frame of poses, `share` of the way to the next
  put(copy, poses, frame, share) {
    const n = this.scene.joints;
    const next = Math.min(frame + 1, poses.length / (POSE * n) - 1);
    copy.joints.forEach((g, j) => {
      const a = (frame * n + j) * POSE, b = (next * n + j) * POSE;
      g.matrix.copy(share > 0 ? between(poses, a, b, share) : matrixOf(poses, a));
      g.matrixWorldNeedsUpdate = true;
    });
    const find = p => {
      const v = new THREE.Vector3(...p.at);
      return p.joint < 0 ? v : v.applyMatrix4(copy.joints[p.joint].matrix);
    };
    for (const s of copy.sticks) {
      const a = find(s.line.from), b = find(s.line.to);
      const along = b.clone().sub(a), length = along.length();
      s.mesh.position.copy(a.add(b).multiplyScalar(0.5));
      s.mesh.scale.set(1, Math.max(length, 1e-9), 1);
      if (length > 1e-9) s.mesh.quaternion.setFromUnitVectors(new THREE.Vector3(0, 1, 0), along.divideScalar(length));
    }
  }

  showGhosts(kind, on) {
    this.ghosts.filter(g => g.kind === kind).forEach(g => this.root.remove(g.copy.group));
    this.ghosts = this.ghosts.filter(g => g.kind !== kind);
    if (!on) return;
    const add = (run, opacity) => {
      const copy = this.build(opacity);
      this.root.add(copy.group);
      this.ghosts.push({kind, copy, run});
    };
    if (kind === 'goal') add({frames: 1, end: 0, poses: this.goal}, 0.18);
    else this.runs.forEach(r => add(r, 0.16));
  }

  putRun(copy, run, t) {
    const s = run.end > 0 ? Math.min(1, t / run.end) * (run.frames - 1) : 0;
    const frame = Math.min(run.frames - 1, Math.floor(s));
    this.put(copy, run.poses, frame, s - frame);
  }

  set(time) {
    const t = time - this.begin;
    this.root.visible = !this.phased || ((t >= 0 || this.begin === 0) && (t < this.scene.end || this.last));
    this.putRun(this.body, {frames: this.scene.frames, end: this.scene.end, poses: this.poses}, t);
    for (const g of this.ghosts) this.putRun(g.copy, g.run, t);
  }
}

// a pose, its columns x, y, z and its place, as a matrix
function matrixOf(x, i) {
  return new THREE.Matrix4().set(
    x[i], x[i + 3], x[i + 6], x[i + 9],
    x[i + 1], x[i + 4], x[i + 7], x[i + 10],
    x[i + 2], x[i + 5], x[i + 8], x[i + 11],
    0, 0, 0, 1);
}

// the pose between two, turned by the shorter way
function between(x, a, b, share) {
  const p = [new THREE.Vector3(), new THREE.Vector3()], q = [new THREE.Quaternion(), new THREE.Quaternion()];
  const s = new THREE.Vector3();
  matrixOf(x, a).decompose(p[0], q[0], s);
  matrixOf(x, b).decompose(p[1], q[1], s);
  p[0].lerp(p[1], share);
  q[0].slerp(q[1], share);
  return new THREE.Matrix4().compose(p[0], q[0], new THREE.Vector3(1, 1, 1));
}

class Stage {
  constructor(folders, clock, phased) {
    this.phased = phased;
    this.element = make('div', {class: 'stage'});
    this.clock = clock;
    this.failure = this.start(folders);
    if (this.failure) return;
    clock.listen(t => this.set(t));
  }

  start(folders) {
    if (typeof THREE === 'undefined') return 'The robot is not shown: this dmoc was built without three.js (Debian: libjs-three).';
    try {
      this.renderer = new THREE.WebGLRenderer({antialias: true, alpha: true, preserveDrawingBuffer: true});
    } catch (e) {
      return 'The robot is not shown: this browser has no WebGL, or it is switched off.';
    }
    this.renderer.setPixelRatio(Math.min(2, window.devicePixelRatio || 1));
    this.element.append(this.renderer.domElement);
    this.world = new THREE.Scene();
    this.robots = folders.map((f, i) => new Robot(f, !this.phased && folders.length > 1 ? colour(i) : null, this.phased, i === folders.length - 1));
    for (const r of this.robots) this.world.add(r.root);
    const box = this.box = new THREE.Box3();
    for (const r of this.robots) box.union(r.box);
    this.middle = box.getCenter(new THREE.Vector3());
    this.size = box.getSize(new THREE.Vector3()).length();
    this.up = upOf(folders[0].scene.gravity);
    this.light();
    this.camera = new THREE.PerspectiveCamera(35, 2, this.size / 200, 200 * this.size);
    this.camera.up.copy(this.up);
    this.controls = new THREE.OrbitControls(this.camera, this.renderer.domElement);
    this.controls.addEventListener('change', () => this.draw());
    this.controls.addEventListener('start', () => { this.turned = true; });
    this.following = this.robots[0].roams();
    const span = new THREE.Vector3();
    for (const r of this.robots) span.max(r.span);
    this.look(sideOf(span, this.up));
    new ResizeObserver(() => this.resize()).observe(this.element);
    return null;
  }

  sky() {
    const light = new THREE.HemisphereLight(0xffffff, 0xb8bec6, 1.05);
    light.position.copy(this.up);
    return light;
  }

  light() {
    this.world.add(this.sky());
    const sun = new THREE.DirectionalLight(0xffffff, 0.45);
    sun.position.copy(this.up.clone().multiplyScalar(3).add(new THREE.Vector3(1, 1.6, 0.7))).multiplyScalar(this.size);
    this.world.add(sun);
    const cells = 20, grid = new THREE.GridHelper(roundUp(4 * this.size), cells, 0x8a949e, 0xb4bcc4);
    grid.material.transparent = true;
    grid.material.opacity = 0.5;
    grid.quaternion.setFromUnitVectors(new THREE.Vector3(0, 1, 0), this.up);
    const lowest = Math.min(...this.robots.map(r => Math.min(r.box.min.dot(this.up), r.box.max.dot(this.up))));
    grid.position.copy(this.middle).addScaledVector(this.up, lowest - 0.03 * this.size - this.middle.dot(this.up));
    this.world.add(grid);
    this.grid = grid;
  }

  // from that side, all in sight
  look(side) {
    const away = side.clone().addScaledVector(this.up, 0.28).normalize();
    this.away = away;
    if (this.following) this.box = this.robots[0].boxAt(0);
    this.box.getCenter(this.middle);
    this.fit();
  }

  // as near as all stays in sight
  fit() {
    const corner = new THREE.Vector3(), size = this.box.getSize(new THREE.Vector3()).length();
    let near = 0.2 * size, far = 6 * size;
    this.controls.target.copy(this.middle);
    for (let i = 0; i < 24; i++) {
      const distance = (near + far) / 2;
      this.camera.position.copy(this.middle).addScaledVector(this.away, distance);
      this.controls.update();
      this.camera.updateMatrixWorld();
      let most = 0;
      for (let c = 0; c < 8; c++) {
        corner.set(c & 1 ? this.box.max.x : this.box.min.x, c & 2 ? this.box.max.y : this.box.min.y, c & 4 ? this.box.max.z : this.box.min.z);
        const depth = corner.clone().applyMatrix4(this.camera.matrixWorldInverse).z;
        corner.project(this.camera);
        most = Math.max(most, depth < 0 ? Math.max(Math.abs(corner.x), Math.abs(corner.y)) : 9);
      }
      if (most > 0.92) near = distance; else far = distance;
    }
  }

  resize() {
    const w = this.element.clientWidth, h = this.renderer.domElement.clientHeight;
    if (!w || !h) return;
    this.renderer.setSize(w, h, false);
    this.camera.aspect = w / h;
    this.camera.updateProjectionMatrix();
    if (!this.turned) this.fit();
    this.draw();
  }

  set(t) {
    for (const r of this.robots) r.set(t);
    if (this.following) {
      const p = this.robots[0].middleAt(t), step = p.clone().sub(this.followed || p);
      this.followed = p;
      this.camera.position.add(step);
      this.controls.target.add(step);
      this.controls.update();
    }
    this.draw();
  }

  draw() {
    this.renderer.render(this.world, this.camera);
  }

  // what may be shown or not
  bar() {
    const bar = make('div', {class: 'bar', style: 'position:static'});
    const add = (name, on, f) => {
      const b = make('button', {type: 'button', 'aria-pressed': String(on), 'data-toggle': name}, name);
      b.addEventListener('click', () => {
        on = !on;
        b.setAttribute('aria-pressed', String(on));
        f(on);
        this.set(this.clock.t);
      });
      bar.append(b);
    };
    add('goal', true, on => this.robots.forEach(r => r.showGhosts('goal', on)));
    if (this.robots.some(r => r.runs.length))
      add('closed loops', false, on => this.robots.forEach(r => r.showGhosts('runs', on)));
    if (this.robots.some(r => (r.scene.shapes || []).length))
      add('shapes', true, on => this.world.traverse(x => { if (x.userData.kept) x.visible = on; }));
    add('grid', true, on => { this.grid.visible = on; });
    add('follow', Boolean(this.following), on => { this.following = on; this.followed = null; });
    return bar;
  }
}

// against gravity; z where there is none
function upOf(gravity) {
  const g = new THREE.Vector3(...(gravity || [0, 0, 0]));
  return g.length() > 0 ? g.normalize().negate() : new THREE.Vector3(0, 0, 1);
}

// the horizontal axis along which the least happens
function sideOf(size, up) {
  const axes = [[new THREE.Vector3(1, 0, 0), size.x], [new THREE.Vector3(0, -1, 0), size.y], [new THREE.Vector3(0, 0, 1), size.z]];
  const flat = axes.filter(a => Math.abs(a[0].dot(up)) < 0.5).sort((a, b) => a[1] - b[1]);
  const thin = flat[0][1] < 0.1 * flat[1][1];
  return thin ? flat[0][0] : flat[0][0].clone().addScaledVector(flat[1][0], 0.7).normalize();
}

function roundUp(x) {
  const power = Math.pow(10, Math.floor(Math.log10(x)));
  return [1, 2, 5, 10].map(f => f * power).find(s => s >= x);
}
