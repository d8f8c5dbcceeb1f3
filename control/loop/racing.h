// control/loop/racing.h: which levels of a score (control/loop/criteria.h) tell one law from
// another: those that some laws survived and some did not.
//
//   p_i = (1 + laws that survived level i) / (2 + laws)          of laws that ran all levels
//
// A law is first run at those levels of which least is known, p (1 - p) largest; at the others it
// is taken for what laws were before it. Of equals those are first that a fixed order of all levels
// begins with, so that each row of a table has some.
#ifndef FB_LOOP_RACING_H
#define FB_LOOP_RACING_H
#include "lib/base/status.h"

#include <stdbool.h>

DM_BEGIN_C

typedef struct fb_racing {
  int levels, laws; // of the score; that were added
  int *survived;    // [levels] by so many laws
  int *order;       // [levels] scratch
  double *chance;   // [levels] p, at which fb_racing_expect overwrites what was run
} fb_racing;

// Nothing known of `levels` levels. Returns DM_OK or DM_NO_MEMORY.
dm_status fb_racing_new(fb_racing **out, int levels);
void fb_racing_free(fb_racing *w); // NULL is accepted

// A law that ran all levels, and which [levels] it survived.
void fb_racing_add(fb_racing *w, const bool *survived);

// Leave `count` levels to run: skip [levels] is false at those. Cost: at most levels^2.
void fb_racing_pick(fb_racing *w, int count, bool *skip);

// w->chance [levels] of a law that ran those that are not skipped: 1 where it survived, 0 where it
// did not, p at the others.
void fb_racing_expect(fb_racing *w, const bool *skip, const bool *survived);

DM_END_C
#endif
