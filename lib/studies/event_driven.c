#include "lib/studies/event_driven.h"

#include "lib/contact/gap_rows.h"

#include <math.h>
#include <string.h>

// -- a part of a step, from w->qh with gaps w->gh and momentum w->p

static bool touches_at_start(const dm_contact_integrator *w, int i) {
  return w->gh[i] <= w->touch[i];
}

// The largest violation at w->g1 beyond the admitted one, rad or relative to the length scale; < 0:
// none. *which: its inequality.
static double find_deepest(const dm_contact_integrator *w, int *which) {
  const dm_unilateral *u = &w->c->g;
  double most = -INFINITY;
  *which = -1;
  for (int i = 0; i < w->ng; i++) {
    const double size = u->angle && u->angle[i] ? 1 : w->c->length;
    double beyond = (w->admitted[i] - w->g1[i]) / (u->scale[i] * size);
    if (!(beyond > most)) continue;
    most = beyond;
    *which = i;
  }
  return most;
}

// w->c->q after a time t, under equalities and resting contacts; the largest violation beyond the
// admitted one, and its inequality
static dm_status try_part(dm_contact_integrator *w, const dm_departure *at, double t,
                          double *beyond, int *which, dm_contact_integrator_info *info) {
  const dm_contact_equations part = {.balance = dm_complementarity_balance,
                                     .q0 = w->qh,
                                     .p = w->p,
                                     .u = at->u,
                                     .h = t,
                                     .place = 1,
                                     .share = 1,
                                     .m = info->smooth,
                                     .which = w->S,
                                     .level = w->level};

  // initial guess: the start, with all resting contacts closed
  memcpy(w->c->q, w->qh, (size_t)w->n * sizeof *w->qh);
  for (int k = 0; k < info->smooth; k++) w->c->closed[k] = true;
  dm_status status = dm_complementarity_solve(w->c, &part, &info->solve);
  if (status < 0) return status;
  DM_TRY(dm_contact_integrator_evaluate_gaps(w, w->c->q, w->g1, info));
  *beyond = find_deepest(w, which);
  return status;
}

// Step 3: the longest time t < end for which the motion is admissible within touch; leaves w->c->q
// there. `over` is the violation at `end`; *met: the new contact.
static dm_status find_contact_time(dm_contact_integrator *w, const dm_departure *at, double end,
                                   double over, double *t, int *met,
                                   dm_contact_integrator_info *info) {
  double low = 0, high = end, beyond = 0, below = -over, above = over;
  int which;
  dm_status status = DM_OK;

  // low is admissible, high is not, until they differ by rounding; alternate bisections and secants
  for (int k = 0; high - low > 1e-14 * at->h; k++) {
    double share = k % 2 ? below / (below - above) : 0.5;
    double middle = low + fmin(fmax(share, 1e-3), 1 - 1e-3) * (high - low);
    status = try_part(w, at, middle, &beyond, &which, info);
    if (status != DM_OK) return status;
    if (beyond > 0) {
      high = middle;
      above = beyond;
      *met = which;
      continue;
    }
    low = middle;
    below = beyond;

    // at the boundary within touch
    if (beyond >= -w->set.touch) break;
  }
  *t = low;
  return low > 0 ? try_part(w, at, low, &beyond, &which, info) : status;
}

// Contact i is met again before it separated: an elastic contact may be violated; an inelastic one
// joins S at its current depth.
static void press_contact(dm_contact_integrator *w, int i, double *end, double shortest,
                          dm_contact_integrator_info *info) {
  w->admitted[i] = -INFINITY;
  if (!w->c->g.restitution || w->c->g.restitution[i] == 1) {
    *end = fmin(*end, shortest);
    return;
  }
  w->level[info->smooth] = fmin(w->gh[i], 0);
  w->S[info->smooth++] = i;
}

