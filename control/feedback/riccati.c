#include "control/feedback/riccati.h"

#include "control/feedback/box_qp.h"
#include "lib/base/block.h"
#include "lib/base/column_product.h"
#include "lib/base/dense.h"
#include "lib/base/width.h"

#include <assert.h>
#include <float.h>
#include <math.h>
#include <stdbool.h>

// One stage, with M = [B A] and G = [R S'; S Q] + M'PM: the first nu columns of G's Cholesky factor
// are that of H and Y = L^-1 (B'PA + S'); the rest of G becomes the stage's own P. Every product is
// X'Y, rows of X times rows of Y, so that all inner loops are contiguous; for symmetric matrices
// only the upper triangle is computed. Large products use lib/base/column_product. Rows and columns
// are padded, so that tiles may extend past the edges: the padding never enters a result.

enum { SHARES = 4 };                 // a share is a multiple of 1 / SHARES
static const double ROUNDING = 1e-9; // relative to its largest entry, by which P may be below 0
enum { TILE = 4, PANEL = 8 };        // rows of a tile, rows that are eliminated together

typedef dm_status sweep(fb_riccati *w, const fb_lq *lq, double *K, double *P, int *failed);

struct fb_riccati {
  int nx, nu, ld; // ld: row length of the matrices below
  bool large;     // products by lib/base/column_product
  double *M;      // [nx x ld] B and A side by side
  double *W;      // [nx x ld] P M
  double *G;      // [nx+nu x ld] the matrix to eliminate; P in its lower right corner
  double *diag;   // [nu] of H before its elimination
  double *whole;  // [nx+nu x ld] G without second-order parts, while their share is searched
  double *L, *T;  // [nx x nx], [2nu x ld] scratch
  fb_box_qp box;  // for stages with bounds
  sweep *run;
};

typedef double pack __attribute__((vector_size(TILE * sizeof(double)), aligned(8), may_alias));
#define INLINE static inline __attribute__((always_inline))

// n rounded up to whole tiles
static int pad_to_tiles(int n) {
  return (n + TILE - 1) / TILE * TILE;
}

INLINE void copy_row(int n, const double *restrict x, double *restrict y) {
  for (int i = 0; i < n; i++) y[i] = x[i];
}

// r [4] = s c, or r + s c
INLINE void put_pack(bool add, double s, const pack *c, double *r) {
  pack *to = (pack *)r;
  *to = add ? *to + s * *c : s * *c;
}

// C [4 x 4] = s X'Y over n rows of X and Y, or C + s X'Y
INLINE void multiply_tile(bool add, int n, double s, const double *X, const double *Y, int ld,
                          double *C) {
  // sixteen sums in four registers, over all rows
  pack c0 = {0};
  pack c1 = {0};
  pack c2 = {0};
  pack c3 = {0};
  for (int k = 0; k < n; k++, X += ld, Y += ld) {
    // row k of Y against four entries of row k of X: C_ij += X_ki Y_kj
    pack y = *(const pack *)Y;
    c0 += X[0] * y;
    c1 += X[1] * y;
    c2 += X[2] * y;
    c3 += X[3] * y;
  }
  put_pack(add, s, &c0, C);
  put_pack(add, s, &c1, C + ld);
  put_pack(add, s, &c2, C + 2 * ld);
  put_pack(add, s, &c3, C + 3 * ld);
}

// C [rows x cols] = s X'Y over n rows, X being symmetric, or the upper triangle of C + s X'Y
INLINE void multiply_columns(bool large, dm_column_product product, int rows, int cols, int n,
                             double s, const double *X, const double *Y, int ld, double *C) {
  if (large) {
    dm_multiply_columns(product, rows, cols, n, s, X, Y, ld, C);
    return;
  }
  const bool upper = product == DM_COLUMNS_ADD_UPPER;
  for (int i = 0; i < rows; i += TILE)
    for (int j = upper ? i : 0; j < cols; j += TILE) // from the diagonal's tile on
      multiply_tile(upper, n, s, X + i, Y + j, ld, C + i * ld + j);
}

