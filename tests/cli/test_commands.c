// tests/cli/test_commands.c: the program command after command in one process: what each leaves and
// says, and what it refuses in which words.
#define _XOPEN_SOURCE   700 // posix_openpt
#define _DEFAULT_SOURCE     // its size, and flock
#include "tests/support/command_rows.h"

#include <sys/file.h>
#include <sys/ioctl.h>
#include <sys/wait.h>

// -- files

#define PENDULUM                                                                                   \
  "model: {bodies: [{name: bob, joints: [{name: arm, type: ry, effort: 20}], mass: 1, centre: "    \
  "[0, 0, -1]}]}\n"
#define TASK                                                                                       \
  PENDULUM                                                                                         \
  "horizon: {steps: 6, time: 1}\nstart: {q: 0, v: 0}\ngoal: {q: 1, v: 0}\ncost: {input: 1}\n"
#define LAW          "feedback: {Q: {q: 10, p: 1}, R: 1, Qf: riccati}\n"
#define SAMPLES      "samples: 4, seed: 1, spread: {q: 0.01, v: 0.01}"
#define VERIFY(more) "verify: {" SAMPLES ", tolerance: 0.5" more "}\n"
#define POLE         "model: {urdf: cart-pole.urdf}\nbalance: {q: {pole: pi}, steps: 100, time: 2}\n"
#define HOLD(law, more)                                                                            \
  POLE "feedback: {Q: {q: 100, p: 1}, R: 1" law "}\nverify: {" SAMPLES ", required: 0" more "}\n"
#define SWING                                                                                      \
  "model: {urdf: cart-pole.urdf, gravity: [0, 0, -9.81]}\ninputs: [{joint: slider, effort: 20}]\n" \
  "start: {q: {slider: 0, pole: 0}, v: 0}\ngoal: {q: {slider: 1, pole: pi}, v: 0}\n"               \
  "bounds: {q: {slider: [-2, 2]}}\ncost: {input: 1}\n"
#define BALL(shape, horizon)                                                                       \
  "model: {bodies: [{name: hand, joints: [{name: x, type: tx, effort: 100}, {name: z, type: tz, "  \
  "effort: 100}], mass: 1}]}\n"                                                                    \
  "keep_out: {clearance: 0.01, shapes: [{name: ball, type: sphere, body: hand, radius: "           \
  "0.1}, " shape "]}\nhorizon: {steps: 9, time: 2, gap: none" horizon "}\ncost: {input: 1}\n"      \
  "start: {q: {x: 0, z: 0}, v: 0}\ngoal: {q: {x: 1, z: 0}, v: 0}\n"
#define POST "{name: post, type: sphere, point: [0.5, 0, 0.02], radius: 0.2}"
#define SHAFT(at)                                                                                  \
  "model: {bodies: [{name: block, joints: [{name: x, type: tx, effort: 100}], mass: 2}], "         \
  "springs: "                                                                                      \
  "[{name: s, joint: x, stiffness: 3}]}\n"                                                         \
  "design: [{name: stiffness, at: " at "}]\nhorizon: {steps: 20, time: 1.5}\n"                     \
  "start: {q: -1, v: 0}\ngoal: {q: 1, v: 0}\ncost: {input: 1}\n"

