// tests/optim/test_guess_search.c: where the searches of a task begin that none of them solves.
#include "optim/guess_search.h"
#include "optim/solution.h"
#include "tests/support/asked.h"

enum { MOST = 24, STEPS = 60 };

// where the searches began, as motions
typedef struct beginnings {
  const oc_solution *w;
  int enough; // searches, after which the caller wishes the end; 0: never
  oc_transcription *t;
  dm_trajectory *of[MOST];
  int n;
} beginnings;

static bool is_like(const dm_trajectory *a, const dm_trajectory *b) {
  double off = 0;
  for (int i = 0; i < (a->N + 1) * a->n; i++) off = fmax(off, fabs(a->q[i] - b->q[i]));
  return off < 1e-3;
}

// the first iterate of a search; other beginnings of the solver from the same point are no other guess
static bool watch_beginnings(void *user, const oc_iterate *it) {
  beginnings *b = user;
  if (it->iteration > 0) return true;
  dm_trajectory *x;
  assert_int_equal(dm_trajectory_of(&x, b->w->task.N, &b->w->task.system), DM_OK);
  oc_transcription_unpack(b->t, b->w->guess, x);
  const bool again = b->n > 0 && is_like(b->of[b->n - 1], x);
  if (again || b->n == MOST)
    dm_trajectory_free(x);
  else
    b->of[b->n++] = x;
  return true;
}

static bool has_enough(void *user) {
  const beginnings *b = user;
  return b->enough > 0 && b->n >= b->enough;
}

// all searches of a task, or so many, by the stage solver
static beginnings search(const oc_task *task, int max_iter, int enough, oc_solve_info *info) {
  beginnings b = {.enough = enough};
  oc_solution *w;
  oc_setup set = oc_setup_default();
  set.options.method = OC_SOLVER_STAGE;
  set.options.max_iter = max_iter;
  set.hooks.watch = watch_beginnings;
  set.hooks.stop = has_enough;
  set.hooks.user = &b;
  dm_message msg;
  if (oc_solution_new(&w, task, &set, &msg) != DM_OK) fail_msg("%s", msg.text);
  assert_int_equal(oc_transcription_new(&b.t, &w->task, NULL), DM_OK);
  b.w = w;
  assert_int_equal(oc_solution_start(w, NULL), DM_OK);
  assert_int_equal(oc_solution_find(w, NULL), DM_OK);
  *info = w->info;
  oc_solution_free(w);
  return b;
}

static void free_beginnings(beginnings *b) {
  for (int i = 0; i < b->n; i++) dm_trajectory_free(b->of[i]);
  oc_transcription_free(b->t);
}

// the largest residual of the equations of motion at inner knots
static double gap_of(const beginnings *b, const dm_trajectory *x) {
  const oc_nlp *p = oc_transcription_nlp(b->t);
  double *point = calloc((size_t)(p->n + p->m), sizeof *point), *g = point + p->n, gap = 0;
  oc_transcription_pack(b->t, x, point);
  assert_int_equal(p->g(p->self, point, g), DM_OK);
  for (int i = 0; i < (x->N - 1) * x->n; i++) gap = fmax(gap, fabs(g[i]));
  free(point);
  return gap;
}

static double largest(const double *a, int n) {
  double most = 0;
  for (int i = 0; i < n; i++) most = fmax(most, fabs(a[i]));
  return most;
}

// -- kinds of guesses, by what their motions are

typedef enum kind { LINE, BRANCH, ROLLOUT, DRIVEN, BENT } kind;

// is every coordinate a straight line in time?
static bool is_straight(const dm_trajectory *x) {
  const double *last = x->q + x->N * x->n;
  double off = 0;
  for (int k = 0; k <= x->N; k++)
    for (int i = 0; i < x->n; i++) {
      const double line = x->q[i] + (last[i] - x->q[i]) * k / x->N;
      off = fmax(off, fabs(x->q[k * x->n + i] - line));
    }
  return off < 1e-9;
}

// A line is straight, and takes no inputs; a branch is one to another end; a rollout keeps the equations
// of motion without inputs, a driven one with inputs within their limits; a bend keeps none.
static kind find_kind(const beginnings *b, int i) {
  const dm_trajectory *x = b->of[i];
  const int inputs = x->N * x->nu;
  const double u = largest(x->u, inputs);
  assert_true(u <= b->t->task.bounds[OC_U].high[0] * (1 + 1e-9));
  if (is_straight(x) && u == 0) return is_like(x, b->of[0]) ? LINE : BRANCH;
  if (gap_of(b, x) < 1e-9) return u > 0 ? DRIVEN : ROLLOUT;
  assert_true(u == 0);
  return BENT;
}

// the searches began at these kinds in this order, the last one at the line again, each guess a new one
static void assert_kinds(const beginnings *b, const kind *expected, int least) {
  assert_true(b->n > least);
  for (int i = 0; i < b->n; i++) {
    const kind wanted = i + 1 < b->n ? expected[i] : LINE;
    if (find_kind(b, i) != wanted) fail_msg("guess %d: %d, not %d", i, find_kind(b, i), wanted);
    for (int k = 0; k < i && i + 1 < b->n; k++) assert_false(is_like(b->of[i], b->of[k]));
  }
}

