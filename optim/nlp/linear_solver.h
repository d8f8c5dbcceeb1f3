// optim/nlp/linear_solver.h: which linear solver is the faster one on a program's Newton systems.
//
// What a factorization costs is estimated from the patterns of a program, by a model that was
// fitted to processor times (docs/benchmarks.md has the table; `dmoc bench --filter linear`):
//
//   ldl     0.1 ms + 0.1 us unknowns + 2.2 ns products       products: of its window, without
//   delays mumps   0.7 ms + 1.8 us unknowns + 0.07 us entries
//
// One dense window pays where few unknowns wait in front, however long the program; its products
// grow with their square, MUMPS' work hardly.
#ifndef OC_NLP_LINEAR_SOLVER_H
#define OC_NLP_LINEAR_SOLVER_H
#include "optim/nlp/nlp.h"

#include <stdbool.h>

// Of the symmetric system of an interior-point step: Hessian, Jacobian, a slack for each
// inequality, without the variables that are fixed.
typedef struct oc_linear_solver_work {
  double unknowns; // free variables, slacks, rows
  double entries;  // of one triangle, as the program puts them, and the diagonal
  double products; // of ldl: sum over its pivots of the square of the rows in the window
} oc_linear_solver_work;

typedef struct oc_linear_solver_cost {
  double ldl, mumps; // s a factorization, on the machine of the model
} oc_linear_solver_cost;

// Count it from the patterns. Returns DM_OK, DM_NO_MEMORY or the program's failure. Allocates;
// costs about as much as ldl's ordering, a small part of one factorization.
dm_status oc_linear_solver_measure(const oc_nlp *nlp, oc_linear_solver_work *out);

// What the model makes of it; what is too large for ldl costs it INFINITY.
oc_linear_solver_cost oc_linear_solver_estimate(const oc_linear_solver_work *work);
#endif
