// optim/solution_layout.h: arguments, figures and state of a solution process (optim/solution.h).
#ifndef OC_SOLUTION_LAYOUT_H
#define OC_SOLUTION_LAYOUT_H
#include "lib/discrete/contact_check.h"
#include "optim/interior/hand_over.h"
#include "optim/interior/interior.h"
#include "optim/nlp/scaled.h"
#include "optim/program/phases.h"
#include "optim/second/defect.h"
#include "optim/second/torque_transcription.h"

#include <stdint.h>

DM_BEGIN_C

// A solve besides its task; all but the options may be left out.
typedef struct oc_setup {
  oc_options options;
  oc_hooks hooks;
  // settings of a program of second order; NULL: first order
  const oc_torque_transcription_settings *second;
  // The guess: a motion with any number of steps, resampled; or a rollout from the start under constant
  // forces [system.nu] (NULL: zero); or, by default, that of oc_guess_own (optim/starts/rollout.h).
  const dm_trajectory *guess;
  bool rollout;
  const double *rollout_u;
  // Multipliers of a nearby solution of the same program: lambda, z_l, z_u; x is not read. NULL: not given.
  const oc_point *warm;
} oc_setup;

typedef struct oc_solve_info {
  dm_status status;           // of the solver: DM_OK, DM_ACCEPTABLE: solved, at a minimum
  const char *method;         // the method that ended it: "newton", "ipopt", "stage"
  bool newton;                // Newton's method ended it
  bool late;                  // its time limit was reached: status is DM_MAX_ITER
  bool warm;                  // it started from multipliers
  char detail[64];            // the solver's own name of the outcome
  char handed_on[64];         // the stage solver's outcome, if IPOPT continued; else ""
  const char *linear;         // linear solver; NULL: Newton's method
  int factorizations, by_ldl; // of the stage solver: Newton systems, and those factored by ldl
  int guesses;        // number tried; the figures are of the successful one, else of the first
  bool too_far;       // infeasible, and known to be: the limit of speed of coordinate too_far_coord
  int too_far_coord;  // does not let it come from start to goal in the time
  int iterations;     // of the last run; for a cost per time or distance, of all prices
  int spent;          // of all runs and guesses; 0 of Newton's method
  int rows;           // of the record
  double objective;   // of the task, without `tie`; for a cost per time or distance the ratio
  double tie;         // cost of the tie-break among inputs (oc_transcription_tie)
  oc_inertia inertia; // of the reduced Hessian at the end: is the point a minimum?
  int saddles;        // number of saddles that were reached and left before
  double saddle;      // the objective of the first of them
  double lowest;      // at a saddle: of all points beside it with satisfied rows
  double max_violation;          // of a row of the program, in its unit
  double violation_share;        // the largest, of a row's scale (oc_nlp.scale)
  int worst_row;                 // with the largest scaled violation; -1: none
  double worst_violation;        // of this one, in its unit
  double total_s, derivatives_s; // wall clock
  // with a prescribed schedule that cannot be met: the largest fault of a motion with its states, else 0; its phase
  dm_contact_verdict unmet;
  int unmet_phase;
  // For second order: does a motion of the system's own steps follow the solution (DM_OK), how well, or why
  // not.
  dm_status followed;
  oc_defect agreement;
  dm_message why;
} oc_solve_info;

typedef struct oc_solution {
  oc_task task;
  oc_setup set;
  oc_transcription *first;         // the program of first order, or NULL
  oc_phases *phases;               // of several phases, or NULL; task is then the first one's
  oc_phases_task phased;           // their tasks and joins
  oc_torque_transcription *second; // of second order, or NULL
  const oc_nlp *nlp;               // the program in use
  oc_scaled *scaled;               // the program as solvers see it, after the first search; or NULL
  oc_interior *kept;  // borrowed: the stage solver in this workspace, without IPOPT; NULL: neither
  bool newton;        // is Newton's method used?
  oc_point point;     // of the program: the guess, and then the solution
  bool warm;          // are the point's multipliers those of a nearby solution?
  bool same;          // of this program, not of another grid: quadratic models come first
  bool stage;         // is the stage solver used first?
  uint64_t branch;    // of the next line (oc_guess_branch)
  double *guess;      // [nlp->n] the initial point
  double *rows;       // scratch [nlp->m]
  oc_iterate *record; // [room] one row per iteration, info.rows of them
  int room;
  dm_trajectory *motion;   // the result of oc_solve
  dm_trajectory *curve;    // second order: the solution, if `motion` follows it; else the failed
                           // attempt to follow it; NULL for first order
  dm_trajectory **motions; // with several phases [phased.n], instead of the other two
  oc_solve_info info;
} oc_solution;

DM_END_C
#endif
