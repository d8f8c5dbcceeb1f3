#include "optim/descent/search_direction.h"

#include "lib/base/block.h"
#include "lib/base/dense.h"

#include <assert.h>
#include <stdlib.h>
#include <stdio.h>
#include <math.h>
#include <string.h>

// of the least weight: where the value says nothing of an input, H is that weight to rounding
static const double ALMOST = 1 - 1e-6;
#define PASSES atoi(getenv("NPASS"))
static const double ENOUGH_PASS = 1e-3; // of a sweep, over the inputs that are at bounds

const char *const oc_method_names[] = {"steepest", "quasi", "newton", NULL};

static void lay_out_direction(void *self, dm_block *b) {
  oc_search_direction *w = self;
  size_t N = (size_t)w->N, nx = (size_t)w->nx, nu = (size_t)w->nu, m = (size_t)w->m;
  size_t ns = (size_t)w->ns, ng = (size_t)w->ng, nt = (size_t)w->nt, ni = nu + (size_t)w->p->nh;
  // matrices of all stages, those of one, those of the start
  const struct {
    double **at;
    size_t count;
  } rows[] = {{&w->A, N * m * m},
              {&w->B, N * m * nu},
              {&w->Q, N * m * m},
              {&w->R, N * nu * nu},
              {&w->S, N * m * nu},
              {&w->dQ, N * m * m},
              {&w->dR, N * nu * nu},
              {&w->dS, N * m * nu},
              {&w->Qf, m * m},
              {&w->K, N * nu * m},
              {&w->lo, N * nu},
              {&w->hi, N * nu},
              {&w->share, N},
              {&w->zeta, ns},
              {&w->next, m + nu},
              {&w->dz, (N + 1) * ns},
              {&w->dv, N * nu},
              {&w->dt, nt}, {&w->seen, (N + 1) * (size_t)w->merit->ranges->n}, {&w->seen_goal, ng},
              {&w->xx, nx * nx},
              {&w->xu, nx * ni},
              {&w->uu, ni * ni},
              {&w->C, ng * ng},
              {&w->y, ng},
              {&w->low, nt},
              {&w->high, nt},
              {&w->G, ns * nt},
              {&w->GP, nt * m},
              {&w->H, nt * nt},
              {&w->Y, nt * (ng + 1)},
              {&w->gains, nt * (ng + 1)}};
  for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
    *rows[i].at = dm_block_alloc(b, rows[i].count, sizeof(double));
  w->piv = dm_block_alloc(b, ng, sizeof *w->piv);
  w->at_bound = dm_block_alloc(b, N * nu, sizeof *w->at_bound);
  w->weight = dm_block_alloc(b, (N + 1) * ((size_t)w->merit->ranges->n + nu), sizeof *w->weight);
  { size_t all = 2 * (N + 1) * ((size_t)w->merit->ranges->n + nu);
    w->s = dm_block_alloc(b, all, sizeof *w->s); w->lam = dm_block_alloc(b, all, sizeof *w->s);
    w->ds = dm_block_alloc(b, all, sizeof *w->s); w->dlam = dm_block_alloc(b, all, sizeof *w->s); }
  w->base = dm_block_alloc(b, (N + 1) * (size_t)w->merit->ranges->n, sizeof *w->base);
  fb_box_qp_lay_out(&w->start, w->ng + 1, w->nt, b);
}

static void pose_problem(oc_search_direction *w) {
  size_t m = (size_t)w->m, nu = (size_t)w->nu;
  w->lq = (fb_lq){.N = w->N, .nx = w->m, .nu = w->nu};
  w->lq.A = w->A;
  w->lq.B = w->B;
  w->lq.Q = w->Q;
  w->lq.R = w->R;
  w->lq.S = w->S;
  w->lq.Qf = w->Qf;

  // strides from stage to stage; the goal's multipliers and the 1 do not move
  w->lq.A_stride = w->lq.Q_stride = m * m;
  w->lq.B_stride = w->lq.S_stride = m * nu;
  w->lq.R_stride = nu * nu;
  w->lq.constants = w->ng + 1;
  w->lq.lo = w->lo;
  w->lq.hi = w->hi;
}

// the floor of H's eigenvalues: just below the least weight of an input or of its changes, or 1
static double find_floor(const oc_projection_operator *p) {
  const oc_task *t = p->task;
  double h = p->x->h, s = oc_cost_factor(t, h), floor = INFINITY;
  for (int j = 0; j < p->nu; j++) {
    double rate = j < t->system.nu && t->w_rate ? s * t->w_rate[j] / (h * h) : 0;
    double tie = j < t->system.nu ? h * p->tie[j] : 0, own = t->w_u ? s * t->w_u[j] : 0;
    if (own + rate + tie > 0) floor = fmin(floor, own + rate + tie);
  }
  return isfinite(floor) ? ALMOST * floor : 1;
}

dm_status oc_search_direction_new(oc_search_direction **out, oc_projection_operator *p,
                                  oc_merit *merit, bool sparse) {
  assert(out && p && merit);
  oc_search_direction sizes = {.p = p, .merit = merit, .nx = p->nx, .ns = p->ns, .nu = p->nu};
  sizes.ng = merit->end->ng;
  sizes.nt = p->start->nt;
  sizes.m = sizes.ns + sizes.ng + 1;
  sizes.N = p->N;
  sizes.floor = find_floor(p);
  for (int j = 0; j < p->nu; j++)
    sizes.bounded = sizes.bounded || isfinite(p->low[j]) || isfinite(p->high[j]);

  // all numbers in one block, the problem points into it
  *out = NULL;
  oc_search_direction *w = dm_block_make(&sizes, sizeof sizes, lay_out_direction);
  if (!w) return DM_NO_MEMORY;
  pose_problem(w);
  dm_status status = fb_riccati_new(&w->sweep, w->m, w->nu);
  if (status == DM_OK && sparse) status = oc_kkt_new(&w->kkt, w->N, w->ns, w->nu);
  if (status != DM_OK) {
    oc_search_direction_free(w);
    return status;
  }
  *out = w;
  return DM_OK;
}

