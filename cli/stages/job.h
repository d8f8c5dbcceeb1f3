// cli/stages/job.h: a problem and what is known of its motion so far. Commands are made of stages,
// each of which adds to the job, to result.json and to the summary; the last closes the job.
//
//   cli_job_open    read the problem; claim the result folder
//   a stage ..      cli/commands/stages.h; its files are begun by cli_job_file
//   cli_job_save    before a long stage: write what is finished
//   cli_job_close   write all, show the summary or the JSON object, free
//
// A folder changes all at once or not at all (cli/results/folder.h).
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

// A problem on its way. Its sizes are those of names: n coordinates, nu inputs, nc rows of
// constraints; N steps of the motion. A pointer is NULL until its stage has been.
typedef struct cli_job {
  const cli_args *args;
  double begun; // s, by the clock of cli_job_time_left

  // what is asked
  pb_problem *p;
  const oc_task *task; // of the problem
  cli_names names;     // of columns and messages

  // where it came from, and where results go
  char *dir;            // result folder
  char *written_dir;    // where it was last written: there, or in the folder `unfinished` of it
  bool stored;          // the operand was a result folder
  bool in_place;        // which the results go to
  bool copies;          // and whose copies of the inputs the problem was read from
  cli_standing earlier; // in_place: how far its result had come
  pb_folder operand;    // the operand while it is read, held unless in_place; closed: it is none
  pb_folder from;       // likewise --from's folder
  bool finished;        // a stage failed, those before it did not
  bool warned; // of stiff damping, which the motion's steps tell (cli/stages/stiff_steps.h)
  int (*written)(struct cli_job *job); // called when all is in written_dir, before it is shown: an
                                       // exit status, whose reason was said; or NULL
  cli_json *result;                    // result.json
  cli_folder out;                      // the files begun
  FILE *summary;                       // for stdout, kept until all is written
  char *summary_text;
  size_t summary_size;

  // its motion
  dm_trajectory *x;
  const dm_trajectory *coarse; // a motion on a coarser grid to start from in place of the guess
  const oc_point *warm;        // multipliers of that motion, where it is on the job's own grid
  int rest_steps;              // so many of its last steps are rest at its end (cli_append_rest),
  double rest_off;             // so far from there: max |q - q_N|                     rad or m

  // Of a phase
  const double *carried;     // [2n x 2n] the cost-to-go of the phase after it, at its end; or NULL
  const double *none;        // [2n] zeros, beside it in the place of feedback.Qf
  bool adds;                 // to feedback.Qf
  const cli_passage *starts; // of samples, after the phase before; NULL: by spread
  cli_passage *ends;         // out: of samples; NULL: not kept

  // its feedback
  fb_tvlqr *f;               // gains at the knots, in (q,p)
  fb_tvlqr *sampled;         // at the controller's own rate; NULL: at the knots
  fb_output_feedback *law;   // in what is measured: what runs is law->f
  fb_estimator *estimator;   // NULL: the controller knows the state
  fb_prediction *prediction; // the step that it predicts by; NULL: the linear one
  fb_sensor sensor;          // through it

  dm_message msg; // of the last failure
} cli_job;

// Open a problem file, or a result folder and the problem it came from: its copy there, or with
// --now the file itself. With `writes`, the folder that results go to is made and claimed. Each
// stage returns an exit status; on CLI_INPUT and CLI_FAULT it has said why.
int cli_job_open(cli_job *job, const cli_args *args, bool writes);

// Take a problem, with its names, in place of the one there is, which is the caller's to free.
void cli_job_set_problem(cli_job *job, pb_problem *p);

// The values of an object {path: text} that stand in place of the file's; NULL: none. Returns how
// many.
int cli_job_replaced(cli_json *values, pb_replace list[CLI_REPLACED]);

// What a stage after the first has come to. Where that is CLI_INPUT or CLI_FAULT, and what came
// before was not read but made, the stage's files are dropped and the rest is kept for
// cli_job_close to write. Returns status.
int cli_stage(cli_job *job, const char *stage, int status);

