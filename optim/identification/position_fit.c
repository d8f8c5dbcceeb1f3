#include "optim/identification/position_fit.h"

#include "lib/base/dense.h"

#include <math.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

// -- construction

// the first of `knots` knots of a log, from `from` to the end of `all` knots, with the longest path
static int find_longest(const oc_position_fit *w, const oc_measured_motion *log, int from, int all,
                        int knots) {
  const int n = w->of.n;
  double sum = 0, longest = -1;
  int best = from;
  for (int k = from + 1; k < from + all; k++) {
    const double *q = dm_row(log->q, k, n), *gone = dm_row(log->q, k - knots + 1, n);
    for (int i = 0; i < n; i++) {
      sum += fabs(q[i] - q[i - n]) / w->of.set->sigma_q[i];
      if (k - knots >= from) sum -= fabs(gone[i] - gone[i - n]) / w->of.set->sigma_q[i];
    }
    if (k - knots + 1 < from || sum <= longest) continue;
    longest = sum;
    best = k - knots + 1;
  }
  return best;
}

static void add_run(oc_position_fit *w, oc_measured_motion *log, int from, int all, int part) {
  enum { LEAST = 50 };
  const int n = w->of.n, share = (all + part - 1) / part;
  const int wanted = part > 1 && share < LEAST ? LEAST : share, knots = wanted < all ? wanted : all;
  if (w->run) {
    if (knots < all) from = find_longest(w, log, from, all, knots);
    w->run[w->nruns] = (oc_run){log, from, w->of.knots, knots};
  }
  w->nruns++;
  w->of.knots += knots;
  for (int i = 0; w->run && i < knots * n; i++) w->samples += log->weight[from * n + i] > 0;
}

// of a piece of a log
static int count_runs(int knots) {
  return (knots + OC_LONGEST_RUN - 1) / OC_LONGEST_RUN;
}

int oc_position_fit_runs(int nlogs, oc_measured_motion *const *logs) {
  int runs = 0;
  for (int l = 0; l < nlogs; l++)
    for (int p = 0; p < logs[l]->pieces; p++) runs += count_runs(logs[l]->piece[p][1]);
  return runs;
}

static void find_runs(oc_position_fit *w, int part) {
  w->nruns = w->of.knots = w->samples = 0;
  for (int l = 0; l < w->nlogs; l++)
    for (int p = 0; p < w->logs[l]->pieces; p++) {
      const int *piece = w->logs[l]->piece[p];
      const int runs = count_runs(piece[1]);
      for (int i = 0, at = 0; i < runs; i++) {
        const int knots = (piece[1] - at) / (runs - i);
        add_run(w, w->logs[l], piece[0] + at, knots, part);
        at += knots;
      }
    }
}

static void start_positions(oc_position_fit *w) {
  const size_t n = (size_t)w->of.n;
  for (const oc_run *r = w->run; r < w->run + w->nruns; r++)
    memcpy(dm_row(w->of.q, r->first, n), dm_row(r->log->q, r->from, n),
           (size_t)r->knots * n * sizeof(double));
}

static dm_status allocate(oc_position_fit *w) {
  oc_knots *o = &w->of;
  const size_t n = (size_t)o->n, all = (size_t)o->knots * n, threads = (size_t)w->nwalk;
  const size_t unknowns = o->m < o->n ? (size_t)o->knots * (size_t)o->m : 0;
  w->run = calloc((size_t)w->nruns + 1, sizeof *w->run);
  w->walk = calloc(threads, sizeof *w->walk);
  w->filter = calloc(threads, sizeof *w->filter);
  o->zero_column = calloc(n, sizeof *o->zero_column);
  const size_t nc = (size_t)o->nc, sums = nc ? (nc + 1) * (nc + 1) + nc : 0;
  double *a = w->block = calloc(5 * all + n + unknowns + sums + 1, sizeof *a);
  if (!w->run || !w->walk || !w->filter || !o->zero_column || !a) return DM_NO_MEMORY;
  o->q = a, o->trial = a += all, o->dq = a += all, o->force = a += all, o->innovation = a += all;
  o->zero = a += all;
  o->dx = unknowns ? a + n : o->dq;
  w->raw = a + n + unknowns, w->S = w->raw + nc;
  return DM_OK;
}