void oc_search_direction_free(oc_search_direction *w) {
  if (!w) return;
  fb_riccati_free(w->sweep);
  oc_kkt_free(w->kkt);
  dm_block_free(w);
}

// -- the problem

static size_t at_stage(int k, int count) {
  return (size_t)k * (size_t)count;
}

// the matrices of stage k, of the cost's own or of the second-order terms; of knot N the last one
static oc_blocks find_blocks(const oc_search_direction *w, int k, bool second) {
  oc_blocks b = {.ld = w->m, .Q = w->Qf};
  if (k == w->N) return b;
  b.Q = (second ? w->dQ : w->Q) + at_stage(k, w->m * w->m);
  b.R = (second ? w->dR : w->R) + at_stage(k, w->nu * w->nu);
  b.S = (second ? w->dS : w->S) + at_stage(k, w->m * w->nu);
  return b;
}

// add (xx, xu, uu) by (q,p) and the inputs to the blocks, the last input being the step where it is
// free, which is a state
static void add_contraction(const oc_search_direction *w, const oc_blocks *out) {
  int nx = w->nx, nu = w->nu, ni = nu + w->p->nh, ld = out->ld, h = nx;
  for (int i = 0; i < nx; i++) {
    dm_add_to(nx, 1, w->xx + i * nx, out->Q + i * ld);
    dm_add_to(nu, 1, w->xu + i * ni, out->S + i * nu);
    if (!w->p->nh) continue;
    out->Q[i * ld + h] += w->xu[i * ni + nu];
    out->Q[h * ld + i] += w->xu[i * ni + nu];
  }
  for (int i = 0; i < nu; i++) dm_add_to(nu, 1, w->uu + i * ni, out->R + i * nu);
  if (!w->p->nh) return;
  dm_add_to(nu, 1, w->uu + nu * ni, out->S + h * nu);
  out->Q[h * ld + h] += w->uu[nu * ni + nu];
}

// zeta.f'' of step k into dQ, dR, dS, with zeta that of knot k + 1 and what cost and limits push on
// its q and on the impulses; and what else of these is of second order
static dm_status contract_dynamics(oc_search_direction *w, int k) {
  oc_projection_operator *p = w->p;
  const dm_trajectory *x = p->x;
  int n = p->n, nu = w->nu, m = w->m;
  const double *q = x->q + at_stage(k, n), *u = x->u + at_stage(k, nu);
  oc_blocks out = find_blocks(w, k, true);
  memset(out.Q, 0, (size_t)(m * m) * sizeof *out.Q);
  memset(out.R, 0, (size_t)(nu * nu) * sizeof *out.R);
  memset(out.S, 0, (size_t)(m * nu) * sizeof *out.S);
  DM_TRY(oc_merit_bend(w->merit, k, &out));

  // zeta of the next knot, with what is on its q
  memcpy(w->next, w->zeta, (size_t)w->nx * sizeof *w->next);
  dm_add_to(n, 1, w->merit->by_next, w->next);

  // zeta.f'' from the factors of the step's own linearization
  DM_TRY(oc_projection_operator_linearize(p, k));
  DM_TRY(dm_linearize_contract(p->linearize, q, q + n, u, x->lambda + at_stage(k, x->nc), x->h,
                               w->next, w->merit->by_lambda, w->xx, w->xu, w->uu));
  add_contraction(w, &out);
  return DM_OK;
}

// zeta of knot k from that of k + 1, in place
static void step_adjoint(oc_search_direction *w, int k) {
  const oc_projection_operator *p = w->p;
  int nx = w->nx, nu = w->nu, ns = w->ns;
  const double *A = p->A + at_stage(k, nx * nx), *B = p->B + at_stage(k, nx * nu);
  const double *K = p->K + at_stage(k, nu * nx);
  double *l_u = w->next + ns;

  // l_x + A'zeta, with the step a constant and the inputs before no part of what comes next
  oc_merit_pull(w->merit, k, w->next);
  for (int i = 0; i < nx; i++) dm_add_to(nx, w->zeta[i], A + i * nx, w->next);
  if (p->nh) w->next[nx] += w->zeta[nx] + dm_inner(nx, p->f_h + at_stage(k, nx), w->zeta);

  // less K'(l_u + B'zeta)
  for (int i = 0; i < nx; i++) dm_add_to(nu, w->zeta[i], B + i * nu, l_u);
  for (int r = 0; r < p->nr; r++) l_u[p->rated[r]] += w->zeta[nx + p->nh + r];
  for (int j = 0; j < nu; j++) dm_add_to(nx, -l_u[j], K + j * nx, w->next);
  memcpy(w->zeta, w->next, (size_t)ns * sizeof *w->zeta);
}

// A, B of stage k
static void set_dynamics(oc_search_direction *w, int k) {
  const oc_projection_operator *p = w->p;
  int nx = w->nx, nu = w->nu, m = w->m, ns = w->ns;
  double *A = w->A + at_stage(k, m * m), *B = w->B + at_stage(k, m * nu);
  for (int i = 0; i < nx; i++) {
    memcpy(A + i * m, p->A + at_stage(k, nx * nx) + i * nx, (size_t)nx * sizeof *A);
    memcpy(B + i * nu, p->B + at_stage(k, nx * nu) + i * nu, (size_t)nu * sizeof *B);
    if (p->nh) A[i * m + nx] = p->f_h[at_stage(k, nx) + (size_t)i];
  }
  if (p->nh) A[nx * m + nx] = 1;
  for (int r = 0; r < p->nr; r++) B[(nx + p->nh + r) * nu + p->rated[r]] = 1; // r' = u
  for (int i = ns; i < m; i++) A[i * m + i] = 1; // constants stay what they are
}

