#include "optim/second/block_elimination.h"

#include "lib/base/block.h"
#include "lib/base/width.h"

#include <assert.h>
#include <float.h>
#include <math.h>
#include <string.h>

enum { MOST = 3 }; // largest order of a knot

// Functions called by a stage are inlined, so that loops are unrolled for the known sizes at the
// end.
#define INLINE __attribute__((always_inline))

static void lay_out_elimination(void *self, dm_block *b) {
  oc_block_elimination *w = self;
  size_t N = (size_t)w->N, m = (size_t)w->size, d = sizeof(double);
  for (int e = 0; e < 2; e++) w->fixed[e] = dm_block_alloc(b, m, sizeof(bool));
  w->H = dm_block_alloc(b, N * 3 * m * m, d);
  w->g = dm_block_alloc(b, N * 2 * m, d);
  w->S_ww = dm_block_alloc(b, m * m, d);
  w->S_yy = dm_block_alloc(b, m, d);
  w->K = dm_block_alloc(b, N * m * (m + 1), d);
  w->y0 = dm_block_alloc(b, m, d);
  w->G = dm_block_alloc(b, 2 * m * (2 * m + 1), d);
  w->T = dm_block_alloc(b, m * (m + 1), d);
  w->diagonal = dm_block_alloc(b, m, d);
}

dm_status oc_block_elimination_new(oc_block_elimination **out, int N, int n, int k) {
  assert(out && N >= 1 && n >= 1 && k >= 1 && k <= MOST);
  oc_block_elimination sizes = {.N = N, .n = n, .k = k, .size = k * n};
  *out = dm_block_make(&sizes, sizeof sizes, lay_out_elimination);
  return *out ? DM_OK : DM_NO_MEMORY;
}

void oc_block_elimination_free(oc_block_elimination *w) {
  dm_block_free(w);
}

// y += c x
static inline void add_scaled(int n, double c, const double *restrict x, double *restrict y) {
  for (int i = 0; i < n; i++) y[i] += c * x[i];
}

// entries of Phi by the difference of their orders: h^j/j!
static void set_phi(double h, double phi[MOST]) {
  phi[0] = 1;
  for (int j = 1; j < MOST; j++) phi[j] = phi[j - 1] * h / j;
}

// Eliminate the first m rows of G, with symmetric blocks [m, rows - m] and an additional last
// column, into D and L'; update the rows below. Only the upper triangle is read and written.
INLINE static inline dm_status eliminate_rows(int m, int rows, double *restrict G,
                                              double *restrict size, int *negative, double *fall) {
  int wide = rows + 1;
  dm_status s = DM_OK;

  // compare pivots with their initial size
  for (int i = 0; i < m; i++) size[i] = fabs(G[i * wide + i]);
  for (int i = 0; i < m; i++) {
    // pivot i; at rounding level it is not definite, or with `negative` it is counted and skipped
    double *g = G + i * wide, d = g[i], least = m * DBL_EPSILON * size[i];
    if (!isfinite(d)) return DM_NOT_FINITE;
    if (!(d > least)) {
      s = DM_NOT_DEFINITE;
      if (!negative) return s;
      *negative += d < 0;
      if (d == 0) d = least > 0 ? least : 1; // counts for neither sign
    }

    // contribution -g^2/2d of this row to the minimum; one division per row
    const double inverse = 1 / d;
    *fall += g[rows] * g[rows] * inverse / 2;

    // G -= g'g/d in the upper triangle; g/d is the row of L'
    for (int k = i + 1; k < rows; k++) {
      double f = -g[k] * inverse, *restrict to = G + k * wide;
      for (int j = k; j < wide; j++) to[j] += f * g[j];
    }
    for (int j = i + 1; j < wide; j++) g[j] *= inverse;
  }
  return s;
}

// K [m x (rows - m + 1)] from these rows: L'^-1 times the columns after L'
INLINE static inline void substitute_rows(int m, int rows, const double *restrict G,
                                          double *restrict K) {
  int wide = rows + 1, beside = wide - m;
  for (int i = m - 1; i >= 0; i--) {
    const double *g = G + i * wide;
    double *restrict to = K + i * beside;
    for (int j = 0; j < beside; j++) to[j] = g[m + j];
    for (int l = i + 1; l < m; l++)
      for (int j = 0; j < beside; j++) to[j] -= g[l] * K[l * beside + j];
  }
}

