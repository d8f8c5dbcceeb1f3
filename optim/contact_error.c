#include "optim/contact_error.h"

#include "lib/discrete/contact_check.h"
#include "optim/contact_programs.h"
#include "optim/contact_search.h"
#include "optim/guess_search.h"
#include "optim/outcome.h"
#include "optim/program/prolong.h"
#include "optim/rows/contact_rows.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum {
  LEAST = 100,  // iterations of each motion, at least
  SEARCHES = 3, // iterations of the finer grid, and
  EFFORT = 10   // of all motions, relative to those of the solution
};
static const double SAME = 1e-6;    // relative to an objective: rounding
static const double STALLED = 1e-3; // gradient of a finer motion, if feet share a load in many ways

// A phase, or the task, with the solution's schedule.
typedef struct scheduled {
  oc_task task;
  dm_contact_laws laws;
  unsigned char *entry,
      *kept; // [knots x laws] the schedule, and a copy while it is changed; NULL: no contacts
} scheduled;

typedef struct measurer {
  const oc_solution *w;
  oc_motions x;
  int most;
  scheduled *of;        // [x.n]
  const oc_task **task; // [x.n]
  oc_solution *own;     // their program
  bool loosened, can_loosen;
  double error;
  oc_contact_error *out;
} measurer;

static const char *const no_finer = "no motion is found on steps of half the length",
                         *const no_moved = "no motion is found in which a contact changes a step "
                                           "earlier or later than planned",
                         *const too_long = "contacts change so often that it takes too many "
                                           "iterations; compare with a plan of more steps";

// A knot's entries of all laws.
static unsigned char *at_knot(const scheduled *of, int k) {
  return of->entry + (size_t)k * (size_t)of->laws.n;
}

// the schedule of phase i
static dm_status read_schedule(measurer *m, int i) {
  const dm_trajectory *x = m->x.x[i];
  scheduled *of = &m->of[i];
  dm_contact_verdict verdict;
  of->task = m->w->phases ? *m->w->phased.task[i] : m->w->task;
  m->task[i] = &of->task;
  const dm_contact_laws *laws = of->task.system.contacts;
  if (!laws) return DM_OK;
  const size_t size = (size_t)laws->n * (size_t)(x->N + 1);
  of->entry = calloc(2 * size, 1);
  if (!of->entry) return DM_NO_MEMORY;
  of->kept = of->entry + size;
  DM_TRY(dm_contact_check(x, &of->task.system, of->entry, &verdict));
  of->laws = *laws;
  of->laws.schedule = of->entry;
  of->laws.knots = x->N + 1;
  of->task.system.contacts = &of->laws;
  return DM_OK;
}

// a solution of these tasks
static dm_status make_program(const measurer *m, const oc_task *const *task, oc_solution **out) {
  const oc_solution *w = m->w;
  oc_setup set = {.options = w->set.options, .hooks = w->set.hooks};
  set.options.method = OC_SOLVER_STAGE;
  set.options.only_guess = true;
  if (!w->phases) {
    DM_TRY(oc_solution_new(out, task[0], &set, NULL));
    return oc_solution_start(*out, m->x.x[0]);
  }
  oc_phases_task phased = w->phased;
  phased.task = task;
  DM_TRY(oc_solution_of_phases(out, &phased, &set, NULL));
  return oc_solution_start_phases(*out, NULL);
}

// The solution's point with its multipliers, on the grid of another program.
static void begin_from_solution(const measurer *m, oc_solution *other) {
  const oc_solution *w = m->w;
  if (w->phases)
    oc_phases_prolong(w->phases, &w->point, other->phases, &other->point);
  else
    oc_transcription_prolong(w->first, &w->point, other->first, &other->point);
  memcpy(other->guess, other->point.x, (size_t)other->nlp->n * sizeof *other->guess);
  if (other->scaled) oc_scaled_rebound(other->scaled);
  other->warm = true;
  other->info = (oc_solve_info){.status = DM_OK};
}

// The objective of a motion that was found, with its effort; NAN: it was not.
static double take_objective(measurer *m, const oc_solution *other, dm_status s) {
  const double *at = other->point.x;
  m->out->iterations += other->info.spent;
  m->out->total_s += other->info.total_s;
  if (s != DM_OK && s != DM_ACCEPTABLE) return NAN;
  return other->info.objective - (other->phases ? oc_phases_tie(other->phases, at)
                                                : oc_transcription_tie(other->first, at));
}

static double find_time_left(const measurer *m) {
  return m->w->set.options.max_time - m->w->info.total_s - m->out->total_s;
}

// The objective under the schedule on the solution's grid; with `loose`, signs beside changes are free. NAN: no motion is
// found.
static double solve_schedule(measurer *m, bool loose) {
  oc_solution *own = m->own;
  oc_point part;
  oc_contact_programs_fix(own);
  for (int i = 0; loose && i < oc_contact_programs_count(own); i++) {
    oc_transcription *t = oc_contact_program(own, i, &own->point, &part);
    if (t->contact) oc_contact_rows_loosen(t);
  }
  oc_contact_programs_rebound(own);
  begin_from_solution(m, own);
  oc_contact_programs_settle(own);
  const double left = find_time_left(m);
  return take_objective(m, own, left > 0 ? oc_search_once(own, m->most, left) : DM_MAX_ITER);
}

