#include "optim/interior/line_search.h"

#include <float.h>
#include <math.h>
#include <string.h>

enum {
  CORRECTIONS = 4, // max_soc
  SHORTENED = 10,  // watchdog_shortened_iter_trigger
  TRUSTED = 3,     // watchdog_trial_iter_max
  REFUSED = 5,     // filter_reset_trigger
  RESETS = 5,
  SOFT = 10 // max_filter_resets
};
static const double CORRECTED = 0.99; // kappa_soc: required reduction of the violation for another
                                      // correction
static const double SOFTER = 0.9999;  // soft_resto_pderror_reduction_factor
static const double TINY = 10 * DBL_EPSILON;

void oc_line_search_lay_out(oc_line_search *s, const oc_equality_form *f, dm_block *block) {
  double **of_v[] = {&s->v, &s->z_l, &s->z_u, &s->dv, &s->dz_l, &s->dz_u};
  for (int i = 0; i < 6; i++) *of_v[i] = dm_block_alloc(block, (size_t)f->nv, sizeof(double));
  s->y = dm_block_alloc(block, (size_t)f->m, sizeof(double));
  s->dy = dm_block_alloc(block, (size_t)f->m, sizeof(double));
}

void oc_line_search_start(oc_line_search *s, double theta, double most) {
  oc_filter_start(&s->filter, theta, most);
  s->tiny = s->resets = 0;
  oc_line_search_forget(s);
}

void oc_line_search_forget(oc_line_search *s) {
  oc_filter_reset(&s->filter);
  s->refused = s->shortened = s->soft = 0;
  s->watching = false;
}

// evaluate v + alpha dv
static dm_status try_step(oc_barrier *b, double alpha, const double *dv) {
  for (int i = 0; i < b->form.nv; i++) b->v_try[i] = b->v[i] + alpha * dv[i];
  return oc_barrier_try(b);
}

static void take_step(oc_line_search *s, oc_barrier *b, double alpha, double dual) {
  // move the multipliers: y by the primal step, z by its own step
  for (int i = 0; i < b->form.m; i++) b->y[i] += alpha * b->dy[i];
  for (int i = 0; i < b->form.nv; i++) {
    b->z_l[i] += dual * b->dz_l[i];
    b->z_u[i] += dual * b->dz_u[i];
  }

  oc_barrier_accept(b);
  oc_barrier_clip(b);
  s->alpha = alpha;
}

// second-order corrections of a step that increased the violation; *alpha: its length
static bool correct_step(oc_line_search *s, oc_barrier *b, const oc_filter_reference *from,
                         double *alpha) {
  const int m = b->form.m;
  double first = *alpha, step = *alpha, before = 0;
  memcpy(b->c_soc, b->c, (size_t)m * sizeof *b->c_soc);
  for (int k = 0; k < CORRECTIONS && (k == 0 || b->theta_try <= CORRECTED * before); k++) {
    before = b->theta_try;
    // c_soc = alpha c_soc + c(v + alpha dv)
    for (int i = 0; i < m; i++) {
      b->c_soc[i] = step * b->c_soc[i] + b->c_try[i];
      b->res_c[i] = -b->c_soc[i];
    }
    memcpy(b->rhs_c, b->res_c, (size_t)m * sizeof *b->rhs_c);
    if (oc_barrier_solve(b, b->rhs_v, b->rhs_c, b->dv_soc, b->dy_soc) < 0) return false;
    step = oc_barrier_reach(b, b->dv_soc);
    if (try_step(b, step, b->dv_soc) < 0) return false;
    if (oc_filter_takes(&s->filter, from, first, b->theta_try, b->phi_try)) {
      *alpha = step;

      // replace the step by the corrected one, including multipliers of bounds
      memcpy(b->dv, b->dv_soc, (size_t)b->form.nv * sizeof *b->dv);
      memcpy(b->dy, b->dy_soc, (size_t)b->form.m * sizeof *b->dy);
      oc_barrier_set_dual_step(b);

      return true;
    }
  }
  return false;
}

// returns true if the step is below rounding for every variable at a nearly feasible point
static bool is_tiny(const oc_barrier *b) {
  if (b->theta > 1e-4) return false;
  for (int i = 0; i < b->form.nv; i++)
    if (fabs(b->dv[i]) > TINY * (1 + fabs(b->v[i]))) return false;
  return true;
}

// after repeated refusals by the filter only, empty it
static void count_refusals(oc_line_search *s) {
  s->refused = s->filter.by_filter ? s->refused + 1 : 0;
  if (s->refused < REFUSED || s->resets >= RESETS) return;
  oc_filter_reset(&s->filter);
  s->resets++;
  s->refused = 0;
}

// halve the step until the filter accepts it; `skip`: the full one was tried
static bool search_back(oc_line_search *s, oc_barrier *b, const oc_filter_reference *from,
                        double alpha, bool skip) {
  const double least = oc_filter_least_step(&s->filter, from);
  bool refused = false;
  if (skip) alpha *= 0.5;
  for (int k = 0; alpha > least || (k == 0 && !skip); k++, alpha *= 0.5) {
    double step = alpha;
    const dm_status tried = try_step(b, alpha, b->dv);
    if (tried == DM_CUT_SHORT) return false;
    if (tried < 0) continue; // undefined there: shorten
    bool taken = oc_filter_takes(&s->filter, from, alpha, b->theta_try, b->phi_try);
    refused = taken ? refused : s->filter.by_filter;
    if (!taken && k == 0 && !skip && b->theta_try >= from->theta) {
      taken = correct_step(s, b, from, &step);
      refused = taken ? refused : s->filter.by_filter;
    }
    if (!taken) continue;

    // add to the filter unless Armijo's condition decided
    s->filter.by_filter = refused;
    s->shortened = k > 0 || skip ? s->shortened + 1 : 0;
    if (!oc_filter_descends(from, alpha) || !oc_filter_armijo(from, alpha, b->phi_try))
      oc_filter_add(&s->filter, from->theta, from->phi);
    take_step(s, b, step, oc_barrier_reach_dual(b));
    return true;
  }
  return false;
}

