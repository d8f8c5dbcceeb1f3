// optim/nlp/ipopt.h: solve a sparse program by IPOPT (3.11 to 3.14). The only file that knows it.
//
// Linear solvers by names of ours: `ldl` (optim/nlp/ldl.h: made for programs that are long in time;
// IPOPT 3.11 to 3.13 takes it), `mumps`, and `auto`: of those that are there the one that
// optim/nlp/linear_solver.h expects to be the faster one, and the other once more from the start
// where it ended infeasible, stalled or in a fault (ldl after mumps where it is not expected to
// take over ten times as long): what is called infeasible is then so in the eyes of both. MUMPS
// cannot run in two threads of a process at once: calls that use it wait for one another, and must
// not be made from a callback of such a call. Of `ldl` any number run at once.
#ifndef OC_NLP_IPOPT_H
#define OC_NLP_IPOPT_H
#include "optim/nlp/inertia.h"
#include "optim/nlp/nlp.h"

#include <stdbool.h>

DM_BEGIN_C

typedef struct oc_iterate { // one row of the convergence record
  int iteration;
  double objective, violation; // as the program has them, unscaled
  double dual, mu;             // scaled dual infeasibility, barrier parameter
  double step, regularization; // of the primal step; what was added to the Hessian's diagonal
} oc_iterate;

// How often the stage solver begins (optim/interior/interior.h).
typedef enum oc_beginnings {
  OC_BEGIN_ALL,
  OC_BEGIN_FIRST, // once
  OC_BEGIN_OTHERS // as it does where that found no solution, and without it
} oc_beginnings;

typedef struct oc_ipopt_settings {
  double tol;      // default 1e-9: scaled optimality, and violation as the program has it
  double rounding; // default 0: what is known to be rounding in the gradient; where no progress
                   // is made below it, that is solved
  double flat;  // default 0: curvature that multipliers within tol may leave, of a scaled program;
                // for the inertia it is none
  int max_iter; // default 3000: of all runs together, where it begins more than once
  double max_time;          // s, wall clock; INFINITY: none
  const char *solver;       // a name of oc_ipopt_solvers; NULL: the first
  bool warm;                // the point's multipliers are those of a nearby solution
  oc_beginnings beginnings; // default OC_BEGIN_ALL; IPOPT's own are not told apart
  // called once an iteration; returning false stops with DM_INTERRUPTED; NULL: not called
  bool (*watch)(void *user, const oc_iterate *it);
  // asked many times within an iteration of the stage solver, too, and by IPOPT once an iteration;
  // returning true stops with DM_INTERRUPTED; NULL: not asked
  bool (*stop)(void *user);
  void *user;
} oc_ipopt_settings;

typedef struct oc_ipopt_info {
  dm_status status;
  char detail[64];    // the solver's own name of the outcome
  char stage[64];     // that of the stage solver, where IPOPT went on from there; else ""
  const char *solver; // linear solver that was used
  int iterations;     // of the last run
  int spent;          // of all runs
  double objective, max_violation; // at the point returned, unscaled
  int worst_row;                   // row of the largest violation, each over the largest entry of
                                   // its row of the Jacobian; -1: none
  double total_s, derivatives_s;   // wall clock
  int factorizations, by_ldl; // of the stage solver: Newton systems, and those that ldl factored
  int rows;                   // of the record below, <= its room
  oc_inertia inertia;         // at a solution of the stage solver; IPOPT leaves it unknown
} oc_ipopt_info;

// Is it part of this build?
bool oc_ipopt_is_built(void);

// Every field at its default: change those you mean.
oc_ipopt_settings oc_ipopt_default(void);
const char *const *oc_ipopt_solvers(void); // ended by NULL; the first is the default

// Solve from point->x (and its multipliers where warm); the point is overwritten by the outcome.
//   record  out: the convergence record [room] of the last run, or NULL
// Returns
//   DM_OK           solved to tol
//   DM_INFEASIBLE   a local minimum of the violation, or more equations than free unknowns
//   DM_MAX_ITER     max_iter iterations, or max_time (info->detail says which)
//   DM_INTERRUPTED  watch returned false, or stop true
//   DM_ACCEPTABLE   no further progress, at a point that is optimal to six digits
//                   (optim/nlp/optimality.h has the four conditions)
//   DM_STALLED      no further progress, at a point of which less is known
// with, but for DM_OK and DM_ACCEPTABLE, the best point seen: below a violation of 1e-6 by its
// objective, else by its violation; DM_NOT_FINITE with the last such point, or untouched where
// there was none; and with the point untouched DM_BAD_INPUT (an unknown solver), DM_NO_MEMORY,
// DM_FAULT, DM_UNAVAILABLE (built without IPOPT, or without that solver).
dm_status oc_ipopt_solve(const oc_nlp *nlp, const oc_ipopt_settings *set, oc_point *point,
                         oc_iterate *record, int room, oc_ipopt_info *info);

DM_END_C
#endif