// the remainder d of H's diagonal entry: a pivot that has lost all its digits to rounding, nu eps
// H_ii, is not positive
INLINE dm_status check_pivot(double d, int nu, double H) {
  if (!isfinite(d)) return DM_NOT_FINITE;
  return d > nu * DBL_EPSILON * H ? DM_OK : DM_NOT_DEFINITE;
}

// row i of [L' Y] from the current row of G: g / L_ii, with 1/L_ii on the diagonal
INLINE void scale_row(int i, int m, double *g) {
  double s = 1 / sqrt(g[i]);
  for (int j = i + 1; j < m; j++) g[j] *= s;
  g[i] = s;
}

// eliminate the first nu rows of G [m columns]: G = [L' Y; . .], with 1/L_ii on the diagonal
INLINE dm_status eliminate_inputs(int nu, int m, int ld, double *G, double *diag) {
  for (int i = 0; i < nu; i++) diag[i] = G[i * ld + i]; // before the elimination changes them
  for (int i = 0; i < nu; i++) {
    double *g = G + i * ld;
    DM_TRY(check_pivot(g[i], nu, diag[i]));
    scale_row(i, m, g);

    // subtract from the rows of H below it
    for (int k = i + 1; k < nu; k++) {
      double *restrict r = G + k * ld;
      for (int j = k; j < m; j++) r[j] -= g[k] * g[j];
    }
  }
  return DM_OK;
}

// the same for large stages: one product subtracts all rows before a panel
static dm_status eliminate_panels(int nu, int m, int ld, double *G, double *diag) {
  for (int i = 0; i < nu; i++) diag[i] = G[i * ld + i];
  for (int from = 0; from < nu; from += PANEL) {
    const int rows = nu - from < PANEL ? nu - from : PANEL;
    double *top = G + from * ld + from;
    dm_multiply_columns(DM_COLUMNS_ADD_UPPER, rows, m - from, from, -1, G + from, G + from, ld,
                        top);

    // within the panel row by row: g_i - sum over k < i of l_k g_k
    for (int i = 0; i < rows; i++) {
      double l[PANEL], *g = top + i * ld;
      for (int k = 0; k < i; k++) l[k] = top[k * ld + i];
      dm_subtract_rows(i, l, m - from - i, top + i, ld, g + i);
      DM_TRY(check_pivot(g[i], nu, diag[from + i]));
      scale_row(i, m - from, g);
    }
  }
  return DM_OK;
}

// K = L'^-1 Y
INLINE void solve_gains(bool large, int nx, int nu, int ld, const double *G, double *K) {
  // K_i = (Y_i - sum over l > i of L_li K_l) / L_ii
  for (int i = nu - 1; i >= 0; i--) {
    const double *g = G + i * ld;
    double *restrict k = K + i * nx;
    copy_row(nx, g + nu, k);
    if (large) dm_subtract_rows(nu - 1 - i, g + i + 1, nx, k + nx, nx, k);
    for (int l = i + 1; !large && l < nu; l++)
      for (int j = 0; j < nx; j++) k[j] -= g[l] * K[l * nx + j];
    for (int j = 0; j < nx; j++) k[j] *= g[i];
  }
}

