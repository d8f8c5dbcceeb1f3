// optim/other_grids.h: the tasks of a solution, one or one of each phase, on grids of other steps.
//
// References and margins are taken from the old grid (optim/starts/regrid.h); stiff damping is
// fitted to the new steps (lib/discrete/stiff_damping.h).
#ifndef OC_OTHER_GRIDS_H
#define OC_OTHER_GRIDS_H
#include "lib/discrete/stiff_damping.h"
#include "optim/solution.h"
#include "optim/starts/regrid.h"

DM_BEGIN_C

// The motions of a solution, one or one of each phase.
typedef struct oc_motions {
  int n;
  const dm_trajectory *const *x; // [n]
} oc_motions;

// Steps over those of the solution: whole, or 1/over.
typedef struct oc_steps_by {
  int times, over;
} oc_steps_by;

typedef struct oc_other_grids {
  int n;
  oc_regridded *grid;     // [n]
  dm_stiff_damping **fit; // [n] NULL: nothing is fitted
  const oc_task **task;   // [n]
} oc_other_grids;

// The motions that the solution itself has.
static inline oc_motions oc_motions_of(const oc_solution *w) {
  if (w->phases) return (oc_motions){w->phased.n, (const dm_trajectory *const *)w->motions};
  return (oc_motions){1, (const dm_trajectory *const *)&w->motion};
}

// The steps of all motions together on such a grid.
int oc_other_grids_steps(oc_motions x, oc_steps_by by);

// Make the tasks; x: motions of the solution, whose steps are as long as they came to be. Returns DM_OK,
// DM_NO_MEMORY, or DM_UNAVAILABLE where a task means something else on another grid; g is to be freed
// after any.
dm_status oc_other_grids_make(oc_other_grids *g, const oc_solution *w, oc_motions x,
                              oc_steps_by by);
void oc_other_grids_free(oc_other_grids *g);

DM_END_C
#endif
