// control/feedback/controllability_survey.h: controllability and observability along a motion: for
// A, B, C of each knot alone, repeated (the pair), and for windows of consecutive knots
// (control/feedback/controllability.h), with the lowest of all ranks.
//
// Deviations are those that constraints allow, (dq,dp) modulo impulses of the next step, so A <- Q
// A R, B <- Q B, C <- C R with the maps of control/feedback/constraint_tangent.h at the ends of the
// step. Outputs are positions.
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

// The two questions: controllability and observability.
enum { FB_REACHED, FB_SHOWN, FB_QUESTIONS };

// The lowest rank so far and its first knot; between equal ranks, the least certain; knot -1: none.
typedef struct fb_lowest_rank {
  fb_span span;
  int knot;
} fb_lowest_rank;

typedef struct fb_survey {
  const dm_trajectory *x; // borrowed
  int window;             // steps per window, at most N
  int ny;                 // outputs
  const int *output;      // [ny] their coordinates; borrowed
  int full[FB_QUESTIONS]; // dimensions of full controllability and observability: no position shows
                          // the velocities of prescribed coordinates
  int start;              // the first knot of the last window
  fb_lowest_rank pair[FB_QUESTIONS], windows[FB_QUESTIONS]; // the lowest of each
  // scratch
  dm_linearize *w;
  fb_constraint_tangent *tangent;
  fb_controllability *controllability;
  double *size;      // [2n] per state (q,p)
  double *A, *B, *C; // [window] stages: [2n x 2n], [2n x inputs], [ny x 2n]
} fb_survey;

// Make a survey of a motion of a system (copied) with windows of `window` >= 1 steps, limited to
// the length of the motion. Returns DM_OK or DM_NO_MEMORY.
dm_status fb_survey_new(fb_survey **out, const dm_trajectory *x, const dm_system *s, int window,
                        int ny, const int *output);
void fb_survey_free(fb_survey *w); // accepts NULL

// Linearize the window from knot k on, moved back if it would end too late, and answer both
// questions over it. Returns DM_OK, or the status of the linearization, the constraints or
// fb_controllability_window. No allocation.
dm_status fb_survey_window(fb_survey *w, int k, fb_span answer[FB_QUESTIONS]);

// Answer both questions for knot k of the last window alone. Returns as fb_controllability_pair.
dm_status fb_survey_pair(fb_survey *w, int k, fb_span answer[FB_QUESTIONS]);

DM_END_C
#endif
