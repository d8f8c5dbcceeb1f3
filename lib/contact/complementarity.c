#include "lib/contact/complementarity.h"

#include "lib/base/block.h"
#include "lib/base/dense.h"

#include <float.h>
#include <math.h>
#include <string.h>

static void lay_out(void *self, dm_block *b) {
  dm_complementarity *w = self;
  size_t n = (size_t)w->n, nc = (size_t)w->nc, ng = (size_t)w->g.ng, most = (size_t)w->most;
  size_t rows = nc + most;
  double **vectors[] = {&w->q, &w->r, &w->x, &w->y, &w->m1};
  for (int i = 0; i < 5; i++) *vectors[i] = dm_take(b, n, sizeof(double));
  double **each[] = {&w->lambda, &w->g0, &w->all};
  for (int i = 0; i < 3; i++) *each[i] = dm_take(b, ng, sizeof(double));
  w->held = dm_take(b, ng, sizeof *w->held);
  w->gamma = dm_take(b, nc, sizeof *w->gamma);
  w->a = dm_take(b, nc, sizeof *w->a);
  w->A0 = dm_take(b, nc * n, sizeof *w->A0);
  w->A1 = dm_take(b, nc * n, sizeof *w->A1);
  w->LU = dm_take(b, n * n, sizeof *w->LU);
  w->piv = dm_take(b, n, sizeof *w->piv);
  w->list = dm_take(b, most, sizeof *w->list);
  w->number = dm_take(b, most, sizeof *w->number);
  w->G = dm_take(b, most * n, sizeof *w->G);
  w->Gc = dm_take(b, most * n, sizeof *w->Gc);
  w->gc = dm_take(b, most, sizeof *w->gc);
  w->T = dm_take(b, rows * n, sizeof *w->T);
  double **near[] = {&w->near_b, &w->near_lambda};
  for (int i = 0; i < 2; i++) *near[i] = dm_take(b, ng, sizeof(double));
  w->near = dm_take(b, ng, sizeof *w->near);
  w->near_number = dm_take(b, ng, sizeof *w->near_number);
  w->near_G = dm_take(b, ng * n, sizeof *w->near_G);
  w->near_WG = dm_take(b, ng * n, sizeof *w->near_WG);
  w->J = dm_take(b, rows * n, sizeof *w->J);
  w->S = dm_take(b, rows * rows, sizeof *w->S);
  w->c = dm_take(b, rows, sizeof *w->c);
  w->pivS = dm_take(b, rows, sizeof *w->pivS);
  w->hol = dm_take(b, w->s.hol.scratch, 1);
  w->uni = dm_take(b, w->g.scratch, 1);
}

dm_status dm_complementarity_new(dm_complementarity **out, const dm_system *s,
                                 const dm_unilateral *g, dm_message *msg) {
  if (s->nk > 0)
    return dm_fail(msg, DM_BAD_INPUT, "contacts: kinematic coordinates are not taken, there are %d",
                   s->nk);
  dm_complementarity sizes = {
      .s = *s, .g = *g, .n = s->L.nq, .nc = s->hol.nc, .max_iter = 50, .tol = 4e-15};
  sizes.most = g->ng < sizes.n ? g->ng : sizes.n;
  dm_complementarity *w = dm_block_make(&sizes, sizeof sizes, lay_out);
  if (!w) return dm_fail(msg, DM_NO_MEMORY, "out of memory");
  dm_status status = dm_interval_new(&w->d, s);
  if (status == DM_OK) status = dm_nnls_new(&w->nnls, w->n, g->ng);
  if (status != DM_OK) {
    dm_complementarity_free(w);
    return dm_fail(msg, status, "%s", dm_status_text(status));
  }
  w->d->by_step = false;
  *out = w;
  return DM_OK;
}

void dm_complementarity_free(dm_complementarity *w) {
  if (w) dm_interval_free(w->d), dm_nnls_free(w->nnls);
  dm_block_free(w);
}

static double larger(double a, double b) {
  return a > b ? a : b;
}

