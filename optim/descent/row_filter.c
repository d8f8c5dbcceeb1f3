#include "optim/descent/row_filter.h"

#include <float.h>
#include <math.h>

static const double MOST_ERROR = 1e4; // largest theta relative to the first
static const double RISE = 10;

// theta and phi of the last evaluated motion
static void weigh_motion(const oc_row_filter *f, double merit, double gaps, double *theta,
                         double *phi) {
  const oc_terminal *end = f->d->merit->end;
  *theta = gaps;
  for (int i = 0; i < end->ng; i++) {
    *theta += fabs(end->off[i]) / end->size[i];
    merit -= end->multiplier[i] * end->off[i];
  }
  *phi = merit / f->unit;
}

void oc_row_filter_begin(oc_row_filter *f, double merit, double gaps, bool anew) {
  weigh_motion(f, merit, gaps, &f->from.theta, &f->from.phi);
  if (anew) oc_filter_start(&f->filter, f->from.theta, MOST_ERROR);
}

void oc_row_filter_aim(oc_row_filter *f, double slope) {
  const oc_search_direction *d = f->d;
  const oc_terminal *end = d->merit->end;
  f->from.slope = slope / f->unit;
  f->rise = DBL_EPSILON * fabs(f->from.phi);
  for (int i = 0; i < end->ng; i++)
    f->rise += RISE * fabs((end->multiplier[i] + d->mu[i]) * d->off[i]) / f->unit;
  if (d->gaps) f->rise = INFINITY;
}

bool oc_row_filter_takes(oc_row_filter *f, double a, double merit, double gaps) {
  if (merit == INFINITY) return false;
  weigh_motion(f, merit, gaps, &f->theta, &f->phi);
  return f->phi - f->from.phi <= f->rise &&
         oc_filter_takes(&f->filter, &f->from, a, f->theta, f->phi);
}

void oc_row_filter_keep(oc_row_filter *f, double a) {
  if (!oc_filter_descends(&f->from, a) || !oc_filter_armijo(&f->from, a, f->phi))
    oc_filter_add(&f->filter, f->from.theta, f->from.phi);
}
