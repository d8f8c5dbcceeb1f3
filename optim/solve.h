// optim/solve.h: solve a task in one call, or a sequence of tasks as phases.
//
//   oc_task task = {.system = .., .N = 100, .time.T = 10, .start = {q, v}, .goal = {..}, .cost[OC_U].running = w};
//   dm_trajectory *motion;
//   dm_status s = oc_solve(&task, NULL, &motion, NULL, &msg);
//
// optim/solution.h does the same step by step.
#ifndef OC_SOLVE_H
#define OC_SOLVE_H
#include "optim/solution.h"

DM_BEGIN_C

// Solve a task (its arrays are borrowed).
//   set     NULL: the defaults
//   motion  out: a motion with the task's steps and sizes, for dm_trajectory_free; for second order a motion
//           of the system's own steps that follows the solution, or if none does (see info->followed) the
//           solution itself
//   info    out: or NULL
//   msg     out: a sentence if the status is negative, or NULL
// Returns
//   DM_OK, DM_ACCEPTABLE  solved
//   DM_INFEASIBLE, DM_MAX_ITER, DM_INTERRUPTED, DM_STALLED  not solved; the motion is the best one
//                         seen (oc_ipopt_solve, oc_newton_solve)
// and with *motion NULL
//   DM_BAD_INPUT          the task is refused by oc_task_check or a transcription
//   DM_UNAVAILABLE        IPOPT was requested, but this build does not have it or that linear solver
//   DM_NO_MEMORY, DM_NOT_FINITE, DM_FAULT, or the status of the system's Lagrangian.
dm_status oc_solve(const oc_task *task, const oc_setup *set, dm_trajectory **motion,
                   oc_solve_info *info, dm_message *msg);

// Solve consecutive tasks as one program (optim/program/phases.h), from lines through all of them
// (optim/starts/phases_guess.h), and if that leads to no solution from six other guesses, by seeds. Like
// oc_solve, except
//   motion  out: [task->n] a motion of each phase
//   set     second, guess, rollout and newton do not apply to phases: they are not read
dm_status oc_solve_phases(const oc_phases_task *task, const oc_setup *set, dm_trajectory **motion,
                          oc_solve_info *info, dm_message *msg);

DM_END_C
#endif
