// optim/second/torque_nodes.h: the five callbacks of a task of second order
// (optim/second/torque_transcription.h): sums over the nodes of the steps, at which the forces and
// their derivatives are evaluated once per point.
#ifndef OC_SECOND_TORQUE_NODES_H
#define OC_SECOND_TORQUE_NODES_H
#include "optim/nlp/scaled.h"
#include "optim/second/torque_layout.h"

// C(q,v,a) for lib/second/second_order.h, with self an oc_torque_transcription: the cost of the
// forces, and the running cost of q, v.
dm_status oc_torque_nodes_lagrangian(const dm_second_order_lagrangian *C, int order,
                                     const double *x, double *value, double *C_x, double *C_xx);

// Evaluate w->node [wide], w->u [n] and w->J [n x block] at all nodes, unless the knots and unknowns
// of nodes in x are the last evaluated ones. Returns DM_OK or the status of dm_torque_cost_forces. Cost: first
// derivatives of inverse dynamics at N times the nodes of a step; no allocation.
dm_status oc_torque_nodes_evaluate(oc_torque_transcription *w, const double *x);

// The functions of oc_nlp (optim/nlp/nlp.h), with self an oc_torque_transcription. None allocates.
dm_status oc_torque_nodes_objective(void *self, const double *x, double *f);
dm_status oc_torque_nodes_gradient(void *self, const double *x, double *grad);
dm_status oc_torque_nodes_rows(void *self, const double *x, double *g);
dm_status oc_torque_nodes_jacobian(void *self, const double *x, oc_triplets *s);
dm_status oc_torque_nodes_hessian(void *self, const double *x, double sigma, const double *lambda,
                                  oc_triplets *s);

// The sum of the penalties at a node x [wide]; adds the gradient to g [wide] unless NULL.
double oc_torque_nodes_penalty(const oc_torque_transcription *w, const double *x, double *g);

// See oc_torque_transcription_rounding.
dm_status oc_torque_nodes_rounding(oc_torque_transcription *w, const double *x, const oc_scaled *of,
                                   double *out);
#endif
