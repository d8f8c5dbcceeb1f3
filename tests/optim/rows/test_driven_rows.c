// Limits and costs on inputs and their power: derivatives of the programs that have them, a mass that
// is pushed within a power, limits and weights of inputs written as outputs, both solvers.
#include "optim/program/transcribe.h"
#include "optim/solve.h"
#include "tests/support/actions.h"
#include "tests/support/asked.h"
#include "tests/support/checked.h"

static dm_message msg;

enum { FORCE, POWER, TOTAL };

// the first input, its power, and the power of all
typedef struct driven_outputs {
  dm_outputs *w;
  oc_output_limit limit[3];
  oc_output_cost cost[3];
} driven_outputs;

static void ask_driven(driven_outputs *a, oc_task *t, const dm_model *m) {
  static const int input[] = {0, 1, 2};
  static const double weight[] = {1, 1, 1};
  const dm_output list[] = {
      {.name = "force", .kind = DM_OUTPUT_INPUT, .n = 1, .input = input, .weight = weight},
      {.name = "power", .kind = DM_OUTPUT_POWER, .n = 1, .input = input, .weight = weight},
      {.name = "total", .kind = DM_OUTPUT_POWER, .n = m->nu, .input = input, .weight = weight}};
  t->outputs =
      (oc_outputs){.y = asked_map(&a->w, m, 3, list), .limits = a->limit, .costs = a->cost};
}

// of one, two and three inputs; fixed and free final time, integrated and plainly summed
static void derivatives_hold(void **state) {
  (void)state;
  double references[21];
  for (int k = 0; k <= 20; k++) references[k] = 0.1 * k;
  tasks_task tasks[] = {tasks_cart_pole(20), tasks_acrobot(20),
                        tasks_make(models_chain(3, 0.4, 0), 20, 1)};
  for (int i = 0; i < 3; i++)
    for (int way = 0; way < 4; way++) {
      oc_task *t = &tasks[i].t;
      driven_outputs a = {
          .limit = {{POWER, {0.2, 0.6}, -1, 1, references},
                    {TOTAL, {0, 1}, -30, 40, NULL},
                    {FORCE, {0.5, 0.5}, 0, 4, NULL}},
          .cost = {{.output = TOTAL, .at = {0, 1}, .weight = 2, .reference = 0.3},
                   {.output = POWER, .at = {0.3, 1}, .weight = 1, .references = references},
                   {.output = FORCE, .at = {1, 1}, .once = true, .weight = 3}}};
      ask_driven(&a, t, tasks[i].m);
      t->outputs.nlimits = t->outputs.ncosts = 3;
      asked_vary(t, way);
      t->time.grid = i == 1 ? tasks_knots() : NULL;
      checked_task(t, NULL, 1);
      dm_outputs_free(a.w);
    }
  for (int i = 0; i < 3; i++) tasks_free(&tasks[i]);
}

static double solve_by(const oc_task *t, oc_solver_kind solver, dm_trajectory **motion) {
  oc_setup set = oc_setup_default();
  oc_solve_info info;
  set.options.method = solver;
  set.options.tol = 1e-11;
  const dm_status s = oc_solve(t, &set, motion, &info, &msg);
  if (s != DM_OK && s != DM_ACCEPTABLE) fail_msg("%s", msg.text);
  return info.objective;
}

// a block of 2 kg on a slide, to be brought 10 m from rest in least time by at most 4 N and 8 W
static tasks_task push_block(int N) {
  dm_coordinate c[] = {models_coord("x", true, 1, 0, 0)};
  dm_body b[] = {{"block", -1, dm_identity, 0, 1, 2, {0}, {0}}};
  dm_input u[] = {models_input("x", 0)};
  tasks_task x =
      tasks_make(models_make(&(dm_tree){
                     .nbody = 1, .ncoord = 1, .ninput = 1, .body = b, .coord = c, .input = u}),
                 N, 3);
  x.m->u_min[0] = -4;
  x.m->u_max[0] = 4;
  tasks_rest(&x, 0, (double[]){0});
  tasks_rest(&x, 1, (double[]){10});
  x.pool[3] = NAN; // it may arrive at any speed
  x.t.time.free = true;
  x.t.time.min = 1;
  x.t.time.max = 10;
  x.t.time.weight = 1;
  return x;
}

