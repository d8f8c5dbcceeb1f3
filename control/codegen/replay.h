// control/codegen/replay.h: a record of the law, and a C99 program that replays it on the robot's
// computer.
//
// controller_trace.csv has one row per knot: k, then y and u of each form, one after another; the
// columns are named WAY.Y.. and WAY.u.INPUT..
#ifndef FB_CODEGEN_REPLAY_H
#define FB_CODEGEN_REPLAY_H
#include "control/codegen/codegen.h"

#include <stdio.h>

DM_BEGIN_C

// Write controller_replay.c: it compares the controller's inputs with a trace, bit for bit, and
// exits with status 0 if all are equal.
void fb_replay_source(FILE *f, const fb_codegen *c);

// The number of values in a trace's row, without k.
int fb_replay_columns(const fb_codegen *c);

// Write the first line of a trace; then the row [fb_replay_columns] of knot k.
void fb_replay_trace_header(FILE *f, const fb_codegen *c);
void fb_replay_trace_row(FILE *f, const fb_codegen *c, int k, const double *row);

// Write a name without characters that would end its cell, or its number if there are no names.
void fb_replay_name(FILE *f, const char *const *name, int i);

DM_END_C
#endif