dm_status dm_complementarity_balance(void *self, dm_complementarity *w, double *M1, double *size) {
  (void)self;
  const dm_closing *at = &w->at;
  const dm_interval *d = w->d;
  DM_TRY(dm_interval_eval(w->d, M1 ? 2 : 1, at->q0, w->q, at->u, at->h));
  *size = 0;
  for (int i = 0; i < w->n; i++) {
    w->r[i] = at->p[i] + d->D1[i];
    *size = larger(*size, larger(fabs(at->p[i]), fabs(d->D1[i])));
    *size = larger(*size, larger(fabs(d->jet.L_v[i]), at->h * fabs(d->jet.L_q[i])));
  }
  if (M1) memcpy(M1, d->D12, (size_t)(w->n * w->n) * sizeof *M1);
  return DM_OK;
}

// x = q0 + t (q1 - q0)
static const double *on_the_way(dm_complementarity *w, double t, double *x) {
  if (t == 0) return w->at.q0;
  if (t == 1) return w->q;
  for (int i = 0; i < w->n; i++) x[i] = w->at.q0[i] + t * (w->q[i] - w->at.q0[i]);
  return x;
}

// rows of what is held, at q_c; and at q_c or q0 those along which impulses act
static dm_status rows(dm_complementarity *w) {
  const dm_closing *at = &w->at;
  const dm_unilateral *g = &w->g;
  const size_t size = (size_t)(w->k * w->n) * sizeof *w->G;
  if (w->k == 0) return DM_OK;
  if (!at->linear) {
    const double *q = on_the_way(w, at->place, w->x);
    DM_TRY(g->rows(g->self, w->uni, q, w->k, w->number, w->gc, w->Gc));
    if (at->moving) memcpy(w->G, w->Gc, size);
    return DM_OK;
  }
  memcpy(w->Gc, w->G, size);
  for (int i = 0; i < w->n; i++) w->x[i] = w->q[i] - at->linear[i];
  for (int i = 0; i < w->k; i++) w->gc[i] = w->g0[i] + dm_inner(w->n, w->G + i * w->n, w->x);
  return DM_OK;
}

// The residual at w->q: w->r, w->a, w->gc, over its terms' size w->size, and the gap w->gap.
static bool evaluate(dm_complementarity *w, double *M1, dm_complementarity_info *info) {
  const dm_closing *at = &w->at;
  const dm_holonomic *hol = &w->s.hol;
  double size, most = 0, gap = 0, sum = 0;
  if (at->balance(at->self, w, M1, &size) != DM_OK || rows(w) != DM_OK) return false;
  if (w->nc && hol->eval(hol->self, w->hol, w->q, w->a, w->A1) != DM_OK) return false;
  for (int i = 0; i < w->nc; i++) dm_add_to(w->n, w->gamma[i], w->A0 + i * w->n, w->r);
  for (int i = 0; i < w->k; i++)
    dm_add_to(w->n, at->share * w->lambda[w->list[i]], w->G + i * w->n, w->r);
  for (int i = 0; i < w->n; i++) {
    // less what the difference of two configurations rounds to
    most = larger(most, fabs(w->r[i]) - 2 * DBL_EPSILON * fabs(w->m1[i] * w->q[i]));
    sum += w->r[i];
  }
  for (int i = 0; i < w->nc; i++) {
    if (w->a[i] != 0) gap = larger(gap, fabs(w->a[i]) / dm_largest(w->n, w->A1 + i * w->n));
    sum += w->a[i];
  }
  for (int i = 0; i < w->k; i++) {
    w->gc[i] -= at->level[w->list[i]];
    gap = larger(gap, fabs(w->gc[i]) / w->g.scale[w->number[i]]);
    sum += w->gc[i];
  }
  w->size = size, w->gap = gap / (1 + dm_largest(w->n, w->q));
  info->residual = most, info->gap = gap;
  return isfinite(sum) && isfinite(size);
}

static double relative(const dm_complementarity *w, const dm_complementarity_info *info) {
  return larger(info->residual > 0 ? info->residual / w->size : 0, w->gap);
}

