// problems/readers/task/design.h: `design:` as read: robot parameters that are optimized together
// with the motion.
#ifndef PB_TASK_DESIGN_H
#define PB_TASK_DESIGN_H
#include "optim/design.h"

DM_BEGIN_C

// A number in the file: a parameter's value times the factor. path:
// problems/readers/format/replace.h.
typedef struct pb_design_place {
  const char *path;
  double factor;
} pb_design_place;

typedef struct pb_design {
  int n;                            // parameters; 0: none
  const oc_parameter *parameter;    // [n]
  const int *places;                // [n] number of places of each parameter
  const pb_design_place *const *at; // [n][places]
} pb_design;

DM_END_C
#endif
