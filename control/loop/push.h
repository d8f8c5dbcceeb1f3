// control/loop/push.h: a push on a coordinate, Gaussian in time.
//
//   f(t) = height exp(-((t - at)/width)^2 / 2)
#ifndef FB_LOOP_PUSH_H
#define FB_LOOP_PUSH_H
#include "lib/base/status.h"

DM_BEGIN_C

typedef struct fb_push {
  int coord;
  double at, width, height; // s, s, N or N m; width > 0
} fb_push;

// The force at time t [s].
double fb_push_force(const fb_push *p, double t);

// Its integral from a to b [s], N s or N m s.
double fb_push_impulse(const fb_push *p, double a, double b);

DM_END_C
#endif
