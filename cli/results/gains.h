// cli/results/gains.h: gains.csv and measured.csv, the feedback law.
#ifndef CLI_RESULTS_GAINS_H
#define CLI_RESULTS_GAINS_H
#include "cli/results/tables.h"
#include "control/feedback/output_feedback.h"

// gains.csv: k,t,K.INPUT.STATE..,W.INPUT.INPUT.. row-major; W where inputs are late.
void cli_gains_write(FILE *f, const cli_names *names, const fb_tvlqr *s);

// Read K [N x nu x 2n] back, and W [N x nu x nu] where it is not NULL; both to be freed. N must be
// that of the file.
dm_status cli_gains_read(double **K, double **W, int N, const pb_file *file, const cli_names *names,
                         dm_message *msg);

// measured.csv: k,t,u_d.INPUT..,y_d.Y..,G.INPUT.Y.. of the law in what is measured, Y as
// cli_put_measured has it.
void cli_measured_write(FILE *f, const cli_names *names, const fb_output_feedback *w);

// The name of entry j of y, after `before`: q.NAME, p.NAME, v.NAME; of the knot before
// before.q.NAME, before.u.NAME; of the input under way now.u.NAME.
void cli_put_measured(FILE *f, const char *before, const cli_names *names,
                      const fb_output_feedback *w, int j);
#endif
