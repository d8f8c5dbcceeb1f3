#include "optim/solver.h"

#include "optim/interior/sensitivity.h"
#include "optim/nlp/best_point.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

struct oc_solver {
  oc_task task; // its ends are in `numbers`
  oc_setup set;
  oc_solution *w;
  oc_interior *kept; // the workspace of w's program, after a solution; or NULL
  bool fresh;        // w has not been solved
  double *numbers;   // q, v of start and goal [4 x n], and as many for a check
  double *slopes;    // memory of oc_solver_differentiate, for w; or NULL
};

// -- ends

// the arrays of an end, by number
static const double **end_array(oc_task *task, int i) {
  const double **of[] = {&task->start.q, &task->start.v, &task->goal.q, &task->goal.v};
  return of[i];
}

// Copy a new end to the second half of the numbers.
static dm_status read_end(oc_solver *s, int i, const double *from, dm_message *msg) {
  static const char *const words[] = {"start position", "start velocity", "goal position",
                                      "goal velocity"};
  const int n = s->task.system.L.nq;
  const double *now = s->numbers + i * n;
  double *next = s->numbers + (4 + i) * n;
  memcpy(next, from ? from : now, (size_t)n * sizeof *next);
  for (int j = 0; j < n; j++) {
    const char *name = s->task.coord_name[j];
    if (isnan(now[j]) && !isnan(next[j]))
      return dm_fail(msg, DM_BAD_INPUT,
                     "%s of %s: found %g, expected NAN, as the task leaves it free", words[i], name,
                     next[j]);
    if (!isnan(now[j]) && !isfinite(next[j]))
      return dm_fail(msg, DM_BAD_INPUT, "%s of %s: found %g, expected a finite number", words[i],
                     name, next[j]);
  }
  return DM_OK;
}

// Replace the ends; on failure they are unchanged.
static dm_status take_ends(oc_solver *s, const oc_end *start, const oc_end *goal, dm_message *msg) {
  const oc_end none = {NULL, NULL}, *from = start ? start : &none, *to = goal ? goal : &none;
  const double *given[] = {from->q, from->v, to->q, to->v};
  const size_t n = (size_t)s->task.system.L.nq;
  for (int i = 0; i < 4; i++) DM_TRY(read_end(s, i, given[i], msg));

  // a task with these ends must be possible
  oc_task task = s->task;
  for (int i = 0; i < 4; i++)
    if (*end_array(&task, i)) *end_array(&task, i) = s->numbers + (4 + (size_t)i) * n;
  DM_TRY(oc_task_check(&task, msg));
  memcpy(s->numbers, s->numbers + 4 * n, 4 * n * sizeof *s->numbers);
  return DM_OK;
}

// -- construction

dm_status oc_solver_new(oc_solver **out, const oc_task *task, const oc_setup *set,
                        dm_message *msg) {
  assert(out && task);
  *out = NULL;
  const size_t n = (size_t)task->system.L.nq;
  oc_solver *s = calloc(1, sizeof *s);
  double *numbers = calloc(8 * n, sizeof *numbers);
  if (!s || !numbers) {
    free(s);
    free(numbers);
    return dm_fail(msg, DM_NO_MEMORY, "out of memory");
  }
  s->task = *task;
  s->set = set ? *set : oc_setup_default();
  s->numbers = numbers;
  s->fresh = true;

  // its own ends, NAN where the task has none
  for (int i = 0; i < 4; i++) {
    const double **end = end_array(&s->task, i);
    for (size_t j = 0; j < n; j++) numbers[(size_t)i * n + j] = *end ? (*end)[j] : NAN;
    if (*end) *end = numbers + (size_t)i * n;
  }
  const dm_status status = oc_solution_new(&s->w, &s->task, &s->set, msg);
  if (status == DM_OK)
    *out = s;
  else
    oc_solver_free(s);
  return status;
}

static void drop_workspace(oc_solver *s) {
  oc_interior_free(s->kept);
  free(s->slopes);
  s->kept = NULL;
  s->slopes = NULL;
}

void oc_solver_free(oc_solver *s) {
  if (!s) return;
  drop_workspace(s);
  oc_solution_free(s->w);
  free(s->numbers);
  free(s);
}

// -- solving

static bool is_solved(dm_status s) {
  return s == DM_OK || s == DM_ACCEPTABLE;
}

// From the last solution with its multipliers, in the kept workspace.
static dm_status solve_warm(oc_solver *s, dm_message *msg) {
  oc_solution *w = s->w;
  const oc_nlp *nlp = w->nlp;
  const bool only_guess = w->set.options.only_guess;
  oc_transcription_rebound(w->first);
  if (w->scaled) oc_scaled_rebound(w->scaled);
  w->warm = w->set.options.only_guess = true;
  w->kept = s->kept;
  const dm_status status = oc_solution_find(w, msg);
  w->kept = NULL;
  w->set.options.only_guess = only_guess;

  // a speed limit has been added
  if (w->nlp != nlp) drop_workspace(s);
  return status < 0 ? status : w->info.status;
}

