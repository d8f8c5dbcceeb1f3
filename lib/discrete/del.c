#include "lib/discrete/del.h"

#include "lib/base/block.h"
#include "lib/base/dense.h"

#include <assert.h>
#include <float.h>
#include <math.h>
#include <stdbool.h>
#include <string.h>

dm_del_settings dm_del_default(void) {
  return (dm_del_settings){.max_iter = 50, .tol = 1e-13};
}

static void lay_out(void *self, dm_block *b) {
  dm_del *w = self;
  size_t n = (size_t)w->n, nc = (size_t)w->nc;
  w->lambda = dm_take(b, nc, sizeof *w->lambda);
  w->r = dm_take(b, n + nc, sizeof *w->r);
  w->dz = dm_take(b, n + nc, sizeof *w->dz);
  w->q = dm_take(b, n, sizeof *w->q);
  w->qm = dm_take(b, n, sizeof *w->qm);
  w->part = dm_take(b, nc, sizeof *w->part);
}

dm_status dm_del_new(dm_del **out, const dm_system *s, const dm_del_settings *set) {
  assert(out && s && s->L.nq > 0);
  dm_del sizes = {.n = s->L.nq, .nc = s->hol.nc, .set = set ? *set : dm_del_default()};
  dm_del *w = dm_block_make(&sizes, sizeof sizes, lay_out);
  if (!w) return DM_NO_MEMORY;
  dm_status status = dm_interval_new(&w->d, s);
  if (status == DM_OK) status = dm_kkt_new(&w->k, s);
  if (status != DM_OK) {
    dm_del_free(w);
    return status;
  }
  w->d->by_step = false;
  *out = w;
  return DM_OK;
}

void dm_del_free(dm_del *w) {
  if (w) dm_interval_free(w->d), dm_kkt_free(w->k);
  dm_block_free(w);
}

// of numbers whose sum is tested for NaN elsewhere, and inline
static double larger(double a, double b) {
  return a > b ? a : b;
}

// what a step starts from
typedef struct given {
  const double *q0, *p0, *u;
  double h;
} given;

// the part of an impulse that a step begins with
static double share(const dm_del *w) {
  return w->set.energy_momentum ? 0.5 : 1;
}

// what constraints take off momentum a there
static double pull_of(const dm_del *w, int a) {
  double pull = 0;
  for (int c = 0; c < w->k->nc; c++) pull += w->k->Dh0[c * w->k->n + a] * w->lambda[c];
  return share(w) * pull;
}

// gradients in the middle, and what their turning adds to Newton's matrix (order 2)
static dm_status turn(dm_del *w, int order, const double *q0) {
  const dm_kkt *k = w->k;
  const dm_holonomic *hol = &k->hol;
  for (int i = 0; i < k->n; i++) w->qm[i] = (q0[i] + w->q[i]) / 2;
  DM_TRY(dm_kkt_start(w->k, w->qm));
  if (order < 2 || !k->nc) return DM_OK;
  for (int c = 0; c < k->nc; c++) w->part[c] = -0.25 * w->lambda[c];
  return hol->contract(hol->self, k->scratch, w->qm, w->part, w->d->D12);
}

// Evaluate the residual at w->q, w->lambda: info->residual, the largest entry of the momenta's,
// w->size, that of the terms that cancel in it, and w->gap, the largest of the constraints', each
// over the size of its own terms. Order 2 evaluates Newton's matrix as well. False where it cannot
// be evaluated.
static bool evaluate(dm_del *w, int order, const given *at, dm_del_info *info) {
  const dm_interval *d = w->d;
  const dm_kkt *k = w->k;
  double size = 0, most = -1, off = 0, sum = 0, where = 0;
  if (dm_interval_eval(w->d, order, at->q0, w->q, at->u, at->h) != DM_OK) return false;
  if (w->set.energy_momentum && turn(w, order, at->q0) != DM_OK) return false;
  if (dm_kkt_end(w->k, w->q) != DM_OK) return false;
  for (int i = 0; i < k->nd; i++) {
    int a = k->dyn[i];
    double pull = pull_of(w, a);
    w->r[i] = at->p0[a] + d->D1[a] - pull;
    sum += w->r[i];
    if (fabs(w->r[i]) > most) most = fabs(w->r[i]), where = a;
    size = larger(size, larger(fabs(at->p0[a]), fabs(pull)));
    size = larger(size, larger(fabs(d->jet.L_v[a]), fabs(at->h * d->jet.L_q[a])));
  }
  for (int e = 0; e < d->nz; e++) // inputs may cancel one another
    if (!d->s.kinematic || !d->s.kinematic[d->row[e]])
      size = larger(size, fabs(d->D1u[e] * at->u[d->col[e]]));
  // a constraint cancels terms as large as the changes of its length along the coordinates
  for (int c = 0; c < k->nc; c++) {
    double scale = dm_largest(k->n, k->Dh1 + c * k->n), e = k->h[c];
    w->r[k->nd + c] = e;
    sum += e;
    if (e != 0 && fabs(e) > off * scale) off = fabs(e) / scale, where = k->n + c;
  }
  info->residual = most, info->worst = (int)where;
  w->size = size > 0 ? size : most; // at rest, and nothing but a force of the general kind
  w->gap = off;
  return isfinite(sum);
}

