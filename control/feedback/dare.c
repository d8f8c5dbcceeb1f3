#include "control/feedback/dare.h"

#include "control/feedback/riccati.h"
#include "control/feedback/state_size.h"
#include "lib/base/blas.h"
#include "lib/base/block.h"
#include "lib/base/dense.h"

#include <assert.h>
#include <math.h>
#include <stdbool.h>
#include <string.h>

static const double SLOWEST = 1e-7;   // a mode this close to the unit circle does not decay
static const double ROUNDING = 1e-13; // a stage that changes P by less has converged
static const double LOOSE = 1e-9;     // a stage that changes P by more has not converged
enum { PASSES = 4 };                  // of Newton's method

typedef struct scratch {
  int nx, nu;
  double *A, *G, *H;             // [nx x nx] for doubling
  double *W, *X, *Y;             // [nx x nx] I + GH; W^-1 A; W^-1 G
  double *T, *H1;                // [nx x nx] a product or A - BK; the next H
  double *L, *Z;                 // [nu x nu] factor of R; [nu x nx] R^-1 B'
  double *P, *K;                 // [3 nx x nx], [2 nu x nx] for the final sweep
  double *size, *inverse, *unit; // [nx] of states, 1 over it; [nu] of inputs
  double *own_A, *own_B, *Q, *R; // the scaled problem
  double *re, *im;               // [nx] eigenvalues
  int *piv;                      // [nx]
} scratch;

static void lay_out_doubling(void *self, dm_block *b) {
  scratch *w = self;
  size_t nx = (size_t)w->nx, nu = (size_t)w->nu, size = sizeof(double);
  double **square[] = {&w->A, &w->G, &w->H, &w->W, &w->X, &w->Y, &w->T, &w->H1};
  for (size_t i = 0; i < sizeof square / sizeof *square; i++)
    *square[i] = dm_block_alloc(b, nx * nx, size);
  w->L = dm_block_alloc(b, nu * nu, size);
  w->Z = dm_block_alloc(b, nu * nx, size);
  double **own[] = {&w->own_A, &w->own_B, &w->Q, &w->R, &w->size, &w->inverse, &w->unit};
  const size_t count[] = {nx * nx, nx * nu, nx * nx, nu * nu, nx, nx, nu};
  for (size_t i = 0; i < sizeof own / sizeof *own; i++) *own[i] = dm_block_alloc(b, count[i], size);
  w->P = dm_block_alloc(b, 3 * nx * nx, size);
  w->K = dm_block_alloc(b, 2 * nu * nx, size);
  w->re = dm_block_alloc(b, nx, size);
  w->im = dm_block_alloc(b, nx, size);
  w->piv = dm_block_alloc(b, nx, sizeof *w->piv);
}

// with the sizes of states, NULL: 1
static dm_status make_scratch(scratch **out, int nx, int nu, const double *size) {
  scratch sizes = {.nx = nx, .nu = nu};
  scratch *w = dm_block_make(&sizes, sizeof sizes, lay_out_doubling);
  if (!w) return DM_NO_MEMORY;
  for (int i = 0; i < nx; i++) {
    w->size[i] = size ? size[i] : 1;
    w->inverse[i] = 1 / w->size[i];
  }
  *out = w;
  return DM_OK;
}

static void copy_numbers(int n, const double *x, double *y) {
  memcpy(y, x, (size_t)n * sizeof *y);
}

// the largest |x_i - y_i|, and the largest |x_i|; NAN if an entry is NAN
static double find_distance(int n, const double *x, const double *y, double *size) {
  double max = 0, sum = 0; // sum: keeps NaN, which fmax drops
  *size = 0;
  for (int i = 0; i < n; i++) {
    max = fmax(max, fabs(x[i] - y[i]));
    *size = fmax(*size, fabs(x[i]));
    sum += x[i] - y[i];
  }
  return isfinite(sum) ? max : NAN;
}

// C = beta C + op(X) op(Y), all [n x n]
static void multiply_square(int n, CBLAS_TRANSPOSE tx, const double *X, CBLAS_TRANSPOSE ty,
                            const double *Y, double beta, double *C) {
  dm_blas()->cblas_dgemm(CblasRowMajor, tx, ty, n, n, n, 1, X, n, Y, n, beta, C, n);
}

// -- by doubling

