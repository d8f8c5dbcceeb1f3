// optim/rows/cone_rows.h: rows of cones of constraint impulses, such as those of friction at a foot that is pinned
// (oc_task.cones):
//
//   0 <= C lambda_k          k = 0..N-1, each step
//
// They are linear. The last impulse, half a step's, has no cone. An impact onto the constraints is in the same cones
// (optim/program/join_rows.h).
#ifndef OC_ROWS_CONE_ROWS_H
#define OC_ROWS_CONE_ROWS_H
#include "optim/rows/layout.h"

// Bounds, values and Jacobian (oc_row_kind). They do nothing without cones.
void oc_cone_rows_bound(oc_transcription *t, oc_rows_kind kind);
void oc_cone_rows_evaluate(const oc_transcription *t, oc_rows_kind kind, const double *x,
                           double *g);
dm_status oc_cone_rows_put(oc_transcription *t, oc_rows_kind kind, const double *x, oc_triplets *s);
#endif
