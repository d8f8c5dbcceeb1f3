#include "optim/solve_phases.h"

#include <assert.h>

dm_status oc_solve_phases(const oc_phases_task *task, const oc_solve_settings *set,
                          dm_trajectory **motion, oc_solve_info *info, dm_message *msg) {
  assert(task && motion);
  oc_solution *w = NULL;
  for (int i = 0; i < task->n; i++) motion[i] = NULL;
  DM_TRY(oc_solution_of_phases(&w, task, set, msg));

  // a guess, and the way from there
  dm_status s = oc_solution_start_phases(w, NULL);
  if (s < 0)
    dm_fail(msg, s, "there is no guess: %s", dm_status_text(s));
  else
    s = oc_solution_find(w, msg);
  if (s == DM_OK) {
    s = w->info.status;
    if (s < 0) dm_fail(msg, s, "%s", dm_status_text(s));
  }
  if (info) *info = w->info;
  for (int i = 0; s >= 0 && i < task->n; i++) {
    motion[i] = w->motions[i];
    w->motions[i] = NULL;
  }
  oc_solution_free(w);
  return s;
}
