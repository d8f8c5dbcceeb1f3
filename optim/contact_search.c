#include "optim/contact_search.h"

#include "optim/guess_search.h"
#include "optim/rows/contact_rows.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { FLIPS = 10 };
static const double EPSILON = 1e-4; // the last room of pairs
static const double LOWER = 1e-9;   // relative: a schedule is better if its objective is lower by more
static const double LOOSE = 1e-4;   // tolerance of searches whose pairs have room

// add the effort of earlier searches
static void add_effort(oc_solve_info *info, const oc_solve_info *before) {
  info->spent += before->spent;
  info->factorizations += before->factorizations;
  info->by_ldl += before->by_ldl;
  info->total_s += before->total_s;
  info->derivatives_s += before->derivatives_s;
}

// one search from the point, within what is left of the limits
static dm_status search_further(oc_solution *w, double tol) {
  const oc_options options = w->set.options;
  const oc_solve_info before = w->info;
  const int iterations = options.max_iter - before.spent;
  const double time = options.max_time - before.total_s;
  if (iterations < 1 || time <= 0) return DM_MAX_ITER;
  w->set.options.tol = fmax(tol, options.tol);
  if (w->scaled) oc_scaled_rebound(w->scaled);
  const dm_status s = oc_search_once(w, iterations, time);
  w->set.options = options;
  add_effort(&w->info, &before);
  if (getenv("DMOC_TRACE"))
    fprintf(stderr, "  search: status %d (%s) iterations %d spent %d objective %.8g violation %g\n",
            s, w->info.detail, w->info.iterations, w->info.spent, w->info.objective,
            w->info.violation_share);
  return s;
}

static bool is_solved(dm_status s) {
  return s == DM_OK || s == DM_ACCEPTABLE;
}

// 4  of the algorithm: schedules with lower objectives; from the solution of one
static dm_status improve_schedule(oc_solution *w, dm_status s) {
  oc_transcription *t = w->first;
  const size_t size = (4 * (size_t)w->nlp->n + (size_t)w->nlp->m) * sizeof(double);
  double *best = malloc(size);
  if (!best) return DM_NO_MEMORY;
  for (int round = 0; round < FLIPS; round++) {
    const oc_solve_info info = w->info;
    memcpy(best, w->point.x, size);
    const int flips = oc_contact_rows_flip(t, w->point.x, w->point.z_l);
    if (getenv("DMOC_TRACE")) fprintf(stderr, "  flips %d\n", flips);
    if (!flips) break;
    s = search_further(w, 0);
    if (is_solved(s) && w->info.objective < info.objective - LOWER * fabs(info.objective)) continue;

    // it is no better: the schedule before
    const oc_solve_info last = w->info;
    memcpy(w->point.x, best, size);
    w->info = info;
    w->info.spent = last.spent;
    w->info.factorizations = last.factorizations;
    w->info.by_ldl = last.by_ldl;
    w->info.total_s = last.total_s;
    w->info.derivatives_s = last.derivatives_s;
    s = s == DM_INTERRUPTED || s < 0 ? s : DM_OK;
    oc_contact_rows_read(t, w->point.x);
    oc_contact_rows_fix(t);
    break;
  }
  free(best);
  return s;
}

dm_status oc_search_contacts(oc_solution *w) {
  oc_transcription *t = w->first;
  dm_status s = DM_OK;
  w->info = (oc_solve_info){.status = DM_OK};

  // 1  pairs with less and less room
  const char *e0 = getenv("ROOM"), *e1 = getenv("FACTOR");
  const double first = e0 ? atof(e0) : 1, factor = e1 ? atof(e1) : 0.2;
  for (double room = first; room >= 0.99 * EPSILON && s >= 0; room *= factor) {
    oc_contact_rows_open(t, room);
    s = search_further(w, LOOSE);
    w->warm = true;
  }
  if (s < 0 || s == DM_INTERRUPTED) return s;

  // 2, 3  the schedule
  oc_contact_rows_read(t, w->point.x);
  oc_contact_rows_fix(t);
  w->warm = false;
  s = search_further(w, 0);
  return is_solved(s) ? improve_schedule(w, s) : s;
}
