// optim/descent/search_direction.h: descent directions along a motion: the solution (z,v) and a
// change theta of the free entries of the start, z_0 = G theta, z_{k+1} = A z_k + B v_k, of
//
//   minimize  sum l_x z + l_u v + 1/2 (z,v)'W (z,v),   u_min <= u + v <= u_max
//
// with W the identity, the Hessian of the cost, or that plus zeta.f'' (optim/descent/methods.h).
// zeta is the adjoint of the closed loop, or (ddp) the slope of the value function:
//
//   zeta_k = l_x - K'l_u + (A - BK)' zeta_{k+1}
//
// All include the goal, and limits on states, speeds and impulses: the squares of their derivatives
// weighted by the curvature of their barriers (optim/descent/ranges.h), and their multipliers in
// zeta. The problem itself includes the bounds of inputs and of the free entries of the start. A
// sweep knows the active input bounds for one direction only; it is repeated around the resulting
// direction until the active set does not change. Damping, as in the Levenberg-Marquardt method,
// adds a multiple of v'v to W.
//
// Source: [hauser-2002], paper 001, section VI; docs/theory.md section 7.
#ifndef OC_DESCENT_SEARCH_DIRECTION_H
#define OC_DESCENT_SEARCH_DIRECTION_H
#include "optim/descent/descent_kkt.h"
#include "optim/descent/merit.h"
#include "optim/descent/methods.h"

DM_BEGIN_C

typedef struct oc_search_direction {
  oc_projection_operator *p; // borrowed
  oc_merit *merit;           // borrowed
  int nx, ns, nu, ng, nt, N; // length of (q,p), states; ng: entries of the goal; nt: free entries
                             // of the start
  int m;                     // states of the problem: ns, the goal's multipliers, and a constant 1
  bool bounded;              // an input is bounded
  fb_riccati *sweep;
  oc_kkt *kkt; // NULL: the Riccati sweep
  double
      floor; // lower bound of H's eigenvalues for scaled inputs, if second-order terms are reduced:
             // just below the least weight
  double damping;                             // relative to floor; 0: none
  oc_model model;                             // W
  const double *pull_x, *pull_u, *pull_start; // linear terms: [N+1][ns], [N][nu], [nt] or NULL
  const bool *fixed;                          // [N nu + nt] entries that stay; NULL: bounds apply
  double *g_x, *g_c; // [N+1][ns], [N nu + nt] pull of a covector of the reduced space
  double *P, *Kk;    // [m x m], [nu x m] value and gains of one stage
  fb_lq lq;          // the problem, with the matrices below
  double *A, *B, *Q, *R, *S, *dQ, *dR, *dS, *Qf; // [N], of m states; dQ.. are those of zeta.f''
  double *lo, *hi, *share;                       // [N][nu], [N][nu], [N]
  double *K;                                     // [N][nu x m]
  bool *at_bound;                                // [N][nu] an input is at a bound
  double *zeta, *next, *xx, *xu, *uu;            // [ns], [m], second derivatives of zeta.f
  double *size;                                  // [m] scales of states
  double *C, *y;                                 // [ng x ng] -P of the multipliers, [ng] c + E z_N
  int *piv;                                      // [ng]
  bool meets;           // the direction meets the goal to first order, c + E z_N = 0
  double stiff;         // weight of (c + E z_N)^2 in W, over squared sizes, if it meets the goal
  double trust;         // limit of the change of its multipliers, in this weight times errors
  const double *gaps;   // [N][nx] of the curve's dynamics, z' = A z + B v + gap; NULL: a motion
  double *off, *beyond; // [ng] c; its error beyond first order, that a correction removes
  double *mu, *move;    // [ng] change of the goal's multipliers, and its last change
  double *b;            // [ng] P of the multipliers and 1
  // free entries of the start: bounds, matrix and slopes, gains [nt x (ng + 1)] by the goal's
  // multipliers and 1
  struct fb_box_qp *start;                     // control/feedback/box_qp.h
  double *low, *high, *G, *GP, *H, *Y, *gains; // .., [ns x nt], [nt x m], [nt x nt], [nt x (ng+1)]
} oc_search_direction;

// Allocate for a motion and its merit; `sparse`: solve with optim/descent/descent_kkt.h, which does
// not support bounds and free entries of the start. Returns DM_OK, DM_NO_MEMORY, DM_UNAVAILABLE
// (sparse, built without CHOLMOD).
dm_status oc_search_direction_new(oc_search_direction **out, oc_projection_operator *p,
                                  oc_merit *merit, bool sparse);
void oc_search_direction_free(oc_search_direction *w);

// Set up the problem along p->x, whose A, B, K must be computed. Returns DM_OK, DM_UNAVAILABLE for
// a Lagrangian without third derivatives, or another failure of a linearization.
dm_status oc_search_direction_model(oc_search_direction *w, oc_model model);

// After oc_search_direction_model: compute the direction into p->z, p->v and p->start->step; with
// the Riccati sweep, u + v is within its bounds.
//   cut     reduce second-order terms in each stage to the largest fraction that keeps the
//           problem convex, stored in w->share; always by the Riccati sweep
//   slope   out: l.(z,v)
//   failed  out: the stage at which the problem is not convex, or -1 (unknown)
// A problem without second-order terms is convex; if rounding makes a stage indefinite, the inputs
// up to that stage are not changed. Returns DM_OK, DM_NOT_DEFINITE, DM_SINGULAR, DM_NOT_FINITE.
// Only CHOLMOD allocates.
dm_status oc_search_direction_solve(oc_search_direction *w, bool cut, double *slope, int *failed);

// The same with the linear terms and entries that stay already in pull_x, .., fixed.
dm_status oc_search_direction_solve_pulled(oc_search_direction *w, bool cut, int *failed);

// After oc_search_direction_solve with `meets`, and a trial of the whole direction: correct the
// direction to second order, so that it also removes the trial's errors `off` [ng] of the goal and its
// gaps [N][nx] (NULL: none). The direction before is kept, and oc_search_direction_restore returns to
// it. Returns DM_OK, or the status of a sweep.
dm_status oc_search_direction_correct(oc_search_direction *w, const double *off,
                                      const double *gaps);
void oc_search_direction_restore(oc_search_direction *w);

// The direction's own gains of inputs by (q,p), into K [N][nu x nx].
void oc_search_direction_gains(const oc_search_direction *w, double *K);

// The slope along the direction of the goal's multipliers times its errors.
double oc_search_direction_goal_slope(const oc_search_direction *w);

// From zeta of knot k + 1 to that of knot k, in place, with the slopes g [ns + nu] of step k by
// (x,u); leaves in g the total slope by the inputs in its last nu entries.
void oc_search_direction_adjoin(const oc_search_direction *w, int k, double *g, double *zeta);

// After oc_search_direction_solve, at p->x: the largest first-order error of the goal at the end of
// the direction, |c + E z_N|.
double oc_search_direction_residual(oc_search_direction *w);

// After oc_search_direction_solve: change the goal's multipliers so that the problem's solution
// meets the goal, c + E z_N = 0, limited as if `trust` times the penalty replaced the penalty; for
// the identity as W by the penalty times the error.
// Returns DM_OK, DM_SINGULAR, or the status of a sweep.
dm_status oc_search_direction_multiply(oc_search_direction *w, double trust);

DM_END_C
#endif
