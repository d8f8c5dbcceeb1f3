#include "optim/descent/projection_operator.h"

#include "lib/base/block.h"

#include <assert.h>
#include <math.h>
#include <string.h>

// weights of inputs, to 1 of states, of the gains that a curve is followed by
static const double FOLLOW[] = {100, 10, 1, 1e-1, 1e-2, 1e-4};

static void lay_out_projection(void *self, dm_block *b) {
  oc_projection_operator *w = self;
  size_t N = (size_t)w->N, nx = (size_t)w->nx, nu = (size_t)w->nu;
  const struct {
    double **at;
    size_t count;
  } rows[] = {{&w->A, N * nx * nx},  {&w->B, N * nx * nu}, {&w->K, N * nu * nx},
              {&w->z, (N + 1) * nx}, {&w->v, N * nu},      {&w->Q, nx * nx},
              {&w->R, nu * nu},      {&w->deviation, nx},  {&w->B_free, N * nx * nu}};
  for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
    *rows[i].at = dm_block_alloc(b, rows[i].count, sizeof(double));
}

void oc_projection_operator_free(oc_projection_operator *w) {
  if (!w) return;
  dm_trajectory_free(w->x);
  dm_trajectory_free(w->trial);
  dm_trajectory_free(w->best);
  dm_del_free(w->del);
  dm_linearize_free(w->linearize);
  fb_riccati_free(w->riccati);
  dm_block_free(w);
}

static dm_status make_projection_parts(oc_projection_operator *w) {
  const dm_system *s = &w->task->system;
  DM_TRY(dm_trajectory_of(&w->x, w->N, s));
  DM_TRY(dm_trajectory_of(&w->trial, w->N, s));
  DM_TRY(dm_trajectory_of(&w->best, w->N, s));
  DM_TRY(dm_del_new(&w->del, s, NULL));
  DM_TRY(dm_linearize_new(&w->linearize, s));
  return fb_riccati_new(&w->riccati, w->nx, w->nu);
}

dm_status oc_projection_operator_new(oc_projection_operator **out, const oc_task *task) {
  assert(out && task && task->N >= 1);
  const dm_system *s = &task->system;
  oc_projection_operator sizes = {.task = task, .n = s->L.nq, .nx = 2 * s->L.nq, .N = task->N};
  sizes.nu = dm_system_inputs(s);
  sizes.h = oc_task_step(task);
  sizes.failed = -1;

  *out = NULL;
  oc_projection_operator *w = dm_block_make(&sizes, sizeof sizes, lay_out_projection);
  if (!w) return DM_NO_MEMORY;

  // states weigh 1
  for (int i = 0; i < w->nx; i++) w->Q[i * w->nx + i] = 1;
  dm_status status = make_projection_parts(w);
  if (status != DM_OK) {
    oc_projection_operator_free(w);
    return status;
  }
  w->x->h = w->trial->h = w->best->h = w->h;
  *out = w;
  return DM_OK;
}

dm_status oc_projection_operator_linearize(oc_projection_operator *w, int k) {
  const dm_trajectory *x = w->x;
  const double *q = x->q + (size_t)k * (size_t)w->n;
  size_t nx = (size_t)w->nx, nu = (size_t)w->nu, at = (size_t)k;
  return dm_linearize_step(w->linearize, q, q + w->n, x->u + at * nu,
                           x->lambda + at * (size_t)x->nc, w->h, w->A + at * nx * nx,
                           w->B + at * nx * nu);
}

// B of step k, without the inputs that are at a bound: what feedback may count on
static void drop_bounded_inputs(oc_projection_operator *w, int k) {
  const oc_task *t = w->task;
  size_t nx = (size_t)w->nx, nu = (size_t)w->nu, at = (size_t)k * nx * nu;
  const double *u = w->x->u + (size_t)k * nu;
  memcpy(w->B_free + at, w->B + at, nx * nu * sizeof *w->B);
  for (size_t j = 0; j < nu; j++)
    for (size_t i = 0;
         i < nx && ((t->u_min && u[j] <= t->u_min[j]) || (t->u_max && u[j] >= t->u_max[j])); i++)
      w->B_free[at + i * nu + j] = 0;
}

