// Errors in a problem file, with line and column.
#include "tests/support/cart_pole.h"

#include "lib/mechanics/system.h"
#include "problems/readers/format/schema.h"
#include "problems/readers/task/file_keys.h"

#define MODEL   "model: {urdf: c.urdf}\n"
#define BODY    "model: {bodies: [{name: a, joints: [rx], mass: 1, inertia: [1, 1, 1]"
#define EQUAL   "type: equal, coordinates: [slider, pole]}]}\nsimulate: {time: 1, steps: 2, "
#define RUN     "simulate: {time: 1, steps: 2}\n"
#define MOVE    "}]}\n" RUN
#define RUN_ONE "simulate: {steps: 1, time: 1}\n"
#define HOLD    "model: {urdf: c.urdf, constraints: [{name: h, "
#define HELD    "]}\n" RUN

// a problem, and the sentence after the folder's name
static const refused wrong[] = {
    // the file
    {"", "p.yaml:1:1: found an empty file"},
    {"model: {urdf: c.urdf}\n", "p.yaml:1:1: found none of 'horizon', 'simulate', 'balance'"},
    {"horizon: {steps: 4, time: 2}\n", "p.yaml:1:1: the file: found no 'model', expected one"},
    {HEAD "gaol: {q: 0}\n",
     "p.yaml:4:1: the file: found the unknown key 'gaol', expected one of name, folder, model, "
     "inputs, let, outputs, keep_out, design, horizon, transcription, rule, "
     "start, goal, bounds, via, constraints, until, path, cost, guess, starts, solver, contact, "
     "feedback, mpc, "
     "verify, "
     "simulate, "
     "identify, balance, "
     "phases, phase, total_time; "
     "did "
     "you mean "
     "'goal'?"},
    {HEAD "springs: []\n", "p.yaml:4:1: the file: found the unknown key 'springs'"},
    {HEAD "goal: {q: 0}\ngoal: {q: 0}\n", "p.yaml:5:1: found the key 'goal' a second time"},
    {HEAD "name: a/b\n", "p.yaml:4:7: name: found 'a/b', expected one that can name a folder"},
    {HEAD "name: ..\n", "p.yaml:4:7: name: found '..'"},
    {HEAD "folder: ''\n",
     "p.yaml:4:9: folder: found the text \"\", expected text that is not empty"},
    {"folder: gone\n" HEAD RUN, "p.yaml:2:15: model.urdf: '"},
    {HEAD "goal: 3\n", "p.yaml:4:7: goal: found '3', expected a mapping"},
    {HEAD "goal:\n", "p.yaml:4:6: goal: found nothing, expected a mapping"},
    {MODEL "goal: {q: 0}\nsimulate: {time: 1, steps: 3}\n",
     "p.yaml:2:1: found 'goal' but no 'horizon'"},
    // the model
    {"model: {urdf: none.urdf}\nhorizon: {steps: 4, time: 2}\n", "p.yaml:1:15: model.urdf: '"},
    {"model: {robot: none.xml}\nhorizon: {steps: 4, time: 2}\n", "p.yaml:1:16: model.robot: '"},
    {"model: {robot: c.urdf, urdf: c.urdf}\n" RUN,
     "p.yaml:1:30: model: found both robot and urdf, two words for one file"},
    {"model: {mjcf: c.urdf}\n" RUN,
     "p.yaml:1:9: model: found the unknown key 'mjcf', expected one of robot, urdf, base"},
    {"model: {}\nhorizon: {steps: 4, time: 2}\n",
     "p.yaml:1:8: model: found none of robot, bodies, lagrangian"},
    {"model: {bodies: [{name: a, joints: [rx], mass: 1e308, centre: [0, 0, -2]}]}\n" RUN,
     "p.yaml: the robot's equations cannot be evaluated: a number is not finite; masses, lengths "
     "and inertias"},
    {"model: {urdf: c.urdf, base: flying}\n" RUN,
     "p.yaml:1:29: model.base: found the unknown word 'flying', "
     "expected one of fixed, floating"},
    {"model: {urdf: c.urdf, gravity: [0, 0]}\n" RUN,
     "p.yaml:1:32: model.gravity: found a list of 2, expected a list of 3 numbers"},
    {"model: {urdf: c.urdf, gravity: [0, 0, nan]}\n" RUN,
     "p.yaml:1:39: model.gravity: found 'nan', expected a finite number"},
    {"model: {urdf: c.urdf, damping: {pol: 1}}\n" RUN,
     "p.yaml:1:33: model.damping: found the unknown joint 'pol', "
     "expected one of slider, pole; did you mean 'pole'?"},
    {"model: {urdf: c.urdf, armature: -1}\n" RUN,
     "p.yaml:1:33: model.armature: found '-1', expected a number >= 0"},
    // bodies
    {BODY ", mass: 2" MOVE, "p.yaml:1:71: found the key 'mass' a second time"},
    {"model: {bodies: []}\n" RUN, "p.yaml:1:17: model.bodies: found an empty list"},
    {"model: {bodies: [{mass: 1" MOVE,
     "p.yaml:1:18: model.bodies[]: found no 'name', expected one"},
    {"model: {bodies: [{name: a, mass: -1" MOVE,
     "p.yaml:1:34: model.bodies[].mass: found '-1', expected a number >= 0"},
    {"model: {bodies: [{name: a, parent: b" MOVE,
     "p.yaml:1:36: model.bodies[].parent: found 'b', expected world or a body that stands before"},
    {BODY "}, {name: a" MOVE, "found a second body named 'a'"},
    {BODY "}, {name: b, joints: [{name: a, type: rx}]" MOVE, "found a second joint named 'a'"},
    {"model: {bodies: [{name: a, joints: [rw]" MOVE,
     "p.yaml:1:37: model.bodies[].joints[]: found the unknown joint 'rw', expected one of tx"},
    {"model: {bodies: [{name: a, joints: [{name: b}]" MOVE,
     "p.yaml:1:37: model.bodies[].joints[]: found no axis"},
    {"model: {bodies: [{name: a, joints: [{rotate: [0, 0, 0]}]" MOVE,
     "p.yaml:1:37: joint 'a': found the axis 0 0 0"},
    {"model: {bodies: [{name: a, joints: [{type: rx, slide: [1, 0, 0]}]" MOVE,
     "found several axes"},
    {"model: {bodies: [{name: a, joints: [rx], inertia: [1, 2]" MOVE,
     "p.yaml:1:51: model.bodies[].inertia: found a list of 2, expected a list of 3"},
    {"model: {bodies: [{name: a, joints: [rx], inertia: {xw: 2}" MOVE,
     "p.yaml:1:52: model.bodies[].inertia: found the unknown key 'xw'"},
    {"model: {bodies: [{name: a, joints: [rx]" MOVE,
     "p.yaml:1:37: coordinate 'a' moves no inertia of its own"},
    {"model: {bodies: [{name: a}], base: floating}\n" RUN,
     "p.yaml:1:8: model: found base: floating beside bodies"},
    // kinematic coordinates
    {"model: {bodies: [{name: a, joints: [{type: rx, kinematic: yes}]" MOVE,
     "p.yaml:1:59: model.bodies[].joints[].kinematic: found the unknown word 'yes', "
     "expected one of false, true"},
    {"model: {urdf: c.urdf, kinematic: [slidr]}\n" RUN,
     "p.yaml:1:35: model.kinematic[]: found the unknown coordinate 'slidr', "
     "expected one of slider, pole; did you mean 'slider'?"},
    {"model: {urdf: c.urdf, kinematic: slider}\n" RUN,
     "p.yaml:1:34: model.kinematic: found 'slider', expected a list"},
    {"model: {urdf: c.urdf, kinematic: [slider]}\ninputs: [{joint: slider}]\n" RUN,
     "p.yaml:2:18: inputs[].joint: found 'slider', which is kinematic"},
    {"model: {urdf: c.urdf, kinematic: [slider]}\n"
     "simulate: {time: 1, steps: 2, input: {pole: 1}}\n",
     "p.yaml:2:39: simulate.input: found the unknown input 'pole', expected slider"},
    // constraints
    {HOLD "type: point}" HELD, "p.yaml:1:37: model.constraints[]: found no 'bodies', expected one"},
    {HOLD "type: weld}" HELD, "model.constraints[].type: found the unknown word 'weld'"},
    {HOLD "type: equal, bodies: [cart, tip]}" HELD, "found no 'coordinates', expected one for"},
    {HOLD "type: point, bodies: [cart, tip], length: 1}" HELD,
     "p.yaml:1:81: model.constraints[]: found 'length', expected none for the type point"},
    {HOLD "type: point, bodies: [cart, tpi]}" HELD,
     "p.yaml:1:75: model.constraints[].bodies: found the unknown body 'tpi', "
     "expected one of world, rail, cart, tip; did you mean 'tip'?"},
    {HOLD "type: point, bodies: [tip, tip]}" HELD, "found 'tip' twice, expected different ones"},
    {HOLD "type: point, bodies: tip}" HELD, "found 'tip', expected a list of 2 names"},
    {HOLD "type: point, bodies: [cart, tip], points: [[0, 0, 0]]}" HELD,
     "model.constraints[].points: found a list of 1, expected a list of 2 points"},
    {HOLD "type: line, bodies: [cart, tip], axis: [0, 0, 0]}" HELD,
     "model.constraints[].axis: found 0 0 0, expected a direction"},
    {HOLD "type: distance, bodies: [cart, tip], axis: [0, 0, 1], length: 1}" HELD,
     "p.yaml:1:84: model.constraints[]: found 'axis', expected none for the type distance"},
    {HOLD "type: distance, bodies: [cart, tip], length: 0}" HELD,
     "model.constraints[].length: found '0', expected a number > 0"},
    {HOLD "type: distance, bodies: [cart, tip], length: slide}" HELD,
     "found the unknown coordinate 'slide', expected one of slider, pole; did you mean 'slider'?"},
    {HOLD "type: distance, bodies: [cart, tip], length: pole}" HELD,
     "found 'pole', which turns, expected one that slides"},
    {HOLD "type: equal, coordinates: [pole, slider]}, {name: h, type: equal, "
          "coordinates: [pole, slider]}" HELD,
     "model.constraints[]: found a second one named 'h'"},
    {HOLD "type: equal, coordinates: [slider, pole], shift: 0.25}]}\n"
          "simulate: {time: 1, steps: 2, start: {assemble: none}}\n",
     "p.yaml:2:38: simulate.start: it violates the constraint 'h' by -0.25"},
    {HOLD "type: equal, coordinates: [slider, pole], shift: 2e-6}]}\n"
          "simulate: {time: 1, steps: 2, start: {assemble: none}}\n",
     "p.yaml:2:38: simulate.start: it violates the constraint 'h' by -2e-06"},
    {HOLD "type: equal, coordinates: [slider, pole], ratio: 1e308, shift: 1e308}]}\n"
          "simulate: {time: 1, steps: 2, start: {q: 1e308, assemble: none}}\n",
     "p.yaml:2:42: simulate.start.q: found 1e+308 for 'slider', expected a value from -1e+100 to "
     "1e+100: "
     "energies of larger ones overflow"},
    {HOLD
     "type: plane, bodies: [cart, world], points: [[0, 1, 0], [0, 0, 0]], axis: [0, 1, 0]}" HELD,
     "p.yaml:2:11: simulate.start: constraint 'h' cannot be met near there: off by 1 m or rad"},
    {HOLD "type: plane, bodies: [tip, world], points: [[0, 0, -1], [3, 0, 0]], axis: [1, 0, 0]}]}\n"
          "horizon: {steps: 2, time: 1}\nstart: {q: {slider: 1, pole: free}, v: 0}\n",
     "p.yaml:3:8: start: constraint 'h' cannot be met near there: off by 1 m or rad"},
    {HOLD "type: equal, coordinates: [slider, pole]}]}\nhorizon: {steps: 2, time: 1}\n"
          "start: {q: 0, v: 0}\nbounds: {lambda: {hh: none}}\n",
     "p.yaml:4:19: bounds.lambda: found the unknown constraint 'hh', expected h"},
    {HOLD "type: equal, coordinates: [slider, pole]}]}\nhorizon: {steps: 2, time: 1}\n"
          "start: {q: 0, v: 0}\nbounds: {lambda: {h: 3}}\n",
     "p.yaml:4:22: bounds.lambda.h: found '3', expected [low, high] with low <= high, or none"},
    {HOLD "type: equal, coordinates: [slider, pole]}]}\nhorizon: {steps: 2, time: 1}\n"
          "start: {q: 0, v: 0}\nbounds: {lambda: [[0, none], none]}\n",
     "p.yaml:4:18: bounds.lambda: found a list of 2, expected 1 pair [low, high] in the order h "
     "(or one for all, or a mapping by name)"},
    {"model: {urdf: c.urdf, kinematic: [slider]}\nhorizon: {steps: 2, time: 1}\n"
     "start: {v: 0, assemble: energy}\n",
     "p.yaml:3:8: start: 'assemble: energy' found 'slider' free, expected a value: it is "
     "kinematic"},
    {"model: {bodies: [{name: a, joints: [tz], mass: 1}]}\nhorizon: {steps: 2, time: 1}\n"
     "start: {v: 0, assemble: energy}\n",
     "start: no least potential energy: 'a' still falls, and nothing supports it"},
    {MODEL "horizon: {steps: 2, time: 1}\nstart: {q: 0, v: 0, assemble: least}\n",
     "start.assemble: found the unknown word 'least', expected one of project, energy, none"},
    {HOLD
     "type: plane, axis: [0, 0, 1], bodies: [tip, world], points: [[0, 0, 1], [0, 0, 1]]}" HELD,
     "p.yaml:2:11: simulate.start: constraint 'h' repeats what follows from the others: 0 of 1"},
    {MODEL "simulate: {time: 1, steps: 2, start: {held: true, v: 0}}\n",
     "p.yaml:2:54: simulate.start.v: found one beside 'held: true', expected none"},
    {MODEL "simulate: {time: 1, steps: 2, start: {next: 0, v: 0}}\n",
     "p.yaml:2:51: simulate.start.v: found one beside next, expected none"},
    {MODEL "simulate: {time: 1, steps: 2, start: {next: 0, held: false}}\n",
     "p.yaml:2:54: simulate.start.held: found one beside next, expected none"},
    {"model: {urdf: c.urdf, kinematic: [slider]}\n"
     "simulate: {time: 1, steps: 2, start: {next: 0}}\n",
     "p.yaml:2:45: simulate.start.next: found one, expected none beside kinematic coordinates"},
    {"model: {bodies: [{name: a, joints: [ball], mass: 1, inertia: [1, 1, 1]}]}\n"
     "simulate: {time: 1, steps: 2, start: {q: {a.qw: 1}, next: {a.qw: 1}}}\n",
     "p.yaml:2:59: simulate.start.next: found one, expected none beside ball joints"},
    {MODEL "simulate: {time: 1, steps: 2, constraints: {points: two}}\n",
     "p.yaml:2:44: simulate.constraints: found one, expected none without model.constraints"},
    {HOLD "type: equal, coordinates: slider}" HELD,
     "model.constraints[].coordinates: found 'slider', expected a list of 2 to 8 names"},
    {HOLD "type: equal, coordinates: [slider, slider]}" HELD,
     "model.constraints[].coordinates: found 'slider' twice, expected each once"},
    {HOLD EQUAL "start: {next: {slider: 1}}}\n",
     "p.yaml:2:45: simulate.start.next: it violates the constraint 'h' by 1"},
    {HOLD EQUAL "constraints: {points: one, first: 0}}\n",
     "p.yaml:2:65: simulate.constraints.first: found one, expected none but beside 'points: two'"},
    {HOLD EQUAL "constraints: {points: three}}\n",
     "simulate.constraints.points: found the unknown word 'three', expected one of one, two"},
    {HOLD EQUAL "constraints: {points: two}}\n",
     "p.yaml:2:11: simulate.start: found a motion without constraint forces, expected a velocity "
     "or a load: give q and next"},
    {HOLD EQUAL "start: {next: 0}, constraints: {points: two}}\nrule: {alpha: 0}\n",
     "simulate.constraints.points: found alpha 0, expected one between 0 and 1"},
    {HOLD EQUAL "start: {next: 0}, constraints: {points: two}}\nrule: {lagrangian: trapezoid}\n",
     "simulate.constraints.points: found a rule of 2 points, expected the midpoint rule"},
    {HOLD EQUAL "start: {next: 0}, constraints: {points: two}}\nrule: {lagrangian: lobatto-3}\n",
     "simulate.constraints.points: found 'two' beside a rule with nodes within the step"},
    {HOLD EQUAL "start: {next: 0}, constraints: {points: two}, order: 4}\n",
     "p.yaml:2:77: simulate.order: found 4 beside points: two, expected none"},
    {HOLD EQUAL "start: {next: 0}, constraints: {points: two}, monitors: form}\n",
     "simulate.monitors: found form beside points: two, expected none"},
    {HOLD EQUAL "start: {next: 0, near: 0}, constraints: {points: two}}\n",
     "p.yaml:2:54: simulate.start.near: found one beside 'points: two', expected none"},
    {HOLD EQUAL "start: {next: 0}, constraints: {points: two, first: {g: 1}}}\n",
     "simulate.constraints.first: found the unknown row 'g', expected h"},
    // inputs
    {HEAD "name: \"\"\n", "p.yaml:4:7: name: found the text \"\", expected text that is not empty"},
    {HEAD "inputs: [{joint: pol}]\n",
     "p.yaml:4:18: inputs[].joint: found the unknown joint 'pol', expected one of slider, pole"},
    {HEAD "inputs: [{effort: 3}]\n",
     "p.yaml:4:10: inputs[]: found none, expected one of joint, actuator, body, path, across"},
    {HEAD "inputs: [{joint: pole, effort: 0}]\n",
     "p.yaml:4:32: inputs[].effort: found '0', expected a number > 0"},
    {HEAD "inputs: [{joint: pole}, {joint: pole}]\n",
     "p.yaml:4:33: inputs: found a second input on 'pole'"},
    {HEAD "inputs: [{joint: pole, min: 2, max: 1}]\n",
     "p.yaml:4:10: inputs[]: found min 2 above max 1"},
    {HEAD "inputs: [{joint: pole, effort: 2, max: 1}]\n", "found 'effort' beside 'min' or 'max'"},
    {HEAD "inputs: {joint: pole}\n", "p.yaml:4:9: inputs: found a mapping of 1, expected a list"},
    // horizon and rule
    {MODEL "horizon: {steps: 0, time: 2}\n",
     "p.yaml:2:18: horizon.steps: found '0', expected an integer >= 1"},
    {MODEL "horizon: {steps: -3, time: 2}\n",
     "p.yaml:2:18: horizon.steps: found '-3', expected an integer >= 1"},
    {MODEL "horizon: {steps: 1.5, time: 2}\n",
     "p.yaml:2:18: horizon.steps: found '1.5', expected an integer >= 1"},
    {MODEL "horizon: {steps: 1e12, time: 2}\n",
     "p.yaml:2:18: horizon.steps: found '1e12', expected an integer"},
    {MODEL "horizon: {steps: 2e9, time: 2}\n",
     "p.yaml:2:18: horizon.steps: found 2000000000, too many for 2 coordinates"},
    {MODEL "horizon: {steps: '100', time: 2}\n",
     "p.yaml:2:18: horizon.steps: found the text \"100\", expected an integer"},
    {MODEL "horizon: {stpes: 4, time: 2}\n",
     "p.yaml:2:11: horizon: found the unknown key 'stpes', "
     "expected one of steps, time, knots, density, steps_free, turn, gap, between, error, refine, "
     "asked; "
     "did you mean 'steps'?"},
    {MODEL "horizon: {steps: 4, time: 2, turn: 0}\nstart: {q: 0, v: 0}\n",
     "horizon.turn: found '0', expected a number > 0"},
    {MODEL "horizon: {steps: 4, time: 2, refine: 11}\nstart: {q: 0, v: 0}\n",
     "horizon.refine: found '11', expected"},
    {MODEL "horizon: {steps: 4}\n", "p.yaml:2:10: horizon: found no 'time', expected one"},
    {MODEL "horizon: {steps: 4, time: -1}\n",
     "p.yaml:2:27: horizon.time: found '-1', expected a number > 0"},
    {MODEL "horizon: {steps: 4, time: 1e-300}\n",
     "p.yaml:2:27: horizon.time: found a step of 2.5e-301 s, expected at least 1e-9 s"},
    {MODEL "horizon: {steps: 10, time: {free: [1e-9, 1]}}\n",
     "p.yaml:2:35: horizon.time.free: found a step of 1e-10 s, expected at least 1e-9 s"},
    {MODEL "horizon: {steps: 4, time: .nan}\n",
     "p.yaml:2:27: horizon.time: found '.nan', expected a number > 0"},
    {MODEL "horizon: {steps: 4, time: soon}\n",
     "p.yaml:2:27: horizon.time: found 'soon', expected a number > 0"},
    {MODEL "horizon: {steps: 4, time: {free: [3, 1]}}\n",
     "p.yaml:2:34: horizon.time.free: found [3, 1], expected 0 < low < high"},
    {MODEL "horizon: {steps: 4, time: {free: [1, 3], guess: 4}}\n",
     "p.yaml:2:49: horizon.time.guess: found 4, expected a time in [1, 3]"},
    {MODEL "horizon: {steps: 3, time: 2, knots: [0, 1, 2]}\n",
     "p.yaml:2:37: horizon.knots: found 3 of them, expected 4 for the 3 steps of horizon.steps"},
    {MODEL "horizon: {steps: 2, time: 2, knots: [0.5, 1, 2]}\n",
     "p.yaml:2:38: horizon.knots: found 0.5 first, expected 0"},
    {MODEL "horizon: {steps: 3, time: 2, knots: [0, 1, 1, 2]}\n",
     "p.yaml:2:44: horizon.knots: found 1 after 1, expected a later time"},
    {MODEL "horizon: {steps: 2, time: 2, knots: [0, 1, 3]}\n",
     "p.yaml:2:44: horizon.knots: found 3 last, expected horizon.time, 2"},
    {MODEL "horizon: {steps: 2, time: {free: [1, 3]}, knots: [0, 1, 2]}\n",
     "p.yaml:2:57: horizon.knots: found 2 last, expected the end of a free horizon.time, as the "
     "share 1"},
    {MODEL "horizon: {steps: 2, time: 2, knots: [0, 1e-10, 2]}\n",
     "p.yaml:2:37: horizon.knots: found a step of 1e-10 s, expected at least 1e-9 s"},
    {MODEL "horizon: {steps: 2, time: 2, knots: 3}\n",
     "p.yaml:2:37: horizon.knots: found no list, expected 3 times from 0 to 2 s"},
    {MODEL "horizon: {steps: 2, time: 2, density: 1 - 2 s}\n",
     "p.yaml:2:39: horizon.density: found 0 at s = 0.5, expected a number > 0 for s from 0 to 1"},
    {MODEL "horizon: {steps: 2, time: 2, density: sqrt(s - 1)}\n",
     "p.yaml:2:39: horizon.density: found no value at s = 0, where it has sqrt(-1)"},
    {MODEL "horizon: {steps: 2, time: 2, density: 1 + t}\n",
     "p.yaml:2:39: horizon.density: found the unknown name 't' at character 5, expected one of s"},
    {MODEL "horizon: {steps: 2, time: 2, density: 1, knots: [0, 1, 2]}\n",
     "horizon.density: found one beside 'knots', expected one of them"},
    {MODEL "horizon: {steps: 2, time: 2, density: 1 + s}\nstart: {q: 0, v: 0}\n"
           "goal: {periodic: true}\ncost: {input: 1}\n",
     "horizon.density: a motion with steps of unequal length cannot have a periodic motion"},
    {MODEL "horizon: {steps: 2, time: 2, density: 1 + 1e9 exp(-((s - 0.3)/1e-5)^2)}\n",
     "p.yaml:2:39: horizon.density: found one that varies too fast near s = 0.3"},
    {MODEL "horizon: {steps: 2, time: 2, density: {x: [0, 1], y: [1, -1]}}\n",
     "horizon.density: found 0 at s = 0.5, expected a number > 0"},
    {MODEL "horizon: {steps: 2, time: 2, density: none.csv}\n", "none.csv"},
    {MODEL "horizon: {steps: 2, time: 2, density: {x: [0.2, 0.5, 0.6], y: [1, 4, 1]}}\n",
     "horizon.density: found a table from s = 0.2 to 0.6, expected 0 to 1: s is the share of "
     "horizon.time"},
    {MODEL "horizon: {steps: 2, time: 2, density: {x: [0, 2], y: [1, 3]}}\n",
     "horizon.density: found a table from s = 0 to 2, expected 0 to 1"},
    {MODEL "horizon: {time: 2, knots: [0]}\n",
     "p.yaml:2:10: horizon: found no 'steps', expected them, or two or more 'knots'"},
    {MODEL "horizon: {steps: 2, time: 2, density: 1 + s}\nstart: {q: 0, v: 0}\n"
           "goal: {q: {slider: 1, pole: 0}, v: 0}\nfeedback: {Q: {q: 1, p: 1}, R: 1}\n",
     "feedback.rate: found none beside steps of unequal length"},
    {MODEL "horizon: {steps: 2, time: 2, density: 1 + s}\nstart: {q: 0, v: 0}\n"
           "goal: {q: {slider: 1, pole: 0}, v: 0}\n"
           "feedback: {Q: {q: 1, p: 1}, R: 1, rate: 50, integral: [slider]}\n",
     "feedback.integral: found one beside steps of unequal length"},
    {MODEL "horizon: {steps: 4, time: 2, steps_free: [0.6, 1]}\n",
     "p.yaml:2:42: horizon.steps_free: found [0.6, 1], so that 4 steps last from 2.4 to 4 s, "
     "expected a "
     "range that includes horizon.time, 2 s"},
    {MODEL "horizon: {steps: 4, time: {free: [2, 3]}, steps_free: [0.1, 0.4]}\n",
     "horizon.steps_free: found [0.1, 0.4], so that 4 steps last from 0.4 to 1.6 s, expected a "
     "range that "
     "includes horizon.time, 2 s"},
    {MODEL "horizon: {steps: 4, time: 2, steps_free: [1, 0.1]}\n",
     "p.yaml:2:42: horizon.steps_free: found [1, 0.1], expected 1e-9 s <= low < high"},
    {MODEL "horizon: {steps: 4, time: 2, steps_free: often}\n",
     "p.yaml:2:42: horizon.steps_free: found neither true nor [low, high] in s"},
    {MODEL "horizon: {steps: 2, time: 2, steps_free: true}\nstart: {q: 0, v: 0}\ncost: {rate: 1}\n",
     "p.yaml:2:42: horizon.steps_free: a motion with free steps cannot have a cost on the rate "
     "of "},
    {MODEL "horizon: {steps: 4, time: 1}\n", "p.yaml:1:1: found 'horizon' but no 'start'"},
    {HEAD "rule: {lagrangian: verlet}\n", "p.yaml:4:20: rule.lagrangian: found the unknown word "
                                          "'verlet', expected one of midpoint, trapezoid"},
    {"model: {urdf: c.urdf, kinematic: [slider]}\nhorizon: {steps: 4, time: 2}\n"
     "start: {q: 0, v: 0}\nbounds: {rate: {slider: 3}}\n",
     "bounds.rate: found 'slider', which is kinematic, expected a force"},
    {HEAD "rule: {alpha: 2}\n", "p.yaml:4:15: rule.alpha: found '2', expected a number in [0, 1]"},
    {HEAD "rule: {lagrangian: trapezoid, alpha: 0.3}\n",
     "p.yaml:4:7: rule: the trapezoid rule has no alpha"},
    {HEAD "rule: {lagrangian: lobatto-3, force: left}\n",
     "p.yaml:4:7: rule: the lobatto-3 rule shares forces out among its nodes, found the force rule "
     "'left', expected midpoint"},
    // ends and bounds
    {HEAD "goal: {q: {pol: 1}}\n", "p.yaml:4:12: goal.q: found the unknown coordinate 'pol', "
                                   "expected one of slider, pole; did you mean 'pole'?"},
    {HEAD "goal: {q: {pole: up}}\n", "p.yaml:4:18: goal.q.pole: found 'up', expected a number"},
    {HEAD "goal: {q: {pole: [1]}}\n",
     "p.yaml:4:18: goal.q.pole: found a list of 1, expected a number"},
    {HEAD "goal: {q: [1, pi, 3]}\n",
     "p.yaml:4:11: goal.q: found a list of 3, expected 2 numbers in the order slider, pole (or one "
     "for all, or a mapping by name)"},
    {HEAD "goal: {q: [1]}\n", "p.yaml:4:11: goal.q: found a list of 1, expected 2 numbers"},
    {HEAD "goal: {q: []}\n", "p.yaml:4:11: goal.q: found a list of 0, expected 2 numbers"},
    {HEAD "goal: {q: [1, up]}\n", "p.yaml:4:15: goal.q.pole: found 'up', expected a number"},
    {HEAD "goal: {q: [1, nan]}\n",
     "p.yaml:4:15: goal.q.pole: found 'nan', expected a finite number"},
    {HEAD "goal: {q: [1, [1, 2, 3]]}\n",
     "p.yaml:4:15: goal.q.pole: found a list of 3, expected a number"},
    {HEAD "goal: {q: [3, 0]}\n",
     "p.yaml:4:11: goal.q: found 3 for 'slider', expected a value within its bounds [-2, 2]"},
    {HEAD "bounds: {q: [[-1, 1]]}\n",
     "p.yaml:4:13: bounds.q: found a list of 1, expected 2 pairs [low, high] in the order slider, "
     "pole"},
    {HEAD "bounds: {q: [[-1, 1], [1, 0]]}\n",
     "p.yaml:4:23: bounds.q.pole: found [1, 0], expected [low, high] with low <= high"},
    {HEAD "bounds: {v: [1, 0]}\n", "p.yaml:4:17: bounds.v.pole: found '0', expected a number > 0"},
    {HEAD "cost: {input: [1, 2]}\n",
     "p.yaml:4:15: cost.input: found a list of 2, expected 1 number in the order slider"},
    {HEAD "feedback: {Q: {q: [1, -1]}}\n",
     "p.yaml:4:23: feedback.Q.q.pole: found '-1', expected a number >= 0"},
    {HEAD "simulate: {steps: 1, time: 1, input: [1, 2]}\n",
     "p.yaml:4:38: simulate.input: found a list of 2, expected 1 number in the order slider"},
    {"model: {urdf: c.urdf, damping: [1]}\n" RUN_ONE,
     "p.yaml:1:32: model.damping: found a list of 1, expected 2 numbers in the order slider, pole"},
    {HEAD "goal: {q: {pole: .inf}}\n",
     "p.yaml:4:18: goal.q.pole: found '.inf', expected a finite number"},
    {HEAD "goal: {q: {slider: 3}}\n",
     "p.yaml:4:20: goal.q: found 3 for 'slider', expected a value within its bounds [-2, 2]"},
    {HEAD "goal: {v: 60}\n",
     "p.yaml:4:11: goal.v: found 60 for 'slider', expected a value within its bounds [-50, 50]"},
    {HEAD "bounds: {q: {slider: [1, 2]}}\n",
     "p.yaml:3:12: start.q: found 0 for 'slider', expected a value within its bounds [1, 2]"},
    {HEAD "bounds: {q: {slider: [2, 1]}}\n",
     "p.yaml:4:22: bounds.q.slider: found [2, 1], expected [low, high] with low <= high"},
    {HEAD "bounds: {q: {slider: 1}}\n",
     "p.yaml:4:22: bounds.q.slider: found '1', expected [low, high]"},
    {HEAD "bounds: {v: {slider: 0}}\n",
     "p.yaml:4:22: bounds.v.slider: found '0', expected a number > 0"},
    {HEAD "bounds: {u: {pole: [0, 1]}}\n",
     "p.yaml:4:14: bounds.u: found the unknown input 'pole', expected slider"},
    {HEAD "inputs: []\nbounds: {u: {pole: [0, 1]}}\n",
     "p.yaml:5:14: bounds.u: found 'pole', but there is no input"},
    // cost
    {HEAD "cost: {input: -1}\n", "p.yaml:4:15: cost.input: found '-1', expected a number >= 0"},
    {HEAD "cost: {state: {x: 1}}\n",
     "p.yaml:4:16: cost.state: found the unknown key 'x', expected one of q, v, p"},
    {HEAD "cost: {weighting: h}\n", "p.yaml:4:19: cost.weighting: found the unknown word 'h'"},
    {HEAD "cost: {reference: {}}\n",
     "p.yaml:4:19: cost.reference: found 0 keys, expected one of constant, step, csv"},
    {HEAD "cost: {reference: {step: {after: {q: 1}}}}\n",
     "p.yaml:4:26: cost.reference.step: found neither at nor fraction"},
    {HEAD "cost: {reference: {step: {at: 3, after: {q: 1}}}}\n",
     "p.yaml:4:31: cost.reference.step.at: found 3, expected a time within"},
    {HEAD "cost: {reference: {csv: none.csv}}\n", "p.yaml:4:25: '"},
    {HEAD "cost: {reference: {csv: p.yaml}}\n",
     "p.yaml:2: found 2 cells, expected 1 as in the header"},
    // guess, solver
    {HEAD "guess: lines\n", "p.yaml:4:8: guess: found the unknown word 'lines', expected one of "
                            "line, rollout, smooth; did you mean 'line'?"},
    {HEAD "guess: smooth\n", "p.yaml:4:8: guess: found 'smooth' without cost.input of a joint"},
    {HEAD "guess: {rollout: {u: x}}\n",
     "p.yaml:4:22: guess.rollout.u: found 'x', expected a number"},
    {HEAD "guess: {csv: []}\n", "p.yaml:4:14: found a list of 0, expected the name of a CSV file"},
    {HEAD "solver: {linear: ma97}\n",
     "p.yaml:4:18: solver.linear: found the unknown word 'ma97', expected one of auto"},
    {HEAD "solver: {method: stage, linear: mumps}\n",
     "p.yaml:4:25: solver.linear: found beside method: stage, which does not read it, expected a "
     "method that does (ipopt, or auto)"},
    {HEAD "solver: {method: ipopt, decrement: 1e-9}\n",
     "p.yaml:4:25: solver.decrement: found beside method: ipopt, which does not read it, expected "
     "a method that does (newton, or auto)"},
    {HEAD "solver: {ipopt: [max_soc]}\n",
     "p.yaml:4:17: solver.ipopt: found a list of 1, expected options of IPOPT"},
    {HEAD "solver: {ipopt: {max_socs: 0}}\n",
     "p.yaml:4:28: solver.ipopt.max_socs: found no such option of IPOPT; did you mean 'max_soc'?"},
    {HEAD "solver: {ipopt: {max_soc: [0]}}\n",
     "p.yaml:4:27: solver.ipopt.max_soc: found a list of 1, expected a number or a word"},
    {HEAD "solver: {ipopt: {tol: 1e-3}}\n",
     "p.yaml:4:23: solver.ipopt.tol: found an option that dmoc sets itself; use solver.tol"},
    {HEAD "solver: {tol: 0}\n", "p.yaml:4:15: solver.tol: found '0', expected a number > 0"},
};

