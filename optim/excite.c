#include "optim/excite.h"

#include "lib/base/block.h"
#include "lib/base/dense.h"
#include "lib/base/random.h"

#include <assert.h>
#include <math.h>
#include <string.h>

enum { TRIED = 5, SWEEPS = 60 };
static const double MARGIN = 0.98;    // of limits, for multi-sines
static const double RAMP = 0.15;      // of the time, at either end of multi-sines
static const double FIRST_STEP = 0.3; // of the size of the motion
static const double LAST_STEP = 2e-3; //
static const double UNSEEN = 1e-12;   // relative to the largest eigenvalue
static const double DRY_SPEED = 0.01; // rad/s or m/s
static const double VAGUE_PRIOR = 100;

struct oc_excite {
  oc_task task; // follows `reference`
  const oc_fit_parameters *x;
  oc_excite_settings set;
  int n, N, p; // coordinates, steps, parameters
  oc_motion_residual *residual;
  oc_solution *solution;
  dm_trajectory *guess;
  oc_excite_info info;
  double *dry, *weight;       // [n]
  double *reference;          // [(N+1) x n]
  double *scale;              // [p] of theta, 1 / sqrt(P)
  double *S, *G;              // [p x p]
  double *vector, *value;     // [p x p], [p] eigenvectors and eigenvalues
  double *q, *slope, *series; // [(N+1) x n], [(N+1) x n], [N]
  double *force, *u;          // [(N-1) x n], [N x nu]
  double *B, *rhs;            // [n x n], [n]
  int *piv;                   // [n]
  int order[TRIED];           // the best multi-sines
};

oc_excite_settings oc_excite_default(void) {
  return (oc_excite_settings){.prior = 1,
                              .starts = 64,
                              .harmonics = 5,
                              .iterations = 100,
                              .seed = 1,
                              .setup = oc_setup_default()};
}

static void lay_out_excite(void *self, dm_block *b) {
  oc_excite *w = self;
  const size_t n = (size_t)w->n, N = (size_t)w->N, p = (size_t)w->p, size = sizeof(double);
  double **of_p[] = {&w->S, &w->G, &w->vector}, **of_q[] = {&w->reference, &w->q, &w->slope};
  for (int i = 0; i < 3; i++) *of_p[i] = dm_block_alloc(b, p * p, size);
  for (int i = 0; i < 3; i++) *of_q[i] = dm_block_alloc(b, (N + 1) * n, size);
  w->dry = dm_block_alloc(b, n, size);
  w->weight = dm_block_alloc(b, n, size);
  w->scale = dm_block_alloc(b, p, size);
  w->value = dm_block_alloc(b, p, size);
  w->series = dm_block_alloc(b, N, size);
  w->force = dm_block_alloc(b, N * n, size);
  w->u = dm_block_alloc(b, N * (size_t)w->task.system.nu, size);
  w->B = dm_block_alloc(b, n * n, size);
  w->rhs = dm_block_alloc(b, n, size);
  w->piv = dm_block_alloc(b, n, sizeof *w->piv);
}

// a task or parameters for which there is no search
static dm_status check_task(const oc_task *task, const oc_fit_parameters *x, dm_message *msg) {
  const char *why = NULL;
  if (task->time.free) why = "a free final time";
  if (task->periodic) why = "a periodic motion";
  if (task->time.grid || oc_task_frees_steps(task)) why = "steps of unequal length";
  if (task->system.nk) why = "kinematic coordinates";
  if (task->system.hol.nc) why = "constraints or ball joints";
  if (task->system.contacts) why = "contacts or dry friction that acts at knots";
  if (why)
    return dm_fail(msg, DM_BAD_INPUT,
                   "found %s, expected a task without: the motion is searched "
                   "on a fixed grid of a robot with free joints",
                   why);
  for (int i = 0; i < x->count; i++)
    if (x->list[i].kind == OC_FIT_ENCODER || x->list[i].kind == OC_FIT_DELAY)
      return dm_fail(msg, DM_BAD_INPUT,
                     "found the parameter '%s', expected parameters of the robot's equations: no "
                     "motion is chosen for zeros of encoders and delays",
                     x->list[i].path);
  return DM_OK;
}

