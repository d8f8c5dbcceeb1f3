// optim/descent/direction_model.c: the matrices of the problem of a search direction
// (optim/descent/search_direction.h).
#include "optim/descent/search_direction.h"

#include "lib/base/dense.h"

#include <string.h>

static size_t offset_at(int k, int count) {
  return (size_t)k * (size_t)count;
}

// whether W has second derivatives of the map
static bool is_second(const oc_search_direction *w) {
  return w->model == OC_SECOND_ORDER || w->model == OC_VALUE_ORDER;
}

// matrices of stage k, of the cost itself or of second-order terms; for knot N the last one
static oc_blocks find_blocks(const oc_search_direction *w, int k, bool second) {
  oc_blocks b = {.ld = w->m, .Q = w->Qf};
  if (k == w->N) return b;
  b.Q = (second ? w->dQ : w->Q) + offset_at(k, w->m * w->m);
  b.R = (second ? w->dR : w->R) + offset_at(k, w->nu * w->nu);
  b.S = (second ? w->dS : w->S) + offset_at(k, w->m * w->nu);
  return b;
}

// add (xx, xu, uu) by (q,p) and the inputs to the blocks; if the step is free, it is the last input
// and becomes a state
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

// second-order terms of step k: zeta.f'' into dQ, dR, dS, with zeta of knot k + 1 plus the slopes
// of cost and limits by its q and by the impulses; and their other second-order terms
static dm_status contract_dynamics(oc_search_direction *w, int k) {
  oc_projection_operator *p = w->p;
  const dm_trajectory *x = p->x;
  int n = p->n, nu = w->nu, m = w->m;
  const double *q = x->q + offset_at(k, n), *u = x->u + offset_at(k, nu);
  oc_blocks out = find_blocks(w, k, true);
  memset(out.Q, 0, (size_t)(m * m) * sizeof *out.Q);
  memset(out.R, 0, (size_t)(nu * nu) * sizeof *out.R);
  memset(out.S, 0, (size_t)(m * nu) * sizeof *out.S);
  DM_TRY(oc_merit_bend(w->merit, k, &out));

  // zeta of the next knot, plus the slopes by its q
  memcpy(w->next, w->zeta, (size_t)w->nx * sizeof *w->next);
  dm_add_to(n, 1, w->merit->by_next, w->next);

  // zeta.f'' with the factors of the step's linearization
  DM_TRY(oc_projection_operator_linearize(p, k));
  DM_TRY(dm_linearize_contract(p->linearize, q, q + n, u, x->lambda + offset_at(k, x->nc), x->h,
                               w->next, w->merit->by_lambda, w->xx, w->xu, w->uu));
  add_contraction(w, &out);
  return DM_OK;
}

void oc_search_direction_adjoin(const oc_search_direction *w, int k, double *g, double *zeta) {
  const oc_projection_operator *p = w->p;
  int nx = w->nx, nu = w->nu, ns = w->ns;
  const double *A = p->A + offset_at(k, nx * nx), *B = p->B + offset_at(k, nx * nu);
  const double *K = p->K + offset_at(k, nu * nx);
  double *l_u = g + ns;

  // l_x + A'zeta; the step is constant, and previous inputs do not affect later stages
  for (int i = 0; i < nx; i++) dm_add_to(nx, zeta[i], A + i * nx, g);
  if (p->nh) g[nx] += zeta[nx] + dm_inner(nx, p->f_h + offset_at(k, nx), zeta);

  // subtract K'(l_u + B'zeta)
  for (int i = 0; i < nx; i++) dm_add_to(nu, zeta[i], B + i * nu, l_u);
  for (int r = 0; r < p->nr; r++) l_u[p->rated[r]] += zeta[nx + p->nh + r];
  for (int j = 0; j < nu; j++) dm_add_to(nx, -l_u[j], K + j * nx, g);
  memcpy(zeta, g, (size_t)ns * sizeof *zeta);
}

// zeta of knot k from zeta of k + 1, in place
static void step_adjoint(oc_search_direction *w, int k) {
  oc_merit_pull(w->merit, k, w->next);
  oc_search_direction_adjoin(w, k, w->next, w->zeta);
}

