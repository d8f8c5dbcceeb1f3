#include "optim/descent/search_direction.h"

#include "control/feedback/box_qp.h"
#include "lib/base/block.h"
#include "lib/base/dense.h"

#include <assert.h>
#include <math.h>
#include <string.h>

// factor of the least weight: if an input does not affect the value function, H equals that weight
// up to rounding
static const double ALMOST = 1 - 1e-6;
enum { PASSES = 8, MORE_PASSES = 30 }; // sweeps for the active input bounds; if the goal is met

static void lay_out_direction(void *self, dm_block *b) {
  oc_search_direction *w = self;
  size_t N = (size_t)w->N, nx = (size_t)w->nx, nu = (size_t)w->nu, m = (size_t)w->m;
  size_t ns = (size_t)w->ns, ng = (size_t)w->ng, nt = (size_t)w->nt, ni = nu + (size_t)w->p->nh;
  // matrices of all stages, of one stage, of the start
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
              {&w->xx, nx * nx},
              {&w->xu, nx * ni},
              {&w->uu, ni * ni},
              {&w->C, ng * ng},
              {&w->y, ng},
              {&w->off, ng},
              {&w->beyond, ng},
              {&w->mu, ng},
              {&w->move, ng},
              {&w->b, ng},
              {&w->low, nt},
              {&w->high, nt},
              {&w->G, ns * nt},
              {&w->GP, nt * m},
              {&w->H, nt * nt},
              {&w->Y, nt * (ng + 1)},
              {&w->gains, nt * (ng + 1)},
              {&w->size, m},
              {&w->g_x, (N + 1) * ns},
              {&w->g_c, N * nu + nt},
              {&w->P, m * m},
              {&w->Kk, nu * m}};
  for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
    *rows[i].at = dm_block_alloc(b, rows[i].count, sizeof(double));
  w->piv = dm_block_alloc(b, ng, sizeof *w->piv);
  w->at_bound = dm_block_alloc(b, N * nu, sizeof *w->at_bound);
  fb_box_qp counted; // for the counting pass
  w->start = dm_block_alloc(b, 1, sizeof *w->start);
  fb_box_qp_lay_out(w->start ? w->start : &counted, w->ng + 1, w->nt, b);
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

  // strides between stages; the goal's multipliers and the 1 are constant
  w->lq.A_stride = w->lq.Q_stride = m * m;
  w->lq.B_stride = w->lq.S_stride = m * nu;
  w->lq.R_stride = nu * nu;
  w->lq.constants = w->ng + 1;
  w->lq.lo = w->lo;
  w->lq.hi = w->hi;

  // scales of states: (q,p), the step, previous inputs
  const oc_projection_operator *p = w->p;
  memcpy(w->size, p->state, (size_t)w->nx * sizeof *w->size);
  for (int i = w->nx; i < w->m; i++) w->size[i] = 1;
  if (p->nh) w->size[w->nx] = p->task->time.T / w->N;
  for (int r = 0; r < p->nr; r++) w->size[w->nx + p->nh + r] = p->input[p->rated[r]];
  w->lq.state = w->size;
  w->lq.input = p->input;
}

