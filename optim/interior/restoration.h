// optim/interior/restoration.h: feasibility restoration: minimizes the violation near the iterate
// until the filter accepts a point,
//
//   minimize 1000 sum (p + n) + sqrt(mu)/2 (x - ref)'D (x - ref)
//   subject to   c(x, s) - p + n = 0,   D = 1 / max(1, |ref|)
//
// until the violation has decreased by a tenth at a point that the filter accepts. A minimum with a
// violation shows that the program is infeasible there to first order.
//
// Source: [waechter-biegler-2006], section 3.3, in docs/sources.md.
#ifndef OC_INTERIOR_RESTORATION_H
#define OC_INTERIOR_RESTORATION_H
#include "optim/interior/phase.h"

// Start at the iterate of the task's program: sets everything of r that is not shared. Returns
// DM_OK or the failure of the program.
dm_status oc_restoration_start(oc_phase *r, const oc_phase *own);
// Returns true if the task's filter accepts the restoration's iterate, which is then own's trial
// point.
bool oc_restoration_is_done(const oc_phase *r, oc_phase *own);
// Continue with the trial point: update multipliers; those of the rows are 0.
void oc_restoration_return(oc_phase *own);
// Optimal p and n for the x of the iterate; false: its rows hold already.
bool oc_restoration_relax(oc_phase *r);
// The largest unscaled violation of a row of the task at the restoration's iterate.
double oc_restoration_violation(const oc_phase *r);
#endif
