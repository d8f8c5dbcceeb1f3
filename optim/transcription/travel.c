#include "optim/transcription/travel.h"

#include "optim/transcription/lagrangian_image.h"

#include <math.h>
#include <stdlib.h>

double oc_travel_least(const oc_task *task, int i) {
  double low, high;
  oc_task_travel(task, i, &low, &high);
  return fmin(fmax(0, low), high);
}

// is L as it was where coordinate i alone has gone as far as it may, either way?
static bool is_travel_alike(const oc_task *task, oc_image *w, int i, double *shift) {
  const double some = 1.37; // of what may go any way, m or rad
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
  dm_status s = shift ? oc_image_new(&w, &task->system.L) : DM_NO_MEMORY;
  for (int i = 0; s == DM_OK && *coord < 0 && i < n; i++) {
    double low, high;
    if (oc_task_travel(task, i, &low, &high) && low == 0) continue;
    if (!is_travel_alike(task, w, i, shift)) *coord = i;
  }
  oc_image_free(w);
  free(shift);
  return s;
}
