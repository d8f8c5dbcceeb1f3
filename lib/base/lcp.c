#include "lib/base/lcp.h"

#include "lib/base/block.h"
#include "lib/base/dense.h"

#include <assert.h>
#include <math.h>
#include <string.h>

// relative to the largest |b|
static const double SIGN = 1e-12; // smaller wrong signs are rounding
static const double WRONG = 1e-6; // larger ones after step 2 are not
static const double TIE = 1e-12;  // smaller differences are ties
// relative to the largest entry of M
static const double PIVOT = 1e-11;               // smaller pivots are zero
static const double SHIFTS[] = {0, 1e-10, 1e-7}; // on a diagonal of about 1

static void swap(double *a, double *b) {
  const double t = *a;
  *a = *b;
  *b = t;
}

static void lay_out_lcp(void *self, dm_block *b) {
  dm_lcp *w = self;
  const size_t n = (size_t)w->n;
  w->basic = dm_block_alloc(b, n, sizeof *w->basic);
  w->z = dm_block_alloc(b, n, sizeof *w->z);
  w->w = dm_block_alloc(b, n, sizeof *w->w);
  w->T = dm_block_alloc(b, n * (2 * n + 2), sizeof *w->T);
  w->A = dm_block_alloc(b, n * n, sizeof *w->A);
  w->x = dm_block_alloc(b, n, sizeof *w->x);
  w->row_of = dm_block_alloc(b, n, sizeof *w->row_of);
  w->column = dm_block_alloc(b, n, sizeof *w->column);
  w->in = dm_block_alloc(b, n, sizeof *w->in);
}

dm_status dm_lcp_new(dm_lcp **out, int n) {
  assert(out && n >= 0);
  dm_lcp sizes = {.n = n};
  *out = dm_block_make(&sizes, sizeof sizes, lay_out_lcp);
  return *out ? DM_OK : DM_NO_MEMORY;
}

void dm_lcp_free(dm_lcp *w) {
  dm_block_free(w);
}

// Solve the equations A x = x of k unknowns, in place, by elimination with complete pivoting; unknowns
// of dependent equations are zero. Returns the largest contradiction.
static double solve_equations(int k, double *A, double *x, int *column) {
  const double least = PIVOT * dm_largest(k * k, A);
  double left = 0;
  int rank = 0;
  for (int i = 0; i < k; i++) column[i] = i;
  for (; rank < k; rank++) {
    int row = rank, best = rank;
    for (int i = rank; i < k; i++)
      for (int j = rank; j < k; j++)
        if (fabs(A[i * k + j]) > fabs(A[row * k + best])) {
          row = i;
          best = j;
        }
    if (!(fabs(A[row * k + best]) > least)) break;

    // exchange, eliminate below
    for (int j = 0; j < k; j++) swap(&A[row * k + j], &A[rank * k + j]);
    for (int i = 0; i < k; i++) swap(&A[i * k + best], &A[i * k + rank]);
    swap(&x[row], &x[rank]);
    const int other = column[best];
    column[best] = column[rank];
    column[rank] = other;
    for (int i = rank + 1; i < k; i++) {
      const double t = A[i * k + rank] / A[rank * k + rank];
      if (t == 0) continue;
      dm_add_to(k - rank, -t, A + rank * k + rank, A + i * k + rank);
      x[i] -= t * x[rank];
    }
  }
  for (int i = rank; i < k; i++) {
    left = fmax(left, fabs(x[i]));
    x[i] = 0;
  }
  for (int i = rank - 1; i >= 0; i--) {
    for (int j = i + 1; j < rank; j++) x[i] -= A[i * k + j] * x[j];
    x[i] /= A[i * k + i];
  }
  return left;
}

// z of the set w->basic, of any sign, and w. Returns the largest contradiction.
static double solve_set(dm_lcp *w, const double *M, const double *b) {
  const int n = w->n;
  int k = 0;
  for (int i = 0; i < n; i++)
    if (w->basic[i]) w->in[k++] = i;

  // M_kk z_k = -b_k
  double *z = w->x;
  for (int i = 0; i < k; i++) {
    z[i] = -b[w->in[i]];
    for (int j = 0; j < k; j++) w->A[i * k + j] = M[w->in[i] * n + w->in[j]];
  }
  const double left = solve_equations(k, w->A, z, w->column);
  memset(w->z, 0, (size_t)n * sizeof *w->z);
  for (int i = 0; i < k; i++) w->z[w->in[w->column[i]]] = z[i];
  for (int i = 0; i < n; i++) w->w[i] = w->basic[i] ? 0 : b[i] + dm_inner(n, M + i * n, w->z);
  return left;
}

// The same if no sign is wrong and no equation contradicts others; negative numbers that are small
// become zero. Returns true if so.
static bool solve_basis(dm_lcp *w, const double *M, const double *b, double size) {
  const double least = fmax(SIGN * size, w->noise);
  if (!(solve_set(w, M, b) <= least)) return false;
  for (int i = 0; i < w->n; i++) {
    if (!(w->w[i] >= -least) || !(w->z[i] >= -least)) return false;
    w->z[i] = fmax(0, w->z[i]);
  }
  return true;
}

