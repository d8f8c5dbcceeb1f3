// problems/readers/task/read_transcription.h: `transcription:`, which is one word, and what follows
// from it for other sections.
//
// Of second order a task is the action of the torques' cost along q, v, a (paper 003;
// optim/second/torque_transcription.h), or of a Lagrangian of one's own (`cost.lagrangian`):
// `rule.second`, `cost.penalty`, `simulate.start.a`, `.jerk` and `.next_v`, `solver.method: newton`
// are its own, and constraints, ball joints and costs of other kinds are not for it. Of third order
// ends have accelerations, too. Without a horizon it is a flow from a start.
#ifndef PB_TASK_READ_TRANSCRIPTION_H
#define PB_TASK_READ_TRANSCRIPTION_H
#include "problems/readers/task/sections.h"
#include "problems/readers/task/solver.h"
#include "problems/readers/task/transcription.h"

// Read it into out (zeroed), arrays in the arena.
//   root     the file, for the place of what is refused
//   c        robot and task; c->second is what is read here, and not looked at
//   solver   as it was read
// Returns DM_OK, DM_NO_MEMORY, or DM_BAD_INPUT for what such a transcription does not take, or what
// takes it where there is none.
dm_status pb_transcription_read(pb_reader *r, const pb_node *root, const pb_sections *s,
                                const pb_context *c, const pb_solver *solver,
                                pb_transcription *out);
#endif
