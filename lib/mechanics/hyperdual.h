// lib/mechanics/hyperdual.h: all derivatives of a Lagrangian that is written once, exactly, by numbers with three
// infinitesimals:
//
//   x = x_0 + x_1 e1 + x_2 e2 + x_3 e1 e2 + x_4 e3 + x_5 e1 e3 + x_6 e2 e3 + x_7 e1 e2 e3      e1^2 = e2^2 = e3^2 = 0
//
// L at q + e1 a + e2 b + e3 c has the first derivatives along a, b, c in x_1, x_2, x_4, the second ones in x_3, x_5, x_6,
// the third one in x_7. A pendulum is
//
//   static dm_hyperdual pendulum(const void *self, const dm_hyperdual *q, const dm_hyperdual *v) {
//     (void)self;
//     return dm_hyperdual_add(dm_hyperdual_scale(0.5, dm_hyperdual_multiply(v[0], v[0])),
//                        dm_hyperdual_scale(9.81, dm_hyperdual_cos(q[0])));
//   }
//   static const dm_hyperdual_lagrangian own = {.nq = 1, .L = pendulum};
//   s.L = dm_hyperdual_lagrangian_functions(&own);
//
// Source: [fike-alonso-2011] in docs/sources.md.
#ifndef DM_MECHANICS_HYPERDUAL_H
#define DM_MECHANICS_HYPERDUAL_H
#include "lib/mechanics/lagrangian.h"

#include <math.h>

DM_BEGIN_C

typedef struct dm_hyperdual {
  double x[8]; // [S]: the factor of the product of those e_i whose bit is in S
} dm_hyperdual;

static inline dm_hyperdual dm_hyperdual_number(double x) {
  dm_hyperdual y = {{0}};
  y.x[0] = x;
  return y;
}

static inline dm_hyperdual dm_hyperdual_add(dm_hyperdual a, dm_hyperdual b) {
  for (int s = 0; s < 8; s++) a.x[s] += b.x[s];
  return a;
}

static inline dm_hyperdual dm_hyperdual_subtract(dm_hyperdual a, dm_hyperdual b) {
  for (int s = 0; s < 8; s++) a.x[s] -= b.x[s];
  return a;
}

static inline dm_hyperdual dm_hyperdual_scale(double c, dm_hyperdual a) {
  for (int s = 0; s < 8; s++) a.x[s] *= c;
  return a;
}

// sum over the subsets of each product
static inline dm_hyperdual dm_hyperdual_multiply(dm_hyperdual a, dm_hyperdual b) {
  dm_hyperdual y = {{0}};
  for (int s = 0; s < 8; s++)
    for (int t = 0; t < 8; t++)
      if ((s & t) == t) y.x[s] += a.x[t] * b.x[s & ~t];
  return y;
}

// f(a) by its derivatives f, f', f'', f''' at a.x[0]
static inline dm_hyperdual dm_hyperdual_compose(dm_hyperdual a, double f, double f1, double f2,
                                                double f3) {
  const double *x = a.x;
  dm_hyperdual y = {{0}};
  y.x[0] = f;
  y.x[1] = f1 * x[1];
  y.x[2] = f1 * x[2];
  y.x[4] = f1 * x[4];
  y.x[3] = f1 * x[3] + f2 * x[1] * x[2];
  y.x[5] = f1 * x[5] + f2 * x[1] * x[4];
  y.x[6] = f1 * x[6] + f2 * x[2] * x[4];
  y.x[7] = f1 * x[7] + f2 * (x[1] * x[6] + x[2] * x[5] + x[4] * x[3]) + f3 * x[1] * x[2] * x[4];
  return y;
}

static inline dm_hyperdual dm_hyperdual_sin(dm_hyperdual a) {
  const double s = sin(a.x[0]), c = cos(a.x[0]);
  return dm_hyperdual_compose(a, s, c, -s, -c);
}

static inline dm_hyperdual dm_hyperdual_cos(dm_hyperdual a) {
  const double s = sin(a.x[0]), c = cos(a.x[0]);
  return dm_hyperdual_compose(a, c, -s, -c, s);
}

static inline dm_hyperdual dm_hyperdual_exp(dm_hyperdual a) {
  const double y = exp(a.x[0]);
  return dm_hyperdual_compose(a, y, y, y, y);
}

static inline dm_hyperdual dm_hyperdual_log(dm_hyperdual a) {
  const double x = a.x[0];
  return dm_hyperdual_compose(a, log(x), 1 / x, -1 / (x * x), 2 / (x * x * x));
}

// a^n of a constant n
static inline dm_hyperdual dm_hyperdual_power(dm_hyperdual a, double n) {
  const double x = a.x[0];
  return dm_hyperdual_compose(a, pow(x, n), n * pow(x, n - 1), n * (n - 1) * pow(x, n - 2),
                              n * (n - 1) * (n - 2) * pow(x, n - 3));
}

static inline dm_hyperdual dm_hyperdual_sqrt(dm_hyperdual a) {
  const double x = a.x[0], y = sqrt(x);
  return dm_hyperdual_compose(a, y, 0.5 / y, -0.25 / (x * y), 0.375 / (x * x * y));
}

static inline dm_hyperdual dm_hyperdual_divide(dm_hyperdual a, dm_hyperdual b) {
  const double y = 1 / b.x[0];
  return dm_hyperdual_multiply(
      a, dm_hyperdual_compose(b, y, -y * y, 2 * y * y * y, -6 * y * y * y * y));
}

// L(q, v), q and v [nq]
typedef dm_hyperdual (*dm_hyperdual_function)(const void *self, const dm_hyperdual *q,
                                              const dm_hyperdual *v);

typedef struct dm_hyperdual_lagrangian {
  int nq;
  dm_hyperdual_function L;
  const void *self; // passed to L; may be shared by threads
} dm_hyperdual_lagrangian;

// Its interface with all derivatives; c must outlive it. Cost of a Hessian and of its derivative along a direction:
// nq (2 nq + 1) calls of L. No allocation.
dm_lagrangian dm_hyperdual_lagrangian_functions(const dm_hyperdual_lagrangian *c);

DM_END_C
#endif
