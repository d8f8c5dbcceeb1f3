// The Riccati sweep: compared with the optimality conditions of the whole problem and with the
// formulas written out, with wide and narrow registers; and its errors for problems without a
// solution.
#include "lib/base/dense.h"
#include "tests/support/models.h"
#include "tests/support/skips.h"

#include "control/feedback/riccati.h"

#if defined(__has_feature)
#if __has_feature(address_sanitizer)
#define SANITIZED
#endif
#endif
#ifdef __SANITIZE_ADDRESS__
#define SANITIZED
#endif
#if defined(__GLIBC__) && !defined(SANITIZED)
#define COUNTS
// counts every allocation of the process, including those of BLAS
static int allocations;
extern void *__libc_malloc(size_t size);
extern void *__libc_calloc(size_t count, size_t size);
extern void *__libc_realloc(void *p, size_t size);
extern void *__libc_memalign(size_t alignment, size_t size);
void *malloc(size_t size) {
  allocations++;
  return __libc_malloc(size);
}
void *calloc(size_t count, size_t size) {
  allocations++;
  return __libc_calloc(count, size);
}
void *realloc(void *p, size_t size) {
  allocations++;
  return __libc_realloc(p, size);
}
void *aligned_alloc(size_t alignment, size_t size) {
  allocations++;
  return __libc_memalign(alignment, size);
}
#endif

typedef struct problem {
  fb_lq lq;
  double *A, *B, *Q, *R, *S, *Qf; // of N stages
  double *K, *P;
} problem;

static double *doubles(size_t n) {
  double *x = calloc(n, sizeof *x);
  assert_non_null(x);
  return x;
}

// C'C of a random C, which makes [Q S; S' R] positive semidefinite, with R + 1
static void random_weights(problem *p, int k, uint64_t *r) {
  int nx = p->lq.nx, nu = p->lq.nu, m = nx + nu;
  double *C = doubles((size_t)m * m);
  for (int i = 0; i < m * m; i++) C[i] = models_random(r);
  for (int i = 0; i < m; i++)
    for (int j = 0; j < m; j++) {
      double g = i == j && i >= nx ? 1 : 0;
      for (int l = 0; l < m; l++) g += C[l * m + i] * C[l * m + j];
      if (i < nx && j < nx) p->Q[(k * nx + i) * nx + j] = g;
      if (i >= nx && j >= nx) p->R[(k * nu + i - nx) * nu + j - nx] = g;
      if (i < nx && j >= nx) p->S[(k * nx + i) * nu + j - nx] = g;
    }
  free(C);
}

static problem random_problem(int N, int nx, int nu, uint64_t seed) {
  size_t xx = (size_t)nx * nx, xu = (size_t)nx * nu, uu = (size_t)nu * nu, n = (size_t)N;
  problem p = {{.N = N, .nx = nx, .nu = nu},
               doubles(n * xx),
               doubles(n * xu),
               doubles(n * xx),
               doubles(n * uu),
               doubles(n * xu),
               doubles(xx),
               doubles(n * xu),
               doubles((n + 1) * xx)};
  for (size_t i = 0; i < n * xx; i++) p.A[i] = 1.5 * models_random(&seed) / sqrt(nx);
  for (size_t i = 0; i < n * xu; i++) p.B[i] = models_random(&seed);
  for (int k = 0; k < N; k++) random_weights(&p, k, &seed);
  for (int i = 0; i < nx; i++) p.Qf[i * nx + i] = 1 + models_random(&seed);
  fb_lq *lq = &p.lq;
  lq->A = p.A, lq->B = p.B, lq->Q = p.Q, lq->R = p.R, lq->S = p.S, lq->Qf = p.Qf;
  lq->A_stride = lq->Q_stride = xx, lq->B_stride = lq->S_stride = xu, lq->R_stride = uu;
  return p;
}

static void problem_free(problem *p) {
  free(p->A), free(p->B), free(p->Q), free(p->R), free(p->S), free(p->Qf), free(p->K), free(p->P);
}

