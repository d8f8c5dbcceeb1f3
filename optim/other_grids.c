#include "optim/other_grids.h"

#include <stdlib.h>

int oc_other_grids_steps(oc_motions x, oc_steps_by by) {
  int steps = 0;
  for (int i = 0; i < x.n; i++) steps += x.x[i]->N * by.times / by.over;
  return steps;
}

// Fit stiff damping to steps of length h instead of the task's steps.
static dm_status refit(dm_stiff_damping **fit, oc_task *task, double h) {
  dm_system plain = task->system;
  if (!plain.physical) return DM_OK;
  plain.L = *plain.physical;
  plain.physical = NULL;
  plain.lag = NULL;
  DM_TRY(dm_stiff_damping_new(fit, &plain, h));
  task->system = dm_stiff_damping_system(*fit, &plain);
  return DM_OK;
}

dm_status oc_other_grids_make(oc_other_grids *g, const oc_solution *w, oc_motions x,
                              oc_steps_by by) {
  const size_t n = (size_t)x.n;
  *g = (oc_other_grids){x.n, calloc(n, sizeof *g->grid), calloc(n, sizeof(void *)),
                        calloc(n, sizeof(void *))};
  dm_status s = g->grid && g->fit && g->task ? DM_OK : DM_NO_MEMORY;
  for (int i = 0; s == DM_OK && i < x.n; i++) {
    const oc_task *of = w->phases ? w->phased.task[i] : &w->task;
    const double h = x.x[i]->h * by.over / by.times;
    oc_task found = *of;
    if (oc_task_frees_steps(of)) { // the steps that were found
      found.time.grid = x.x[i]->grid;
      found.time.least = found.time.most = 0;
    }
    s = oc_task_regrid(&g->grid[i], &found, x.x[i]->N * by.times / by.over);
    if (s == DM_OK) s = refit(&g->fit[i], &g->grid[i].task, h);
    g->task[i] = &g->grid[i].task;
  }
  return s;
}

void oc_other_grids_free(oc_other_grids *g) {
  for (int i = 0; i < g->n; i++) {
    if (g->grid) oc_regridded_free(&g->grid[i]);
    if (g->fit) dm_stiff_damping_free(g->fit[i]);
  }
  free(g->grid);
  free(g->fit);
  free(g->task);
  *g = (oc_other_grids){0};
}
