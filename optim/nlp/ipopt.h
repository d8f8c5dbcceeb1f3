// optim/nlp/ipopt.h: solves a sparse program with IPOPT (3.11 to 3.14). Only ipopt.c and ldl.c call
// IPOPT.
//
// Linear solvers, by our names: `ldl` (optim/nlp/ldl.h: for programs with a long horizon; IPOPT
// 3.11 to 3.13 supports it), `mumps`, and `auto`: the available one that optim/nlp/linear_solver.h
// predicts to be faster, and then the other one from the start if the first ended infeasible,
// stalled or with a fault (ldl after mumps only if it is predicted to take at most ten times as
// long); a result "infeasible" is then confirmed by both. MUMPS cannot run in two threads of a
// process: calls that use it wait for each other, and must not be made from a callback of such a
// call. Any number of `ldl` may run at once.
#ifndef OC_NLP_IPOPT_H
#define OC_NLP_IPOPT_H
#include "optim/nlp/inertia.h"
#include "optim/nlp/nlp.h"
#include "optim/nlp/options.h"

#include <stdbool.h>

DM_BEGIN_C

typedef struct oc_ipopt_info {
  dm_status status;
  char detail[64];    // outcome by the solver's own name
  char stage[64];     // outcome of the stage solver if IPOPT continued from there; else ""
  const char *solver; // linear solver
  int iterations;     // of the last run
  int spent;          // of all runs
  double objective, max_violation; // at the point returned, unscaled
  int worst_row;                   // row with the largest violation relative to the largest entry
                                   // of its row of the Jacobian; -1: none
  double total_s, derivatives_s;   // wall clock
  int factorizations, by_ldl;      // of the stage solver: number of Newton systems, and of those
                                   // factored by ldl
  int rows;                        // number of recorded rows, <= room
  oc_inertia inertia;              // at a solution of the stage solver; unknown with IPOPT
} oc_ipopt_info;

// Returns true if this build includes IPOPT.
bool oc_ipopt_is_built(void);

// Names of linear solvers, terminated by NULL; the first is the default.
const char *const *oc_ipopt_solvers(void);

// Solve from point->x (and its multipliers if options->program.warm); the result overwrites the point.
//   hooks   or NULL
//   record  out: convergence record [room] of the last run, or NULL
// Returns
//   DM_OK           solved to tol
//   DM_INFEASIBLE   a local minimum of the violation, or more equations than free unknowns
//   DM_MAX_ITER     max_iter iterations, or max_time (see info->detail)
//   DM_INTERRUPTED  a hook requested it
//   DM_ACCEPTABLE   no further progress, at a point that is optimal to six digits
//                   (optim/nlp/optimality.h has the four conditions)
//   DM_STALLED      no further progress, at a point without this property
// with the best point, except for DM_OK and DM_ACCEPTABLE: by objective among violations below
// 1e-6, else by violation; DM_NOT_FINITE with the last such point, or untouched if there is none;
// and with the point untouched DM_BAD_INPUT (unknown solver), DM_NO_MEMORY, DM_FAULT,
// DM_UNAVAILABLE (built without IPOPT or this solver).
dm_status oc_ipopt_solve(const oc_nlp *nlp, const oc_options *options, const oc_hooks *hooks,
                         oc_point *point, oc_iterate *record, int room, oc_ipopt_info *info);

DM_END_C
#endif
