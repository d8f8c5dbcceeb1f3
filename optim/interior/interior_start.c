#include "optim/interior/interior_start.h"

#include <math.h>
#include <string.h>

static const double LEAST_MU = 1e-20; // for a point without limits

static void start_slacks(oc_barrier *b) {
  const oc_equality_form *f = &b->form;
  // c(x, 0) = G g is the value of the slacks
  for (int i = 0; i < f->ns; i++) b->v[f->n + i] = b->c[f->row[i]];
}

// multipliers of a nearby solution, in the units of this program; a slack has that of its row, by sign
static void load_multipliers(oc_interior *w, const oc_point *from) {
  oc_barrier *b = &w->own.b;
  const oc_equality_form *f = &b->form;
  for (int i = 0; i < f->m; i++) b->y[i] = from->lambda[i] * f->f_scale / f->scale[i];
  for (int i = 0; i < f->nv; i++) {
    const double l = i < f->n ? from->z_l[f->free[i]] * f->f_scale : -b->y[f->row[i - f->n]];
    const double u = i < f->n ? from->z_u[f->free[i]] * f->f_scale : b->y[f->row[i - f->n]];
    b->z_l[i] = f->low[i] > -INFINITY ? fmax(0, l) : 0;
    b->z_u[i] = f->high[i] < INFINITY ? fmax(0, u) : 0;
  }
}

// the mean of z times its distance, at least LEAST_MU; distances below zero count as zero
static double find_mean_gap(const oc_barrier *b) {
  const oc_equality_form *f = &b->form;
  double sum = 0;
  int bounds = 0;
  for (int i = 0; i < f->nv; i++) {
    if (f->low[i] > -INFINITY) sum += b->z_l[i] * fmax(0, b->v[i] - f->low[i]);
    if (f->high[i] < INFINITY) sum += b->z_u[i] * fmax(0, f->high[i] - b->v[i]);
    bounds += (f->low[i] > -INFINITY) + (f->high[i] < INFINITY);
  }
  return bounds > 0 ? fmax(sum / bounds, LEAST_MU) : LEAST_MU;
}

// the distance to a bound with multiplier z that the central path has for mu
static double find_central_distance(const oc_barrier *b, int i, double z, double mu) {
  return fmin(mu / fmax(z, sqrt(mu)), 0.1 * (b->form.high[i] - b->form.low[i]));
}

// Complete an iterate near a solution: variables on or beyond a bound are moved inside; a slack's
// other multiplier is that of the central path, with an unchanged difference of both.
static void center_iterate(oc_barrier *b, double mu) {
  const oc_equality_form *f = &b->form;
  for (int i = 0; i < f->nv; i++) {
    const bool low = f->low[i] > -INFINITY, high = f->high[i] < INFINITY;
    if (low && !(b->v[i] > f->low[i]))
      b->v[i] = f->low[i] + find_central_distance(b, i, b->z_l[i], mu);
    if (high && !(b->v[i] < f->high[i]))
      b->v[i] = f->high[i] - find_central_distance(b, i, b->z_u[i], mu);
    if (i < f->n || !low || !high) continue;
    const double distance = b->z_l[i] < b->z_u[i] ? b->v[i] - f->low[i] : f->high[i] - b->v[i];
    b->z_l[i] += mu / distance;
    b->z_u[i] += mu / distance;
  }
}

dm_status oc_interior_load_variables(oc_interior *w, const oc_point *from, double push) {
  oc_barrier *b = &w->own.b;
  const oc_equality_form *f = &b->form;
  for (int j = 0; j < f->n; j++) b->v[j] = from->x[f->free[j]];
  memset(b->v + f->n, 0, (size_t)f->nw * sizeof *b->v);
  DM_TRY(oc_equality_form_scale(&b->form, b->v));
  oc_barrier_push(b, push, push);
  DM_TRY(oc_equality_form_value(&b->form, b->v, &b->F, b->c));
  start_slacks(b);
  oc_barrier_push(b, push, push);
  b->known = false;
  return DM_OK;
}

dm_status oc_interior_load_point(oc_interior *w, const oc_point *at, double mu) {
  oc_barrier *b = &w->own.b;
  DM_TRY(oc_interior_load_variables(w, at, 0));
  load_multipliers(w, at);
  b->mu = mu > 0 ? mu : find_mean_gap(b);
  center_iterate(b, b->mu);
  oc_barrier_clip(b);
  DM_TRY(oc_barrier_evaluate(b));
  oc_barrier_set_mu(b, b->mu);
  return DM_OK;
}

dm_status oc_interior_load_off_bounds(oc_interior *w, const oc_point *at, double mu, double push) {
  oc_barrier *b = &w->own.b;
  const oc_equality_form *f = &b->form;
  DM_TRY(oc_interior_load_variables(w, at, push));
  load_multipliers(w, at);
  for (int i = 0; i < f->nv; i++) {
    if (f->low[i] > -INFINITY) b->z_l[i] = fmax(push, b->z_l[i]);
    if (f->high[i] < INFINITY) b->z_u[i] = fmax(push, b->z_u[i]);
  }
  b->mu = mu;
  DM_TRY(oc_barrier_evaluate(b));
  oc_barrier_set_mu(b, mu);
  return DM_OK;
}
