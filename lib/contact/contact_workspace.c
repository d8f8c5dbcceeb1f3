#include "lib/contact/contact_workspace.h"

#include "lib/base/dense.h"
#include "lib/contact/gap_rows.h"

#include <math.h>
#include <string.h>

// -- conserved energies

// out [n] = W p; W is the second derivative of the conserved energy by p
static dm_status apply_metric(void *self, const double *p, double *out) {
  dm_contact_integrator *w = self;
  if (w->set.energy == DM_ENERGY_VERLET) return dm_mass_matrix_verlet(w->mass, w->h, 1, p, out);
  return dm_mass_matrix_velocity(w->mass, 1, p, out);
}

// the same for t times row i of B, appended to out
static dm_status append_metric(void *self, double t, const dm_sparse_rows *B, int i,
                               dm_sparse_rows *out) {
  dm_contact_integrator *w = self;
  if (w->set.energy != DM_ENERGY_VERLET) return dm_mass_matrix_append(w->mass, t, B, i, out);
  memset(w->full, 0, 2 * (size_t)w->n * sizeof *w->full);
  dm_sparse_rows_add_to(B, i, t, w->full);
  DM_TRY(dm_mass_matrix_verlet(w->mass, w->h, 1, w->full, w->full + w->n));
  dm_sparse_rows_append_dense(out, w->full + w->n);
  return DM_OK;
}

// w->A: the equalities at q, from their rows A [nc x n]
static dm_status list_equalities(dm_contact_integrator *w, const double *q, double *A) {
  const dm_holonomic *hol = &w->c->s.hol;
  w->A.m = 0;
  if (w->nc) DM_TRY(hol->eval(hol->self, w->c->hol_scratch, q, w->c->a, A));
  for (int i = 0; i < w->nc; i++) dm_sparse_rows_append_dense(&w->A, A + i * w->n);
  return DM_OK;
}

// a step from p under the equalities alone: w->c->q
static dm_status step_freely(dm_contact_integrator *w, const dm_departure *at, const double *p,
                             dm_complementarity_info *info) {
  dm_contact_equations free = {
      .balance = dm_complementarity_balance, .q0 = at->q, .p = p, .u = at->u, .h = at->h};

  // initial guess: the start
  if (w->c->q != at->q) memcpy(w->c->q, at->q, (size_t)w->n * sizeof *p);
  return dm_complementarity_solve(w->c, &free, info);
}

// -dLd/dh = sum_s weight_s (v.L_v - L) of the step from p, or of the step that arrives with p
static dm_status evaluate_discrete_energy(void *self, bool leaves, const double *p, double *E) {
  dm_contact_integrator *w = self;
  const dm_departure *at = w->at, there = {at->q, p, at->u, leaves ? at->h : -at->h};
  dm_complementarity_info info;
  DM_TRY(step_freely(w, &there, p, &info));
  DM_TRY(dm_interval_eval(w->c->d, 1, at->q, w->c->q, at->u, there.h));
  *E = w->c->d->energy;
  return DM_OK;
}

// -- shared operations

dm_status dm_contact_integrator_evaluate_gaps(dm_contact_integrator *w, const double *q, double *g,
                                              dm_contact_integrator_info *info) {
  const dm_unilateral *u = &w->c->g;
  info->penetration = 0;
  DM_TRY(u->values(u->self, w->c->uni_scratch, q, g));

  // as a distance from the boundary
  for (int i = 0; i < w->ng; i++) info->penetration = fmax(info->penetration, -g[i] / u->scale[i]);
  return DM_OK;
}

double dm_contact_integrator_restitution(const dm_contact_integrator *w, int i) {
  // a contact that existed before rests: it would bounce by the velocity from a step's forces, and
  // sink gradually
  double e = w->c->g.restitution ? w->c->g.restitution[i] : 1;
  return e < 1 && w->before[i] && !w->method->bounces_each_time ? 0 : e;
}

