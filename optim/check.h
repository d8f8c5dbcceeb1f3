// optim/check.h: every derivative of a task's program, and of a step of its system, against
// differences, judged by the order of their error (lib/base/difference.h).
//
//   oc_check found = oc_check_default();
//   dm_status s = oc_check_task(&found, &task, NULL, &msg);    // found.failed: how many do not hold
#ifndef OC_CHECK_H
#define OC_CHECK_H
#include "lib/base/difference.h"
#include "optim/solve.h"

#include <stdint.h>

DM_BEGIN_C

enum { OC_CHECK_ROWS = 128 };

typedef struct oc_check_row {
  char block[64]; // "rows, Jacobian by u"
  dm_verdict verdict;
} oc_check_row;

// What has been checked so far; each function below adds its rows.
typedef struct oc_check {
  uint64_t seed;    // of the points and directions; it moves on
  double noise;     // rounding of a program's functions, as dm_difference has it
  int rows, failed; // of them do not hold
  oc_check_row row[OC_CHECK_ROWS];
} oc_check;

// No rows yet, a seed, and a noise of 1e-13.
oc_check oc_check_default(void);

// A program at a point near x [nlp->n]: the gradient of its objective, the Jacobian of its rows,
// the Hessian of its Lagrange function, each along a random direction in the variables of a kind. All
// distances and errors are relative to the sizes of variables, rows and objective (optim/nlp/scaled.h).
//   kind  [nlp->n] of each variable: q, u, l (impulses), v (end velocities), w (velocities at
//         knots), h, c (places on a curve), a (accelerations at knots), s (slacks)
// Adds at most 24 rows. Returns DM_OK, DM_NO_MEMORY, or what the program returns at that point.
dm_status oc_check_nlp(oc_check *c, const oc_nlp *nlp, const char *kind, const double *x);

// The same of the program of a solution, at its guess; places on a curve move within a piece of its
// spline.
dm_status oc_check_program(oc_check *c, const oc_solution *w);

// One step of a task's system: A by q and by p, and B (lib/discrete/linearize.h), at a random state near
// q, v [n] with step h [s]; nearer to q, v if the step fails there. All distances and errors are relative to
// the sizes of coordinates and velocities (oc_task_scale); that of a momentum is what this velocity makes it.
//   knot  for messages
// Adds 3 rows, 2 without inputs. Returns DM_OK, DM_NO_MEMORY, or with a sentence in msg why the
// step cannot be taken there.
dm_status oc_check_step(oc_check *c, const oc_task *task, int knot, const double *q,
                        const double *v, double h, dm_message *msg);

// The same at the first knot of a motion x at which a step succeeds: the middle, the quarters, then the
// ends are tried. Returns the status of oc_check_step at the last knot tried.
dm_status oc_check_motion(oc_check *c, const oc_task *task, const dm_trajectory *x,
                          dm_message *msg);

// A task's program at the guess of the settings (NULL: the defaults), and a step of the line
// between its ends. Returns what the functions above and oc_solution_new return.
dm_status oc_check_task(oc_check *c, const oc_task *task, const oc_solve_settings *set,
                        dm_message *msg);

DM_END_C
#endif
