#include "optim/nlp/deadline.h"

#include <math.h>
#include <stddef.h>
#include <time.h>

double oc_clock(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

dm_status oc_deadline_ask(oc_deadline *d) {
  if (!d || d->over != DM_OK) return d ? d->over : DM_OK;

  // a stop request has priority over the time limit
  if (d->stop && d->stop(d->user))
    d->over = DM_INTERRUPTED;
  else if (!isinf(d->until) && oc_clock() > d->until)
    d->over = DM_MAX_ITER;
  return d->over;
}

dm_status oc_deadline_heed(oc_deadline *d) {
  return oc_deadline_ask(d) == DM_OK ? DM_OK : DM_CUT_SHORT;
}