dm_status oc_position_fit_new(oc_position_fit **out, const oc_position_task *task) {
  oc_position_fit *w = *out = calloc(1, sizeof *w);
  if (!w) return DM_NO_MEMORY;
  const oc_fit_parameters *x = task->x;
  const dm_model *m = x->robot.model;
  const dm_system system = dm_robot_system(&x->robot);
  *w = (oc_position_fit){.x = x, .nlogs = task->nlogs, .logs = task->logs};
  w->of = (oc_knots){.set = task->set,
                     .n = m->nq,
                     .m = m->nq - system.hol.nc,
                     .nu = m->nu,
                     .nc = task->base ? x->coefficients : 0,
                     .base = task->base,
                     .h = task->logs[0]->h};
  find_runs(w, task->part);
  w->nwalk = task->threads < w->nruns ? task->threads : w->nruns;
  DM_TRY(allocate(w));
  find_runs(w, task->part);
  start_positions(w);

  // the columns of zeros of encoders
  for (int i = 0; i < w->of.n; i++) w->of.zero_column[i] = -1;
  for (int c = 0; c < x->coefficients; c++) {
    const oc_fit_parameter *p = &x->list[x->coefficient[c].parameter];
    if (p->kind == OC_FIT_ENCODER && task->base) w->of.zero_column[p->row] = c;
  }
  DM_TRY(oc_knot_chain_new(&w->chain, w->of.m, oc_knots_border(&w->of), w->of.knots, NULL));
  for (int t = 0; t < w->nwalk; t++)
    DM_TRY(oc_knot_walk_new(&w->walk[t], &w->of, task->residual[t], &system.hol, w->chain));
  return DM_OK;
}

void oc_position_fit_free(oc_position_fit *w) {
  if (!w) return;
  for (int t = 0; w->walk && t < w->nwalk; t++) oc_knot_walk_free(w->walk[t]);
  oc_knot_chain_free(w->chain);
  free(w->walk);
  free(w->filter);
  free(w->run);
  free(w->block);
  free(w->of.zero_column);
  free(w);
}

dm_status oc_position_fit_set(oc_position_fit *w, const double *theta) {
  for (int k = 0; k < w->x->count; k++) {
    const oc_fit_parameter *p = &w->x->list[k];
    if (p->kind == OC_FIT_ENCODER) w->of.zero[p->row] = theta[k];
    for (int l = 0; p->kind == OC_FIT_DELAY && l < w->nlogs; l++)
      oc_measured_motion_delay(w->logs[l], theta[k]);
  }
  for (int t = 0; t < w->nwalk; t++) DM_TRY(oc_motion_residual_set(w->walk[t]->residual, theta));
  return DM_OK;
}

// -- threads

// A walk along each run. It returns the cost of the run, or 0.
typedef struct crew {
  oc_position_fit *w;
  dm_status (*walk)(oc_knot_walk *walk, const oc_run *r, const struct crew *of, double *cost);
  double *q;         // [knots x n] its positions
  double damping;    // of a linearization
  const double *dpi; // of a step
  bool joins;        // the chains of runs are summed

  int next, turn; // the next run to walk along, and to be summed
  double cost;
  dm_status status;
  pthread_mutex_t lock;
  pthread_cond_t changed;
} crew;

// the outcome of run r, after those before it
static void take_run(crew *c, const oc_knot_walk *walk, dm_status s, double cost) {
  c->turn++;
  if (c->status != DM_OK) return;
  c->status = s;
  c->cost += cost;
  if (s == DM_OK && c->joins) oc_knot_chain_join(c->w->chain, walk->chain);
}

typedef struct worker {
  crew *crew;
  oc_knot_walk *walk;
} worker;

static void *work_on(void *self) {
  const worker *o = self;
  crew *c = o->crew;
  pthread_mutex_lock(&c->lock);
  while (c->next < c->w->nruns && c->status == DM_OK) {
    const int r = c->next++;
    double cost = 0;
    pthread_mutex_unlock(&c->lock);
    const dm_status s = c->walk(o->walk, &c->w->run[r], c, &cost);
    pthread_mutex_lock(&c->lock);
    while (c->turn != r) pthread_cond_wait(&c->changed, &c->lock);
    take_run(c, o->walk, s, cost);
    pthread_cond_broadcast(&c->changed);
  }
  pthread_mutex_unlock(&c->lock);
  return NULL;
}

