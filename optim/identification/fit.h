// optim/identification/fit.h: fits parameters of a robot to logs of positions and inputs, with errors
// in the positions.
//
//   minimize   1/2 sum weight |y_k - q_k - zero|^2 / sigma_q^2 + 1/2 sum |r_k/h|^2 / sigma_f^2 + prior
//
// over the positions q_k of all knots of all logs and the common parameters. The prior of a link is
// w D(J,J0) with the Bregman divergence D = tr(J0^-1 J) - log det(J0^-1 J) - 4 of its
// pseudo-inertia from the robot's and w = 1/(4 s^2): s is about the relative standard deviation of
// a mass. Others have normal priors (oc_fit_parameter.deviation) and bounds.
//
// With constraints h(q) = 0 (closed loops, quaternions) r is least over the impulses Dh'lambda of a
// knot, and positions keep h = 0 (optim/identification/knot_tangent.h).
//
// Gauss-Newton with a trust region by Levenberg's damping (in the metric of the measurements) and
// the gain ratio. Normal equations couple three successive knots and have the parameters as a border:
// knots are eliminated in the order of time, and the Schur complement S remains. Runs of at most 2000 knots are
// eliminated by several threads; with more than 8000 knots, a search along a tenth of them comes first. Memory: about
// 3 n^2 + 6 n numbers for each knot. Iterations allocate only to
// compile changed lengths, springs and loads. Cost per knot: about
// 4 n^3 + 5 n^2 p + n p^2/2.
//
// Source: docs/theory.md section 33; [lee-wensing-park-2020], [gautier-1990], [ljung-box-1978] in
// docs/sources.md.
#ifndef OC_IDENTIFICATION_FIT_H
#define OC_IDENTIFICATION_FIT_H
#include "optim/identification/motion_residual.h"
#include "optim/identification/recording.h"

DM_BEGIN_C

enum { OC_FIT_THREADS = 64 };

typedef struct oc_fit_settings {
  const double *sigma_q; // [n] standard deviation of a sample of a position      rad or m
  const double *sigma_f; // [n] of the forces that the model lacks                N m or N
  double inertia_prior;  // s of the prior of links; INFINITY: none
  const double *dry;     // [n] speeds over which dry friction builds up; NULL: a thousandth of the
                         // fastest in the logs                             rad/s or m/s
  int max_iter;
  int threads; // 1 to OC_FIT_THREADS; results do not depend on it
} oc_fit_settings;

// Default: s = 1, 100 iterations, one thread; sigma_q and sigma_f NULL must be set.
oc_fit_settings oc_fit_settings_default(void);

// The outcome, for one coordinate. An innovation is the difference of a measurement
// from the prediction by all measurements before it, over its standard deviation by the settings. They are white
// and have rms 1 if model and noise are right.
typedef struct oc_fit_joint {
  double position_rms;   // of y - q - zero, weighted                             rad or m
  double force_rms;      // of r/h                                                N m or N
  double innovation_rms; // about 1
  double correlation;    // of successive innovations: about 0
  double whiteness;      // Ljung-Box of innovations over 20 lags, per degree of freedom: about 1
} oc_fit_joint;

// A linear combination of coefficients that the logs determine.
typedef struct oc_combination {
  int terms;
  const int *coefficient; // [terms] the first has factor 1
  const double *factor;   // [terms]
  double value, deviation;
} oc_combination;

typedef struct oc_fit_result {
  dm_status status;               // DM_OK, DM_MAX_ITER, DM_STALLED
  int iterations, knots, samples; // samples: measured numbers
  double cost, prior;
  double *theta;       // [count]
  double *value;       // [count] as users read it (oc_fit_parameters_values)
  double *deviation;   // [count] of value; 0 at a bound
  double *covariance;  // [count x count] of theta: the inverse of S, with the prior
  bool *bound;         // [count] at its bound
  bool *unseen;        // [count] without the prior the logs do not determine it
  oc_fit_joint *joint; // [n]
  int rank;            // of S by coefficients, without the prior
  int combinations;    // = rank
  oc_combination *combination;
} oc_fit_result;

typedef struct oc_fit oc_fit;

// x and the logs, all with the same step, are borrowed. Returns DM_OK; DM_NO_MEMORY; DM_BAD_INPUT with
// a sentence that names the log or the setting (sizes of another robot, too few samples for the parameters).
dm_status oc_fit_new(oc_fit **out, const oc_fit_parameters *x, int nlogs,
                     oc_measured_motion *const *logs, const oc_fit_settings *set, dm_message *msg);
void oc_fit_free(oc_fit *w);

// Fit from the values in theta [count] (NULL: the robot's). Returns the status of the result, DM_OK or
// positive; or DM_BAD_INPUT with a sentence: no information about a parameter that has no prior (all
// named); DM_NOT_FINITE; DM_SINGULAR.
dm_status oc_fit_solve(oc_fit *w, const double *theta, dm_message *msg);
const oc_fit_result *oc_fit_get(const oc_fit *w);

// A sentence about a residual above twice sigma_f that names the likely missing part of the model
// (friction, damping, offset, delay), or asks whether the log is of another robot; empty if the residual is small. Returns whether it is large.
bool oc_fit_suspect(const oc_fit *w, dm_message *msg);

// Prediction of a log, which need not be one of those fitted: its positions are fitted with given
// theta [count].
typedef struct oc_prediction {
  oc_fit_joint *joint; // [n] borrowed from the fit until the next prediction
  double *free_run;    // [n] rms error of positions of the map alone over `horizon`, from fitted
                       // positions at its start; INFINITY: it diverged
  double horizon;      // s
} oc_prediction;

// Returns DM_OK, DM_NO_MEMORY, or a negative status with a sentence.
dm_status oc_fit_predict(oc_fit *w, oc_measured_motion *log, const double *theta, double horizon,
                         oc_prediction *out, dm_message *msg);

// The same, with the fitted positions q [knots x n] and the forces that the model lacks, force
// [knots x n], at the knots of the log; NAN at knots without them.
dm_status oc_fit_trace(oc_fit *w, oc_measured_motion *log, const double *theta, double horizon,
                       double *q, double *force, oc_prediction *out, dm_message *msg);

DM_END_C
#endif
