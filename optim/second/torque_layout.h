// optim/second/torque_layout.h: settings and working state of a task of second order
// (optim/second/torque_transcription.h), or of third order. A node s of step k has q, v, a (and the
// jerk) of the curve through the knots by the rule, the forces u of this motion, and J =
// du/d(q,v,a,z), where z are unknowns of the node alone (optim/second/node_unknowns.h).
#ifndef OC_SECOND_TORQUE_LAYOUT_H
#define OC_SECOND_TORQUE_LAYOUT_H
#include "lib/mechanics/continuous.h"
#include "lib/second/torque_cost.h"
#include "optim/nlp/nlp.h"
#include "optim/rows/series.h"
#include "optim/task/output_costs.h"

DM_BEGIN_C

// Settings in addition to the task. The tree is that of task->system, V the potential of its
// springs.
typedef struct oc_torque_transcription_settings {
  const dm_model *m;         // NULL: the forces are those of task->system.L (hermite-gauss, k = 2)
  dm_potential V;            // V.eval NULL: none
  dm_second_order_rule rule; // of order k = 2 or 3, which is the task's
  // A user-defined Lagrangian C(x), x = (q, .., q^(k)), of that order, added to the cost of inputs,
  // q and v; the data of self is used by one thread. eval NULL: none, and k = 2.
  dm_second_order_lagrangian own;
  const double *a_start, *a_goal; // [n] for k = 3, NAN: free; NULL: all are
  // a program, which may have coordinates without an input, prescribed coordinates, constraints and
  // general forces with inputs; false: a Lagrangian with a flow
  bool underactuated;
  const double *penalty; // [n] per rad or m and s: if > 0, the slope of a cost outside
                         // q_min..q_max that replaces the bound; NULL: none
} oc_torque_transcription_settings;

enum { OC_NONE = -1 };

// A bound of a coordinate that is replaced by a penalty: side 1 above it, -1 below.
typedef struct oc_kink {
  int coord, side;
  double bound, slope;
} oc_kink;

typedef struct oc_torque_transcription {
  oc_task task;
  oc_torque_transcription_settings set;
  oc_nlp nlp;
  int n, k, N, nodes; // coordinates, order, steps, nodes per step
  int size, wide;     // length of a knot, k n, and of a node, (k+1) n
  int nf, nc, nh;     // inputs of general forces; constraints, the first nh of them holonomic
  int np;             // n, if forces are made from momenta (optim/second/momentum_rows.h), else 0
  int nz, block;      // length of a node's unknowns z, nf + nc + np, and of (q,v,a,z)
  int nlim, nfast;    // rows per node, rows at the middle of a step
  int nkink;          // slacks per node, each with a row
  int nend;           // rows at the end of q_N - q_0, v_N - v_0, 2n of a periodic motion, else 0
  double h;
  int *input;          // [n] input of a coordinate, or OC_NONE
  oc_kink *kink;       // [nkink]
  int *limited, *fast; // [nlim], [nfast] coordinates with these rows
  double *gear;        // [n] force on it for u = 1
  double *W, *w_x;     // [n] weights of forces on coordinates, [3n] of (q,v,a) at nodes
  // coefficients of X_e^(r) in x_s^(d), for the rule and h; and in v at the middle of a step
  double f[DM_SECOND_NODES][2][DM_SECOND_MAX_ORDER][DM_SECOND_MAX_ORDER + 1]; // [s][e][r][d]
  double middle[2][DM_SECOND_MAX_ORDER];                                      // [e][r]
  double halfway[2][DM_SECOND_MAX_ORDER];                                     // the same in q
  double *at;     // [nodes] positions in a step
  double *end[2]; // [size]
  double *x_min, *x_max, *g_min, *g_max;
  dm_torque_cost *effort;
  dm_second_order *second;
  dm_continuous *continuous;
  // last evaluated point
  bool fresh;
  double *x_at, *node, *u, *J; // knots and z; of each node [wide], [n], [n x block] by (q,v,a,z)
  // scratch per node: gradient [wide], Hessian [wide x wide], W J [n x block], deviations [4n + nf]
  // and multipliers [n]; Hessian of the forces [3n x 3n], and by (q,v,a,z) [block x block]; derivatives
  // of the user-defined Lagrangian
  double *g, *H, *WJ, *e, *mu, *force_block, *node_block;
  double *own_x, *own_xx; // [wide], [wide x wide]
  // user-defined terms at a node; P = d(q,v,u)/d(q,v,a), C P
  int ny;                           // 2n + inputs, 0: no terms
  oc_term_work term;                // of (q,v,u)
  double *P, *CP;                   // [ny x block] twice
  struct oc_node_unknowns *more;    // scratch of z and of constraints
  struct oc_momentum_rows *momenta; // NULL: none
  double *knot_block;               // [size x size] contribution of the previous step at a knot
  // outputs at knots
  oc_output_costs *costs;      // its task is this one plus terms
  oc_rows *out_rows;           // [outputs.nlimits] the rows of each limit
  oc_function_rows *functions; // NULL: no limits, and no costs at single knots
} oc_torque_transcription;

// The index of node s of step k, in w->node, w->u, w->J.
static inline size_t oc_torque_nodes_at(const oc_torque_transcription *w, int k, int s) {
  return (size_t)k * (size_t)w->nodes + (size_t)s;
}

// The index of the unknowns z of node s of step k, in x.
static inline int oc_torque_nodes_own(const oc_torque_transcription *w, int k, int s) {
  return (w->N + 1) * w->size + (k * w->nodes + s) * w->nz;
}

// The index of the slack of kink l at node s of step k, in x.
static inline size_t oc_torque_nodes_slack(const oc_torque_transcription *w, int k, int s, int l) {
  return (size_t)oc_torque_nodes_own(w, w->N, 0) + oc_torque_nodes_at(w, k, s) * (size_t)w->nkink +
         (size_t)l;
}

// The knot X_k of x.
static inline const double *oc_torque_nodes_knot(const oc_torque_transcription *w, const double *x,
                                                 int k) {
  return x + (size_t)k * (size_t)w->size;
}

DM_END_C
#endif
