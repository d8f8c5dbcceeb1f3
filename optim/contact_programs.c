#include "optim/contact_programs.h"

#include "optim/rows/contact_cone.h"
#include "optim/rows/contact_rows.h"

int oc_contact_programs_count(const oc_solution *w) {
  if (w->phases) return w->phased.n;
  return w->first ? 1 : 0;
}

oc_transcription *oc_contact_program(const oc_solution *w, int i, const oc_point *of,
                                     oc_point *part) {
  *part = w->phases ? oc_phases_point(w->phases, i, of) : *of;
  return w->phases ? oc_phases_program(w->phases, i) : w->first;
}

// program i, if it has contacts
static oc_transcription *find_program(const oc_solution *w, int i, const oc_point *of,
                                      oc_point *part) {
  oc_transcription *t = oc_contact_program(w, i, of, part);
  return t->contact ? t : NULL;
}

static bool is_given(const oc_transcription *t) {
  return t->task.system.contacts->schedule != NULL;
}

// the number of programs with contacts, and of those whose schedules are given
static int count_programs(const oc_solution *w, int *given) {
  int all = 0;
  oc_point part;
  *given = 0;
  for (int i = 0; i < oc_contact_programs_count(w); i++) {
    const oc_transcription *t = find_program(w, i, &w->point, &part);
    all += t != NULL;
    *given += t && is_given(t);
  }
  return all;
}

bool oc_contact_programs_exist(const oc_solution *w) {
  int given;
  return count_programs(w, &given) > 0;
}

bool oc_contact_programs_given(const oc_solution *w) {
  int given;
  count_programs(w, &given);
  return given > 0;
}

bool oc_contact_programs_searched(const oc_solution *w) {
  int given;
  return count_programs(w, &given) > given;
}

void oc_contact_programs_rebound(oc_solution *w) {
  if (w->phases) oc_phases_rebound(w->phases);
}

void oc_contact_programs_open(oc_solution *w, double room) {
  oc_point part;
  for (int i = 0; i < oc_contact_programs_count(w); i++) {
    oc_transcription *t = find_program(w, i, &w->point, &part);
    if (!t) continue;
    oc_contact_rows_open(t, room);
    if (oc_contact_rows_take_given(t)) oc_contact_rows_fix(t);
  }
  oc_contact_programs_rebound(w);
}

void oc_contact_programs_curve(oc_solution *w, bool curved) {
  oc_point part;
  for (int i = 0; i < oc_contact_programs_count(w); i++) {
    oc_transcription *t = find_program(w, i, &w->point, &part);
    if (t) oc_contact_rows_curve(t, curved);
  }
}

void oc_contact_programs_read(oc_solution *w) {
  oc_point part;
  for (int i = 0; i < oc_contact_programs_count(w); i++) {
    oc_transcription *t = find_program(w, i, &w->point, &part);
    if (t && !is_given(t)) oc_contact_rows_read(t, part.x);
  }
}

void oc_contact_programs_fix(oc_solution *w) {
  oc_point part;
  for (int i = 0; i < oc_contact_programs_count(w); i++) {
    oc_transcription *t = find_program(w, i, &w->point, &part);
    if (!t) continue;
    oc_contact_rows_take_given(t);
    oc_contact_rows_fix(t);
  }
  oc_contact_programs_rebound(w);
}

void oc_contact_programs_settle(oc_solution *w) {
  oc_point part;
  for (int i = 0; i < oc_contact_programs_count(w); i++) {
    const oc_transcription *t = find_program(w, i, &w->point, &part);
    if (t) oc_contact_cone_settle(t, part.x);
  }
}

int oc_contact_programs_flip(oc_solution *w) {
  int flips = 0;
  oc_point part;
  for (int i = 0; i < oc_contact_programs_count(w); i++) {
    oc_transcription *t = find_program(w, i, &w->point, &part);
    if (t && !is_given(t)) flips += oc_contact_rows_flip(t, &part, w->info.objective);
  }
  oc_contact_programs_rebound(w);
  return flips;
}

// change the schedule of each program without a given one, by its unknowns x; returns the number of changes
static int change_schedules(oc_solution *w, int (*change)(oc_transcription *t, const double *x)) {
  int changes = 0;
  oc_point part;
  for (int i = 0; i < oc_contact_programs_count(w); i++) {
    oc_transcription *t = find_program(w, i, &w->point, &part);
    if (t && !is_given(t)) changes += change(t, part.x);
  }
  oc_contact_programs_rebound(w);
  return changes;
}

int oc_contact_programs_release(oc_solution *w) {
  return change_schedules(w, oc_contact_rows_release);
}

int oc_contact_programs_part(oc_solution *w) {
  return change_schedules(w, oc_contact_rows_part);
}

bool oc_contact_programs_can_release(const oc_solution *w) {
  oc_point part;
  for (int i = 0; i < oc_contact_programs_count(w); i++) {
    const oc_transcription *t = find_program(w, i, &w->point, &part);
    const dm_contact_laws *laws = t && !is_given(t) ? t->task.system.contacts : NULL;
    for (int l = 0; laws && l < laws->n; l++)
      if (laws->law[l].gap >= 0 && laws->law[l].tangents == 1) return true;
  }
  return false;
}
