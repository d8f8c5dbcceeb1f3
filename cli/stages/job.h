// cli/stages/job.h: a problem and its motion as processed by a command. Commands consist of stages,
// each of which adds to the job, to result.json and to the summary; finally the job is closed.
//
//   cli_job_open    read the problem; claim the result folder
//   a stage ..      cli/commands/stages.h; its files are begun by cli_job_file
//   cli_job_save    before a long stage: write finished results
//   cli_job_close   write all, show the summary or the JSON object, free
//
// Folders change atomically (cli/results/folder.h).
#ifndef CLI_STAGES_JOB_H
#define CLI_STAGES_JOB_H
#include "cli/console/command.h"
#include "cli/console/json.h"
#include "cli/results/folder.h"
#include "cli/results/record.h"
#include "cli/results/tables.h"
#include "cli/stages/passage.h"
#include "control/codegen/prediction.h"
#include "optim/solve.h"
#include "problems/readers/task/problem.h"

// The state of a command. Sizes are in names: n coordinates, nu inputs, nc rows of constraints; the
// motion has N steps. Pointers are NULL until their stage has run.
typedef struct cli_job {
  const cli_args *args;
  double begun; // s, on the clock of cli_job_time_left

  // the problem
  pb_problem *p;
  const oc_task *task; // of the problem
  cli_names names;     // of columns and messages

  // source and destination
  char *dir;            // result folder
  char *written_dir;    // where it was last written: dir, or its subfolder `unfinished`
  bool stored;          // the operand is a result folder
  bool in_place;        // results are written to the operand
  bool copies;          // the problem was read from copies in the operand
  cli_standing earlier; // in_place: previous progress of its result
  pb_folder operand;    // the operand while it is read, held unless in_place; closed if unused
  pb_folder from;       // the folder of --from
  bool finished;        // a stage failed, but earlier ones succeeded
  bool warned;          // about stiff damping (cli/stages/stiff_steps.h)
  // called when all is in written_dir, before the summary is shown; returns an exit status after
  // reporting errors; or NULL
  int (*written)(struct cli_job *job);
  cli_json *result; // result.json
  cli_folder out;   // the files begun
  FILE *summary;    // for stdout, buffered until all is written
  char *summary_text;
  size_t summary_size;

  // the motion
  dm_trajectory *x;
  const dm_trajectory *coarse; // motion on a coarser grid, used instead of the guess
  const oc_point *warm;        // multipliers of that motion, if it is on the job's grid
  int rest_steps;              // number of final steps that hold the end (cli_append_rest),
  double rest_off;             // and their distance from it: max |q - q_N|  [rad or m]

  // phases only
  const double *carried;     // [2n x 2n] cost-to-go of the next phase at this end; or NULL
  const double *none;        // [2n] zeros, used with carried instead of feedback.Qf
  bool adds;                 // carried is added to feedback.Qf
  const cli_passage *starts; // starts of samples, from the previous phase; NULL: by spread
  cli_passage *ends;         // out: ends of samples; NULL: not recorded

  // feedback
  fb_tvlqr *f;               // gains at the knots, in (q,p)
  fb_tvlqr *sampled;         // gains at the controller's rate; NULL: at the knots
  fb_output_feedback *law;   // in terms of measurements; law->f is executed
  fb_estimator *estimator;   // NULL: the state is known
  fb_prediction *prediction; // the step used for prediction; NULL: linear
  fb_sensor sensor;          // reads through the estimator

  dm_message msg; // of the last failure
} cli_job;

// Open a problem file, or a result folder and its problem (the copy or, with --now, the original).
// With `writes`, create and claim the result folder. Each stage returns an exit status; on
// CLI_INPUT and CLI_FAULT the error was reported.
int cli_job_open(cli_job *job, const cli_args *args, bool writes);

// Replace the problem and the names; the caller frees the previous problem.
void cli_job_set_problem(cli_job *job, pb_problem *p);

// Convert an object {path: text} to replacements of values in the file; NULL: none. Returns their
// number.
int cli_job_replaced(cli_json *values, pb_replace list[CLI_REPLACED]);

// Handle the exit status of a stage after the first. If it is CLI_INPUT or CLI_FAULT and the
// previous results are new (not read from a folder), discard the stage's files and keep the rest
// for cli_job_close to write. Returns status.
int cli_stage(cli_job *job, const char *stage, int status);