// the robot's task without its cost; instead, the motion follows the reference
static void set_task(oc_excite *w, const oc_task *task) {
  w->task = *task;
  memset(w->task.cost, 0, sizeof w->task.cost);
  w->task.functions.nterms = 0;
  w->task.per = (oc_per){0};
  for (int i = 0; i < w->n; i++) {
    const double size = oc_task_way(task, i);
    w->weight[i] = 1 / (size * size * task->time.T);
  }
  w->task.cost[OC_Q] = (oc_weights){.running = w->weight, .reference = w->reference};
}

// 1 / sqrt(P): masses and widths of bodies are logarithms in theta
static void set_prior(oc_excite *w) {
  const double prior = isfinite(w->set.prior) ? w->set.prior : VAGUE_PRIOR;
  for (int i = 0; i < w->p; i++) {
    const oc_fit_parameter *x = &w->x->list[i];
    const bool logarithm = x->kind == OC_FIT_MASS || (x->kind == OC_FIT_INERTIA && x->entry < 3);
    w->scale[i] = prior * (logarithm ? 1 : x->size);
    // off the diagonal, widths are in units of sqrt(kg) m: those of the trace of the moments
    if (x->kind == OC_FIT_INERTIA && !logarithm) w->scale[i] = prior * sqrt(fabs(x->size));
  }
}

dm_status oc_excite_new(oc_excite **out, const oc_task *task, const oc_fit_parameters *x,
                        const oc_excite_settings *set, dm_message *msg) {
  assert(out && set->sigma && set->prior > 0 && set->starts >= 1 && set->harmonics >= 1);
  *out = NULL;
  DM_TRY(check_task(task, x, msg));
  if (task->N < 4) return dm_fail(msg, DM_BAD_INPUT, "found %d steps, expected 4 or more", task->N);
  oc_excite sizes = {.task = *task,
                     .x = x,
                     .set = *set,
                     .n = task->system.L.nq,
                     .N = task->N,
                     .p = x->count,
                     .info = {NAN, NAN, NAN, -1, 0}};
  oc_excite *w = dm_block_make(&sizes, sizeof sizes, lay_out_excite);
  if (!w) return DM_NO_MEMORY;
  set_task(w, task);
  set_prior(w);
  for (int i = 0; i < w->n; i++) w->dry[i] = set->dry ? set->dry[i] : DRY_SPEED;
  oc_fit_parameters_start(x, w->value);
  dm_status s = oc_motion_residual_new(&w->residual, x, oc_task_step(task), w->dry, msg);
  if (s == DM_OK) s = oc_motion_residual_set(w->residual, w->value);
  if (s == DM_OK) s = dm_trajectory_of(&w->guess, w->N, &task->system);
  if (s == DM_OK) s = oc_solution_new(&w->solution, &w->task, &w->set.setup, msg);
  if (s != DM_OK) {
    oc_excite_free(w);
    return s;
  }
  oc_task_set_steps(task, oc_task_step(task), w->guess);
  *out = w;
  return DM_OK;
}

void oc_excite_free(oc_excite *w) {
  if (!w) return;
  oc_solution_free(w->solution);
  dm_trajectory_free(w->guess);
  oc_motion_residual_free(w->residual);
  dm_block_free(w);
}

oc_excite_info oc_excite_get(const oc_excite *w) {
  return w->info;
}

// -- the objective

// Cholesky factor of I + D S D in place of S [p x p], below the diagonal and on it; its log det
static dm_status factor_scaled(const oc_excite *w, double *S, double *log_det) {
  const int p = w->p;
  *log_det = 0;
  for (int i = 0; i < p; i++)
    for (int j = 0; j < p; j++) S[i * p + j] = (i == j) + w->scale[i] * w->scale[j] * S[i * p + j];
  for (int j = 0; j < p; j++) {
    const double d = S[j * p + j] - dm_inner(j, S + j * p, S + j * p);
    if (!(d > 0)) return DM_NOT_FINITE;
    S[j * p + j] = sqrt(d);
    *log_det += log(d);
    for (int i = j + 1; i < p; i++)
      S[i * p + j] = (S[i * p + j] - dm_inner(j, S + i * p, S + j * p)) / S[j * p + j];
  }
  return DM_OK;
}

