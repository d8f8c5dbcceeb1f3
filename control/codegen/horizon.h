// control/codegen/horizon.h: receding-horizon control (control/feedback/receding.h) as C99 text for
// a robot: one header and one source, without other includes, static memory or allocation.
//
//   controller_begin    a new motion
//   controller_prepare  before the measurement of knot k: the linear problem and its gains
//   controller_reference  a reference of the caller, if the horizon may be asked
//   controller_state    u from (q,p); controller_velocity and controller_positions from
//                       measurements
//
// On IEEE arithmetic, with products not fused with sums, its results equal those of the library bit
// for bit, since it is the same code (control/onboard/horizon.c).
#ifndef FB_CODEGEN_HORIZON_H
#define FB_CODEGEN_HORIZON_H
#include "control/codegen/codegen.h"
#include "control/feedback/receding.h"

#include <stdio.h>

DM_BEGIN_C

typedef struct fb_horizon_text {
  const fb_codegen *c;  // of the law of the state, with names, units and the precision
  const fb_receding *o; // horizon and bounds; limits of inputs are those of c
  fb_form measure;      // FB_STATE, FB_VELOCITY or FB_POSITIONS
} fb_horizon_text;

// Write controller.h, controller.c, and a program that replays a trace.
void fb_horizon_header(FILE *f, const fb_horizon_text *t);
void fb_horizon_source(FILE *f, const fb_horizon_text *t);
void fb_horizon_replay(FILE *f, const fb_horizon_text *t);

// Bytes of the tables, and of the memory that the caller keeps.
long fb_horizon_table_bytes(const fb_horizon_text *t);
long fb_horizon_memory_bytes(const fb_horizon_text *t);

// Write a trace: the closed loop on the map of the system s from x0 (q,p) [2n], a row per knot with
// the measurement, and u of the code in its precision. Returns DM_OK, DM_NO_MEMORY, or the status
// of a step.
dm_status fb_horizon_trace(FILE *f, const fb_horizon_text *t, const dm_system *s, const double *x0);

// Write the first line of a trace: names of its columns.
void fb_horizon_trace_header(FILE *f, const fb_horizon_text *t);

DM_END_C
#endif