dm_status oc_projection_operator_gains(oc_projection_operator *w, double R) {
  size_t nx = (size_t)w->nx, nu = (size_t)w->nu;
  for (int j = 0; j < w->nu; j++) w->R[j * w->nu + j] = R;

  // A, B along the motion
  for (int k = 0; k < w->N; k++) {
    dm_status s = oc_projection_operator_linearize(w, k);
    drop_bounded_inputs(w, k); // feedback can't count on them
    if (s == DM_OK) continue;
    w->failed = k;
    return dm_linearize_explain(&w->msg, s, w->linearize, k, w->task->coord_name);
  }

  // the Riccati recursion over all steps
  fb_lq lq = {.N = w->N, .nx = w->nx, .nu = w->nu, .A = w->A, .B = w->B_free};
  lq.Q = lq.Qf = w->Q;
  lq.R = w->R;
  lq.A_stride = nx * nx;
  lq.B_stride = nx * nu;
  dm_status s = fb_riccati_sweep(w->riccati, &lq, w->K, NULL, &w->failed);
  while (s == DM_NOT_DEFINITE && w->failed + 1 < lq.N) { // a value too large to count with: anew
    lq.N = w->failed + 1; // shorter horizon: it ends where the value was lost
    s = fb_riccati_sweep(w->riccati, &lq, w->K, NULL, &w->failed);
  }
  return s == DM_OK ? s
                    : dm_fail(&w->msg, s, "knot %d: no gains stabilize this motion: %s", w->failed,
                              dm_status_text(s));
}

static double clamp_input(double x, const double *lo, const double *hi, int i) {
  if (lo && x < lo[i]) return lo[i];
  return hi && x > hi[i] ? hi[i] : x;
}

// the inputs of step k at the state of trial
static void command_inputs(oc_projection_operator *w, double a, int k) {
  const dm_trajectory *x = w->x, *y = w->trial;
  int n = w->n, nx = w->nx, nu = w->nu;
  size_t at = (size_t)k, kn = at * (size_t)n, ku = at * (size_t)nu;
  const double *K = w->K + at * (size_t)(nu * nx), *z = w->z + at * (size_t)nx;
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
    u[j] = clamp_input(u[j], w->task->u_min, w->task->u_max, j);
  }
}

dm_status oc_projection_operator_rollout(oc_projection_operator *w, double a) {
  const dm_trajectory *x = w->x;
  dm_trajectory *y = w->trial;
  size_t n = (size_t)w->n, size = n * sizeof(double);
  dm_del_info info;

  // from the motion's own start
  memcpy(y->q, x->q, size);
  memcpy(y->p, x->p, size);
  for (int k = 0; k < w->N; k++) {
    const double *q = y->q + (size_t)k * n, *to = x->q + (size_t)k * n;
    double *q1 = y->q + (size_t)(k + 1) * n;

    // inputs by feedback from the curve
    command_inputs(w, a, k);
    // looked for along the curve, and where it is not found there, at rest
    dm_status s = DM_MAX_ITER;
    for (int moves = 1; s == DM_MAX_ITER && moves >= 0; moves--) {
      for (size_t i = 0; i < n; i++)
        q1[i] = moves ? q[i] + to[n + i] - to[i] : q[i]; // along the curve, then at rest
      s = dm_del_step(w->del, q, y->p + (size_t)k * n, y->u + (size_t)k * (size_t)w->nu, w->h, q1,
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

static void exchange_motions(dm_trajectory **a, dm_trajectory **b) {
  dm_trajectory *x = *a;
  *a = *b;
  *b = x;
}

dm_status oc_projection_operator_follow(oc_projection_operator *w) {
  double least = INFINITY;
  dm_status s = DM_OK;
  for (size_t i = 0; i < sizeof FOLLOW / sizeof *FOLLOW; i++) {
    // hold the curve by gains of this weight, and roll it
    dm_status one = oc_projection_operator_gains(w, FOLLOW[i]);
    if (one == DM_OK) one = oc_projection_operator_rollout(w, 0);
    if (one != DM_OK) {
      s = one;
      continue;
    }

    // the nearest so far, by its positions, is kept in best
    double sum = 0;
    // sum of |q - q_curve|^2 over all knots
    for (int k = 0; k < (w->N + 1) * w->n; k++) {
      double off = w->trial->q[k] - w->x->q[k];
      sum += off * off;
    }
    if (!(sum < least)) continue;
    least = sum;
    exchange_motions(&w->best, &w->trial);
  }

  exchange_motions(&w->best, &w->trial);
  return least < INFINITY ? DM_OK : s;
}

void oc_projection_operator_accept(oc_projection_operator *w) {
  exchange_motions(&w->x, &w->trial);
}
