#include "optim/contact_diagnosis.h"

#include "optim/contact_programs.h"
#include "optim/guess_search.h"
#include "optim/outcome.h"
#include "optim/rows/contact_rows.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { MOST = 300 }; // iterations

static const double ROOM = 0.3; // of pairs whose schedule is not given

// the program of a phase or of the task, if its schedule is given
static oc_transcription *find_given(const oc_solution *w, int phase, oc_point *part) {
  oc_transcription *t = oc_contact_program(w, phase, &w->point, part);
  return t->contact && t->task.system.contacts->schedule ? t : NULL;
}

// Free the signs of impulses along gaps and of gaps, or also those of the rests of friction bounds, where the schedule
// does not fix them. The directions of sliding and friction stay as scheduled.
static void free_signs(oc_transcription *t, bool bounds) {
  for (int i = 0; i < t->nz; i++) {
    const char *name, *row = oc_contact_rows_text(t, i, &name);
    if (!strcmp(row, "sliding of") || (!bounds && !strcmp(row, "friction bound of"))) continue;
    for (int k = 0; k <= t->N; k++) {
      const int x = oc_transcription_contact(t, k) + i;
      if (!oc_is_given(t, x)) t->x_min[x] = -INFINITY;
    }
  }
}

// the largest fault of the motion at a point of a program
static dm_contact_verdict find_fault(oc_transcription *t, const oc_point *at) {
  const dm_system *s = &t->task.system;
  dm_contact_verdict out = {0};
  dm_trajectory *x = NULL;
  unsigned char *entry = calloc((size_t)(t->N + 1) * (size_t)s->contacts->n, 1);
  if (entry && dm_trajectory_of(&x, t->N, s) == DM_OK &&
      oc_transcription_unpack(t, at->x, x) == DM_OK && dm_contact_check(x, s, entry, &out) != DM_OK)
    out = (dm_contact_verdict){0};
  dm_trajectory_free(x);
  free(entry);
  return out;
}

void oc_contact_diagnose(oc_solution *w, dm_status s) {
  const int programs = oc_contact_programs_count(w);
  oc_outcome failed = {.numbers = NULL};
  oc_point part;
  dm_contact_verdict unmet = {0};
  int phase = 0;
  const bool unsolved = s == DM_INFEASIBLE || s == DM_STALLED || s == DM_MAX_ITER;
  if (!oc_contact_programs_given(w) || !unsolved || w->info.late) return;
  if (oc_outcome_save(w, &failed) != DM_OK) return;
  for (int bounds = 0; bounds < 2 && unmet.worst == 0; bounds++) {
    oc_contact_programs_open(w, ROOM);
    for (int i = 0; i < programs; i++) {
      oc_transcription *t = find_given(w, i, &part);
      if (t) free_signs(t, bounds);
    }
    oc_contact_programs_rebound(w);
    memcpy(w->point.x, w->guess, (size_t)w->nlp->n * sizeof *w->guess);
    w->warm = false;
    if (w->scaled) oc_scaled_rebound(w->scaled);
    const double time = w->set.options.max_time - failed.info.total_s;
    oc_contact_programs_settle(w);
    const dm_status found = oc_search_once(w, MOST, time);
    if (found != DM_OK && found != DM_ACCEPTABLE && found != DM_SADDLE) continue;
    for (int i = 0; i < programs; i++) {
      oc_transcription *t = find_given(w, i, &part);
      const dm_contact_verdict of = t ? find_fault(t, &part) : (dm_contact_verdict){0};
      if (of.worst > unmet.worst) phase = i;
      if (of.worst > unmet.worst) unmet = of;
    }
  }
  oc_effort_add(&w->info, &failed.info);
  oc_outcome_return(w, &failed);
  w->info.unmet = unmet;
  w->info.unmet_phase = phase;
  oc_outcome_free(&failed);
  oc_contact_programs_fix(w);
  if (w->scaled) oc_scaled_rebound(w->scaled);
}
