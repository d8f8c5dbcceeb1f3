#include "lib/studies/direct_methods.h"

#include <math.h>
#include <string.h>

// all inequalities take part, those of the last step are held at first
static dm_status close_all(dm_contact_integrator *w, const dm_departure *at, dm_balance balance,
                           double place, double share, dm_contact_integrator_info *info) {
  dm_complementarity *c = w->c;
  const dm_closing closing = {.balance = balance,
                              .self = w,
                              .q0 = at->q,
                              .p = at->p,
                              .u = at->u,
                              .h = at->h,
                              .moving = true,
                              .place = place,
                              .share = share,
                              .m = w->ng,
                              .level = w->level};
  memset(w->level, 0, (size_t)w->ng * sizeof *w->level);
  memcpy(c->held, w->before, (size_t)w->ng * sizeof *c->held);
  DM_TRY(dm_predict_forward(w, at, c->q));
  return dm_complementarity_solve(c, &closing, &info->closing);
}

// p [n] plus share times the impulses; contacts are marked
static void push(dm_contact_integrator *w, double share, double *p,
                 dm_contact_integrator_info *info) {
  const dm_complementarity *c = w->c;
  for (int k = 0; k < c->k; k++) {
    int i = c->number[k];
    double lambda = c->lambda[c->list[k]];
    for (int j = 0; j < w->n; j++) p[j] += share * lambda * c->G[k * w->n + j];
    w->impulse[i] = lambda;
    w->contact[i] = true;
    info->held++;
  }
  info->candidates = w->ng, info->smooth = info->held;
}

// q1, p1 of w->c->q, w->p, which keeps equalities' rates
static dm_status arrive(dm_contact_integrator *w, dm_status status, double *q1, double *p1,
                        dm_contact_integrator_info *info) {
  const size_t size = (size_t)w->n * sizeof *q1;
  DM_TRY(dm_contact_integrator_look(w, w->c->q, w->g1, info));
  DM_TRY(dm_contact_integrator_restrict(w, w->c->q, 0, w->p));
  memcpy(q1, w->c->q, size);
  memcpy(p1, w->p, size);
  return status;
}

static dm_status direct(dm_contact_integrator *w, const dm_departure *at, double place, double *q1,
                        double *p1, dm_contact_integrator_info *info) {
  dm_status status = close_all(w, at, dm_complementarity_balance, place, 0.5, info);
  if (status < 0) return status;
  dm_complementarity_momentum(w->c, w->p);
  push(w, 0.5, w->p, info);
  return arrive(w, status, q1, p1, info);
}

static dm_status direct_midpoint(dm_contact_integrator *w, const dm_departure *at, double *q1,
                                 double *p1, dm_contact_integrator_info *info) {
  return direct(w, at, 0.5, q1, p1, info);
}

static dm_status direct_endpoint(dm_contact_integrator *w, const dm_departure *at, double *q1,
                                 double *p1, dm_contact_integrator_info *info) {
  return direct(w, at, 1, q1, p1, info);
}

// -- Newmark's method: q1 = q0 + h v0 + h^2/2 ((1-2 beta) a0 + 2 beta a1),
//    v1 = v0 + h ((1-gamma) a0 + gamma a1), a = M^-1 (-V_q + r), r the force of the contacts

// -V_q at q, into x
static dm_status force_at(dm_contact_integrator *w, const double *q, double *x) {
  dm_mass_matrix *m = w->mass;
  DM_TRY(m->L.eval(m->L.self, w->sweep, 1, q, m->zero, &w->jet));
  memcpy(x, w->jet.L_q, (size_t)w->n * sizeof *x);
  return DM_OK;
}

// p0 + h/2 ((1-2 beta) f0 + 2 beta f1) - M (q1-q0)/h, with all that belongs to q0 in w->y
static dm_status newmark_balance(void *self, dm_complementarity *c, double *M1, double *size) {
  dm_contact_integrator *w = self;
  dm_mass_matrix *m = w->mass;
  const double h = c->at.h, beta = w->set.beta;
  const int n = w->n;
  if (M1) {
    dm_mass_matrix_place(m, c->q);
    DM_TRY(dm_mass_matrix_eval(m));
    for (int i = 0; i < n * n; i++) M1[i] = h * beta * m->jet.L_qq[i] - m->jet.L_vv[i] / h;
  }
  // M (q1-q0)/h is the momentum of that velocity
  for (int i = 0; i < n; i++) w->v[i] = (c->q[i] - c->at.q0[i]) / h;
  DM_TRY(m->L.eval(m->L.self, w->sweep, 1, c->q, w->v, &w->jet));
  *size = 0;
  for (int i = 0; i < n; i++) {
    c->r[i] = w->y[i] + h * beta * w->jet.L_q[i] - w->jet.L_v[i];
    *size = fmax(*size, fmax(fabs(w->y[i]), fabs(w->jet.L_v[i])));
  }
  return DM_OK;
}

static dm_status newmark(dm_contact_integrator *w, const dm_departure *at, double *q1, double *p1,
                         dm_contact_integrator_info *info) {
  const double h = at->h, beta = w->set.beta, gamma = w->set.gamma;
  const int n = w->n;
  // the force of a contact at q0 is that of the step before
  if (!w->continued) memset(w->last, 0, (size_t)n * sizeof *w->last);
  DM_TRY(force_at(w, at->q, w->x));
  for (int i = 0; i < n; i++) {
    double impulse = h * w->x[i] + w->last[i];
    w->y[i] = at->p[i] + (0.5 - beta) * impulse;
    w->p[i] = at->p[i] + (1 - gamma) * impulse;
  }
  dm_status status = close_all(w, at, newmark_balance, 1, beta, info);
  if (status < 0) return status;
  memset(w->last, 0, (size_t)n * sizeof *w->last);
  push(w, 1, w->last, info);
  DM_TRY(force_at(w, w->c->q, w->x));
  for (int i = 0; i < n; i++) w->p[i] += gamma * (h * w->x[i] + w->last[i]);
  return arrive(w, status, q1, p1, info);
}

const dm_contact_method dm_direct_midpoint = {
    .name = "direct-midpoint", .step = direct_midpoint, .rule = "midpoint"};
const dm_contact_method dm_direct_endpoint = {
    .name = "direct-endpoint", .step = direct_endpoint, .rule = "midpoint"};
const dm_contact_method dm_newmark = {
    .name = "newmark", .step = newmark, .constant_mass = "Newmark's method"};
const dm_contact_method dm_imex_newmark = {
    .name = "imex-newmark", .step = direct_endpoint, .rule = "trapezoid"};
