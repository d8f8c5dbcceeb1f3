// lib/mechanics/mass_matrix.h: the mass matrix M(q) = L_vv of a Lagrangian v.M(q) v/2 - V(q),
// factored: velocities of momenta, energies, and metrics of impacts.
//
//   v = M^-1 p                  the velocity of a momentum
//   |r|^2 = r.M^-1 r            the metric of impacts, in which impulses are least
//   H = p.M^-1 p/2 + V          the energy
//
// and, for Stoermer and Verlet's steps of length h with a constant M, the same by the Hamiltonian
// that such steps keep to fourth order,
//
//   H_h = H + h^2 (v.V_qq v / 12 - V_q.M^-1 V_q / 24),    d2H_h/dp2 = M^-1 + h^2/6 M^-1 V_qq M^-1
//
// A workspace stands at one q: dm_mass_matrix_place moves it, and M is evaluated and factored when
// it is first asked for there. An M that does not change with q (particles) is factored once: it is
// compared in three scattered places when the workspace is made. A diagonal one is divided by.
//
// Source: paper 002; docs/theory.md section 16.
#ifndef DM_MECHANICS_MASS_MATRIX_H
#define DM_MECHANICS_MASS_MATRIX_H
#include "lib/mechanics/lagrangian.h"

#include <stdbool.h>

DM_BEGIN_C

typedef struct dm_mass_matrix {
  dm_lagrangian L;
  int n;
  bool constant, diagonal; // M does not change with q; M is a diagonal
  bool factored;           // LU is that of M(q)
  bool evaluated;          // jet is that of (q,0)
  double *q;               // [n] where it stands
  double *zero;            // [n]
  dm_jet jet;              // of L at (q,0)
  double *LU;              // [n x n] factors of M
  double *x, *y;           // [n]
  int *piv;                // [n]
  void *scratch;           // L's
} dm_mass_matrix;

// A workspace for L, which is copied; what it points at must outlive it.
// Returns DM_OK or DM_NO_MEMORY. The only allocation here.
dm_status dm_mass_matrix_new(dm_mass_matrix **out, const dm_lagrangian *L);
void dm_mass_matrix_free(dm_mass_matrix *w);

// Stand at q [n].
void dm_mass_matrix_place(dm_mass_matrix *w, const double *q);

// L and its derivatives to second order at (q,0), into w->jet. Returns what L returns.
dm_status dm_mass_matrix_eval(dm_mass_matrix *w);

// Velocities of momenta: out [m x n] = M^-1 times each of the m rows of B [m x n]; out may be B.
// Returns DM_OK, DM_SINGULAR, DM_NOT_FINITE. Cost: O(n^2) a row, O(n) where M is diagonal; at a new
// q besides an evaluation of L and O(n^3).
dm_status dm_mass_matrix_velocity(dm_mass_matrix *w, int m, const double *B, double *out);

// The same with M^-1 + h^2/6 M^-1 V_qq M^-1 in place of M^-1; out must not be B.
// Returns as above, and DM_UNAVAILABLE where M is not constant.
dm_status dm_mass_matrix_verlet(dm_mass_matrix *w, double h, int m, const double *B, double *out);

// The energy H of momenta p [n]; with h > 0 the H_h above, DM_UNAVAILABLE where M is not constant.
//   H  out                                                                                    [J]
dm_status dm_mass_matrix_energy(dm_mass_matrix *w, double h, const double *p, double *H);

DM_END_C
#endif
