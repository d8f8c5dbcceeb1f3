// optim/descent/descent.h: descent on trajectories by the projection operator, of first and second
// order.
//
// An iteration finds gains that hold the motion at hand, a direction along it
// (optim/descent/search_direction.h), and rolls the motion along that direction, projected by the
// gains so that it stays a motion (optim/descent/projection_operator.h), with the step of Armijo's
// rule.
//
// Newton's problem may not be convex, or its whole step not descend. Then its second-order terms
// are cut back, stage by stage, to the largest share that leaves the problem convex, and the better
// step of that direction and of quasi's is taken; where it is not convex, a whole step is doubled
// as long as that lowers the merit, since near a saddle the way down is long.
//
// Where that finds no step, and in a goal's valley where steps are short, directions are damped.
//
// Limits of positions, speeds, impulses, rates and paths are behind an elastic barrier
// (optim/descent/ranges.h), which is lowered from round to round; a goal is met by a penalty and
// multipliers, which follow from the direction's own problem, to second order at the end. Bounds of
// inputs are kept by the direction, and in the roll inputs are cut at them. A free final time and what is free of the start are minimized over
// with the first state (optim/descent/start.h).
//
// Where there are such limits, and newton's step comes out short, the gains that hold the motion are
// stiffened for the next one; where newton and quasi find none, they are damped before the steepest is
// tried; and the guess is followed with its shocks, too.
//
// Source: [hauser-2002] in docs/sources.md; paper 001, section VI; docs/theory.md section 7.
#ifndef OC_DESCENT_DESCENT_H
#define OC_DESCENT_DESCENT_H
#include "optim/descent/search_direction.h"

DM_BEGIN_C

typedef struct oc_descent_row { // one iteration
  int iteration;
  oc_method kind;   // of the direction taken
  double cost;      // before the step: the task's own
  double merit;     // with multipliers and penalty of the goal; the cost where there is none
  double slope;     // of the merit along the direction, < 0; 0: at a minimum, or none was found
  double step;      // a; 0: none was taken; above 1 off a saddle
  double residual;  // largest error of the goal over its size, or of a limit over that of its range
  int cut;          // stages whose second-order terms were cut back
  double min_share; // the smallest share of them that was kept
  double damping;   // of the direction, over the least weight of inputs
  int tried;        // steps tried
  double time_s;    // since the start, at the end of the iteration
} oc_descent_row;

typedef struct oc_descent_settings {
  oc_method method;
  int quasi;    // the first so many iterations are quasi's, default 0
  bool paper;   // as in paper 001: nothing is cut; newton -> quasi -> steepest where a problem is
                // not convex or its direction not one of descent
  bool sparse;  // solve for directions by one sparse system (optim/descent/descent_kkt.h), where
                // none is cut
  double share; // of the cost, within which |slope| is 0, default 1e-10
  double tol;   // the same in units of the cost, default 0: share alone
  double
      goal; // on each entry of the goal over its size (optim/descent/sizes.h), and on each limit over
            // its range, default 1e-8
  int max_iter; // default 3000
  // called once an iteration; returning false stops with DM_INTERRUPTED; NULL: not called
  bool (*watch)(void *user, const oc_descent_row *row);
  void *user;
} oc_descent_settings;

typedef struct oc_descent_info {
  dm_status status;
  int iterations;               // steps taken
  int rows;                     // of the record, <= its room
  double cost, slope, residual; // of the last motion
  int cut;                      // iterations whose second-order terms were cut back
  int fell[OC_NEWTON + 1];      // iterations of a lower method than was asked for
  int failed;                   // knot of what failed, or -1
  double time_s;
} oc_descent_info;

// Every field at its default: change those you mean.
oc_descent_settings oc_descent_default(void);

// Whether a task is one for descent: it has an input, and for `sparse` a given start and final time.
// Returns DM_OK, or DM_BAD_INPUT with a sentence in msg that names what is in the way.
dm_status oc_descent_check(const oc_task *task, bool sparse, dm_message *msg);

// Descend from x on the task's grid, which need not be a motion of the system: it is projected
// first.
//   x       in: q, u, lambda of the curve; out: the motion
//   record  out: [room] rows, or NULL
// Returns
//   DM_OK           |slope| <= max(tol, share |cost|), and the goal met
//   DM_MAX_ITER, DM_INTERRUPTED
//   DM_STALLED      no step along any direction lowers the merit, as msg says
//   DM_INFEASIBLE   goal or limits are not met at a minimum of the merit, however large the penalty
// with the last motion in x; a failure on the way (DM_SINGULAR, DM_NOT_FINITE, ..) with the last
// motion too, its knot in info, and what it was in msg; and with x untouched
//   DM_BAD_INPUT    as oc_descent_check says
//   DM_NO_MEMORY, DM_UNAVAILABLE (no CHOLMOD), or what failed at the first roll.
// Allocates its workspace; no allocation in an iteration but CHOLMOD's.
dm_status oc_descend(const oc_task *task, const oc_descent_settings *set, dm_trajectory *x,
                     oc_descent_row *record, int room, oc_descent_info *info, dm_message *msg);

DM_END_C
#endif