static const struct {
  const char *name, *text;
} files[] = {
    {"task.yaml", TASK LAW VERIFY("")},
    {"plain.yaml", TASK},
    {"other.yaml", PENDULUM "horizon: {steps: 12, time: 1}\nstart: {q: 0, v: 0}\ngoal: {q: 1, v: "
                            "0}\ncost: {input: 1}\n" LAW VERIFY("")},
    {"bare.yaml", TASK LAW},
    // a law that holds the end, at a rate of its own: its tables have other knots than the motion
    {"held.yaml", TASK "feedback: {Q: {q: 10, p: 1}, R: 1, hold: 0.5}\n"
                       "verify: {" SAMPLES ", tolerance: 0.5, start: {q: 0.1}}\n"},
    {"rarely.yaml", TASK "feedback: {Q: {q: 10, p: 1}, R: 1, hold: 0.5, rate: 4}\n"
                         "verify: {" SAMPLES ", tolerance: 0.5, start: {q: 0.1}}\n"},
    // names that are numbers, or have what ends a cell
    {"named.yaml",
     "model: {bodies: [{name: bob, joints: [{name: '0.5', type: ry, effort: 20}], mass: 1, "
     "centre: [0, 0, -1]}, {name: tip, parent: bob, offset: {xyz: [0, 0, -1]}, joints: [{name: "
     "'a,b', "
     "type: ry, effort: 20}], mass: 1, centre: [0, 0, -1]}]}\n"
     "horizon: {steps: 12, time: 1}\nstart: {q: 0, v: 0}\ngoal: {q: 0.1, v: 0}\n"
     "cost: {input: 1}\n" LAW "verify: {" SAMPLES ", required: 0, errors: {mass: 0.1}, "
     "sweep: {points: 5, samples: 1}}\n"},
    {"loose.yaml", TASK LAW "verify: {" SAMPLES ", tolerance: 1e-9}\n"},
    {"auto.yaml", SWING "horizon: {steps: 30, time: 2}\nstarts: auto\n"},
    {"one.yaml", SWING "horizon: {steps: 30, time: 2}\n"},
    {"own.yaml", SWING "horizon: {steps: 30, time: 2}\nstarts: {count: 6, turns: [0], seed: 3}\n"},
    {"fine.yaml", SWING "horizon: {steps: 30, time: 2, error: 5e-3}\nstarts: 1\n"},
    {"never.yaml", SWING "horizon: {steps: 30, time: 2, error: 1e-9, refine: 1}\nstarts: 1\n"},
    {"hopeless.yaml", PENDULUM "horizon: {steps: 6, time: 0.01}\nstart: {q: 0, v: 0}\ngoal: {q: 1, "
                               "v: 0}\ncost: {input: 1}\n"},
    {"late.yaml", TASK "solver: {max_time: 1e-9}\n"},
    {"short.yaml", TASK "solver: {max_iter: 1}\n"},
    {"past.yaml", BALL(POST, "")},
    {"tight.yaml", BALL(POST, ", between: 1e-6")},
    {"knots.yaml", BALL(POST, ", between: none")},
    {"crate.yaml", BALL("{name: crate, type: box, point: [0.5, 0, 0.3], size: [0.2, 1, 0.2]}", "")},
    {"rod.yaml", BALL("{name: rod, type: capsule, points: [[0.5, -1, 0.02], [0.5, 1, 0.02]], "
                      "radius: 0.1}",
                      "")},
    {"spring.yaml", SHAFT("model.springs.0.stiffness, within: [0, 40]")},
    {"effort.yaml", SHAFT("model.bodies.0.joints.0.effort, within: [50, 200]")},
    {"mass.yaml",
     SHAFT("model.bodies.0.mass, within: [1, 4]") "outputs: [{name: P, type: momentum}]\n"},
    {"slow.yaml", SHAFT("model.springs.0.stiffness, within: [0, 40]") "solver: {max_time: 1e-9}\n"},
    {"steep.yaml", TASK "guess: rollout\n"},
    {"weak.yaml", PENDULUM "horizon: {steps: 20, time: 1}\nstart: {q: 0, v: 0}\ngoal: {q: 3, v: "
                           "0}\ncost: {input: 1}\nbounds: {u: {arm: [-0.1, 0.1]}}\n"},
    {"free.yaml",
     "model: {bodies: [{name: bob, joints: [{name: arm, type: ry}], mass: 1, centre: [0, "
     "0, -1]}]}\ninputs: [{joint: arm}]\nhorizon: {steps: 6, time: 1}\nstart: {q: 0, v: "
     "0}\ngoal: {q: 1, v: 0}\ncost: {input: 1}\nguess: rollout\n"},
    {"vast.yaml", TASK "guess: {rollout: {u: 1e200}}\n"},
    {"vaster.yaml",
     "model: {bodies: [{name: bob, joints: [{name: arm, type: ry}], mass: 1, centre: [0, 0, "
     "-1]}]}\ninputs: [{joint: arm}]\nhorizon: {steps: 6, time: 1}\nstart: {q: 0, v: 0}\n"
     "goal: {q: 1, v: 0}\ncost: {input: 1}\nguess: {rollout: {u: 1e200}}\n"},
    {"five.yaml", TASK "solver: {max_iter: 1}\nguess: rollout\n"},
    {"idle.yaml",
     "model: {bodies: [{name: bob, joints: [{name: arm, type: ry}], mass: 1, centre: "
     "[0, 0, -1]}]}\ninputs: []\nhorizon: {steps: 6, time: 1}\nstart: {q: 0, v: 0}\ngoal: {q: 1, "
     "v: 0}\ncost: {state: {q: 1}}\n"},
    {"moving.yaml", PENDULUM "horizon: {steps: 6, time: 1}\nstart: {q: 0}\ngoal: {q: 1, v: "
                             "0}\ncost: {input: 1}\nguess: rollout\n"},
    {"drop.yaml", PENDULUM "simulate: {steps: 6, step: 0.01, start: {q: {arm: 1}}}\n"},
    {"sparse.yaml", PENDULUM "simulate: {steps: 6, step: 0.01, start: {q: {arm: 1}}, every: 2}\n"},
    {"fall.yaml", PENDULUM "simulate: {steps: 6, step: 1e9, start: {q: {arm: 1}, v: 1e9}}\n"},
    {"level.yaml", PENDULUM "balance: {q: {arm: pi/2}, steps: 5, time: 1}\n" LAW VERIFY("")},
    {"taut.yaml", PENDULUM "balance: {q: {arm: pi/2}, steps: 5, time: 1}\n"
                           "feedback: {Q: {q: 0, p: 0}, R: 1}\n"},
    {"gated.yaml", HOLD(", envelope: 0.3", ", plants: exported")},
    {"priced.yaml", HOLD(", envelope_cost: auto", ", plants: exported, tolerance: 0.5")},
    {"lossy.yaml", HOLD(", envelope_cost: auto", ", tolerance: 1e-9")},
    {"unseen.yaml", HOLD(", estimator: {encoder: {pole: 1e-3}, process: 1e-3}", "")},
    {"seen.yaml", HOLD(", estimator: {encoder: 1e-4, process: 1e-4, predict: map}, delay: 1",
                       ", plants: exported, delay: 0.03, calls: {off: 0.5, late: 0.2}")},
    {"twice.yaml", HOLD(", measure: positions, delay: 1", ", plants: exported")},
    {"exact.yaml", HOLD(", momentum: exact", ", plants: exported, delay: 0.03")},
    {"blind.yaml", HOLD(", measure: positions, momentum: exact", "")},
    {"damped.yaml", HOLD(", envelope: 0.3, fallback: {damping: 1}", "")},
    {"whole.yaml", HOLD(", integral: [slider], rate_limit: 100", ", plants: all")},
    {"states.yaml", HOLD(", measure: state, delay: 1", ", start: {q: {pole: 0.2}}")},
    {"rare.yaml", HOLD(", rate: 0.1", "")},
    {"sphere.yaml",
     "model: {bodies: [{name: bob, joints: [{name: b, type: ball}], mass: 1, centre: "
     "[0, 0, -1], inertia: [1, 1, 1]}]}\noutputs: [{name: turn, type: rotation, "
     "bodies: bob}, {name: tip, type: position, bodies: bob, points: [0.1, 0, -1]}]\n"},
    {"kept.yaml",
     "model: {bodies: [{name: bob, joints: [{name: x, type: tx}, {name: z, type: tz}], "
     "mass: 1}], constraints: [{name: rod, type: distance, bodies: [bob, world], "
     "length: 1}, {name: line, type: plane, bodies: [bob, world], axis: [0, 1, 0]}], "
     "contacts: [{name: floor, type: above, bodies: [bob, world], axis: [0, 0, 1]}]}\n"
     "simulate: {steps: 4, step: 0.01, start: {q: {x: 1}}}\n"},
};