// Q, R, S of stage k but for the linear terms
static dm_status set_weights(oc_search_direction *w, int k) {
  int nu = w->nu, m = w->m;
  oc_blocks out = find_blocks(w, k, false);
  memset(out.Q, 0, (size_t)(m * m) * sizeof *out.Q);
  memset(out.R, 0, (size_t)(nu * nu) * sizeof *out.R);
  memset(out.S, 0, (size_t)(m * nu) * sizeof *out.S);

  // second order terms apart, the cost's own Hessian in Q, R, S
  if (w->method == OC_NEWTON) DM_TRY(contract_dynamics(w, k));
  if (w->method != OC_STEEPEST) oc_merit_curve(w->merit, k, &out);

  // the identity, or damping
  bool steepest = w->method == OC_STEEPEST;
  static double kappa=-1; if (kappa<0) kappa = getenv("KAPPA") ? atof(getenv("KAPPA")) : 0;
  for (int i = 0; i < w->nx; i++) out.Q[i * m + i] += steepest ? 1 : kappa * w->damping * w->floor;
  for (int j = 0; j < nu; j++) out.R[j * nu + j] += steepest ? 1 : w->damping * w->floor;
  return DM_OK;
}

// the last stage: the end's Hessian, and E between the states and the goal's multipliers
static dm_status set_last_weights(oc_search_direction *w) {
  const oc_terminal *end = w->merit->end;
  int nx = w->nx, ns = w->ns, m = w->m;
  memset(w->Qf, 0, (size_t)(m * m) * sizeof *w->Qf);
  for (int i = 0; i < nx; i++) {
    for (int j = 0; j < nx; j++)
      w->Qf[i * m + j] = w->method == OC_STEEPEST ? i == j : end->H[i * nx + j];
    for (int r = 0; r < w->ng; r++)
      w->Qf[i * m + ns + r] = w->Qf[(ns + r) * m + i] = end->E[r * nx + i];
  }
  oc_blocks out = find_blocks(w, w->N, false);
  return w->method == OC_NEWTON ? oc_merit_bend(w->merit, w->N, &out) : DM_OK;
}

// G of the start, with the step's row; its second derivatives, of zeta at the first knot
static dm_status set_start(oc_search_direction *w) {
  oc_start *start = w->p->start;
  int nx = w->nx, nt = w->nt;
  if (nt == 0) return DM_OK;
  DM_TRY(oc_start_derivatives(start, w->p->x, w->method == OC_NEWTON ? w->zeta : NULL));
  memset(w->G, 0, (size_t)(w->ns * nt) * sizeof *w->G);
  memcpy(w->G, start->G, (size_t)(nx * nt) * sizeof *w->G);
  if (w->p->nh) w->G[nx * nt + nt - 1] = 1; // the last unknown
  return DM_OK;
}

// -- rows of limits

// row i of limits at knot k by (x,u)
static const double *find_row(const oc_search_direction *w, int k, int i) {
  size_t at = at_stage(k, w->merit->ranges->n) + (size_t)i;
  return w->merit->rows + at * (size_t)w->merit->nw;
}

// the row's change along the direction
static double follow_row(const oc_search_direction *w, int k, int i) {
  const double *a = find_row(w, k, i);
  double sum = dm_inner(w->ns, a, w->p->z + at_stage(k, w->ns));
  if (k < w->N) sum += dm_inner(w->nu, a + w->ns, w->p->v + at_stage(k, w->nu));
  return sum;
}

// The rows that are beyond their ranges along the direction at hand have their squares in the
// problem, and no others. Returns how many came or went.
static int revise_limits(oc_search_direction *w) {
  const oc_ranges *ranges = w->merit->ranges;
  int changes = 0;
  for (int k = 0; k <= w->N; k++)
    for (int i = 0; i < ranges->n; i++) {
      if (!oc_ranges_stand(ranges, i, k)) continue;
      size_t at = at_stage(k, ranges->n) + (size_t)i;
      double weight = oc_ranges_weight(ranges, k, i, ranges->g[at] + follow_row(w, k, i));
      if (fabs(weight - w->weight[at]) <= 1e-3 * ranges->penalty * 1e-3) continue;
      oc_blocks out = find_blocks(w, k, false);
      oc_merit_add_square(w->merit, weight - w->weight[at], find_row(w, k, i), &out);
      w->weight[at] = weight;
      changes++;
    }
  return changes;
}

static void clear_direction(oc_search_direction *w) {
  memset(w->p->z, 0, at_stage(w->N + 1, w->ns) * sizeof *w->p->z);
  memset(w->p->v, 0, at_stage(w->N, w->nu) * sizeof *w->p->v);
  memset(w->p->start->step, 0, (size_t)w->nt * sizeof *w->p->start->step);
}

dm_status oc_search_direction_model(oc_search_direction *w, oc_method method) {
  int ns = w->ns, N = w->N;
  bool second = method == OC_NEWTON;
  w->method = method;

  // backwards: weights, dynamics, and the adjoint along the closed loop
  DM_TRY(oc_merit_gradient(w->merit, second));
  DM_TRY(set_last_weights(w));
  oc_merit_pull(w->merit, N, w->next);
  memcpy(w->zeta, w->next, (size_t)ns * sizeof *w->zeta);
  for (int k = N - 1; k >= 0; k--) {
    DM_TRY(set_weights(w, k));
    set_dynamics(w, k);
    if (second) step_adjoint(w, k);
  }
  DM_TRY(set_start(w));

  // the rows of limits that are beyond their ranges here
  memset(w->weight, 0, at_stage(N + 1, w->merit->ranges->n) * sizeof *w->weight);
  const oc_ranges *ranges = w->merit->ranges;
  for (int k = 0; k <= N; k++)
    for (int i = 0; i < ranges->n; i++) {
      size_t at = at_stage(k, ranges->n) + (size_t)i;
      w->base[at] = oc_ranges_stand(ranges, i, k) ? oc_ranges_slope(ranges, k, i, ranges->g[at]) : 0;
    }
  clear_direction(w);
  revise_limits(w);

  w->lq.dQ = second ? w->dQ : NULL;
  w->lq.dR = second ? w->dR : NULL;
  w->lq.dS = second ? w->dS : NULL;
  return DM_OK;
}

