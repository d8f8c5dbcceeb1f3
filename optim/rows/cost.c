// optim/rows/cost.c: see cost.h.
#include "optim/rows/cost.h"

#include "lib/base/block.h"
#include "optim/rows/quadratic.h"

#include <assert.h>
#include <string.h>

static void lay_out_cost(void *self, dm_block *b) {
  oc_cost *c = self;
  size_t n = (size_t)c->n, nu = (size_t)c->nu;
  // gradient and Hessian of an interval
  c->g_0 = dm_block_alloc(b, n, sizeof *c->g_0);
  c->g_1 = dm_block_alloc(b, n, sizeof *c->g_1);
  c->g_u = dm_block_alloc(b, nu, sizeof *c->g_u);
  for (int side = 0; side < 2; side++) c->mu[side] = dm_block_alloc(b, n, sizeof *c->mu[side]);
  c->Huu = dm_block_alloc(b, nu * nu, sizeof *c->Huu);
  c->Hu0 = dm_block_alloc(b, nu * n, sizeof *c->Hu0);
  c->Hu1 = dm_block_alloc(b, nu * n, sizeof *c->Hu1);
  c->Huh = dm_block_alloc(b, nu, sizeof *c->Huh);

  // derivatives by the impulses
  size_t nc = (size_t)c->nc;
  c->g_l = dm_block_alloc(b, nc, sizeof *c->g_l);
  c->Hll = dm_block_alloc(b, nc * nc, sizeof *c->Hll);
  c->Hl0 = dm_block_alloc(b, nc * n, sizeof *c->Hl0);
  c->Hl1 = dm_block_alloc(b, nc * n, sizeof *c->Hl1);
  c->Hlu = dm_block_alloc(b, nc * nu, sizeof *c->Hlu);
  c->Hlh = dm_block_alloc(b, nc, sizeof *c->Hlh);
}

// does the running cost have any part besides inputs?
static bool costs_knots(const oc_task *t) {
  const double *const w[] = {t->cost[OC_Q].running, t->cost[OC_V].running, t->cost[OC_P].running};
  for (int a = 0; a < 3; a++)
    for (int i = 0; w[a] && i < t->system.L.nq; i++)
      if (w[a][i] != 0) return true;
  return false;
}

dm_status oc_cost_new(oc_cost **out, const oc_task *task) {
  assert(out && task);
  oc_cost count = {.task = task,
                   .n = task->system.L.nq,
                   .nu = dm_system_inputs(&task->system),
                   .knots = costs_knots(task),
                   .nc = task->system.hol.nc};
  oc_cost *c = dm_block_make(&count, sizeof count, lay_out_cost);
  if (!c) return DM_NO_MEMORY;
  *out = c;
  return DM_OK;
}

void oc_cost_free(oc_cost *c) {
  dm_block_free(c);
}

double oc_cost_factor(const oc_task *task, double h) {
  return task->sum ? 1 : h;
}

double oc_cost_factor_h(const oc_task *task) {
  return task->sum ? 0 : 1;
}

double oc_cost_part(const oc_task *task, int k) {
  return task->sum ? 1 : oc_task_part(task, k);
}

double oc_cost_share(const oc_task *task, int side) {
  if (task->sum) return side == 0;
  return 0.5; // the trapezoidal rule
}

double oc_cost_knot_share(const oc_task *task, int k) {
  double share = 0;
  if (k < task->N) share += oc_cost_part(task, k) * oc_cost_share(task, 0);
  if (k > 0) share += oc_cost_part(task, k - 1) * oc_cost_share(task, 1);
  return share;
}

double oc_cost_span_share(const oc_task *task, int k, int first, int last, bool sum) {
  if (sum) return oc_span_share(k, first, last, true);
  if (first == last) return oc_task_part(task, k < task->N ? k : k - 1);
  return (k > first ? 0.5 * oc_task_part(task, k - 1) : 0) +
         (k < last ? 0.5 * oc_task_part(task, k) : 0);
}

// the parts of the running cost at the knot on one side of step k
typedef struct knot_cost {
  double share;
  oc_quadratic q, v, p;
} knot_cost;

static knot_cost cost_at_knot(const oc_task *t, int k, int side) {
  return (knot_cost){.share = oc_cost_share(t, side),
                     .q = oc_quadratic_running(t, OC_Q, k + side),
                     .v = oc_quadratic_running(t, OC_V, k + side),
                     .p = oc_quadratic_running(t, OC_P, k + side)};
}

