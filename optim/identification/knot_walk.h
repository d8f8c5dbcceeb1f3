// optim/identification/knot_walk.h: walks along the knots of a run: costs, normal equations and their
// solution. A walker belongs to one thread; runs share nothing but the parameters, so that walkers
// take different runs at once.
#ifndef OC_IDENTIFICATION_KNOT_WALK_H
#define OC_IDENTIFICATION_KNOT_WALK_H
#include "optim/identification/base_columns.h"
#include "optim/identification/fit.h"
#include "optim/identification/knot_chain.h"
#include "optim/identification/knot_tangent.h"

// A run of knots of a log.
typedef struct oc_run {
  oc_measured_motion *log;
  int from;         // its first knot in the log
  int first, knots; // in all runs
} oc_run;

// What all walkers share: sizes, and the unknowns of all runs.
typedef struct oc_knots {
  const oc_fit_settings *set;  // borrowed
  int n, nu, nc;               // coordinates, inputs, coefficients (0: given theta)
  const oc_base_columns *base; // borrowed: those of them in the border; NULL: none
  int m;                       // unknowns of a knot: n without constraints
  int knots;
  double h;
  double *q, *trial, *dq; // [knots x n], the first two are exchanged
  double *dx;             // [knots x m] unknowns of the step; dq without constraints
  double *force;          // [knots x n] r/h at knots that have it, by oc_knot_walk_cost
  double *innovation;     // [knots x n] standardized; NAN: none
  double *zero;           // [n] of the encoders
  int *zero_column;       // [n] coefficient; -1: none
} oc_knots;

typedef struct oc_knot_walk {
  const oc_knots *of;           // borrowed
  oc_motion_residual *residual; // borrowed
  oc_knot_chain *chain;         // of one run; its factors are borrowed
  oc_knot_tangent *tangent;     // NULL: no constraints
  double *N[3];                 // [n x m] directions of three successive knots
  double *full;                 // [n x (3 n + border + 1)] rows with all coordinates and impulses
  double *rest;                 // [n] r/(h sigma_f) without the impulses of constraints
  double *mu;                   // [3 n] of the curvature
  double *along;                // [3 n] Y dpi of the step before and the one after a knot
  double *before;               // D2, D21, D22, Y2 of the step before
  double *block;                // memory of all arrays of numbers
} oc_knot_walk;

// The columns of the border.
static inline int oc_knots_border(const oc_knots *o) {
  return o->nc > 0 ? o->base->count : 0;
}

// A walker with the factors of `shared`. Returns DM_OK, DM_NO_MEMORY.
dm_status oc_knot_walk_new(oc_knot_walk **out, const oc_knots *of, oc_motion_residual *residual,
                           const dm_holonomic *hol, const oc_knot_chain *shared);
void oc_knot_walk_free(oc_knot_walk *w);

// None of the following functions allocates. They return DM_OK or the status of the residual or the tangent.

// Move positions q [knots x n] of a run to the nearest ones on the constraints.
dm_status oc_knot_walk_retract(oc_knot_walk *w, const oc_run *r, double *q);

// The cost of a run at positions q [knots x n] of all runs; fills `force`.
dm_status oc_knot_walk_cost(oc_knot_walk *w, const oc_run *r, const double *q, double *cost);

// Linearize a run at q, with damping times 1/sigma_q^2 added for each position, and (if damping > 0) the
// curvature of friction, and eliminate its knots: the chain has its S. Also DM_NOT_DEFINITE.
dm_status oc_knot_walk_linearize(oc_knot_walk *w, const oc_run *r, double damping, double *cost);

// dq of a run for the step dpi [nc] of the coefficients.
dm_status oc_knot_walk_follow(oc_knot_walk *w, const oc_run *r, const double *dpi);

// The innovations of a run at q, by `scratch` [oc_knot_walk_filter_size(m)]. Also DM_NOT_DEFINITE.
size_t oc_knot_walk_filter_size(int m);
dm_status oc_knot_walk_filter(oc_knot_walk *w, const oc_run *r, double *scratch);

// -- parts of walks

// The inverse variance of entry i of knot k of a run; y: out: its measurement, without the zero.
double oc_knot_walk_read(const oc_knots *o, const oc_run *r, int k, int i, double *y);

// N[number] at knot k of a run; the window of directions moves on.
dm_status oc_knot_walk_set_directions(oc_knot_walk *w, const oc_run *r, int k, int number);
void oc_knot_walk_move_directions(oc_knot_walk *w);

// The step from knot k at q.
dm_status oc_knot_walk_step(oc_knot_walk *w, const oc_run *r, int order, const double *q, int k,
                            oc_step_forms *f);
// Remember the end of a step, with nc coefficients.
void oc_knot_walk_keep(oc_knot_walk *w, const oc_step_forms *f, int nc);

// r_k over h sigma_f at knot k, with its derivatives (by nc coefficients), into the chain's row: from the
// remembered end of the step before and the start of the step after it; and `rest`.
dm_status oc_knot_walk_put_rows(oc_knot_walk *w, const oc_run *r, int k, const oc_step_forms *f,
                                int nc);
#endif
