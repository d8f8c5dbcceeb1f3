// tests/optim/rows/test_curve_rows.c: outputs that follow a curve in a timing of their own:
// against closed forms and a phase plane, derivatives, places on curves that cross themselves.
#include "lib/multibody/output.h"
#include "optim/check.h"
#include "optim/program/prolong.h"
#include "optim/program/transcribe.h"
#include "optim/solve.h"
#include "optim/starts/regrid.h"
#include "optim/task/curve_place.h"
#include "tests/support/tasks.h"

static dm_message msg;

// a task and the curve that it follows
typedef struct traced {
  tasks_task x;
  dm_outputs *w;
  dm_curve curve;
  double room[17000], within[2], rest[4];
  int output[2];
} traced;

// a mass of 1 kg that slides along x, or along x and z, by forces of at most 1 N each
static dm_model *make_slide(int n) {
  dm_coordinate c[] = {models_coord("x", true, 1, 0, 0), models_coord("z", true, 0, 0, 1)};
  dm_body b[] = {{"mass", -1, dm_identity, 0, n, 1, {0}, {0}}};
  dm_input u[] = {models_input("x", 0), models_input("z", 1)};
  dm_model *m = models_make(
      &(dm_tree){.nbody = 1, .ncoord = n, .ninput = n, .body = b, .coord = c, .input = u});
  for (int i = 0; i < n; i++) {
    m->u_min[i] = -1;
    m->u_max[i] = 1;
  }
  return m;
}

// the place of body `last`'s point follows m rows of a curve, from rest to rest in the least time
static void trace_curve(traced *t, dm_model *m, int N, dm_output tip, int rows,
                        const double *points, int n, bool closed) {
  static const int row_of[] = {0, 2}; // x and z
  *t = (traced){.x = tasks_make(m, N, 3)};
  if (dm_outputs_new(&t->w, m, 1, &tip, &msg) != DM_OK) fail_msg("%s", msg.text);
  assert_true(dm_curve_room(n, rows, closed) <= COUNT(t->room));
  if (dm_curve_through(&t->curve, n, rows, points, NULL, closed, t->room, &msg) != DM_OK)
    fail_msg("%s", msg.text);
  memcpy(t->output, row_of, sizeof row_of);
  const dm_holonomic signals = dm_outputs_signals(t->w);
  oc_task *task = &t->x.t;
  task->outputs = (oc_outputs){.y = dm_outputs_map(t->w, &signals, m->nq),
                               .follow = {&t->curve, t->output, t->within, NULL}};
  task->start.v = task->goal.v = t->rest;
  task->time.free = true;
  task->time.min = 0.1;
  task->time.max = 20;
  task->time.weight = 1;
}

static const dm_output point_of_mass = {.name = "tip", .kind = DM_OUTPUT_POSITION, .body = {0, -1}};

static void drop_traced(traced *t) {
  dm_outputs_free(t->w);
  tasks_free(&t->x);
}

static oc_solve_info solve_traced(const oc_task *t, dm_trajectory **motion) {
  oc_setup set = oc_setup_default();
  oc_solve_info info;
  if (oc_solve(t, &set, motion, &info, &msg) != DM_OK) fail_msg("%s", msg.text);
  return info;
}

// -- against what is known

// T = 2 sqrt(d/a), where steps switch in the middle, and where none ends there with N^-2
static void a_straight_line_is_bang_bang(void **state) {
  (void)state;
  const double line[] = {0, 2}, T = 2 * sqrt(2);
  double e[4], h[4];
  for (int i = 0; i < 5; i++) {
    const int N = i < 4 ? (10 << i) + 1 : 60;
    traced t;
    dm_trajectory *motion;
    trace_curve(&t, make_slide(1), N, point_of_mass, 1, line, 2, false);
    const double found = solve_traced(&t.x.t, &motion).objective;
    if (i == 4) assert_close(found, T, 1e-7);
    if (i < 4) e[i] = found - T;
    if (i < 4) h[i] = T / N;
    dm_trajectory_free(motion);
    drop_traced(&t);
  }
  assert_close(dm_order_fit_errors(4, h, e, 0).order, 2, 0.1);
}

