// optim/rows/level_rows.h: unknowns z that add up outputs, or bound them (oc_level):
//
//   z_{k+1} = z_k + w_k h y_k     z_0 = 0, low <= z_{N+1} <= high        an integral, w_k the shares of a span
//   z_{k+1} = z_k,  y_k <= z_k    weight z_0 is added to the cost        the largest value
//
// for k = 0..N; y_k of a driven output is that of step k, and 0 at N. The values y_k and their derivatives are
// those of optim/rows/function_rows.h; these functions add z. Nothing here allocates.
#ifndef OC_ROWS_LEVEL_ROWS_H
#define OC_ROWS_LEVEL_ROWS_H
#include "optim/rows/layout.h"

// The number of unknowns of all levels.
static inline int oc_level_rows_count(const oc_task *task) {
  return task->outputs.nlevels * (task->N + 2);
}

// As oc_row_kind has them, for both kinds of rows; bounds of the unknowns with those of OC_LEVEL_ROWS.
void oc_level_rows_bound(oc_transcription *t, oc_rows_kind kind);
void oc_level_rows_evaluate(const oc_transcription *t, oc_rows_kind kind, const double *x,
                            double *g);
dm_status oc_level_rows_put(oc_transcription *t, oc_rows_kind kind, const double *x,
                            oc_triplets *s);

// The part of the levels in the cost at x [nlp.n]; add its gradient to grad [nlp.n].
double oc_level_rows_cost(const oc_transcription *t, const double *x);
void oc_level_rows_gradient(const oc_transcription *t, double *grad);
#endif