dm_status dm_contact_integrator_reflect(dm_contact_integrator *w, const dm_departure *at,
                                        const double *gradient, int m, double *p,
                                        dm_contact_integrator_info *info) {
  const dm_unilateral *u = &w->c->g;

  // h |W L_q|^(1/2), the speed from the forces of a step: much lower speeds are rest
  w->h = at->h;
  w->at = at;
  dm_mass_matrix_place(w->mass, at->q);
  DM_TRY(apply_metric(w, w->c->d->nodes->jet.L_q, w->v));
  w->fall_speed = at->h * sqrt(fmax(dm_inner(w->n, w->c->d->nodes->jet.L_q, w->v), 0));

  // rows of C and of the equalities; the conserved energy
  DM_TRY(dm_gap_rows(u, w->c->uni_scratch, gradient, m, w->C, w->r, &w->G));
  DM_TRY(list_equalities(w, at->q, w->c->A0));
  const dm_conserved E = {.self = w,
                          .rows = append_metric,
                          .metric = apply_metric,
                          .value =
                              w->set.energy == DM_ENERGY_DISCRETE ? evaluate_discrete_energy : NULL,
                          .slow = w->fall_speed};
  for (int i = 0; i < m; i++) w->e[i] = dm_contact_integrator_restitution(w, w->C[i]);

  dm_status status = dm_impact_apply(w->R, w->set.impact, &E, &w->A, &w->G,
                                     u->restitution ? w->e : NULL, p, w->r, &info->impact);

  // a row with an impulse was in contact, even if it separates at once
  for (int i = 0; status >= 0 && i < m; i++) {
    w->impulse[w->C[i]] += w->r[i];
    w->contact[w->C[i]] |= w->r[i] > 0;
  }
  return status;
}

dm_status dm_contact_integrator_factor_rows(dm_contact_integrator *w, const double *q, int k) {
  w->G.m = k;
  dm_mass_matrix_place(w->mass, q);
  DM_TRY(list_equalities(w, q, w->c->A1));
  w->J.m = w->T.m = 0;
  for (int i = 0; i < w->nc; i++) {
    dm_sparse_rows_append(&w->J, 1, &w->A, i);
    DM_TRY(append_metric(w, 1, &w->A, i, &w->T));
    w->number[i] = i;
  }
  for (int i = 0;;) {
    // as many rows as there is room for
    for (; i < k && w->J.m < w->factors->most; i++) {
      w->number[w->J.m] = w->nc + i;
      dm_sparse_rows_append(&w->J, 1, &w->G, i);
      DM_TRY(append_metric(w, 1, &w->G, i, &w->T));
    }
    DM_TRY(dm_row_set_factor(w->factors, &w->J, &w->T, w->nc, 1e-12));
    if (i == k) return DM_OK;

    // remove dependent rows for the remaining ones
    const int m = w->J.m;
    w->J.m = w->T.m = 0;
    for (int j = 0; j < m; j++) {
      if (w->factors->dependent[j]) continue;
      w->number[w->J.m] = w->number[j];
      dm_sparse_rows_append(&w->J, 1, &w->J, j);
      dm_sparse_rows_append(&w->T, 1, &w->T, j);
    }
  }
}

dm_status dm_contact_integrator_remove_rates(dm_contact_integrator *w, double *p) {
  const int m = w->J.m;
  memset(w->y, 0, (size_t)(w->nc + w->G.m) * sizeof *w->y);
  if (m == 0) return DM_OK;
  DM_TRY(apply_metric(w, p, w->v));

  // S y = -J v; p + J'y
  for (int i = 0; i < m; i++) w->rate[i] = -dm_sparse_rows_inner(&w->J, i, w->v);
  dm_row_set_solve(w->factors, w->rate);
  for (int i = 0; i < m; i++) {
    w->y[w->number[i]] = w->rate[i];
    dm_sparse_rows_add_to(&w->J, i, w->rate[i], p);
  }
  return DM_OK;
}

dm_status dm_contact_integrator_restrict(dm_contact_integrator *w, const double *q, int k,
                                         double *p) {
  DM_TRY(dm_contact_integrator_factor_rows(w, q, k));
  return dm_contact_integrator_remove_rates(w, p);
}

// -- predictors

dm_status dm_predict_forward(dm_contact_integrator *w, const dm_departure *at, double *q) {
  dm_mass_matrix_place(w->mass, at->q);
  DM_TRY(dm_mass_matrix_velocity(w->mass, 1, at->p, w->v));
  for (int i = 0; i < w->n; i++) q[i] = at->q[i] + at->h * w->v[i];
  return DM_OK;
}

dm_status dm_predict_step(dm_contact_integrator *w, const dm_departure *at, double *q) {
  dm_complementarity_info info;
  DM_TRY(step_freely(w, at, at->p, &info));
  memcpy(q, w->c->q, (size_t)w->n * sizeof *q);
  return DM_OK;
}
