#include "optim/outcome.h"

#include <stdlib.h>
#include <string.h>

dm_status oc_outcome_save(const oc_solution *w, oc_outcome *o) {
  oc_outcome_free(o);
  const size_t rows = (size_t)w->info.rows;
  o->count = 4 * (size_t)w->nlp->n + (size_t)w->nlp->m;
  o->info = w->info;
  o->numbers = calloc(o->count, sizeof *o->numbers);
  o->record = calloc(rows + 1, sizeof *o->record);
  if (!o->numbers || !o->record) return DM_NO_MEMORY;
  memcpy(o->numbers, w->point.x, o->count * sizeof *o->numbers);
  if (rows) memcpy(o->record, w->record, rows * sizeof *o->record);
  return DM_OK;
}

void oc_outcome_restore(oc_solution *w, const oc_outcome *o) {
  w->info = o->info;
  memcpy(w->point.x, o->numbers, o->count * sizeof *o->numbers);
  if (o->info.rows) memcpy(w->record, o->record, (size_t)o->info.rows * sizeof *o->record);
}

void oc_outcome_return(oc_solution *w, const oc_outcome *o) {
  const oc_solve_info all = w->info;
  oc_outcome_restore(w, o);
  w->info.spent = w->info.factorizations = w->info.by_ldl = 0;
  w->info.total_s = w->info.derivatives_s = 0;
  oc_effort_add(&w->info, &all);
}

void oc_outcome_free(oc_outcome *o) {
  free(o->numbers);
  free(o->record);
  *o = (oc_outcome){0};
}

void oc_effort_add(oc_solve_info *info, const oc_solve_info *before) {
  info->spent += before->spent;
  info->factorizations += before->factorizations;
  info->by_ldl += before->by_ldl;
  info->total_s += before->total_s;
  info->derivatives_s += before->derivatives_s;
}