// the residual at hand, that of the momenta over a size of terms
static double relative(const dm_del *w, const dm_del_info *info, double size) {
  return fmax(info->residual > 0 ? info->residual / size : 0, w->gap);
}

// the coordinate, or n + the constraint, that the singular matrix leaves most undetermined
static int largest_at(const dm_kkt *k) {
  int i = 0;
  while (i + 1 < k->size && k->null[i] != 1) i++;
  return i < k->nd ? k->dyn[i] : k->n + i - k->nd;
}

// z = (q1 dynamic, lambda) less t times the Newton step
static void move(dm_del *w, double t) {
  const dm_kkt *k = w->k;
  for (int i = 0; i < k->nd; i++) w->q[k->dyn[i]] -= t * w->dz[i];
  for (int c = 0; c < k->nc; c++) w->lambda[c] -= t / share(w) * w->dz[k->nd + c];
}

// Newton's method from w->q, w->lambda
static dm_status solve(dm_del *w, const given *at, dm_del_info *info) {
  enum { HALVINGS = 12 };
  dm_kkt *k = w->k;
  int order = 2;   // of the derivatives at hand
  double rate = 1; // what is left of a residual, over its square
  if (!evaluate(w, order, at, info)) return DM_NOT_FINITE;
  for (;;) {
    const double size = w->size, off = relative(w, info, size);
    if (off <= w->set.tol) return DM_OK;
    if (info->iterations == w->set.max_iter) return DM_MAX_ITER;
    info->iterations++;

    // Newton's step
    if (order < 2) evaluate(w, 2, at, info);
    dm_status status = dm_kkt_factor(k, w->d->D12);
    if (status == DM_SINGULAR) info->condition = k->condition, info->worst = largest_at(k);
    if (status != DM_OK) return status;
    memcpy(w->dz, w->r, (size_t)k->size * sizeof *w->r);
    dm_kkt_solve(k, 1, w->dz);

    // along it, halving until the residual falls, held against the terms where the step began; the
    // last one is foreseen
    double after, t = 1;
    bool tiny = dm_largest(k->nd, w->dz) <= 4 * DBL_EPSILON * dm_largest(k->n, w->q);
    dm_del_info before = *info;
    order = rate * off * off < w->set.tol ? 1 : 2;
    for (int i = 1;; i++, t /= 2) {
      move(w, i == 1 ? t : -t);
      after = evaluate(w, order, at, info) ? relative(w, info, size) : NAN;
      if (after < off || tiny || i == HALVINGS) break;
    }
    if (!(after < off)) {
      // rounding level or a true stop: back to where the step began
      move(w, -t);
      evaluate(w, order, at, info);
      *info = before;
      return tiny || off <= 1e4 * w->set.tol ? DM_OK : DM_MAX_ITER;
    }
    rate = after / (off * off);
  }
}

dm_status dm_del_step(dm_del *w, const double *q0, const double *p0, const double *u, double h,
                      double *q1, double *p1, dm_del_info *info) {
  dm_kkt *k = w->k;
  size_t bytes = (size_t)k->n * sizeof(double);
  memcpy(w->q, q1, bytes);
  for (int i = 0; i < k->nk; i++) w->q[k->kin[i]] = u[w->d->nu + i];
  *info = (dm_del_info){.worst = -1};
  DM_TRY(dm_kkt_start(k, q0));
  dm_status status = solve(w, &(given){q0, p0, u, h}, info);
  if (status < 0) {
    memset(w->lambda, 0, (size_t)k->nc * sizeof *w->lambda);
    return status;
  }
  for (int i = 0; i < k->nd; i++) {
    int a = k->dyn[i];
    p1[a] = w->d->D2[a] - (w->set.energy_momentum ? pull_of(w, a) : 0);
  }
  for (int i = 0; i < k->nk; i++) p1[k->kin[i]] = (w->q[k->kin[i]] - q0[k->kin[i]]) / h;
  memcpy(q1, w->q, bytes);
  return status;
}

void dm_del_explain(dm_message *msg, dm_status s, const dm_del *w, const dm_del_info *info, int k,
                    const char *const *name) {
  const dm_holonomic *hol = &w->k->hol;
  int row = info->worst - w->k->n;
  const char *what = row >= 0 ? "constraint " : "", *who = "?";
  double residual = row >= 0 && s == DM_MAX_ITER ? fabs(w->k->h[row]) : info->residual;
  if (row >= 0 && hol->row_name) who = hol->row_name(hol->self, row);
  if (row < 0 && info->worst >= 0 && name) who = name[info->worst];
  if (s == DM_SINGULAR)
    dm_kkt_explain(msg, w->k, "no step from", k, name);
  else if (s == DM_MAX_ITER)
    dm_fail(msg, s,
            "no step from knot %d: Newton left a residual of %.3g in %s%s after %d iterations", k,
            residual, what, who, info->iterations);
  else
    dm_fail(msg, s, "no step from knot %d: %s", k, dm_status_text(s));
}
