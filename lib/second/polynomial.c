#include "lib/second/polynomial.h"

#include <assert.h>
#include <math.h>
#include <string.h>

// the d-th derivative of x^e
static double derive_power(double x, int e, int d) {
  double value = 1;
  if (d > e) return 0;

  // e (e-1) .. (e-d+1) x^(e-d)
  for (int i = 0; i < d; i++) value *= e - i;
  for (int i = d; i < e; i++) value *= x;
  return value;
}

// derivative of a term by its i-th and its j-th variable; -1: no derivative
static double derive_monomial(const dm_monomial *t, const double *x, int i, int j) {
  double value = t->coefficient;
  for (int f = 0; f < t->count; f++)
    value *= derive_power(x[t->power[f].at], t->power[f].exponent, (f == i) + (f == j));
  return value;
}

static dm_status eval_polynomial(const dm_second_order_lagrangian *C, int order, const double *x,
                                 double *value, double *C_x, double *C_xx) {
  const dm_polynomial *p = C->self;
  const size_t size = (size_t)((p->k + 1) * p->n);
  *value = 0;
  if (order > 0) memset(C_x, 0, size * sizeof *C_x);
  if (order > 1) memset(C_xx, 0, size * size * sizeof *C_xx);

  // for each term, derivatives by its variables only
  for (const dm_monomial *t = p->term; t < p->term + p->count; t++) {
    *value += derive_monomial(t, x, -1, -1);
    for (int i = 0; order > 0 && i < t->count; i++) {
      size_t row = (size_t)t->power[i].at;
      C_x[row] += derive_monomial(t, x, i, -1);
      for (int j = 0; order > 1 && j < t->count; j++)
        C_xx[row * size + (size_t)t->power[j].at] += derive_monomial(t, x, i, j);
    }
  }
  return isfinite(*value) ? DM_OK : DM_NOT_FINITE;
}

dm_second_order_lagrangian dm_polynomial_lagrangian(dm_polynomial *p) {
  assert(p && p->n > 0 && p->k > 0 && p->k <= DM_SECOND_MAX_ORDER);
  return (dm_second_order_lagrangian){.n = p->n, .k = p->k, .self = p, .eval = eval_polynomial};
}