// G = D (L L')^-1 D from the factor L
static void invert_scaled(const oc_excite *w, const double *L, double *G) {
  const int p = w->p;
  for (int c = 0; c < p; c++) {
    double *g = w->value;
    for (int i = 0; i < p; i++) g[i] = ((i == c) - dm_inner(i, L + i * p, g)) / L[i * p + i];
    for (int i = p - 1; i >= 0; i--) {
      for (int j = i + 1; j < p; j++) g[i] -= L[j * p + i] * g[j];
      g[i] /= L[i * p + i];
    }
    for (int i = 0; i < p; i++) G[i * p + c] = w->scale[i] * g[i] * w->scale[c];
  }
}

dm_status oc_excite_measure(oc_excite *w, const double *q, double *objective, double *information) {
  // with the share of the steps of the later fit
  const double h = oc_task_step(&w->task), share = w->set.step > 0 ? h / w->set.step : 1;
  const int size = w->p * w->p;
  memset(w->S, 0, (size_t)size * sizeof *w->S);
  DM_TRY(oc_motion_residual_information(w->residual, w->N + 1, q, w->set.sigma, w->S, NULL, NULL));
  for (int i = 0; i < size; i++) w->S[i] *= share;
  if (information) memcpy(information, w->S, (size_t)size * sizeof *w->S);
  return factor_scaled(w, w->S, objective);
}

// the gradient of the objective by q, in w->slope
static dm_status find_slope(oc_excite *w, const double *q) {
  const double h = oc_task_step(&w->task), share = w->set.step > 0 ? h / w->set.step : 1;
  double log_det;
  DM_TRY(oc_excite_measure(w, q, &log_det, NULL));
  invert_scaled(w, w->S, w->G);
  memset(w->slope, 0, (size_t)(w->N + 1) * (size_t)w->n * sizeof *w->slope);
  memset(w->S, 0, (size_t)w->p * (size_t)w->p * sizeof *w->S);
  DM_TRY(
      oc_motion_residual_information(w->residual, w->N + 1, q, w->set.sigma, w->S, w->G, w->slope));
  for (int i = 0; i < (w->N + 1) * w->n; i++) w->slope[i] *= share;
  return DM_OK;
}

// -- multi-sines

// the position of coordinate i on the line between the ends, at a share s of the time
static double find_base(const oc_task *task, int i, double s) {
  const double low = oc_low(task, OC_Q, i), high = oc_high(task, OC_Q, i);
  const bool limited = isfinite(low) && isfinite(high);
  double start = limited ? (low + high) / 2 : 0;
  if (oc_given(task->start.q, i)) start = task->start.q[i];
  const double end = oc_given(task->goal.q, i) ? task->goal.q[i] : start;
  return start + (end - start) * s;
}

// 0 at the ends, with slope 0, and 1 between ramps
static double find_window(double s) {
  const double x = fmin(fmin(s, 1 - s) / RAMP, 1);
  return x * x * (3 - 2 * x);
}

// the largest factor of a deviation from the line within the limits of position and speed
static double find_room(const oc_excite *w, const double *q, int i) {
  const oc_task *task = &w->task;
  const double h = oc_task_step(task), speed = MARGIN * oc_high(task, OC_V, i);
  double room = INFINITY, before = 0;
  for (int k = 0; k <= w->N; k++) {
    const double s = (double)k / w->N, base = find_base(task, i, s);
    const double off = q[k * w->n + i],
                 step = find_base(task, i, s) - find_base(task, i, s - 1.0 / w->N);
    const double to = off > 0 ? MARGIN * (oc_high(task, OC_Q, i) - base)
                              : MARGIN * (base - oc_low(task, OC_Q, i));
    if (off != 0) room = fmin(room, fmax(to, 0) / fabs(off));
    if (k > 0 && off != before)
      room = fmin(room, fmax(speed * h - fabs(step), 0) / fabs(off - before));
    before = off;
  }
  return room;
}