static int put_files(void **state) {
  if (program_open(state) != 0) return -1;
  for (size_t i = 0; i < sizeof files / sizeof *files; i++)
    put_file(".", files[i].name, files[i].text);
  take_problem("cart-pole.urdf", "cart-pole/cart-pole.urdf", NULL, NULL);
  mkdir("empty", 0700);
  program_draws("cat\necho '{}' >&3\n"); // a picture is its facts
  return 0;
}

// -- the words of a command line

static const row words[] = {
    SAYS(2, "", "usage: dmoc COMMAND"),
    SAYS(2, "--json", "found no command"),
    SAYS(2, "test", "test belongs to the launcher ./dmoc"),
    SAYS(2, "docs --json", "docs belongs to the launcher"),
    SAYS(2, "optimise x.yaml", "did you mean 'optimize'?"),
    SAYS(0, "help", "usage: dmoc COMMAND"),
    SAYS(0, "help --json", "usage: dmoc COMMAND"),
    SAYS(0, "help optimize", "usage: dmoc optimize PROBLEM"),
    SAYS(0, "--json help check", "usage: dmoc check PROBLEM"),
    SAYS(2, "help optimise", "did you mean 'optimize'?"),
    SAYS(2, "--completion", "--completion: found nothing, expected one of"),
    SAYS(2, "--completion csh", "--completion: found csh, expected one of"),
    SAYS(0, "--completion zsh", "compdef"),
    SAYS(0, "--completion fish --json", "\"completion\""),
    SAYS(0, "--man", ".TH"),
    SAYS(0, "--keys --json", "\"keys\""),
    SAYS(0, "--elements --json", "\"elements\""),
    SAYS(0, "--version --json", "\"version\""),
    SAYS(0, "-h", "usage: dmoc COMMAND"),
    SAYS(0, "tune --help", "usage: dmoc tune"),
    SAYS(2, "run", "usage: dmoc run PROBLEM"),
    SAYS(2, "run task.yaml --threads 0", "--threads takes a whole number, 1 to 256, got '0'"),
    SAYS(2, "run task.yaml --threads x", "threads takes a whole number, 1 to 256, got 'x'"),
    SAYS(2, "run task.yaml --threads 2x", "threads takes a whole number, 1 to 256, got '2x'"),
    SAYS(2, "run task.yaml --threads 99999", "threads takes a whole number, 1 to 256, got '99999'"),
    SAYS(2, "run task.yaml --json=yes", "--json takes no value"),
    SAYS(2, "run task.yaml -o --json", "-o needs a value: found the option '--json'"),
    SAYS(2, "run task.yaml -o", "-o needs a value"),
    SAYS(2, "run task.yaml other.yaml",
         "expected one PROBLEM, found 'other.yaml' after 'task.yaml'"),
    SAYS(2, "run task.yaml --now", "run has no option '--now'"),
    SAYS(2, "gains task.yaml --now",
         "--now is for a result folder, but task.yaml is a problem file"),
    SAYS(2, "run empty", "run takes a problem file, but empty is a folder"),
    SAYS(2, "gains empty", "neither a problem file nor a result folder"),
    SAYS(2, "run nowhere.yaml", "nowhere.yaml"),
    SAYS(2, "run task.yaml -o task.yaml", "task.yaml"),
    SAYS(2, "run task.yaml -o task.yaml/below", "task.yaml"),
    SAYS(2, "run task.yaml --from empty -o way", "empty"),
    SAYS(2, "run task.yaml --from nowhere -o way", "nowhere"),
    SAYS(2, "optimize task.yaml --solver newtn -o way", "did you mean 'newton'?"),
    SAYS(2, "optimize task.yaml --solver newton -o way", "newton"),
};

static void words_are_checked(void **state) {
  (void)state;
  RUN(words);
}

// -- a robot at a state

