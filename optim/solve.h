// optim/solve.h: from a task to a motion, in one call.
//
//   oc_task task = {.system = .., .N = 100, .T = 10, .q_start = .., .q_goal = .., .w_u = ..};
//   dm_trajectory *motion;
//   dm_status s = oc_solve(&task, NULL, &motion, NULL, &msg);
//
// The task becomes a sparse program (optim/transcription/transcribe.h; or with settings for it one
// of second order, optim/second/torque_transcription.h), whose unknowns begin at a guess. The stage
// solver solves it, with IPOPT behind it (optim/interior/hand_over.h); a boundary value problem of
// second order is solved by Newton's method (optim/second/newton_bvp.h), and where that gives up by
// those, from the guess. Where they find no solution there, which says nothing of other places, they
// begin anew from guesses of other kinds (optim/guess_search.c).
//
// A cost per time or way (optim/transcription/ratio.h) is solved for one price after another, each from
// the solution for the one before, until the price is the ratio.
//
// oc_solution is the same way in its parts, for who wants the program, its multipliers or the
// record of iterates: _new, _start, _find.
#ifndef OC_SOLVE_H
#define OC_SOLVE_H
#include "optim/interior/hand_over.h"
#include "optim/interior/interior.h"
#include "optim/second/defect.h"
#include "optim/second/torque_transcription.h"
#include "optim/transcription/phases.h"

#include <stdint.h>

DM_BEGIN_C

typedef enum oc_solver {
  OC_SOLVER_AUTO, // Newton's method where it can; else the stage solver, and IPOPT where that finds
                  // no solution or settings.linear names a linear solver of its own
  OC_SOLVER_IPOPT,  // IPOPT alone
  OC_SOLVER_NEWTON, // Newton's method where it can, without falling back
  OC_SOLVER_STAGE   // the interior point method of our own alone (optim/interior/interior.h)
} oc_solver;

typedef struct oc_solve_settings {
  // a program of second order; NULL: of first
  const oc_torque_transcription_settings *second;
  oc_solver solver;   // default OC_SOLVER_AUTO
  double tol;         // default 1e-9, of IPOPT: see oc_ipopt_settings
  int max_iter;       // default 3000: of all runs from all guesses together; of Newton's method on
                      // each grid
  double max_time;    // s, wall clock; default INFINITY
  const char *linear; // linear solver of IPOPT, a name of oc_ipopt_solvers; NULL: the first

  // The guess: a motion of any number of steps, resampled; or a rollout from the start under forces
  // [system.nu] held (NULL: none); or, by default, the line between the ends.
  const dm_trajectory *guess;
  bool rollout;
  const double *rollout_u;
  bool only_guess; // no other guess is tried where this one leads to no solution; default false
  // Multipliers of a nearby solution of the same program, for IPOPT: lambda, z_l, z_u; x is not
  // read. NULL: none.
  const oc_point *warm;

  // Called once an iteration; returning false stops with DM_INTERRUPTED; NULL: not called. Of
  // Newton's method `dual` is the decrement, and there is no violation.
  bool (*watch)(void *user, const oc_iterate *it);
  // Called where Newton's method gives up and IPOPT is to go on from the guess; NULL: not called.
  void (*fall_back)(void *user, const char *why);
  void *user;
} oc_solve_settings;

typedef struct oc_solve_info {
  dm_status status;           // of the solver: DM_OK, DM_ACCEPTABLE: solved
  const char *method;         // who ended it: "newton", "ipopt", "stage"
  bool newton;                // Newton's method ended it
  bool late;                  // its time was up: status is DM_MAX_ITER
  bool warm;                  // it began from multipliers
  char detail[64];            // the solver's own name of the outcome
  char handed_on[64];         // that of the stage solver, where IPOPT went on; else ""
  const char *linear;         // linear solver; NULL: of Newton's method
  int factorizations, by_ldl; // of the stage solver: Newton systems, and those that ldl factored
  int guesses;  // that were tried; the figures are of the one that solved it, else of the first
  bool too_far; // infeasible, and known to be: the limit of speed of coordinate too_far_coord
  int too_far_coord;    // does not let it come from start to goal in the time
  int iterations;       // of the last run; of a cost per time or way of those at all prices
  int spent;            // of all runs and guesses; 0 of Newton's method
  int rows;             // of the record
  double objective;     // of the task, without; of a cost per time or way the ratio
  double tie;           // what broke ties among its inputs (oc_transcription_tie)
  double max_violation; // of a row of the program
  int worst_row;        // of which; -1: none
  double total_s, derivatives_s; // wall clock
  // Of second order: whether a motion of the system's own steps follows the solution (DM_OK), how
  // well, or why none does.
  dm_status followed;
  oc_defect agreement;
  dm_message why;
} oc_solve_info;

