#include "lib/studies/map_flow.h"

#include "lib/base/block.h"
#include "lib/base/dense.h"
#include "lib/base/ode.h"
#include "lib/discrete/composition.h"
#include "lib/discrete/linearize.h"
#include "lib/mechanics/continuous.h"

#include <assert.h>
#include <math.h>
#include <string.h>

static const double ODE_TOL = 1e-12;

typedef struct map_flow {
  dm_discrete_flow flow;
  dm_system s;
  int inputs;
  dm_composition *steps;
  dm_linearize *lin;
  dm_interval *d;
  dm_continuous *c;
  dm_ode *ode;
  double h;                 // of the last step
  double *u, *parity;       // [inputs], [2n]
  double *v;                // [n]
  double *y;                // [2n]
  double *part, *B;         // A of a part [2n x 2n], its B [2n x inputs]
  double *before, *product; // A of the parts before [2n x 2n], and a product
  double *Z, *curl,
      *D; // (dq0,dq1) by (x0,p0), the antisymmetric part of D1, D2 by (q0,q1), a product [2n x 2n]
} map_flow;

static void lay_out_map(void *self, dm_block *b) {
  map_flow *w = self;
  const size_t n = (size_t)w->flow.n, square = 4 * n * n;
  double **matrix[] = {&w->part, &w->before, &w->product, &w->Z, &w->curl, &w->D};
  w->u = dm_block_alloc(b, (size_t)w->inputs, sizeof *w->u);
  w->parity = dm_block_alloc(b, 2 * n, sizeof *w->parity);
  w->v = dm_block_alloc(b, n, sizeof *w->v);
  w->y = dm_block_alloc(b, 2 * n, sizeof *w->y);
  w->B = dm_block_alloc(b, 2 * n * (size_t)w->inputs, sizeof *w->B);
  for (size_t i = 0; i < sizeof matrix / sizeof *matrix; i++)
    *matrix[i] = dm_block_alloc(b, square, sizeof(double));
}

static bool is_kinematic(const map_flow *w, int i) {
  return w->s.kinematic && w->s.kinematic[i];
}

// one step; kinematic coordinates stay
static dm_status step_map(dm_discrete_flow *flow, const double *x0, const double *p0, double h,
                          double *x1, double *p1, double *S) {
  map_flow *w = (map_flow *)flow;
  const int n = flow->n;
  dm_del_info info;
  for (int i = 0, rho = w->s.nu; i < n; i++)
    if (is_kinematic(w, i)) w->u[rho++] = x0[i];
  const dm_status s = dm_composition_step(w->steps, x0, p0, w->u, h, x1, p1, &info);
  if (s < 0) return s;

  // the action of all parts
  w->h = h;
  *S = 0;
  for (int i = 0; i < w->steps->of.stages; i++) {
    const double *q = w->steps->q + i * n;
    DM_TRY(dm_interval_eval(w->d, 1, q, q + n, w->u, w->steps->g[i] * h));
    *S += w->d->Ld;
  }
  flow->gap = w->steps->del->gap;
  return s;
}

// K += Z'(D - D')Z of the part from q0; Z maps the start to (dq0,dq1)
static void add_curl(map_flow *w, double *K) {
  const int n = w->flow.n, m = 2 * n;
  const dm_interval *d = w->d;
  memcpy(w->Z, w->before, (size_t)(n * m) * sizeof *w->Z);
  memcpy(w->Z + n * m, w->product, (size_t)(n * m) * sizeof *w->Z);
  for (int i = 0; i < n; i++)
    for (int j = 0; j < n; j++) {
      // prescribed coordinates have no equation of motion
      const bool none = is_kinematic(w, i) || is_kinematic(w, j);
      const int at = i * n + j, mirror = j * n + i;
      w->curl[i * m + j] = none ? 0 : d->D11[at] - d->D11[mirror];
      w->curl[i * m + n + j] = none ? 0 : d->D12[at] - d->D21[mirror];
      w->curl[(n + i) * m + j] = none ? 0 : d->D21[at] - d->D12[mirror];
      w->curl[(n + i) * m + n + j] = none ? 0 : d->D22[at] - d->D22[mirror];
    }
  dm_gemm(m, m, m, 1, w->curl, w->Z, 0, w->D);
  dm_gemm_transposed(m, m, m, 1, w->Z, m, w->D, m, 1, K, m);
}

static dm_status differentiate_map(dm_discrete_flow *flow, double *A, double *K) {
  map_flow *w = (map_flow *)flow;
  const int n = flow->n, m = 2 * n, nc = flow->nc;
  memset(w->before, 0, (size_t)(m * m) * sizeof *w->before);
  memset(K, 0, (size_t)(m * m) * sizeof *K);
  for (int i = 0; i < m; i++) w->before[i * m + i] = 1;

  // the product of the parts' derivatives, and the sum of their forces' contributions
  for (int i = 0; i < w->steps->of.stages; i++) {
    const double *q = w->steps->q + i * n, *lambda = nc ? w->steps->lambda + i * nc : NULL;
    const double h = w->steps->g[i] * w->h;
    DM_TRY(dm_linearize_step(w->lin, q, q + n, w->u, lambda, h, w->part, w->B));
    DM_TRY(dm_interval_eval(w->d, 2, q, q + n, w->u, h));
    dm_gemm(m, m, m, 1, w->part, w->before, 0, w->product);
    add_curl(w, K);
    memcpy(w->before, w->product, (size_t)(m * m) * sizeof *w->before);
  }
  memcpy(A, w->before, (size_t)(m * m) * sizeof *A);
  return DM_OK;
}