// The row that the entering column `enter` reaches first, the lift before others; -1: none.
static int find_leaving_row(const dm_lcp *w, int enter, double least, double size) {
  const int n = w->n, m = 2 * n + 2;
  int row = -1;
  for (int i = 0; i < n; i++) {
    const double *T = w->T + i * m, *best = w->T + row * m;
    if (!(T[enter] > least)) continue;
    if (row < 0) {
      row = i;
      continue;
    }

    // smaller b / column, then columns of w in order
    double by = T[m - 1] / T[enter] - best[m - 1] / best[enter];
    const double tie = TIE * fmax(size / T[enter], size / best[enter]);
    if (fabs(by) <= tie && w->row_of[row] == 2 * n) continue;
    if (fabs(by) <= tie && w->row_of[i] == 2 * n) by = -1;
    if (fabs(by) <= tie) by = 0;
    for (int j = 0; j < n && fabs(by) <= TIE; j++) by = T[j] / T[enter] - best[j] / best[enter];
    if (by < 0) row = i;
  }
  return row;
}

static void pivot(dm_lcp *w, int row, int enter) {
  const int n = w->n, m = 2 * n + 2;
  double *R = w->T + row * m;
  const double by = R[enter];
  for (int j = 0; j < m; j++) R[j] /= by;
  R[enter] = 1;
  for (int i = 0; i < n; i++) {
    double *T = w->T + i * m;
    const double t = T[enter];
    if (i == row || t == 0) continue;
    for (int j = 0; j < m; j++) T[j] -= t * R[j];
    T[enter] = 0;
  }
  w->row_of[row] = enter;
  w->pivots++;
}

// w - (M + shift) z - lift = b, with the basis w
static void start_tableau(dm_lcp *w, const double *M, const double *b, double shift) {
  const int n = w->n, m = 2 * n + 2;
  memset(w->T, 0, (size_t)n * (size_t)m * sizeof *w->T);
  for (int i = 0; i < n; i++) {
    double *T = w->T + i * m;
    T[i] = 1;
    for (int j = 0; j < n; j++) T[n + j] = -M[i * n + j];
    T[n + i] -= shift;
    T[2 * n] = -1;
    T[m - 1] = b[i];
    w->row_of[i] = i;
  }
}

// step 2 with `shift` on the diagonal: sets w->basic
static dm_status follow_lemke(dm_lcp *w, const double *M, const double *b, double shift) {
  const int n = w->n, lift = 2 * n;
  const double least = PIVOT * fmax(1, dm_largest(n * n, M));
  memset(w->basic, 0, (size_t)n * sizeof *w->basic);

  // the lift enters for the most negative b
  int row = 0;
  for (int i = 1; i < n; i++)
    if (b[i] < b[row]) row = i;
  if (b[row] >= 0) return DM_OK;
  start_tableau(w, M, b, shift);
  int leaves = w->row_of[row];
  dm_status status = DM_MAX_ITER;
  pivot(w, row, lift);
  for (int k = 0; k < 50 * n; k++) {
    // the complement of the unknown that left enters
    const int enter = leaves < n ? leaves + n : leaves - n;
    row = find_leaving_row(w, enter, least, fmax(dm_largest(n, b), w->noise / TIE));
    if (row < 0) return DM_INFEASIBLE;
    leaves = w->row_of[row];
    pivot(w, row, enter);
    status = leaves == lift ? DM_OK : DM_MAX_ITER;
    if (status == DM_OK) break;
  }
  for (int i = 0; i < n; i++)
    if (w->row_of[i] >= n && w->row_of[i] < lift) w->basic[w->row_of[i] - n] = true;
  return status;
}

// z and w of the last basis from the tableau
static void read_tableau(dm_lcp *w, const double *M, const double *b) {
  const int n = w->n, m = 2 * n + 2;
  memset(w->z, 0, (size_t)n * sizeof *w->z);
  for (int i = 0; i < n; i++)
    if (w->row_of[i] >= n) w->z[w->row_of[i] - n] = fmax(0, w->T[i * m + m - 1]);
  for (int i = 0; i < n; i++) w->w[i] = b[i] + dm_inner(n, M + i * n, w->z);
}

dm_status dm_lcp_solve(dm_lcp *w, const double *M, const double *b) {
  const int n = w->n;
  const double size = dm_largest(n, b);

  // are all numbers finite?
  double sum = 0;
  for (int i = 0; i < n; i++) sum += b[i];
  for (int i = 0; i < n * n; i++) sum += M[i];
  const bool finite = isfinite(sum);

  w->pivots = 0;
  if (finite && solve_basis(w, M, b, size)) return DM_OK;
  memset(w->z, 0, (size_t)n * sizeof *w->z);
  if (!finite) return DM_NOT_FINITE;

  // with dependent rows rounding may end the path; a small diagonal then makes them independent
  dm_status s = DM_INFEASIBLE;
  for (int i = 0; i < 3 && s != DM_OK; i++) {
    s = follow_lemke(w, M, b, SHIFTS[i]);
    if (s != DM_OK) continue;

    // step 3; if its equations are too close to singular, the tableau's solution
    if (solve_basis(w, M, b, size) || !w->pivots) return DM_OK;
    read_tableau(w, M, b);
    for (int j = 0; j < n; j++)
      if (!(w->w[j] >= -WRONG * size)) s = DM_INFEASIBLE;
  }
  if (s != DM_OK) memset(w->z, 0, (size_t)n * sizeof *w->z);
  return s;
}
