// optim/rows/cost.h: the cost of a task, interval by interval, with its exact derivatives.
//
// phi(k) = 1/2 sum w (u_k - ref_k)^2 + sum over the step's knots j = k, k+1 of a share a_j times
//
//   1/2 sum w (x_j - ref_j)^2      x: q_j, (q_{k+1}-q_k)/h, p_j;   p_k = -D1(k), p_{k+1} = D2(k)
//
// The running cost is h phi with half a share for each knot, the trapezoidal rule, whose error is of order
// h^2; or, summed without h, phi with the full share for the left knot. With J the derivative of D1 by
// (q_k,q_{k+1},u_k,h), the part of the momentum p_k has gradient -aJ'w(p-ref) and Hessian aJ'WJ - a sum
// w(p-ref) D1''. The second term is a contraction of lib/discrete/interval.h with mu0 lowered by a w(p-ref).
// The part of p_{k+1} is the same with D2 and mu1 raised. If the system is constrained, D1 stands for D1 -
// Dh(q_k)' lambda_k, here and in d below, and J has columns -Dh' by lambda_k.
#ifndef OC_ROWS_COST_H
#define OC_ROWS_COST_H
#include "optim/task/task.h"

DM_BEGIN_C

typedef struct oc_cost {
  const oc_task *task;
  int n, nu;               // all inputs; of these, the forces act on momenta
  bool knots;              // do q, v or p have a cost at knots?
  double phi;              // of one interval, and its gradient by
  double *g_0, *g_1, *g_u; // q_k [n], q_{k+1} [n], u_k [nu]
  double g_h;
  // constraints: Dh at q_k [nc x n], set by the caller, and derivatives by lambda_k
  int nc;
  const double *Dh;
  double *g_l, *Hll, *Hl0, *Hl1, *Hlu, *Hlh; // [nc], [nc x nc], [nc x n] twice, [nc x nu], [nc]
  double *mu[2];                             // [n] a w (p - ref) of the momentum at either knot
  // Hessian blocks that dm_interval does not have, including the parts it does have
  double *Huu;       // [nu x nu]
  double *Hu0, *Hu1; // [nu x n] of the forces
  double *Huh;       // [nu] of the factor, in addition to dm_interval's
} oc_cost;

// Allocate for a task (borrowed). Returns DM_OK or DM_NO_MEMORY.
dm_status oc_cost_new(oc_cost **out, const oc_task *task);
void oc_cost_free(oc_cost *c);

// The factor of phi in the objective, h or 1, and its derivative by h.
double oc_cost_factor(const oc_task *task, double h);
double oc_cost_factor_h(const oc_task *task);

// The length of step k in mean steps in the objective; 1 if the cost is summed without h.
double oc_cost_part(const oc_task *task, int k);

// The share of a step's left (0) or right knot (1) in phi: half each, or if summed without h 1 and 0.
double oc_cost_share(const oc_task *task, int side);

// The share of knot k in the sum of all phi, from the steps before and after it, in mean steps.
double oc_cost_knot_share(const oc_task *task, int k);

// The share of knot k in an integral over the knots of a span, in mean steps, as oc_span_share.
double oc_cost_span_share(const oc_task *task, int k, int first, int last, bool sum);

// phi of interval k; D1, D2 [n] are read if momenta have a cost (else they may be NULL).
double oc_cost_phi(oc_cost *c, int k, const double *q0, const double *q1, const double *u, double h,
                   const double *D1, const double *D2);

// phi of interval k, its gradient and mu into c; d holds the interval at order 2 if momenta have a cost (else
// it is not read).
void oc_cost_gradient(oc_cost *c, int k, const double *q0, const double *q1, const double *u,
                      double h, const dm_interval *d);

// Add sigma times the Hessian of factor phi, without the contraction, to the blocks H00..Hhh of d, and its
// sum with d's H0u, H1u, Huu to c's Hu0, Hu1, Huu; write c's Huh. Call oc_cost_gradient for the same interval
// first.
void oc_cost_hessian(oc_cost *c, double sigma, int k, const double *q0, const double *q1, double h,
                     dm_interval *d);

// The terminal cost, without the cost on time; p [n] is L_v(q,v) at the last knot. If g_q is not NULL, also
// the gradient by q, v and p [n].
double oc_cost_terminal(const oc_task *task, const double *q, const double *v, const double *p,
                        double *g_q, double *g_v, double *g_p);

DM_END_C
#endif
