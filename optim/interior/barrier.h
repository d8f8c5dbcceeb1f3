// optim/interior/barrier.h: the barrier problem of a program with equations and bounds,
//
//   minimize phi(v) = F(v) - mu sum ln(v - low) - mu sum ln(high - v)   subject to   c(v) = 0
//
// with its iterate and multipliers, its Newton step, and its error measures. For a variable with a
// single bound, kappa_d mu times its distance is added to keep it bounded.
//
// Source: [waechter-biegler-2006], sections 2.1, 3.1 and 3.7, in docs/sources.md.
#ifndef OC_INTERIOR_BARRIER_H
#define OC_INTERIOR_BARRIER_H
#include "optim/interior/equality_form.h"
#include "optim/interior/stage_kkt.h"

// Regularization of the last Newton system that gave the correct inertia.
typedef struct oc_regularization {
  double w, c; // added to the Hessian's diagonal, subtracted from that of the rows
  double last; // last nonzero w, 0: none yet
} oc_regularization;

typedef struct oc_barrier {
  oc_equality_form form;
  oc_stage_kkt *kkt; // shared by both programs
  double mu, tau;
  // iterate: variables, multipliers of the rows (y) and of both bounds; its function values
  double *v, *z_l, *z_u, *grad; // [nv]
  double *y, *c;                // [m]
  double F, phi, theta;         // theta = |c|_1
  bool known;                   // F and c are up to date for v
  // Newton step, and a second-order corrected step
  double *dv, *dz_l, *dz_u, *dv_soc; // [nv]
  double *dy, *dy_soc, *c_soc;       // [m]
  // a trial point
  double *v_try; // trial point [nv]
  double *c_try; // [m]
  double F_try, phi_try, theta_try;
  // linear system: sigma of the barrier, right-hand sides, residuals
  double *sigma, *rhs_v, *res_v, *slope;   // [nv]; slope = grad phi
  double *jac_y;                           // [nv] J'y, at the last measurement
  double *pivot;                           // [nw] pivot of each private variable
  double *rhs_c, *res_c, *diag_c, *step_c; // [m]
  double *diag, *step_v;                   // [n], [nv]
  double *rhs;                             // [n + m]
  bool spared;                             // inputs are excluded from the shift
  double *shifted;                         // [nv] D, of which shift.w times is added
  int *met, *other;                        // [n] number of other variables coupled to it in the
                                           // Hessian; the last of them
  oc_regularization shift;
  double flat;    // curvature that counts as zero, as multipliers within the tolerance may cause it
  bool dependent; // the rows are treated as dependent
  // last measurement: dual infeasibility, violation and the scales s_d, s_c
  double dual, violation, dual_scale, gap_scale;
} oc_barrier;

// Optimality errors of an iterate, scaled as for the tolerance.
typedef struct oc_barrier_error {
  double dual, violation, gap; // largest entries; gap: of z (v - low) - mu
  double total;                // largest of them, dual and gap divided by their scales
} oc_barrier_error;

void oc_barrier_lay_out(oc_barrier *b, dm_block *block);

// phi at a point with known F.
double oc_barrier_phi(const oc_barrier *b, const double *v, double F);
// Evaluate F, c, grad and the Jacobian at v, then phi, theta and grad phi. Returns the status of
// the form.
dm_status oc_barrier_evaluate(oc_barrier *b);
// Update phi, grad phi and the form's F for another mu.
void oc_barrier_set_mu(oc_barrier *b, double mu);
// Evaluate F, c, phi, theta at v_try.
dm_status oc_barrier_try(oc_barrier *b);
// Make the trial point the iterate: v, F and c.
void oc_barrier_accept(oc_barrier *b);
// The 1-norm of c.
double oc_barrier_norm(int m, const double *c);

// Optimality errors of the program (mu = 0).
oc_barrier_error oc_barrier_measure(oc_barrier *b);

// The errors after a change of mu since oc_barrier_measure: only the gap is recomputed.
oc_barrier_error oc_barrier_measure_gap(const oc_barrier *b, double mu);
// The contribution of the barrier to the objective: the sum of all z times the distance to their
// bound; and the number of bounds.
double oc_barrier_sum_gaps(const oc_barrier *b, int *bounds);
// The residual of the barrier problem, as the mean of each kind.
double oc_barrier_residual(oc_barrier *b);

// Move v away from its bounds: by push, and at most the fraction frac of the distance between two
// bounds.
void oc_barrier_push(oc_barrier *b, double push, double frac);
// Largest step in [0, 1] along d that keeps 1 - tau of the distance to each bound; the same for
// multipliers.
double oc_barrier_reach(const oc_barrier *b, const double *d);
double oc_barrier_reach_dual(const oc_barrier *b);
// Restrict z of both bounds to a factor of 1e10 from mu / distance.
void oc_barrier_clip(oc_barrier *b);

// Factor the Newton system at the iterate, with as much regularization as its inertia requires.
// Returns DM_OK; DM_SINGULAR if no regularization suffices; DM_CUT_SHORT after the deadline
// (oc_stage_kkt.deadline); DM_NO_MEMORY.
dm_status oc_barrier_factor(oc_barrier *b);
// Set sigma = z_l / (v - low) + z_u / (high - v): negligible for inactive bounds, and far above all
// curvature for active bounds, which thus become equations.
void oc_barrier_set_sigma(oc_barrier *b);
// Factor [W + diag(sigma + w shifted), J'; J, -c] with the current sigma and shifted; *negative
// gets the number of negative eigenvalues. Returns the status of oc_stage_kkt_factor.
dm_status oc_barrier_factor_shifted(oc_barrier *b, double w, double c, int *negative);
// Solve it for right-hand sides rv [nv] and rc [m], with refinement. Returns DM_OK; DM_CUT_SHORT;
// DM_SINGULAR or DM_NO_MEMORY if a more accurate factorization was necessary and failed.
dm_status oc_barrier_solve(oc_barrier *b, const double *rv, const double *rc, double *dv,
                           double *dy);
// The same with the present factors, however inaccurate. Returns the residual relative to both sides; res_v and res_c
// have the residuals.
double oc_barrier_refine(oc_barrier *b, const double *rv, const double *rc, double *dv, double *dy);
// The Newton step of the barrier problem at the point of the last oc_barrier_measure. Returns as
// oc_barrier_factor does.
dm_status oc_barrier_step(oc_barrier *b);
// dz of both bounds from dv, by linearized complementarity.
void oc_barrier_set_dual_step(oc_barrier *b);
// y by least squares: J'y = -(grad - z_l + z_u); 0 if the result is too large.
dm_status oc_barrier_multipliers(oc_barrier *b);
#endif
