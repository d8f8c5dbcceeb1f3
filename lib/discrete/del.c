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

static void lay_out_del(void *self, dm_block *b) {
  dm_del *w = self;
  size_t n = (size_t)w->n, nc = (size_t)w->nc;
  w->lambda = dm_block_alloc(b, nc, sizeof *w->lambda);

  // iterate, residual, Newton step
  w->r = dm_block_alloc(b, n + nc, sizeof *w->r);
  w->dz = dm_block_alloc(b, n + nc, sizeof *w->dz);
  w->q = dm_block_alloc(b, n, sizeof *w->q);
  w->qm = dm_block_alloc(b, n, sizeof *w->qm);
  w->part = dm_block_alloc(b, nc, sizeof *w->part);
}

dm_status dm_del_new(dm_del **out, const dm_system *s, const dm_del_settings *set) {
  assert(out && s && s->L.nq > 0);
  dm_del sizes = {.n = s->L.nq, .nc = s->hol.nc, .set = set ? *set : dm_del_default()};
  dm_del *w = dm_block_make(&sizes, sizeof sizes, lay_out_del);
  if (!w) return DM_NO_MEMORY;

  // the interval without derivatives by h
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
  if (!w) return;
  dm_interval_free(w->d);
  dm_kkt_free(w->k);
  dm_block_free(w);
}

// initial data of a step
typedef struct given {
  const double *q0, *p0, *u;
  double h;
} given;

// fraction of a constraint impulse at the start of a step: all, or half
static double share_of_impulse(const dm_del *w) {
  return w->set.energy_momentum ? 0.5 : 1;
}

// entry a of Dh'lambda, or of half of it: the momentum that constraints remove
static double constraint_momentum(const dm_del *w, int a) {
  double sum = 0;
  for (int c = 0; c < w->k->nc; c++) sum += w->k->Dh0[c * w->k->n + a] * w->lambda[c];
  return share_of_impulse(w) * sum;
}

// The energy-momentum method: gradients Dh((q0+q1)/2) instead of Dh(q0); for order 2, add to D12
// the derivative of -Dh'lambda/2 by q1, which is -D2h lambda/4.
static dm_status evaluate_middle(dm_del *w, int order, const double *q0) {
  const dm_kkt *k = w->k;
  const dm_holonomic *hol = &k->hol;
  for (int i = 0; i < k->n; i++) w->qm[i] = (q0[i] + w->q[i]) / 2;
  DM_TRY(dm_kkt_start(w->k, w->qm));
  if (order < 2 || !k->nc) return DM_OK;

  // -D2h((q0+q1)/2) lambda/4 into D12
  for (int c = 0; c < k->nc; c++) w->part[c] = -0.25 * w->lambda[c];
  return hol->contract(hol->self, k->scratch, w->qm, w->part, w->d->D12);
}

// The largest change of p0 + D1 from rounding q1: eps |D12| |q1|. The term M/h in D12 gives eps |q|
// M/h, which exceeds the terms themselves for short steps and small momenta.
static double find_rounding(const dm_del *w) {
  const dm_kkt *k = w->k;
  double largest = 0;
  for (int i = 0; i < k->nd; i++) {
    const double *D12 = w->d->D12 + k->dyn[i] * k->n;
    double sum = 0;
    for (int j = 0; j < k->n; j++) sum += fabs(D12[j] * w->q[j]);
    largest = dm_larger(largest, sum * dm_kkt_weight(k, i));
  }
  return DBL_EPSILON * largest;
}

// The momenta p0 + D1 - Dh'lambda into w->r; w->off, the largest of them, and w->size, the largest
// of their canceling terms, with weights that make rows of lengths and angles comparable. info has
// the unweighted largest one. Returns a sum that is finite if all entries are.
static double form_momenta(dm_del *w, const given *at, dm_del_info *info) {
  const dm_interval *d = w->d;
  const dm_kkt *k = w->k;
  double size = 0, largest = -1, sum = 0;
  for (int i = 0; i < k->nd; i++) {
    const int a = k->dyn[i];
    const double weight = dm_kkt_weight(k, i), taken = constraint_momentum(w, a);
    w->r[i] = at->p0[a] + d->D1[a] - taken;
    sum += w->r[i];
    if (weight * fabs(w->r[i]) > largest) {
      largest = weight * fabs(w->r[i]);
      info->residual = fabs(w->r[i]);
      info->worst = a;
    }
    double term = dm_larger(fabs(at->p0[a]), fabs(taken));
    term =
        dm_larger(term, dm_larger(fabs(d->nodes->jet.L_v[a]), fabs(at->h * d->nodes->jet.L_q[a])));

    // damping over the step, -d (q1 - q0)
    if (d->s.damping) term = dm_larger(term, fabs(d->s.damping[a] * (w->q[a] - at->q0[a])));
    size = dm_larger(size, weight * term);
  }

  // inputs may cancel each other in D1
  for (int e = 0; e < d->nz; e++) {
    if (d->s.kinematic && d->s.kinematic[d->row[e]]) continue;
    const double weight = d->s.length && d->s.length[d->row[e]] && k->mixed ? k->unit : 1;
    size = dm_larger(size, weight * fabs(d->D1u[e] * at->u[d->col[e]]));
  }
  w->off = dm_larger(0, largest);
  w->size = size > 0 ? size : w->off; // at rest with general forces only
  return sum;
}