// the sweep for a processor without wide registers: riccati.c compiled again (tests/meson.build)
dm_status narrow_riccati_new(fb_riccati **out, int nx, int nu);
dm_status narrow_riccati_sweep(fb_riccati *w, const fb_lq *lq, double *K, double *P, int *failed);
void narrow_riccati_free(fb_riccati *w);

static double *copied(size_t n, const double *x) {
  double *y = doubles(n);
  memcpy(y, x, n * sizeof *y);
  return y;
}

// narrow registers return the same status, and bitwise equal numbers
static void expect_narrow(const problem *p, dm_status wide, const double *K, const double *P,
                          int at) {
  const fb_lq *lq = &p->lq;
  const size_t gains = (size_t)(lq->N * lq->nu * lq->nx);
  const size_t values = P ? (size_t)((lq->N + 1) * lq->nx * lq->nx) : 0;
  double *own_K = copied(gains, K), *own_P = P ? copied(values, P) : NULL;
  fb_riccati *w;
  int failed;
  assert_int_equal(narrow_riccati_new(&w, lq->nx, lq->nu), DM_OK);
  assert_int_equal(narrow_riccati_sweep(w, lq, own_K, own_P, &failed), wide);
  assert_int_equal(failed, at);
  if (wide == DM_OK) {
    assert_memory_equal(own_K, K, gains * sizeof *K);
    if (P) assert_memory_equal(own_P, P, values * sizeof *P);
  }
  narrow_riccati_free(w);
  free(own_K);
  free(own_P);
}

static dm_status sweep(const problem *p, double *K, double *P, int *failed) {
  fb_riccati *w;
  assert_int_equal(fb_riccati_new(&w, p->lq.nx, p->lq.nu), DM_OK);
  dm_status s = fb_riccati_sweep(w, &p->lq, K, P, failed);
  fb_riccati_free(w);
  expect_narrow(p, s, K, P, *failed);
  return s;
}

static double farthest(size_t n, const double *x, const double *y) {
  double most = 0, size = 0;
  for (size_t i = 0; i < n; i++) {
    most = fmax(most, isfinite(x[i] - y[i]) ? fabs(x[i] - y[i]) : INFINITY);
    size = fmax(size, fabs(y[i]));
  }
  return most / size;
}

static const struct {
  int nx, nu;
} sizes[] = {{1, 1}, {2, 1}, {3, 2}, {4, 1}, {5, 3}, {8, 4}, {3, 7}, {12, 6}, {20, 8}, {45, 11}};

// the optimality conditions of a problem, M z = b, with the unknowns (u_k, x_k+1, y_k+1) of each
// stage
typedef struct conditions {
  int m, n;      // unknowns per stage, in total
  double *M;     // [n x n]
  double *b, *x; // [n] right-hand side, then the solution; [nx] the initial state
  int *piv;
} conditions;

static double *condition(const conditions *c, int row, int col) {
  return c->M + (size_t)row * c->n + col;
}

// R u + S'x + B'y = 0
static void put_input_rows(const conditions *c, const problem *p, int k) {
  int nx = p->lq.nx, nu = p->lq.nu, u0 = k * c->m, y1 = u0 + nu + nx, x0 = u0 - 2 * nx;
  const double *B = p->B + k * nx * nu, *S = p->S + k * nx * nu, *R = p->R + k * nu * nu;
  for (int i = 0; i < nu; i++) {
    for (int j = 0; j < nu; j++) *condition(c, u0 + i, u0 + j) = R[i * nu + j];
    for (int j = 0; j < nx; j++) {
      *condition(c, u0 + i, y1 + j) = B[j * nu + i];
      if (k > 0) *condition(c, u0 + i, x0 + j) = S[j * nu + i];
      if (k == 0) c->b[u0 + i] -= S[j * nu + i] * c->x[j];
    }
  }
}

