// optim/program/join_map.h: where a motion goes on that does not end where it was planned to: the
// join of two phases (optim/task/join.h) as a map of any state, and its derivative, by which a
// cost-to-go is carried from phase to phase.
//
//   minimize 1/2 |q_a' - q_a|^2 over q_a', q_b     y_b(q_b) = y_a(q_a'),  h_b(q_b) = 0
//
// in the norm of kinetic energy M_a(q_a): what the state before is off the join is made up for by the
// least motion. Where something is let go that is none, q_a' = q_a. Of velocities the law says
//
//   velocity   minimize 1/2 |v_a' - v_a|^2         y_b,q v_b = y_a,q v_a',  Dh_b v_b = 0
//   momentum   L_v(q_b, v_b) = Phi_q(q_b)' p_a + Dh_b' Lambda,              Dh_b v_b = 0
//
// An end that meets the join begins the phase after as its rows have it (optim/program/phases.h).
// A coordinate after that comes from nowhere begins as it was planned to.
//
// Source: docs/theory.md section 29; [moreau-1988].
#ifndef OC_PROGRAM_JOIN_MAP_H
#define OC_PROGRAM_JOIN_MAP_H
#include "optim/task/join.h"

DM_BEGIN_C

typedef struct oc_join_map oc_join_map;

// A workspace for the join of two tasks (both borrowed), of m coordinates before and n after.
// Returns DM_OK, DM_NO_MEMORY, or DM_UNAVAILABLE where a coordinate of either is kinematic.
dm_status oc_join_map_new(oc_join_map **out, const oc_join *join, const oc_task *before,
                          const oc_task *after);
void oc_join_map_free(oc_join_map *w); // accepts NULL

// The state that the phase after begins with.
//   y_a  (q,v) at the end of the phase before [2m]
//   y_b  in: (q,v) as planned at the start of the phase after [2n]; out: what it becomes
// Returns DM_OK; DM_MAX_ITER where no place is found that meets the join, DM_SINGULAR where its rows
// depend on one another, DM_NOT_FINITE, y_b untouched. Does not allocate. Cost: an LU of the size of
// both phases' coordinates, pairs and constraints in each iteration, mostly 3.
dm_status oc_join_map_apply(oc_join_map *w, const double *y_a, double *y_b);

// Its derivative T at a state that meets the join: dx_b = T dx_a in (q,p), as deviations that keep the
// constraints have it.
//   x_a  (q,p) at the end of the phase before [2m]
//   x_b  (q,p) at the start of the phase after [2n]
//   T    out: [2n x 2m]
// Returns as above. Does not allocate.
dm_status oc_join_map_slope(oc_join_map *w, const double *x_a, const double *x_b, double *T);

DM_END_C
#endif
