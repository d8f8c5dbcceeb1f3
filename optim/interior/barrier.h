// optim/interior/barrier.h: the barrier problem of a program with equations and bounds,
//
//   minimize phi(v) = F(v) - mu sum ln(v - low) - mu sum ln(high - v)   subject to   c(v) = 0
//
// its iterate with multipliers, its Newton step, and how far both are from where they should be.
// Where a variable has one bound alone, kappa_d mu times its distance is added, so that it stays.
//
// Source: [waechter-biegler-2006], sections 2.1, 3.1 and 3.7, in docs/sources.md.
#ifndef OC_INTERIOR_BARRIER_H
#define OC_INTERIOR_BARRIER_H
#include "optim/interior/equality_form.h"
#include "optim/interior/stage_kkt.h"

// What the last Newton system took until its inertia was right.
typedef struct oc_regularization {
  double w, c; // added to the Hessian's diagonal, taken off the rows'
  double last; // the last w that was needed, 0: none yet
} oc_regularization;

typedef struct oc_barrier {
  oc_equality_form form;
  oc_stage_kkt *kkt; // shared by both programs
  double mu, tau;
  // the iterate: variables, multipliers of the rows (y) and of both bounds; what belongs to it
  double *v, *z_l, *z_u, *grad; // [nv]
  double *y, *c;                // [m]
  double F, phi, theta;         // theta = |c|_1
  bool known;                   // F and c are those of v
  // the Newton step, and a corrected one
  double *dv, *dz_l, *dz_u, *dv_soc; // [nv]
  double *dy, *dy_soc, *c_soc;       // [m]
  // a trial point
  double *v_try; // [nv]
  double *c_try; // [m]
  double F_try, phi_try, theta_try;
  // the system: (sigma) of the barrier, right sides, residuals
  double *sigma, *rhs_v, *res_v, *slope;   // [nv]; slope = grad phi
  double *jac_y;                           // [nv] J'y, of the last measurement
  double *pivot;                           // [nw] of each private variable
  double *rhs_c, *res_c, *diag_c, *step_c; // [m]
  double *diag, *step_v;                   // [n], [nv]
  double *rhs;                             // [n + m]
  bool spared;                             // do inputs go without the shift?
  double *shifted;                         // [nv] D, of which shift.w times is added
  int *met, *other;                        // [n] how many others it meets in the Hessian; the last
  oc_regularization shift;
  double flat;    // curvature that multipliers within the tolerance may leave: it is none
  bool dependent; // are its rows to be taken for dependent?
  // of the last measurement: dual infeasibility, violation and the scales s_d, s_c
  double dual, violation, dual_scale, gap_scale;
} oc_barrier;

// The optimality of an iterate, scaled as the tolerance is meant.
typedef struct oc_barrier_error {
  double dual, violation, gap; // largest entries; gap: of z (v - low) - mu
  double total;                // the largest of them, dual and gap over their scales
} oc_barrier_error;

void oc_barrier_lay_out(oc_barrier *b, dm_block *block);

// phi at a point whose F is known.
double oc_barrier_phi(const oc_barrier *b, const double *v, double F);
// F, c, grad and the Jacobian at v, then phi and theta; and grad phi. Returns as the form does.
dm_status oc_barrier_evaluate(oc_barrier *b);
// phi, grad phi and the form's F for another mu.
void oc_barrier_set_mu(oc_barrier *b, double mu);
// F, c, phi, theta at v_try.
dm_status oc_barrier_try(oc_barrier *b);
// The trial point becomes the iterate's v, F and c.
void oc_barrier_accept(oc_barrier *b);
// The sum of |c|.
double oc_barrier_norm(int m, const double *c);

// Optimality of the program itself.
oc_barrier_error oc_barrier_measure(oc_barrier *b);

// The same with only mu changed since oc_barrier_measure: the gap anew.
oc_barrier_error oc_barrier_measure_gap(const oc_barrier *b, double mu);
// What the barrier holds of the objective: the sum of all z times the distance to their bound; and the number of
// bounds.
double oc_barrier_sum_gaps(const oc_barrier *b, int *bounds);
// The residual of the whole barrier problem, in the mean of each kind.
double oc_barrier_residual(oc_barrier *b);

// Move v off its bounds: by push and at most frac of the distance between two.
void oc_barrier_push(oc_barrier *b, double push, double frac);
// Largest step in [0, 1] along d that leaves 1 - tau of the distance to each bound; of multipliers.
double oc_barrier_reach(const oc_barrier *b, const double *d);
double oc_barrier_reach_dual(const oc_barrier *b);
// z of both bounds within a factor of 1e10 of mu / distance.
void oc_barrier_clip(oc_barrier *b);

// Factor the Newton system at the iterate, with as much regularization as its inertia asks for.
// Returns DM_OK; DM_SINGULAR where none is enough; DM_CUT_SHORT where the deadline is over
// (oc_stage_kkt.deadline); DM_NO_MEMORY.
dm_status oc_barrier_factor(oc_barrier *b);
// Set sigma = z_l / (v - low) + z_u / (high - v): next to nothing for limits that are not active, and
// beyond all curvature for those that are, which so become equations.
void oc_barrier_set_sigma(oc_barrier *b);
// Factor [W + diag(sigma + w shifted), J'; J, -c] with sigma and shifted as they stand; *negative gets
// the number of its negative eigenvalues. Returns as oc_stage_kkt_factor does.
dm_status oc_barrier_factor_shifted(oc_barrier *b, double w, double c, int *negative);
// Solve it for right sides rv [nv] and rc [m], with refinement. Returns DM_OK; DM_CUT_SHORT;
// DM_SINGULAR or DM_NO_MEMORY where it had to be factored with more care, and could not.
dm_status oc_barrier_solve(oc_barrier *b, const double *rv, const double *rc, double *dv,
                           double *dy);
// The Newton step of the barrier problem where oc_barrier_measure was last. Returns as
// oc_barrier_factor does.
dm_status oc_barrier_step(oc_barrier *b);
// dz of both bounds from dv, by the linearized complementarity.
void oc_barrier_set_dual_step(oc_barrier *b);
// y by least squares: J'y = -(grad - z_l + z_u); 0 where that is too large.
dm_status oc_barrier_multipliers(oc_barrier *b);
#endif
