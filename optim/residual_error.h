// optim/residual_error.h: the error of a solution's objective by dual-weighted residuals
// (optim/program/residual.h) on grids of twice and of four times the steps.
//
//   E = J_N - J,   J_N - L_m = E (1 - m^-p),   m = 2, 4
//
// J is the objective of continuous time, L_m the estimate of that of m N steps. The two give p, the
// order at which defects fall, and E.
#ifndef OC_RESIDUAL_ERROR_H
#define OC_RESIDUAL_ERROR_H
#include "optim/other_grids.h"

DM_BEGIN_C

// Why an estimate need not be right.
typedef enum oc_doubt {
  OC_SURE,
  OC_DOUBT_ORDER,  // the defects do not fall as steps get shorter
  OC_DOUBT_FORCES, // forces jump within steps
  OC_DOUBT_LIMITS, // limits are met within steps
  OC_DOUBT_VALUE   // the interpolated motion has no value
} oc_doubt;

// The same as a clause; "" of OC_SURE.
const char *oc_doubt_text(oc_doubt doubt);

typedef struct oc_residual_error {
  dm_status status; // but for DM_OK there is no estimate
  double error;     // E; of a cost per time or way that of the ratio
  double other;     // by the second estimate of oc_residual
  double order;     // p; NAN: not known
  double floor;     // what the solver leaves of the objective: below it no error is told
  oc_doubt doubt;
} oc_residual_error;

// Estimate the error of a solution that was found (DM_OK), of first order or of phases.
//   x  the solution's motions
// Returns DM_OK, whatever out->status; DM_NO_MEMORY.
dm_status oc_residual_error_measure(oc_residual_error *out, const oc_solution *w, oc_motions x);

DM_END_C
#endif
