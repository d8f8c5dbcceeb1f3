#include "optim/contact_diagnosis.h"

#include "optim/guess_search.h"
#include "optim/outcome.h"
#include "optim/rows/contact_rows.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { MOST = 300 }; // iterations

// Free the signs of impulses along gaps and of gaps, or also those of the rests of friction bounds, where the schedule
// does not fix them. The directions of sliding and friction stay as scheduled.
static void free_signs(oc_transcription *t, bool bounds) {
  for (int i = 0; i < t->nz; i++) {
    const char *name, *row = oc_contact_rows_text(t, i, &name);
    if (!strcmp(row, "sliding of") || (!bounds && !strcmp(row, "friction bound of"))) continue;
    for (int k = 0; k <= t->N; k++) {
      const int x = oc_transcription_contact(t, k) + i;
      if (t->x_min[x] < t->x_max[x]) t->x_min[x] = -INFINITY;
    }
  }
}

// the largest fault of the motion at the point
static void find_fault(oc_solution *w, dm_contact_verdict *out) {
  const dm_system *s = &w->task.system;
  dm_trajectory *x = NULL;
  unsigned char *entry = calloc((size_t)(w->task.N + 1) * (size_t)s->contacts->n, 1);
  if (entry && dm_trajectory_of(&x, w->task.N, s) == DM_OK &&
      oc_transcription_unpack(w->first, w->point.x, x) == DM_OK &&
      dm_contact_check(x, s, entry, out) != DM_OK)
    *out = (dm_contact_verdict){0};
  dm_trajectory_free(x);
  free(entry);
}

void oc_contact_diagnose(oc_solution *w, dm_status s) {
  oc_transcription *t = w->first;
  oc_outcome failed = {.numbers = NULL};
  dm_contact_verdict unmet = {0};
  const bool unsolved = s == DM_INFEASIBLE || s == DM_STALLED || s == DM_MAX_ITER;
  if (!w->task.system.contacts->schedule || !unsolved || w->info.late) return;
  if (oc_outcome_save(w, &failed) != DM_OK) return;
  oc_contact_rows_take_given(t);
  for (int bounds = 0; bounds < 2 && unmet.worst == 0; bounds++) {
    oc_contact_rows_fix(t);
    free_signs(t, bounds);
    memcpy(w->point.x, w->guess, (size_t)w->nlp->n * sizeof *w->guess);
    w->warm = false;
    if (w->scaled) oc_scaled_rebound(w->scaled);
    const double time = w->set.options.max_time - failed.info.total_s;
    const dm_status found = oc_search_once(w, MOST, time);
    if (found == DM_OK || found == DM_ACCEPTABLE || found == DM_SADDLE) find_fault(w, &unmet);
  }
  oc_effort_add(&w->info, &failed.info);
  oc_outcome_return(w, &failed);
  w->info.unmet = unmet;
  oc_outcome_free(&failed);
  oc_contact_rows_fix(t);
  if (w->scaled) oc_scaled_rebound(w->scaled);
}
