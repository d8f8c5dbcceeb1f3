// The Kalman filter: dual of the regulator, consistent with the given noise; and a controller on
// its estimate.
#include "lib/base/dense.h"
#include "tests/support/bar.h"

#include "control/feedback/dare.h"
#include "control/feedback/estimator.h"
#include "control/feedback/kalman.h"
#include "control/feedback/output_feedback.h"
#include "control/feedback/riccati.h"
#include "control/loop/closed_loop.h"
#include "lib/base/random.h"
#include "lib/discrete/equilibrium.h"

enum { NX = 4, NY = 2, STEPS = 40 };

// a system with a time-varying A
typedef struct linear {
  double A[STEPS * NX * NX], C[NY * NX], W[NX * NX], V[NY * NY], P0[NX * NX];
  double L[STEPS * NX * NY], P[(STEPS + 1) * NX * NX];
  fb_kalman m;
} linear;

// M M' of a random M [n x n], divided by its size
static void random_square(int n, uint64_t *seed, double *out) {
  double M[NX * NX];
  for (int i = 0; i < n * n; i++) M[i] = models_random(seed);
  for (int i = 0; i < n; i++)
    for (int j = 0; j < n; j++) out[i * n + j] = dm_inner(n, M + i * n, M + j * n) / n;
}

static linear *open_linear(bool constant) {
  linear *w = calloc(1, sizeof *w);
  uint64_t seed = 77;
  for (int i = 0; i < STEPS * NX * NX; i++)
    w->A[i] = constant && i >= NX * NX ? w->A[i - NX * NX] : 1.1 * models_random(&seed);
  for (int i = 0; i < NY * NX; i++) w->C[i] = models_random(&seed);
  random_square(NX, &seed, w->W);
  random_square(NY, &seed, w->V);
  random_square(NX, &seed, w->P0);
  w->m = (fb_kalman){STEPS, NX, NY, w->A, NX * NX, w->C, w->W, w->V, w->P0};
  int failed;
  assert_int_equal(fb_kalman_sweep(&w->m, w->L, w->P, &failed), DM_OK);
  assert_int_equal(failed, -1);
  return w;
}

static void transpose(int rows, int cols, const double *X, double *out) {
  for (int i = 0; i < rows; i++)
    for (int j = 0; j < cols; j++) out[j * rows + i] = X[i * cols + j];
}

// the regulator of (A', C'), from the last step to the first, has the gain (A L)' and the same P
static void the_filter_is_the_regulator_of_the_transposed_system(void **state) {
  (void)state;
  linear *w = open_linear(false);
  static double A[STEPS * NX * NX], B[NX * NY], K[STEPS * NY * NX], P[(STEPS + 1) * NX * NX];
  for (int k = 0; k < STEPS; k++)
    transpose(NX, NX, w->A + (STEPS - 1 - k) * NX * NX, A + k * NX * NX);
  transpose(NY, NX, w->C, B);
  fb_lq lq = {.N = STEPS, .nx = NX, .nu = NY, .A = A, .B = B, .Q = w->W, .R = w->V, .Qf = w->P0};
  lq.A_stride = NX * NX;
  fb_riccati *r;
  int failed;
  assert_int_equal(fb_riccati_new(&r, NX, NY), DM_OK);
  assert_int_equal(fb_riccati_sweep(r, &lq, K, P, &failed), DM_OK);
  for (int k = 0; k < STEPS; k++) {
    double AL[NX * NY];
    dm_gemm(NX, NY, NX, 1, w->A + k * NX * NX, w->L + k * NX * NY, 0, AL);
    const double *dual = K + (STEPS - 1 - k) * NY * NX;
    for (int i = 0; i < NX; i++)
      for (int j = 0; j < NY; j++) assert_close(AL[i * NY + j], dual[j * NX + i], 1e-11);
  }
  for (int k = 0; k <= STEPS; k++)
    for (int i = 0; i < NX * NX; i++)
      assert_close(w->P[k * NX * NX + i], P[(STEPS - k) * NX * NX + i], 1e-11);
  fb_riccati_free(r);
  free(w);
}

