// tests/problems/readers/model/test_formula_parts.c: a Lagrangian by formula against the tree of the same bodies,
// potentials against springs, derivatives of programs with forces by formula, the power of forces on bodies, a sphere with
// drag, refusals by place.
#include "tests/support/cart_pole.h"
#include "tests/support/models.h"

#include "control/feedback/mechanics.h"
#include "lib/discrete/composition.h"
#include "lib/discrete/simulate.h"
#include "optim/check.h"
#include "optim/solve.h"

#include <math.h>
#include <stdlib.h>

#define TASK                                                                                       \
  "horizon: {steps: 4, time: 0.4}\nstart: {q: 0.2, v: 0.1}\ngoal: {q: 0.3, v: 0}\ncost: {input: "  \
  "1}\n"

// L, its derivatives, and the third ones along a direction, in one array
static int evaluate(const dm_system *s, const double *q, const double *v, double *out) {
  enum { N = 2 };
  const double a_q[N] = {0.7, -1.1}, a_v[N] = {0.4, 0.9};
  dm_jet first = {
      .L_q = out + 1, .L_v = out + 3, .L_qq = out + 5, .L_qv = out + 9, .L_vv = out + 13};
  dm_jet third = {.L_q = NULL, .L_qq = out + 17, .L_qv = out + 21, .L_vv = out + 25};
  double unused[2 * N];
  void *scratch = aligned_alloc(64, (s->L.scratch + 128) & ~(size_t)63);
  third.L_q = unused;
  third.L_v = unused + N;
  assert_int_equal(s->L.eval(s->L.self, scratch, 2, q, v, &first), DM_OK);
  assert_int_equal(s->L.contract(s->L.self, scratch, q, v, a_q, a_v, &third), DM_OK);
  out[0] = first.L;
  free(scratch);
  return 29;
}

static void compare_energies(const char *one, const char *other, bool rest) {
  pb_problem *p[] = {get_problem(one), get_problem(other)};
  double x[2][32];
  for (int k = 0; k < 4; k++) {
    const double q[] = {0.3 - k, 0.8 + 2 * k}, v[] = {rest ? 0 : 1.5 - k, rest ? 0 : -2. + 3 * k};
    int n = 0;
    for (int i = 0; i < 2; i++) n = evaluate(&p[i]->task.system, q, v, x[i]);
    for (int i = 1; i < n; i++)
      if (!(fabs(x[0][i] - x[1][i]) < 1e-12 * fmax(1, fabs(x[1][i]))))
        fail_msg("state %d, number %d: %.17g, expected %.17g", k, i, x[0][i], x[1][i]);
  }
  for (int i = 0; i < 2; i++) pb_problem_free(p[i]);
}

#define TREE                                                                                       \
  "model:\n  bodies:\n"                                                                            \
  "    - {name: upper, mass: 1.3, centre: [0, 0, -0.5], inertia: [0.02, 0.03, 0.04], "             \
  "joints: [{type: ry, name: a}]}\n"                                                               \
  "    - {name: lower, parent: upper, offset: {xyz: [0, 0, -0.8]}, mass: 0.7, "                    \
  "centre: [0, 0, -0.4], inertia: [0.02, 0.05, 0.04], joints: [{type: ry, name: b}]}\n"            \
  "inputs: [{joint: a}, {joint: b}]\n" TASK
#define OWN                                                                                        \
  "let: {m: [1.3, 0.7], c: [0.5, 0.4], both: v.a + v.b, l: 0.8, g: 9.81}\n"                        \
  "model:\n  coordinates: {a: rad, b: rad}\n  lagrangian: >-\n"                                    \
  "    0.5 (0.03 + m[0] c[0]^2) v.a^2 + 0.025 both^2\n"                                            \
  "    + 0.5 m[1] (l^2 v.a^2 + c[1]^2 both^2 + 2 l c[1] v.a both cos(q.b))\n"                      \
  "    + g (m[0] c[0] + m[1] l) cos(q.a) + g m[1] c[1] cos(q.a + q.b)\n"                           \
  "inputs: [{joint: a}, {joint: b}]\n" TASK