// -- watchdog

static void copy_state(const oc_barrier *b, oc_line_search *s, bool back) {
  const size_t nv = (size_t)b->form.nv * sizeof(double), m = (size_t)b->form.m * sizeof(double);
  double *of_v[][2] = {{s->v, b->v},   {s->z_l, b->z_l},   {s->z_u, b->z_u},
                       {s->dv, b->dv}, {s->dz_l, b->dz_l}, {s->dz_u, b->dz_u}};
  double *of_c[][2] = {{s->y, b->y}, {s->dy, b->dy}};
  for (int i = 0; i < 6; i++) memcpy(of_v[i][back], of_v[i][!back], nv);
  for (int i = 0; i < 2; i++) memcpy(of_c[i][back], of_c[i][!back], m);
}

// return to the point before the watchdog, and search along its step
static bool stop_watching(oc_line_search *s, oc_barrier *b) {
  copy_state(b, s, true);
  s->watching = false;
  s->shortened = 0;
  b->known = false;
  // recompute the data of the iterate: rows for corrections, grad phi
  if (oc_barrier_evaluate(b) < 0) return false;
  return search_back(s, b, &s->watch_from, oc_barrier_reach(b, b->dv), true);
}

// one unconditional step; false: the search failed
static bool watch_step(oc_line_search *s, oc_barrier *b, double alpha) {
  if (try_step(b, alpha, b->dv) < 0) return stop_watching(s, b);
  if (oc_filter_takes(&s->filter, &s->watch_from, s->watch_alpha, b->theta_try, b->phi_try)) {
    // the filter accepts the point, compared with the start of the watchdog
    if (!oc_filter_descends(&s->watch_from, s->watch_alpha) ||
        !oc_filter_armijo(&s->watch_from, s->watch_alpha, b->phi_try))
      oc_filter_add(&s->filter, s->watch_from.theta, s->watch_from.phi);
    s->watching = false;
    s->shortened = 0;
    take_step(s, b, alpha, oc_barrier_reach_dual(b));
    return true;
  }
  if (++s->trusted > TRUSTED) return stop_watching(s, b);
  take_step(s, b, alpha, oc_barrier_reach_dual(b));
  return true;
}

// -- soft restoration

// a step with equal length for all variables and multipliers that decreases the residual of the
// barrier problem; false: the iterate is unchanged
static bool soften_step(oc_line_search *s, oc_barrier *b) {
  const oc_filter_reference from = {b->theta, b->phi, 0};
  const double alpha = fmin(oc_barrier_reach(b, b->dv), oc_barrier_reach_dual(b));
  const double before = oc_barrier_residual(b);
  if (s->soft >= SOFT || try_step(b, alpha, b->dv) < 0) return false;
  if (s->soft == 0) oc_filter_add(&s->filter, b->theta, b->phi);
  copy_state(b, s, false);

  // does the filter accept it?
  bool taken = oc_filter_takes(&s->filter, &from, 0, b->theta_try, b->phi_try);
  take_step(s, b, alpha, alpha);
  s->soft = taken ? 0 : s->soft + 1;
  if (taken) return true;
  if (oc_barrier_evaluate(b) >= 0 && oc_barrier_residual(b) <= SOFTER * before) return true;

  // undo
  copy_state(b, s, true);
  b->known = false;
  s->soft = 0;
  oc_barrier_evaluate(b);
  return false;
}

oc_search_end oc_line_search_run(oc_line_search *s, oc_barrier *b) {
  // cost, violation and slope to compare with
  double slope = 0;
  for (int i = 0; i < b->form.nv; i++) slope += b->slope[i] * b->dv[i];
  const oc_filter_reference from = {b->theta, b->phi, slope};

  const double alpha = oc_barrier_reach(b, b->dv);

  // rounding only: take the full step without the filter
  if (is_tiny(b) && try_step(b, alpha, b->dv) >= 0) {
    s->tiny++;
    s->watching = false;
    take_step(s, b, alpha, oc_barrier_reach_dual(b));
    return OC_SEARCH_TINY;
  }
  s->tiny = 0;

  bool taken;
  if (!s->watching && s->shortened >= SHORTENED) {
    copy_state(b, s, false);
    s->watching = true;
    s->trusted = 0;
    s->watch_from = from;
    s->watch_alpha = alpha;
  }
  if (s->soft > 0) {
    taken = soften_step(s, b);
  } else if (s->watching) {
    taken = watch_step(s, b, alpha) || soften_step(s, b);
  } else {
    count_refusals(s);
    taken = search_back(s, b, &from, alpha, false) || soften_step(s, b);
  }
  return taken ? OC_SEARCH_TAKEN : OC_SEARCH_FAILED;
}