// for a constant system it converges to the steady solution of the dual
static void after_long_it_is_the_steady_filter(void **state) {
  (void)state;
  linear *w = open_linear(true);
  double A[NX * NX], B[NX * NY], P[NX * NX], K[NY * NX];
  transpose(NX, NX, w->A, A);
  transpose(NY, NX, w->C, B);
  assert_int_equal(fb_dare_solve(NX, NY, A, B, w->W, w->V, NULL, P, K), DM_OK);
  for (int more = 0, failed; more < 10; more++) {
    memcpy(w->P0, w->P + STEPS * NX * NX, sizeof w->P0);
    assert_int_equal(fb_kalman_sweep(&w->m, w->L, w->P, &failed), DM_OK);
  }
  for (int i = 0; i < NX * NX; i++) assert_close(w->P[STEPS * NX * NX + i], P[i], 1e-11);
  free(w);
}

// L L' = S, L lower, in place; false if S is not positive definite
static bool cholesky(int n, double *S) {
  for (int i = 0; i < n; i++)
    for (int j = 0; j <= i; j++) {
      double sum = S[i * n + j];
      for (int k = 0; k < j; k++) sum -= S[i * n + k] * S[j * n + k];
      if (i == j && !(sum > 0)) return false;
      S[i * n + j] = i == j ? sqrt(sum) : sum / S[j * n + j];
    }
  return true;
}

// L^-1 e in place
static void whiten(int n, const double *L, double *e) {
  for (int i = 0; i < n; i++) {
    for (int k = 0; k < i; k++) e[i] -= L[i * n + k] * e[k];
    e[i] /= L[i * n + i];
  }
}

// every covariance is symmetric and, here, positive definite; without noise semidefinite
static void covariances_are_symmetric_and_never_negative(void **state) {
  (void)state;
  linear *w = open_linear(false);
  for (int row = 0; row < 2; row++) {
    int failed;
    if (row) memset(w->W, 0, sizeof w->W);
    assert_int_equal(fb_kalman_sweep(&w->m, w->L, w->P, &failed), DM_OK);
    for (int k = 0; k <= STEPS; k++) {
      double S[NX * NX];
      memcpy(S, w->P + k * NX * NX, sizeof S);
      for (int i = 0; i < NX; i++)
        for (int j = 0; j < i; j++) assert_true(S[i * NX + j] == S[j * NX + i]);
      for (int i = 0; row && i < NX; i++) S[i * NX + i] += 1e-14;
      assert_true(cholesky(NX, S));
    }
  }
  free(w);
}

// x += L of the matrix M = L L', times normal random numbers
static void disturb(int n, const double *M, int sample, uint64_t *i, double *x) {
  double L[NX * NX];
  memcpy(L, M, (size_t)(n * n) * sizeof *L);
  assert_true(cholesky(n, L));
  for (int j = 0; j < n; j++) {
    double e = dm_random_normal(5, sample, (*i)++);
    for (int r = j; r < n; r++) x[r] += L[r * n + j] * e;
  }
}

typedef struct tally {
  // of whitened innovations; from one knot to the next; of the final errors
  double squares, lagged, final;
} tally;

// one run of system and filter; the measurement noise is `more` times as large as the filter
// assumes
static void add_run(const linear *w, int sample, double more, tally *t) {
  double x[NX] = {0}, z[NX] = {0}, next[NX], last[NY] = {0}, V[NY * NY], S[NX * NX];
  uint64_t i = 0;
  for (int j = 0; j < NY * NY; j++) V[j] = more * w->V[j];
  disturb(NX, w->P0, sample, &i, x);
  for (int k = 0; k < STEPS; k++) {
    const double *A = w->A + k * NX * NX, *L = w->L + k * NX * NY, *P = w->P + k * NX * NX;
    double e[NY] = {0}, CP[NY * NX], white[NY];
    disturb(NY, V, sample, &i, e);
    for (int a = 0; a < NY; a++)
      e[a] += dm_inner(NX, w->C + a * NX, x) - dm_inner(NX, w->C + a * NX, z);
    dm_gemm(NY, NX, NX, 1, w->C, P, 0, CP);
    for (int a = 0; a < NY; a++)
      for (int b = 0; b < NY; b++)
        S[a * NY + b] = w->V[a * NY + b] + dm_inner(NX, CP + a * NX, w->C + b * NX);
    assert_true(cholesky(NY, S));
    memcpy(white, e, sizeof e);
    whiten(NY, S, white);
    t->squares += dm_inner(NY, white, white);
    t->lagged += dm_inner(NY, white, last);
    memcpy(last, white, sizeof last);
    for (int r = 0; r < NX; r++) z[r] += dm_inner(NY, L + r * NY, e);
    for (int r = 0; r < NX; r++) next[r] = dm_inner(NX, A + r * NX, z);
    memcpy(z, next, sizeof z);
    for (int r = 0; r < NX; r++) next[r] = dm_inner(NX, A + r * NX, x);
    memcpy(x, next, sizeof x);
    disturb(NX, w->W, sample, &i, x);
  }
  memcpy(S, w->P + STEPS * NX * NX, sizeof S);
  assert_true(cholesky(NX, S));
  for (int r = 0; r < NX; r++) x[r] -= z[r];
  whiten(NX, S, x);
  t->final += dm_inner(NX, x, x);
}