// A, G = B R^-1 B' and H = Q for a horizon of one stage
static dm_status begin_doubling(scratch *w, const double *A, const double *B, const double *Q,
                                const double *R) {
  int nx = w->nx, nu = w->nu;
  copy_numbers(nu * nu, R, w->L);
  for (int i = 0; i < nx; i++)
    for (int j = 0; j < nu; j++) w->Z[j * nx + i] = B[i * nu + j]; // Z = B', row-major

  // R = U'U, Z <- U'^-1 B', G = Z'Z, which is symmetric to the last bit.
  // R is symmetric, so its storage order does not matter; Z row-major is B column-major
  if (dm_blas()->LAPACKE_dpotrf_work(LAPACK_COL_MAJOR, 'U', nu, w->L, nu) != 0)
    return DM_NOT_DEFINITE;
  dm_blas()->cblas_dtrsm(CblasColMajor, CblasRight, CblasUpper, CblasNoTrans, CblasNonUnit, nx, nu,
                         1, w->L, nu, w->Z, nx);
  dm_blas()->cblas_dgemm(CblasRowMajor, CblasTrans, CblasNoTrans, nx, nx, nu, 1, w->Z, nx, w->Z, nx,
                         0, w->G, nx);
  copy_numbers(nx * nx, A, w->A);
  copy_numbers(nx * nx, Q, w->H);
  return DM_OK;
}

// double the horizon until its cost H no longer changes
static dm_status double_horizon(scratch *w) {
  enum { ROUNDS = 60 }; // 2^60 stages: a loop that has not converged by then never will
  const CBLAS_TRANSPOSE N = CblasNoTrans, T = CblasTrans;
  int n = w->nx, nn = n * n;
  for (int round = 0; round < ROUNDS; round++) {
    // W = I + GH, X = W^-1 A, Y = W^-1 G
    multiply_square(n, N, w->G, N, w->H, 0, w->W);
    for (int i = 0; i < n; i++) w->W[i * n + i] += 1;
    // I + GH is singular: no horizon of that length has a cost
    if (dm_lu_factor(n, w->W, w->piv) != DM_OK) return DM_MAX_ITER;
    copy_numbers(nn, w->A, w->X);
    copy_numbers(nn, w->G, w->Y);
    dm_lu_solve(n, w->W, w->piv, n, w->X);
    dm_lu_solve(n, w->W, w->piv, n, w->Y);

    // H1 = H + A'H X
    multiply_square(n, N, w->H, N, w->X, 0, w->T);
    copy_numbers(nn, w->H, w->H1);
    multiply_square(n, T, w->A, N, w->T, 1, w->H1);

    // G <- G + A Y A'
    multiply_square(n, N, w->A, N, w->Y, 0, w->T);
    multiply_square(n, N, w->T, T, w->A, 1, w->G);

    // A <- A X
    multiply_square(n, N, w->A, N, w->X, 0, w->T);
    copy_numbers(nn, w->T, w->A);

    // H has converged if a round adds only rounding
    double size, change = find_distance(nn, w->H1, w->H, &size);
    copy_numbers(nn, w->H1, w->H);
    if (isnan(change)) return DM_MAX_ITER;
    // relative rounding of a sum of nx products
    if (change <= 1e-15 * size) return DM_OK;
  }
  return DM_MAX_ITER;
}

// -- Newton's method from there

// two stages of the recursion from H: they give K, and change P by `change` relative to its size
static dm_status sweep_twice(scratch *w, const double *A, const double *B, const double *Q,
                             const double *R, double *change) {
  // two stages with Qf = H: P_1 and P_0, and K of both
  int nx = w->nx, nu = w->nu, failed;
  fb_lq lq = {.N = 2, .nx = nx, .nu = nu, .A = A, .B = B, .Q = Q, .R = R, .Qf = w->H};
  fb_riccati *riccati;
  double size;
  DM_TRY(fb_riccati_new(&riccati, nx, nu));
  dm_status s = fb_riccati_sweep(riccati, &lq, w->K, w->P, &failed);
  fb_riccati_free(riccati);
  DM_TRY(s);
  *change = find_distance(nx * nx, w->P, w->P + nx * nx, &size) / size;
  return DM_OK;
}

// T = A - BK, K NULL: A
static void close_loop(scratch *w, const double *A, const double *B, const double *K) {
  int nx = w->nx, nu = w->nu;
  copy_numbers(nx * nx, A, w->T);
  if (K)
    dm_blas()->cblas_dgemm(CblasRowMajor, CblasNoTrans, CblasNoTrans, nx, nx, nu, -1, B, nu, K, nx,
                           1, w->T, nx);
}