dm_status oc_search_direction_new(oc_search_direction **out, oc_projection_operator *p,
                                  oc_merit *merit, bool sparse) {
  assert(out && p && merit);
  oc_search_direction sizes = {.p = p, .merit = merit, .nx = p->nx, .ns = p->ns, .nu = p->nu};
  sizes.ng = merit->end->ng;
  sizes.nt = p->start->nt;
  sizes.m = sizes.ns + sizes.ng + 1;
  sizes.N = p->N;

  // The lower bound of H's eigenvalues: just below the least weight of a scaled input or of its
  // changes; 1 if there is no weight.
  const oc_task *t = p->task;
  const double h = p->x->h, s = oc_cost_factor(t, h);
  double least = INFINITY;
  for (int j = 0; j < p->nu; j++) {
    const bool force = j < t->system.nu;
    const double rate = force ? s * oc_weight(t->cost[OC_RATE].running, j) / (h * h) : 0;
    const double tie = force ? h * p->tie[j] : 0, own = s * oc_weight(t->cost[OC_U].running, j);
    const double weight = (own + rate + tie) * p->input[j] * p->input[j];
    if (weight > 0) least = fmin(least, weight);
  }
  sizes.floor = isfinite(least) ? ALMOST * least : 1;

  for (int j = 0; j < p->nu; j++)
    sizes.bounded = sizes.bounded || isfinite(p->low[j]) || isfinite(p->high[j]);

  // one allocation; the problem points into it
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

static size_t at_stage(int k, int count) {
  return (size_t)k * (size_t)count;
}

// -- solution

static void add_matrix_vector(int rows, int cols, const double *M, int ld, const double *x,
                              double *y) {
  for (int i = 0; i < rows; i++)
    for (int j = 0; j < cols; j++) y[i] += M[i * ld + j] * x[j];
}

static double stiffness(const oc_search_direction *w, int g) {
  const double size = w->merit->end->size[g];
  return w->stiff / (size * size);
}

// linear terms of Q, R, S (or of their second-order parts) around (z,v), added to (q,r): last
// column and row of Q, last row of S
static void set_linear_terms(const oc_search_direction *w, double *Q, const double *R, double *S,
                             const double *z, const double *v, double *q, double *r) {
  int ns = w->ns, nu = w->nu, m = w->m;
  add_matrix_vector(ns, ns, Q, m, z, q);
  if (v) {
    add_matrix_vector(ns, nu, S, nu, v, q);
    add_matrix_vector(nu, nu, R, nu, v, r);
    for (int i = 0; i < ns; i++)
      for (int j = 0; j < nu; j++) r[j] += S[i * nu + j] * z[i];
    memcpy(S + (m - 1) * nu, r, (size_t)nu * sizeof *r);
  }
  // symmetric: last column and last row
  for (int i = 0; i < ns; i++) Q[i * m + m - 1] = Q[(m - 1) * m + i] = q[i];
}

// Gap of stage k as the last column of A.
static void set_gap(const oc_search_direction *w, int k, const double *gaps) {
  double *A = w->A + at_stage(k, w->m * w->m) + w->m - 1;
  for (int i = 0; i < w->nx; i++) A[i * w->m] = gaps ? gaps[at_stage(k, w->nx) + (size_t)i] : 0;
}

// problem of the remaining change of the direction in p->z, p->v, with these gaps
static void center_problem(oc_search_direction *w, const double *gaps) {
  const oc_projection_operator *p = w->p;
  int ns = w->ns, nu = w->nu, m = w->m;
  double *q = w->next, *r = w->uu;
  for (int k = 0; k < w->N; k++) {
    size_t at = at_stage(k, nu), xx = at_stage(k, m * m), uu = at_stage(k, nu * nu),
           xu = at_stage(k, m * nu);

    // linear terms of Q, R, S around (z,v), then those of their second-order parts
    const double *z = p->z + at_stage(k, ns), *v = p->v + at;
    set_gap(w, k, gaps);
    memcpy(q, w->pull_x + at_stage(k, ns), (size_t)ns * sizeof *q);
    memcpy(r, w->pull_u + at, (size_t)nu * sizeof *r);
    set_linear_terms(w, w->Q + xx, w->R + uu, w->S + xu, z, v, q, r);
    memset(q, 0, (size_t)ns * sizeof *q);
    memset(r, 0, (size_t)nu * sizeof *r);
    if (w->lq.dQ) set_linear_terms(w, w->dQ + xx, w->dR + uu, w->dS + xu, z, v, q, r);

    // remaining distance to the bounds
    for (size_t j = 0; j < (size_t)nu; j++) {
      w->lo[at + j] = p->low[j] - p->x->u[at + j] - v[j];
      w->hi[at + j] = p->high[j] - p->x->u[at + j] - v[j];
      if (w->fixed) w->hi[at + j] = w->fixed[at + j] ? 0 : INFINITY, w->lo[at + j] = -w->hi[at + j];
    }
  }

  memcpy(q, w->pull_x + at_stage(w->N, ns), (size_t)ns * sizeof *q);
  for (int g = 0; w->meets && g < w->ng; g++) // W has the square of c + E z_N
    dm_add_to(w->nx, w->mu[g] + stiffness(w, g) * (w->off[g] + w->beyond[g]),
              w->merit->end->E + g * w->nx, q);
  set_linear_terms(w, w->Qf, NULL, NULL, p->z + at_stage(w->N, ns), NULL, q, NULL);
  for (int i = 0; i < w->nt; i++) {
    double left = oc_start_value(p->start, p->x, i) + p->start->step[i];
    w->low[i] = p->start->low[i] - left;
    w->high[i] = p->start->high[i] - left;
    const bool stays = w->fixed && w->fixed[at_stage(w->N, nu) + (size_t)i];
    if (w->fixed) w->high[i] = stays ? 0 : INFINITY, w->low[i] = -w->high[i];
  }
}

// Add the change given by the gains to the direction. Returns the number of inputs whose active
// bound changed.
static int rollout_direction(oc_search_direction *w) {
  const oc_projection_operator *p = w->p;
  int ns = w->ns, nu = w->nu, m = w->m, ng = w->ng, changes = 0;
  double *z = w->zeta, *next = w->next;

  // z_0 from the gains of the start
  memset(z, 0, (size_t)w->ns * sizeof *z);
  for (int i = 0; i < w->nt; i++) {
    const double *gain = w->gains + i * (ng + 1), free = -gain[ng] - dm_inner(ng, gain, w->move);
    double step = fmin(fmax(free, w->low[i]), w->high[i]);
    w->p->start->step[i] += step;
    for (int j = 0; j < w->ns; j++) z[j] += w->G[j * w->nt + i] * step;
  }
  dm_add_to(w->ns, 1, z, w->p->z);

  for (int k = 0; k < w->N; k++) {
    const double *K = w->K + at_stage(k, nu * m);
    const double *A = w->A + at_stage(k, m * m), *B = w->B + at_stage(k, m * nu);

    // z_{k+1} = A z_k + B v_k, with v_k by the gains, within its bounds
    for (int i = 0; i < ns; i++) next[i] = A[i * m + m - 1];
    add_matrix_vector(ns, ns, A, m, z, next);
    for (int j = 0; j < nu; j++) {
      size_t at = at_stage(k, nu) + (size_t)j;
      // -K (z, .., 1): change of v
      double step = -K[j * m + m - 1] - dm_inner(ng, K + j * m + ns, w->move), lo = w->lo[at],
             hi = w->hi[at];
      for (int i = 0; i < ns; i++) step -= K[j * m + i] * z[i];
      // converged if the active set does not change
      bool bound = step <= lo || step >= hi;
      changes += bound != w->at_bound[at];
      w->at_bound[at] = bound;
      step = fmin(fmax(step, lo), hi);
      p->v[at] += step;
      for (int i = 0; i < ns; i++) next[i] += B[i * nu + j] * step;
    }

    memcpy(z, next, (size_t)ns * sizeof *z);
    dm_add_to(ns, 1, z, p->z + at_stage(k + 1, ns));
  }
  return changes;
}

// additional weight of unknown i of the start, scaled: 1 for steepest descent, or damping; the
// scale of a step is that of the whole duration
static double weigh_start(const oc_search_direction *w, int i) {
  const oc_projection_operator *p = w->p;
  const int which = p->start->which[i], n = p->n;
  double size = p->task->time.T / w->N;
  if (which < n) size = p->state[which];
  if (which >= n && which < 2 * n) size = p->speed[which - n];
  return (w->model == OC_IDENTITY ? 1 : w->damping * w->floor) / (size * size);
}

// The stage before the first: H = G'PG plus second derivatives, Y = G'P by the goal's multipliers
// and 1, with bounds; and the update of C.
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

  // H and Y around the current step
  dm_gemm_strided(nt, nt, ns, 1, w->GP, m, w->G, nt, 0, w->H, nt);
  for (int i = 0; i < nt; i++) {
    double *y = w->Y + i * (ng + 1), weight = weigh_start(w, i);
    memcpy(y, w->GP + i * m + ns, (size_t)(ng + 1) * sizeof *y);
    y[ng] += weight * start->step[i];
    if (w->pull_start) y[ng] += w->pull_start[i];
    if (bends) y[ng] += dm_inner(nt, start->H + i * nt, start->step);
    if (bends) dm_add_to(nt, 1, start->H + i * nt, w->H + i * nt);
    w->H[i * nt + i] += weight;
  }
  DM_TRY(fb_box_qp_set(w->start, w->H, nt, 0, NULL));
  DM_TRY(fb_box_qp_gains(w->start, w->Y, ng + 1, w->low, w->high, w->gains));

  // C = -(P_yy - Y'K - K'Y + K'HK), and b likewise
  for (int a = 0; a < nt; a++)
    for (int i = 0; i < ng; i++)
      for (int j = 0; j <= ng; j++) {
        const double *y = w->Y + a * (ng + 1), *k = w->gains + a * (ng + 1);
        const double d = y[i] * k[j] + k[i] * y[j] - k[i] * w->start->HK[a * (ng + 1) + j];
        if (j < ng)
          w->C[i * ng + j] += d;
        else
          w->b[i] -= d;
      }
  return DM_OK;
}

