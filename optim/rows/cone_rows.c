#include "optim/rows/cone_rows.h"

#include <math.h>

void oc_cone_rows_bound(oc_transcription *t, oc_rows_kind kind) {
  const oc_series *at = &oc_rows_of(t, kind)->at;
  for (int i = 0; i < at->size * at->count; i++) {
    t->g_min[at->at + i] = 0;
    t->g_max[at->at + i] = INFINITY;
  }
}

void oc_cone_rows_evaluate(const oc_transcription *t, oc_rows_kind kind, const double *x,
                           double *g) {
  const oc_cones *cones = &t->task.cones;
  for (int k = 0; k < oc_rows_of(t, kind)->at.count; k++) {
    const double *lambda = x + oc_transcription_lambda(t, k);
    double *row = g + oc_rows_at(t, kind, k);
    for (int i = 0; i < cones->n; i++) {
      row[i] = 0;
      for (int c = 0; c < t->nc; c++) row[i] += cones->C[i * t->nc + c] * lambda[c];
    }
  }
}

dm_status oc_cone_rows_put(oc_transcription *t, oc_rows_kind kind, const double *x,
                           oc_triplets *s) {
  const oc_cones *cones = &t->task.cones;
  (void)x;
  for (int k = 0; k < oc_rows_of(t, kind)->at.count; k++)
    for (int i = 0; i < cones->n; i++)
      for (int c = 0; c < t->nc; c++)
        oc_put(s, oc_rows_at(t, kind, k) + i, oc_transcription_lambda(t, k) + c,
               cones->C[i * t->nc + c]);
  return DM_OK;
}
