// problems/readers/task/read_transcription.h: read `transcription:` and its consequences for other
// sections.
//
// With a second-order transcription, a task is the action of the cost of torques along q, v, a
// (paper 003; optim/second/torque_transcription.h), or of a custom Lagrangian (`cost.lagrangian`).
// The keys `rule.second`, `cost.penalty`, `simulate.start.a`, `.jerk`, `.next_v` and
// `solver.method: newton` apply only to it; constraints, ball joints and other costs are not
// supported. In a third-order transcription ends also have accelerations. Without a horizon it is a
// flow from a start.
#ifndef PB_TASK_READ_TRANSCRIPTION_H
#define PB_TASK_READ_TRANSCRIPTION_H
#include "optim/nlp/options.h"
#include "problems/readers/task/sections.h"
#include "problems/readers/task/transcription.h"

// Read the transcription into out (zeroed), arrays in the arena.
//   root     the file, for positions in messages
//   c        robot and task; c->second, the result of this function, is not used
//   solver   must be read
// Returns DM_OK, DM_NO_MEMORY, or DM_BAD_INPUT for keys that this transcription does not support,
// or that need another one.
dm_status pb_transcription_read(pb_reader *r, const pb_node *root, const pb_sections *s,
                                const pb_context *c, const oc_options *options,
                                pb_transcription *out);
#endif
