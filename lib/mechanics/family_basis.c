#include "lib/mechanics/family_basis.h"

#include "lib/base/block.h"
#include "lib/base/dense.h"

#include <math.h>
#include <stdbool.h>

enum { NP = DM_FAMILY_PARAMETERS, MOST_DEGREE = DM_FAMILY_MEMBERS };

int dm_family_members(int np, int degree) {
  double m = 1;
  for (int i = 1; i <= np; i++) m = m * (degree + i) / i;
  return m > DM_FAMILY_MEMBERS ? DM_FAMILY_MEMBERS + 1 : (int)(m + 0.5);
}

// next multi-index of total degree <= `degree`; false after the last
static bool advance_power(int np, int degree, int *a) {
  for (int i = 0; i < np; i++) {
    int sum = 0;
    a[i]++;
    for (int k = 0; k < np; k++) sum += a[k];
    if (sum <= degree) return true;
    a[i] = 0;
  }
  return false;
}

// Leja points in [-1, 1], each maximizing the distance product to the previous ones. They are
// nested, so that a lower set of multi-indices is unisolvent for its polynomials.
static void find_leja_points(int count, double *x) {
  const int grid = 400;
  for (int k = 0; k < count; k++) {
    double best = -1;
    for (int i = 0; i <= grid; i++) {
      const double at = -cos(3.141592653589793 * i / grid);
      double product = 1;
      for (int j = 0; j < k; j++) product *= fabs(at - x[j]);
      if (product > best * (1 + 1e-12)) {
        best = product;
        x[k] = at;
      }
    }
  }
}

void dm_family_values(int np, int degree, const double *low, const double *high, double *p) {
  int a[NP] = {0};
  double x[MOST_DEGREE + 1];
  find_leja_points(degree + 1, x);
  do {
    for (int i = 0; i < np; i++) *p++ = (low[i] + high[i]) / 2 + (high[i] - low[i]) / 2 * x[a[i]];
  } while (advance_power(np, degree, a));
}

// T_0..T_degree at x with three derivatives: T_{k+1} = 2 x T_k - T_{k-1}
static void eval_chebyshev(int degree, double x, double T[][4]) {
  memset(T[0], 0, sizeof T[0]);
  T[0][0] = 1;
  if (degree == 0) return;
  memset(T[1], 0, sizeof T[1]);
  T[1][0] = x;
  T[1][1] = 1;
  for (int k = 1; k < degree; k++)
    for (int d = 0; d < 4; d++)
      T[k + 1][d] = 2 * x * T[k][d] + (d > 0 ? 2 * d * T[k][d - 1] : 0) - T[k - 1][d];
}

void dm_family_basis_place(const dm_family_basis *w, const double *p, dm_family_place *at) {
  for (int i = 0; i < w->np; i++) {
    eval_chebyshev(w->degree, (p[i] - w->middle[i]) / w->half[i], at->T[i]);
    double scale = 1;
    for (int d = 1; d < 4; d++) {
      scale /= w->half[i];
      for (int k = 0; k <= w->degree; k++) at->T[i][k][d] *= scale;
    }
  }
}

// product of the T_{a_i}, each differentiated by[i] times
static double find_monomial(const dm_family_basis *w, const dm_family_place *at, const int *a,
                            const int *by) {
  double x = 1;
  for (int i = 0; i < w->np; i++) x *= at->T[i][a[i]][by[i]];
  return x;
}

