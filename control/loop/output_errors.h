// control/loop/output_errors.h: what outputs y(q,v) of a robot (lib/multibody/output.h), such as the
// place of its tool, are off by in a run.
//
//   error = max |y_k - y_d,k|           over the knots of the last so many seconds
//
// | | is the length of the rows that an output has, of one row its size; of two rotation vectors it is
// the angle between the rotations, which has no jump at half a turn. Where an output has no value the
// error is INFINITY. Along a run:
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

// What an output may be off by, and when.
typedef struct fb_output_bound {
  int first, rows; // of y
  bool turns;      // these 3 rows are a rotation vector
  double within;   // > 0, in the unit of its rows
  double last; // at the knots of so long before the end; 0: at the end alone; INFINITY: at all  s
} fb_output_bound;

// All of them, borrowed.
typedef struct fb_output_bounds {
  dm_output_map y;
  int count;
  const fb_output_bound *bound; // [count]
} fb_output_bounds;

typedef struct fb_output_errors {
  const fb_output_bounds *set;
  int N;         // steps of a run,
  double h;      // of that length                                                     s
  double *y_d;   // [(N+1) x ny] of the plan
  double *y;     // [ny]
  double *error; // [count] over the knots added so far
  void *scratch; // of y
} fb_output_errors;

// Make a workspace for runs of N steps of length h. Returns DM_OK or DM_NO_MEMORY.
dm_status fb_output_errors_new(fb_output_errors **out, const fb_output_bounds *set, int N,
                               double h);
void fb_output_errors_free(fb_output_errors *w); // NULL is accepted

// Whether a bound is asked for at knot k.
bool fb_output_errors_asked(const fb_output_errors *w, int i, int k);

// Take the place q and the velocity v [n] that are planned at knot k. Returns DM_OK, or what the outputs failed with.
dm_status fb_output_errors_plan(fb_output_errors *w, int k, const double *q, const double *v);

// The bound whose output has no value on the plan, at *knot; -1: all have one.
int fb_output_errors_missing(const fb_output_errors *w, int *knot);

// Begin a run: all errors are zero.
void fb_output_errors_begin(fb_output_errors *w);

// Add the place q and the velocity v [n] at knot k. Returns DM_OK, or what the outputs failed with. No allocation. Cost:
// the values of all outputs where a bound is asked for there.
dm_status fb_output_errors_add(fb_output_errors *w, int k, const double *q, const double *v);

// The bound whose error [count] is the largest share of what it may be, the first of equals; -1: there
// are none.
int fb_output_errors_worst(const fb_output_bounds *set, const double *error);

// Whether no error [count] is more than it may be.
bool fb_output_errors_within(const fb_output_bounds *set, const double *error);

DM_END_C
#endif
