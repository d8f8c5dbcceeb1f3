// problems/readers/task/read_transcription.h: `transcription:`: what a file says of one of second
// order, and what it does not take.
#ifndef PB_TASK_READ_TRANSCRIPTION_H
#define PB_TASK_READ_TRANSCRIPTION_H
#include "problems/readers/task/sections.h"
#include "problems/readers/task/solver.h"
#include "problems/readers/task/transcription.h"

// Read it into out (zeroed), arrays in the arena, and refuse what such a transcription does not
// take, or what takes it where there is none. c->second is what is read here, and not looked at.
dm_status pb_transcription_read(pb_reader *r, const pb_node *root, const pb_sections *s,
                                const pb_context *c, const pb_solver *solver,
                                pb_transcription *out);
#endif
