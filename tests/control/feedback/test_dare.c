// Steady Riccati solution: its equation, its stability, and the messages if it does not exist.
#include "lib/base/dense.h"
#include "tests/support/models.h"

#include "control/feedback/dare.h"
#include "control/feedback/riccati.h"

enum { MOST = 30 };

typedef struct plant {
  int nx, nu;
  double A[MOST * MOST], B[MOST * MOST], Q[MOST * MOST], R[MOST * MOST];
  double P[MOST * MOST], K[MOST * MOST];
} plant;

// random and mildly unstable, with positive definite weights
static plant random_plant(int nx, int nu, uint64_t seed) {
  plant p = {.nx = nx, .nu = nu};
  for (int i = 0; i < nx * nx; i++) p.A[i] = 2.2 * models_random(&seed) / sqrt(nx);
  for (int i = 0; i < nx * nu; i++) p.B[i] = models_random(&seed);
  for (int i = 0; i < nx; i++) p.Q[i * nx + i] = 1.1 + models_random(&seed);
  for (int i = 0; i < nu; i++) p.R[i * nu + i] = 1.1 + models_random(&seed);
  return p;
}

static dm_status solve(plant *p) {
  return fb_dare_solve(p->nx, p->nu, p->A, p->B, p->Q, p->R, NULL, p->P, p->K);
}

static double size_of(int n, const double *x) {
  double most = 0;
  for (int i = 0; i < n; i++) most = fmax(most, fabs(x[i]));
  return most;
}

// the largest entry of (A - BK)^(2^30)
static double after_long(const plant *p) {
  static double C[MOST * MOST], C2[MOST * MOST];
  memcpy(C, p->A, sizeof C);
  dm_gemm(p->nx, p->nx, p->nu, -1, p->B, p->K, 1, C);
  for (int k = 0; k < 30 && size_of(p->nx * p->nx, C) < 1e100; k++) {
    dm_gemm(p->nx, p->nx, p->nx, 1, C, C, 0, C2);
    memcpy(C, C2, sizeof C);
  }
  return size_of(p->nx * p->nx, C);
}

static const struct {
  int nx, nu;
} sizes[] = {{1, 1}, {2, 1}, {4, 1}, {5, 2}, {8, 4}, {12, 6}, {30, 5}};

static void the_sweep_of_a_long_horizon_ends_there(void **state) {
  (void)state;
  static double K[1000 * MOST * MOST], P[1001 * MOST * MOST];
  for (int row = 0; row < COUNT(sizes); row++) {
    plant p = random_plant(sizes[row].nx, sizes[row].nu, 9);
    int nx = p.nx, nu = p.nu, N = 1000, failed;
    assert_int_equal(solve(&p), DM_OK);
    fb_lq lq = {.N = N, .nx = nx, .nu = nu, .A = p.A, .B = p.B, .Q = p.Q, .R = p.R, .Qf = p.Q};
    fb_riccati *w;
    assert_int_equal(fb_riccati_new(&w, nx, nu), DM_OK);
    assert_int_equal(fb_riccati_sweep(w, &lq, K, P, &failed), DM_OK);
    for (int i = 0; i < nx * nx; i++)
      assert_true(fabs(P[i] - p.P[i]) <= 1e-12 * size_of(nx * nx, p.P));
    for (int i = 0; i < nu * nx; i++)
      assert_true(fabs(K[i] - p.K[i]) <= 1e-11 * size_of(nu * nx, p.K));

    // one more stage from P returns P: the equation holds up to rounding
    lq.N = 1, lq.Qf = p.P;
    assert_int_equal(fb_riccati_sweep(w, &lq, K, P, &failed), DM_OK);
    for (int i = 0; i < nx * nx; i++)
      assert_true(fabs(P[i] - p.P[i]) <= 1e-13 * size_of(nx * nx, p.P));
    fb_riccati_free(w);
  }
}

