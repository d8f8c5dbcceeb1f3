#include "lib/contact/friction_step.h"

#include "lib/base/dense.h"
#include "lib/contact/gap_rows.h"

#include <math.h>
#include <string.h>

// the contacts of F: the entries of `which` [k] with friction, with their normal impulses N [k]
static void choose_rough(dm_contact_integrator *w, int k, const int *which, const double *N) {
  dm_friction *F = w->F;
  F->m = 0;
  for (int i = 0; i < k; i++) {
    double mu = w->c->g.friction[which[i]];
    if (!(mu > 0)) continue;
    F->which[F->m] = which[i];
    F->mu[F->m] = mu;
    F->N[F->m++] = N[i];
  }
}

// F->speed of p: the largest sum_i |(W T~_j)_i p_i|, the terms of the velocity along a tangent
static void measure_speed(dm_friction *F, const double *p) {
  F->speed = 0;
  for (int j = 0; j < 2 * F->m; j++) {
    double speed = 0;
    for (int i = 0; i < F->n; i++) speed += fabs(F->WT[j * F->n + i] * p[i]);
    F->speed = fmax(F->speed, speed);
  }
}

// The metric K = T~ W T~' of the tangents F->T and their effect B on normal impulses, from the rows
// of inequalities `which` [k] prepared by dm_contact_integrator_factor_rows.
static dm_status couple_tangents(dm_contact_integrator *w, int k, const int *which) {
  dm_friction *F = w->F;
  const int n = w->n, m = 2 * F->m;
  memset(F->B, 0, (size_t)(F->m * m) * sizeof *F->B);
  memcpy(F->Tp, F->T, (size_t)(m * n) * sizeof *F->T);
  for (int j = 0; j < m; j++) {
    // T~_j: the tangent projected on the closed rows; the impulses y of the projection give B
    if (dm_largest(n, F->T + j * n) == 0) {
      // across the plane of a planar robot
      memset(F->WT + j * n, 0, (size_t)n * sizeof *F->WT);
      continue;
    }
    DM_TRY(dm_contact_integrator_remove_rates(w, F->Tp + j * n));
    for (int i = 0, r = 0; i < F->m; i++, r++) {
      // in the order of choose_rough; a contact that is not closed has no row
      const int from = r;
      while (r < k && which[r] != F->which[i]) r++;
      if (r < k) F->B[i * m + j] = w->y[w->nc + r];
      if (r == k) r = from - 1;
    }
    DM_TRY(dm_mass_matrix_velocity(w->mass, 1, F->Tp + j * n, F->WT + j * n));
  }
  for (int i = 0; i < m; i++)
    for (int j = 0; j < m; j++) F->K[i * m + j] = dm_inner(n, F->Tp + i * n, F->WT + j * n);
  return DM_OK;
}

// add t [2m] to w->friction_impulse
static void add_friction_impulses(dm_contact_integrator *w) {
  const dm_friction *F = w->F;
  for (int i = 0; i < F->m; i++)
    for (int k = 0; k < 2; k++) w->friction_impulse[2 * F->which[i] + k] += F->t[2 * i + k];
}

// -- dependent contacts

// The closed contacts of a friction problem, with rows in w->G.
typedef struct sharing {
  dm_contact_integrator *w;
  int k;
  const int *which; // [k]
  const double *N;  // [k] their impulses without friction
  dm_row_problem x; // for impulses >= 0 along the rows that have the same effect
  bool found;       // have these impulses been found?
} sharing;

static dm_status append_velocity(void *self, double t, const dm_sparse_rows *B, int i,
                                 dm_sparse_rows *out) {
  const dm_contact_integrator *w = self;
  return dm_mass_matrix_append(w->mass, t, B, i, out);
}

// w->x: the effect G'N of the normal impulses on momenta, with friction t, except impulses of
// equalities
static void sum_normals(sharing *s, const double *t) {
  dm_contact_integrator *w = s->w;
  const dm_friction *F = w->F;
  memset(w->x, 0, (size_t)w->n * sizeof *w->x);
  for (int i = 0; i < s->k; i++) dm_sparse_rows_add_to(&w->G, i, s->N[i], w->x);
  for (int j = 0; j < 2 * F->m; j++) {
    dm_add_to(w->n, t[j], F->Tp + j * w->n, w->x);
    dm_add_to(w->n, -t[j], F->T + j * w->n, w->x);
  }
}

