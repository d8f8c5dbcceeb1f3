// Motions to start from, of constrained systems.
#include "optim/starts/guess.h"
#include "optim/starts/rollout.h"
#include "tests/support/tasks.h"

static dm_trajectory *room_for(const tasks_task *x) {
  dm_trajectory *y;
  assert_int_equal(dm_trajectory_of(&y, x->t.N, &x->t.system), DM_OK);
  return y;
}

static double largest_residual(const tasks_task *x, const dm_trajectory *y) {
  const dm_holonomic *hol = &x->t.system.hol;
  void *scratch = aligned_alloc(64, hol->scratch + 64);
  double h[4], most = 0;
  for (int k = 0; k <= y->N; k++) {
    assert_int_equal(hol->eval(hol->self, scratch, y->q + k * y->n, h, NULL), DM_OK);
    for (int c = 0; c < hol->nc; c++) most = fmax(most, fabs(h[c]));
  }
  free(scratch);
  return most;
}

static double prescribed_gap(const tasks_task *x, const dm_trajectory *y) {
  double most = 0;
  for (int i = 0, j = x->t.system.nu; i < y->n; i++) {
    if (!x->m->kinematic[i]) continue;
    for (int k = 0; k < y->N; k++)
      most = fmax(most, fabs(y->u[k * y->nu + j] - y->q[(k + 1) * y->n + i]));
    j++;
  }
  return most;
}

// the line between the ends, moved onto the constraints; the ends as given
static void a_line_lies_on_the_constraints(void **state) {
  (void)state;
  tasks_task (*const make[])(int) = {tasks_four_bar, tasks_hung_bar};
  for (int i = 0; i < COUNT(make); i++) {
    tasks_task x = make[i](20);
    dm_trajectory *y = room_for(&x);
    int n = y->n;
    assert_int_equal(oc_guess_line(&x.t, y), DM_OK);
    assert_true(largest_residual(&x, y) < 1e-12);
    assert_true(prescribed_gap(&x, y) == 0);
    assert_memory_equal(y->q, x.t.start.q, (size_t)n * sizeof(double));
    assert_memory_equal(y->q + y->N * n, x.t.goal.q, (size_t)n * sizeof(double));
    dm_trajectory_free(y);
    tasks_free(&x);
  }
}

// a crank of 0.4 m turned by more than half a circle, with a rod of 0.9 m whose end slides on a
// line and whose angle the goal leaves free: it stays on the side of the crank where it starts
static void what_a_goal_leaves_free_stays_in_its_branch(void **state) {
  (void)state;
  tasks_task x = tasks_make(models_chain(2, 0.4, 1), 30, 1);
  dm_constraint slide = {.name = "slide",
                         .kind = DM_PLANE,
                         .body = {1, -1},
                         .coord = {-1, -1},
                         .axis = {1, 0, 0},
                         .point = {{0, 0, -0.9}, {0}}};
  assert_int_equal(dm_constraints_new(&x.c, x.m, 1, &slide, NULL), DM_OK);
  x.t.system.hol = dm_constraints_holonomic(x.c);
  double start = -asin(0.4 * sin(0.3) / 0.9) - 0.3, last = -asin(0.4 * sin(2.5) / 0.9) - 2.5;
  tasks_rest(&x, 0, (double[]){0.3, start});
  tasks_rest(&x, 1, (double[]){2.5, NAN});
  dm_trajectory *y = room_for(&x);
  assert_int_equal(oc_guess_line(&x.t, y), DM_OK);
  assert_true(largest_residual(&x, y) < 1e-12);
  for (int k = 0; k <= y->N; k++) {
    assert_close(y->q[2 * k], 0.3 + 2.2 * k / y->N, 1e-12);
    assert_true(fabs(y->q[2 * k] + y->q[2 * k + 1]) < 0.5);
  }
  assert_close(y->q[2 * y->N + 1], last, 1e-10);
  dm_trajectory_free(y);
  tasks_free(&x);
}

// a bar that only hangs there: the impulses are half its weight's each, and the motion is exact
static void impulses_carry_what_hangs(void **state) {
  (void)state;
  tasks_task x = tasks_hung_bar(10);
  tasks_rest(&x, 1, x.t.start.q);
  dm_trajectory *y = room_for(&x);
  assert_int_equal(oc_guess_line(&x.t, y), DM_OK);
  double weight = 2 * 9.81 * y->h, rise = 2; // of the square of a string's length, per metre
  for (int k = 1; k < y->N; k++)
    for (int c = 0; c < 2; c++)
      assert_close(fabs(y->lambda[2 * k + c]) * rise, weight / 2, 1e-12 * weight);
  oc_transcription *t;
  assert_int_equal(oc_transcription_new(&t, &x.t, NULL), DM_OK);
  const oc_nlp *p = oc_transcription_nlp(t);
  double *z = calloc((size_t)(p->n + p->m), sizeof *z), *g = z + p->n;
  oc_transcription_pack(t, y, z);
  assert_int_equal(p->g(p->self, z, g), DM_OK);
  for (int j = 0; j < y->N * y->n; j++) assert_close(g[j], 0, 1e-12);
  free(z);
  oc_transcription_free(t);
  dm_trajectory_free(y);
  tasks_free(&x);
}