// Q x + S u + A'y - y = 0 with y of the next knot
static void put_state_rows(const conditions *c, const problem *p, int k) {
  int N = p->lq.N, nx = p->lq.nx, nu = p->lq.nu, x1 = k * c->m + nu, y1 = x1 + nx;
  const double *Q = k + 1 < N ? p->Q + (k + 1) * nx * nx : p->Qf;
  for (int i = 0; i < nx; i++) {
    *condition(c, x1 + i, y1 + i) = -1;
    for (int j = 0; j < nx; j++) {
      *condition(c, x1 + i, x1 + j) = Q[i * nx + j];
      if (k + 1 < N) *condition(c, x1 + i, y1 + c->m + j) = p->A[((k + 1) * nx + j) * nx + i];
    }
    for (int j = 0; j < nu && k + 1 < N; j++)
      *condition(c, x1 + i, y1 + nx + j) = p->S[((k + 1) * nx + i) * nu + j];
  }
}

// A x + B u - x+ = 0
static void put_motion_rows(const conditions *c, const problem *p, int k) {
  int nx = p->lq.nx, nu = p->lq.nu, u0 = k * c->m, x1 = u0 + nu, y1 = x1 + nx, x0 = u0 - 2 * nx;
  const double *A = p->A + k * nx * nx, *B = p->B + k * nx * nu;
  for (int i = 0; i < nx; i++) {
    *condition(c, y1 + i, x1 + i) = -1;
    for (int j = 0; j < nu; j++) *condition(c, y1 + i, u0 + j) = B[i * nu + j];
    for (int j = 0; j < nx; j++) {
      if (k > 0) *condition(c, y1 + i, x0 + j) = A[i * nx + j];
      if (k == 0) c->b[y1 + i] -= A[i * nx + j] * c->x[j];
    }
  }
}

static conditions solve_conditions(const problem *p) {
  int N = p->lq.N, nx = p->lq.nx, m = p->lq.nu + 2 * nx;
  conditions c = {.m = m, .n = N * m, .x = doubles((size_t)nx)};
  c.M = doubles((size_t)c.n * c.n);
  c.b = doubles((size_t)c.n);
  c.piv = calloc((size_t)c.n, sizeof *c.piv);
  uint64_t r = 5;
  for (int i = 0; i < nx; i++) c.x[i] = models_random(&r);
  for (int k = 0; k < N; k++) {
    put_input_rows(&c, p, k);
    put_state_rows(&c, p, k);
    put_motion_rows(&c, p, k);
  }
  assert_int_equal(dm_lu_factor(c.n, c.M, c.piv), DM_OK);
  dm_lu_solve(c.n, c.M, c.piv, 1, c.b);
  return c;
}

// The stationary point of the whole problem from x_0, from a dense LU factorization of its
// optimality conditions in (u_k, x_k+1, y_k+1): the gains must give the same motion from x_0.
static void gains_give_the_minimizer(void **state) {
  (void)state;
  for (int row = 0; row < COUNT(sizes); row++) {
    int nx = sizes[row].nx, nu = sizes[row].nu, N = nx > 20 ? 2 : 5, failed = 0;
    problem p = random_problem(N, nx, nu, 11);
    assert_int_equal(sweep(&p, p.K, p.P, &failed), DM_OK);
    assert_int_equal(failed, -1);

    // u = -K x along the minimizer, from its initial state
    conditions c = solve_conditions(&p);
    double off = 0, size = 0;
    for (int k = 0; k < N; k++) {
      for (int i = 0; i < nu; i++) {
        double ui = 0;
        for (int j = 0; j < nx; j++) ui -= p.K[(k * nu + i) * nx + j] * c.x[j];
        off = fmax(off, fabs(ui - c.b[k * c.m + i]));
        size = fmax(size, fabs(ui));
      }
      memcpy(c.x, c.b + k * c.m + nu, (size_t)nx * sizeof *c.x);
    }
    assert_true(off <= 1e-10 * size);
    free(c.M);
    free(c.b);
    free(c.x);
    free(c.piv);
    problem_free(&p);
  }
}