// Normal impulses of dependent contacts: impulses >= 0 of the same effect, or nearest to it if a
// contact pulls in any case. The last set of contacts that push is the guess, so that it changes
// only if it must. Leaves them in w->c->candidate_lambda.
static dm_status share_normals(void *self, const double *t, double *N) {
  sharing *s = self;
  dm_contact_integrator *w = s->w;
  dm_complementarity *c = w->c;
  sum_normals(s, t);
  DM_TRY(dm_mass_matrix_velocity(w->mass, 1, w->x, w->v));
  for (int i = 0; i < w->nc; i++) w->rate[i] = -dm_sparse_rows_inner(&w->A, i, w->v);
  for (int i = 0; i < s->k; i++) c->candidate_b[i] = -dm_sparse_rows_inner(&w->G, i, w->v);
  s->x.tol = 1e-12 * sqrt(fmax(dm_inner(w->n, w->x, w->v), 0));
  DM_TRY(dm_row_impulses_solve(c->rows, &s->x, c->candidate_in, c->candidate_lambda));
  s->found = true;
  for (int i = 0; i < s->k; i++)
    s->found &= fabs(c->rows->y[i]) <= 1e3 * s->x.tol * c->rows->size[i];

  // in the order of choose_rough
  for (int i = 0, m = 0; i < s->k; i++)
    if (m < w->F->m && w->F->which[m] == s->which[i]) N[m++] = c->candidate_lambda[i];
  return DM_OK;
}

// Prepares share_normals if rows of closed contacts depend on each other.
static dm_status begin_sharing(sharing *s) {
  dm_contact_integrator *w = s->w;
  dm_complementarity *c = w->c;
  w->F->share = NULL;
  if (w->J.m == w->nc + s->k && w->factors->rank == w->J.m) return DM_OK;
  w->F->share = share_normals;
  w->F->self = s;
  s->x = (dm_row_problem){.metric = append_velocity,
                          .self = w,
                          .A = &w->A,
                          .c = w->rate,
                          .G = &w->G,
                          .b = c->candidate_b};
  for (int i = 0; i < s->k; i++) c->candidate_in[i] = s->N[i] > 0;
  return dm_row_impulses_measure(c->rows, &s->x);
}

dm_status dm_contact_integrator_apply_friction(dm_contact_integrator *w, const double *q, int k,
                                               const int *which, const double *N, double *p,
                                               dm_contact_integrator_info *info) {
  const dm_unilateral *u = &w->c->g;
  dm_friction *F = w->F;
  const int n = w->n;
  choose_rough(w, k, which, N);
  if (F->m == 0) return DM_OK;

  // K, B and c = T~ W p at q
  DM_TRY(u->tangents(u->self, w->c->uni_scratch, q, NULL, F->m, F->which, F->at0, F->T));
  DM_TRY(dm_contact_integrator_factor_rows(w, q, k));
  DM_TRY(couple_tangents(w, k, which));
  measure_speed(F, p);
  memset(F->t, 0, 2 * (size_t)F->m * sizeof *F->t);
  for (int j = 0; j < 2 * F->m; j++) F->c[j] = dm_inner(n, F->WT + j * n, p);
  sharing shared = {.w = w, .k = k, .which = which, .N = N};
  DM_TRY(begin_sharing(&shared));
  dm_status s = dm_friction_solve(F);
  const bool dependent = F->share != NULL;
  F->share = NULL;
  info->friction_unsettled |= s == DM_MAX_ITER;
  if (s < 0) return s;

  // p + T~'t; normal impulses gain B t, or are the shared ones
  const int m = 2 * F->m;
  for (int j = 0; j < m; j++) dm_add_to(n, F->t[j], F->Tp + j * n, p);
  if (dependent && shared.found)
    for (int i = 0; i < k; i++) w->impulse[which[i]] += w->c->candidate_lambda[i] - N[i];
  else
    for (int i = 0; i < F->m; i++) w->impulse[F->which[i]] += dm_inner(m, F->B + i * m, F->t);
  add_friction_impulses(w);
  return s;
}

// After a solution of the step: velocities along the tangents in F->shift, normal impulses in F->N,
// and K, B of the closed contacts, which are w->E [*known] from the last time (-1: never).
static dm_status measure_sliding(dm_contact_integrator *w, const dm_contact_equations *eq,
                                 int *known) {
  const dm_complementarity *c = w->c;
  const dm_unilateral *u = &c->g;
  dm_friction *F = w->F;

  // (tau(q1) - tau(q0))/h
  DM_TRY(u->tangents(u->self, c->uni_scratch, eq->q0, c->q, F->m, F->which, F->at0, NULL));
  DM_TRY(u->tangents(u->self, c->uni_scratch, c->q, eq->q0, F->m, F->which, F->at1, NULL));
  for (int j = 0; j < 2 * F->m; j++) F->shift[j] = (F->at1[j] - F->at0[j]) / eq->h;

  // rows of the closed contacts at q0
  int closed = 0;
  bool same = *known >= 0;
  for (int k = 0; k < eq->m; k++) {
    if (!c->closed[k]) continue;
    same &= closed < *known && w->E[closed] == eq->which[k];
    w->E[closed++] = eq->which[k];
  }
  if (!same || closed != *known) {
    DM_TRY(dm_gap_rows(u, c->uni_scratch, eq->q0, closed, w->E, w->r, &w->G));
    DM_TRY(dm_contact_integrator_factor_rows(w, eq->q0, closed));
    DM_TRY(couple_tangents(w, closed, w->E));
  }
  *known = closed;
  measure_speed(F, eq->p);

  // displacements are differences of positions, so rest is relative to these as well
  F->speed = fmax(F->speed, dm_largest(2 * F->m, F->at1) / eq->h);

  // in the order of choose_rough
  for (int i = 0, k = 0; k < eq->m; k++)
    if (i < F->m && F->which[i] == eq->which[k]) F->N[i++] = c->lambda[k];
  return DM_OK;
}

