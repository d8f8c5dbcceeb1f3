#include "control/feedback/controllability.h"

#include "lib/base/block.h"
#include "lib/base/dense.h"

#include <cblas.h>
#include <lapacke.h>
#include <math.h>
#include <string.h>

// All matrices here are sets of columns, one after the other.
struct fb_controllability {
  int nx, m, room; // room: of lapack
  int rank;        // columns of V
  double *size;    // [nx] of each state: V and F are of states over it
  double *V;       // [nx][nx] orthonormal basis
  double *F;       // [nx + m][nx] what a step leads to
  double *S, *T;   // [2 (nx + m)][nx] columns with the singular values of [B, AB, ..]; their image
  double *sigma, *tau, *lapack;
  int *pivot, *ilapack;
  fb_span span;
};

static void lay_out(void *self, dm_block *b) {
  fb_controllability *w = self;
  size_t nx = (size_t)w->nx, all = nx + (size_t)w->m, size = sizeof(double);
  w->size = dm_take(b, nx, size);
  w->V = dm_take(b, nx * nx, size);
  w->F = dm_take(b, all * nx, size);
  w->S = dm_take(b, 2 * all * nx, size);
  w->T = dm_take(b, 2 * all * nx, size);
  w->sigma = dm_take(b, nx, size);
  w->tau = dm_take(b, nx, size);
  w->lapack = dm_take(b, (size_t)w->room, size);
  w->pivot = dm_take(b, all, sizeof *w->pivot);
  w->ilapack = dm_take(b, 8 * nx, sizeof *w->ilapack);
}

dm_status fb_controllability_new(fb_controllability **out, int nx, int m) {
  if (nx < 1 || m < 1) return DM_BAD_INPUT;
  fb_controllability sizes = {.nx = nx, .m = m};
  sizes.room = 64 * (nx + m + 1) * 2 + 7 * nx + 2 * (nx + m) + 1200; // blocks of 64 columns
  fb_controllability *w = dm_block_make(&sizes, sizeof sizes, lay_out);
  if (!w) return DM_NO_MEMORY;
  *out = w;
  return DM_OK;
}

void fb_controllability_free(fb_controllability *w) {
  dm_block_free(w);
}

// Y = A X, or A'X where outputs are asked for; A row-major, n columns
static void map(const fb_controllability *w, const fb_stages *s, const double *A, int n,
                const double *X, double *Y) {
  if (n == 0) return;
  cblas_dgemm(CblasColMajor, s->outputs ? CblasNoTrans : CblasTrans, CblasNoTrans, w->nx, n, w->nx,
              1, A, w->nx, X, w->nx, 0, Y, w->nx);
}

// the columns of a stage's B, or the rows of its C
static void put_columns(const fb_controllability *w, const fb_stages *s, int k, double *Y) {
  const double *B = dm_row(s->B, k, w->nx * s->m);
  if (s->outputs) memcpy(Y, B, (size_t)(w->nx * s->m) * sizeof *Y);
  for (int j = 0; !s->outputs && j < s->m; j++)
    for (int i = 0; i < w->nx; i++) Y[j * w->nx + i] = B[i * s->m + j];
}

// X [n] times the states' sizes, or over them
static void scale(const fb_controllability *w, bool over, int n, double *X) {
  for (int j = 0; j < n; j++)
    for (int i = 0; i < w->nx; i++) X[j * w->nx + i] *= over ? 1 / w->size[i] : w->size[i];
}

// The size of each state is what A (and B) of the stages make of it at most, so that positions and
// momenta compare; what outputs show is a covector, and its entries have the inverse.
static void measure(fb_controllability *w, const fb_stages *s, int N) {
  int nx = w->nx, m = s->m;
  memset(w->size, 0, (size_t)nx * sizeof *w->size);
  for (int k = 0; k < N; k++) {
    const double *A = dm_row(s->A, k, nx * nx), *B = dm_row(s->B, k, nx * m);
    for (int i = 0; i < nx; i++) {
      double a = cblas_dnrm2(nx, A + i * nx, 1), b = s->outputs ? 0 : cblas_dnrm2(m, B + i * m, 1);
      w->size[i] = fmax(w->size[i], hypot(a, b));
    }
  }
  for (int i = 0; i < nx; i++) {
    if (!(w->size[i] > 0 && isfinite(w->size[i]))) w->size[i] = 1;
    if (s->outputs) w->size[i] = 1 / w->size[i];
  }
}

static double norm(int n, const double *x) {
  return cblas_dnrm2(n, x, 1);
}

// columns to length 1; those of nothing stay
static void normalize(const fb_controllability *w, int n, double *X) {
  for (int j = 0; j < n; j++) {
    double size = norm(w->nx, X + j * w->nx);
    if (size > 0) cblas_dscal(w->nx, 1 / size, X + j * w->nx, 1);
  }
}

