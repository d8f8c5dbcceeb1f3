// The robot of one folder, moving: links as they look or as sticks and ellipsoids of inertia, the
// goal's and closed loops' ghosts, obstacles.

'use strict';

const POSE = 12;

// A robot of one folder: groups, one a joint, that poses are put into.
class Robot {
  // tint: a colour in place of its own; or null. last: it stays when its motion is over
  constructor(folder, tint, phased, last) {
    const scene = folder.scene;
    this.scene = scene;
    this.poses = decodeNumbers(scene.poses);
    this.goal = scene.goal ? decodeNumbers(scene.goal) : null;
    this.runs = (scene.samples ||
      []).map(s => ({frames: s.frames, end: s.end, poses: decodeNumbers(s.poses)}));
    Object.assign(this, {tint, phased, last, begin: folder.begin || 0});
    this.measure();
    this.root = new THREE.Group();
    this.body = this.build(1);
    this.root.add(this.body.group);
    for (const part of scene.parts || [])
      if (part.rolls) this.root.add(this.makeTrack(part));
    this.ghosts = [];
    if (this.goal) this.showGhosts('goal', true);
    this.forces = new Forces(this, folder);
    this.root.add(this.forces.group);
  }

  // the points that say where it is: joints, ends of lines
  pointsAt(poses, frame) {
    const list = (this.scene.marks || []).map(m => this.place(poses, frame, m));
    for (const part of this.scene.parts || [])
      list.push(this.place(poses, frame, {joint: part.joint, at: part.pose.slice(9)}));
    for (const l of this.scene.lines || [])
      if (l.kind !== 'box' || !this.odd.has(l.from.joint))
        list.push(this.place(poses, frame, l.from), this.place(poses, frame, l.to));
    return list;
  }

