// problems/readers/task/problem.h: a problem file as read: a robot, a task, a simulation, feedback
// and its verification.
//
// docs/problem-format.md describes the file key by key.
#ifndef PB_TASK_PROBLEM_H
#define PB_TASK_PROBLEM_H
#include "lib/discrete/stiff_damping.h"
#include "lib/discrete/trajectory.h"
#include "lib/multibody/robot_contact_laws.h"
#include "optim/program/phases.h"
#include "problems/readers/format/replace.h"
#include "problems/readers/format/warnings.h"
#include "problems/readers/model/robot.h"
#include "problems/readers/task/design.h"
#include "problems/readers/task/feedback.h"
#include "problems/readers/task/fineness.h"
#include "problems/readers/task/guess.h"
#include "problems/readers/task/names.h"
#include "problems/readers/task/simulation.h"
#include "problems/readers/task/transcription.h"
#include "problems/readers/task/verification.h"

DM_BEGIN_C

struct pb_problem;

// The phases of a file, each read as a separate problem, and the joins between them.
typedef struct pb_phases {
  int n;                       // 0: the file has no phases
  struct pb_problem **problem; // [n]
  const char *const *name;     // [n]
  const oc_task **task;        // [n] the phases' tasks
  oc_join *join;               // join i follows phase i   [n-1, periodic: n]
  pb_carry *carry;             // how gains use the next phase's cost-to-go, likewise
  bool periodic;               // whether the last join leads to the first phase
  bool limited;                // whether the total time is bounded, T  [s]
  double T[2];
  const int (*place)[2]; // [n] line and column of its join, or of the phase
} pb_phases;

// The combined task of all phases. Its arrays belong to the problem.
oc_phases_task pb_phases_task(const pb_phases *phases);

// The files that a problem was read from.
typedef struct pb_problem_file {
  char *path;                 // as given
  char *name;                 // `name:`, else FOLDER-FILE, with -PHASE for a phase
  const char *full_name;      // without -PHASE
  char sha256[65];            // of all inputs in sequence: the problem, the robot file, CSV files
  const struct pb_node *tree; // its sections, for pb_problem_place
  const struct pb_source *sources; // files read, the problem file first
} pb_problem_file;

// Damping faster than a step, fitted to the step length (problems/readers/task/stiff_steps.h).
typedef struct pb_fit {
  double step;              // s, of the motion or first guess; task.system is fitted to it
  int line;                 // the line that sets it
  dm_stiff_damping *now;    // the current fit
  dm_stiff_damping *before; // the fit before pb_problem_refit, and its step
  double step_before;       // s
} pb_fit;

// A problem with phases has only phases and texts: neither a robot nor a task of its own.
typedef struct pb_problem {
  pb_problem_file file;
  pb_robot robot;
  dm_model *model;                 // the robot's
  dm_robot_contact_laws *contacts; // of a task: its contacts and dry friction; NULL: none
  pb_names names;
  struct {
    bool task, feedback, verify, simulate, starts; // sections present in the file
  } has;

  oc_task task;       // arrays owned by the problem; without a task only system and names are set
  int periodic_at[2]; // line and column where the motion is declared periodic
  pb_fit fit;
  pb_fineness fine; // of a task; for simulations: rotation up to 90 degrees, no doublings
  pb_transcription transcription;
  pb_guess guess;
  pb_design design;   // of a task
  oc_options options; // of its solvers

  dm_trajectory *rest; // `balance:`, a constant motion; else NULL
  pb_simulation simulate;
  pb_feedback feedback;
  pb_mpc mpc;
  pb_verification verify;
  pb_phases phases;

  struct pb_warnings warnings;
  struct pb_chunk *memory; // owns all arrays and texts above
} pb_problem;

// The line and column of a key, "bounds.outputs", in the file; returns false if the file does not
// have it.
bool pb_problem_place(const pb_problem *p, const char *key, int at[2]);

// The same for messages: "FILE:LINE:COLUMN" in text, or "FILE" if the file does not have the key
// (or key is NULL). Returns text.
enum { PB_PLACE = 300 };
const char *pb_problem_at(const pb_problem *p, const char *key, char text[PB_PLACE]);

// The same for a refusal of phases (oc_phases_new), whose sentence begins with the phase: where its join is.
const char *pb_phases_at(const pb_problem *p, const char *sentence, char text[PB_PLACE]);

// Read a problem file and all files that it names. Prints nothing; warnings are stored in the
// problem. Returns DM_OK; or DM_BAD_INPUT, DM_IO or DM_NO_MEMORY with one sentence in msg, which
// begins with "FILE:LINE:COLUMN: " if the position is known, and *out NULL.
dm_status pb_problem_read(pb_problem **out, const char *path, dm_message *msg);

// Fit the system of a problem to another step length h > 0 [s], for example the result of a free
// final time (lib/discrete/stiff_damping.h). Objects made from task.system before refer to the old
// fit, which stays valid until the next call. Returns DM_OK, or DM_NO_MEMORY with the problem
// unchanged.
dm_status pb_problem_refit(pb_problem *p, double h);

// Restore the fit before the last pb_problem_refit.
void pb_problem_refit_undo(pb_problem *p);

// Read a problem with n values of the file replaced; its digest includes them.
dm_status pb_problem_vary(pb_problem **out, const char *path, const pb_replace *replace, int n,
                          dm_message *msg);

// Read a problem from copies of its files in a folder, each under its pb_copy_name; `path` is the
// original location of the problem file, for messages. Neither the folder nor a copy may be a link.
// `copies` NULL: read the original files.
dm_status pb_problem_copied(pb_problem **out, const char *path, const char *copies,
                            const pb_replace *replace, int n, dm_message *msg);
void pb_problem_free(pb_problem *p); // NULL is accepted

// Make the initial motion of the optimizer on the task's grid, from the problem's `guess:`. Free
// with dm_trajectory_free. Returns DM_OK, DM_NO_MEMORY, or the Lagrangian's failure.
dm_status pb_problem_guess(const pb_problem *p, dm_trajectory **guess);

// Make the initial motions of all phases on their grids, from each phase's `guess:`; a line spans
// all phases that have one. motion [n], with the phases' sizes (dm_trajectory_of). Returns DM_OK,
// DM_NO_MEMORY, or the Lagrangian's failure.
dm_status pb_phases_guess(const pb_phases *phases, dm_trajectory **motion);

// Read only a model: a robot file, or `model:` and `inputs:` of a problem file. `floating` adds a
// floating base. Free out with pb_robot_free; on failure it is zeroed. The caller frees warnings
// (zeroed, or NULL), whatever is returned.
dm_status pb_model_read(pb_robot *out, const char *path, bool floating,
                        struct pb_warnings *warnings, dm_message *msg);

// Read any robot for inspection, not for stepping: it may have no moving joint, or a joint that
// moves no inertia. why: the reason why it cannot be stepped, "" if it can.
dm_status pb_model_draft(pb_robot *out, const char *path, bool floating,
                         struct pb_warnings *warnings, dm_message *why, dm_message *msg);

DM_END_C
#endif