// the longest column; NAN where an entry is
static double longest(const fb_controllability *w, int n, const double *X) {
  double most = 0, sum = 0;
  for (int j = 0; j < n; j++) most = fmax(most, norm(w->nx, X + j * w->nx));
  for (int i = 0; i < n * w->nx; i++) sum += X[i];
  return isfinite(sum) ? most : NAN;
}

// An orthonormal basis of the columns X [n], in X: those whose pivots stand out from the longest.
static dm_status basis(fb_controllability *w, int n, double *X, int *rank) {
  int nx = w->nx, least = n < nx ? n : nx;
  double most = longest(w, n, X);
  *rank = 0;
  if (!isfinite(most)) return DM_NOT_FINITE;
  if (n == 0 || most == 0) return DM_OK;
  memset(w->pivot, 0, (size_t)n * sizeof *w->pivot);
  LAPACKE_dgeqp3_work(LAPACK_COL_MAJOR, nx, n, X, nx, w->pivot, w->tau, w->lapack, w->room);
  for (; *rank < least; ++*rank) {
    double pivot = fabs(X[*rank * nx + *rank]) / most;
    if (!(pivot > FB_REACH_TOL)) {
      w->span.dropped = fmax(w->span.dropped, pivot);
      break;
    }
    w->span.kept = fmin(w->span.kept, pivot);
  }
  if (*rank)
    LAPACKE_dorgqr_work(LAPACK_COL_MAJOR, nx, *rank, *rank, X, nx, w->tau, w->lapack, w->room);
  return DM_OK;
}

// columns X [n] become nx of the same singular values: the factor L of X = L Q
static int compress(fb_controllability *w, int n, double *X) {
  int nx = w->nx;
  if (n <= nx) return n;
  LAPACKE_dgelqf_work(LAPACK_COL_MAJOR, nx, n, X, nx, w->tau, w->lapack, w->room);
  for (int j = 1; j < nx; j++) memset(X + j * nx, 0, (size_t)j * sizeof *X);
  return nx;
}

// the verdict: of the columns S [n], singular value number rank
static dm_status finish(fb_controllability *w, int n, fb_span *out) {
  int rank = w->rank;
  n = compress(w, n, w->S);
  double sum = 0;
  for (int i = 0; i < n * w->nx; i++) sum += w->S[i];
  if (!isfinite(sum)) return DM_NOT_FINITE;
  if (rank > 0 && LAPACKE_dgesdd_work(LAPACK_COL_MAJOR, 'N', w->nx, n, w->S, w->nx, w->sigma, NULL,
                                      1, NULL, 1, w->lapack, w->room, w->ilapack) != 0)
    return DM_STALLED;
  *out = w->span;
  out->rank = rank;
  out->sigma = rank > 0 && rank <= n ? w->sigma[rank - 1] : 0;
  return DM_OK;
}

static void begin(fb_controllability *w) {
  w->rank = 0;
  w->span = (fb_span){.kept = 1};
}

// V <- span [A V, B] of stage k
static dm_status advance(fb_controllability *w, const fb_stages *s, int k) {
  int nx = w->nx, m = s->m;
  scale(w, false, w->rank, w->V);
  map(w, s, dm_row(s->A, k, nx * nx), w->rank, w->V, w->F);
  put_columns(w, s, k, w->F + w->rank * nx);
  scale(w, true, w->rank + m, w->F);
  normalize(w, m, w->F + w->rank * nx);
  DM_TRY(basis(w, w->rank + m, w->F, &w->rank));
  memcpy(w->V, w->F, (size_t)(w->rank * nx) * sizeof *w->V);
  return DM_OK;
}

dm_status fb_controllability_window(fb_controllability *w, const fb_stages *s, fb_span *out) {
  int nx = w->nx, m = s->m, n = 0;
  begin(w);
  measure(w, s, s->N);
  for (int j = 0; j < s->N; j++) {
    int k = s->outputs ? s->N - 1 - j : j;
    // the matrix itself, then what it spans
    map(w, s, dm_row(s->A, k, nx * nx), n, w->S, w->T);
    put_columns(w, s, k, w->T + n * nx);
    memcpy(w->S, w->T, (size_t)((n + m) * nx) * sizeof *w->S);
    n = compress(w, n + m, w->S);
    DM_TRY(advance(w, s, k));
  }
  return finish(w, n, out);
}

dm_status fb_controllability_pair(fb_controllability *w, const fb_stages *s, fb_span *out) {
  int nx = w->nx, m = s->m, n = 0, before = -1;
  double *last = w->T, *next = w->T + m * nx; // A^j B
  begin(w);
  measure(w, s, 1);
  put_columns(w, s, 0, last);
  for (int j = 0; j <= nx; j++) {
    DM_TRY(advance(w, s, 0));
    if (w->rank <= before) break;
    before = w->rank;
    memcpy(w->S + n * nx, last, (size_t)(m * nx) * sizeof *w->S);
    n += m;
    if (n + m > 2 * (nx + w->m)) n = compress(w, n, w->S);
    map(w, s, s->A, m, last, next);
    memcpy(last, next, (size_t)(m * nx) * sizeof *w->S);
  }
  return finish(w, n, out);
}
