// control/feedback/orbit.h: the phase of states on the orbit of a schedule across it (control/feedback/across.h).
//
// Between knots x_d and u_d are cubics with the slopes at both, K and sections are linear (control/onboard/orbit.c).
//
// Source: docs/theory.md section 26.
#ifndef FB_FEEDBACK_ORBIT_H
#define FB_FEEDBACK_ORBIT_H
#include "control/feedback/tvlqr.h"

DM_BEGIN_C

// K - du_d/ds w' [N x nu x nx] of a schedule on an orbit.
void fb_orbit_gains(const fb_tvlqr *f, double *K);

// The search for the phase of states.
typedef struct fb_orbit fb_orbit;

// Make it for a schedule on an orbit, which is borrowed. Returns DM_OK or DM_NO_MEMORY.
dm_status fb_orbit_new(fb_orbit **out, const fb_tvlqr *f);
void fb_orbit_free(fb_orbit *w); // NULL is accepted

// Begin a run: its first state is near the first period.
void fb_orbit_begin(fb_orbit *w);

// The phase of a state x [nx] in knots, and x_d [nx] there, which has travelled as often as x. Angles count whole turns,
// also those of tvlqr.h's `turns`, which the law takes modulo 2 pi: errors of verify are not reduced. States of a run follow each other by about a knot.
double fb_orbit_find(fb_orbit *w, const double *x, double *x_d);

DM_END_C
#endif
