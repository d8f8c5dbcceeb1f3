// tests/support/programs.h: check the derivatives of any sparse program at a random point against
// differences, and its sparsity patterns.
#ifndef TESTS_SUPPORT_PROGRAMS_H
#define TESTS_SUPPORT_PROGRAMS_H
#include "optim/nlp/nlp.h"
#include "tests/support/models.h"

// a program, a point and a direction, the multipliers of its Hessian, and its triplets
typedef struct at {
  const oc_nlp *p;
  double *x, *d, *lambda, sigma, *val, *grad, *out;
  int *row, *col;
} at;

static inline at point_of(const oc_nlp *p, uint64_t seed) {
  size_t nnz = (size_t)(p->jac_nnz + p->hess_nnz), n = (size_t)p->n, m = (size_t)p->m;
  at a = {.p = p, .sigma = 0.8};
  a.x = calloc(4 * n + 2 * m + nnz, sizeof *a.x);
  a.d = a.x + n;
  a.grad = a.d + n;
  a.out = a.grad + n;
  a.lambda = a.out + n + m;
  a.val = a.lambda + m;
  a.row = calloc(2 * nnz, sizeof *a.row);
  a.col = a.row + nnz;
  for (size_t i = 0; i < n; i++) a.x[i] = models_random(&seed);
  for (size_t i = 0; i < n; i++) a.d[i] = models_random(&seed);
  for (size_t i = 0; i < m; i++) a.lambda[i] = models_random(&seed);
  return a;
}

static inline void drop(at *a) {
  free(a->x);
  free(a->row);
}

static inline void objective(void *self, const double *x, double *out) {
  at *a = self;
  assert_int_equal(a->p->f(a->p->self, x, out), DM_OK);
}

static inline void constraints(void *self, const double *x, double *out) {
  at *a = self;
  assert_int_equal(a->p->g(a->p->self, x, out), DM_OK);
}

static inline int jacobian(at *a, const double *x) {
  oc_triplets s = {a->row, a->col, a->val, 0};
  assert_int_equal(a->p->jac(a->p->self, x, &s), DM_OK);
  assert_int_equal(s.n, a->p->jac_nnz);
  return s.n;
}

// sigma grad f + J' lambda
static inline void lagrangian_gradient(void *self, const double *x, double *out) {
  at *a = self;
  assert_int_equal(a->p->grad(a->p->self, x, out), DM_OK);
  for (int j = 0; j < a->p->n; j++) out[j] *= a->sigma;
  int nnz = jacobian(a, x);
  for (int i = 0; i < nnz; i++) out[a->col[i]] += a->val[i] * a->lambda[a->row[i]];
}

static inline int hessian(at *a, const double *x) {
  oc_triplets s = {a->row, a->col, a->val, 0};
  assert_int_equal(a->p->hess(a->p->self, x, a->sigma, a->lambda, &s), DM_OK);
  assert_int_equal(s.n, a->p->hess_nnz);
  return s.n;
}

// compare every derivative of the program at the point, along its direction, with differences
static inline void check_point(at *b, const char *what) {
  char name[160];
  at a = *b;
  int n = a.p->n, m = a.p->m;

  // grad f . d
  assert_int_equal(a.p->grad(a.p->self, a.x, a.grad), DM_OK);
  double slope = 0;
  for (int j = 0; j < n; j++) slope += a.grad[j] * a.d[j];
  snprintf(name, sizeof name, "objective of %s", what);
  models_check_derivative(objective, &a, n, 1, a.x, a.d, &slope, 1e-3, name);

  // J d
  memset(a.out, 0, (size_t)m * sizeof(double));
  for (int i = 0, nnz = jacobian(&a, a.x); i < nnz; i++)
    a.out[a.row[i]] += a.val[i] * a.d[a.col[i]];
  snprintf(name, sizeof name, "rows of %s", what);
  models_check_derivative(constraints, &a, n, m, a.x, a.d, a.out, 1e-3, name);

  // H d, with H given by its lower triangle
  memset(a.out, 0, (size_t)n * sizeof(double));
  for (int i = 0, nnz = hessian(&a, a.x); i < nnz; i++) {
    assert_true(a.row[i] >= a.col[i]);
    a.out[a.row[i]] += a.val[i] * a.d[a.col[i]];
    if (a.row[i] != a.col[i]) a.out[a.col[i]] += a.val[i] * a.d[a.row[i]];
  }
  snprintf(name, sizeof name, "Hessian of %s", what);
  models_check_derivative(lagrangian_gradient, &a, n, n, a.x, a.d, a.out, 1e-3, name);
}

// order of two positions (row, col), by rows
static inline int by_place(const void *a, const void *b) {
  const int *x = a, *y = b, i = x[0] == y[0];
  return (x[i] > y[i]) - (x[i] < y[i]);
}

// The pattern written without values is that of every point. It names each place once, but in the Hessian of
// a task whose costs on differences (`differences`) are added to other entries. zero [n]: a second point
static inline void check_pattern(at *a, const double *zero, bool differences) {
  const oc_nlp *p = a->p;
  for (int which = 0; which < 2; which++) {
    int nnz = which ? p->hess_nnz : p->jac_nnz;
    int *place = calloc((size_t)(2 * nnz), sizeof *place);

    // the pattern alone
    oc_triplets bare = {a->row, a->col, NULL, 0};
    if (which) p->hess(p->self, NULL, 0, NULL, &bare);
    if (!which) p->jac(p->self, NULL, &bare);
    assert_int_equal(bare.n, nnz);
    for (int i = 0; i < nnz; i++) {
      place[2 * i] = a->row[i];
      place[2 * i + 1] = a->col[i];
    }

    // with values at two points
    for (int second = 0; second < 2; second++) {
      if (which) hessian(a, second ? zero : a->x);
      if (!which) jacobian(a, second ? zero : a->x);
      for (int i = 0; i < nnz; i++)
        assert_true(place[2 * i] == a->row[i] && place[2 * i + 1] == a->col[i]);
    }

    // each position once
    qsort(place, (size_t)nnz, 2 * sizeof *place, by_place);
    for (int i = 1; i < nnz && !(which && differences); i++)
      assert_true(by_place(place + 2 * i - 2, place + 2 * i) < 0);
    free(place);
  }
}
#endif