// the inputs of a motion of a fully driven robot, B u = -r/h at inner knots; returns the largest
// share of their limits
static dm_status find_inputs(oc_excite *w, const double *q, double *share) {
  const int n = w->n, N = w->N;
  *share = 0;
  if (w->task.system.nu != n) return DM_UNAVAILABLE;
  memset(w->u, 0, (size_t)N * (size_t)n * sizeof *w->u);
  DM_TRY(oc_motion_residual_forces(w->residual, N + 1, q, w->u, w->force));

  // columns of B by unit inputs, at the first inner knot: forces on joints are the same everywhere
  for (int c = 0; c < n; c++) {
    for (int k = 0; k < 2; k++) w->u[k * n + c] = 1;
    DM_TRY(oc_motion_residual_forces(w->residual, 3, q, w->u, w->rhs));
    for (int i = 0; i < n; i++) w->B[i * n + c] = w->rhs[i] - w->force[i];
    for (int k = 0; k < 2; k++) w->u[k * n + c] = 0;
  }
  if (dm_lu_factor(n, w->B, w->piv) != DM_OK) return DM_UNAVAILABLE;
  for (int k = 0; k < N; k++) {
    double *u = w->u + k * n;
    const double *r = w->force + (k < 1 ? 0 : (k < N - 1 ? k : N - 1) - 1) * n;
    for (int i = 0; i < n; i++) u[i] = -r[i];
    dm_lu_solve(n, w->B, w->piv, 1, u);
    for (int i = 0; i < n; i++)
      *share = fmax(*share, u[i] > 0 ? u[i] / oc_high(&w->task, OC_U, i)
                                     : u[i] / oc_low(&w->task, OC_U, i));
  }
  return DM_OK;
}

// q = line + share x deviation
static void put_motion(const oc_excite *w, const double *off, double share, double *q) {
  for (int k = 0; k <= w->N; k++)
    for (int i = 0; i < w->n; i++)
      q[k * w->n + i] = find_base(&w->task, i, (double)k / w->N) + share * off[k * w->n + i];
}

dm_status oc_excite_multisine(oc_excite *w, int number, double *q, bool *within) {
  const int n = w->n, N = w->N, m = w->set.harmonics;
  double *off = w->slope;
  for (int i = 0; i < n; i++) {
    for (int k = 0; k <= N; k++) {
      const double s = (double)k / N;
      double sum = 0;
      for (int j = 0; j < m; j++) {
        const uint64_t at = 2 * ((uint64_t)i * (uint64_t)m + (uint64_t)j);
        const double phase = acos(-1) * dm_random_uniform(w->set.seed, number, at);
        const double size = dm_random_normal(w->set.seed, number, at) / (1 + j);
        sum += size * sin(2 * acos(-1) * (j + 1) * s + phase);
      }
      off[k * n + i] = find_window(s) * sum;
    }
    // all of its room, or as far as usual for joints without limits
    double far = 0;
    for (int k = 0; k <= N; k++) far = fmax(far, fabs(off[k * n + i]));
    const double room = fmin(find_room(w, off, i), oc_task_way(&w->task, i) / far);
    for (int k = 0; k <= N; k++) off[k * n + i] *= room;
  }

  // a fully driven robot also within the limits of its inputs
  double share, low = 0, high = 1;
  put_motion(w, off, 1, q);
  dm_status s = find_inputs(w, q, &share);
  *within = s == DM_OK;
  if (s == DM_UNAVAILABLE) return DM_OK;
  DM_TRY(s);
  if (share <= MARGIN) return DM_OK;
  for (int i = 0; i < 20; i++) {
    put_motion(w, off, (low + high) / 2, q);
    DM_TRY(find_inputs(w, q, &share));
    *(share <= MARGIN ? &low : &high) = (low + high) / 2;
  }
  put_motion(w, off, low, q);
  DM_TRY(find_inputs(w, q, &share));
  *within = share <= 1;
  return DM_OK;
}

// -- the search

// rank multi-sines: numbers of the best in w->order
static dm_status rank_multisines(oc_excite *w) {
  double best[TRIED];
  int found = 0;
  for (int number = 0; number < w->set.starts; number++) {
    double value;
    bool within;
    DM_TRY(oc_excite_multisine(w, number, w->q, &within));
    if (oc_excite_measure(w, w->q, &value, NULL) != DM_OK) continue;
    if (within && !(value <= w->info.multisine)) {
      w->info.multisine = value;
      w->info.number = number;
    }
    int at = found < TRIED ? found++ : TRIED;
    for (; at > 0 && value > best[at - 1]; at--)
      if (at < TRIED) best[at] = best[at - 1], w->order[at] = w->order[at - 1];
    if (at < TRIED) best[at] = value, w->order[at] = number;
  }
  for (int i = found; i < TRIED; i++) w->order[i] = -1;
  return DM_OK;
}

