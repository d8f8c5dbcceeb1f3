// problems/readers/task/read_fit_errors.h: read `verify.errors.from`, the folder of a fit.
//
//   parameters.csv   columns name, value, and others; one row for each parameter
//   covariance.csv   the names of parameters, then their covariance, one row for each name, in the
//                    same order; parameters that it does not have are exact
#ifndef PB_TASK_READ_FIT_ERRORS_H
#define PB_TASK_READ_FIT_ERRORS_H
#include "control/loop/fitted_machine.h"
#include "problems/readers/format/schema.h"
#include "problems/readers/model/robot.h"

// Read the parameters of a fit, in the arena. Refuses names that the robot does not have, values that
// are not physical, and a covariance that is not positive semidefinite. Returns DM_OK, DM_BAD_INPUT
// or DM_NO_MEMORY.
dm_status pb_fit_errors_read(pb_reader *r, const pb_node *node, const pb_robot *robot,
                             const fb_fitted **out);
#endif
