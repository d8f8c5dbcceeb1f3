// Outputs that receding-horizon control tracks: values and derivatives on board are the library's; the
// plan's own path changes nothing; repeated calls end at the minimum of the nonlinear problem; units of
// an output do not matter; the caller's reference is the table's.
#include "control/feedback/mechanics.h"
#include "control/feedback/output_feedback.h"
#include "control/feedback/receding.h"
#include "control/feedback/track.h"
#include "control/onboard/onboard.h"
#include "lib/discrete/del.h"
#include "tests/support/models.h"

enum { MOST = 24, ROWS = 16, STEPS = 40 };
static const double H = 0.02;

// outputs of a model, as functions and on board
typedef struct tracked {
  dm_outputs *w;
  dm_holonomic signals;
  dm_output_map y;
  void *scratch;
} tracked;

static tracked open_tracked(const dm_model *m, int n, const dm_output *list) {
  tracked t;
  dm_message msg = {""};
  if (dm_outputs_new(&t.w, m, n, list, &msg) != DM_OK) fail_msg("%s", msg.text);
  t.signals = dm_outputs_signals(t.w);
  t.y = dm_outputs_map(t.w, &t.signals, m->nq);
  t.scratch = aligned_alloc(64, (t.y.scratch + 127) / 64 * 64);
  return t;
}

static void close_tracked(tracked *t) {
  free(t->scratch);
  dm_outputs_free(t->w);
}

static fb_mechanics *make_mechanics(const dm_model *m, const dm_system *s) {
  fb_mechanics *w;
  dm_message msg = {""};
  const dm_robot robot = {.tree = (dm_model *)m, .model = (dm_model *)m};
  if (fb_mechanics_new(&w, &robot, s, H, FB_OF_STEPS, &msg) != DM_OK) fail_msg("%s", msg.text);
  return w;
}

static const int coord[] = {0, 2};
static const double weight[] = {2, -0.5};

// -- values and derivatives

// an output of each kind at a body, relative to the world or to another body
static dm_output describe(dm_output_kind kind, int body, int other) {
  return (dm_output){.name = "y",
                     .kind = kind,
                     .body = {body, other},
                     .point = {{0.1, -0.2, 0.3}, {0.5, 0.4, -0.6}},
                     .axis = {{0.6, 0, 0.8}, {0, -0.8, 0.6}},
                     .n = 2,
                     .coord = coord,
                     .weight = weight,
                     .shift = 0.7};
}

static void values_and_derivatives_are_those_of_the_library(void **state) {
  (void)state;
  static const dm_output_kind kinds[] = {DM_OUTPUT_POSITION, DM_OUTPUT_HEIGHT, DM_OUTPUT_ALIGNMENT,
                                         DM_OUTPUT_CENTER, DM_OUTPUT_SUM};
  uint64_t seed = 5;
  for (int mimic = 0; mimic < 2; mimic++) {
    dm_model *m = models_random_tree(9, mimic, 11);
    dm_system s = dm_system_of(m);
    fb_mechanics *mechanics = make_mechanics(m, &s);
    const struct tree_tables *M = fb_mechanics_tables(mechanics);
    const int n = m->nq;
    dm_output list[COUNT(kinds)];
    for (int i = 0; i < COUNT(kinds); i++) list[i] = describe(kinds[i], 8 - i % 2, -1);
    tracked t = open_tracked(m, COUNT(kinds), list);
    int row[ROWS];
    double one[ROWS], zero[MOST * 2] = {0}, at[ROWS] = {0};
    assert_true(n <= MOST && t.y.ny <= ROWS);
    for (int i = 0; i < t.y.ny; i++) row[i] = i, one[i] = 1;
    const fb_track_settings set = {
        .rows = t.y.ny, .row = row, .weight = one, .knots = 1, .y = at, .states = 1, .x = zero};
    fb_track *track;
    dm_message msg = {""};
    if (fb_track_new(&track, t.w, m, M, &set, &msg) != DM_OK) fail_msg("%s", msg.text);
    for (int round = 0; round < 5; round++) {
      double q[MOST], y[2][ROWS], D[2][ROWS * MOST], room[12 * 40];
      for (int i = 0; i < n; i++) q[i] = 3 * models_random(&seed);
      assert_true(M->joints <= 40);
      fb_onboard_outputs(M, fb_track_tables(track), q, room, y[0], D[0]);
      assert_int_equal(dm_output_map_eval(&t.y, t.scratch, q, NULL, y[1], D[1], NULL), DM_OK);
      for (int i = 0; i < t.y.ny; i++) assert_close(y[0][i], y[1][i], 1e-12);
      for (int i = 0; i < t.y.ny * n; i++) assert_close(D[0][i], D[1][i], 1e-12);
    }
    fb_track_free(track);
    close_tracked(&t);
    fb_mechanics_free(mechanics);
    dm_model_free(m);
  }
}

