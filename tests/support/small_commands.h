// tests/support/small_commands.h: each command on small problems, in this process.
#ifndef TESTS_SUPPORT_SMALL_COMMANDS_H
#define TESTS_SUPPORT_SMALL_COMMANDS_H
#include "tests/support/commands.h"

#define PENDULUM                                                                                   \
  "model: {bodies: [{name: bob, joints: [{name: arm, type: ry, effort: 20}], mass: 1, centre: "    \
  "[0, 0, -1]}]}\n"
#define TASK                                                                                       \
  "horizon: {steps: 6, time: 1}\nstart: {q: 0, v: 0}\ngoal: {q: 1, v: 0}\ncost: {input: 1}\n"

static const struct {
  const char *name, *text;
} files[] = {
    {"task.yaml", PENDULUM TASK "feedback: {Q: {q: 10, p: 1}, R: 1, Qf: riccati}\n"
                                "verify: {samples: 2, seed: 1, spread: {q: 0.01, v: 0.01}, "
                                "tolerance: 0.5, required: 0, start: {q: {arm: 0.1}}}\n"},
    {"hard.yaml", PENDULUM TASK
     "outputs: [{name: tip, type: position, bodies: bob, points: [0, 0, -1]}]\n"
     "feedback: {Q: {q: 10, p: 1}, R: 1, rate: 100, hold: 0.2, delay: 1, "
     "estimator: {encoder: 1e-3, process: 1e-3}}\n"
     "verify: {samples: 2, spread: {q: 0.01, v: 0.01}, tolerance: {state: 0.5, outputs: {tip: "
     "1}}, required: 0, plants: all, errors: {mass: 0.1}, noise: {torque: "
     "0.1}, encoders: {step: 1e-3}, friction: 0.1, sweep: {points: 2, "
     "samples: 1}, region: {directions: 2, halvings: 1, most: 1, rate: 0.5, confidence: 0.5, "
     "samples: 2}}\n"},
    {"soft.yaml", PENDULUM TASK
     "feedback: {Q: {q: 10, p: 1}, R: 1, tune: {tries: 2, seed: 3}}\n"
     "verify: {samples: 1, spread: {q: 0.01, v: 0.01}, tolerance: 0.5, criteria: [{vary: delay, "
     "to: 0.1, levels: 2}]}\n"},
    {"paper.yaml", PENDULUM TASK "feedback: {Q: {q: 10, p: 1}, R: 1}\nguess: rollout\n"},
    {"design.yaml",
     "model: {bodies: [{name: block, joints: [{name: x, type: tx, effort: 100}], mass: 2}], "
     "springs: [{name: s, joint: x, stiffness: 3}]}\n"
     "design: [{name: k, at: model.springs.0.stiffness, within: [0, 40]}]\n"
     "horizon: {steps: 6, time: 1.5}\nstart: {q: -1, v: 0}\ngoal: {q: 1, v: 0}\ncost: {input: "
     "1}\n"},
    {"phases.yaml",
     PENDULUM "start: {q: 0, v: 0}\ncost: {input: 1}\nphases:\n"
              "  - {name: up, horizon: {steps: 3, time: 0.5}}\n"
              "  - {name: down, horizon: {steps: 3, time: 0.5}, goal: {q: 1, v: 0}}\n"
              "feedback: {Q: {q: 10, p: 1}, R: 1, Qf: {q: 100, p: 1}}\n"
              "verify: {samples: 2, spread: {q: 0.01, v: 0.01}, required: 0}\n"},
    {"second.yaml", PENDULUM TASK "transcription: second-order\n"
                                  "feedback: {Q: {q: 10, p: 1}, R: 1}\n"},
    {"flow.yaml",
     "model: {gravity: [0, 0, 0], bodies: [{name: point, joints: [{name: x, type: tx}], mass: "
     "1}]}\ninputs: [{joint: x}]\ntranscription: second-order\ncost: {input: 1}\n"
     "simulate: {steps: 3, step: 0.5, start: {q: 0, v: 1}}\n"},
    {"hoist.yaml",
     "model:\n  bodies:\n"
     "    - {name: load, joints: [{name: x, type: tx}, {name: z, type: tz}], mass: 1}\n"
     "    - {name: crane, joints: [{name: hook, type: tx, kinematic: true}]}\n"
     "  constraints: [{name: string, type: distance, bodies: [load, crane], length: 1}]\n"
     "simulate: {steps: 4, step: 0.01, start: {q: {z: -1}}}\n"
     "feedback: {Q: {q: {x: 10, hook: 1}, p: 1}, R: 1, measure: velocity}\n"
     "verify: {samples: 2, spread: {q: 0.05, v: 0.1}, tolerance: 0.05, required: 0}\n"},
    {"ball.yaml", "model:\n  bodies: [{name: ball, joints: [{name: z, type: tz}], mass: 1}]\n"
                  "  contacts: [{name: floor, type: above, bodies: [ball, world], axis: [0, 0, 1], "
                  "restitution: 0.5}]\n"
                  "simulate: {steps: 30, step: 0.01, start: {q: {z: 0.1}}}\n"},
    {"swing.yaml", PENDULUM "horizon: {steps: 6, time: 2}\nstart: {q: 0, v: 0}\ngoal: {q: 4, v: "
                            "0}\ncost: {input: 1}\nstarts: {count: 3}\n"
                            "outputs: [{name: tip, type: position, bodies: bob, points: [0, 0, "
                            "-1]}]\nbounds: {outputs: {tip.z: [none, 2]}}\n"},
    {"fine.yaml", PENDULUM "horizon: {steps: 3, time: 1, error: 0.05}\nstart: {q: 0, v: 0}\ngoal: "
                           "{q: 1, v: 0}\ncost: {input: 1}\n"},
    {"past.yaml",
     "model: {bodies: [{name: hand, joints: [{name: x, type: tx, effort: 100}, {name: z, type: tz, "
     "effort: 100}], mass: 1}]}\n"
     "keep_out: {clearance: 0.01, shapes: [{name: ball, type: sphere, body: hand, radius: 0.1}, "
     "{name: post, type: sphere, point: [0.5, 0, 0.02], radius: 0.2}]}\n"
     "horizon: {steps: 9, time: 2, gap: none}\ncost: {input: 1}\n"
     "start: {q: {x: 0, z: 0}, v: 0}\ngoal: {q: {x: 1, z: 0}, v: 0}\n"},
    {"exported.yaml", PENDULUM "balance: {q: {arm: pi/2}, steps: 5, time: 1}\n"
                               "feedback: {Q: {q: 10, p: 1}, R: 1, envelope: 0.3, rate_limit: 100, "
                               "integral: [arm]}\n"
                               "verify: {samples: 2, spread: {q: 0.01, v: 0.01}, tolerance: 0.5, "
                               "required: 0, plants: exported, delay: 0.03}\n"},
    {"all.yaml",
     "model:\n"
     "  bodies: [{name: load, joints: [tx, ty, tz], mass: 0.5}, {name: arm, joints: [{name: a, "
     "type: "
     "ry}], mass: 1, centre: [0, 0, -1]}, {name: bob, joints: [tx, ty, tz], mass: 1}]\n"
     "  constraints: [{name: rod, type: distance, bodies: [load, world], length: 1}, {name: held, "
     "type: point, bodies: [bob, arm], points: [[0, 0, 1], [0, 0, 0]]}]\n"
     "  springs: [{name: hinge, joint: a, stiffness: 3}, {name: over, path: [{body: load}, {body: "
     "world, point: [2, 0, 0]}], stiffness: 20, rest: 1}]\n"
     "  dampers: [{name: oil, bodies: [load, arm], damping: 0.3}]\n"
     "  wrenches: [{name: wind, body: load, frame: mixed, force: [1, 2, 3]}]\n"
     "keep_out: {shapes: [{name: ball, type: sphere, body: load, radius: 0.1}, {name: crate, type: "
     "box, point: [9, 0, 0], size: [1, 1, 1]}]}\n"
     "simulate: {steps: 3, step: 0.01, start: {q: {load.tz: -1, bob.tz: -1}}}\n"},
    {"level.yaml", PENDULUM "balance: {q: {arm: pi/2}, steps: 5, time: 1}\n"
                            "feedback: {Q: {q: 10, p: 1}, R: 1}\n"},
};