// M1 at w->q, with what gradients that move with q1 add, and T
static dm_status factor(dm_complementarity *w, dm_complementarity_info *info) {
  const dm_closing *at = &w->at;
  if (!evaluate(w, w->LU, info)) return DM_NOT_FINITE;
  if (at->moving && w->k) {
    for (int i = 0; i < w->k; i++) w->c[i] = at->share * at->place * w->lambda[w->list[i]];
    const double *q = on_the_way(w, at->place, w->x);
    DM_TRY(w->g.contract(w->g.self, w->uni, q, w->k, w->number, w->c, w->LU));
  }
  w->kept = false;
  for (int i = 0; i < w->n; i++) w->m1[i] = w->LU[i * (w->n + 1)];
  DM_TRY(dm_lu_factor(w->n, w->LU, w->piv));
  w->kept = true, w->kept_h = at->h, w->kept_balance = at->balance;
  info->factored++;
  return DM_OK;
}

// T = M1^-1 (A0', s G'), [n x m]
static void eliminate(dm_complementarity *w) {
  const int n = w->n, m = w->nc + w->k;
  for (int i = 0; i < n; i++) {
    for (int c = 0; c < w->nc; c++) w->T[i * m + c] = w->A0[c * n + i];
    for (int c = 0; c < w->k; c++) w->T[i * m + w->nc + c] = w->at.share * w->G[c * n + i];
  }
  if (m) dm_lu_solve(n, w->LU, w->piv, m, w->T);
}

// Newton's step: x by the coordinates, c by the impulses
static dm_status newton_step(dm_complementarity *w) {
  const int n = w->n, m = w->nc + w->k;
  memcpy(w->x, w->r, (size_t)n * sizeof *w->r);
  dm_lu_solve(n, w->LU, w->piv, 1, w->x);
  if (m == 0) return DM_OK;
  memcpy(w->J, w->A1, (size_t)(w->nc * n) * sizeof *w->J);
  for (int i = 0; i < w->k; i++)
    for (int j = 0; j < n; j++) w->J[(w->nc + i) * n + j] = w->at.place * w->Gc[i * n + j];
  if (w->at.linear) memcpy(w->J + w->nc * n, w->Gc, (size_t)(w->k * n) * sizeof *w->J);
  dm_gemm(m, m, n, 1, w->J, w->T, 0, w->S);
  for (int i = 0; i < w->nc; i++) w->c[i] = w->a[i];
  for (int i = 0; i < w->k; i++) w->c[w->nc + i] = w->gc[i];
  for (int i = 0; i < m; i++) w->c[i] -= dm_inner(n, w->J + i * n, w->x);
  DM_TRY(dm_lu_factor(m, w->S, w->pivS));
  dm_lu_solve(m, w->S, w->pivS, 1, w->c);
  for (int i = 0; i < n; i++) w->x[i] += dm_inner(m, w->T + i * m, w->c);
  return DM_OK;
}

// unknowns plus t times the step, which is kept in y
static void move(dm_complementarity *w, double t) {
  dm_add_to(w->n, -t, w->y, w->q);
  for (int i = 0; i < w->nc; i++) w->gamma[i] += t * w->c[i];
  for (int i = 0; i < w->k; i++) w->lambda[w->list[i]] += t * w->c[w->nc + i];
}