// H = the infinite-horizon cost of the gain K, H = Q + K'RK + T'H T with T = A - BK [hewer-1971]:
// an error e in K causes an error e^2 in H
static void find_cost_of_gain(scratch *w, const double *A, const double *B, const double *Q,
                              const double *R) {
  enum { ROUNDS = 40 }; // 2^40 stages
  const CBLAS_TRANSPOSE N = CblasNoTrans, T = CblasTrans;
  int n = w->nx, nu = w->nu;

  // of one stage: H = Q + K'RK
  close_loop(w, A, B, w->K);
  // Z = R K, then K'Z
  dm_blas()->cblas_dgemm(CblasRowMajor, N, N, nu, n, nu, 1, R, nu, w->K, n, 0, w->Z, n);
  copy_numbers(n * n, Q, w->H);
  dm_blas()->cblas_dgemm(CblasRowMajor, T, N, n, n, nu, 1, w->K, n, w->Z, n, 1, w->H, n);

  // each round doubles the horizon: H <- H + T'H T, T <- T T
  for (int round = 0; round < ROUNDS; round++) {
    multiply_square(n, N, w->H, N, w->T, 0, w->X);
    copy_numbers(n * n, w->H, w->H1);
    multiply_square(n, T, w->T, N, w->X, 1, w->H);
    double size, change = find_distance(n * n, w->H, w->H1, &size);
    if (!(change > 1e-15 * size)) return; // also if it is NAN
    multiply_square(n, N, w->T, N, w->T, 0, w->Y);
    copy_numbers(n * n, w->Y, w->T);
  }
}

// the largest |eigenvalue| of T
static dm_status find_spectral_radius(scratch *w, double *largest) {
  int nx = w->nx;
  if (dm_blas()->LAPACKE_dgeev(LAPACK_COL_MAJOR, 'N', 'N', nx, w->T, nx, w->re, w->im, NULL, 1,
                               NULL, 1) != 0)
    return DM_STALLED;
  *largest = 0;
  for (int i = 0; i < nx; i++) *largest = fmax(*largest, hypot(w->re[i], w->im[i])); // |re + i im|
  return DM_OK;
}

// P and K into the scratch
static dm_status solve_dare(scratch *w, const double *A, const double *B, const double *Q,
                            const double *R) {
  // a sum is finite if all its terms are
  double sum = 0;
  for (int i = 0; i < w->nx * w->nx; i++) sum += A[i] + Q[i];
  for (int i = 0; i < w->nx * w->nu; i++) sum += B[i];
  for (int i = 0; i < w->nu * w->nu; i++) sum += R[i];
  if (!isfinite(sum)) return DM_NOT_FINITE;

  double change = INFINITY, slowest = INFINITY;
  dm_status s = begin_doubling(w, A, B, Q, R);
  if (s == DM_OK) s = double_horizon(w);

  // H loses digits if W was ill-conditioned; Newton's method, which does not use W, recovers them
  // as long as K stabilizes
  for (int pass = 0; s == DM_OK && pass < PASSES; pass++) {
    s = sweep_twice(w, A, B, Q, R, &change);
    if (s != DM_OK) break;
    close_loop(w, A, B, w->K);
    s = find_spectral_radius(w, &slowest);
    // no stable loop, or no improvement left: another pass would not help
    if (s != DM_OK || !(slowest < 1 - SLOWEST) || change <= ROUNDING) break;
    find_cost_of_gain(w, A, B, Q, R);
  }
  if (s == DM_STALLED) return DM_MAX_ITER;

  // accept a solution only if it stabilizes and is a fixed point
  bool stabilizes = slowest < 1 - SLOWEST && change <= LOOSE;
  return s == DM_OK && !stabilizes ? DM_MAX_ITER : s;
}

// The scaled problem: states divided by their sizes, inputs by the size that has a weight of 1. A
// weight that is not positive is kept, to be rejected later.
static void remove_units(scratch *w, const double *A, const double *B, const double *Q,
                         const double *R) {
  const int nx = w->nx, nu = w->nu;
  for (int j = 0; j < nu; j++) w->unit[j] = R[j * nu + j] > 0 ? 1 / sqrt(R[j * nu + j]) : 1;
  copy_numbers(nx * nx, A, w->own_A);
  copy_numbers(nx * nu, B, w->own_B);
  copy_numbers(nx * nx, Q, w->Q);
  copy_numbers(nu * nu, R, w->R);
  fb_scale_entries(nx, nx, w->inverse, w->size, w->own_A);
  fb_scale_entries(nx, nu, w->inverse, w->unit, w->own_B);
  fb_scale_entries(nx, nx, w->size, w->size, w->Q);
  fb_scale_entries(nu, nu, w->unit, w->unit, w->R);
}

