// optim/program/cycle.h: the multipliers of a periodic motion in phases: how deviations at the start of a period have
// grown at the start of the next one, with feedback or without it.
//
//   monodromy   M = prod_j T_j S_j prod_k (A_k - B_k K_k)   A, B of a step, T of a join (optim/program/join_map.h)
//   event       S = 1 - f_h g_q / (g_q f_h,q)               g the gap that closes at the end of a phase
//
// The last step to a touch has an unknown duration, whose change keeps the gap closed: f_h is the derivative of that
// step by its duration. T S is the saltation matrix of the map. Coordinates with a travel begin anywhere that the
// constraints of the next phase allow.
//
// Source: docs/theory.md section 29; [kong-2022].
#ifndef OC_PROGRAM_CYCLE_H
#define OC_PROGRAM_CYCLE_H
#include "lib/discrete/trajectory.h"
#include "optim/program/phases.h"

DM_BEGIN_C

// The output whose gap closes at the end of a phase: the one output that has a value there alone. Returns its row, or
// -1 if none has one, or several have.
int oc_cycle_event(const oc_task *task);

// The derivative T S of the passage from the end of phase i of a periodic motion to the start of the next phase.
//   motion  a periodic solution of t, one motion of each phase [t->n]
//   C       out: [2m x 2n], n and m the coordinates of phase i and of the next one: deviations (q,p) after the join by
//           those at the planned end time of phase i
// Returns as below. Allocates.
dm_status oc_cycle_passage(const oc_phases_task *t, const dm_trajectory *const *motion, int i,
                           double *C);

// The eigenvalues of M at the start of the first phase.
//   gains   K [N x inputs x 2n] of each phase: u = u_d - K (x - x_d); NULL of a phase or of all: no feedback [t->n]
//   re, im  out: [2n], n the coordinates of the first phase, in no order; zero for directions that constraints or
//           impacts remove
// Returns DM_OK, DM_NO_MEMORY, DM_SINGULAR if a step or a join has no derivative or the gap does not change with
// time, DM_STALLED if the eigenvalues were not found, or DM_UNAVAILABLE if t is not periodic, if a phase with a free
// duration ends without a touch, or if a join is not a map (oc_join_map_new). Allocates.
dm_status oc_cycle_multipliers(const oc_phases_task *t, const dm_trajectory *const *motion,
                               const double *const *gains, double *re, double *im);

// The same for one motion that ends in the state in which it begins, or in its image under a symmetry (docs/theory.md
// section 26): the eigenvalues of prod_k (A_k - B_k K_k).
//   K       [N x inputs x 2n]; NULL: no feedback
//   re, im  out: [2n], as above. Constraints need no projection: the last step meets them for any deviation before it,
//           so that nonzero eigenvalues belong to deviations that satisfy them
// Returns DM_OK, DM_NO_MEMORY, DM_SINGULAR, or DM_STALLED, as above. Allocates.
dm_status oc_cycle_motion(const dm_trajectory *x, const dm_system *s, const double *K, double *re,
                          double *im);

// The join after phase i of a periodic motion, with every travel open: a step of another length continues alike.
//   pairs  out: [join i: npairs], which the join borrows
oc_join oc_cycle_join(const oc_phases_task *t, int i, oc_pair *pairs);

DM_END_C
#endif
