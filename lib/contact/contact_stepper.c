#include "lib/contact/contact_stepper.h"

#include <assert.h>
#include <math.h>

static dm_status take_contact_step(void *self, int k, const double *q0, const double *p0,
                                   const double *u, double h, double *q1, double *p1,
                                   double *lambda) {
  dm_contact_count *count = self;
  dm_contact_integrator *w = count->steps;
  dm_contact_integrator_info *info = &count->info;
  (void)k;
  dm_status s = dm_contact_integrator_step(w, q0, p0, u, h, q1, p1, info);
  if (s < 0) return s;

  // impulses of equalities have the opposite sign of the multipliers gamma
  for (int i = 0; i < w->nc; i++) lambda[i] = -w->c->gamma[i];

  // statistics
  count->made += info->made;
  count->left += info->left;
  count->reflections += info->impact.passes;
  count->deepest = fmax(count->deepest, info->penetration);
  return s;
}

static void explain_contact_step(const void *self, dm_message *msg, dm_status s, int k,
                                 const char *const *name) {
  const dm_contact_count *count = self;
  (void)name;
  dm_contact_integrator_explain(msg, s, count->steps, &count->info, k);
}

dm_stepper dm_contact_stepper(dm_contact_count *count) {
  assert(count && count->steps);
  return (dm_stepper){.self = count,
                      .residual = count->steps->c->a,
                      .step = take_contact_step,
                      .explain = explain_contact_step};
}

dm_contact_event dm_contact_event_of(const dm_contact_integrator *w, int i) {
  assert(w && i >= 0 && i < w->ng);
  if (w->before[i]) return w->contact[i] ? DM_CONTACT_CLOSED : DM_CONTACT_LEFT;
  return w->contact[i] ? DM_CONTACT_MADE : DM_CONTACT_OPEN;
}
