// Gains of gaits that are repeated, and walks of many periods with them: the periodic Riccati equation through touches,
// impacts and exchanged legs, compared with differences of the walk itself.
#include "lib/base/dense.h"
#include "optim/program/cycle.h"
#include "optim/solution.h"
#include "problems/run/cycle_gains.h"
#include "problems/run/walk.h"
#include "tests/support/robots.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { MOST = 2, NX = 14 };

static dm_message msg;

// -- a gait with its gains

typedef struct gait {
  pb_problem *p;
  oc_solution *solved;
  int n;
  pb_run run[MOST], *of[MOST]; // of the phases
  oc_phases_task t;
  const dm_trajectory *x[MOST];
  const double *K[MOST];
} gait;

// friction of the feet of the next gaits; NULL: they are pinned
static const char *feet;

// weights by which the laws of the next gaits find their knot (feedback.along); NULL: by time
static double *near;

// add contacts of both feet of the five-link walker to its section verify
static void put_feet(char *text, size_t size, const char *friction) {
  static const char key[] = "verify: {";
  char *at = strstr(text, key), rest[4000];
  assert_non_null(at);
  at += strlen(key);
  snprintf(rest, sizeof rest, "%s", at);
  snprintf(at, size - (size_t)(at - text),
           "contacts: [{name: a, type: above, bodies: [stance_foot, world], axis: [0, 0, 1], "
           "friction: %s}, {name: b, type: above, bodies: [swing_foot, world], axis: [0, 0, 1], "
           "friction: %s}], %s",
           friction, friction, rest);
}

static gait *open_gait(const char *name, const char *more) {
  gait *g = calloc(1, sizeof *g);
  char text[6000], path[400];
  const char *source = getenv("DMOC_SOURCE");
  dm_trajectory **guess = NULL;
  assert_non_null(g);
  source = source ? source : ".";
  const int head = snprintf(text, sizeof text, "folder: %s/problems/walking\n%s", source, more);
  snprintf(path, sizeof path, "%s/problems/walking/%s.yaml", source, name);
  FILE *file = fopen(path, "r");
  assert_non_null(file);
  text[head + (int)fread(text + head, 1, sizeof text - (size_t)head - 1, file)] = 0;
  fclose(file);
  if (feet) put_feet(text, sizeof text, feet);
  if (pb_problem_read(&g->p, put_file(folder, "gait.yaml", text), &msg) != DM_OK)
    fail_msg("%s", msg.text);

  // the periodic motion
  g->n = g->p->phases.n;
  g->t = pb_phases_task(&g->p->phases);
  if (oc_solution_of_phases(&g->solved, &g->t, NULL, &msg) != DM_OK) fail_msg("%s", msg.text);
  assert_int_equal(oc_solution_motions(g->solved, &guess), DM_OK);
  assert_int_equal(pb_phases_guess(&g->p->phases, guess), DM_OK);
  assert_int_equal(oc_solution_start_phases(g->solved, (const dm_trajectory *const *)guess), DM_OK);
  if (oc_solution_find(g->solved, &msg) != DM_OK) fail_msg("%s", msg.text);
  oc_solution_free_motions(guess, g->n);
  for (int i = 0; i < g->n; i++) {
    g->run[i] = (pb_run){.p = g->p->phases.problem[i], .x = g->solved->motions[i]};
    g->of[i] = &g->run[i];
    g->x[i] = g->run[i].x;

    // on even ground with the model's masses
    double *size = g->p->phases.problem[i]->verify.robust.set.size;
    size[FB_MASS] = size[FB_GROUND] = 0;
  }

  // its gains
  int phase, knot;
  double slope;
  assert_true(pb_cycle_has_gains(&g->p->phases));
  if (pb_cycle_gains(&g->t, g->of, &phase, &msg) != DM_OK) fail_msg("%s", msg.text);
  for (int i = 0; i < g->n; i++) {
    pb_run *run = &g->run[i];
    if (pb_run_gains(run, &slope, &knot, &msg) != DM_OK) fail_msg("%s", msg.text);
    g->p->phases.problem[i]->feedback.near = near;
    if (run->control.gains->nu) {
      assert_int_equal(pb_controller_sample(&run->control, run->p, &msg), DM_OK);
      assert_int_equal(pb_controller_measure(&run->control, run->p, &msg), DM_OK);
    }
    g->K[i] = run->control.gains->nu ? run->control.gains->K : NULL;
  }
  return g;
}

static void close_gait(gait *g) {
  for (int i = 0; i < g->n; i++) {
    free(g->run[i].next.cost);
    pb_controller_free(&g->run[i].control);
  }
  oc_solution_free(g->solved);
  pb_problem_free(g->p);
  free(g);
}

