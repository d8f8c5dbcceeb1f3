// optim/rows/contact_cone.h: friction within a round cone in the polish.
//
// A law with two tangents has in searches the rows of optim/rows/contact_rows.h, |t1| + |t2| <= b = friction c. With a
// schedule its unknowns t+ and w+ of each tangent have any sign, and are the impulse t and U times a direction d; t- and
// w- are zero. Rows of the step are
//
//   sticks   r' - r = 0                           left = (b^2 - |t|^2)/I >= 0
//   slides   r' - r = slide d,  slide >= 0        t = -b d        |d| = 1        left = 0
//
// with U the unit of distances and I that of impulses. The first and second derivatives of these polynomials exist also
// for a contact that comes to rest. Source: docs/theory.md section 32.
#ifndef OC_ROWS_CONTACT_CONE_H
#define OC_ROWS_CONTACT_CONE_H
#include "optim/rows/contact_layout.h"

// The rows of law l at knot k under a schedule: out and z are those of the knot, with r' - r of each tangent in out.
void oc_contact_cone_evaluate(const oc_contacts *c, int k, int l, const double *z, double *out);

// The derivatives of its rows, which begin at `row`, by its unknowns, which begin at `at`; also in searches.
void oc_contact_cone_put(const oc_contacts *c, int k, int l, const double *z, int row, int at,
                         oc_triplets *s);
void oc_contact_cone_put_hessian(const oc_contacts *c, int k, int l, const double *lambda, int at,
                                 oc_triplets *s);

// Impose its state.
void oc_contact_cone_fix(oc_transcription *t, int k, int l);

// Give the unknowns of all laws with two tangents their meaning under the schedule, at a point of a search or of
// another schedule. Does nothing in searches.
void oc_contact_cone_settle(const oc_transcription *t, double *x);
#endif