// -- its solution

static void add_matrix_vector(int rows, int cols, const double *M, int ld, const double *x,
                              double *y) {
  for (int i = 0; i < rows; i++)
    for (int j = 0; j < cols; j++) y[i] += M[i * ld + j] * x[j];
}

static void add_transposed(int rows, int cols, const double *M, int ld, const double *x,
                           double *y) {
  for (int i = 0; i < rows; i++)
    for (int j = 0; j < cols; j++) y[j] += M[i * ld + j] * x[i];
}

// the linear terms of Q, R, S [or their second-order parts] around (z,v), added to (q,r): Q's last
// column and row, S's last row
static void set_linear_terms(const oc_search_direction *w, double *Q, const double *R, double *S,
                             const double *z, const double *v, double *q, double *r) {
  int ns = w->ns, nu = w->nu, m = w->m;
  add_matrix_vector(ns, ns, Q, m, z, q);
  if (v) {
    add_matrix_vector(ns, nu, S, nu, v, q);
    add_matrix_vector(nu, nu, R, nu, v, r);
    add_transposed(ns, nu, S, nu, z, r);
    memcpy(S + (m - 1) * nu, r, (size_t)nu * sizeof *r);
  }
  // symmetric: last column and last row
  for (int i = 0; i < ns; i++) Q[i * m + m - 1] = Q[(m - 1) * m + i] = q[i];
}

// what the slopes of rows have changed by along the direction, but for the squares in the problem,
// added to (q,r) of knot k
static void add_row_changes(const oc_search_direction *w, int k, double *q, double *r) {
  const oc_ranges *ranges = w->merit->ranges;
  for (int i = 0; i < ranges->n; i++) {
    if (!oc_ranges_stand(ranges, i, k)) continue;
    size_t at = at_stage(k, ranges->n) + (size_t)i;
    const double *a = find_row(w, k, i);
    double g = ranges->g[at], along = follow_row(w, k, i);
    double change = oc_ranges_slope(ranges, k, i, g + along) - w->base[at];
    change -= w->weight[at] * along;
    if (change == 0) continue;
    dm_add_to(w->ns, change, a, q);
    if (r) dm_add_to(w->nu, change, a + w->ns, r);
  }
}

// pose the problem of what is still to be added to the direction in p->z, p->v
static void center_problem(oc_search_direction *w) {
  const oc_projection_operator *p = w->p;
  int ns = w->ns, nu = w->nu, m = w->m;
  double *q = w->next, *r = w->uu;
  for (int k = 0; k < w->N; k++) {
    size_t at = at_stage(k, nu), xx = at_stage(k, m * m), uu = at_stage(k, nu * nu),
           xu = at_stage(k, m * nu);

    // linear terms of Q, R, S around (z,v), then those of their second-order parts
    const double *z = p->z + at_stage(k, ns), *v = p->v + at;
    memcpy(q, w->merit->l_x + at_stage(k, ns), (size_t)ns * sizeof *q);
    memcpy(r, w->merit->l_u + at, (size_t)nu * sizeof *r);
    add_row_changes(w, k, q, r);
    set_linear_terms(w, w->Q + xx, w->R + uu, w->S + xu, z, v, q, r);
    memset(q, 0, (size_t)ns * sizeof *q);
    memset(r, 0, (size_t)nu * sizeof *r);
    if (w->lq.dQ) set_linear_terms(w, w->dQ + xx, w->dR + uu, w->dS + xu, z, v, q, r);

    // what bounds leave to be added
    for (size_t j = 0; j < (size_t)nu; j++) {
      w->lo[at + j] = p->low[j] - p->x->u[at + j] - v[j];
      w->hi[at + j] = p->high[j] - p->x->u[at + j] - v[j];
    }
  }

  memcpy(q, w->merit->l_x + at_stage(w->N, ns), (size_t)ns * sizeof *q);
  add_row_changes(w, w->N, q, NULL);
  set_linear_terms(w, w->Qf, NULL, NULL, p->z + at_stage(w->N, ns), NULL, q, NULL);
  for (int i = 0; i < w->nt; i++) {
    double left = oc_start_value(p->start, p->x, i) + p->start->step[i];
    w->low[i] = p->start->low[i] - left;
    w->high[i] = p->start->high[i] - left;
  }
}

// z_0 of what gains ask for of the start
static void roll_start(oc_search_direction *w, double t, double *z) {
  memset(z, 0, (size_t)w->ns * sizeof *z);
  for (int i = 0; i < w->nt; i++) {
    double step = fmin(fmax(-t * w->gains[i * (w->ng + 1) + w->ng], w->low[i]), w->high[i]);
    w->dt[i] = step;
    for (int j = 0; j < w->ns; j++) z[j] += w->G[j * w->nt + i] * step;
  }
  memcpy(w->dz, z, (size_t)w->ns * sizeof *z);
}