// Discard the files of a stage, of this run or an earlier one, unless they are begun afterwards;
// NULL: of all stages after the motion.
void cli_forget(cli_job *job, const char *stage);

// The same for the exported controller and its entry in result.json. Call when gains change or fail
// verification: the controller made from them is invalid.
void cli_forget_controller(cli_job *job);

// Before a long stage: write the results so far, so that an interrupt, which ends the stage
// immediately, does not lose them. If the folder contains a result with more progress, write to its
// subfolder `unfinished`. The claim on the folder remains. Does nothing if the results are already
// written, and in cases of a sweep.
int cli_job_save(cli_job *job);

// From here on the job has results that an interrupt must not lose (cli/console/interrupt.h). In
// cases of a sweep, which can be recomputed, this holds only for work that ends soon, such as
// iterations that check for interrupts.
void cli_job_worth(const cli_job *job);
void cli_job_iterates(const cli_job *job);

// Write the results (after CLI_INPUT or CLI_FAULT: those kept by cli_stage, if any), print the
// summary or the JSON object, and free everything. Returns the exit status of the command.
//
// Without a motion nothing is written. A command that ends with CLI_DONE replaces the whole content
// of the folder; one that does not, and has less progress than the folder's result, writes to the
// subfolder `unfinished` instead. A stage on a result folder that did not complete, or made less
// progress than its content, leaves the folder unchanged, with one exception: a verdict that gains
// fail replaces an older verdict.
int cli_job_close(cli_job *job, int status);

// The time left for solvers [s]: solver.max_time minus the time since the job was opened.
double cli_job_time_left(const cli_job *job);

// Set the properties of a schedule that come from the problem: periodic angles, the envelope, rate
// limits.
void cli_set_law(fb_tvlqr *f, const pb_problem *p);

// The weights of the problem's feedback along job->x, or along a motion with the same beginning
// whose last `rest` steps are at rest. Data that they borrow is in the problem and in `at`, which
// must outlive them.
typedef struct cli_weights {
  fb_knot_weight Q, Qf, own;
  const double *carried;      // [2n x 2n]
  const fb_knot_weight *adds; // added to carried; NULL: nothing
} cli_weights;
fb_weights cli_weights_of(const cli_job *job, int rest, cli_weights *at);

// Whether the folder written last contains a file of this name.
bool cli_job_wrote(const cli_job *job, const char *name);

// Read the motion of the job's result folder into job->x, without checking it against the current
// problem.
int cli_read_motion(cli_job *job);

// Open a result folder for reading, unless it is open, and read its result.json. Refuses unfinished
// commits and changed files. at: to be closed.
int cli_open_result(cli_job *job, const char *dir, pb_folder *at, cli_json **result);

// Read the trajectory of a result folder; its size must agree with result.json.
int cli_stored_motion(cli_job *job, const pb_folder *at, const cli_json *result, dm_trajectory **x);

// Simulate the start of verify.start on a plant, with and without feedback, and write response.csv.
int cli_response(cli_job *job, fb_plant *plant, const char *name);

// Add a line to the summary: a label, then text.
void cli_tell(cli_job *job, const char *label, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

// Add a line with a path, which is printed on one line whatever it contains.
void cli_tell_path(cli_job *job, const char *label, const char *path);

// Certify the job's motion: the largest rotation in a step, constraints, and a step from each knot.
// Returns CLI_OUTCOME if it is `solved` but not a motion of the system.
int cli_certify(cli_job *job, bool solved);

// Report the largest constraint residual, its row and knot, if there are constraints.
void cli_report_constraints(cli_job *job, double residual, int row, int knot);

// Begin a file of the result; NULL after reporting why.
FILE *cli_job_file(cli_job *job, const char *name);

// The initial motion of the optimizer: from the problem, or from another result folder, whose N may
// differ (*same: it does not).
int cli_guess(cli_job *job, dm_trajectory **guess, bool *same);

// Initialize a solution of the job's task with that motion.
int cli_start(cli_job *job, oc_solution *w, bool *same);

// dir/name, to be freed; NULL if out of memory.
char *cli_join(const char *dir, const char *name);
#endif
