#include "lib/studies/two_point.h"

#include "lib/base/block.h"
#include "lib/base/dense.h"

#include <assert.h>
#include <math.h>
#include <string.h>

const char dm_two_point_warning[] =
    "constraints imposed between knots are a study, not for use: knots leave to either side in "
    "turn, as (-1)^k e^(omega t) where the constraints' normal turns at a rate omega, however "
    "short the step; and impulses depend on the first one given";

static void lay_out_two_point(void *self, dm_block *b) {
  dm_two_point *w = self;
  size_t n = (size_t)w->n, nc = (size_t)w->nc;
  w->mid = dm_block_alloc(b, n, sizeof *w->mid);
  w->impulse = dm_block_alloc(b, n, sizeof *w->impulse);
  w->weights = dm_block_alloc(b, nc, sizeof *w->weights);
  w->start = dm_block_alloc(b, n, sizeof *w->start);
}

dm_status dm_two_point_check(const dm_system *s, dm_message *msg) {
  const dm_rule *rule = &s->rule;
  if (rule->points != 1)
    return dm_fail(msg, DM_BAD_INPUT,
                   "found a rule of %d points, expected the midpoint rule: constraints between "
                   "knots are those at its one point",
                   rule->points);
  if (!(rule->at[0] > 0 && rule->at[0] < 1))
    return dm_fail(msg, DM_BAD_INPUT,
                   "found alpha %g, expected one between 0 and 1: constraints at an end alone do "
                   "not determine a step",
                   rule->at[0]);
  return DM_OK;
}

dm_status dm_two_point_new(dm_two_point **out, const dm_system *s) {
  assert(out && dm_two_point_check(s, NULL) == DM_OK);
  dm_two_point sizes = {.n = s->L.nq, .nc = s->hol.nc, .at = s->rule.at[0]};
  dm_two_point *w = dm_block_make(&sizes, sizeof sizes, lay_out_two_point);
  if (!w) return DM_NO_MEMORY;

  // equations, matrix and multipliers of a step, with constraints at the midpoint
  dm_status status = dm_del_new(&w->del, s, NULL);
  if (status != DM_OK) {
    dm_two_point_free(w);
    return status;
  }
  *out = w;
  return DM_OK;
}

void dm_two_point_free(dm_two_point *w) {
  if (!w) return;
  dm_del_free(w->del);
  dm_block_free(w);
}

// D1, D2, their derivatives, g and Dg of the interval from q0 to q1, and Dg(m)' lambda
static dm_status evaluate_between(dm_two_point *w, const double *q0, const double *q1,
                                  const double *u, double h) {
  dm_del *del = w->del;
  dm_kkt *k = del->k;

  // constraints depend on m only, which represents both ends in the matrix
  for (int i = 0; i < k->n; i++) w->mid[i] = (1 - w->at) * q0[i] + w->at * q1[i];
  DM_TRY(dm_interval_eval(del->d, 2, q0, q1, u, h));
  DM_TRY(dm_kkt_end(k, w->mid));
  DM_TRY(dm_kkt_start(k, w->mid));

  // the impulse, with 1-alpha acting at the left end and alpha at the right one
  for (int i = 0; i < k->n; i++) {
    w->impulse[i] = 0;
    for (int c = 0; c < k->nc; c++) w->impulse[i] += k->Dh0[c * k->n + i] * del->lambda[c];
  }
  return DM_OK;
}

dm_status dm_two_point_first(dm_two_point *w, const double *q0, const double *q1, const double *u,
                             double h, const double *lambda, double *p0, double *p1) {
  const dm_interval *d = w->del->d;
  memcpy(w->del->lambda, lambda, (size_t)w->del->k->nc * sizeof *lambda);
  DM_TRY(evaluate_between(w, q0, q1, u, h));

  // momenta that make this interval part of a motion
  for (int i = 0; i < d->n; i++) {
    p0[i] = (1 - w->at) * w->impulse[i] - d->D1[i];
    p1[i] = d->D2[i] - w->at * w->impulse[i];
  }
  return DM_OK;
}

// The residual of the last evaluation relative to its canceling terms, in del->r.
static double form_two_point_residual(dm_two_point *w, const double *p0, double h,
                                      dm_del_info *info) {
  dm_del *del = w->del;
  const dm_kkt *k = del->k;
  double size = 0, off = 0, sum = 0;
  info->residual = 0;

  // p0 + D1 - (1-alpha) Dg'lambda, and the largest of its terms
  for (int i = 0; i < k->nd; i++) {
    int a = k->dyn[i];
    const dm_jet *jet = &del->d->nodes->jet;
    double taken = (1 - w->at) * w->impulse[a];
    del->r[i] = p0[a] + del->d->D1[a] - taken;
    sum += del->r[i];
    if (fabs(del->r[i]) > info->residual) {
      info->residual = fabs(del->r[i]);
      info->worst = a;
    }
    size = fmax(size, fmax(fabs(p0[a]), fabs(taken)));
    size = fmax(size, fmax(fabs(jet->L_v[a]), h * fabs(jet->L_q[a])));
  }

  // g(m) relative to its largest derivative
  for (int c = 0; c < k->nc; c++) {
    double scale = dm_largest(k->n, k->Dh1 + c * k->n);
    del->r[k->nd + c] = k->h[c];
    sum += k->h[c];
    if (fabs(k->h[c]) > off * scale) {
      off = fabs(k->h[c]) / scale;
      info->worst = k->n + c;
    }
  }

  // the sum detects NaN
  if (!isfinite(sum)) return NAN;
  return fmax(off, info->residual > 0 ? info->residual / size : 0);
}

