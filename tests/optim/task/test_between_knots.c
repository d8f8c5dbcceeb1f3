// tests/optim/task/test_between_knots.c: what a motion passes limits on outputs by between its
// knots, held against a parabola's own vertex; and the bounds that are narrowed by it.
#include "optim/program/transcribe.h"
#include "optim/solve.h"
#include "optim/starts/regrid.h"
#include "optim/task/between_knots.h"
#include "tests/support/asked.h"

enum { N = 8, PARTS = 2 };
static const double h = 0.25, VERTEX = 0.8, DEEP = 0.03; // s, s, m: within step 3, from 0.75 to 1

static void hold_equal(double found, double expected, double room) {
  if (!(fabs(found - expected) <= room)) fail_msg("found %.17g, expected %.17g", found, expected);
}

// A body that slides along x and z, and its first coordinate as an output of at least 0.
typedef struct slider {
  tasks_task task;
  dm_outputs *w;
  oc_output_limit limit;
  double margins[2 * (N + 1)];
  dm_trajectory *x;
  double y[(N * PARTS + 1) * 4];
} slider;

static void make_slider(slider *s) {
  static const int coord[] = {0};
  static const double weight[] = {1};
  static const dm_output first = {
      .name = "first", .kind = DM_OUTPUT_SUM, .n = 1, .coord = coord, .weight = weight};
  *s = (slider){.task = tasks_cart_pole(N), .limit = {0, {0, 1}, 0, INFINITY, NULL}};
  oc_task *t = &s->task.t;
  t->time.T = N * h;
  t->bounds[OC_Q].high = t->bounds[OC_Q].low = t->start.q = t->goal.q = NULL;
  t->outputs = (oc_outputs){.y = asked_map(&s->w, s->task.m, 1, &first),
                            .nlimits = 1,
                            .limits = &s->limit,
                            .margins = s->margins};
}

static void free_slider(slider *s) {
  dm_trajectory_free(s->x);
  dm_outputs_free(s->w);
  tasks_free(&s->task);
}

// q = (t - vertex)^2 - deep at t, with its velocity; the other coordinate rests
static void put_parabola(double t, double *q, double *v) {
  q[0] = (t - VERTEX) * (t - VERTEX) - DEEP;
  v[0] = 2 * (t - VERTEX);
  q[1] = v[1] = 0;
}

static void move_slider(slider *s) {
  if (dm_trajectory_of(&s->x, N, &s->task.t.system) != DM_OK) fail_msg("no memory");
  s->x->h = h;
  for (int k = 0; k <= N; k++) put_parabola(k * h, s->x->q + 2 * k, s->x->v + 2 * k);
  for (int j = 0; j <= N * PARTS; j++) put_parabola(j * h / PARTS, s->y + 4 * j, s->y + 4 * j + 2);
}

static double margin_of(const slider *s, int k) {
  return oc_outputs_margin(&s->task.t.outputs, N, 0, 0, k);
}

static void a_parabola_is_passed_at_its_vertex(void **state) {
  (void)state;
  slider s;
  oc_between *w;
  make_slider(&s);
  move_slider(&s);
  assert_int_equal(oc_between_new(&w, &s.task.t), DM_OK);
  assert_int_equal(oc_between_measure(w, s.x, PARTS, s.y), DM_OK);
  assert_int_equal(w->limit, 0);
  hold_equal(w->excess, DEEP, 1e-12);
  hold_equal(w->value, -DEEP, 1e-12);
  hold_equal(w->at, VERTEX / h, 1e-12);
  oc_between_free(w);
  free_slider(&s);
}

// knot 3 is passed itself, knot 4 is 0.01 m inside: both then ask for more than this motion has
static void both_knots_of_the_step_are_narrowed(void **state) {
  (void)state;
  slider s;
  oc_between *w;
  make_slider(&s);
  move_slider(&s);
  assert_int_equal(oc_between_new(&w, &s.task.t), DM_OK);
  assert_int_equal(oc_between_measure(w, s.x, PARTS, s.y), DM_OK);
  assert_int_equal(oc_between_raise(w, 2 * DEEP, true), 0);
  assert_int_equal(oc_between_raise(w, 1e-4, true), 2);
  for (int k = 0; k <= N; k++) hold_equal(margin_of(&s, k), k == 3 || k == 4 ? DEEP : 0, 1e-12);

  // the program's bounds are those, and those of twice the steps a quarter, as what is passed there
  oc_transcription *p;
  oc_regridded fine;
  assert_int_equal(oc_transcription_new(&p, &s.task.t, NULL), DM_OK);
  for (int k = 0; k <= N; k++)
    hold_equal(p->g_min[oc_rows_at(p, OC_OUTPUT_ROWS, 0) + k], margin_of(&s, k), 0);
  assert_int_equal(oc_task_regrid(&fine, &s.task.t, 2 * N), DM_OK);
  for (int k = 0; k <= N; k++)
    hold_equal(oc_outputs_margin(&fine.task.outputs, 2 * N, 0, 0, 2 * k), margin_of(&s, k) / 4,
               1e-15);
  hold_equal(oc_outputs_margin(&fine.task.outputs, 2 * N, 0, 0, 5), DEEP / 8, 1e-12);
  oc_regridded_free(&fine);
  oc_transcription_free(p);

  // again they would be twice as narrow; and then as before
  assert_int_equal(oc_between_raise(w, 1e-4, true), 2);
  hold_equal(margin_of(&s, 3), 2 * DEEP, 1e-12);
  oc_between_lower(w);
  hold_equal(margin_of(&s, 3), DEEP, 1e-12);
  oc_between_free(w);
  free_slider(&s);
}