// G = [R S'; S Q] + M'PM, with P of the next stage in G's corner
INLINE void form_stage(bool large, int nx, int nu, int ld, fb_riccati *w, const fb_lq *lq,
                       size_t k) {
  int m = nx + nu;
  double *restrict M = w->M, *restrict W = w->W, *restrict G = w->G, *P = G + nu * ld + nu;
  const double *Q = lq->Q + k * lq->Q_stride, *R = lq->R + k * lq->R_stride;
  const double *S = lq->S ? lq->S + k * lq->S_stride : NULL;

  // W = P M, before Q overwrites P
  multiply_columns(large, DM_COLUMNS_OF_SYMMETRIC, nx, m, nx, 1, P, M, ld, W);

  // G = [R S'; S Q]; entries below the diagonal are not read
  for (int i = 0; i < nu; i++) {
    copy_row(nu, R + i * nu, G + i * ld);
    // S [nx x nu] of the problem is stored transposed next to R
    for (int j = 0; j < nx; j++) G[i * ld + nu + j] = S ? S[j * nu + i] : 0;
  }
  for (int i = 0; i < nx; i++) {
    const int from = large ? i : 0;
    copy_row(nx - from, Q + i * nx + from, P + i * ld + from);
  }

  // + M'W
  multiply_columns(large, DM_COLUMNS_ADD_UPPER, m, m, nx, 1, M, W, ld, G);
}

// add the share t of the stage's dQ, dR, dS to G
DM_EACH_WIDTH static void add_share(fb_riccati *w, const fb_lq *lq, size_t k, double t) {
  int nx = w->nx, nu = w->nu, ld = w->ld;
  double *G = w->G;
  const double *dQ = lq->dQ + k * lq->Q_stride, *dR = lq->dR + k * lq->R_stride;
  const double *dS = lq->dS + k * lq->S_stride;
  for (int i = 0; i < nu; i++) {
    for (int j = 0; j < nu; j++) G[i * ld + j] += t * dR[i * nu + j];
    for (int j = 0; j < nx; j++) G[i * ld + nu + j] += t * dS[j * nu + i];
  }
  for (int i = 0; i < nx; i++)
    for (int j = 0; j < nx; j++) G[(nu + i) * ld + nu + j] += t * dQ[i * nx + j];
}

// the bounded step for a formed G with a share t of its second-order parts: K and P <- P - Y'K -
// K'Y + K'HK with Y = B'PA + S', which holds for every K. DM_NOT_DEFINITE if H or P is then too
// small.
static dm_status solve_share(fb_riccati *w, const fb_lq *lq, size_t step, double t, double *K) {
  int nx = w->nx, nu = w->nu, ld = w->ld;
  fb_box_qp *box = &w->box;
  double *G = w->G, *P = G + nu * ld + nu, *HK = box->HK;

  // the stage's box QP with H and Y of G: K and HK
  // G <- G + t (dR dS'; dS dQ)
  if (lq->dQ) add_share(w, lq, step, t);
  DM_TRY(fb_box_qp_set(box, G, ld, lq->floor, lq->input));
  DM_TRY(
      fb_box_qp_gains(box, G + nu, ld, lq->lo + step * (size_t)nu, lq->hi + step * (size_t)nu, K));

  // P <- P + K'(HK - Y) - Y'K
  double *padded_K = w->T, *rest = w->T + nu * ld;
  for (int a = 0; a < nu; a++) {
    copy_row(nx, K + a * nx, padded_K + a * ld);
    for (int j = 0; j < nx; j++) rest[a * ld + j] = HK[a * nx + j] - G[a * ld + nu + j];
  }
  multiply_columns(w->large, DM_COLUMNS_ADD_UPPER, nx, nx, nu, 1, padded_K, rest, ld, P);
  multiply_columns(w->large, DM_COLUMNS_ADD_UPPER, nx, nx, nu, -1, G + nu, padded_K, ld, P);

  if (lq->floor > 0) {
    // whether P's first n rows are >= 0, up to rounding of its largest entry in these sizes, which may
    // hide an eigenvalue of 0
    const int n = nx - lq->constants;
    double max = 0;
    for (int i = 0; i < n; i++)
      max = fmax(max, fabs(P[i * w->ld + i]) * (lq->state ? lq->state[i] * lq->state[i] : 1));
    return fb_box_qp_cholesky(n, P, w->ld, ROUNDING * max + DBL_MIN, lq->state, w->L);
  }
  return DM_OK;
}

