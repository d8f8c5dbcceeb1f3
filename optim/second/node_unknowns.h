// optim/second/node_unknowns.h: unknowns and rows of a task of second order for constraints and inputs of
// general forces (optim/second/torque_transcription.h).
//
// Node s of a step has unknowns z = (w, lambda): inputs w [nf] of general forces, and forces lambda [nc]
// of constraints. The forces on coordinates at the node are
//
//   u = tau(q,v,a) + damping v - f(q,v,w) + Dh(q)'lambda
//
// with pi - L_q instead of tau if z has rates pi of momenta (optim/second/momentum_rows.h). Rows keep the
// curve on the constraints (lib/mechanics/holonomic.h):
//
//   h(q_k) = 0                 at every knot, holonomic rows
//   Dh(q_k) v_k + b(q_k) = 0   at every knot, all rows; for nonholonomic ones Dh is A
//   A(q) v + b(q) = 0          also in the middle of every step, nonholonomic rows
//
// so that each constraint has two rows per step, as many as lambda has values at two nodes. In the
// program's x, z follow the knots, node by node; slacks of penalties follow z.
//
// Source: docs/theory.md section 13.
#ifndef OC_SECOND_NODE_UNKNOWNS_H
#define OC_SECOND_NODE_UNKNOWNS_H
#include "optim/second/torque_layout.h"

typedef struct oc_node_unknowns {
  dm_holonomic hol;
  int n, nc, nv, row;     // rows: all, nonholonomic; the program's first row of constraints
  double *weight;         // [nf] of w^2
  double *Z;              // [nodes x (2 size + nz) x nz] Hessian of a step by (X0,X1,z) and z
  double *q, *v;          // [n] in the middle of a step
  double *h, *Dh, *J, *T; // [nc], [nc x n], [nc x n], [n x n]
  double *G;              // [n x n]
  double *b, *b_q;        // [nv], [nv x n]
  void *scratch;
} oc_node_unknowns;

// Create it for w, whose sizes are set; row is the first row. Returns DM_OK or DM_NO_MEMORY.
dm_status oc_node_unknowns_new(oc_torque_transcription *w, int row);
void oc_node_unknowns_free(oc_node_unknowns *m); // accepts NULL

// The number of rows of constraints in a program with N steps.
static inline int oc_node_unknowns_rows(int N, int nc, int nh) {
  return (N + 1) * (nh + nc) + N * (nc - nh);
}

// The word for a row (counted from the first one of constraints), with its knot and constraint.
const char *oc_node_unknowns_row(const oc_torque_transcription *w, int row, int *knot,
                                 int *constraint);

// At a node x = (q,v,a) with unknowns z [nz], after dm_torque_cost_forces: u [n] and its derivatives J
// [n x block] by (q,v,a,z). Returns DM_OK or the status of the constraints.
dm_status oc_node_unknowns_forces(oc_torque_transcription *w, const double *x, const double *z,
                                  double *u, double *J);

// The Hessian of mu.u by (q,v,a,z) into w->node_block [block x block]. Overwrites the effort's forces.
// Status as above, and of dm_torque_cost_forces.
dm_status oc_node_unknowns_contract(oc_torque_transcription *w, const double *x, const double *z);

// The part of w->node_block by z of node s: transform it to the knots, into Z.
void oc_node_unknowns_pull(oc_torque_transcription *w, int s);

// The rows of constraints: values into g (their part), entries of the Jacobian, entries of Z of step k.
dm_status oc_node_unknowns_values(oc_torque_transcription *w, const double *x, double *g);
dm_status oc_node_unknowns_put(oc_torque_transcription *w, const double *x, oc_triplets *s);
void oc_node_unknowns_put_hessian(const oc_torque_transcription *w, int k, oc_triplets *s);

// Add the Hessian of the rows of knot k with multipliers lambda (of the whole program) to H [size x size];
// of the middle of step k to D00, D01, D11 of w->second.
dm_status oc_node_unknowns_knot_hessian(oc_torque_transcription *w, const double *x, int k,
                                        const double *lambda, double *H);
dm_status oc_node_unknowns_middle_hessian(oc_torque_transcription *w, const double *x, int k,
                                          const double *lambda);

// Free the rows of an end whose coordinates are all given. Returns DM_OK; DM_BAD_INPUT if given values
// violate a row, which msg names; DM_NO_MEMORY; or the status of the constraints.
dm_status oc_node_unknowns_settle(oc_torque_transcription *w, dm_message *msg);
#endif
