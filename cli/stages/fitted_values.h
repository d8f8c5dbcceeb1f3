// cli/stages/fitted_values.h: the values of a fit as users read them: links in their own frames, and
// the covariance of these values.
#ifndef CLI_STAGES_FITTED_VALUES_H
#define CLI_STAGES_FITTED_VALUES_H
#include "optim/identification/fit.h"
#include "problems/readers/format/replace.h"

typedef struct cli_fitted_values {
  int count;
  double *start, *value, *deviation; // [count] of the robot; of the fit; standard deviations
  double *covariance;                // [count x count] of the values; 0 at a bound
} cli_fitted_values;

// theta [count]; covariance [count x count] of theta, or NULL: zero. bound [count]: at a bound, or
// NULL. Returns DM_OK or DM_NO_MEMORY; free in both cases.
dm_status cli_fitted_values_make(cli_fitted_values *out, const oc_fit_parameters *p,
                                 const double *theta, const double *covariance, const bool *bound);
void cli_fitted_values_free(cli_fitted_values *v);

// The values as replacements below `model` of a problem file: a text for each link, others by their
// paths; *n of them. Values that a file cannot have (offsets, zeros, lengths, the delay) are left
// out. Free each path and text, and the list. Returns DM_OK, DM_NO_MEMORY or the status of
// oc_fit_parameters_robot.
dm_status cli_fitted_replacements(const oc_fit_parameters *p, const double *theta,
                                  const cli_fitted_values *v, pb_replace **list, int *n);
void cli_fitted_replacements_free(pb_replace *list, int n);

// Whether a problem file can have a parameter.
bool cli_fitted_in_file(const oc_fit_parameter *p);
#endif
