#include "optim/descent/merit.h"

#include "lib/base/block.h"
#include "lib/base/dense.h"
#include "optim/transcription/quadratic.h"

#include <assert.h>
#include <math.h>
#include <string.h>

static void lay_out_merit(void *self, dm_block *b) {
  oc_merit *w = self;
  size_t N = (size_t)w->N, nx = (size_t)w->nx, nu = (size_t)w->nu;
  w->l_x = dm_block_alloc(b, (N + 1) * nx, sizeof *w->l_x);
  w->l_u = dm_block_alloc(b, N * nu, sizeof *w->l_u);
  w->by_next = dm_block_alloc(b, N * (size_t)w->n, sizeof *w->by_next);
  w->row = dm_block_alloc(b, nx, sizeof *w->row);
  // terms of one's own by (x,u)
  size_t ny = w->task->nterms ? nx + (size_t)w->task->system.nu : 0;
  w->J = dm_block_alloc(b, ny * (nx + nu), sizeof *w->J);
  w->CJ = dm_block_alloc(b, ny * (nx + nu), sizeof *w->CJ);
}

dm_status oc_merit_new(oc_merit **out, const oc_task *task) {
  assert(out && task);
  int n = task->system.L.nq;
  double h = oc_task_step(task);
  oc_merit sizes = {.task = task, .n = n, .nx = 2 * n, .N = task->N, .h = h};
  sizes.nu = dm_system_inputs(&task->system);
  sizes.s = oc_cost_factor(task, h);
  *out = NULL;
  oc_merit *w = dm_block_make(&sizes, sizeof sizes, lay_out_merit);
  if (!w) return DM_NO_MEMORY;

  dm_status status = oc_terminal_new(&w->end, task);
  if (status == DM_OK) status = oc_cost_new(&w->cost, task);
  if (status != DM_OK) {
    oc_merit_free(w);
    return status;
  }
  *out = w;
  return DM_OK;
}

void oc_merit_free(oc_merit *w) {
  if (!w) return;
  oc_terminal_free(w->end);
  oc_cost_free(w->cost);
  dm_block_free(w);
}

dm_status oc_merit_value(oc_merit *w, const dm_trajectory *y, double *cost, double *merit) {
  size_t n = (size_t)w->n, nu = (size_t)w->nu, end = (size_t)w->N * n;
  double sum = 0, last, goal;

  // running cost with p in the places of -D1 and D2
  for (int k = 0; k < w->N; k++) {
    const double *q = y->q + (size_t)k * n, *p = y->p + (size_t)k * n;
    for (size_t i = 0; i < n; i++) w->row[i] = -p[i]; // oc_cost_phi takes D1 = -p
    sum += oc_cost_phi(w->cost, k, q, q + n, y->u + (size_t)k * nu, w->h, w->row, p + n);
  }

  // time and end: the task's own, and with multipliers and penalty
  DM_TRY(oc_terminal_value(w->end, y->q + end, y->p + end, &last, &goal));
  *cost = w->s * sum + w->task->w_time * w->task->T + last;
  *merit = *cost - last + goal;
  return isfinite(*merit) ? DM_OK : DM_NOT_FINITE;
}

// the terms of one's own at the knot on a side of step k of x, to an order
static void eval_merit_terms(oc_merit *w, const dm_trajectory *x, int k, int side, int order) {
  const double *q = x->q + (size_t)k * (size_t)w->n;
  oc_cost_terms(w->cost, order, side, k, q, q + w->n, x->u + (size_t)k * (size_t)w->nu, w->h);
}

// what the costs of q and p at knot k are multiplied with
static double knot_factor(const oc_merit *w, int k) {
  return w->s * oc_cost_knot_share(w->task, k);
}

// their slopes at knot k of x, added to l_x
static void add_knot_slopes(const oc_merit *w, const dm_trajectory *x, int k, double *l_x) {
  const oc_quadratic on_q = oc_quadratic_running(w->task, OC_POSITION, k),
                     on_p = oc_quadratic_running(w->task, OC_MOMENTUM, k);
  size_t at = (size_t)k * (size_t)w->n;
  oc_quadratic_value(&on_q, knot_factor(w, k), x->q + at, l_x);
  oc_quadratic_value(&on_p, knot_factor(w, k), x->p + at, l_x + w->n);
}