static void a_lagrangian_has_the_digits_of_the_tree(void **state) {
  (void)state;
  compare_energies(OWN, TREE, false);
  compare_energies(OWN, TREE, true); // where its gradient by v is zero
}

static void a_potential_has_the_digits_of_a_spring(void **state) {
  (void)state;
#define WITH(part) "model:\n  urdf: c.urdf\n  " part "\n" TASK
  compare_energies(WITH("potentials: [{name: p, formula: 1.5 (q.pole - 0.2)^2}]"),
                   WITH("springs: [{name: p, joint: pole, stiffness: 3, rest: 0.2}]"), false);
  // beside a spring
  compare_energies(WITH("springs: [{name: s, joint: slider, stiffness: 2}]\n"
                        "  potentials: [{name: p, formula: 1.5 (q.pole - 0.2)^2}]"),
                   WITH("springs: [{name: s, joint: slider, stiffness: 2}, "
                        "{name: p, joint: pole, stiffness: 3, rest: 0.2}]"),
                   false);
}

// forces of positions, velocities and inputs, beside motors, in programs and steps
static void derivatives_of_programs_with_forces_hold(void **state) {
  (void)state;
  static const char *const rows[] = {
      "forces: [{name: f, joint: pole, formula: \"u.fan^2 cos(q.pole) (1 - 0.1 v.slider)\"},\n"
      "           {name: g, joint: slider, formula: \"-v.slider smoothabs(v.slider, 0.1) + "
      "u.fan\"}]\n"
      "inputs: [{joint: slider}, {name: fan}]\n" TASK,
      "forces: [{name: f, joint: pole, formula: u.a q.slider + u.b v.pole^2}]\n"
      "inputs: [{name: a}, {joint: slider}, {name: b}]\n" TASK,
      "forces:\n"
      "    - {name: f, body: tip, frame: body, point: [0.1, 0, -0.5], torque: [0, -0.1 velocity.x "
      "bob.z + u.fan, 0],\n"
      "       formula: [-0.2 velocity.x + u.fan^2 cos(q.pole), 1, -0.3 velocity.z + rate.x "
      "q.pole]}\n"
      "    - {name: g, body: cart, formula: \"-0.1 norm(velocity, 0.2) velocity\"}\n"
      "    - {name: h, joint: pole, formula: bob.x^2 v.slider + wall u.fan}\n"
      "outputs:\n"
      "  - {name: bob, type: position, bodies: tip, points: [0, 0, -0.5]}\n"
      "  - {name: rate, type: velocity, bodies: tip}\n"
      "  - {name: wall, formula: \"softplus(bob.x, 0.3)\"}\n"
      "inputs: [{joint: slider}, {name: fan}]\n" TASK,
      "potentials: [{name: p, formula: exp(q.slider) sin(q.pole)}]\n" TASK
      "transcription: second-order-underactuated\n"};
  for (size_t i = 0; i < COUNT_OF(rows); i++) {
    char text[1200];
    snprintf(text, sizeof text, "model:\n  urdf: c.urdf\n  %s", rows[i]);
    pb_problem *p = get_problem(text);
    oc_check found = oc_check_default();
    dm_message msg = {""};
    if (oc_check_task(&found, &p->task, NULL, &msg) != DM_OK) fail_msg("%s", msg.text);
    if (found.failed) fail_msg("row %d: %d derivatives differ", (int)i, found.failed);
    pb_problem_free(p);
  }
}

// the sum of the general forces at a state, without inputs, f [2]
static void find_force(const pb_problem *p, const double *q, const double *v, double *f) {
  const double u[4] = {0};
  const dm_forces *forces = &p->task.system.force;
  void *scratch = aligned_alloc(64, (dm_forces_scratch(forces, 2) + 128) & ~(size_t)63);
  f[0] = f[1] = 0;
  assert_int_equal(dm_forces_eval(forces, 2, scratch, 1, q, v, u, &(dm_force_jet){.f = f}), DM_OK);
  free(scratch);
}

