// optim/program/join_rows.h: the rows of a join of two phases (optim/task/join.h) in the
// program of both (optim/program/phases.h).
//
// Source: docs/theory.md section 29.
#ifndef OC_PROGRAM_JOIN_ROWS_H
#define OC_PROGRAM_JOIN_ROWS_H
#include "lib/base/block.h"
#include "optim/rows/layout.h"
#include "optim/task/join.h"

DM_BEGIN_C

// One side of a join, at one point.
typedef struct oc_join_side {
  oc_transcription *t;
  dm_holonomic f;
  int q, v;           // indices of (q,v) in the program's x
  double *y, *rate;   // [f.nc] values, y_q v
  double *y_q, *y_qq; // [f.nc x n] derivatives, and these along v or along multipliers
  double *weight;     // [f.nc] weights of y_qq in sums
  double *by;         // [n] multipliers of L_v
  double *block;      // [n x n] sums of second derivatives
  double *drawn;      // [2n] a state (join_repeats.h)
  dm_jet L, T;        // L, and the Hessian of L_v.by
  void *scratch;      // of f
} oc_join_side;

// The rows of a join: npairs of positions, then npairs of velocities, or a momentum for each coordinate after and
// the cones of the impulses (oc_task.cones).
typedef struct oc_join_rows {
  const oc_join *join;
  oc_join_side side[2];
  int row;         // the first row in the program
  int impulse, nc; // the index of Lambda in x, and its size
  double *Phi;     // [npairs x n after] Phi_q
  // [nc x n after] derivative of the constraints after, and its derivative along multipliers
  double *Dh, *Dh_mu;
  double *pull; // [nc] -Lambda
  int *same;    // [n after] the pair of a kinematic coordinate with one before, else -1
} oc_join_rows;

// The number of rows and impulses of a join between two programs.
int oc_join_rows_count(const oc_join *join, const oc_transcription *after);
int oc_join_impulses_count(const oc_join *join, const oc_transcription *after);

// Allocate the arrays of the rows from a block; join, side[].t, q, v, row and impulse must be set.
void oc_join_rows_lay_out(oc_join_rows *w, dm_block *b);

// Fill the entries that do not depend on x, after the arrays are allocated.
void oc_join_rows_set(oc_join_rows *w);

// The rows' values into g, entries of their Jacobian, and entries of the Hessian of their sum with
// multipliers lambda. x, g and lambda belong to the whole program. Return DM_OK or the status of the
// functions and Lagrangians. No allocation.
dm_status oc_join_rows_evaluate(oc_join_rows *w, const double *x, double *g);
dm_status oc_join_rows_put(oc_join_rows *w, const double *x, oc_triplets *out);
dm_status oc_join_rows_contract(oc_join_rows *w, const double *x, const double *lambda,
                                oc_triplets *out);

// The name of row i: "momentum of elbow".
void oc_join_rows_name(const oc_join_rows *w, int i, char *text, size_t size);

DM_END_C
#endif
