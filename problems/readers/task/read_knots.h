// problems/readers/task/read_knots.h: read the knots of steps of unequal length,
//
//   horizon: {steps: 4, time: 1, knots: [0, 0.1, 0.3, 0.6, 1]}
//   horizon: {steps: 40, time: 1, density: 1 + 9 exp(-20 s)}
//
//   horizon: {steps: 40, time: 1, steps_free: true}        or [low, high] in s
//
// Knots are in s, or in shares of a duration that is free. A density is the number of knots per time as a function of
// the share s of the duration, times any constant: the steps divide its integral equally.
#ifndef PB_TASK_READ_KNOTS_H
#define PB_TASK_READ_KNOTS_H
#include "optim/task/task.h"
#include "problems/readers/format/schema.h"

// The number of steps of a horizon without `steps`: those of its knots. Returns DM_OK, or DM_BAD_INPUT if it has neither.
dm_status pb_knots_count(const pb_reader *r, const pb_node *horizon, const pb_node *knots, int *N);

// Set task->time.grid, in the arena, from one of two nodes, or none, and the limits of free steps; its steps and its
// time are known. Knots belong to the file's grid of r->asked
// steps, and a refined grid divides each of its steps equally. Steps that are equal up to rounding have no grid. Returns
// DM_OK, DM_BAD_INPUT or DM_NO_MEMORY.
dm_status pb_knots_read(pb_reader *r, const pb_node *knots, const pb_node *density,
                        const pb_node *steps_free, oc_task *task);

// Refuse a task with a part that needs equal steps, as far as the task shows it; called when it is complete.
dm_status pb_knots_check(const pb_reader *r, const pb_node *horizon, const oc_task *task);

// Refuse feedback without a rate (in Hz; INFINITY: not given), and feedback beside constraints.
dm_status pb_knots_check_feedback(const pb_reader *r, const pb_node *feedback, const oc_task *task,
                                  double rate);

// The times of a task's knots over T seconds, in the arena; with equal steps for a table without times, whose rows
// belong to knots. NULL: out of memory.
double *pb_knots_times(const pb_reader *r, const oc_task *task, double T, bool timed);
#endif
