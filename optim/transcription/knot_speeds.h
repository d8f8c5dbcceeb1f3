// optim/transcription/knot_speeds.h: what velocities at inner knots add to a program. They are
// unknowns where coordinates have speed limits, which they then keep at every knot; they follow
// from the momentum with which a step arrives, p_k = D2(k-1):
//
//   D2(k-1) - L_v(q_k,v_k) - Dh(q_k)' kappa_k = 0        k = 1..N-1
//   Dh(q_k) v_k = 0                                      where the system is constrained
//   h v_k - (q_k - q_{k-1}) = 0                          in place of it where one is kinematic
//
// With eta the multipliers of the first and nu those of the second, the Hessian gains eta.D2 of the
// interval, for which eta stands beside its own multipliers (t->mu1), the Hessian of -L_v.eta by
// (q_k,v_k), and what links of an end have (optim/transcription/holonomic_rows.h).
//
// Every function does nothing where no knot has a velocity. Source: docs/theory.md section 6.
#ifndef OC_TRANSCRIPTION_KNOT_SPEEDS_H
#define OC_TRANSCRIPTION_KNOT_SPEEDS_H
#include "optim/transcription/layout.h"

// Does a task limit the speed of a coordinate that has an equation of motion?
bool oc_knot_speeds_wanted(const oc_task *task);

// The bounds of the velocities and of their rows.
void oc_knot_speeds_bound(oc_transcription *t);

// After interval k-1 was evaluated into t->d, with values: L_v, Dh at knot k and the rows' part
// that is not D2, kept; then put the entries of knot k's rows. With s->val NULL the entries alone.
dm_status oc_knot_speeds_walk(oc_transcription *t, const double *x, oc_triplets *s, int k);

// The rows, from what the walk left.
void oc_knot_speeds_rows(const oc_transcription *t, const double *x, double *g);

// Set t->mu1 from the multipliers of motion t->mu and those of the velocities' rows.
void oc_knot_speeds_pair(oc_transcription *t, const double *lambda);

// The Hessian of knot k's rows, D2 excepted: by q_k into t->knot_block, the rest put. With s->val NULL
// the entries alone.
dm_status oc_knot_speeds_contract(oc_transcription *t, const double *x, int k, const double *lambda,
                                  oc_triplets *s);
#endif
