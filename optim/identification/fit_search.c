#include "optim/identification/fit_search.h"

#include "lib/base/dense.h"
#include "optim/identification/link_inertia.h"

#include <assert.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

static const double SMALL =
    1e-4; // a decrease of the cost, half a chi-square: a hundredth of a deviation
static const double FLAT =
    1e-5; // of the cost: positions near a kink of friction, which still settle
// a link moves by about its own size for a decrease of the cost of 1/EASE: combinations that the logs
// do not determine stay, instead of leaving with the first steps
static const double EASE = 1e-3;
static const double FIRST = 1e-3; // damping

oc_fit_settings oc_fit_settings_default(void) {
  return (oc_fit_settings){.inertia_prior = 1, .max_iter = 100, .threads = 1};
}

// -- construction

static dm_status check_logs(const oc_fit_parameters *x, int nlogs, oc_measured_motion *const *logs,
                            const oc_fit_settings *set, dm_message *msg) {
  const dm_model *m = x->robot.model;
  for (int i = 0; i < m->nq; i++) {
    if (m->kinematic[i])
      return dm_fail(msg, DM_BAD_INPUT, "a fit to logs has no prescribed coordinates: '%s'",
                     m->name[i]);
    if (!(set->sigma_q[i] > 0 && set->sigma_f[i] > 0))
      return dm_fail(msg, DM_BAD_INPUT,
                     "the noise of '%s' must be > 0, found %g of its position and %g of its force",
                     m->name[i], set->sigma_q[i], set->sigma_f[i]);
  }
  long rows = 0;
  for (int l = 0; l < nlogs; l++) {
    const oc_measured_motion *log = logs[l];
    if (log->n != m->nq || log->nu != m->nu)
      return dm_fail(msg, DM_BAD_INPUT,
                     "%s: found %d positions and %d inputs, expected %d and %d of the robot",
                     log->name, log->n, log->nu, m->nq, m->nu);
    if (log->h != logs[0]->h)
      return dm_fail(msg, DM_BAD_INPUT, "%s: found steps of %g s, expected %g s as in %s",
                     log->name, log->h, logs[0]->h, logs[0]->name);
    const int each = m->nq - dm_robot_system(&x->robot).hol.nc;
    for (int p = 0; p < log->pieces; p++) rows += (long)(log->piece[p][1] - 2) * each;
  }
  if (rows < 2L * x->count)
    return dm_fail(
        msg, DM_BAD_INPUT,
        "too few samples: the logs have %ld equations of motion at steps of %g s, expected "
        "at least %d for %d parameters",
        rows, logs[0]->h, 2 * x->count, x->count);
  return DM_OK;
}

// A thousandth of the fastest speed of each coordinate in the logs: the tail of the arc tangent adds about its share
// of the force, and damping takes that off.
static void choose_dry(oc_fit *w, int nlogs, oc_measured_motion *const *logs) {
  for (int i = 0; i < w->n; i++) {
    double fastest = 0;
    for (int l = 0; l < nlogs && !w->set.dry; l++)
      for (int k = 0; k + 1 < logs[l]->knots; k++)
        fastest = fmax(fastest, fabs(logs[l]->q[(k + 1) * w->n + i] - logs[l]->q[k * w->n + i]));
    w->dry[i] = w->set.dry ? w->set.dry[i] : 0.001 * fastest / logs[0]->h;
    if (!(w->dry[i] > 0)) w->dry[i] = w->sigma_q[i] / logs[0]->h;
  }
}

