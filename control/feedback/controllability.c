#include "control/feedback/controllability.h"

#include "lib/base/blas.h"
#include "lib/base/block.h"
#include "lib/base/dense.h"

#include <assert.h>
#include <math.h>
#include <string.h>

// All matrices here are sets of columns, stored one after another.
struct fb_controllability {
  int nx, m;
  int lwork;     // length of the LAPACK workspace
  int rank;      // columns of V
  double *size;  // [nx] size per state: V and F are scaled by it
  double *V;     // [nx][nx] orthonormal basis
  double *F;     // [nx + m][nx] image of V in one step
  double *S, *T; // [2 (nx + m)][nx] columns with the singular values of [B, AB, ..]; their image
  double *sigma, *tau, *lapack;
  int *pivot, *ilapack;
  fb_span span;
};

static void lay_out_bases(void *self, dm_block *b) {
  fb_controllability *w = self;
  size_t nx = (size_t)w->nx, all = nx + (size_t)w->m, size = sizeof(double);
  w->size = dm_block_alloc(b, nx, size);
  w->V = dm_block_alloc(b, nx * nx, size);
  w->F = dm_block_alloc(b, all * nx, size);
  w->S = dm_block_alloc(b, 2 * all * nx, size);
  w->T = dm_block_alloc(b, 2 * all * nx, size);
  w->sigma = dm_block_alloc(b, nx, size);
  w->tau = dm_block_alloc(b, nx, size);
  w->lapack = dm_block_alloc(b, (size_t)w->lwork, size);
  w->pivot = dm_block_alloc(b, all, sizeof *w->pivot);
  w->ilapack = dm_block_alloc(b, 8 * nx, sizeof *w->ilapack);
}

dm_status fb_controllability_new(fb_controllability **out, int nx, int m) {
  assert(out);
  if (nx < 1 || m < 1) return DM_BAD_INPUT;
  fb_controllability sizes = {.nx = nx, .m = m};
  // the LAPACK workspace for QR, LQ and the singular values together
  sizes.lwork = 64 * (nx + m + 1) * 2 + 7 * nx + 2 * (nx + m) + 1200; // blocks of 64 columns
  fb_controllability *w = dm_block_make(&sizes, sizeof sizes, lay_out_bases);
  if (!w) return DM_NO_MEMORY;
  *out = w;
  return DM_OK;
}

void fb_controllability_free(fb_controllability *w) {
  dm_block_free(w);
}

// Y = A X, or A'X for outputs; A row-major, n columns
static void map_columns(const fb_controllability *w, const fb_stages *s, const double *A, int n,
                        const double *X, double *Y) {
  if (n == 0) return;
  // row-major A is column-major A'
  dm_blas()->cblas_dgemm(CblasColMajor, s->outputs ? CblasNoTrans : CblasTrans, CblasNoTrans, w->nx,
                         n, w->nx, 1, A, w->nx, X, w->nx, 0, Y, w->nx);
}

// the columns of a stage's B, or the rows of its C
static void put_columns(const fb_controllability *w, const fb_stages *s, int k, double *Y) {
  const double *B = dm_row(s->B, k, w->nx * s->m);
  if (s->outputs) memcpy(Y, B, (size_t)(w->nx * s->m) * sizeof *Y);
  for (int j = 0; !s->outputs && j < s->m; j++)
    for (int i = 0; i < w->nx; i++) Y[j * w->nx + i] = B[i * s->m + j];
}

// X [n] times the states' sizes, or divided by them
static void scale_states(const fb_controllability *w, bool over, int n, double *X) {
  for (int j = 0; j < n; j++)
    for (int i = 0; i < w->nx; i++) X[j * w->nx + i] *= over ? 1 / w->size[i] : w->size[i];
}