// the sum of d squared normal numbers is d with standard deviation sqrt(2 d); a deviation of five
// times that does not occur, and twice the noise always causes one
static void innovations_are_white_and_of_the_size_foretold(void **state) {
  (void)state;
  enum { RUNS = 400 };
  linear *w = open_linear(false);
  tally t = {0}, wrong = {0};
  for (int s = 0; s < RUNS; s++) add_run(w, s, 1, &t), add_run(w, s, 2, &wrong);
  double d = RUNS * STEPS * NY;
  assert_close(t.squares, d, 5 * sqrt(2 * d));
  assert_close(t.lagged, 0, 5 * sqrt(d));
  assert_close(t.final, RUNS * NX, 5 * sqrt(2. * RUNS * NX));
  assert_true(wrong.squares > d + 5 * sqrt(2 * d));
  free(w);
}

static void noise_is_normal_and_one_stream_is_not_another(void **state) {
  (void)state;
  enum { DRAWS = 20000 };
  double sum = 0, squares = 0, fourth = 0, cross = 0;
  for (int i = 0; i < DRAWS; i++) {
    double a = dm_random_normal(1, 3, (uint64_t)i), b = dm_random_normal(1, 4, (uint64_t)i);
    sum += a, squares += a * a, fourth += a * a * a * a, cross += a * b;
  }
  assert_close(sum / DRAWS, 0, 5 / sqrt(DRAWS));
  assert_close(squares / DRAWS, 1, 5 * sqrt(2. / DRAWS));
  assert_close(fourth / DRAWS, 3, 5 * sqrt(96. / DRAWS));
  assert_close(cross / DRAWS, 0, 5 / sqrt(DRAWS));
  assert_true(dm_random_normal(1, 3, 7) == dm_random_normal(1, 3, 7));
  assert_true(dm_random_normal(2, 3, 7) != dm_random_normal(1, 3, 7));
}

// -- a controller on the estimate

// a cart-pole balanced upright
typedef struct upright {
  dm_model *m;
  dm_system s;
  dm_trajectory *x;
  fb_tvlqr *f;
  fb_estimator *est;
  fb_sensor sensor;
  fb_output_feedback *law; // the controller that runs if inputs are delayed
} upright;

static upright stand(const fb_sensor_noise *set, const double *R, int delay) {
  static const double Q[] = {10, 10, 1, 1};
  upright w = {.m = models_cart_pole()};
  dm_message msg = {""};
  int failed;
  w.s = dm_system_of(w.m);
  assert_int_equal(dm_trajectory_of(&w.x, STEPS, &w.s), DM_OK);
  w.x->h = 0.02;
  assert_int_equal(dm_trajectory_rest(w.x, &w.s, (double[]){0, acos(-1)}, (double[]){0, 0}, NULL),
                   DM_OK);
  fb_weights weights = {.Q = Q, .R = R, .rest = STEPS, .delay = delay};
  assert_int_equal(fb_tvlqr_new(&w.f, w.x, &w.s, &weights, &failed, &msg), DM_OK);
  assert_int_equal(fb_estimator_new(&w.est, w.f, &w.s, set, &failed, &msg), DM_OK);
  w.sensor = fb_estimator_sensor(w.est);
  if (delay)
    assert_int_equal(fb_output_feedback_new(&w.law, w.f, &w.s, FB_STATE, false, &msg), DM_OK);
  return w;
}

static void fall(upright *w) {
  fb_output_feedback_free(w->law);
  fb_estimator_free(w->est);
  fb_tvlqr_free(w->f);
  dm_trajectory_free(w->x);
  dm_model_free(w->m);
}

