// optim/nlp/nlp.h: interface of a sparse nonlinear program.
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
  int jac_nnz, hess_nnz;                       // number of entries of the walks below
  const double *x_min, *x_max, *g_min, *g_max; // INFINITY if unbounded
  void *self;
  // Each returns DM_OK or a negative status (evaluation failed). No allocation.
  dm_status (*f)(void *self, const double *x, double *f);
  dm_status (*grad)(void *self, const double *x, double *grad);
  dm_status (*g)(void *self, const double *x, double *g);
  // If s->val is NULL, the walk only counts entries or writes the pattern, and ignores x.
  dm_status (*jac)(void *self, const double *x, oc_triplets *s);
  // lower triangle of sigma f'' + sum_i lambda_i g_i''
  dm_status (*hess)(void *self, const double *x, double sigma, const double *lambda,
                    oc_triplets *s);
  // describe row i for users: "motion of pole"; *knot: its knot or -1
  void (*row_name)(void *self, int row, char *text, size_t size, int *knot);
  // the knot of variable x, -1: everywhere; NULL: the program has no stages
  int (*knot)(const void *self, int x);
  // The row that defines variable x, g(..) - x = 0 with a derivative of about -1, or -1: the stage solver
  // eliminates both in advance (optim/interior/condensed.h); NULL: no variable has one.
  int (*own_row)(const void *self, int x);
  // set a deadline (borrowed; NULL: none), after which evaluations end with DM_CUT_SHORT; NULL:
  // evaluations always finish
  void (*heed)(void *self, oc_deadline *deadline);
  // Scales of variables s [n] and of rows 1/r [m] in the program's units, at x near its guess: all
  // > 0, for any status (optim/nlp/scaled.h); NULL: they are 1.
  dm_status (*scale)(void *self, const double *x, double *s, double *r);
  // True: the objective is scaled by its value at the guess instead of its derivatives, because it
  // depends on differences of variables and the derivative by a single variable is far too large.
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
