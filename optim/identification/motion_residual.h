// optim/identification/motion_residual.h: the residual of the discrete equations of motion of measured
// positions, and its derivatives.
//
//   r_k = D2(q_k-1,q_k) + D1(q_k,q_k+1),     k = 1..N-1                     [N m s or N s]
//
// D1 and D2 include the impulses of inputs, friction and offsets (lib/discrete/interval.h). r is
// the equation that every plan and step of dmoc satisfies, so r/h is the mean force that the model
// lacks over a step. It needs three positions and two inputs, no velocity.
//
// Derivatives by positions are those of the interval. D1 and D2 are linear in the ten inertial
// parameters of a link: with unit parameters e of link b, I_b(e) its inertia and h_b = I_b(e) V_b,
//
//   dL_v,i/de = S_i.h_b      dL_q,i/de = Sd_i.h_b + S_i.(c_b x g, m_b g)       i = b or an ancestor
//
// Parameters of parts and lengths: central differences of D1 and D2 with a thousandth of their
// size, exact up to rounding if L is a polynomial of degree 2 in them (stiffness, rest length,
// friction force, a factor of length), else with an error of the order of the squared difference.
//
// Source: docs/theory.md sections 1, 3 and 33.
#ifndef OC_IDENTIFICATION_MOTION_RESIDUAL_H
#define OC_IDENTIFICATION_MOTION_RESIDUAL_H
#include "lib/discrete/interval.h"
#include "optim/identification/parameters.h"
#include "optim/identification/recording.h"

DM_BEGIN_C

// A step, evaluated.
typedef struct oc_step_forms {
  const double *D1, *D2;               // [n]
  const double *D11, *D12, *D21, *D22; // [n x n]
  const double *Y1, *Y2;               // [n x coefficients]: of D1 and D2 by coefficients
} oc_step_forms;

typedef struct oc_motion_residual oc_motion_residual;

// A workspace for steps of h [s]. x is borrowed. dry: speed over which dry friction builds up, > 0
// [rad/s or m/s]. Returns DM_OK, DM_NO_MEMORY, or DM_BAD_INPUT with a sentence.
dm_status oc_motion_residual_new(oc_motion_residual **out, const oc_fit_parameters *x, double h,
                                 const double *dry, dm_message *msg);
void oc_motion_residual_free(oc_motion_residual *w);

// Set the parameters theta [x->count]. Returns DM_OK or the status of oc_fit_parameters_put.
dm_status oc_motion_residual_set(oc_motion_residual *w, const double *theta);

// Evaluate the step from q0 to q1 [n] with inputs u [nu] (u_delay: its derivative by the delay, or
// NULL): D1, D2 (order 1), also D11 .. D22 (order 2), also Y1 and Y2 (order 3). Valid until the next
// call. Returns DM_OK or the status of dm_interval_eval. Does not allocate.
dm_status oc_motion_residual_step(oc_motion_residual *w, int order, const double *q0,
                                  const double *q1, const double *u, const double *u_delay,
                                  oc_step_forms *out);

// Y1 dpi and Y2 dpi [n] of a step that was just evaluated, for a change dpi [coefficients], at a
// fraction of the cost of Y1 and Y2. Y1 and Y2 are overwritten. Returns like oc_motion_residual_step.
dm_status oc_motion_residual_along(oc_motion_residual *w, const double *q0, const double *q1,
                                   const double *u, const double *u_delay, const double *dpi,
                                   double *y1, double *y2);

// |second derivative| of mu0.D1 + mu1.D2 by the difference q1 - q0 of each coordinate, from the
// forces in joints alone: near zero speed those of dry friction change within one step of a search.
// curve [n].
dm_status oc_motion_residual_curvature(oc_motion_residual *w, const double *q0, const double *q1,
                                       const double *mu0, const double *mu1, double *curve);

// r/h of a motion: force [(knots - 2) x n] at knots 1 .. knots - 2. q [knots x n], u [knots - 1 x nu].
dm_status oc_motion_residual_forces(oc_motion_residual *w, int knots, const double *q,
                                    const double *u, double *force);

// Add to `information` [count x count] sum_k (dr_k/dtheta / h)' diag(1/sigma^2) (dr_k/dtheta / h)
// of a motion q [knots x n], sigma [n] N m or N. by_q [knots x n] NULL, or: add the derivative of
// sum_ij G_ij information_ij by q, G [count x count] symmetric (the gradient of log det is
// G = information^-1). Inputs do not enter, except by the delay, which must not be an parameter.
dm_status oc_motion_residual_information(oc_motion_residual *w, int knots, const double *q,
                                         const double *sigma, double *information, const double *G,
                                         double *by_q);

DM_END_C
#endif
