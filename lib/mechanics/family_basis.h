// lib/mechanics/family_basis.h: the polynomials l_j(p) of a family of systems (lib/mechanics/family.h):
// l_j(p_i) = 1 where i = j, else 0, of total degree `degree` in np parameters.
//
// They are sums of products of Chebyshev's polynomials, by which rounding stays small, and the p_j are
// Leja's points, which are nested: so those whose indices add up to the degree at most carry all
// polynomials of that total degree, and no others.
#ifndef DM_MECHANICS_FAMILY_BASIS_H
#define DM_MECHANICS_FAMILY_BASIS_H
#include "lib/base/status.h"

DM_BEGIN_C

enum { DM_FAMILY_PARAMETERS = 6, DM_FAMILY_MEMBERS = 64 };

// How many members polynomials of a total degree in np parameters take: (degree + np over np).
int dm_family_members(int np, int degree);

// The values p_j [members x np] at which they are to be, within low..high [np], low < high.
void dm_family_values(int np, int degree, const double *low, const double *high, double *p);

typedef struct dm_family_basis {
  int np, degree, m;
  double *middle, *half; // [np] p = middle + half x, x in [-1, 1]
  int *power;            // [m x np] degrees of T_a(x) = product of T_{a_i}(x_i)
  double *weight;        // [m x m] l_j = sum_a weight[a m + j] T_a
} dm_family_basis;

// Chebyshev's polynomials of each parameter at one p, with three derivatives by it.
typedef struct dm_family_place {
  double T[DM_FAMILY_PARAMETERS][DM_FAMILY_MEMBERS + 1][4];
} dm_family_place;

// l_j at p, its first and second derivatives, and the changes of all three along a_p.
typedef struct dm_member_weight {
  double l, d[DM_FAMILY_PARAMETERS], dd[DM_FAMILY_PARAMETERS][DM_FAMILY_PARAMETERS];
  double c, dc[DM_FAMILY_PARAMETERS], ddc[DM_FAMILY_PARAMETERS][DM_FAMILY_PARAMETERS];
} dm_member_weight;

// Within low..high [np]. Returns DM_OK, to be freed by dm_block_free; DM_NO_MEMORY; DM_SINGULAR or
// DM_NOT_FINITE where the range of a parameter is no range.
dm_status dm_family_basis_new(dm_family_basis **out, int np, int degree, const double *low,
                              const double *high);

// At p [np]; then of member j what an order asks for, with the changes along a_p [np] where that is not
// NULL. None allocates.
void dm_family_basis_place(const dm_family_basis *w, const double *p, dm_family_place *at);
dm_member_weight dm_family_basis_weigh(const dm_family_basis *w, const dm_family_place *at, int j,
                                       int order, const double *a_p);

DM_END_C
#endif
