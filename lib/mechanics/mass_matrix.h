// lib/mechanics/mass_matrix.h: the mass matrix M(q) = L_vv of a Lagrangian v.M(q) v/2 - V(q),
// factored: velocities of momenta, energies, and metrics of impacts.
//
// A matrix that does not change with q (particles) is factored once: it is looked at in random
// places when the workspace is made.
#ifndef DM_MECHANICS_MASS_MATRIX_H
#define DM_MECHANICS_MASS_MATRIX_H
#include "lib/mechanics/lagrangian.h"

#include <stdbool.h>

DM_BEGIN_C

typedef struct dm_mass_matrix {
  dm_lagrangian L;
  int n;
  bool constant, diagonal; // M does not change with q; its inverse is that of its diagonal
  bool factored, bent;     // LU is that of q; so is jet
  double *q;               // [n] where it stands
  double *zero;            // [n]
  dm_jet jet;              // of L at (q,0)
  double *LU, *x, *y;      // [n x n], [n], [n]
  int *piv;                // [n]
  void *sweep;
} dm_mass_matrix;

dm_status dm_mass_matrix_new(dm_mass_matrix **out, const dm_lagrangian *L);
void dm_mass_matrix_free(dm_mass_matrix *w);

// No allocation in what follows. Stand at q [n].
void dm_mass_matrix_place(dm_mass_matrix *w, const double *q);

// L and its derivatives at (q,0), into w->jet.
dm_status dm_mass_matrix_bend(dm_mass_matrix *w);

// out [m x n] = M^-1 times each of m rows of B; may be B. Returns DM_OK, DM_SINGULAR,
// DM_NOT_FINITE.
dm_status dm_mass_matrix_velocity(dm_mass_matrix *w, int m, const double *B, double *out);

// The same with M^-1 + h^2/6 M^-1 V_qq M^-1, the second derivative by p of the numerical
// Hamiltonian of Stoermer-Verlet, p.M^-1 p/2 + V + h^2 (p.M^-1 V_qq M^-1 p / 12 - V_q.M^-1 V_q /
// 24), with a constant M: else DM_UNAVAILABLE.
dm_status dm_mass_matrix_verlet(dm_mass_matrix *w, double h, int m, const double *B, double *out);

// H = p.M^-1 p/2 + V(q); with h > 0 the numerical Hamiltonian above                          [J]
dm_status dm_mass_matrix_energy(dm_mass_matrix *w, double h, const double *p, double *H);

DM_END_C
#endif
