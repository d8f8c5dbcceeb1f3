#include "lib/studies/direct_methods.h"

#include "lib/base/dense.h"

#include <math.h>
#include <string.h>

// Step 1: solve for q1 with all inequalities; initially closed are those of the previous step.
static dm_status solve_with_all(dm_contact_integrator *w, const dm_departure *at,
                                dm_balance balance, double place, double share,
                                dm_contact_integrator_info *info) {
  dm_complementarity *c = w->c;
  const dm_contact_equations eq = {.balance = balance,
                                   .self = w,
                                   .q0 = at->q,
                                   .p = at->p,
                                   .u = at->u,
                                   .h = at->h,
                                   .moving_gradient = true,
                                   .place = place,
                                   .share = share,
                                   .m = w->ng,
                                   .level = w->level};

  // levels are zero; the guess is q0 + h M^-1 p0
  memset(w->level, 0, (size_t)w->ng * sizeof *w->level);
  memcpy(c->closed, w->before, (size_t)w->ng * sizeof *c->closed);
  DM_TRY(dm_predict_forward(w, at, c->q));
  return dm_complementarity_solve(c, &eq, &info->solve);
}

// add share times the impulses G'lambda to p [n]; mark contacts
static void add_contact_impulses(dm_contact_integrator *w, double share, double *p,
                                 dm_contact_integrator_info *info) {
  const dm_complementarity *c = w->c;
  for (int k = 0; k < c->nclosed; k++) {
    int i = c->closed_number[k];
    double lambda = c->lambda[c->closed_index[k]];
    dm_sparse_rows_add_to(&c->G, k, share * lambda, p);
    w->impulse[i] = lambda;
    w->contact[i] = true;
    info->closed++;
  }
  info->candidates = w->ng;
  info->smooth = info->closed;
}

// step 3: q1, p1 from w->c->q and w->p, projected on the equalities; returns `status`
static dm_status finish_step(dm_contact_integrator *w, dm_status status, double *q1, double *p1,
                             dm_contact_integrator_info *info) {
  const size_t size = (size_t)w->n * sizeof *q1;
  DM_TRY(dm_contact_integrator_evaluate_gaps(w, w->c->q, w->g1, info));
  DM_TRY(dm_contact_integrator_restrict(w, w->c->q, 0, w->p));
  memcpy(q1, w->c->q, size);
  memcpy(p1, w->p, size);
  return status;
}

static dm_status step_directly(dm_contact_integrator *w, const dm_departure *at, double place,
                               double *q1, double *p1, dm_contact_integrator_info *info) {
  dm_status status = solve_with_all(w, at, dm_complementarity_balance, place, 0.5, info);
  if (status < 0) return status;

  // 2  p1 = D2 + G'lambda/2
  dm_complementarity_momentum(w->c, w->p);
  add_contact_impulses(w, 0.5, w->p, info);
  return finish_step(w, status, q1, p1, info);
}

static dm_status step_to_midpoint(dm_contact_integrator *w, const dm_departure *at, double *q1,
                                  double *p1, dm_contact_integrator_info *info) {
  return step_directly(w, at, 0.5, q1, p1, info);
}

static dm_status step_to_endpoint(dm_contact_integrator *w, const dm_departure *at, double *q1,
                                  double *p1, dm_contact_integrator_info *info) {
  return step_directly(w, at, 1, q1, p1, info);
}

// -- Newmark's method: step 1 multiplied by M/h is a balance of momenta

// -V_q at q, into x [n]
static dm_status evaluate_force(dm_contact_integrator *w, const double *q, double *x) {
  dm_mass_matrix *m = w->mass;
  DM_TRY(m->L.eval(m->L.self, w->lagrangian_scratch, 1, q, m->zero, &w->jet));
  memcpy(x, w->jet.L_q, (size_t)w->n * sizeof *x);
  return DM_OK;
}

