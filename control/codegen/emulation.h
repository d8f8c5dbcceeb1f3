// control/codegen/emulation.h: the results of a controller's C code, with its numbers and its order
// of operations, along a closed loop on the discrete map.
//
// The on-board code computes them in the text's precision: controller_replay.c must reproduce each
// row bit for bit.
#ifndef FB_CODEGEN_EMULATION_H
#define FB_CODEGEN_EMULATION_H
#include "control/codegen/codegen.h"
#include "control/loop/closed_loop.h"

DM_BEGIN_C

typedef struct fb_emulation {
  fb_codegen *c;
  const fb_output_feedback *runs;    // the form that closes the loop
  int steps;                         // number of rows: steps that the loop took
  int columns;                       // per row: y and u of each form, one after another
  double *x, *u;                     // [(N+1) x nx], [N x nu] of the loop
  double *row;                       // [columns]
  struct fb_onboard *board[FB_WAYS]; // each form's law as it runs on board
  double *limits;                    // [2 nu] input limits
  double *y;                         // [2 nx + 3 nu] arguments of a form's law and its velocities
  double difference;                 // max |u of the text - u of the library| over all rows so far
} fb_emulation;

// Run the closed loop from x0 [nx] with the form `runs`, one of the written forms, through the
// schedule's sensor (control/feedback/sensor.h), if it has one, for sample 0.
//   s  the system of the law
//   c  the emulation uses its laws until it is freed
// Returns DM_OK, also if the loop fails early: it then has fewer steps than N; DM_NO_MEMORY; or the
// status of a failure at the first step, with *out NULL.
dm_status fb_emulation_new(fb_emulation **out, fb_codegen *c, const dm_system *s, fb_form runs,
                           const double *x0);
void fb_emulation_free(fb_emulation *e); // NULL is accepted

// The row of knot k [columns] in *row, valid until the next call; call in sequence from k = 0 to
// steps - 1. Returns DM_OK, or DM_SINGULAR if a state has no velocity. Does not allocate.
dm_status fb_emulation_row(fb_emulation *e, int k, const double **row);

DM_END_C
#endif
