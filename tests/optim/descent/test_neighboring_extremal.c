// Gains of the second variation: they foretell, to first order, the optimum from another start.
#include "tests/support/descent.h"

#include "control/feedback/constraint_tangent.h"
#include "optim/descent/neighboring_extremal.h"

// the optimum of a task from where x is, to rounding; x is replaced
static void reoptimize(const oc_task *task, dm_trajectory *x) {
  oc_options set = settings(OC_NEWTON);
  oc_descent_info info;
  dm_message msg = {""};
  set.descent.slope = 1e-12, set.descent.share = 0, set.descent.goal = 1e-12;
  dm_status s = oc_descend(task, &set, NULL, x, NULL, 0, &info, &msg);
  if (s != DM_OK && s != DM_STALLED) fail_msg("%d %s", s, msg.text);
  if (!(fabs(info.slope) < 1e-11 && info.residual < 1e-9))
    fail_msg("slope %g, goal off by %g", info.slope, info.residual);
}

// the largest |u_k - u_d,k + K_k (x_k - x_d,k)| up to knot `last`, of the optimum whose start is
// off by e in q and v, over e^2
static double off(const tasks_task *z, const fb_tvlqr *f, const dm_trajectory *x, double e,
                  int last) {
  int n = x->n, nu = x->nu;
  double most = 0, *at = calloc((size_t)(2 * n + nu), sizeof *at), *u = at + 2 * n;
  tasks_task moved = *z;
  double *start = calloc((size_t)(2 * n), sizeof *start);
  for (int i = 0; i < n; i++) {
    start[i] = z->t.start.q[i] + e * (1 + 0.5 * i);
    start[n + i] = z->t.start.v[i] + e * (0.7 - i);
  }
  assert_int_equal(dm_assembly_project(&z->t.system, start, NULL), DM_OK);
  assert_int_equal(dm_assembly_velocity(&z->t.system, start, start + n, NULL), DM_OK);
  moved.t.start.q = start, moved.t.start.v = start + n;
  dm_trajectory *y;
  assert_int_equal(dm_trajectory_of(&y, x->N, &z->t.system), DM_OK);
  dm_trajectory_copy(y, x);
  reoptimize(&moved.t, y);
  for (int k = 0; k <= last; k++) {
    memcpy(at, y->q + k * n, (size_t)n * sizeof *at);
    memcpy(at + n, y->p + k * n, (size_t)n * sizeof *at);
    fb_tvlqr_input(f, k, at, u);
    for (int j = 0; j < nu; j++) most = fmax(most, fabs(y->u[k * nu + j] - u[j]));
  }
  dm_trajectory_free(y);
  free(start), free(at);
  print_message("e = %g: off by %.3g\n", e, most);
  return most;
}

static fb_tvlqr *gains(const tasks_task *z, const dm_trajectory *x, const double *Qf) {
  fb_tvlqr *f;
  dm_message msg = {""};
  double slope;
  int failed;
  if (oc_neighboring_extremal_gains(&f, &z->t, x, Qf, &slope, &failed, &msg) != DM_OK)
    fail_msg("%s", msg.text);
  assert_int_equal(failed, -1);
  assert_true(slope < 1e-4);
  return f;
}

// half the distance, a quarter of the error of the gains' prediction
static void check_order(tasks_task *z, double e, int last) {
  dm_trajectory *x = standing(z);
  reoptimize(&z->t, x);
  fb_tvlqr *f = gains(z, x, NULL);
  double far = off(z, f, x, e, last), near = off(z, f, x, e / 2, last);
  assert_true(far > 1e-7);
  assert_close(far / near, 4, 0.1);
  fb_tvlqr_free(f);
  dm_trajectory_free(x);
}

static tasks_task unbounded_cart_pole(int N) {
  tasks_task z = tasks_cart_pole(N);
  z.t.bounds[OC_Q].low = z.t.bounds[OC_Q].high = z.t.bounds[OC_V].high = z.t.bounds[OC_U].low =
      z.t.bounds[OC_U].high = NULL;
  return z;
}

static void gains_foretell_the_optimum_from_another_start(void **state) {
  (void)state;
  tasks_task z = soften(tasks_cart_pole(40));
  z.t.bounds[OC_U].low = z.t.bounds[OC_U].high = NULL;
  check_order(&z, 1e-3, 39);
  tasks_free(&z);
}

// with a goal, up to where too few inputs are left to meet it: four entries, one input
static void goals_that_must_be_met_are_met(void **state) {
  (void)state;
  tasks_task z = unbounded_cart_pole(40);
  check_order(&z, 1e-3, 36);
  tasks_free(&z);
}

