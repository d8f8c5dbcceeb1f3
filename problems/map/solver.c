#include "problems/map/solver.h"

#include "optim/solver.h"
#include "problems/map/replaced.h"
#include "problems/readers/task/problem.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct pb_solver {
  pb_problem *problem;
  char *texts; // replacements in the problem file, which the problem borrows
  dm_trajectory *guess;
  oc_solver *solver;
  double *ends; // x0, goal [4n]
  pb_watch watch;
  void *user;
  dm_message why;
};

static bool watch_iterate(void *self, const oc_iterate *it) {
  const pb_solver *s = self;
  const double row[] = {it->iteration, it->objective, it->violation,     it->dual,
                        it->mu,        it->step,      it->regularization};
  return !s->watch || s->watch(s->user, row) != 0;
}

// -- open and close

// the section of a file that a solver does not support; NULL: none
static const char *find_obstacle(const pb_problem *p) {
  if (p->phases.n) return "phases, expected one of them: say which by 'phase'";
  if (!p->has.task) return "no task, expected 'horizon'";
  if (p->has.starts)
    return "'starts', expected none: give the motion that `optimize` finds as guess.csv";
  return p->design.n ? "'design', expected none: replace the values by those that `optimize` finds"
                     : NULL;
}

static dm_status refuse_obstacles(const pb_problem *p, dm_message *msg) {
  const char *obstacle = find_obstacle(p);
  return obstacle ? dm_fail(msg, DM_BAD_INPUT, "%.200s: found %s", p->file.path, obstacle) : DM_OK;
}

// the settings of a problem
static oc_setup find_setup(pb_solver *s, const pb_problem *p) {
  oc_setup set = oc_setup_default();
  set.options = p->options;
  if (p->transcription.second) set.second = &p->transcription.action;
  set.hooks.watch = watch_iterate;
  set.hooks.user = s;
  set.guess = s->guess;
  return set;
}

// entry i [4n] of the ends of a task
static double find_end(const oc_task *task, size_t i) {
  const size_t n = (size_t)task->system.L.nq;
  const double *end[] = {task->start.q, task->start.v, task->goal.q, task->goal.v};
  return end[i / n] ? end[i / n][i % n] : NAN;
}

static dm_status fill_solver(pb_solver *s, dm_message *msg) {
  const pb_problem *p = s->problem;
  DM_TRY(refuse_obstacles(p, msg));

  // ends, guess and program
  const size_t n = (size_t)p->task.system.L.nq;
  s->ends = calloc(4 * n, sizeof *s->ends);
  if (!s->ends) return DM_NO_MEMORY;
  for (size_t i = 0; i < 4 * n; i++) s->ends[i] = find_end(&p->task, i);
  const dm_status guessed = pb_problem_guess(p, &s->guess);
  if (guessed < 0)
    return dm_fail(msg, guessed, "%.200s: there is no guess: %s", p->file.path,
                   dm_status_text(guessed));
  const oc_setup set = find_setup(s, p);
  dm_message why = {""};
  const dm_status status = oc_solver_new(&s->solver, &p->task, &set, &why);
  return status < 0 ? dm_fail(msg, status, "%.200s: %.280s", p->file.path, why.text) : status;
}

dm_status pb_solver_open(pb_solver **out, const char *path, const char *copies,
                         const char *const *replace, int nreplace, pb_watch watch, void *user,
                         dm_message *msg) {
  *out = NULL;
  pb_solver *s = calloc(1, sizeof *s);
  if (!s) return dm_fail(msg, DM_NO_MEMORY, "%.300s: out of memory", path);
  s->watch = watch;
  s->user = user;
  dm_status status =
      pb_problem_replaced(&s->problem, &s->texts, path, copies, replace, nreplace, msg);
  if (status == DM_OK && (status = fill_solver(s, msg)) == DM_NO_MEMORY)
    dm_fail(msg, status, "%.300s: out of memory", path);
  if (status == DM_OK)
    *out = s;
  else
    pb_solver_close(s);
  return status;
}

