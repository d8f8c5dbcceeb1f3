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

#include <stdbool.h>

DM_BEGIN_C

typedef struct oc_iterate { // one row of the convergence record
  int iteration;
  double objective, violation; // of the unscaled program
  double dual, mu;             // scaled dual infeasibility, barrier parameter
  double step, regularization; // primal step length; shift of the Hessian's diagonal
} oc_iterate;

// Number of starts of the stage solver (optim/interior/interior.h).
typedef enum oc_beginnings {
  OC_BEGIN_ALL,
  OC_BEGIN_FIRST, // once
  OC_BEGIN_OTHERS // the further starts only
} oc_beginnings;

typedef struct oc_ipopt_settings {
  double tol;      // default 1e-9: scaled optimality, and unscaled violation
  double rounding; // default 0: known rounding of the gradient; without progress below it, the
                   // program counts as solved
  double flat;     // default 0: curvature of a scaled program that inexact multipliers may cause;
                   // counts as zero for the inertia
  int max_iter;    // default 3000: total over all starts
  double max_time; // s, wall clock; INFINITY: none
  const char *solver;       // a name of oc_ipopt_solvers; NULL: the first
  bool warm;                // the multipliers of the point are those of a nearby solution
  oc_beginnings beginnings; // default OC_BEGIN_ALL; ignored by IPOPT
  // called in each iteration; return false to stop with DM_INTERRUPTED; NULL: not called
  bool (*watch)(void *user, const oc_iterate *it);
  // called many times within an iteration of the stage solver, and by IPOPT once per iteration;
  // return true to stop with DM_INTERRUPTED; NULL: not called
  bool (*stop)(void *user);
  void *user;
} oc_ipopt_settings;

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

// The default settings.
oc_ipopt_settings oc_ipopt_default(void);
const char *const *oc_ipopt_solvers(void); // terminated by NULL; the first is the default

// Solve from point->x (and its multipliers if warm); the result overwrites the point.
//   record  out: convergence record [room] of the last run, or NULL
// Returns
//   DM_OK           solved to tol
//   DM_INFEASIBLE   a local minimum of the violation, or more equations than free unknowns
//   DM_MAX_ITER     max_iter iterations, or max_time (see info->detail)
//   DM_INTERRUPTED  watch returned false, or stop true
//   DM_ACCEPTABLE   no further progress, at a point that is optimal to six digits
//                   (optim/nlp/optimality.h has the four conditions)
//   DM_STALLED      no further progress, at a point without this property
// with the best point, except for DM_OK and DM_ACCEPTABLE: by objective among violations below
// 1e-6, else by violation; DM_NOT_FINITE with the last such point, or untouched if there is none;
// and with the point untouched DM_BAD_INPUT (unknown solver), DM_NO_MEMORY, DM_FAULT,
// DM_UNAVAILABLE (built without IPOPT or this solver).
dm_status oc_ipopt_solve(const oc_nlp *nlp, const oc_ipopt_settings *set, oc_point *point,
                         oc_iterate *record, int room, oc_ipopt_info *info);

DM_END_C
#endif
