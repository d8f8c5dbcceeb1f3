// problems/readers/task/read_track.h: read `mpc: {outputs: [...]}`, the outputs that receding-horizon
// control tracks.
#ifndef PB_TASK_READ_TRACK_H
#define PB_TASK_READ_TRACK_H
#include "problems/readers/task/feedback.h"
#include "problems/readers/task/sections.h"
#include "problems/readers/task/verification.h"

extern const pb_key pb_track_keys[]; // keys of one entry

// The number of steps and the step [s] of the motion that feedback follows at a rate [Hz], infinite: that of its
// knots: of the task, the simulation, or the balance. Returns false if they are not known yet: a free time.
bool pb_find_steps(const pb_context *c, double rate, int *N, double *h);

// Read the list of a problem (NULL: none) into out->track, for a controller at this rate. Returns DM_OK, DM_BAD_INPUT or DM_NO_MEMORY.
dm_status pb_track_read(pb_reader *r, const pb_node *list, const pb_context *c, double rate,
                        pb_mpc *out);

// Bounds on the errors of outputs are those from the tables that it tracks. Returns as above.
dm_status pb_track_bounds(pb_reader *r, const pb_robot *robot, const pb_mpc *mpc,
                          pb_verification *v);
#endif
