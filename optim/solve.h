// optim/solve.h: from a task to a motion, in one call, and from tasks one after another to theirs.
//
//   oc_task task = {.system = .., .N = 100, .T = 10, .q_start = .., .q_goal = .., .w_u = ..};
//   dm_trajectory *motion;
//   dm_status s = oc_solve(&task, NULL, &motion, NULL, &msg);
//
// optim/solution.h is the same way in its parts.
#ifndef OC_SOLVE_H
#define OC_SOLVE_H
#include "optim/solution.h"

DM_BEGIN_C

// Solve a task (its arrays are borrowed).
//   set     NULL: the defaults
//   motion  out: a motion of the task's steps and sizes, for dm_trajectory_free; of second order the
//           one of the system's own steps that follows the solution, or where none does (see
//           info->followed) the solution itself
//   info    out: or NULL
//   msg     out: a sentence where the status is negative, or NULL
// Returns
//   DM_OK, DM_ACCEPTABLE  solved
//   DM_INFEASIBLE, DM_MAX_ITER, DM_INTERRUPTED, DM_STALLED  not solved; the motion is the best one
//                         seen (oc_ipopt_solve, oc_newton_solve)
// and with *motion NULL
//   DM_BAD_INPUT          what oc_task_check and the transcriptions say of the task
//   DM_UNAVAILABLE        IPOPT was asked for, and this build has none or not that linear solver
//   DM_NO_MEMORY, DM_NOT_FINITE, DM_FAULT, or what the system's Lagrangian returns.
dm_status oc_solve(const oc_task *task, const oc_solve_settings *set, dm_trajectory **motion,
                   oc_solve_info *info, dm_message *msg);

// Solve tasks one after another as one program (optim/program/phases.h), from lines through all
// of them (optim/starts/phases_guess.h), and where that leads to no solution from six others, by
// seeds. As oc_solve, but for
//   motion  out: [task->n] a motion of each phase
//   set     second, guess, rollout and newton are not of phases: they are not read
dm_status oc_solve_phases(const oc_phases_task *task, const oc_solve_settings *set,
                          dm_trajectory **motion, oc_solve_info *info, dm_message *msg);

DM_END_C
#endif