// U up to v = P/U, then m v^2/2 grows by P t: T = m v1/U + m (v^2 - v1^2)/2P. The error is of the
// square of the step, by a factor that the switch's place within its step has a say in. Along the
// arc every step takes the whole power.
static void a_mass_is_pushed_within_a_power(void **state) {
  (void)state;
  const double m = 2, U = 4, P = 8, d = 10, v1 = P / U, s1 = m * v1 * v1 / U / 2;
  const double v = cbrt(3 * P * (d - s1) / m + v1 * v1 * v1);
  const double T = m * v1 / U + m * (v * v - v1 * v1) / (2 * P);
  for (int N = 25; N <= 200; N *= 2) {
    tasks_task x = push_block(N);
    driven_outputs a = {.limit = {{POWER, {0, 1}, -INFINITY, P, NULL}}};
    dm_trajectory *motion;
    ask_driven(&a, &x.t, x.m);
    x.t.outputs.nlimits = 1;
    assert_close(solve_by(&x.t, OC_SOLVER_STAGE, &motion), T, 0.7 / (N * (double)N));
    for (int k = 0; k < N; k++) {
      const double power = motion->u[k] * (motion->q[k + 1] - motion->q[k]) / motion->h;
      if (k * motion->h < m * v1 / U - motion->h)
        assert_close(motion->u[k], U, 1e-3);
      else if (k * motion->h > m * v1 / U + motion->h)
        assert_close(power, P, 1e-3);
    }
    dm_trajectory_free(motion);
    dm_outputs_free(a.w);
    tasks_free(&x);
  }
}

// a bound and a weight of an input, by their own words and as an output's
static void an_input_is_an_output(void **state) {
  (void)state;
  tasks_task task = tasks_cart_pole(40);
  oc_task *t = &task.t;
  const double *w_u = t->cost[OC_U].running, *u_min = t->bounds[OC_U].low,
               *u_max = t->bounds[OC_U].high;
  dm_trajectory *a, *b;
  const double given = solve_by(t, OC_SOLVER_STAGE, &a);
  driven_outputs ask = {.limit = {{FORCE, {0, 1}, u_min[0], u_max[0], NULL}},
                        .cost = {{.output = FORCE, .at = {0, 1}, .weight = w_u[0]}}};
  ask_driven(&ask, t, task.m);
  t->outputs.nlimits = t->outputs.ncosts = 1;
  t->cost[OC_U].running = t->bounds[OC_U].low = t->bounds[OC_U].high = NULL;
  assert_close(solve_by(t, OC_SOLVER_STAGE, &b), given, 1e-8 * given);
  for (int k = 0; k < t->N; k++) assert_close(a->u[k], b->u[k], 1e-4);
  dm_trajectory_free(a);
  dm_trajectory_free(b);
  dm_outputs_free(ask.w);
  tasks_free(&task);
}

// the motor of a cart that swings a pole up, held to half the power that it takes without
static void solvers_agree(void **state) {
  (void)state;
  tasks_task task = tasks_cart_pole(40);
  oc_task *t = &task.t;
  dm_trajectory *free_motion, *motion;
  const double free_cost = solve_by(t, OC_SOLVER_STAGE, &free_motion);
  double most = 0;
  for (int k = 0; k < t->N; k++) {
    const double dq = free_motion->q[2 * (k + 1)] - free_motion->q[2 * k];
    most = fmax(most, fabs(free_motion->u[k] * dq / free_motion->h));
  }
  driven_outputs a = {.limit = {{POWER, {0, 1}, -most / 2, most / 2, NULL}}};
  ask_driven(&a, t, task.m);
  t->outputs.nlimits = 1;
  const double cost = solve_by(t, OC_SOLVER_STAGE, &motion);
  assert_true(cost > free_cost * (1 + 1e-3));
  for (int k = 0; k < t->N; k++) {
    const double dq = motion->q[2 * (k + 1)] - motion->q[2 * k];
    assert_true(fabs(motion->u[k] * dq / motion->h) < most / 2 * (1 + 1e-6));
  }
  dm_trajectory_free(motion);

  // and by IPOPT, where there is one
  oc_setup set = oc_setup_default();
  oc_solve_info info;
  set.options.method = OC_SOLVER_IPOPT;
  const dm_status s = oc_solve(t, &set, &motion, &info, &msg);
  if (s == DM_OK) assert_close(info.objective, cost, 1e-6 * cost);
  if (s != DM_UNAVAILABLE) assert_int_equal(s, DM_OK);
  if (s == DM_OK) dm_trajectory_free(motion);
  dm_trajectory_free(free_motion);
  dm_outputs_free(a.w);
  tasks_free(&task);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(derivatives_hold),
      cmocka_unit_test(a_mass_is_pushed_within_a_power),
      cmocka_unit_test(an_input_is_an_output),
      cmocka_unit_test(solvers_agree),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