// with cheap inputs I + GH is nearly singular: Newton's method recovers the accuracy that doubling
// has lost
static void cheap_inputs_cost_no_accuracy(void **state) {
  (void)state;
  static double K[MOST * MOST], P[2 * MOST * MOST];
  for (int row = 1; row < COUNT(sizes); row++) {
    plant p = random_plant(sizes[row].nx, sizes[row].nu, 5);
    int nx = p.nx, nu = p.nu, failed;
    for (int i = 0; i < nu; i++) p.R[i * nu + i] *= 1e-7;
    for (int i = 0; i < nx; i++) p.Q[i * nx + i] *= i % 2 ? 1 : 1e4;
    assert_int_equal(solve(&p), DM_OK);
    fb_lq lq = {.N = 1, .nx = nx, .nu = nu, .A = p.A, .B = p.B, .Q = p.Q, .R = p.R, .Qf = p.P};
    fb_riccati *w;
    assert_int_equal(fb_riccati_new(&w, nx, nu), DM_OK);
    assert_int_equal(fb_riccati_sweep(w, &lq, K, P, &failed), DM_OK);
    for (int i = 0; i < nx * nx; i++)
      assert_true(fabs(P[i] - p.P[i]) <= 1e-12 * size_of(nx * nx, p.P));
    fb_riccati_free(w);
  }
}

// with K the eigenvalues are inside the unit circle, without K they are the eigenvalues of A
static void the_radius_is_that_of_the_loop(void **state) {
  (void)state;
  plant p = {.nx = 2, .nu = 1, .A = {2, 1, 0, 0.5}, .B = {1, 0}, .Q = {1, 0, 0, 1}, .R = {1}};
  double open, closed;
  assert_int_equal(solve(&p), DM_OK);
  assert_int_equal(fb_dare_radius(2, 1, p.A, p.B, NULL, NULL, &open), DM_OK);
  assert_int_equal(fb_dare_radius(2, 1, p.A, p.B, p.K, NULL, &closed), DM_OK);
  assert_close(open, 2, 1e-14);
  assert_close(closed, fmax(0.5, fabs(2 - p.K[0])), 1e-14);
}

// b = 1: P^2 + P (R - a^2 R - Q) - Q R = 0
static void scalar_solution_is_the_root_of_its_quadratic(void **state) {
  (void)state;
  static const double a[] = {0, 0.5, 1, 1.001, -3, 100}, Q = 0.7, R = 2.5, B = 1;
  for (int i = 0; i < COUNT(a); i++) {
    double P, K, b = R - a[i] * a[i] * R - Q, root = (-b + sqrt(b * b + 4 * Q * R)) / 2;
    assert_int_equal(fb_dare_solve(1, 1, &a[i], &B, &Q, &R, NULL, &P, &K), DM_OK);
    double rounding = 1e-15 * (1 + a[i] * a[i]); // P is a small difference of terms of size a^2 P
    assert_true(fabs(P - root) <= rounding * root);
    assert_true(fabs(K - a[i] * root / (R + root)) <= rounding);
  }
}

static void the_loop_it_closes_is_stable(void **state) {
  (void)state;
  for (int row = 0; row < COUNT(sizes); row++)
    for (uint64_t seed = 1; seed < 6; seed++) {
      plant p = random_plant(sizes[row].nx, sizes[row].nu, seed);
      assert_int_equal(solve(&p), DM_OK);
      assert_true(after_long(&p) < 1e-12);
    }
}

// A = diag(a, a steered mode), the first mode without input
static plant with_free_mode(double a, double weight) {
  return (plant){.nx = 3,
                 .nu = 1,
                 .A = {a, 0, 0, 0.2, 1, 0.1, 0, 0, 1},
                 .B = {0, 0, 0.1},
                 .Q = {weight, 0, 0, 0, 1, 0, 0, 0, 1},
                 .R = {1},
                 .P = {-7},
                 .K = {-7}};
}

static void a_mode_without_input_that_stays_is_named(void **state) {
  (void)state;
  static const struct {
    double a, weight;
  } rows[] = {{2, 1}, {1.01, 1}, {1, 1}, {-1, 1}, {1, 0}, {2, 0}};
  for (int i = 0; i < COUNT(rows); i++) {
    plant p = with_free_mode(rows[i].a, rows[i].weight);
    int stuck;
    assert_int_equal(solve(&p), DM_MAX_ITER);
    assert_true(p.P[0] == -7 && p.K[0] == -7);
    assert_int_equal(fb_dare_stuck(p.nx, p.nu, p.A, p.B, NULL, NULL, 0, &stuck), DM_OK);
    assert_int_equal(stuck, 0);
  }
}

static void a_mode_without_input_that_decays_is_none(void **state) {
  (void)state;
  plant p = with_free_mode(0.9, 1);
  int stuck;
  assert_int_equal(solve(&p), DM_OK);
  assert_true(after_long(&p) < 1e-12);
  assert_int_equal(fb_dare_stuck(p.nx, p.nu, p.A, p.B, NULL, NULL, 0, &stuck), DM_OK);
  assert_int_equal(stuck, -1);
}

