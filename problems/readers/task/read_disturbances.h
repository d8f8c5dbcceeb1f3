// problems/readers/task/read_disturbances.h: read encoders, motors, pushes and calls of `verify:`.
#ifndef PB_TASK_READ_DISTURBANCES_H
#define PB_TASK_READ_DISTURBANCES_H
#include "control/loop/robustness.h"
#include "problems/readers/format/schema.h"
#include "problems/readers/model/robot.h"

typedef struct pb_encoders {
  const double *counts, *step, *noise;
  const char *velocity;
} pb_encoders;

typedef struct pb_actuators {
  double response, lag;
} pb_actuators;

typedef struct pb_pushes {
  int count;
  const pb_node *size, *width;
  double apart;
  const double *factor;
} pb_pushes;

typedef struct pb_calls {
  double missing, late, off;
} pb_calls;

// The disturbances of a loop besides model errors and noise, as in the sections.
typedef struct pb_disturbances {
  pb_encoders encoders;
  pb_actuators actuators;
  pb_pushes pushes;
  pb_calls calls;
  const double *friction;
} pb_disturbances;

// from:to:count for each axis
typedef struct pb_levels {
  const char *text[FB_AXES];
} pb_levels;

extern const pb_key pb_encoders_keys[], pb_actuators_keys[], pb_pushes_keys[], pb_calls_keys[],
    pb_levels_keys[];

// Convert the sections s of verify (node) to out; arrays are in the arena. Returns DM_OK,
// DM_BAD_INPUT or DM_NO_MEMORY.
dm_status pb_disturbances_read(const pb_reader *r, const pb_node *node, const pb_disturbances *s,
                               const pb_robot *robot, fb_mismatch_settings *out);

// Read the levels s of each axis named in verify.sweep.levels (node). Refuses an axis that the
// study does not have (r->mismatch, limits, starts), negative levels of an unsigned axis, and
// factors that are not positive. Returns DM_OK or DM_BAD_INPUT.
dm_status pb_levels_read(const pb_reader *r, const pb_node *node, const pb_levels *s,
                         const fb_robustness *study, fb_levels out[FB_AXES]);
#endif