// with one thread: nothing is allocated
static dm_status run_alone(crew *c) {
  while (c->turn < c->w->nruns && c->status == DM_OK) {
    double cost = 0;
    const dm_status s = c->walk(c->w->walk[0], &c->w->run[c->turn], c, &cost);
    take_run(c, c->w->walk[0], s, cost);
  }
  return c->status;
}

static dm_status run_crew(crew *c) {
  enum { MOST = OC_FIT_THREADS };
  const int others = c->w->nwalk - 1;
  pthread_t thread[MOST];
  worker each[MOST];
  int begun = 0;
  if (c->joins) oc_knot_chain_begin(c->w->chain, 0);
  if (others < 1) return run_alone(c);
  if (pthread_mutex_init(&c->lock, NULL) != 0) return DM_NO_MEMORY;
  if (pthread_cond_init(&c->changed, NULL) != 0) {
    pthread_mutex_destroy(&c->lock);
    return DM_NO_MEMORY;
  }
  for (int t = 0; t <= others; t++) each[t] = (worker){c, c->w->walk[t]};
  while (begun < others && !pthread_create(&thread[begun], NULL, work_on, &each[begun + 1]))
    begun++;
  work_on(&each[0]);
  for (int t = 0; t < begun; t++) pthread_join(thread[t], NULL);
  pthread_cond_destroy(&c->changed);
  pthread_mutex_destroy(&c->lock);
  return c->status;
}

// -- walks

static dm_status retract_run(oc_knot_walk *walk, const oc_run *r, const crew *c, double *cost) {
  (void)cost;
  return oc_knot_walk_retract(walk, r, c->q);
}

dm_status oc_position_fit_start(oc_position_fit *w) {
  return run_crew(&(crew){.w = w, .walk = retract_run, .q = w->of.q});
}

dm_status oc_position_fit_move(oc_position_fit *w, double share) {
  oc_knots *o = &w->of;
  for (size_t i = 0; i < (size_t)o->knots * (size_t)o->n; i++)
    o->trial[i] = o->q[i] + share * o->dq[i];
  return o->m < o->n ? run_crew(&(crew){.w = w, .walk = retract_run, .q = o->trial}) : DM_OK;
}

static dm_status add_cost(oc_knot_walk *walk, const oc_run *r, const crew *c, double *cost) {
  return oc_knot_walk_cost(walk, r, c->q, cost);
}

dm_status oc_position_fit_cost(oc_position_fit *w, const double *q, double *cost) {
  crew c = {.w = w, .walk = add_cost, .q = (double *)q}; // which is only read
  const dm_status s = run_crew(&c);
  *cost = c.cost;
  return s;
}

static dm_status linearize_run(oc_knot_walk *walk, const oc_run *r, const crew *c, double *cost) {
  return oc_knot_walk_linearize(walk, r, c->damping, cost);
}

dm_status oc_position_fit_linearize(oc_position_fit *w, double damping, double *cost) {
  crew c = {.w = w, .walk = linearize_run, .damping = damping, .joins = true};
  DM_TRY(run_crew(&c));
  oc_knot_chain_end(w->chain);
  if (w->of.nc) oc_base_columns_expand(w->of.base, w->chain->S, w->chain->raw, w->S, w->raw);
  *cost = c.cost;
  return DM_OK;
}

static dm_status follow_run(oc_knot_walk *walk, const oc_run *r, const crew *c, double *cost) {
  (void)cost;
  return oc_knot_walk_follow(walk, r, c->dpi);
}

dm_status oc_position_fit_follow(oc_position_fit *w, const double *dpi, double *square) {
  const oc_knots *o = &w->of;
  *square = 0;
  DM_TRY(run_crew(&(crew){.w = w, .walk = follow_run, .dpi = dpi}));
  for (int k = 0; k < o->knots; k++)
    for (int i = 0; i < o->n; i++) {
      const double x = dm_row(o->dq, k, o->n)[i] / o->set->sigma_q[i];
      *square += x * x;
    }
  return DM_OK;
}

// -- positions alone