// one sweep, and its result for the goal's multipliers
static dm_status sweep_direction(oc_search_direction *w, int *failed) {
  int ns = w->ns, ng = w->ng;
  DM_TRY(fb_riccati_sweep(w->sweep, &w->lq, w->K, NULL, failed));
  // -P of the goal's multipliers: derivative of the goal's error by them
  for (int i = 0; i < ng; i++) {
    for (int j = 0; j < ng; j++) w->C[i * ng + j] = -fb_riccati_value(w->sweep, ns + i, ns + j);
    w->b[i] = fb_riccati_value(w->sweep, ns + i, w->m - 1);
  }
  return w->nt ? solve_start(w) : DM_OK;
}

// After a sweep: the change of multipliers with which its solution meets the goal,
//
//   (C + 1/(max stiffness)) move = c + E z_N + P_y1
//
// The stiffness bounds the solution if the free inputs cannot reach the goal.
static dm_status meet_goal(oc_search_direction *w) {
  const int ng = w->ng;
  memset(w->move, 0, (size_t)ng * sizeof *w->move);
  if (!w->meets || !ng) return DM_OK;
  for (int i = 0; i < ng; i++) w->move[i] = w->off[i] + w->beyond[i] + w->b[i];
  add_matrix_vector(ng, w->nx, w->merit->end->E, w->nx, w->p->z + at_stage(w->N, w->ns), w->move);
  for (int i = 0; i < ng; i++) w->C[i * ng + i] += 1 / (w->trust * stiffness(w, i));
  DM_TRY(dm_lu_factor(ng, w->C, w->piv));
  dm_lu_solve(ng, w->C, w->piv, 1, w->move);
  dm_add_to(ng, 1, w->move, w->mu);
  return DM_OK;
}