// the recursion written out, without blocks or triangles
static void plain(const problem *p, double *K, double *P) {
  int N = p->lq.N, nx = p->lq.nx, nu = p->lq.nu;
  double *PA = doubles((size_t)nx * nx), *PB = doubles((size_t)nx * nu),
         *H = doubles((size_t)nu * nu), *G = doubles((size_t)nu * nx);
  int *piv = calloc((size_t)nu, sizeof *piv);
  memcpy(P + N * nx * nx, p->Qf, (size_t)(nx * nx) * sizeof *P);
  for (int k = N - 1; k >= 0; k--) {
    const double *A = p->A + k * nx * nx, *B = p->B + k * nx * nu, *P1 = P + (k + 1) * nx * nx;
    double *P0 = P + k * nx * nx, *Kk = K + k * nu * nx;
    dm_gemm(nx, nx, nx, 1, P1, A, 0, PA);
    dm_gemm(nx, nu, nx, 1, P1, B, 0, PB);
    memcpy(H, p->R + k * nu * nu, (size_t)(nu * nu) * sizeof *H);
    memcpy(P0, p->Q + k * nx * nx, (size_t)(nx * nx) * sizeof *P0);
    for (int l = 0; l < nx; l++) {
      for (int i = 0; i < nu; i++)
        for (int j = 0; j < nu; j++) H[i * nu + j] += B[l * nu + i] * PB[l * nu + j];
      for (int i = 0; i < nx; i++)
        for (int j = 0; j < nx; j++) P0[i * nx + j] += A[l * nx + i] * PA[l * nx + j];
    }
    for (int i = 0; i < nu; i++)
      for (int j = 0; j < nx; j++) {
        G[i * nx + j] = p->S[(k * nx + j) * nu + i];
        for (int l = 0; l < nx; l++) G[i * nx + j] += B[l * nu + i] * PA[l * nx + j];
      }
    memcpy(Kk, G, (size_t)(nu * nx) * sizeof *G);
    assert_int_equal(dm_lu_factor(nu, H, piv), DM_OK);
    dm_lu_solve(nu, H, piv, nx, Kk);
    for (int l = 0; l < nu; l++)
      for (int i = 0; i < nx; i++)
        for (int j = 0; j < nx; j++) P0[i * nx + j] -= G[l * nx + i] * Kk[l * nx + j];
  }
  free(PA), free(PB), free(H), free(G), free(piv);
}

static void every_size_agrees_with_the_formulas(void **state) {
  (void)state;
  static const int inputs[] = {1, 2, 3, 4, 5, 8, 18};
  for (int nx = 1; nx <= 34; nx++)
    for (int j = 0; j < COUNT(inputs); j++) {
      problem p = random_problem(3, nx, inputs[j], (uint64_t)(100 * nx + j));
      size_t nK = 3u * (size_t)(nx * inputs[j]), nP = 4u * (size_t)(nx * nx);
      double *K = doubles(nK), *P = doubles(nP), *alone = doubles(nK);
      int failed;
      plain(&p, K, P);
      assert_int_equal(sweep(&p, p.K, p.P, &failed), DM_OK);
      assert_int_equal(sweep(&p, alone, NULL, &failed), DM_OK);
      if (!(farthest(nK, p.K, K) < 1e-11 && farthest(nP, p.P, P) < 1e-11))
        fail_msg("%d states, %d inputs: K %g, P %g", nx, inputs[j], farthest(nK, p.K, K),
                 farthest(nP, p.P, P));
      assert_memory_equal(alone, p.K, nK * sizeof *K);
      free(K), free(P), free(alone);
      problem_free(&p);
    }
}

