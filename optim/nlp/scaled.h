// optim/nlp/scaled.h: a program in scaled variables, rows and objective, so that what a solver sees does
// not depend on units. With x = s x^, g^ = r g and f^ = c f:
//
//   J^ = r J s,   H^ = s H s with sigma c and lambda r,   lambda = r lambda^ / c,   z = z^ / (s c)
//
// A program that knows the sizes of its variables and rows offers them by oc_nlp.scale; what it does not
// know is found by the Jacobian at the guess.
//
// Source: docs/theory.md section 31.
#ifndef OC_NLP_SCALED_H
#define OC_NLP_SCALED_H
#include "optim/nlp/nlp.h"

DM_BEGIN_C

typedef struct oc_scaled oc_scaled;

// The scales of a program at x [n] (its guess): those of oc_nlp.scale, or 1 if that is NULL. The scale of the
// objective makes the sum of its first and second derivatives at x 1000, or the value of a valued program
// 100. Allocates. Returns DM_OK or DM_NO_MEMORY.
//   own  borrowed: it outlives the wrapper
dm_status oc_scaled_new(oc_scaled **out, const oc_nlp *own, const double *x);
void oc_scaled_free(oc_scaled *w); // accepts NULL

// The scaled program; valid as long as w. Fixed variables keep their values exactly, and a point is within its
// bounds in either program.
const oc_nlp *oc_scaled_nlp(const oc_scaled *w);

// c, the objective's scale.
double oc_scaled_objective(const oc_scaled *w);

// s_j, the size of variable j.
double oc_scaled_size(const oc_scaled *w, int j);

// 1 / r_i, the size of row i.
double oc_scaled_row(const oc_scaled *w, int i);

// A point with its multipliers to scaled numbers, and back.
void oc_scaled_enter(const oc_scaled *w, oc_point *point);
void oc_scaled_leave(const oc_scaled *w, oc_point *point);

// A direction [n] back to the program's own numbers.
void oc_scaled_leave_direction(const oc_scaled *w, double *d);

// Scales that the Jacobian at x decides. Variables and rows are in classes of one unit each: [n], [m], a number
// >= 0, or -1 where s or r is known.
//   s_j  1 / (steps max r_i |J_ij|) over all columns of the class and rows whose scale is known, and at most
//        100 times that where s_j > 0 is given
//   r_i  1 / (max |J_ij| s_j) over all rows of the class
// A row that nothing moves at x takes the size of its bounds. Returns DM_OK, DM_NO_MEMORY, or the failure of
// the Jacobian; then all are > 0, too. Cost: one Jacobian; allocates.
dm_status oc_scale_by_class(const oc_nlp *nlp, const double *x, int steps, const int *column,
                            const int *row, double *s, double *r);

DM_END_C
#endif