// x_N minus its estimate, for sample s on a plant
static void last_error(upright *w, const fb_plant *plant, int s, double *e) {
  static double x[(STEPS + 1) * NX];
  fb_closed_loop_result r;
  const fb_sensor_noise *set = &w->est->set;
  memcpy(x, w->f->x, NX * sizeof *x);
  for (int i = 0; i < NX; i++)
    x[i] += (i < 2 ? set->start_q[i] : set->start_p[i - 2]) * dm_random_normal(99, s, (uint64_t)i);
  fb_tvlqr *runs = w->law ? &w->law->f : w->f;
  runs->sensor = &w->sensor;
  w->sensor.begin(w->sensor.self, s);
  assert_int_equal(fb_closed_loop_run(runs, plant, x, NULL, NULL, NULL, x, NULL, &r), DM_OK);
  for (int i = 0; i < NX; i++) e[i] = x[STEPS * NX + i] - w->f->x[STEPS * NX + i] - w->est->z[i];
}

// noise small enough to make the motion linear; only the cart's position is measured
static const double encoder[] = {1e-6, INFINITY}, impulse[] = {3e-6, 1e-6}, far[] = {1e-5, 2e-5};

// on the nonlinear map, the errors agree with the filter's covariance
static void errors_on_the_map_are_as_foretold(void **state) {
  (void)state;
  enum { RUNS = 300 };
  static const double R[] = {1};
  fb_sensor_noise set = {encoder, impulse, far, far, 4, INFINITY, NULL, NULL};
  upright w = stand(&set, R, 0);
  fb_plant plant;
  assert_int_equal(fb_plant_discrete(&plant, &w.s), DM_OK);
  double S[NX * NX], sum = 0, e[NX];
  memcpy(S, w.est->P + STEPS * NX * NX, sizeof S);
  assert_true(cholesky(NX, S));
  for (int s = 0; s < RUNS; s++) {
    last_error(&w, &plant, s, e);
    whiten(NX, S, e);
    sum += dm_inner(NX, e, e);
  }
  assert_close(sum, RUNS * NX, 5 * sqrt(2. * RUNS * NX));
  int coord;
  assert_true(fb_estimator_spread(w.est, 0, 0, &coord) == 2e-5 && coord == 1);
  assert_true(fb_estimator_deviation(w.est, 0, 1) == 2e-5);
  fb_plant_free(&plant);
  fall(&w);
}

// x <- A x + B u about the desired motion
static dm_status linear_step(void *self, double *x, const double *u, double h) {
  const fb_tvlqr *f = self;
  double next[NX];
  (void)h;
  for (int i = 0; i < NX; i++) {
    next[i] = f->x[i] + f->B[i] * (u[0] - f->u[0]);
    for (int j = 0; j < NX; j++) next[i] += f->A[i * NX + j] * (x[j] - f->x[j]);
  }
  memcpy(x, next, sizeof next);
  return DM_OK;
}

// Impulses act on the plant, with their standard deviation, unless machines are drawn.
static void drawn_machines_have_no_impulses(void **state) {
  (void)state;
  enum { RUNS = 10, COUNT = RUNS * STEPS };
  static const double R[] = {1};
  fb_sensor_noise set = {encoder, impulse, far, far, 4, INFINITY, NULL, NULL};
  upright w = stand(&set, R, 0);
  const fb_sensor sensor = fb_estimator_sensor(w.est);
  for (int drawn = 0; drawn < 2; drawn++) {
    double sum = 0, x[NX], u = 0;
    w.est->drawn = drawn;
    for (int j = 0; j < COUNT; j++) {
      const int k = j % STEPS;
      if (k == 0) sensor.begin(sensor.self, j / STEPS);
      memcpy(x, w.f->x, sizeof x);
      sensor.measure(sensor.self, k, x);
      sensor.act(sensor.self, k, &u, x);
      for (int i = 0; i < NX / 2; i++)
        sum += pow((x[NX / 2 + i] - w.f->x[NX / 2 + i]) / impulse[i], 2);
    }
    // chi2 of COUNT NX / 2 numbers
    assert_close(sum, drawn ? 0 : COUNT * NX / 2, drawn ? 0 : 5 * sqrt(COUNT * NX));
  }
  fall(&w);
}

