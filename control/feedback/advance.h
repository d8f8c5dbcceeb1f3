// control/feedback/advance.h: a linear deviation brought from one time to another, off the knots.
//
//   z <- z + s (A(t) z + B(t) (u - u_d(t)) - z)      a share s of a step from t on, at most a whole one
//
// and with what is known to act beside inputs, d, u_d - d in the place of u_d.
//
// A, B and u_d of a step that begins between two knots are on the line between theirs: at a knot, and
// of a whole step, it is the map of the schedule. u is what acted then: of the last two inputs, the
// plan's before the first of them.
//
// Source: docs/theory.md section 21.
#ifndef FB_FEEDBACK_ADVANCE_H
#define FB_FEEDBACK_ADVANCE_H
#include "control/feedback/tvlqr.h"

DM_BEGIN_C

// Steps that a deviation is brought on in one call, at most.
enum { FB_MOST_PARTS = 64 };

// What has been applied.
typedef struct fb_applied {
  int calls;          // of them that are known: 0, 1, 2 and more
  double since;       // when u came, s
  double *u, *before; // [nu] what acts, and what did before that
} fb_applied;

// The input u [nu] acts from the time t on. Of a time that is not later it takes the place of the last.
void fb_applied_add(fb_applied *a, int nu, double t, const double *u);

// Bring z [nx] from one time to another [s], a step of the schedule at a time; next [nx] is scratch.
//   acting  [nu] what acts beside the inputs all the while; NULL: nothing
void fb_advance(const fb_tvlqr *f, const fb_applied *a, const double *acting, double from,
                double to, double *z, double *next);

DM_END_C
#endif