// J_2N: from the solution's schedule, or if that is not possible on the finer grid from a search
static dm_status measure_finer(measurer *m, double *J) {
  oc_other_grids fine;
  oc_solution *other = NULL;
  *J = NAN;
  dm_status s = oc_other_grids_make(&fine, m->w, m->x, (oc_steps_by){2, 1});
  if (s == DM_OK) s = make_program(m, fine.task, &other);
  if (s == DM_OK) {
    begin_from_solution(m, other);
    other->set.options.only_guess = false;
    other->set.options.max_iter = SEARCHES * (LEAST + m->w->info.spent);
    other->set.options.max_time = find_time_left(m);
    other->set.options.contact.stalled = STALLED;
    s = oc_search_contacts(other);
    *J = take_objective(m, other, s);
  }
  oc_solution_free(other);
  oc_other_grids_free(&fine);
  return s == DM_NO_MEMORY ? s : DM_OK;
}

// the laws that change at knot k; *law: the first of them
static int count_changes(const scheduled *of, int k, int *law) {
  int count = 0;
  for (int l = of->laws.n - 1; l >= 0; l--) {
    if (at_knot(of, k)[l] == at_knot(of, k - 1)[l]) continue;
    *law = l;
    count++;
  }
  return count;
}

// Is the solution also that of its schedule without signs beside changes? Else motions without them are others.
static bool can_loosen(measurer *m) {
  const double J = m->w->info.objective;
  if (!m->loosened) m->can_loosen = fabs(solve_schedule(m, true) - J) <= SAME * fabs(J);
  m->loosened = true;
  return m->can_loosen;
}

// The larger change of the objective if the changes at the knots first .. last come a knot earlier, or later.
static double move_changes(measurer *m, int phase, int first, int last) {
  const scheduled *of = &m->of[phase];
  const size_t n = (size_t)of->laws.n, size = (size_t)(m->x.x[phase]->N + 1) * n;
  const double J = m->w->info.objective;
  double error = NAN;
  memcpy(of->kept, of->entry, size);
  for (int loose = 0; loose < 2 && isnan(error); loose++) {
    if (loose && !can_loosen(m)) break;
    for (int later = 0; later < 2; later++) {
      memmove(at_knot(of, first - !later), at_knot(of, first - later),
              (size_t)(last - first + 1) * n);
      error = fmax(error, fabs(solve_schedule(m, loose) - J)); // not NAN if one of them is known
      memcpy(of->entry, of->kept, size);
    }
  }
  return error;
}

// Add all changes of a phase, those at knots next to each other together. Returns whether all are known.
static bool add_changes(measurer *m, int phase) {
  const scheduled *of = &m->of[phase];
  const int N = m->x.x[phase]->N;
  int first = 1, law, other;
  for (; of->entry && first <= N; first++) {
    int last = first, changes = count_changes(of, first, &law);
    if (!changes) continue;
    for (int more; last < N && (more = count_changes(of, last + 1, &other)) > 0; last++)
      changes += more;
    const double error = move_changes(m, phase, first, last);
    if (isnan(error)) {
      m->out->why = no_moved;
      m->out->contact = of->laws.law[law].name;
      m->out->knot = first;
      m->out->phase = phase;
      return false;
    }
    if (m->out->iterations > EFFORT * (LEAST + m->w->info.spent)) {
      m->out->why = too_long;
      return false;
    }
    m->error += error;
    m->out->changes += changes;
    if (error >= m->out->most) {
      m->out->most = error;
      m->out->contact = of->laws.law[law].name;
      m->out->knot = first;
      m->out->phase = phase;
    }
    first = last;
  }
  return true;
}

static dm_status measure_all(measurer *m) {
  const double J = m->w->info.objective;
  double finer;
  for (int i = 0; i < m->x.n; i++) DM_TRY(read_schedule(m, i));
  DM_TRY(make_program(m, m->task, &m->own));
  DM_TRY(measure_finer(m, &finer));
  const double smooth = 2 * (J - finer);
  m->out->finer = finer;
  m->error = fabs(smooth);
  m->out->why = isnan(finer) ? no_finer : NULL;
  for (int i = 0; i < m->x.n && !m->out->why; i++)
    if (!add_changes(m, i)) return DM_OK;
  if (m->out->why) return DM_OK;
  m->out->objective = J - smooth;
  m->out->error = m->error;
  return DM_OK;
}

dm_status oc_contact_error_measure(oc_contact_error *out, const oc_solution *w, oc_motions x,
                                   int most) {
  const size_t n = (size_t)x.n;
  measurer m = {.w = w,
                .x = x,
                .most = most > LEAST ? most : LEAST,
                .of = calloc(n, sizeof *m.of),
                .task = calloc(n, sizeof *m.task),
                .out = out};
  *out = (oc_contact_error){.objective = NAN, .error = NAN, .finer = NAN};
  const dm_status s = m.of && m.task ? measure_all(&m) : DM_NO_MEMORY;
  oc_solution_free(m.own);
  for (size_t i = 0; m.of && i < n; i++) {
    free(m.of[i].entry);
  }
  free(m.of);
  free(m.task);
  return s;
}
