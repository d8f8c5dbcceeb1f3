#include "optim/project.h"

#include "control/riccati.h"
#include "lib/block.h"
#include "lib/linearize.h"
#include "optim/cost.h"
#include "optim/kkt.h"
#include "optim/terminal.h"

#include <math.h>
#include <string.h>
#include <time.h>

const char *const oc_direction_names[] = {"steepest", "quasi", "newton", NULL};

static const double ARMIJO = 1e-5, SHORTER = 0.7, FLOOR = 1;
static const double PENALTY = 10, HARDER = 10, HARDEST = 1e10, ENOUGH = 0.25;
static const double LOOSE = 1e-2, TIGHTER = 0.1;
enum { TRIES = 30 };

// Matrices of stages, one after the other. Those of the direction's problem have one more state,
// always 1, that carries the linear terms.
typedef struct descent {
  const oc_task *task;
  const oc_descent_settings *set;
  int n, nx, nu, m, N; // coordinates, states 2n, inputs, nx + 1, steps
  double h, s, floor;  // step; factor of the running cost; least eigenvalue of a raised H
  double start;        // clock
  double tol;          // on |slope|, of the descent at hand
  dm_trajectory *x, *trial, *best;
  dm_del *del;
  dm_linearize *linearize;
  fb_riccati *hold, *descend;
  oc_kkt *kkt; // NULL: the Riccati sweep
  oc_terminal *end;
  double *A, *B, *K; // [N][nx x nx], [nx x nu], [nu x nx] along x
  double *l_x, *l_u; // [N+1][nx], [N][nu] derivatives of the cost
  double *push;      // [N][n] those of the cost on velocity, by q_{k+1}
  double *At, *Bt, *Q, *R, *S, *dQ, *dR, *dS, *Qf, *Kt; // [N] of the direction's problem
  double *z, *v, *lo, *hi, *share;                      // [N+1][nx], [N][nu], [N][nu], [N][nu], [N]
  double *one, *Rone;                                   // [nx x nx], [nu x nu] identities
  double *zeta, *next, *xx, *xu, *uu;                   // [nx], [nx], second derivatives of zeta.f
  double *state;                                        // [nx]
} descent;

void oc_descent_default(oc_descent_settings *set) {
  *set = (oc_descent_settings){.method = OC_NEWTON, .tol = 1e-6, .goal = 1e-8, .max_iter = 3000};
}