// the linear map of a deviation over a period: C (A - B K) .. of all phases   [nx x nx]
static void find_period(const gait *g, double *M) {
  double C[NX * NX], A[NX * NX], by[NX * NX];
  const int nx = 2 * g->x[0]->n;
  for (int i = 0; i < nx * nx; i++) M[i] = i % (nx + 1) == 0;
  for (int i = 0; i < g->n; i++) {
    const fb_tvlqr *f = g->run[i].control.gains;
    for (int k = 0; k < f->N; k++) {
      memcpy(A, f->A + k * nx * nx, (size_t)(nx * nx) * sizeof *A);
      if (f->nu) dm_gemm(nx, nx, f->nu, -1, f->B + k * nx * f->nu, f->K + k * f->nu * nx, 1, A);
      dm_gemm(nx, nx, nx, 1, A, M, 0, by);
      memcpy(M, by, (size_t)(nx * nx) * sizeof *M);
    }
    assert_int_equal(oc_cycle_passage(&g->t, g->x, i, C), DM_OK);
    dm_gemm(nx, nx, nx, 1, C, M, 0, by);
    memcpy(M, by, (size_t)(nx * nx) * sizeof *M);
  }
}

// -- the law of a period

// (q,p) after one period from a deviation in (q,v) on the discrete plant, and (q,p) at its start
static void walk_once(const gait *g, pb_walk *w, dm_continuous *c, const double *d, double *start,
                      double *end) {
  double y[NX];
  pb_walked walked;
  const int n = g->x[0]->n;
  memcpy(end, g->x[0]->q, (size_t)n * sizeof *end);
  memcpy(end + n, g->x[0]->p, (size_t)n * sizeof *end);
  assert_int_equal(fb_closed_loop_offset(&g->t.task[0]->system, end, d, start), DM_OK);
  assert_int_equal(pb_walk_run(w, 0, d, 1, y, &walked), DM_OK);
  assert_int_equal(walked.periods, 1);
  assert_int_equal(dm_state_of(c, y, y + n, end), DM_OK);
}

// the largest error of the predicted change by a deviation of this size to either side, per size
static double miss_period(const gait *g, pb_walk *w, dm_continuous *c, const double *M,
                          double size) {
  double d[NX], from[2][NX], to[2][NX], dx[NX], predicted[NX], off = 0;
  const int nx = 2 * g->x[0]->n;
  for (int side = 0; side < 2; side++) {
    for (int i = 0; i < nx; i++) d[i] = (side ? size : -size) * sin(1 + 2 * i);
    walk_once(g, w, c, d, from[side], to[side]);
  }
  for (int i = 0; i < nx; i++) dx[i] = (from[1][i] - from[0][i]) / (2 * size);
  dm_gemm(nx, 1, nx, 1, M, dx, 0, predicted);
  for (int i = 0; i < nx; i++)
    off = fmax(off, fabs((to[1][i] - to[0][i]) / (2 * size) - predicted[i]));
  return off;
}

// Central differences of a period of the discrete plant have the derivative that the gains are made of: their error
// falls with the square of the deviation.
static void a_period_has_the_derivative_of_its_gains(void **state) {
  (void)state;
  double stance[NX] = {0, 0, 1};
  const struct {
    const char *name, *more;
    double *near;
  } rows[] = {{"five-link", "", NULL},
              {"compass-hip", "", NULL},
              {"compass-hip", "", stance},
              {"compass", "feedback: {Q: {q: 1, p: 1}}\n", NULL}};
  for (size_t row = 0; row < sizeof rows / sizeof *rows; row++) {
    near = rows[row].near;
    gait *g = open_gait(rows[row].name, rows[row].more);
    double M[NX * NX], off[3];
    dm_continuous *c;
    pb_walk *w;
    find_period(g, M);
    if (pb_walk_new(&w, &g->p->phases, g->of, PB_DISCRETE, true, &msg) != DM_OK)
      fail_msg("%s", msg.text);
    assert_int_equal(dm_continuous_new(&c, &g->t.task[0]->system), DM_OK);
    for (int k = 0; k < 3; k++) off[k] = miss_period(g, w, c, M, 4e-4 / (1 << k));
    for (int k = 1; k < 3; k++)
      if (fabs(off[k - 1] / off[k] - 4) > 0.2)
        fail_msg("%s: the error %g is divided by %g", rows[row].name, off[k - 1],
                 off[k - 1] / off[k]);
    dm_continuous_free(c);
    pb_walk_free(w);
    close_gait(g);
  }
  near = NULL;
}

// -- walks

