#include "optim/solve.h"

#include <assert.h>

// Solve from a guess and evaluate the outcome.
//   started  the status of the guess
static dm_status find_motion(oc_solution *w, dm_status started, dm_message *msg) {
  if (started < 0) return dm_fail(msg, started, "there is no guess: %s", dm_status_text(started));
  DM_TRY(oc_solution_find(w, msg));
  const dm_status s = w->info.status;
  return s < 0 ? dm_fail(msg, s, "%s", dm_status_text(s)) : s;
}

dm_status oc_solve(const oc_task *task, const oc_setup *set, dm_trajectory **motion,
                   oc_solve_info *info, dm_message *msg) {
  assert(task && motion);
  oc_solution *w = NULL;
  *motion = NULL;
  DM_TRY(oc_solution_new(&w, task, set, msg));
  const dm_status s = find_motion(w, oc_solution_start(w, NULL), msg);
  if (info) *info = w->info;
  // the caller takes the motion
  if (s >= 0) {
    *motion = w->motion;
    w->motion = NULL;
  }
  oc_solution_free(w);
  return s;
}

dm_status oc_solve_phases(const oc_phases_task *task, const oc_setup *set, dm_trajectory **motion,
                          oc_solve_info *info, dm_message *msg) {
  assert(task && motion);
  oc_solution *w = NULL;
  for (int i = 0; i < task->n; i++) motion[i] = NULL;
  DM_TRY(oc_solution_of_phases(&w, task, set, msg));
  const dm_status s = find_motion(w, oc_solution_start_phases(w, NULL), msg);
  if (info) *info = w->info;
  for (int i = 0; s >= 0 && i < task->n; i++) {
    motion[i] = w->motions[i];
    w->motions[i] = NULL;
  }
  oc_solution_free(w);
  return s;
}
