// optim/descent/ranges.h: limits of a task on the states and impulses of a motion, as rows
//
//   low <= g(x_k, u_k, h) <= high         g scaled by the size of its range
//
// of positions, speeds in steps and at knots, impulses, rates of inputs, and path constraints. A
// descent adds for each end, with c = g - high or low - g <= 0, an elastic barrier
//
//   psi(c) = min over t of  rho t - mu log t - mu log s,   s = t - c > 0,   t > 0
//
// It is smooth and defined for every c, so that a motion may violate its limits. For mu -> 0 it
// becomes rho max(c, 0), which is an exact penalty if rho exceeds the multiplier. Its slope is
// mu/s, within (0, rho). A multiplier y of the primal-dual method, with y s = mu and (rho - y) t =
// mu at the solution, gives the direction's problem the slope mu/s and the curvature
//
//   1 / (s/y + t/(rho - y))
//
// If the step h is free, limits proportional to h become two rows that are linear in h: g -+ limit
// h.
//
// Source: docs/theory.md section 7; [hauser-saccon-2006], [waechter-biegler-2006].
#ifndef OC_DESCENT_RANGES_H
#define OC_DESCENT_RANGES_H
#include "optim/task/task.h"

DM_BEGIN_C

typedef enum oc_ranged {
  OC_RANGE_POSITION, // q_k, k = 1..N; those of a kinematic coordinate are bounds of an input
  OC_RANGE_MOVE,     // q_{k+1} - q_k, for the mean speed in a step
  OC_RANGE_SPEED,    // v_k, k = 1..N (optim/descent/knot_velocity.h)
  OC_RANGE_IMPULSE,  // lambda_k
  OC_RANGE_CHANGE,   // u_k - u_{k-1}, k = 1..N-1, for the rate of an input
  OC_RANGE_PATH,     // a path constraint of step k
  OC_RANGE_KINDS
} oc_ranged;

typedef struct oc_range {
  oc_ranged of;
  int i;            // index of the coordinate, constraint, force, or path constraint
  double by_step;   // this times h is subtracted from the row
  double unit;      // divisor of the row, > 0
  double low, high; // of the row; -INFINITY, INFINITY: none
  int first, last;  // knots
  bool sizeless;    // its range has no natural size
} oc_range;

typedef struct oc_ranges {
  int n, N;
  oc_range *row;   // [n]
  int ends;        // number of finite ends of all rows at all their knots
  double *g;       // [N+1][n] values for the current motion
  double *y;       // [N+1][n][2] multipliers of the lower and upper ends, in (0, rho)
  double barrier;  // mu
  double elastic;  // rho; 0: rows are ignored
  double residual; // the largest evaluated c, at least 0
} oc_ranges;

// Create the rows of a task. Returns DM_OK or DM_NO_MEMORY.
dm_status oc_ranges_new(oc_ranges **out, const oc_task *task);
void oc_ranges_free(oc_ranges *w); // accepts NULL

// The bounds of input j of a task, infinite if there are none; the next value of a kinematic
// coordinate also has the bounds of the coordinate.
void oc_ranges_input(const oc_task *t, int j, double *low, double *high);

// Returns true if a row needs velocities at knots.
bool oc_ranges_ask_speed(const oc_ranges *w);

// Divide a row i without natural size by an additional size, that of its values.
void oc_ranges_resize(oc_ranges *w, int i, double size);

// Returns true if row i exists at knot k.
static inline bool oc_ranges_stand(const oc_ranges *w, int i, int k) {
  return w->elastic > 0 && k >= w->row[i].first && k <= w->row[i].last;
}

// The contribution of row i to the merit for the value g, updating w->residual; its derivative by
// g.
double oc_ranges_value(oc_ranges *w, int i, double g);
double oc_ranges_slope(const oc_ranges *w, int i, double g);

// For row i at knot k: the slope by its multipliers, and the corresponding curvature.
double oc_ranges_pull(const oc_ranges *w, int k, int i);
double oc_ranges_weight(const oc_ranges *w, int k, int i, double g);

// Initialize the multipliers of row i at knot k from the barrier at g; or update them by Newton's
// method for a step a of the direction from the value g to `next`.
void oc_ranges_begin(oc_ranges *w, int k, int i, double g);
void oc_ranges_multiply(oc_ranges *w, int k, int i, double g, double next, double a);

DM_END_C
#endif