// the range of s'' that |r_i'' x + r_i' s''| <= 1 leave, x = s'^2; false: none
static bool find_range(const dm_curve *c, double s, double x, double *low, double *high) {
  double r_s[2], r_ss[2];
  dm_curve_eval(c, s, NULL, r_s, r_ss);
  *low = -INFINITY;
  *high = INFINITY;
  for (int i = 0; i < 2; i++) {
    const double a = (-1 - r_ss[i] * x) / r_s[i], b = (1 - r_ss[i] * x) / r_s[i];
    if (fabs(r_s[i]) < 1e-9) {
      if (fabs(r_ss[i] * x) > 1) return false;
      continue;
    }
    *low = fmax(*low, fmin(a, b));
    *high = fmin(*high, fmax(a, b));
  }
  return *low <= *high;
}

// the least time of a round in the phase plane: the fastest s'^2 from which the rest of the way can be
// gone, backwards; then forwards as fast as can be below it
static double integrate_phase_plane(const dm_curve *c, int M) {
  const double d = 1. / M;
  double *most = calloc((size_t)M + 1, sizeof *most), x = 0, T = 0;
  for (int j = M - 1; j >= 0; j--) {
    double low = 0, high = 1, a, b;
    for (int i = 0; i < 50; i++) {
      const double middle = (low + high) / 2;
      if (find_range(c, j * d, middle, &a, &b) && middle + 2 * d * a <= most[j + 1])
        low = middle;
      else
        high = middle;
    }
    most[j] = low;
  }
  for (int j = 0; j < M; j++) {
    double a, b;
    find_range(c, j * d, x, &a, &b);
    const double next = fmin(x + 2 * d * b, most[j + 1]);
    T += 2 * d / (sqrt(x) + sqrt(next));
    x = next;
  }
  free(most);
  return T;
}

static void circle_points(int n, double *on) {
  for (int k = 0; k < n; k++) {
    on[2 * k] = cos(2 * TASKS_PI * k / n);
    on[2 * k + 1] = sin(2 * TASKS_PI * k / n);
  }
}

// with a fault that falls with the square of the step: 3.4e-4 and 1.5e-5 of it
static void a_circle_takes_the_time_of_the_phase_plane(void **state) {
  (void)state;
  enum { POINTS = 16 };
  double on[2 * POINTS], e[2], T[2], room[200];
  dm_curve c;
  circle_points(POINTS, on);
  assert_int_equal(dm_curve_through(&c, POINTS, 2, on, NULL, true, room, &msg), DM_OK);
  for (int i = 0; i < 2; i++) T[i] = integrate_phase_plane(&c, 10000 << i);
  const double least = 2 * T[1] - T[0]; // its error is of first order in the step
  for (int i = 0; i < 2; i++) {
    traced t;
    dm_trajectory *motion;
    trace_curve(&t, make_slide(2), 100 << (2 * i), point_of_mass, 2, on, POINTS, true);
    e[i] = fabs(solve_traced(&t.x.t, &motion).objective - least);
    dm_trajectory_free(motion);
    drop_traced(&t);
  }
  if (e[0] > 5e-4 * least || e[1] > 3e-5 * least || e[1] > e[0] / 10)
    fail_msg("off by %g and %g of %g", e[0], e[1], least);
}

// -- how the curve is kept

