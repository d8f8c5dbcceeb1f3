// optim/second/defect.h: compares a motion of another discretization, (q,p) at knots and u of
// steps, with the system's own steps (lib/discrete/del.h), and computes a nearby motion of these
// steps.
//
// The defect of a step is the difference between a step from (q_k,p_k) with u_k and (q_k+1,p_k+1),
// relative to 1 + |value|. With every other knot, steps 2h and mean inputs, it increases by
// 2^(order+1), which estimates the order without a second solution. The order of a map is at least
// 1: a smaller estimate has other causes, such as discontinuous inputs or inaccurate velocities at
// knots.
//
// The motion starts at the curve's first knot and is stabilized along the curve by gains
// (optim/descent/projection_operator.h).
#ifndef OC_SECOND_DEFECT_H
#define OC_SECOND_DEFECT_H
#include "optim/task/task.h"

DM_BEGIN_C

#define OC_DEFECT_ROUNDING 2e-13 // a defect below is rounding, about 1e3 DBL_EPSILON

typedef struct oc_defect {
  double defect, defect_2h; // the largest, infinite if a step fails; the latter NAN for N < 2
  double order;             // log2 of their ratio minus 1; not finite if a defect is not, NAN if
                            // the defects are rounding or it would be below 1
  int knot;                 // of the largest defect
  double distance;          // largest |q| distance between motion and curve  m or rad
  int coord, at;            // its coordinate and knot
} oc_defect;

// Write to motion, which has the task's sizes, the motion of the system nearest to the curve among
// those with gains of several sizes, with inputs within their limits. Returns DM_OK; DM_NO_MEMORY;
// or the failure of the last rollout, with a sentence in msg.
dm_status oc_defect_measure(const oc_task *task, const dm_trajectory *curve, dm_trajectory *motion,
                            oc_defect *out, dm_message *msg);

DM_END_C
#endif