static dm_status allocate(oc_fit *w, int nlogs) {
  const size_t n = (size_t)w->n, p = (size_t)w->p, nc = (size_t)w->nc;
  double *a = w->sigma_q = calloc(
      3 * n + 14 * p + nc * p + 5 * nc + 6 * p * p + 3 * nc + nc * nc + 2 * n + 1, sizeof *a);
  w->fixed = calloc(3 * p + 1, sizeof *w->fixed);
  w->predicted = calloc(2 * n, sizeof *w->predicted);
  w->terms = calloc(nc * nc + 1, sizeof *w->terms);
  w->result.combination = calloc(nc + 1, sizeof *w->result.combination);
  w->logs = calloc((size_t)nlogs, sizeof *w->logs);
  if (!a || !w->logs || !w->fixed || !w->predicted || !w->terms || !w->result.combination)
    return DM_NO_MEMORY;
  w->sigma_f = a += n, w->dry = a += n, w->theta = a += n;
  w->trial = a += p, w->next = a += p, w->D = a += p, w->d = a += p, w->g = a += p, w->gp = a += p,
  w->low = a += p;
  w->high = a += p, w->b = a += p, w->result.theta = a += 2 * p, w->result.value = a += p;
  w->result.deviation = a += p, w->T = a += p;
  w->pi = a += nc * p, w->dpi = a += nc, w->pi0 = a += nc, w->ahead = a += nc;
  w->slope = a += nc, w->S = a += nc;
  w->P = a += p * p, w->B = a += p * p, w->B0 = a += p * p, w->A = a += p * p,
  w->result.covariance = a += p * p;
  w->factors = a += p * p, w->free_run = a + 3 * nc + nc * nc;
  w->result.bound = w->fixed + p, w->result.unseen = w->fixed + 2 * p;
  w->result.joint = w->predicted + n;
  return DM_OK;
}

static dm_status make_parts(oc_fit *w, int nlogs, oc_measured_motion *const *logs,
                            dm_message *msg) {
  // more threads than runs have nothing to do
  const int runs = oc_position_fit_runs(nlogs, logs);
  if (w->set.threads > runs) w->set.threads = runs;
  w->residual = calloc((size_t)w->set.threads, sizeof *w->residual);
  if (!w->residual) return dm_fail(msg, DM_NO_MEMORY, "out of memory");
  for (int t = 0; t < w->set.threads; t++)
    DM_TRY(oc_motion_residual_new(&w->residual[t], w->x, logs[0]->h, w->dry, msg));
  dm_status s = oc_base_columns_new(&w->base, w->x, w->residual[0], logs[0]->h);
  if (s != DM_OK)
    return dm_fail(msg, s, "the independent coefficients are not found: %s", dm_status_text(s));
  w->task = (oc_position_task){.x = w->x,
                               .set = &w->set,
                               .threads = w->set.threads,
                               .residual = w->residual,
                               .nlogs = nlogs,
                               .logs = w->logs,
                               .base = w->base,
                               .part = 1};
  s = oc_position_fit_new(&w->positions, &w->task);
  return s == DM_OK ? s : dm_fail(msg, s, "out of memory for %d logs", nlogs);
}

dm_status oc_fit_new(oc_fit **out, const oc_fit_parameters *x, int nlogs,
                     oc_measured_motion *const *logs, const oc_fit_settings *set, dm_message *msg) {
  assert(out && x && nlogs > 0 && logs && set && set->sigma_q && set->sigma_f);
  assert(set->threads >= 1 && set->threads <= OC_FIT_THREADS);
  *out = NULL;
  DM_TRY(check_logs(x, nlogs, logs, set, msg));
  oc_fit *w = calloc(1, sizeof *w);
  if (!w) return dm_fail(msg, DM_NO_MEMORY, "out of memory");
  *w = (oc_fit){.x = x, .set = *set, .n = x->robot.model->nq, .p = x->count, .nc = x->coefficients};
  dm_status s = allocate(w, nlogs);
  if (s == DM_OK) {
    memcpy(w->sigma_q, set->sigma_q, (size_t)w->n * sizeof *w->sigma_q);
    memcpy(w->sigma_f, set->sigma_f, (size_t)w->n * sizeof *w->sigma_f);
    memcpy(w->logs, logs, (size_t)nlogs * sizeof(*logs));
    choose_dry(w, nlogs, logs);
    w->set.sigma_q = w->sigma_q, w->set.sigma_f = w->sigma_f, w->set.dry = w->dry;
    s = make_parts(w, nlogs, logs, msg);
  } else {
    dm_fail(msg, s, "out of memory");
  }
  if (s == DM_OK)
    *out = w;
  else
    oc_fit_free(w);
  return s;
}

void oc_fit_free(oc_fit *w) {
  if (!w) return;
  oc_position_fit_free(w->positions);
  oc_base_columns_free(w->base);
  for (int t = 0; w->residual && t < w->set.threads; t++) oc_motion_residual_free(w->residual[t]);
  free(w->residual);
  free(w->logs);
  free(w->sigma_q);
  free(w->fixed);
  free(w->predicted);
  free(w->terms);
  free(w->result.combination);
  free(w);
}

