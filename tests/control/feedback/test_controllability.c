// Ranks of reachability and observability: for known cases, for cases in which singular values
// alone would not decide, and along motions of constrained systems.
#include "control/feedback/constraint_tangent.h"
#include "control/feedback/controllability.h"
#include "lib/discrete/linearize.h"
#include "tests/support/hoist.h"

static fb_span pair(int nx, int m, const double *A, const double *B, bool outputs) {
  fb_controllability *w;
  fb_span span;
  assert_int_equal(fb_controllability_new(&w, nx, m), DM_OK);
  assert_int_equal(fb_controllability_pair(w, &(fb_stages){1, m, A, B, outputs, NULL}, &span),
                   DM_OK);
  fb_controllability_free(w);
  return span;
}

static fb_span window(int N, int nx, int m, const double *A, const double *B, bool outputs) {
  fb_controllability *w;
  fb_span span;
  assert_int_equal(fb_controllability_new(&w, nx, m), DM_OK);
  assert_int_equal(fb_controllability_window(w, &(fb_stages){N, m, A, B, outputs, NULL}, &span),
                   DM_OK);
  fb_controllability_free(w);
  return span;
}

// singular values of a 2 x 2 matrix
static double smaller(const double *M) {
  double s = M[0] * M[0] + M[1] * M[1] + M[2] * M[2] + M[3] * M[3];
  double det = M[0] * M[3] - M[1] * M[2];
  return sqrt((s - sqrt(s * s - 4 * det * det)) / 2);
}

// q = 0.2, p = 0.5, u = 0.8, h = 0.1 and the force entirely at the left: AB = (.0186218, .0817693)
static void the_papers_pendulum_is_controllable(void **state) {
  (void)state;
  dm_model *m = models_pendulum();
  dm_system s = dm_system_of(m);
  dm_del *del;
  dm_del_info info;
  dm_linearize *lin;
  double q0 = 0.2, p0 = 0.5, u = 0.8, q1 = 0.2, p1, A[4], B[2];
  assert_int_equal(dm_rule_set(&s.rule, "midpoint", 0.5, "left", NULL), DM_OK);
  assert_int_equal(dm_del_new(&del, &s, NULL), DM_OK);
  assert_int_equal(dm_linearize_new(&lin, &s), DM_OK);
  assert_int_equal(dm_del_step(del, &q0, &p0, &u, 0.1, &q1, &p1, &info), DM_OK);
  assert_int_equal(dm_linearize_step(lin, &q0, &q1, &u, NULL, 0.1, A, B), DM_OK);
  double AB[] = {A[0] * B[0] + A[1] * B[1], A[2] * B[0] + A[3] * B[1]};
  assert_true(fabs(AB[0] - 0.0186218) < 5e-8 && fabs(AB[1] - 0.0817693) < 5e-8);
  fb_span span = pair(2, 1, A, B, false);
  assert_int_equal(span.rank, 2);
  assert_true(fabs(span.sigma - smaller((double[]){B[0], AB[0], B[1], AB[1]})) < 1e-15);
  // the system is observable from its angle
  double C[] = {1, 0}, CA[] = {1, 0, A[0], A[1]};
  span = pair(2, 1, A, C, true);
  assert_int_equal(span.rank, 2);
  assert_true(fabs(span.sigma - smaller(CA)) < 1e-15);
  dm_linearize_free(lin);
  dm_del_free(del);
  dm_model_free(m);
}

// an input with n integrators, and the same chain interrupted
static void chains_are_told_from_loose_ends(void **state) {
  (void)state;
  enum { n = 6 };
  double A[n * n] = {0}, B[n] = {0}, C[n] = {1}, h = 0.01, stages[n * n * n], inputs[n * n];
  for (int i = 0; i < n; i++) {
    A[i * n + i] = 1;
    if (i + 1 < n) A[i * n + i + 1] = h;
  }
  B[n - 1] = h;
  for (int cut = 0; cut < 2; cut++) {
    int driven = cut ? 4 : n;
    if (cut) A[1 * n + 2] = 0; // the first two states lose their input
    for (int k = 0; k < n; k++) memcpy(stages + k * n * n, A, sizeof A);
    for (int k = 0; k < n; k++) memcpy(inputs + k * n, B, sizeof B);
    fb_span one = pair(n, 1, A, B, false), all = window(n, n, 1, stages, inputs, false);
    assert_int_equal(one.rank, driven);
    assert_int_equal(all.rank, driven);
    assert_true(one.kept > 0.1 * pow(h, driven - 1) && one.dropped < 1e-14);
    // the first state shows the states it depends on
    assert_int_equal(pair(n, 1, A, C, true).rank, cut ? 2 : n);
  }
}

