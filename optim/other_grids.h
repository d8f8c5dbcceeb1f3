// optim/other_grids.h: the tasks of a solution, one or one per phase, on grids with other steps.
//
// References and margins are interpolated from the old grid (optim/starts/regrid.h); stiff damping is fitted
// to the new steps (lib/discrete/stiff_damping.h).
#ifndef OC_OTHER_GRIDS_H
#define OC_OTHER_GRIDS_H
#include "lib/discrete/stiff_damping.h"
#include "optim/solution.h"
#include "optim/starts/regrid.h"

DM_BEGIN_C

// The motions of a solution, one or one per phase.
typedef struct oc_motions {
  int n;
  const dm_trajectory *const *x; // [n]
} oc_motions;

// The number of steps relative to the solution's: an integer, or 1/over.
typedef struct oc_steps_by {
  int times, over;
} oc_steps_by;

typedef struct oc_other_grids {
  int n;
  oc_regridded *grid;     // [n]
  dm_stiff_damping **fit; // [n] NULL: no damping was fitted
  const oc_task **task;   // [n]
} oc_other_grids;

// The motions stored in the solution; of second order, the solution itself instead of the motion that
// follows it.
static inline oc_motions oc_motions_of(const oc_solution *w) {
  if (w->phases) return (oc_motions){w->phased.n, (const dm_trajectory *const *)w->motions};
  if (w->second && w->info.followed == DM_OK)
    return (oc_motions){1, (const dm_trajectory *const *)&w->curve};
  return (oc_motions){1, (const dm_trajectory *const *)&w->motion};
}

// The total number of steps of all motions on this grid.
int oc_other_grids_steps(oc_motions x, oc_steps_by by);

// Make the tasks; x are motions of the solution, which define the step lengths. Returns DM_OK, DM_NO_MEMORY,
// or DM_UNAVAILABLE if a task depends on its grid; g must be freed in all cases.
dm_status oc_other_grids_make(oc_other_grids *g, const oc_solution *w, oc_motions x,
                              oc_steps_by by);
void oc_other_grids_free(oc_other_grids *g);

DM_END_C
#endif
