#include "optim/descent/projection_operator.h"

#include "lib/base/block.h"
#include "lib/base/dense.h"
#include "optim/rows/differences.h"

#include <assert.h>
#include <math.h>
#include <string.h>
#include <time.h>

static void lay_out_projection(void *self, dm_block *b) {
  oc_projection_operator *w = self;
  // sizes
  size_t N = (size_t)w->N, nx = (size_t)w->nx, nu = (size_t)w->nu, nh = (size_t)w->nh;
  size_t nc = (size_t)w->task->system.hol.nc;
  // matrices along the motion, the direction, and work arrays
  const struct {
    double **at;
    size_t count;
  } rows[] = {{&w->A, N * nx * nx},
              {&w->B, N * nx * nu},
              {&w->K, N * nu * nx},
              {&w->own, N * nu * nx},
              {&w->f_h, N * nx * nh},
              {&w->lambda_y, w->impulses ? N * nc * (size_t)w->nw : 0},
              {&w->z, (N + 1) * (size_t)w->ns},
              {&w->v, N * nu},
              {&w->state, nx},
              {&w->speed, (size_t)w->n},
              {&w->input, nu},
              {&w->Q, nx * nx},
              {&w->R, nu * nu},
              {&w->gap, N * nx},
              {&w->trial_gap, N * nx},
              {&w->given, (size_t)w->n},
              {&w->deviation, nx},
              {&w->B_free, N * nx * nu},
              {&w->wide, nx * (nu + nh)},
              {&w->by_x, nc * nx},
              {&w->by_u, nc * (nu + nh)},
              {&w->low, nu},
              {&w->high, nu},
              {&w->tie, (size_t)w->task->system.nu}};
  for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
    *rows[i].at = dm_block_alloc(b, rows[i].count, sizeof(double));
  w->rated = dm_block_alloc(b, (size_t)w->task->system.nu, sizeof *w->rated);
}

void oc_projection_operator_free(oc_projection_operator *w) {
  if (!w) return;
  dm_trajectory_free(w->x);
  dm_trajectory_free(w->trial);
  dm_trajectory_free(w->best);
  dm_del_free(w->del);
  dm_linearize_free(w->linearize);
  fb_riccati_free(w->riccati);
  oc_start_free(w->start);
  dm_block_free(w);
}

static dm_status make_projection_parts(oc_projection_operator *w) {
  const dm_system *s = &w->task->system;
  DM_TRY(dm_trajectory_of(&w->x, w->N, s));
  DM_TRY(dm_trajectory_of(&w->trial, w->N, s));
  DM_TRY(dm_trajectory_of(&w->best, w->N, s));
  DM_TRY(dm_del_new(&w->del, s, NULL));
  DM_TRY(w->nh ? dm_linearize_new_by_step(&w->linearize, s) : dm_linearize_new(&w->linearize, s));
  DM_TRY(oc_start_new(&w->start, w->task));
  return fb_riccati_new(&w->riccati, w->nx, w->nu);
}

// returns true if the change of force j has a limit, a cost, or a tie-break
static bool is_rated(const oc_projection_operator *w, int j) {
  const oc_task *t = w->task;
  return isfinite(oc_high(t, OC_RATE, j)) || oc_weight(t->cost[OC_RATE].running, j) > 0 ||
         w->tie[j] > 0;
}

static bool has_bounded_impulse(const oc_task *t) {
  for (int c = 0; c < t->system.hol.nc; c++)
    if (!dm_range_is_none(oc_task_range(t, OC_LAMBDA, c))) return true;
  return false;
}