static void wrong_problems_are_refused_by_place(void **state) {
  (void)state;
  expect_refused(wrong, COUNT_OF(wrong));
}

static const struct {
  const char *text, *message;
} wrong_tables[] = {
    {"", "x.csv:1: found an empty file"},
    {"# only a comment\n", "x.csv:1: found an empty file"},
    {"t,q.slider,q.pole\n", "x.csv:1: found a header alone"},
    {"# exported\nt;q.slider;q.pole\n0;0,5;1\n",
     "x.csv:2: found names separated by semicolons, expected commas"},
    {"t\tq.slider\tq.pole\n0\t1\t1\n", "x.csv:1: found names separated by tabs, expected commas"},
    {"t,q.slider,q.pole\n0,1\n", "x.csv:2: found 2 cells, expected 3"},
    {"t,q.slider,q.pole\n0,1,x\n", "x.csv:2: column 'q.pole': found 'x', expected a finite number"},
    {"t,q.slider,q.pole\n0,1,nan\n", "x.csv:2: column 'q.pole': found 'nan'"},
    {"t,q.slider,q.slider\n0,1,1\n", "x.csv:1: found a second column 'q.slider'"},
    {"t,q.slider\n0,1\n", "x.csv: found no column 'q.pole'"},
    {"t,q.slider,q.pol\n0,1,1\n", "x.csv: found the unknown column 'q.pol'; did you mean 'pole'?"},
    {"t,q.slider,q.pole\n0,1,1\n0,1,1\n", "x.csv:3: column 't': row 2 does not follow"},
    {"t,q.slider,q.pole\n0,1,\n1,1,1\n",
     "x.csv:2: found an empty cell in column 'q.pole' in or after row 1"},
    {"q.slider,q.pole\n1,1\n1,1\n", "x.csv: found 2 rows and no column 't', expected 5 rows"},
    {"t,x\n0,1\n", "x.csv:1: found no column q.NAME"},
};