dm_status fb_dare_solve(int nx, int nu, const double *A, const double *B, const double *Q,
                        const double *R, const double *size, double *P, double *K) {
  scratch *w;
  assert(nx > 0 && nu > 0 && P && K);
  DM_TRY(make_scratch(&w, nx, nu, size));
  remove_units(w, A, B, Q, R);
  dm_status s = solve_dare(w, w->own_A, w->own_B, w->Q, w->R);
  if (s == DM_OK) {
    fb_scale_entries(nx, nx, w->inverse, w->inverse, w->P);
    fb_scale_entries(nu, nx, w->unit, w->inverse, w->K);
    copy_numbers(nx * nx, w->P, P);
    copy_numbers(nu * nx, w->K, K);
  }
  dm_block_free(w);
  return s;
}

// -- stages that repeat

// append stage k, with its scaled A, B, Q in w->H1, w->own_B, w->X, to the period A, G, H
static dm_status append_stage(scratch *w, const double *R, double *A, double *G, double *H) {
  const CBLAS_TRANSPOSE N = CblasNoTrans, T = CblasTrans;
  const int n = w->nx, nn = n * n;
  DM_TRY(begin_doubling(w, w->H1, w->own_B, w->X, R));

  // W = I + G Q_k, X = W^-1 A, Y = W^-1 G
  multiply_square(n, N, G, N, w->H, 0, w->W);
  for (int i = 0; i < n; i++) w->W[i * n + i] += 1;
  if (dm_lu_factor(n, w->W, w->piv) != DM_OK) return DM_MAX_ITER;
  copy_numbers(nn, A, w->X);
  copy_numbers(nn, G, w->Y);
  dm_lu_solve(n, w->W, w->piv, n, w->X);
  dm_lu_solve(n, w->W, w->piv, n, w->Y);

  // H <- H + A'Q_k X, G <- G_k + A_k Y A_k', A <- A_k X
  multiply_square(n, N, w->H, N, w->X, 0, w->T);
  multiply_square(n, T, A, N, w->T, 1, H);
  multiply_square(n, N, w->A, N, w->Y, 0, w->T);
  multiply_square(n, N, w->T, T, w->A, 1, w->G);
  copy_numbers(nn, w->G, G);
  multiply_square(n, N, w->A, N, w->X, 0, A);
  return DM_OK;
}

dm_status fb_dare_period(const struct fb_lq *lq, const double *size, double *P) {
  const int n = lq->nx, nn = n * n, nu = lq->nu;
  scratch *w;
  DM_TRY(make_scratch(&w, n, nu, size));
  double *A = w->own_A, *G = w->P, *H = w->Q;
  for (int i = 0; i < n; i++) A[i * n + i] = 1;
  dm_status s = DM_OK;
  for (size_t k = 0; s == DM_OK && k < (size_t)lq->N; k++) {
    copy_numbers(nn, lq->A + k * lq->A_stride, w->H1);
    copy_numbers(n * nu, lq->B + k * lq->B_stride, w->own_B);
    copy_numbers(nn, lq->Q + k * lq->Q_stride, w->X);
    for (int j = 0; j < nu; j++) w->unit[j] = 1;
    fb_scale_entries(n, n, w->inverse, w->size, w->H1);
    fb_scale_entries(n, nu, w->inverse, w->unit, w->own_B);
    fb_scale_entries(n, n, w->size, w->size, w->X);
    s = append_stage(w, lq->R + k * lq->R_stride, A, G, H);
  }
  copy_numbers(nn, A, w->A);
  copy_numbers(nn, G, w->G);
  copy_numbers(nn, H, w->H);
  if (s == DM_OK) s = double_horizon(w);
  if (s == DM_OK) {
    fb_scale_entries(n, n, w->inverse, w->inverse, w->H);
    copy_numbers(nn, w->H, P);
  }
  dm_block_free(w);
  return s;
}

// -- states that a weight sees

// append x [n], without its components along the rows of V [*m x n], as another row unless at most
// `rounding` of it is left
static void append_direction(int n, const double *x, double rounding, double *V, int *m) {
  double *to = V + *m * n;
  copy_numbers(n, x, to);
  for (int pass = 0; pass < 2; pass++)
    for (int i = 0; i < *m; i++) dm_add_to(n, -dm_inner(n, V + i * n, to), V + i * n, to);
  const double rest = sqrt(dm_inner(n, to, to));
  if (*m == n || !(rest > rounding)) return;
  dm_blas()->cblas_dscal(n, 1 / rest, to, 1);
  ++*m;
}

