// optim/rows/knot_speeds.h: what velocities at inner knots add to a program.
//
// Where coordinates have speed limits, or outputs of velocities are asked there, v_k [n] of knots
// k = 1..N-1 are unknowns with these bounds, and behind each a kappa_k [nc]. They follow from the
// momentum with which a step arrives, p_k = D2(k-1):
//
//   D2(k-1) - L_v(q_k,v_k) - Dh(q_k)' kappa_k = 0        k = 1..N-1
//   Dh(q_k) v_k = 0                                      where the system is constrained
//   h v_k - (q_k - q_{k-1}) = 0                          in place of it where one is kinematic
//
// With eta the multipliers of the first and nu those of the second, the Hessian gains eta.D2 of the
// interval, for which eta stands beside its own multipliers (t->mu1), the Hessian of -L_v.eta by
// (q_k,v_k), and what links of an end have (optim/rows/holonomic_rows.h).
//
// Every function does nothing where no knot has a velocity. Source: docs/theory.md section 6.
#ifndef OC_ROWS_KNOT_SPEEDS_H
#define OC_ROWS_KNOT_SPEEDS_H
#include "optim/rows/layout.h"

// Does a task limit the speed of a coordinate that has an equation of motion, or ask for an output at
// an inner knot that is a function of velocities? Then inner knots have velocities.
//
// A limit that is far counts only where task->every_speed says so: one by which a coordinate could go
// through all places that it may be at twenty times within the final time, as robot files have it
// where no limit is meant. Velocities make a program's stages nearly twice as wide, and the mean
// speeds of steps, which are limited all the same, leave knots little more.
bool oc_knot_speeds_wanted(const oc_task *task);

// Does a motion of the task's steps keep to all limits of speed at inner knots, to 1e-9 of them?
// Whoever solved a task that leaves far ones out asks.
bool oc_knot_speeds_kept(const oc_task *task, const dm_trajectory *motion);

// Set the bounds of v_k, |v| <= v_max, and of kappa_k, which is free, in t->x_min, t->x_max. Their
// rows are equations, with bounds zero as allocated.
void oc_knot_speeds_bound(oc_transcription *t, oc_rows_kind kind);

// Put the entries of knot k's rows, after interval k-1 was evaluated into t->d. With values L_v, Dh
// are evaluated at knot k, and L_v + Dh' kappa, Dh v kept in t->knot_momentum, t->knot_rate. With
// s->val NULL the entries alone: x is not read.
// Returns DM_OK or what the Lagrangian or the constraints return.
dm_status oc_knot_speeds_walk(oc_transcription *t, const double *x, oc_triplets *s, int k);

// Write the rows' values to g [nlp.m], from what the walk over all knots left.
void oc_knot_speeds_rows(const oc_transcription *t, oc_rows_kind kind, const double *x, double *g);

// Set t->mu1 = t->mu + eta [N+1 x n], by which D2 counts, from the multipliers lambda [nlp.m].
void oc_knot_speeds_pair(oc_transcription *t, const double *lambda);

// The Hessian of knot k's rows, D2 excepted: by q_k added to t->knot_block, the rest put. With
// s->val NULL the entries alone. Returns DM_OK or what the Lagrangian or the constraints return.
dm_status oc_knot_speeds_contract(oc_transcription *t, const double *x, int k, const double *lambda,
                                  oc_triplets *s);
#endif
