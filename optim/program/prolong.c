#include "optim/program/prolong.h"

#include <assert.h>
#include <math.h>

// linear between two places of the old grid, constant outside
static void prolong_series(const oc_series *a, const double *from, const oc_series *b, double *to,
                           double scale) {
  oc_series_interpolate(a, from, b, to, scale, 2, true);
}

void oc_transcription_prolong(const oc_transcription *a, const oc_point *from,
                              const oc_transcription *b, oc_point *to) {
  assert(a && from && b && to && a->n == b->n && a->nrows == b->nrows);
  const double r = (double)a->N / b->N; // new step length over old
  for (int i = 0; i < OC_UNKNOWN_KINDS; i++) {
    const oc_series *old = &a->unknowns[i], *new = &b->unknowns[i];
    prolong_series(old, from->x, new, to->x, pow(r, old->value));
    prolong_series(old, from->z_l, new, to->z_l, pow(r, old->dual));
    prolong_series(old, from->z_u, new, to->z_u, pow(r, old->dual));
  }

  // multipliers of the rows
  for (int i = 0; i < a->nrows; i++) {
    const oc_series *old = &a->rows[i].at;
    prolong_series(old, from->lambda, &b->rows[i].at, to->lambda, pow(r, old->dual));
  }
}
