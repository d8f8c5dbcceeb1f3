// optim/residual_error.h: the error of a solution's objective by dual-weighted residuals
// (optim/program/residual.h) on grids of twice and of four times the steps.
//
//   E = J_N - J,   J_N - L_m = E (1 - m^-p),   m = 2, 4
//
// J is the objective in continuous time, L_m its estimate with m N steps. Both together give p, the order at
// which defects fall, and E.
#ifndef OC_RESIDUAL_ERROR_H
#define OC_RESIDUAL_ERROR_H
#include "optim/other_grids.h"

DM_BEGIN_C

// Why an estimate may be wrong.
typedef enum oc_doubt {
  OC_SURE,
  OC_DOUBT_ORDER,  // the defects do not fall as steps get shorter
  OC_DOUBT_FORCES, // forces jump within steps
  OC_DOUBT_LIMITS, // limits are met within steps
  OC_DOUBT_VALUE   // the interpolated motion cannot be evaluated
} oc_doubt;

// The doubt as a clause; "" for OC_SURE.
const char *oc_doubt_text(oc_doubt doubt);

typedef struct oc_residual_error {
  dm_status status; // unless DM_OK, the estimate is not available
  double error;     // E; for a cost per time or distance, of the ratio
  double other;     // from the second estimate of oc_residual
  double order;     // p; NAN: unknown
  double floor;     // the error left by the solver; smaller errors are not reported
  oc_doubt doubt;
} oc_residual_error;

// Estimate the error of a solution that was found (DM_OK), of first order or with phases.
//   x  the solution's motions
// Returns DM_OK, regardless of out->status; or DM_NO_MEMORY.
dm_status oc_residual_error_measure(oc_residual_error *out, const oc_solution *w, oc_motions x);

DM_END_C
#endif
