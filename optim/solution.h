// optim/solution.h: solve a task step by step (_new, _start, _find), for callers that need the program, its
// multipliers or the record of iterates. optim/solve.h does the same in one call.
//
// The task becomes a sparse program (optim/program/transcribe.h; or, with settings for it, a program of
// second order, optim/second/torque_transcription.h), whose unknowns start at a guess. The stage solver
// solves it, followed by IPOPT if necessary (optim/interior/hand_over.h). A boundary value problem of second
// order is solved by Newton's method (optim/second/newton_bvp.h), and if that gives up by these solvers, from
// the guess. If they find no solution from this guess, which does not show that no solution exists, they
// restart from guesses of other kinds (optim/guess_search.h).
//
// A cost per time or distance (optim/rows/ratio.h) is solved for a sequence of prices, each from the last
// solution, until the price is the ratio.
//
// A speed limit far from the speeds that the motion needs (optim/rows/knot_speeds.h) applies only to the mean
// speeds of steps. If a solution exceeds it at a knot, the task is solved once more, from the same guess,
// with all speed limits enforced at knots.
#ifndef OC_SOLUTION_H
#define OC_SOLUTION_H
#include "optim/solution_start.h"

DM_BEGIN_C

// The default options, and nothing else: change only the fields you need.
oc_setup oc_setup_default(void);

// Build the program of a task. `set` is copied (NULL: the defaults); its pointers are borrowed. Returns
// DM_OK; DM_NO_MEMORY, or DM_BAD_INPUT with a sentence in msg.
dm_status oc_solution_new(oc_solution **out, const oc_task *task, const oc_setup *set,
                          dm_message *msg);

// The same for several phases: the result is w->motions instead of w->motion.
dm_status oc_solution_of_phases(oc_solution **out, const oc_phases_task *task, const oc_setup *set,
                                dm_message *msg);
void oc_solution_free(oc_solution *w); // accepts NULL

// The method that will solve it, or has: "newton", "ipopt" or "stage".
const char *oc_solution_method(const oc_solution *w);

// Solve from the current point. It can be called repeatedly: it continues from the end of the last call, and
// with w->warm set also from its multipliers. Returns DM_OK with w->motion, w->point, w->record and w->info,
// whose status tells their quality; or a negative status with a sentence in msg and no motion.
dm_status oc_solution_find(oc_solution *w, dm_message *msg);

DM_END_C
#endif