double oc_cost_phi(oc_cost *c, int k, const double *q0, const double *q1, const double *u, double h,
                   const double *D1, const double *D2) {
  const oc_task *t = c->task;
  const oc_quadratic input = oc_quadratic_running(t, OC_U, k);
  double phi = oc_quadratic_value(&input, 1, u, NULL);

  // a/2 sum w (x - ref)^2 over q, v = (q_{k+1} - q_k)/h and p of either knot
  for (int side = 0; c->knots && side < 2; side++) {
    const knot_cost at = cost_at_knot(t, k, side);
    if (at.share == 0) continue;

    phi += oc_quadratic_value(&at.q, at.share, side ? q1 : q0, NULL);
    for (int i = 0; at.v.w && i < c->n; i++) {
      double e = oc_quadratic_error(&at.v, i, (q1[i] - q0[i]) / h);
      phi += at.share * oc_quadratic_half(at.v.w[i], e);
    }
    for (int i = 0; at.p.w && i < c->n; i++) {
      double e = oc_quadratic_error(&at.p, i, side ? D2[i] : -D1[i]);
      phi += at.share * oc_quadratic_half(at.p.w[i], e);
    }
  }

  return phi;
}

// The momentum at a knot of a step, and its derivatives up to the sign: -D1 at the left, D2 at the right.
typedef struct knot_momentum {
  double sign;
  const double *D, *by_q0, *by_q1, *by_u, *by_h;
} knot_momentum;

static knot_momentum momentum_at_knot(const dm_interval *d, int side) {
  if (side) return (knot_momentum){1, d->D2, d->D21, d->D22, d->D2u, d->D2h};
  return (knot_momentum){-1, d->D1, d->D11, d->D12, d->D1u, d->D1h};
}

// the part of the momentum at a knot: mu = a w e, and J'mu in the gradient
static void add_momentum_gradient(oc_cost *c, int side, const knot_cost *at, const dm_interval *d) {
  const knot_momentum m = momentum_at_knot(d, side);
  int n = c->n;
  double *mu = c->mu[side];

  // p - ref has the derivative J = -(D11, D12, D1h, D1u), and Dh' by lambda; or (D21, D22, D2h, D2u)
  for (int i = 0; i < n; i++) {
    double e = oc_quadratic_error(&at->p, i, m.sign * m.D[i]);
    mu[i] = at->share * at->p.w[i] * e;
    c->phi += at->share * oc_quadratic_half(at->p.w[i], e);

    // by q_k, q_{k+1}, h, lambda_k
    double slope = m.sign * mu[i];
    for (int j = 0; j < n; j++) c->g_0[j] += slope * m.by_q0[i * n + j];
    for (int j = 0; j < n; j++) c->g_1[j] += slope * m.by_q1[i * n + j];
    c->g_h += slope * m.by_h[i];
    for (int l = 0; side == 0 && l < c->nc; l++) c->g_l[l] += mu[i] * c->Dh[l * n + i];
  }

  // by u_k, of which D1u and D2u have few entries
  for (int e = 0; e < d->nz; e++) c->g_u[d->col[e]] += m.sign * mu[d->row[e]] * m.by_u[e];
}

// the part of q, v and p at a knot of step k
static void add_knot_gradient(oc_cost *c, int k, int side, const double *q0, const double *q1,
                              double h, const dm_interval *d) {
  const knot_cost at = cost_at_knot(c->task, k, side);
  if (at.share == 0) {
    memset(c->mu[side], 0, (size_t)c->n * sizeof(double));
    return;
  }

  c->phi += side ? oc_quadratic_value(&at.q, at.share, q1, c->g_1)
                 : oc_quadratic_value(&at.q, at.share, q0, c->g_0);

  // the velocity (q1 - q0)/h
  for (int i = 0; at.v.w && i < c->n; i++) {
    double rate = (q1[i] - q0[i]) / h, e = oc_quadratic_error(&at.v, i, rate);
    double slope = at.share * at.v.w[i] * e;
    c->phi += at.share * oc_quadratic_half(at.v.w[i], e);
    c->g_0[i] -= slope / h;
    c->g_1[i] += slope / h;
    c->g_h -= slope * rate / h;
  }
  if (c->task->cost[OC_P].running) add_momentum_gradient(c, side, &at, d);
}

