// lib/discrete/kkt_matrix.h: Newton's matrix of a constrained step,
//
//   [ D12  -Dh(q0)' ]   rows: dynamic coordinates, then constraints
//   [ Dh(q1)   0    ]   columns: dynamic coordinates of q1, then multipliers
//
// For nonholonomic rows Dh(q0) is A(q0), and the rows of Dh(q1) are the derivative by q1 of
// A(qm) (q1 - q0) + h b(qm) (lib/discrete/middle_rows.h).
//
// factored once and solved for many right-hand sides, by del and linearize. Without constraints and
// kinematic coordinates it is D12 = M1. It is regular if M1 and the Schur complement Dh(q1) M1^-1
// Dh(q0)' are, and also if constraints compensate for coordinates without inertia.
//
// Rows and columns are scaled by powers of two, which cause no rounding: those of lengths by a
// length that makes the largest inertias of lengths and angles similar, and those of each
// constraint by a number that makes it as large as M1. Pivots and condition numbers therefore do
// not depend on units and the step, and units that differ by powers of two give bitwise equal
// results.
//
// Source: paper 001, eq. 28-31 and section VII; docs/theory.md sections 5 and 11.
#ifndef DM_DISCRETE_KKT_MATRIX_H
#define DM_DISCRETE_KKT_MATRIX_H
#include "lib/discrete/middle_rows.h"
#include "lib/mechanics/system.h"

DM_BEGIN_C

typedef struct dm_kkt {
  dm_holonomic hol;
  int n, nd, nk, nc, size; // coordinates: all, dynamic, kinematic; constraints; nd + nc
  int *dyn, *kin;          // [nd], [nk] indices
  double *h;               // [nc] at the last evaluated configuration            m or rad
  double *q1;              // [n] configuration of Dh1, if `ended`
  bool ended;
  double *Dh0, *Dh1;      // [nc x n] at the start and the end
  dm_middle_rows *middle; // of nonholonomic rows; NULL: none
  double *LU;             // [size x size]
  int *piv;               // [size]
  bool *is_length;        // [nd] is the dynamic coordinate in m?
  bool mixed;             // both lengths and others exist
  double unit;       // factor of rows of lengths, to compare them with angles: m, 1 unless mixed
  double spare_unit; // default, if M1 does not determine it
  double *by;        // [size] scaling of rows and columns in LU
  // reason of the last DM_SINGULAR
  const char *singular; // name of the matrix; NULL: none was singular
  double condition;     // its condition number: ratio of the largest to the smallest singular value
                        // of M1; for the Schur complement the inverse of the smallest, with
                        // normalized rows of Dh(q1) and columns of M1^-1 Dh(q0)'
  double *null; // [size] its null vector with largest entry 1: coordinates, then constraints,
                // scaled as LU
  double *T, *G, *work; // [nd x nc], [nc x nc], [6 size]
  void *scratch;
} dm_kkt;

// Allocate a workspace for a system; copies the constraints and the kinds of coordinates. Returns
// DM_OK or DM_NO_MEMORY.
dm_status dm_kkt_new(dm_kkt **out, const dm_system *s);
void dm_kkt_free(dm_kkt *w); // accepts NULL

// Evaluate the constraints at the start, Dh0 at q0 [n], or at the end, h and Dh1 at q1 [n]. A start
// equal to the last end is copied. Returns DM_OK or DM_NOT_FINITE.
dm_status dm_kkt_start(dm_kkt *w, const double *q0);
dm_status dm_kkt_end(dm_kkt *w, const double *q1);

// The same for a step from q0 to q1 of length h [s]: the last nv entries of h and rows of Dh1 are
// those of nonholonomic rows in the middle of the step.
dm_status dm_kkt_step(dm_kkt *w, const double *q0, const double *q1, double h);

// Compute `unit` for D12 [n x n]; dm_kkt_factor does this as well. Cost: reads nd numbers, if
// mixed.
void dm_kkt_weigh(dm_kkt *w, const double *D12);

// Weight of the row of the i-th dynamic coordinate that makes it comparable with the others.
static inline double dm_kkt_weight(const dm_kkt *w, int i) {
  return w->mixed && w->is_length[i] ? w->unit : 1;
}

// Factor the matrix for D12 [n x n] and the current Jacobians. Returns DM_OK; DM_SINGULAR if the
// condition number is above 1 / (n eps), with the reason in w; DM_NOT_FINITE. None of these
// functions allocates. Cost: an LU of size nd + nc; also singular values if a pivot is suspiciously
// small.
dm_status dm_kkt_factor(dm_kkt *w, const double *D12);

// Solve in place for nrhs right-hand sides, with the matrix or its transpose: B [size x nrhs]
// row-major, rows as above. Cost: nrhs size^2 products.
void dm_kkt_solve(const dm_kkt *w, int nrhs, double *B);
void dm_kkt_solve_transposed(const dm_kkt *w, int nrhs, double *B);

// After DM_SINGULAR, write one sentence: `what`, the knot k, the matrix, its condition number, and
// the coordinates (name [n]; NULL: by index) or constraints in its null vector; if no factorization
// here was singular, about the mass matrix. Returns DM_SINGULAR.
dm_status dm_kkt_explain(dm_message *msg, const dm_kkt *w, const char *what, int k,
                         const char *const *name);

DM_END_C
#endif
