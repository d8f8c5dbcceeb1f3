// cli/results/response.h: response.csv, the motion from a perturbed start with and without
// feedback.
#ifndef CLI_RESULTS_RESPONSE_H
#define CLI_RESULTS_RESPONSE_H
#include "cli/results/tables.h"
#include "control/feedback/tvlqr.h"

// k,t,error.open,error.closed,open.q.NAME..,closed.q.NAME..,closed.u.NAME..: states [(N+1) x nx]
// without and with feedback, inputs with it, norms of errors [N+1]; NAN: an empty cell.
void cli_response_write(FILE *f, const pb_names *names, const fb_tvlqr *s, const double *open,
                        const double *closed, const double *u, const double *error_open,
                        const double *error_closed);
#endif