// and their weights, added to the diagonal of Q
static void curve_knot(const oc_merit *w, int k, int ld, double *Q) {
  const oc_quadratic on_q = oc_quadratic_running(w->task, OC_POSITION, k),
                     on_p = oc_quadratic_running(w->task, OC_MOMENTUM, k);
  oc_quadratic_curve(&on_q, knot_factor(w, k), Q, ld);
  oc_quadratic_curve(&on_p, knot_factor(w, k), Q + w->n * ld + w->n, ld);
}

// what step k pushes q_{k+1} with: a cost on v = (q_{k+1} - q_k)/h is one by q_{k+1}, and less by q_k
static void find_push(const oc_merit *w, const dm_trajectory *x, int k, double *push) {
  const double *q = x->q + (size_t)k * (size_t)w->n;
  memset(push, 0, (size_t)w->n * sizeof *push);
  for (int side = 0; side < 2; side++) {
    const oc_quadratic on_v = oc_quadratic_running(w->task, OC_VELOCITY, k + side);
    double s = w->s * oc_cost_share(w->task, side) / w->h;
    for (int i = 0; i < w->n; i++)
      push[i] += s * oc_quadratic_slope(&on_v, i, (q[w->n + i] - q[i]) / w->h);
  }
}

// slopes of one's own terms at the knot on a side of step k, added: by q_k, u_k, q_{k+1}
static void add_term_slopes(oc_merit *w, const dm_trajectory *x, int k, int side, double *l_x,
                            double *l_u, double *by_next) {
  const double *c_y = w->cost->c_y;
  double *by_q = side ? by_next : l_x;
  if (!w->task->nterms) return;

  eval_merit_terms(w, x, k, side, 1);
  for (int i = 0; i < w->n; i++) {
    double push = w->s / w->h * c_y[w->n + i];
    by_q[i] += w->s * c_y[i];
    by_next[i] += push;
    l_x[i] -= push;
  }
  for (int j = 0; j < w->task->system.nu; j++) l_u[j] += w->s * c_y[2 * w->n + j];
}

dm_status oc_merit_gradient(oc_merit *w, const oc_projection_operator *proj, bool exact) {
  const oc_task *t = w->task;
  const dm_trajectory *x = proj->x;
  size_t n = (size_t)w->n, nx = (size_t)w->nx, nu = (size_t)w->nu, N = (size_t)w->N;
  for (size_t k = 0; k < N; k++) {
    const double *u = x->u + k * nu;
    const double *A = proj->A + k * nx * nx, *B = proj->B + k * nx * nu;
    double *l_x = w->l_x + k * nx, *l_u = w->l_u + k * nu, *push = w->by_next + k * n;

    const oc_quadratic on_u = oc_quadratic_running(t, OC_INPUT, (int)k);

    // by q, p, and v
    find_push(w, x, (int)k, push);
    memset(l_x, 0, nx * sizeof *l_x);
    add_knot_slopes(w, x, (int)k, l_x);
    for (size_t i = 0; i < n; i++) l_x[i] -= push[i];

    // by u, and one's own terms
    for (int j = 0; j < w->nu; j++) l_u[j] = w->s * oc_quadratic_slope(&on_u, j, u[j]);
    for (int side = 0; side < 2; side++) add_term_slopes(w, x, (int)k, side, l_x, l_u, push);

    // q_{k+1} = f(x,u): by A and B to this knot's state and inputs
    for (size_t i = 0; (t->w_v || t->nterms) && i < n; i++) {
      for (size_t j = 0; j < nx; j++) l_x[j] += push[i] * A[i * nx + j];
      for (size_t j = 0; j < nu; j++) l_u[j] += push[i] * B[i * nu + j];
    }
  }

  // the last knot: its share of the running cost beside the terminal one
  DM_TRY(oc_terminal_derivatives(w->end, exact, x->q + N * n, x->p + N * n));
  memcpy(w->l_x + N * nx, w->end->g, nx * sizeof(double));
  add_knot_slopes(w, x, w->N, w->l_x + N * nx);
  curve_knot(w, w->N, w->nx, w->end->H);
  return DM_OK;
}

