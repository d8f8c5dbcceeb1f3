// problems/readers/task/read_robustness.h: read the disturbances of `verify:`.
#ifndef PB_TASK_READ_ROBUSTNESS_H
#define PB_TASK_READ_ROBUSTNESS_H
#include "problems/readers/format/schema.h"
#include "problems/readers/model/robot.h"
#include "problems/readers/task/read_disturbances.h"
#include "problems/readers/task/verification.h"

typedef struct pb_errors {
  double mass, inertia, length, damping, ground, grip;
  const pb_node *parts;
  const char *from;
} pb_errors;

typedef struct pb_noise {
  const double *q, *v, *torque;
} pb_noise;

typedef struct pb_robustness_section {
  pb_errors errors;
  pb_noise noise;
  pb_disturbances disturbances;
  double limit, delay;
  const char *plants;
  const pb_node *sweep, *region;
} pb_robustness_section;

extern const pb_key pb_errors_keys[], pb_noise_keys[], pb_sweep_keys[], pb_region_keys[];

// Convert the section s of verify (node) to the disturbances of a study, except the seed; arrays
// are in the arena.
//   spread_q, spread_v  [n] of starts
// Returns DM_OK, DM_BAD_INPUT or DM_NO_MEMORY.
dm_status pb_robustness_read(pb_reader *r, const pb_node *node, const pb_robustness_section *s,
                             const pb_robot *robot, const double *spread_q, const double *spread_v,
                             pb_robustness *out);
#endif