// Newton's method for the set at hand, from w->q
static dm_status newton(dm_complementarity *w, dm_complementarity_info *info) {
  enum { HALVINGS = 12 };
  const dm_closing *at = &w->at;
  bool fresh = false, eliminated = false;
  if (!w->kept || w->kept_h != at->h || w->kept_balance != at->balance) {
    DM_TRY(factor(w, info));
    fresh = true;
  } else if (!evaluate(w, NULL, info))
    return DM_NOT_FINITE;
  for (int k = 0;; k++) {
    const double off = relative(w, info);
    if (off <= w->tol) return DM_OK;
    if (k == w->max_iter) return DM_MAX_ITER;
    info->iterations++;
    if (!eliminated || at->moving) eliminate(w);
    eliminated = true;
    DM_TRY(newton_step(w));
    // the step and the impulses' changes stay in y and c while w->x is used
    memcpy(w->y, w->x, (size_t)w->n * sizeof *w->x);
    bool tiny = dm_largest(w->n, w->y) <= 4 * DBL_EPSILON * dm_largest(w->n, w->q);
    double t = 1, after;
    for (int i = 0;; i++, t /= 2) {
      move(w, i == 0 ? t : -t);
      after = evaluate(w, NULL, info) ? relative(w, info) : NAN;
      if (after < off || tiny || !fresh || i == HALVINGS) break;
    }
    bool falls = after < off, rounding = tiny || off <= 1e2 * w->tol;
    if (after < 0.2 * off && !tiny) {
      fresh = false;
      continue;
    }
    if (!falls) {
      move(w, -t);
      if (!evaluate(w, NULL, info)) return DM_NOT_FINITE;
      if (fresh && !rounding) return off <= 1e5 * w->tol ? DM_OK : DM_MAX_ITER;
    }
    if (rounding) return DM_OK;
    // too slow: a new factor
    DM_TRY(factor(w, info));
    fresh = true, eliminated = false;
  }
}

// what is held, as a list; its rows at q0 where impulses act along these
static dm_status take(dm_complementarity *w) {
  const dm_closing *at = &w->at;
  const dm_unilateral *g = &w->g;
  w->k = 0;
  for (int i = 0; i < at->m; i++) {
    if (w->held[i] && w->k < w->most) {
      w->list[w->k] = i, w->number[w->k++] = at->which ? at->which[i] : i;
    } else
      w->held[i] = false, w->lambda[i] = 0;
  }
  if (w->k == 0 || at->moving) return DM_OK;
  const double *q = at->linear ? at->linear : at->q0;
  return g->rows(g->self, w->uni, q, w->k, w->number, w->g0, w->G);
}

static const double slack = 1e-12; // what pulls or is violated by less is on its boundary

// The gaps of all that take part, and how many are on the wrong side: held ones that pull, others
// violated; out: the deepest violation, m or rad.
static dm_status wrong(dm_complementarity *w, int *count, double *most,
                       dm_complementarity_info *info) {
  const dm_closing *at = &w->at;
  const dm_unilateral *g = &w->g;
  const double tol = slack * (1 + dm_largest(w->n, w->q));
  *count = 0, *most = 0;
  if (at->m == 0) return DM_OK;
  if (at->linear) {
    DM_TRY(g->rows(g->self, w->uni, at->linear, at->m, at->which, w->all, w->near_G));
    for (int i = 0; i < w->n; i++) w->x[i] = w->q[i] - at->linear[i];
    for (int i = 0; i < at->m; i++) w->all[i] += dm_inner(w->n, w->near_G + i * w->n, w->x);
  } else
    DM_TRY(
        g->rows(g->self, w->uni, on_the_way(w, at->place, w->x), at->m, at->which, w->all, NULL));
  for (int i = 0; i < at->m; i++) {
    int number = at->which ? at->which[i] : i;
    w->all[i] -= at->level[i];
    double deep = w->held[i] ? 0 : -w->all[i] / g->scale[number];
    // an impulse times a scale is one of momentum
    bool pulls = w->held[i] && w->lambda[i] * g->scale[number] < -10 * slack * w->size;
    if (!pulls && !(deep > tol)) continue;
    ++*count;
    if (deep >= *most) *most = deep, info->worst = number;
  }
  return DM_OK;
}

