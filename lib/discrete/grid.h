// lib/discrete/grid.h: the knots of a motion with steps of unequal length. A grid g [N+1] holds the times of the
// knots in units of the mean step h = T/N:
//
//   t_k = h g_k        h_k = h (g_{k+1} - g_k)        0 = g_0 < g_1 < .. < g_N = N
//
// NULL stands for equal steps, g_k = k. As a free final time changes h alone, g is constant.
//
// Source: docs/theory.md section 1.
#ifndef DM_DISCRETE_GRID_H
#define DM_DISCRETE_GRID_H
#include "lib/base/linkage.h"

#include <stdbool.h>

DM_BEGIN_C

// The time of knot k, and the length of step k, in units of the mean step.
static inline double dm_grid_at(const double *grid, int k) {
  return grid ? grid[k] : k;
}

static inline double dm_grid_step(const double *grid, int k) {
  return grid ? grid[k + 1] - grid[k] : 1;
}

// The factor of the impulse lambda_k of a constraint, which acts at knot k, for that in the whole step k: h_k over half of
// the steps beside the knot. Knot 0 is beside one step.
static inline double dm_grid_impulse(const double *grid, int k) {
  const double h = dm_grid_step(grid, k);
  return 2 * h / (h + (k > 0 ? dm_grid_step(grid, k - 1) : 0));
}

// Are all steps equal up to rounding, 1e-12 of the horizon?
bool dm_grid_is_even(const double *grid, int N);

// The time at fraction s - k of step k = floor(s), 0 <= s <= N, in units of the mean step; and the s of a time,
// clamped to [0, N]. Cost: O(1); O(log N).
double dm_grid_time(const double *grid, int N, double s);
double dm_grid_find(const double *grid, int N, double time);

// A grid of M steps with the same spread: knot j of M is at the fraction j/M of the N steps. to [M+1] must not overlap
// grid; its ends are exactly 0 and M.
void dm_grid_resample(const double *grid, int N, int M, double *to);

DM_END_C
#endif