// those of the velocity's cost, whose derivative by (x,u) is that of (q_{k+1} - q_k)/h
static void curve_velocity(oc_merit *w, const oc_projection_operator *proj, int k, int ld,
                           double *Q, double *R, double *S) {
  int n = w->n, nx = w->nx, nu = w->nu;
  size_t at = (size_t)k * (size_t)nx;
  for (int r = 0; r < n; r++) {
    // row r of (A - 1, B), over h: v_r by (x,u)
    double c = w->s * w->task->w_v[r] / (w->h * w->h), *a = w->row;
    const double *b = proj->B + at * (size_t)nu + r * nu;
    memcpy(a, proj->A + at * (size_t)nx + r * nx, (size_t)nx * sizeof *a);
    a[r] -= 1; // q_{k+1} - q_k

    // its square times w s in the blocks of (x,u)
    for (int i = 0; c > 0 && i < nx; i++) {
      for (int j = 0; j < nx; j++) Q[i * ld + j] += c * a[i] * a[j];
      for (int j = 0; j < nu; j++) S[i * nu + j] += c * a[i] * b[j];
    }
    for (int i = 0; c > 0 && i < nu; i++)
      for (int j = 0; j < nu; j++) R[i * nu + j] += c * b[i] * b[j];
  }
}

// those of terms of one's own at the knot on a side: J'CJ, with J of (q,v,u) by (x,u)
static void curve_terms(oc_merit *w, const oc_projection_operator *p, int k, int side, int ld,
                        double *Q, double *R, double *S) {
  int n = w->n, nx = w->nx, nu = w->nu, nz = nx + nu, ny = w->cost->ny;
  size_t at = (size_t)k * (size_t)nx;
  const double *A = p->A + at * (size_t)nx, *B = p->B + at * (size_t)nu;
  eval_merit_terms(w, p->x, k, side, 2);

  // q, of the right knot by A and B; then v = (q1 - q)/h, then u
  memset(w->J, 0, (size_t)(ny * nz) * sizeof *w->J);
  for (int i = 0; i < n; i++) {
    double *by_q = w->J + i * nz, *by_v = w->J + (n + i) * nz;
    if (side == 0) by_q[i] = 1;
    for (int j = 0; side && j < nx; j++) by_q[j] = A[i * nx + j];
    for (int j = 0; side && j < nu; j++) by_q[nx + j] = B[i * nu + j];
    for (int j = 0; j < nx; j++) by_v[j] = (A[i * nx + j] - (i == j)) / w->h;
    for (int j = 0; j < nu; j++) by_v[nx + j] = B[i * nu + j] / w->h;
  }
  for (int j = 2 * n; j < ny; j++) w->J[j * nz + nx + j - 2 * n] = 1;

  // J'CJ in its three blocks
  dm_gemm(ny, nz, ny, w->s, w->cost->c_yy, w->J, 0, w->CJ);
  dm_gemm_transposed(nx, nx, ny, 1, w->J, nz, w->CJ, nz, 1, Q, ld);
  dm_gemm_transposed(nx, nu, ny, 1, w->J, nz, w->CJ + nx, nz, 1, S, nu);
  dm_gemm_transposed(nu, nu, ny, 1, w->J + nx, nz, w->CJ + nx, nz, 1, R, nu);
}

void oc_merit_curve(oc_merit *w, const oc_projection_operator *p, int k, int ld, double *Q,
                    double *R, double *S) {
  const oc_task *t = w->task;
  const oc_quadratic on_u = oc_quadratic_running(t, OC_INPUT, k);

  // q, p, u on the diagonal; v and terms by A and B
  curve_knot(w, k, ld, Q);
  oc_quadratic_curve(&on_u, w->s, R, w->nu);
  if (t->w_v) curve_velocity(w, p, k, ld, Q, R, S);
  for (int side = 0; t->nterms && side < 2; side++) curve_terms(w, p, k, side, ld, Q, R, S);
}
