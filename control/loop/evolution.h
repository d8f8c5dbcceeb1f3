// control/loop/evolution.h: maximizes a function that has no derivatives and is piecewise constant,
// for example a share of survived levels: an evolution strategy with normally distributed children
// and a matrix M that adapts to successful steps.
//
//   z_i normal,  d_i = M z_i,  y_i = x + step d_i               children i = 0 .. children-1
//   <.> the mean over the better half by value, with logarithmic weights
//   s <- (1 - c) s + sqrt(mu c (2 - c)) <z>                     mu: the effective number of weights
//   M <- M (1 + c1/2 (s s' - 1) + cw/2 (<z z'> - 1))
//   x <- x + step <d>,   step <- step exp((c/d)(|s|/E|z| - 1))
//
// Random numbers are a function of (seed, child): the search does not depend on who evaluates the
// children, or in which order.
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
  int n, children, generation; // unknowns; children per generation; generations told so far
  uint64_t seed;
  double step;    // standard deviation of a child's displacement
  double *x;      // [n] the mean
  double *y;      // [children x n] the children
  double *z;      // [children x n] the normal numbers behind y
  double *M;      // [n x n]
  double *s;      // [n] the path of the mean
  double *change; // [n x n] scratch
  int *order;     // [children] by value, the best first
} fb_evolution;

// Start a search from x = 0, with 4 + floor(3 ln n) children. Returns DM_OK or DM_NO_MEMORY.
dm_status fb_evolution_new(fb_evolution **out, int n, uint64_t seed, double step);
void fb_evolution_free(fb_evolution *w); // NULL is accepted

// Write the next generation into w->y.
void fb_evolution_propose(fb_evolution *w);

// Report the values [children] of w->y; ties go to the first; -INFINITY or NAN: no value. If no
// child has a value, the step is halved and the mean stays. Cost: n^3.
void fb_evolution_tell(fb_evolution *w, const double *value);

DM_END_C
#endif