// every other kind of output is refused by name, also between two bodies that move
static void other_outputs_are_refused(void **state) {
  (void)state;
  dm_model *m = models_random_tree(9, false, 11);
  int known = 0;
  for (int kind = 0; kind < DM_OUTPUT_POWER; kind++) {
    if (kind == DM_OUTPUT_CLEARANCE || kind == DM_OUTPUT_INPUT) continue;
    const dm_output list[] = {describe((dm_output_kind)kind, 8, -1),
                              describe((dm_output_kind)kind, 8, 3)};
    tracked t = open_tracked(m, 2, list);
    const int last = dm_outputs_row(t.w, 1);
    known += fb_track_knows(t.w, m, 0);
    const bool alone = kind == DM_OUTPUT_SUM || kind == DM_OUTPUT_CENTER;
    assert_int_equal(fb_track_knows(t.w, m, last), alone);
    close_tracked(&t);
  }
  assert_int_equal(known, 5);
  dm_model_free(m);
}

// -- along a motion

typedef struct scene {
  dm_model *m;
  dm_system s;
  dm_trajectory *x;
  fb_tvlqr *f;
  fb_mechanics *mechanics;
  tracked outputs;
  fb_track *track;
  fb_output_feedback *law;
} scene;

static const double Q[] = {2, 1, 0.1, 0.1}, R[] = {0.2, 0.3};

// how a scene tracks: weights, an offset from the plan's outputs in m and rad, the unit of a sum of angles
typedef struct tracking {
  double weight, offset, unit;
  bool asks, none;
} tracking;

// two links that swing under inputs, whose tip is tracked
static scene open_scene(const tracking *by, const fb_receding *o) {
  scene z = {.m = models_chain(2, 1, 0)};
  dm_message msg = {""};
  dm_del_info info;
  dm_del *del;
  int failed;
  z.s = dm_system_of(z.m);
  assert_int_equal(dm_trajectory_new(&z.x, STEPS, 2, 2), DM_OK);
  z.x->h = H;
  z.x->q[0] = 0.5;
  z.x->q[1] = 1;
  for (int k = 0; k < STEPS; k++) {
    z.x->u[2 * k] = 8 * sin(0.2 * k);
    z.x->u[2 * k + 1] = 3;
  }
  assert_int_equal(dm_del_new(&del, &z.s, NULL), DM_OK);
  assert_int_equal(dm_trajectory_rollout(z.x, del, &info, &failed), DM_OK);
  dm_del_free(del);
  fb_weights weights = {.Q = Q, .R = R, .Qf = Q};
  if (fb_tvlqr_new(&z.f, z.x, &z.s, &weights, &failed, &msg) != DM_OK) fail_msg("%s", msg.text);
  z.mechanics = make_mechanics(z.m, &z.s);
  z.f->tree = fb_mechanics_tables(z.mechanics);

  // the tip's x and z in m, and a sum of angles in `unit`
  const dm_output tip = {
      .name = "tip", .kind = DM_OUTPUT_POSITION, .body = {1, -1}, .point = {{0, 0, -1}}};
  static const int both[] = {0, 1};
  const double share[] = {by->unit, 0.5 * by->unit};
  const dm_output sum = {
      .name = "sum", .kind = DM_OUTPUT_SUM, .n = 2, .coord = both, .weight = share};
  const dm_output list[] = {tip, sum};
  static const int row[] = {0, 2, 3};
  z.outputs = open_tracked(z.m, 2, list);
  const double w[] = {by->weight, by->weight, by->weight / (by->unit * by->unit)};
  double y[3 * (STEPS + 1)];
  for (int k = 0; k <= STEPS; k++) {
    double plan[4];
    assert_int_equal(
        dm_output_map_eval(&z.outputs.y, z.outputs.scratch, z.x->q + 2 * k, NULL, plan, NULL, NULL),
        DM_OK);
    for (int i = 0; i < 3; i++)
      y[3 * k + i] = by->offset != 0 ? plan[row[i]] + by->offset * (i == 2 ? by->unit : 1) : NAN;
  }
  const fb_track_settings set = {.rows = 3,
                                 .row = row,
                                 .weight = w,
                                 .knots = STEPS + 1,
                                 .y = y,
                                 .states = STEPS + 1,
                                 .x = z.f->x,
                                 .asks = by->asks};
  if (fb_track_new(&z.track, z.outputs.w, z.m, z.f->tree, &set, &msg) != DM_OK)
    fail_msg("%s", msg.text);
  fb_receding with = *o;
  if (!by->none) with.track = fb_track_tables(z.track);
  if (fb_output_feedback_new(&z.law, z.f, &z.s, FB_STATE, true, &msg) != DM_OK)
    fail_msg("%s", msg.text);
  if (fb_receding_start(z.law, &with, &msg) != DM_OK) fail_msg("%s", msg.text);
  return z;
}