const oc_fit_result *oc_fit_get(const oc_fit *w) {
  return &w->result;
}

// -- the prior

// the divergence of link l, over those of its numbers that are parameters
static double add_link_prior(oc_fit *w, const double *theta, int l) {
  const oc_fit_parameters *x = w->x;
  const double *z0 = x->link_start + OC_LINK * l;
  const double weight = 1 / (4 * w->set.inertia_prior * w->set.inertia_prior);
  static const int first[] = {[OC_FIT_MASS] = 0, [OC_FIT_CENTER] = 1, [OC_FIT_INERTIA] = 4};
  double z[OC_LINK], gradient[OC_LINK] = {0}, hessian[OC_LINK * OC_LINK] = {0};
  int at[OC_LINK];
  memcpy(z, z0, sizeof z);
  for (int e = 0; e < OC_LINK; e++) at[e] = -1;
  for (int k = 0; k < w->p; k++) {
    const oc_fit_parameter *p = &x->list[k];
    if (p->kind > OC_FIT_INERTIA || p->index != x->link[l]) continue;
    at[first[p->kind] + p->entry] = k;
    z[first[p->kind] + p->entry] = theta[k];
  }
  const double D = oc_link_inertia_divergence(z0, z, 1, gradient, hessian);
  for (int e = 0; e < OC_LINK; e++) {
    if (at[e] < 0) continue;
    w->gp[at[e]] += weight * gradient[e];
    for (int f = 0; f < OC_LINK; f++)
      if (at[f] >= 0) {
        w->P[at[e] * w->p + at[f]] += weight * hessian[e * OC_LINK + f];
        w->B[at[e] * w->p + at[f]] = hessian[e * OC_LINK + f];
      }
  }
  return weight * D;
}

double oc_fit_add_prior(oc_fit *w, const double *theta) {
  const size_t p = (size_t)w->p;
  double sum = 0;
  memset(w->P, 0, p * p * sizeof *w->P);
  memset(w->B, 0, p * p * sizeof *w->B);
  memset(w->gp, 0, p * sizeof *w->gp);
  for (int l = 0; l < w->x->links; l++) sum += add_link_prior(w, theta, l);
  for (int k = 0; k < w->p; k++) {
    const oc_fit_parameter *o = &w->x->list[k];
    if (!isfinite(o->deviation) || o->kind <= OC_FIT_INERTIA) continue;
    const double t = (theta[k] - o->value) / o->deviation;
    sum += 0.5 * t * t;
    w->gp[k] += t / o->deviation;
    w->P[k * w->p + k] += 1 / (o->deviation * o->deviation);
  }
  return sum;
}

// -- the search

// the cost at theta and positions q, with the prior
static dm_status find_cost(oc_fit *w, const double *theta, const double *q, double *cost) {
  double prior = oc_fit_add_prior(w, theta);
  DM_TRY(oc_position_fit_set(w->positions, theta));
  const dm_status s = oc_position_fit_cost(w->positions, q, cost);
  *cost += prior;
  return s;
}

// Try the step for a damping. Returns DM_OK with the predicted decrease, the share of it that the
// parameters have, and the actual one (-INFINITY: no
// finite cost there), or a negative status.
static dm_status try_step(oc_fit *w, double damping, double *share, double *predicted,
                          double *actual) {
  oc_position_fit *a = w->positions;
  const double prior = oc_fit_add_prior(w, w->theta);
  double cost, square, trial;
  *share = *predicted = *actual = -INFINITY;
  const dm_status s = oc_position_fit_linearize(a, damping, &cost);
  if (s == DM_NOT_DEFINITE) return DM_OK;
  DM_TRY(s);
  if (w->result.iterations == 1) w->ease = EASE * cost;
  const double fall = oc_fit_step(w, damping);
  DM_TRY(oc_position_fit_follow(a, w->dpi, &square));
  *share = fall;
  *predicted = fall + a->chain->fall + 0.5 * damping * square;
  w->result.cost = cost + prior;
  w->result.prior = prior;

  dm_status end = oc_position_fit_move(a, 1);
  if (end == DM_OK) end = find_cost(w, w->trial, a->of.trial, &trial);
  *actual = end == DM_OK ? w->result.cost - trial : -INFINITY;
  return end == DM_NO_MEMORY || end == DM_FAULT ? end : DM_OK;
}

