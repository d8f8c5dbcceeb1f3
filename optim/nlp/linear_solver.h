// optim/nlp/linear_solver.h: predicts the faster linear solver for a program's Newton systems.
//
// The cost of a factorization is estimated from the sparsity patterns of a program, by a model
// fitted to processor times (docs/benchmarks.md has the table; `dmoc bench --filter linear`):
//
//   ldl     0.1 ms + 0.1 us unknowns + 2.2 ns products       products: of its window, without
//           delays
//   mumps   0.7 ms + 1.8 us unknowns + 0.07 us entries
//
// A single dense window is efficient if few unknowns are in the front, for any length of the
// program; its products grow with the square of the front, those of MUMPS hardly.
#ifndef OC_NLP_LINEAR_SOLVER_H
#define OC_NLP_LINEAR_SOLVER_H
#include "optim/nlp/nlp.h"

#include <stdbool.h>

// Size of the symmetric system of an interior-point step: Hessian, Jacobian, a slack for each
// inequality, without fixed variables.
typedef struct oc_linear_solver_work {
  double unknowns; // free variables, slacks, rows
  double entries;  // of one triangle, with duplicates, and the diagonal
  double products; // of ldl: sum over its pivots of the square of the window's rows
} oc_linear_solver_work;

typedef struct oc_linear_solver_cost {
  double ldl, mumps; // s per factorization, on the machine of the model
} oc_linear_solver_cost;

// Compute the sizes from the patterns. Returns DM_OK, DM_NO_MEMORY or the failure of the program.
// Allocates. Cost: about that of ldl's ordering, a small part of one factorization.
dm_status oc_linear_solver_measure(const oc_nlp *nlp, oc_linear_solver_work *out);

// The predicted cost; INFINITY for ldl if the system is too large for it.
oc_linear_solver_cost oc_linear_solver_estimate(const oc_linear_solver_work *work);
#endif