// Newton step from the last evaluation. With (1-alpha) lambda as the unknown, the matrix is that of
// lib/discrete/kkt_matrix with Dg(m) at both ends, and D12 with the rotation of the gradients.
static dm_status take_newton_step(dm_two_point *w) {
  dm_del *del = w->del;
  dm_kkt *k = del->k;

  // D12 - alpha (1-alpha) D2g(m) lambda: 1-alpha of the impulse, and m moves by alpha q1
  for (int c = 0; c < k->nc; c++) w->weights[c] = -w->at * (1 - w->at) * del->lambda[c];
  if (k->nc) DM_TRY(k->hol.contract(k->hol.self, k->scratch, w->mid, w->weights, del->d->D12));
  DM_TRY(dm_kkt_factor(k, del->d->D12));

  // rows of g: dm/dq1 = alpha, so that Dg dq1 = g/alpha
  memcpy(del->dz, del->r, (size_t)k->size * sizeof *del->r);
  for (int c = 0; c < k->nc; c++) del->dz[k->nd + c] /= w->at;
  dm_kkt_solve(k, 1, del->dz);

  // update q1, and lambda, of which the matrix has a fraction
  for (int i = 0; i < k->nd; i++) del->q[k->dyn[i]] -= del->dz[i];
  for (int c = 0; c < k->nc; c++) del->lambda[c] -= del->dz[k->nd + c] / (1 - w->at);
  return DM_OK;
}

dm_status dm_two_point_step(dm_two_point *w, const double *q0, const double *p0, const double *u,
                            double h, double *q1, double *p1, dm_del_info *info) {
  dm_del *del = w->del;
  const dm_kkt *k = del->k;
  const dm_del_settings *set = &del->set;
  size_t bytes = (size_t)k->n * sizeof(double);

  // the guess, with prescribed coordinates
  memcpy(del->q, q1, bytes);
  for (int i = 0; i < k->nk; i++) del->q[k->kin[i]] = u[del->d->nu + i];
  *info = (dm_del_info){.worst = -1};

  // Newton's method without a line search, to study the equations themselves
  for (double off = INFINITY, before;; info->iterations++) {
    before = off;
    DM_TRY(evaluate_between(w, q0, del->q, u, h));
    off = form_two_point_residual(w, p0, h, info);
    if (isnan(off)) return DM_NOT_FINITE;

    // converged: the tolerance is met, or the residual stagnates near it
    if (off <= set->tol || (off >= before && off <= 1e4 * set->tol)) break;
    if (info->iterations == set->max_iter) {
      memcpy(q1, del->q, bytes);
      return DM_MAX_ITER;
    }
    dm_status status = take_newton_step(w);
    if (status == DM_SINGULAR) info->condition = k->condition;
    if (status != DM_OK) return status;
  }

  // p1 = D2 - alpha Dg'lambda
  for (int i = 0; i < k->nd; i++)
    p1[k->dyn[i]] = del->d->D2[k->dyn[i]] - w->at * w->impulse[k->dyn[i]];
  for (int i = 0; i < k->nk; i++) p1[k->kin[i]] = (del->q[k->kin[i]] - q0[k->kin[i]]) / h;
  memcpy(q1, del->q, bytes);
  return DM_OK;
}

// p0 from the first interval
static dm_status find_two_point_start(void *self, const double *q0, const double *u, double h,
                                      double *p0) {
  dm_two_point *w = self;
  return dm_two_point_first(w, q0, w->next, u, h, w->first, p0, w->start);
}

static dm_status take_two_point_step(void *self, int k, const double *q0, const double *p0,
                                     const double *u, double h, double *q1, double *p1,
                                     double *lambda) {
  dm_two_point *w = self;
  dm_status s;
  if (k == 0) { // the given first interval
    memcpy(q1, w->next, (size_t)w->del->k->n * sizeof *q1);
    s = dm_two_point_first(w, q0, q1, u, h, w->first, w->start, p1);
  } else {
    s = dm_two_point_step(w, q0, p0, u, h, q1, p1, &w->info);
  }
  memcpy(lambda, w->del->lambda, (size_t)w->del->k->nc * sizeof *lambda);
  return s;
}

static void explain_two_point_step(const void *self, dm_message *msg, dm_status s, int k,
                                   const char *const *name) {
  const dm_two_point *w = self;
  dm_del_explain(msg, s, w->del, &w->info, k, name);
}

dm_stepper dm_two_point_stepper(dm_two_point *w, const double *next, const double *first) {
  assert(w && next && first);
  w->next = next;
  w->first = first;

  // the stepper has its own start: momenta of the first interval, not those of a velocity
  return (dm_stepper){.self = w,
                      .single = true,
                      .residual = w->del->k->h,
                      .start = find_two_point_start,
                      .step = take_two_point_step,
                      .explain = explain_two_point_step};
}
