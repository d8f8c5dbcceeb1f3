// optim/descent/ranges.h: what a task limits of a motion's states and impulses, as rows
//
//   low <= g(x_k, u_k, h) <= high         g over the size of its range
//
// of positions, speeds in steps and at knots, impulses, rates of inputs, and path constraints; and what a descent makes of them, for each end with c = g - high or low - g <= 0 an
// elastic barrier
//
//   psi(c) = min over t of  rho t - mu log t - mu log s,   s = t - c > 0,   t > 0
//
// It is smooth and there for every c, so that a motion need not be within its ranges; as mu falls it
// becomes rho max(c, 0), which is exact where rho is above the multiplier. Its slope is mu/s, within
// (0, rho). Beside it stands a multiplier y of the primal-dual method, y s = mu and (rho - y) t = mu
// at the end, whose Newton step gives the direction's problem the slope mu/s and the curvature
//
//   1 / (s/y + t/(rho - y))
//
// Where the step h is free the limits that are times h are two rows each, linear in it: g -+ limit h.
//
// Source: docs/theory.md section 7; [hauser-saccon-2006], [waechter-biegler-2006] in docs/sources.md.
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
  OC_RANGE_KINDS
} oc_ranged;

typedef struct oc_range {
  oc_ranged of;
  int i;            // which coordinate, constraint, force, or path constraint
  double by_step;   // the row is less so much times h
  double unit;      // by which it is divided, > 0
  double low, high; // of the row; -INFINITY, INFINITY: none
  int first, last;  // knots
  bool sizeless;    // its range has no size of its own
} oc_range;

typedef struct oc_ranges {
  int n, N;
  oc_range *row;   // [n]
  int ends;        // finite ends of all rows at all their knots
  double *g;       // [N+1][n] values at the motion at hand
  double *y;       // [N+1][n][2] multipliers of the lower and of the upper end, in (0, rho)
  double barrier;  // mu
  double elastic;  // rho; 0: rows count for nothing
  double residual; // the largest c that was counted, at least 0
} oc_ranges;

// The rows of a task. Returns DM_OK or DM_NO_MEMORY.
dm_status oc_ranges_new(oc_ranges **out, const oc_task *task);
void oc_ranges_free(oc_ranges *w); // accepts NULL

// The bounds of input j of a task, infinite where there are none: of the next value of a kinematic
// coordinate those of the coordinate, too.
void oc_ranges_input(const oc_task *t, int j, double *low, double *high);

// Does some row ask for velocities at knots?
bool oc_ranges_ask_speed(const oc_ranges *w);

// A row i whose range has no size of its own is divided by one more, that of its values.
void oc_ranges_resize(oc_ranges *w, int i, double size);

// Does row i stand at knot k?
static inline bool oc_ranges_stand(const oc_ranges *w, int i, int k) {
  return w->elastic > 0 && k >= w->row[i].first && k <= w->row[i].last;
}

// What row i adds to the merit at the value g, raising w->residual; its slope by g.
double oc_ranges_value(oc_ranges *w, int i, double g);
double oc_ranges_slope(const oc_ranges *w, int i, double g);

// Of row i at knot k the slope by its multipliers, and the curvature that goes with them.
double oc_ranges_pull(const oc_ranges *w, int k, int i);
double oc_ranges_weight(const oc_ranges *w, int k, int i, double g);

// The multipliers of row i at knot k become what the barrier asks for at g; or, with a step a of the
// direction from the value g to `next`, what Newton's method makes of them.
void oc_ranges_begin(oc_ranges *w, int k, int i, double g);
void oc_ranges_multiply(oc_ranges *w, int k, int i, double g, double next, double a);

DM_END_C
#endif