// an end that is given cannot give way, and bounds far from both knots of a step change nothing
static void what_cannot_help_is_left(void **state) {
  (void)state;
  slider s;
  oc_between *w;
  make_slider(&s);
  move_slider(&s);

  // the start is where the vertex is
  const double start[] = {0, 0};
  for (int k = 0; k <= N; k++) s.x->q[2 * k] += 10;
  for (int j = 0; j <= N * PARTS; j++) s.y[4 * j] += 10;
  s.limit.low = 10 - DEEP + VERTEX * VERTEX + 0.01;
  s.limit.high = 20;
  s.limit.at = (oc_span){0, 0.125};
  assert_int_equal(oc_between_new(&w, &s.task.t), DM_OK);
  assert_int_equal(oc_between_measure(w, s.x, PARTS, s.y), DM_OK);
  assert_int_equal(oc_between_raise(w, 1e-4, true), 2);
  oc_between_lower(w);
  assert_int_equal(oc_between_raise(w, 1e-4, false), 1);
  oc_between_lower(w);
  s.task.t.start.q = start;
  assert_int_equal(oc_between_raise(w, 1e-4, true), 1);
  oc_between_lower(w);
  hold_equal(margin_of(&s, 1), 0, 0);

  // a step over an obstacle, its knots far away
  s.limit = (oc_output_limit){0, {0, 1}, 10, 20, NULL};
  for (int k = 0; k <= N; k++) {
    s.x->q[2 * k] = 15;
    s.x->v[2 * k] = 0;
  }
  for (int j = 0; j <= N * PARTS; j++) {
    s.y[4 * j] = j == 7 ? 7 : 15;
    s.y[4 * j + 2] = 0;
  }
  assert_int_equal(oc_between_measure(w, s.x, PARTS, s.y), DM_OK);
  hold_equal(w->excess, 3, 1e-12);
  hold_equal(w->at, 3.5, 1e-12);
  assert_int_equal(oc_between_raise(w, 1e-4, true), 0);
  oc_between_free(w);
  free_slider(&s);
}

// of a force that stays in each step the power grows with the speed, 2 (t - vertex): its mean is made
// the share of itself that has the end of the step at the limit, in steps that pass it alone
static void a_power_is_narrowed_in_its_step(void **state) {
  (void)state;
  enum { LIMIT = 2 };
  static const int input[] = {0};
  static const double weight[] = {1};
  static const dm_output rows[] = {
      {.name = "force", .kind = DM_OUTPUT_INPUT, .n = 1, .input = input, .weight = weight},
      {.name = "power", .kind = DM_OUTPUT_POWER, .n = 1, .input = input, .weight = weight}};
  slider s;
  oc_between *w;
  make_slider(&s);
  move_slider(&s);
  for (int k = 0; k < N; k++) s.x->u[k * s.x->nu] = 1;
  dm_outputs_free(s.w);
  assert_int_equal(dm_outputs_new(&s.w, s.task.m, 2, rows, NULL), DM_OK);
  const dm_holonomic signals = dm_outputs_signals(s.w);
  oc_outputs *o = &s.task.t.outputs;
  o->y = dm_outputs_map(s.w, &signals, s.task.m->nq);
  s.limit = (oc_output_limit){1, {0, 1}, -INFINITY, LIMIT, NULL};
  assert_true(oc_between_has(o, N, 0));
  hold_equal(oc_between_unit(o, 0), LIMIT, 0);

  // at worst at the end of all, 2 (2 - 0.8) = 2.4; only step 7, whose mean is 2.15, passes 2
  assert_int_equal(oc_between_new(&w, &s.task.t), DM_OK);
  assert_int_equal(oc_between_measure(w, s.x, PARTS, s.y), DM_OK);
  hold_equal(w->excess, 0.4, 1e-12);
  hold_equal(w->at, N, 0);
  for (int round = 0; round < 2; round++) {
    assert_int_equal(oc_between_raise(w, 1e-4, round == 0), 1);
    for (int k = 0; k <= N; k++)
      hold_equal(oc_outputs_margin(o, N, 0, 1, k), k == N - 1 ? LIMIT * (1 - 2.15 / 2.4) : 0,
                 1e-12);
    oc_between_lower(w);
  }
  assert_int_equal(oc_between_raise(w, 0.21, true), 0);

  // what acts against the motion all the time is not what passes it
  for (int k = 0; k < N; k++) s.x->u[k * s.x->nu] = k == 3 ? -100 : 0;
  assert_int_equal(oc_between_measure(w, s.x, PARTS, s.y), DM_OK);
  hold_equal(w->excess, 10 - LIMIT, 1e-12);
  assert_int_equal(oc_between_raise(w, 1e-4, true), 0);

  // a force itself does not change in a step
  s.limit.output = 0;
  assert_false(oc_between_has(o, N, 0));
  oc_between_free(w);
  free_slider(&s);
}

// values that are held, single knots and rates are none that are kept between knots
static void ranges_are_kept(void **state) {
  (void)state;
  slider s;
  make_slider(&s);
  const oc_outputs *o = &s.task.t.outputs;
  assert_true(oc_between_has(o, N, 0));
  s.limit.high = s.limit.low;
  assert_false(oc_between_has(o, N, 0));
  s.limit = (oc_output_limit){0, {0.5, 0.5}, 0, 1, NULL};
  assert_false(oc_between_has(o, N, 0));
  free_slider(&s);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(a_parabola_is_passed_at_its_vertex),
      cmocka_unit_test(both_knots_of_the_step_are_narrowed),
      cmocka_unit_test(what_cannot_help_is_left),
      cmocka_unit_test(a_power_is_narrowed_in_its_step),
      cmocka_unit_test(ranges_are_kept),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
