// problems/readers/task/cost_terms.h: costs of one coordinate or one input under a key of `cost`,
//
//   w a(y(q,v,u))    of its position q and speed v, or of the input u and its joint's q and v
//
// with an activation a (optim/task/activation.h). They become terms of the task (optim/task/term.h).
#ifndef PB_TASK_COST_TERMS_H
#define PB_TASK_COST_TERMS_H
#include "optim/task/task.h"
#include "problems/readers/format/schema.h"

// The keys, each with a function eval_KEY in cost_terms.c: X(key, COORD or INPUT, activation, y as
// text, unit, meaning). A test compares the function with the text.
// clang-format off
#define PB_COST_TERMS(X)                                                                           \
  X(power, INPUT, OC_QUADRATIC, "u v", "per W2",                                                   \
    "w in w/2 (u v)^2, the power of an input on a joint")
// clang-format on

// Their weights as read, one member for each key; NULL: not given.
#define PB_COST_WEIGHT(key, ...) const double *key;
typedef struct pb_cost_weights {
  PB_COST_TERMS(PB_COST_WEIGHT)
} pb_cost_weights;
#undef PB_COST_WEIGHT

// Append the terms with weights > 0 to a task without terms. Returns DM_OK, DM_NO_MEMORY, or
// DM_BAD_INPUT at the section `cost` if an input is not on a joint with one coordinate.
dm_status pb_cost_terms_read(const pb_reader *r, const pb_node *cost, const dm_model *m,
                             const pb_cost_weights *weights, oc_task *task);
#endif
