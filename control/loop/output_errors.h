// control/loop/output_errors.h: the errors of a robot's outputs y(q,v) (lib/multibody/output.h),
// for example of the position of its tool, in a run.
//
//   error = max |y_k - y_d,k|           over the knots of the last `last` seconds
//
// | | is the length of the output's rows, for one row its absolute value; for a rotation vector it
// is the angle between the two rotations, which does not jump at half a revolution. If an output
// has no value, the error is INFINITY. For each run:
//
//   fb_output_errors_plan(w, k, q_d, v_d);          at each knot, once
//   fb_output_errors_begin(w);                 then for each run
//   fb_output_errors_add(w, k, q, v);             .. at its knots
//   fb_output_errors_worst(set, w->error);
#ifndef FB_LOOP_OUTPUT_ERRORS_H
#define FB_LOOP_OUTPUT_ERRORS_H
#include "lib/mechanics/output_map.h"

#include <stdbool.h>

DM_BEGIN_C

// The bound of an output error, and when it applies.
typedef struct fb_output_bound {
  int first, rows; // of y
  bool turns;      // these 3 rows are a rotation vector
  double within;   // > 0, in the unit of the rows
  double last; // applies at the knots of this last interval; 0: at the end only; INFINITY: at all
               // knots [s]
} fb_output_bound;

// All bounds, borrowed.
typedef struct fb_output_bounds {
  dm_output_map y;
  int count;
  const fb_output_bound *bound; // [count]
  const double
      *target; // [knots x y.ny] in place of the plan's outputs, its last row goes on; NAN: the
               // plan's; NULL: the plan's
  int knots;
} fb_output_bounds;

typedef struct fb_output_errors {
  const fb_output_bounds *set;
  int N;         // steps per run,
  double h;      // each of this length [s]
  double *y_d;   // [(N+1) x ny] on the plan
  double *y;     // [ny]
  double *error; // [count] over the knots added so far
  void *scratch; // of y
} fb_output_errors;

// Make a workspace for runs of N steps of length h. Returns DM_OK or DM_NO_MEMORY.
dm_status fb_output_errors_new(fb_output_errors **out, const fb_output_bounds *set, int N,
                               double h);
void fb_output_errors_free(fb_output_errors *w); // NULL is accepted

// Whether a bound applies at knot k.
bool fb_output_errors_asked(const fb_output_errors *w, int i, int k);

// Set the planned q and v [n] at knot k. Returns DM_OK, or the status of the outputs.
dm_status fb_output_errors_plan(fb_output_errors *w, int k, const double *q, const double *v);

// The bound whose output has no value on the plan, at *knot; -1: all have a value.
int fb_output_errors_missing(const fb_output_errors *w, int *knot);

// Begin a run: all errors are zero.
void fb_output_errors_begin(fb_output_errors *w);

// Add q and v [n] at knot k. Returns DM_OK, or the status of the outputs. No allocation. Cost: the
// values of all outputs, if a bound applies there.
dm_status fb_output_errors_add(fb_output_errors *w, int k, const double *q, const double *v);

// The bound whose error [count] is the largest share of its limit, the first of equals; -1: no bound
// exists.
int fb_output_errors_worst(const fb_output_bounds *set, const double *error);

// Whether all errors [count] are within their bounds.
bool fb_output_errors_within(const fb_output_bounds *set, const double *error);

DM_END_C
#endif
