// Numbers of robots as unknowns beside their motion: derivatives of the program, optima that are known,
// and what a bound costs.
#include "lib/multibody/output.h"
#include "lib/multibody/spring.h"
#include "lib/multibody/tree_system.h"
#include "optim/design.h"
#include "optim/starts/guess.h"
#include "tests/support/checked.h"
#include "tests/support/tasks.h"

static dm_message msg;

enum { MOST = 10 };

// a cart-pole whose pole is p[0] long, with p[1] at its tip
typedef struct cart_poles {
  dm_model *m[MOST];
  dm_outputs *y[MOST];
  oc_task task[MOST];
  tasks_task base;
  oc_output_limit limit;
  oc_parameter parameter[2];
  oc_design d;
} cart_poles;

static dm_model *make_cart_pole(double length, double mass) {
  dm_coordinate c[] = {models_coord("slider", true, 1, 0, 0), models_coord("pole", false, 0, 1, 0)};
  dm_body b[] = {{"cart", -1, dm_identity, 0, 1, 1, {0}, {0}},
                 {"pole", 0, dm_identity, 1, 1, mass, {0, 0, -length}, {0}}};
  dm_input u[] = {models_input("slider", 0)};
  return models_make(&(dm_tree){.nbody = 2,
                                .ncoord = 2,
                                .ninput = 1,
                                .body = b,
                                .coord = c,
                                .input = u,
                                .gravity = {0, 0, -9.81}});
}

static void open_cart_poles(cart_poles *x, int N, int degree) {
  *x = (cart_poles){.base = tasks_cart_pole(N)};
  x->parameter[0] = (oc_parameter){.name = "length", .low = 0.3, .high = 0.9, .guess = 0.5};
  x->parameter[1] = (oc_parameter){.name = "mass", .low = 0.2, .high = 0.5, .guess = 0.3};
  x->d = (oc_design){2, x->parameter, degree, x->task};
  double p[2 * MOST], low[] = {0.3, 0.2}, high[] = {0.9, 0.5};
  const int m = dm_family_members(2, degree);
  assert_true(m <= MOST);
  dm_family_values(2, degree, low, high, p);
  for (int j = 0; j < m; j++) {
    x->m[j] = make_cart_pole(p[2 * j], p[2 * j + 1]);
    x->task[j] = x->base.t;
    x->task[j].system = dm_system_of(x->m[j]);
  }
}

static void close_cart_poles(cart_poles *x) {
  for (int j = 0; j < MOST; j++) {
    dm_outputs_free(x->y[j]);
    dm_model_free(x->m[j]);
  }
  tasks_free(&x->base);
}

// what the task costs with a robot of these numbers, from a motion nearby, and the numbers themselves
static double solve_plain(const cart_poles *x, double length, double mass,
                          const dm_trajectory *guess) {
  dm_model *m = make_cart_pole(length, mass);
  oc_task t = x->base.t;
  dm_trajectory *motion;
  oc_solve_info info;
  oc_setup set = oc_setup_default();
  set.guess = guess;
  t.system = dm_system_of(m);
  if (oc_solve(&t, &set, &motion, &info, &msg) != DM_OK) fail_msg("%s", msg.text);
  dm_trajectory_free(motion);
  dm_model_free(m);
  const oc_parameter *p = x->parameter;
  const double off = length - p->prefer;
  return info.objective + p->weight / 2 * off * off + p[1].price * mass;
}

static void derivatives_hold(void **state) {
  (void)state;
  for (int way = 0; way < 4; way++) {
    cart_poles x;
    open_cart_poles(&x, 12, 3);
    x.parameter[1].price = 3;
    x.parameter[0].weight = 2;
    x.parameter[0].prefer = 0.6;
    for (int j = 0; j < MOST; j++) {
      // the tip, by its place and its speed
      const dm_output list[] = {
          {.name = "tip", .kind = DM_OUTPUT_HEIGHT, .body = {1, -1}, .axis = {{0}, {0, 0, 1}}},
          {.name = "v", .kind = DM_OUTPUT_VELOCITY, .body = {1, -1}, .point = {{0, 0, -0.5}}}};
      if (dm_outputs_new(&x.y[j], x.m[j], 2, list, &msg) != DM_OK) fail_msg("%s", msg.text);
      const dm_holonomic signals = dm_outputs_signals(x.y[j]);
      x.limit = (oc_output_limit){.output = 1, .at = {0, 1}, .low = -5, .high = 5};
      x.task[j].outputs =
          (oc_outputs){.y = dm_outputs_map(x.y[j], &signals, 2), .nlimits = 1, .limits = &x.limit};
      x.task[j].time.free = way % 2;
      x.task[j].time.min = 1;
      x.task[j].time.max = 4;
      if (way > 1) x.task[j].bounds[OC_V].high = NULL;
    }
    oc_design_program *w;
    if (oc_design_program_new(&w, &x.d, &msg) != DM_OK) fail_msg("%s", msg.text);
    checked_task(oc_design_program_task(w), NULL, 1);
    oc_design_program_free(w);
    close_cart_poles(&x);
  }
}

