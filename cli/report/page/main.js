// Puts the page together.

'use strict';

function shade(dark) {
  document.documentElement.classList.toggle('dark', dark);
  for (const c of charts) { c.fillLegend(); c.draw(); }
}

function start() {
  const main = document.getElementById('main');
  const data = JSON.parse(document.getElementById('data').textContent);
  const folders = data.folders;
  const title = [...new Set(folders.map(f => f.title || f.name))].join(', ') || 'dmoc report';
  document.title = title;
  document.getElementById('title').textContent = title;
  shade(window.matchMedia && window.matchMedia('(prefers-color-scheme: dark)').matches);
  document.getElementById('shade').addEventListener('click', () => shade(!isDark()));

  // the outcome first
  main.replaceChildren();
  if (data.whole) main.append(sentence({result: data.whole}));
  for (const f of folders) {
    if (folders.length > 1) main.append(make('strong', {}, f.name));
    main.append(sentence(f), ...warningsOf(f));
  }

  // the robot and its time
  const moving = folders.filter(f => f.scene);
  const clock = new Clock(Math.max(0, ...moving.map(f => (f.begin || 0) + f.scene.end)));
  if (moving.length) {
    const stage = new Stage(moving, clock, Boolean(data.whole));
    if (stage.failure) main.append(make('p', {class: 'note warn', id: 'nostage'}, stage.failure));
    else main.append(stage.element, stage.bar(), stage.tellScales() || '', ...missingOf(moving));
    main.append(clock.bar());
    window.dmocStage = stage;
  }
  main.append(...motionSection(data, clock), ...outputsSection(data, clock), ...feedbackSection(data, clock), ...solverSection(data, clock), ...otherSection(data, clock));
  main.append(heading(folders.length > 1 ? 'Side by side' : 'Figures'), factsTable(data), ...recordSection(data));
  document.getElementById('footer').textContent = `made by dmoc ${data.version}; units are SI, angles in radians`;
  window.dmocClock = clock;
  clock.set(0);
}

start();
