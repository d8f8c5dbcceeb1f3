// optim/descent/knot_velocity.h: the velocity of a knot as a function of its state x = (q,p), with
// exact derivatives:
//
//   L_v(q,v) + Dh(q)'kappa = p,   Dh(q) v = 0
//
// The p of a step contains a constraint impulse kappa that is not motion; the remainder, L_v(q,v),
// is the knot's momentum. Without constraints it is p. For a kinematic coordinate p is its
// velocity.
//
// With K the matrix of both equations by (v,kappa), and (mu,nu) from K'(mu,nu) = -(e_v + L_vv
// e_p,0), the second derivatives of e_v.v + e_p.L_v by (q,p) are those of
//
//   (mu + e_p).L_v(q,v) + mu.Dh(q)'kappa + nu.Dh(q)v
//
// by (q,v,kappa), transformed to (q,p) with the first derivatives. Source: docs/theory.md sections
// 7 and 9.
#ifndef OC_DESCENT_KNOT_VELOCITY_H
#define OC_DESCENT_KNOT_VELOCITY_H
#include "lib/mechanics/system.h"

DM_BEGIN_C

typedef struct oc_knot_velocity {
  const dm_system *s;
  int n, nc;
  double *v, *kappa; // [n], [nc] at the last point
  double *p;         // [n] the knot's momentum L_v; for kinematic coordinates v
  double *y_x;       // [(n + nc) x 2n] derivatives of v, then of kappa, by (q,p)
  double *p_x;       // [n x 2n] derivative of the knot's momentum
  // scratch
  double *K, *r;         // [(n+nc) x (n+nc)] factors, [n+nc]
  double *Dh, *h, *rate; // [nc x n], [nc], [nc x n] rows D2h_c v
  double *C;             // [n x n]
  double *a, *zero;      // [n] directions
  double *W, *TW;        // [(2n+nc) x 2n] (1 0; y_x), its product
  double *T;             // [(2n+nc) x (2n+nc)]
  dm_jet jet;
  int *piv;
  void *L_scratch, *hol_scratch;
} oc_knot_velocity;

// Allocate for a system (borrowed); v is zero. Returns DM_OK or DM_NO_MEMORY.
dm_status oc_knot_velocity_new(oc_knot_velocity **out, const dm_system *s);
void oc_knot_velocity_free(oc_knot_velocity *w); // accepts NULL

// Compute v, kappa and the momentum at (q,p) [n], by Newton's method from the current v (one
// iteration if L is quadratic in v). Returns DM_OK, DM_SINGULAR, DM_NOT_FINITE, DM_MAX_ITER.
dm_status oc_knot_velocity_find(oc_knot_velocity *w, const double *q, const double *p);

// After oc_knot_velocity_find at q: compute the derivatives y_x, p_x. Returns DM_OK, DM_SINGULAR or
// the status of L and the constraints.
dm_status oc_knot_velocity_differentiate(oc_knot_velocity *w, const double *q);

// After oc_knot_velocity_differentiate at q: add the second derivatives of e_v.v + e_p.L_v, e_v and
// e_p [n] (NULL: zeros), to H [2n x 2n] with row length ld. Returns DM_OK, or DM_UNAVAILABLE for a
// Lagrangian without third derivatives. None of these functions allocates; cost about (2n)^3.
dm_status oc_knot_velocity_contract(oc_knot_velocity *w, const double *q, const double *e_v,
                                    const double *e_p, double *H, int ld);

DM_END_C
#endif
