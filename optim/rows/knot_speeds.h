// optim/rows/knot_speeds.h: velocities at inner knots as unknowns of a program.
//
// If coordinates have speed limits, or outputs of velocities have limits or costs at inner knots, then v_k
// [n] of knots k = 1..N-1 are unknowns with these bounds, each followed by a kappa_k [nc]. They are
// determined by the momentum at the end of a step, p_k = D2(k-1):
//
//   D2(k-1) - L_v(q_k,v_k) - Dh(q_k)' kappa_k = 0        k = 1..N-1
//   Dh(q_k) v_k = 0                                      if the system is constrained
//   h v_k - (q_k - q_{k-1}) = 0                          instead of the first row, if kinematic
//
// With eta the multipliers of the first row and nu those of the second, the Hessian gains eta.D2 of the
// interval (eta is added to the interval's own multipliers, t->mu1), the Hessian of -L_v.eta by (q_k,v_k),
// and the terms of constraint rates as at an end (optim/rows/holonomic_rows.h).
//
// All functions do nothing if no knot has a velocity. Source: docs/theory.md section 6.
#ifndef OC_ROWS_KNOT_SPEEDS_H
#define OC_ROWS_KNOT_SPEEDS_H
#include "optim/rows/layout.h"

// Does a task limit the speed of a coordinate that has an equation of motion, or use an output of velocities
// at an inner knot? Then inner knots have velocities.
//
// A far limit counts only if task->every_speed is set. A limit is far if it lets a coordinate cross its whole
// range twenty times within the final time; robot files contain these when no limit is meant. Velocities make
// a program's stages nearly twice as wide. The mean speeds of steps are limited in any case, and usually keep
// the knots within the limits.
bool oc_knot_speeds_wanted(const oc_task *task);

// Does a motion satisfy all speed limits at inner knots, to a relative 1e-9? Check this after solving a task
// without its far limits.
bool oc_knot_speeds_kept(const oc_task *task, const dm_trajectory *motion);

// Set the bounds of v_k, |v| <= v_max, and of kappa_k, which is free, in t->x_min, t->x_max. Their rows are
// equations: the bounds stay zero, as allocated.
void oc_knot_speeds_bound(oc_transcription *t, oc_rows_kind kind);

// Put the entries of knot k's rows, after interval k-1 was evaluated into t->d. With values, L_v and Dh are
// evaluated at knot k, and L_v + Dh' kappa and Dh v are kept in t->knot_momentum and t->knot_rate. If s->val
// is NULL, only the pattern is put and x is not read. Returns DM_OK or the status of the Lagrangian or the
// constraints.
dm_status oc_knot_speeds_walk(oc_transcription *t, const double *x, oc_triplets *s, int k);

// Write the rows' values to g [nlp.m], from the values kept by the walk over all knots.
void oc_knot_speeds_rows(const oc_transcription *t, oc_rows_kind kind, const double *x, double *g);

// Set t->mu1 = t->mu + eta [N+1 x n], the multipliers of D2, from the multipliers lambda [nlp.m].
void oc_knot_speeds_pair(oc_transcription *t, const double *lambda);

// The Hessian of knot k's rows without D2: the part by q_k is added to t->knot_block, the rest is put. If
// s->val is NULL, only the pattern. Returns DM_OK or the status of the Lagrangian or the constraints.
dm_status oc_knot_speeds_contract(oc_transcription *t, const double *x, int k, const double *lambda,
                                  oc_triplets *s);
#endif
