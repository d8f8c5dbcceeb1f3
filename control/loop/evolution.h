// control/loop/evolution.h: a search for the largest value of a function that has no derivatives
// and is flat between steps, such as a share of levels survived: an evolution strategy of one
// parent and one child.
//
//   y = x + step z,   z_i normal with chance 1/2, else 0;   x <- y where f(y) >= f(x)
//   step grows by a factor a where f(y) > f(x), shrinks by a^(-1/4) where f(y) < f(x)
//
// so that about a fifth of the children are better. Numbers are by counter of (seed, child): the
// search is the same whoever asks for values.
//
//   fb_evolution_new(&w, n, seed, step); fb_evolution_tell(w, f(w->y));      y is x = 0 at first
//   while (..) { fb_evolution_propose(w); fb_evolution_tell(w, f(w->y)); }
//
// Source: [rechenberg-1973], [kern-2004] in docs/sources.md.
#ifndef FB_LOOP_EVOLUTION_H
#define FB_LOOP_EVOLUTION_H
#include "lib/base/status.h"

#include <stdbool.h>
#include <stdint.h>

DM_BEGIN_C

typedef struct fb_evolution {
  int n, tries, better; // unknowns; children so far; of them so many better than their parent
  uint64_t seed;
  double step;  // standard deviation of a child's change
  double value; // of the parent; -INFINITY before the first
  double *x;    // [n] the parent
  double *y;    // [n] the child
} fb_evolution;

// A search from x = 0. Returns DM_OK or DM_NO_MEMORY.
dm_status fb_evolution_new(fb_evolution **out, int n, uint64_t seed, double step);
void fb_evolution_free(fb_evolution *w); // NULL is accepted

// The next child, into w->y.
void fb_evolution_propose(fb_evolution *w);

// The value of w->y; -INFINITY or NAN: it has none. Returns whether it is better than its parent.
bool fb_evolution_tell(fb_evolution *w, double value);

DM_END_C
#endif