// f.v = F.(velocity of the point), with the point's velocity from its geometry
static void the_power_of_a_force_is_that_of_its_point(void **state) {
  (void)state;
#define AT "model:\n  urdf: c.urdf\n  forces: [{name: f, body: tip, point: [0.2, 0, -0.5], "
  const double q[] = {0.3, 0.8}, v[] = {-1.2, 2.1}, c = cos(0.8), s = sin(0.8);
  const double vx = -1.2 + 2.1 * (-0.5 * c - 0.2 * s), vz = 2.1 * (0.5 * s - 0.2 * c);
  const struct {
    const char *text;
    double power;
  } rows[] = {
      {AT "formula: [3 q.slider, 5, 2 v.pole]}]\n" TASK, 0.9 * vx + 4.2 * vz},
      {AT "frame: body, formula: [3 q.slider, 5, 2 v.pole]}]\n" TASK,
       0.9 * (c * vx - s * vz) + 4.2 * (s * vx + c * vz)},
      {AT "formula: -2 velocity}]\n" TASK, -2 * (vx * vx + vz * vz)},
      {AT "frame: body, formula: -2 velocity}]\n" TASK, -2 * (vx * vx + vz * vz)},
      {AT "torque: [1, 0.5 v.pole, 2]}]\n" TASK, 0.5 * 2.1 * 2.1},
      {"model:\n  urdf: c.urdf\n  forces: [{name: f, body: tip, point: [0.2, 0, -0.5], formula: "
       "-norm(rate) rate}]\n"
       "outputs: [{name: rate, type: velocity, bodies: tip, points: [0.2, 0, -0.5]}]\n" TASK,
       -pow(vx * vx + vz * vz, 1.5)}};
  for (size_t i = 0; i < COUNT_OF(rows); i++) {
    pb_problem *p = get_problem(rows[i].text);
    double f[2];
    find_force(p, q, v, f);
    const double power = f[0] * v[0] + f[1] * v[1];
    if (!(fabs(power - rows[i].power) < 1e-13 * fabs(rows[i].power)))
      fail_msg("row %d: %.17g, expected %.17g", (int)i, power, rows[i].power);
    pb_problem_free(p);
  }
}

// A sphere that falls from rest with the drag c v^2 has the speed w tanh(g t/w) with w^2 = m g/c; the error of the
// discrete motion is of order 2.
static void a_sphere_with_drag_reaches_its_speed(void **state) {
  (void)state;
  pb_problem *p = get_problem(
      "model:\n  bodies: [{name: ball, mass: 0.5, inertia: [1, 1, 1], joints: [tx, tz]}]\n"
      "  forces: [{name: air, body: ball, formula: \"-0.05 norm(velocity, 1e-9) velocity\"}]\n"
      "horizon: {steps: 4, time: 0.4}\nstart: {q: 0, v: 0}\n");
  const double w = sqrt(0.5 * 9.81 / 0.05), t = 1.2,
               fallen = w * w / 9.81 * log(cosh(9.81 * t / w));
  const int steps[] = {60, 120};
  double error[2];
  for (int i = 0; i < 2; i++) {
    const dm_del_settings set = dm_del_default();
    dm_composition *steps_of = NULL;
    dm_simulation *run = NULL;
    dm_simulate_settings of = dm_simulate_default();
    of.steps = steps[i];
    of.h = t / steps[i];
    assert_int_equal(dm_composition_new(&steps_of, &p->task.system, 2, &set, NULL), DM_OK);
    const dm_stepper step = dm_composition_stepper(steps_of);
    assert_int_equal(dm_simulation_new(&run, &p->task.system, &step, &of), DM_OK);
    const double zero[2] = {0};
    assert_int_equal(dm_simulation_start(run, &(dm_start){.q = zero, .v = zero}), DM_OK);
    assert_int_equal(dm_simulation_run(run), DM_OK);
    error[i] = fabs(run->x->q[1] + fallen);
    dm_simulation_free(run);
    dm_composition_free(steps_of);
  }
  assert_true(error[1] < 1e-4 * fallen);
  assert_true(error[0] / error[1] > 3.9 && error[0] / error[1] < 4.1);
  pb_problem_free(p);
}