dm_status oc_projection_operator_new(oc_projection_operator **out, const oc_task *task) {
  assert(out && task && task->N >= 1);
  const dm_system *s = &task->system;
  oc_projection_operator sizes = {.task = task, .n = s->L.nq, .nx = 2 * s->L.nq, .N = task->N};
  sizes.nu = dm_system_inputs(s);
  sizes.nh = task->time.free;
  sizes.impulses = has_bounded_impulse(task);
  sizes.ns = sizes.nx + sizes.nh + s->nu; // upper bound
  sizes.nw = sizes.ns + sizes.nu;
  sizes.failed = -1;

  // one allocation for all arrays
  *out = NULL;
  oc_projection_operator *w = dm_block_make(&sizes, sizeof sizes, lay_out_projection);
  if (!w) return DM_NO_MEMORY;

  // forces with rate terms; in a minimum-time task including those with a tie-break
  if (w->task->time.free) oc_tie_break(w->task, w->tie);
  w->nr = 0;
  for (int j = 0; j < w->task->system.nu; j++)
    if (is_rated(w, j)) w->rated[w->nr++] = j;

  w->ns = w->nx + w->nh + w->nr;
  w->nw = w->ns + w->nu;
  for (int j = 0; j < w->nu; j++) oc_ranges_input(task, j, &w->low[j], &w->high[j]);

  // weight of states: 1 over the squared scales
  dm_status status = oc_descent_sizes(task, w->state, w->speed, w->state + w->n, w->input);
  for (int i = 0; i < w->nx; i++) w->Q[i * w->nx + i] = 1 / (w->state[i] * w->state[i]);
  if (status == DM_OK) status = make_projection_parts(w);
  if (status != DM_OK) {
    oc_projection_operator_free(w);
    return status;
  }
  w->x->h = w->trial->h = w->best->h = oc_task_step(task);
  *out = w;
  return DM_OK;
}

// f_h, and the derivatives of impulses, of step k, from B with the column of the step
static void keep_wide_derivatives(oc_projection_operator *w, int k) {
  int nx = w->nx, nu = w->nu, nh = w->nh, ni = nu + nh;

  // B, and the additional column
  double *B = w->B + (size_t)k * (size_t)(nx * nu);
  for (int i = 0; nh && i < nx; i++) {
    memcpy(B + i * nu, w->wide + i * ni, (size_t)nu * sizeof *B);
    w->f_h[(size_t)k * (size_t)nx + (size_t)i] = w->wide[i * ni + nu];
  }
  if (!w->impulses) return;

  // derivatives of lambda by x, u and h
  dm_linearize_multipliers(w->linearize, w->by_x, w->by_u);
  for (int c = 0; c < w->x->nc; c++) {
    double *row = w->lambda_y + ((size_t)k * (size_t)w->x->nc + (size_t)c) * (size_t)w->nw;
    memset(row, 0, (size_t)w->nw * sizeof *row);
    memcpy(row, w->by_x + c * nx, (size_t)nx * sizeof *row);
    memcpy(row + w->ns, w->by_u + c * ni, (size_t)nu * sizeof *row);
    if (nh) row[nx] = w->by_u[c * ni + nu];
  }
}

dm_status oc_projection_operator_linearize(oc_projection_operator *w, int k) {
  const dm_trajectory *x = w->x;
  const double *q = x->q + (size_t)k * (size_t)w->n;
  size_t nx = (size_t)w->nx, nu = (size_t)w->nu, at = (size_t)k;
  DM_TRY(dm_linearize_step(w->linearize, q, q + w->n, x->u + at * nu,
                           x->lambda + at * (size_t)x->nc, x->h, w->A + at * nx * nx,
                           w->nh ? w->wide : w->B + at * nx * nu));
  keep_wide_derivatives(w, k);
  return DM_OK;
}

void oc_projection_operator_pull(const oc_projection_operator *w, int k, int i, double t,
                                 double *row) {
  size_t nx = (size_t)w->nx, nu = (size_t)w->nu, at = (size_t)k * nx + (size_t)i;
  dm_add_to(w->nx, t, w->A + at * nx, row);
  dm_add_to(w->nu, t, w->B + at * nu, row + w->ns);
  if (w->nh) row[nx] += t * w->f_h[at];
}

// diagonal weights of inputs, R over the squared scales
static void weigh_inputs(const oc_projection_operator *w, double R, double *diagonal) {
  for (int j = 0; j < w->nu; j++) diagonal[j * w->nu + j] = R / (w->input[j] * w->input[j]);
}