// follow the reference from a guess, or NULL: from the last solution; returns whether it is solved
static bool follow(oc_excite *w, const dm_trajectory *guess, dm_message *msg) {
  oc_solution *o = w->solution;
  o->warm = false;
  if (guess && oc_solution_start(o, guess) < 0) return false;
  if (oc_solution_find(o, msg) < 0) return false;
  return o->info.status == DM_OK || o->info.status == DM_ACCEPTABLE;
}

static dm_status find_first(oc_excite *w, dm_trajectory *motion, dm_message *msg) {
  for (int i = 0; i < TRIED && w->order[i] >= 0; i++) {
    bool within;
    double share;
    DM_TRY(oc_excite_multisine(w, w->order[i], w->reference, &within));
    memcpy(w->guess->q, w->reference, (size_t)(w->N + 1) * (size_t)w->n * sizeof *w->reference);
    memset(w->guess->u, 0, (size_t)w->N * (size_t)w->task.system.nu * sizeof *w->guess->u);
    if (find_inputs(w, w->reference, &share) == DM_OK)
      memcpy(w->guess->u, w->u, (size_t)w->N * (size_t)w->n * sizeof *w->u);
    if (!follow(w, w->guess, msg)) continue;
    dm_trajectory_copy(motion, w->solution->motion);
    return DM_OK;
  }
  return dm_fail(
      msg, DM_INFEASIBLE,
      "no motion of the task was found near %d multi-sines: try a longer horizon.time, or "
      "wider bounds",
      TRIED);
}

// Replace w->slope by its steepest direction in the metric of the motion: each sine of each coordinate
// is divided by the squares of its share of positions, speeds and accelerations. Scaled to the size
// of the motion.
static void smooth_slope(oc_excite *w, const double *q) {
  const int n = w->n, N = w->N;
  const double pi = acos(-1), h = oc_task_step(&w->task), T = N * h;
  double longest = 0;
  for (int i = 0; i < n; i++) {
    double size[3] = {1e-6, 1e-6, 1e-6}; // mean squares
    for (int k = 1; k < N; k++) {
      const double *x = q + k * n + i;
      const double off = *x - find_base(&w->task, i, (double)k / N), v = (x[n] - x[-n]) / (2 * h),
                   a = (x[n] - 2 * *x + x[-n]) / (h * h);
      size[0] += off * off / N, size[1] += v * v / N, size[2] += a * a / N;
    }
    for (int j = 1; j < N; j++) {
      const double rate = pi * j / T, square = rate * rate;
      const double metric = 1 / size[0] + square / size[1] + square * square / size[2];
      w->series[j] = 0;
      for (int k = 1; k < N; k++)
        w->series[j] += 2.0 / N * sin(pi * j * k / N) * w->slope[k * n + i];
      w->series[j] /= metric;
    }
    double sum = 0;
    for (int k = 0; k <= N; k++) {
      double x = 0;
      for (int j = 1; j < N; j++) x += w->series[j] * sin(pi * j * k / N);
      w->slope[k * n + i] = x;
      sum += x * x / N / size[0];
    }
    longest = fmax(longest, sum);
  }
  for (int i = 0; longest > 0 && i < (N + 1) * n; i++) w->slope[i] /= sqrt(longest);
}

dm_status oc_excite_run(oc_excite *w, dm_trajectory **out, dm_message *msg) {
  const size_t bytes = (size_t)(w->N + 1) * (size_t)w->n * sizeof(double);
  dm_trajectory *motion;
  *out = NULL;
  w->info = (oc_excite_info){NAN, NAN, NAN, -1, 0};
  DM_TRY(rank_multisines(w));
  DM_TRY(dm_trajectory_of(&motion, w->N, &w->task.system));
  dm_status s = find_first(w, motion, msg);
  if (s == DM_OK) s = oc_excite_measure(w, motion->q, &w->info.first, NULL);
  w->info.best = w->info.first;

  // steps along the gradient
  double step = FIRST_STEP;
  bool better = true, stopped = false;
  for (; s == DM_OK && w->info.iterations < w->set.iterations && step > LAST_STEP;
       w->info.iterations++) {
    double value = -INFINITY;
    stopped = w->set.progress && !w->set.progress(w->set.user, w->info.iterations, w->info.best);
    if (stopped) break;
    if (better) {
      s = find_slope(w, motion->q);
      if (s != DM_OK) break;
      smooth_slope(w, motion->q);
    }
    memcpy(w->reference, motion->q, bytes);
    dm_add_to((w->N + 1) * w->n, step, w->slope, w->reference);
    if (follow(w, better ? NULL : motion, msg))
      s = oc_excite_measure(w, w->solution->motion->q, &value, NULL);
    better = value > w->info.best;
    if (better) dm_trajectory_copy(motion, w->solution->motion);
    if (better) w->info.best = value;
    step = better ? fmin(1.5 * step, 1) : step / 3;
  }
  if (s < 0) {
    dm_trajectory_free(motion);
    return s;
  }
  *out = motion;
  if (stopped) return DM_INTERRUPTED;
  return w->info.iterations < w->set.iterations ? DM_OK : DM_MAX_ITER;
}