static void make_arm_on(traced *t, int N, int points) {
  double on[2 * 2048];
  dm_model *m = models_chain(2, 1, 0);
  m->u_min[0] = -60;
  m->u_max[0] = 60;
  m->u_min[1] = -20;
  m->u_max[1] = 20;
  // a figure eight
  assert_true(2 * points <= COUNT(on));
  for (int k = 0; k < points; k++) {
    on[2 * k] = 0.9 + 0.2 * sin(4 * TASKS_PI * k / points);
    on[2 * k + 1] = -0.6 + 0.3 * cos(2 * TASKS_PI * k / points);
  }
  trace_curve(
      t, m, N,
      (dm_output){
          .name = "tip", .kind = DM_OUTPUT_POSITION, .body = {1, -1}, .point = {{0, 0, -1}}},
      2, on, points, true);
}

static void make_arm(traced *t, int N) {
  make_arm_on(t, N, 12);
}

// |y - r(s)| at the knots (at = 0) and in the middle of the continuous motion between two, whose
// cubic is of order 4
static double find_tip_miss(const traced *t, const dm_trajectory *x, bool between) {
  const oc_outputs *o = &t->x.t.outputs;
  const int n = x->n, count = x->N + (between ? 0 : 1);
  double *y = calloc(2 * ((size_t)x->N + 1), sizeof *y), *s = calloc((size_t)x->N + 1, sizeof *s);
  void *scratch = aligned_alloc(64, o->y.scratch + 64);
  oc_curve_place *place;
  double worst = 0;
  for (int k = 0; k < count; k++) {
    double q[2], all[3];
    for (int i = 0; i < n; i++) {
      const double *a = x->q + k * n + i, *v = x->v + k * n + i;
      q[i] = between ? (a[0] + a[n]) / 2 + x->h / 8 * (v[0] - v[n]) : a[0];
    }
    assert_int_equal(dm_output_map_eval(&o->y, scratch, q, NULL, all, NULL, NULL), DM_OK);
    y[2 * k] = all[0];
    y[2 * k + 1] = all[2];
  }
  assert_int_equal(oc_curve_place_new(&place, &t->curve, count - 1, 1), DM_OK);
  oc_curve_place_find(place, y, s);
  // between the first two and the last two knots places are not at the ends
  for (int k = between; k < count - between; k++) {
    double r[2];
    dm_curve_eval(&t->curve, s[k], r, NULL, NULL);
    worst = fmax(worst, hypot(y[2 * k] - r[0], y[2 * k + 1] - r[1]));
  }
  oc_curve_place_free(place);
  free(scratch);
  free(y);
  free(s);
  return worst;
}

static void the_curve_is_kept_at_knots_and_nearly_between(void **state) {
  (void)state;
  double h[3], between[3];
  for (int i = 0; i < 3; i++) {
    traced t;
    dm_trajectory *motion;
    make_arm(&t, 60 << i);
    // a smooth motion, whose error has an order
    t.x.t.time.weight = 0;
    t.x.t.cost[OC_U].running = tasks_weight(&t.x, 0, 2, 1);
    t.x.t.time.free = false;
    solve_traced(&t.x.t, &motion);
    assert_true(find_tip_miss(&t, motion, false) < 1e-9);
    between[i] = find_tip_miss(&t, motion, true);
    h[i] = motion->h;
    dm_trajectory_free(motion);
    drop_traced(&t);
  }
  const double order = dm_order_fit_errors(3, h, between, 0).order;
  if (!(order > 1.7)) fail_msg("order %g: %g %g %g", order, between[0], between[1], between[2]);
}

// each row within its own
static void a_tolerance_is_used_and_kept(void **state) {
  (void)state;
  double T[2];
  for (int i = 0; i < 2; i++) {
    traced t;
    dm_trajectory *motion;
    make_arm(&t, 60);
    t.within[0] = t.within[1] = i ? 0.02 : 0;
    T[i] = solve_traced(&t.x.t, &motion).objective;
    const double miss = find_tip_miss(&t, motion, false);
    assert_true(miss < (i ? 0.02 * sqrt(2) + 1e-8 : 1e-9));
    if (i) assert_true(miss > 0.01);
    dm_trajectory_free(motion);
    drop_traced(&t);
  }
  assert_true(T[1] < T[0]);
}

