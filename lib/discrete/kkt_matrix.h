// lib/discrete/kkt_matrix.h: Newton's matrix of a constrained step,
//
//   [ D12  -Dh(q0)' ]   rows: dynamic coordinates, then constraints
//   [ Dh(q1)   0    ]   columns: dynamic coordinates of q1, then multipliers
//
// factored once and solved for many right-hand sides, in del and in linearize. Without constraints
// and kinematic coordinates it is D12 = M1 itself. It is regular where M1 and the Schur complement
// Dh(q1) M1^-1 Dh(q0)' are, and also where constraints make up for coordinates without inertia.
//
// Rows and columns are held times powers of two, which round nothing: those of lengths times one length,
// by which the largest inertias of lengths and of angles become alike, and those of each constraint times
// a number that makes it as large as M1. So pivots and condition numbers depend neither on units nor on
// the step, and units that differ by powers of two give the same bits.
//
// Source: paper 001, eq. 28-31 and section VII; docs/theory.md sections 5 and 11.
#ifndef DM_DISCRETE_KKT_MATRIX_H
#define DM_DISCRETE_KKT_MATRIX_H
#include "lib/mechanics/system.h"

DM_BEGIN_C

typedef struct dm_kkt {
  dm_holonomic hol;
  int n, nd, nk, nc, size; // coordinates: all, dynamic, kinematic; constraints; nd + nc
  int *dyn, *kin;          // [nd], [nk] their coordinates
  double *h;               // [nc] of the last configuration evaluated            m or rad
  double *q1;              // [n] of Dh1, where ended
  bool ended;
  double *Dh0, *Dh1; // [nc x n] at either end
  double *LU;        // [size x size]
  int *piv;          // [size]
  bool *is_length;   // [nd] is the dynamic coordinate in m?
  bool mixed;        // some are lengths, others not
  double unit;       // a row of a length times unit is like one of an angle: m, 1 unless mixed
  double spare_unit; // where M1 says none
  double *by;        // [size] factors of rows and columns in LU
  // why the last factorization failed with DM_SINGULAR
  const char *singular; // the matrix; NULL where none did
  double condition;     // its condition number: M1's largest singular value over the smallest; of
                        // the Schur complement 1 over the smallest, rows of Dh(q1) and columns of
                        // M1^-1 Dh(q0)' taken with length 1
  double *null; // [size] its null vector, largest entry 1: coordinates, then constraints, as
                // LU has them
  double *T, *G, *work; // [nd x nc], [nc x nc], [6 size]
  void *scratch;
} dm_kkt;

// Allocate the workspace of a system, of which the constraints and the kinds of coordinates are
// copied. Returns DM_OK or DM_NO_MEMORY.
dm_status dm_kkt_new(dm_kkt **out, const dm_system *s);
void dm_kkt_free(dm_kkt *w); // accepts NULL

// Evaluate the constraints at either end: Dh0 at q0 [n]; h and Dh1 at q1 [n]. A start at the last
// end is copied. Returns DM_OK or DM_NOT_FINITE.
dm_status dm_kkt_start(dm_kkt *w, const double *q0);
dm_status dm_kkt_end(dm_kkt *w, const double *q1);

// Find unit for D12 [n x n]; dm_kkt_factor does so as well. Cost: nd numbers are read, if mixed.
void dm_kkt_weigh(dm_kkt *w, const double *D12);

// What the row of the i-th dynamic coordinate is multiplied by to compare it with the others.
static inline double dm_kkt_weight(const dm_kkt *w, int i) {
  return w->mixed && w->is_length[i] ? w->unit : 1;
}

// Factor the matrix of D12 [n x n] and the Jacobians at hand. Returns DM_OK; DM_SINGULAR where the
// condition number is above 1 / (n eps), with the reason in w; DM_NOT_FINITE. No allocation in any
// of these. Cost: an LU of size nd + nc; singular values as well where a pivot is suspiciously
// small.
dm_status dm_kkt_factor(dm_kkt *w, const double *D12);

// Solve for nrhs right-hand sides in place, with the matrix or with its transpose: B [size x nrhs]
// row-major, rows as above. Cost: nrhs size^2 products.
void dm_kkt_solve(const dm_kkt *w, int nrhs, double *B);
void dm_kkt_solve_transposed(const dm_kkt *w, int nrhs, double *B);

// After DM_SINGULAR, one sentence (where not a factorization here had it, on the mass matrix):
// `what` knot k, the matrix, its condition number, and the coordinates (name [n]; NULL: by number)
// or constraints that its null vector moves. Returns DM_SINGULAR.
dm_status dm_kkt_explain(dm_message *msg, const dm_kkt *w, const char *what, int k,
                         const char *const *name);

DM_END_C
#endif
