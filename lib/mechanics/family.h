// lib/mechanics/family.h: systems that differ by numbers p, such as a mass, a length, a stiffness: as
// one system on (q,p), in which p stands still. It is made of members at some values p_j:
//
//   L(q,v;p) = sum_j l_j(p) L_j(q,v),        l_j(p_i) = 1 where i = j, else 0
//
// and constraints, forces and signals likewise. l_j are polynomials of total degree `degree` in p: so
// many that the sum is exact where the dependence on p is such a polynomial (masses and stiffnesses
// are linear, lengths quadratic), and to rounding where it is smooth and the range not too wide. Its
// derivatives by (q,p) to third order, mixed ones too, follow from those of the members by q:
//
//   L_pq = sum_j l_j' L_j,q      L_pp = sum_j l_j'' L_j      and so on
//
// p are kinematic coordinates behind the others (lib/mechanics/system.h), whose speeds nothing depends on.
//
// Source: docs/theory.md section 28.
#ifndef DM_MECHANICS_FAMILY_H
#define DM_MECHANICS_FAMILY_H
#include "lib/mechanics/family_basis.h"
#include "lib/mechanics/system.h"

DM_BEGIN_C

typedef struct dm_family dm_family;

// A family of m = dm_family_members(np, degree) members, at the values that dm_family_values says.
//   member  [m] systems of one structure: the same coordinates, inputs, constraints and rule; copied,
//           what they point at must outlive this
// Returns DM_OK, to be freed by dm_family_free; DM_NO_MEMORY; or DM_BAD_INPUT with a sentence in msg
// where their structure differs, or there are more than DM_FAMILY_MEMBERS.
dm_status dm_family_new(dm_family **out, int np, int degree, const double *low, const double *high,
                        const dm_system *member, dm_message *msg);
void dm_family_free(dm_family *w); // accepts NULL

// It as a system of q and p, n + np coordinates. Joint inputs and damping that differ between members
// become a general force, in front of the others, so that the order of inputs stays. An evaluation costs
// those of all members, and O(m np n^2) products. No allocation in any.
dm_system dm_family_system(const dm_family *w);

// Functions s(q;p) of (q,p) from those of the members, s_j(q) [m]: signals of outputs. The array is
// borrowed; all have the same rows.
typedef struct dm_family_functions {
  const dm_family *family;
  const dm_holonomic *member; // [m]
} dm_family_functions;
dm_holonomic dm_family_holonomic(const dm_family_functions *f);

DM_END_C
#endif