// x'P x is the minimum cost to go: never negative, and P is exactly symmetric
static void values_are_symmetric_and_semidefinite(void **state) {
  (void)state;
  for (int row = 0; row < COUNT(sizes); row++) {
    int nx = sizes[row].nx, failed;
    problem p = random_problem(20, nx, sizes[row].nu, 3);
    memset(p.Qf, 0, (size_t)(nx * nx) * sizeof *p.Qf);
    assert_int_equal(sweep(&p, p.K, p.P, &failed), DM_OK);
    for (int k = 0; k <= 20; k++) {
      double *P = p.P + k * nx * nx, largest = 0;
      for (int i = 0; i < nx; i++)
        for (int j = 0; j < nx; j++) {
          assert_true(P[i * nx + j] == P[j * nx + i]);
          largest = fmax(largest, fabs(P[i * nx + j]));
        }
      // pivots of the Cholesky factorization of P + rounding
      for (int i = 0; i < nx; i++) P[i * nx + i] += 1e-12 * largest;
      for (int i = 0; i < nx && largest > 0; i++) {
        assert_true(P[i * nx + i] > 0);
        for (int j = i + 1; j < nx; j++)
          for (int l = i + 1; l < nx; l++)
            P[j * nx + l] -= P[j * nx + i] * P[i * nx + l] / P[i * nx + i];
      }
    }
    problem_free(&p);
  }
}

// a stride of 0 uses the same matrix at every stage
static void constant_stages_need_one_copy(void **state) {
  (void)state;
  problem p = random_problem(6, 4, 2, 8);
  for (int k = 1; k < 6; k++) {
    memcpy(p.A + 16 * k, p.A, 16 * sizeof *p.A), memcpy(p.B + 8 * k, p.B, 8 * sizeof *p.B);
    memcpy(p.Q + 16 * k, p.Q, 16 * sizeof *p.Q), memcpy(p.R + 4 * k, p.R, 4 * sizeof *p.R);
    memcpy(p.S + 8 * k, p.S, 8 * sizeof *p.S);
  }
  double K[48];
  int failed;
  assert_int_equal(sweep(&p, p.K, p.P, &failed), DM_OK);
  p.lq.A_stride = p.lq.B_stride = p.lq.Q_stride = p.lq.R_stride = p.lq.S_stride = 0;
  assert_int_equal(sweep(&p, K, NULL, &failed), DM_OK);
  assert_memory_equal(K, p.K, sizeof K);
  problem_free(&p);
}

static void an_indefinite_stage_is_named(void **state) {
  (void)state;
  for (int row = 0; row < COUNT(sizes); row++) {
    int nx = sizes[row].nx, nu = sizes[row].nu, N = 7, bad = 3, failed;
    problem p = random_problem(N, nx, nu, 21);
    size_t nK = (size_t)(N * nu * nx);
    double *K = doubles(nK);
    assert_int_equal(sweep(&p, K, NULL, &failed), DM_OK);
    for (int i = 0; i < nu; i++) p.R[bad * nu * nu + i * (nu + 1)] -= 1e6;
    assert_int_equal(sweep(&p, p.K, NULL, &failed), DM_NOT_DEFINITE);
    assert_int_equal(failed, bad);
    size_t from = (size_t)((bad + 1) * nu * nx);
    assert_memory_equal(p.K + from, K + from, (nK - from) * sizeof *K);
    free(K);
    problem_free(&p);
  }
}

// two inputs with the same effect and zero weight
static void redundant_inputs_without_weight_are_refused(void **state) {
  (void)state;
  double A[] = {1, 0.1, 0, 1}, B[] = {0.3, 0.3, 0.7, 0.7}, Q[] = {1, 0, 0, 1}, R[4] = {0}, K[4];
  problem p = {.lq = {.N = 1, .nx = 2, .nu = 2, .A = A, .B = B, .Q = Q, .R = R, .Qf = Q}};
  int failed;
  assert_int_equal(sweep(&p, K, NULL, &failed), DM_NOT_DEFINITE);
  assert_int_equal(failed, 0);
}

