#include "optim/interior/phase.h"

#include <math.h>

static const double BARRIER_SOLVED = 10;                  // kappa_eps
static const double SLOWER = 0.2, FASTER = 1.5;           // kappa_mu, theta_mu
static const double DUAL_LIMIT = 1, GAP_LIMIT = 1e-4;     // unscaled, dual_inf_tol, compl_inf_tol
static const double ROUNDED_GAP = 1e-2, LEAST_GAP = 1e-3; // relative to the tolerance: of a bound,
                                                          // of mu
static const double STAGES_SHIFT = 100;                   // while stages cannot be factored
enum { LONG_ROW = 15, ROUNDED_ROW = 6 };                  // acceptable_iter
static const double ACCEPTABLE_VIOLATION = 1e-6, ACCEPTABLE_GAP = 1e-2;

double oc_phase_violation(const oc_phase *p) {
  const oc_equality_form *f = &p->b.form;
  double largest = 0;
  for (int i = 0; i < f->m; i++)
    largest = fabs(p->b.c[i]) > largest * f->scale[i] ? fabs(p->b.c[i]) / f->scale[i] : largest;
  return largest;
}

// Returns true if the barrier contributes at most the tolerance to the objective, or rounding at
// each bound. The restoration has no such objective.
static bool is_gap_closed(const oc_phase *p) {
  int bounds;
  const double sum = oc_barrier_sum_gaps(&p->b, &bounds);
  return p->b.form.elastic || sum <= p->tol * fmax(fabs(p->b.F), ROUNDED_GAP * bounds);
}

// the smallest barrier parameter, for which the gap is closed
static double find_least_mu(const oc_phase *p) {
  const double least = fmin(p->tol, GAP_LIMIT) / (BARRIER_SOLVED + 1);
  int bounds;
  (void)oc_barrier_sum_gaps(&p->b, &bounds);
  if (p->b.form.elastic || bounds == 0) return least;
  return fmin(least, p->tol * fmax(0.5 * fabs(p->b.F) / bounds, LEAST_GAP));
}

static bool is_near_solved(const oc_phase *p) {
  return p->error.total <= p->acceptable_tol &&
         p->error.gap <= ACCEPTABLE_GAP * p->b.form.f_scale &&
         oc_phase_violation(p) <= ACCEPTABLE_VIOLATION;
}

oc_phase_end oc_phase_judge(oc_phase *p) {
  p->error = oc_barrier_measure(&p->b);
  if (isnan(p->error.dual) || isnan(p->error.violation)) {
    p->status = DM_NOT_FINITE; // a multiplier or a derivative overflows
    return OC_PHASE_FAILED;
  }
  oc_phase_end end = p->arrived(p->user, p);
  if (end != OC_PHASE_GOING) return end;
  const double unit = p->b.form.f_scale;
  if (p->error.total <= p->tol && p->error.dual <= DUAL_LIMIT * unit &&
      p->error.gap <= GAP_LIMIT * unit && oc_phase_violation(p) <= p->tol && is_gap_closed(p))
    return OC_PHASE_SOLVED;
  p->in_row = is_near_solved(p) ? p->in_row + 1 : 0;
  // repeatedly acceptable; fewer times if the gradient is at rounding level
  bool rounding = fmax(p->error.dual, p->b.mu) <= p->rounding;
  if (p->in_row >= (rounding ? ROUNDED_ROW : LONG_ROW)) return OC_PHASE_ACCEPTABLE;
  return *p->iteration >= p->max_iter ? OC_PHASE_LIMIT : OC_PHASE_GOING;
}

// the next barrier parameters, as many as the iterate solves; false: it is minimal and steps are
// tiny
static bool lower_barrier(oc_phase *p) {
  oc_barrier *b = &p->b;
  const double least = find_least_mu(p);
  bool tiny = p->search.tiny > 0;
  while (tiny || oc_barrier_measure_gap(b, b->mu).total <= BARRIER_SOLVED * b->mu) {
    double mu = fmax(least, fmin(SLOWER * b->mu, pow(b->mu, FASTER)));
    if (mu >= b->mu) return !tiny || p->search.tiny < 2;
    oc_barrier_set_mu(b, mu);
    oc_line_search_forget(&p->search);
    tiny = false;
  }
  return true;
}

// The shift grows without bound: beyond use, or so far that stages find no pivots and ldl does each
// factorization.
static bool runs_away(const oc_phase *p) {
  const oc_barrier *b = &p->b;
  if (p->largest_shift == 0 || b->spared) return false;
  return b->shift.w > p->largest_shift || (b->shift.w > STAGES_SHIFT && !b->kkt->by_stages);
}

oc_phase_end oc_phase_end_of(dm_status failure) {
  return failure == DM_CUT_SHORT ? OC_PHASE_STOPPED : OC_PHASE_FAILED;
}

// a Newton step and a line search
static oc_phase_end move_iterate(oc_phase *p) {
  oc_barrier *b = &p->b;
  p->status = oc_equality_form_hessian(&b->form, b->v, b->y);
  if (p->status == DM_OK) p->status = oc_barrier_factor(b);
  if (p->status == DM_OK) p->status = oc_barrier_step(b);
  if (p->status == DM_SINGULAR) return p->rescue(p->user, p);
  if (p->status < 0) return oc_phase_end_of(p->status);
  if (runs_away(p)) return OC_PHASE_SHIFTED;
  if (oc_line_search_run(&p->search, b) != OC_SEARCH_FAILED) return OC_PHASE_GOING;
  if (oc_deadline_ask(b->kkt->deadline) != DM_OK) return OC_PHASE_STOPPED;
  return p->rescue(p->user, p);
}

oc_phase_end oc_phase_run(oc_phase *p) {
  oc_phase_end end = OC_PHASE_GOING;
  while (end == OC_PHASE_GOING) {
    p->status = oc_barrier_evaluate(&p->b);
    if (p->status < 0) return oc_phase_end_of(p->status);
    end = oc_phase_judge(p);
    if (end != OC_PHASE_GOING) return end;
    if (!p->fresh && !lower_barrier(p)) return OC_PHASE_TINY;
    p->fresh = false;
    ++*p->iteration;
    end = move_iterate(p);
  }
  return end;
}