// h(q1) into w->r; w->gap, the largest relative to its canceling terms, estimated by the change of
// h for changes of coordinates by a radian or the robot's length. Returns a sum as above.
static double form_gaps(dm_del *w, dm_del_info *info) {
  const dm_kkt *k = w->k;
  const bool *is_length = w->d->s.length;
  const double length = k->nc && is_length ? dm_system_length(&w->d->s, w->q) : 1;
  double off = 0, sum = 0;
  // each constraint relative to the largest entry of its scaled gradient
  for (int c = 0; c < k->nc; c++) {
    const double *Dh = k->Dh1 + c * k->n, e = k->h[c];
    double size = 0;
    for (int i = 0; i < k->n; i++)
      size = dm_larger(size, fabs(Dh[i]) * (is_length && is_length[i] ? length : 1));
    w->r[k->nd + c] = e;
    sum += e;
    if (e != 0 && fabs(e) > off * size) {
      off = fabs(e) / size;
      info->worst = k->n + c;
    }
  }
  w->gap = off;
  return sum;
}

// Evaluate the residual at w->q, w->lambda as above; order 2 also Newton's matrix. Returns false if
// the evaluation fails.
static bool evaluate_step(dm_del *w, int order, const given *at, dm_del_info *info) {
  // Ld and the constraints at w->q
  if (dm_interval_eval(w->d, order, at->q0, w->q, at->u, at->h) != DM_OK) return false;
  if (w->set.energy_momentum && evaluate_middle(w, order, at->q0) != DM_OK) return false;
  if (dm_kkt_step(w->k, at->q0, w->q, at->h) != DM_OK) return false;

  info->residual = -1;
  if (order == 2) dm_kkt_weigh(w->k, w->d->D12);
  const double sum = form_momenta(w, at, info) + form_gaps(w, info);
  if (order == 2) w->rounding = find_rounding(w);
  return isfinite(sum);
}

// current residual, the momenta relative to `size`
static double relative_residual(const dm_del *w, double size) {
  return dm_larger(w->off > 0 ? w->off / size : 0, w->gap);
}

// z = (q1 dynamic, lambda) minus t times the Newton step; the matrix has the fraction of lambda
static void move_iterate(dm_del *w, double t) {
  const dm_kkt *k = w->k;
  for (int i = 0; i < k->nd; i++) w->q[k->dyn[i]] -= t * w->dz[i];
  for (int c = 0; c < k->nc; c++) w->lambda[c] -= t / share_of_impulse(w) * w->dz[k->nd + c];
}

// Factor Newton's matrix of the current iterate and solve for the Newton step w->dz. On
// DM_SINGULAR, info has the reason.
static dm_status find_newton_step(dm_del *w, dm_del_info *info) {
  dm_kkt *k = w->k;
  dm_status status = dm_kkt_factor(k, w->d->D12);
  if (status == DM_SINGULAR) {
    info->condition = k->condition;

    // the coordinate, or n + constraint, that dominates the null vector
    int i = 0;
    while (i + 1 < k->size && k->null[i] != 1) i++;
    info->worst = i < k->nd ? k->dyn[i] : k->n + i - k->nd;
  }
  if (status != DM_OK) return status;

  // z decreases by dz = S^-1 r
  memcpy(w->dz, w->r, (size_t)k->size * sizeof *w->r);
  dm_kkt_solve(k, 1, w->dz);
  return DM_OK;
}

// Returns true if the Newton step is below rounding of the coordinates, for lengths that of the
// scaled momenta.
static bool is_tiny(const dm_del *w) {
  const dm_kkt *k = w->k;
  const bool *is_length = w->d->s.length;
  const double share = 1 / k->unit;
  double step = 0, most = is_length ? share * w->d->s.extent : 0;
  for (int i = 0; i < k->nd; i++)
    step = dm_larger(step, fabs(w->dz[i]) * (is_length && is_length[k->dyn[i]] ? share : 1));
  for (int i = 0; i < k->n; i++)
    most = dm_larger(most, fabs(w->q[i]) * (is_length && is_length[i] ? share : 1));
  return step <= 4 * DBL_EPSILON * most;
}

