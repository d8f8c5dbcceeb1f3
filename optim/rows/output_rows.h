// optim/rows/output_rows.h: rows of functions in a program of first order (optim/rows/function_rows.h): limits
// on outputs (optim/task/outputs.h) and path constraints. If an output at inner knots depends on velocities,
// these are unknowns (optim/rows/knot_speeds.h).
//
// All functions do nothing without these rows and costs. Only oc_output_rows_new allocates.
#ifndef OC_ROWS_OUTPUT_ROWS_H
#define OC_ROWS_OUTPUT_ROWS_H
#include "optim/rows/function_rows.h"
#include "optim/rows/layout.h"

// Make t->functions, after the list of rows. Returns DM_OK or DM_NO_MEMORY.
dm_status oc_output_rows_new(oc_transcription *t);

// Bounds of limits on outputs, and of path constraints (oc_row_kind.bound).
void oc_output_rows_bound(oc_transcription *t, oc_rows_kind kind);
void oc_output_rows_bound_paths(oc_transcription *t, oc_rows_kind kind);

// Free the rows of outputs and of a curve at given ends (oc_row_kind.settle).
dm_status oc_output_rows_settle(oc_transcription *t, dm_message *msg);

// The range of an output that is not driven at an end k, 0 or N: its value if all coordinates that move it
// are given, else oc_outputs_range. Returns DM_OK or the status of the outputs.
dm_status oc_output_rows_know(oc_transcription *t, int output, int k, double *low, double *high);

// All rows of functions, their costs and those of a curve included (oc_row_kind).
void oc_output_rows_evaluate(const oc_transcription *t, oc_rows_kind kind, const double *x,
                             double *g);
dm_status oc_output_rows_put(oc_transcription *t, oc_rows_kind kind, const double *x,
                             oc_triplets *s);
dm_status oc_output_rows_put_hessian(oc_transcription *t, oc_rows_kind kind, const double *x,
                                     double sigma, const double *lambda, oc_triplets *s);
#endif
