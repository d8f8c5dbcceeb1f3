#include "lib/contact/contact_workspace.h"

#include "lib/base/dense.h"

#include <math.h>
#include <string.h>

// -- conserved energies

// out [m x n] = W times each of m rows of B; W is the second derivative of the conserved energy by
// p
static dm_status apply_metric(void *self, int m, const double *B, double *out) {
  dm_contact_integrator *w = self;
  if (w->set.energy == DM_ENERGY_VERLET) return dm_mass_matrix_verlet(w->mass, w->h, m, B, out);
  return dm_mass_matrix_velocity(w->mass, m, B, out);
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
  const dm_holonomic *hol = &w->c->s.hol;

  // h |W L_q|^(1/2), the speed from the forces of a step: much lower speeds are rest
  w->h = at->h;
  w->at = at;
  dm_mass_matrix_place(w->mass, at->q);
  DM_TRY(apply_metric(w, 1, w->c->d->nodes->jet.L_q, w->v));
  w->fall_speed = at->h * sqrt(fmax(dm_inner(w->n, w->c->d->nodes->jet.L_q, w->v), 0));

  // rows of C and of the equalities; the conserved energy
  DM_TRY(u->rows(u->self, w->c->uni_scratch, gradient, m, w->C, w->r, w->G));
  if (w->nc) DM_TRY(hol->eval(hol->self, w->c->hol_scratch, at->q, w->c->a, w->c->A0));
  const dm_conserved E = {.self = w,
                          .metric = apply_metric,
                          .value =
                              w->set.energy == DM_ENERGY_DISCRETE ? evaluate_discrete_energy : NULL,
                          .slow = w->fall_speed};
  for (int i = 0; i < m; i++) w->e[i] = dm_contact_integrator_restitution(w, w->C[i]);

  dm_status status = dm_impact_apply(w->R, w->set.impact, &E, w->c->A0, m, w->G,
                                     u->restitution ? w->e : NULL, p, w->r, &info->impact);

  // a row with an impulse was in contact, even if it separates at once
  for (int i = 0; status >= 0 && i < m; i++) {
    w->impulse[w->C[i]] += w->r[i];
    w->contact[w->C[i]] |= w->r[i] > 0;
  }
  return status;
}

dm_status dm_contact_integrator_factor_rows(dm_contact_integrator *w, const double *q, int k) {
  const dm_holonomic *hol = &w->c->s.hol;
  const int n = w->n, m = k + w->nc;
  w->rank = 0;
  dm_mass_matrix_place(w->mass, q);
  if (m == 0) return DM_OK;
  if (w->nc) DM_TRY(hol->eval(hol->self, w->c->hol_scratch, q, w->c->a, w->G + k * n));
  DM_TRY(apply_metric(w, m, w->G, w->WG));

  // L D L' = G W G' by rows, equalities first; D on the diagonal (see lib/base/nnls.c)
  int rank = 0, *row = w->row;
  for (int i = m - 1; i >= 0 && rank < n; i--) {
    const double *G = w->G + i * n;
    double *L = w->L + rank * n;
    double size = dm_inner(n, G, w->WG + i * n), rest = size;
    for (int j = 0; j < rank; j++)
      L[j] = dm_inner(n, G, w->WG + row[j] * n) - dm_inner(j, L, w->L + j * n);
    for (int j = 0; j < rank; j++) {
      const double both = L[j];
      L[j] /= w->L[j * (n + 1)];
      rest -= both * L[j];
    }

    // skip a dependent row, whose remainder is rounding
    if (!(rest > 1e-12 * size)) continue;
    L[rank] = rest;
    row[rank++] = i;
  }
  w->rank = rank;
  return DM_OK;
}

dm_status dm_contact_integrator_remove_rates(dm_contact_integrator *w, double *p) {
  const int n = w->n, rank = w->rank;
  if (rank == 0) return DM_OK;
  DM_TRY(apply_metric(w, 1, p, w->v));

  // L D L'y = -G v, forward and backward substitution; p + G'y
  for (int i = 0; i < rank; i++)
    w->y[i] = -dm_inner(n, w->G + w->row[i] * n, w->v) - dm_inner(i, w->L + i * n, w->y);
  for (int i = 0; i < rank; i++) w->y[i] /= w->L[i * (n + 1)];
  for (int i = rank - 1; i >= 0; i--) {
    const double mu = w->y[i];
    for (int j = 0; j < i; j++) w->y[j] -= w->L[i * n + j] * mu;
    for (int j = 0; j < n; j++) p[j] += mu * w->G[w->row[i] * n + j];
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