// decouple row and column i
static void clear_row(int wide, double *G, int i) {
  for (int l = 0; l < i; l++) G[l * wide + i] = 0;
  memset(G + i * wide, 0, (size_t)wide * sizeof *G);
  G[i * wide + i] = 1;
}

// transform [P p] of a knot to the previous knot: columns of each order include those of lower
// orders
INLINE static inline void shift_columns(int n, int k, const double *phi, double *T) {
  int m = k * n;
  for (int i = 0; i < m; i++)
    for (int r = k - 1; r > 0; r--)
      for (int l = 0; l < r; l++)
        add_scaled(n, phi[r - l], T + i * (m + 1) + l * n, T + i * (m + 1) + r * n);
}
INLINE static inline void shift_rows(int n, int k, const double *phi, double *T) {
  int m = k * n, block = n * (m + 1);
  for (int r = k - 1; r > 0; r--)
    for (int l = 0; l < r; l++) add_scaled(block, phi[r - l], T + l * block, T + r * block);
}

// G of a stage; T [P p] of the next knot is overwritten
INLINE static inline void form_stage(oc_block_elimination *w, int n, int k, int stage,
                                     const double *phi, double s) {
  int m = k * n, wide = 2 * m + 1;
  size_t mm = (size_t)(m * m), at = (size_t)stage * 3 * mm;
  const double *H_ww = w->H + at, *H_yw = H_ww + mm, *H_yy = H_yw + mm;
  const double *g_w = w->g + (size_t)stage * 2 * (size_t)m, *g_y = g_w + m;
  double *T = w->T;
  for (int i = 0; i < m; i++) {
    double *row = w->G + i * wide;
    for (int j = 0; j < m; j++) row[j] = H_ww[i * m + j] + T[i * (m + 1) + j];
    row[2 * m] = g_w[i] + T[i * (m + 1) + m];
  }

  // H_wy + P Phi
  shift_columns(n, k, phi, T);
  for (int i = 0; i < m; i++)
    for (int j = 0; j < m; j++) w->G[i * wide + m + j] = H_yw[j * m + i] + T[i * (m + 1) + j];

  // rows of y: H_yy + Phi'P Phi, g_y + Phi'p
  shift_rows(n, k, phi, T);
  for (int i = 0; i < m; i++) {
    double *row = w->G + (m + i) * wide + m;
    for (int j = 0; j < m; j++) row[j] = H_yy[i * m + j] + T[i * (m + 1) + j];
    row[m] = g_y[i] + T[i * (m + 1) + m];
  }

  // s S
  for (int i = 0; s > 0 && i < m; i++) {
    add_scaled(m, s, w->S_ww + i * m, w->G + i * wide);
    w->G[(m + i) * wide + m + i] += s * w->S_yy[i];
  }
}

// The last stage, with given entries 0 of y_N = Phi y + w: substitute w_i = -Phi_i y in G.
static void fix_last_knot(const oc_block_elimination *w, const double *phi) {
  int m = w->size, n = w->n, wide = 2 * m + 1;
  double *G = w->G, *Y = G + m * wide + m;
  for (int i = 0; i < m; i++) {
    if (!w->fixed[1][i]) continue;
    // w_i = -Phi_i y, for each entry of y in Phi_i
    const double *row = G + i * wide;
    for (int a = i; a < m; a += n) {
      double f = phi[(a - i) / n];

      // add to the columns of the other w, to the rows and columns of y (twice for w_i with
      // itself), and to the last column
      for (int l = 0; l < m; l++)
        if (l != i) G[l * wide + m + a] -= f * (l < i ? G[l * wide + i] : row[l]);
      for (int j = 0; j < m; j++) {
        Y[a * wide + j] -= f * row[m + j];
        Y[j * wide + a] -= f * row[m + j];
      }
      for (int b = i; b < m; b += n) Y[a * wide + b] += f * phi[(b - i) / n] * row[i];
      Y[a * wide + m] -= f * row[2 * m]; // gradient
    }

    // w_i is no longer an unknown
    clear_row(wide, G, i);
  }
}