// A gait that is unstable without feedback is stable with it, and its multipliers say so: small deviations fall over
// many periods, on both plants, and without feedback the walker falls.
static void feedback_keeps_a_walker_walking(void **state) {
  (void)state;
  enum { PERIODS = 20 };
  gait *g = open_gait("five-link", "");
  const int nx = 2 * g->x[0]->n;
  double re[NX], im[NX], d[NX], open = 0, closed = 0;
  pb_walked walked;
  assert_int_equal(oc_cycle_multipliers(&g->t, g->x, NULL, re, im), DM_OK);
  for (int i = 0; i < nx; i++) open = fmax(open, hypot(re[i], im[i]));
  assert_int_equal(oc_cycle_multipliers(&g->t, g->x, g->K, re, im), DM_OK);
  for (int i = 0; i < nx; i++) closed = fmax(closed, hypot(re[i], im[i]));
  assert_true(open > 10 && closed < 0.5);
  for (int i = 0; i < nx; i++) d[i] = 1e-3 * sin(1 + i);
  for (int kind = PB_DISCRETE; kind <= PB_CONTINUOUS; kind++)
    for (int with = 0; with < 2; with++) {
      pb_walk *w;
      if (pb_walk_new(&w, &g->p->phases, g->of, (pb_plant)kind, with, &msg) != DM_OK)
        fail_msg("%s", msg.text);
      assert_int_equal(pb_walk_run(w, 0, d, PERIODS, NULL, &walked), DM_OK);
      if (with) {
        // the cycle of the continuous plant is near that of the map
        assert_int_equal(walked.periods, PERIODS);
        assert_true(walked.error < (kind == PB_DISCRETE ? 1e-6 : 0.05));
      } else {
        assert_true(walked.periods < PERIODS || walked.error > 0.1);
      }
      pb_walk_free(w);
    }
  close_gait(g);
}

// the end of a walk of these periods on the continuous plant, from a small deviation
static pb_walked walk_far(int periods, double y[NX]) {
  gait *g = open_gait("five-link", "");
  const int nx = 2 * g->x[0]->n;
  double d[NX];
  pb_walked walked;
  pb_walk *w;
  for (int i = 0; i < nx; i++) d[i] = 5e-3 * sin(1 + i);
  if (pb_walk_new(&w, &g->p->phases, g->of, PB_CONTINUOUS, true, &msg) != DM_OK)
    fail_msg("%s", msg.text);
  // sample 3 has a machine and ground of its own, as verify.errors say
  assert_int_equal(pb_walk_run(w, 3, d, periods, y, &walked), DM_OK);
  pb_walk_free(w);
  close_gait(g);
  return walked;
}

// Feet with enough friction are pinned ones, up to the error of the contact simulator's steps, on rough ground and for
// other masses; with little friction they slip.
static void feet_that_stick_walk_as_pinned_ones(void **state) {
  (void)state;
  enum { PERIODS = 3 };
  double pinned[NX], rough[NX], smooth[NX];
  const pb_walked held = walk_far(PERIODS, pinned);
  feet = "0.9";
  const pb_walked sticks = walk_far(PERIODS, rough);
  feet = "0.3";
  const pb_walked slips = walk_far(PERIODS, smooth);
  feet = NULL;
  assert_int_equal(held.periods, PERIODS);
  assert_int_equal(sticks.periods, PERIODS);
  assert_true(fabs(held.error - sticks.error) < 0.05);
  assert_true(fabs(held.late - sticks.late) < 2e-3 && fabs(held.early - sticks.early) < 2e-3);
  assert_true(slips.periods < PERIODS || slips.error > 2 * held.error);
}

// The cost-to-go repeats: P at the end of the gait is that of its start, through the passage.
static void the_cost_to_go_repeats(void **state) {
  (void)state;
  gait *g = open_gait("five-link", "");
  const fb_tvlqr *f = g->run[0].control.gains;
  const int nx = f->nx;
  double C[NX * NX], PC[NX * NX], end[NX * NX];
  assert_int_equal(oc_cycle_passage(&g->t, g->x, 0, C), DM_OK);
  dm_gemm(nx, nx, nx, 1, f->P, C, 0, PC);
  dm_gemm_transposed(nx, nx, nx, 1, C, nx, PC, nx, 0, end, nx);
  for (int i = 0; i < nx; i++)
    for (int j = 0; j < nx; j++) {
      const double size = sqrt(fabs(end[i * nx + i] * end[j * nx + j]));
      assert_true(fabs(g->run[0].next.cost[i * nx + j] - end[i * nx + j]) <= 1e-9 * size + 1e-9);
    }
  close_gait(g);
}

static int close_walks(void **state) {
  char path[600];
  snprintf(path, sizeof path, "%s/gait.yaml", folder);
  remove(path);
  return close_folder(state);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(a_period_has_the_derivative_of_its_gains),
      cmocka_unit_test(feedback_keeps_a_walker_walking),
      cmocka_unit_test(feet_that_stick_walk_as_pinned_ones),
      cmocka_unit_test(the_cost_to_go_repeats),
  };
  return cmocka_run_group_tests(tests, open_folder, close_walks);
}