// K for state weights 1 and input weight R, with A of all steps and this B
static dm_status design_projection(oc_projection_operator *w, double R, const double *B) {
  size_t nx = (size_t)w->nx, nu = (size_t)w->nu;
  weigh_inputs(w, R, w->R);

  fb_lq lq = {.N = w->N, .nx = w->nx, .nu = w->nu, .A = w->A, .B = B};
  lq.Q = lq.Qf = w->Q;
  lq.R = w->R;
  lq.A_stride = nx * nx;
  lq.B_stride = nx * nu;
  dm_status s = fb_riccati_sweep(w->riccati, &lq, w->K, NULL, &w->failed);
  while (s == DM_NOT_DEFINITE && w->failed + 1 < lq.N) { // lost to rounding: use a
    lq.N = w->failed + 1; // shorter horizon that ends where the value function was lost
    s = fb_riccati_sweep(w->riccati, &lq, w->K, NULL, &w->failed);
  }
  return s == DM_OK ? s
                    : dm_fail(&w->msg, s, "knot %d: no gains stabilize this motion: %s", w->failed,
                              dm_status_text(s));
}

// A, B of step k; a message on failure
static dm_status linearize_or_explain(oc_projection_operator *w, int k) {
  dm_status s = oc_projection_operator_linearize(w, k);
  if (s == DM_OK) return s;
  w->failed = k;
  return dm_linearize_explain(&w->msg, s, w->linearize, k, w->task->coord_name);
}

const char *const oc_work_names[] = {"rollouts", "gradients", "curvatures",
                                     "sweeps",   "products",  NULL};