// the velocity of p, projected on the constraints, into w->v
static dm_status find_velocity(map_flow *w, const double *x, const double *p) {
  memset(w->v, 0, (size_t)w->flow.n * sizeof *w->v);
  const dm_status s = dm_velocity_of(w->c, x, p, w->v);
  if (s < 0) return s;
  return w->flow.nc ? dm_velocity_restrict(w->c, x, w->v) : DM_OK;
}

static dm_status settle_map(dm_discrete_flow *flow, const double *x, double *p) {
  map_flow *w = (map_flow *)flow;
  if (!flow->nc) return DM_OK;
  DM_TRY(find_velocity(w, x, p));
  return dm_momentum_of(w->c, x, w->v, p);
}

static dm_status restrict_map(dm_discrete_flow *flow, const double *x, double *z) {
  map_flow *w = (map_flow *)flow;
  for (int i = 0; i < flow->n; i++)
    if (is_kinematic(w, i)) z[i] = z[flow->n + i] = 0;
  return flow->nc ? dm_velocity_restrict(w->c, x, z) : DM_OK;
}

static dm_status velocity_of_map(dm_discrete_flow *flow, const double *x, const double *p,
                                 double *v) {
  map_flow *w = (map_flow *)flow;
  DM_TRY(find_velocity(w, x, p));
  memcpy(v, w->v, (size_t)flow->n * sizeof *v);
  return DM_OK;
}

static dm_status find_energy(dm_discrete_flow *flow, const double *x, const double *p, double *E) {
  map_flow *w = (map_flow *)flow;
  DM_TRY(find_velocity(w, x, p));
  return dm_energy(w->c, x, w->v, E);
}

// (q,v)' = (v,a) under zero inputs; prescribed coordinates stay
static dm_status find_rate(void *self, const double *y, double *rate) {
  map_flow *w = self;
  const int n = w->flow.n;
  memcpy(rate, y + n, (size_t)n * sizeof *rate);
  return dm_acceleration(w->c, y, y + n, NULL, rate + n);
}

static dm_status integrate_map(dm_discrete_flow *flow, double time, double *x, double *p) {
  map_flow *w = (map_flow *)flow;
  const size_t bytes = (size_t)flow->n * sizeof *x;
  DM_TRY(find_velocity(w, x, p));
  for (int i = 0; i < flow->n; i++)
    if (is_kinematic(w, i)) w->v[i] = 0;
  memcpy(w->y, x, bytes);
  memcpy(w->y + flow->n, w->v, bytes);
  DM_TRY(dm_ode_integrate(w->ode, find_rate, w, DM_ODE_EXPLICIT, time, w->y, NULL));
  memcpy(x, w->y, bytes);
  return dm_momentum_of(w->c, x, w->y + flow->n, p);
}

static void free_map(dm_discrete_flow *flow) {
  map_flow *w = (map_flow *)flow;
  dm_composition_free(w->steps);
  dm_linearize_free(w->lin);
  dm_interval_free(w->d);
  dm_continuous_free(w->c);
  dm_ode_free(w->ode);
  dm_block_free(w);
}

dm_status dm_map_flow_new(dm_discrete_flow **out, const dm_system *s, int order, dm_message *msg) {
  assert(out && s);
  const int n = s->L.nq;
  map_flow sizes = {.flow = {.m = n,
                             .n = n,
                             .nc = s->hol.nc,
                             .rounding = 1e-13,
                             .levels = 5,
                             .step = step_map,
                             .tangent = differentiate_map,
                             .settle = settle_map,
                             .restrict_tangent = restrict_map,
                             .velocity = velocity_of_map,
                             .energy = find_energy,
                             .integrate = integrate_map,
                             .free = free_map},
                    .s = *s,
                    .inputs = dm_system_inputs(s)};
  map_flow *w = dm_block_make(&sizes, sizeof sizes, lay_out_map);
  if (!w) return DM_NO_MEMORY;
  for (int i = 0; i < n; i++) {
    w->parity[i] = 1;
    w->parity[n + i] = -1;
  }
  w->flow.parity = w->parity;
  dm_status status = dm_composition_new(&w->steps, s, order, NULL, msg);
  if (status == DM_OK) status = dm_linearize_new(&w->lin, s);
  if (status == DM_OK) status = dm_interval_new(&w->d, s);
  if (status == DM_OK) status = dm_continuous_new(&w->c, s);
  if (status == DM_OK) status = dm_ode_new(&w->ode, 2 * n, ODE_TOL);
  if (status != DM_OK) {
    free_map(&w->flow);
    return status;
  }
  *out = &w->flow;
  return DM_OK;
}