// repeated sweeps, each around the previous direction
static dm_status sweep_over_bounds(oc_search_direction *w, int *failed) {
  // initially no input is at a bound
  const size_t inputs = at_stage(w->N, w->nu);
  memset(w->at_bound, 0, inputs * sizeof *w->at_bound);
  if (w->fixed) memcpy(w->at_bound, w->fixed, inputs * sizeof *w->at_bound);
  dm_status s = sweep_direction(w, failed);
  if (s == DM_NOT_DEFINITE && !w->lq.dQ && *failed >= 0 && *failed + 1 < w->N) {
    // indefinite by rounding: do not change the previous inputs and the start
    memset(w->K, 0, at_stage(*failed + 1, w->nu * w->m) * sizeof *w->K);
    memset(w->gains, 0, (size_t)(w->nt * (w->ng + 1)) * sizeof *w->gains);
    memset(w->move, 0, (size_t)w->ng * sizeof *w->move);
    rollout_direction(w);
    return DM_OK;
  }

  // until a pass changes no active bound
  DM_TRY(s);
  DM_TRY(meet_goal(w));
  for (int pass = 1, most = w->meets ? MORE_PASSES : PASSES;; pass++) {
    int stage, changes = rollout_direction(w);
    if (changes == 0 || pass >= most) break;
    center_problem(w, NULL); // if this fails, the direction is still valid
    if (sweep_direction(w, &stage) != DM_OK || meet_goal(w) != DM_OK) break;
  }
  return DM_OK;
}

dm_status oc_search_direction_solve_pulled(oc_search_direction *w, bool cut, int *failed) {
  const oc_projection_operator *p = w->p;
  const double since = oc_work_clock();
  w->lq.floor = cut ? w->floor : 0;
  w->lq.share = cut ? w->share : NULL;
  *failed = -1;

  // start from zero, with the linear terms
  memset(w->p->z, 0, at_stage(w->N + 1, w->ns) * sizeof *w->p->z);
  memset(w->p->v, 0, at_stage(w->N, w->nu) * sizeof *w->p->v);
  memset(w->p->start->step, 0, (size_t)w->nt * sizeof *w->p->start->step);
  memset(w->mu, 0, (size_t)w->ng * sizeof *w->mu);
  memset(w->move, 0, (size_t)w->ng * sizeof *w->move);
  memset(w->beyond, 0, (size_t)w->ng * sizeof *w->beyond);
  center_problem(w, w->gaps);
  // the sparse system does not reduce terms
  const bool whole = w->kkt && !cut && !w->fixed;
  dm_status s = whole ? oc_kkt_solve(w->kkt, &w->lq, p->z, p->v) : sweep_over_bounds(w, failed);
  oc_work_add(&w->p->work, OC_WORK_SWEEP, since);
  return s;
}