// What the gains ask to be added to the direction. Returns how many inputs come to a bound or leave
// one.
static int rollout_direction(oc_search_direction *w, double t) {
  int ns = w->ns, nu = w->nu, m = w->m, changes = 0;
  double *z = w->zeta, *next = w->next;
  roll_start(w, t, z);
  for (int k = 0; k < w->N; k++) {
    const double *K = w->K + at_stage(k, nu * m);
    const double *A = w->A + at_stage(k, m * m), *B = w->B + at_stage(k, m * nu);

    // z_{k+1} = A z_k + B v_k, with v_k by the gains, within its bounds
    memset(next, 0, (size_t)ns * sizeof *next);
    add_matrix_vector(ns, ns, A, m, z, next);
    for (int j = 0; j < nu; j++) {
      size_t at = at_stage(k, nu) + (size_t)j;
      // -K (z, .., 1): what is to be added to v
      double step = -t * K[j * m + m - 1], lo = w->lo[at], hi = w->hi[at];
      for (int i = 0; i < ns; i++) step -= K[j * m + i] * z[i];
      // a pass that changes no bound is the last
      bool bound = step <= lo || step >= hi;
      changes += bound != w->at_bound[at];
      w->at_bound[at] = bound;
      step = fmin(fmax(step, lo), hi);
      w->dv[at] = step;
      for (int i = 0; i < ns; i++) next[i] += B[i * nu + j] * step;
    }

    memcpy(z, next, (size_t)ns * sizeof *z);
    memcpy(w->dz + at_stage(k + 1, ns), z, (size_t)ns * sizeof *z);
  }
  return changes;
}

// the weight of unknown i of the start beside what the motion costs: the identity of the steepest,
// or damping; of a step that of the whole time
static double weigh_start(const oc_search_direction *w, int i) {
  bool step = w->p->nh && i == w->nt - 1;
  double size = step ? (double)w->N * w->N : 1;
  return size * (w->method == OC_STEEPEST ? 1 : w->damping * w->floor);
}

// The stage before the first: H = G'PG and what bends, Y = G'P by the goal's multipliers and 1,
// under bounds; what that leaves of C.
static dm_status solve_start(oc_search_direction *w) {
  int nt = w->nt, ng = w->ng, m = w->m, ns = w->ns;
  const oc_start *start = w->p->start;
  bool bends = w->lq.dQ && !(w->lq.floor > 0);
  for (int i = 0; i < nt; i++)
    for (int j = 0; j < m; j++) {
      double sum = 0;
      for (int r = 0; r < ns; r++)
        if (w->G[r * nt + i] != 0) sum += w->G[r * nt + i] * fb_riccati_value(w->sweep, r, j);
      w->GP[i * m + j] = sum;
    }

  // H and Y around the step at hand
  dm_gemm_strided(nt, nt, ns, 1, w->GP, m, w->G, nt, 0, w->H, nt);
  for (int i = 0; i < nt; i++) {
    double *y = w->Y + i * (ng + 1), weight = weigh_start(w, i);
    memcpy(y, w->GP + i * m + ns, (size_t)(ng + 1) * sizeof *y);
    y[ng] += weight * start->step[i];
    if (bends) y[ng] += dm_inner(nt, start->H + i * nt, start->step);
    if (bends) dm_add_to(nt, 1, start->H + i * nt, w->H + i * nt);
    w->H[i * nt + i] += weight;
  }
  DM_TRY(fb_box_qp_set(&w->start, w->H, nt, 0));
  DM_TRY(fb_box_qp_gains(&w->start, w->Y, ng + 1, w->low, w->high, w->gains));

  // C = -(P_yy - Y'K - K'Y + K'HK)
  for (int a = 0; a < nt; a++)
    for (int i = 0; i < ng; i++)
      for (int j = 0; j < ng; j++) {
        const double *y = w->Y + a * (ng + 1), *k = w->gains + a * (ng + 1);
        w->C[i * ng + j] += y[i] * k[j] + k[i] * y[j] - k[i] * w->start.HK[a * (ng + 1) + j];
      }
  return DM_OK;
}

// one sweep, and what it says of the goal's multipliers
static dm_status sweep_direction(oc_search_direction *w, int *failed) {
  int ns = w->ns, ng = w->ng;
  DM_TRY(fb_riccati_sweep(w->sweep, &w->lq, w->K, NULL, failed));
  // -P of the goal's multipliers: how the goal's error moves with them
  for (int i = 0; i < ng; i++)
    for (int j = 0; j < ng; j++) w->C[i * ng + j] = -fb_riccati_value(w->sweep, ns + i, ns + j);
  return w->nt ? solve_start(w) : DM_OK;
}

// x'Mx + dx'... of a stage: the value of its quadratic
static double square_of(int n, const double *M, int ld, const double *x) {
  double sum = 0;
  for (int i = 0; i < n; i++) sum += x[i] * dm_inner(n, M + i * ld, x);
  return sum;
}

// the problem's value along the direction at hand
static double evaluate_problem(const oc_search_direction *w) {
  const oc_ranges *ranges = w->merit->ranges;
  int ns = w->ns, nu = w->nu, m = w->m;
  double sum = 0;
  for (int k = 0; k <= w->N; k++) {
    const double *z = w->p->z + at_stage(k, ns), *v = w->p->v + at_stage(k, nu);
    sum += dm_inner(ns, w->merit->l_x + at_stage(k, ns), z);
    for (int i = 0; i < ranges->n; i++) {
      if (!oc_ranges_stand(ranges, i, k)) continue;
      size_t at = at_stage(k, ranges->n) + (size_t)i;
      double along = follow_row(w, k, i), g = ranges->g[at];
      double more = oc_ranges_value(ranges, k, i, g + along);
      sum += more - w->base[at] * along - 0.5 * w->weight[at] * along * along;
    }
    if (k == w->N) {
      sum += 0.5 * square_of(ns, w->Qf, m, z);
      break;
    }
    double share = w->lq.share && w->lq.dQ ? w->share[k] : w->lq.dQ ? 1 : 0;
    sum += dm_inner(nu, w->merit->l_u + at_stage(k, nu), v);
    for (int second = 0; second < 1 + (w->lq.dQ != NULL); second++) {
      oc_blocks b = find_blocks(w, k, second);
      double part = 0.5 * (square_of(ns, b.Q, m, z) + square_of(nu, b.R, nu, v));
      for (int i = 0; i < ns; i++) part += z[i] * dm_inner(nu, b.S + i * nu, v);
      sum += second ? share * part : part;
    }
  }
  for (int i = 0; i < w->nt; i++) {
    double step = w->p->start->step[i];
    sum += 0.5 * weigh_start(w, i) * step * step;
    if (w->lq.dQ && !(w->lq.floor > 0)) sum += 0.5 * step * dm_inner(w->nt, w->p->start->H + i * w->nt, w->p->start->step);
  }
  return sum;
}