// Drop the files that a stage makes, of this or an earlier run, unless they are begun after this;
// NULL: of all stages after the motion.
void cli_forget(cli_job *job, const char *stage);

// The same of the law for a robot, with what result.json says of it: where gains change, or do not
// hold, no controller stays that was made of them.
void cli_forget_controller(cli_job *job);

// Where a later stage may take long: write what the stages so far have made, so that an interrupt,
// which ends the later stage at once, does not lose it; over a result that came further, to
// `unfinished` in its folder. The claim on the folder stays. Does nothing where that is in a folder
// already, and in a case of a sweep.
int cli_job_save(cli_job *job);

// From here on the job has something that an interrupt must not lose (cli/console/interrupt.h): in
// a case of a sweep, which can be computed again, only as far as that is soon done; so it is of what
// iterates, which is done at its next look.
void cli_job_worth(const cli_job *job);
void cli_job_iterates(const cli_job *job);

// Write what the stages left (after CLI_INPUT or CLI_FAULT: what cli_stage kept, if anything),
// print the summary or the JSON object, free all. Returns the exit status of the command.
//
// Where there is no motion to show, nothing is written. A command that ends with CLI_DONE replaces
// all that the folder held; one that does not, and has not come as far as what the folder holds,
// leaves that and writes to the folder `unfinished` in it. A stage on a result folder that did not
// come to its end, or to less than is there, leaves the folder as it was; only a verdict that gains
// do not hold stands in place of an older one.
int cli_job_close(cli_job *job, int status);

// How long solvers may still go on [s]: solver.max_time, less what has passed since the job was opened.
double cli_job_time_left(const cli_job *job);

// What a schedule is told of the problem beside its gains: whole turns, the envelope, rate limits.
void cli_set_law(fb_tvlqr *f, const pb_problem *p);

// The weights of the problem's feedback along job->x or a motion that begins as it does, whose last
// `rest` steps are rest. What they borrow beside the problem is in `at`, which must outlive them.
typedef struct cli_weights {
  fb_knot_weight Q, Qf, own;
  const double *carried;      // [2n x 2n]
  const fb_knot_weight *adds; // to that; NULL: nothing
} cli_weights;
fb_weights cli_weights_of(const cli_job *job, int rest, cli_weights *at);

// Whether there is a file of that name in the folder that was written last.
bool cli_job_wrote(const cli_job *job, const char *name);

// The motion of the result folder that the job was opened on, into job->x; it is not held against
// the problem as it is now.
int cli_read_motion(cli_job *job);

// Open a result folder for reading, unless it is open, and read its result.json: no commit in it is
// unfinished, and all files are as they were written. at: to be closed.
int cli_open_result(cli_job *job, const char *dir, pb_folder *at, cli_json **result);

// The trajectory of a result folder, whole as its result.json says.
int cli_stored_motion(cli_job *job, const pb_folder *at, const cli_json *result, dm_trajectory **x);

// One start as verify.start says, on a plant, with feedback and without: response.csv.
int cli_response(cli_job *job, fb_plant *plant, const char *name);

// A line of the summary: a label, then text.
void cli_tell(cli_job *job, const char *label, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

// The same of a path, on one line whatever stands in it.
void cli_tell_path(cli_job *job, const char *label, const char *path);

// What the motion just made is worth: its largest turn in a step, its constraints, each knot
// stepped once. CLI_OUTCOME where it is `solved` and yet no motion of the system.
int cli_certify(cli_job *job, bool solved);

// How far constraints are off, where there are any: the largest residual, of this row at this knot.
void cli_report_constraints(cli_job *job, double residual, int row, int knot);

// Begin a file of the result; NULL after saying why.
FILE *cli_job_file(cli_job *job, const char *name);

// A motion to start the optimizer from: as the problem says, or from another result folder, whose N
// may differ (*same says that it does not).
int cli_guess(cli_job *job, dm_trajectory **guess, bool *same);

// Begin a solution of the job's task there.
int cli_start(cli_job *job, oc_solution *w, bool *same);

// dir/name, to be freed; NULL without memory.
char *cli_join(const char *dir, const char *name);
#endif
