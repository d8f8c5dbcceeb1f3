// optim/program/join_map.h: how a motion continues if it does not end where it was planned to: the join of
// two phases (optim/task/join.h) as a map of any state, and its derivative, which carries a cost-to-go from
// phase to phase.
//
//   minimize 1/2 |q_a' - q_a|^2 over q_a', q_b     y_b(q_b) = s y_a(q_a') + low,  h_b(q_b) = 0
//
// in the kinetic-energy norm M_a(q_a): the least motion that moves the state before onto the join. If a
// contact is released no motion is needed, q_a' = q_a. For velocities, the law is
//
//   velocity   minimize 1/2 |v_a' - v_a|^2         y_b,q v_b = s y_a,q v_a',  Dh_b v_b = 0
//   momentum   L_v(q_b, v_b) = Phi_q(q_b)' p_a + Dh_b' Lambda,              Dh_b v_b = 0
//
// An end that satisfies the join starts the phase after in accordance with the join's rows
// (optim/program/phases.h). A coordinate after without a counterpart before starts as planned, or where h_b
// puts it; the position of a pair with a range likewise, whose velocity is continuous.
//
// Source: docs/theory.md section 29; [moreau-1988].
#ifndef OC_PROGRAM_JOIN_MAP_H
#define OC_PROGRAM_JOIN_MAP_H
#include "optim/task/join.h"

DM_BEGIN_C

typedef struct oc_join_map oc_join_map;

// A workspace for the join of two tasks (both borrowed), with m coordinates before and n after. Returns
// DM_OK, DM_NO_MEMORY, or DM_UNAVAILABLE if either task has a kinematic coordinate.
dm_status oc_join_map_new(oc_join_map **out, const oc_join *join, const oc_task *before,
                          const oc_task *after);
void oc_join_map_free(oc_join_map *w); // accepts NULL

// The initial state of the phase after.
//   y_a  (q,v) at the end of the phase before [2m]
//   y_b  in: (q,v) as planned at the start of the phase after [2n]; out: the mapped state
// Returns DM_OK; or, with y_b unchanged, DM_MAX_ITER if no position that satisfies the join is found,
// DM_SINGULAR if its rows are linearly dependent, or DM_NOT_FINITE. No allocation. Cost: an LU factorization
// of the size of both phases' coordinates, pairs and constraints per iteration, usually 3 iterations.
dm_status oc_join_map_apply(oc_join_map *w, const double *y_a, double *y_b);

// Its derivative T at a state that satisfies the join: dx_b = T dx_a in (q,p), for deviations that satisfy
// the constraints.
//   x_a  (q,p) at the end of the phase before [2m]
//   x_b  (q,p) at the start of the phase after [2n]
//   T    out: [2n x 2m]
// Returns as above. No allocation.
dm_status oc_join_map_slope(oc_join_map *w, const double *x_a, const double *x_b, double *T);

DM_END_C
#endif
