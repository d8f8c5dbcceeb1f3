// lib/studies/symplectic_form.h: monitors the symplectic form: two tangent vectors are propagated
// along a motion, and
//
//   form = dq1.dp2 - dq2.dp1
//
// is constant for symplectic steps without dissipation. Tangents are propagated exactly, by A of
// each step [2n x 2n], and by a cloud of four perturbed starts at each knot, stepped once: central
// differences for any kind of step. The cloud may violate constraints to second order.
//
// Tangents grow and become parallel. After each step, dz2 <- dz2 + c dz1 makes them orthogonal, and
// dz1 <- f dz1, dz2 <- dz2 / f makes their lengths equal; neither changes the form. If they have
// grown too much nevertheless, a new pair replaces them, and the form is continued.
//
// Source: paper 004, section 1 (comparison with energy-momentum methods); theory section 18.
#ifndef DM_STUDIES_SYMPLECTIC_FORM_H
#define DM_STUDIES_SYMPLECTIC_FORM_H
#include "lib/discrete/composition.h"
#include "lib/discrete/linearize.h"
#include "lib/mechanics/continuous.h"

DM_BEGIN_C

typedef struct dm_symplectic_form {
  int n, nc, inputs;   // coordinates; constraints; columns of B
  bool exact;          // derivatives exist: the steps are those of a composition
  dm_stepper near;     // steps of the cloud
  dm_composition *own; // their composition; NULL: the caller's steps
  dm_linearize *lin;
  double *z[2];     // [2 x 2n] tangents: by derivatives, by the cloud
  double size[2];   // form at the start of the pair,
  double before[2]; // and its value then relative to the start of the motion
  double form[2];   // current, relative to the start; by derivatives NAN if unavailable
  double *A, *B;    // [2n x 2n], [2n x inputs]
  double *y, *x[2]; // [2n] product, two states of the cloud
  double *lambda;   // [nc] of these states
} dm_symplectic_form;

// Allocate for a system (copied).
//   order, set  of its steps, as in dm_composition_new
//   near        other steps for the cloud, separate from those of the motion, which must outlive
//               this; NULL: none. Derivatives are then not available
dm_status dm_symplectic_form_new(dm_symplectic_form **out, const dm_system *s, int order,
                                 const dm_del_settings *set, const dm_stepper *near);
void dm_symplectic_form_free(dm_symplectic_form *w); // accepts NULL

// Start with the tangents (a, 0) and (0, M a): a [n] satisfies the constraints, M a [n] is its
// momentum. The initial form is a.M a.
void dm_symplectic_form_start(dm_symplectic_form *w, const double *a, const double *Ma);

// Returns true if at least two tangent directions exist, i.e. the system can move.
bool dm_symplectic_form_exists(const dm_system *s);

// Start at q [n] with tangents along a_i = cos(i), 0 for prescribed coordinates, projected on the
// constraints; c is a workspace of the same system. Returns DM_OK or the status of its functions.
dm_status dm_symplectic_form_begin(dm_symplectic_form *w, dm_continuous *c, const double *q);

// Propagate the tangents through a step from q0, p0 [n] with u and h to q1 [n], the last step of
// `taken`; NULL without derivatives. Returns DM_OK or the status of a step or its linearization. No
// allocation. Cost: four more steps and the linearization of each part.
dm_status dm_symplectic_form_propagate(dm_symplectic_form *w, const dm_composition *taken,
                                       const double *q0, const double *p0, const double *q1,
                                       const double *u, double h);

DM_END_C
#endif