static void add_pass(oc_search_direction *w, double t) {
  dm_add_to((w->N + 1) * w->ns, t, w->dz, w->p->z);
  dm_add_to(w->N * w->nu, t, w->dv, w->p->v);
  dm_add_to(w->nt, t, w->dt, w->p->start->step);
}

// -- interior point

// one end of a row or of an input at knot k
typedef struct side {
  bool none;
  double sign, c, y, inv, unit; // sign (g - at) <= 0, its c at d = 0, multiplier, 1/rho, unit
} side;

static side find_side(const oc_search_direction *w, int k, int i, int high) {
  const oc_ranges *ranges = w->merit->ranges;
  side x = {.sign = high ? 1 : -1, .unit = 1};
  if (i < ranges->n) {
    const oc_range *row = &ranges->row[i];
    double at = high ? row->high : row->low;
    size_t e = at_stage(k, ranges->n) + (size_t)i;
    x.none = !oc_ranges_stand(ranges, i, k) || !isfinite(at);
    x.c = x.sign * (ranges->g[e] - at);
    x.y = ranges->y[2 * e + (size_t)high];
    x.inv = 1 / ranges->penalty;
    return x;
  }
  int j = i - ranges->n;
  double lo = w->p->low[j], hi = w->p->high[j], at = high ? hi : lo;
  x.none = k == w->N || !isfinite(at);
  if (x.none) return x;
  x.unit = isfinite(lo) && isfinite(hi) && hi > lo ? (hi - lo) / 2 : fmax(1, fabs(at));
  x.c = x.sign * (w->p->x->u[at_stage(k, w->nu) + (size_t)j] - at) / x.unit;
  return x;
}

static size_t at_side(const oc_search_direction *w, int k, int i, int high) {
  return 2 * (at_stage(k, w->merit->ranges->n + w->nu) + (size_t)i) + (size_t)high;
}

// change of row i along (z,v)
static double along_row(const oc_search_direction *w, int k, int i, const double *z, const double *v) {
  int n = w->merit->ranges->n;
  if (i >= n) return v[at_stage(k, w->nu) + (size_t)(i - n)];
  const double *a = find_row(w, k, i);
  double sum = dm_inner(w->ns, a, z + at_stage(k, w->ns));
  if (k < w->N) sum += dm_inner(w->nu, a + w->ns, v + at_stage(k, w->nu));
  return sum;
}

// weights and linear terms for mu
static void pose_interior(oc_search_direction *w, double mu, bool *big) {
  const oc_ranges *ranges = w->merit->ranges;
  const oc_projection_operator *p = w->p;
  int ns = w->ns, nu = w->nu, n = ranges->n;
  double *q = w->next, *r = w->uu;
  (void)big;
  for (int k = 0; k <= w->N; k++) {
    oc_blocks b = find_blocks(w, k, false);
    memcpy(q, w->merit->l_x + at_stage(k, ns), (size_t)ns * sizeof *q);
    if (k < w->N) memcpy(r, w->merit->l_u + at_stage(k, nu), (size_t)nu * sizeof *r);
    for (int i = 0; i < n + nu; i++) {
      double weight = 0, force = 0;
      bool any = false;
      for (int high = 0; high < 2; high++) {
        side x = find_side(w, k, i, high);
        if (x.none) continue;
        any = true;
        size_t e = at_side(w, k, i, high);
        double s = w->s[e], lam = w->lam[e];
        double res = x.c + x.sign * along_row(w, k, i, p->z, p->v) / x.unit + s - (lam - x.y) * x.inv;
        double den = s + lam * x.inv;
        weight += lam / den;
        force += x.sign * (lam + (mu - s * lam + lam * res) / den);
      }
      if (!any) continue;
      if (i < n) {
        size_t e = at_stage(k, n) + (size_t)i;
        const double *a = find_row(w, k, i);
        // the quadratic part is around d: subtract omega * along, since Q z includes it
        double along = along_row(w, k, i, p->z, p->v);
        oc_merit_add_square(w->merit, weight - w->weight[e], a, &b);
        w->weight[e] = weight;
        double t = force - w->base[e] - weight * along;
        dm_add_to(ns, t, a, q);
        if (k < w->N) dm_add_to(nu, t, a + ns, r);
      } else {
        int j = i - n;
        size_t e = at_stage(w->N + 1, n) + at_stage(k, nu) + (size_t)j;
        side x = find_side(w, k, i, 1);
        if (x.none) x = find_side(w, k, i, 0);
        double unit = x.unit, v = p->v[at_stage(k, nu) + (size_t)j];
        weight /= unit * unit;
        b.R[j * nu + j] += weight - w->weight[e];
        w->weight[e] = weight;
        r[j] += force / unit - weight * v;
      }
    }
    const double *z = p->z + at_stage(k, ns);
    if (k == w->N) {
      for (int g = 0; g < 0; g++) (void)g;
      set_linear_terms(w, w->Qf, NULL, NULL, z, NULL, q, NULL);
      break;
    }
    const double *v = p->v + at_stage(k, nu);
    set_linear_terms(w, b.Q, b.R, b.S, z, v, q, r);
    memset(q, 0, (size_t)ns * sizeof *q);
    memset(r, 0, (size_t)nu * sizeof *r);
    oc_blocks d = find_blocks(w, k, true);
    if (w->lq.dQ) set_linear_terms(w, d.Q, d.R, d.S, z, v, q, r);
    for (int j = 0; j < nu; j++) {
      w->lo[at_stage(k, nu) + (size_t)j] = -INFINITY;
      w->hi[at_stage(k, nu) + (size_t)j] = INFINITY;
    }
  }
  for (int i = 0; i < w->nt; i++) {
    double left = oc_start_value(p->start, p->x, i) + p->start->step[i];
    w->low[i] = p->start->low[i] - left;
    w->high[i] = p->start->high[i] - left;
  }
}