// The row space of (Q; QA; QA^2; ..) into V [n + 1 x n]; returns its dimension. x [n] scratch.
static int find_seen(int n, const double *A, const double *Q, double *V, double *x) {
  const double of_Q = 1e-12 * dm_largest(n * n, Q), of_A = 1e-9 * dm_largest(n * n, A);
  int m = 0;
  for (int i = 0; i < n; i++) append_direction(n, Q + i * n, of_Q, V, &m);
  for (int i = 0; i < m; i++) {
    dm_gemm(1, n, n, 1, V + i * n, A, 0, x);
    append_direction(n, x, of_A, V, &m);
  }
  return m;
}

// X = Y S Y' for Y [m x n], S [n x n]; T [m x n] scratch
static void project_square(int m, int n, const double *Y, const double *S, double *T, double *X) {
  dm_gemm(m, n, n, 1, Y, S, 0, T);
  dm_blas()->cblas_dgemm(CblasRowMajor, CblasNoTrans, CblasTrans, m, m, n, 1, T, n, Y, n, 0, X, m);
}

dm_status fb_dare_solve_seen(int nx, int nu, const double *A, const double *B, const double *Q,
                             const double *R, const double *size, double *P, double *K) {
  scratch *w, *small = NULL;
  DM_TRY(make_scratch(&w, nx, nu, size));
  remove_units(w, A, B, Q, R);

  // the smaller problem; V has a row more than its dimension while it is built
  double *V = w->P, *T = w->P + 2 * nx * nx;
  const int m = find_seen(nx, w->own_A, w->Q, V, w->re);
  dm_status s = m ? make_scratch(&small, m, nu, NULL) : DM_OK;
  if (s == DM_OK && m) {
    project_square(m, nx, V, w->own_A, T, small->own_A);
    project_square(m, nx, V, w->Q, T, small->Q);
    dm_gemm(m, nu, nx, 1, V, w->own_B, 0, small->own_B);
    s = solve_dare(small, small->own_A, small->own_B, small->Q, w->R);
  }
  if (s == DM_OK) {
    // P = V'P_m V, K = K_m V
    memset(P, 0, (size_t)(nx * nx) * sizeof *P);
    memset(K, 0, (size_t)(nu * nx) * sizeof *K);
    if (m) {
      dm_gemm(m, nx, m, 1, small->P, V, 0, T);
      dm_gemm_transposed(nx, nx, m, 1, V, nx, T, nx, 0, P, nx);
      dm_gemm(nu, nx, m, 1, small->K, V, 0, K);
    }
    fb_scale_entries(nx, nx, w->inverse, w->inverse, P);
    fb_scale_entries(nu, nx, w->unit, w->inverse, K);
  }
  dm_block_free(small);
  dm_block_free(w);
  return s;
}

// -- modes of a closed or open loop

dm_status fb_dare_radius(int nx, int nu, const double *A, const double *B, const double *K,
                         const double *W, double *largest) {
  scratch *w;
  assert(nx > 0 && largest && (K || !W));
  // the state of a late loop is (x, u)
  DM_TRY(make_scratch(&w, W ? nx + nu : nx, nu, NULL));
  if (W) {
    // T = [A B; -K -W]
    int n = nx + nu;
    for (int i = 0; i < n; i++) {
      // rows of x, then of the input under way
      for (int j = 0; j < nx; j++) w->T[i * n + j] = i < nx ? A[i * nx + j] : -K[(i - nx) * nx + j];
      for (int j = 0; j < nu; j++)
        w->T[i * n + nx + j] = i < nx ? B[i * nu + j] : -W[(i - nx) * nu + j];
    }
  } else
    close_loop(w, A, B, K);
  dm_status s = find_spectral_radius(w, largest);
  dm_block_free(w);
  return s;
}