// oc_block_elimination_factor for n coordinates and order k
INLINE static inline dm_status factor_stages(oc_block_elimination *w, int n, int k, int N, double h,
                                             double s, int *negative, double *fall) {
  int m = k * n, wide = 2 * m + 1;
  double phi[MOST], *T = w->T;
  dm_status status = DM_OK;
  set_phi(h, phi);
  if (negative) *negative = 0;
  *fall = 0;

  // no cost after the last knot
  memset(T, 0, (size_t)(m * (m + 1)) * sizeof *T);
  for (int stage = N - 1; stage >= 0; stage--) {
    double *K = w->K + (size_t)stage * (size_t)(m * (m + 1));
    // eliminate w_k: K for the forward pass
    form_stage(w, n, k, stage, phi, s);
    if (stage == N - 1) fix_last_knot(w, phi); // y_N has given entries
    dm_status of = eliminate_rows(m, 2 * m, w->G, w->diagonal, negative, fall);
    if (of != DM_OK) status = of;
    if (of == DM_NOT_FINITE || (of != DM_OK && !negative)) return of;
    substitute_rows(m, 2 * m, w->G, K);

    // the rest in y is [P p] of this knot
    for (int i = 0; i < m; i++) {
      const double *row = w->G + (m + i) * wide + m;
      for (int j = i; j < m; j++) T[i * (m + 1) + j] = T[j * (m + 1) + i] = row[j];
      T[i * (m + 1) + m] = row[m];
    }
  }
  for (int i = 0; i < m; i++)
    if (w->fixed[0][i]) clear_row(m + 1, T, i);
  dm_status of = eliminate_rows(m, m, T, w->diagonal, negative, fall);
  if (of != DM_OK) status = of;
  if (of == DM_NOT_FINITE || (of != DM_OK && !negative)) return of;
  substitute_rows(m, m, T, w->y0);
  for (int i = 0; i < m; i++) w->y0[i] = -w->y0[i];
  return isfinite(*fall) ? status : DM_NOT_FINITE;
}

// specializations for known sizes, and the general case
#define FACTOR(name, n, k)                                                                         \
  DM_EACH_WIDTH static dm_status factor_stages_##name(oc_block_elimination *w, int N, double h,    \
                                                      double s, int *negative, double *fall) {     \
    return factor_stages(w, n, k, N, h, s, negative, fall);                                        \
  }
FACTOR(one, 1, 2)
FACTOR(two, 2, 2)
FACTOR(three, 3, 2)
FACTOR(six, 6, 2)
FACTOR(any, w->n, w->k)

dm_status oc_block_elimination_factor(oc_block_elimination *w, int N, double h, double s,
                                      int *negative, double *fall) {
  static const struct {
    int n, k;
    dm_status (*factor)(oc_block_elimination *, int, double, double, int *, double *);
  } sized[] = {{1, 2, factor_stages_one},
               {2, 2, factor_stages_two},
               {3, 2, factor_stages_three},
               {6, 2, factor_stages_six}};
  assert(w && N >= 1 && fall);
  for (size_t i = 0; i < sizeof sized / sizeof *sized; i++)
    if (sized[i].n == w->n && sized[i].k == w->k)
      return sized[i].factor(w, N, h, s, negative, fall);
  return factor_stages_any(w, N, h, s, negative, fall);
}

void oc_block_elimination_solve(const oc_block_elimination *w, int N, double h, double *y) {
  int m = w->size, n = w->n;
  double phi[MOST];
  set_phi(h, phi);

  // forward pass: y_{k+1} = Phi y_k + w_k
  memcpy(y, w->y0, (size_t)m * sizeof *y);
  for (int k = 0; k < N; k++, y += m) {
    const double *K = w->K + (size_t)k * (size_t)(m * (m + 1));
    for (int i = 0; i < m; i++, K += m + 1) {
      double sum = -K[m]; // w_i = -K (y,1)
      for (int j = 0; j < m; j++) sum -= K[j] * y[j];
      for (int a = i; a < m; a += n) sum += phi[(a - i) / n] * y[a]; // + Phi_i y
      y[m + i] = k == N - 1 && w->fixed[1][i] ? 0 : sum;
    }
  }
}

double oc_block_elimination_shift_cost(const oc_block_elimination *w, int N, double h,
                                       const double *y) {
  int m = w->size, n = w->n;
  double phi[MOST], sum = 0, *d = w->diagonal; // w_k
  set_phi(h, phi);
  for (int k = 0; k < N; k++, y += m) {
    // w_k = y_k+1 - Phi y_k
    for (int i = 0; i < m; i++) {
      d[i] = y[m + i];
      for (int a = i; a < m; a += n) d[i] -= phi[(a - i) / n] * y[a];
      sum += w->S_yy[i] * y[i] * y[i];
    }

    for (int i = 0; i < m; i++)
      for (int j = 0; j < m; j++) sum += d[i] * w->S_ww[i * m + j] * d[j];
  }
  return sum;
}
