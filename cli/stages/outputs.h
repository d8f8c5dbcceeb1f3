// cli/stages/outputs.h: the outputs of a job's problem along its motion: outputs.csv, in result.json
// `outputs`, their ends and ranges, and `output_limits`, how what the task asks of them is kept, at
// knots and between them.
#ifndef CLI_STAGES_OUTPUTS_H
#define CLI_STAGES_OUTPUTS_H
#include "cli/stages/job.h"
#include "control/loop/excess.h"

// Outputs along a motion, whose knots are added one by one.
typedef struct cli_outputs {
  FILE *f; // outputs.csv; NULL: the problem names no outputs
  dm_output_map y;
  int rows; // of the file and, where the task asks for them, of coordinates
  void *scratch;
  bool driven;                // are any of inputs?
  double *value;              // [y.ny]
  const double *place;        // [knots] on a path; NULL: not known
  double *low, *high, *start; // [rows] over the knots so far, at the first,
  double *last;               // and at the last one that had a value
  bool begun;
} cli_outputs;

// Begin outputs.csv, where the problem has outputs. Returns CLI_DONE, or CLI_INPUT or CLI_FAULT after
// saying why; w is to be freed after any.
int cli_outputs_open(cli_outputs *w, cli_job *job);

// Knot k at time t [s], at q with v, and the step taken from it, by which outputs of inputs are known;
// NULL: none is taken, or its inputs are not known. `row`: it has a row. Does nothing where there are
// no outputs.
void cli_outputs_add(cli_outputs *w, const cli_job *job, int k, double t, const double *q,
                     const double *v, const dm_driven_step *step, bool row);

// What the knots came to, into result.json and columns.txt.
void cli_outputs_report(const cli_outputs *w, cli_job *job);
void cli_outputs_free(cli_outputs *w); // zeroed is accepted

// All of this for job->x, with how the task's limits on outputs are kept at its knots. Returns
// CLI_DONE, or CLI_INPUT or CLI_FAULT after saying why.
int cli_outputs_write(cli_job *job);

// The same limits on a plant that followed job->x, in `parts` pieces a step, with states y
// [(N parts + 1) x 2n] at their ends, under the inputs of job->x, which outputs of inputs have at these
// moments; added to the list `output_limits` where it is not NULL. Returns the worst, whose index is
// that of the limit in the task; -1: there is none, or no memory. Its share is over the range of the
// output along the motion and a hundredth (m, rad or 1) more; of what stays apart over 0.1 m.
fb_excess cli_output_limits_follow(const cli_job *job, int parts, const double *y, cli_json *list);

// The name of a row that a task limits: an output's own; of a coordinate or its speed as tables have them,
// q.NAME and v.NAME. Returns text.
const char *cli_output_row_name(const cli_job *job, int row, char text[80]);

// "the output 'tool.z' is 0.001 m beyond its limit of 0.2 at 0.3 s" into text; returns it.
const char *cli_output_excess_describe(const cli_job *job, const fb_excess *e, char *text,
                                       size_t size);
#endif
