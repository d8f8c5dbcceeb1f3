// problems/readers/task/problem.h: a problem file as read: a robot, a task, a simulation, feedback
// and its verification, each as its own section says.
//
// docs/problem-format.md describes the file key by key.
#ifndef PB_TASK_PROBLEM_H
#define PB_TASK_PROBLEM_H
#include "lib/discrete/stiff_damping.h"
#include "lib/discrete/trajectory.h"
#include "optim/transcription/phases.h"
#include "problems/readers/format/replace.h"
#include "problems/readers/format/warnings.h"
#include "problems/readers/model/robot.h"
#include "problems/readers/task/design.h"
#include "problems/readers/task/feedback.h"
#include "problems/readers/task/fineness.h"
#include "problems/readers/task/guess.h"
#include "problems/readers/task/simulation.h"
#include "problems/readers/task/solver.h"
#include "problems/readers/task/starts.h"
#include "problems/readers/task/transcription.h"
#include "problems/readers/task/verification.h"

DM_BEGIN_C

struct pb_problem;

// The phases of a file, each read as a problem of its own, and what is between them.
typedef struct pb_phases {
  int n;                       // 0: the file has none
  struct pb_problem **problem; // [n]
  const char *const *name;     // [n]
  const oc_task **task;        // [n] theirs
  oc_join *join;               // [n-1]
  pb_carry *carry;             // [n-1] what gains take across each
  bool limited;                // is the total time, within [s]
  double T[2];
} pb_phases;

// What is solved for them all. Its arrays are those of the problem.
oc_phases_task pb_phases_task(const pb_phases *phases);

// A problem with phases has these and texts alone: no robot, and no task of its own.
typedef struct pb_problem {
  char *path, *name; // the file as given; its `name:`, else FOLDER-FILE; for a phase with -PHASE
  const char *file_name; // the same without -PHASE
  char sha256[65]; // of all inputs, one after the other: the problem, the robot file, CSV files
  pb_robot robot;
  dm_model *model;         // the robot's
  const char **input_name; // [nu + nk] of forces, then of kinematic coordinates
  const char **row_name;   // [nc] of constraints' rows: NAME, or NAME.1 .. of one with several
  const char **
      equation_name; // [equations] the same of robot.mechanism.constraints, with rows that were left out
  int equations;
  const char **output_name; // [robot.outputs.named] of outputs' rows

  bool has_task, has_feedback, has_verify, has_simulate; // which sections the file has

  oc_task task; // arrays owned by the problem; without a task only system and names are set
  const struct pb_node *tree; // the file's sections, for pb_problem_place
  int periodic_at[2];         // line and column where a motion is said to end as it began
  double step;   // s, of its motion or first guess; task.system is the robot's, fitted to it
  int step_line; // where the file says it (problems/readers/task/stiff_steps.h)
  dm_stiff_damping *fitted;        // what makes it so
  dm_stiff_damping *fitted_before; // what made it so before pb_problem_refit, and for steps of
  double step_before;              // s
  pb_fineness fine; // of a task; of what is simulated a right angle, and no doublings
  pb_transcription transcription;
  pb_guess guess;
  pb_starts starts;
  pb_design design; // of a task
  pb_solver solver;

  dm_trajectory *rest; // `balance:`, a motion that stays where it is; else NULL
  pb_simulation simulate;

  pb_feedback feedback;
  pb_verification verify;
  pb_phases phases;

  struct pb_warnings warnings;
  const struct pb_source
      *sources; // the files read, the problem file first (problems/readers/format/sources.h)
  struct pb_chunk *memory; // all of the arrays and texts above
} pb_problem;

// Where the file has a key, "bounds.outputs": its line and column; false: nowhere.
bool pb_problem_place(const pb_problem *p, const char *key, int at[2]);

// The same for messages: "FILE:LINE:COLUMN" in text, or "FILE" if the file does not have the key (NULL:
// none). Returns text.
enum { PB_PLACE = 300 };
const char *pb_problem_at(const pb_problem *p, const char *key, char text[PB_PLACE]);

// Read a problem file and all that it names. Nothing is printed; warnings are kept in the problem.
// Returns DM_OK, or DM_BAD_INPUT / DM_IO / DM_NO_MEMORY with one sentence that begins
// "FILE:LINE:COLUMN: " (where there is a line and a column) in msg, *out NULL.
dm_status pb_problem_read(pb_problem **out, const char *path, dm_message *msg);

// Fit the system of a problem to steps of another length h, > 0 [s], as those of a free final time
// come to be (lib/discrete/stiff_damping.h). What was made of task.system before is of the old one,
// which stays until the next call. Returns DM_OK, or DM_NO_MEMORY with the problem as it was.
dm_status pb_problem_refit(pb_problem *p, double h);

// Go back to what the system was fitted to before the last pb_problem_refit.
void pb_problem_refit_undo(pb_problem *p);

// The same with n values of the file replaced; its digest is of them, too.
dm_status pb_problem_vary(pb_problem **out, const char *path, const pb_replace *replace, int n,
                          dm_message *msg);

// The same from copies of its files in a folder, each under its pb_copy_name; `path` is where the
// problem file was, and names it in messages. Neither the folder nor a copy may be a link. `copies`
// NULL: from the files themselves.
dm_status pb_problem_copied(pb_problem **out, const char *path, const char *copies,
                            const pb_replace *replace, int n, dm_message *msg);
void pb_problem_free(pb_problem *p); // accepts NULL

// A motion on the task's grid to start the optimizer from, as the problem's `guess:` says; to be
// freed by dm_trajectory_free. Returns DM_OK, DM_NO_MEMORY, or the Lagrangian's failure.
dm_status pb_problem_guess(const pb_problem *p, dm_trajectory **guess);

// Motions on the grids of phases to start the optimizer from, as each phase's `guess:` says: lines go
// through all of them. motion [n], of the phases' sizes (dm_trajectory_of). Returns DM_OK,
// DM_NO_MEMORY, or the Lagrangian's failure.
dm_status pb_phases_guess(const pb_phases *phases, dm_trajectory **motion);

// Read a model alone: a URDF file, or a problem file's `model:` and `inputs:`. `floating` adds a
// floating base. out is to be freed by pb_robot_free; on failure it is zeroed. warnings (zeroed, or
// NULL) are to be freed by the caller, whatever is returned.
dm_status pb_model_read(pb_robot *out, const char *path, bool floating,
                        struct pb_warnings *warnings, dm_message *msg);

// The same of any robot, to be looked at and not stepped: it may have no joint that moves, or one
// that moves no inertia. why: what keeps it from being stepped, "" where nothing does.
dm_status pb_model_draft(pb_robot *out, const char *path, bool floating,
                         struct pb_warnings *warnings, dm_message *why, dm_message *msg);

DM_END_C
#endif
