// optim/nlp/scaled.h: a program in scaled variables, rows and objective, so that solvers do not
// depend on units. With x = s x^, g^ = r g and f^ = c f:
//
//   J^ = r J s,   H^ = s H s with sigma c and lambda r,   lambda = r lambda^ / c,   z = z^ / (s c)
//
// A program that knows the scales of its variables and rows provides them by oc_nlp.scale; unknown
// scales are computed from the Jacobian at the guess.
//
// Source: docs/theory.md section 31.
#ifndef OC_NLP_SCALED_H
#define OC_NLP_SCALED_H
#include "optim/nlp/nlp.h"

DM_BEGIN_C

typedef struct oc_scaled oc_scaled;

// Compute the scales of a program at x [n] (its guess): those of oc_nlp.scale, or 1 if that is
// NULL. The scale of the objective makes the sum of its first and second derivatives at x equal to
// 1000, or for a `valued` program its value equal to 100. Allocates. Returns DM_OK or DM_NO_MEMORY.
//   own  borrowed; must outlive the wrapper
dm_status oc_scaled_new(oc_scaled **out, const oc_nlp *own, const double *x);
void oc_scaled_free(oc_scaled *w); // accepts NULL

// Read the bounds of the program again.
void oc_scaled_rebound(oc_scaled *w);

// The scaled program, valid as long as w. Fixed variables keep their values exactly, and a point is
// within its bounds in both programs.
const oc_nlp *oc_scaled_nlp(const oc_scaled *w);

// c, the scale of the objective.
double oc_scaled_objective(const oc_scaled *w);

// Set c. Points of the program in its own units stay valid.
void oc_scaled_weigh(oc_scaled *w, double c);

// s_j, the scale of variable j.
double oc_scaled_size(const oc_scaled *w, int j);

// 1 / r_i, the scale of row i.
double oc_scaled_row(const oc_scaled *w, int i);

// Convert a point with its multipliers to scaled units, and back.
void oc_scaled_enter(const oc_scaled *w, oc_point *point);
void oc_scaled_leave(const oc_scaled *w, oc_point *point);

// Convert a direction [n] to the units of the program.
void oc_scaled_leave_direction(const oc_scaled *w, double *d);

// Scales from the Jacobian at x. Variables and rows are in classes with a common unit: [n], [m], a
// class number >= 0, or -1 if s or r is known.
//   s_j  1 / (steps max r_i |J_ij|) over all columns of the class and rows with known scale, or a
//        given s_j > 0 if smaller than 100 times that
//   r_i  1 / (max |J_ij| s_j) over all rows of the class
// A row with zero derivatives at x gets the scale of its bounds. Returns DM_OK, DM_NO_MEMORY, or
// the failure of the Jacobian; all scales are then > 0 as well. Cost: one Jacobian; allocates.
dm_status oc_scale_by_class(const oc_nlp *nlp, const double *x, int steps, const int *column,
                            const int *row, double *s, double *r);

DM_END_C
#endif
