// optim/second/defect.h: how well a motion found by another discretization, (q,p) at knots and u of
// steps, agrees with the system's own steps (lib/discrete/del.h), and the motion of these that
// follows it.
//
// The defect of a step is by what (q_k,p_k), stepped once under u_k, misses (q_k+1,p_k+1), over
// 1 + |value|. Taken on every other knot, with steps 2h and the means of their inputs, it grows by
// 2^(order+1), without a second solution. A map's own is of order 1 at least: a defect that grows
// less is another, as of inputs that jump, or of knots whose velocities are off themselves.
//
// The motion begins at the curve's first knot and is held to it by gains
// (optim/descent/projection_operator.h).
#ifndef OC_SECOND_DEFECT_H
#define OC_SECOND_DEFECT_H
#include "optim/transcription/task.h"

DM_BEGIN_C

#define OC_DEFECT_ROUNDING 2e-13 // a defect below is rounding, about 1e3 DBL_EPSILON

typedef struct oc_defect {
  double defect, defect_2h; // the largest, infinite where no step can be taken; the latter NAN
                            // where N < 2
  double order;             // log2 of their ratio, less 1; not finite where a defect is not, NAN
                            // where rounding is all there is, or where it would be below 1
  int knot;                 // of the largest defect
  double distance;          // the largest |q| the motion is off the curve  m or rad
  int coord, at;            // of this coordinate, at this knot
} oc_defect;

// Fill motion, of the task's sizes, with the motion of the system nearest to the curve of those
// that gains of several sizes find, inputs within their limits. Returns DM_OK; DM_NO_MEMORY; or
// what kept the last of them from being rolled, with a sentence in msg.
dm_status oc_defect_measure(const oc_task *task, const dm_trajectory *curve, dm_trajectory *motion,
                            oc_defect *out, dm_message *msg);

DM_END_C
#endif