static const row states[] = {
    SAYS(0, "info kept.yaml", "contact floor, restitution 1, friction 0: above, "),
    SAYS(0, "info kept.yaml --json", "\"contact\""),
    SAYS(0, "info rod.yaml", "rod"),
    SAYS(0, "info sphere.yaml", "output tip"),
    SAYS(0, "info cart-pole.urdf --floating", "base"),
    SAYS(2, "info nowhere.urdf", "nowhere.urdf"),
    SAYS(2, "info task.yaml --floating", "expected the first body to have the joints"),
    SAYS(0, "eval cart-pole.urdf --q 0.1,0.2 --v 1", "slider"),
    SAYS(0, "eval cart-pole.urdf --q 0.1,0.2 --v 1,2 --a 3,4 --json", "\"inverse_dynamics\""),
    SAYS(2, "eval cart-pole.urdf --q 0.1,0.2,0.3 --v 0", "--q"),
    SAYS(2, "eval cart-pole.urdf --q 0.1,x --v 0", "--q"),
    SAYS(2, "eval cart-pole.urdf --q 0.1,inf --v 0", "--q"),
    SAYS(2, "eval cart-pole.urdf --v 0", "--q"),
    SAYS(2, "eval cart-pole.urdf --q 0", "--v"),
    SAYS(2, "eval cart-pole.urdf --q 0 --v 0 --u 1", "--u"),
    SAYS(2, "eval cart-pole.urdf --q 0 --v 0 --hessian", "--hessian is of --output"),
    SAYS(0, "eval sphere.yaml --q 0,1,0,0 --output all --hessian", "tip.x"),
    SAYS(0, "eval sphere.yaml --q 0,1,0,0 --v 0.1 --output all --hessian --json", "\"hessian\""),
    SAYS(0, "eval sphere.yaml --q 1,0,0,0 --output turn --hessian", "turn"),
    SAYS(0, "eval mass.yaml --q 0.1 --v 2 --output P --hessian", "P"),
    SAYS(0, "eval mass.yaml --q 0.1 --output P --hessian", "P"),
    SAYS(2, "eval sphere.yaml --q 0,1,0,0 --output tp", "did you mean 'tip'?"),
    SAYS(0, "eval kept.yaml --q 1,0 --v 0", "x"),
};

static void robots_are_evaluated(void **state) {
  (void)state;
  RUN(states);
}

// -- motions

static const row optima[] = {
    WRITES("optimize auto.yaml -o auto --threads 1", "auto/optima.csv", "optimum"),
    WRITES("optimize one.yaml --starts auto -o option --threads 1", "option/optima.csv", "optimum"),
    WRITES("optimize own.yaml -o own --threads 1 --json", "own/result.json", "\"searches\""),
    SAYS(0, "optimize one.yaml -o one", "a motion that ends at the same place costs less"),
    SAYS(0, "optimize one.yaml --starts 2 -o one --threads 1", "searches"),
    SAYS(2, "optimize one.yaml --starts none -o bad", "takes auto, or a whole number"),
    SAYS(2, "optimize one.yaml --starts 0 -o bad", "takes auto, or a whole number"),
    SAYS(2, "optimize one.yaml --starts 3x -o bad", "takes auto, or a whole number"),
    SAYS(2, "optimize one.yaml --starts 99999999999999999999 -o bad", "takes auto, or a whole"),
    SAYS(2, "gains auto", "has no section 'feedback'"),
    SAYS(0, "optimize one.yaml --from one -o again", "solved"),
    SAYS(0, "optimize fine.yaml -o fine", "steps"),
    SAYS(1, "optimize never.yaml -o never", "coarse: the objective"),
    SAYS(1, "optimize hopeless.yaml -o hopeless", "infeasible"),
    SAYS(1, "optimize late.yaml -o late", "time_limit"),
    SAYS(1, "optimize short.yaml -o short", "iteration_limit"),
    SAYS(1, "optimize short.yaml -o short --json", "\"iteration_limit\""),
    SAYS(0, "optimize past.yaml -o past", "bounds at knots narrowed"),
    SAYS(0, "optimize tight.yaml -o tight", "between"),
    SAYS(0, "optimize knots.yaml -o knots", "solved"),
    SAYS(0, "optimize crate.yaml -o crate", "solved"),
    SAYS(0, "optimize rod.yaml -o rod", "solved"),
    SAYS(0, "optimize spring.yaml -o spring", "was 3"),
    SAYS(2, "optimize effort.yaml", "design: a limit of inputs changes with the parameters"),
    SAYS(1, "optimize slow.yaml -o slow", "design: time_limit after"),
    SAYS(0, "check mass.yaml", "blocks agree with differences"),
    SAYS(0, "check level.yaml", "blocks agree with differences"),
    SAYS(0, "check drop.yaml", "agree"),
    SAYS(2, "descend spring.yaml", "found numbers of the robot left open"),
    SAYS(2, "sweep spring.yaml --vary model.springs.0.stiffness=1:9:3 -o swept", "leaves open"),
    SAYS(0, "simulate drop.yaml -o drop", "drop"),
    SAYS(0, "simulate sparse.yaml -o sparse --json", "\"every\": 2"),
    SAYS(0, "simulate fall.yaml -o fall", "6 of 6"),
    SAYS(2, "simulate task.yaml -o drop", "simulate"),
    SAYS(2, "optimize drop.yaml -o drop", "drop.yaml"),
    SAYS(0, "run drop.yaml -o drop", "drop"),
    SAYS(2, "gains drop.yaml -o drop", "feedback"),
};

static void motions_are_found_or_not(void **state) {
  (void)state;
  RUN_KNOWN(optima);
}