static void wrong_tables_are_refused_by_line(void **state) {
  (void)state;
  for (size_t i = 0; i < sizeof wrong_tables / sizeof *wrong_tables; i++) {
    pb_problem *p;
    dm_message msg = {""};
    put_file(folder, "x.csv", wrong_tables[i].text);
    dm_status s = read_problem(HEAD "guess: {csv: x.csv}\n", &p, &msg);
    if (s != DM_BAD_INPUT || !strstr(msg.text, wrong_tables[i].message))
      fail_msg("got    %d %s\nwanted %s", s, msg.text, wrong_tables[i].message);
  }
}

// a table names the key that it belongs to
static void tables_without_a_column_name_their_key(void **state) {
  (void)state;
  pb_problem *p;
  dm_message msg = {""};
  put_file(folder, "x.csv", "a,b\n0,1\n1,1\n");
  dm_status s = read_problem(MODEL "horizon: {steps: 2, time: 2, density: x.csv}\n", &p, &msg);
  assert_int_equal(s, DM_BAD_INPUT);
  assert_non_null(strstr(msg.text, "p.yaml:2:39: horizon.density.x: found no column 's' in "));
}

static void errors_in_the_robot_name_its_file(void **state) {
  (void)state;
  pb_problem *p;
  dm_message msg = {""};
  put_file(folder, "x.csv", "<robot><link name='a'/>\n<link name='b'/></robot>");
  dm_status s = read_problem("model: {urdf: x.csv}\nsimulate: {time: 1, steps: 2}\n", &p, &msg);
  assert_int_equal(s, DM_BAD_INPUT);
  assert_non_null(strstr(msg.text, "/x.csv:2: links 'a' and 'b' hang on no joint"));
}