// random stages of two parts, with inputs that drive only the first part, in skew coordinates: the
// rank is the size of the first part, even if the rest grows
static void ranks_do_not_suffer_from_growth(void **state) {
  (void)state;
  enum { n = 7, r = 4, m = 2, N = 60 };
  static double A[N * n * n], B[N * n * m];
  double X[n * n], Y[n * n] = {0};
  uint64_t seed = 5;
  // X and its inverse Y: a product of shears
  for (int i = 0; i < n; i++)
    for (int j = 0; j < n; j++) X[i * n + j] = Y[i * n + j] = i == j;
  for (int k = 0; k < 20; k++) {
    int i = k % n, j = (3 * k + 1) % n;
    double a = models_random(&seed);
    if (i == j) continue;
    for (int c = 0; c < n; c++) X[i * n + c] += a * X[j * n + c];
    for (int c = 0; c < n; c++) Y[c * n + j] -= a * Y[c * n + i];
  }
  for (int k = 0; k < N; k++) {
    double F[n * n], G[n * m] = {0}, T[n * n] = {0};
    for (int i = 0; i < n; i++)
      for (int j = 0; j < n; j++)
        F[i * n + j] = i >= r && j < r ? 0 : (i == 0 ? 30 : 1) * models_random(&seed);
    for (int i = 0; i < r * m; i++) G[i] = models_random(&seed);
    for (int i = 0; i < n; i++) // A = X F Y, B = X G
      for (int j = 0; j < n; j++)
        for (int c = 0; c < n; c++) T[i * n + j] += X[i * n + c] * F[c * n + j];
    for (int i = 0; i < n; i++)
      for (int j = 0; j < n; j++)
        for (int c = 0; c < n; c++) A[(k * n + i) * n + j] += T[i * n + c] * Y[c * n + j];
    for (int i = 0; i < n; i++)
      for (int j = 0; j < m; j++)
        for (int c = 0; c < n; c++) B[(k * n + i) * m + j] += X[i * n + c] * G[c * m + j];
  }
  fb_span span = window(N, n, m, A, B, false);
  assert_int_equal(span.rank, r);
  assert_true(span.dropped < 1e-12 && span.kept > 1e-6);
  assert_int_equal(pair(n, m, A, B, false).rank, r);
  assert_int_equal(window(1, n, m, A, B, false).rank, m); // one stage: only its inputs
}

// observability is reachability of the transposed stages in reverse order
static void outputs_are_inputs_of_the_transpose(void **state) {
  (void)state;
  enum { n = 6, m = 2, N = 3 };
  double A[N * n * n], C[N * m * n], At[N * n * n], Ct[N * n * m];
  uint64_t seed = 17;
  for (int i = 0; i < N * n * n; i++) A[i] = models_random(&seed);
  for (int i = 0; i < N * n * m; i++) C[i] = models_random(&seed);
  for (int k = 0; k < N; k++)
    for (int i = 0; i < n; i++) {
      for (int j = 0; j < n; j++) At[((N - 1 - k) * n + j) * n + i] = A[(k * n + i) * n + j];
      for (int j = 0; j < m; j++) Ct[((N - 1 - k) * n + i) * m + j] = C[(k * m + j) * n + i];
    }
  fb_span shown = window(N, n, m, A, C, true), reached = window(N, n, m, At, Ct, false);
  assert_int_equal(shown.rank, n);
  assert_int_equal(reached.rank, n);
  assert_true(fabs(shown.sigma - reached.sigma) < 1e-13 && shown.sigma > 1e-3);
}