static const row descents[] = {
    SAYS(1, "descend steep.yaml -o steep --method all --quasi 2", "steepest: stalled"),
    SAYS(0, "descend steep.yaml -o steep --method paper --tol 1e-3", "paper"),
    SAYS(0, "descend free.yaml -o free --kkt cholmod --json", "\"newton\""),
    SAYS(0, "descend steep.yaml -o steep --from steep", "newton"),
    SAYS(2, "descend steep.yaml --method steep", "did you mean 'steepest'"),
    SAYS(2, "descend steep.yaml --kkt cholmd", "did you mean 'cholmod'"),
    SAYS(2, "descend steep.yaml --quasi=-1", "quasi: found '-1', expected an integer in [0, 1e6]"),
    SAYS(2, "descend steep.yaml --quasi=2x", "quasi: found '2x', expected an integer in [0, 1e6]"),
    SAYS(2, "descend steep.yaml --quasi=", "quasi: found nothing, expected an integer in [0, 1e6]"),
    SAYS(2, "descend steep.yaml --quasi 9999999", "expected an integer in [0, 1e6]"),
    SAYS(2, "descend steep.yaml --tol 0", "--tol: solver.slope: found '0', expected a number > 0"),
    SAYS(2, "descend steep.yaml --tol x", "--tol: solver.slope: found 'x', expected a number > 0"),
    SAYS(2, "descend weak.yaml --kkt cholmod", "the sparse system cannot have bounds"),
    SAYS(2, "descend moving.yaml --kkt cholmod", "needs a whole start, and arm is free there"),
    SAYS(2, "descend idle.yaml", "found no input, expected one for a descent"),
    SAYS(2, "descend past.yaml", "a descent cannot have"),
    SAYS(2, "descend drop.yaml", "has no goal and no cost"),
    SAYS(0, "descend vast.yaml -o vast", "solved"), // the effort limits the guess
    SAYS(1, "descend vaster.yaml -o vaster", "the descent cannot begin: no step from knot 0"),
    SAYS(1, "descend weak.yaml -o weak", "the worst row is the goal"),
    SAYS(1, "descend five.yaml -o five", "newton: iteration_limit"),
    SAYS(1, "descend five.yaml -o five --method all --json", "\"iteration_limit\""),
    SAYS(1, "descend late.yaml -o late", "time_limit"),
};

static void descents_are_told(void **state) {
  (void)state;
  RUN_KNOWN(descents);
}

// -- feedback

static const row laws[] = {
    SAYS(0, "run task.yaml -o way --threads 1", "4 of 4 succeeded on the discrete plant"),
    SAYS(0, "run level.yaml -o level --threads 1", "controller"),
    SAYS(1, "run taut.yaml -o taut --threads 1", "no gains"),
    SAYS(0, "run gated.yaml -o gated --threads 1", "of controller.c"),
    SAYS(0, "run priced.yaml -o priced --threads 1", "controller"),
    SAYS(1, "run lossy.yaml -o lossy --threads 1", "no sample of it has left its plan"),
    SAYS(1, "export lossy --force",
         "whose bound is what a verification that succeeded has covered"),
    SAYS(0, "run unseen.yaml -o unseen --threads 1", "no encoder shows the position of slider"),
    SAYS(0, "run seen.yaml -o seen --threads 1", "controller_encoders_at"),
    SAYS(0, "run twice.yaml -o twice --threads 1", "controller_positions"),
    SAYS(0, "run exact.yaml -o exact --threads 1", "controller_velocity_at"),
    SAYS(0, "run blind.yaml -o blind --threads 1", "measured: positions, exact"),
    SAYS(0, "export blind --force", "off the library's law by 0"),
    SAYS(0, "run damped.yaml -o damped --threads 1", "controller"),
    SAYS(2, "export damped --all", "found feedback.fallback: {damping: ..} beside it"),
    SAYS(0, "run whole.yaml -o whole --threads 1", "on the continuous plant"),
    SAYS(0, "run states.yaml -o states --threads 1", "with feedback"),
    SAYS(0, "export states --single", "single precision"),
    SAYS(2, "gains rare.yaml -o rare", "rare.yaml:3:43: feedback.rate: found 0.1 Hz"),
    SAYS(1, "run bare.yaml -o bare", "no controller: no verification is stored; add 'verify: {"),
    SAYS(1, "run bare.yaml -o bare --json", "\"status\": \"refused\""),
    SAYS(1, "export bare", "no controller: no verification is stored"),
    SAYS(0, "export bare --force", "controller"),
    SAYS(1, "run loose.yaml -o loose --threads 1", "succeed, at least 90 % are required"),
    SAYS(1, "export loose", "no controller: the gains fail"),
    SAYS(1, "export loose.yaml -o fresh", "the gains fail"),
    SAYS(0, "linearize way --knot 3 --second --window 2", "knot"),
    SAYS(0, "linearize way --outputs arm", "positions show 2 of 2"),
    SAYS(2, "linearize way --outputs leg", "leg"),
    SAYS(2, "linearize way --knot 6", "--knot takes a knot from 0 to 5, got '6'"),
    SAYS(0, "gains other.yaml -o other", "12 knots"),
    SAYS(0, "run task.yaml -o way --from other --threads 1", "solved"),
    SAYS(0, "verify way --now --threads 1", "succeeded"),
};

// a line of a file in another's place
static void spoil(const char *path, const char *from, const char *to) {
  char *text = get_file(path), *at = text ? strstr(text, from) : NULL;
  if (!at) fail_msg("%s has no '%s'", path, from);
  FILE *f = fopen(path, "w");
  fprintf(f, "%.*s%s%s", (int)(at - text), text, to, at + strlen(from));
  fclose(f);
  free(text);
}

