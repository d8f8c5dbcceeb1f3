// optim/rows/lag_rows.h: limits of the commands of motors with a lag (lib/multibody/drive_limits.h), in each
// step k = 0..N-1,
//
//   u_min <= u_k + lag (u_b - u_a) / ((b - a) h) <= u_max      a, b: the steps beside k
//
// If the step is free, there are two rows for each, multiplied by h / h_0 with the first guess h_0 of the step:
// h u_k + lag (u_b - u_a) / (b - a) - h u_max <= 0, and the same with u_min >= 0.
//
// Source: docs/theory.md section 35. Nothing here allocates.
#ifndef OC_ROWS_LAG_ROWS_H
#define OC_ROWS_LAG_ROWS_H
#include "optim/rows/layout.h"

// Bounds, values, Jacobian and Hessian of these rows, as oc_row_kind has them.
void oc_lag_rows_bound(oc_transcription *t, oc_rows_kind kind);
void oc_lag_rows_evaluate(const oc_transcription *t, oc_rows_kind kind, const double *x, double *g);
dm_status oc_lag_rows_put(oc_transcription *t, oc_rows_kind kind, const double *x, oc_triplets *s);
dm_status oc_lag_rows_put_hessian(oc_transcription *t, oc_rows_kind kind, const double *x,
                                  double sigma, const double *lambda, oc_triplets *s);
#endif