static dm_status solve_interior(oc_search_direction *w, int *failed) {
  const oc_ranges *ranges = w->merit->ranges;
  const oc_projection_operator *p = w->p;
  int rows = ranges->n + w->nu, count = 0;
  double sum = 0;
  static double MU0 = -1, S0, SIG; if (MU0 < 0) { MU0 = atof(getenv("MU0")); S0 = atof(getenv("S0")); SIG = atof(getenv("SIG")); }
  for (int k = 0; k <= w->N; k++)
    for (int i = 0; i < rows; i++)
      for (int high = 0; high < 2; high++) {
        side x = find_side(w, k, i, high);
        size_t e = at_side(w, k, i, high);
        if (x.none) continue;
        w->s[e] = fmax(-x.c, S0);
        w->lam[e] = fmax(x.y, w->scale * MU0 / w->s[e]);
        sum += w->s[e] * w->lam[e];
        count++;
      }
  double mu = count ? sum / count : 0;
  memset(w->weight + at_stage(w->N + 1, ranges->n), 0, at_stage(w->N, w->nu) * sizeof *w->weight);
  dm_status status = DM_OK;
  int it;
  for (it = 0; it < PASSES; it++) {
    double target = SIG * mu;
    pose_interior(w, target, NULL);
    status = sweep_direction(w, failed);
    if (status != DM_OK) break;
    rollout_direction(w, 1);
    double a = 1, worst = 0;
    for (int k = 0; k <= w->N; k++)
      for (int i = 0; i < rows; i++) {
        for (int high = 0; high < 2; high++) {
          side x = find_side(w, k, i, high);
          if (x.none) continue;
          size_t e = at_side(w, k, i, high);
          double s = w->s[e], lam = w->lam[e], step = x.sign * along_row(w, k, i, w->dz, w->dv) / x.unit;
          double res = x.c + x.sign * along_row(w, k, i, p->z, p->v) / x.unit + s - (lam - x.y) * x.inv;
          double den = s + lam * x.inv;
          worst = fmax(worst, fabs(res));
          w->dlam[e] = (lam * step + target - s * lam + lam * res) / den;
          w->ds[e] = -res - step + w->dlam[e] * x.inv;
          if (w->ds[e] < 0) a = fmin(a, -0.995 * s / w->ds[e]);
          if (w->dlam[e] < 0) a = fmin(a, -0.995 * lam / w->dlam[e]);
        }
      }
    add_pass(w, a);
    sum = 0;
    for (int k = 0; k <= w->N; k++)
      for (int i = 0; i < rows; i++)
        for (int high = 0; high < 2; high++) {
          side x = find_side(w, k, i, high);
          if (x.none) continue;
          size_t e = at_side(w, k, i, high);
          w->s[e] += a * w->ds[e];
          w->lam[e] += a * w->dlam[e];
          sum += w->s[e] * w->lam[e];
        }
    mu = count ? sum / count : 0;
    if (getenv("PASS")) fprintf(stderr, "(%.2g %.2g %.2g) ", a, mu, worst);
    if (mu <= 1e-10 * w->scale && (1 - a) * worst <= 1e-9) break;
  }
  if (getenv("PASS")) fprintf(stderr, " %d\n", status);
  // take weights of inputs out again, and what is at a bound is at it
  for (int k = 0; k < w->N; k++)
    for (int j = 0; j < w->nu; j++) {
      size_t e = at_stage(w->N + 1, ranges->n) + at_stage(k, w->nu) + (size_t)j, at = at_stage(k, w->nu) + (size_t)j;
      find_blocks(w, k, false).R[j * w->nu + j] -= w->weight[e];
      double lo = p->low[j] - p->x->u[at], hi = p->high[j] - p->x->u[at];
      p->v[at] = fmin(fmax(p->v[at], lo), hi);
    }
  return it > 0 ? DM_OK : status;
}

// sweeps, each around the direction of those before it
static dm_status sweep_over_bounds(oc_search_direction *w, int *failed) {
  if (getenv("IP") && w->merit->ranges->n) return solve_interior(w, failed);
  // no input is at a bound yet
  memset(w->at_bound, 0, at_stage(w->N, w->nu) * sizeof *w->at_bound);
  dm_status s = sweep_direction(w, failed);
  if (s == DM_NOT_DEFINITE && !w->lq.dQ && *failed >= 0 && *failed + 1 < w->N) {
    // convex, but to rounding: leave the inputs before alone, and the start
    memset(w->K, 0, at_stage(*failed + 1, w->nu * w->m) * sizeof *w->K);
    memset(w->gains, 0, (size_t)(w->nt * (w->ng + 1)) * sizeof *w->gains);
    rollout_direction(w, 1);
    add_pass(w, 1);
    return DM_OK;
  }

  // until a pass changes no input's bound and no row's side
  DM_TRY(s);
  oc_ranges *ranges = w->merit->ranges;
  const double target = ranges->smooth;
  static double K0 = -1, KF; if (K0 < 0) { K0 = atof(getenv("K0")); KF = atof(getenv("KF")); }
  if (ranges->n && K0 > target) {
    ranges->smooth = K0;
    revise_limits(w);
    center_problem(w);
    s = sweep_direction(w, failed);
  }
  for (int pass = 1; s == DM_OK; pass++) {
    double value = evaluate_problem(w), t = 1, next;
    int stage, changes = rollout_direction(w, 1);
    add_pass(w, 1);
    next = evaluate_problem(w);
    while (!(next < value) && t > 1e-3) {
      add_pass(w, -1);
      t /= 2;
      rollout_direction(w, t);
      add_pass(w, 1);
      next = evaluate_problem(w);
    }
    bool lower = next < value;
    if (!lower) {
      add_pass(w, -1);
      if (pass == 1 && ranges->smooth == target) {
        rollout_direction(w, 1); // rounding, or no direction: the slope will tell
        add_pass(w, 1);
      }
    }
    bool last = ranges->smooth == target;
    if (!last) ranges->smooth = fmax(target, KF * ranges->smooth);
    if (ranges->smooth < 1e-12) ranges->smooth = target;
    changes += revise_limits(w);
    if (getenv("PASS")) fprintf(stderr, "%d(%g %g %g) ", changes, t, next - value, ranges->smooth);
    if ((last && (!lower || changes == 0 || !(next < value - ENOUGH_PASS * fabs(next)))) || pass >= PASSES) break;
    center_problem(w); // where that cannot be solved, there is a direction still
    if (sweep_direction(w, &stage) != DM_OK) break;
  }
  if (getenv("PASS")) fprintf(stderr, "\n");
  ranges->smooth = target;
  return s;
}

