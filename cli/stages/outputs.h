// cli/stages/outputs.h: the outputs of a problem along its motion: outputs.csv; in result.json
// `outputs`, with final values and ranges, and `output_limits`, the violations of the task's limits
// at knots and between them.
#ifndef CLI_STAGES_OUTPUTS_H
#define CLI_STAGES_OUTPUTS_H
#include "cli/stages/call.h"
#include "control/loop/excess.h"

// Outputs along a motion, with knots added one by one.
typedef struct cli_outputs {
  FILE *f; // outputs.csv; NULL: no outputs
  dm_output_map y;
  int rows; // of the file and, if the task limits them, of coordinates
  void *scratch;
  bool driven;                // whether any output depends on inputs or contacts
  double *value;              // [y.ny]
  double *lambda;             // [y.impulses] impulses of constraints in a step
  dm_continuous *plant;       // of their forces along a plant's states; NULL: none has them
  const double *place;        // [knots] path parameter; NULL: unknown
  double *low, *high, *start; // [rows] minimum and maximum so far, value at the first knot,
  double *last;               // and at the last knot with a value
  bool begun, empty;          // has a formula no value at a knot of a row?
} cli_outputs;

// Begin outputs.csv, if the problem has outputs. Returns CLI_DONE, or CLI_INPUT or CLI_FAULT after
// reporting why; free w in any case.
int cli_outputs_open(cli_outputs *w, cli_call *call);

// Add knot k at time t [s], with q and v, and the step from it, which determines outputs of inputs;
// NULL: no step, or unknown inputs. `contact`: of contacts; NULL: none, or unknown. `row`: write a row. Does
// nothing without outputs.
void cli_outputs_add(cli_outputs *w, const cli_call *call, int k, double t, const double *q,
                     const double *v, const dm_step *step, const dm_contact_knot *contact,
                     bool row);

// Write final values and ranges to result.json and columns.txt.
void cli_outputs_report(const cli_outputs *w, cli_call *call);
void cli_outputs_free(cli_outputs *w); // a zeroed w is accepted

// Write the outputs of the motion, and violations of the task's output limits at its knots. Returns
// CLI_DONE, or CLI_INPUT or CLI_FAULT after reporting why.
int cli_outputs_write(cli_call *call);

// Check the same limits on a plant that followed the motion, with `parts` substeps per step, states
// y [(N parts + 1) x 2n] at their ends, and the inputs of the motion. Entries are added to the list
// `output_limits` if it is not NULL. Returns the worst violation, with the index of the limit in
// the task; -1: none, or out of memory. Its share is relative to the range of the output along the
// motion plus 0.01 (m, rad or 1); for clearances to 0.1 m.
fb_excess cli_output_limits_follow(const cli_call *call, int parts, const double *y,
                                   cli_json *list);

// The name of a limited row: the output's name; for a coordinate or its speed q.NAME or v.NAME as
// in tables. Returns text.
const char *cli_output_row_name(const cli_call *call, int row, char text[80]);

// Write "the output 'tool.z' is 0.001 m beyond its limit of 0.2 at 0.3 s" to text; returns text.
const char *cli_output_excess_describe(const cli_call *call, const fb_excess *e, char *text,
                                       size_t size);
#endif