// Q, R, S of stage k except the linear terms
static dm_status set_weights(oc_search_direction *w, int k) {
  int nu = w->nu, m = w->m;
  oc_blocks out = find_blocks(w, k, false);
  memset(out.Q, 0, (size_t)(m * m) * sizeof *out.Q);
  memset(out.R, 0, (size_t)(nu * nu) * sizeof *out.R);
  memset(out.S, 0, (size_t)(m * nu) * sizeof *out.S);

  // second-order terms separately; Hessian of the cost in Q, R, S
  if (is_second(w)) DM_TRY(contract_dynamics(w, k));
  if (w->model != OC_IDENTITY) DM_TRY(oc_merit_curve(w->merit, k, &out));

  // scaled identity for steepest descent, or damping
  const double *size = w->p->input;
  const bool steepest = w->model == OC_IDENTITY;
  for (int i = 0; steepest && i < w->nx; i++) out.Q[i * m + i] += w->p->Q[i * w->nx + i];
  for (int j = 0; j < nu; j++)
    out.R[j * nu + j] += (steepest ? 1 : w->damping * w->floor) / (size[j] * size[j]);
  oc_merit_curve_limits(w->merit, k, &out);
  return DM_OK;
}

// last stage: Hessian of the end, and E between the states and the goal's multipliers
static dm_status set_last_weights(oc_search_direction *w) {
  const oc_terminal *end = w->merit->end;
  int nx = w->nx, ns = w->ns, m = w->m;
  memset(w->Qf, 0, (size_t)(m * m) * sizeof *w->Qf);
  for (int i = 0; i < nx; i++) {
    for (int j = 0; j < nx; j++)
      w->Qf[i * m + j] = w->model == OC_IDENTITY ? w->p->Q[i * nx + j] : end->H[i * nx + j];
    for (int r = 0; r < w->ng; r++)
      w->Qf[i * m + ns + r] = w->Qf[(ns + r) * m + i] = end->E[r * nx + i];
  }
  // squares of the goal's errors, as those of limits
  for (int r = 0; w->model == OC_IDENTITY && r < w->ng; r++) {
    const double *e = end->E + r * nx, penalty = oc_terminal_penalty(end, r);
    for (int i = 0; i < nx; i++) dm_add_to(nx, penalty * e[i], e, w->Qf + i * m);
  }
  for (int r = 0; w->meets && r < w->ng; r++) {
    const double *e = end->E + r * nx, weight = w->stiff / (end->size[r] * end->size[r]);
    for (int i = 0; i < nx; i++) dm_add_to(nx, weight * e[i], e, w->Qf + i * m);
  }
  memcpy(w->off, end->off, (size_t)w->ng * sizeof *w->off);
  oc_blocks out = find_blocks(w, w->N, false);
  oc_merit_curve_limits(w->merit, w->N, &out);
  return is_second(w) ? oc_merit_bend(w->merit, w->N, &out) : DM_OK;
}

// G of the start, with a row for the step; its second derivatives with zeta of the first knot
static dm_status set_start(oc_search_direction *w) {
  oc_start *start = w->p->start;
  int nx = w->nx, nt = w->nt;
  if (nt == 0) return DM_OK;
  DM_TRY(oc_start_derivatives(start, w->p->x, is_second(w) ? w->zeta : NULL));
  memset(w->G, 0, (size_t)(w->ns * nt) * sizeof *w->G);
  memcpy(w->G, start->G, (size_t)(nx * nt) * sizeof *w->G);
  if (w->p->nh) w->G[nx * nt + nt - 1] = 1; // the last unknown is the step
  return DM_OK;
}

// A, B of stage k, with the step, the previous inputs and the constant states
static void set_stage_dynamics(oc_search_direction *w, int k) {
  const oc_projection_operator *p = w->p;
  int nx = w->nx, nu = w->nu, m = w->m, ns = w->ns;
  double *A = w->A + offset_at(k, m * m), *B = w->B + offset_at(k, m * nu);
  for (int i = 0; i < nx; i++) {
    memcpy(A + i * m, p->A + offset_at(k, nx * nx) + i * nx, (size_t)nx * sizeof *A);
    memcpy(B + i * nu, p->B + offset_at(k, nx * nu) + i * nu, (size_t)nu * sizeof *B);
    if (p->nh) A[i * m + nx] = p->f_h[offset_at(k, nx) + (size_t)i];
  }
  if (p->nh) A[nx * m + nx] = 1;
  for (int r = 0; r < p->nr; r++) B[(nx + p->nh + r) * nu + p->rated[r]] = 1; // r' = u
  for (int i = ns; i < m; i++) A[i * m + i] = 1;                              // constant states
}

