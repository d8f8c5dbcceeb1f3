#include "control/loop/push.h"

#include <math.h>

double fb_push_force(const fb_push *p, double t) {
  double off = (t - p->at) / p->width;
  return p->height * exp(-off * off / 2);
}

double fb_push_impulse(const fb_push *p, double a, double b) {
  const double root = sqrt(2), area = sqrt(acos(-1) / 2);
  return p->height * p->width * area *
         (erf((b - p->at) / (root * p->width)) - erf((a - p->at) / (root * p->width)));
}