// in this order: what one writes the next may read
static const char *const lines[] = {
    "info hard.yaml",
    "eval hard.yaml --q 1 --v 1 --a 1 --output all --hessian",
    "check task.yaml",
    "optimize task.yaml -o way --json",
    "run task.yaml -o way --from way --threads 1",
    "gains way",
    "verify way --threads 1 --json",
    "export way --all --force",
    "linearize way --second",
    "report way -o way.html",
    "convert way --to mcap",
    "convert way --to npz",
    "convert way --to mujoco",
    "plot way --what moving -o way.svg",
    "run hard.yaml -o hard --threads 1",
    "sweep task.yaml --vary cost.input=1,2 --threads 1 -o cases --keep",
    "report cases -o cases.html",
    "tune soft.yaml --threads 1 -o tuned.yaml",
    "descend paper.yaml -o steep",
    "optimize design.yaml -o design",
    "check design.yaml",
    "check phases.yaml",
    "optimize swing.yaml -o swing --threads 1",
    "optimize fine.yaml -o fine",
    "optimize past.yaml -o past",
    "run exported.yaml -o exported --threads 1",
    "plot way -o way.svg",
    "plot cases --what order --y objective --against 1 -o order.svg",
    "plot way way --what difference -o difference.svg",
    "plot way --what frames -o frames.svg",
    "plot way --what path -o path.svg",
    "plot way --y q,u -o columns.svg",
    "simulate all.yaml -o all",
    "convert all --to mujoco",
    "run phases.yaml -o phases --threads 1",
    "report phases -o phases.html",
    "convert phases --to mcap",
    "run second.yaml -o second",
    "simulate flow.yaml -o flow",
    "run hoist.yaml -o hoist --threads 1",
    "simulate ball.yaml -o ball",
    "report ball -o ball.html",
    "convert ball --to mcap",
    "convert ball --to mujoco",
    "run level.yaml -o level",
};
#endif