// a number is best where nobody finds a better one by hand, and a bound costs what the objective
// changes with it
static void the_best_pole(void **state) {
  (void)state;
  cart_poles x;
  open_cart_poles(&x, 40, 3);
  x.parameter[0].weight = 2000; // so that it is best within its range
  x.parameter[0].prefer = 0.6;
  x.parameter[1].price = 5;
  dm_trajectory *motion;
  oc_design_info info;
  const dm_status s = oc_design_solve(&x.d, NULL, &motion, &info, &msg);
  if (s != DM_OK) fail_msg("%d %s", (int)s, msg.text);

  // it moves as the robot with these numbers does
  const double length = info.value[0], mass = info.value[1], best = info.solve.objective;
  assert_close(solve_plain(&x, length, mass, motion), best, 1e-7 * best);
  assert_true(length > 0.3 + 1e-3 && length < 0.9 - 1e-3);
  const double steps[] = {1e-3, 1e-3}, low[] = {0.3, 0.2}, high[] = {0.9, 0.5};
  for (int i = 0; i < 2; i++) {
    double to[2][2] = {{length, mass}, {length, mass}}, J[2];
    const bool at_low = info.value[i]<low[i] + 1e-6, at_high = info.value[i]> high[i] - 1e-6;
    for (int side = 0; side < 2; side++) {
      to[side][i] += (side ? 1 : -1) * steps[i];
      J[side] = solve_plain(&x, to[side][0], to[side][1], motion);
    }
    const double slope = (J[1] - J[0]) / (2 * steps[i]);
    assert_close(info.slope[i], slope, 1e-4 * (1 + fabs(slope)));
    if (!at_low && !at_high) assert_true(J[0] > best && J[1] > best);
    if (at_low) assert_true(info.slope[i] > 0);
    if (at_high) assert_true(info.slope[i] < 0);
  }
  dm_trajectory_free(motion);
  close_cart_poles(&x);
}

// A mass on a spring between two places of rest in time T, or back to the first, wants no effort where
// the spring's own motion ends there: tan^2(turn/2N) = k h^2/4m of the midpoint rule, turn = pi or 2 pi.
static void solve_spring(bool closed) {
  enum { STEPS = 20 };
  const double mass = 2, T = 1.5;
  dm_coordinate c[] = {models_coord("x", true, 1, 0, 0)};
  dm_body b[] = {{"block", -1, dm_identity, 0, 1, mass, {0}, {0}}};
  dm_input u[] = {models_input("x", 0)};
  dm_model *m = models_make(
      &(dm_tree){.nbody = 1, .ncoord = 1, .ninput = 1, .body = b, .coord = c, .input = u});
  // without a spring it would stay where it is
  const oc_parameter k = {
      .name = "k", .low = closed ? 25 : 0, .high = 40, .guess = closed ? 30 : 3};
  const int coord = 0;
  const double one[] = {1}, from[] = {-1}, to[] = {1}, rest[] = {0}, w_u[] = {1};
  dm_springs *springs[2];
  oc_task task[2];
  double p[2];
  dm_family_values(1, 1, &k.low, &k.high, p);
  for (int j = 0; j < 2; j++) {
    const dm_spring spring = {.tendon = {.name = "s", .ncoord = 1, .coord = &coord, .factor = one},
                              .law = dm_spring_law_linear(p[j], 0)};
    if (dm_springs_new(&springs[j], m, 1, &spring, &msg) != DM_OK) fail_msg("%s", msg.text);
    task[j] = oc_task_of(m, STEPS, T);
    task[j].system.L = dm_springs_lagrangian(springs[j]);
    task[j].start.q = from;
    task[j].goal.q = to;
    task[j].start.v = task[j].goal.v = rest;
    task[j].cost[OC_U].running = w_u;
    if (!closed) continue;
    task[j].goal.q = task[j].goal.v = NULL;
    task[j].periodic = true;
    task[j].bounds[OC_TRAVEL].low = task[j].bounds[OC_TRAVEL].high = rest;
  }
  const oc_design d = {1, &k, 1, task};
  dm_trajectory *motion;
  oc_design_info info;
  const dm_status s = oc_design_solve(&d, NULL, &motion, &info, &msg);
  if (s != DM_OK) fail_msg("%d %s", (int)s, msg.text);
  const double h = T / STEPS, turn = closed ? 2 * TASKS_PI : TASKS_PI;
  const double half = tan(turn / (2 * STEPS));
  assert_close(info.value[0], 4 * mass * half * half / (h * h), 1e-6);
  assert_close(info.solve.objective, 0, 1e-9);
  assert_close(info.slope[0], 0, 1e-6);
  for (int i = 0; i <= STEPS; i++) assert_close(motion->q[i], -cos(turn * i / STEPS), 1e-6);
  dm_trajectory_free(motion);
  for (int j = 0; j < 2; j++) dm_springs_free(springs[j]);
  dm_model_free(m);
}

static void a_spring_that_does_it_alone(void **state) {
  (void)state;
  solve_spring(false);
  solve_spring(true);
}

static void what_cannot_be_is_refused(void **state) {
  (void)state;
  cart_poles x;
  open_cart_poles(&x, 4, 3);
  oc_design_program *w;
  x.parameter[0].high = 0.3;
  assert_int_equal(oc_design_program_new(&w, &x.d, &msg), DM_BAD_INPUT);
  assert_non_null(strstr(msg.text, "the range of 'length' is [0.3, 0.3], expected low < high"));
  x.parameter[0].high = 0.9;
  x.parameter[1].weight = -1;
  assert_int_equal(oc_design_program_new(&w, &x.d, &msg), DM_BAD_INPUT);
  assert_non_null(strstr(msg.text, "the costs of 'mass'"));
  x.d.degree = 12;
  x.parameter[1].weight = 0;
  assert_int_equal(oc_design_program_new(&w, &x.d, &msg), DM_BAD_INPUT);
  assert_non_null(strstr(msg.text, "too large"));
  close_cart_poles(&x);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(derivatives_hold),
      cmocka_unit_test(the_best_pole),
      cmocka_unit_test(a_spring_that_does_it_alone),
      cmocka_unit_test(what_cannot_be_is_refused),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
