// problems/readers/task/problem.h: a problem file as read: a model, a task, feedback and
// verification settings.
//
// docs/problem-format.md describes the file key by key.
#ifndef PB_TASK_PROBLEM_H
#define PB_TASK_PROBLEM_H
#include "control/feedback/estimator.h"
#include "control/feedback/output_feedback.h"
#include "control/feedback/tvlqr.h"
#include "control/loop/model_mismatch.h"
#include "control/loop/monte_carlo.h"
#include "lib/contact/contact_integrator.h"
#include "lib/discrete/composition.h"
#include "lib/discrete/stiff_damping.h"
#include "lib/multibody/load.h"
#include "lib/multibody/quaternion_system.h"
#include "lib/multibody/spring.h"
#include "optim/second/torque_transcription.h"
#include "problems/readers/format/replace.h"
#include "problems/readers/format/warnings.h"

DM_BEGIN_C

typedef enum pb_guess { PB_LINE, PB_ROLLOUT, PB_CSV } pb_guess;

// All that a file says of what moves.
typedef struct pb_robot {
  dm_model *tree;              // its joints
  dm_model *model;             // from outside: the tree itself, but where that has ball joints
                               // (lib/multibody/ball_joint.h)
  dm_quaternion_system *embed; // its system there, else NULL
  dm_constraints *constraints; // NULL: none
  dm_springs *springs;         // NULL: none
  dm_loads *loads;             // NULL: none
  dm_contacts *contacts;       // NULL: none
  const char *urdf; // the text of its file, in the problem's memory; NULL: there is none, or it is
                    // not all of the robot
  size_t urdf_size;
} pb_robot;

void pb_robot_free(pb_robot *robot); // zeroed is accepted

// It as a system, by the midpoint rule for both, from outside; robot must outlive it.
dm_system pb_robot_system(const pb_robot *robot);

// The unit of input i: "N", "N m", or "1" where it multiplies a wrench of another size.
const char *pb_robot_unit(const pb_robot *robot, int i);

// What is asked of a grid beside its number of steps.
typedef struct pb_fineness {
  double turn;   // of a joint in a step, at most; INFINITY: any                          rad
  double gap;    // where a plant ends a step beside the next knot, at most, over the coordinate's
                 // longest step; INFINITY: anywhere
  int doublings; // of the steps, at most, to keep to that
} pb_fineness;

typedef struct pb_problem {
  char *path, *name; // the file as given; its `name:`, else FOLDER-FILE
  char sha256[65];   // of all inputs, one after the other: the problem, the robot file, CSV files
  pb_robot robot;
  dm_model *model;         // the robot's
  const char **input_name; // [nu + nk] of forces, then of kinematic coordinates
  const char **row_name;   // [nc] of constraints' rows: NAME, or NAME.1 .. of one with several
  oc_task task; // arrays owned by the problem; without a task only system and names are set
  double step;  // s, of its motion or first guess; task.system is the robot's, fitted to it
  dm_stiff_damping *fitted;        // what makes it so
  dm_stiff_damping *fitted_before; // what made it so before pb_problem_refit, and for steps of
  double step_before;              // s
  bool has_task;                   // false for a file that only simulates or balances
  pb_fineness fine; // of a task; of what is simulated a right angle, and no doublings

  dm_trajectory *rest; // `balance:`, a motion that stays where it is; else NULL

  bool second;                             // a transcription of second order:
  oc_torque_transcription_settings action; // what it is beside the task

  pb_guess guess;
  dm_trajectory *guess_csv; // PB_CSV: q, u (p, v of that motion) on the task's grid; else NULL
  double *guess_u;          // [nu of forces] PB_ROLLOUT: the inputs held; else NULL

  struct {
    double tol;
    int max_iter;
    double max_time;    // s, INFINITY: none
    bool ipopt, newton; // which is asked for; neither: as it fits
    char *linear;       // one of oc_ipopt_solvers
  } solver;

  bool has_feedback;
  double *Q, *R, *Qf;    // [2n], [nu], [2n] diagonals; Qf NULL: steady solution at the goal
  double hold;           // s that the end of the motion is kept for; 0: the motion alone
  bool second_variation; // Q and R are the cost's own; Qf NULL: the goal must be met
  fb_form measure;       // what the controller is given,
  bool exact;            // with momenta by the mechanics, or to first order
  double rate;           // Hz that it samples at; INFINITY: at the knots
  bool between;          // gains interpolated between knots, or held
  int delay;             // steps that its inputs are late, 0 or 1
  bool has_estimator;
  fb_sensor_noise sensors; // its seed is that of verify

  bool has_verify;
  int samples;
  unsigned long long seed;
  double *spread_q, *spread_v; // [n]
  double tolerance;
  double *scale;             // [2n] in (q,v)
  double required;           // share of samples that must hold, 0..1
  bool has_start;            // one more start, run with feedback and without:
  int start_hold;            // where the first input leads, held for so many steps,
  double *start_q, *start_v; // [n] and offsets from there
  struct pb_robust {         // what is set against the gains:
    bool disturbed;          // whether machines differ, or are not seen as they are
    fb_mismatch_settings set;
    double limit; // of inputs, times the largest planned; INFINITY: none
    bool mujoco;  // one more plant
    bool has_sweep, has_region;
    struct pb_sweep { // of each axis alone
      int points, samples;
      double times, start; // of the sizes above; of the spread
    } sweep;
    struct pb_region { // of starts that hold
      int directions, halvings, samples;
      double most, rate, confidence;
    } region;
  } robust;

  bool has_simulate;
  int sim_steps;
  double sim_h;                     // s
  double *sim_q, *sim_v;            // [n] start
  bool sim_held;                    // its knot stood twice: p = D2(q,q), whatever sim_v
  double *sim_u;                    // [sim_steps x (nu + nk)] inputs over time; NULL: none
  int sim_every;                    // keep each so many knots
  double *sim_a, *sim_jerk, *sim_w; // second: [n] the start's, [nu] what inputs cost; else NULL
  int sim_order;                    // 2, 4, 6 (lib/discrete/composition.h)
  dm_del_settings sim_set;          // of its steps
  bool sim_watch, sim_form;         // keep what is conserved; the symplectic form as well
  struct pb_two_point {             // a study of where constraints are held:
    bool measured;                  // whether it is one
    bool two;                       // between knots, instead of at them
    double *next;                   // [n] the second configuration of the start; NULL: none
    double *first;                  // [nc] two: multipliers of the first interval; else NULL
  } sim_points;
  dm_contact_integrator_settings sim_contact; // how its contacts are met, where the robot has any

  struct pb_warnings warnings;
  const struct pb_source
      *sources; // the files read, the problem file first (problems/readers/format/sources.h)
  struct pb_chunk *memory; // all of the arrays and texts above
} pb_problem;

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
// problem file was, and names it in messages. `copies` NULL: from the files themselves.
dm_status pb_problem_copied(pb_problem **out, const char *path, const char *copies,
                            const pb_replace *replace, int n, dm_message *msg);
void pb_problem_free(pb_problem *p); // accepts NULL

// A motion on the task's grid to start the optimizer from, as the problem's `guess:` says; to be
// freed by dm_trajectory_free. Returns DM_OK, DM_NO_MEMORY, or the Lagrangian's failure.
dm_status pb_problem_guess(const pb_problem *p, dm_trajectory **guess);

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