dm_status oc_search_direction_solve(oc_search_direction *w, bool cut, double *slope, int *failed) {
  assert(w && slope && failed);
  const oc_projection_operator *p = w->p;
  w->pull_x = w->merit->l_x;
  w->pull_u = w->merit->l_u;
  w->pull_start = NULL;
  w->fixed = NULL;
  DM_TRY(oc_search_direction_solve_pulled(w, cut, failed));

  // l.(z,v)
  *slope = dm_inner((w->N + 1) * w->ns, w->merit->l_x, p->z) +
           dm_inner(w->N * w->nu, w->merit->l_u, p->v);
  return isfinite(*slope) ? DM_OK : DM_NOT_FINITE;
}

void oc_search_direction_gains(const oc_search_direction *w, double *K) {
  const size_t nx = (size_t)w->nx;
  for (int i = 0; i < w->N * w->nu; i++)
    memcpy(K + at_stage(i, w->nx), w->K + at_stage(i, w->m), nx * sizeof *K);
}

double oc_search_direction_goal_slope(const oc_search_direction *w) {
  const oc_terminal *t = w->merit->end;
  double sum = 0;
  for (int i = 0; i < w->ng; i++)
    sum += t->multiplier[i] * dm_inner(w->nx, t->E + i * w->nx, w->p->z + at_stage(w->N, w->ns));
  return sum;
}

// copy the direction for oc_search_direction_correct, or back
static void keep_direction(oc_search_direction *w, bool back) {
  oc_projection_operator *p = w->p;
  const size_t x = at_stage(w->N + 1, w->ns), u = at_stage(w->N, w->nu);
  double *const at[][2] = {
      {p->z, w->g_x}, {p->v, w->g_c}, {p->start->step, w->g_c + u}, {w->mu, w->y}};
  const size_t count[] = {x, u, (size_t)w->nt, (size_t)w->ng};
  for (int i = 0; i < 4; i++) memcpy(at[i][!back], at[i][back], count[i] * sizeof(double));
}

dm_status oc_search_direction_correct(oc_search_direction *w, const double *off,
                                      const double *gaps) {
  const double since = oc_work_clock();
  int failed;
  keep_direction(w, false);
  const double *z = w->p->z + at_stage(w->N, w->ns);
  for (int i = 0; i < w->ng; i++)
    w->beyond[i] = off[i] - w->off[i] - dm_inner(w->nx, w->merit->end->E + i * w->nx, z);
  center_problem(w, gaps);
  dm_status s = sweep_direction(w, &failed);
  if (s == DM_OK) s = meet_goal(w);
  if (s == DM_OK) rollout_direction(w);
  oc_work_add(&w->p->work, OC_WORK_SWEEP, since);
  return s;
}

void oc_search_direction_restore(oc_search_direction *w) {
  keep_direction(w, true);
}

double oc_search_direction_residual(oc_search_direction *w) {
  const oc_terminal *t = w->merit->end;
  double largest = 0;
  memcpy(w->y, t->off, (size_t)w->ng * sizeof *w->y);
  add_matrix_vector(w->ng, w->nx, t->E, w->nx, w->p->z + at_stage(w->N, w->ns), w->y); // c + E z_N
  for (int i = 0; i < w->ng; i++) largest = fmax(largest, fabs(w->y[i]) / t->size[i]);
  return largest;
}

dm_status oc_search_direction_multiply(oc_search_direction *w, double trust) {
  int ng = w->ng, stage;
  oc_terminal *t = w->merit->end;
  if (ng == 0) return DM_OK;

  // first order: by the penalty alone
  for (int i = 0; w->model == OC_IDENTITY && i < ng; i++)
    t->multiplier[i] += oc_terminal_penalty(t, i) * t->off[i];
  if (w->model == OC_IDENTITY) return DM_OK;

  // C = -P of the multipliers: derivative of the goal's error by them
  if (w->kkt) DM_TRY(sweep_direction(w, &stage));

  // (C + 1/(max penalty)) change = c + E z_N
  oc_search_direction_residual(w);
  for (int i = 0; i < ng; i++) w->C[i * ng + i] += 1 / (trust * oc_terminal_penalty(t, i));
  DM_TRY(dm_lu_factor(ng, w->C, w->piv));
  dm_lu_solve(ng, w->C, w->piv, 1, w->y);
  for (int i = 0; i < ng; i++) t->multiplier[i] += w->y[i];
  return DM_OK;
}
