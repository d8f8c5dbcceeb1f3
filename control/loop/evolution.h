// control/loop/evolution.h: a search for the largest value of a function that has no derivatives
// and is flat between steps, such as a share of levels survived: an evolution strategy whose
// children are normal about a mean, with a matrix M that adapts to what was good.
//
//   z_i normal,  d_i = M z_i,  y_i = x + step d_i               children i = 0 .. children-1
//   <.> the mean over the better half by value, of logarithmic weights
//   s <- (1 - c) s + sqrt(mu c (2 - c)) <z>                     mu: what so many weights amount to
//   M <- M (1 + c1/2 (s s' - 1) + cw/2 (<z z'> - 1))
//   x <- x + step <d>,   step <- step exp((c/d)(|s|/E|z| - 1))
//
// Numbers are by counter of (seed, child): the search is the same whoever asks for values, and in
// whichever order.
//
//   fb_evolution_new(&w, n, seed, step);
//   while (..) { fb_evolution_propose(w); value[i] = f(child i of w->y); fb_evolution_tell(w, value); }
//
// Source: [beyer-sendhoff-2017] in docs/sources.md.
#ifndef FB_LOOP_EVOLUTION_H
#define FB_LOOP_EVOLUTION_H
#include "lib/base/status.h"

#include <stdint.h>

DM_BEGIN_C

typedef struct fb_evolution {
  int n, children, generation; // unknowns; of a generation; generations that were told
  uint64_t seed;
  double step;    // standard deviation of a child's change
  double *x;      // [n] the mean
  double *y;      // [children x n] the children
  double *z;      // [children x n] what they were drawn from
  double *M;      // [n x n]
  double *s;      // [n] the path of the mean
  double *change; // [n x n] scratch
  int *order;     // [children] of their values, the best first
} fb_evolution;

// A search from x = 0, of 4 + floor(3 ln n) children. Returns DM_OK or DM_NO_MEMORY.
dm_status fb_evolution_new(fb_evolution **out, int n, uint64_t seed, double step);
void fb_evolution_free(fb_evolution *w); // NULL is accepted

// The next generation, into w->y.
void fb_evolution_propose(fb_evolution *w);

// The values [children] of w->y, of equals the first is the better; -INFINITY or NAN: it has none.
// Where none has one the step is halved and the mean stays. Cost: n^3.
void fb_evolution_tell(fb_evolution *w, const double *value);

DM_END_C
#endif
