// Gains of constrained systems: motion that the constraints forbid has no effect, and along the
// constraints the controller equals the one computed without them.
#include "control/feedback/constraint_tangent.h"
#include "control/feedback/output_weight.h"
#include "control/loop/closed_loop.h"
#include "lib/discrete/linearize.h"
#include "tests/support/hoist.h"

enum { N = 60, NX = 2 * HOIST_N };
static const double Q[] = {10, 20, 3, 4, 1, 2, 0.5, 0.3}, R[] = {1, 2}, step = 0.02;

typedef struct scene {
  hoist w;
  dm_trajectory *x;
  fb_tvlqr *f;
} scene;

static scene scene_open(double amplitude, const double *Qf) {
  scene z = {.w = hoist_open()};
  dm_message msg = {""};
  int failed;
  z.x = hoist_motion(&z.w, N, step, amplitude);
  fb_weights weights = {.Q = Q, .R = R, .Qf = Qf};
  if (fb_tvlqr_new(&z.f, z.x, &z.w.s, &weights, &failed, &msg) != DM_OK) fail_msg("%s", msg.text);
  return z;
}

static void scene_close(scene *z) {
  fb_tvlqr_free(z->f);
  dm_trajectory_free(z->x);
  hoist_close(&z->w);
}

// Dh of the single constraint at knot k
static void gradient(const scene *z, int k, double *Dh) {
  dm_kkt *saddle;
  assert_int_equal(dm_kkt_new(&saddle, &z->w.s), DM_OK);
  assert_int_equal(dm_kkt_end(saddle, z->x->q + k * HOIST_N), DM_OK);
  memcpy(Dh, saddle->Dh1, HOIST_N * sizeof *Dh);
  dm_kkt_free(saddle);
}

static double dot(int n, const double *a, const double *b) {
  double sum = 0;
  for (int i = 0; i < n; i++) sum += a[i] * b[i];
  return sum;
}

static double largest(int n, const double *x) {
  double most = 0;
  for (int i = 0; i < n; i++) most = fmax(most, fabs(x[i]));
  return most;
}

// angles and lengths, with the unit of length changed: the same deviations are kept, bitwise for
// powers of two
static void projections_do_not_depend_on_units(void **state) {
  (void)state;
  enum { n = 4, nc = 2, nx = 2 * n };
  static const double lengths[] = {1, 1e-4, 1e3, 0x1p20};
  uint64_t r = 9;
  double Dh[nc * n], size[n], si[nx * nx];
  for (int i = 0; i < nc * n; i++) Dh[i] = models_random(&r);
  for (int i = 0; i < n; i++) size[i] = i < 2 ? 0.3 : 1;
  for (int l = 0; l < COUNT(lengths); l++) {
    double unit[nx], own[nc * n], of[n], X[nx * nx] = {0};
    for (int i = 0; i < nx; i++) { // momenta scale inversely
      const double length = i % n < 2 ? lengths[l] : 1;
      unit[i] = i < n ? length : 1 / length;
      X[i * nx + i] = 1;
    }
    for (int i = 0; i < nc * n; i++) own[i] = Dh[i] / unit[i % n];
    for (int i = 0; i < n; i++) of[i] = size[i] * unit[i];
    fb_constraint_tangent *w;
    assert_int_equal(fb_constraint_tangent_new(&w, n, nc, 0, NULL), DM_OK);
    fb_constraint_tangent_size(w, of);
    assert_int_equal(fb_constraint_tangent_set(w, own), DM_OK);
    fb_constraint_tangent_restrict(w, nx, X);
    fb_constraint_tangent_quotient(w, nx, X);
    for (int i = 0; i < nx * nx; i++) {
      X[i] *= unit[i % nx] / unit[i / nx];
      if (l == 0) si[i] = X[i];
      assert_close(X[i], si[i], l == 3 ? 0 : 1e-13);
    }
    fb_constraint_tangent_free(w);
  }
  assert_true(fabs(si[0] - 1) > 1e-3 && fabs(si[n * nx + n] - 1) > 1e-3);
}

