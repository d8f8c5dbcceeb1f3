#include "lib/contact/friction_step.h"

#include "lib/base/dense.h"

#include <math.h>
#include <string.h>

// those of `which` that have friction and an impulse; N: of all
static void choose(dm_contact_integrator *w, int k, const int *which, const double *N) {
  dm_friction *F = w->F;
  F->m = 0;
  for (int i = 0; i < k; i++) {
    double mu = w->c->g.friction[which[i]];
    if (!(mu > 0)) continue;
    F->which[F->m] = which[i];
    F->mu[F->m] = mu, F->N[F->m++] = N[i];
  }
}

// K and B, of tangents F->T, with what dm_contact_integrator_hold has made ready of inequalities
// `which`; and the speed of p
static dm_status couple(dm_contact_integrator *w, int k, const int *which, const double *p) {
  dm_friction *F = w->F;
  const int n = w->n, m = 2 * F->m;
  F->speed = 0;
  memset(F->B, 0, (size_t)(F->m * m) * sizeof *F->B);
  memcpy(F->Tp, F->T, (size_t)(m * n) * sizeof *F->T);
  for (int j = 0; j < m; j++) {
    DM_TRY(dm_contact_integrator_release(w, F->Tp + j * n));
    for (int r = 0; r < w->rank; r++)
      for (int i = 0; w->row[r] < k && i < F->m; i++)
        if (F->which[i] == which[w->row[r]]) F->B[i * m + j] = w->y[r];
    DM_TRY(dm_mass_matrix_velocity(w->mass, 1, F->Tp + j * n, F->WT + j * n));
    double speed = 0;
    for (int i = 0; i < n; i++) speed += fabs(F->WT[j * n + i] * p[i]);
    F->speed = fmax(F->speed, speed);
  }
  for (int i = 0; i < m; i++)
    for (int j = 0; j < m; j++) F->K[i * m + j] = dm_inner(n, F->Tp + i * n, F->WT + j * n);
  return DM_OK;
}

// t into w->rub, what it adds to normal impulses into w->impulse
static void keep(dm_contact_integrator *w) {
  const dm_friction *F = w->F;
  const int m = 2 * F->m;
  for (int i = 0; i < F->m; i++) {
    w->impulse[F->which[i]] += dm_inner(m, F->B + i * m, F->t);
    for (int k = 0; k < 2; k++) w->rub[2 * F->which[i] + k] += F->t[2 * i + k];
  }
}

dm_status dm_contact_integrator_rub(dm_contact_integrator *w, const double *q, int k,
                                    const int *which, const double *N, double *p,
                                    dm_contact_integrator_info *info) {
  const dm_unilateral *u = &w->c->g;
  dm_friction *F = w->F;
  const int n = w->n;
  choose(w, k, which, N);
  if (F->m == 0) return DM_OK;
  DM_TRY(u->tangents(u->self, w->c->uni, q, F->m, F->which, F->at0, F->T));
  DM_TRY(dm_contact_integrator_hold(w, q, k));
  DM_TRY(couple(w, k, which, p));
  memset(F->t, 0, 2 * (size_t)F->m * sizeof *F->t);
  for (int j = 0; j < 2 * F->m; j++) F->c[j] = dm_inner(n, F->WT + j * n, p);
  dm_status s = dm_friction_solve(F);
  info->unsettled |= s == DM_MAX_ITER;
  if (s < 0) return s;
  for (int j = 0; j < 2 * F->m; j++) dm_add_to(n, F->t[j], F->Tp + j * n, p);
  keep(w);
  return s;
}

// the tangents' ways over h in F->shift, and K of what is held
static dm_status measure(dm_contact_integrator *w, const dm_closing *at) {
  const dm_complementarity *c = w->c;
  const dm_unilateral *u = &c->g;
  dm_friction *F = w->F;
  int held = 0;
  DM_TRY(u->tangents(u->self, c->uni, c->q, F->m, F->which, F->at1, NULL));
  for (int j = 0; j < 2 * F->m; j++) F->shift[j] = (F->at1[j] - F->at0[j]) / at->h;
  for (int k = 0; k < at->m; k++)
    if (c->held[k]) w->E[held++] = at->which[k];
  if (held) DM_TRY(u->rows(u->self, c->uni, at->q0, held, w->E, w->r, w->G));
  DM_TRY(dm_contact_integrator_hold(w, at->q0, held));
  DM_TRY(couple(w, held, w->E, at->p));
  F->speed = fmax(F->speed, dm_largest(2 * F->m, F->at1) / at->h); // ways are differences of these
  for (int i = 0, k = 0; k < at->m; k++)                           // in the order of choose
    if (i < F->m && F->which[i] == at->which[k]) F->N[i++] = c->lambda[k];
  return DM_OK;
}

// Newton's method with the K of velocities: a step's way along the tangents changes with t as K t
// does, to first order in h.
dm_status dm_contact_integrator_slide(dm_contact_integrator *w, const dm_closing *closing,
                                      dm_contact_integrator_info *info) {
  enum { PASSES = 100, HALVED = 10 };
  const dm_unilateral *u = &w->c->g;
  dm_friction *F = w->F;
  dm_closing at = *closing;
  const int n = w->n;
  double last = INFINITY;
  choose(w, at.m, at.which, w->level);
  if (F->m == 0) return dm_complementarity_solve(w->c, &at, &info->closing);
  const int m = 2 * F->m;
  at.p = F->p;
  memset(F->t, 0, (size_t)m * sizeof *F->t);
  DM_TRY(u->tangents(u->self, w->c->uni, at.q0, F->m, F->which, F->at0, F->T));
  for (int pass = 0; pass < PASSES; pass++) {
    memcpy(F->p, closing->p, (size_t)n * sizeof *F->p);
    for (int j = 0; j < m; j++) dm_add_to(n, F->t[j], F->T + j * n, F->p);
    dm_status s = dm_complementarity_solve(w->c, &at, &info->closing);
    if (s != DM_OK) return s;
    info->rubs++;
    DM_TRY(measure(w, &at));
    // about the t at hand, kept in F->at1
    memcpy(F->at1, F->t, (size_t)m * sizeof *F->t);
    for (int j = 0; j < m; j++) F->c[j] = F->shift[j] - dm_inner(m, F->K + j * m, F->t);
    for (int i = 0; i < F->m; i++) F->N[i] -= dm_inner(m, F->B + i * m, F->t);
    s = dm_friction_solve(F);
    if (s < 0) return s;
    const double change = dm_friction_change(F, F->at1);
    bool settled = change <= 1e-14 || (change >= last / 2 && change <= 1e-9);
    if (s == DM_OK && settled) {
      memcpy(F->t, F->at1, (size_t)m * sizeof *F->t); // what the step was taken with
      for (int i = 0; i < F->m; i++)
        for (int k = 0; k < 2; k++) w->rub[2 * F->which[i] + k] += F->t[2 * i + k];
      return DM_OK;
    }
    last = change;
    // what goes to and fro is met half-way
    for (int j = 0; pass >= HALVED && j < m; j++) F->t[j] = (F->t[j] + F->at1[j]) / 2;
  }
  info->unsettled = true;
  return DM_MAX_ITER;
}