static void a_number_that_is_not_finite_is_named(void **state) {
  (void)state;
  for (int row = 0; row < COUNT(sizes); row++) {
    int nx = sizes[row].nx, nu = sizes[row].nu, failed;
    for (int which = 0; which < 3; which++) {
      problem p = random_problem(5, nx, nu, 21);
      double *at[] = {p.A + 2 * nx * nx + nx - 1, p.B + 2 * nx * nu + nu - 1, p.R + 2 * nu * nu};
      *at[which] = which == 1 ? INFINITY : NAN;
      assert_int_equal(sweep(&p, p.K, p.P, &failed), DM_NOT_FINITE);
      assert_int_equal(failed, 2);
      problem_free(&p);
    }
  }
}

static void a_sweep_does_not_allocate(void **state) {
  (void)state;
#ifdef COUNTS
  for (int row = 0; row < COUNT(sizes); row++) {
    problem p = random_problem(5, sizes[row].nx, sizes[row].nu, 4);
    fb_riccati *w;
    int before = allocations, failed;
    assert_int_equal(fb_riccati_new(&w, p.lq.nx, p.lq.nu), DM_OK);
    assert_int_equal(allocations, before + 1);
    fb_riccati_sweep(w, &p.lq, p.K, p.P, &failed); // BLAS initializes itself once
    before = allocations;
    fb_riccati_sweep(w, &p.lq, p.K, p.P, &failed);
    assert_int_equal(allocations, before);
    fb_riccati_free(w);
    problem_free(&p);
  }
#else
  skip_test("allocations are counted with glibc alone");
#endif
}

// without inputs P is the cost of the free motion: P_k = Q_k + A_k'P_k+1 A_k
static void without_inputs_p_is_the_sum_of_costs(void **state) {
  (void)state;
  for (int i = 0; i < 3; i++) {
    problem p = random_problem(6, sizes[3 * i].nx, 1, 7);
    const int nx = p.lq.nx, xx = nx * nx;
    int failed;
    double *AP = calloc(2 * (size_t)xx, sizeof *AP), *own = AP + xx;
    p.lq.nu = 0;
    p.lq.S = NULL;
    assert_int_equal(sweep(&p, p.K, p.P, &failed), DM_OK);
    for (int k = p.lq.N - 1; k >= 0; k--) {
      const double *A = p.A + k * xx;
      dm_gemm(nx, nx, nx, 1, p.P + (k + 1) * xx, A, 0, AP);
      memcpy(own, p.Q + k * xx, (size_t)xx * sizeof *own);
      dm_gemm_transposed(nx, nx, nx, 1, A, nx, AP, nx, 1, own, nx);
      assert_true(farthest((size_t)xx, p.P + k * xx, own) < 1e-12);
    }
    free(AP);
    problem_free(&p);
  }
}

static void sizes_below_one_are_refused(void **state) {
  (void)state;
  fb_riccati *w;
  assert_int_equal(fb_riccati_new(&w, 0, 1), DM_BAD_INPUT);
  assert_int_equal(fb_riccati_new(&w, 2, -1), DM_BAD_INPUT);
  assert_null(w);
}

// with linear terms: the last state is a constant 1, and its column of Q and S contains the linear
// terms
static void carry(problem *p) {
  int nx = p->lq.nx, nu = p->lq.nu, one = nx - 1;
  for (int k = 0; k < p->lq.N; k++) {
    double *A = p->A + k * nx * nx, *B = p->B + k * nx * nu;
    for (int j = 0; j < nx; j++) A[one * nx + j] = j == one, A[j * nx + one] = j == one;
    for (int j = 0; j < nu; j++) B[one * nu + j] = 0;
  }
}

typedef struct bounds {
  double *dQ, *dR, *share, *pool;
} bounds;

