// optim/second/torque_layout.h: the settings and the working state of a task of second order
// (optim/second/torque_transcription.h), or of third. At node s of step k stand q, v, a (and the
// jerk) of the curve through the knots, by the rule, the forces u that this motion needs, and
// J = du/d(q,v,a).
#ifndef OC_SECOND_TORQUE_LAYOUT_H
#define OC_SECOND_TORQUE_LAYOUT_H
#include "lib/mechanics/continuous.h"
#include "lib/second/torque_cost.h"
#include "optim/nlp/nlp.h"
#include "optim/transcription/output_costs.h"

DM_BEGIN_C

// What is to be said beside the task. The tree is that of task->system, V its springs' potential.
typedef struct oc_torque_transcription_settings {
  const dm_model *m;
  dm_potential V;            // V.eval NULL: none
  dm_second_order_rule rule; // of order k = 2 or 3, which is the task's
  // A Lagrangian of one's own C(x), x = (q, .., q^(k)), of that order, added to what inputs, q and v
  // cost; what self points at is used by one thread. eval NULL: there is none, and k = 2.
  dm_second_order_lagrangian own;
  const double *a_start, *a_goal; // [n] of k = 3, NAN: free; NULL: all are
  bool underactuated;             // may coordinates be without an input?
  const double *penalty;          // [n] per rad or m and s: where > 0 the slope of a cost outside
                                  // q_min..q_max, in place of that bound; NULL: none
} oc_torque_transcription_settings;

enum { OC_NONE = -1 };

// A bound of a coordinate that a penalty stands for: side 1 above it, -1 below.
typedef struct oc_kink {
  int coord, side;
  double bound, slope;
} oc_kink;

typedef struct oc_torque_transcription {
  oc_task task;
  oc_torque_transcription_settings set;
  oc_nlp nlp;
  int n, k, N, nodes; // coordinates, order, steps, nodes of a step
  int size, wide;     // entries of a knot, k n, and of a node, (k+1) n
  int nlim, nfast;    // rows of a node, rows of a step's middle
  int nkink;          // slacks of a node, each with a row
  double h;
  int *input;            // [n] the input of a coordinate, or OC_NONE
  oc_kink *kink;         // [nkink]
  int *limited, *fast;   // [nlim], [nfast] coordinates with such a row
  double *gear;          // [n] its force for u = 1
  double *W, *w_q, *w_v; // [n] weights of forces on coordinates, of q and v at nodes
  // what X_e^(r) has in x_s^(d), of the rule for h; what it has in v in the middle of a step
  double f[DM_SECOND_NODES][2][DM_SECOND_MAX_ORDER][DM_SECOND_MAX_ORDER + 1]; // [s][e][r][d]
  double middle[2][DM_SECOND_MAX_ORDER];                                      // [e][r]
  double *at;     // [nodes] their places in a step
  double *end[2]; // [size]
  double *x_min, *x_max, *g_min, *g_max;
  dm_torque_cost *effort;
  dm_second_order *second;
  dm_continuous *continuous;
  // at the last point evaluated
  bool fresh;
  double *x_at, *node, *u, *J; // [(N+1) size]; of each node [wide], [n], [n x 3n]
  // scratch of a node: gradient [wide], Hessian [wide x wide], W J [n x 3n], deviations [3n] and
  // multipliers [n]; the forces' own Hessian [3n x 3n]; what the own Lagrangian gives
  double *g, *H, *WJ, *e, *mu, *force_block;
  double *own_x, *own_xx; // [wide], [wide x wide]
  // terms of one's own at a node: (q,v,u), their derivatives; d(q,v,u)/d(q,v,a), C times it
  int ny;                          // 2n + inputs, 0: there are none
  double *y, *c_y, *c_yy, *P, *CP; // [ny], [ny], [ny x ny], [ny x 3n], [ny x 3n]
  double *knot_block;              // [size x size] what the step before adds at a knot
  // outputs (knot_outputs.h)
  oc_output_costs *costs;           // whose task, with a term more, is this one
  int *out_row;                     // [outputs.nlimits] the first row of each
  double *out_value, *out_slope[2]; // [y.ny], [y.ny x n] by q and by v
  double *out_lambda, *out_H[3];    // [y.ny], [n x n] by (q,q), (q,v), (v,v)
  double *out_end;                  // [2n] an end as it is given
  void *out_scratch;
} oc_torque_transcription;

DM_END_C
#endif
