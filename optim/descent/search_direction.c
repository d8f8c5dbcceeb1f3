#include "optim/descent/search_direction.h"

#include "lib/base/block.h"
#include "lib/base/dense.h"

#include <assert.h>
#include <math.h>
#include <string.h>

// of the least weight: where the value says nothing of an input, H is that weight to rounding
static const double ALMOST = 1 - 1e-6;
enum { PASSES = 8 }; // of a sweep, over the inputs that are at bounds

const char *const oc_method_names[] = {"steepest", "quasi", "newton", NULL};

static void lay_out_direction(void *self, dm_block *b) {
  oc_search_direction *w = self;
  size_t N = (size_t)w->N, nx = (size_t)w->nx, nu = (size_t)w->nu, m = (size_t)w->m;
  size_t ng = (size_t)w->ng;
  // matrices of all stages, then those of one
  const struct {
    double **at;
    size_t count;
  } rows[] = {{&w->A, N * m * m},  {&w->B, N * m * nu}, {&w->Q, N * m * m},    {&w->R, N * nu * nu},
              {&w->S, N * m * nu}, {&w->dQ, N * m * m}, {&w->dR, N * nu * nu}, {&w->dS, N * m * nu},
              {&w->Qf, m * m},     {&w->K, N * nu * m}, {&w->lo, N * nu},      {&w->hi, N * nu},
              {&w->share, N},      {&w->zeta, nx},      {&w->next, nx},        {&w->xx, nx * nx},
              {&w->xu, nx * nu},   {&w->uu, nu * nu},   {&w->C, ng * ng},      {&w->y, ng}};
  for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
    *rows[i].at = dm_block_alloc(b, rows[i].count, sizeof(double));
  w->piv = dm_block_alloc(b, ng, sizeof *w->piv);
  w->at_bound = dm_block_alloc(b, N * nu, sizeof *w->at_bound);
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

dm_status oc_search_direction_new(oc_search_direction **out, oc_projection_operator *p,
                                  oc_merit *merit, bool sparse) {
  assert(out && p && merit);
  const oc_task *t = p->task;
  oc_search_direction sizes = {
      .p = p, .merit = merit, .nx = p->nx, .nu = p->nu, .ng = merit->end->ng};
  sizes.m = sizes.nx + sizes.ng + 1;
  sizes.N = p->N;
  sizes.floor = INFINITY;

  // the floor of H's eigenvalues: just below the least weight of inputs
  for (int j = 0; j < p->nu; j++) {
    if (t->w_u && t->w_u[j] > 0) sizes.floor = fmin(sizes.floor, merit->s * t->w_u[j]);
    sizes.bounded |= (t->u_min && isfinite(t->u_min[j])) || (t->u_max && isfinite(t->u_max[j]));
  }
  sizes.floor = isfinite(sizes.floor) ? ALMOST * sizes.floor : 1;

  // all numbers in one block, the problem points into it
  *out = NULL;
  oc_search_direction *w = dm_block_make(&sizes, sizeof sizes, lay_out_direction);
  if (!w) return DM_NO_MEMORY;

  pose_problem(w);
  dm_status status = fb_riccati_new(&w->sweep, w->m, w->nu);
  if (status == DM_OK && sparse) status = oc_kkt_new(&w->kkt, w->N, w->nx, w->nu);
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

// zeta.f'' of step k into dQ, dR, dS, with zeta that of knot k + 1 and the push on its q
static dm_status contract_dynamics(oc_search_direction *w, int k) {
  oc_projection_operator *p = w->p;
  const dm_trajectory *x = p->x;
  int n = p->n, nx = w->nx, nu = w->nu, m = w->m;
  const double *q = x->q + at_stage(k, n), *u = x->u + at_stage(k, nu);

  // zeta of the next knot, with what the cost on velocity adds by q_{k+1}
  memcpy(w->next, w->zeta, (size_t)nx * sizeof *w->next);
  for (int i = 0; i < n; i++) w->next[i] += w->merit->by_next[at_stage(k, n) + (size_t)i];

  // zeta.f'' from the factors of the step's own linearization
  DM_TRY(oc_projection_operator_linearize(p, k));
  DM_TRY(dm_linearize_second(p->linearize, q, q + n, u, x->lambda + at_stage(k, x->nc), p->h,
                             w->next, w->xx, w->xu, w->uu));

  // into the larger matrices of m states
  double *dQ = w->dQ + at_stage(k, m * m), *dS = w->dS + at_stage(k, m * nu);
  for (int i = 0; i < nx; i++) {
    memcpy(dQ + i * m, w->xx + i * nx, (size_t)nx * sizeof *dQ);
    memcpy(dS + i * nu, w->xu + i * nu, (size_t)nu * sizeof *dS);
  }
  memcpy(w->dR + at_stage(k, nu * nu), w->uu, (size_t)(nu * nu) * sizeof *w->uu);
  return DM_OK;
}

// zeta of knot k from that of k + 1, in place
static void step_adjoint(oc_search_direction *w, int k) {
  const oc_projection_operator *p = w->p;
  int nx = w->nx, nu = w->nu;
  const double *A = p->A + at_stage(k, nx * nx), *B = p->B + at_stage(k, nx * nu);
  const double *K = p->K + at_stage(k, nu * nx), *l_u = w->merit->l_u + at_stage(k, nu);

  // l_x + A'zeta
  memcpy(w->next, w->merit->l_x + at_stage(k, nx), (size_t)nx * sizeof *w->next);
  for (int i = 0; i < nx; i++)
    for (int j = 0; j < nx; j++) w->next[j] += A[i * nx + j] * w->zeta[i];

  // less K'(l_u + B'zeta)
  for (int j = 0; j < nu; j++) {
    double g = l_u[j]; // l_u + B'zeta of this input
    for (int i = 0; i < nx; i++) g += B[i * nu + j] * w->zeta[i];
    for (int i = 0; i < nx; i++) w->next[i] -= K[j * nx + i] * g;
  }
  memcpy(w->zeta, w->next, (size_t)nx * sizeof *w->next);
}

// A, B of stage k
static void set_dynamics(oc_search_direction *w, int k) {
  const oc_projection_operator *p = w->p;
  int nx = w->nx, nu = w->nu, m = w->m;
  double *A = w->A + at_stage(k, m * m), *B = w->B + at_stage(k, m * nu);
  for (int i = 0; i < nx; i++) {
    memcpy(A + i * m, p->A + at_stage(k, nx * nx) + i * nx, (size_t)nx * sizeof *A);
    memcpy(B + i * nu, p->B + at_stage(k, nx * nu) + i * nu, (size_t)nu * sizeof *B);
  }
  for (int i = nx; i < m; i++) A[i * m + i] = 1; // constants stay what they are
}

// Q, R, S of stage k but for the linear terms
static dm_status set_weights(oc_search_direction *w, int k, oc_method method) {
  int nx = w->nx, nu = w->nu, m = w->m;
  double *Q = w->Q + at_stage(k, m * m), *R = w->R + at_stage(k, nu * nu),
         *S = w->S + at_stage(k, m * nu);
  memset(Q, 0, (size_t)(m * m) * sizeof *Q);
  memset(R, 0, (size_t)(nu * nu) * sizeof *R);
  memset(S, 0, (size_t)(m * nu) * sizeof *S);

  // second order terms apart, the cost's own Hessian in Q, R, S
  if (method == OC_NEWTON) DM_TRY(contract_dynamics(w, k));
  if (method != OC_STEEPEST) oc_merit_curve(w->merit, w->p, k, m, Q, R, S);

  // the identity, or damping
  bool steepest = method == OC_STEEPEST;
  for (int i = 0; i < nx; i++) Q[i * m + i] += steepest;
  for (int j = 0; j < nu; j++) R[j * nu + j] += steepest ? 1 : w->damping * w->floor;
  return DM_OK;
}

dm_status oc_search_direction_model(oc_search_direction *w, oc_method method) {
  int nx = w->nx, m = w->m, N = w->N;
  const double *last = w->merit->l_x + at_stage(N, nx), *H = w->merit->end->H;

  // backwards: weights, dynamics, and the adjoint along the closed loop
  DM_TRY(oc_merit_gradient(w->merit, w->p, method == OC_NEWTON));
  memcpy(w->zeta, last, (size_t)nx * sizeof *w->zeta);
  for (int k = N - 1; k >= 0; k--) {
    DM_TRY(set_weights(w, k, method));
    set_dynamics(w, k);
    if (method == OC_NEWTON) step_adjoint(w, k);
  }

  // the last stage: the end's Hessian, and E between the states and the goal's multipliers
  for (int i = 0; i < nx; i++) {
    for (int j = 0; j < nx; j++) w->Qf[i * m + j] = method == OC_STEEPEST ? i == j : H[i * nx + j];
    for (int r = 0; r < w->ng; r++)
      w->Qf[i * m + nx + r] = w->Qf[(nx + r) * m + i] = w->merit->end->E[r * nx + i];
  }

  bool second = method == OC_NEWTON;
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
  int nx = w->nx, nu = w->nu, m = w->m;
  add_matrix_vector(nx, nx, Q, m, z, q);
  if (v) {
    add_matrix_vector(nx, nu, S, nu, v, q);
    add_matrix_vector(nu, nu, R, nu, v, r);
    add_transposed(nx, nu, S, nu, z, r);
    memcpy(S + (m - 1) * nu, r, (size_t)nu * sizeof *r);
  }
  // symmetric: last column and last row
  for (int i = 0; i < nx; i++) Q[i * m + m - 1] = Q[(m - 1) * m + i] = q[i];
}

// pose the problem of what is still to be added to the direction in p->z, p->v
static void center_problem(oc_search_direction *w) {
  const oc_projection_operator *p = w->p;
  const oc_task *t = p->task;
  int nx = w->nx, nu = w->nu, m = w->m;
  double *q = w->next, *r = w->uu;
  for (int k = 0; k < w->N; k++) {
    size_t at = at_stage(k, nu), xx = at_stage(k, m * m), uu = at_stage(k, nu * nu),
           xu = at_stage(k, m * nu);

    // linear terms of Q, R, S around (z,v), then those of their second-order parts
    const double *z = p->z + at_stage(k, nx), *v = p->v + at;
    memcpy(q, w->merit->l_x + at_stage(k, nx), (size_t)nx * sizeof *q);
    memcpy(r, w->merit->l_u + at, (size_t)nu * sizeof *r);
    set_linear_terms(w, w->Q + xx, w->R + uu, w->S + xu, z, v, q, r);
    memset(q, 0, (size_t)nx * sizeof *q);
    memset(r, 0, (size_t)nu * sizeof *r);
    if (w->lq.dQ) set_linear_terms(w, w->dQ + xx, w->dR + uu, w->dS + xu, z, v, q, r);

    // what bounds leave to be added
    for (size_t j = 0; j < (size_t)nu; j++) {
      w->lo[at + j] = (t->u_min ? t->u_min[j] : -INFINITY) - p->x->u[at + j] - v[j];
      w->hi[at + j] = (t->u_max ? t->u_max[j] : INFINITY) - p->x->u[at + j] - v[j];
    }
  }

  memcpy(q, w->merit->l_x + at_stage(w->N, nx), (size_t)nx * sizeof *q);
  set_linear_terms(w, w->Qf, NULL, NULL, p->z + at_stage(w->N, nx), NULL, q, NULL);
}

// Add what the gains ask for to the direction. Returns how many inputs came to a bound or left one.
static int rollout_direction(oc_search_direction *w) {
  const oc_projection_operator *p = w->p;
  int nx = w->nx, nu = w->nu, m = w->m, changes = 0;
  double *z = w->zeta, *next = w->next;
  memset(z, 0, (size_t)nx * sizeof *z);
  for (int k = 0; k < w->N; k++) {
    const double *K = w->K + at_stage(k, nu * m);
    const double *A = p->A + at_stage(k, nx * nx), *B = p->B + at_stage(k, nx * nu);

    // z_{k+1} = A z_k + B v_k, with v_k by the gains, within its bounds
    memset(next, 0, (size_t)nx * sizeof *next);
    add_matrix_vector(nx, nx, A, nx, z, next);
    for (int j = 0; j < nu; j++) {
      size_t at = at_stage(k, nu) + (size_t)j;
      // -K (z, .., 1): what is to be added to v
      double step = -K[j * m + m - 1], lo = w->lo[at], hi = w->hi[at];
      for (int i = 0; i < nx; i++) step -= K[j * m + i] * z[i];
      // a pass that changes no bound is the last
      bool bound = step <= lo || step >= hi;
      changes += bound != w->at_bound[at];
      w->at_bound[at] = bound;
      step = fmin(fmax(step, lo), hi);
      p->v[at] += step;
      for (int i = 0; i < nx; i++) next[i] += B[i * nu + j] * step;
    }

    memcpy(z, next, (size_t)nx * sizeof *z);
    for (int i = 0; i < nx; i++) p->z[at_stage(k + 1, nx) + (size_t)i] += z[i];
  }
  return changes;
}

// one sweep, and what it says of the goal's multipliers
static dm_status sweep_direction(oc_search_direction *w, int *failed) {
  int nx = w->nx, ng = w->ng;
  DM_TRY(fb_riccati_sweep(w->sweep, &w->lq, w->K, NULL, failed));
  // -P of the goal's multipliers: how the goal's error moves with them
  for (int i = 0; i < ng; i++)
    for (int j = 0; j < ng; j++) w->C[i * ng + j] = -fb_riccati_value(w->sweep, nx + i, nx + j);
  return DM_OK;
}

// sweeps, each around the direction of those before it
static dm_status sweep_over_bounds(oc_search_direction *w, int *failed) {
  // no input is at a bound yet
  memset(w->at_bound, 0, at_stage(w->N, w->nu) * sizeof *w->at_bound);
  dm_status s = sweep_direction(w, failed);
  if (s == DM_NOT_DEFINITE && !w->lq.dQ && *failed + 1 < w->N) { // convex, but to rounding: leave
    memset(w->K, 0, at_stage(*failed + 1, w->nu * w->m) * sizeof *w->K); // the inputs before alone
    rollout_direction(w);
    return DM_OK;
  }

  // until a pass changes no input's bound
  DM_TRY(s);
  for (int pass = 1; rollout_direction(w) && w->bounded && pass < PASSES; pass++) {
    int stage;
    center_problem(w); // where that cannot be solved, there is a direction still
    if (sweep_direction(w, &stage) != DM_OK) break;
  }
  return DM_OK;
}

dm_status oc_search_direction_solve(oc_search_direction *w, bool cut, double *slope, int *failed) {
  assert(w && slope && failed);
  const oc_projection_operator *p = w->p;
  w->lq.floor = cut ? w->floor : 0;
  w->lq.share = cut ? w->share : NULL;
  *failed = -1;

  // from no direction at all
  memset(p->z, 0, at_stage(w->N + 1, w->nx) * sizeof *p->z);
  memset(p->v, 0, at_stage(w->N, w->nu) * sizeof *p->v);
  // the linear terms around it
  center_problem(w);
  if (w->kkt && !cut) // which finds no shares
    DM_TRY(oc_kkt_solve(w->kkt, &w->lq, p->z, p->v));
  else
    DM_TRY(sweep_over_bounds(w, failed));

  // l.(z,v)
  *slope = 0;
  for (int i = 0; i < (w->N + 1) * w->nx; i++) *slope += w->merit->l_x[i] * p->z[i];
  for (int j = 0; j < w->N * w->nu; j++) *slope += w->merit->l_u[j] * p->v[j];
  return isfinite(*slope) ? DM_OK : DM_NOT_FINITE;
}

double oc_search_direction_residual(oc_search_direction *w) {
  const oc_terminal *t = w->merit->end;
  double largest = 0;
  memcpy(w->y, t->off, (size_t)w->ng * sizeof *w->y);
  add_matrix_vector(w->ng, w->nx, t->E, w->nx, w->p->z + at_stage(w->N, w->nx), w->y); // c + E z_N
  for (int i = 0; i < w->ng; i++) largest = fmax(largest, fabs(w->y[i]));
  return largest;
}

dm_status oc_search_direction_multiply(oc_search_direction *w, double trust) {
  int ng = w->ng, stage;
  oc_terminal *t = w->merit->end;
  // C = -P of the multipliers: how the goal's error moves with them
  if (w->kkt) DM_TRY(sweep_direction(w, &stage));

  // (C + 1/(max penalty)) change = c + E z_N
  oc_search_direction_residual(w);
  for (int i = 0; i < ng; i++) w->C[i * ng + i] += 1 / (trust * t->penalty);
  DM_TRY(dm_lu_factor(ng, w->C, w->piv));
  dm_lu_solve(ng, w->C, w->piv, 1, w->y);
  for (int i = 0; i < ng; i++) t->multiplier[i] += w->y[i];
  return DM_OK;
}
