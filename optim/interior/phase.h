// optim/interior/phase.h: the iterations of the interior point method on one program: the task's,
// or that of the feasibility restoration.
//
// Each iteration measures optimality, reduces the barrier parameter if its problem is solved to ten
// times its value (mu <- min(mu/5, mu^1.5)), computes a Newton step and searches along it.
//
// Source: [waechter-biegler-2006], algorithm A, in docs/sources.md.
#ifndef OC_INTERIOR_PHASE_H
#define OC_INTERIOR_PHASE_H
#include "optim/interior/line_search.h"

typedef enum oc_phase_end {
  OC_PHASE_GOING, // not finished
  OC_PHASE_SOLVED,
  OC_PHASE_ACCEPTABLE, // no better than acceptable for many iterations
  OC_PHASE_INFEASIBLE, // a local minimum of the violation
  OC_PHASE_TINY,       // steps of rounding size
  OC_PHASE_SHIFTED,    // the Hessian's shift exceeded oc_phase.largest_shift, or 100 while stages
                       // cannot be factored
  OC_PHASE_STALLED,    // no step, and no restoration
  OC_PHASE_LIMIT,      // on iterations
  OC_PHASE_STOPPED,    // by `arrived`, or by the deadline (oc_stage_kkt.deadline)
  OC_PHASE_FAILED      // of an evaluation or allocation: oc_phase.status
} oc_phase_end;

typedef struct oc_phase oc_phase;
struct oc_phase {
  oc_barrier b;
  oc_line_search search;
  oc_barrier_error error; // of the program at the iterate
  double tol, acceptable_tol;
  double rounding;          // of the gradient
  int max_iter, *iteration; // counted over both programs
  double largest_shift;     // if inputs are not excluded (oc_barrier.spared); 0: none
  int in_row;               // consecutive acceptable iterates
  bool fresh;               // before the first step: the barrier parameter is kept
  dm_status status;         // reason of a failure
  // called at each iterate; ends the phase unless it returns OC_PHASE_GOING
  oc_phase_end (*arrived)(void *user, oc_phase *p);
  // called if no step is found; OC_PHASE_GOING: the iterate has moved
  oc_phase_end (*rescue)(void *user, oc_phase *p);
  void *user;
};

// The largest violation of a row in the program's own units.
double oc_phase_violation(const oc_phase *p);
// The phase end for a failure of an evaluation or a factorization.
oc_phase_end oc_phase_end_of(dm_status failure);
// Measure the iterate after oc_barrier_evaluate, and call `arrived`. Returns OC_PHASE_GOING, or the reason to end there.
oc_phase_end oc_phase_judge(oc_phase *p);
// Iterate from b.v, with an initialized filter, until the phase ends.
oc_phase_end oc_phase_run(oc_phase *p);
#endif
