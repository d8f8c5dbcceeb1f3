// optim/solution_start.h: the initial point of a solution: a motion, or the guess of its settings.
#ifndef OC_SOLUTION_START_H
#define OC_SOLUTION_START_H
#include "optim/solution_layout.h"

DM_BEGIN_C

// Set the point to a guess: this motion, or with NULL the guess of the settings. A caller with multipliers of
// a nearby solution may then write them to w->point and set w->warm, here or when set.fall_back is called.
// Returns DM_OK, DM_NO_MEMORY, or the Lagrangian's failure.
dm_status oc_solution_start(oc_solution *w, const dm_trajectory *guess);

// The same for phases: these motions [phased.n], each with its task's steps, or with NULL lines.
dm_status oc_solution_start_phases(oc_solution *w, const dm_trajectory *const *guess);

// Allocate a motion for each phase in *out [phased.n], each with its task's steps, with momenta computed
// later; and free them (accepts NULL). Returns DM_OK or DM_NO_MEMORY.
dm_status oc_solution_motions(const oc_solution *w, dm_trajectory ***out);
void oc_solution_free_motions(dm_trajectory **motion, int n);

DM_END_C
#endif
