#include "optim/smooth_guess.h"

#include "lib/base/block.h"
#include "lib/mechanics/continuous.h"
#include "optim/nlp/deadline.h"
#include "optim/solution_start.h"
#include "optim/starts/guess.h"

#include <assert.h>
#include <math.h>
#include <string.h>

enum { ITERATIONS = 80, SOLVES = 60, FEW = 25, MANY = 40, RAISES = 4 };
static const double FIRST_SHARE = 0.1,
                    LAST_SHARE = 1e-4; // of the cost on speeds in that of inputs, in the objective
static const double FIRST_FACTOR = 4, MOST_FACTOR = 100, LEAST_FACTOR = 1.5, NO_FACTOR = 1.15,
                    RAISE = 10;

// Data of a continuation.
typedef struct continuation {
  const oc_task *task;
  oc_setup set;
  dm_trajectory *x; // the last solved motion
  double *weight;   // [n] of the speeds
  double *unit;     // [n] 1/s_i^2
  double *v, *a, *tau;
  double until; // wall clock
} continuation;

static void lay_out_continuation(continuation *w, dm_block *b) {
  const size_t n = (size_t)w->task->system.L.nq;
  double **of_coord[] = {&w->weight, &w->unit, &w->v, &w->a, &w->tau};
  for (int i = 0; i < 5; i++) *of_coord[i] = dm_block_alloc(b, n, sizeof(double));
}

static int count_joint_inputs(const oc_task *t) {
  return t->system.nu - t->system.force.nu;
}

bool oc_has_smooth_guess(const oc_task *t) {
  assert(t);
  if (!t->cost[OC_U].running || !t->start.q || !t->goal.q || t->periodic) return false;
  for (int i = 0; i < count_joint_inputs(t); i++)
    if (t->cost[OC_U].running[i] > 0 && t->system.input_coord[i] >= 0) return true;
  return false;
}

// -- the first weight

// entry i of knot k of a motion, moved along its path with a cubic timing
static double read_timed(const dm_trajectory *x, int k, int i) {
  const double s = (double)k / x->N, at = (3 - 2 * s) * s * s * x->N;
  const int j = at < x->N ? (int)at : x->N - 1;
  return x->q[j * x->n + i] + (at - j) * (x->q[(j + 1) * x->n + i] - x->q[j * x->n + i]);
}

// the costs of inputs and of speeds for w = 1 along the line
static dm_status measure_line(continuation *w, double *inputs, double *speeds) {
  const oc_task *t = w->task;
  const dm_system *s = &t->system;
  dm_trajectory *line;
  dm_continuous *c = NULL;
  DM_TRY(dm_trajectory_of(&line, t->N, s));
  oc_task_set_steps(t, oc_task_step(t), line);
  const double h = line->h; // the line is measured with equal steps
  dm_status status = oc_guess_line(t, line);
  if (status == DM_OK) status = dm_continuous_new(&c, s);
  *inputs = *speeds = 0;
  for (int k = 1; status == DM_OK && k < t->N; k++) {
    for (int i = 0; i < line->n; i++) {
      const double before = read_timed(line, k - 1, i), at = read_timed(line, k, i),
                   after = read_timed(line, k + 1, i);
      w->v[i] = (after - before) / (2 * h);
      w->a[i] = (after - 2 * at + before) / (h * h);
      *speeds += 0.5 * h * w->unit[i] * w->v[i] * w->v[i];
    }
    status = dm_inverse_dynamics(c, line->q + (size_t)k * (size_t)line->n, w->v, w->a, w->tau);
    for (int i = 0; status == DM_OK && i < count_joint_inputs(t); i++) {
      if (s->input_coord[i] < 0) continue;
      const double gear = s->input_gear ? s->input_gear[i] : 1,
                   u = gear != 0 ? w->tau[s->input_coord[i]] / gear : 0;
      *inputs += 0.5 * h * t->cost[OC_U].running[i] * u * u;
    }
  }
  dm_continuous_free(c);
  dm_trajectory_free(line);
  return status;
}

// -- one solution

