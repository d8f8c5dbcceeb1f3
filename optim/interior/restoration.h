// optim/interior/restoration.h: back to where the filter takes a point: the violation is minimized
// near the iterate,
//
//   minimize 1000 sum (p + n) + sqrt(mu)/2 (x - ref)'D (x - ref)
//   subject to   c(x, s) - p + n = 0,   D = 1 / max(1, |ref|)
//
// until it has fallen by a tenth at a point that the filter takes. A minimum with a violation says
// that the program is infeasible to first order there.
//
// Source: [waechter-biegler-2006], section 3.3, in docs/sources.md.
#ifndef OC_INTERIOR_RESTORATION_H
#define OC_INTERIOR_RESTORATION_H
#include "optim/interior/phase.h"

// Begin at the iterate of the task's own program: everything of r but what is shared is set.
// Returns DM_OK or the program's failure.
dm_status oc_restoration_start(oc_phase *r, const oc_phase *own);
// Is the restoration's iterate one that the task's own filter takes? It is then own's trial point.
bool oc_restoration_is_done(const oc_phase *r, oc_phase *own);
// Go on with the trial point: multipliers follow, those of the rows are 0.
void oc_restoration_return(oc_phase *own);
// p and n at their best for the x of the iterate; false: its rows hold already.
bool oc_restoration_relax(oc_phase *r);
// The largest violation of a row of the task's own, unscaled, at the restoration's iterate.
double oc_restoration_violation(const oc_phase *r);
#endif
