// optim/identification/position_fit.h: the positions of all knots of several logs, for given
// parameters or together with them: the walks along the knots that a fit needs.
#ifndef OC_IDENTIFICATION_POSITION_FIT_H
#define OC_IDENTIFICATION_POSITION_FIT_H
#include "optim/identification/fit.h"
#include "optim/identification/knot_chain.h"
#include "optim/identification/knot_tangent.h"

// A run of knots of a log.
typedef struct oc_run {
  oc_measured_motion *log;
  int from;         // its first knot in the log
  int first, knots; // in all runs
} oc_run;

typedef struct oc_position_fit {
  oc_motion_residual *residual; // borrowed
  const oc_fit_parameters *x;   // borrowed
  const oc_fit_settings *set;   // borrowed
  int n, nu, nc;                // coordinates, inputs, coefficients in the border (0: given theta)
  int m;                        // unknowns of a knot: n without constraints
  int nruns, knots, samples;
  double h;
  oc_run *run; // [nruns]
  int nlogs;
  oc_measured_motion *const *logs;
  double *q, *trial, *dq;   // [knots x n], the first two are exchanged
  double *dx;               // [knots x m] unknowns of the step; dq without constraints
  oc_knot_tangent *tangent; // NULL: no constraints
  double *N[3];             // [n x m] directions of three successive knots
  double *full;             // [n x (3 n + nc + 1)] rows with all coordinates and impulses
  double *rest;             // [n] r/(h sigma_f) without the impulses of constraints
  double *block;            // memory of all arrays of numbers
  double *force;            // [knots x n] r/h at knots that have it, by oc_position_fit_cost
  double *zero;             // [n] of the encoders
  int *zero_column;         // [n] coefficient; -1: none
  double *mu;               // [3 n] of the curvature
  double *along;            // [3 n] Y dpi of the step before and the one after a knot
  double *before;           // D2, D21, D22, Y2 of the step before
  double *innovation;       // [knots x n] standardized; NAN: none
  bool delays;              // the delay is a parameter
  oc_knot_chain *chain;
} oc_position_fit;

// border: the coefficients are unknown too. Returns DM_OK, DM_NO_MEMORY.
dm_status oc_position_fit_new(oc_position_fit **out, oc_motion_residual *residual,
                              const oc_fit_parameters *x, const oc_fit_settings *set, bool border,
                              int nlogs, oc_measured_motion *const *logs);
void oc_position_fit_free(oc_position_fit *w);

// Move measured positions onto the constraints. Call it before the first walk. Returns DM_OK or the
// status of oc_knot_tangent_retract.
dm_status oc_position_fit_start(oc_position_fit *w);

// Use theta: the residual, the zeros, the delay of the logs.
dm_status oc_position_fit_set(oc_position_fit *w, const double *theta);

// The cost of positions q [knots x n]; fills `force`.
dm_status oc_position_fit_cost(oc_position_fit *w, const double *q, double *cost);

// Linearize at w->q, with damping times 1/sigma_q^2 added for each position, and (if damping > 0) the
// curvature of friction, and eliminate: the
// chain has S. cost: out. Returns DM_OK, DM_NOT_DEFINITE, DM_NOT_FINITE or the status of the residual.
dm_status oc_position_fit_linearize(oc_position_fit *w, double damping, double *cost);

// dq of the positions for the step dpi [nc] of the coefficients; square: sum |dq|^2 / sigma_q^2.
dm_status oc_position_fit_follow(oc_position_fit *w, const double *dpi, double *square);

// trial = q + share dq, on the constraints. Returns DM_OK or the status of oc_knot_tangent_retract.
dm_status oc_position_fit_move(oc_position_fit *w, double share);

// Minimize over the positions alone (nc = 0). Returns DM_OK, DM_MAX_ITER, or a negative status.
dm_status oc_position_fit_solve(oc_position_fit *w, int max_iter, double *cost);

// Statistics of each coordinate at w->q: joint [n]. Positions are filtered in the order of time
// with the linearized equations: `innovation` is the error of each prediction, over its standard
// deviation, white if the model is right.
dm_status oc_position_fit_judge(oc_position_fit *w, oc_fit_joint *joint);
#endif
