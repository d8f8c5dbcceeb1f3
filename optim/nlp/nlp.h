// optim/nlp/nlp.h: a sparse nonlinear program, as solvers see it.
//
//   minimize f(x)  subject to  g_min <= g(x) <= g_max,  x_min <= x <= x_max
#ifndef OC_NLP_NLP_H
#define OC_NLP_NLP_H
#include "optim/nlp/deadline.h"
#include "optim/nlp/triplets.h"

#include <stddef.h>

DM_BEGIN_C

typedef struct oc_nlp {
  int n, m;                                    // variables, rows
  int jac_nnz, hess_nnz;                       // entries put by the walks below
  const double *x_min, *x_max, *g_min, *g_max; // INFINITY where there is no bound
  void *self;
  // Each returns DM_OK or a negative status (the point cannot be evaluated). No allocation.
  dm_status (*f)(void *self, const double *x, double *f);
  dm_status (*grad)(void *self, const double *x, double *grad);
  dm_status (*g)(void *self, const double *x, double *g);
  // With s->val NULL the walk only counts or writes the pattern, and x is not read.
  dm_status (*jac)(void *self, const double *x, oc_triplets *s);
  // lower triangle of sigma f'' + sum_i lambda_i g_i''
  dm_status (*hess)(void *self, const double *x, double sigma, const double *lambda,
                    oc_triplets *s);
  // what row i says, in a roboticist's words: "motion of pole"; *knot its knot or -1
  void (*row_name)(void *self, int row, char *text, size_t size, int *knot);
  // the knot that variable x stands at, -1: it is everywhere; NULL: the program has no stages
  int (*knot)(const void *self, int x);
  // from here on evaluations end with DM_CUT_SHORT where this deadline (borrowed; NULL: none) is
  // over; NULL: they always come to their end
  void (*heed)(void *self, oc_deadline *deadline);
  // The sizes of variables s [n] and of rows 1/r [m] in the program's units, at x near its guess: all > 0,
  // whatever is returned (optim/nlp/scaled.h); NULL: they are 1.
  dm_status (*scale)(void *self, const double *x, double *s, double *r);
  // Is the objective scaled by its value at the guess, not by its derivatives? True if it depends on differences of
  // variables, so that the derivative by one variable alone is far too large a measure.
  bool valued;
} oc_nlp;

// A point of the program with its multipliers.
typedef struct oc_point {
  double *x;         // [n]
  double *lambda;    // [m] of g
  double *z_l, *z_u; // [n] of the bounds, >= 0
} oc_point;

DM_END_C
#endif
