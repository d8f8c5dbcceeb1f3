#include "optim/interior/restoration.h"

#include <math.h>
#include <string.h>

static const double PENALTY = 1000;          // rho
static const double PROGRESS = 0.9;          // kappa_resto
static const double LARGE_MULTIPLIER = 1000; // bound_mult_reset_threshold
static const double LARGEST_RISE = 1e8;      // theta_max_fact: the initial violation is zero
static const double ALMOST_FEASIBLE = 1e-2;  // relative to the tolerance

// residual of row i of the task
static double own_residual(const oc_phase *r, int i) {
  const oc_equality_form *f = &r->b.form;
  const double *p = r->b.v + f->n + f->ns, *n = p + f->m;
  return r->b.c[i] + p[i] - n[i];
}

// p - n = c with optimal p, n for a barrier parameter, 1/p + 1/n = 2 rho / mu: the larger one from
// the quadratic equation, the other from it, to avoid cancellation
static void split_residual(double c, double mu, double *p, double *n) {
  double half = (mu / PENALTY + fabs(c)) / 2;
  double larger = half + sqrt(fmax(0, half * half - mu * fabs(c) / (2 * PENALTY)));
  double smaller = larger * mu / (2 * PENALTY * larger - mu);
  *p = c > 0 ? larger : smaller;
  *n = c > 0 ? smaller : larger;
}

// p, n and their multipliers from the residuals; c becomes the remaining residual
static void split_rows(oc_phase *r, const double *c) {
  oc_barrier *b = &r->b;
  const int m = b->form.m, first = b->form.n + b->form.ns;
  double *p = b->v + first, *n = p + m;
  for (int i = 0; i < m; i++) {
    split_residual(c[i], b->mu, p + i, n + i);
    b->z_l[first + i] = b->mu / p[i];
    b->z_l[first + m + i] = b->mu / n[i];
  }
}

dm_status oc_restoration_start(oc_phase *r, const oc_phase *own) {
  oc_barrier *b = &r->b;
  oc_equality_form *f = &b->form;
  const oc_barrier *from = &own->b;
  const size_t shared = (size_t)(f->n + f->ns) * sizeof(double);
  double largest = 0;
  oc_equality_form_fill(f);
  oc_equality_form_follow(f, &from->form);

  // near the iterate, relative to its variables
  memcpy(b->v, from->v, shared);
  memcpy(f->ref, from->v, (size_t)f->n * sizeof *f->ref);
  for (int j = 0; j < f->n; j++) {
    double size = fmax(1, fabs(f->ref[j]));
    f->weight[j] = 1 / size;
  }

  // mu as large as the violation; multipliers of bounds limited by the penalty
  for (int i = 0; i < f->m; i++) largest = fmax(largest, fabs(from->c[i]));
  b->mu = fmax(from->mu, largest);
  f->zeta = sqrt(b->mu);
  for (int i = 0; i < f->n + f->ns; i++) {
    b->z_l[i] = fmin(PENALTY, from->z_l[i]);
    b->z_u[i] = fmin(PENALTY, from->z_u[i]);
  }
  split_rows(r, from->c);
  memset(b->z_u + f->n + f->ns, 0, 2 * (size_t)f->m * sizeof(double));
  memset(b->y, 0, (size_t)f->m * sizeof *b->y);

  b->shift = (oc_regularization){0};
  b->known = false;
  r->in_row = 0;
  r->tol = own->tol;
  r->fresh = true;
  DM_TRY(oc_barrier_evaluate(b));
  oc_barrier_set_mu(b, b->mu);
  oc_line_search_start(&r->search, b->theta, LARGEST_RISE);
  return DM_OK;
}

bool oc_restoration_is_done(const oc_phase *r, oc_phase *own) {
  oc_barrier *b = &own->b;
  const oc_filter_reference from = {b->theta, b->phi, 0};
  double before = 0, after = 0;
  for (int i = 0; i < b->form.m; i++) {
    before = fmax(before, fabs(b->c[i]));
    after = fmax(after, fabs(own_residual(r, i)));
  }
  // at least one step; a violation within the tolerance need not decrease
  if (r->fresh || after > fmax(PROGRESS * before, own->tol)) return false;
  memcpy(b->v_try, r->b.v, (size_t)b->form.nv * sizeof *b->v_try);
  return oc_barrier_try(b) >= 0 &&
         oc_filter_allows(&own->search.filter, b->theta_try, b->phi_try) &&
         oc_filter_improves(&from, b->theta_try, b->phi_try);
}

void oc_restoration_return(oc_phase *own) {
  oc_barrier *b = &own->b;
  const oc_equality_form *f = &b->form;
  double largest = 0;
  for (int i = 0; i < f->nv; i++) b->dv[i] = b->v_try[i] - b->v[i];
  oc_barrier_set_dual_step(b);
  const double alpha = oc_barrier_reach_dual(b);
  for (int i = 0; i < f->nv; i++) {
    b->z_l[i] += alpha * b->dz_l[i];
    b->z_u[i] += alpha * b->dz_u[i];
    largest = fmax(largest, fmax(b->z_l[i], b->z_u[i]));
  }

  // reset multipliers that are too large
  for (int i = 0; i < f->nv && largest > LARGE_MULTIPLIER; i++) {
    b->z_l[i] = f->low[i] > -INFINITY;
    b->z_u[i] = f->high[i] < INFINITY;
  }
  memset(b->y, 0, (size_t)f->m * sizeof *b->y);
  oc_barrier_accept(b);
  own->search.shortened = 0;
  own->search.watching = false;
  own->in_row = 0;
}

bool oc_restoration_relax(oc_phase *r) {
  oc_barrier *b = &r->b;
  const oc_equality_form *f = &b->form;
  if (b->theta <= ALMOST_FEASIBLE * r->tol) return false;
  oc_filter_add(&r->search.filter, b->theta, b->phi);
  for (int i = 0; i < f->m; i++) b->res_c[i] = own_residual(r, i);
  split_rows(r, b->res_c);
  b->known = false;
  r->search.shortened = r->search.soft = 0;
  r->search.watching = false;
  return true;
}

double oc_restoration_violation(const oc_phase *r) {
  double largest = 0;
  for (int i = 0; i < r->b.form.m; i++)
    largest = fmax(largest, fabs(own_residual(r, i)) / r->b.form.scale[i]);
  return largest;
}