static double measure_speeds(const continuation *w, double weight) {
  const dm_trajectory *x = w->x;
  double sum = 0;
  for (int k = 0; k < x->N; k++)
    for (int i = 0; i < x->n; i++) {
      const double h = dm_trajectory_step(x, k);
      const double v = (x->q[(k + 1) * x->n + i] - x->q[k * x->n + i]) / h;
      sum += 0.5 * h * weight * w->unit[i] * v * v;
    }
  return sum;
}

// Solve with a weight from the last motion, which becomes the solution if there is one: DM_OK. Returns DM_MAX_ITER
// without one, DM_INTERRUPTED, or a negative status.
static dm_status solve_with(continuation *w, double weight, int *iterations, double *objective) {
  oc_task t = *w->task;
  oc_solution *solution = NULL;
  const double *own = t.cost[OC_V].running;
  for (int i = 0; i < t.system.L.nq; i++) w->weight[i] = weight * w->unit[i] + (own ? own[i] : 0);
  t.cost[OC_V].running = w->weight;
  w->set.options.max_time = w->until - oc_clock();
  dm_status s = oc_solution_new(&solution, &t, &w->set, NULL);
  if (s == DM_OK) s = oc_solution_start(solution, w->x);
  if (s >= 0) s = oc_solution_find(solution, NULL);
  if (s >= 0) s = solution->info.status;
  *iterations = solution ? solution->info.spent : 0;
  const bool solved = s == DM_OK || s == DM_ACCEPTABLE;
  if (solved) {
    dm_trajectory_copy(w->x, solution->motion);
    *objective = solution->info.objective;
  }
  oc_solution_free(solution);
  if (s == DM_INTERRUPTED || s == DM_NO_MEMORY || s == DM_BAD_INPUT) return s;
  return solved ? DM_OK : DM_MAX_ITER;
}

static dm_status continue_weights(continuation *w) {
  double inputs, speeds, f = FIRST_FACTOR, objective = 0;
  DM_TRY(measure_line(w, &inputs, &speeds));
  if (!(inputs > 0 && speeds > 0 && inputs < INFINITY)) return DM_OK;
  double weight = FIRST_SHARE * inputs / speeds, solved = 0;
  for (int k = 0, raised = 0; k < SOLVES && oc_clock() < w->until; k++) {
    int iterations;
    const dm_status s = solve_with(w, weight, &iterations, &objective);
    if (s != DM_OK && s != DM_MAX_ITER) return s;
    // before the first solution
    if (s != DM_OK && solved == 0) {
      if (raised++ == RAISES) break;
      weight *= RAISE;
      continue;
    }
    // the next weight, from the last one that was solved
    if (s == DM_OK) {
      if (measure_speeds(w, weight) <= LAST_SHARE * fabs(objective)) break;
      if (solved > 0 && iterations < FEW) f = fmin(f * f, MOST_FACTOR);
      if (iterations > MANY) f = fmax(sqrt(f), LEAST_FACTOR);
      solved = weight;
    } else {
      f = sqrt(f);
      if (f < NO_FACTOR) break;
    }
    weight = solved / f;
  }
  return DM_OK;
}

dm_status oc_smooth_guess(const oc_task *task, const oc_options *options, const oc_hooks *hooks,
                          dm_trajectory *x) {
  assert(task && options && x && oc_has_smooth_guess(task));
  continuation w = {
      .task = task, .x = x, .set = {.options = *options}, .until = oc_clock() + options->max_time};
  if (hooks) w.set.hooks = (oc_hooks){.stop = hooks->stop, .user = hooks->user};
  w.set.options.method = OC_SOLVER_STAGE;
  w.set.options.only_guess = true;
  w.set.options.max_iter = ITERATIONS;

  dm_block b = {0};
  lay_out_continuation(&w, &b);
  DM_TRY(dm_block_new(&b));
  lay_out_continuation(&w, &b);
  for (int i = 0; i < x->n; i++) {
    const double way = oc_task_way(task, i);
    w.unit[i] = 1 / (way * way);
  }
  const dm_status s = continue_weights(&w);
  dm_block_free(b.base);
  return s;
}