// separation: the estimation error depends neither on the gains nor on the time when inputs act
static void the_error_does_not_depend_on_the_gains(void **state) {
  (void)state;
  static const double cheap[] = {1e-3}, dear[] = {10};
  fb_sensor_noise set = {encoder, impulse, far, far, 4, INFINITY, NULL, NULL};
  upright w[] = {stand(&set, cheap, 0), stand(&set, dear, 0), stand(&set, cheap, 1)};
  assert_true(fabs(w[0].f->K[0] - w[1].f->K[0]) > 1);
  for (int s = 0; s < 5; s++) {
    double e[3][NX];
    for (int i = 0; i < 3; i++) {
      fb_plant plant = {.n = 2, .nu = 1, .self = w[i].f, .step = linear_step};
      last_error(&w[i], &plant, s, e[i]);
      for (int j = 0; j < NX; j++) assert_close(e[0][j], e[i][j], 1e-14);
    }
    assert_true(fabs(e[0][1]) > 1e-7);
  }
  for (int i = 0; i < 3; i++) fall(&w[i]);
}

// an input decided one step in advance uses the filter's prediction
static void a_late_input_answers_the_prediction(void **state) {
  (void)state;
  static const double R[] = {1};
  static double x[(STEPS + 1) * NX], u[STEPS];
  fb_sensor_noise set = {encoder, impulse, far, far, 4, INFINITY, NULL, NULL};
  upright in_time = stand(&set, R, 0), late = stand(&set, R, 1);
  fb_plant plant = {.n = 2, .nu = 1, .self = late.f, .step = linear_step};
  fb_closed_loop_result r;
  for (int k = 1; k < STEPS; k++) { // up to the knot before the one at which the last input acts
    late.law->f.N = k + 1;
    late.law->f.sensor = &late.sensor;
    late.sensor.begin(late.sensor.self, 0);
    memcpy(x, late.f->x, NX * sizeof *x);
    assert_int_equal(fb_closed_loop_run(&late.law->f, &plant, x, NULL, NULL, NULL, x, u, &r),
                     DM_OK);
    double last = u[k], z[NX];
    late.law->f.N = k; // the estimate there, before its measurement
    late.sensor.begin(late.sensor.self, 0);
    assert_int_equal(fb_closed_loop_run(&late.law->f, &plant, x, NULL, NULL, NULL, x, u, &r),
                     DM_OK);
    memcpy(z, late.est->z, sizeof z);
    assert_close(last, -dm_inner(NX, in_time.f->K, z), 1e-10 * fabs(last));
    assert_true(fabs(last) > 1e-8);
  }
  fall(&in_time), fall(&late);
}

// number of final rows of L that are bitwise equal
static int repeated(const double *L, int len) {
  int k = STEPS;
  while (k > 0 && !memcmp(L + (k - 1) * len, L + (STEPS - 1) * len, (size_t)len * sizeof *L)) k--;
  return STEPS - k;
}

// a filter that has converged has a single gain, which it keeps for all times
static void at_rest_the_filter_settles(void **state) {
  (void)state;
  static const double R[] = {1}, both[] = {1e-3, 1e-3}, shaken[] = {0.1, 0.1};
  static double L[STEPS * NX * NY];
  fb_sensor_noise set = {both, shaken, far, far, 4, INFINITY, NULL, NULL};
  upright w = stand(&set, R, 0);
  fb_kalman m = {STEPS, NX, NY, w.f->A, NX * NX, w.est->C, w.est->W, w.est->V, w.est->P0};
  int failed;
  assert_int_equal(fb_kalman_sweep(&m, L, NULL, &failed), DM_OK);
  for (int i = 0; i < STEPS * NX * NY; i++)
    assert_close(w.est->L[i], L[i], 1e-12 * (1 + fabs(L[i])));
  assert_true(repeated(w.est->L, NX * NY) > repeated(L, NX * NY) + 3);
  assert_true(w.est->L[0] != w.est->L[NX * NY]); // and not before
  fall(&w);
}

