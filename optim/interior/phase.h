// optim/interior/phase.h: the iterations of the interior point method on one program: the task's
// own, or that of its feasibility restoration.
//
// Each iteration measures optimality, lowers the barrier parameter where its problem is solved to
// ten times it (mu <- min(mu/5, mu^1.5)), takes a Newton step and searches along it.
//
// Source: [waechter-biegler-2006], algorithm A, in docs/sources.md.
#ifndef OC_INTERIOR_PHASE_H
#define OC_INTERIOR_PHASE_H
#include "optim/interior/line_search.h"

typedef enum oc_phase_end {
  OC_PHASE_GOING, // not ended
  OC_PHASE_SOLVED,
  OC_PHASE_ACCEPTABLE, // no better than acceptable for many iterations
  OC_PHASE_INFEASIBLE, // a local minimum of the violation
  OC_PHASE_TINY,       // steps are nothing but rounding
  OC_PHASE_SHIFTED,    // the Hessian's shift went beyond oc_phase.largest_shift, or beyond 100
                       // where stages could not factor
  OC_PHASE_STALLED,    // no step, and no restoration
  OC_PHASE_LIMIT,      // of iterations
  OC_PHASE_STOPPED,    // by `arrived`, or because the deadline is over (oc_stage_kkt.deadline)
  OC_PHASE_FAILED      // an evaluation or memory: oc_phase.status
} oc_phase_end;

typedef struct oc_phase oc_phase;
struct oc_phase {
  oc_barrier b;
  oc_line_search search;
  oc_barrier_error error; // of the program at the iterate
  double tol, acceptable_tol;
  double rounding;          // of the gradient
  int max_iter, *iteration; // counted over both programs
  double largest_shift;     // where inputs are not spared (oc_barrier.spared); 0: any
  int in_row;               // acceptable iterates in a row
  bool fresh;               // before the first step: the barrier parameter stays
  dm_status status;         // why it failed
  // called at each iterate; anything but OC_PHASE_GOING ends the phase
  oc_phase_end (*arrived)(void *user, oc_phase *p);
  // called where no step is found; OC_PHASE_GOING: the iterate has moved
  oc_phase_end (*rescue)(void *user, oc_phase *p);
  void *user;
};

// The largest violation of a row in the program's own units.
double oc_phase_violation(const oc_phase *p);
// The end that a failure of an evaluation or a factorization is.
oc_phase_end oc_phase_end_of(dm_status failure);
// Iterate from b.v, whose filter has been started, until an end.
oc_phase_end oc_phase_run(oc_phase *p);
#endif
