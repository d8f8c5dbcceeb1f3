// Puts the page together.

'use strict';

function shade(dark) {
  document.documentElement.classList.toggle('dark', dark);
  LIGHT.forEach((c, i) => document.documentElement.style.setProperty('--tone' + i, colour(i)));
  for (const c of charts) {
    c.fillLegend();
    c.draw();
  }
}

function start() {
  const main = document.getElementById('main');
  const data = JSON.parse(document.getElementById('data').textContent);
  const folders = data.folders;
  const title =
    [...new Set(wholesOf(data).map(g => g.title || g.name))].join(', ') || 'dmoc report';
  document.title = title;
  document.getElementById('title').textContent = title;
  shade(window.matchMedia && window.matchMedia('(prefers-color-scheme: dark)').matches);
  document.getElementById('shade').addEventListener('click', () => shade(!isDark()));

  // on paper it is light, and all charts are drawn, seen or not
  let wasDark = false;
  window.addEventListener('beforeprint', () => {
    wasDark = isDark();
    for (const c of charts) c.seen = true;
    shade(false);
  });
  window.addEventListener('afterprint', () => shade(wasDark));

  // the outcome first
  main.replaceChildren();
  for (const g of wholesOf(data)) {
    const own = g.whole ? [g, ...g.folders] : [g];
    for (const f of own) {
      const name = folders.length > 1 ? make('span', {class: 'name'}, f.name) : '';
      const words = f.study ? make('p', {class: 'sentence'}, sayStudy(f)) : sentence(f);
      words.prepend(name);
      main.append(words, ...warningsOf(f));
    }
  }

  // the robot and its time
  const moving = folders.filter(f => f.scene);
  const clock =
    new Clock(Math.max(0, ...moving.map(f => (f.begin || 0) + f.scene.end)), phaseMarks(data));
  if (moving.length) {
    const stage = new Stage(moving, clock, data);
    if (stage.failure)
      main.append(make('p', {class: 'note warn', id: 'nostage'}, stage.failure));
    else
      main.append(stage.element, stage.bar(), stage.tellScales() || '', ...missingOf(moving));
    main.append(clock.bar());
    window.dmocStage = stage;
  }
  main.append(...studiesSections(data), ...designSection(data), ...motionSection(data, clock),
    ...outputsSection(data, clock), ...feedbackSection(data, clock), ...solverSection(data, clock),
    ...mechanicsSection(data, clock), ...otherSection(data, clock), ...factsTable(data),
    ...recordSection(data));
  document.getElementById('footer').textContent =
    `made by dmoc ${data.version}; units are SI, angles in radians`;
  window.dmocClock = clock;
  clock.set(0);
}

start();
