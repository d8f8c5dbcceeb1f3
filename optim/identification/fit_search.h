// optim/identification/fit_search.h: the state of a fit, which its search, its result and its
// predictions share.
#ifndef OC_IDENTIFICATION_FIT_SEARCH_H
#define OC_IDENTIFICATION_FIT_SEARCH_H
#include "optim/identification/position_fit.h"

struct oc_fit {
  const oc_fit_parameters *x;
  oc_fit_settings set;
  int n, p, nc;
  oc_motion_residual **residual; // [threads]
  oc_measured_motion **logs;     // [nlogs]
  oc_base_columns *base;
  oc_position_task task;
  oc_position_fit *positions;
  double *sigma_q, *sigma_f, *dry;  // [n] copies
  double *theta, *trial, *next, *d; // [p]
  double *T;                        // [nc x p] coefficients by theta
  double *pi, *dpi;                 // [nc]
  double *pi0, *ahead, *slope;      // [nc] of the model of a step
  double *S, *g;                    // [p x p], [p] Schur complement of the data
  double *P, *gp;                   // of the prior
  double *B, ease;                  // [p x p] metric of links, which damps by `ease`
  double *D, *B0;                   // [p], [p x p] the metrics at the start of a step
  double *low, *high;               // [p] bounds of a step
  double *A, *b;                    // [p x p], [2 p] scratch
  bool *fixed;                      // [p] at a bound
  oc_fit_result result;
  oc_fit_joint *predicted; // [n]
  double *free_run;        // [n]
  int *terms;              // of combinations
  double *factors;
};

// The cost of the prior at theta; fills P and gp.
double oc_fit_add_prior(oc_fit *w, const double *theta);

// trial and dpi: the parameters that minimize the model of the cost with this damping, from the chain of the
// last linearization, at w->theta. The model is quadratic in the coefficients, and exact in their dependence on
// theta and in the prior, so that curved valleys of links cost no walk along the knots. Returns by how much it
// falls, without the terms that damp.
double oc_fit_step(oc_fit *w, double damping);

// S, g by theta from the chain of the last linearization, at w->theta.
void oc_fit_reduce(oc_fit *w);

// Fill the result from a linearization without damping at w->theta. Returns DM_OK, or DM_BAD_INPUT if
// neither data nor prior determine a parameter.
dm_status oc_fit_conclude(oc_fit *w, dm_message *msg);
#endif
