// lib/discrete/motion_linearize.h: exact derivatives of the steps of a motion and of the impulses at its end, with or
// without contacts.
//
//   dx_(k+1) = A_k dx_k + B_k du_k        dx = (q,p), p before the impulses of contacts at the knot
//   dx_N+    = J dx_N                     p after those at the end; without contacts J = 1
//
// The contacts' states are those of the motion (lib/discrete/contact_check.h).
//
// Source: docs/theory.md sections 5 and 32.
#ifndef DM_DISCRETE_MOTION_LINEARIZE_H
#define DM_DISCRETE_MOTION_LINEARIZE_H
#include "lib/discrete/contact_linearize.h"

DM_BEGIN_C

typedef struct dm_motion_linearize dm_motion_linearize;

// Allocate a workspace for a motion of a system; both are borrowed. Returns DM_OK, DM_NO_MEMORY, or the status of the
// contacts' rows.
dm_status dm_motion_linearize_new(dm_motion_linearize **out, const dm_trajectory *x,
                                  const dm_system *s);
void dm_motion_linearize_free(dm_motion_linearize *w); // accepts NULL

// The number of inputs, columns of B: those of the system, and without contacts the step's duration as the last one.
int dm_motion_linearize_inputs(const dm_motion_linearize *w);

// Compute A [2n x 2n] and B [2n x inputs] of the step from knot k < N. Returns as dm_contact_linearize_step. No
// allocation.
dm_status dm_motion_linearize_step(dm_motion_linearize *w, int k, double *A, double *B);

// Compute the state (q,p) [2n] at the end, after the impulses there, and J [2n x 2n]. Returns DM_OK, DM_SINGULAR if the
// impulses or the velocity are not unique. No allocation.
dm_status dm_motion_linearize_end(dm_motion_linearize *w, double *state, double *J);

DM_END_C
#endif