// a table has the knots and the names that its writer gave it, and is read back by them
static const row tables[] = {
    SAYS(0, "run held.yaml -o held --threads 1", "held/report.html"),
    SAYS(0, "plot held --what gains -o held.svg", "held.svg"),
    SAYS(0, "plot held --what loop -o held.svg", "held.svg"),
    SAYS(0, "plot held --what error -o held.svg", "held.svg"),
    SAYS(0, "verify held --threads 1", "held/report.html"),
    SAYS(0, "run rarely.yaml -o rarely --threads 1", "rarely/report.html"),
    SAYS(0, "plot rarely --what gains -o rarely.svg", "rarely.svg"),
    SAYS(0, "plot rarely --what loop -o rarely.svg", "rarely.svg"),
    SAYS(0, "plot rarely --what error -o rarely.svg", "rarely.svg"),
    SAYS(0, "run named.yaml -o named --threads 1", "named/report.html"),
    SAYS(0, "plot named --what robustness -o named.svg", "named.svg"),
};

static void tables_are_read_back(void **state) {
  (void)state;
  RUN(tables);

  // each joint with each of its levels
  char *text = get_file("named/robustness.csv");
  assert_non_null(strstr(text, "\nmass,0.5,-1,"));
  assert_non_null(strstr(text, "\nmass,a_b,1,"));
  free(text);

  // a run that lacks a knot is told with its row
  spoil("held/result.json", "\"files\"", "\"flies\"");
  spoil("held/fan.csv", "\n0,3,", "\n0,4,");
  static const row torn[] = {SAYS(2, "plot held --what loop -o held.svg",
                                  "held/fan.csv is damaged: row 4 is of knot 4, expected knot 3")};
  RUN(torn);
}

// a problem that has changed since its folder was made
static const row changed[] = {
    SAYS(1, "export way --now", "the problem has changed since it was verified"),
    SAYS(0, "gains way", "the copy in that folder is used"),
    SAYS(0, "linearize way --now", "its motion is used as it was"),
    SAYS(0, "run plain.yaml -o way", "way"),
    SAYS(2, "verify way", "feedback"),
};

static void laws_are_made_and_tried(void **state) {
  (void)state;
  RUN_KNOWN(laws);
  put_file(".", "task.yaml", TASK "feedback: {Q: {q: 12, p: 1}, R: 1, Qf: riccati}\n" VERIFY(""));
  RUN(changed);
  put_file(".", "task.yaml", files[0].text);
}

// -- folders that are damaged

static const row whole_folder[] = {
    SAYS(0, "run task.yaml -o torn --threads 1", "succeeded"),
};
static const row torn_table[] = {
    SAYS(2, "gains torn", "torn/trajectory.csv is damaged: found the SHA-256"),
    SAYS(0, "report torn", "is damaged"),
    SAYS(2, "plot torn -o x.svg", "is damaged"),
    SAYS(2, "optimize task.yaml --from torn -o fresh", "is damaged"),
};
// without its list of digests the table itself is looked at
static const row torn_rows[] = {
    SAYS(2, "gains torn", "torn/trajectory.csv"),
    SAYS(2, "plot torn -o x.svg", "torn/trajectory.csv"),
};
static const row no_table[] = {
    SAYS(2, "gains torn", "torn/trajectory.csv"),
};
static const row no_record[] = {
    SAYS(2, "gains torn", "torn/result.json"),
    SAYS(2, "verify torn --json", "\"exit\": 2"),
    SAYS(2, "sweep torn --starts 2", "torn is a folder"),
};

static void damage_is_found(void **state) {
  (void)state;
  RUN(whole_folder);
  spoil("torn/trajectory.csv", "\n1,", "\n1,x");
  RUN(torn_table);
  spoil("torn/result.json", "\"files\"", "\"flies\"");
  RUN(torn_rows);
  unlink("torn/trajectory.csv");
  RUN(no_table);
  put_file("torn", "result.json", "{\"problem\": 1");
  RUN(no_record);
  put_file("torn", "result.json", "[1, 2]");
  RUN(no_record);
  put_file("torn", "result.json", "{\"status\": \"solved\"}");
  RUN(no_record);
}

// -- folders in use, and places that cannot be written to

static int lock_folder(const char *path, int how) {
  mkdir(path, 0700);
  const int fd = open(path, O_RDONLY | O_DIRECTORY);
  assert_true(fd >= 0 && flock(fd, how) == 0);
  return fd;
}

static const row at_work[] = {
    SAYS(2, "gains way", "another dmoc command is at work in way"),
    SAYS(2, "run task.yaml -o way --json", "another dmoc command is at work in way"),
    SAYS(2, "run task.yaml -o stone/below/it --from way --threads 1", "cannot be written"),
};
static const row readers[] = {
    SAYS(0, "gains way", "waiting for a command that reads way"),
};
static const row obstacles[] = {
    SAYS(2, "run task.yaml -o blocked", "blocked/gains.csv cannot be written: Is a directory"),
    SAYS(2, "run task.yaml -o blocked/task.yaml", "cannot be written"),
    SAYS(2, "plot way --what moving -o blocked/task.yaml/way.svg", "cannot be written"),
    SAYS(2, "plot way --what moving -o blocked/gains.csv", "-o names the picture by its suffix"),
    SAYS(2, "plot way --what moving -o folder.svg", "folder.svg"),
};

