// control/codegen/replay.h: a record of the law, and a C99 program that replays it on the robot's
// computer.
//
// controller_trace.csv has a row a knot: k, then of each way y and u, one after the other, as the
// columns WAY.Y.. and WAY.u.INPUT.. say.
#ifndef FB_CODEGEN_REPLAY_H
#define FB_CODEGEN_REPLAY_H
#include "control/codegen/codegen.h"

#include <stdio.h>

DM_BEGIN_C

// Write controller_replay.c: it compares the controller's inputs with a trace, bit for bit, and
// ends with status 0 where all are the same.
void fb_replay_source(FILE *f, const fb_codegen *c);

// Numbers of a trace's row, k not counted.
int fb_replay_columns(const fb_codegen *c);

// Write the first line of a trace; and the row [fb_replay_columns] of knot k.
void fb_replay_trace_header(FILE *f, const fb_codegen *c);
void fb_replay_trace_row(FILE *f, const fb_codegen *c, int k, const double *row);

DM_END_C
#endif
