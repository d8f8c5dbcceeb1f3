// optim/contact_error.h: the discretization error of a plan through contact.
//
// Contacts change at knots; in continuous time they change up to a step earlier or later. With the objectives J_N of
// the solution, J_2N of the same schedule on steps of half the length, and J_i of the schedule whose change i comes a
// knot earlier or later,
//
//   error = 2 |J_N - J_2N| + sum_i max |J_i - J_N|
//
// The factor 2 is that of order 1, which impacts have. All motions start from the solution with its multipliers, and
// satisfy the equations of the changed schedule, but not the signs of impulses and gaps beside its changes, which hold
// at one time only.
//
// Source: docs/theory.md section 32.
#ifndef OC_CONTACT_ERROR_H
#define OC_CONTACT_ERROR_H
#include "optim/other_grids.h"

typedef struct oc_contact_error {
  const char *why;  // it is unknown: a clause; else NULL
  double objective; // extrapolated to continuous time
  double error;     // of the solution's objective
  double finer;     // the objective on steps of half the length; NAN: not found
  int changes; // of contacts; the largest part of the error that one of them has, and its contact, knot and
  double most; // phase; if this part is unknown, only these
  const char *contact;
  int knot, phase;
  int iterations;
  double total_s; // wall clock
} oc_contact_error;

// Measure it after oc_solution_find returned DM_OK, for the motions x of w. Returns DM_OK, also if the error is unknown,
// or DM_NO_MEMORY.
//   most  iterations of each motion
dm_status oc_contact_error_measure(oc_contact_error *out, const oc_solution *w, oc_motions x,
                                   int most);
#endif