// Choose anew what is held, of that and what is violated: the least squares of the constraints as
// they are at w->q, where the balance holds, in the metric -M1^-1 and under the equalities.
// Writes whether anything changed.
static dm_status choose(dm_complementarity *w, bool *changed) {
  const dm_closing *at = &w->at;
  const dm_unilateral *g = &w->g;
  const int n = w->n, nc = w->nc;
  const double share = at->share * (at->linear ? 1 : at->place);
  int k = 0;
  for (int i = 0; i < at->m; i++)
    if (w->held[i] || w->all[i] < 0)
      w->near[k] = i, w->near_number[k++] = at->which ? at->which[i] : i;
  const double *q = at->linear ? at->linear : on_the_way(w, at->place, w->x);
  DM_TRY(g->rows(g->self, w->uni, q, k, w->near_number, w->near_b, w->near_G));

  // the metric; what equalities take up
  double *WA = w->J, most = 0;
  memcpy(WA, w->A1, (size_t)(nc * n) * sizeof *WA);
  memcpy(w->near_WG, w->near_G, (size_t)(k * n) * sizeof *w->near_G);
  for (int i = 0; i < nc; i++) dm_lu_solve(n, w->LU, w->piv, 1, WA + i * n);
  for (int i = 0; i < nc; i++)
    for (int j = 0; j < nc; j++) w->S[i * nc + j] = dm_inner(n, w->A1 + i * n, WA + j * n);
  if (nc) DM_TRY(dm_lu_factor(nc, w->S, w->pivS));
  memset(w->y, 0, (size_t)n * sizeof *w->y);
  for (int i = 0; i < k; i++) {
    double *G = w->near_G + i * n, *WG = w->near_WG + i * n;
    dm_lu_solve(n, w->LU, w->piv, 1, WG);
    for (int c = 0; c < nc; c++) w->c[c] = dm_inner(n, WA + c * n, G);
    if (nc) dm_lu_solve(nc, w->S, w->pivS, 1, w->c);
    for (int c = 0; c < nc; c++) {
      dm_add_to(n, -w->c[c], w->A1 + c * n, G);
      dm_add_to(n, -w->c[c], WA + c * n, WG);
    }
    for (int j = 0; j < n; j++) WG[j] *= -share;
    most = larger(most, sqrt(larger(dm_inner(n, G, WG), 0)));
    dm_add_to(n, w->lambda[w->near[i]], WG, w->y);
  }
  // gaps without the impulses at hand
  for (int i = 0; i < k; i++)
    w->near_b[i] = w->all[w->near[i]] - dm_inner(n, w->near_G + i * n, w->y);
  double tol = most > 0 ? slack * (1 + dm_largest(n, w->q)) / most : 0;
  DM_TRY(dm_nnls_solve(w->nnls, k, NULL, w->near_G, w->near_WG, w->near_b, tol, w->near_lambda));
  *changed = false;
  for (int i = 0; i < k; i++) {
    bool held = w->near_lambda[i] > 0;
    *changed |= held != w->held[w->near[i]];
    w->held[w->near[i]] = held;
    w->lambda[w->near[i]] = w->near_lambda[i];
  }
  return DM_OK;
}

dm_status dm_complementarity_solve(dm_complementarity *w, const dm_closing *at,
                                   dm_complementarity_info *info) {
  enum { ROUNDS = 20 };
  *info = (dm_complementarity_info){.worst = -1};
  w->at = *at;
  memset(w->lambda, 0, (size_t)at->m * sizeof *w->lambda);
  if (w->nc) DM_TRY(w->s.hol.eval(w->s.hol.self, w->hol, at->q0, w->a, w->A0));
  for (;;) {
    int count;
    double most;
    bool changed;
    DM_TRY(take(w));
    dm_status status = newton(w, info);
    if (status != DM_OK && w->k > 0 && info->changes < ROUNDS) {
      // what depends on itself, or was far off: from a step without it
      memset(w->held, 0, (size_t)at->m * sizeof *w->held);
      DM_TRY(take(w));
      status = newton(w, info);
    }
    if (status != DM_OK) return status;
    DM_TRY(wrong(w, &count, &most, info));
    if (count > 0 && info->changes++ == ROUNDS) return DM_MAX_ITER;
    if (count > 0) DM_TRY(choose(w, &changed));
    if (count > 0 && changed) continue;
    // what is left depends on what is held: curvature alone tells them apart
    double way = 0;
    for (int i = 0; i < w->n; i++) way = larger(way, fabs(w->q[i] - at->q0[i]));
    if (most > 1e-9 + 1e-2 * way) return DM_MAX_ITER;
    info->worst = -1;
    return DM_OK;
  }
}

void dm_complementarity_momentum(const dm_complementarity *w, double *p1) {
  for (int i = 0; i < w->n; i++) p1[i] = w->d->D2[i] + w->r[i];
}