// -- predictions

// eigenvalues [p] and eigenvectors, columns of V [p x p], of a symmetric matrix A, by Jacobi's
// rotations; A is overwritten
static void find_eigenvalues(int p, double *A, double *value, double *V) {
  for (int i = 0; i < p * p; i++) V[i] = i % (p + 1) == 0;
  for (int sweep = 0; sweep < SWEEPS; sweep++) {
    double off = 0, all = 0;
    for (int i = 0; i < p * p; i++) {
      all += A[i] * A[i];
      off += i % (p + 1) ? A[i] * A[i] : 0;
    }
    if (off <= 1e-30 * all) break;
    for (int a = 0; a < p; a++)
      for (int b = a + 1; b < p; b++) {
        if (A[a * p + b] == 0) continue;
        const double t = (A[b * p + b] - A[a * p + a]) / (2 * A[a * p + b]);
        const double tan = copysign(1, t) / (fabs(t) + sqrt(1 + t * t));
        const double c = 1 / sqrt(1 + tan * tan), s = c * tan;
        for (int i = 0; i < p; i++) {
          const double x = A[i * p + a], y = A[i * p + b], u = V[i * p + a], v = V[i * p + b];
          A[i * p + a] = c * x - s * y, A[i * p + b] = s * x + c * y;
          V[i * p + a] = c * u - s * v, V[i * p + b] = s * u + c * v;
        }
        for (int i = 0; i < p; i++) {
          const double x = A[a * p + i], y = A[b * p + i];
          A[a * p + i] = c * x - s * y, A[b * p + i] = s * x + c * y;
        }
      }
  }
  for (int i = 0; i < p; i++) value[i] = A[i * p + i];
}

dm_status oc_excite_predict(oc_excite *w, const double *information, double *covariance,
                            double *condition, int *shown) {
  const int p = w->p;
  double log_det;
  memcpy(w->S, information, (size_t)p * (size_t)p * sizeof *w->S);
  DM_TRY(factor_scaled(w, w->S, &log_det));
  invert_scaled(w, w->S, covariance);

  // eigenvalues in parameters of size 1
  const double prior = isfinite(w->set.prior) ? w->set.prior : VAGUE_PRIOR;
  for (int i = 0; i < p * p; i++)
    w->S[i] = information[i] * w->scale[i / p] * w->scale[i % p] / (prior * prior);
  find_eigenvalues(p, w->S, w->value, w->vector);
  double largest = 0, least = INFINITY;
  *shown = 0;
  for (int i = 0; i < p; i++) largest = fmax(largest, w->value[i]);
  for (int i = 0; i < p; i++) {
    if (!(w->value[i] > UNSEEN * largest)) continue;
    least = fmin(least, w->value[i]);
    ++*shown;
  }
  *condition = *shown ? sqrt(largest / least) : INFINITY;
  return DM_OK;
}

double oc_excite_direction(const oc_excite *w, int i, double *direction) {
  const int p = w->p;
  double largest = 0;
  for (int c = 0; c < p; c++) largest = fmax(largest, w->value[c]);
  for (int c = 0; c < p; c++) {
    int below = 0;
    for (int d = 0; d < p; d++)
      below += w->value[d] < w->value[c] || (w->value[d] == w->value[c] && d < c);
    if (below != i) continue;
    for (int k = 0; k < p; k++) direction[k] = w->vector[k * p + c];
    return w->value[c] > UNSEEN * largest ? 1 / sqrt(w->value[c]) : INFINITY;
  }
  return INFINITY;
}