// The largest effect of A (and B) over all stages on each state, so that positions and momenta are
// comparable.
static void find_state_sizes(fb_controllability *w, const fb_stages *s, int N) {
  int nx = w->nx, m = s->m;
  memset(w->size, 0, (size_t)nx * sizeof *w->size);

  // the largest row norm of [A B], or of A, over all stages
  for (int k = 0; k < N; k++) {
    const double *A = dm_row(s->A, k, nx * nx), *B = dm_row(s->B, k, nx * m);
    for (int i = 0; i < nx; i++) {
      double a = dm_blas()->cblas_dnrm2(nx, A + i * nx, 1); // the row of A, and below of B
      double b = s->outputs ? 0 : dm_blas()->cblas_dnrm2(m, B + i * m, 1);
      w->size[i] = fmax(w->size[i], hypot(a, b));
    }
  }

  // a state that nothing affects keeps its unit
  for (int i = 0; i < nx; i++)
    if (!(w->size[i] > 0 && isfinite(w->size[i]))) w->size[i] = 1;
}

// the size of each state; outputs act on covectors, whose entries have the inverse size
static void set_state_sizes(fb_controllability *w, const fb_stages *s, int N) {
  if (s->size)
    memcpy(w->size, s->size, (size_t)w->nx * sizeof *w->size);
  else
    find_state_sizes(w, s, N);
  for (int i = 0; s->outputs && i < w->nx; i++) w->size[i] = 1 / w->size[i];
}

// |x|
static double find_length(int n, const double *x) {
  return dm_blas()->cblas_dnrm2(n, x, 1);
}

// an orthonormal basis of the columns X [n], in X: those whose pivots are large relative to the
// longest
static dm_status orthonormalize(fb_controllability *w, int n, double *X, int *rank) {
  int nx = w->nx, most = n < nx ? n : nx;

  // the length of the longest column
  double max = 0, sum = 0;
  for (int j = 0; j < n; j++) max = fmax(max, find_length(w->nx, X + j * w->nx));
  for (int i = 0; i < n * w->nx; i++) sum += X[i]; // keeps NaN, which fmax drops
  double longest = isfinite(sum) ? max : NAN;

  *rank = 0;
  if (!isfinite(longest)) return DM_NOT_FINITE;
  if (n == 0 || longest == 0) return DM_OK;

  // X = Q R with column pivoting: |R_ii| decrease, and the first that is too small ends the basis
  memset(w->pivot, 0, (size_t)n * sizeof *w->pivot);
  dm_blas()->LAPACKE_dgeqp3_work(LAPACK_COL_MAJOR, nx, n, X, nx, w->pivot, w->tau, w->lapack,
                                 w->lwork);
  for (; *rank < most; ++*rank) {
    double pivot = fabs(X[*rank * nx + *rank]) / longest;
    if (!(pivot > FB_RANK_TOL)) {
      w->span.dropped = fmax(w->span.dropped, pivot);
      break;
    }
    w->span.kept = fmin(w->span.kept, pivot);
  }

  // the columns of Q in the basis
  if (*rank)
    dm_blas()->LAPACKE_dorgqr_work(LAPACK_COL_MAJOR, nx, *rank, *rank, X, nx, w->tau, w->lapack,
                                   w->lwork);
  return DM_OK;
}

// reduce columns X [n] to nx columns with the same singular values: the factor L of X = L Q
static int compress_columns(fb_controllability *w, int n, double *X) {
  int nx = w->nx;
  if (n <= nx) return n;
  dm_blas()->LAPACKE_dgelqf_work(LAPACK_COL_MAJOR, nx, n, X, nx, w->tau, w->lapack, w->lwork);
  // zeros above L's diagonal, where dgelqf left Q
  for (int j = 1; j < nx; j++) memset(X + j * nx, 0, (size_t)j * sizeof *X);
  return nx;
}