// code on board names the formula that it does not have
static void the_mechanics_on_board_refuse_formulas(void **state) {
  (void)state;
  static const char *const rows[][2] = {
      {WITH("forces: [{name: air, body: tip, formula: -0.1 velocity}]"),
       "it has the formula 'air' (model.forces)"},
      {WITH("potentials: [{name: magnet, formula: q.pole^2}]"),
       "it has the formula 'magnet' (model.potentials)"}};
  for (int i = 0; i < 2; i++) {
    pb_problem *p = get_problem(rows[i][0]);
    dm_message msg = {""};
    assert_int_equal(fb_mechanics_check(&p->robot.mechanism, &p->task.system, FB_OF_HORIZON, &msg),
                     DM_UNAVAILABLE);
    assert_string_equal(msg.text, rows[i][1]);
    pb_problem_free(p);
  }
}

// the objective of a problem in its transcription
static double find_objective(const char *text) {
  pb_problem *p = get_problem(text);
  oc_setup set = oc_setup_default();
  dm_trajectory *motion;
  oc_solve_info info;
  dm_message msg = {""};
  set.second = p->transcription.second ? &p->transcription.action : NULL;
  if (oc_solve(&p->task, &set, &motion, &info, &msg) != DM_OK) fail_msg("%s", msg.text);
  dm_trajectory_free(motion);
  pb_problem_free(p);
  return info.objective;
}

// Energies by formula take L itself, a tree its inverse dynamics: both have order 4, so that four steps differ by 1.4e-5.
static void second_order_has_energies_by_formula(void **state) {
  (void)state;
#define SECOND "transcription: second-order\n"
  const double tree = find_objective(TREE SECOND), own = find_objective(OWN SECOND);
  assert_close(own, tree, 1e-4 * tree);
#define BOTH "\ninputs: [{joint: slider}, {joint: pole}]"
  const double spring = find_objective(
      WITH("springs: [{name: p, joint: pole, stiffness: 3, rest: 0.2}]" BOTH) SECOND);
  const double formula =
      find_objective(WITH("potentials: [{name: p, formula: 1.5 (q.pole - 0.2)^2}]" BOTH) SECOND);
  assert_close(formula, spring, 1e-4 * spring);
}

// how far 2 kg are off after 2 s under 3 cos(2 t), itself or by a definition, in steps of all rules
static double find_miss(const char *rule, int N) {
  char text[700];
  dm_trajectory *x;
  dm_del *w;
  dm_del_info info;
  int failed;
  snprintf(text, sizeof text,
           "let: {pace: 2 t, push(x): 3 cos(x)}\n"
           "model:\n  bodies: [{name: mass, mass: 2, inertia: [1, 1, 1], joints: [{type: ty, name: "
           "y}]}]\n"
           "  forces: [{name: wind, joint: y, formula: push(pace)}]\n"
           "inputs: [{joint: y}]\nrule: {lagrangian: %s}\nhorizon: {steps: %d, time: 2}\n"
           "start: {q: 0, v: 0}\ngoal: {q: 0, v: 0}\ncost: {input: 1, state: {v: 1}}\n",
           rule, N);
  pb_problem *p = get_problem(text);
  const oc_task *t = &p->task;

  // the clock starts with 1 m/s, is free at the goal, and values for all leave it out
  assert_int_equal(t->system.L.nq, 2);
  assert_true(t->start.q[1] == 0 && t->start.v[1] == 1 && t->start.v[0] == 0);
  assert_true(isnan(t->goal.q[1]) && isnan(t->goal.v[1]) && t->goal.v[0] == 0);
  assert_true(t->cost[OC_V].running[0] == 1 && t->cost[OC_V].running[1] == 0);

  assert_int_equal(dm_trajectory_of(&x, N, &t->system), DM_OK);
  assert_int_equal(dm_del_new(&w, &t->system, NULL), DM_OK);
  x->h = 2. / N;
  x->p[1] = 1;
  assert_int_equal(dm_trajectory_rollout(x, w, &info, &failed), DM_OK);
  assert_close(x->q[2 * N + 1], 2, 1e-12);
  const double miss = x->q[2 * (ptrdiff_t)N] - 3. / 8 * (1 - cos(4.));
  dm_del_free(w);
  dm_trajectory_free(x);
  pb_problem_free(p);
  return miss;
}