void pb_solver_close(pb_solver *s) {
  if (!s) return;
  oc_solver_free(s->solver);
  dm_trajectory_free(s->guess);
  pb_problem_free(s->problem);
  free(s->texts);
  free(s->ends);
  free(s);
}

// -- other numbers

// the numbers of the file's own ends must stay
static dm_status check_ends(const pb_problem *p, const pb_problem *next, dm_message *msg) {
  bool same = next->task.system.L.nq == p->task.system.L.nq;
  for (size_t i = 0; same && i < 4 * (size_t)p->task.system.L.nq; i++) {
    const double now = find_end(&p->task, i), then = find_end(&next->task, i);
    same = now == then || (isnan(now) && isnan(then));
  }
  return same ? DM_OK
              : dm_fail(msg, DM_BAD_INPUT,
                        "%.200s: found another start or goal, expected values that leave both: "
                        "they are arguments of a solve",
                        next->file.path);
}

dm_status pb_solver_replace(pb_solver *s, const char *path, const char *copies,
                            const char *const *replace, int nreplace) {
  pb_problem *next;
  char *texts;
  dm_message why = {""};
  s->why.text[0] = '\0';
  dm_status status = pb_problem_replaced(&next, &texts, path, copies, replace, nreplace, &s->why);
  if (status == DM_OK) status = refuse_obstacles(next, &s->why);
  if (status == DM_OK) status = check_ends(s->problem, next, &s->why);
  if (status == DM_OK) {
    const oc_setup set = find_setup(s, next);
    status = oc_solver_change(s->solver, &next->task, &set, &why);
    if (status < 0) dm_fail(&s->why, status, "%.200s: %.280s", path, why.text);
  }

  // the solver borrows the new problem, or still the old one
  if (status == DM_OK) {
    pb_problem *old = s->problem;
    char *old_texts = s->texts;
    s->problem = next;
    s->texts = texts;
    next = old;
    texts = old_texts;
  }
  pb_problem_free(next);
  free(texts);
  return status;
}

// -- names and counts

int pb_solver_count(const pb_solver *s, const char *what) {
  const dm_system *of = &s->problem->task.system;
  const struct {
    const char *word;
    int count;
  } row[] = {{"coordinate", of->L.nq},
             {"input", dm_system_inputs(of)},
             {"constraint", of->hol.nc},
             {"step", s->problem->task.N},
             {"contact", of->contacts ? of->contacts->rows.nc : 0},
             {"warning", s->problem->warnings.n}};
  for (size_t i = 0; i < sizeof row / sizeof *row; i++)
    if (!strcmp(row[i].word, what)) return row[i].count;
  return -1;
}

const char *pb_solver_name(const pb_solver *s, const char *what, int i) {
  const pb_problem *p = s->problem;
  if (i < 0 || i >= pb_solver_count(s, what)) return NULL;
  if (!strcmp(what, "coordinate")) return p->names.coord[i];
  if (!strcmp(what, "input")) return p->names.input[i];
  if (!strcmp(what, "constraint")) return p->names.row[i];
  return strcmp(what, "warning") ? NULL : p->warnings.text[i];
}

void pb_solver_ends(const pb_solver *s, double *x0, double *goal) {
  const size_t size = 2 * (size_t)s->problem->task.system.L.nq * sizeof *x0;
  memcpy(x0, s->ends, size);
  memcpy(goal, s->ends + size / sizeof *x0, size);
}

// -- solving

static double *put_numbers(double *to, const double *from, int rows, int columns) {
  const size_t count = (size_t)rows * (size_t)columns;
  if (count) memcpy(to, from, count * sizeof *to);
  return to + count;
}

static void put_motion(const dm_trajectory *x, double *to) {
  to = put_numbers(to, x->q, x->N + 1, x->n);
  to = put_numbers(to, x->p, x->N + 1, x->n);
  to = put_numbers(to, x->v, x->N + 1, x->n);
  to = put_numbers(to, x->u, x->N, x->nu);
  to = put_numbers(to, x->lambda, x->N, x->nc);
  (void)put_numbers(to, x->contact, x->N + 1, x->nr);
}