static void others_are_waited_for(void **state) {
  (void)state;
  static const row first[] = {DOES("run task.yaml -o way --threads 1")};
  RUN(first);

  // a command that writes there
  int lock = lock_folder("way/.dmoc-new", LOCK_EX);
  put_file(".", "stone", "");
  RUN(at_work);
  close(lock);
  unlink("stone");

  // one that reads, for a moment
  int ready[2];
  char held = 0;
  assert_int_equal(pipe(ready), 0);
  const pid_t child = fork();
  if (child == 0) {
    lock_folder("way", LOCK_SH);
    if (write(ready[1], "!", 1) < 0) _exit(1);
    usleep(900000); // longer than the program takes to look
    _exit(0);
  }
  assert_int_equal(read(ready[0], &held, 1), 1);
  RUN(readers);
  waitpid(child, NULL, 0);
  close(ready[0]);
  close(ready[1]);
}

static void what_stands_in_the_way_is_told(void **state) {
  (void)state;
  mkdir("blocked", 0700);
  mkdir("blocked/gains.csv", 0700);
  mkdir("folder.svg", 0700);
  put_file("blocked", "task.yaml", "");
  RUN(obstacles);

  // paths and names that are too long
  char line[PROGRAM_LINE], path[1400];
  memset(path, 'a', sizeof path - 1);
  path[sizeof path - 1] = 0;
  for (size_t i = 9; i < sizeof path - 1; i += 10) path[i] = '/';
  snprintf(line, sizeof line, "run task.yaml -o %s", path);
  const row too_deep[] = {SAYS(2, line, "the path of the result folder is longer than")};
  RUN(too_deep);
  memset(path, 'a', 250);
  snprintf(line, sizeof line, "plot way --what moving -o %.245s.svg", path);
  const row too_long[] = {SAYS(2, line, "is too long")};
  RUN(too_long);
}

// a device that takes nothing
static void a_full_disk_is_told(void **state) {
  (void)state;
  FILE *full = fopen("/dev/full", "w");
  if (!full) skip_test("no /dev/full here");
  static char name[] = "dmoc", version[] = "--version";
  char *word[] = {name, version, NULL};
  program_forget();
  const int was = program_divert(stderr, ".err");
  fflush(stdout);
  const int out = dup(STDOUT_FILENO);
  dup2(fileno(full), STDOUT_FILENO);
  const int status = run_program(2, word);
  dup2(out, STDOUT_FILENO);
  clearerr(stdout);
  close(out);
  fclose(full);
  program_restore(stderr, was, ".err", program_said);
  assert_int_equal(status, CLI_INPUT);
  assert_non_null(strstr(program_said, "the output cannot be written"));
}

// a terminal is shown the motion as well
static void a_terminal_is_shown_curves(void **state) {
  (void)state;
  static char text[PROGRAM_LINE] = "optimize task.yaml -o shown --quiet";
  const struct winsize size = {.ws_row = 24, .ws_col = 100};
  const int leader = posix_openpt(O_RDWR | O_NOCTTY);
  if (leader < 0 || grantpt(leader) != 0 || unlockpt(leader) != 0)
    skip_test("there are no terminals here");
  const int terminal = open(ptsname(leader), O_RDWR | O_NOCTTY);
  assert_true(terminal >= 0 && ioctl(terminal, TIOCSWINSZ, &size) == 0);
  unsetenv("PMI_SIZE");
  unsetenv("OMPI_COMM_WORLD_SIZE");
  setenv("TERM", "xterm", 1);
  setenv("LC_ALL", "C.UTF-8", 1);

  char *word[PROGRAM_WORDS], shown[1 << 14];
  program_forget();
  const int n = program_words(text, word);
  fflush(stdout);
  const int out = dup(STDOUT_FILENO);
  dup2(terminal, STDOUT_FILENO);
  const int status = run_program(n, word);
  fflush(stdout);
  dup2(out, STDOUT_FILENO);
  close(out);

  // what is written there comes through in parts; what comes last is known
  size_t length = 0;
  assert_int_equal(write(terminal, "#", 1), 1);
  while (length == 0 || shown[length - 1] != '#') {
    const ssize_t part = read(leader, shown + length, sizeof shown - 1 - length);
    if (part <= 0) break;
    length += (size_t)part;
  }
  close(terminal);
  close(leader);
  setenv("LC_ALL", "C", 1);
  assert_int_equal(status, CLI_DONE);
  assert_true(length > 1 && shown[length - 1] == '#');
  shown[length] = 0;
  assert_non_null(strstr(shown, "q.arm"));
  assert_non_null(strstr(shown, "\xe2\x96\x88")); // a block
  assert_non_null(strstr(shown, "\033[32m"));
}

// -- studies

