// control/feedback/motor.h: a slow motor: its output m follows the command u.
//
//   T m' = u - m,   m(t) = m(0) + share (u - m(0)),   share = 1 - exp(-t/T)
//
// A share above 1, up to 2, overshoots: an oscillation about the command, which no T describes.
#ifndef FB_FEEDBACK_MOTOR_H
#define FB_FEEDBACK_MOTOR_H
#include "lib/base/status.h"

DM_BEGIN_C

// The share of the distance that a motor with lag T [s] covers in a time > 0 [s]; 1 without a lag.
double fb_motor_share(double lag, double time);

// The share in `time` if it is `share` in another time, `whole` [s]; above 1 it does not depend on
// the time.
double fb_motor_part(double share, double time, double whole);

// The output after this share under the command u.
double fb_motor_move(double m, double u, double share);

// The mean output over `time`: the constant with the same impulse.
double fb_motor_mean(double m, double u, double lag, double time);

DM_END_C
#endif
