// optim/descent/knot_costs.h: what outputs cost at one time (optim/transcription/output_costs.h) as a
// function of the state (q,p) of a descent,
//
//   c(q, v(q,p))      c_x = W'(c_q, c_v)      c_xx = W'CW + c_v.v_xx,   W = (1 0; v_x)
//
// with v of the knot (optim/descent/knot_velocity.h), where an output is a function of it.
#ifndef OC_DESCENT_KNOT_COSTS_H
#define OC_DESCENT_KNOT_COSTS_H
#include "optim/descent/knot_velocity.h"
#include "optim/transcription/output_costs.h"

DM_BEGIN_C

// The costs of knot k at (q,p), and where order > 0 their derivatives by (q,v) in costs->c_x, c_xx and
// those of v in `knot`; where it is not asked for it is left as it is. Returns DM_OK or what the outputs
// or the velocity return. No allocation.
dm_status oc_knot_costs_eval(oc_output_costs *costs, oc_knot_velocity *knot, int k, int order,
                             const double *q, const double *p, double *c);

// Add W'CW at (q,p) to Q [2n x 2n], rows ld apart. Returns as oc_knot_costs_eval does. No allocation.
//   W, CW  scratch [2n x 2n]
dm_status oc_knot_costs_curve(oc_output_costs *costs, oc_knot_velocity *knot, int k,
                              const double *q, const double *p, double *W, double *CW, double *Q,
                              int ld);

DM_END_C
#endif