// a rollout is a motion of the discrete map, whose kinematic coordinates follow the line
static void a_rollout_is_certified(void **state) {
  (void)state;
  tasks_task x = tasks_hung_bar(20);
  dm_trajectory *y = room_for(&x);
  dm_del *del;
  double gap;
  int worst, n = y->n;
  assert_int_equal(oc_guess_rollout(&x.t, NULL, y), DM_OK);
  assert_int_equal(dm_del_new(&del, &x.t.system, NULL), DM_OK);
  assert_int_equal(dm_trajectory_certify(y, del, NULL, &gap, &worst), DM_OK);
  assert_true(gap < 1e-11);
  assert_true(largest_residual(&x, y) < 1e-12);
  for (int k = 0; k <= y->N; k++)
    for (int i = 0; i < n; i++)
      if (x.m->kinematic[i])
        assert_close(y->q[k * n + i], y->q[i] + (x.t.goal.q[i] - y->q[i]) * k / y->N, 1e-15);
  dm_del_free(del);
  dm_trajectory_free(y);
  tasks_free(&x);
}

// another grid, with the impulses of a step as much longer
static void a_motion_is_resampled_with_its_impulses(void **state) {
  (void)state;
  tasks_task x = tasks_hung_bar(20), coarse = tasks_hung_bar(10);
  dm_trajectory *y = room_for(&x), *z = room_for(&coarse);
  assert_int_equal(oc_guess_line(&x.t, y), DM_OK);
  oc_guess_resample(&coarse.t, y, z);
  for (int k = 0; k < 10; k++) {
    for (int i = 0; i < y->n; i++) assert_true(z->q[k * y->n + i] == y->q[2 * k * y->n + i]);
    for (int c = 0; c < 2; c++) assert_true(z->lambda[2 * k + c] == 2 * y->lambda[4 * k + c]);
  }
  assert_true(prescribed_gap(&coarse, z) == 0);
  dm_trajectory_free(y), dm_trajectory_free(z);
  tasks_free(&x), tasks_free(&coarse);
}

// largest difference of the velocities wandered off with and those of the positions
static double wander(int N, uint64_t seed, int start, double middle[2]) {
  tasks_task x = tasks_four_bar(N);
  dm_trajectory *y = room_for(&x);
  double most = 0;
  int n = y->n;
  y->h = 2. / N;
  oc_guess_perturb(&x.t, seed, start, 0.5, y);
  assert_true(prescribed_gap(&x, y) == 0);
  for (int i = 0; i < n; i++) assert_true(y->q[i] == 0 && y->q[N * n + i] == 0);
  for (int k = 1; k < N; k++)
    for (int i = 0; i < n; i++) {
      double v = (y->q[(k + 1) * n + i] - y->q[(k - 1) * n + i]) / (2 * y->h);
      most = fmax(most, fabs(v - y->v[k * n + i]));
    }
  memcpy(middle, y->q + N / 2 * n, 2 * sizeof *middle);
  dm_trajectory_free(y);
  tasks_free(&x);
  return most;
}

static void guesses_wander_between_their_ends(void **state) {
  (void)state;
  double a[2], b[2], c[2], d[2];
  double error[] = {wander(100, 7, 1, a), wander(200, 7, 1, b)};
  assert_true(fabs(error[0] / error[1] - 4) < 0.1);
  for (int i = 0; i < 2; i++) assert_true(fabs(a[i] - b[i]) < 1e-14); // on any grid
  wander(100, 7, 2, c), wander(100, 8, 1, d);
  for (int i = 0; i < 2; i++) assert_true(fabs(c[i] - a[i]) > 1e-3 && fabs(d[i] - a[i]) > 1e-3);
  assert_true(fabs(a[0] - a[1]) > 1e-3);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(a_line_lies_on_the_constraints),
      cmocka_unit_test(what_a_goal_leaves_free_stays_in_its_branch),
      cmocka_unit_test(impulses_carry_what_hangs),
      cmocka_unit_test(a_rollout_is_certified),
      cmocka_unit_test(a_motion_is_resampled_with_its_impulses),
      cmocka_unit_test(guesses_wander_between_their_ends),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