// bounds of the given size on all inputs, and second-order parts: `curved` times random symmetric
// matrices
static bounds bound(problem *p, double size, double curved, uint64_t seed) {
  int N = p->lq.N, nx = p->lq.nx, nu = p->lq.nu, xx = N * nx * nx, uu = N * nu * nu, n = N * nu;
  double *pool = doubles((size_t)(xx + uu + N * nx * nu + 2 * n + N));
  bounds b = {pool, pool + xx, pool + xx + uu, pool};
  double *dS = b.share + N, *lo = dS + N * nx * nu, *hi = lo + n;
  for (int i = 0; i < n; i++) lo[i] = -size, hi[i] = size;
  for (int k = 0; k < N; k++)
    for (int i = 0; i < nx || i < nu; i++)
      for (int j = 0; j <= i; j++) {
        double *Q = b.dQ + k * nx * nx, *R = b.dR + k * nu * nu, x = curved * models_random(&seed);
        if (i + 1 < nx) Q[i * nx + j] = Q[j * nx + i] = x;
        if (i < nu) R[i * nu + j] = R[j * nu + i] = x;
      }
  p->lq.lo = lo, p->lq.hi = hi, p->lq.share = b.share, p->lq.constants = 1;
  p->lq.dQ = b.dQ, p->lq.dR = b.dR, p->lq.dS = dS;
  return b;
}

// a convex problem with distant bounds: nothing is reduced, and the gains equal the plain sweep's
// with Q + dQ, ..
static void bounds_that_are_far_change_nothing(void **state) {
  (void)state;
  for (int row = 1; row < COUNT(sizes); row++) {
    int nx = sizes[row].nx, nu = sizes[row].nu, N = 6, failed;
    problem p = random_problem(N, nx, nu, 31), sum = random_problem(N, nx, nu, 31);
    carry(&p), carry(&sum);
    for (int k = 0; k < N; k++)
      for (int i = 0; i < nu; i++)
        p.R[(k * nu + i) * nu + i] += 5, sum.R[(k * nu + i) * nu + i] += 5;
    bounds b = bound(&p, INFINITY, 0.1 / nx, 7);
    for (int k = 0; k < N; k++) // convex: the diagonal dominates
      for (int i = 0; i + 1 < nx; i++) b.dQ[(k * nx + i) * nx + i] += 0.1;
    for (int i = 0; i < N * nx * nx; i++) sum.Q[i] += b.dQ[i];
    for (int i = 0; i < N * nu * nu; i++) sum.R[i] += b.dR[i];
    p.lq.floor = 1e-3;
    assert_int_equal(sweep(&sum, sum.K, sum.P, &failed), DM_OK);
    assert_int_equal(sweep(&p, p.K, p.P, &failed), DM_OK);
    for (int k = 0; k < N; k++) assert_true(b.share[k] == 1);
    assert_true(farthest((size_t)(N * nu * nx), p.K, sum.K) < 1e-10);
    assert_true(farthest((size_t)((N + 1) * nx * nx), p.P, sum.P) < 1e-10);
    free(b.pool), problem_free(&p), problem_free(&sum);
  }
}

// gradient of a stage's v'Hv/2 + v'Yx at x = (0,..,0,1) and v = -K x, from the next P
static double stage_gradient(const problem *p, int k, int i) {
  int nx = p->lq.nx, nu = p->lq.nu, one = nx - 1;
  const double *A = p->A + k * nx * nx, *B = p->B + k * nx * nu, *P = p->P + (k + 1) * nx * nx;
  const double *K = p->K + k * nu * nx, t = p->lq.share[k];
  double g = p->S[(k * nx + one) * nu + i];
  for (int j = 0; j < nu; j++)
    g -= (p->R[(k * nu + i) * nu + j] + t * p->lq.dR[(k * nu + i) * nu + j]) * K[j * nx + one];
  for (int a = 0; a < nx; a++) { // B'P (A x + B v)
    double next = 0;
    for (int c = 0; c < nx; c++) {
      double y = A[c * nx + one];
      for (int j = 0; j < nu; j++) y -= B[c * nu + j] * K[j * nx + one];
      next += P[a * nx + c] * y;
    }
    g += B[a * nu + i] * next;
  }
  return g;
}

