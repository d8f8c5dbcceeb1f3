#include "optim/solver.h"

#include "lib/base/block.h"
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

  // its own ends, NAN where the task leaves them free
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
  w->warm = w->same = w->set.options.only_guess = true;
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

static dm_status refuse_slopes(dm_message *msg) {
  return dm_fail(msg, DM_UNAVAILABLE,
                 "there is no solution with multipliers of first order to differentiate");
}

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
  out->h[i] = t->h >= 0 ? dx[t->h] : t->times >= 0 ? dx[t->times + t->N] / t->N : 0;
}

dm_status oc_solver_differentiate(oc_solver *s, const oc_sensitivity *out, dm_message *msg) {
  assert(s && out);
  oc_solution *w = s->w;
  if (!s->kept || !is_solved(w->info.status)) return refuse_slopes(msg);
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

  // 3. in the task's units, by entry of the ends; the objective is without the tie-break
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

// -- by a parameter

// The derivative of a program by the parameter, and memory for it.
typedef struct parameter_slope {
  const oc_nlp *nlp;
  double *dual, *x_min, *x_max, *dx, *grad; // [n]
  double *rows, *g_min, *g_max, *g;         // [m]
  double *val;                              // [jac_nnz]
  int *row, *col;                           // [jac_nnz]
  double *x, *z_l, *z_u, *lambda;           // a point in the solver's units
  double objective;                         // of f without the tie-break
} parameter_slope;

static void lay_out_slope(void *self, dm_block *b) {
  parameter_slope *w = self;
  const size_t n = (size_t)w->nlp->n, m = (size_t)w->nlp->m, nnz = (size_t)w->nlp->jac_nnz;
  double **of_x[] = {&w->dual, &w->x_min, &w->x_max, &w->dx, &w->grad, &w->x, &w->z_l, &w->z_u};
  double **of_g[] = {&w->rows, &w->g_min, &w->g_max, &w->g, &w->lambda};
  for (int i = 0; i < 8; i++) *of_x[i] = dm_block_alloc(b, n, sizeof(double));
  for (int i = 0; i < 5; i++) *of_g[i] = dm_block_alloc(b, m, sizeof(double));
  w->val = dm_block_alloc(b, nnz, sizeof *w->val);
  w->row = dm_block_alloc(b, nnz, sizeof *w->row);
  w->col = dm_block_alloc(b, nnz, sizeof *w->col);
}

// add `by` times the bounds that are finite in both programs
static void add_bounds(int n, double by, const double *bound, double *to) {
  for (int i = 0; i < n; i++)
    if (isfinite(bound[i])) to[i] += by * bound[i];
}

// add `by` times the residuals of a program at the point
static dm_status add_residual(parameter_slope *w, const oc_transcription *t, double by,
                              const oc_point *at) {
  const oc_nlp *nlp = &t->nlp;
  oc_triplets walk = {w->row, w->col, w->val, 0};
  double f;
  DM_TRY(nlp->f(nlp->self, at->x, &f));
  DM_TRY(nlp->grad(nlp->self, at->x, w->grad));
  DM_TRY(nlp->g(nlp->self, at->x, w->g));
  DM_TRY(nlp->jac(nlp->self, at->x, &walk));
  w->objective += by * (f - oc_transcription_tie(t, at->x));
  for (int j = 0; j < nlp->n; j++) w->dual[j] += by * w->grad[j];
  for (int e = 0; e < walk.n; e++) w->dual[w->col[e]] += by * w->val[e] * at->lambda[w->row[e]];
  for (int i = 0; i < nlp->m; i++) w->rows[i] += by * w->g[i];
  add_bounds(nlp->n, by, nlp->x_min, w->x_min);
  add_bounds(nlp->n, by, nlp->x_max, w->x_max);
  add_bounds(nlp->m, by, nlp->g_min, w->g_min);
  add_bounds(nlp->m, by, nlp->g_max, w->g_max);
  return DM_OK;
}

// the same for a task, with the ends of the solver
static dm_status add_task(oc_solver *s, parameter_slope *w, const oc_task *task, double by,
                          dm_message *msg) {
  oc_task near = *task;
  oc_transcription *t = NULL;
  DM_TRY(check_given(s, &near, msg));
  for (int i = 0; i < 4; i++)
    if (*end_array(&near, i)) *end_array(&near, i) = s->numbers + i * s->task.system.L.nq;
  near.every_speed = s->w->task.every_speed;
  DM_TRY(oc_transcription_new(&t, &near, msg));
  dm_status status = DM_BAD_INPUT;
  if (t->nlp.n == w->nlp->n && t->nlp.m == w->nlp->m && t->nlp.jac_nnz == w->nlp->jac_nnz)
    status = add_residual(w, t, by, &s->w->point);
  oc_transcription_free(t);
  return status < 0 ? dm_fail(msg, status, "a task nearby: %s",
                              status == DM_BAD_INPUT ? "found other sizes" : dm_status_text(status))
                    : DM_OK;
}

// to the solver's units: the residual and the bounds
static void scale_slope(const oc_scaled *scaled, parameter_slope *w) {
  for (int j = 0; j < w->nlp->n; j++) {
    const double size = oc_scaled_size(scaled, j);
    w->dual[j] *= size * oc_scaled_objective(scaled);
    w->x_min[j] /= size;
    w->x_max[j] /= size;
  }
  for (int i = 0; i < w->nlp->m; i++) {
    const double size = oc_scaled_row(scaled, i);
    w->rows[i] /= size;
    w->g_min[i] /= size;
    w->g_max[i] /= size;
  }
}

static dm_status find_slope(oc_solver *s, parameter_slope *w, dm_message *msg) {
  const oc_solution *of = s->w;
  const oc_program_slope by = {w->dual, w->rows, w->x_min, w->x_max, w->g_min, w->g_max};
  oc_point at = {.x = w->x, .z_l = w->z_l, .z_u = w->z_u, .lambda = w->lambda};
  oc_point_copy(of->nlp, &of->point, &at);
  if (of->scaled) {
    oc_scaled_enter(of->scaled, &at);
    scale_slope(of->scaled, w);
  }
  const dm_status status = oc_interior_slope(s->kept, &at, &by, w->dx);
  if (status < 0)
    return dm_fail(msg, status, "the solution has no derivatives: %s", dm_status_text(status));
  if (of->scaled) oc_scaled_leave_direction(of->scaled, w->dx);
  return DM_OK;
}

dm_status oc_solver_differentiate_by(oc_solver *s, int count, const oc_task *const *near,
                                     const double *weight, const oc_sensitivity *out,
                                     dm_message *msg) {
  assert(s && out);
  const oc_solution *of = s->w;
  if (!s->kept || !is_solved(of->info.status)) return refuse_slopes(msg);
  parameter_slope sizes = {.nlp = of->nlp};
  parameter_slope *w = dm_block_make(&sizes, sizeof sizes, lay_out_slope);
  if (!w) return dm_fail(msg, DM_NO_MEMORY, "out of memory");
  // 1. the derivative of the residual, then of the motion
  dm_status status = DM_OK;
  for (int i = 0; i < count && status == DM_OK; i++)
    status = add_task(s, w, near[i], weight[i], msg);
  if (status == DM_OK) status = find_slope(s, w, msg);
  // 2. the objective's: by the parameter itself, and by the motion
  if (status == DM_OK) status = of->nlp->grad(of->nlp->self, of->point.x, w->grad);
  if (status == DM_OK) {
    double *tie = memset(w->z_l, 0, (size_t)of->nlp->n * sizeof *tie);
    oc_transcription_tie_gradient(of->first, of->point.x, tie);
    *out->objective = w->objective;
    for (int j = 0; j < of->nlp->n; j++) *out->objective += (w->grad[j] - tie[j]) * w->dx[j];
    put_slope(s, w->dx, 0, out);
  }
  dm_block_free(w);
  return status;
}
