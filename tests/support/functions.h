// tests/support/functions.h: user-defined scalar functions c(q,v,u) with gradient and Hessian, written as one
// function, as dm_function, as a term and as a path constraint.
#ifndef TESTS_SUPPORT_FUNCTIONS_H
#define TESTS_SUPPORT_FUNCTIONS_H
#include "optim/task/task.h"

#include <string.h>

enum { FUNCTIONS_MOST = 40 }; // entries of (q,v,u)

typedef struct functions_own functions_own;
struct functions_own {
  const char *name;
  const void *self;
  // add c, from order 1 c_y [m], m = 2n + nf, and for order 2 c_yy [m x m]
  dm_status (*eval)(const void *self, const functions_own *at, int order, const double *y,
                    double *c, double *c_y, double *c_yy);
  int n, nf;
};

static inline dm_status functions_eval(const void *self, void *scratch, const double *x, double *y,
                                       double *y_x) {
  const functions_own *w = self;
  (void)scratch;
  *y = 0;
  if (y_x) memset(y_x, 0, (size_t)(2 * w->n + w->nf) * sizeof *y_x);
  return w->eval(w->self, w, y_x ? 1 : 0, x, y, y_x, NULL);
}

static inline dm_status functions_contract(const void *self, void *scratch, const double *x,
                                           const double *lambda, double *H) {
  const functions_own *w = self;
  const int m = 2 * w->n + w->nf;
  double y = 0, y_x[FUNCTIONS_MOST] = {0}, y_xx[FUNCTIONS_MOST * FUNCTIONS_MOST] = {0};
  (void)scratch;
  const dm_status s = w->eval(w->self, w, 2, x, &y, y_x, y_xx);
  for (int i = 0; i < m * m; i++) H[i] += *lambda * y_xx[i];
  return s;
}

static inline const char *functions_name(const void *self, int row) {
  (void)row;
  return ((const functions_own *)self)->name;
}

// for the sizes of a task; w is borrowed
static inline dm_function functions_of(functions_own *w, const oc_task *t) {
  w->n = t->system.L.nq;
  w->nf = t->system.nu;
  return (dm_function){.ny = 1,
                       .size = {[DM_Q] = w->n, [DM_V] = w->n, [DM_U] = w->nf},
                       .self = w,
                       .eval = w->eval ? functions_eval : NULL,
                       .contract = functions_contract,
                       .row_name = functions_name};
}

static inline oc_term functions_term(functions_own *w, const oc_task *t) {
  return (oc_term){.y = functions_of(w, t),
                   .cost = {.at = {0, 1}, .weight = 1, .activation = {.kind = OC_LINEAR}}};
}

static inline oc_path_constraint functions_path(functions_own *w, const oc_task *t, double low,
                                                double high) {
  return (oc_path_constraint){.y = functions_of(w, t), .low = low, .high = high};
}

#endif
