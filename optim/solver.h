// optim/solver.h: a task that is solved again and again, from other starts to other goals, in one workspace.
//
//   oc_solver *s;
//   oc_solver_new(&s, &task, NULL, &msg);
//   oc_solver_solve(s, NULL, NULL, &msg);        // the task as it is
//   oc_solver_solve(s, &start, NULL, &msg);      // the same from another start
//   const dm_trajectory *motion = oc_solver_motion(s);
//
// The first solve is that of optim/solution.h. Each later one begins at the last solution with its multipliers
// and keeps the program, its scales, the elimination order and all memory: from its own solution it takes no
// iteration. If that finds no solution, the task is solved again by optim/solution.h, from the last motion.
//
// A solver belongs to one thread at a time; several may run at once.
#ifndef OC_SOLVER_H
#define OC_SOLVER_H
#include "optim/solution.h"

DM_BEGIN_C

typedef struct oc_solver oc_solver;

// Make a solver of a task. The task and `set` (NULL: the defaults) are copied, and the task's ends with their
// numbers; its other arrays and the pointers of `set` are borrowed. Returns DM_OK; DM_NO_MEMORY, or DM_BAD_INPUT
// with a sentence in msg.
dm_status oc_solver_new(oc_solver **out, const oc_task *task, const oc_setup *set, dm_message *msg);
void oc_solver_free(oc_solver *s); // accepts NULL

// Solve the task.
//   start, goal  ends that replace those of the last solve; NULL, also each of their arrays: no change.
//                Entries must be NAN where the task leaves them free, and finite elsewhere
//   msg          out: a sentence if the status is negative, or NULL
// Returns the status of oc_solve: DM_OK or DM_ACCEPTABLE if solved; above 0 not solved, with the best motion;
// below 0 without one, and DM_BAD_INPUT with the ends unchanged. Allocates nothing of the size of the program
// after the first solve, unless it has to restart.
dm_status oc_solver_solve(oc_solver *s, const oc_end *start, const oc_end *goal, dm_message *msg);

// Continue with another task and its settings, copied as by _new: of the same steps, sizes, kinds of rows and given
// ends, with other numbers. The solver keeps the ends of its last solve, and the next solve begins at its solution with
// its multipliers. Returns DM_OK; DM_NO_MEMORY, or DM_BAD_INPUT with a sentence in msg and the solver unchanged. Builds
// a program.
dm_status oc_solver_change(oc_solver *s, const oc_task *task, const oc_setup *set, dm_message *msg);

// The motion of the last solve, and its figures: info.warm tells that it began at the solution before. The motion
// is NULL before the first solve and after a negative status. Both are valid until the next call.
const dm_trajectory *oc_solver_motion(const oc_solver *s);
const oc_solve_info *oc_solver_info(const oc_solver *s);

// Derivatives of a motion and its objective by each entry of (start q, start v, goal q, goal v) [4n]; 0 by free ones.
// Bounds that are active stay active: where one becomes active or inactive, the motion has a kink.
typedef struct oc_sensitivity {
  double *q;         // out: [4n x (N+1) x n]
  double *u;         // out: [4n x N x nu]
  double *h;         // out: [4n] of the step, 0 if the final time is fixed
  double *objective; // out: [4n]
} oc_sensitivity;

// Differentiate the last solution (optim/interior/sensitivity.h), by one factorization. Returns DM_OK; DM_UNAVAILABLE
// without a solution, or for tasks whose solves do not continue from multipliers (second order, contacts, costs per
// time or distance); DM_SINGULAR if the solution is not isolated; or DM_NO_MEMORY; with a sentence in msg. Allocates in
// the first call.
dm_status oc_solver_differentiate(oc_solver *s, const oc_sensitivity *out, dm_message *msg);

// Differentiate it by a parameter of the task, from tasks at other values of the parameter, which differ in numbers only:
// the derivative of a residual r by the parameter is sum_j weight_j r_j (with the first and last of four equal steps,
// (1, -8, 8, -1) / (12 step)), and that of the motion is exact beyond it.
//   count, near, weight  [count] tasks, whose ends are not read
//   out                  arrays of one column instead of 4n
// Returns as oc_solver_differentiate, and DM_BAD_INPUT if a task has another size. Builds `count` programs.
dm_status oc_solver_differentiate_by(oc_solver *s, int count, const oc_task *const *near,
                                     const double *weight, const oc_sensitivity *out,
                                     dm_message *msg);

DM_END_C
#endif