void oc_cost_gradient(oc_cost *c, int k, const double *q0, const double *q1, const double *u,
                      double h, const dm_interval *d) {
  const oc_quadratic input = oc_quadratic_running(c->task, OC_U, k);
  size_t size = (size_t)c->n * sizeof(double);
  memset(c->g_0, 0, size);
  memset(c->g_1, 0, size);
  memset(c->g_u, 0, (size_t)c->nu * sizeof(double));
  memset(c->g_l, 0, (size_t)c->nc * sizeof(double));
  c->g_h = 0;

  // the input, both knots
  c->phi = oc_quadratic_value(&input, 1, u, c->g_u);
  for (int side = 0; c->knots && side < 2; side++) add_knot_gradient(c, k, side, q0, q1, h, d);
}

// J'WJ, row by row of J = (D11, D12, D1u, D1h) or (D21, D22, D2u, D2h): its sign cancels
static void add_momentum_hessian(oc_cost *c, double s, int side, dm_interval *d) {
  const oc_task *t = c->task;
  const knot_momentum m = momentum_at_knot(d, side);
  int n = c->n;

  // columns by (q0,q1,h)
  for (int i = 0; i < n; i++) {
    const double *J0 = m.by_q0 + i * n, *J1 = m.by_q1 + i * n;
    double w = s * t->cost[OC_P].running[i];
    for (int a = 0; a < n; a++)
      for (int b = 0; b < n; b++) {
        d->H00[a * n + b] += w * J0[a] * J0[b];
        d->H01[a * n + b] += w * J0[a] * J1[b];
        d->H11[a * n + b] += w * J1[a] * J1[b];
      }
    for (int a = 0; a < n; a++) {
      d->H0h[a] += w * J0[a] * m.by_h[i];
      d->H1h[a] += w * J1[a] * m.by_h[i];
    }
    *d->Hhh += w * m.by_h[i] * m.by_h[i];
  }

  // columns by the forces, of which there are few: with (q0,q1), with each other, with h
  for (int e = 0; e < d->nz; e++) {
    int i = d->row[e], j = d->col[e];
    double w = s * t->cost[OC_P].running[i] * m.by_u[e];
    // with both configurations
    for (int a = 0; a < n; a++) {
      c->Hu0[j * n + a] += w * m.by_q0[i * n + a];
      c->Hu1[j * n + a] += w * m.by_q1[i * n + a];
    }
    for (int g = 0; g < d->nz; g++) // the inputs that act on the same row
      if (d->row[g] == i) c->Huu[j * c->nu + d->col[g]] += w * m.by_u[g];
    d->Huh[j] += w * m.by_h[i];
  }
}

// the columns of the left knot's J by lambda, with themselves and with all others
static void set_impulse_hessian(oc_cost *c, double s, const dm_interval *d) {
  const oc_task *t = c->task;
  int n = c->n, nu = c->nu, nc = c->nc;

  memset(c->Hll, 0, (size_t)(nc * nc) * sizeof(double));
  memset(c->Hl0, 0, (size_t)(nc * n) * sizeof(double));
  memset(c->Hl1, 0, (size_t)(nc * n) * sizeof(double));
  memset(c->Hlu, 0, (size_t)(nc * nu) * sizeof(double));
  memset(c->Hlh, 0, (size_t)nc * sizeof(double));

  // column l of J is -Dh_l': W times it with those of lambda, q0, q1, h and the forces
  for (int l = 0; l < nc; l++) {
    const double *Dh = c->Dh + l * n;
    for (int i = 0; i < n; i++) {
      double w = s * t->cost[OC_P].running[i] * Dh[i]; // row i of W times -Dh_l
      for (int m = 0; m < nc; m++) c->Hll[l * nc + m] += w * c->Dh[m * n + i];
      for (int a = 0; a < n; a++) c->Hl0[l * n + a] -= w * d->D11[i * n + a];
      for (int a = 0; a < n; a++) c->Hl1[l * n + a] -= w * d->D12[i * n + a];
      c->Hlh[l] -= w * d->D1h[i];
    }
    // with the forces
    for (int e = 0; e < d->nz; e++)
      c->Hlu[l * nu + d->col[e]] -=
          s * t->cost[OC_P].running[d->row[e]] * Dh[d->row[e]] * d->D1u[e];
  }
}