static void derivatives_hold(void **state) {
  (void)state;
  for (int way = 0; way < 6; way++) {
    traced t;
    oc_check c = oc_check_default();
    make_arm(&t, 20);
    t.x.t.time.free = way % 2;
    t.x.t.goal.v = way > 3 ? NULL : t.rest;
    t.within[1] = way > 1 ? 0.1 : 0;
    if (oc_check_task(&c, &t.x.t, NULL, &msg) != DM_OK) fail_msg("%s", msg.text);
    for (int r = 0; r < c.rows; r++)
      if (!c.row[r].verdict.holds)
        fail_msg("%s: error %g, order %g", c.row[r].block, c.row[r].verdict.error,
                 c.row[r].verdict.order);
    drop_traced(&t);
  }
}

// a formula's spline has many pieces, and its third derivative jumps between them
static void derivatives_hold_on_many_pieces(void **state) {
  (void)state;
  static const int points[] = {64, 256, 512, 2048};
  oc_check c = oc_check_default();
  for (int i = 0; i < 8; i++) {
    traced t;
    make_arm_on(&t, 80, points[i / 2]);
    c.rows = 0;
    if (oc_check_task(&c, &t.x.t, NULL, &msg) != DM_OK) fail_msg("%s", msg.text);
    for (int r = 0; r < c.rows; r++)
      if (!c.row[r].verdict.holds)
        fail_msg("%d points, %s: error %g, order %g", points[i / 2], c.row[r].block,
                 c.row[r].verdict.error, c.row[r].verdict.order);
    drop_traced(&t);
  }
}

// a motion of a coarse grid is one of a fine grid, multipliers and places as well
static void grids_hand_over(void **state) {
  (void)state;
  traced t;
  oc_regridded fine;
  oc_transcription *a, *b;
  oc_solution *solved;
  oc_point from, to;
  oc_setup set = oc_setup_default();
  make_arm(&t, 40);
  assert_int_equal(oc_task_regrid(&fine, &t.x.t, 80), DM_OK);
  assert_int_equal(oc_solution_new(&solved, &t.x.t, &set, &msg), DM_OK);
  assert_int_equal(oc_solution_start(solved, NULL), DM_OK);
  assert_int_equal(oc_solution_find(solved, &msg), DM_OK);
  assert_int_equal(oc_transcription_new(&a, &t.x.t, &msg), DM_OK);
  assert_int_equal(oc_transcription_new(&b, &fine.task, &msg), DM_OK);
  const size_t n = (size_t)b->nlp.n, m = (size_t)b->nlp.m;
  double *room = calloc(3 * n + m, sizeof *room);
  to = (oc_point){.x = room, .z_l = room + n, .z_u = room + 2 * n, .lambda = room + 3 * n};
  from = solved->point;
  oc_transcription_prolong(a, &from, b, &to);
  for (int k = 0; k <= 40; k++) assert_close(to.x[b->s + 2 * k], from.x[a->s + k], 1e-15);

  // packed anew from the motion alone, places are the same
  double *x = calloc((size_t)a->nlp.n, sizeof *x);
  oc_transcription_pack(a, solved->motion, x);
  for (int k = 0; k <= 40; k++) assert_close(x[a->s + k], from.x[a->s + k], 1e-9);
  free(x);
  free(room);
  oc_transcription_free(a);
  oc_transcription_free(b);
  oc_solution_free(solved);
  oc_regridded_free(&fine);
  drop_traced(&t);
}

// -- places