// with constraints: a bar on two strings has no covariance in the forbidden directions
static void no_covariance_lies_off_the_constraints(void **state) {
  (void)state;
  enum { BX = 2 * N };
  static const double ones[] = {1, 1, 1, 1, 1, 1, 1, 1, 1, 1};
  static const double eye[] = {INFINITY, INFINITY, 1e-3, INFINITY, INFINITY};
  fb_sensor_noise set = {eye, ones, ones, ones, 1, INFINITY, NULL, NULL};
  bar b = hang();
  dm_trajectory *x;
  dm_message msg = {""};
  fb_tvlqr *f;
  fb_estimator *est;
  int failed;
  assert_int_equal(dm_trajectory_of(&x, STEPS, &b.s), DM_OK);
  x->h = 0.02;
  double q[] = {0.1, -0.9, 0.05, 1.1, 0.9}, u[2], lambda[2];
  assert_int_equal(dm_equilibrium_find(&b.s, NULL, NULL, x->h, q, u, lambda, NULL, NULL), DM_OK);
  assert_int_equal(dm_trajectory_rest(x, &b.s, q, u, lambda), DM_OK);
  fb_weights weights = {.Q = ones, .R = ones, .rest = STEPS};
  if (fb_tvlqr_new(&f, x, &b.s, &weights, &failed, &msg) != DM_OK) fail_msg("%s", msg.text);
  if (fb_estimator_new(&est, f, &b.s, &set, &failed, &msg) != DM_OK) fail_msg("%s", msg.text);
  double h[2], Dh[2 * N];
  void *scratch = aligned_alloc(64, (b.s.hol.scratch + 63) / 64 * 64);
  assert_int_equal(b.s.hol.eval(b.s.hol.self, scratch, q, h, Dh), DM_OK);
  for (int k = 0; k <= STEPS; k++)
    for (int c = 0; c < 2; c++)
      for (int j = 0; j < BX; j++) {
        double sum = 0;
        for (int i = 0; i < N; i++) sum += Dh[c * N + i] * est->P[(k * BX + i) * BX + j];
        assert_close(sum, 0, 1e-12);
      }
  // prescribed coordinates have no momentum that a disturbance could change
  double at[BX];
  fb_sensor watch = fb_estimator_sensor(est);
  memcpy(at, f->x, sizeof at);
  watch.begin(est, 1);
  watch.act(est, 0, f->u, at);
  for (int i = 0; i < N; i++) {
    const bool prescribed = i == LEFT || i == RIGHT;
    assert_true((est->W[(N + i) * BX + N + i] == 0) == prescribed);
    assert_true(at[i] == f->x[i] && (at[N + i] == f->x[N + i]) == prescribed);
  }
  int coord;
  assert_true(fb_estimator_spread(est, STEPS, 0, &coord) > 1e-4);
  free(scratch);
  fb_estimator_free(est);
  fb_tvlqr_free(f);
  dm_trajectory_free(x);
  drop(&b);
}

static void what_cannot_be_filtered_is_refused(void **state) {
  (void)state;
  linear *w = open_linear(false);
  int failed;
  memset(w->V, 0, sizeof w->V);
  memset(w->C, 0, sizeof w->C);
  assert_int_equal(fb_kalman_sweep(&w->m, w->L, w->P, &failed), DM_NOT_DEFINITE);
  assert_int_equal(failed, 0);
  w->P0[0] = NAN;
  assert_int_equal(fb_kalman_sweep(&w->m, w->L, w->P, &failed), DM_NOT_FINITE);
  w->m.ny = 0;
  assert_int_equal(fb_kalman_sweep(&w->m, w->L, w->P, &failed), DM_BAD_INPUT);
  free(w);
  static const double R[] = {1}, none[] = {INFINITY, INFINITY};
  fb_sensor_noise set = {encoder, impulse, far, far, 4, INFINITY, NULL, NULL};
  upright z = stand(&set, R, 0);
  fb_estimator *est;
  dm_message msg = {""};
  set.encoder = none;
  assert_int_equal(fb_estimator_new(&est, z.f, &z.s, &set, &failed, &msg), DM_BAD_INPUT);
  assert_null(est);
  assert_non_null(strstr(msg.text, "no coordinate is measured"));
  fall(&z);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(the_filter_is_the_regulator_of_the_transposed_system),
      cmocka_unit_test(after_long_it_is_the_steady_filter),
      cmocka_unit_test(covariances_are_symmetric_and_never_negative),
      cmocka_unit_test(innovations_are_white_and_of_the_size_foretold),
      cmocka_unit_test(noise_is_normal_and_one_stream_is_not_another),
      cmocka_unit_test(errors_on_the_map_are_as_foretold),
      cmocka_unit_test(drawn_machines_have_no_impulses),
      cmocka_unit_test(the_error_does_not_depend_on_the_gains),
      cmocka_unit_test(a_late_input_answers_the_prediction),
      cmocka_unit_test(at_rest_the_filter_settles),
      cmocka_unit_test(no_covariance_lies_off_the_constraints),
      cmocka_unit_test(what_cannot_be_filtered_is_refused),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