// a bar on strings of prescribed length; it starts elsewhere on its constraints. Impulses along
// these move nothing, and gains do not see them
static void constrained_motions_have_them_too(void **state) {
  (void)state;
  tasks_task z = soften(tasks_hung_bar(30));
  z.t.cost[OC_V].goal = NULL, z.t.bounds[OC_U].low = z.t.bounds[OC_U].high = NULL;
  check_order(&z, 2e-2, 29);
  dm_trajectory *x = standing(&z);
  reoptimize(&z.t, x);
  fb_tvlqr *f = gains(&z, x, NULL);
  dm_kkt *w;
  assert_int_equal(dm_kkt_new(&w, &z.t.system), DM_OK);
  fb_constraint_tangent *tangent;
  const int n = x->n, len = x->nu * 2 * n;
  assert_int_equal(fb_constraint_tangent_new(&tangent, n, w->nc, 0, z.t.system.kinematic), DM_OK);
  for (int k = 0; k < x->N; k += 7) {
    double K[3 * 2 * 6];
    assert_true(len <= COUNT(K));
    memcpy(K, f->K + k * len, (size_t)len * sizeof *K);
    assert_int_equal(dm_kkt_start(w, x->q + k * n), DM_OK);
    assert_int_equal(fb_constraint_tangent_set(tangent, w->Dh0), DM_OK);
    fb_constraint_tangent_restrict(tangent, x->nu, K);
    for (int i = 0; i < len; i++) assert_close(K[i], f->K[k * len + i], 1e-12 * (1 + fabs(K[i])));
  }
  fb_constraint_tangent_free(tangent);
  dm_kkt_free(w);
  fb_tvlqr_free(f);
  dm_trajectory_free(x);
  tasks_free(&z);
}

// the dearer the last deviation, the nearer to a goal that must be met: ten times, a tenth
static void dear_deviations_are_as_a_goal_that_must_be_met(void **state) {
  (void)state;
  tasks_task z = unbounded_cart_pole(40);
  dm_trajectory *x = standing(&z);
  reoptimize(&z.t, x);
  fb_tvlqr *hard = gains(&z, x, NULL);
  double apart[2] = {0};
  for (int d = 0; d < 2; d++) {
    double w = d ? 1e7 : 1e6;
    fb_tvlqr *f = gains(&z, x, (double[]){w, w, w, w});
    for (int i = 0; i < 20 * 4; i++) apart[d] = fmax(apart[d], fabs(f->K[i] - hard->K[i]));
    fb_tvlqr_free(f);
  }
  assert_close(apart[0] / apart[1], 10, 0.5);
  fb_tvlqr_free(hard);
  dm_trajectory_free(x);
  tasks_free(&z);
}

// an input at its bound has none, one that is not has
static void inputs_at_bounds_stay(void **state) {
  (void)state;
  const double limit = 6;
  tasks_task z = soften(tasks_cart_pole(40));
  z.m->u_min[0] = -limit, z.m->u_max[0] = limit;
  dm_trajectory *x = standing(&z);
  reoptimize(&z.t, x);
  fb_tvlqr *f = gains(&z, x, NULL);
  int at = 0;
  for (int k = 0; k < 40; k++) {
    bool bound = fabs(fabs(x->u[k]) - limit) < 1e-6;
    for (int j = 0; j < 4; j++) assert_true((f->K[4 * k + j] == 0) == bound);
    at += bound;
  }
  assert_true(at > 3 && at < 30);
  fb_tvlqr_free(f);
  dm_trajectory_free(x);
  tasks_free(&z);
}

static void where_there_are_none_the_knot_is_said(void **state) {
  (void)state;
  tasks_task z = unbounded_cart_pole(10);
  dm_trajectory *x = standing(&z);
  fb_tvlqr *f;
  dm_message msg = {""};
  double slope;
  int failed;
  // a motion under inputs that nothing asks for
  for (int k = 0; k < 10; k++) x->u[k] = sin(k);
  dm_del *del;
  dm_del_info info;
  assert_int_equal(dm_del_new(&del, &z.t.system, NULL), DM_OK);
  assert_int_equal(dm_trajectory_rollout(x, del, &info, &failed), DM_OK);
  assert_int_equal(oc_neighboring_extremal_gains(&f, &z.t, x, NULL, &slope, &failed, &msg),
                   DM_INFEASIBLE);
  assert_null(f);
  assert_true(failed >= 0 && slope > 0.01);
  assert_non_null(strstr(msg.text, "is not optimal"));
  // at rest, where no input costs anything
  z.t.cost[OC_U].running = NULL, z.t.goal.q = z.t.goal.v = NULL;
  dm_trajectory_free(x);
  x = standing(&z);
  assert_int_equal(oc_neighboring_extremal_gains(&f, &z.t, x, NULL, &slope, &failed, &msg),
                   DM_NOT_DEFINITE);
  assert_int_equal(failed, 9);
  assert_non_null(strstr(msg.text, "knot 9"));
  dm_del_free(del);
  dm_trajectory_free(x);
  tasks_free(&z);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(gains_foretell_the_optimum_from_another_start),
      cmocka_unit_test(goals_that_must_be_met_are_met),
      cmocka_unit_test(constrained_motions_have_them_too),
      cmocka_unit_test(dear_deviations_are_as_a_goal_that_must_be_met),
      cmocka_unit_test(inputs_at_bounds_stay),
      cmocka_unit_test(where_there_are_none_the_knot_is_said),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