// on curves that cross themselves, or go back the way they came
static void places_are_found_in_their_order(void **state) {
  (void)state;
  enum { N = 57 };
  const double eight[] = {0, 0, 1, 1, 2, 0, 1, -1, 0, 0, -1, 1, -2, 0, -1, -1, 0, 0};
  const double there[] = {0, 0, 1, 0.01, 2, 0, 1, -0.01, 0, 0};
  const struct {
    const double *points;
    int n;
  } curves[] = {{eight, 9}, {there, 5}};
  for (int c = 0; c < 2; c++) {
    dm_curve curve;
    double room[200], y[2 * (N + 1)], want[N + 1], found[N + 1];
    oc_curve_place *place;
    assert_int_equal(
        dm_curve_through(&curve, curves[c].n, 2, curves[c].points, NULL, false, room, &msg), DM_OK);
    for (int k = 0; k <= N; k++) {
      const double x = (double)k / N;
      want[k] = x * x * (3 - 2 * x) + 0.02 * sin(2 * TASKS_PI * x) * sin(9 * x);
      dm_curve_eval(&curve, want[k], y + 2 * k, NULL, NULL);
    }
    want[N] = 1;
    assert_int_equal(oc_curve_place_new(&place, &curve, N, 1), DM_OK);
    oc_curve_place_find(place, y, found);
    for (int k = 0; k <= N; k++) assert_close(found[k], want[k], 1e-9);
    oc_curve_place_free(place);
  }
}

// Points that stay where a curve crosses itself are on it at three places: none is further from the one
// before than is told, and all of the curve has passed in the end.
static void no_step_leaves_a_part_out(void **state) {
  (void)state;
  enum { N = 40 };
  const double eight[] = {0, 0, 1, 1, 2, 0, 1, -1, 0, 0, -1, 1, -2, 0, -1, -1, 0, 0};
  double room[200], y[2 * (N + 1)] = {0}, s[N + 1];
  dm_curve curve;
  oc_curve_place *place;
  assert_int_equal(dm_curve_through(&curve, 9, 2, eight, NULL, false, room, &msg), DM_OK);
  for (int way = 0; way < 2; way++) {
    const double most = way ? 1 : oc_curve_most(N);
    double longest = 0;
    assert_int_equal(oc_curve_place_new(&place, &curve, N, most), DM_OK);
    oc_curve_place_find(place, y, s);
    for (int k = 0; k < N; k++) longest = fmax(longest, s[k + 1] - s[k]);
    assert_true(s[0] == 0 && s[N] == 1);
    if (way)
      assert_true(longest > 0.4);
    else
      assert_true(longest < most + 3. / 256); // places are 1/256 apart
    oc_curve_place_free(place);
  }
}

static void what_cannot_be_followed_is_refused(void **state) {
  (void)state;
  const double line[] = {0, 1};
  traced t;
  oc_transcription *p = NULL;
  double at[] = {0.3};
  trace_curve(&t, make_slide(1), 10, point_of_mass, 1, line, 2, false);
  t.x.t.start.q = at;
  assert_int_equal(oc_transcription_new(&p, &t.x.t, &msg), DM_BAD_INPUT);
  assert_non_null(
      strstr(msg.text, "at the start the output 'tip.x' is 0.3, expected it within [0, 0]"));
  t.within[0] = -1;
  assert_int_equal(oc_transcription_new(&p, &t.x.t, &msg), DM_BAD_INPUT);
  assert_non_null(strstr(msg.text, "may be -1 off its curve, expected >= 0"));
  t.within[0] = 0.3;
  assert_int_equal(oc_transcription_new(&p, &t.x.t, &msg), DM_OK);
  oc_transcription_free(p);
  drop_traced(&t);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(a_straight_line_is_bang_bang),
      cmocka_unit_test(a_circle_takes_the_time_of_the_phase_plane),
      cmocka_unit_test(the_curve_is_kept_at_knots_and_nearly_between),
      cmocka_unit_test(a_tolerance_is_used_and_kept),
      cmocka_unit_test(derivatives_hold),
      cmocka_unit_test(derivatives_hold_on_many_pieces),
      cmocka_unit_test(grids_hand_over),
      cmocka_unit_test(places_are_found_in_their_order),
      cmocka_unit_test(no_step_leaves_a_part_out),
      cmocka_unit_test(what_cannot_be_followed_is_refused),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