static void restriction_is_a_projection_onto_the_tangents(void **state) {
  (void)state;
  enum { n = 5, nc = 2 };
  static const bool kinematic[n] = {false, true, false, false, false};
  fb_constraint_tangent *w;
  uint64_t r = 3;
  double Dh[nc * n], X[4 * n * n] = {0}, again[4 * n * n];
  for (int i = 0; i < nc * n; i++) Dh[i] = models_random(&r);
  for (int i = 0; i < 2 * n; i++) X[i * 2 * n + i] = 1;
  assert_int_equal(fb_constraint_tangent_new(&w, n, nc, 0, kinematic), DM_OK);
  assert_int_equal(fb_constraint_tangent_set(w, Dh), DM_OK);
  fb_constraint_tangent_restrict(w, 2 * n, X);
  memcpy(again, X, sizeof X);
  fb_constraint_tangent_restrict(w, 2 * n, again);
  for (int i = 0; i < 4 * n * n; i++) assert_true(fabs(again[i] - X[i]) < 1e-14);
  for (int j = 0; j < 2 * n; j++) {
    for (int c = 0; c < nc; c++) { // Dh Pi = 0
      double sum = 0;
      for (int i = 0; i < n; i++) sum += Dh[c * n + i] * X[i * 2 * n + j];
      assert_true(fabs(sum) < 1e-14);
    }
    assert_true(X[1 * 2 * n + j] == (j == 1)); // prescribed coordinate: unchanged
    for (int i = n; i < 2 * n; i++) assert_true(X[i * 2 * n + j] == (i == j)); // momenta likewise
  }
  // the component of momenta along the gradients is removed, for any number of columns
  enum { cols = 23 };
  double Y[2 * n * cols], once[2 * n * cols];
  for (int i = 0; i < 2 * n * cols; i++) Y[i] = once[i] = models_random(&r);
  fb_constraint_tangent_quotient(w, cols, once);
  for (int i = 0; i < 2 * n; i++)
    for (int j = 0; j < cols; j++) {
      double was = Y[i * cols + j], is = once[i * cols + j];
      assert_true(i < n || i == n + 1 ? is == was : is != was);
    }
  for (int c = 0; c < nc; c++)
    for (int j = 0; j < cols; j++) {
      double sum = 0;
      for (int i = 0; i < n; i++) sum += (i != 1) * Dh[c * n + i] * once[(n + i) * cols + j];
      assert_true(fabs(sum) < 1e-14);
    }
  memcpy(Y, once, sizeof Y);
  fb_constraint_tangent_quotient(w, cols, once);
  for (int i = 0; i < 2 * n * cols; i++) assert_true(fabs(once[i] - Y[i]) < 1e-14);
  for (int i = 0; i < n; i++) Dh[n + i] = 2 * Dh[i];
  assert_int_equal(fb_constraint_tangent_set(w, Dh), DM_SINGULAR);
  fb_constraint_tangent_free(w);
}

static void gains_do_not_see_what_constraints_forbid(void **state) {
  (void)state;
  scene z = scene_open(0.2, Q);
  for (int k = 0; k < N; k++) {
    double Dh[HOIST_N], along_q[NX] = {0}, along_p[NX] = {0};
    gradient(&z, k, Dh);
    memcpy(along_q, Dh, 2 * sizeof *Dh); // the dynamic coordinates are the first two
    memcpy(along_p + HOIST_N, Dh, 2 * sizeof *Dh);
    for (int i = 0; i < HOIST_K; i++) {
      const double *K = z.f->K + (k * HOIST_K + i) * NX;
      assert_true(fabs(dot(NX, K, along_q)) < 1e-12);
      assert_true(fabs(dot(NX, K, along_p)) < 1e-12);
    }
    // and P along it is the weight of that single knot
    const double *P = z.f->P + k * NX * NX;
    for (int i = 0; i < NX; i++)
      assert_true(fabs(dot(NX, P + i * NX, along_q) - Q[i] * along_q[i]) <
                  1e-9 * largest(NX * NX, P));
  }
  scene_close(&z);
}

static void the_closed_loop_keeps_the_constraints(void **state) {
  (void)state;
  scene z = scene_open(0.2, Q);
  uint64_t r = 11;
  for (int k = 0; k < N; k++) {
    double Dh[HOIST_N], dx[NX], du[HOIST_K], next[NX];
    gradient(&z, k + 1, Dh);
    for (int i = 0; i < NX; i++) dx[i] = models_random(&r);
    for (int i = 0; i < HOIST_K; i++) du[i] = -dot(NX, z.f->K + (k * HOIST_K + i) * NX, dx);
    for (int i = 0; i < NX; i++)
      next[i] = dot(NX, z.f->A + (k * NX + i) * NX, dx) +
                dot(HOIST_K, z.f->B + (k * NX + i) * HOIST_K, du);
    assert_true(fabs(dot(HOIST_N, Dh, next)) < 1e-12);
  }
  scene_close(&z);
}