// the general force's inputs, with each other and with the configurations
static void set_force_hessian(oc_cost *c, const dm_interval *d) {
  int n = c->n, nu = c->nu, nj = d->nj, nf = d->nu - nj;
  size_t size = (size_t)nu * sizeof(double);

  memset(c->Huu, 0, size * (size_t)nu);
  if (!nf && !c->task->cost[OC_P].running) return;
  memset(c->Hu0, 0, size * (size_t)n);
  memset(c->Hu1, 0, size * (size_t)n);

  // from the interval's sparse entries; joint forces are linear and have no entries
  for (int e = nj; e < d->nz; e++) {
    c->Hu0[d->col[e] * n + d->row[e]] = d->H0u[e];
    c->Hu1[d->col[e] * n + d->row[e]] = d->H1u[e];
  }
  // among themselves, after the joint forces
  for (int j = 0; j < nf; j++)
    memcpy(c->Huu + (nj + j) * nu + nj, d->Huu + j * nf, (size_t)nf * sizeof(double));
}

// the part of q, v and p at a knot of step k, without the contraction
static void add_knot_hessian(oc_cost *c, double s, int k, int side, const double *q0,
                             const double *q1, double h, dm_interval *d) {
  const knot_cost at = cost_at_knot(c->task, k, side);
  double a = s * at.share;
  int n = c->n;
  if (a == 0) return;

  oc_quadratic_curve(&at.q, a, side ? d->H11 : d->H00, n);

  // the velocity (q1 - q0)/h
  for (int i = 0; at.v.w && i < n; i++) {
    double rate = (q1[i] - q0[i]) / h, e = oc_quadratic_error(&at.v, i, rate);
    double w = a * at.v.w[i] / (h * h); // w/h^2, as v has 1/h twice
    d->H00[i * n + i] += w;
    d->H01[i * n + i] -= w;
    d->H11[i * n + i] += w;
    d->H0h[i] += w * (rate + e);
    d->H1h[i] -= w * (rate + e);
    *d->Hhh += w * rate * (rate + 2 * e);
  }
  if (c->task->cost[OC_P].running) add_momentum_hessian(c, a, side, d);
}

// the contribution of the factor s = h: s' phi_x, twice on the diagonal
static void add_factor_hessian(oc_cost *c, double s_h, dm_interval *d) {
  for (int i = 0; i < c->n; i++) d->H0h[i] += s_h * c->g_0[i];
  for (int i = 0; i < c->n; i++) d->H1h[i] += s_h * c->g_1[i];
  for (int j = 0; j < c->nu; j++) c->Huh[j] = s_h * c->g_u[j];
  for (int l = 0; l < c->nc; l++) c->Hlh[l] += s_h * c->g_l[l];
  *d->Hhh += 2 * s_h * c->g_h;
}

void oc_cost_hessian(oc_cost *c, double sigma, int k, const double *q0, const double *q1, double h,
                     dm_interval *d) {
  const oc_task *t = c->task;
  const oc_quadratic input = oc_quadratic_running(t, OC_U, k);
  double s = sigma * oc_cost_factor(t, h), s_h = sigma * oc_cost_factor_h(t);

  // the input, both knots
  set_force_hessian(c, d);
  oc_quadratic_curve(&input, s, c->Huu, c->nu);
  for (int side = 0; c->knots && side < 2; side++) add_knot_hessian(c, s, k, side, q0, q1, h, d);
  if (t->cost[OC_P].running) set_impulse_hessian(c, s * oc_cost_share(t, 0), d);
  if (t->time.free || oc_task_frees_steps(t)) add_factor_hessian(c, s_h, d);
}

double oc_cost_terminal(const oc_task *t, const double *q, const double *v, const double *p,
                        double *g_q, double *g_v, double *g_p) {
  const oc_quadratic at_q = oc_quadratic_goal(t, OC_Q), at_v = oc_quadratic_goal(t, OC_V),
                     at_p = oc_quadratic_goal(t, OC_P);
  size_t size = (size_t)t->system.L.nq * sizeof(double);

  if (g_q) {
    memset(g_q, 0, size);
    memset(g_v, 0, size);
    memset(g_p, 0, size);
  }

  // 1/2 sum w (x - ref)^2 of each, with the slopes added
  return oc_quadratic_value(&at_q, 1, q, g_q) + oc_quadratic_value(&at_v, 1, v, g_v) +
         oc_quadratic_value(&at_p, 1, p, g_p);
}
