// lib/studies/symplectic_form.h: the symplectic form as a monitor: two tangent vectors are carried
// along a motion, and
//
//   form = dq1.dp2 - dq2.dp1
//
// stays what it was, without dissipation, where steps are symplectic. Tangents are carried exactly,
// by A of each step [2n x 2n], and by a cloud of four starts about each knot, stepped once: central
// differences of whatever the steps are. The cloud need not keep constraints: its first order does.
//
// Tangents grow and turn to one another; after each step dz2 <- dz2 + c dz1 makes them orthogonal
// again and a factor, dz1 <- f dz1, dz2 <- dz2 / f, of one length. Neither changes the form. Where
// they have grown all the same, another pair takes over, and its form counts on.
//
// Source: paper 004, section 1 (what to hold energy-momentum methods against); theory section 18.
#ifndef DM_STUDIES_SYMPLECTIC_FORM_H
#define DM_STUDIES_SYMPLECTIC_FORM_H
#include "lib/discrete/composition.h"
#include "lib/discrete/linearize.h"
#include "lib/mechanics/continuous.h"

DM_BEGIN_C

typedef struct dm_symplectic_form {
  int n, nc, inputs;   // coordinates; constraints; columns of B
  bool exact;          // there are derivatives: steps are those of a composition
  dm_stepper near;     // steps of the cloud
  dm_composition *own; // that takes them; NULL: they are the caller's
  dm_linearize *lin;
  double *z[2];     // [2 x 2n] tangents: by derivatives, by the cloud
  double size[2];   // the form where the pair began,
  double before[2]; // and until there over that of the start
  double form[2];   // now, over that of the start; by derivatives NAN without
  double *A, *B;    // [2n x 2n], [2n x inputs]
  double *y, *x[2]; // [2n] products, two of the cloud
  double *lambda;   // [nc] of these
} dm_symplectic_form;

// Allocate for a system (copied).
//   order, set  of its steps, as dm_composition_new
//   near        steps of another kind for the cloud in their place, which must outlive this and not
//               be those of the motion itself; NULL: none. There are no derivatives then
dm_status dm_symplectic_form_new(dm_symplectic_form **out, const dm_system *s, int order,
                                 const dm_del_settings *set, const dm_stepper *near);
void dm_symplectic_form_free(dm_symplectic_form *w); // accepts NULL

// Start with the tangents (a, 0) and (0, M a): a [n] keeps the constraints, M a [n] is its
// momentum. The form of the start is a.M a.
void dm_symplectic_form_start(dm_symplectic_form *w, const double *a, const double *Ma);

// Are there two directions to follow it along: is anything free to move?
bool dm_symplectic_form_exists(const dm_system *s);

// Start at q [n] by tangents along a_i = cos(i), of what is prescribed 0, less what constraints
// forbid; c is a workspace of the same system. Returns DM_OK or what these return.
dm_status dm_symplectic_form_begin(dm_symplectic_form *w, dm_continuous *c, const double *q);

// Carry the tangents through a step from q0, p0 [n] under u in h to q1 [n], which was the last of
// `taken`; NULL where there are no derivatives. Returns DM_OK or what a step or its linearization
// returned. No allocation. Cost: four steps more and the linearization of each part.
dm_status dm_symplectic_form_propagate(dm_symplectic_form *w, const dm_composition *taken,
                                       const double *q0, const double *p0, const double *q1,
                                       const double *u, double h);

DM_END_C
#endif
