// control/feedback/measured_law.h: a law in what a robot measures, and its run: the tables of
// control/feedback/output_feedback.h, which makes and asks it.
#ifndef FB_FEEDBACK_MEASURED_LAW_H
#define FB_FEEDBACK_MEASURED_LAW_H
#include "control/feedback/constraint_tangent.h"
#include "control/feedback/full_turn.h"
#include "control/feedback/rate_limit.h"
#include "control/feedback/tvlqr.h"
#include "lib/discrete/kkt_matrix.h"
#include "lib/mechanics/continuous.h"

DM_BEGIN_C

struct fb_onboard;

typedef enum fb_form { FB_STATE, FB_VELOCITY, FB_POSITIONS, FB_FORMS } fb_form;
extern const char *const fb_form_names[]; // ended by NULL

typedef struct fb_output_feedback {
  fb_tvlqr f; // what runs: a schedule's, with by = &controller
  fb_controller controller;
  fb_form form;
  bool exact;
  int N;             // rows of the tables, the schedule's steps; f.N of them run
  int n, nf, nc, ny; // coordinates, forces, constraints, entries of y
  double *y_d;       // [(N+1) x ny] desired; of an exact law x_d, and what is under way. Row N is
                     // the motion's end: no law of its own
  double *G;         // [N x nu x ny]
  int nm;            // entries of y that are measured, where dx'P dx is watched; else 0
  double *P;   // [N x nm (nm + 1) / 2] J'PJ by rows up to the diagonal, what is off it doubled
  double *PJ;  // [2 nm nm] scratch
  double *c;   // [N x nu] planned: the input of the knot, or, of late ones, of the next
  double *v_d; // [(N+1) x n] the plan's speeds, where y_d has none and calls may be off their knots
  double *impulse; // [N x nc] the c [nc] above, of constraints
  // as the on-board code reads it (control/onboard/types.inc)
  int *turns;        // [ny] 1: an angle of which a whole turn is no error
  double *u_step;    // [nu] the most that an input changes in a step, where its rate is limited
  double *unlimited; // [2 nu] the least and the largest number
  struct fb_onboard *board;
  // a run
  double *y;       // [ny] of this knot
  double *q;       // [n] of the knot before
  double *v;       // [n] the velocity there
  double *decided; // [nu] the input that starts now, where inputs are late
  int at;          // the knot that the law acted by
  double *near;    // [2n] weights of y by which the nearest is found; NULL: by time
  bool told;       // of what is measured next:
  double next[2];  // asked at which time, of what age, s
  double t, age;   // the same of what was measured last, s
  bool timed;      // which is of no knot:
  double *then;    // [ny] y_d when it was so, by positions
  double *mean;    // [nu] the planned input from the call on
  bool looked;     // FB_POSITIONS: what would have been measured a step before that is
  double *earlier; // [2n] (q,p)
  double *acted;   // [N x nf] forces that were applied from each call on
  double *since;   // [N] when the calls were, s
  double *force;   // [nf] their mean in the step before what is measured
  double *z;       // [ni] the integrals of errors
  fb_excursion excursion;
  dm_interval *d;  // FB_POSITIONS
  bool continuous; // FB_POSITIONS: y_d has q_k-1 of the continuous motion through x_k
  double *back;    // [12 n] scratch of that
  bool has_speeds; // there are v_d
  // FB_VELOCITY, and where q lags; those of constraints:
  dm_continuous *m;
  dm_kkt *k;
  fb_constraint_tangent *tangent;
  double *r, *H; // [n] scratch; [n x n] c D2h
} fb_output_feedback;

DM_END_C
#endif