// Every field at its default: change those you mean.
oc_solve_settings oc_solve_default(void);

// Solve a task (its arrays are borrowed).
//   set     NULL: the defaults
//   motion  out: a motion of the task's steps and sizes, for dm_trajectory_free; of second order the
//           one of the system's own steps that follows the solution, or where none does (see
//           info->followed) the solution itself
//   info    out: or NULL
//   msg     out: a sentence where the status is negative, or NULL
// Returns
//   DM_OK, DM_ACCEPTABLE  solved
//   DM_INFEASIBLE, DM_MAX_ITER, DM_INTERRUPTED, DM_STALLED  not solved; the motion is the best one
//                         seen (oc_ipopt_solve, oc_newton_solve)
// and with *motion NULL
//   DM_BAD_INPUT          what oc_task_check and the transcriptions say of the task
//   DM_UNAVAILABLE        IPOPT was asked for, and this build has none or not that linear solver
//   DM_NO_MEMORY, DM_NOT_FINITE, DM_FAULT, or what the system's Lagrangian returns.
dm_status oc_solve(const oc_task *task, const oc_solve_settings *set, dm_trajectory **motion,
                   oc_solve_info *info, dm_message *msg);

// -- the same in parts

typedef struct oc_solution {
  oc_task task;
  oc_solve_settings set;
  oc_transcription *first;         // the program of first order, or NULL
  oc_phases *phases;               // of several phases, or NULL; task is then the first one's
  oc_phases_task phased;           // what they are
  oc_torque_transcription *second; // of second order, or NULL
  const oc_nlp *nlp;               // whichever it is
  bool newton;                     // is it Newton's method that solves it, or is to?
  oc_point point;                  // of the program: the guess, and then the solution
  bool warm;                       // the point's multipliers are those of a nearby solution
  bool stage;                      // is the stage solver asked first?
  uint64_t branch;                 // of the line that is made next (oc_guess_branch)
  double *guess;                   // [nlp->n] where the point began
  double rounding;                 // of the gradient at the guess (oc_ipopt_settings)
  oc_iterate *record;              // [room] a row an iteration, info.rows of them
  int room;
  dm_trajectory *motion;   // what oc_solve returns
  dm_trajectory *curve;    // of second order the solution, where `motion` is one that follows it;
                           // else what came of following it; NULL of first order
  dm_trajectory **motions; // of several phases [phased.n], in the place of the other two
  oc_solve_info info;
} oc_solution;

// Build the program of a task. `set` is copied (NULL: the defaults); what it points to is borrowed.
// Returns DM_OK; DM_NO_MEMORY, or DM_BAD_INPUT with a sentence in msg.
dm_status oc_solution_new(oc_solution **out, const oc_task *task, const oc_solve_settings *set,
                          dm_message *msg);

// The same of several phases: w->motions in the place of w->motion.
dm_status oc_solution_of_phases(oc_solution **out, const oc_phases_task *task,
                                const oc_solve_settings *set, dm_message *msg);
void oc_solution_free(oc_solution *w); // accepts NULL

// Set the point to a guess: this motion, or with NULL the one that the settings say. Whoever has
// multipliers of a nearby solution may then write them to w->point and set w->warm, here or when
// set.fall_back is called. Returns DM_OK, DM_NO_MEMORY, or the Lagrangian's failure.
dm_status oc_solution_start(oc_solution *w, const dm_trajectory *guess);

// The same of phases: these motions [phased.n], each of its task's steps, or with NULL lines.
dm_status oc_solution_start_phases(oc_solution *w, const dm_trajectory *const *guess);

// Who is to solve it, or has: "newton", "ipopt" or "stage".
const char *oc_solution_method(const oc_solution *w);

// Solve from there; any number of times: from where the last one ended, with w->warm set from its
// multipliers. Returns DM_OK with w->motion, w->point, w->record and w->info, whose status
// says what they are worth; or a negative status with a sentence in msg and no motion.
dm_status oc_solution_find(oc_solution *w, dm_message *msg);

// -- its searches (optim/guess_search.c)

// One search of the program's solver from w->point, by all its beginnings; its outcome in w->point,
// w->record and w->info. Returns w->info.status.
dm_status oc_search_program(oc_solution *w, int max_iter, double max_time);

// The searches above, from w->point and then others, within w->set.max_iter and max_time; where none
// solves, w has the outcome of the own guess. Returns
//   DM_INFEASIBLE  none solves, and no limit cut the list short
//   DM_MAX_ITER    one did; w->info.late says which
// or what oc_solution_find says.
dm_status oc_search_from_guesses(oc_solution *w);

// Is it a motion that a search is for, or the caller's wish to end?
bool oc_search_is_found(dm_status s);

DM_END_C
#endif