dm_status oc_position_fit_solve(oc_position_fit *w, int max_iter, double *cost) {
  double damping = 1e-3, up = 2;
  for (int iteration = 0; iteration < max_iter; iteration++) {
    double square, trial = INFINITY;
    DM_TRY(oc_position_fit_linearize(w, damping, cost));
    DM_TRY(oc_position_fit_follow(w, NULL, &square));
    const double fall = w->chain->fall + 0.5 * damping * square;
    dm_status s = oc_position_fit_move(w, 1);
    if (s == DM_OK) s = oc_position_fit_cost(w, w->of.trial, &trial);
    if (s < 0 && s != DM_NOT_FINITE && s != DM_SINGULAR) return s;
    const bool end = fall < 1e-6 && damping < 1;
    if (trial <= *cost + 1e-12 * *cost || end) {
      double *swap = w->of.q;
      w->of.q = w->of.trial, w->of.trial = swap;
      *cost = fmin(trial, *cost);
      damping = fmax(damping / 5, 1e-12), up = 2;
      if (end) return oc_position_fit_cost(w, w->of.q, cost);
    } else {
      damping *= up, up *= 2;
      if (damping > 1e12) return DM_STALLED;
    }
  }
  return DM_MAX_ITER;
}

// -- statistics

// autocorrelation of innovations of coordinate i by `lag` steps
static double correlate(const oc_position_fit *w, int i, int lag, double mean, int *count) {
  double sum = 0;
  *count = 0;
  for (const oc_run *r = w->run; r < w->run + w->nruns; r++)
    for (int k = lag; k < r->knots; k++) {
      const double a = w->of.innovation[(r->first + k) * w->of.n + i];
      const double b = w->of.innovation[(r->first + k - lag) * w->of.n + i];
      if (!isfinite(a) || !isfinite(b)) continue;
      sum += (a - mean) * (b - mean);
      ++*count;
    }
  return sum;
}

static void judge_coordinate(const oc_position_fit *w, int i, oc_fit_joint *to) {
  enum { LAGS = 20 };
  double mean = 0, position = 0, weights = 0, force = 0;
  int count = 0, forces = 0;
  for (const oc_run *r = w->run; r < w->run + w->nruns; r++)
    for (int k = 0; k < r->knots; k++) {
      double y;
      const int at = (r->first + k) * w->of.n + i;
      const double weight = oc_knot_walk_read(&w->of, r, k, i, &y);
      position += weight * (w->of.q[at] - y) * (w->of.q[at] - y);
      weights += weight;
      if (isfinite(w->of.innovation[at])) mean += w->of.innovation[at], count++;
      if (k == 0 || k + 1 == r->knots) continue;
      force += w->of.force[at] * w->of.force[at], forces++;
    }
  *to = (oc_fit_joint){.position_rms = weights > 0 ? sqrt(position / weights) : 0,
                       .force_rms = forces > 0 ? sqrt(force / forces) : 0};
  if (count < 3 * LAGS) return;
  mean /= count;
  int n;
  const double square = correlate(w, i, 0, 0, &n), variance = correlate(w, i, 0, mean, &n);
  to->innovation_rms = sqrt(square / count);
  for (int lag = 1; lag <= LAGS; lag++) {
    const double rho = correlate(w, i, lag, mean, &n) / variance;
    if (lag == 1) to->correlation = rho;
    if (n > 0) to->whiteness += (double)count * (count + 2) * rho * rho / (count - lag) / LAGS;
  }
}

static dm_status filter_run(oc_knot_walk *walk, const oc_run *r, const crew *c, double *cost) {
  (void)cost;
  int t = 0;
  while (c->w->walk[t] != walk) t++;
  return oc_knot_walk_filter(walk, r, c->w->filter[t]);
}

dm_status oc_position_fit_judge(oc_position_fit *w, oc_fit_joint *joint) {
  double cost;
  DM_TRY(oc_position_fit_cost(w, w->of.q, &cost));
  dm_status s = DM_OK;
  for (int t = 0; t < w->nwalk; t++) {
    w->filter[t] = calloc(oc_knot_walk_filter_size(w->of.m), sizeof(double));
    if (!w->filter[t]) s = DM_NO_MEMORY;
  }
  if (s == DM_OK) s = run_crew(&(crew){.w = w, .walk = filter_run});
  for (int t = 0; t < w->nwalk; t++) {
    free(w->filter[t]);
    w->filter[t] = NULL;
  }
  for (int i = 0; s == DM_OK && i < w->of.n; i++) judge_coordinate(w, i, &joint[i]);
  return s;
}