// Newton's method from w->q, w->lambda:
//
//   1  stop if the residual is at rounding level
//   2  Newton step
//   3  halve it until the residual decreases
//   4  if it does not decrease: accept at rounding level, else stop
static dm_status solve_step(dm_del *w, const given *at, dm_del_info *info) {
  enum { HALVINGS = 12 };
  int order = 2;   // of the available derivatives
  double rate = 1; // residual of the last step over the square of the previous one
  if (!evaluate_step(w, order, at, info)) return DM_NOT_FINITE;
  for (;;) {
    // 1  relative to the terms at the start of this iteration
    const double size = w->size, off = relative_residual(w, size);
    if (off <= w->set.tol) return DM_OK;
    if (info->iterations == w->set.max_iter) return DM_MAX_ITER;
    info->iterations++;

    // 2  second derivatives, if the last evaluation skipped them
    if (order < 2) evaluate_step(w, 2, at, info);
    const bool rounded = w->off <= w->rounding && w->gap <= w->set.tol;
    DM_TRY(find_newton_step(w, info));

    // 3  order 1 suffices if quadratic convergence predicts that this step is the last
    double after, t = 1;
    const bool tiny = is_tiny(w);
    dm_del_info before = *info;
    order = rate * off * off < w->set.tol ? 1 : 2;
    for (int i = 1;; i++, t /= 2) {
      move_iterate(w, i == 1 ? t : -t);
      after = evaluate_step(w, order, at, info) ? relative_residual(w, size) : NAN;
      if (after < off || tiny || i == HALVINGS) break;
    }
    if (!(after < off)) {
      // 4  back to the start of the step
      move_iterate(w, -t);
      evaluate_step(w, order, at, info);
      *info = before;
      return tiny || rounded || off <= 1e4 * w->set.tol ? DM_OK : DM_MAX_ITER;
    }

    // 5  at rounding level, small decreases are random: accept
    if (rounded && after > off / 2) return DM_OK;
    rate = after / (off * off);
  }
}

dm_status dm_del_step(dm_del *w, const double *q0, const double *p0, const double *u, double h,
                      double *q1, double *p1, dm_del_info *info) {
  dm_kkt *k = w->k;
  size_t bytes = (size_t)k->n * sizeof(double);

  // the guess, prescribed kinematic coordinates, and Dh(q0)
  memcpy(w->q, q1, bytes);
  for (int i = 0; i < k->nk; i++) w->q[k->kin[i]] = u[w->d->nu + i];
  *info = (dm_del_info){.worst = -1};
  DM_TRY(dm_kkt_start(k, q0));

  // solve the first two equations; impulses of a failed step are not used as a guess
  dm_status status = solve_step(w, &(given){q0, p0, u, h}, info);
  if (status < 0) {
    memset(w->lambda, 0, (size_t)k->nc * sizeof *w->lambda);
    return status;
  }

  // p1 = D2, and velocities of kinematic coordinates
  for (int i = 0; i < k->nd; i++) {
    int a = k->dyn[i];
    p1[a] = w->d->D2[a] - (w->set.energy_momentum ? constraint_momentum(w, a) : 0);
  }
  for (int i = 0; i < k->nk; i++) p1[k->kin[i]] = (w->q[k->kin[i]] - q0[k->kin[i]]) / h;
  memcpy(q1, w->q, bytes);
  return status;
}

void dm_del_explain(dm_message *msg, dm_status s, const dm_del *w, const dm_del_info *info, int k,
                    const char *const *name) {
  const dm_holonomic *hol = &w->k->hol;
  int row = info->worst - w->k->n;

  // the worst row: constraints follow the coordinates
  const char *what = row >= 0 ? "constraint " : "", *who = "?";
  double residual = row >= 0 && s == DM_MAX_ITER ? fabs(w->k->h[row]) : info->residual;

  if (row >= 0 && hol->row_name) who = hol->row_name(hol->self, row);
  if (row < 0 && info->worst >= 0 && name) who = name[info->worst];

  // a singular matrix has a null vector that shows the coordinates
  if (s == DM_SINGULAR)
    dm_kkt_explain(msg, w->k, "no step from", k, name);
  else if (s == DM_MAX_ITER)
    dm_fail(msg, s,
            "no step from knot %d: Newton left a residual of %.3g in %s%s after %d iterations; "
            "take shorter steps",
            k, residual, what, who, info->iterations);
  else
    dm_fail(msg, s, "no step from knot %d: %s", k, dm_status_text(s));
}
