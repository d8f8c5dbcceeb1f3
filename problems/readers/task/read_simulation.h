// problems/readers/task/read_simulation.h: read `simulate:`.
#ifndef PB_TASK_READ_SIMULATION_H
#define PB_TASK_READ_SIMULATION_H
#include "problems/readers/task/sections.h"
#include "problems/readers/task/simulation.h"

extern const pb_key pb_simulate_keys[];

// Read the section into out (zeroed), arrays in the arena; without the section out is unchanged.
// Returns DM_OK, DM_BAD_INPUT or DM_NO_MEMORY.
dm_status pb_simulate_read(pb_reader *r, const pb_sections *s, const pb_context *c,
                           pb_simulation *out);
#endif