dm_status pb_solver_solve(pb_solver *s, const double *x0, const double *goal, double *motion,
                          double *figures) {
  const size_t n = (size_t)s->problem->task.system.L.nq;
  const oc_end start = {x0, x0 ? x0 + n : NULL}, end = {goal, goal ? goal + n : NULL};
  s->why.text[0] = '\0';
  const dm_status status = oc_solver_solve(s->solver, &start, &end, &s->why);
  const oc_solve_info *info = oc_solver_info(s->solver);
  if (status != DM_BAD_INPUT) {
    if (x0) memcpy(s->ends, x0, 2 * n * sizeof *x0);
    if (goal) memcpy(s->ends + 2 * n, goal, 2 * n * sizeof *goal);
  }
  if (status < 0) return status;
  if (status > 0)
    dm_fail(&s->why, status, "%.200s: %s after %d iterations, with a violation of %.3g",
            s->problem->file.name, dm_status_text(status), info->iterations, info->max_violation);

  // the motion, and its figures
  const dm_trajectory *x = oc_solver_motion(s->solver);
  const double row[] = {status,
                        info->objective,
                        info->iterations,
                        info->warm,
                        oc_solver_motion(s->solver)->h,
                        info->total_s,
                        info->max_violation};
  put_motion(x, motion);
  memcpy(figures, row, sizeof row);
  return status;
}

void pb_solver_explain(const pb_solver *s, dm_message *msg) {
  *msg = s->why;
}

dm_status pb_solver_differentiate(pb_solver *s, double *out) {
  const oc_task *task = &s->problem->task;
  const size_t n = (size_t)task->system.L.nq, N = (size_t)task->N;
  oc_sensitivity d = {.q = out};
  d.u = d.q + 4 * n * (N + 1) * n;
  d.h = d.u + 4 * n * N * (size_t)dm_system_inputs(&task->system);
  d.objective = d.h + 4 * n;
  s->why.text[0] = '\0';
  return oc_solver_differentiate(s->solver, &d, &s->why);
}

enum { NEAR = 4 };

dm_status pb_solver_differentiate_by(pb_solver *s, const char *path, const char *copies,
                                     const char *const *replace, int nreplace, int which,
                                     double value, double step, double *out) {
  static const double offset[NEAR] = {-2, -1, 1, 2}, factor[NEAR] = {1, -8, 8, -1};
  const oc_task *task = &s->problem->task;
  const size_t n = (size_t)task->system.L.nq, N = (size_t)task->N;
  oc_sensitivity d = {.q = out};
  d.u = d.q + (N + 1) * n;
  d.h = d.u + N * (size_t)dm_system_inputs(&task->system);
  d.objective = d.h + 1;
  s->why.text[0] = '\0';

  // the file at four values beside this one
  pb_problem *near[NEAR] = {NULL};
  const oc_task *tasks[NEAR];
  char *texts[NEAR] = {NULL}, text[40];
  double weight[NEAR];
  const char **list = calloc(2 * (size_t)nreplace + 1, sizeof *list);
  dm_status status = list ? DM_OK : dm_fail(&s->why, DM_NO_MEMORY, "out of memory");
  for (int i = 0; i < NEAR && status == DM_OK; i++) {
    memcpy(list, replace, 2 * (size_t)nreplace * sizeof *list);
    snprintf(text, sizeof text, "%.17g", value + offset[i] * step);
    list[2 * which + 1] = text;
    weight[i] = factor[i] / (12 * step);
    status = pb_problem_replaced(&near[i], &texts[i], path, copies, list, nreplace, &s->why);
    if (status == DM_OK) tasks[i] = &near[i]->task;
  }
  if (status == DM_OK)
    status = oc_solver_differentiate_by(s->solver, NEAR, tasks, weight, &d, &s->why);
  for (int i = 0; i < NEAR; i++) {
    pb_problem_free(near[i]);
    free(texts[i]);
  }
  free(list);
  return status;
}
