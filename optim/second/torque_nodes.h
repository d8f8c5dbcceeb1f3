// optim/second/torque_nodes.h: the working state of an action
// (optim/second/torque_transcription.h), and its five callbacks: sums over the nodes of the steps,
// at which the forces and their derivatives are evaluated once for each point.
#ifndef OC_SECOND_TORQUE_NODES_H
#define OC_SECOND_TORQUE_NODES_H
#include "lib/mechanics/continuous.h"
#include "optim/second/torque_transcription.h"

enum { OC_NONE = -1 };

struct oc_torque_transcription {
  oc_task task;
  oc_torque_transcription_settings set;
  oc_nlp nlp;
  int n, N, nodes; // coordinates, steps, nodes of a step
  int nlim, nfast; // rows of a node, rows of a step's middle
  double h;
  int *input;                         // [n] the input of a coordinate, or OC_NONE
  int *limited, *fast;                // [nlim], [nfast] coordinates with such a row
  double *gear;                       // [n] its force for u = 1
  double *W, *w_q, *w_v;              // [n] weights of forces on coordinates, of q and v at nodes
  double f[DM_SECOND_NODES][2][2][3]; // [s][e][r][d] what X_e^(r) has in x_s^(d), of the rule for h
  double *at;                         // [nodes] the places of the nodes in a step
  double *end[2];                     // [2n]
  double *x_min, *x_max, *g_min, *g_max;
  dm_torque_cost *effort;
  dm_second_order *second;
  dm_continuous *continuous;
  // at the last point evaluated
  bool fresh;
  double *x_at, *node, *u, *J; // [(N+1) 2n]; of each node [3n], [n], [n x 3n]
  // scratch of a node: gradient [3n], Hessian [3n x 3n], W J [n x 3n], deviations and multipliers
  double *g, *H, *WJ, *e, *mu; // [3n], [n]
  double *carry;               // [2n x 2n] what the step before adds at a knot
};

// C(q,v,a) for lib/second/second_order.h, self an oc_torque_transcription: what the forces cost,
// and the running cost of q, v.
dm_status oc_torque_nodes_lagrangian(const dm_second_order_lagrangian *C, int order,
                                     const double *x, double *value, double *C_x, double *C_xx);

// The forces and their derivatives at all nodes, unless x is where they were last evaluated.
dm_status oc_torque_nodes_evaluate(oc_torque_transcription *w, const double *x);

// The index of node s of step k, in w->node, w->u, w->J.
static inline size_t oc_torque_nodes_at(const oc_torque_transcription *w, int k, int s) {
  return (size_t)k * (size_t)w->nodes + (size_t)s;
}

// The knot X_k of x.
static inline const double *oc_torque_nodes_knot(const oc_torque_transcription *w, const double *x,
                                                 int k) {
  return x + (size_t)k * (size_t)(2 * w->n);
}

// The functions of oc_nlp, with self an oc_torque_transcription.
dm_status oc_torque_nodes_objective(void *self, const double *x, double *f);
dm_status oc_torque_nodes_gradient(void *self, const double *x, double *grad);
dm_status oc_torque_nodes_rows(void *self, const double *x, double *g);
dm_status oc_torque_nodes_jacobian(void *self, const double *x, oc_triplets *s);
dm_status oc_torque_nodes_hessian(void *self, const double *x, double sigma, const double *lambda,
                                  oc_triplets *s);

// See oc_torque_transcription_rounding.
dm_status oc_torque_nodes_rounding(oc_torque_transcription *w, const double *x, double *out);
#endif