// Values of the second-order parts, which the sweep takes from the problem.
static void set_second_parts(oc_search_direction *w) {
  const bool second = is_second(w);
  w->lq.dQ = second ? w->dQ : NULL;
  w->lq.dR = second ? w->dR : NULL;
  w->lq.dS = second ? w->dS : NULL;
}

// ddp: zeta of knot k is the slope of the value function, from a sweep over stage k alone, with its
// second-order terms reduced if it is not convex; if that fails, the adjoint
static void step_value(oc_search_direction *w, int k) {
  const int nu = w->nu, m = w->m, ns = w->ns;
  const size_t at = offset_at(k, nu);
  int failed;
  double share;

  // linear terms of the stage, and its bounds
  oc_blocks out = find_blocks(w, k, false);
  const double *l_x = w->merit->l_x + offset_at(k, ns), *l_u = w->merit->l_u + at;
  for (int i = 0; i < ns; i++) out.Q[i * m + m - 1] = out.Q[(m - 1) * m + i] = l_x[i];
  memcpy(out.S + (m - 1) * nu, l_u, (size_t)nu * sizeof *l_u);
  for (int j = 0; j < nu; j++) {
    w->lo[at + (size_t)j] = w->p->low[j] - w->p->x->u[at + (size_t)j];
    w->hi[at + (size_t)j] = w->p->high[j] - w->p->x->u[at + (size_t)j];
  }

  // P of the next knot is the end of a problem of one stage
  const oc_blocks bend = find_blocks(w, k, true);
  fb_lq one = w->lq;
  one.N = 1;
  one.A += offset_at(k, m * m);
  one.B += offset_at(k, m * nu);
  one.Q = out.Q, one.R = out.R, one.S = out.S;
  one.dQ = bend.Q, one.dR = bend.R, one.dS = bend.S;
  one.Qf = w->P;
  one.lo += at, one.hi += at;
  one.floor = w->floor;
  one.share = &share;
  if (fb_riccati_sweep(w->sweep, &one, w->Kk, NULL, &failed) != DM_OK) {
    step_adjoint(w, k);
    return;
  }
  for (int i = 0; i < m; i++)
    for (int j = 0; j < m; j++) w->P[i * m + j] = fb_riccati_value(w->sweep, i, j);
  for (int i = 0; i < ns; i++) w->zeta[i] = w->P[i * m + m - 1];
}

dm_status oc_search_direction_model(oc_search_direction *w, oc_model model) {
  int N = w->N, ns = w->ns, m = w->m;
  const double since = oc_work_clock();
  w->model = model;
  const bool second = is_second(w), value = model == OC_VALUE_ORDER;

  // backwards: weights, dynamics, and the adjoint of the closed loop or the value function
  DM_TRY(oc_merit_gradient(w->merit, second));
  DM_TRY(set_last_weights(w));
  oc_merit_pull(w->merit, N, w->zeta);
  if (value) {
    const double *l_x = w->merit->l_x + offset_at(N, ns);
    memcpy(w->P, w->Qf, (size_t)(m * m) * sizeof *w->P);
    for (int i = 0; i < ns; i++) w->P[i * m + m - 1] = w->P[(m - 1) * m + i] = l_x[i];
  }
  for (int k = N - 1; k >= 0; k--) {
    DM_TRY(set_weights(w, k));
    set_stage_dynamics(w, k);
    if (value)
      step_value(w, k);
    else if (second)
      step_adjoint(w, k);
  }
  DM_TRY(set_start(w));
  set_second_parts(w);
  if (second) oc_work_add(&w->p->work, OC_WORK_CURVATURE, since);
  return DM_OK;
}
