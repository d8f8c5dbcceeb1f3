// control/loop/racing.h: the levels of a score (control/loop/criteria.h) that discriminate between
// laws: some laws survive them and some do not.
//
//   p_i = (1 + laws that survived level i) / (2 + laws)          over laws that ran all levels
//
// A law first runs the levels with the largest uncertainty p (1 - p); at the others, the record of
// earlier laws is used. Ties follow a fixed order of all levels, so that each row of a table is
// represented.
#ifndef FB_LOOP_RACING_H
#define FB_LOOP_RACING_H
#include "lib/base/status.h"

#include <stdbool.h>

DM_BEGIN_C

typedef struct fb_racing {
  int levels, laws; // of the score; number of laws added
  int *survived;    // [levels] number of laws that survived each
  int *order;       // [levels] scratch
  double *chance;   // [levels] p, which fb_racing_expect overwrites for levels that ran
} fb_racing;

// Start without information on `levels` levels. Returns DM_OK or DM_NO_MEMORY.
dm_status fb_racing_new(fb_racing **out, int levels);
void fb_racing_free(fb_racing *w); // NULL is accepted

// Add a law that ran all levels, with those [levels] that it survived.
void fb_racing_add(fb_racing *w, const bool *survived);

// Select `count` levels to run: skip [levels] is false for them. Cost: at most levels^2.
void fb_racing_pick(fb_racing *w, int count, bool *skip);

// Set w->chance [levels] for a law that ran the levels not skipped: 1 if it survived, 0 if it did
// not, p at the others.
void fb_racing_expect(fb_racing *w, const bool *skip, const bool *survived);

DM_END_C
#endif
