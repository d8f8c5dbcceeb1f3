// problems/run/walk.h: a periodic motion in phases that is repeated from period to period on a plant, with its
// controllers: a walker that keeps walking.
//
//   phase i     u_k = u_d,k - K_k (x - x_d,k) at the knots since its start; from its planned end on, K of its last
//               step and the planned end
//   touch       the plant's step in which the gap closes ends where it is 0, and the next phase begins, early or late;
//               a phase without a touch ends at its planned time
//   join        an impact of the machine (optim/program/join_map.h); a step of any length is set back to its foot
//
// A touch counts from the last knot on at which the plan's gap is closed, if the gap has been open since. If the plan
// swings through the ground, as a straight leg does, it counts from the plan's highest knot on.
//
// The machine differs from the model as `verify.errors` says (control/loop/model_mismatch.h). The ground under each
// touch is higher than the model's by half-width x uniform, drawn for each sample and period.
#ifndef PB_RUN_WALK_H
#define PB_RUN_WALK_H
#include "problems/run/run.h"

DM_BEGIN_C

typedef struct pb_walk pb_walk;

// A workspace for the phases of a periodic motion on a plant, which belongs to one thread.
//   run       with their motions, their gains, and, if they have inputs, their laws [phases->n]; borrowed
//   feedback  false: the planned inputs alone
// Returns DM_OK; DM_UNAVAILABLE if a phase has a free duration and no touch, a join is not a map, the plant does not
// exist, a law has a part that does not go on from phase to phase, or an error needs another plant, with a sentence in
// msg; or DM_NO_MEMORY.
dm_status pb_walk_new(pb_walk **out, const pb_phases *phases, pb_run *const *run, pb_plant kind,
                      bool feedback, dm_message *msg);
void pb_walk_free(pb_walk *w); // accepts NULL

// The course of one walk.
typedef struct pb_walked {
  int periods;   // completed
  int saturated; // knots at which an input was at a limit
  double
      error; // of (q,v) at the start of the period after the last, by verify.scale; INFINITY: it fell
  int worst;          // the state with this error, -1: it fell
  double early, late; // the earliest and the latest touch, compared with the plan [s]
} pb_walked;

// Walk from the planned start of the first phase with the deviation d [2n] in (q,v), which is projected on the
// constraints, for so many periods, with the machine and the ground of a sample.
//   y    out: (q,v) at the start of the period after the last [2n]; NULL: not kept
// Returns DM_OK, also if the walker fell: a step failed, or a touch did not come within twice the planned time; or
// the status of a machine that could not be made. Joins allocate; steps do not.
dm_status pb_walk_run(pb_walk *w, int sample, const double *d, int periods, double *y,
                      pb_walked *out);

DM_END_C
#endif
