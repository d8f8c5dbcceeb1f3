// cli/stages/call.h: a command on a problem. Commands consist of stages, each of which adds to the
// run, to result.json and to the summary; finally the call is closed.
//
//   cli_call_open    read the problem; claim the result folder
//   a stage ..       cli/commands/stages.h; its files are begun by cli_call_file
//   cli_call_save    before a long stage: write finished results
//   cli_call_close   write all, show the summary or the JSON object, free
//
// Folders change atomically (cli/results/folder.h).
#ifndef CLI_STAGES_CALL_H
#define CLI_STAGES_CALL_H
#include "cli/console/command.h"
#include "cli/console/json.h"
#include "cli/results/folder.h"
#include "cli/results/record.h"
#include "cli/results/tables.h"
#include "optim/solve.h"
#include "problems/run/run.h"

// Source and destination of the results. Texts are NULL until they are known.
typedef struct cli_place {
  char *dir;            // result folder
  char *written;        // where it was last written: dir, or its subfolder `unfinished`
  bool stored;          // the operand is a result folder
  bool in_place;        // results are written to the operand
  bool copies;          // the problem was read from copies in the operand
  cli_standing earlier; // in_place: previous progress of its result
  pb_folder operand;    // the operand while it is read, held unless in_place; closed if unused
  pb_folder from;       // the folder of --from
  cli_folder out;       // the files begun
} cli_place;

// The state of a command.
typedef struct cli_call {
  const cli_args *args;
  double begun; // s, on the clock of cli_call_time_left
  pb_run run;
  cli_place place;
  cli_json *result;        // result.json
  const cli_json *verdict; // verify of a gait of which this is a phase; NULL: the call's own
  struct {
    FILE *file; // for stdout, buffered until all is written
    char *text;
    size_t size;
  } summary;
  bool finished; // a stage failed, but earlier ones succeeded
  bool warned;   // about stiff damping (cli/stages/stiff_steps.h)
  // called when all is in place.written, before the summary is shown; returns an exit status after
  // reporting errors; or NULL
  int (*written)(struct cli_call *call);

  const dm_trajectory *coarse; // motion on a coarser grid, used instead of the guess
  const oc_point *warm;        // multipliers of that motion, if it is on the run's grid
  bool follows;                // the task follows a known motion: its objective has no accuracy
  dm_message msg;              // of the last failure
} cli_call;

// Open a problem file, or a result folder and its problem (the copy or, with --now, the original).
// With `writes`, create and claim the result folder. Each stage returns an exit status; on
// CLI_INPUT and CLI_FAULT the error was reported.
int cli_call_open(cli_call *call, const cli_args *args, bool writes);

// Convert an object {path: text} to replacements of values in the file; NULL: none. Returns their
// number.
int cli_call_replaced(cli_json *values, pb_replace list[CLI_REPLACED]);

// Handle the exit status of a stage after the first. If it is CLI_INPUT or CLI_FAULT and the
// previous results are new (not read from a folder), discard the stage's files and keep the rest
// for cli_call_close to write. Returns status.
int cli_stage(cli_call *call, const char *stage, int status);

// Discard the files of a stage, of this run or an earlier one, unless they are begun afterwards;
// NULL: of all stages after the motion.
void cli_forget(cli_call *call, const char *stage);

// The same for the exported controller and its entry in result.json. Call when gains change or fail
// verification: the controller made from them is invalid.
void cli_forget_controller(cli_call *call);

// Before a long stage: write the results so far, so that an interrupt, which ends the stage
// immediately, does not lose them. If the folder contains a result with more progress, write to its
// subfolder `unfinished`. The claim on the folder remains. Does nothing if the results are already
// written, and in cases of a sweep.
int cli_call_save(cli_call *call);

// From here on the call has results that an interrupt must not lose (cli/console/interrupt.h). In
// cases of a sweep, which can be recomputed, this holds only for work that ends soon, such as
// iterations that check for interrupts.
void cli_call_worth(const cli_call *call);
void cli_call_iterates(const cli_call *call);

// Write the results (after CLI_INPUT or CLI_FAULT: those kept by cli_stage, if any), print the
// summary or the JSON object, and free everything. Returns the exit status of the command.
//
// Without a motion nothing is written. A command that ends with CLI_DONE replaces the whole content
// of the folder; one that does not, and has less progress than the folder's result, writes to the
// subfolder `unfinished` instead. A stage on a result folder that did not complete, or made less
// progress than its content, leaves the folder unchanged, with one exception: a verdict that gains
// fail replaces an older verdict.
int cli_call_close(cli_call *call, int status);

// The time left for solvers [s]: solver.max_time minus the time since the call was opened.
double cli_call_time_left(const cli_call *call);

// Whether the folder written last contains a file of this name.
bool cli_call_wrote(const cli_call *call, const char *name);

// Read the motion of the result folder into the run, without checking it against the current problem.
int cli_read_motion(cli_call *call);

// Open a result folder for reading, unless it is open, and read its result.json. Refuses unfinished
// commits and changed files. at: to be closed.
int cli_open_result(cli_call *call, const char *dir, pb_folder *at, cli_json **result);

// Read the trajectory of a result folder; its size must agree with result.json.
int cli_stored_motion(cli_call *call, const pb_folder *at, const cli_json *result,
                      dm_trajectory **x);

// Simulate the start of verify.start on a plant, with and without feedback, and write response.csv.
int cli_response(cli_call *call, fb_plant *plant, const char *name);

// Add a line to the summary: a label, then text.
void cli_tell(cli_call *call, const char *label, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

// Add a line with a path, which is printed on one line whatever it contains.
void cli_tell_path(cli_call *call, const char *label, const char *path);

// Certify the run's motion: the largest rotation in a step, constraints, and a step from each knot.
// Returns CLI_OUTCOME if it is `solved` but not a motion of the system.
int cli_certify(cli_call *call, bool solved);

// Warn of a knot from which another step obeys the laws of contact and friction as well, and add it to a certificate.
void cli_warn_second(cli_call *call, cli_json *certificate, int knot, int law);

// Report the largest constraint residual, its row and knot, if there are constraints.
void cli_report_constraints(cli_call *call, double residual, int row, int knot);

// Begin a file of the result; NULL after reporting why.
FILE *cli_call_file(cli_call *call, const char *name);

// The initial motion of the optimizer: from the problem, or from another result folder, whose N may
// differ (*same: it does not).
int cli_guess(cli_call *call, dm_trajectory **guess, bool *same);

// Initialize a solution of the run's task with that motion.
int cli_start(cli_call *call, oc_solution *w, bool *same);

// dir/name, to be freed; NULL if out of memory.
char *cli_join(const char *dir, const char *name);
#endif