// the result: the rank of V, its margin, and singular value number rank of the columns S [n]
static dm_status conclude_span(fb_controllability *w, int n, fb_span *out) {
  int rank = w->rank;
  n = compress_columns(w, n, w->S);

  // LAPACK may not return if entries are not finite
  double sum = 0;
  for (int i = 0; i < n * w->nx; i++) sum += w->S[i]; // keeps NaN and infinity
  if (!isfinite(sum)) return DM_NOT_FINITE;
  if (rank > 0 &&
      dm_blas()->LAPACKE_dgesdd_work(LAPACK_COL_MAJOR, 'N', w->nx, n, w->S, w->nx, w->sigma, NULL,
                                     1, NULL, 1, w->lapack, w->lwork, w->ilapack) != 0)
    return DM_STALLED;

  *out = w->span;
  out->rank = rank;
  // number `rank`: the smallest that still counts
  out->sigma = rank > 0 && rank <= n ? w->sigma[rank - 1] : 0;
  return DM_OK;
}

// V = {0}
static void begin_span(fb_controllability *w) {
  w->rank = 0;
  w->span = (fb_span){.kept = 1};
}

// V <- span [A V, B] of stage k
static dm_status advance_span(fb_controllability *w, const fb_stages *s, int k) {
  int nx = w->nx, m = s->m;

  // F = [A V, B]: V in the states' own units, F divided by their sizes
  scale_states(w, false, w->rank, w->V);
  map_columns(w, s, dm_row(s->A, k, nx * nx), w->rank, w->V, w->F);
  put_columns(w, s, k, w->F + w->rank * nx);
  scale_states(w, true, w->rank + m, w->F);

  // normalize columns to length 1; zero columns stay
  double *X = w->F + w->rank * nx;
  for (int j = 0; j < m; j++) {
    double size = find_length(w->nx, X + j * w->nx);
    if (size > 0) dm_blas()->cblas_dscal(w->nx, 1 / size, X + j * w->nx, 1);
  }

  DM_TRY(orthonormalize(w, w->rank + m, w->F, &w->rank));
  memcpy(w->V, w->F, (size_t)(w->rank * nx) * sizeof *w->V);
  return DM_OK;
}

dm_status fb_controllability_window(fb_controllability *w, const fb_stages *s, fb_span *out) {
  int nx = w->nx, m = s->m, n = 0;
  assert(out && m >= 1 && m <= w->m && s->N >= 1);
  begin_span(w);
  set_state_sizes(w, s, s->N);
  for (int j = 0; j < s->N; j++) {
    int k = s->outputs ? s->N - 1 - j : j; // outputs: from the last stage backwards

    // the matrix itself: S <- [A S, B], compressed to at most nx columns
    map_columns(w, s, dm_row(s->A, k, nx * nx), n, w->S, w->T);
    put_columns(w, s, k, w->T + n * nx);
    memcpy(w->S, w->T, (size_t)((n + m) * nx) * sizeof *w->S);
    n = compress_columns(w, n + m, w->S);

    // and its span
    DM_TRY(advance_span(w, s, k));
  }
  return conclude_span(w, n, out);
}

dm_status fb_controllability_pair(fb_controllability *w, const fb_stages *s, fb_span *out) {
  int nx = w->nx, m = s->m, n = 0, before = -1;
  double *last = w->T, *next = w->T + m * nx; // A^j B
  assert(out && m >= 1 && m <= w->m && s->N >= 1);
  begin_span(w);
  set_state_sizes(w, s, 1);
  put_columns(w, s, 0, last);

  // by Cayley-Hamilton, A^nx adds nothing; often fewer powers are enough
  for (int j = 0; j <= nx; j++) {
    DM_TRY(advance_span(w, s, 0));
    if (w->rank <= before) break;
    before = w->rank;

    // the matrix itself: S <- [S, A^j B], compressed if the next block would not fit
    memcpy(w->S + n * nx, last, (size_t)(m * nx) * sizeof *w->S);
    n += m;
    if (n + m > 2 * (nx + w->m)) n = compress_columns(w, n, w->S);
    map_columns(w, s, s->A, m, last, next);
    memcpy(last, next, (size_t)(m * nx) * sizeof *w->S);
  }
  return conclude_span(w, n, out);
}