// the same with the largest share that keeps the stage definite; without a floor the full share
static dm_status solve_bounded_stage(fb_riccati *w, const fb_lq *lq, size_t k, double *K) {
  int nx = w->nx, nu = w->nu, size = (nx + nu) * w->ld;
  dm_status s = DM_OK;
  form_stage(w->large, nx, nu, w->ld, w, lq, k);
  if (lq->floor > 0) copy_row(size, w->G, w->whole);

  // from the full share down to none, each time from the G without it
  for (int t = SHARES; t >= 0; t--) {
    // the last attempt has overwritten G
    if (t < SHARES) copy_row(size, w->whole, w->G);
    s = solve_share(w, lq, k, (double)t / SHARES, K);
    if (lq->share) lq->share[k] = (double)t / SHARES;
    if (s != DM_NOT_DEFINITE || !(lq->floor > 0)) break;
  }
  return s;
}

// one stage: from P of the next in G's corner to its own, and K
INLINE dm_status sweep_stage(bool large, int nx, int nu, int ld, fb_riccati *w, const fb_lq *lq,
                             size_t k, double *K) {
  double *restrict M = w->M, *restrict G = w->G, *P = G + nu * ld + nu;
  const double *A = lq->A + k * lq->A_stride, *B = lq->B + k * lq->B_stride;

  // M = [B A]
  for (int i = 0; i < nx; i++) {
    copy_row(nu, B + i * nu, M + i * ld);
    copy_row(nx, A + i * nx, M + i * ld + nu);
  }

  // G's Cholesky factor as far as H goes, K = L'^-1 Y and P <- P - Y'Y
  if (lq->lo) {
    DM_TRY(solve_bounded_stage(w, lq, k, K));
  } else {
    form_stage(large, nx, nu, ld, w, lq, k);
    DM_TRY(large ? eliminate_panels(nu, nx + nu, ld, G, w->diag)
                 : eliminate_inputs(nu, nx + nu, ld, G, w->diag));
    solve_gains(large, nx, nu, ld, G, K);
    multiply_columns(large, DM_COLUMNS_ADD_UPPER, nx, nx, nu, -1, G + nu, G + nu, ld, P);
  }

  // fill the part of the lower triangle that the next stage's W = P M reads: all, or blocks on the
  // diagonal
  double trace = 0;
  for (int i = 0; i < nx; i++) {
    const int from = large ? i - i % DM_COLUMN_BLOCK : 0;
    for (int j = from; j < i; j++) P[i * ld + j] = P[j * ld + i];
    trace += P[i * ld + i];
  }
  return isfinite(trace) ? DM_OK : DM_NOT_FINITE;
}

// P [nx x nx] by the upper triangle of the next stage's
INLINE void record_value(int nx, int ld, const double *next, double *P) {
  for (int i = 0; i < nx; i++) {
    for (int j = 0; j < i; j++) P[i * nx + j] = P[j * nx + i];
    copy_row(nx - i, next + i * (ld + 1), P + i * (nx + 1));
  }
}

// all stages, from the last to the first
INLINE dm_status sweep_stages(bool large, int nx, int nu, int ld, fb_riccati *w, const fb_lq *lq,
                              double *K, double *P, int *failed) {
  double *last = w->G + nu * ld + nu;
  size_t nP = (size_t)nx * nx, nK = (size_t)nu * nx;

  // P_N = Qf, made symmetric
  for (int i = 0; i < nx; i++)
    for (int j = 0; j < nx; j++) last[i * ld + j] = 0.5 * (lq->Qf[i * nx + j] + lq->Qf[j * nx + i]);

  // record P_k, then make K_k-1 and P_k-1
  // P [(N+1) x nx x nx] is recorded only if the caller wants it
  for (int k = lq->N;; k--) {
    if (P) record_value(nx, ld, last, dm_row(P, k, nP));
    if (k == 0) break;
    *failed = k - 1;
    DM_TRY(sweep_stage(large, nx, nu, ld, w, lq, (size_t)k - 1, dm_row(K, k - 1, nK)));
  }
  *failed = -1;
  return DM_OK;
}

