// optim/solve_phases.h: from tasks one after another to their motions, in one call.
//
// The same way in its parts is optim/solve.h's: oc_solution_of_phases, oc_solution_start_phases,
// oc_solution_find.
#ifndef OC_SOLVE_PHASES_H
#define OC_SOLVE_PHASES_H
#include "optim/solve.h"

DM_BEGIN_C

// Solve tasks one after another as one program (optim/transcription/phases.h), from lines through all
// of them (optim/transcription/phases_guess.h), and where that leads to no solution from six others, by
// seeds. As oc_solve, but for
//   motion  out: [task->n] a motion of each phase
//   set     second, guess, rollout and newton are not of phases: they are not read
dm_status oc_solve_phases(const oc_phases_task *task, const oc_solve_settings *set,
                          dm_trajectory **motion, oc_solve_info *info, dm_message *msg);

DM_END_C
#endif