// the sweep with the unrestricted A gives the same controller on the constraints
static void along_the_constraints_nothing_is_lost(void **state) {
  (void)state;
  scene z = scene_open(0.2, Q);
  static double A[N * NX * NX], B[N * NX * HOIST_K], K[N * HOIST_K * NX], QQ[NX * NX];
  double RR[] = {R[0], 0, 0, R[1]}, off = 0;
  dm_linearize *lin;
  fb_riccati *w;
  int failed;
  assert_int_equal(dm_linearize_new(&lin, &z.w.s), DM_OK);
  for (int i = 0; i < NX; i++) QQ[i * NX + i] = Q[i];
  for (int k = 0; k < N; k++) {
    const double *q = z.x->q + k * HOIST_N;
    assert_int_equal(dm_linearize_step(lin, q, q + HOIST_N, z.x->u + k * HOIST_K, z.x->lambda + k,
                                       step, A + k * NX * NX, B + k * NX * HOIST_K),
                     DM_OK);
  }
  fb_lq lq = {.N = N, .nx = NX, .nu = HOIST_K, .A = A, .B = B, .Q = QQ, .R = RR, .Qf = QQ};
  lq.A_stride = NX * NX, lq.B_stride = NX * HOIST_K;
  assert_int_equal(fb_riccati_new(&w, NX, HOIST_K), DM_OK);
  assert_int_equal(fb_riccati_sweep(w, &lq, K, NULL, &failed), DM_OK);
  uint64_t r = 13;
  for (int k = 0; k < N; k++) {
    double Dh[HOIST_N], dx[NX];
    gradient(&z, k, Dh);
    for (int i = 0; i < NX; i++) dx[i] = models_random(&r);
    double c = dot(HOIST_N, Dh, dx) / dot(2, Dh, Dh);
    for (int i = 0; i < 2; i++) dx[i] -= c * Dh[i];
    for (int i = 0; i < HOIST_K; i++) {
      const double *plain = K + (k * HOIST_K + i) * NX, *ours = z.f->K + (k * HOIST_K + i) * NX;
      assert_true(fabs(dot(NX, plain, dx) - dot(NX, ours, dx)) < 1e-11);
      for (int j = 0; j < NX; j++) off = fmax(off, fabs(plain[j] - ours[j]));
    }
  }
  assert_true(off > 0.1); // off the constraints they differ
  fb_riccati_free(w);
  dm_linearize_free(lin);
  scene_close(&z);
}

// at equilibrium all stages are equal, and the steady gains are constant
static void steady_gains_of_a_hanging_load_are_constant(void **state) {
  (void)state;
  scene z = scene_open(0, NULL);
  size_t one = HOIST_K * NX;
  for (size_t i = one; i < N * one; i++) assert_true(fabs(z.f->K[i] - z.f->K[i % one]) < 1e-9);
  assert_true(largest(HOIST_K * NX, z.f->K) > 0.1);
  scene_close(&z);
}

// the goal is treated as an equilibrium: its weight contains the constraint forces at rest,
// regardless of the constraint forces in the last step
static void the_goals_tension_is_that_at_rest(void **state) {
  (void)state;
  scene z = scene_open(0, NULL);
  double lambda = z.x->lambda[N - 1];
  fb_tvlqr *f;
  int failed;
  z.x->lambda[N - 1] *= 3;
  assert_int_equal(fb_tvlqr_new(&f, z.x, &z.w.s, &(fb_weights){.Q = Q, .R = R}, &failed, NULL),
                   DM_OK);
  for (int i = N * NX * NX; i < (N + 1) * NX * NX; i++) assert_true(f->P[i] == z.f->P[i]);
  double off = 0; // in the last step itself the constraint force counts
  for (int i = (N - 1) * NX * NX; i < N * NX * NX; i++) off = fmax(off, fabs(f->A[i] - z.f->A[i]));
  assert_true(off > 0.01);
  fb_tvlqr_free(f);
  // h(q) = x2 + z2 - 1: an impulse lambda pulls by 2 z lambda, balancing m g h
  assert_true(fabs(fabs(2 * lambda) - 9.81 * step) < 1e-12);
  scene_close(&z);
}

