// lib/discrete/contact_linearize.h: exact derivatives of a step of a plan through contact, under the
// contacts' states of that step.
//
// The impulses F of contacts and dry friction act on p0 at q0, then the smooth step f of
// lib/discrete/linearize.h follows. With the states fixed, F is a function of (x0,u):
//
//   x1 = f(q0, p0 + Dr(q0)'F, u)
//
//   open      F = 0
//   sticks    r(q1) = 0 of the gap,  r(q1) = r(q0) of the tangents
//   slides    r(q1) = 0 of the gap,  F_t = -(friction F_gap + bound) s/|s|,  s = r(q1) - r(q0). A bound B
//             that falls with the speed v changes: dF = F B'/B dv
//
// Rows that follow from earlier ones, gaps first, are left out, and their impulses stay as planned.
// With C the rows' derivatives by q1, C0 those by q0, W the columns by which the unknown impulses
// act, and A, B the derivatives of f, A_p its columns by p,
//
//   A_q <- A_q + A_p D2r(q0)'F      C A_p W dF = C0 dq0 - C (A dx0 + B du)      dx1 = A dx0 + B du + A_p W dF
//
// For a bound that falls, C and C0 are times F B'/(B h), and C A_p W dF - dF is on the left.
//
// At the last knot the impulses F act on p, and r + h Dr v, v = M^-1 (p + Dr'F), stands for r(q1).
//
// Source: docs/theory.md section 32.
#ifndef DM_DISCRETE_CONTACT_LINEARIZE_H
#define DM_DISCRETE_CONTACT_LINEARIZE_H
#include "lib/discrete/contact_check.h"
#include "lib/discrete/linearize.h"

DM_BEGIN_C

typedef struct dm_contact_linearize {
  dm_linearize *step; // the smooth step
  const dm_contact_laws *laws;
  int n, ni, nr; // coordinates, inputs, rows
  int rows,
      gaps;    // of the last step: independent rows, and how many of them, the first ones, are gaps
  int *law;    // [nr] the law of each gap of the last step
  double *own; // [nr] its own impulse in each row: -1: a bound that falls, |s|/|F|: across sliding
  double *r, *Dr0, *Dr1; // [nr], [nr x n] at q0 and at q1
  double *slid;          // [nr] r(q1) - r(q0)
  const double *impulse; // [nr]
  double *C, *C0, *W;    // [nr x n] of the independent rows; W has a row for each column
  double *gap;           // [nr x n] derivatives by q0 of the independent gaps
  double *bend;          // [nr x n] h D2r v at the end of a motion, 0 in steps
  double *V;             // [2n x nr] A_p W
  double *M, *E;         // [nr x nr] C A_p W, and its elimination
  double *D;             // [nr x (2n + ni)] dF by (x0,u)
  double *T, *ahead;     // [n x n], [2n x 2n] scratch
  int *piv;              // [nr]
  void *scratch;
} dm_contact_linearize;

// Allocate a workspace for a system, which is copied; without contacts it is that of
// dm_linearize_new. Returns DM_OK or DM_NO_MEMORY.
dm_status dm_contact_linearize_new(dm_contact_linearize **out, const dm_system *s);
void dm_contact_linearize_free(dm_contact_linearize *w); // accepts NULL

// Compute A [2n x 2n] and B [2n x ni] of the step from q0 to q1 as in dm_linearize_step.
//   impulse  F at q0 [nr]
//   entry    of each law [laws->n], as from dm_contact_check
// p is the momentum before the impulses. Without contacts the last two are not read. Returns DM_OK, or
// DM_SINGULAR if the step, or the impulses of its contacts, are not unique. No allocation. Cost: that of
// dm_linearize_step, and products of n, ni and the number of rows.
dm_status dm_contact_linearize_step(dm_contact_linearize *w, const double *q0, const double *q1,
                                    const double *u, const double *lambda, double h,
                                    const double *impulse, const unsigned char *entry, double *A,
                                    double *B);

// Compute J [2n x 2n], the derivative of (q, p + Dr(q)'F) by (q,p) at the last knot.
//   v         velocity there, after the impulses [n]
//   v_q, v_p  its derivatives by q and by the momentum after them [n x n] (dm_velocity_slope)
//   h         step; impulse, entry: as above, of this knot
// Returns DM_OK, or DM_SINGULAR if the impulses are not unique. No allocation.
dm_status dm_contact_linearize_end(dm_contact_linearize *w, const double *q, const double *v,
                                   const double *v_q, const double *v_p, double h,
                                   const double *impulse, const unsigned char *entry, double *J);

DM_END_C
#endif
