// optim/identification/knot_tangent.h: a knot of a robot with constraints h(q) = 0, such as closed loops
// and the unit quaternions of ball joints: its m = n - nc directions, and its equations of motion without
// the impulses of the constraints.
//
//   positions   dq = N x,  Dh N = 0,  N' diag(1/sigma_q^2) N = 1                    x [m]
//   equations   P diag(1/sigma_f) (r/h),  P P' = 1,  P diag(1/sigma_f) Dh' = 0      [m]
//
// so |P diag(1/sigma_f) r/h| is the least of |diag(1/sigma_f) (r - Dh' lambda)/h| over the multipliers
// lambda. Its derivative by q at the best lambda is P diag(1/sigma_f h) (r_q - lambda.D2h); that of P
// is left out (Kaufman's approximation), as the force that the model lacks is small.
//
// Source: docs/theory.md section 33; [kaufman-1975] in docs/sources.md.
#ifndef OC_IDENTIFICATION_KNOT_TANGENT_H
#define OC_IDENTIFICATION_KNOT_TANGENT_H
#include "lib/mechanics/holonomic.h"

typedef struct oc_knot_tangent {
  int n, nc, m;
  dm_holonomic hol;
  const double *sigma_q, *sigma_f; // [n] borrowed
  double *h, *lambda;              // [nc]
  double *J;                       // [nc x n]
  double *A, *diagonal;            // [n x nc] reflectors of the last decomposition, [nc] of R
  double *x;                       // [n] scratch
  double *H;                       // [n x n] scratch
  void *scratch;
} oc_knot_tangent;

// Allocate; the numbers sigma must outlive it. Returns DM_OK or DM_NO_MEMORY.
dm_status oc_knot_tangent_new(oc_knot_tangent **out, int n, const dm_holonomic *hol,
                              const double *sigma_q, const double *sigma_f);
void oc_knot_tangent_free(oc_knot_tangent *w);

// None of the following functions allocates. They return DM_OK, DM_NOT_FINITE, or DM_SINGULAR if rows
// of the constraints depend on each other.

// N [n x m] at q.
dm_status oc_knot_tangent_directions(oc_knot_tangent *w, const double *q, double *N);
// Move q to the nearest point with h = 0, in the metric of measurements; also DM_MAX_ITER.
dm_status oc_knot_tangent_retract(oc_knot_tangent *w, double *q);

// Prepare the equations at q for the next two functions.
dm_status oc_knot_tangent_equations(oc_knot_tangent *w, const double *q);
// out [m x cols] = P x, of x [n x ld] that is overwritten.
void oc_knot_tangent_project(const oc_knot_tangent *w, int cols, double *x, int ld, double *out,
                             int ldout);
// Remove the constraints' share of x [n]: x = P' P x. lambda is that of the share.
void oc_knot_tangent_release(oc_knot_tangent *w, double *x);
// H [n x n] = diag(1/sigma_f) lambda.D2h at q, for the lambda of the last release.
dm_status oc_knot_tangent_curvature(oc_knot_tangent *w, const double *q);
#endif