  // the box of its motion, and its own size: of all at the start, less what is far away
  measure() {
    const joints = this.scene.joints, step = Math.ceil(this.scene.frames / 60);
    this.box = new THREE.Box3();
    this.odd = this.findOdd();
    this.cloud = [];
    for (let f = 0; f < this.scene.frames; f += step)
      this.cloud.push(...this.pointsAt(this.poses, f * joints));
    this.cloud.forEach(p => this.box.expandByPoint(p));
    if (this.box.isEmpty()) this.box.expandByPoint(new THREE.Vector3());
    this.span = this.box.getSize(new THREE.Vector3());
    this.box.expandByScalar(0.04 * this.box.getSize(new THREE.Vector3()).length() + 0.02);
    const links =
      (this.scene.lines || [])
        .filter(l => l.kind === 'link')
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

  // the track of a wheel on the ground
  makeTrack(part) {
    const points = [];
    for (let k = 0; k < this.scene.frames; k++) {
      const p =
        this.place(this.poses, k * this.scene.joints, {joint: part.joint, at: part.pose.slice(9)});
      points.push(p.setZ(p.z - part.rolls));
    }
    return new THREE.Line(new THREE.BufferGeometry().setFromPoints(points),
      new THREE.LineBasicMaterial({color: this.tint || '#5b6b7c'}));
  }

  boxAt(frame) {
    const box =
      new THREE.Box3().setFromPoints(this.pointsAt(this.poses, frame * this.scene.joints));
    return box.expandByScalar(0.3 * this.size);
  }

  middleAt(time) {
    const share =
      this.scene.end > 0 ? Math.max(0, Math.min(1, (time - this.begin) / this.scene.end)) : 0;
    return this.boxAt(Math.round(share * (this.scene.frames - 1))).getCenter(new THREE.Vector3());
  }

  // does it go so far that all of its way would show it small?
  roams() {
    return this.span.length() > 6 * this.size;
  }

  // joints whose cuboid is longer than all links: no body can have this mass and inertia
  findOdd() {
    const length = l =>
      this.place(this.poses, 0, l.from).distanceTo(this.place(this.poses, 0, l.to));
    const lines = this.scene.lines || [], links = lines.filter(l => l.kind === 'link').map(length);
    const longest = links.length ? Math.max(...links) : Infinity;
    return new Set(
      lines.filter(l => l.kind === 'box' && length(l) > longest).map(l => l.from.joint));
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

    // visual geometry first, then the shapes of links without it
    const looked = new Set();
    for (const part of this.scene.parts || []) {
      const mesh = this.makePart(part, opacity);
      if (!mesh) continue;
      looked.add(part.joint);
      carry(part.joint).add(mesh);
    }
    if (opacity === 1)
      for (const s of this.scene.shapes || []) carry(s.joint).add(this.makeShape(s));
    const sticks = [];
    for (const line of this.scene.lines || []) {
      if (line.kind === 'link' && looked.has(line.from.joint)) continue;
      if (line.kind === 'box' && (looked.has(line.from.joint) || this.odd.has(line.from.joint)))
        continue;
      sticks.push(this.makeStick(line, opacity));
      group.add(sticks[sticks.length - 1].mesh);
    }
    for (const mark of this.scene.marks || []) {
      if (looked.has(mark.joint)) continue;
      const s = this.size;
      const shape = mark.slides ?
        new THREE.BoxBufferGeometry(0.09 * s, 0.05 * s, 0.045 * s) :
        new THREE.SphereBufferGeometry((mark.mass > 0 ? 0.022 : 0.012) * s, 20, 14);
      const mesh =
        new THREE.Mesh(shape, this.material(mark.slides ? '#6f94bd' : '#e0a030', opacity));
      mesh.position.set(...mark.at);
      carry(mark.joint).add(mesh);
    }
    return {
      group,
      joints,
      sticks,
      ellipsoids: opacity === 1 ? this.addEllipsoids(looked, joints) : []
    };
  }

  // of bodies without looks; not seen until they are switched on
  addEllipsoids(looked, joints) {
    const list = [];
    for (const inertia of this.scene.inertias || []) {
      if (looked.has(inertia.joint)) continue;
      const mesh = makeEllipsoid(inertia, this.size, this.material('#c9a45c', 0.55));
      if (!mesh) continue;
      mesh.visible = false;
      joints[inertia.joint].add(mesh);
      list.push(mesh);
    }
    return list;
  }

  material(own, opacity) {
    return new THREE.MeshStandardMaterial({
      color: this.tint || own,
      metalness: 0,
      roughness: 0.85,
      transparent: opacity < 1,
      opacity,
      depthWrite: opacity >= 1
    });
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

    // its own colour, or grey
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

  // a shape of keep_out: obstacles of the world, and moving shapes, lighter
  makeShape(s) {
    const endless = 4 * this.size, half = s.half.map(h => (h === null ? endless : h));
    const pose = matrixOf(s.pose, 0);
    const material = new THREE.MeshStandardMaterial({
      color: s.joint < 0 ? '#d98c5f' : '#c9a0dc',
      transparent: true,
      opacity: s.joint < 0 ? 0.45 : 0.22,
      depthWrite: false,
      roughness: 0.9
    });

    // infinite shapes are shown as far as the motion reaches
    let shape;
    if (s.kind === 'half-space')
      shape = new THREE.PlaneBufferGeometry(endless, endless);
    else if (s.kind === 'sphere')
      shape = new THREE.SphereBufferGeometry(s.radius, 28, 18);
    else if (s.kind === 'box')
      shape = new THREE.BoxBufferGeometry(2 * half[0], 2 * half[1], 2 * half[2]);
    else
      shape =
        new THREE
          .CylinderBufferGeometry(s.radius, s.radius, 2 * half[2], 28, 1, s.kind === 'capsule')
          .rotateX(Math.PI / 2);
    const mesh = new THREE.Mesh(shape, material);
    if (s.kind === 'half-space') material.side = THREE.DoubleSide;
    if (s.kind === 'capsule')
      for (const end of [-1, 1]) {
        const cap =
          new THREE.Mesh(new THREE.SphereBufferGeometry(s.radius, 24, 9, 0, 7, 0, Math.PI / 2)
                           .rotateX(end * Math.PI / 2),
            material);
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
      shape.setAttribute(
        'position', new THREE.BufferAttribute(decodeNumbers(this.scene.meshes[number].x), 3));
      shape.computeVertexNormals();
      this.shapes[number] = shape;
    }
    return this.shapes[number];
  }

  // a stick between two points that joints carry: along y, placed frame by frame; a spring is a coil
  makeStick(line, opacity) {
    const thick = {link: 0.014, box: 0.004, rod: 0.004, spring: 0.018}[line.kind] * this.size;
    const tone = {link: '#6f94bd', box: '#7f8fa3', rod: '#999999', spring: '#2f9e6f'}[line.kind];
    const shape =
      line.kind === 'spring' ? makeCoil() : new THREE.CylinderBufferGeometry(1, 1, 1, 14);
    return {mesh: new THREE.Mesh(shape, this.material(tone, opacity)), line, thick};
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
    for (const s of copy.sticks)
      layAlong(s.mesh, pointOf(copy, s.line.from), pointOf(copy, s.line.to), s.thick);
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
    if (kind === 'goal')
      add({frames: 1, end: 0, poses: this.goal}, 0.18);
    else
      this.runs.forEach(r => add(r, 0.16));
  }

  putRun(copy, run, t) {
    const s = run.end > 0 ? Math.min(1, t / run.end) * (run.frames - 1) : 0;
    const frame = Math.min(run.frames - 1, Math.floor(s));
    this.put(copy, run.poses, frame, s - frame);
  }

  set(time) {
    const t = time - this.begin;
    this.root.visible =
      !this.phased || ((t >= 0 || this.begin === 0) && (t < this.scene.end || this.last));
    this.putRun(this.body, {frames: this.scene.frames, end: this.scene.end, poses: this.poses}, t);
    for (const g of this.ghosts) this.putRun(g.copy, g.run, t);
  }
}

// twelve turns about y, of radius and length one, straight at both ends
function makeCoil() {
  const points = [];
  for (let i = 0; i <= 240; i++) {
    const share = i / 240, turn = 24 * Math.PI * share,
          wide = Math.min(1, 12 * share, 12 * (1 - share));
    points.push(new THREE.Vector3(wide * Math.cos(turn), share - 0.5, wide * Math.sin(turn)));
  }

  // a tube of five sides about the points
  const coil = new THREE.BufferGeometry();
  const ring = 5, position = [], side = [];
  points.forEach(p => {
    for (let k = 0; k < ring; k++) {
      const a = 2 * Math.PI * k / ring, out = Math.hypot(p.x, p.z) || 1;
      position.push(p.x + 0.16 * Math.cos(a) * p.x / out, p.y + 0.008 * Math.sin(a),
        p.z + 0.16 * Math.cos(a) * p.z / out);
    }
  });
  for (let i = 0; i < 240; i++)
    for (let k = 0; k < ring; k++) {
      const a = ring * i + k, b = ring * i + (k + 1) % ring;
      side.push(a, a + ring, b, b, a + ring, b + ring);
    }
  coil.setAttribute('position', new THREE.Float32BufferAttribute(position, 3));
  coil.setIndex(side);
  coil.computeVertexNormals();
  return coil;
}

// a pose, its columns x, y, z and its place, as a matrix
function matrixOf(x, i) {
  return new THREE.Matrix4().set(x[i], x[i + 3], x[i + 6], x[i + 9], x[i + 1], x[i + 4], x[i + 7],
    x[i + 10], x[i + 2], x[i + 5], x[i + 8], x[i + 11], 0, 0, 0, 1);
}

// the pose between two, turned by the shorter way
function between(x, a, b, share) {
  const p = [new THREE.Vector3(), new THREE.Vector3()],
        q = [new THREE.Quaternion(), new THREE.Quaternion()];
  const s = new THREE.Vector3();
  matrixOf(x, a).decompose(p[0], q[0], s);
  matrixOf(x, b).decompose(p[1], q[1], s);
  p[0].lerp(p[1], share);
  q[0].slerp(q[1], share);
  return new THREE.Matrix4().compose(p[0], q[0], new THREE.Vector3(1, 1, 1));
}
