#include "optim/transcription/prolong.h"

#include "optim/transcription/family.h"

#include <assert.h>
#include <math.h>

// between two groups of the old grid, and outside those the outermost
static void prolong_family(const oc_family *a, const double *from, const oc_family *b, double *to,
                           double scale) {
  oc_family_interpolate(a, from, b, to, scale, 2, true);
}

void oc_transcription_prolong(const oc_transcription *a, const oc_point *from,
                              const oc_transcription *b, oc_point *to) {
  assert(a && from && b && to && a->n == b->n);
  const double r = (double)a->N / b->N; // new steps over old ones
  oc_family old[OC_VARIABLE_FAMILIES], new[OC_VARIABLE_FAMILIES];
  oc_family_variables(a, old);
  oc_family_variables(b, new);
  for (int i = 0; i < OC_VARIABLE_FAMILIES; i++) {
    prolong_family(&old[i], from->x, &new[i], to->x, pow(r, old[i].value));
    prolong_family(&old[i], from->z_l, &new[i], to->z_l, pow(r, old[i].dual));
    prolong_family(&old[i], from->z_u, &new[i], to->z_u, pow(r, old[i].dual));
  }

  // multipliers of the rows
  oc_family row[OC_ROW_FAMILIES], new_row[OC_ROW_FAMILIES];
  oc_family_rows(a, row);
  oc_family_rows(b, new_row);
  for (int i = 0; i < OC_ROW_FAMILIES; i++)
    prolong_family(&row[i], from->lambda, &new_row[i], to->lambda, pow(r, row[i].dual));
  for (int i = 0; i < a->task.outputs.nlimits; i++) {
    const oc_family of = oc_family_output(a, i), new_of = oc_family_output(b, i);
    prolong_family(&of, from->lambda, &new_of, to->lambda, pow(r, of.dual));
  }
}
