// optim/solution.h: the way from a task to a motion, in its parts: for who wants the program, its
// multipliers or the record of iterates (_new, _start, _find). optim/solve.h is the same in one call.
//
// The task becomes a sparse program (optim/program/transcribe.h; or with settings for it one
// of second order, optim/second/torque_transcription.h), whose unknowns begin at a guess. The stage
// solver solves it, with IPOPT behind it (optim/interior/hand_over.h); a boundary value problem of
// second order is solved by Newton's method (optim/second/newton_bvp.h), and where that gives up by
// those, from the guess. Where they find no solution there, which says nothing of other places, they
// begin anew from guesses of other kinds (optim/guess_search.h).
//
// A cost per time or way (optim/rows/ratio.h) is solved for one price after another, each from
// the solution for the one before, until the price is the ratio.
//
// A limit of speed that is far from what the motion needs (optim/rows/knot_speeds.h) is left
// to the mean speeds of steps; where a solution passes it at a knot, the task is solved once more,
// from the same guess, with all limits of speed asked for at knots.
#ifndef OC_SOLUTION_H
#define OC_SOLUTION_H
#include "optim/solution_start.h"

DM_BEGIN_C

// Every field at its default: change those you mean.
oc_solve_settings oc_solve_default(void);

// Build the program of a task. `set` is copied (NULL: the defaults); what it points to is borrowed.
// Returns DM_OK; DM_NO_MEMORY, or DM_BAD_INPUT with a sentence in msg.
dm_status oc_solution_new(oc_solution **out, const oc_task *task, const oc_solve_settings *set,
                          dm_message *msg);

// The same of several phases: w->motions in the place of w->motion.
dm_status oc_solution_of_phases(oc_solution **out, const oc_phases_task *task,
                                const oc_solve_settings *set, dm_message *msg);
void oc_solution_free(oc_solution *w); // accepts NULL

// Who is to solve it, or has: "newton", "ipopt" or "stage".
const char *oc_solution_method(const oc_solution *w);

// Solve from there; any number of times: from where the last one ended, with w->warm set from its
// multipliers. Returns DM_OK with w->motion, w->point, w->record and w->info, whose status
// says what they are worth; or a negative status with a sentence in msg and no motion.
dm_status oc_solution_find(oc_solution *w, dm_message *msg);

DM_END_C
#endif
