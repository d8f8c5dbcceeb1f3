// The stage: the robots of all folders under one light; orbit, zoom and pan by three.js.

'use strict';

class Stage {
  constructor(folders, clock, data) {
    this.data = data;
    this.element = make('div', {class: 'stage'});
    this.clock = clock;
    this.failure = this.start(folders);
    if (this.failure) return;
    clock.listen(t => this.set(t));
  }

  start(folders) {
    if (typeof THREE === 'undefined')
      return 'The robot is not shown: this dmoc was built without three.js (Debian: libjs-three).';
    try {
      this.renderer =
        new THREE.WebGLRenderer({antialias: true, alpha: true, preserveDrawingBuffer: true});
    } catch (e) {
      return 'The robot is not shown: this browser has no WebGL, or it is switched off.';
    }
    this.renderer.setPixelRatio(Math.min(2, window.devicePixelRatio || 1));
    this.tip = make('div', {class: 'tip', hidden: ''});
    this.element.append(this.renderer.domElement, this.tip);
    this.renderer.domElement.addEventListener('pointermove', e => this.point(e));
    this.world = new THREE.Scene();
    this.robots = folders.map((f, i) => {
      const phased = Boolean(this.data.groups[f.group].result), next = folders[i + 1];
      return new Robot(
        f, several(this.data) ? colour(f.group) : null, phased, !next || next.group !== f.group);
    });
    for (const r of this.robots) this.world.add(r.root);

    // all of them in one box, seen from where they are broad
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
    this.controls.addEventListener('start', () => {
      this.turned = true;
    });
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
    sun.position.copy(this.up.clone().multiplyScalar(3).add(new THREE.Vector3(1, 1.6, 0.7)))
      .multiplyScalar(this.size);
    this.world.add(sun);
    const cells = 20,
          grid = new THREE.GridHelper(roundUp(4 * this.size), cells, 0x8a949e, 0xb4bcc4);
    grid.material.transparent = true;
    grid.material.opacity = 0.5;
    grid.quaternion.setFromUnitVectors(new THREE.Vector3(0, 1, 0), this.up);
    const lowest =
      Math.min(...this.robots.map(r => Math.min(r.box.min.dot(this.up), r.box.max.dot(this.up))));
    grid.position.copy(this.middle)
      .addScaledVector(this.up, lowest - 0.03 * this.size - this.middle.dot(this.up));
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

  // the points that are to be in sight: all places of all robots, or what stands around the first
  pointsInSight() {
    const box = this.box, corners = [];
    for (let c = 0; c < 8; c++)
      corners.push(new THREE.Vector3(c & 1 ? box.max.x : box.min.x, c & 2 ? box.max.y : box.min.y,
        c & 4 ? box.max.z : box.min.z));
    return this.following ? corners : this.robots.flatMap(r => r.cloud);
  }

  // as near as all stays in sight, and in the middle of the picture
  fit() {
    const size = this.box.getSize(new THREE.Vector3()).length(), points = this.pointsInSight();
    for (let turn = 0; turn < 3; turn++) {
      let near = 0.1 * size, far = 6 * size, seen = null;
      for (let i = 0; i < 20; i++) {
        const distance = (near + far) / 2;
        seen = this.boundsFrom(distance, points);
        if (seen.most > 0.66)
          near = distance;
        else
          far = distance;
      }
      seen = this.boundsFrom(far, points);

      // distance from the middle, at the depth of the target
      const high = far * Math.tan(this.camera.fov * Math.PI / 360),
            m = this.camera.matrixWorld.elements;
      this.middle.addScaledVector(
        new THREE.Vector3(m[0], m[1], m[2]), seen.x * high * this.camera.aspect);
      this.middle.addScaledVector(new THREE.Vector3(m[4], m[5], m[6]), seen.y * high);
    }
  }

  // seen from there: the middle of the points on the picture, and how far out the furthest is
  boundsFrom(distance, points) {
    const low = new THREE.Vector2(9, 9), high = new THREE.Vector2(-9, -9), p = new THREE.Vector3();
    this.controls.target.copy(this.middle);
    this.camera.position.copy(this.middle).addScaledVector(this.away, distance);
    this.controls.update();
    this.camera.updateMatrixWorld();
    for (const point of points) {
      const depth = p.copy(point).applyMatrix4(this.camera.matrixWorldInverse).z;
      p.applyMatrix4(this.camera.projectionMatrix);
      if (depth > -1e-6) p.set(9, 9, 0);
      low.min(p);
      high.max(p);
    }
    const x = (low.x + high.x) / 2, y = (low.y + high.y) / 2;
    return {
      x,
      y,
      most: Math.max(high.x - low.x, high.y - low.y) / 2 + 0.3 * Math.max(Math.abs(x), Math.abs(y))
    };
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
    for (const r of this.robots) r.forces.put(t - r.begin, f => this.scaleOf(f));
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

  // the force that is drawn longest, of all folders
  scaleOf(force) {
    const key = force.kind + force.unit;
    this.scales = this.scales || {};
    this.scales[key] = this.scales[key] ||
      Math.max(...this.robots.map(r => r.forces.mostOf(force.kind, force.unit)));
    return this.scales[key];
  }

  // how long is how much
  tellScales() {
    const words = {push: 'longest arrow', turn: 'widest arc', line: 'widest line'};
    const all = new Map();
    for (const r of this.robots)
      for (const f of r.forces.list) all.set(f.kind + f.unit, f);
    if (!all.size) return null;
    const said =
      [...all.values()].map(f => `${words[f.kind]} ${say(this.scaleOf(f), 3)} ${f.unit}`);
    if ([...all.values()].some(f => f.kind === 'line'))
      said.push('lines pull where orange, push where blue');
    return make(
      'p', {class: 'note', id: 'scales'}, said.join('; ') + '. Point at a force for its value.');
  }

  // the force under the pointer, in words beside it
  point(e) {
    if (e.buttons) return;
    const box = this.renderer.domElement.getBoundingClientRect();
    const at = new THREE.Vector2(
      2 * (e.clientX - box.left) / box.width - 1, 1 - 2 * (e.clientY - box.top) / box.height);
    const ray = new THREE.Raycaster();
    ray.setFromCamera(at, this.camera);
    const seen = this.robots.filter(r => r.root.visible)
                   .flatMap(r => r.forces.list)
                   .filter(f => f.shape.visible);
    const hit = ray.intersectObjects(seen.map(f => f.shape), true)[0];
    const force = hit && seen.find(f => f.shape.children.includes(hit.object));
    this.tip.hidden = !force;
    if (!force) return;
    this.tip.textContent = `${force.name}: ${say(force.now, 4)} ${force.unit}`;
    this.tip.style.left = `${Math.min(e.clientX - box.left + 12, box.width - 180)}px`;
    this.tip.style.top = `${e.clientY - box.top + 12}px`;
  }

  // parts that can be shown or hidden
  bar() {
    const bar = make('div', {class: 'bar', style: 'position:static'});
    const add = (name, on, f) => {
      const b =
        make('button', {type: 'button', 'aria-pressed': String(on), 'data-toggle': name}, name);
      b.addEventListener('click', () => {
        on = !on;
        b.setAttribute('aria-pressed', String(on));
        f(on);
        this.set(this.clock.t);
      });
      bar.append(b);
    };

    // buttons for the parts that exist
    const ends = this.robots.filter(r => r.goal);
    if (ends.length) add('goal', true, on => ends.forEach(r => r.showGhosts('goal', on)));
    if (this.robots.some(r => r.runs.length))
      add('closed loops', false, on => this.robots.forEach(r => r.showGhosts('runs', on)));
    if (this.robots.some(r => (r.scene.shapes || []).length))
      add('shapes', true, on => this.world.traverse(x => {
        if (x.userData.kept) x.visible = on;
      }));
    for (const part of new Set(this.robots.flatMap(r => r.forces.list.map(f => f.part))))
      add(partRow(part)[1], true, on => this.robots.forEach(r => {
        if (on)
          r.forces.off.delete(part);
        else
          r.forces.off.add(part);
      }));
    if (this.robots.some(r => r.body.ellipsoids.length))
      add('inertia', false, on => this.robots.forEach(r => r.body.ellipsoids.forEach(m => {
        m.visible = on;
      })));
    add('grid', true, on => {
      this.grid.visible = on;
    });
    add('follow', Boolean(this.following), on => {
      this.following = on;
      this.followed = null;
    });
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
  const axes = [
    [new THREE.Vector3(1, 0, 0), size.x], [new THREE.Vector3(0, -1, 0), size.y],
    [new THREE.Vector3(0, 0, 1), size.z]
  ];
  const flat = axes.filter(a => Math.abs(a[0].dot(up)) < 0.5).sort((a, b) => a[1] - b[1]);
  const thin = flat[0][1] < 0.1 * flat[1][1];
  return thin ? flat[0][0] : flat[0][0].clone().addScaledVector(flat[1][0], 0.7).normalize();
}

function roundUp(x) {
  const power = Math.pow(10, Math.floor(Math.log10(x)));
  return [1, 2, 5, 10].map(f => f * power).find(s => s >= x);
}
