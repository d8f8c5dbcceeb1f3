// control/codegen/emulation.h: what the C of a controller computes, by its own numbers in its own
// order, along a closed loop on the discrete map.
//
// The on-board code answers, in the text's precision: a row is what controller_replay.c must find, bit for
// bit. p = M(q) v and the map alone are evaluated in double precision, each operation rounded to the text's.
#ifndef FB_CODEGEN_EMULATION_H
#define FB_CODEGEN_EMULATION_H
#include "control/codegen/codegen.h"
#include "control/loop/closed_loop.h"

DM_BEGIN_C

typedef struct fb_emulation {
  fb_codegen *c;
  const fb_output_feedback *runs;    // the form that closes the loop
  int steps;                         // rows there are: steps that the loop took
  int columns;                       // of a row: y and u of each way, one after the other
  double *x, *u;                     // [(N+1) x nx], [N x nu] of the loop
  double *row;                       // [columns]
  struct fb_onboard *board[FB_WAYS]; // each way's law as it runs on board
  double *limits;                    // [2 nu] of inputs
  double *y;                         // [2 nx + 2 nu] what a form's law takes, or a filter's state
  double difference;                 // max |u of the text - u of the library| of all rows so far
} fb_emulation;

// Run the closed loop from x0 [nx] with the form `runs`, which is one of those that are written,
// through the schedule's sensor (control/feedback/sensor.h), if it has one, of sample 0.
//   s  the system of the law
//   c  its laws are worked with until the emulation is freed
// Returns DM_OK, also where the loop fails on the way: then with fewer steps than N;
// DM_NO_MEMORY; or what failed at the first step, with *out NULL.
dm_status fb_emulation_new(fb_emulation **out, fb_codegen *c, const dm_system *s, fb_form runs,
                           const double *x0);
void fb_emulation_free(fb_emulation *e); // NULL is accepted

// The row of knot k [columns] in *row, valid until the next call; asked for in turn from k = 0 to
// steps - 1. Returns DM_OK, or DM_SINGULAR where a state has no velocity. Does not allocate.
dm_status fb_emulation_row(fb_emulation *e, int k, const double **row);

DM_END_C
#endif