static void the_time_of_forces_is_a_clock(void **state) {
  (void)state;
  assert_close(find_miss("midpoint", 20) / find_miss("midpoint", 40), 4, 0.02);
  assert_close(find_miss("trapezoid", 20) / find_miss("trapezoid", 40), 4, 0.02);
}

// how many coordinates the reader adds to a mass on two joints with these definitions, force and outputs
static int count_added(const char *let, const char *force, const char *more) {
  char text[700];
  snprintf(
      text, sizeof text,
      "let: {%s}\nmodel:\n  bodies: [{name: mass, mass: 2, inertia: [1, 1, 1], joints: [{type: "
      "tx, name: slider}, {type: ty, name: pole-t}]}]\n"
      "  forces: [{name: wind, joint: slider, formula: %s}]\n"
      "inputs: [{joint: slider}]\n%s\n" TASK,
      let, force, more);
  pb_problem *p = get_problem(text);
  const int added = p->task.system.L.nq - 2;
  assert_true(added == 0 || !strcmp(p->robot.mechanism.tree->name[2], "clock"));
  pb_problem_free(p);
  return added;
}

// The expression reader decides whether a force has the time: a number may touch its name, which others may contain.
static void the_time_is_found_as_it_is_read(void **state) {
  (void)state;
  const char *const none = "outputs: []";
  assert_int_equal(count_added("a: 1", "5t", none), 1);
  assert_int_equal(count_added("a: 1", "2sin(6t)", none), 1);
  assert_int_equal(count_added("g: 5t", "g", none), 1);
  assert_int_equal(count_added("g: 5 t", "2g", none), 1);
  assert_int_equal(count_added("a: 1", "-0.1 q.pole-t", none), 0);
  assert_int_equal(count_added("g(k): sin(k), k: 2 t", "g(1)", none), 0);
  assert_int_equal(count_added("t: 3", "5t", none), 0);
  assert_int_equal(count_added("a: 1", "5t", "outputs: [{name: t, formula: 2 q.slider}]"), 0);
}

#define TIMED                                                                                      \
  "forces: [{name: f, joint: pole, formula: sin(t)}]\ninputs: [{joint: slider}]\n"                 \
  "feedback: {Q: {q: 1}, R: 1, Qf: {q: 1}}\n"

#define RUN(start)                                                                                 \
  "model:\n  urdf: c.urdf\n  forces: [{name: f, joint: pole, formula: sin(t)}]\n"                  \
  "simulate: {steps: 4, time: 0.4, start: {" start "}}\n"
#define START(q, v)                                                                                \
  "model:\n  urdf: c.urdf\n  forces: [{name: f, joint: pole, formula: sin(t)}]\n"                  \
  "horizon: {steps: 4, time: 0.4}\ngoal: {q: 0, v: 0}\nstart: {q: " q ", v: " v "}\n"

// damping and pushes of samples leave the clock of a force out
static void errors_leave_the_clock(void **state) {
  (void)state;
  pb_problem *p = get_problem(
      WITH(TIMED "verify: {samples: 1, errors: {damping: 0.3}, pushes: {count: 1, apart: 0.01, "
                 "width: [0.01, 0.02]}}"));
  const fb_mismatch_settings *set = &p->verify.robust.set;
  assert_int_equal(p->task.system.L.nq, 3);
  assert_true(set->undamped[2] && !set->undamped[0] && !set->undamped[1]);
  assert_true(set->pushes.factor[2] == 0 && set->pushes.factor[0] == 1);
  pb_problem_free(p);
}

