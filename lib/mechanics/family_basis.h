// lib/mechanics/family_basis.h: the interpolation polynomials l_j(p) of a family of systems
// (lib/mechanics/family.h): l_j(p_i) = 1 if i = j, else 0, of total degree `degree` in np
// parameters.
//
// They are sums of products of Chebyshev polynomials, which limits rounding errors. The p_j are
// tensor products of Leja points, which are nested: the points with index sum <= degree determine
// exactly the polynomials of that total degree.
#ifndef DM_MECHANICS_FAMILY_BASIS_H
#define DM_MECHANICS_FAMILY_BASIS_H
#include "lib/base/status.h"

DM_BEGIN_C

enum { DM_FAMILY_PARAMETERS = 6, DM_FAMILY_MEMBERS = 64 };

// The number of members for a total degree in np parameters: (degree + np over np).
int dm_family_members(int np, int degree);

// The interpolation points p_j [members x np] within low..high [np], low < high.
void dm_family_values(int np, int degree, const double *low, const double *high, double *p);

typedef struct dm_family_basis {
  int np, degree, m;
  double *middle, *half; // [np] p = middle + half x, x in [-1, 1]
  int *power;            // [m x np] degrees of T_a(x) = product of T_{a_i}(x_i)
  double *weight;        // [m x m] l_j = sum_a weight[a m + j] T_a
} dm_family_basis;

// Chebyshev polynomials of each parameter at one p, with three derivatives.
typedef struct dm_family_place {
  double T[DM_FAMILY_PARAMETERS][DM_FAMILY_MEMBERS + 1][4];
} dm_family_place;

// l_j at p, its first and second derivatives, and the derivatives of all three along a_p.
typedef struct dm_member_weight {
  double l, d[DM_FAMILY_PARAMETERS], dd[DM_FAMILY_PARAMETERS][DM_FAMILY_PARAMETERS];
  double c, dc[DM_FAMILY_PARAMETERS], ddc[DM_FAMILY_PARAMETERS][DM_FAMILY_PARAMETERS];
} dm_member_weight;

// Create the basis for the range low..high [np]. Returns DM_OK (free with dm_block_free);
// DM_NO_MEMORY; DM_SINGULAR or DM_NOT_FINITE if the range of a parameter is empty or not finite.
dm_status dm_family_basis_new(dm_family_basis **out, int np, int degree, const double *low,
                              const double *high);

// Evaluate the basis at p [np]; then compute the weights of member j up to `order`, with
// derivatives along a_p [np] if it is not NULL. Neither allocates.
void dm_family_basis_place(const dm_family_basis *w, const double *p, dm_family_place *at);
dm_member_weight dm_family_basis_weigh(const dm_family_basis *w, const dm_family_place *at, int j,
                                       int order, const double *a_p);

DM_END_C
#endif