static void what_is_no_file_is_said(void **state) {
  (void)state;
  pb_problem *p;
  dm_message msg = {""};
  assert_int_equal(pb_problem_read(&p, "none.yaml", &msg), DM_IO);
  assert_string_equal(msg.text, "none.yaml: cannot be read: No such file or directory");
  assert_int_equal(pb_problem_read(&p, folder, &msg), DM_IO);
  assert_non_null(strstr(msg.text, ": cannot be read: Is a directory"));
}

// a name in a message cannot reach the terminal as a command to it
static void messages_hold_no_control_characters(void **state) {
  (void)state;
  pb_problem *p;
  dm_message msg = {""};
  read_problem(HEAD "\"\\e[31mred\\n\": 1\n", &p, &msg);
  assert_non_null(strstr(msg.text, "'?[31mred?'"));
}

// keys from other tools that newcomers write: the message names the right form
static const refused meant[] = {
    {"model: {urdf: c.urdf}\nhorizon: {steps: 4, time: free}\nstart: {q: 0, v: 0}\n",
     "p.yaml:2:27: horizon.time: found 'free', expected a number > 0, or {free: [low, high]}"},
    {"model: {urdf: c.urdf}\nhorizon: {steps: 4, time: [1, 3]}\nstart: {q: 0, v: 0}\n",
     "horizon.time: found a list of 2, expected a number > 0, or {free: [low, high]}"},
    {"model: {urdf: c.urdf}\nhorizon: {steps: 4, time: {min: 1, max: 3}}\nstart: {q: 0}\n",
     "horizon.time: found the unknown key 'min', expected one of free, guess; did you mean "
     "'free'?"},
    {HEAD "cost:{input: 1}\n", "; a colon needs a blank after it: 'cost: {input'"},
    {"model: {urdf:c.urdf}\nsimulate: {steps: 4, time: 2}\n",
     "p.yaml:1:9: model: found the unknown key 'urdf:c.urdf'"},
    {"model: {urdf:c.urdf}\nsimulate: {steps: 4, time: 2}\n",
     "; a colon needs a blank after it: 'urdf: c.urdf'"},
    {"model = {urdf: c.urdf}\n", "; did you mean 'model: {urdf'?"},
    {"urdf: c.urdf\nsimulate: {steps: 4, time: 2}\n", "; did you mean 'model: {urdf: ...}'?"},
    {"model: c.urdf\nsimulate: {steps: 4, time: 2}\n",
     "p.yaml:1:8: model: found 'c.urdf', expected a mapping: key: value, as in {robot: ..., urdf: "
     "..., base: ..., ...}"},
    {"model: {urdf: c.urdf}\nhorizon: 2\nstart: {q: 0}\n",
     "horizon: found '2', expected a mapping: key: value, as in {time: ..., steps: ..., knots: "
     "..., "
     "...}"},
    {"model: {urdf: c.urdf}\nhorizon: {N: 100, time: 2}\nstart: {q: 0}\n",
     "found the unknown key 'N', expected one of steps, time, knots, density, steps_free, turn, "
     "gap, "
     "between, error, refine, asked; "
     "did you "
     "mean "
     "'steps'?"},
    {"model: {urdf: c.urdf}\nhorizon: {steps: 4, time: 2}\nx0: [0, 0, 0, 0]\n",
     "p.yaml:3:1: the file: found the unknown key 'x0'"},
    {"model: {urdf: c.urdf}\nhorizon: {steps: 4, time: 2}\nx0: [0, 0, 0, 0]\n",
     "; did you mean 'start'?"},
    {"model: {urdf: c.urdf}\nhorizon: {steps: 4, time: 2}\nstart: [0, 0, 0, 0]\n",
     "start: found a list of 4, expected a mapping: key: value, as in {q: ..., v: ..."},
    {"model: {urdf: c.urdf}\nsimulate: {dt: 0.01, time: 5}\n", "; did you mean 'step'?"},
    {"model: {urdf: c.urdf, floating: true}\n" RUN_ONE, "; did you mean 'base'?"},
    {"model: {urdf: package://robots/c.urdf}\n" RUN_ONE,
     "cannot be read: No such file or directory; packages are not searched, expected a path"},
    {"model: {urdf: ~/c.urdf}\n" RUN_ONE, "; '~' is not expanded, expected a path"},
    {HEAD "cost: {R: 1}\n", "; did you mean 'input'?"},
    {HEAD "cost: {goal: {q: 1}}\n", "; did you mean 'terminal'?"},
    {HEAD "cost: {reference: {q: [1, pi]}}\n", "; did you mean 'constant: {q: ...}'?"},
    {HEAD "bounds: {effort: 20}\n", "; did you mean 'u'?"},
    {HEAD "inputs: slider\n", "p.yaml:4:9: inputs: found 'slider', expected a list, as in [{joint: "
                              "..., actuator: ..., effort: ..., ...}, ...]"},
    {HEAD "inputs: [slider]\n", "inputs[]: found 'slider', expected a mapping: key: value, as in "
                                "{joint: ..., actuator: ..., effort: ..."},
    {HEAD "feedback: {Q: 100}\n",
     "feedback.Q: found '100', expected a mapping {q: ..., p: ...}, or second-variation"},
    {HEAD "guess: first.csv\n", "guess: found 'first.csv', expected {csv: first.csv} for a file"},
    {HEAD "bounds: {?: 1}\n",
     "bounds: found the unknown key '', expected one of q, v, a, jerk, u, rate, lambda"},
    {HEAD "goal: {pole: pi}\n",
     "p.yaml:4:8: goal: found the unknown key 'pole', expected one of q, v, keyframe, outputs, a, "
     "near, assemble, periodic, travel, turns; did you mean 'q: {pole: ...}'?"},
    {HEAD "goal: {q.pole: pi}\n", "; did you mean 'q: {pole: ...}'?"},
    {HEAD "goal: {q: {pole: null}}\n", "found 'null', expected a number, or free"},
    {HEAD "bounds: {q: {pole: [-inf, 1]}}\n", "found '-inf', expected a finite number, or none"},
    {HEAD "goal: {q: {pole: \"pi\"}}\n", "; did you mean pi without quotes?"},
    {HEAD "goal: {q: {pole: 180deg}}\n", "; did you mean '180 deg'?"},
    {HEAD "goal: {q: {pole: 180\xc2\xb0}}\n", "; did you mean '180 deg'?"},
    {HEAD "goal: {q: {pole: 2pi}}\n", "; did you mean '2 pi'?"},
    {HEAD "goal: {q: {pole: -np.pi/2}}\n", "; did you mean '-pi/2'?"},
    {HEAD "goal: {q: {pole: pi - 0.1}}\n", ": sums are not read, products and quotients are"},
    {HEAD "goal: {q: {pole: 1,5}}\n", "goal.q: found the unknown coordinate '5', expected one of "
                                      "slider, pole: a comma ends a value"},
};