dm_member_weight dm_family_basis_weigh(const dm_family_basis *w, const dm_family_place *at, int j,
                                       int order, const double *a_p) {
  dm_member_weight o = {0};
  for (int a = 0; a < w->m; a++) {
    const double c = w->weight[a * w->m + j];
    const int *power = w->power + a * w->np;
    int by[NP] = {0};
    o.l += c * find_monomial(w, at, power, by);
    for (int i = 0; order > 0 && i < w->np; i++) {
      by[i]++;
      o.d[i] += c * find_monomial(w, at, power, by);
      for (int k = 0; order > 1 && k < w->np; k++) {
        by[k]++;
        o.dd[i][k] += c * find_monomial(w, at, power, by);
        for (int l = 0; a_p && l < w->np; l++) {
          by[l]++;
          o.ddc[i][k] += a_p[l] * c * find_monomial(w, at, power, by);
          by[l]--;
        }
        by[k]--;
      }
      by[i]--;
    }
  }

  // derivatives of l and l_p along a_p
  for (int i = 0; a_p && i < w->np; i++) {
    o.c += o.d[i] * a_p[i];
    for (int k = 0; k < w->np; k++) o.dc[i] += o.dd[i][k] * a_p[k];
  }
  return o;
}

static void lay_out_basis(void *self, dm_block *b) {
  dm_family_basis *w = self;
  const size_t np = (size_t)w->np, m = (size_t)w->m;
  w->middle = dm_block_alloc(b, np, sizeof(double));
  w->half = dm_block_alloc(b, np, sizeof(double));
  w->power = dm_block_alloc(b, m * np, sizeof *w->power);
  w->weight = dm_block_alloc(b, m * m, sizeof(double));
}

// temporary arrays for the inversion of T_a(p_j)
typedef struct inversion {
  double *p, *V; // [m x np], [m x m]
  int *piv;      // [m]
  dm_family_place *at;
  int m, np;
} inversion;

static void lay_out_inversion(void *self, dm_block *b) {
  inversion *w = self;
  const size_t m = (size_t)w->m;
  w->p = dm_block_alloc(b, m * (size_t)w->np, sizeof(double));
  w->V = dm_block_alloc(b, m * m, sizeof(double));
  w->piv = dm_block_alloc(b, m, sizeof *w->piv);
  w->at = dm_block_alloc(b, 1, sizeof *w->at);
}

// V W = 1 with V[j][a] = T_a(p_j): l_i(p_j) = sum_a V[j][a] W[a][i]
static dm_status set_weights(dm_family_basis *w, const double *low, const double *high) {
  const int m = w->m, np = w->np, none[NP] = {0};
  inversion sizes = {.m = m, .np = np};
  inversion *x = dm_block_make(&sizes, sizeof sizes, lay_out_inversion);
  if (!x) return DM_NO_MEMORY;
  // V[j][a] at the interpolation points
  dm_family_values(np, w->degree, low, high, x->p);
  for (int j = 0; j < m; j++) {
    dm_family_basis_place(w, x->p + j * np, x->at);
    for (int a = 0; a < m; a++) x->V[j * m + a] = find_monomial(w, x->at, w->power + a * np, none);
    w->weight[j * m + j] = 1;
  }
  // W = V^-1
  const dm_status s = dm_lu_factor(m, x->V, x->piv);
  if (s == DM_OK) dm_lu_solve(m, x->V, x->piv, m, w->weight);
  dm_block_free(x);
  return s;
}

dm_status dm_family_basis_new(dm_family_basis **out, int np, int degree, const double *low,
                              const double *high) {
  dm_family_basis sizes = {.np = np, .degree = degree, .m = dm_family_members(np, degree)};
  dm_family_basis *w = dm_block_make(&sizes, sizeof sizes, lay_out_basis);
  int a[NP] = {0};
  *out = NULL;
  if (!w) return DM_NO_MEMORY;
  // p = middle + half x
  for (int i = 0; i < np; i++) {
    w->middle[i] = (low[i] + high[i]) / 2;
    w->half[i] = (high[i] - low[i]) / 2;
  }
  // degrees of the products
  for (int j = 0; j < w->m; j++) {
    memcpy(w->power + j * np, a, (size_t)np * sizeof *a);
    advance_power(np, degree, a);
  }
  const dm_status s = set_weights(w, low, high);
  if (s != DM_OK) {
    dm_block_free(w);
    return s;
  }
  *out = w;
  return DM_OK;
}