// whether a step is expected to be short, as that of a heap at rest
static bool is_slow(const dm_contact_integrator *w, const dm_contact_equations *eq) {
  const double SHORT = 1e-3; // of a radian, or of the robot's length
  const bool *length = w->c->s.length;
  for (int i = 0; i < w->n; i++)
    if (fabs(w->c->q[i] - eq->q0[i]) > SHORT * (length && length[i] ? w->c->length : 1))
      return false;
  return true;
}

// The guess of t: that of the previous step, for contacts that stuck, and if the robot is slow for all that were
// closed. Friction may have several solutions: so a contact that sticks goes on to stick, and one that slides in a
// fast motion does not jam.
static void recall_friction(dm_contact_integrator *w, const dm_contact_equations *eq) {
  dm_friction *F = w->F;
  memset(F->t, 0, 2 * (size_t)F->m * sizeof *F->t);
  const bool slow = is_slow(w, eq);
  for (int i = 0; i < F->m; i++) {
    const int which = F->which[i];
    const bool held = w->before[which] && (slow || w->stuck[which]);
    for (int k = 0; k < 2; k++) F->t[2 * i + k] = held ? w->held[2 * which + k] : 0;
  }
}

// keep t for the next step
static void keep_friction(dm_contact_integrator *w) {
  const dm_friction *F = w->F;
  for (int i = 0; i < F->m; i++) {
    const double *t = F->t + 2 * i;
    memcpy(w->held + 2 * F->which[i], t, 2 * sizeof *t);
    w->stuck[F->which[i]] = hypot(t[0], t[1]) < (1 - 1e-9) * F->bound[i];
  }
}

// Newton's method for t, with K for velocities.
dm_status dm_contact_integrator_solve_with_friction(dm_contact_integrator *w,
                                                    const dm_contact_equations *without,
                                                    dm_contact_integrator_info *info) {
  enum { PASSES = 100, HALVED = 10 };
  const dm_unilateral *u = &w->c->g;
  dm_friction *F = w->F;
  dm_contact_equations eq = *without;
  const int n = w->n;
  choose_rough(w, eq.m, eq.which, w->level);
  if (F->m == 0) return dm_complementarity_solve(w->c, &eq, &info->solve);

  const int m = 2 * F->m;
  double last = INFINITY;
  int known = -1;
  eq.p = F->p;
  recall_friction(w, &eq);
  DM_TRY(u->tangents(u->self, w->c->uni_scratch, eq.q0, NULL, F->m, F->which, F->at0, F->T));
  for (int pass = 0; pass < PASSES; pass++) {
    // the step with friction t: p0 + T(q0)'t instead of p0
    memcpy(F->p, without->p, (size_t)n * sizeof *F->p);
    for (int j = 0; j < m; j++) dm_add_to(n, F->t[j], F->T + j * n, F->p);
    dm_status s = dm_complementarity_solve(w->c, &eq, &info->solve);
    if (s != DM_OK) return s;
    info->friction_solves++;

    // the next t; keep the current one in F->at1
    DM_TRY(measure_sliding(w, &eq, &known));
    memcpy(F->at1, F->t, (size_t)m * sizeof *F->t);

    // Linearize the problem at the current t by K: c and N without t. The displacement of a step along
    // the tangents changes with t by K t, to first order in h.
    for (int j = 0; j < m; j++) F->c[j] = F->shift[j] - dm_inner(m, F->K + j * m, F->t);
    for (int i = 0; i < F->m; i++) F->N[i] -= dm_inner(m, F->B + i * m, F->t);

    s = dm_friction_solve(F);
    if (s < 0) return s;

    // converged to rounding, or near it without further decrease: t is that of the step
    const double change = dm_friction_change(F, F->at1);
    bool settled = change <= 1e-14 || (change >= last / 2 && change <= 1e-9);
    if (s == DM_OK && settled) {
      keep_friction(w); // corrected once more: rounding does not add up to a creep
      memcpy(F->t, F->at1, (size_t)m * sizeof *F->t);
      add_friction_impulses(w);
      return DM_OK;
    }
    last = change;

    // damp oscillations
    for (int j = 0; pass >= HALVED && j < m; j++) F->t[j] = (F->t[j] + F->at1[j]) / 2;
  }
  info->friction_unsettled = true;
  return DM_MAX_ITER;
}