// two oscillating modes, the first pair without input
static void a_free_oscillation_is_named(void **state) {
  (void)state;
  double c = cos(0.3), s = sin(0.3);
  plant p = {
      .nx = 4, .nu = 1, .A = {c, -s, 0, 0, s, c, 0, 0, 0, 0, s, -c, 0, 0, c, s}, .B = {0, 0, 0, 1}};
  int stuck;
  assert_int_equal(fb_dare_stuck(p.nx, p.nu, p.A, p.B, NULL, NULL, 0, &stuck), DM_OK);
  assert_in_range(stuck, 0, 1);
}

// two equal mechanisms (q1, q2, p1, p2) driven by one input: their difference is uncontrollable
static void twins_cannot_be_told_apart_by_one_input(void **state) {
  (void)state;
  const double a = 1.004, h = 0.098, g = 0.08;
  plant p = {
      .nx = 4, .nu = 1, .A = {a, 0, h, 0, 0, a, 0, h, g, 0, a, 0, 0, g, 0, a}, .B = {1, 1, 0, 0}};
  int stuck;
  assert_int_equal(fb_dare_stuck(p.nx, p.nu, p.A, p.B, NULL, NULL, 0, &stuck), DM_OK);
  assert_in_range(stuck, 0, 3);
  const double both[] = {1, 0, 0, 1, 0, 0, 0, 0};
  assert_int_equal(fb_dare_stuck(4, 2, p.A, both, NULL, NULL, 0, &stuck), DM_OK);
  assert_int_equal(stuck, -1);
}

// A mode that no weight sees, added to a plant in other coordinates x = T y: it neither decays nor is
// steered, and adds no cost and no gain. With a weight on it, it is the one that is named.
static void a_mode_that_no_weight_sees_is_left_alone(void **state) {
  (void)state;
  enum { NX = 5, NU = 2, M = NX + 1 };
  plant p = random_plant(NX, NU, 4), big = {.nx = M, .nu = NU};
  int stuck;
  assert_int_equal(solve(&p), DM_OK);

  // y = (x, m), m' = x_0 + m; then m takes part of x_1: m = n - 0.3 x_1
  double T[M * M] = {0}, Ti[M * M] = {0}, A[M * M] = {0}, X[M * M];
  for (int i = 0; i < M; i++) T[i * M + i] = Ti[i * M + i] = 1;
  T[NX * M + 1] = 0.3;
  Ti[NX * M + 1] = -0.3;
  for (int i = 0; i < NX; i++) memcpy(A + i * M, p.A + i * NX, NX * sizeof *A);
  A[NX * M] = A[NX * M + NX] = 1;
  dm_gemm(M, M, M, 1, T, A, 0, X);
  dm_gemm(M, M, M, 1, X, Ti, 0, big.A);
  for (int i = 0; i < M; i++)
    for (int j = 0; j < NU; j++)
      for (int k = 0; k < NX; k++) big.B[i * NU + j] += T[i * M + k] * p.B[k * NU + j];
  for (int i = 0; i < NX; i++) big.Q[i * M + i] = p.Q[i * NX + i];
  memcpy(big.R, p.R, sizeof big.R);

  assert_int_equal(solve(&big), DM_MAX_ITER);
  assert_int_equal(fb_dare_solve_seen(M, NU, big.A, big.B, big.Q, big.R, NULL, big.P, big.K),
                   DM_OK);
  const double size = size_of(NX * NX, p.P), gain = size_of(NU * NX, p.K);
  for (int i = 0; i < M; i++)
    for (int j = 0; j < M; j++)
      assert_close(big.P[i * M + j], i < NX && j < NX ? p.P[i * NX + j] : 0, 1e-10 * size);
  for (int i = 0; i < NU; i++)
    for (int j = 0; j < M; j++)
      assert_close(big.K[i * M + j], j < NX ? p.K[i * NX + j] : 0, 1e-10 * gain);
  assert_int_equal(fb_dare_stuck(M, NU, big.A, big.B, big.Q, NULL, 0, &stuck), DM_OK);
  assert_int_equal(stuck, -1);
}

// P = 0 solves the equation and leaves the unstable mode unchanged: it is not a valid solution
static void an_unstable_mode_that_no_weight_sees_is_refused(void **state) {
  (void)state;
  plant p = {.nx = 1, .nu = 1, .A = {2}, .B = {1}, .Q = {0}, .R = {1}};
  int stuck;
  assert_int_equal(solve(&p), DM_MAX_ITER);
  assert_int_equal(fb_dare_stuck(p.nx, p.nu, p.A, p.B, NULL, NULL, 0, &stuck), DM_OK);
  assert_int_equal(stuck, -1);
}

