// lib/mechanics/mass_matrix.h: the factored mass matrix M(q) = L_vv of a Lagrangian v.M(q) v/2 -
// V(q), for velocities, energies, and the metric of impacts.
//
//   v = M^-1 p                  velocity of a momentum
//   |r|^2 = r.M^-1 r            metric of impacts, in which impulses are minimized
//   H = p.M^-1 p/2 + V          the energy
//
// For Stoermer-Verlet steps of length h with constant M, also the modified Hamiltonian that these
// steps conserve to fourth order,
//
//   H_h = H + h^2 (v.V_qq v / 12 - V_q.M^-1 V_q / 24),    d2H_h/dp2 = M^-1 + h^2/6 M^-1 V_qq M^-1
//
// A workspace has a current q, set by dm_mass_matrix_place; M is evaluated and factored at the
// first use there. A constant M (particles) is factored once: _new compares M at three scattered
// positions. Independent bodies are independent blocks (lib/base/diagonal_blocks.h).
//
// Source: paper 002; docs/theory.md section 16.
#ifndef DM_MECHANICS_MASS_MATRIX_H
#define DM_MECHANICS_MASS_MATRIX_H
#include "lib/base/diagonal_blocks.h"
#include "lib/mechanics/lagrangian.h"

#include <stdbool.h>

DM_BEGIN_C

typedef struct dm_mass_matrix {
  dm_lagrangian L;
  int n;
  bool constant;         // M does not depend on q
  bool factored;         // M is up to date
  bool evaluated;        // jet is up to date at (q,0)
  double *q;             // [n] current position
  double *zero;          // [n]
  dm_jet jet;            // of L at (q,0)
  dm_diagonal_blocks *M; // factors
  double *x, *y;         // [n]
  void *scratch;         // of L
} dm_mass_matrix;

// Create a workspace for L, which is copied; its data must outlive it. Returns DM_OK or
// DM_NO_MEMORY. Only this function allocates.
dm_status dm_mass_matrix_new(dm_mass_matrix **out, const dm_lagrangian *L);
void dm_mass_matrix_free(dm_mass_matrix *w);

// Set the current position q [n].
void dm_mass_matrix_place(dm_mass_matrix *w, const double *q);

// Evaluate L and its derivatives to second order at (q,0) into w->jet. Returns the status of L.
dm_status dm_mass_matrix_eval(dm_mass_matrix *w);

// Velocities of momenta: out [m x n] = M^-1 times each of the m rows of B [m x n]; out may be B.
// Returns DM_OK, DM_SINGULAR, DM_NOT_FINITE. Cost: O(k^2) per row for each block of k coordinates;
// at a new q additionally one evaluation of L and O(k^3).
dm_status dm_mass_matrix_velocity(dm_mass_matrix *w, int m, const double *B, double *out);

// Append the velocity of t times row i of B to `out`.
dm_status dm_mass_matrix_append(dm_mass_matrix *w, double t, const dm_sparse_rows *B, int i,
                                dm_sparse_rows *out);

// The same with M^-1 + h^2/6 M^-1 V_qq M^-1 instead of M^-1; out must not be B. Returns as above,
// and DM_UNAVAILABLE if M is not constant.
dm_status dm_mass_matrix_verlet(dm_mass_matrix *w, double h, int m, const double *B, double *out);

// The energy H of momenta p [n]; for h > 0 the modified H_h, or DM_UNAVAILABLE if M is not
// constant.
//   H  out                                                                                    [J]
dm_status dm_mass_matrix_energy(dm_mass_matrix *w, double h, const double *p, double *H);

DM_END_C
#endif
