// optim/second/momentum_rows.h: rows of momenta in tasks of second order of any Lagrangian L(q,v), for
// robots without inverse dynamics in their coordinates, such as those with ball joints.
//
// The forces at node s of a step are u = pi_s - L_q + damping v - f(q,v,w) + Dh(q)'lambda, with one more
// unknown pi [n] of the node, the rate of the momentum: the derivative at the node of the polynomial through
// the momenta at both knots and all nodes of the step,
//
//   sum_j d_sj L_v(q_j,v_j) / h - pi_s = 0        j = 0 (knot k), 1 .. S (nodes), S+1 (knot k+1)
//
// with d_sj the derivatives of the Lagrange polynomials of these points. No derivative of L above the third is
// needed. Source: docs/theory.md section 13.
#ifndef OC_SECOND_MOMENTUM_ROWS_H
#define OC_SECOND_MOMENTUM_ROWS_H
#include "optim/second/torque_layout.h"

enum { OC_MOMENTUM_POINTS = DM_SECOND_NODES + 2 };

typedef struct oc_momentum_rows {
  dm_lagrangian L;
  int n, row;                                    // the program's first of these rows
  double d[DM_SECOND_NODES][OC_MOMENTUM_POINTS]; // d_sj / h
  double *x;                                     // [wide] a point
  double *L_q, *L_v;                             // [n]
  double *L_qq, *L_qv, *L_vv;                    // [n x n]
  double *a_q, *a_v;                             // [n] 0, sum_s d_sj nu_s
  double *H;                                     // [wide x wide]
  double *rate;                                  // [nodes x n]
  double *slope;                                 // [nodes x n x 2 size] by (X0,X1)
  void *scratch;
} oc_momentum_rows;

// Do the nodes of a rule have positions in a step that differ from each other and from its ends?
bool oc_momentum_rows_fit(const dm_second_order_rule *rule);

// Create it for w, whose sizes and nodes are set; row is the first row. Returns DM_OK or DM_NO_MEMORY.
dm_status oc_momentum_rows_new(oc_torque_transcription *w, int row);
void oc_momentum_rows_free(oc_momentum_rows *m); // accepts NULL

// Values into g (the part of these rows), entries of the Jacobian; the Hessian with multipliers lambda (of the
// whole program) of step k, added to D00, D01, D11 of w->second. All do nothing without these rows. Return
// the status of L; DM_UNAVAILABLE without third derivatives.
dm_status oc_momentum_rows_values(oc_torque_transcription *w, const double *x, double *g);
dm_status oc_momentum_rows_put(oc_torque_transcription *w, const double *x, oc_triplets *s);
dm_status oc_momentum_rows_hessian(oc_torque_transcription *w, const double *x, int k,
                                   const double *lambda);

// Set pi of all nodes in x to the values of the knots.
dm_status oc_momentum_rows_meet(oc_torque_transcription *w, double *x);
#endif