// Steps 2 and 3: integrate until a contact, at most `rest`: w->c->q, and the time *t.
static dm_status go_to_contact(dm_contact_integrator *w, const dm_departure *at, double rest,
                               double *t, dm_contact_integrator_info *info) {
  const double shortest = w->set.flight * at->h;
  double end = rest;

  // existing contacts and penetrations may keep their depth
  memcpy(w->gh, w->g1, (size_t)w->ng * sizeof *w->gh);
  for (int i = 0; i < w->ng; i++) w->admitted[i] = fmin(w->gh[i], -w->touch[i]);
  info->smooth = 0;

  // repeat for each pressed contact, at most ng times
  for (;;) {
    int met;
    double beyond;
    *t = end;
    dm_status status = try_part(w, at, end, &beyond, &met, info);
    if (status != DM_OK || !(beyond > 0) || info->cuts == w->set.max_cuts) return status;
    status = find_contact_time(w, at, end, beyond, t, &met, info);
    if (status != DM_OK) return status;
    info->met = met;
    if (!touches_at_start(w, met) || *t >= fmin(shortest, end)) {
      info->cuts++;
      return DM_OK;
    }
    press_contact(w, met, &end, shortest, info);
  }
}

// Step 1: reflect the contacts at w->qh.
static dm_status reflect_touching(dm_contact_integrator *w, const dm_departure *at,
                                  dm_contact_integrator_info *info) {
  const dm_departure here = {w->qh, w->p, at->u, at->h};
  const dm_impact_energy kept = w->set.energy;
  const int passes = info->impact.passes;
  int m = 0;
  for (int i = 0; i < w->ng; i++)
    if (w->g1[i] <= w->touch[i]) w->C[m++] = i;
  info->candidates += m;
  if (m == 0) return DM_OK;
  dm_status status = dm_contact_integrator_reflect(w, &here, w->qh, m, w->p, info);

  // contacts that separate by the velocities of H_h may approach by those of H
  if (status == DM_OK && kept == DM_ENERGY_VERLET) {
    const int first = info->impact.passes;
    w->set.energy = DM_ENERGY_HAMILTONIAN;
    status = dm_contact_integrator_reflect(w, &here, w->qh, m, w->p, info);
    w->set.energy = kept;
    info->impact.passes += first;
  }
  info->impact.passes += passes;
  return status;
}

// Step 4: the momentum at the end of the part, projected on the resting contacts and the
// equalities.
static dm_status end_part(dm_contact_integrator *w, dm_contact_integrator_info *info) {
  const dm_complementarity *c = w->c;
  const dm_unilateral *u = &c->g;
  dm_complementarity_momentum(c, w->p);
  memcpy(w->qh, c->q, (size_t)w->n * sizeof *w->qh);

  // E, the closed contacts of S, with their impulses
  info->closed = 0;
  for (int k = 0; k < info->smooth; k++) {
    if (!c->closed[k]) continue;
    w->impulse[w->S[k]] += c->lambda[k];
    w->contact[w->S[k]] = true;
    w->E[info->closed++] = w->S[k];
  }
  DM_TRY(dm_gap_rows(u, c->uni_scratch, w->qh, info->closed, w->E, w->r, &w->G));
  return dm_contact_integrator_restrict(w, w->qh, info->closed, w->p);
}

static dm_status step_by_events(dm_contact_integrator *w, const dm_departure *at, double *q1,
                                double *p1, dm_contact_integrator_info *info) {
  const size_t size = (size_t)w->n * sizeof *q1;
  dm_status status = DM_OK;

  // qh and p are the current state, with its gaps in g1; velocities are those of whole steps
  w->h = at->h;
  memcpy(w->qh, at->q, size);
  memcpy(w->p, at->p, size);
  memcpy(w->g1, w->g0, (size_t)w->ng * sizeof *w->g1);
  for (double rest = at->h, t = 0; rest > 0 && status == DM_OK; rest -= t) {
    status = reflect_touching(w, at, info);
    if (status == DM_OK) status = go_to_contact(w, at, rest, &t, info);
    if (status == DM_OK) status = end_part(w, info);
  }
  if (status < 0) return status;

  // after a failed part, g1 contains the gaps of its last iterate
  if (status != DM_OK) DM_TRY(dm_contact_integrator_evaluate_gaps(w, w->qh, w->g1, info));
  memcpy(q1, w->qh, size);
  memcpy(p1, w->p, size);
  return status == DM_OK && info->cuts == w->set.max_cuts ? DM_MAX_ITER : status;
}

const dm_contact_method dm_collision = {.name = "collision",
                                        .step = step_by_events,
                                        .takes = "flight impact conserve",
                                        .bounces_each_time = true};