static void close_scene(scene *z) {
  fb_output_feedback_free(z->law);
  fb_track_free(z->track);
  close_tracked(&z->outputs);
  fb_mechanics_free(z->mechanics);
  fb_tvlqr_free(z->f);
  dm_trajectory_free(z->x);
  dm_model_free(z->m);
}

static void give_input(const scene *z, int k, const double *x, double *u) {
  assert_int_equal(z->law->horizon->input(z->law->horizon, k, x, u, NULL), FB_SOLVED);
}

// at the plan, its own path costs nothing and gives its inputs; beside it, the path acts
static void the_plans_own_path_gives_the_plan(void **state) {
  (void)state;
  const fb_receding o = {.stages = 12, .sweeps = 5};
  scene z = open_scene(&(tracking){.weight = 1e3, .unit = 1}, &o);
  scene without = open_scene(&(tracking){.weight = 1e3, .unit = 1, .none = true}, &o);
  double x[4], u[2][2];
  for (int k = 0; k < STEPS; k++) {
    give_input(&z, k, z.f->x + 4 * k, u[0]);
    for (int i = 0; i < 2; i++) assert_close(u[0][i], z.f->u[2 * k + i], 1e-9);
  }
  for (int i = 0; i < 4; i++) x[i] = z.f->x[20 + i] + 0.05;
  z.law->horizon->begin(z.law->horizon);
  give_input(&z, 5, x, u[0]);
  give_input(&without, 5, x, u[1]);
  assert_true(fabs(u[0][0] - u[1][0]) > 1);
  close_scene(&without);
  close_scene(&z);
}

// J of the nonlinear problem from knot k under u, by steps of the map
static double evaluate_map(const scene *z, dm_del *del, const tracking *by, int stages, int k,
                           const double *x0, const double *u) {
  double x[4], J = 0;
  dm_del_info info;
  memcpy(x, x0, sizeof x);
  for (int j = 0; j <= stages; j++) {
    const double *x_d = z->f->x + 4 * (k + j), *P = z->f->P + 16 * (k + stages);
    double y[4], plan[4];
    assert_int_equal(dm_output_map_eval(&z->outputs.y, z->outputs.scratch, x, NULL, y, NULL, NULL),
                     DM_OK);
    assert_int_equal(
        dm_output_map_eval(&z->outputs.y, z->outputs.scratch, x_d, NULL, plan, NULL, NULL), DM_OK);
    for (int i = 0; i < 3; i++) {
      const int row = i ? i + 1 : 0;
      const double e = y[row] - plan[row] - by->offset;
      J += by->weight * e * e;
    }
    for (int i = 0; i < 4 && j < stages; i++) J += Q[i] * (x[i] - x_d[i]) * (x[i] - x_d[i]);
    for (int i = 0; i < 16 && j == stages; i++)
      J += P[i] * (x[i / 4] - x_d[i / 4]) * (x[i % 4] - x_d[i % 4]);
    if (j == stages) break;
    double x1[4] = {x[0], x[1], 0, 0};
    for (int i = 0; i < 2; i++) {
      const double du = u[2 * j + i] - z->f->u[2 * (k + j) + i];
      J += R[i] * du * du;
    }
    assert_int_equal(dm_del_step(del, x, x + 2, u + 2 * j, H, x1, x1 + 2, &info), DM_OK);
    memcpy(x, x1, sizeof x);
  }
  return J;
}

