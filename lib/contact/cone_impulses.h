// lib/contact/cone_impulses.h: impulses of contacts and dry friction within round cones, for distances r that are
// linear in them.
//
//   r = r1 + A (F - F0)
//   0 <= c  _|_  r_gap >= 0        |t| <= b = friction c + B,  t = -b s/|s| if s = r - r0 is not zero
//
// with B linear in s for a joint's friction, and 0 for a contact.
//
// In units that make the diagonal of A one these laws are equations with projections,
//
//   c = max(0, c - r)        t = P(t - s)    P: onto the disc |t| <= b, with one tangent an interval
//
//   1  Newton's method from the guess, with the linear pieces of the current projections. 1e-8 on the diagonal of A
//      selects the smallest change where contacts depend on each other
//   2  if it does not converge: sweeps of these equations, one law at a time; then 1 again
//   3  if it does not converge: contacts that yield, with 0.1 on the diagonal of A, and the solution follows as this
//      falls to 1e-9. Two feet of one body that both stick and cannot thus press against each other until one
//      slides; then 1 again
//
// Source: [alart-curnier-1991] in docs/sources.md; docs/theory.md section 32.
#ifndef DM_CONTACT_CONE_IMPULSES_H
#define DM_CONTACT_CONE_IMPULSES_H
#include "lib/mechanics/contact_laws.h"

DM_BEGIN_C

typedef struct dm_cone_problem {
  const double *bound, *fall; // [laws] B = bound + fall s                      N s or N m s
  const double *A;            // [rows x rows] change of r by impulses
  const double *F0, *r1;      // [rows] impulses, and r with them
  const double *r0;           // [rows] r before the step
  const double *rounding;     // [rows] of r1
  const unsigned char *given; // [laws] entries that the solution must have; NULL: free
} dm_cone_problem;

typedef struct dm_cone_impulses {
  const dm_contact_laws *laws;
  int nr;
  double *unit;  // [nr] of the last problem: F unit and r/unit are square roots of energies
  double most;   // the largest of these in the last solution
  double missed; // of DM_ACCEPTABLE: the residual relative to it
  // scratch
  double yield;         // on the diagonal of A
  double *f, *y, *left; // [nr] impulses, distances, residuals
  double *kept, *best;  // [nr] f before Newton's method, and the best ones in it
  double *nearly;       // [nr] the best ones of rigid contacts
  double *J;            // [nr x nr] derivatives of residuals
  int *pivot;
} dm_cone_impulses;

// The unit of each row that a law has, for the changes A [rows x rows]: the root of its diagonal, of two tangents the
// larger one.
void dm_cone_units(const dm_contact_laws *laws, const double *A, double *unit);

// Allocate a workspace for laws, which must outlive it. Returns DM_OK or DM_NO_MEMORY.
dm_status dm_cone_impulses_new(dm_cone_impulses **out, const dm_contact_laws *laws);
void dm_cone_impulses_free(dm_cone_impulses *w); // accepts NULL

// Solve a problem.
//   F  in: a guess; out: the impulses [rows]
// With given entries only the equations of these states are solved; the caller checks the signs. Returns DM_OK;
// DM_ACCEPTABLE with a residual of at most 1e-5, in w->missed, as rows of contacts that depend on each other may contradict each
// other before the step that they linearize is found; or with F unchanged DM_MAX_ITER, DM_NOT_FINITE, DM_SINGULAR.
// Does not allocate. Cost of an iteration: an LU of size `rows`.
dm_status dm_cone_impulses_solve(dm_cone_impulses *w, const dm_cone_problem *x, double *F);

DM_END_C
#endif
