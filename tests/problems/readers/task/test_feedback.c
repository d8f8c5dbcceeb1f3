// Errors in feedback, balance, verify and simulate, with their lines.
#include "tests/support/cart_pole.h"

#define MODEL "model: {urdf: c.urdf}\n"
#define RUN   "simulate: {time: 1, steps: 2}\n"

// a problem, and the sentence after the folder's name
static const refused wrong[] = {
    // the second variation
    {HEAD "feedback: {Q: second}\n",
     "p.yaml:4:15: feedback.Q: found 'second', expected a mapping {q: ..., p: ...}, or second"},
    {HEAD "feedback: {Q: second-variation, R: 2}\n",
     "p.yaml:4:33: feedback.R: found one beside 'Q: second-variation', expected none"},
    {HEAD "feedback: {Q: second-variation, Qf: riccati}\n",
     "p.yaml:4:37: feedback.Qf: found 'riccati' beside 'Q: second-variation', expected weights"},
    {MODEL "balance: {steps: 4, time: 1}\nfeedback: {Q: second-variation}\n",
     "p.yaml:3:15: feedback.Q: found second-variation without 'horizon', expected weights"},
    {HEAD "transcription: second-order-underactuated\ncost: {input: 1}\n"
          "feedback: {Q: second-variation}\n",
     "p.yaml:6:15: feedback.Q: found second-variation beside a transcription of second order"},
    // what is held at the end
    {HEAD "feedback: {Q: second-variation, hold: 1}\n",
     "p.yaml:4:39: feedback.hold: found one beside 'Q: second-variation', expected weights"},
    {HEAD "feedback: {hold: 1, Qf: {q: 1}}\n",
     "p.yaml:4:25: feedback.Qf: found weights beside 'hold', expected riccati"},
    {MODEL "balance: {steps: 4, time: 1, q: {pole: 0}}\nfeedback: {hold: 2}\n",
     "p.yaml:3:18: feedback.hold: found one beside 'balance'"},
    {HEAD "feedback: {limits: {pole: [0, 1]}}\n",
     "p.yaml:4:21: feedback.limits: found the unknown input 'pole', expected slider"},
    {HEAD "feedback: {limits: -3}\n",
     "p.yaml:4:20: feedback.limits: found '-3', expected [low, high], a number > 0, or none"},
    {HEAD "feedback: {limits: {slider: 0}}\n",
     "feedback.limits.slider: found '0', expected [low, high], a number > 0, or none"},
    {HEAD "feedback: {hold: -1}\n", "p.yaml:4:18: feedback.hold: found '-1', expected a number in"},
    // an estimator
    {HEAD "feedback: {between: interpolate}\n",
     "p.yaml:4:21: feedback.between: found interpolate without feedback.rate"},
    {MODEL "balance: {steps: 4, time: 1, q: {pole: 0}}\nfeedback: {Qf: {q: 1}}\n",
     "p.yaml:3:16: feedback.Qf: found weights beside 'balance', expected none"},
    {HEAD "feedback: {estimator: {disturbance: {bound: {slider: 1}}}}\n",
     "p.yaml:4:45: feedback.estimator.disturbance.bound: found one beside 'slider', of which time"},
    {HEAD "feedback: {tune: {vary: [feedback.S]}}\n",
     "p.yaml:4:26: feedback.tune.vary: found 'feedback.S', expected a key of this file"},
    {HEAD "feedback: {measure: positions}\nverify: {noise: {v: 0.1}}\n",
     "p.yaml:5:21: verify.noise.v: found one beside measure: positions, to which no velocity"},
    {HEAD "feedback: {estimator: {}}\nverify: {encoders: {counts: 100, velocity: own}}\n",
     "p.yaml:5:44: verify.encoders.velocity: found one beside an estimator"},
    {HEAD "feedback: {measure: difference}\nverify: {noise: {v: 0.1}}\n",
     "p.yaml:5:21: verify.noise.v: found one beside measure: difference, to which no velocity"},
    {HEAD "feedback: {measure: difference, estimator: {}}\n",
     "p.yaml:4:44: feedback.estimator: found measure: difference beside it, expected state"},
    {HEAD "feedback: {along: slider}\n",
     "p.yaml:4:19: feedback.along: found beside schedule: time, expected path or orbit"},
    {HEAD "feedback: {schedule: path, along: []}\n",
     "p.yaml:4:35: feedback.along: found no coordinate, expected at least one"},
    {HEAD "feedback: {schedule: path, along: slidr}\n",
     "p.yaml:4:35: feedback.along: found the unknown coordinate 'slidr'"},
    {HEAD "feedback: {schedule: path, Q: {q: 0, p: 0}}\n",
     "p.yaml:4:22: feedback.schedule: found path or orbit beside Q without a weight"},
    {HEAD "feedback: {schedule: orbit}\n",
     "p.yaml:4:22: feedback.schedule: found orbit beside a motion that does not repeat"},
    {HEAD "feedback: {measure: difference, schedule: path}\n",
     "p.yaml:4:43: feedback.schedule: found path beside measure: difference, whose velocities"},
    {HEAD "feedback: {estimator: {}}\nverify: {criteria: [{vary: v, to: 1}]}\n",
     "p.yaml:5:20: verify.criteria: found criteria beside an estimator"},
    {HEAD "feedback: {}\nverify: {criteria: [{vary: v, to: 1, gap: 2}]}\n",
     "p.yaml:5:43: verify.criteria[].gap: found it beside vary: v, expected none: it is of pushes"},
    {HEAD "feedback: {hold: 1}\nverify: {pushes: {count: 9}}\n",
     "p.yaml:5:18: verify.pushes: found 9 pushes at least 1 s apart in a motion of 3 s"},
    {HEAD "feedback: {estimator: {encoder: 1}, measure: positions}\n",
     "p.yaml:4:23: feedback.estimator: found measure: positions beside it, expected state"},
    {HEAD "feedback: {estimator: {encoder: none}}\n",
     "p.yaml:4:23: feedback.estimator.encoder: found none, expected one at least"},
    // a place of rest
    {MODEL "balance: {steps: 4}\n", "p.yaml:2:10: balance: found no 'time', expected one"},
    {HEAD "balance: {steps: 4, time: 1}\n",
     "p.yaml:4:1: found 'balance' beside 'horizon', expected one of them"},
    {MODEL RUN "balance: {steps: 4, time: 1}\n",
     "p.yaml:3:1: found 'balance' beside 'simulate', expected one of them"},
    {MODEL "transcription: second-order\nbalance: {steps: 4, time: 1}\n",
     "p.yaml:2:1: transcription: found second-order beside 'balance', expected first-order"},
    {MODEL "balance: {steps: 4, time: 1, u: {pole: 1}}\n",
     "p.yaml:2:34: balance.u: found the unknown input 'pole'"},
    {"model: {urdf: c.urdf, gravity: [-9.8, 0, 0]}\n"
     "balance: {steps: 4, time: 1, q: {slider: 0}, u: 0}\n",
     "p.yaml:2:10: balance: no equilibrium is near there: a force of 12.7 N or N m "
     "remains on slider"},
    {"model: {urdf: c.urdf, gravity: [-98, 0, 0]}\nbalance: {steps: 4, time: 1}\n",
     "p.yaml:2:10: balance: rest there needs 127.4 of 'slider', expected a value within its limits "
     "[-20, "
     "20]"},
    // feedback, verify, simulate
    {HEAD "feedback: {R: 0}\n", "p.yaml:4:15: feedback.R: found '0', expected a number > 0"},
    {HEAD "feedback: {Q: 3}\n", "p.yaml:4:15: feedback.Q: found '3', expected a mapping"},
    {HEAD "feedback: {Qf: ricati}\n", "p.yaml:4:16: feedback.Qf: found the unknown word 'ricati', "
                                      "expected riccati; did you mean 'riccati'?"},
    {HEAD "feedback: {measure: position}\n",
     "p.yaml:4:21: feedback.measure: found the unknown word 'position', expected one of state, "
     "velocity, positions, difference; did you mean 'positions'?"},
    {HEAD "feedback: {rate: 0}\n", "p.yaml:4:18: feedback.rate: found '0', expected a number > 0"},
    {HEAD "inputs: []\nfeedback: {}\n", "p.yaml:5:1: feedback: found no input to act on"},
    {HEAD "verify: {}\n", "p.yaml:4:1: found 'verify' but no 'feedback'"},
    // receding-horizon control
    {HEAD "mpc: {}\n", "p.yaml:4:1: found 'mpc' but no 'feedback', expected both"},
    {HEAD "feedback: {}\nmpc: {horizon: 0}\n",
     "p.yaml:5:16: mpc.horizon: found '0', expected an integer in [1, 10000]"},
    {HEAD "feedback: {}\nmpc: {measure: difference}\n",
     "p.yaml:5:16: mpc.measure: found the unknown word 'difference', expected one of state, "
     "velocity, positions"},
    {MODEL "horizon: {time: 1, steps: 10}\nstart: {q: 0, v: 0}\ngoal: {v: {slider: 0, pole: 2}}\n"
           "feedback: {}\nmpc: {horizon: 11}\n",
     "p.yaml:6:1: mpc.horizon: found 11, more than the 10 steps of a motion that goal.v ends while "
     "'pole' moves, expected at most 10"},
    {MODEL "horizon: {time: 1, steps: 10}\nstart: {q: 0, v: 0}\ngoal: {v: {slider: 0, pole: 2}}\n"
           "feedback: {}\nmpc: {horizon: 10, reference: goal}\n",
     "p.yaml:6:31: mpc.reference: found another one than the plan beside goal.v, which moves "
     "'pole'"},
    {HEAD "feedback: {}\nmpc: {bounds: [rates]}\n",
     "p.yaml:5:16: mpc.bounds: found 'rates', expected a list of inputs, positions, speeds"},
    {HEAD "feedback: {}\nmpc: {soft_speeds: 3}\n",
     "p.yaml:5:20: mpc.soft_speeds: found one without bounds on speeds, expected bounds: [inputs, "
     "speeds] beside it"},
    {HEAD "feedback: {}\nmpc: {end: terminal}\n",
     "p.yaml:5:12: mpc.end: found terminal beside Qf: riccati, expected feedback.Qf"},
    {HEAD "feedback: {}\nmpc: {reference: gaol}\n",
     "p.yaml:5:18: mpc.reference: found 'gaol', expected plan, goal, caller, or FILE.csv"},
    {HEAD "feedback: {}\nmpc: {reference: gone.csv}\n", "gone.csv"},
    {HEAD "feedback: {}\nmpc: {soft: 3}\n",
     "p.yaml:5:13: mpc.soft: found one without bounds on positions, expected bounds: [inputs, "
     "positions] beside it"},
    {HEAD "feedback: {envelope: 0.3}\nmpc: {}\n",
     "p.yaml:5:1: mpc: found it beside feedback.envelope, which it does not support; leave one of "
     "them "
     "out"},
    {HEAD "outputs: [{name: gap, type: distance, bodies: tip}]\nfeedback: {}\n"
          "mpc: {outputs: [{output: gap, weight: 1}]}\n",
     "p.yaml:6:26: mpc.outputs[].output: found 'gap', which the code on board does not compute"},
    {HEAD "outputs: [{name: tip, type: position, bodies: tip}]\nfeedback: {}\n"
          "mpc: {outputs: [{output: tip.x, weight: 1}, {output: tip.z, weight: 1, reference: "
          "caller}]}\n",
     "mpc.outputs[].reference: found caller for some outputs, expected it for all or none"},
    {HEAD "outputs: [{name: tip, type: position, bodies: tip}]\nfeedback: {}\n"
          "mpc: {outputs: [{output: tip.x, weight: 1}, {output: tip, weight: 1}]}\n",
     "mpc.outputs[]: found 'tip' twice, expected it once"},
    {HEAD "outputs: [{name: tip, type: position, bodies: tip}]\nfeedback: {}\n"
          "mpc: {outputs: [{output: tip, weight: 1, reference: goal}]}\n",
     "mpc.outputs[].reference: found 'goal', expected plan, caller, or FILE.csv"},
    {HEAD "feedback: {}\nverify: {law: mpc}\n", "p.yaml:5:15: verify.law: found mpc without a "
                                                "section 'mpc', expected both; try mpc: {horizon: "
                                                "30}"},
    {HEAD "feedback: {}\nmpc: {}\nverify: {law: mpc, plants: exported}\n",
     "p.yaml:6:28: verify.plants: found exported beside law: mpc"},
    {"model: {urdf: c.urdf, kinematic: [slider]}\nfeedback: {}\nmpc: {}\n" RUN,
     "p.yaml:3:1: mpc: found a robot that it does not support: it has a prescribed coordinate"},
    {"model: {bodies: [{name: b, joints: [{name: x, type: tx}], mass: 1}]}\n"
     "inputs: [{name: f, body: b, frame: world, force: [1, 0, 0]}]\n"
     "feedback: {}\nmpc: {}\n" RUN,
     "p.yaml:4:1: mpc: found a robot that it does not support: it has a wrench 'f' fixed in "
     "space (frame: world), expected frame: body or mixed"},
    {HEAD "feedback: {}\nverify: {samples: 0}\n",
     "p.yaml:5:19: verify.samples: found '0', expected an integer in [1, 1e7]"},
    {HEAD "feedback: {}\nverify: {samples: 1e9}\n",
     "p.yaml:5:19: verify.samples: found '1e9', expected an integer in [1, 1e7]"},
    {HEAD "feedback: {}\nverify: {required: 1.5}\n",
     "p.yaml:5:20: verify.required: found '1.5', expected a number in [0, 1]"},
    {HEAD "feedback: {}\nverify: {spread: {q: -1}}\n",
     "p.yaml:5:22: verify.spread.q: found '-1', expected a number >= 0"},
    {HEAD "feedback: {}\nverify: {start: {hold: -1}}\n",
     "p.yaml:5:24: verify.start.hold: found '-1', expected an integer >= 0"},
    {HEAD "feedback: {}\nverify: {start: {q: {pol: 1}}}\n",
     "p.yaml:5:22: verify.start.q: found the unknown coordinate 'pol', expected one of slider, "
     "pole; did you mean 'pole'?"},
    {"model: {urdf: c.urdf, kinematic: [slider]}\nfeedback: {R: {pole: 1}}\n" RUN,
     "p.yaml:2:16: feedback.R: found the unknown input 'pole', expected slider"},
    {MODEL "feedback: {}\nsimulate: {time: 1, steps: 3}\nbounds: {}\n",
     "p.yaml:4:1: found 'bounds' but no 'horizon', expected both"},
    {MODEL "simulate: {time: 1}\n",
     "p.yaml:2:11: simulate: found 1 of time, steps, step, expected two"},
    {MODEL "simulate: {time: 1, steps: 3, step: 1}\n",
     "p.yaml:2:11: simulate: found time, steps and step"},
    {MODEL "simulate: {time: 1, step: 0.3}\n",
     "p.yaml:2:11: simulate: found a time of 1 s in steps of 0.3 s, expected a whole number"},
    {MODEL "simulate: {time: 1, step: 1e-300}\n",
     "p.yaml:2:27: simulate: found a step of 1e-300 s, expected at least 1e-9 s"},
    {MODEL "simulate: {time: 1e-8, steps: 100}\n",
     "p.yaml:2:18: simulate: found a step of 1e-10 s, expected at least 1e-9 s"},
    {MODEL "simulate: {time: 1e9, step: 1e-8}\n", "p.yaml:2:11: simulate: found 1e+17 steps"},
    {MODEL "simulate: {time: 1, steps: 3, every: 0}\n",
     "p.yaml:2:38: simulate.every: found '0', expected an integer >= 1"},
    {MODEL "simulate: {time: 1, steps: 3, input: {pole: 1}}\n",
     "p.yaml:2:39: simulate.input: found the unknown input 'pole', expected slider"},
    {MODEL "simulate: {time: 1, steps: 3, input: {csv: p.yaml}}\n",
     "p.yaml:2: found 3 cells, expected 1 as in the header"},
};

static void wrong_loops_are_refused_by_place(void **state) {
  (void)state;
  expect_refused(wrong, COUNT_OF(wrong));
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(wrong_loops_are_refused_by_place)};
  return cmocka_run_group_tests(tests, open_folder, close_problems);
}
