// optim/descent/ranges.h: what a task limits of a motion's states and impulses, as rows
//
//   low <= g(x_k, u_k, h) <= high         g over the size of its range
//
// of positions, speeds in steps and at knots, impulses, rates of inputs, and path constraints; and
// what a descent makes of them, multipliers y and a penalty rho (an augmented Lagrangian):
//
//   1/2 rho d^2 - y^2 / (2 rho),   d = g + y/rho - [its nearest place in low..high]
//
// with the slope pi = rho d, which is the next y. A row that is within its range by more than y/rho
// costs nothing. Bounds of inputs are no rows: the direction's problem keeps them
// (optim/descent/search_direction.h). Where the step h is free the limits that are times h are two
// rows each, linear in it: g -+ limit h.
//
// Source: docs/theory.md section 7; [bertsekas-1982] in docs/sources.md.
#ifndef OC_DESCENT_RANGES_H
#define OC_DESCENT_RANGES_H
#include "optim/transcription/task.h"

DM_BEGIN_C

typedef enum oc_ranged {
  OC_RANGE_POSITION, // q_k, k = 1..N; a kinematic coordinate's are bounds of an input
  OC_RANGE_MOVE,     // q_{k+1} - q_k, of the speed in a step
  OC_RANGE_SPEED,    // v_k, k = 1..N (optim/descent/knot_velocity.h)
  OC_RANGE_IMPULSE,  // lambda_k
  OC_RANGE_CHANGE,   // u_k - u_{k-1}, k = 1..N-1, of the rate of an input
  OC_RANGE_PATH,     // a path constraint of step k
  OC_RANGE_INPUT,    // u_k, while ranges are smoothed: it is a bound as well
  OC_RANGE_KINDS
} oc_ranged;

typedef struct oc_range {
  oc_ranged of;
  int i;            // which coordinate, constraint, force, or path constraint
  double by_step;   // the row is less so much times h
  double unit;      // by which it is divided, > 0
  double low, high; // of the row; -INFINITY, INFINITY: none
  int first, last;  // knots
} oc_range;

typedef struct oc_ranges {
  int n, N;
  oc_range *row;  // [n]
  double *g;      // [N+1][n] values at the motion at hand
  double *y;      // [N+1][n][2] multipliers >= 0 of the lower and of the upper end
  double penalty; // 0: rows count for nothing
  double smooth;  // kappa, the width of the ends' smoothing squared; 0: none
  double *pull;   // [N+1][n] slopes of rows that second derivatives are taken with
  double miss;    // of the last sum: the largest change of a row that its multiplier asks for
  double gap;     // sum of squares of these
} oc_ranges;

// The rows of a task. Returns DM_OK or DM_NO_MEMORY.
dm_status oc_ranges_new(oc_ranges **out, const oc_task *task);
void oc_ranges_free(oc_ranges *w); // accepts NULL

// Does some row ask for velocities at knots?
bool oc_ranges_ask_speed(const oc_ranges *w);

// Does row i stand at knot k?
static inline bool oc_ranges_stand(const oc_ranges *w, int i, int k) {
  if (w->row[i].of == OC_RANGE_INPUT && w->smooth == 0) return false;
  return w->penalty > 0 && k >= w->row[i].first && k <= w->row[i].last;
}

// What row i at knot k with the value g adds to the merit, its slope by g, and its curvature.
double oc_ranges_value(const oc_ranges *w, int k, int i, double g);
double oc_ranges_slope(const oc_ranges *w, int k, int i, double g);
double oc_ranges_weight(const oc_ranges *w, int k, int i, double g);

// The slope of row i at knot k with the value g that second derivatives are taken with: that of its
// multipliers, and w->bend of what makes it the slope.
double oc_ranges_pull(const oc_ranges *w, int k, int i, double g);

// Count the row's value g into w->miss and w->gap.
void oc_ranges_count(oc_ranges *w, int k, int i, double g);

// The multipliers of row i at knot k become what its value g asks for.
void oc_ranges_multiply(oc_ranges *w, int k, int i, double g);

// How large the rows of a motion are together: the sum of squares of what is beyond their ranges,
// halved, at y = 0 for the value g.
double oc_ranges_excess(const oc_ranges *w, int i, double g);

DM_END_C
#endif