// how strongly B steers a mode: |(w_re + i w_im)'B| over |w| |B|
static double find_steering(int nx, int nu, const double *re, const double *im, const double *B) {
  double sum = 0, w2 = 0, B2 = 0;
  for (int i = 0; i < nx; i++) w2 += re[i] * re[i] + im[i] * im[i];
  for (int j = 0; j < nu; j++) {
    // column j of B: a + i b = (w_re + i w_im)'B_j
    double a = 0, b = 0;
    for (int i = 0; i < nx; i++) {
      a += re[i] * B[i * nu + j];
      b += im[i] * B[i * nu + j];
      B2 += B[i * nu + j] * B[i * nu + j];
    }
    sum += a * a + b * b;
  }
  // 1 if B spans the mode, 0 if it is normal to it
  return B2 > 0 ? sqrt(sum / (w2 * B2)) : 0;
}

// the dominant state of a mode: the first with at least a tenth of the largest entry, searched from
// `first` on and then from 0
static int find_main_state(int nx, int first, const double *re, const double *im) {
  double largest = 0;
  int state = first % nx;
  for (int i = 0; i < nx; i++) largest = fmax(largest, hypot(re[i], im[i]));
  while (hypot(re[state], im[state]) < 0.1 * largest) state = (state + 1) % nx;
  return state;
}

// A and B in w->T and w->own_B for the states that Q sees, with their basis V in w->P; returns the
// number of these
static int keep_seen(scratch *w, const double *Q) {
  const int n = w->nx, nu = w->nu;
  copy_numbers(n * n, Q, w->Q);
  fb_scale_entries(n, n, w->size, w->size, w->Q);
  const int m = find_seen(n, w->T, w->Q, w->P, w->re);
  project_square(m, n, w->P, w->T, w->W, w->X);
  copy_numbers(m * m, w->X, w->T);
  dm_gemm(m, nu, n, 1, w->P, w->own_B, 0, w->Z);
  copy_numbers(m * nu, w->Z, w->own_B);
  return m;
}

// the vector V'x [n] of x [m] into out
static const double *find_full(const scratch *w, int m, const double *x, double *out) {
  dm_gemm(1, w->nx, m, 1, x, w->P, 0, out);
  return out;
}

dm_status fb_dare_stuck(int nx, int nu, const double *A, const double *B, const double *Q,
                        const double *size, int first, int *state) {
  scratch *w;
  assert(nx > 0 && nu >= 0 && first >= 0 && state);
  *state = -1;
  DM_TRY(make_scratch(&w, nx, nu, size));

  copy_numbers(nx * nx, A, w->T);
  copy_numbers(nx * nu, B, w->own_B);
  fb_scale_entries(nx, nx, w->inverse, w->size, w->T);
  for (int i = 0; i < nx; i++) dm_blas()->cblas_dscal(nu, w->inverse[i], w->own_B + i * nu, 1);

  // normalize the columns of B [nx x nu] to length 1, so that units of inputs do not matter
  for (int j = 0; j < nu; j++) {
    const double length = dm_blas()->cblas_dnrm2(nx, w->own_B + j, nu);
    if (length > 0) dm_blas()->cblas_dscal(nx, 1 / length, w->own_B + j, nu);
  }

  B = w->own_B;

  const int n = nx; // states, before those that Q does not see are removed
  if (Q) nx = keep_seen(w, Q);

  // T = A - BB'/|B|^2: this feedback moves only the modes that B steers, so that no eigenvector
  // mixes both kinds
  double square = dm_inner(nx * nu, B, B);
  if (square > 0)
    dm_blas()->cblas_dgemm(CblasRowMajor, CblasNoTrans, CblasTrans, nx, nx, nu, -1 / square, B, nu,
                           B, nu, 1, w->T, nx);

  // left eigenvectors of T: right ones of T', which is T in column-major order
  int info = dm_blas()->LAPACKE_dgeev(LAPACK_COL_MAJOR, 'N', 'V', nx, w->T, nx, w->re, w->im, NULL,
                                      1, w->X, nx);
  memset(w->Y, 0, (size_t)nx * sizeof *w->Y);
  for (int k = 0; info == 0 && *state < 0 && k < nx; k++) {
    // a conjugate pair has its real and imaginary parts in two columns
    const double *re = w->X + k * nx, *im = w->im[k] > 0 ? re + nx : w->Y;
    if (w->im[k] < 0 || hypot(w->re[k], w->im[k]) < 1 - SLOWEST) continue;
    if (find_steering(nx, nu, re, im, B) > SLOWEST) continue;

    // it neither decays nor is steered: find its dominant state
    if (Q) {
      re = find_full(w, nx, re, w->G);
      im = find_full(w, nx, im, w->H);
    }
    *state = find_main_state(n, first, re, im);
  }
  dm_block_free(w);
  return info == 0 ? DM_OK : DM_STALLED;
}
