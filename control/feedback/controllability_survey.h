// control/feedback/controllability_survey.h: what inputs reach and what outputs show along a
// motion: of A, B, C of each knot alone, taken again and again (the pair), and of windows of
// consecutive knots (control/feedback/controllability.h), with the least of all ranks.
//
// Deviations are those that constraints leave open, (dq,dp) modulo impulses of the next step, so
// that A <- Q A R, B <- Q B, C <- C R with the maps of control/feedback/constraint_tangent.h at the
// step's ends. Outputs are positions.
//
//   fb_survey_new(&w, x, &system, window, ny, output);
//   for (int k = 0; k < x->N; k += w->window) {
//     fb_survey_window(w, k, answer);                               // its knots are linearized
//     for (int at = k; at < w->start + w->window; at++) fb_survey_pair(w, at, answer);
//   }
//
// Source: docs/theory.md section 8; paper 001, the end of section IV.
#ifndef FB_FEEDBACK_CONTROLLABILITY_SURVEY_H
#define FB_FEEDBACK_CONTROLLABILITY_SURVEY_H
#include "control/feedback/constraint_tangent.h"
#include "control/feedback/controllability.h"
#include "lib/discrete/trajectory.h"

DM_BEGIN_C

// What is asked: of what inputs reach, and of what outputs show.
enum { FB_REACHED, FB_SHOWN, FB_QUESTIONS };

// The least rank so far and the knot where it begins; of equal ranks the least clear; knot -1:
// none.
typedef struct fb_lowest_rank {
  fb_span span;
  int knot;
} fb_lowest_rank;

typedef struct fb_survey {
  const dm_trajectory *x; // borrowed
  int window;             // steps of a window, at most N
  int ny;                 // outputs
  const int *output;      // [ny] the coordinates that they are; borrowed
  int full[FB_QUESTIONS]; // directions there are to reach, to show: velocities of what is
                          // prescribed show in no position
  int start;              // the first knot of the last window
  fb_lowest_rank pair[FB_QUESTIONS], windows[FB_QUESTIONS]; // the least of each
  // scratch
  dm_linearize *w;
  fb_constraint_tangent *tangent;
  fb_controllability *controllability;
  double *size;      // [2n] of states (q,p)
  double *A, *B, *C; // [window] stages: [2n x 2n], [2n x inputs], [ny x 2n]
} fb_survey;

// A survey of a motion of a system (copied) with windows of so many steps >= 1, cut to the motion's
// own. Returns DM_OK or DM_NO_MEMORY.
dm_status fb_survey_new(fb_survey **out, const dm_trajectory *x, const dm_system *s, int window,
                        int ny, const int *output);
void fb_survey_free(fb_survey *w); // accepts NULL

// Linearize the window from knot k on, or the last there is where it would end too late, and answer
// both questions over it. Returns DM_OK, or what linearizing, the constraints or
// fb_controllability_window return. No allocation.
dm_status fb_survey_window(fb_survey *w, int k, fb_span answer[FB_QUESTIONS]);

// Answer both of knot k of the last window alone. Returns as fb_controllability_pair.
dm_status fb_survey_pair(fb_survey *w, int k, fb_span answer[FB_QUESTIONS]);

DM_END_C
#endif
