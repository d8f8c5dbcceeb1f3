// control/feedback/friction.h: dry friction of driven joints, which a law compensates.
//
// The gains are those of joints without friction (control/feedback/tvlqr.h), and the law adds the
// friction of the motion that it commands (control/onboard/friction.c):
//
//   s = m (v - v_d + w_d) / (h gear) + (u - c)       u <- u + F sat(20 s / F)
//
// F is the force at high speed: more would make a joint oscillate that slides with less than it takes to break
// loose. On the plan the inputs contain all terms of friction, with the planned sign. w_d is the mean speed of the planned step, m the inertia of the joint, L_vv at the plan, and u - c the
// feedback: s > 0 if the joint moves forward at the end of the step. On the plan u is u_d: if the plan
// has this friction, c = u_d - F sat(20 s_d / F), else the planned friction is added to u_d. What sticks
// in the plan has s_d = 0, and feedback moves it as if it had no friction.
//
// Source: docs/theory.md section 19.
#ifndef FB_FEEDBACK_FRICTION_H
#define FB_FEEDBACK_FRICTION_H
#include "lib/base/linkage.h"

#include <stdbool.h>

DM_BEGIN_C

typedef struct fb_friction {
  const double
      *force;         // [nu] F of the joint that an input drives, by this input; 0: not compensated
                      // [N or N m]
  const double *gear; // [nu] the joint's force per input
  const int *along;   // [nu] the joint's coordinate
  const bool *planned; // [nu] whether the plan's inputs overcome it
} fb_friction;

DM_END_C
#endif