static void the_form_that_is_meant_is_named(void **state) {
  (void)state;
  expect_refused(meant, COUNT_OF(meant));
}

// Of a name of 201 bytes, in one place of the model that names something.
static void long_names_are_refused(void **state) {
  (void)state;
  static const struct {
    const char *before, *after, *says;
  } rows[] = {
      {"model: {bodies: [{name: ", ", joints: [rx], mass: 1, inertia: [1, 1, 1]}]}\n" RUN,
       "p.yaml:1:18: found the name 'nnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnn...' of 201 bytes, expected "
       "at "
       "most 200"},
      {"model: {bodies: [{name: a, joints: [{type: rx, name: ",
       "}], mass: 1, inertia: [1, 1, 1]}]}\n" RUN, "of 201 bytes, expected at most 200"},
      {"model: {urdf: c.urdf, springs: [{name: ", ", joint: slider, stiffness: 1}]}\n" RUN,
       "model.springs[]: found a name of 201 bytes, expected at most 200"},
  };
  for (size_t i = 0; i < COUNT_OF(rows); i++) {
    char name[202], text[512];
    memset(name, 'n', 201);
    name[201] = 0;
    snprintf(text, sizeof text, "%s%s%s", rows[i].before, name, rows[i].after);
    expect_refused(&(refused){text, rows[i].says}, 1);

    // one byte less is none too many
    snprintf(text, sizeof text, "%s%s%s", rows[i].before, name + 1, rows[i].after);
    pb_problem *p;
    dm_message msg = {""};
    if (read_problem(text, &p, &msg) != DM_OK) fail_msg("%s", msg.text);
    pb_problem_free(p);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(the_form_that_is_meant_is_named),
      cmocka_unit_test(wrong_problems_are_refused_by_place),
      cmocka_unit_test(wrong_tables_are_refused_by_line),
      cmocka_unit_test(tables_without_a_column_name_their_key),
      cmocka_unit_test(errors_in_the_robot_name_its_file),
      cmocka_unit_test(what_is_no_file_is_said),
      cmocka_unit_test(long_names_are_refused),
      cmocka_unit_test(messages_hold_no_control_characters),
  };
  return cmocka_run_group_tests(tests, open_folder, close_problems);
}
