// control/loop/position_limits.h: position limits in a closed loop: which starts are admissible,
// and when a run has exceeded a limit.
//
//   e_i = max(low_i - q_i, q_i - high_i)
//   outside   e_i > max(0, e_i of the plan's start) + 1e-9 size_i         a start
//   passed    e_i > 1e-3 size_i + tolerance scale_i                       a knot of a run
//
// size is defined in control/loop/excess.h: the range, else the limit, else 1.
#ifndef FB_LOOP_POSITION_LIMITS_H
#define FB_LOOP_POSITION_LIMITS_H
#include "control/loop/excess.h"

DM_BEGIN_C

// The use of position limits: constant and word in problem files.
//   fail    starts outside are drawn again; a run that exceeds a limit fails
//   ignore  starts are not checked, and exceeding a limit is not a failure
//   stop    starts outside are drawn again; the plant has mechanical stops, which the motion cannot
//           pass
#define FB_LIMIT_USES(X) X(FAIL, "fail") X(IGNORE, "ignore") X(STOP, "stop")

#define FB_NAME_USE(name, word) FB_LIMITS_##name,
typedef enum fb_limit_use { FB_LIMIT_USES(FB_NAME_USE) FB_LIMIT_USE_COUNT } fb_limit_use;
#undef FB_NAME_USE
extern const char *const fb_limit_use_words[FB_LIMIT_USE_COUNT];

// Find the coordinate of a start q [n] that is furthest outside the limits, relative to its size.
//   plan  [n] the plan's start, which may touch a limit, or exceed it by the solver's tolerance
// Returns its index, -1 if the start is admissible.
int fb_limits_outside(dm_bounds l, int n, const double *q, const double *plan);

// Write by how much a successful run may exceed each limit.
//   tolerance  of a run's final error, > 0; INFINITY: no tolerance is set, it adds nothing
//   scale      [n] size of an error of 1 in q; NULL: 1
//   allowed    out: [n] [m or rad]
void fb_limits_allow(dm_bounds l, int n, double tolerance, const double *scale, double *allowed);

// Find the coordinate of q [n] that is furthest beyond its allowance, relative to its size.
//   by  out: by how much it exceeds its limit [m or rad]
// Returns its index, -1 if all are within their allowance; by is then untouched.
int fb_limits_passed(dm_bounds l, int n, const double *q, const double *allowed, double *by);

DM_END_C
#endif
