// optim/identification/position_fit.h: the positions of all knots of several logs, for given
// parameters or together with them: the walks along the knots that a fit needs, on several threads.
//
// A piece of a log is cut into runs of at most OC_LONGEST_RUN knots, without the two equations of motion across
// a cut. Sums over runs have the order of the runs, so results do not depend on the number of threads.
#ifndef OC_IDENTIFICATION_POSITION_FIT_H
#define OC_IDENTIFICATION_POSITION_FIT_H
#include "optim/identification/knot_walk.h"

enum { OC_LONGEST_RUN = 2000 };

typedef struct oc_position_fit {
  oc_knots of;
  const oc_fit_parameters *x; // borrowed
  int nruns, samples;
  oc_run *run; // [nruns]
  int nlogs;
  oc_measured_motion *const *logs;
  double *block;        // memory of all arrays of numbers
  oc_knot_chain *chain; // factors of all runs, and the sum of their S by the base columns
  double *S, *raw;      // [nc+1 x nc+1], [nc] of all coefficients, after a linearization
  int nwalk;            // threads
  oc_knot_walk **walk;  // [nwalk]
  double **filter;      // [nwalk] scratch of innovations, while they are computed
} oc_position_fit;

// What a fit of positions is made of.
typedef struct oc_position_task {
  const oc_fit_parameters *x;
  const oc_fit_settings *set;
  int threads;
  oc_motion_residual *const *residual; // [threads]
  int nlogs;
  oc_measured_motion *const *logs;
  const oc_base_columns
      *base; // columns of the coefficients, which are unknown too; NULL: they are given
  int part;  // of each run only one part of this many, that with the longest path; 1: all of it
} oc_position_task;

// The runs of logs, which bound the threads that can work.
int oc_position_fit_runs(int nlogs, oc_measured_motion *const *logs);

// Everything in the task is borrowed. Returns DM_OK, DM_NO_MEMORY.
dm_status oc_position_fit_new(oc_position_fit **out, const oc_position_task *task);
void oc_position_fit_free(oc_position_fit *w);

// Move measured positions onto the constraints. Call it before the first walk. Returns DM_OK or the
// status of oc_knot_tangent_retract.
dm_status oc_position_fit_start(oc_position_fit *w);

// Use theta: the residual, the zeros, the delay of the logs.
dm_status oc_position_fit_set(oc_position_fit *w, const double *theta);

// The cost of positions q [knots x n]; fills `force`.
dm_status oc_position_fit_cost(oc_position_fit *w, const double *q, double *cost);

// Linearize and eliminate all runs (oc_knot_walk_linearize): the chain has S. cost: out. Returns DM_OK,
// DM_NOT_DEFINITE, DM_NOT_FINITE or the status of the residual.
dm_status oc_position_fit_linearize(oc_position_fit *w, double damping, double *cost);

// dq of the positions for the step dpi [nc] of the coefficients; square: sum |dq|^2 / sigma_q^2.
dm_status oc_position_fit_follow(oc_position_fit *w, const double *dpi, double *square);

// trial = q + share dq, on the constraints. Returns DM_OK or the status of oc_knot_tangent_retract.
dm_status oc_position_fit_move(oc_position_fit *w, double share);

// Minimize over the positions alone (nc = 0). Returns DM_OK, DM_MAX_ITER, or a negative status.
dm_status oc_position_fit_solve(oc_position_fit *w, int max_iter, double *cost);

// Statistics of each coordinate at q: joint [n]. Positions are filtered in the order of time
// with the linearized equations: `innovation` is the error of each prediction, over its standard
// deviation, white if the model is right.
dm_status oc_position_fit_judge(oc_position_fit *w, oc_fit_joint *joint);
#endif
