// cli/results/gains.h: gains.csv and measured.csv, the feedback controller.
#ifndef CLI_RESULTS_GAINS_H
#define CLI_RESULTS_GAINS_H
#include "cli/results/tables.h"
#include "control/feedback/output_feedback.h"

// gains.csv: k,t,K.INPUT.STATE..,W.INPUT.INPUT.. row-major; W only with delayed inputs.
void cli_gains_write(FILE *f, const pb_names *names, const fb_tvlqr *s);

// Read K [N x nu x 2n], and W [N x nu x nu] if not NULL; free both. N must be the file's number of
// rows.
dm_status cli_gains_read(double **K, double **W, int N, const pb_file *file, const pb_names *names,
                         dm_message *msg);

// measured.csv: k,t,u_d.INPUT..,y_d.Y..,G.INPUT.Y.. of the controller in terms of measurements,
// with names Y by cli_put_measured.
void cli_measured_write(FILE *f, const pb_names *names, const fb_output_feedback *w);

// Write the name of entry j of y, after `before`: q.NAME, p.NAME, v.NAME; for the previous knot
// before.q.NAME, before.u.NAME; for the pending input now.u.NAME.
void cli_put_measured(FILE *f, const char *before, const pb_names *names,
                      const fb_output_feedback *w, int j);
#endif
