// problems/readers/task/fitted_file.h: write the problem file of a robot with fitted numbers.
#ifndef PB_TASK_FITTED_FILE_H
#define PB_TASK_FITTED_FILE_H
#include "problems/readers/task/identification.h"

#include <stdio.h>

// Write the file of x with other values; a robot's file alone becomes a problem file with that
// robot. Comments are lost. Payloads are in the values of links.
//   folder  place of the files that it names, relative to the new file
//   value   [n] paths below `model` and their texts: links.NAME, damping.JOINT, armature.JOINT,
//           friction.JOINT.force (added if missing), SECTION.NAME.KEY
// Returns DM_OK; DM_NO_MEMORY; or DM_BAD_INPUT with a sentence for a value that the file cannot
// have.
dm_status pb_fitted_write(FILE *f, const pb_identification *x, const char *folder,
                          const pb_replace *value, int n, dm_message *msg);
#endif
