// control/feedback/ball_tables.h: a schedule in the coordinates of the code on board (control/onboard/ball.c),
// of a robot with ball joints. With unit quaternions q and their momenta p, small rotations th about axes of
// the body, and Pi = vec(conj(q) p) / 2,
//
//   dq = q (0,th) / 2     dp = 2 q (0, dPi + (q.p) th / 4 + th x Pi / 2)     (dq,dp) = S (th,dPi)
//
// K becomes K S, and weights Q and P become S'QS and S'PS, at each knot.
//
// Source: docs/theory.md section 36.
#ifndef FB_FEEDBACK_BALL_TABLES_H
#define FB_FEEDBACK_BALL_TABLES_H
#include "control/feedback/receding.h"
#include "control/feedback/tvlqr.h"

DM_BEGIN_C

typedef struct fb_ball_tables fb_ball_tables;

// Make the tables of f, whose tree is that of a horizon's steps and has ball joints, and of the reference,
// the end weight and the bounds of o. Copies them. Returns DM_OK or DM_NO_MEMORY.
dm_status fb_ball_tables_new(fb_ball_tables **out, const fb_tvlqr *f, const fb_receding *o,
                             dm_message *msg);
void fb_ball_tables_free(fb_ball_tables *w); // NULL is accepted

DM_END_C
#endif