// each constraint removes two directions; velocities of prescribed coordinates are not observable
// from positions
static void constraints_leave_their_tangents(void **state) {
  (void)state;
  enum { N = 10, n = HOIST_N, nx = 2 * n };
  hoist w = hoist_open();
  dm_trajectory *x = hoist_motion(&w, N, 0.02, 0.3);
  dm_linearize *lin;
  fb_constraint_tangent *tangent;
  static double A[N * nx * nx], B[N * nx * HOIST_K], C[N * n * nx];
  assert_int_equal(dm_linearize_new(&lin, &w.s), DM_OK);
  assert_int_equal(fb_constraint_tangent_new(&tangent, n, 1, 0, w.s.kinematic), DM_OK);
  for (int k = 0; k < N; k++) {
    double *Ak = A + k * nx * nx, *Ck = C + k * n * nx;
    const double *q = x->q + k * n;
    assert_int_equal(dm_linearize_step(lin, q, q + n, x->u + k * HOIST_K, x->lambda + k, x->h, Ak,
                                       B + k * nx * HOIST_K),
                     DM_OK);
    assert_int_equal(fb_constraint_tangent_set(tangent, lin->k->Dh0), DM_OK);
    fb_constraint_tangent_restrict(tangent, nx, Ak);
    for (int i = 0; i < n; i++) Ck[i * nx + i] = 1;
    fb_constraint_tangent_restrict(tangent, n, Ck);
    assert_int_equal(pair(nx, HOIST_K, Ak, B + k * nx * HOIST_K, false).rank, 2 * (n - 1));
    assert_int_equal(pair(nx, n, Ak, Ck, true).rank, 2 * (n - 1) - HOIST_K);
  }
  fb_span reached = window(N, nx, HOIST_K, A, B, false), shown = window(N, nx, n, A, C, true);
  assert_int_equal(reached.rank, 2 * (n - 1));
  assert_int_equal(shown.rank, 2 * (n - 1) - HOIST_K);
  assert_true(reached.dropped < 1e-12 && shown.dropped < 1e-12);
  fb_constraint_tangent_free(tangent);
  dm_linearize_free(lin);
  dm_trajectory_free(x);
  hoist_close(&w);
}

// a mass on a spring, of the size of an atom or of a mountain
static void units_make_no_rank(void **state) {
  (void)state;
  for (int e = -14; e <= 14; e += 14) {
    double mass = pow(10, e), A[] = {cos(1), sin(1) / mass, -mass * sin(1), cos(1)};
    fb_span span = pair(2, 1, A, (double[]){0, 1}, false);
    assert_int_equal(span.rank, 2);
    assert_true(span.kept > 0.1);
    span = pair(2, 1, A, (double[]){1, 0}, true);
    assert_int_equal(span.rank, 2);
    assert_true(span.kept > 0.1);
  }
  // the dropped singular value is reported
  fb_span span = pair(2, 1, (double[]){1, 0, 0, 2}, (double[]){1, 1e-14}, false);
  assert_int_equal(span.rank, 1);
  assert_true(span.dropped > 1e-15 && span.dropped < 1e-13);
}

static void what_is_not_finite_is_said(void **state) {
  (void)state;
  double A[] = {1, NAN, 0, 1}, B[] = {1, 1};
  fb_controllability *w;
  fb_span span;
  assert_int_equal(fb_controllability_new(&w, 0, 1), DM_BAD_INPUT);
  assert_int_equal(fb_controllability_new(&w, 2, 1), DM_OK);
  assert_int_equal(fb_controllability_pair(w, &(fb_stages){1, 1, A, B, false, NULL}, &span),
                   DM_NOT_FINITE);
  double AA[] = {1, 0, 0, 1, 1, NAN, 0, 1}, BB[] = {1, 1, 1, 1};
  assert_int_equal(fb_controllability_window(w, &(fb_stages){2, 1, AA, BB, false, NULL}, &span),
                   DM_NOT_FINITE);
  // a system without inputs reaches nothing
  double none[] = {0, 0};
  A[1] = 1;
  assert_int_equal(fb_controllability_pair(w, &(fb_stages){1, 1, A, none, false, NULL}, &span),
                   DM_OK);
  assert_true(span.rank == 0 && span.sigma == 0);
  fb_controllability_free(w);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(the_papers_pendulum_is_controllable),
      cmocka_unit_test(chains_are_told_from_loose_ends),
      cmocka_unit_test(ranks_do_not_suffer_from_growth),
      cmocka_unit_test(outputs_are_inputs_of_the_transpose),
      cmocka_unit_test(constraints_leave_their_tangents),
      cmocka_unit_test(units_make_no_rank),
      cmocka_unit_test(what_is_not_finite_is_said),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
