// tests/optim/test_residual_error.c: the error that defects and multipliers tell of a mass on a rail,
// against optima in closed form with each kind of limit active.
#include "optim/grid_error.h"
#include "optim/residual_error.h"
#include "tests/support/tasks.h"

static dm_message msg;

// 1 kg on a rail, and its task: 1 m in 1 s from rest to rest at the least effort, 1/2 u^2
static tasks_task make_mass(int N) {
  dm_coordinate c[] = {models_coord("x", true, 1, 0, 0)};
  dm_body b[] = {{"mass", -1, dm_identity, 0, 1, 1, {0, 0, 0}, {0}}};
  dm_input u[] = {models_input("x", 0)};
  static double weight = 1;
  tasks_task x =
      tasks_make(models_make(&(dm_tree){
                     .nbody = 1, .ncoord = 1, .ninput = 1, .body = b, .coord = c, .input = u}),
                 N, 1);
  const double ends[] = {0, 0, 1, 0};
  for (int i = 0; i < 4; i++) x.pool[i] = ends[i];
  x.t.cost[OC_U].running = &weight;
  return x;
}

// u = U for a time tau, then linear to -U, which the last tau has; tau from the distance of 1 m
static double effort_below(double U) {
  double low = 0, high = 0.5;
  for (int i = 0; i < 100; i++) {
    const double tau = (low + high) / 2, rest = 0.5 - tau;
    const double way = 2 * U * (tau * (1 - tau) / 2 + rest * rest / 3);
    if (way < 1)
      low = tau;
    else
      high = tau;
  }
  return U * U * (low + (0.5 - low) / 3);
}

// u falls linearly to 0 in t1, when v = V; then the mass coasts
static double effort_at_speed(double V) {
  const double t1 = 1.5 * (1 - 1 / V);
  return 4 * V * V / (3 * t1);
}

typedef struct known {
  const char *what;
  int N;
  double u, v, q; // limits; 0: none
  bool least_time;
  double J;    // of continuous time
  double near; // how near the estimate is to the true error, as a share of it
} known;

// the task of a row
static tasks_task make_task(const known *k) {
  tasks_task x = make_mass(k->N);
  x.m->u_max[0] = k->u > 0 ? k->u : INFINITY;
  x.m->u_min[0] = -x.m->u_max[0];
  x.m->v_max[0] = k->v > 0 ? k->v : INFINITY;
  x.m->q_max[0] = k->q > 0 ? k->q : INFINITY;
  x.t.every_speed = true;
  if (k->q > 0) { // Bryson and Denham: out at 1 m/s and back in a second
    x.pool[1] = 1;
    x.pool[2] = 0;
    x.pool[3] = -1;
  }
  if (!k->least_time) return x;
  x.t.time.free = true;
  x.t.time.weight = 1;
  x.t.cost[OC_U].running = NULL;
  x.t.time.min = 0.1;
  x.t.time.max = 10;
  return x;
}

// its solution's true error, and what is told of it by defects and in the end
static double measure(const known *k, oc_residual_error *e, oc_grid_error *told) {
  tasks_task x = make_task(k);
  oc_solution *w;
  oc_setup set = oc_setup_default();
  set.options.method = OC_SOLVER_STAGE;
  assert_int_equal(oc_solution_new(&w, &x.t, &set, &msg), DM_OK);
  assert_int_equal(oc_solution_start(w, NULL), DM_OK);
  assert_int_equal(oc_solution_find(w, &msg), DM_OK);
  assert_int_equal(w->info.status, DM_OK);
  assert_int_equal(oc_residual_error_measure(e, w, oc_motions_of(w)), DM_OK);
  assert_int_equal(oc_grid_error_measure(told, w, w->motion, 0), DM_OK);
  const double off = w->info.objective - k->J;
  oc_solution_free(w);
  tasks_free(&x);
  return off;
}

static const known rows[] = {
    {"effort", 40, .near = 0.01, .J = 6},
    {"input", 40, .u = 4.5, .near = 0.02},
    {"input, nearly bang-bang", 41, .u = 4.1, .near = 0.02},
    {"speed", 40, .v = 1.2, .near = 0.1},
    {"speed between knots", 43, .v = 1.2, .near = 0.1},
    {"position", 40, .q = 0.1, .near = 0.1, .J = 4 / 0.9},
    {"position between knots", 43, .q = 0.1, .near = 0.15, .J = 4 / 0.9},
    {"least time", 41, .u = 4, .least_time = true, .J = 1},
    {"least time with a speed", 41, .u = 4, .v = 1, .least_time = true, .J = 1.25},
};

static known fill_row(size_t i) {
  known row = rows[i];
  if (row.J == 0) row.J = row.u > 0 ? effort_below(row.u) : effort_at_speed(row.v);
  return row;
}

static void the_error_is_that_of_the_closed_form(void **state) {
  (void)state;
  for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
    const known row = fill_row(i);
    oc_residual_error e;
    oc_grid_error told;
    const double off = measure(&row, &e, &told);

    // the defects are right, or say that they need not be
    if (row.near > 0) assert_close(e.error / off, 1, row.near);
    if (row.near > 0) assert_int_equal(e.doubt, OC_SURE);
    if (row.near == 0) assert_int_equal(e.doubt, OC_DOUBT_ORDER);

    // and the final estimate is right
    const double share = told.objective_error / fabs(off);
    if (!(share > 1 / 1.5 && share < 1.5))
      fail_msg("%s: error %g, told %g", row.what, off, told.objective_error);
    assert_int_equal(told.source, row.near > 0 ? OC_ERROR_DEFECTS : OC_ERROR_GRIDS);
  }
}

// half the steps, four times the error, on both sides
static void the_error_falls_with_the_square_of_the_step(void **state) {
  (void)state;
  oc_residual_error coarse, fine;
  oc_grid_error told;
  known row = fill_row(1);
  measure(&row, &coarse, &told);
  row.N *= 2;
  measure(&row, &fine, &told);
  assert_close(coarse.error / fine.error, 4, 0.2);
  assert_close(fine.order, 2, 0.1);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(the_error_is_that_of_the_closed_form),
      cmocka_unit_test(the_error_falls_with_the_square_of_the_step),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