// The cart-pole whose motor is too weak, not that anybody can prove it: after five guesses that lead to
// minima of the violation, and after all others that lead to none, it is called infeasible.
static void each_kind_of_guess_is_tried(void **state) {
  static const kind expected[] = {LINE,   ROLLOUT, DRIVEN, DRIVEN, DRIVEN, DRIVEN,
                                  DRIVEN, DRIVEN,  BENT,   DRIVEN, DRIVEN, DRIVEN};
  (void)state;
  int most = 0;
  for (double most_force = 0.5; most <= 9 && most_force < 4; most_force += 0.1) {
    tasks_task x = tasks_cart_pole(STEPS);
    oc_solve_info info;
    const double low[] = {-most_force}, high[] = {most_force};
    x.t.bounds[OC_U].low = low;
    x.t.bounds[OC_U].high = high;
    beginnings b = search(&x.t, 3000, 0, &info);
    assert_int_equal(info.status, DM_INFEASIBLE);
    assert_int_equal(info.guesses, b.n - 1); // it comes back to the first
    assert_kinds(&b, expected, 4);
    most = b.n > most ? b.n : most;
    free_beginnings(&b);
    tasks_free(&x);
  }
  assert_true(most > 9); // the bend is among them
}

// Two links whose end is to be at a place by motors that are too weak: lines lead to either elbow.
static void lines_lead_to_other_postures(void **state) {
  static const double place[] = {1.2, 0.6}; // x, z of the end
  const double weak[] = {-0.1, -0.1}, strong[] = {0.1, 0.1}, bent[] = {0.3, -0.2};
  (void)state;
  tasks_task x = tasks_make(models_chain(2, 1, 0), STEPS, 1);
  dm_outputs *outputs;
  oc_solve_info info;
  const dm_output end = {
      .name = "end", .kind = DM_OUTPUT_POSITION, .body = {1, -1}, .point = {{0, 0, -1}}};
  const oc_output_limit limit[] = {{0, {1, 1}, place[0], place[0], NULL},
                                   {2, {1, 1}, place[1], place[1], NULL}};
  tasks_rest(&x, 0, bent);
  x.t.bounds[OC_U].low = weak;
  x.t.bounds[OC_U].high = strong;
  x.t.outputs = (oc_outputs){.y = asked_map(&outputs, x.m, 1, &end), .nlimits = 2, .limits = limit};
  beginnings b = search(&x.t, 3000, 0, &info);
  assert_int_equal(info.status, DM_INFEASIBLE);
  assert_int_equal(info.guesses, b.n - 1);

  // the line, one to the other elbow, and no third; both ends are at the place, and no turns away
  int lines = 0;
  double elbow[2] = {0};
  for (int i = 0; i + 1 < b.n; i++) {
    const double *q = b.of[i]->q + STEPS * 2;
    const kind found = find_kind(&b, i);
    if (found != LINE && found != BRANCH) continue;
    assert_close(-sin(q[0]) - sin(q[0] + q[1]), place[0], 1e-6);
    assert_close(-cos(q[0]) - cos(q[0] + q[1]), place[1], 1e-6);
    for (int c = 0; c < 2; c++) assert_true(fabs(q[c] - bent[c]) <= TASKS_PI);
    assert_in_range(lines, 0, 1);
    elbow[lines++] = sin(q[1]);
  }
  assert_int_equal(lines, 2);
  assert_true(elbow[0] * elbow[1] < 0);
  free_beginnings(&b);
  dm_outputs_free(outputs);
  tasks_free(&x);
}

// What ends the list is what is told, and the point is the best one, whichever search had it.
static void an_early_end_has_the_best_point(void **state) {
  const double weak[] = {-0.1}, strong[] = {0.1};
  (void)state;
  tasks_task x = tasks_cart_pole(STEPS);
  oc_solve_info all, first, some, few;
  x.t.bounds[OC_U].low = weak;
  x.t.bounds[OC_U].high = strong;
  beginnings whole = search(&x.t, 3000, 0, &all);
  beginnings early = search(&x.t, 3000, 2, &first), later = search(&x.t, 3000, 3, &some);
  beginnings cut = search(&x.t, all.spent / 2, 0, &few);

  // the later the wish, the better the point
  assert_true(first.status == DM_INTERRUPTED && some.status == DM_INTERRUPTED);
  assert_true(first.guesses == 2 && some.guesses == 3);
  assert_true(all.max_violation <= some.max_violation);
  assert_true(some.max_violation <= first.max_violation);
  assert_int_equal(few.status, DM_MAX_ITER);
  assert_string_equal(few.detail, "Maximum_Iterations_Exceeded");
  assert_false(few.late);
  free_beginnings(&whole);
  free_beginnings(&early);
  free_beginnings(&later);
  free_beginnings(&cut);
  tasks_free(&x);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(each_kind_of_guess_is_tried),
      cmocka_unit_test(lines_lead_to_other_postures),
      cmocka_unit_test(an_early_end_has_the_best_point),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
