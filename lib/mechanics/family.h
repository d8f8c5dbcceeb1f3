// lib/mechanics/family.h: a family of systems that differ by parameters p (a mass, a length, a
// stiffness), as one system on (q,p) with constant p. It interpolates between members at the
// parameter values p_j:
//
//   L(q,v;p) = sum_j l_j(p) L_j(q,v),        l_j(p_i) = 1 if i = j, else 0
//
// and similarly constraints, forces and signals. The l_j are polynomials of total degree `degree`
// in p. The sum is exact if the dependence on p is such a polynomial (masses and stiffnesses are
// linear, lengths quadratic), and accurate to rounding if it is smooth and the range is not too
// wide. Its derivatives by (q,p) to third order, including mixed ones, follow from the derivatives
// of the members by q:
//
//   L_pq = sum_j l_j' L_j,q      L_pp = sum_j l_j'' L_j      and so on
//
// p are kinematic coordinates after the others (lib/mechanics/system.h); nothing depends on their
// velocities.
//
// Source: docs/theory.md section 28.
#ifndef DM_MECHANICS_FAMILY_H
#define DM_MECHANICS_FAMILY_H
#include "lib/mechanics/family_basis.h"
#include "lib/mechanics/system.h"

DM_BEGIN_C

typedef struct dm_family dm_family;

// Create a family of m = dm_family_members(np, degree) members, at the values of dm_family_values.
//   member  [m] systems with the same structure: coordinates, inputs, constraints and rule; copied,
//           but their data must outlive the family
// Returns DM_OK (free with dm_family_free); DM_NO_MEMORY; or DM_BAD_INPUT with a sentence in msg if
// the structures differ or m > DM_FAMILY_MEMBERS.
dm_status dm_family_new(dm_family **out, int np, int degree, const double *low, const double *high,
                        const dm_system *member, dm_message *msg);
void dm_family_free(dm_family *w); // accepts NULL

// The family as a system of q and p, n + np coordinates. If joint inputs or damping differ between
// members, they become a general force before the others, so that the order of inputs does not
// change. An evaluation costs the evaluations of all members and O(m np n^2) products. Evaluations
// do not allocate.
dm_system dm_family_system(const dm_family *w);

// Functions s(q;p) of (q,p) from the functions s_j(q) [m] of the members, for signals of outputs.
// The array is borrowed; all members have the same rows.
typedef struct dm_family_functions {
  const dm_family *family;
  const dm_holonomic *member; // [m]
} dm_family_functions;
dm_holonomic dm_family_holonomic(const dm_family_functions *f);

DM_END_C
#endif
