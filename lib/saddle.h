// lib/saddle.h: Newton's matrix of a constrained step,
//
//   [ D12  -Dh(q0)' ]   rows: dynamic coordinates, then constraints
//   [ Dh(q1)   0    ]   columns: dynamic coordinates of q1, then multipliers
//
// factored once and solved for many right-hand sides, in del and in linearize. Without constraints
// and kinematic coordinates it is D12 = M1 itself.
//
// Source: paper 001, eq. 28-31; docs/theory.md section 5.
#ifndef DM_LIB_SADDLE_H
#define DM_LIB_SADDLE_H
#include "lib/system.h"

typedef struct dm_saddle {
  dm_holonomic hol;
  int n, nd, nk, nc, size; // coordinates: all, dynamic, kinematic; constraints; nd + nc
  int *dyn, *kin;          // [nd], [nk] their coordinates
  double *h;               // [nc] of the last q1
  double *Dh0, *Dh1;       // [nc x n] at either end
  double *LU;              // [size x size]
  int *piv;                // [size]
  void *scratch;
} dm_saddle;

dm_status dm_saddle_new(dm_saddle **out, const dm_system *s);
void dm_saddle_free(dm_saddle *w);

// Dh0 at q0 [n]; h and Dh1 at q1 [n]. DM_OK or DM_NOT_FINITE.
dm_status dm_saddle_start(dm_saddle *w, const double *q0);
dm_status dm_saddle_end(dm_saddle *w, const double *q1);

// Factor the matrix of D12 [n x n] and the Jacobians at hand. Returns DM_OK, DM_SINGULAR,
// DM_NOT_FINITE. No allocation in any of these.
dm_status dm_saddle_factor(dm_saddle *w, const double *D12);

// Solve in place: B [size x nrhs], rows as above; or with the transposed matrix.
void dm_saddle_solve(const dm_saddle *w, int nrhs, double *B);
void dm_saddle_solve_transposed(const dm_saddle *w, int nrhs, double *B);
#endif