double oc_work_clock(void) {
  struct timespec t;
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
  return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

void oc_work_add(oc_work *w, oc_work_kind kind, double since) {
  w->count[kind]++;
  w->cpu[kind] += oc_work_clock() - since;
}

// The gap after step k of x, from its last linearization.
static void keep_gap(oc_projection_operator *w, int k) {
  const size_t n = (size_t)w->n;
  double *gap = w->gap + (size_t)k * 2 * n;
  const double *p = w->x->p + (size_t)(k + 1) * n;
  for (size_t i = 0; i < n; i++) {
    gap[i] = 0;
    gap[n + i] = w->linearize->d->D2[i] - p[i];
    w->gaps += fabs(gap[n + i]) / w->state[n + i];
  }
}

// The gap of the start, `given`, goes through the first step.
static void add_start_gap(const oc_projection_operator *w, double *gap) {
  for (int i = 0; i < w->nx; i++) gap[i] += dm_inner(w->n, w->A + i * w->nx + w->n, w->given);
}

static dm_status find_start_gap(oc_projection_operator *w) {
  DM_TRY(oc_start_move(w->start, w->x, 0, w->trial));
  for (int i = 0; i < w->n; i++) {
    w->given[i] = w->trial->p[i] - w->x->p[i];
    w->gaps += fabs(w->given[i]) / w->state[w->n + i];
  }
  add_start_gap(w, w->gap);
  return DM_OK;
}

dm_status oc_projection_operator_gains(oc_projection_operator *w, double R) {
  double since = oc_work_clock();
  // A, B along the motion; feedback cannot use inputs at bounds
  w->gaps = 0;
  for (int k = 0; k < w->N; k++) {
    DM_TRY(linearize_or_explain(w, k));
    if (w->curve) keep_gap(w, k);

    // B of step k without the inputs at a bound, which feedback cannot use
    size_t nx = (size_t)w->nx, nu = (size_t)w->nu, at = (size_t)k * nx * nu;
    const double *u = w->x->u + (size_t)k * nu;
    memcpy(w->B_free + at, w->B + at, nx * nu * sizeof *w->B);
    for (size_t j = 0; j < nu; j++)
      for (size_t i = 0; i < nx && (u[j] <= w->low[j] || u[j] >= w->high[j]); i++)
        w->B_free[at + i * nu + j] = 0;
  }
  if (w->curve) DM_TRY(find_start_gap(w));
  oc_work_add(&w->work, OC_WORK_GRADIENT, since);
  if (w->keeps) return DM_OK;
  since = oc_work_clock();
  dm_status s = design_projection(w, R, w->B_free);
  oc_work_add(&w->work, OC_WORK_SWEEP, since);
  return s;
}

// NaN is kept
static double clamp_input(double x, double low, double high) {
  if (x < low) return low;
  return x > high ? high : x;
}

// inputs of step k at the state of trial
static void command_inputs(oc_projection_operator *w, double a, int k) {
  const dm_trajectory *x = w->x, *y = w->trial;
  int n = w->n, nx = w->nx, nu = w->nu;
  size_t at = (size_t)k, kn = at * (size_t)n, ku = at * (size_t)nu;
  const double *K = w->K + at * (size_t)(nu * nx), *z = w->z + at * (size_t)w->ns;
  double *u = y->u + ku;
  // x + a z - x_k
  for (int i = 0; i < n; i++) {
    w->deviation[i] = x->q[kn + i] + a * z[i] - y->q[kn + i];
    w->deviation[n + i] = x->p[kn + i] + a * z[n + i] - y->p[kn + i];
  }

  // u + a v + K (x + a z - x_k), within bounds
  for (int j = 0; j < nu; j++) {
    u[j] = x->u[ku + j] + a * w->v[ku + j];
    for (int i = 0; i < nx; i++) u[j] += K[j * nx + i] * w->deviation[i];
    u[j] = clamp_input(u[j], w->low[j], w->high[j]);
  }
}

// The curve of x plus a times the direction, in trial, with its gaps.
static dm_status move_curve(oc_projection_operator *w, double a) {
  const dm_trajectory *x = w->x;
  dm_trajectory *y = w->trial;
  const int n = w->n, nx = w->nx;
  dm_interval *d = w->linearize->d;

  // 1. the start, and all knots
  w->trial_gaps = 0;
  DM_TRY(oc_start_move(w->start, x, a, y));
  memcpy(w->given, y->p, (size_t)n * sizeof *w->given);
  for (int k = 1; k <= w->N; k++) {
    const size_t at = (size_t)k * (size_t)n;
    memcpy(y->q + at, x->q + at, (size_t)n * sizeof *y->q);
    dm_add_to(n, a, w->z + (size_t)k * (size_t)w->ns, y->q + at);
  }

  // 2. inputs, momenta p = -D1, and gaps to D2 of the step before, or to that of the start
  for (int k = 0; k < w->N; k++) {
    const size_t at = (size_t)k * (size_t)n, au = (size_t)k * (size_t)w->nu;
    double *u = y->u + au, *p = y->p + at, *gap = w->trial_gap + (size_t)k * (size_t)nx;
    w->failed = k;
    for (int j = 0; j < w->nu; j++)
      u[j] = clamp_input(x->u[au + (size_t)j] + a * w->v[au + (size_t)j], w->low[j], w->high[j]);
    DM_TRY(dm_interval_eval(d, 1, y->q + at, y->q + at + n, u, y->h));
    memset(gap, 0, (size_t)nx * sizeof *gap);
    for (int i = 0; i < n; i++) {
      double *off = k ? gap - n + i : w->given + i; // momenta of stage k - 1
      *off = p[i] + d->D1[i];
      w->trial_gaps += fabs(*off) / w->state[n + i];
      p[i] = -d->D1[i];
      p[n + i] = d->D2[i];
    }
  }
  add_start_gap(w, w->trial_gap);
  w->failed = -1;
  return isfinite(w->trial_gaps) ? DM_OK : DM_NOT_FINITE;
}

void oc_projection_operator_swap(oc_projection_operator *w) {
  double *K = w->K;
  w->K = w->own;
  w->own = K;
}

dm_status oc_projection_operator_rollout(oc_projection_operator *w, double a) {
  if (w->curve) return move_curve(w, a);
  const dm_trajectory *x = w->x;
  dm_trajectory *y = w->trial;
  size_t n = (size_t)w->n;
  dm_del_info info;

  // from the motion's start, with its free entries moved
  w->failed = 0;
  dm_status moved = oc_start_move(w->start, x, a, y);
  if (moved < 0) return dm_fail(&w->msg, moved, "the start: %s", dm_status_text(moved));
  for (int k = 0; k < w->N; k++) {
    const double *q = y->q + (size_t)k * n, *to = x->q + (size_t)k * n;
    double *q1 = y->q + (size_t)(k + 1) * n;

    // inputs by feedback from the curve
    command_inputs(w, a, k);
    // initial guess along the curve; if that fails, at rest
    dm_status s = DM_MAX_ITER;
    for (int moves = 1; s == DM_MAX_ITER && moves >= 0; moves--) {
      for (size_t i = 0; i < n; i++)
        q1[i] = moves ? q[i] + to[n + i] - to[i] : q[i]; // along the curve, then at rest
      s = dm_del_step(w->del, q, y->p + (size_t)k * n, y->u + (size_t)k * (size_t)w->nu, y->h, q1,
                      y->p + (size_t)(k + 1) * n, &info);
    }

    if (s != DM_OK) {
      w->failed = k;
      dm_del_explain(&w->msg, s, w->del, &info, k, w->task->coord_name);
      return s < 0 ? s : DM_NOT_FINITE;
    }
    memcpy(y->lambda + (size_t)k * (size_t)y->nc, w->del->lambda, (size_t)y->nc * sizeof(double));
  }
  return DM_OK;
}

// -- projection of a curve that is not a motion

// input weights, relative to 1 for states, of the candidates
static const double FOLLOW[] = {100, 10, 1, 1e-1, 1e-2, 1e-4, 1e-6, 1e-8};
enum { HELD = 6 }; // candidates for which gains stabilize the motion without further terms

// linear motion about a curve: states z and 1
typedef struct following {
  int N, m, nu;
  double *A, *B, *Q, *R; // [N][m x m], [N][m x nu], [m x m], [nu x nu]
  double *K, *z;         // [N][nu x m], [2][m]
  fb_riccati *sweep;
} following;

static void lay_out_following(void *self, dm_block *b) {
  following *f = self;
  size_t N = (size_t)f->N, m = (size_t)f->m, nu = (size_t)f->nu;
  f->A = dm_block_alloc(b, N * m * m, sizeof(double));
  f->B = dm_block_alloc(b, N * m * nu, sizeof(double));
  f->Q = dm_block_alloc(b, m * m, sizeof(double));
  f->R = dm_block_alloc(b, nu * nu, sizeof(double));
  f->K = dm_block_alloc(b, N * nu * m, sizeof(double));
  f->z = dm_block_alloc(b, 2 * m, sizeof(double));
}

// problem of the linear motion without R
static dm_status pose_following(oc_projection_operator *w, following *f) {
  size_t nx = (size_t)w->nx, nu = (size_t)w->nu, m = (size_t)f->m;
  for (size_t i = 0; i < nx; i++) f->Q[i * m + i] = w->Q[i * nx + i];
  for (int k = 0; k < w->N; k++) {
    double *A = f->A + (size_t)k * m * m;
    DM_TRY(linearize_or_explain(w, k));
    for (size_t i = 0; i < nx; i++)
      memcpy(A + i * m, w->A + ((size_t)k * nx + i) * nx, nx * sizeof *A);
    memcpy(f->B + (size_t)k * m * nu, w->B + (size_t)k * nx * nu, nx * nu * sizeof *f->B);

    // shock of step k, into the last column of A [m x m]: momenta D2 minus those of the next knot; for
    // prescribed coordinates the position; at the first step also the difference between the start's
    // momenta and the curve's, propagated by one step
    const dm_interval *d = w->linearize->d;
    const dm_system *s = &w->task->system;
    int n = w->n, last = f->m - 1;
    const double *q1 = w->x->q + (size_t)(k + 1) * (size_t)n, *p1 = w->x->p + (q1 - w->x->q);
    const double *u = w->x->u + (size_t)k * (size_t)w->nu;
    for (int i = 0, j = s->nu; i < n; i++) {
      bool moved = s->kinematic && s->kinematic[i];
      A[i * f->m + last] = moved ? u[j] - q1[i] : 0;
      A[(n + i) * f->m + last] = moved ? 0 : d->D2[i] - p1[i];
      j += moved;
    }

    // p_0 = -D1, except for impulses, which have no effect
    for (int j = 0; k == 0 && j < n; j++) {
      double off = w->x->p[j] + d->D1[j];
      if (s->kinematic && s->kinematic[j]) continue;
      for (int i = 0; i < w->nx; i++) A[i * f->m + last] += A[i * f->m + n + j] * off;
    }

    A[m * m - 1] = 1;
  }
  return DM_OK;
}

// the motion for one R, in w->trial
static dm_status follow_curve(oc_projection_operator *w, following *f, double R) {
  size_t nx = (size_t)w->nx, nu = (size_t)w->nu, m = (size_t)f->m;
  fb_lq lq = {.N = f->N, .nx = f->m, .nu = f->nu, .A = f->A, .B = f->B, .Q = f->Q, .R = f->R};
  lq.Qf = f->Q;
  lq.A_stride = m * m;
  lq.B_stride = m * nu;
  weigh_inputs(w, R, f->R);
  DM_TRY(design_projection(w, R, w->B));
  DM_TRY(fb_riccati_sweep(f->sweep, &lq, f->K, NULL, &w->failed));

  // v = -K (z, 1), z' = A (z, 1) + B v
  memset(w->z, 0, (size_t)w->ns * sizeof *w->z);
  for (size_t k = 0; k < (size_t)w->N; k++) {
    double *z = f->z, *next = f->z + m, *v = w->v + k * nu, *to = w->z + (k + 1) * (size_t)w->ns;
    memset(z, 0, m * sizeof *z);
    memcpy(z, w->z + k * (size_t)w->ns, nx * sizeof *z);
    z[m - 1] = 1;
    dm_gemm(w->nu, 1, f->m, -1, f->K + k * nu * m, z, 0, v);
    dm_gemm(f->m, 1, f->m, 1, f->A + k * m * m, z, 0, next);
    dm_gemm(f->m, 1, w->nu, 1, f->B + k * m * nu, v, 1, next);
    memset(to, 0, (size_t)w->ns * sizeof *to);
    memcpy(to, next, nx * sizeof *to);
  }
  memset(w->start->step, 0, (size_t)w->start->nt * sizeof *w->start->step);
  return oc_projection_operator_rollout(w, 1);
}

static void exchange_motions(dm_trajectory **a, dm_trajectory **b) {
  dm_trajectory *x = *a;
  *a = *b;
  *b = x;
}

// keep trial in best if it is nearer to the curve than previous ones, by the scaled |q - q_curve|^2
// summed over all knots
static void keep_nearer(oc_projection_operator *w, double *least) {
  double sum = 0;
  for (int k = 0; k < (w->N + 1) * w->n; k++) {
    double off = (w->trial->q[k] - w->x->q[k]) / w->state[k % w->n];
    sum += off * off;
  }
  if (!(sum < *least)) return;
  *least = sum;
  exchange_motions(&w->best, &w->trial);
}

// candidates under gains for all R
static dm_status follow_by_gains(oc_projection_operator *w, double *least) {
  dm_status s = DM_OK;
  for (int i = 0; i < HELD; i++) {
    dm_status one = oc_projection_operator_gains(w, FOLLOW[i]);
    if (one == DM_OK) one = oc_projection_operator_rollout(w, 0);
    if (one == DM_OK) keep_nearer(w, least);
    if (one != DM_OK) s = one;
  }
  return *least < INFINITY ? DM_OK : s;
}

// candidates with the curve's shocks, using the workspace f
static dm_status follow_by_shocks(oc_projection_operator *w, following *f, double *least) {
  dm_status s = pose_following(w, f);
  for (size_t i = 0; s == DM_OK && i < sizeof FOLLOW / sizeof *FOLLOW; i++) {
    dm_status one = follow_curve(w, f, FOLLOW[i]);
    if (one == DM_OK) keep_nearer(w, least);
  }

  memset(w->z, 0, (size_t)(w->N + 1) * (size_t)w->ns * sizeof *w->z);
  memset(w->v, 0, (size_t)w->N * (size_t)w->nu * sizeof *w->v);
  return *least < INFINITY ? DM_OK : s;
}

dm_status oc_projection_operator_follow(oc_projection_operator *w, bool shocks) {
  double least = INFINITY;
  dm_status s = follow_by_gains(w, &least);
  if (shocks) {
    following sizes = {.N = w->N, .m = w->nx + 1, .nu = w->nu};
    following *f = dm_block_make(&sizes, sizeof sizes, lay_out_following);
    if (!f) return DM_NO_MEMORY;
    s = fb_riccati_new(&f->sweep, f->m, f->nu);
    if (s == DM_OK) s = follow_by_shocks(w, f, &least);
    fb_riccati_free(f->sweep);
    dm_block_free(f);
  }
  exchange_motions(&w->best, &w->trial);
  return s;
}

void oc_projection_operator_accept(oc_projection_operator *w) {
  dm_trajectory *x = w->x;
  w->x = w->trial;
  w->trial = x;
}