// The sweep is compiled for any size and, with constant sizes, for some small ones; each for the
// baseline processor and for one with wider registers. Neither fuses multiplications with
// additions, so both give the same numbers; only the products of large stages may be fused.
#define SWEEP(attribute, name, large, nx, nu, ld)                                                  \
  attribute static dm_status name(fb_riccati *w, const fb_lq *lq, double *K, double *P,            \
                                  int *failed) {                                                   \
    return sweep_stages(large, nx, nu, ld, w, lq, K, P, failed);                                   \
  }
#define SWEEPS(attribute, name)                                                                    \
  SWEEP(attribute, name##_2x1, false, 2, 1, 8)                                                     \
  SWEEP(attribute, name##_4x1, false, 4, 1, 8)                                                     \
  SWEEP(attribute, name##_8x4, false, 8, 4, 16)                                                    \
  SWEEP(attribute, name, w->large, w->nx, w->nu, w->ld)                                            \
  static sweep *name##_of(int nx, int nu) {                                                        \
    if (nx == 2 && nu == 1) return name##_2x1;                                                     \
    if (nx == 4 && nu == 1) return name##_4x1;                                                     \
    if (nx == 8 && nu == 4) return name##_8x4;                                                     \
    return name;                                                                                   \
  }
SWEEPS(, sweep_narrow)
#ifdef __x86_64__
SWEEPS(__attribute__((target("avx2"))), sweep_wide)
static sweep *choose_sweep(int nx, int nu) {
  return __builtin_cpu_supports("avx2") ? sweep_wide_of(nx, nu) : sweep_narrow_of(nx, nu);
}
#else
static sweep *choose_sweep(int nx, int nu) {
  return sweep_narrow_of(nx, nu);
}
#endif

static void lay_out_stage(void *self, dm_block *b) {
  fb_riccati *w = self;
  size_t ld = (size_t)w->ld, nx = (size_t)w->nx, nu = (size_t)w->nu;
  w->M = dm_block_alloc(b, nx * ld, sizeof *w->M);
  w->W = dm_block_alloc(b, (nx + TILE) * ld, sizeof *w->W);
  w->G = dm_block_alloc(b, (nx + nu + DM_COLUMN_BLOCK) * ld, sizeof *w->G);
  w->diag = dm_block_alloc(b, nu, sizeof *w->diag);
  w->whole = dm_block_alloc(b, (nx + nu) * ld, sizeof *w->whole);
  w->L = dm_block_alloc(b, nx * nx, sizeof *w->L);
  w->T = dm_block_alloc(b, (2 * nu + TILE) * ld, sizeof *w->T);
  fb_box_qp_lay_out(&w->box, w->nx, w->nu, b);
}

dm_status fb_riccati_new(fb_riccati **out, int nx, int nu) {
  assert(out);
  *out = NULL;
  if (nx < 1 || nu < 0) return DM_BAD_INPUT;
  fb_riccati count = {.nx = nx, .nu = nu, .large = 2 * nx + nu >= dm_column_threshold()};
  count.ld = count.large ? dm_column_stride(nx + nu) : pad_to_tiles(nx + nu + TILE - 1);
  count.run = choose_sweep(nx, nu);
  fb_riccati *w = dm_block_make(&count, sizeof count, lay_out_stage);
  if (!w) return DM_NO_MEMORY;
  *out = w;
  return DM_OK;
}

void fb_riccati_free(fb_riccati *w) {
  dm_block_free(w);
}

dm_status fb_riccati_sweep(fb_riccati *w, const fb_lq *lq, double *K, double *P, int *failed) {
  assert(lq->nx == w->nx && lq->nu == w->nu && K && failed);
  assert(!lq->lo || lq->hi);
  return w->run(w, lq, K, P, failed);
}

double fb_riccati_value(const fb_riccati *w, int i, int j) {
  const double *P = w->G + w->nu * w->ld + w->nu;
  return i < j ? P[i * w->ld + j] : P[j * w->ld + i];
}
