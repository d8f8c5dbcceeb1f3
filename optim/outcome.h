// optim/outcome.h: the outcome of a search, to be restored if a later one is worse.
#ifndef OC_OUTCOME_H
#define OC_OUTCOME_H
#include "optim/solution_layout.h"

// Point, record and figures of a solution; initialize with zeros.
typedef struct oc_outcome {
  double *numbers; // of the point, in the layout of oc_solution_new
  oc_iterate *record;
  oc_solve_info info;
  size_t count; // of numbers
} oc_outcome;

// Replace the stored outcome by that of w. Returns DM_OK or DM_NO_MEMORY. Allocates.
dm_status oc_outcome_save(const oc_solution *w, oc_outcome *o);

// The stored outcome into w; oc_outcome_return keeps the effort of w, which later searches have spent.
void oc_outcome_restore(oc_solution *w, const oc_outcome *o);
void oc_outcome_return(oc_solution *w, const oc_outcome *o);
void oc_outcome_free(oc_outcome *o);

// Add the effort of earlier searches to that of the last one: work, factorizations, times.
void oc_effort_add(oc_solve_info *info, const oc_solve_info *before);
#endif