// a decrease of half a chi-square that does not matter, in units of the noise that the logs have
static double find_small(const oc_fit *w) {
  const oc_position_fit *a = w->positions;
  const double equations = (double)(a->of.knots - 2 * a->nruns) * a->of.m;
  return SMALL * fmax(1, 2 * (w->result.cost - w->result.prior) / equations);
}

// damping: in: of the first step; out: of the last
static dm_status search(oc_fit *w, double *last) {
  double damping = *last, up = 2;
  w->result.status = DM_MAX_ITER;
  for (w->result.iterations = 0; w->result.iterations < w->set.max_iter;) {
    double share, predicted, actual;
    w->result.iterations++;
    DM_TRY(try_step(w, damping, &share, &predicted, &actual));
    const double rounding = 1e-12 * w->result.cost;
    const double small = find_small(w);
    const bool end = predicted > -INFINITY && damping < 1 && share < small + rounding &&
                     predicted < small + FLAT * w->result.cost;
    if (actual > -rounding && predicted > -INFINITY) {
      oc_knots *o = &w->positions->of;
      double *q = o->q;
      o->q = o->trial;
      o->trial = q;
      memcpy(w->theta, w->trial, (size_t)w->p * sizeof *w->theta);
      w->ease = EASE * fmax(actual, 0);
      const double t = 2 * actual / fmax(predicted, SMALL) - 1;
      damping = fmax(damping * fmax(0.1, 1 - t * t * t), 1e-12), up = 2;
    } else {
      DM_TRY(oc_position_fit_set(w->positions, w->theta));
      damping = fmax(damping, 1e-2) * up, up *= 2;
    }
    if (end) {
      w->result.status = DM_OK;
      break;
    }
    if (damping > 1e12) {
      w->result.status = DM_STALLED;
      break;
    }
  }
  *last = damping;
  return oc_position_fit_set(w->positions, w->theta);
}

// With many knots the search begins with a tenth of them, which costs a tenth: the parameters of all differ
// little. Without an end there, they are those of the start again.
static dm_status search_part(oc_fit *w, double *damping) {
  enum { MANY = 4 * OC_LONGEST_RUN, PART = 10, EACH = 20 };
  oc_position_fit *all = w->positions;
  if (all->of.knots <= MANY || all->of.knots / PART * all->of.m < EACH * w->p) return DM_OK;
  oc_position_task task = w->task;
  task.part = PART;
  double *start = w->result.value; // scratch until the end
  memcpy(start, w->theta, (size_t)w->p * sizeof *start);
  dm_status s = oc_position_fit_new(&w->positions, &task);
  if (s == DM_OK) s = oc_position_fit_set(w->positions, w->theta);
  if (s == DM_OK) s = oc_position_fit_start(w->positions);
  if (s == DM_OK) s = search(w, damping);
  oc_position_fit_free(w->positions);
  w->positions = all;
  if (s == DM_NO_MEMORY) return s;
  if (w->result.status != DM_OK) *damping = FIRST;
  if (s < 0) memcpy(w->theta, start, (size_t)w->p * sizeof *start);
  return oc_position_fit_set(all, w->theta);
}

dm_status oc_fit_solve(oc_fit *w, const double *theta, dm_message *msg) {
  if (theta)
    memcpy(w->theta, theta, (size_t)w->p * sizeof *theta);
  else
    oc_fit_parameters_start(w->x, w->theta);
  dm_status s = oc_position_fit_set(w->positions, w->theta);
  if (s == DM_OK) s = oc_position_fit_start(w->positions);
  if (s != DM_OK)
    return dm_fail(
        msg, s < 0 ? s : DM_BAD_INPUT,
        "the measured positions cannot be moved to where the constraints hold: %s; are the "
        "lengths of the loops right?",
        dm_status_text(s));
  double damping = FIRST;
  s = search_part(w, &damping);
  if (s == DM_OK) s = search(w, &damping);
  double cost;
  if (s == DM_OK) s = oc_position_fit_linearize(w->positions, 0, &cost);
  if (s < 0) return dm_fail(msg, s, "the fit fails: %s", dm_status_text(s));
  w->result.cost = cost + (w->result.prior = oc_fit_add_prior(w, w->theta));
  oc_fit_reduce(w);
  DM_TRY(oc_fit_conclude(w, msg));
  return w->result.status;
}