// where calls for one state end, the slope of the nonlinear cost is zero: differences of two sizes,
// extrapolated
static void repeated_calls_minimize_the_nonlinear_problem(void **state) {
  (void)state;
  enum { STAGES = 10, K = 5, CALLS = 200 };
  const fb_receding o = {.stages = STAGES, .sweeps = 5};
  const tracking by = {.weight = 300, .offset = 0.1, .unit = 1};
  scene z = open_scene(&by, &o);
  dm_del *del;
  double x0[4], u[2 * STAGES], first[2], before = NAN, step = INFINITY;
  fb_horizon *run = z.law->horizon;
  assert_int_equal(dm_del_new(&del, &z.s, NULL), DM_OK);
  for (int i = 0; i < 4; i++) x0[i] = z.f->x[4 * K + i] + 0.1;
  for (int call = 0; call < CALLS && step > 1e-12; call++) {
    give_input(&z, K, x0, first);
    step = fabs(first[0] - before);
    if (isnan(step)) step = INFINITY;
    before = first[0];
  }
  assert_true(step <= 1e-10);
  for (int j = 0; j < STAGES; j++) {
    double q[2];
    run->stage(run, j, q, u + 2 * j);
  }
  const double J = evaluate_map(&z, del, &by, STAGES, K, x0, u);
  assert_true(J > 1);
  for (int j = 0; j < 2 * STAGES; j++) {
    double slope[2], h[2] = {1e-2, 5e-3};
    for (int side = 0; side < 2; side++) {
      double up[2 * STAGES], down[2 * STAGES];
      memcpy(up, u, sizeof u);
      memcpy(down, u, sizeof u);
      up[j] += h[side];
      down[j] -= h[side];
      slope[side] = (evaluate_map(&z, del, &by, STAGES, K, x0, up) -
                     evaluate_map(&z, del, &by, STAGES, K, x0, down)) /
                    (2 * h[side]);
    }
    assert_close((4 * slope[1] - slope[0]) / 3, 0, 1e-8 * (1 + J));
  }
  dm_del_free(del);
  close_scene(&z);
}

// an output in another unit, with its weight per square of it, gives the same inputs
static void units_do_not_matter(void **state) {
  (void)state;
  const fb_receding o = {.stages = 12, .sweeps = 5};
  const tracking in_m = {.weight = 300, .offset = 0.1, .unit = 1};
  const tracking in_mm = {.weight = 300, .offset = 0.1, .unit = 1000};
  scene z[] = {open_scene(&in_m, &o), open_scene(&in_mm, &o)};
  for (int k = 0; k < STEPS; k++) {
    double u[2][2];
    for (int i = 0; i < 2; i++) give_input(&z[i], k, z[i].f->x + 4 * k, u[i]);
    for (int i = 0; i < 2; i++) assert_close(u[0][i], u[1][i], 1e-9 * (1 + fabs(u[0][i])));
  }
  close_scene(&z[0]);
  close_scene(&z[1]);
}

// rows that the caller sets at each call give the bits of the same table; numbers that are not finite
// change nothing; in single precision all is the same up to rounding
static void the_callers_reference_is_the_tables(void **state) {
  (void)state;
  const fb_receding o = {.stages = 12, .sweeps = 5};
  const tracking of_table = {.weight = 300, .offset = 0.1, .unit = 1};
  const tracking asked = {.weight = 300, .unit = 1, .asks = true};
  scene z = open_scene(&of_table, &o), caller = open_scene(&asked, &o);
  fb_receding rounded = o;
  rounded.single = true;
  scene coarse = open_scene(&asked, &rounded);
  const double *y = fb_track_tables(z.track)->y.x;
  for (int k = 0; k < STEPS; k++) {
    const int left = STEPS + 1 - k;
    double x[4], u[3][2], wrong[] = {NAN, 0, 0};
    for (int i = 0; i < 4; i++) x[i] = z.f->x[4 * k + i] + 0.05 * cos(k + i);
    caller.law->horizon->guide(caller.law->horizon, k, left, y + 3 * k);
    coarse.law->horizon->guide(coarse.law->horizon, k, left, y + 3 * k);
    caller.law->horizon->guide(caller.law->horizon, k, 1, wrong);
    give_input(&z, k, x, u[0]);
    give_input(&coarse, k, x, u[2]);
    give_input(&caller, k, x, u[1]);
    assert_memory_equal(u[0], u[1], sizeof u[0]);
    for (int i = 0; i < 2; i++) assert_close(u[1][i], u[2][i], 2e-2);
  }
  close_scene(&coarse);
  close_scene(&caller);
  close_scene(&z);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(values_and_derivatives_are_those_of_the_library),
      cmocka_unit_test(other_outputs_are_refused),
      cmocka_unit_test(the_plans_own_path_gives_the_plan),
      cmocka_unit_test(repeated_calls_minimize_the_nonlinear_problem),
      cmocka_unit_test(units_do_not_matter),
      cmocka_unit_test(the_callers_reference_is_the_tables),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
