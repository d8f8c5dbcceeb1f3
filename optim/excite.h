// optim/excite.h: the motion within the limits of a task that tells most about parameters of its
// robot.
//
//   maximize  log det(P + sum_k (dr_k/dtheta / h)' diag(1/sigma^2) (dr_k/dtheta / h)) - log det P
//
// over the motions of the task's program, with its bounds, outputs and constraints; the cost of the
// task does not count. r is the residual of the discrete equations
// (optim/identification/motion_residual.h), P the inverse variance of a prior, in which a parameter
// has `prior` times its size, so that a parameter that no motion shows adds the same constant to
// all of them.
//
// 1  Random multi-sines between the ends are scaled to the limits, those of a fully driven robot also
//    to the limits of its inputs. The program follows the best one as closely as it can.
// 2  From the motion q, follow q + a d, where d is the gradient of the objective in the metric of
//    positions, speeds and accelerations of q, by a sine series. If that motion is better, it is the
//    next one and a grows; else a shrinks.
//
// The program is solved each time from the last solution. A system with fewer inputs than coordinates
// needs nothing else: its program follows d as far as its dynamics allow.
//
// Source: docs/theory.md section 34; [swevers-1997] in docs/sources.md.
#ifndef OC_EXCITE_H
#define OC_EXCITE_H
#include "optim/identification/motion_residual.h"
#include "optim/solution.h"

DM_BEGIN_C

typedef struct oc_excite_settings {
  const double *sigma; // [n] standard deviation of r/h                          N or N m
  double prior;        // > 0; INFINITY: 100
  const double *dry; // [n] speeds over which dry friction builds up, > 0; NULL: 0.01  rad/s or m/s
  double step;       // of the later fit [s]; 0: that of the task. r/h is averaged over it
  int starts;        // multi-sines
  int harmonics;     // of multi-sines
  int iterations;    // of 2
  uint64_t seed;
  oc_setup setup; // options and hooks of solves
  // called after each motion; returning false ends the search with the best one; NULL: none
  bool (*progress)(void *user, int iteration, double objective);
  void *user;
} oc_excite_settings;

// 64 starts of 5 harmonics, 100 iterations, prior 1; sigma must be set.
oc_excite_settings oc_excite_default(void);

typedef struct oc_excite oc_excite;

// Make a search. The task and x are borrowed. Returns DM_OK; DM_NO_MEMORY; DM_BAD_INPUT with a
// sentence for a free final time, a periodic task, kinematic coordinates, constraints, or parameters
// that no motion shows (zeros of encoders, delays).
dm_status oc_excite_new(oc_excite **out, const oc_task *task, const oc_fit_parameters *x,
                        const oc_excite_settings *set, dm_message *msg);
void oc_excite_free(oc_excite *w); // accepts NULL

// The objective of any motion q [(N+1) x n], and the information by theta [count x count], or NULL.
dm_status oc_excite_measure(oc_excite *w, const double *q, double *objective, double *information);

// Random multi-sine `number` within the limits: q [(N+1) x n]. Returns DM_OK, or the failure of the
// Lagrangian. *within: whether inputs follow it within their limits, which is known for a fully
// driven robot; else false.
dm_status oc_excite_multisine(oc_excite *w, int number, double *q, bool *within);

// Search. *motion: the best motion, of the task's N steps, to be freed with dm_trajectory_free.
// Returns DM_OK; DM_MAX_ITER or DM_INTERRUPTED with the best motion so far; or with *motion NULL DM_INFEASIBLE, if
// the program follows none of the first multi-sines, or the failure of a solver, with a sentence.
dm_status oc_excite_run(oc_excite *w, dm_trajectory **motion, dm_message *msg);

// Figures of the last run: the objective of the best multi-sine within the limits (NAN: none is known
// to be), of the first motion, and of the best one; and iterations.
typedef struct oc_excite_info {
  double multisine, first, best;
  int number; // of this multi-sine; -1: none
  int iterations;
} oc_excite_info;
oc_excite_info oc_excite_get(const oc_excite *w);

// From an information matrix [count x count]: the covariance of theta [count x count], with the prior; and
// the condition number of the information without the prior, in parameters of their own sizes, of
// those that the motion shows at all (*shown of them).
dm_status oc_excite_predict(oc_excite *w, const double *information, double *covariance,
                            double *condition, int *shown);

// The combination of parameters, relative to their sizes, of the i-th smallest eigenvalue of the
// information (0: the least known): direction [count] of length 1 and its deviation without the
// prior, INFINITY: unseen. Call it after oc_excite_predict.
double oc_excite_direction(const oc_excite *w, int i, double *direction);

DM_END_C
#endif
