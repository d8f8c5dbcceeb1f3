#include "control/feedback/motor.h"

#include <math.h>

double fb_motor_share(double lag, double time) {
  return lag > 0 ? -expm1(-time / lag) : 1;
}

double fb_motor_part(double share, double time, double whole) {
  return share < 1 ? -expm1(log1p(-share) * time / whole) : share;
}

double fb_motor_move(double m, double u, double share) {
  return m + share * (u - m);
}

double fb_motor_mean(double m, double u, double lag, double time) {
  return lag > 0 ? u + (m - u) * lag / time * fb_motor_share(lag, time) : u;
}
