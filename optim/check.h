// optim/check.h: compare every derivative of a task's program, and of a step of its system, with differences,
// and judge them by the order of the error (lib/base/difference.h).
//
//   oc_check found = oc_check_default();
//   dm_status s = oc_check_task(&found, &task, NULL, &msg);    // found.failed: number of failed rows
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

// The checks so far; each function below adds its rows.
typedef struct oc_check {
  uint64_t seed;    // of the points and directions; it advances
  double noise;     // rounding of a program's functions, see dm_difference
  int rows, failed; // rows in total, and rows that failed
  oc_check_row row[OC_CHECK_ROWS];
} oc_check;

// No rows, the default seed, and a noise of 1e-13.
oc_check oc_check_default(void);

// Check a program at a point near x [nlp->n]: the gradient of its objective, the Jacobian of its rows and the
// Hessian of its Lagrange function, each along one random direction per kind of variable. All distances and
// errors are relative to the scales of variables, rows and objective (optim/nlp/scaled.h).
//   kind  [nlp->n] of each variable: q, u, l (impulses), v (end velocities), w (velocities at
//         knots), h, c (curve parameters), a (accelerations at knots), s (slacks), z (of contacts), m (levels)
// Adds at most 27 rows. Returns DM_OK, DM_NO_MEMORY, or the program's status at that point.
dm_status oc_check_nlp(oc_check *c, const oc_nlp *nlp, const char *kind, const double *x);

// The same for the program of a solution, at its guess; a curve parameter stays within a piece of its spline.
dm_status oc_check_program(oc_check *c, const oc_solution *w);

// Check one step of a task's system: A by q and by p, B, and the contracted second derivatives
// (lib/discrete/linearize.h), at a random state
// near q, v [n] with step h [s]; nearer to q, v if the step fails. All distances and errors are relative to
// the sizes of coordinates and velocities (oc_task_scale); the size of a momentum is the momentum at that
// velocity.
//   knot  for messages
// Adds 4 rows, 3 without inputs, one fewer without third derivatives of L, one more if they are differences
// (lib/mechanics/differenced.h), with their own error. Returns DM_OK, DM_NO_MEMORY, or the step's failure with a sentence in msg.
dm_status oc_check_step(oc_check *c, const oc_task *task, int knot, const double *q,
                        const double *v, double h, dm_message *msg);

// The same at the first knot of a motion x at which a step succeeds: the midpoint, then the quarters, then
// the ends are tried. Returns the status of oc_check_step at the last knot tried.
dm_status oc_check_motion(oc_check *c, const oc_task *task, const dm_trajectory *x,
                          dm_message *msg);

// Check a task's program at the guess of the settings (NULL: the defaults), and a step of the line between
// its ends. Returns the status of the functions above or of oc_solution_new.
dm_status oc_check_task(oc_check *c, const oc_task *task, const oc_setup *set, dm_message *msg);

DM_END_C
#endif
