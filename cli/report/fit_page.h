// cli/report/fit_page.h: the page of a fit: its parameters, and for each log and joint the measured
// and the predicted force with their difference over time, as drawings without scripts.
#ifndef CLI_REPORT_FIT_PAGE_H
#define CLI_REPORT_FIT_PAGE_H
#include "cli/stages/identified.h"

typedef struct cli_fit_page {
  const char *name; // of the problem
  const dm_model *model;
  const oc_fit_parameters *parameters;
  const oc_fit_result *found;
  const cli_fitted_values *values;
  const cli_predicted *logs; // [nlogs]
  int nlogs;
} cli_fit_page;

void cli_fit_page_write(FILE *f, const cli_fit_page *page);
#endif
