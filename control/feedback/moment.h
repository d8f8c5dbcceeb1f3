// control/feedback/moment.h: what a law in what is measured compares with, and adds to: a knot's rows
// of its tables, or, asked off its knots, the plan between them.
//
//   y_d(t - age)    places by the cubic of their speeds, momenta and forces on the line
//   c               the mean planned input over h from t on
//   G, P            of the last knot before t
//
// All is in the order of operations of the text (control/codegen/controller.h), so that both give the
// same bits. Source: docs/theory.md section 19.
#ifndef FB_FEEDBACK_MOMENT_H
#define FB_FEEDBACK_MOMENT_H
#include "control/feedback/measured_law.h"

DM_BEGIN_C

typedef struct fb_moment {
  const double *y_d, *c; // [ny], [nu]
  const double *G, *P;   // [nu x ny], [nm (nm + 1) / 2]
} fb_moment;

// That of knot k, or, off the knots, of the times of what was measured last.
fb_moment fb_moment_of(const fb_output_feedback *w, int k);

// Take what is measured next as of knot k, or of the times that were told of it.
void fb_moment_take(fb_output_feedback *w, int k);

// Find w->force [nf], the mean of the forces between what is measured at call k and a step before that:
// those that were told by the calls before, w->acted since w->since; before any the plan's first.
void fb_moment_force(fb_output_feedback *w, int k);

// Entries of a symmetric n x n matrix up to its diagonal.
static inline size_t fb_moment_packed(int n) {
  return (size_t)n * ((size_t)n + 1) / 2;
}

// Whether y begins with the state itself.
static inline bool fb_moment_has_state(const fb_output_feedback *w) {
  return w->exact || w->form == FB_STATE;
}

DM_END_C
#endif
