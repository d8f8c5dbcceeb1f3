// control/codegen/phases.h: one controller for a task of several phases, as C.
//
//   controller_begin           the first phase begins
//   controller_FORM_at         u by time: while t is past the end of a phase, the next one begins
//   controller_FORM_hold       the same, with the time for which u will be held
//   controller_next            the next phase begins at an event, such as a measured touch
//   controller_integrate_at    integrals of errors, if some phase has them
//
// The caller keeps one struct, controller_run: the phase and its start, the last input (rate
// limits), the last measurement (differences), the guard (envelope), and integrals. A switch keeps
// them; of the integrals those that both phases have. The text contains the code once (control/onboard/phases.c) and
// the tables of each phase. In a phase it gives the bits of the phase's own controller, called with
// times from the start of the phase.
#ifndef FB_CODEGEN_PHASES_H
#define FB_CODEGEN_PHASES_H
#include "control/codegen/codegen.h"

#include <stdio.h>

DM_BEGIN_C

typedef struct fb_phases {
  int n;                        // phases, at least 2; 1 if they repeat
  bool repeats;                 // after the last phase the first one begins again
  const fb_codegen *const *law; // [n] with the same prefix and precision, and with names and
                                // units; their set.end differ
  const char *const *name;      // [n]
  const double *length;         // [n] s
  const char *task, *sha256;    // name of the task, and digest of its inputs, in a comment
} fb_phases;

// Whether one controller can be made of the phases: DM_OK, or DM_UNAVAILABLE with the first
// difference in msg (coordinates, units, inputs, measure), or the part that does not go on from
// phase to phase (estimator, delay, schedule: path).
dm_status fb_phases_check(const fb_phases *w, dm_message *msg);

// Write controller.h, and controller.c.
void fb_phases_header(FILE *f, const fb_phases *w);
void fb_phases_source(FILE *f, const fb_phases *w);

// Bytes of all tables; the maximum number of bytes on the stack.
long fb_phases_bytes(const fb_phases *w);
int fb_phases_stack(const fb_phases *w);

DM_END_C
#endif
