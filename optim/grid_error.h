// optim/grid_error.h: how far a solution is off that of its task in continuous time, by a second grid.
//
// The program's solution is off by C h^2 to first order: of N steps and of M < N
//
//   J = J_N + (J_N - J_M) / ((N/M)^2 - 1) + O(h^4)       (Richardson)
//
// and J_N is off by about as much as J differs from it. The second grid has half the steps, twice where
// N is odd or small; its search begins from the solution, with its multipliers, and so is short.
//
// That holds of grids so fine that errors fall as h^2. A third grid, of N/4 steps or of 2 N, says whether
// they do: from three grids in steps of two, differences of log2 near 2 apart. Where they do not, what is
// told is the difference of the two grids itself, which bounds no error but does not flatter it.
//
// Source: [richardson-1911] in docs/sources.md.
#ifndef OC_GRID_ERROR_H
#define OC_GRID_ERROR_H
#include "optim/solve.h"

DM_BEGIN_C

typedef struct oc_grid_error {
  int steps;        // of the second grid; of phases, of all together, as times are
  dm_status status; // of its solution: but for DM_OK and DM_ACCEPTABLE there is no error to tell
  int iterations;   // there
  double total_s;   // wall clock
  double other;     // its objective
  double objective; // of continuous time, by Richardson
  double objective_error; // of the solution's, |J_N - J|
  double T, T_error;      // the final time where it is free; NAN, 0 where it is fixed         s
  double q_error;         // of its positions at knots, the largest                     m or rad
  int coord, knot, phase; // where, of the first phase where there is one
  double v_error;         // of its velocities, the largest                         m/s or rad/s
  int v_coord, v_knot, v_phase;
  int third;              // steps of the third grid; 0: there is no solution on one
  double objective_order; // log2 of the ratio of differences; NAN: not known, or rounding
  double q_order;         // of positions
  // the differences of grids, not errors: objective_error and T_error; q_error and v_error
  bool objective_differs, q_differs;
} oc_grid_error;

// Solve the task of a solution that was found (oc_solution_find: DM_OK) on the second grid, by the
// stage solver, and compare. Returns DM_OK, whatever out->status; DM_UNAVAILABLE where the task cannot
// be put on another grid, or is of second order; DM_NO_MEMORY.
//   x     the solution's motion
//   most  iterations; 0: so many that it takes less than half of the solution's own time, or little
dm_status oc_grid_error_measure(oc_grid_error *out, const oc_solution *w, const dm_trajectory *x,
                                int most);

// The same of phases, on grids that all have half the steps, or twice as many.
//   x  [w->phased.n] their motions
dm_status oc_grid_error_of_phases(oc_grid_error *out, const oc_solution *w,
                                  const dm_trajectory *const *x, int most);

// Was there a solution on the second grid?
static inline bool oc_grid_error_is_known(const oc_grid_error *e) {
  return e->status == DM_OK || e->status == DM_ACCEPTABLE;
}

DM_END_C
#endif
