#include "lib/studies/event_driven.h"

#include <math.h>
#include <string.h>

// Step 2 over a time t under equalities alone, from w->p at w->qh: w->c->q; out: how far the deepest
// inequality is below its boundary, m or rad.
static dm_status try_free_step(dm_contact_integrator *w, const dm_departure *at, double t,
                               double *penetration, dm_contact_integrator_info *info) {
  dm_contact_equations free = {
      .balance = dm_complementarity_balance, .q0 = w->qh, .p = w->p, .u = at->u, .h = t};

  // guessed where it starts
  memcpy(w->c->q, w->qh, (size_t)w->n * sizeof *w->qh);
  dm_status status = dm_complementarity_solve(w->c, &free, &info->solve);
  if (status < 0) return status;
  DM_TRY(dm_contact_integrator_evaluate_gaps(w, w->c->q, w->g1, info));
  *penetration = info->penetration;
  return status;
}

// Step 3: the longest step t below `rest` that stays admissible within touch; that of `rest` does
// not.
static dm_status find_contact_time(dm_contact_integrator *w, const dm_departure *at, double rest,
                                   double *t, dm_contact_integrator_info *info) {
  double penetration, beyond = rest;
  *t = 0;

  // t stays admissible, beyond does not, until they differ by rounding
  while (beyond - *t > 1e-14 * at->h) {
    double middle = (*t + beyond) / 2;
    dm_status status = try_free_step(w, at, middle, &penetration, info);
    if (status != DM_OK) return status;
    if (penetration > w->set.touch)
      beyond = middle;
    else
      *t = middle;
  }
  return DM_OK;
}

// step 1: what touches at w->qh is reflected
static dm_status reflect_touching(dm_contact_integrator *w, const dm_departure *at,
                                  dm_contact_integrator_info *info) {
  const dm_departure here = {w->qh, w->p, at->u, at->h};
  int m = 0;
  for (int i = 0; i < w->ng; i++)
    if (w->g1[i] <= w->set.touch * w->c->g.scale[i]) w->C[m++] = i;
  info->candidates += m;
  return m ? dm_contact_integrator_reflect(w, &here, w->qh, m, w->p, info) : DM_OK;
}

// From w->qh, w->p the rest of the step, or up to the next contact; out: how long that was.
static dm_status advance_to_contact(dm_contact_integrator *w, const dm_departure *at, double rest,
                                    double *t, dm_contact_integrator_info *info) {
  const size_t size = (size_t)w->n * sizeof *w->p;
  double penetration;
  dm_status status = reflect_touching(w, at, info);
  if (status != DM_OK) return status;

  // 2  all of the rest, if nothing is met
  *t = rest;
  status = try_free_step(w, at, rest, &penetration, info);
  if (status == DM_OK && penetration > w->set.touch && info->cuts < w->set.max_cuts) {
    // 3  up to the contact
    info->cuts++;
    status = find_contact_time(w, at, rest, t, info);
    if (status != DM_OK) return status;

    // shorter ones round to nothing; pressed to a boundary, it goes a little way into it
    *t = fmin(rest, fmax(*t, 1e-6 * at->h));
    status = try_free_step(w, at, *t, &penetration, info);
  }
  if (status != DM_OK) return status;

  // 4  the momentum there
  dm_complementarity_momentum(w->c, w->p);
  memcpy(w->qh, w->c->q, size);
  return dm_contact_integrator_restrict(w, w->qh, 0, w->p);
}

static dm_status step_by_events(dm_contact_integrator *w, const dm_departure *at, double *q1,
                                double *p1, dm_contact_integrator_info *info) {
  const size_t size = (size_t)w->n * sizeof *q1;
  dm_status status = DM_OK;

  // qh and p go along, with the gaps there in g1
  memcpy(w->qh, at->q, size);
  memcpy(w->p, at->p, size);
  memcpy(w->g1, w->g0, (size_t)w->ng * sizeof *w->g1);
  for (double rest = at->h, t = 0; rest > 0 && status == DM_OK; rest -= t)
    status = advance_to_contact(w, at, rest, &t, info);
  if (status < 0) return status;
  memcpy(q1, w->qh, size);
  memcpy(p1, w->p, size);
  return status == DM_OK && info->cuts == w->set.max_cuts ? DM_MAX_ITER : status;
}

const dm_contact_method dm_collision = {.name = "collision", .step = step_by_events};