// From the last motion if it is a solution, or from the guess of the settings.
static dm_status solve_anew(oc_solver *s, bool from_motion, dm_message *msg) {
  oc_solution *old = NULL;
  oc_setup set = s->set;
  drop_workspace(s);
  if (!s->fresh) {
    old = s->w;
    s->w = NULL;
    set.warm = NULL;
    if (from_motion) set.guess = old->motion;
  }
  dm_status status = s->w ? DM_OK : oc_solution_new(&s->w, &s->task, &set, msg);
  if (status == DM_OK) {
    s->fresh = false;
    s->w->set = set;
    status = oc_solution_start(s->w, NULL);
    if (status < 0) dm_fail(msg, status, "there is no guess: %s", dm_status_text(status));
    if (status >= 0) status = oc_solution_find(s->w, msg);
    s->w->set = s->set;
  }
  if (!s->w) {
    s->w = old;
    old = NULL;
  }
  oc_solution_free(old);
  return status < 0 ? status : s->w->info.status;
}

// Can later solves begin at this solution? Programs of first order without an outer iteration.
static bool can_continue(const oc_solver *s, dm_status status) {
  const oc_task *task = &s->task;
  return is_solved(status) && s->w->first && task->per.of == OC_PER_MOTION &&
         !task->system.contacts && s->set.options.method != OC_SOLVER_IPOPT;
}

// -- another task

// Is a program like that of w, so that points of one are points of the other?
static bool is_alike(const oc_solution *w, const oc_solution *other) {
  const oc_nlp *a = w->nlp, *b = other->nlp;
  if (a->n != b->n || a->m != b->m || !w->first != !other->first) return false;
  for (int j = 0; j < a->n; j++)
    if ((a->x_min[j] < a->x_max[j]) != (b->x_min[j] < b->x_max[j])) return false;
  for (int i = 0; i < a->m; i++)
    if ((a->g_min[i] < a->g_max[i]) != (b->g_min[i] < b->g_max[i])) return false;
  return true;
}

// the ends that a task gives must be those that the solver has
static dm_status check_given(const oc_solver *s, oc_task *task, dm_message *msg) {
  const int n = s->task.system.L.nq;
  bool same = task->N == s->task.N && task->system.L.nq == n &&
              dm_system_inputs(&task->system) == dm_system_inputs(&s->task.system) &&
              task->system.hol.nc == s->task.system.hol.nc;
  for (int i = 0; i < 4 * n && same; i++) {
    const double *end = *end_array(task, i / n);
    same = (end && !isnan(end[i % n])) == !isnan(s->numbers[i]);
  }
  return same ? DM_OK
              : dm_fail(msg, DM_BAD_INPUT,
                        "found a task of other sizes or with other given ends, expected one that "
                        "differs in its numbers only");
}

dm_status oc_solver_change(oc_solver *s, const oc_task *task, const oc_setup *set,
                           dm_message *msg) {
  assert(s && task);
  const size_t n = (size_t)s->task.system.L.nq;
  oc_solution *old = s->w, *w;
  oc_task next = *task;
  DM_TRY(check_given(s, &next, msg));
  for (int i = 0; i < 4; i++)
    if (*end_array(&next, i)) *end_array(&next, i) = s->numbers + (size_t)i * n;
  const oc_setup setup = set ? *set : oc_setup_default();
  next.every_speed = old->task.every_speed;
  DM_TRY(oc_solution_new(&w, &next, &setup, msg));
  if (!is_alike(old, w)) {
    oc_solution_free(w);
    return dm_fail(msg, DM_BAD_INPUT,
                   "found a task with other rows, expected one that differs in its numbers only");
  }

  // the point, its figures and its motion
  if (!s->fresh) {
    oc_point_copy(w->nlp, &old->point, &w->point);
    memcpy(w->guess, old->guess, (size_t)w->nlp->n * sizeof *w->guess);
    w->info = old->info;
    w->motion = old->motion;
    old->motion = NULL;
  }
  const bool kept = s->kept != NULL;
  drop_workspace(s);
  oc_solution_free(old);
  s->w = w;
  s->task = next;
  s->set = setup;
  if (!kept) return DM_OK;
  if (w->nlp->scale) DM_TRY(oc_scaled_new(&w->scaled, w->nlp, w->guess));
  return oc_interior_new(&s->kept, w->scaled ? oc_scaled_nlp(w->scaled) : w->nlp);
}