// from a start on the constraints, the closed loop equals the linear controller to first order
static void small_errors_follow_the_linear_law(void **state) {
  (void)state;
  scene z = scene_open(0.2, Q);
  fb_plant plant;
  dm_continuous *c;
  double error[2] = {0}, scale = 1e-3;
  assert_int_equal(fb_plant_discrete(&plant, &z.w.s), DM_OK);
  assert_int_equal(dm_continuous_new(&c, &z.w.s), DM_OK);
  for (int half = 0; half < 2; half++, scale /= 2) {
    double y[NX] = {0}, d[NX], x[(N + 1) * NX];
    fb_closed_loop_result result;
    for (int i = 0; i < NX; i++) d[i] = scale * (i + 1) / 4;
    // all of p, including its component along the constraint gradients: deviations from it are
    // small
    memcpy(y, z.x->q, HOIST_N * sizeof *y);
    assert_int_equal(dm_velocity_of(c, y, z.x->p, y + HOIST_N), DM_OK);
    assert_int_equal(fb_closed_loop_start(&z.w.s, c, d, y, x), DM_OK);
    for (int i = 0; i < NX; i++) d[i] = x[i] - z.f->x[i];
    assert_int_equal(fb_closed_loop_run(z.f, &plant, x, NULL, NULL, NULL, x, NULL, &result), DM_OK);
    for (int k = 0; k < N; k++) {
      double du[HOIST_K], next[NX];
      for (int i = 0; i < HOIST_K; i++) du[i] = -dot(NX, z.f->K + (k * HOIST_K + i) * NX, d);
      for (int i = 0; i < NX; i++)
        next[i] = dot(NX, z.f->A + (k * NX + i) * NX, d) +
                  dot(HOIST_K, z.f->B + (k * NX + i) * HOIST_K, du);
      memcpy(d, next, sizeof d);
    }
    for (int i = 0; i < NX; i++)
      error[half] = fmax(error[half], fabs(x[N * NX + i] - z.f->x[N * NX + i] - d[i]));
  }
  if (!(error[0] / error[1] > 3.5 && error[0] / error[1] < 4.5))
    fail_msg("errors %g, %g: not of second order", error[0], error[1]);
  dm_continuous_free(c);
  fb_plant_free(&plant);
  scene_close(&z);
}

// the constraints themselves as weighted outputs: constrained directions have no error, and gains
// ignore them
static void a_weight_on_what_constraints_hold_changes_no_gain(void **state) {
  (void)state;
  static const double heavy[] = {1e4};
  scene z = scene_open(0.3, Q);
  const fb_output_weight of = {dm_output_map_of(z.w.s.hol, HOIST_N), 1, heavy};
  const fb_knot_weight at = fb_output_weight_at_knots(&of);
  const fb_weights weights = {.Q = Q, .R = R, .Qf = Q, .Q_at = &at, .Qf_at = &at};
  fb_tvlqr *f;
  int failed;
  assert_int_equal(z.w.s.hol.nc, 1);
  assert_int_equal(fb_tvlqr_new(&f, z.x, &z.w.s, &weights, &failed, NULL), DM_OK);
  const int n = N * HOIST_K * NX;
  double most = largest(n, z.f->K), change = 0;
  for (int i = 0; i < n; i++) change = fmax(change, fabs(f->K[i] - z.f->K[i]));
  assert_true(change < 1e-9 * most);

  // P contains the weight off the constraints
  change = 0;
  for (int i = 0; i < NX * NX; i++) change = fmax(change, fabs(f->P[i] - z.f->P[i]));
  assert_true(change > 1);
  fb_tvlqr_free(f);
  scene_close(&z);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(restriction_is_a_projection_onto_the_tangents),
      cmocka_unit_test(projections_do_not_depend_on_units),
      cmocka_unit_test(gains_do_not_see_what_constraints_forbid),
      cmocka_unit_test(the_closed_loop_keeps_the_constraints),
      cmocka_unit_test(along_the_constraints_nothing_is_lost),
      cmocka_unit_test(steady_gains_of_a_hanging_load_are_constant),
      cmocka_unit_test(the_goals_tension_is_that_at_rest),
      cmocka_unit_test(small_errors_follow_the_linear_law),
      cmocka_unit_test(a_weight_on_what_constraints_hold_changes_no_gain),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