static const row sweeps[] = {
    SAYS(2, "sweep task.yaml", "a sweep needs --vary KEY=VALUES or --starts N"),
    SAYS(2, "sweep task.yaml --vary horizon.time", "takes a key and its values"),
    SAYS(2, "sweep task.yaml --vary horizon.time=", "takes a key and its values"),
    SAYS(2, "sweep task.yaml --vary =1", "takes a key and its values"),
    SAYS(2, "sweep task.yaml --vary horizon.time=1:2", "expected from:to:count"),
    SAYS(2, "sweep task.yaml --vary horizon.time=1:x:3", "expected from:to:count"),
    SAYS(2, "sweep task.yaml --vary horizon.time=x:1:3", "expected from:to:count"),
    SAYS(2, "sweep task.yaml --vary horizon.time=1:2:0", "expected from:to:count"),
    SAYS(2, "sweep task.yaml --vary horizon.time=1:2:3:4", "expected from:to:count"),
    SAYS(2, "sweep task.yaml --vary horizon.time=1:2:1e9", "expected from:to:count"),
    SAYS(2, "sweep task.yaml --vary cost.input=1,,2", "found an empty value"),
    SAYS(2, "sweep task.yaml --vary cost.input=1,2,1", "found '1' twice"),
    SAYS(2, "sweep task.yaml --vary cost.input=1:1:3", "found 3 times the same value"),
    SAYS(2, "sweep task.yaml --vary cost.input=1 --vary cost.input=2", "is varied twice"),
    SAYS(2, "sweep task.yaml --vary cost.input=1:2:1001 --vary horizon.time=1:2:1000",
         "found more than 1000000 cases"),
    SAYS(2, "sweep task.yaml --starts 0", "starts takes a whole number, 1 to 1000000, got '0'"),
    SAYS(2, "sweep task.yaml --starts 1.5", "starts takes a whole number"),
    SAYS(2, "sweep task.yaml --starts=", "starts takes a whole number"),
    SAYS(2, "sweep task.yaml --starts 2 --wander -1", "wander takes a number above 0, got '-1'"),
    SAYS(2, "sweep task.yaml --starts 2 --wander x", "wander takes a number above 0, got 'x'"),
    SAYS(2, "sweep task.yaml --starts 2 --wander inf", "wander takes a number above 0"),
    SAYS(2, "sweep task.yaml --starts 2 --wander=", "wander takes a number above 0"),
    SAYS(2, "sweep empty --starts 2", "empty is a folder"),
    SAYS(2, "sweep task.yaml --vary horizon.tme=1,2 -o bad", "did you mean 'time'"),
    SAYS(2, "sweep task.yaml --vary horizon.time=1:-1:3 -o bad", "expected a number > 0"),
    SAYS(2, "sweep task.yaml --vary horizon.steps=10..50 -o bad", "did you mean '10:50:5'?"),
    SAYS(0,
         "sweep task.yaml --vary horizon.time=1:1.2:3 --vary cost.input=1,2 -o grid --threads 1 "
         "--run --keep",
         "cases"),
    SAYS(0,
         "sweep task.yaml --vary horizon.time=1:1.2:3 --vary cost.input=1,2 -o grid --threads 1 "
         "--run --keep --json",
         "\"computed\": 0"),
    SAYS(0, "sweep task.yaml --vary horizon.time=1 --starts 3 -o wandered --threads 1", "cases"),
    SAYS(0, "sweep task.yaml --vary solver.max_iter=1,100 -o limits --threads 1",
         "case 0 (solver.max_iter = 1): iteration_limit"),
    SAYS(1, "sweep short.yaml --vary cost.input=1,2 -o none --threads 1", "none of 2 cases has a"),
    SAYS(0, "sweep drop.yaml --vary simulate.step=0.1,0.2 --run -o drops --threads 1", "cases"),
    SAYS(0, "sweep level.yaml --vary feedback.R=1,2 --run -o rests --threads 1 --json",
         "\"solved\": 2"),
};

static void sweeps_are_checked_and_run(void **state) {
  (void)state;
  RUN(sweeps);

  // an obstacle to writing a case
  static const row blocked[] = {
      SAYS(2, "sweep task.yaml --vary horizon.time=1 -o grid/sweep.csv --threads 1", "sweep.csv"),
  };
  RUN(blocked);

  // a journal that is cut short or spoiled: what is whole in it counts
  static const row once[] = {
      SAYS(0, "sweep task.yaml --vary horizon.time=1:1.4:5 -o cut --threads 1 --json",
           "\"computed\": 5"),
  };
  static const row again[] = {
      SAYS(0, "sweep task.yaml --vary horizon.time=1:1.4:5 -o cut --threads 1 --json",
           "\"computed\": 1"),
  };
  static const row whole[] = {
      SAYS(0, "sweep task.yaml --vary horizon.time=1:1.4:5 -o cut --threads 1 --json",
           "\"computed\": 0"),
  };
  static const row held[] = {
      SAYS(2, "sweep task.yaml --vary horizon.time=1 -o cut", "another dmoc command is at work"),
  };
  RUN(once);
  spoil("cut/finished.csv", "solved,", "solved,x");
  RUN(again);
  spoil("cut/finished.csv", ",solved,", ",");
  RUN(whole);
  char *text = get_file("cut/finished.csv");
  FILE *f = fopen("cut/finished.csv", "w");
  fprintf(f, "%.*s", (int)strlen(text) - 10, text);
  fclose(f);
  free(text);
  RUN(again);
  const int lock = lock_folder("cut/.sweep.csv.dmoc-new", LOCK_EX);
  RUN(held);
  close(lock);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(words_are_checked),
      cmocka_unit_test(robots_are_evaluated),
      cmocka_unit_test(motions_are_found_or_not),
      cmocka_unit_test(descents_are_told),
      cmocka_unit_test(laws_are_made_and_tried),
      cmocka_unit_test(tables_are_read_back),
      cmocka_unit_test(damage_is_found),
      cmocka_unit_test(others_are_waited_for),
      cmocka_unit_test(what_stands_in_the_way_is_told),
      cmocka_unit_test(a_full_disk_is_told),
      cmocka_unit_test(a_terminal_is_shown_curves),
      cmocka_unit_test(sweeps_are_checked_and_run),
  };
  return cmocka_run_group_tests(tests, put_files, program_close);
}
