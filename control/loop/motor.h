// control/loop/motor.h: a motor that is slow: what it gives, m, follows what it is told, u.
//
//   T m' = u - m,   m(t) = m(0) + share (u - m(0)),   share = 1 - exp(-t/T)
//
// A share above 1, up to 2, overshoots: an oscillation about what it is told, which no T has.
#ifndef FB_LOOP_MOTOR_H
#define FB_LOOP_MOTOR_H
#include "lib/base/status.h"

DM_BEGIN_C

// The share of the way that a lag T [s] leaves in a time > 0 [s]; 1 without one.
double fb_motor_share(double lag, double time);

// The share in a time of one that is `share` in another, `whole` [s]; above 1 it is that of any.
double fb_motor_part(double share, double time, double whole);

// What it gives at the end of such a time, told u.
double fb_motor_move(double m, double u, double share);

// What it gives on the average: that which has the same impulse.
double fb_motor_mean(double m, double u, double lag, double time);

DM_END_C
#endif