// with bounds, each stage's step satisfies them, and its gradient points outward at a bound or is
// zero; second-order parts are reduced only if the stage is not convex, and only as much as
// necessary
static void stages_under_bounds_meet_their_conditions(void **state) {
  (void)state;
  int held = 0, cut = 0, whole = 0;
  for (int row = 1; row < COUNT(sizes); row++) {
    int nx = sizes[row].nx, nu = sizes[row].nu, N = 12, failed, one = nx - 1;
    problem p = random_problem(N, nx, nu, 41);
    carry(&p);
    bounds b = bound(&p, 0.3, 3, 9);
    p.lq.floor = 0.1;
    assert_int_equal(sweep(&p, p.K, p.P, &failed), DM_OK);
    for (int k = 0; k < N; k++) {
      cut += b.share[k] < 1, whole += b.share[k] == 1;
      for (int i = 0; i < nu; i++) {
        double v = -p.K[(k * nu + i) * nx + one], g = stage_gradient(&p, k, i);
        double size = 1e-9 * (1 + fabs(p.P[(k + 1) * nx * nx]));
        assert_true(v >= -0.3 && v <= 0.3);
        if (v > -0.3) assert_true(g < size);
        if (v < 0.3) assert_true(g > -size);
        held += fabs(v) == 0.3;
      }
    }
    free(b.pool), problem_free(&p);
  }
  assert_true(held > 20 && cut > 20 && whole > 10);
}

// uses R + t dR with the largest multiple t of a quarter that stays above the floor
static void the_largest_share_is_taken(void **state) {
  (void)state;
  double A[] = {1, 0, 0, 1}, B[] = {1, 0}, Q[4] = {0}, R[] = {1}, S[2] = {0}, K[2];
  double dQ[4] = {0}, dR[1], dS[2] = {0}, lo[] = {-INFINITY}, hi[] = {INFINITY}, share[1];
  static const struct {
    double dR, share;
  } rows[] = {{1, 1}, {-0.85, 1}, {-0.95, 0.75}, {-1.3, 0.5}, {-3, 0.25}, {-4, 0}};
  for (int i = 0; i < COUNT(rows); i++) {
    problem p = {.lq = {.N = 1, .nx = 2, .nu = 1, .A = A, .B = B, .Q = Q, .R = R, .S = S}};
    p.lq.Qf = Q, p.lq.lo = lo, p.lq.hi = hi, p.lq.floor = 0.1, p.lq.share = share,
    p.lq.constants = 1;
    p.lq.dQ = dQ, p.lq.dR = dR, p.lq.dS = dS;
    dR[0] = rows[i].dR;
    int failed;
    assert_int_equal(sweep(&p, K, NULL, &failed), DM_OK);
    assert_true(share[0] == rows[i].share);
    p.lq.floor = 0; // all or nothing
    assert_int_equal(sweep(&p, K, NULL, &failed), dR[0] > -1 ? DM_OK : DM_NOT_DEFINITE);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(gains_give_the_minimizer),
      cmocka_unit_test(every_size_agrees_with_the_formulas),
      cmocka_unit_test(values_are_symmetric_and_semidefinite),
      cmocka_unit_test(constant_stages_need_one_copy),
      cmocka_unit_test(an_indefinite_stage_is_named),
      cmocka_unit_test(redundant_inputs_without_weight_are_refused),
      cmocka_unit_test(a_number_that_is_not_finite_is_named),
      cmocka_unit_test(a_sweep_does_not_allocate),
      cmocka_unit_test(without_inputs_p_is_the_sum_of_costs),
      cmocka_unit_test(sizes_below_one_are_refused),
      cmocka_unit_test(bounds_that_are_far_change_nothing),
      cmocka_unit_test(stages_under_bounds_meet_their_conditions),
      cmocka_unit_test(the_largest_share_is_taken),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