dm_status oc_search_direction_solve(oc_search_direction *w, bool cut, double *slope, int *failed) {
  assert(w && slope && failed);
  const oc_projection_operator *p = w->p;
  w->lq.floor = cut ? w->floor : 0;
  w->lq.share = cut ? w->share : NULL;
  *failed = -1;

  // from no direction at all, with the linear terms around it
  clear_direction(w);
  revise_limits(w);
  center_problem(w);
  if (w->kkt && !cut) // which finds no shares
    DM_TRY(oc_kkt_solve(w->kkt, &w->lq, p->z, p->v));
  else
    DM_TRY(sweep_over_bounds(w, failed));

  // l.(z,v)
  *slope = dm_inner((w->N + 1) * w->ns, w->merit->l_x, p->z) +
           dm_inner(w->N * w->nu, w->merit->l_u, p->v);
  return isfinite(*slope) ? DM_OK : DM_NOT_FINITE;
}

double oc_search_direction_residual(oc_search_direction *w) {
  const oc_terminal *t = w->merit->end;
  double largest = 0;
  memcpy(w->y, t->off, (size_t)w->ng * sizeof *w->y);
  add_matrix_vector(w->ng, w->nx, t->E, w->nx, w->p->z + at_stage(w->N, w->ns), w->y); // c + E z_N
  for (int i = 0; i < w->ng; i++) largest = fmax(largest, fabs(w->y[i]));
  return largest;
}

// pi of the rows where the direction leads become their multipliers
static void multiply_limits(oc_search_direction *w) {
  oc_ranges *ranges = w->merit->ranges;
  for (int k = 0; k <= w->N; k++)
    for (int i = 0; i < ranges->n; i++) {
      size_t at = at_stage(k, ranges->n) + (size_t)i;
      if (oc_ranges_stand(ranges, i, k))
        oc_ranges_multiply(ranges, k, i, ranges->g[at]);
    }
}

void oc_search_direction_foresee(oc_search_direction *w) {
  const oc_ranges *ranges = w->merit->ranges;
  const oc_terminal *t = w->merit->end;
  for (int k = 0; k <= w->N; k++)
    for (int i = 0; i < ranges->n; i++) {
      size_t at = at_stage(k, ranges->n) + (size_t)i;
      if (oc_ranges_stand(ranges, i, k)) w->seen[at] = oc_ranges_slope(ranges, k, i, ranges->g[at] + follow_row(w, k, i));
    }
  oc_search_direction_residual(w);
  for (int i = 0; i < w->ng; i++) w->seen_goal[i] = t->multiplier[i] + t->penalty * w->y[i];
}

void oc_search_direction_keep(oc_search_direction *w, double a) {
  a = fmin(a, 1);
  oc_ranges *ranges = w->merit->ranges;
  oc_terminal *t = w->merit->end;
  if (getenv("NOPULL")) a = 0;
  for (size_t i = 0; i < at_stage(w->N + 1, ranges->n); i++) ranges->pull[i] += a * (w->seen[i] - ranges->pull[i]);
  for (int i = 0; i < w->ng; i++) t->pull[i] += a * (w->seen_goal[i] - t->pull[i]);
}

dm_status oc_search_direction_multiply(oc_search_direction *w, double trust) {
  int ng = w->ng, stage;
  oc_terminal *t = w->merit->end;
  if (trust == 0) clear_direction(w);
  multiply_limits(w);
  for (int i = 0; trust == 0 && i < ng; i++) t->multiplier[i] += t->penalty * t->off[i];
  for (int i = 0; i < ng; i++) t->pull[i] = t->multiplier[i];
  for (size_t i = 0; i < at_stage(w->N + 1, w->merit->ranges->n); i++) w->merit->ranges->pull[i] = w->merit->ranges->y[2 * i + 1] - w->merit->ranges->y[2 * i];
  if (ng == 0 || trust == 0) return DM_OK;

  // C = -P of the multipliers: how the goal's error moves with them
  if (w->kkt) DM_TRY(sweep_direction(w, &stage));

  // (C + 1/(max penalty)) change = c + E z_N
  oc_search_direction_residual(w);
  for (int i = 0; i < ng; i++) w->C[i * ng + i] += 1 / (trust * t->penalty);
  DM_TRY(dm_lu_factor(ng, w->C, w->piv));
  dm_lu_solve(ng, w->C, w->piv, 1, w->y);
  for (int i = 0; i < ng; i++) t->multiplier[i] += w->y[i];
  for (int i = 0; i < ng; i++) t->pull[i] = t->multiplier[i];
  return DM_OK;
}
