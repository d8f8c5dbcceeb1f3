#include "optim/interior/quadratic_step.h"

enum { MOST_STEPS = 60 };
static const double FREE_STEP = 0.9; // of the first step: bounds stay as they are
static const double RAISED_MU = 1e-5;
static const double LARGEST_RISE = 1e4; // theta_max_fact

// a bound stops the first step: continue along the central path
static oc_phase_end model_arrived(void *user, oc_phase *p) {
  (void)user;
  if (*p->iteration == 1 && p->search.alpha < FREE_STEP && p->b.mu < RAISED_MU) {
    oc_barrier_set_mu(&p->b, RAISED_MU);
    oc_line_search_start(&p->search, p->b.theta, LARGEST_RISE);
  }
  return oc_deadline_ask(p->b.kkt->deadline) == DM_OK ? OC_PHASE_GOING : OC_PHASE_STOPPED;
}

static oc_phase_end model_rescue(void *user, oc_phase *p) {
  (void)user;
  (void)p;
  return OC_PHASE_STALLED;
}

oc_phase_end oc_quadratic_solve(oc_phase *p) {
  oc_barrier *b = &p->b;
  int steps = 0;
  // 1. the model
  dm_status s = oc_equality_form_hessian(&b->form, b->v, b->y);
  if (s != DM_OK) return oc_phase_end_of(s);
  oc_equality_form_freeze(&b->form, b->v, b->F, b->grad, b->c);

  // 2. its solution
  oc_phase model = *p;
  model.arrived = model_arrived;
  model.rescue = model_rescue;
  model.iteration = &steps;
  model.max_iter = MOST_STEPS;
  model.largest_shift = 0;
  model.fresh = true;
  model.in_row = 0;
  oc_line_search_start(&model.search, b->theta, LARGEST_RISE);
  const oc_phase_end end = oc_phase_run(&model);

  // 3. the iterate; arrays are shared
  b->mu = model.b.mu;
  b->tau = model.b.tau;
  b->shift = model.b.shift;
  b->form.frozen = false;
  b->known = false;
  // a limit of steps is that of this model, not of the whole solve
  if (end == OC_PHASE_LIMIT) return OC_PHASE_STALLED;
  return end == OC_PHASE_ACCEPTABLE || end == OC_PHASE_TINY ? OC_PHASE_SOLVED : end;
}