static void what_is_no_part_is_refused(void **state) {
  (void)state;
  const refused rows[] = {
      {WITH("potentials: [{name: p, formula: v.pole^2}]"),
       "model.potentials[].formula: found the unknown name 'v.pole' at character 1, expected one "
       "of q.slider, q.pole, pi"},
      {WITH("potentials: [{name: p, formula: 3}]"), "found '3', which is constant"},
      {WITH("potentials: [{name: p, formula: q.pole, law: power}]"),
       "model.potentials[]: found 'law', expected none beside a formula"},
      {WITH("potentials: [{name: p}]"),
       "model.potentials[]: found no 'bodies', expected 'bodies' and 'law', or a 'formula'"},
      {WITH("forces: [{name: f, joint: pol, formula: 1}]"), "did you mean 'pole'?"},
      {WITH("forces: [{name: f, joint: pole, formula: u.slider}]"),
       "model.forces[].formula: found 'u.slider', whose force is that of its joint or body"},
      {WITH("forces: [{name: f, joint: pole, formula: sin(T)}]"),
       "model.forces[].formula: found the unknown name 'T'"},
      {WITH("bodies: [{name: clock, mass: 1, inertia: [1, 1, 1], joints: [{type: tx}]}]\n"
            "  forces: [{name: f, joint: pole, formula: sin(t)}]"),
       "model.forces[]: found the time 't' beside a 'clock' of the robot"},
      {WITH("forces: [{name: f, joint: pole, formula: 5 t}]\n"
            "outputs: [{name: t, formula: u.slider}]"),
       "model.forces[].formula: found 't', the time and an output of inputs, momenta or times"},
      {WITH("forces: [{name: f, joint: pole, formula: -0.5 p.pole}]"),
       "found 'p.pole' at character 6, a momentum, which forces do not have; try velocities "
       "v.NAME"},
      {WITH("potentials: [{name: p, formula: t q.pole}]"),
       "found 't' at character 1, the time, which energies do not have; try model.forces"},
      {WITH(TIMED "verify: {samples: 1, start: {q: {clock: 5}}}"),
       "verify.start.q.clock: found 5, expected none, or 0"},
      {RUN("q: {clock: 3}"), "simulate.start.q.clock: found 3, expected none, or 0"},
      {RUN("v: {clock: 3}"), "simulate.start.v.clock: found 3, expected none, or 1"},
      {RUN("next: 0.1"), "simulate.start.next: found one beside model.forces of the time 't'"},
      {RUN("held: true"), "simulate.start.held: found one beside model.forces of the time 't'"},
      {START("{pole: 0, clock: 5}", "0"), "start.q.clock: found 5, expected none, or 0"},
      {START("0", "{pole: 0, clock: 2}"), "start.v.clock: found 2, expected none, or 1"},
      {START("0", "[0, 0, 2]"), "start.v.clock: found 2, expected none, or 1"},
      {WITH(TIMED "verify: {samples: 1, criteria: [{name: c, vary: damping, of: clock, to: 1}]}"),
       "verify.criteria[].of: found 'clock'"},
      {WITH(TIMED "verify: {samples: 1, criteria: [{name: c, vary: damping, of: all, to: 1}]}"),
       "verify.criteria[]: found damping of all joints beside model.forces of the time 't'"},
      {WITH(TIMED "verify: {samples: 1, spread: {q: {clock: 0.1}}}"),
       "verify.spread.q.clock: found 0.1, expected none, or 0"},
      {WITH(TIMED "verify: {samples: 1, spread: {v: {clock: 0.1}}}"), "verify.spread.v.clock"},
      {WITH(TIMED "verify: {samples: 1, pushes: {factor: {clock: 1}}}"),
       "verify.pushes.factor.clock: found 1"},
      {WITH("forces: [{name: f, joint: pole, formula: -0.5 pp}]\n"
            "outputs: [{name: pp, formula: p.slider}]"),
       "model.forces[].formula: found the unknown name 'pp'"},
      {WITH("forces: [{name: f, formula: 1}]"),
       "model.forces[]: found neither, expected 'joint' or 'body'"},
      {WITH("forces: [{name: f, joint: pole, body: tip, formula: 1}]"), "found both"},
      {WITH("forces: [{name: f, joint: pole, point: [0, 0, 1], formula: 1}]"),
       "model.forces[]: found 'point', expected none for the force on the joint pole"},
      {WITH("forces: [{name: f, body: tip}]"), "found neither 'formula' nor 'torque'"},
      {WITH("forces: [{name: f, body: tip, formula: 1}]"),
       "found 1 number, expected a vector of 3"},
      {WITH("forces: [{name: f, body: tip, formula: [1, 2]}]"),
       "found a list of 2, expected three expressions, or a vector"},
      {WITH("forces: [{name: f, body: tup, formula: [1, 0, 2]}]"), "did you mean 'tip'?"},
      {WITH("forces: [{name: f, body: rail, formula: [1, 0, 2]}]"),
       "found 'rail', which nothing moves"},
      {WITH("forces: [{name: f, body: tip, formula: [work, 0, 2]}]\n"
            "outputs: [{name: work, type: power, inputs: [slider]}]"),
       "model.forces[].formula: found the unknown name 'work'"},
      {WITH("forces: [{name: f, joint: pole, formula: 1}, {name: f, joint: pole, formula: 2}]"),
       "model.forces[]: found a second one named 'f', expected every name once"},
      {WITH("kinematic: [slider]\n  forces: [{name: f, joint: slider, formula: 1}]"),
       "model.forces[].joint: found 'slider', which is kinematic"},
      {WITH("gravity: [0, 0, -9.81]\ninputs: [{joint: slider}, {name: fan}]"),
       "inputs[]: found 'fan', which has no joint, actuator, body, path or across, and which no "
       "formula of model.forces has as u.fan"},
      {WITH("gravity: [0, 0, -9.81]\ninputs: [{name: fan, force: [1, 0, 0]}]"),
       "inputs[]: found 'force', expected none for the input of formulas name"},
      {WITH("lagrangian: v.pole^2"),
       "model: found lagrangian without coordinates, expected 'coordinates' with their "
       "'lagrangian' alone, or a robot"},
      {WITH("coordinates: {x: m}"), "model: found coordinates without lagrangian"},
      {WITH("coordinates: {x: m}\n  lagrangian: v.x^2"),
       "model: found coordinates beside a robot or bodies"},
      {"model: {coordinates: {x: cm}, lagrangian: v.x^2}\n" TASK,
       "model.coordinates: found the unknown unit 'cm', expected one of m, rad"},
      {"model: {coordinates: {x: m}, lagrangian: v.y^2}\n" TASK,
       "model.lagrangian: found the unknown name 'v.y'"},
      {"model: {coordinates: [x], lagrangian: v.x^2}\n" TASK,
       "model.coordinates: found a list of 1, expected names with their units m or rad"},
  };
  expect_refused(rows, COUNT_OF(rows));
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(a_lagrangian_has_the_digits_of_the_tree),
      cmocka_unit_test(a_potential_has_the_digits_of_a_spring),
      cmocka_unit_test(derivatives_of_programs_with_forces_hold),
      cmocka_unit_test(the_power_of_a_force_is_that_of_its_point),
      cmocka_unit_test(a_sphere_with_drag_reaches_its_speed),
      cmocka_unit_test(the_mechanics_on_board_refuse_formulas),
      cmocka_unit_test(second_order_has_energies_by_formula),
      cmocka_unit_test(the_time_of_forces_is_a_clock),
      cmocka_unit_test(the_time_is_found_as_it_is_read),
      cmocka_unit_test(errors_leave_the_clock),
      cmocka_unit_test(what_is_no_part_is_refused),
  };
  return cmocka_run_group_tests(tests, open_folder, close_problems);
}