dm_status oc_solver_solve(oc_solver *s, const oc_end *start, const oc_end *goal, dm_message *msg) {
  assert(s);
  if (msg) msg->text[0] = '\0';
  DM_TRY(take_ends(s, start, goal, msg));
  // 1. from the last solution
  const bool warm = s->kept != NULL, from_motion = !warm && is_solved(s->w->info.status);
  dm_status status = warm ? solve_warm(s, msg) : DM_STALLED;
  // 2. if that fails, or without one, from a motion
  if (!is_solved(status) && status != DM_INTERRUPTED && status != DM_NO_MEMORY)
    status = solve_anew(s, from_motion && s->w->motion, msg);
  // 3. the workspace of the next solve
  oc_solution *w = s->w;
  if (!s->kept && can_continue(s, status))
    DM_TRY(oc_interior_new(&s->kept, w->scaled ? oc_scaled_nlp(w->scaled) : w->nlp));
  return status;
}

const dm_trajectory *oc_solver_motion(const oc_solver *s) {
  return s->w->motion;
}

const oc_solve_info *oc_solver_info(const oc_solver *s) {
  return &s->w->info;
}

// -- sensitivities

// the program's variable of each end's entry [4n], -1 if it is free; returns their number
static int find_fixed(const oc_solver *s, int *variable) {
  const oc_transcription *t = s->w->first;
  const int n = t->n;
  const int first[] = {oc_transcription_q(t, 0), t->v[0], oc_transcription_q(t, t->N), t->v[1]};
  int count = 0;
  for (int i = 0; i < 4 * n; i++)
    if (!isnan(s->numbers[i])) variable[count++] = first[i / n] + i % n;
  return count;
}

// the derivatives dx [nlp.n] in the program's variables as those of column i
static void put_slope(const oc_solver *s, const double *dx, int i, const oc_sensitivity *out) {
  const oc_transcription *t = s->w->first;
  const size_t n = (size_t)t->n, nu = (size_t)t->nu, N = (size_t)t->N;
  double *q = out->q + (size_t)i * (N + 1) * n, *u = out->u + (size_t)i * N * nu;
  for (int k = 0; k <= t->N; k++)
    memcpy(q + (size_t)k * n, dx + oc_transcription_q(t, k), n * sizeof *q);
  for (int k = 0; k < t->N && nu; k++)
    memcpy(u + (size_t)k * nu, dx + oc_transcription_u(t, k), nu * sizeof *u);
  out->h[i] = t->h >= 0 ? dx[t->h] : 0;
}

dm_status oc_solver_differentiate(oc_solver *s, const oc_sensitivity *out, dm_message *msg) {
  assert(s && out);
  oc_solution *w = s->w;
  if (!s->kept || !is_solved(w->info.status))
    return dm_fail(msg, DM_UNAVAILABLE,
                   "there is no solution with multipliers of first order to differentiate");
  const size_t n = (size_t)w->nlp->n, m = (size_t)w->nlp->m, ends = 4 * (size_t)w->first->n;
  // 1. memory: a point, the derivatives by each given entry, and the entries
  if (!s->slopes) s->slopes = calloc(3 * n + m + ends * (n + 1) + ends, sizeof *s->slopes);
  if (!s->slopes) return dm_fail(msg, DM_NO_MEMORY, "out of memory");
  double *x = s->slopes, *dx = x + 3 * n + m, *df = dx + ends * n;
  int *variable = (int *)(df + ends);
  oc_point at = {.x = x, .z_l = x + n, .z_u = x + 2 * n, .lambda = x + 3 * n};

  // 2. derivatives in the solver's units
  oc_point_copy(w->nlp, &w->point, &at);
  if (w->scaled) oc_scaled_enter(w->scaled, &at);
  const int count = find_fixed(s, variable);
  const dm_status status = oc_interior_sensitivity(s->kept, &at, count, variable, dx, df);
  if (status < 0)
    return dm_fail(msg, status, "the solution has no derivatives: %s", dm_status_text(status));

  // 3. in the task's units, by entry of the ends; the tie-break is no part of the objective
  double *tie = memset(at.z_l, 0, n * sizeof *tie), *zero = memset(at.z_u, 0, n * sizeof *zero);
  const double weight = w->scaled ? oc_scaled_objective(w->scaled) : 1;
  oc_transcription_tie_gradient(w->first, w->point.x, tie);
  for (int i = 0, k = 0; i < (int)ends; i++) {
    if (isnan(s->numbers[i])) {
      put_slope(s, zero, i, out);
      out->objective[i] = 0;
      continue;
    }
    double *d = dx + (size_t)k * n;
    const double size = w->scaled ? oc_scaled_size(w->scaled, variable[k]) : 1;
    if (w->scaled) oc_scaled_leave_direction(w->scaled, d);
    for (size_t j = 0; j < n; j++) d[j] /= size;
    put_slope(s, d, i, out);
    out->objective[i] = df[k++] / (size * weight);
    for (size_t j = 0; j < n; j++) out->objective[i] -= tie[j] * d[j];
  }
  return DM_OK;
}
