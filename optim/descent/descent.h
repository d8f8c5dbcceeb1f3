// optim/descent/descent.h: trajectory optimization by descent with the projection operator, of
// first and second order.
//
// An iteration computes gains that stabilize the current motion and a search direction along it
// (optim/descent/search_direction.h), and rolls out the motion along that direction with these
// gains, so that the result is a motion (optim/descent/projection_operator.h). Armijo's rule
// chooses the step.
//
// Newton's problem may not be convex, or its full step may not descend. Then its second-order terms
// are reduced, stage by stage, to the largest fraction that keeps the problem convex, and the
// better one of this step and of the quasi-Newton step is taken. If the problem is not convex, a
// full step is doubled as long as the merit decreases, because descent from a saddle takes long
// steps.
//
// If no step is found, and if steps are short in the valley of a goal, directions are damped.
//
// Limits on positions, speeds, impulses, rates and paths use an elastic barrier
// (optim/descent/ranges.h), which is reduced from round to round. A goal uses a penalty and
// multipliers, which are updated from the direction's problem, finally to second order. The
// direction respects the bounds of inputs, and the rollout clamps inputs. A free final time and
// free entries of the initial state are minimized together with the first state
// (optim/descent/start.h).
//
// If there are such limits and Newton's step is short, the stabilizing gains are made stiffer for
// the next step; if the Newton and quasi-Newton directions find no step, they are damped before the
// steepest descent is tried; and the projection of the guess also compensates its momentum defects
// ("shocks").
//
// Source: [hauser-2002] in docs/sources.md; paper 001, section VI; docs/theory.md section 7.
#ifndef OC_DESCENT_DESCENT_H
#define OC_DESCENT_DESCENT_H
#include "optim/descent/row_filter.h"
#include "optim/descent/secant.h"

DM_BEGIN_C

typedef struct oc_descent_row { // one iteration
  int iteration;
  oc_method kind;   // row of the accepted direction in oc_methods
  double cost;      // before the step, without penalties
  double merit;     // with multipliers and penalties of the goal; equal to the cost without a goal
  double slope;     // of the merit along the direction, < 0; 0: at a minimum, or no direction
  double step;      // step length a; 0: none; > 1 from a saddle
  double residual;  // largest error of the goal relative to its size, or of a limit relative to its
                    // range
  int cut;          // number of stages with reduced second-order terms
  double min_share; // smallest remaining fraction of them
  double damping;   // of the direction, relative to the least weight of inputs
  int tried;        // number of trial steps
  double time_s;    // from the start to the end of the iteration
  oc_work work;     // done since the start
} oc_descent_row;

typedef struct oc_descent_info {
  dm_status status;
  int iterations;               // number of steps
  int rows;                     // number of recorded rows, <= room
  double cost, slope, residual; // of the final motion
  int cut;                      // iterations with reduced second-order terms
  int fell[OC_METHODS];         // iterations with another method's direction than requested
  oc_work work;                 // of all iterations
  int failed;                   // knot of a failure, or -1
  double time_s;
} oc_descent_info;

// Check that descent supports a task: it has an input, and for `sparse` a given start and final
// time. Returns DM_OK, or DM_BAD_INPUT with a sentence in msg that names the obstacle, and in *keys (may be
// NULL) the keys of the problem file that may cause it, separated by spaces.
dm_status oc_descent_check(const oc_task *task, bool sparse, const char **keys, dm_message *msg);

// The same with the options of a descent: also the restrictions of its projection and its method.
dm_status oc_descent_check_options(const oc_task *task, const oc_options *options,
                                   const char **keys, dm_message *msg);

// Descend from x on the task's grid, with the options `descent`, max_iter and max_time. x need not be a motion of the system: it is projected first.
//   x       in: q, u, lambda of the curve; out: the motion
//   hooks   or NULL
//   record  out: [room] rows, or NULL
// Returns
//   DM_OK           |slope| <= max(slope, share |cost|), and the goal is met
//   DM_MAX_ITER     max_iter iterations, or max_time
//   DM_INTERRUPTED  a hook requested it
//   DM_STALLED      no step along any direction decreases the merit; msg explains
//   DM_INFEASIBLE   a minimum of the merit violates the goal or limits for any penalty
// with the last motion in x; after a failure during the iterations (DM_SINGULAR, DM_NOT_FINITE, ..)
// also with the last motion, the knot in info, and the reason in msg; and with x untouched
//   DM_BAD_INPUT    see oc_descent_check
//   DM_NO_MEMORY, DM_UNAVAILABLE (no CHOLMOD), or a failure of the first rollout.
// Allocates its workspace; during the iterations only CHOLMOD allocates.
dm_status oc_descend(const oc_task *task, const oc_options *options, const oc_hooks *hooks,
                     dm_trajectory *x, oc_descent_row *record, int room, oc_descent_info *info,
                     dm_message *msg);

DM_END_C
#endif
