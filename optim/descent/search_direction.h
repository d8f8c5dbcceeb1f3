// optim/descent/search_direction.h: directions of descent along a motion: the solution (z,v) and a
// change theta of what is free of the start, z_0 = G theta, z_{k+1} = A z_k + B v_k, of
//
//   minimize  sum l_x z + l_u v + 1/2 (z,v)'W (z,v),   u_min <= u + v <= u_max
//
// with W the identity (steepest), the cost's own Hessian (quasi), or (newton) with zeta.f'' beside
// it, zeta the adjoint of the closed loop:
//
//   zeta_k = l_x - K'l_u + (A - BK)' zeta_{k+1}
//
// Limits of states, speeds and impulses are in all three: the squares of their rows, weighed by the
// curvature of their barriers (optim/descent/ranges.h), and in zeta their multipliers. Bounds of
// inputs and of what is free of the start are kept by the problem itself. A sweep knows which inputs
// are at a bound along one direction alone, and so it is repeated around the direction it found,
// until that rests on the same ones. Damping, as Levenberg's, adds a multiple of v'v to the last two
// W.
//
// Source: [hauser-2002], paper 001, section VI; docs/theory.md section 7.
#ifndef OC_DESCENT_SEARCH_DIRECTION_H
#define OC_DESCENT_SEARCH_DIRECTION_H
#include "optim/descent/descent_kkt.h"
#include "optim/descent/merit.h"

DM_BEGIN_C

typedef enum oc_method { OC_STEEPEST, OC_QUASI, OC_NEWTON } oc_method;

extern const char *const oc_method_names[]; // ended by NULL

typedef struct oc_search_direction {
  oc_projection_operator *p; // borrowed
  oc_merit *merit;           // borrowed
  int nx, ns, nu, ng, nt, N; // (q,p), states; ng: entries of the goal; nt: free of the start
  int m;        // states of the problem: ns, the goal's multipliers, and one that is always 1
  bool bounded; // an input has a bound
  fb_riccati *sweep;
  oc_kkt *kkt; // NULL: the Riccati sweep
  double
      floor; // of H's eigenvalues, of inputs over their sizes, if second-order terms are cut: just
             // below their least weight
  double damping;                                // over floor; 0: none
  oc_method method;                              // of the model
  fb_lq lq;                                      // the problem, of the matrices below
  double *A, *B, *Q, *R, *S, *dQ, *dR, *dS, *Qf; // [N] of its m states, dQ.. those of zeta.f''
  double *lo, *hi, *share;                       // [N][nu], [N][nu], [N]
  double *K;                                     // [N][nu x m]
  bool *at_bound;                                // [N][nu] an input is at a bound
  double *zeta, *next, *xx, *xu, *uu;            // [ns], [m], second derivatives of zeta.f
  double *size;                                  // [m] of states
  double *C, *y;                                 // [ng x ng] -P of the multipliers, [ng] c + E z_N
  int *piv;                                      // [ng]
  // what is free of the start: bounds, matrix and slopes, gains [nt x (ng + 1)] by the goal's
  // multipliers and 1
  struct fb_box_qp *start;                     // control/feedback/box_qp.h
  double *low, *high, *G, *GP, *H, *Y, *gains; // .., [ns x nt], [nt x m], [nt x nt], [nt x (ng+1)]
} oc_search_direction;

// Allocate for a motion and its merit; `sparse`: solve by optim/descent/descent_kkt.h, which reads
// no bounds and nothing free of the start. Returns DM_OK, DM_NO_MEMORY, DM_UNAVAILABLE
// (sparse, built without CHOLMOD).
dm_status oc_search_direction_new(oc_search_direction **out, oc_projection_operator *p,
                                  oc_merit *merit, bool sparse);
void oc_search_direction_free(oc_search_direction *w);

// Set up the problem along p->x, whose A, B, K are there. Returns DM_OK, DM_UNAVAILABLE for a
// Lagrangian without third derivatives, or another failure of a linearization.
dm_status oc_search_direction_model(oc_search_direction *w, oc_method method);

// After oc_search_direction_model: the direction into p->z, p->v and p->start->step; by the sweep,
// with u + v in its bounds.
//   cut     of newton's second-order terms each stage takes the largest share that leaves the
//           problem convex, kept in w->share; by the Riccati sweep always
//   slope   out: l.(z,v)
//   failed  out: the stage where the problem is not convex, or -1 (unknown)
// A problem without second-order terms is convex; where rounding makes a stage of it not so, the
// inputs up to that stage are left alone.
// Returns DM_OK, DM_NOT_DEFINITE, DM_SINGULAR, DM_NOT_FINITE. No allocation in these but CHOLMOD's.
dm_status oc_search_direction_solve(oc_search_direction *w, bool cut, double *slope, int *failed);

// After oc_search_direction_solve, at p->x: the largest error of the goal, to first order, where
// the direction leads, |c + E z_N|.
double oc_search_direction_residual(oc_search_direction *w);

// After oc_search_direction_solve: the multipliers of the goal change by what makes the
// problem's solution meet it, c + E z_N = 0, as far as `trust` times the penalty in place of the
// penalty would. Returns DM_OK, DM_SINGULAR, or what a sweep returns.
dm_status oc_search_direction_multiply(oc_search_direction *w, double trust);

DM_END_C
#endif
