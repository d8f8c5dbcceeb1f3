// optim/grid_error.h: the discretization error of a solution, compared with its task in continuous time.
//
// The objective's error is estimated from each step's defect times its multiplier (optim/residual_error.h).
// This holds for any active limits, but not if forces or multipliers jump within steps; the estimate detects
// whether these jumps matter, and reports its doubt.
//
// Other grids provide the errors of a free final time and of states, and replace a doubtful estimate. With C
// h^p the leading error (p = 2; 1 if the rule or its forces are not symmetric), for N and M steps
//
//   J = J_N + (J_N - J_M) / ((N/M)^p - 1) + ...          (Richardson)
//
// The second grid has half the steps, or twice as many if N is odd or small. If different limits are active
// on the two grids, or a grid is too coarse, its estimate disagrees with the defects. Then the states' errors
// are unknown; if the defects are also doubtful, a third grid of 2 N steps decides. All searches start from
// the solution, with its multipliers, and are therefore short.
//
// Solutions of second order have no defects: the order p, at most that of their rule, comes from the objectives
// of three grids. Limits that become active within steps reduce it.
//
// Contacts change at other times on other grids: plans through contact have their own estimate
// (optim/contact_error.h).
//
// Source: [richardson-1911], [becker-rannacher-2001] in docs/sources.md; docs/theory.md section 6.
#ifndef OC_GRID_ERROR_H
#define OC_GRID_ERROR_H
#include "optim/solve.h"

DM_BEGIN_C

// The source of the objective's error.
typedef enum oc_error_source {
  OC_ERROR_UNKNOWN,
  OC_ERROR_DEFECTS, // defects times multipliers
  OC_ERROR_GRIDS,   // another grid
  OC_ERROR_LARGEST, // estimates disagree: the largest one
  OC_ERROR_CONTACTS // another grid, and contacts that change a step earlier or later (optim/contact_error.h)
} oc_error_source;

typedef struct oc_grid_error {
  oc_error_source source;
  const char *why; // for OC_ERROR_UNKNOWN, OC_ERROR_LARGEST: a clause; else NULL
  // for OC_ERROR_CONTACTS: the changes of contacts, and the one with the largest part of the error
  int changes;
  double change_error;
  const char *contact; // NULL: no change; for OC_ERROR_UNKNOWN one whose part is unknown
  int change_knot, change_phase;
  double objective;       // extrapolated to continuous time
  double objective_error; // absolute error of the solution's objective
  double objective_order; // order in h at which it falls; NAN: unknown
  double defects;         // J_N - J from the defects; NAN: unknown
  // from other grids; NAN: unknown
  double T, T_error; // the final time if it is free                                        s
  double q_error;    // the largest of positions at knots                                   m or rad
  int coord, knot, phase; // where it occurs; the first phase if there are phases
  double v_error;         // the largest of velocities                                 m/s or rad/s
  int v_coord, v_knot, v_phase;
  double q_order; // order at which differences of positions fall
  // T_error, q_error and v_error come from grids whose difference does not scale with h^p: not errors
  bool differs;
  int steps;        // of the second grid; for phases the sum, like times
  dm_status status; // of its solution
  double other;     // its objective
  int third;        // steps of the third grid; 0: no solution on a third grid
  int iterations;   // on other grids
  double total_s;   // wall clock
} oc_grid_error;

// Measure the error of a solution after oc_solution_find returned DM_OK. Returns DM_OK, regardless of
// out->source; DM_UNAVAILABLE, with out->why, if the task depends on its grid;
// DM_NO_MEMORY.
//   x     the solution's motion
//   most  iterations on each other grid; 0: the iterations of the solution, plus a few
dm_status oc_grid_error_measure(oc_grid_error *out, const oc_solution *w, const dm_trajectory *x,
                                int most);

// The same for phases, on grids that all have half or twice the steps; or for a task without phases.
//   motions  [w->phased.n, or 1]
dm_status oc_grid_error_of_phases(oc_grid_error *out, const oc_solution *w,
                                  const dm_trajectory *const *motions, int most);

// Is the error of the objective known?
static inline bool oc_grid_error_is_known(const oc_grid_error *e) {
  return e->source != OC_ERROR_UNKNOWN;
}

DM_END_C
#endif
