// optim/descent/knot_costs.h: costs of outputs at a single knot
// (optim/task/output_costs.h) as a function of the state (q,p) of a descent,
//
//   c(q, v(q,p))      c_x = W'(c_q, c_v)      c_xx = W'CW + c_v.v_xx,   W = (1 0; v_x)
//
// with the velocity v of the knot (optim/descent/knot_velocity.h), if an output depends on it.
#ifndef OC_DESCENT_KNOT_COSTS_H
#define OC_DESCENT_KNOT_COSTS_H
#include "optim/descent/knot_velocity.h"
#include "optim/task/output_costs.h"

DM_BEGIN_C

// The costs of knot k at (q,p); for order > 0 also their derivatives by (q,v) in costs->c_x, c_xx
// and the derivatives of v in `knot`, which is unchanged if v is not needed. Returns DM_OK or the
// status of the outputs or the velocity. No allocation.
dm_status oc_knot_costs_eval(oc_output_costs *costs, oc_knot_velocity *knot, int k, int order,
                             const double *q, const double *p, double *c);

// Add W'CW at (q,p) to Q [2n x 2n] with row length ld. Returns as oc_knot_costs_eval does. No
// allocation.
//   W, CW  scratch [2n x 2n]
dm_status oc_knot_costs_curve(oc_output_costs *costs, oc_knot_velocity *knot, int k,
                              const double *q, const double *p, double *W, double *CW, double *Q,
                              int ld);

DM_END_C
#endif
