#include "optim/nlp/deadline.h"

#include <math.h>
#include <stddef.h>
#include <time.h>

double oc_clock(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

dm_status oc_deadline_ask(const oc_deadline *d) {
  if (!d) return DM_OK;
  if (d->stop && d->stop(d->user)) return DM_INTERRUPTED;
  return !isinf(d->until) && oc_clock() > d->until ? DM_MAX_ITER : DM_OK;
}

dm_status oc_deadline_heed(const oc_deadline *d) {
  return oc_deadline_ask(d) == DM_OK ? DM_OK : DM_CUT_SHORT;
}