static double now(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

// -- workspace

static void lay_out(descent *w, dm_block *b) {
  size_t N = (size_t)w->N, nx = (size_t)w->nx, nu = (size_t)w->nu, m = (size_t)w->m;
  const struct {
    double **at;
    size_t count;
  } rows[] = {{&w->A, N * nx * nx},    {&w->B, N * nx * nu},  {&w->K, N * nu * nx},
              {&w->l_x, (N + 1) * nx}, {&w->l_u, N * nu},     {&w->push, N * (nx / 2)},
              {&w->At, N * m * m},     {&w->Bt, N * m * nu},  {&w->Q, N * m * m},
              {&w->R, N * nu * nu},    {&w->S, N * m * nu},   {&w->dQ, N * m * m},
              {&w->dR, N * nu * nu},   {&w->dS, N * m * nu},  {&w->Qf, m * m},
              {&w->Kt, N * nu * m},    {&w->z, (N + 1) * nx}, {&w->v, N * nu},
              {&w->lo, N * nu},        {&w->hi, N * nu},      {&w->share, N},
              {&w->one, nx * nx},      {&w->Rone, nu * nu},   {&w->zeta, nx},
              {&w->next, nx},          {&w->xx, nx * nx},     {&w->xu, nx * nu},
              {&w->uu, nu * nu},       {&w->state, nx}};
  for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
    *rows[i].at = dm_take(b, rows[i].count, sizeof(double));
}

static void descent_free(descent *w) {
  if (!w) return;
  dm_trajectory_free(w->x);
  dm_trajectory_free(w->trial);
  dm_trajectory_free(w->best);
  dm_del_free(w->del);
  dm_linearize_free(w->linearize);
  fb_riccati_free(w->hold);
  fb_riccati_free(w->descend);
  oc_kkt_free(w->kkt);
  oc_terminal_free(w->end);
  dm_block_free(w);
}

static dm_status descent_new(descent **out, const oc_task *task, const oc_descent_settings *set) {
  const dm_system *s = &task->system;
  int n = s->L.nq;
  descent sizes = {.task = task, .set = set, .n = n, .nx = 2 * n, .m = 2 * n + 1, .N = task->N};
  sizes.nu = dm_system_inputs(s);
  sizes.h = task->T / task->N;
  sizes.s = oc_cost_factor(task, sizes.h);
  dm_block block = {0};
  dm_take(&block, 1, sizeof sizes);
  lay_out(&sizes, &block);
  DM_TRY(dm_block_new(&block));
  descent *w = *out = dm_take(&block, 1, sizeof *w);
  *w = sizes;
  lay_out(w, &block);
  w->start = now();
  w->floor = INFINITY;
  for (int j = 0; j < w->nu; j++)
    if (task->w_u && task->w_u[j] > 0) w->floor = fmin(w->floor, FLOOR * w->s * task->w_u[j]);
  if (!isfinite(w->floor)) w->floor = FLOOR;
  for (int i = 0; i < w->nx; i++) w->one[i * w->nx + i] = 1;
  for (int i = 0; i < w->nu; i++) w->Rone[i * w->nu + i] = 1;
  DM_TRY(dm_trajectory_of(&w->x, w->N, s));
  DM_TRY(dm_trajectory_of(&w->trial, w->N, s));
  DM_TRY(dm_trajectory_of(&w->best, w->N, s));
  DM_TRY(dm_del_new(&w->del, s, NULL));
  DM_TRY(dm_linearize_new(&w->linearize, s));
  DM_TRY(fb_riccati_new(&w->hold, w->nx, w->nu));
  DM_TRY(fb_riccati_new(&w->descend, w->m, w->nu));
  if (set->sparse) DM_TRY(oc_kkt_new(&w->kkt, w->N, w->nx, w->nu));
  return oc_terminal_new(&w->end, task);
}

// -- motions

static double clamp(double x, const double *lo, const double *hi, int i) {
  if (lo && x < lo[i]) return lo[i];
  return hi && x > hi[i] ? hi[i] : x;
}

// the system rolled into w->trial under the inputs of w->x and `a` times the direction, held to
// both by the gains
static dm_status roll(descent *w, double a, int *failed) {
  const dm_trajectory *x = w->x;
  dm_trajectory *y = w->trial;
  int n = w->n, nu = w->nu;
  size_t size = (size_t)n * sizeof(double);
  dm_del_info info;
  memcpy(y->q, x->q, size);
  memcpy(y->p, x->p, size);
  for (int k = 0; k < w->N; k++) {
    const double *K = w->K + (size_t)k * (size_t)(nu * w->nx), *z = w->z + k * w->nx;
    const double *q = y->q + k * n, *p = y->p + k * n;
    double *u = y->u + k * nu, *q1 = y->q + (k + 1) * n;
    for (int i = 0; i < n; i++) {
      w->state[i] = x->q[k * n + i] + a * z[i] - q[i];
      w->state[n + i] = x->p[k * n + i] + a * z[n + i] - p[i];
    }
    for (int j = 0; j < nu; j++) {
      u[j] = x->u[k * nu + j] + a * w->v[k * nu + j];
      for (int i = 0; i < w->nx; i++) u[j] += K[j * w->nx + i] * w->state[i];
      u[j] = clamp(u[j], w->task->u_min, w->task->u_max, j);
    }
    for (int i = 0; i < n; i++) q1[i] = q[i] + x->q[(k + 1) * n + i] - x->q[k * n + i];
    dm_status s = dm_del_step(w->del, q, p, u, w->h, q1, y->p + (k + 1) * n, &info);
    memcpy(y->lambda + k * y->nc, w->del->lambda, (size_t)y->nc * sizeof(double));
    *failed = k;
    if (s != DM_OK) return s < 0 ? s : DM_NOT_FINITE;
  }
  *failed = -1;
  return DM_OK;
}

// the task's cost and the merit of a motion
static dm_status value(descent *w, const dm_trajectory *y, double *cost, double *merit) {
  int n = w->n;
  double sum = 0, last, goal;
  for (int k = 0; k < w->N; k++) {
    const double *q = y->q + k * n;
    for (int i = 0; i < n; i++) w->state[i] = -y->p[k * n + i];
    sum += oc_cost_phi(w->task, k, q, q + n, y->u + k * w->nu, w->h, w->state);
  }
  DM_TRY(oc_terminal_value(w->end, y->q + w->N * n, y->p + w->N * n, &last, &goal));
  *cost = w->s * sum + w->task->w_time * w->task->T + last;
  *merit = *cost - last + goal;
  return isfinite(*merit) ? DM_OK : DM_NOT_FINITE;
}

// A, B along w->x, and the gains that hold it, by unit weights
static dm_status follow(descent *w, int *failed) {
  const dm_trajectory *x = w->x;
  int n = w->n, nx = w->nx, nu = w->nu;
  for (int k = 0; k < w->N; k++) {
    const double *q = x->q + k * n;
    *failed = k;
    DM_TRY(dm_linearize_step(w->linearize, q, q + n, x->u + k * nu, x->lambda + k * x->nc, w->h,
                             w->A + (size_t)k * nx * nx, w->B + (size_t)k * nx * nu));
  }
  fb_lq lq = {.N = w->N, .nx = nx, .nu = nu, .A = w->A, .B = w->B};
  lq.Q = lq.Qf = w->one, lq.R = w->Rone;
  lq.A_stride = (size_t)nx * nx, lq.B_stride = (size_t)nx * nu;
  return fb_riccati_sweep(w->hold, &lq, w->K, NULL, failed);
}

// -- the model of the cost

// x - ref of row k, weighted
static double pull(const double *w, const double *ref, int k, int n, int i, double x) {
  return w ? w[i] * (ref ? x - ref[(size_t)k * (size_t)n + (size_t)i] : x) : 0;
}

// l_x, l_u along w->x; a cost on velocity (q_{k+1} - q_k)/h pulls at q_k here and, through A and B,
// at all that moves q_{k+1}
static dm_status gradient(descent *w, bool exact) {
  const oc_task *t = w->task;
  const dm_trajectory *x = w->x;
  int n = w->n, nx = w->nx, nu = w->nu;
  for (int k = 0; k < w->N; k++) {
    const double *q = x->q + k * n, *p = x->p + k * n, *u = x->u + k * nu;
    const double *A = w->A + (size_t)k * nx * nx, *B = w->B + (size_t)k * nx * nu;
    double *l_x = w->l_x + k * nx, *l_u = w->l_u + k * nu, *push = w->push + k * n;
    for (int i = 0; i < n; i++) {
      push[i] = w->s / w->h * pull(t->w_v, t->ref_v, k, n, i, (q[n + i] - q[i]) / w->h);
      l_x[i] = w->s * pull(t->w_q, t->ref_q, k, n, i, q[i]) - push[i];
      l_x[n + i] = w->s * pull(t->w_p, t->ref_p, k, n, i, p[i]);
    }
    for (int j = 0; j < nu; j++) l_u[j] = w->s * pull(t->w_u, t->ref_u, k, nu, j, u[j]);
    for (int i = 0; t->w_v && i < n; i++) {
      for (int j = 0; j < nx; j++) l_x[j] += push[i] * A[i * nx + j];
      for (int j = 0; j < nu; j++) l_u[j] += push[i] * B[i * nu + j];
    }
  }
  DM_TRY(oc_terminal_derivatives(w->end, exact, x->q + w->N * n, x->p + w->N * n));
  memcpy(w->l_x + w->N * nx, w->end->g, (size_t)nx * sizeof(double));
  return DM_OK;
}

// the cost's own second derivatives at stage k, into Q, R, S
static void curve(descent *w, int k, double *Q, double *R, double *S) {
  const oc_task *t = w->task;
  int n = w->n, nx = w->nx, nu = w->nu, m = w->m;
  const double *A = w->A + (size_t)k * nx * nx, *B = w->B + (size_t)k * nx * nu;
  for (int i = 0; i < n; i++) {
    if (t->w_q) Q[i * m + i] += w->s * t->w_q[i];
    if (t->w_p) Q[(n + i) * m + n + i] += w->s * t->w_p[i];
  }
  for (int j = 0; t->w_u && j < nu; j++) R[j * nu + j] += w->s * t->w_u[j];
  for (int r = 0; t->w_v && r < n; r++) {
    double c = w->s * t->w_v[r] / (w->h * w->h);
    const double *b = B + r * nu;
    double *a = w->next;
    memcpy(a, A + r * nx, (size_t)nx * sizeof *a);
    a[r] -= 1;
    for (int i = 0; c > 0 && i < nx; i++) {
      for (int j = 0; j < nx; j++) Q[i * m + j] += c * a[i] * a[j];
      for (int j = 0; j < nu; j++) S[i * nu + j] += c * a[i] * b[j];
    }
    for (int i = 0; c > 0 && i < nu; i++)
      for (int j = 0; j < nu; j++) R[i * nu + j] += c * b[i] * b[j];
  }
}

// zeta.f'' at stage k, zeta = w->zeta of knot k + 1 and the push of the cost on velocity
static dm_status bend(descent *w, int k, double *Q, double *R, double *S) {
  const dm_trajectory *x = w->x;
  int n = w->n, nx = w->nx, nu = w->nu, m = w->m;
  const double *q = x->q + k * n, *u = x->u + k * nu, *lambda = x->lambda + k * x->nc;
  memcpy(w->next, w->zeta, (size_t)nx * sizeof *w->next);
  for (int i = 0; i < n; i++) w->next[i] += w->push[k * n + i];
  DM_TRY(dm_linearize_step(w->linearize, q, q + n, u, lambda, w->h, w->A + (size_t)k * nx * nx,
                           w->B + (size_t)k * nx * nu));
  DM_TRY(
      dm_linearize_second(w->linearize, q, q + n, u, lambda, w->h, w->next, w->xx, w->xu, w->uu));
  for (int i = 0; i < nx; i++) {
    for (int j = 0; j < nx; j++) Q[i * m + j] += w->xx[i * nx + j];
    for (int j = 0; j < nu; j++) S[i * nu + j] += w->xu[i * nu + j];
  }
  for (int i = 0; i < nu * nu; i++) R[i] += w->uu[i];
  return DM_OK;
}

// zeta_k = l_x - K'l_u + (A - BK)' zeta_{k+1}, in place
static void back(descent *w, int k) {
  int nx = w->nx, nu = w->nu;
  const double *A = w->A + (size_t)k * nx * nx, *B = w->B + (size_t)k * nx * nu;
  const double *K = w->K + (size_t)k * nu * nx;
  memcpy(w->next, w->l_x + k * nx, (size_t)nx * sizeof *w->next);
  for (int i = 0; i < nx; i++)
    for (int j = 0; j < nx; j++) w->next[j] += A[i * nx + j] * w->zeta[i];
  for (int j = 0; j < nu; j++) {
    double g = w->l_u[k * nu + j];
    for (int i = 0; i < nx; i++) g += B[i * nu + j] * w->zeta[i];
    for (int i = 0; i < nx; i++) w->next[i] -= K[j * nx + i] * g;
  }
  memcpy(w->zeta, w->next, (size_t)nx * sizeof *w->next);
}

// the direction's problem
static dm_status model(descent *w, oc_direction kind) {
  int nx = w->nx, nu = w->nu, m = w->m;
  size_t mm = (size_t)m * m, mu = (size_t)m * nu, uu = (size_t)nu * nu;
  memcpy(w->zeta, w->l_x + w->N * nx, (size_t)nx * sizeof(double));
  for (int k = w->N - 1; k >= 0; k--) {
    double *A = w->At + k * mm, *B = w->Bt + k * mu;
    double *Q = w->Q + k * mm, *R = w->R + k * uu, *S = w->S + k * mu;
    memset(Q, 0, mm * sizeof *Q);
    memset(R, 0, uu * sizeof *R);
    memset(S, 0, mu * sizeof *S);
    if (kind == OC_STEEPEST) {
      for (int i = 0; i < nx; i++) Q[i * m + i] = 1;
      for (int j = 0; j < nu; j++) R[j * nu + j] = 1;
    } else {
      curve(w, k, Q, R, S);
      double *dQ = w->dQ + k * mm, *dR = w->dR + k * uu, *dS = w->dS + k * mu;
      memset(dQ, 0, mm * sizeof *Q);
      memset(dR, 0, uu * sizeof *R);
      memset(dS, 0, mu * sizeof *S);
      if (kind == OC_NEWTON) DM_TRY(bend(w, k, dQ, dR, dS));
    }
    for (int i = 0; i < nx; i++) {
      memcpy(A + i * m, w->A + (size_t)k * nx * nx + i * nx, (size_t)nx * sizeof *A);
      memcpy(B + i * nu, w->B + (size_t)k * nx * nu + i * nu, (size_t)nu * sizeof *B);
      Q[i * m + nx] = Q[nx * m + i] = w->l_x[k * nx + i];
    }
    A[nx * m + nx] = 1;
    for (int j = 0; j < nu; j++) {
      int at = k * nu + j;
      S[nx * nu + j] = w->l_u[at];
      w->lo[at] = (w->task->u_min ? w->task->u_min[j] : -INFINITY) - w->x->u[at];
      w->hi[at] = (w->task->u_max ? w->task->u_max[j] : INFINITY) - w->x->u[at];
    }
    if (kind == OC_NEWTON) back(w, k);
  }
  memset(w->Qf, 0, mm * sizeof(double));
  for (int i = 0; i < nx; i++) {
    w->Qf[i * m + nx] = w->Qf[nx * m + i] = w->l_x[w->N * nx + i];
    for (int j = 0; j < nx; j++)
      w->Qf[i * m + j] = kind == OC_STEEPEST ? i == j : w->end->H[i * nx + j];
  }
  return DM_OK;
}

// its solution by the Riccati sweep, into z and v
static dm_status sweep(descent *w, const fb_lq *lq, int *failed) {
  int nx = w->nx, nu = w->nu, m = w->m;
  DM_TRY(fb_riccati_sweep(w->descend, lq, w->Kt, NULL, failed));
  memset(w->z, 0, (size_t)nx * sizeof(double));
  for (int k = 0; k < w->N; k++) {
    const double *K = w->Kt + (size_t)k * (size_t)(nu * m);
    const double *A = w->A + (size_t)k * nx * nx, *B = w->B + (size_t)k * nx * nu;
    double *z = w->z + k * nx, *v = w->v + k * nu, *z1 = z + nx;
    for (int j = 0; j < nu; j++) {
      v[j] = -K[j * m + nx];
      for (int i = 0; i < nx; i++) v[j] -= K[j * m + i] * z[i];
    }
    for (int i = 0; i < nx; i++) {
      z1[i] = 0;
      for (int j = 0; j < nx; j++) z1[i] += A[i * nx + j] * z[j];
      for (int j = 0; j < nu; j++) z1[i] += B[i * nu + j] * v[j];
    }
  }
  return DM_OK;
}

// its solution into z, v; the slope of the merit along it
static dm_status solve(descent *w, oc_direction kind, bool cut, double *slope, int *failed) {
  int nx = w->nx, nu = w->nu, m = w->m;
  fb_lq lq = {.N = w->N, .nx = m, .nu = nu, .A = w->At, .B = w->Bt, .Q = w->Q, .R = w->R};
  lq.S = w->S, lq.Qf = w->Qf, lq.lo = w->lo, lq.hi = w->hi;
  lq.A_stride = lq.Q_stride = (size_t)m * m, lq.B_stride = lq.S_stride = (size_t)m * nu;
  lq.R_stride = (size_t)nu * nu;
  if (kind == OC_NEWTON) lq.dQ = w->dQ, lq.dR = w->dR, lq.dS = w->dS;
  *failed = -1;
  if (w->kkt && !cut) { // which finds no shares
    DM_TRY(oc_kkt_solve(w->kkt, &lq, w->z, w->v));
  } else {
    lq.share = kind == OC_NEWTON ? w->share : NULL;
    if (cut) lq.floor = w->floor;
    DM_TRY(sweep(w, &lq, failed));
  }
  *slope = 0;
  for (int i = 0; i < (w->N + 1) * nx; i++) *slope += w->l_x[i] * w->z[i];
  for (int j = 0; j < w->N * nu; j++) *slope += w->l_u[j] * w->v[j];
  return isfinite(*slope) ? DM_OK : DM_NOT_FINITE;
}

// the direction of a way; DM_STALLED where it does not descend
static dm_status direct(descent *w, oc_direction kind, bool cut, oc_descent_row *row, int *failed) {
  if (!cut) { // else it stands there already
    DM_TRY(gradient(w, kind == OC_NEWTON));
    DM_TRY(model(w, kind));
  }
  DM_TRY(solve(w, kind, cut, &row->slope, failed));
  row->least = 1;
  for (int k = 0; cut && k < w->N; k++) {
    row->cut += w->share[k] < 1;
    row->least = fmin(row->least, w->share[k]);
  }
  return row->slope <= 0 ? DM_OK : DM_STALLED;
}

// -- an iteration

static void swap(dm_trajectory **a, dm_trajectory **b) {
  dm_trajectory *x = *a;
  *a = *b, *b = x;
}

// Armijo's rule along the direction: the merit of the motion found, in w->trial, or INFINITY
static double search(descent *w, oc_descent_row *row) {
  double a = 1, cost, merit;
  int failed;
  for (int i = 0; i < TRIES; i++, a *= SHORTER) {
    row->tried++;
    if (roll(w, a, &failed) != DM_OK || value(w, w->trial, &cost, &merit) != DM_OK) continue;
    if (!(merit <= row->merit + ARMIJO * a * row->slope)) continue;
    row->step = a;
    return merit;
  }
  return INFINITY;
}

// the ways to a direction, most ambitious first
static const struct way {
  oc_direction kind;
  bool cut; // second-order terms are cut back, stage by stage, until the problem is convex
} ways[] = {{OC_NEWTON, false}, {OC_NEWTON, true}, {OC_QUASI, false}, {OC_STEEPEST, false}};
enum { WAYS = sizeof ways / sizeof *ways };

// Step along a direction, into w->x. The first way whose whole step is taken is; else the best of
// newton's and quasi's. In the paper's manner, the first that is convex and descends.
static dm_status advance(descent *w, bool more, oc_descent_row *row, int *failed) {
  oc_direction wanted = row->kind;
  oc_descent_row start = *row;
  double best = INFINITY;
  dm_status last = DM_STALLED;
  for (const struct way *way = ways; way < ways + WAYS; way++) {
    if (way->kind > wanted || (way->cut && w->set->paper)) continue;
    if (way->kind == OC_STEEPEST && best < INFINITY) break;
    oc_descent_row r = start;
    r.kind = way->kind;
    last = direct(w, way->kind, way->cut, &r, failed);
    if (last != DM_OK) continue;
    bool done = -r.slope <= w->tol;
    if (done || !more) {
      *row = r;
      return done ? DM_OK : DM_MAX_ITER;
    }
    double merit = search(w, &r);
    if (merit < best) {
      best = merit, *row = r;
      swap(&w->best, &w->trial);
    }
    if (w->set->paper || (r.step == 1 && !way->cut)) break;
  }
  if (best == INFINITY) return last < 0 ? last : DM_STALLED;
  swap(&w->x, &w->best);
  return DM_OK;
}

// one descent with the goal's multipliers as they are, until |slope| <= w->tol
static dm_status descend(descent *w, oc_descent_row *record, int room, oc_descent_info *info) {
  const oc_descent_settings *set = w->set;
  for (;;) {
    oc_descent_row row = {.iteration = info->iterations, .kind = set->method};
    if (row.kind != OC_QUASI && info->iterations < set->quasi) row.kind = OC_QUASI;
    oc_direction wanted = row.kind;
    DM_TRY(value(w, w->x, &row.cost, &row.merit));
    row.miss = w->end->miss;
    DM_TRY(follow(w, &info->failed));
    dm_status s = advance(w, info->iterations < set->max_iter, &row, &info->failed);
    if (s >= 0) info->failed = -1;
    info->fell[row.kind] += row.kind != wanted;
    info->cost = row.cost, info->slope = row.slope, info->miss = row.miss;
    row.time_s = now() - w->start;
    if (record && info->rows < room) record[info->rows++] = row;
    if (set->watch && !set->watch(set->user, &row)) return DM_INTERRUPTED;
    if (s != DM_OK || row.step == 0) return s;
    info->iterations++;
  }
}

static dm_status check(const oc_task *t, const oc_descent_settings *set, dm_message *msg) {
  int n = t->system.L.nq;
  for (int j = 0; set->sparse && j < dm_system_inputs(&t->system); j++)
    if ((t->u_min && t->u_min[j] > -INFINITY) || (t->u_max && t->u_max[j] < INFINITY))
      return dm_fail(msg, DM_BAD_INPUT, "the sparse system takes no bounds, and input %s has them",
                     t->input_name[j]);
  if (t->free_time)
    return dm_fail(msg, DM_BAD_INPUT, "descent takes no free final time: fix horizon.time");
  for (int i = 0; i < n; i++) {
    const char *name = t->coord_name[i];
    if ((t->q_min && t->q_min[i] > -INFINITY) || (t->q_max && t->q_max[i] < INFINITY))
      return dm_fail(msg, DM_BAD_INPUT,
                     "descent takes no bounds on the motion, and %s has them: remove its limits "
                     "(bounds: {q: {%s: none}}) or use optimize",
                     name, name);
    if (t->v_max && t->v_max[i] < INFINITY)
      return dm_fail(msg, DM_BAD_INPUT,
                     "descent takes no speed limits, and %s has one: remove it (bounds: {v: {%s: "
                     "none}}) or use optimize",
                     name, name);
    if (!t->q_start || isnan(t->q_start[i]) || !t->v_start || isnan(t->v_start[i]))
      return dm_fail(msg, DM_BAD_INPUT, "descent needs all of the start, and %s is free there",
                     name);
  }
  return DM_OK;
}

static void copy(dm_trajectory *to, const dm_trajectory *from) {
  size_t knots = (size_t)(from->N + 1) * (size_t)from->n * sizeof(double);
  memcpy(to->q, from->q, knots);
  memcpy(to->p, from->p, knots);
  memcpy(to->v, from->v, knots);
  memcpy(to->u, from->u, (size_t)from->N * (size_t)from->nu * sizeof(double));
  if (to->nc && from->nc)
    memcpy(to->lambda, from->lambda, (size_t)from->N * (size_t)from->nc * sizeof(double));
}

static dm_status run(descent *w, const dm_trajectory *x, oc_descent_row *record, int room,
                     oc_descent_info *info) {
  const oc_task *t = w->task;
  copy(w->x, x);
  w->x->h = w->best->h = w->trial->h = w->h;
  // from the start, with the guess's momenta
  memcpy(w->x->q, t->q_start, (size_t)w->n * sizeof(double));
  DM_TRY(dm_trajectory_momenta(w->x, &t->system));
  DM_TRY(dm_momentum_of(w->end->c, t->q_start, t->v_start, w->x->p));
  // the guess becomes a motion; where its own gains do not hold it, its inputs alone
  dm_status s = follow(w, &info->failed);
  if (s == DM_OK) s = roll(w, 0, &info->failed);
  if (s != DM_OK) {
    memset(w->K, 0, (size_t)w->N * (size_t)(w->nu * w->nx) * sizeof(double));
    DM_TRY(roll(w, 0, &info->failed));
  }
  dm_trajectory *first = w->x;
  w->x = w->trial, w->trial = first;
  w->tol = w->set->tol;
  if (!oc_terminal_goal(w->end)) return descend(w, record, room, info);
  double miss = INFINITY, loose = LOOSE;
  for (w->end->penalty = PENALTY;; loose *= TIGHTER) {
    w->tol = fmax(w->set->tol, loose);
    s = descend(w, record, room, info);
    if (s != DM_OK && s != DM_STALLED) return s;
    if (info->miss <= w->set->goal && w->tol <= w->set->tol) return s;
    if (w->end->penalty > HARDEST) return DM_INFEASIBLE;
    oc_terminal_raise(w->end, w->x->q + w->N * w->n, info->miss > ENOUGH * miss ? HARDER : 1);
    miss = info->miss;
  }
}

dm_status oc_descend(const oc_task *task, const oc_descent_settings *set, dm_trajectory *x,
                     oc_descent_row *record, int room, oc_descent_info *info, dm_message *msg) {
  *info = (oc_descent_info){.failed = -1};
  DM_TRY(check(task, set, msg));
  descent *w = NULL;
  dm_status s = descent_new(&w, task, set);
  if (s == DM_OK) s = run(w, x, record, room, info);
  if (s >= 0) {
    copy(x, w->x);
    x->h = w->h;
    dm_status filled = dm_trajectory_momenta(x, &task->system);
    if (filled < 0) s = filled;
  }
  info->status = s;
  descent_free(w);
  return s < 0 ? dm_fail(msg, s, "descent: %s", dm_status_text(s)) : s;
}
