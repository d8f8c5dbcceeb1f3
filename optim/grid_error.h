// optim/grid_error.h: how far a solution differs from that of its task in continuous time.
//
// The objective's error is estimated from each step's defect times its multiplier
// (optim/residual_error.h). That holds whatever limits are active, but not where forces jump or
// multipliers jump within steps; the estimate shows whether they matter, and names its doubt.
//
// Other grids tell the rest, the error of a free final time and of states, and stand in for a doubtful
// estimate. With C h^p the leading error (p = 2; 1 where the rule or its forces are not symmetric),
// of N steps and of M
//
//   J = J_N + (J_N - J_M) / ((N/M)^p - 1) + ...          (Richardson)
//
// The second grid has half the steps, twice where N is odd or small. Where limits are active on one of
// the two and not on the other, or a grid is too coarse, this says something else than the defects.
// Then the states' errors are not known; and where the defects are doubtful as well, a third grid of
// 2 N steps decides. All searches begin from the solution, with its multipliers, and so are short.
//
// Source: [richardson-1911], [becker-rannacher-2001] in docs/sources.md; docs/theory.md section 6.
#ifndef OC_GRID_ERROR_H
#define OC_GRID_ERROR_H
#include "optim/solve.h"

DM_BEGIN_C

// What the objective's error is from.
typedef enum oc_error_source {
  OC_ERROR_UNKNOWN,
  OC_ERROR_DEFECTS, // defects times multipliers
  OC_ERROR_GRIDS,   // another grid
  OC_ERROR_LARGEST  // estimates disagree: the largest
} oc_error_source;

typedef struct oc_grid_error {
  oc_error_source source;
  const char *why;        // of OC_ERROR_UNKNOWN, OC_ERROR_LARGEST: a clause; else NULL
  double objective;       // of continuous time
  double objective_error; // of the solution's, an amount
  double objective_order; // of h at which it falls; NAN: not known
  double defects;         // J_N - J by the defects; NAN: not known
  // of other grids; NAN: not known
  double T, T_error; // the final time where it is free                                        s
  double q_error;    // of positions at knots, the largest                              m or rad
  int coord, knot, phase; // where, of the first phase where there is one
  double v_error;         // of velocities, the largest                             m/s or rad/s
  int v_coord, v_knot, v_phase;
  double q_order; // order at which positions' differences fall
  // T_error, q_error and v_error are those of grids which differ by something else than h^p: no errors
  bool differs;
  int steps;        // of the second grid; of phases, of all together, as times are
  dm_status status; // of its solution
  double other;     // its objective
  int third;        // steps of the third grid; 0: there is no solution on one
  int iterations;   // on other grids
  double total_s;   // wall clock
} oc_grid_error;

// Measure the error of a solution that was found (oc_solution_find: DM_OK). Returns DM_OK, whatever
// out->source; DM_UNAVAILABLE where the task means something else on another grid, or is of second
// order, with out->why; DM_NO_MEMORY.
//   x     the solution's motion
//   most  iterations on each other grid; 0: as many as the solution took, and a few
dm_status oc_grid_error_measure(oc_grid_error *out, const oc_solution *w, const dm_trajectory *x,
                                int most);

// The same of phases, on grids that all have half the steps, or twice as many.
//   x  [w->phased.n] their motions
dm_status oc_grid_error_of_phases(oc_grid_error *out, const oc_solution *w,
                                  const dm_trajectory *const *x, int most);

// Is the error of the objective known?
static inline bool oc_grid_error_is_known(const oc_grid_error *e) {
  return e->source != OC_ERROR_UNKNOWN;
}

DM_END_C
#endif
