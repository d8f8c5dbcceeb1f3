// problems/run/cycle_gains.h: the gains of a periodic motion in phases that is repeated indefinitely.
//
//   P_i(N_i) = C_i' P_(i+1)(0) C_i      C_i = T_i S_i, the passage from phase i to the next one
//
// The Riccati recursions of the phases (control/feedback/tvlqr.h) are repeated over the periods until the cost-to-go at
// the start of the first phase does not change: the periodic Riccati equation through touches, impacts and exchanged
// legs.
//
// Source: docs/theory.md section 29; optim/program/cycle.h.
#ifndef PB_RUN_CYCLE_GAINS_H
#define PB_RUN_CYCLE_GAINS_H
#include "problems/run/run.h"

DM_BEGIN_C

// Whether gains of these phases are those of a repeated motion: it is periodic, every phase has weights, the gains of
// each phase use those of the next one, and the last phase gives no final weight of its own.
bool pb_cycle_has_gains(const pb_phases *phases);

// Set run[i]->next.cost of each phase to the periodic cost-to-go at its end, by which pb_run_gains makes its gains.
//   t       the phases, periodic
//   run     with their motions [t->n]
//   phase   out: the phase of a failure
// Returns DM_OK; DM_UNAVAILABLE if a passage has no derivative (oc_cycle_passage), with nothing set; DM_MAX_ITER if the
// cost-to-go does not settle; the status of gains at a knot; or DM_NO_MEMORY. On all but DM_OK msg has the reason.
// Allocates. Cost: per period the gains of all phases, often 20 periods.
dm_status pb_cycle_gains(const oc_phases_task *t, pb_run *const *run, int *phase, dm_message *msg);

DM_END_C
#endif