// P at the start of N stages, of P at their end
static void sweep_period(const fb_lq *lq, const double *Qf, double *P) {
  static double K[8 * MOST * MOST], all[9 * MOST * MOST];
  fb_riccati *w;
  fb_lq own = *lq;
  int failed;
  own.Qf = Qf;
  assert_int_equal(fb_riccati_new(&w, lq->nx, lq->nu), DM_OK);
  assert_int_equal(fb_riccati_sweep(w, &own, K, all, &failed), DM_OK);
  memcpy(P, all, (size_t)(lq->nx * lq->nx) * sizeof *P);
  fb_riccati_free(w);
}

// Doubling of a period is a fixed point of the recursion: of random stages, in other units, and of an oscillator that a
// weak input damps by 1e-4 in a period, where the recursion alone needs 1e5 periods.
static void stages_that_repeat_have_the_limit_of_the_recursion(void **state) {
  (void)state;
  enum { N = 5, NX = 4, NU = 2 };
  double A[N * NX * NX], B[N * NX * NU], Q[NX * NX], R[NU * NU], P[NX * NX], P0[NX * NX];
  const double size[NX] = {1e3, 1, 1e-3, 10};
  for (int k = 0; k < N; k++) {
    const plant p = random_plant(NX, NU, (uint64_t)(50 + k));
    memcpy(A + k * NX * NX, p.A, sizeof(double[NX * NX]));
    memcpy(B + k * NX * NU, p.B, sizeof(double[NX * NU]));
    memcpy(Q, p.Q, sizeof Q);
    memcpy(R, p.R, sizeof R);
  }
  const fb_lq lq = {.N = N,
                    .nx = NX,
                    .nu = NU,
                    .A = A,
                    .B = B,
                    .Q = Q,
                    .R = R,
                    .A_stride = NX * NX,
                    .B_stride = NX * NU};
  for (int units = 0; units < 2; units++) {
    assert_int_equal(fb_dare_period(&lq, units ? size : NULL, P), DM_OK);
    sweep_period(&lq, P, P0);
    for (int i = 0; i < NX * NX; i++) assert_close(P0[i], P[i], 1e-10 * size_of(NX * NX, P));
  }

  // a weak input
  const double c = cos(0.3), s = sin(0.3), turn[] = {c, s, -s, c}, weak[] = {0, 1e-2},
               light[] = {1e-5, 0, 0, 1e-5}, one[] = {1};
  const fb_lq slow = {.N = N, .nx = 2, .nu = 1, .A = turn, .B = weak, .Q = light, .R = one};
  assert_int_equal(fb_dare_period(&slow, NULL, P), DM_OK);
  sweep_period(&slow, P, P0);
  for (int i = 0; i < 4; i++) assert_close(P0[i], P[i], 1e-10 * size_of(4, P));
}

static void bad_weights_are_told_apart(void **state) {
  (void)state;
  plant p = random_plant(4, 2, 1);
  p.R[0] = 0;
  assert_int_equal(solve(&p), DM_NOT_DEFINITE);
  p.R[0] = -1;
  assert_int_equal(solve(&p), DM_NOT_DEFINITE);
  p.R[0] = 1, p.Q[3] = NAN;
  assert_int_equal(solve(&p), DM_NOT_FINITE);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(cheap_inputs_cost_no_accuracy),
      cmocka_unit_test(the_radius_is_that_of_the_loop),
      cmocka_unit_test(the_sweep_of_a_long_horizon_ends_there),
      cmocka_unit_test(scalar_solution_is_the_root_of_its_quadratic),
      cmocka_unit_test(the_loop_it_closes_is_stable),
      cmocka_unit_test(a_mode_without_input_that_stays_is_named),
      cmocka_unit_test(a_mode_without_input_that_decays_is_none),
      cmocka_unit_test(a_free_oscillation_is_named),
      cmocka_unit_test(twins_cannot_be_told_apart_by_one_input),
      cmocka_unit_test(a_mode_that_no_weight_sees_is_left_alone),
      cmocka_unit_test(an_unstable_mode_that_no_weight_sees_is_refused),
      cmocka_unit_test(stages_that_repeat_have_the_limit_of_the_recursion),
      cmocka_unit_test(bad_weights_are_told_apart),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
