// control/feedback/track.h: outputs of a robot that receding-horizon control tracks, in addition to its
// state, such as the position of a tool:
//
//   sum_r w_r (y_r(q_j) - y_r,j)^2 / 2          at each knot j of the horizon
//
// By Gauss-Newton: at the motion of the last call, J = y_q enters as J'WJ and J'W (y - y_j). Near the end
// of a horizon they add to its end weight.
//
// The code is that of a robot: control/onboard/track.c.
//
// Source: docs/theory.md section 36; [diehl-2005] in docs/sources.md.
#ifndef FB_FEEDBACK_TRACK_H
#define FB_FEEDBACK_TRACK_H
#include "lib/multibody/output.h"

DM_BEGIN_C

typedef struct fb_track fb_track;
struct track_tables;
struct tree_tables;

// Outputs and their references.
typedef struct fb_track_settings {
  int rows;
  const int *row;       // [rows] of the outputs
  const double *weight; // [rows] > 0, per unit of the row, squared
  int knots;            // of the reference
  const double *y; // [knots x rows] the reference, whose last row goes on; NAN: the outputs at x
  int states;      // knots of x
  const double *x; // [states x 2n] states (q,p), whose last one goes on
  bool asks;       // the caller may set the reference: fb_horizon.guide
} fb_track_settings;

// Whether row i can be computed on board (lib/multibody/output_parts.h).
bool fb_track_knows(const dm_outputs *w, const dm_model *m, int i);

// Make the tables of rows of the outputs w of a model m, whose tree on board is M; everything is copied.
// Returns DM_OK; DM_NO_MEMORY; DM_UNAVAILABLE with a sentence that names a row that cannot be computed on
// board.
dm_status fb_track_new(fb_track **out, const dm_outputs *w, const dm_model *m,
                       const struct tree_tables *M, const fb_track_settings *set, dm_message *msg);
void fb_track_free(fb_track *w); // NULL is accepted

// Its tables (control/onboard/horizon_types.inc), borrowed.
const struct track_tables *fb_track_tables(const fb_track *w);

DM_END_C
#endif
