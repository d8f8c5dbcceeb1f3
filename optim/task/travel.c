#include "optim/task/travel.h"

#include "optim/task/lagrangian_image.h"

#include <math.h>
#include <stdlib.h>

double oc_travel_least(const oc_task *task, int i) {
  double low, high;
  oc_task_travel(task, i, &low, &high);
  return fmin(fmax(0, low), high);
}

// is L invariant under the largest travel of coordinate i in both directions?
static bool is_travel_alike(const oc_task *task, oc_image *w, int i, double *shift) {
  const double some = 1.37 * oc_image_size(w, i); // for an unbounded travel
  double way[2];
  bool alike = true;
  oc_task_travel(task, i, &way[0], &way[1]);
  for (int end = 0; end < 2; end++) {
    shift[i] = isfinite(way[end]) ? way[end] : some;
    alike = alike && oc_image_is_alike(w, 1, shift);
  }
  shift[i] = 0;
  return alike;
}

dm_status oc_travel_changes(const oc_task *task, int *coord) {
  const int n = task->system.L.nq;
  oc_image *w = NULL;
  *coord = -1;
  double *shift = calloc((size_t)n, sizeof *shift);
  dm_status s = shift ? oc_image_new(&w, task) : DM_NO_MEMORY;
  for (int i = 0; s == DM_OK && *coord < 0 && i < n; i++) {
    double low, high;
    if (oc_task_travel(task, i, &low, &high) && low == 0) continue;
    if (!is_travel_alike(task, w, i, shift)) *coord = i;
  }
  oc_image_free(w);
  free(shift);
  return s;
}

// does only L depend on coordinate i?
static bool is_place_free(const oc_task *t, int i) {
  const bool costs =
      oc_weight(t->cost[OC_Q].running, i) > 0 || oc_weight(t->cost[OC_Q].goal, i) > 0;
  const bool bounded = !dm_range_is_none(oc_task_range(t, OC_Q, i));
  return t->start.q && isnan(t->start.q[i]) && !costs && !bounded;
}

dm_status oc_travel_anywhere(const oc_task *task, const bool *among, int *coord) {
  const dm_system *s = &task->system;
  const bool asked = task->outputs.nlimits > 0 || task->outputs.ncosts > 0;
  const int n = s->L.nq;
  oc_image *w = NULL;
  *coord = -1;
  if (!task->periodic || asked || s->hol.nc || s->force.count || s->nk) return DM_OK;
  double *shift = calloc((size_t)n, sizeof *shift);
  dm_status status = shift ? oc_image_new(&w, task) : DM_NO_MEMORY;
  for (int i = 0; status == DM_OK && *coord < 0 && i < n; i++) {
    if (!among[i] || !is_place_free(task, i)) continue;
    shift[i] = 1.37 * oc_image_size(w, i); // an arbitrary distance
    if (oc_image_is_alike(w, 1, shift)) *coord = i;
    shift[i] = 0;
  }
  oc_image_free(w);
  free(shift);
  return status;
}
