// optim/solution_layout.h: settings, figures and state of the way from a task to a motion
// (optim/solution.h).
#ifndef OC_SOLUTION_LAYOUT_H
#define OC_SOLUTION_LAYOUT_H
#include "optim/interior/hand_over.h"
#include "optim/interior/interior.h"
#include "optim/nlp/scaled.h"
#include "optim/program/phases.h"
#include "optim/second/defect.h"
#include "optim/second/torque_transcription.h"

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
  bool only_guess; // no other guess is tried where this one leads to no solution, and no way off a
                   // saddle; default false
  // Multipliers of a nearby solution of the same program, for IPOPT: lambda, z_l, z_u; x is not
  // read. NULL: none.
  const oc_point *warm;

  // Called once an iteration; returning false stops with DM_INTERRUPTED; NULL: not called. Of
  // Newton's method `dual` is the decrement, and there is no violation.
  bool (*watch)(void *user, const oc_iterate *it);
  // Asked many times within an iteration as well, so that a solve ends at once; returning true stops
  // with DM_INTERRUPTED; NULL: not asked. IPOPT and Newton's method ask once an iteration.
  bool (*stop)(void *user);
  // Called where Newton's method gives up and IPOPT is to go on from the guess; NULL: not called.
  void (*fall_back)(void *user, const char *why);
  void *user;
} oc_solve_settings;

typedef struct oc_solve_info {
  dm_status status;           // of the solver: DM_OK, DM_ACCEPTABLE: solved, at a minimum
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
  int too_far_coord;      // does not let it come from start to goal in the time
  int iterations;         // of the last run; of a cost per time or way of those at all prices
  int spent;              // of all runs and guesses; 0 of Newton's method
  int rows;               // of the record
  double objective;       // of the task, without; of a cost per time or way the ratio
  double tie;             // what broke ties among its inputs (oc_transcription_tie)
  oc_inertia inertia;     // of the reduced Hessian where it ended: whether that is a minimum
  int saddles;            // that it came to, and left, before
  double saddle;          // the objective of the first of them
  double lowest;          // at a saddle: of all points beside it that keep to the rows
  double max_violation;   // of a row of the program, in its unit
  double violation_share; // the largest, of a row's scale (oc_nlp.scale)
  int worst_row;          // that is furthest off by its scale; -1: none
  double worst_violation; // of this one, in its unit
  double total_s, derivatives_s; // wall clock
  // Of second order: whether a motion of the system's own steps follows the solution (DM_OK), how
  // well, or why none does.
  dm_status followed;
  oc_defect agreement;
  dm_message why;
} oc_solve_info;

typedef struct oc_solution {
  oc_task task;
  oc_solve_settings set;
  oc_transcription *first;         // the program of first order, or NULL
  oc_phases *phases;               // of several phases, or NULL; task is then the first one's
  oc_phases_task phased;           // what they are
  oc_torque_transcription *second; // of second order, or NULL
  const oc_nlp *nlp;               // whichever it is
  oc_scaled *scaled;               // what solvers see of it, from the first search on; or NULL
  bool newton;                     // is it Newton's method that solves it, or is to?
  oc_point point;                  // of the program: the guess, and then the solution
  bool warm;                       // the point's multipliers are those of a nearby solution
  bool stage;                      // is the stage solver asked first?
  uint64_t branch;                 // of the line that is made next (oc_guess_branch)
  double *guess;                   // [nlp->n] where the point began
  oc_iterate *record;              // [room] a row an iteration, info.rows of them
  int room;
  dm_trajectory *motion;   // what oc_solve returns
  dm_trajectory *curve;    // of second order the solution, where `motion` is one that follows it;
                           // else what came of following it; NULL of first order
  dm_trajectory **motions; // of several phases [phased.n], in the place of the other two
  oc_solve_info info;
} oc_solution;

DM_END_C
#endif