// p0 + h/2 ((1 - 2 beta) f0 + 2 beta f1) - M (q1 - q0)/h, with all terms of q0 in w->y
static dm_status evaluate_newmark_balance(void *self, dm_complementarity *c, double *M1,
                                          double *size) {
  dm_contact_integrator *w = self;
  dm_mass_matrix *m = w->mass;
  const double h = c->eq.h, beta = w->set.beta;
  const int n = w->n;

  // dB/dq1 = -h beta V_qq - M/h
  if (M1) {
    dm_mass_matrix_place(m, c->q);
    DM_TRY(dm_mass_matrix_eval(m));
    for (int i = 0; i < n * n; i++) M1[i] = h * beta * m->jet.L_qq[i] - m->jet.L_vv[i] / h;
  }

  // M (q1 - q0)/h is the momentum of this velocity
  for (int i = 0; i < n; i++) w->v[i] = (c->q[i] - c->eq.q0[i]) / h;
  DM_TRY(m->L.eval(m->L.self, w->lagrangian_scratch, 1, c->q, w->v, &w->jet));
  *size = 0;
  for (int i = 0; i < n; i++) {
    c->r[i] = w->y[i] + h * beta * w->jet.L_q[i] - w->jet.L_v[i];
    const double term = fmax(fabs(w->y[i]), fabs(w->jet.L_v[i]));
    *size = fmax(*size, dm_complementarity_weight(c, i) * term);
  }
  return DM_OK;
}

// `implicit`: the contact force r acts at q1 only, as if beta were 1/2 and gamma 1 for r; otherwise
// it is part of the accelerations
static dm_status step_by_newmark(dm_contact_integrator *w, const dm_departure *at, bool implicit,
                                 double *q1, double *p1, dm_contact_integrator_info *info) {
  const double h = at->h, beta = w->set.beta, gamma = w->set.gamma;
  const int n = w->n;

  // f0 = -V_q(q0) + r0, with the contact force at q0 from the previous step
  if (!w->continued || implicit) memset(w->newmark_impulse, 0, (size_t)n * sizeof *w->p);
  DM_TRY(evaluate_force(w, at->q, w->x));
  for (int i = 0; i < n; i++) {
    double impulse = h * w->x[i] + w->newmark_impulse[i];
    w->y[i] = at->p[i] + (0.5 - beta) * impulse;
    w->p[i] = at->p[i] + (1 - gamma) * impulse;
  }

  // 1  q1
  dm_status status =
      solve_with_all(w, at, evaluate_newmark_balance, 1, implicit ? 0.5 : beta, info);
  if (status < 0) return status;

  // 2  p1 = p0 + h ((1 - gamma) f0 + gamma f1), with a separate gamma for r
  memset(w->newmark_impulse, 0, (size_t)n * sizeof *w->newmark_impulse);
  add_contact_impulses(w, 1, w->newmark_impulse, info);
  DM_TRY(evaluate_force(w, w->c->q, w->x));
  dm_add_to(n, gamma * h, w->x, w->p);
  dm_add_to(n, implicit ? 1 : gamma, w->newmark_impulse, w->p);
  return finish_step(w, status, q1, p1, info);
}

static dm_status step_by_implicit_newmark(dm_contact_integrator *w, const dm_departure *at,
                                          double *q1, double *p1,
                                          dm_contact_integrator_info *info) {
  return step_by_newmark(w, at, false, q1, p1, info);
}

static dm_status step_by_imex_newmark(dm_contact_integrator *w, const dm_departure *at, double *q1,
                                      double *p1, dm_contact_integrator_info *info) {
  return step_by_newmark(w, at, true, q1, p1, info);
}

const dm_contact_method dm_direct_midpoint = {.name = "direct-midpoint",
                                              .step = step_to_midpoint,
                                              .rule = "midpoint",
                                              .bounces_by_grid = true};
const dm_contact_method dm_direct_endpoint = {.name = "direct-endpoint",
                                              .step = step_to_endpoint,
                                              .rule = "midpoint",
                                              .bounces_by_grid = true};
const dm_contact_method dm_newmark = {.name = "newmark",
                                      .step = step_by_implicit_newmark,
                                      .takes = "beta gamma",
                                      .beta = 0.25,
                                      .gamma = 0.5,
                                      .force_by_beta = true,
                                      .constant_mass = "Newmark's method",
                                      .bounces_by_grid = true,
                                      .potential_alone = true};
const dm_contact_method dm_imex_newmark = {.name = "imex-newmark",
                                           .step = step_by_imex_newmark,
                                           .takes = "beta gamma",
                                           .beta = 0,
                                           .gamma = 0.5,
                                           .constant_mass = "Newmark's method",
                                           .bounces_by_grid = true,
                                           .potential_alone = true};
