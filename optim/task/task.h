// optim/task/task.h: an optimal control task for a mechanical system, as plain arrays.
//
// Arrays are borrowed and must outlive everything made from the task. NAN marks a free entry of an end,
// INFINITY an absent bound; a NULL weight or reference means zero.
#ifndef OC_TASK_TASK_H
#define OC_TASK_TASK_H
#include "lib/discrete/trajectory.h"
#include "lib/multibody/model.h"
#include "optim/task/outputs.h"
#include "optim/task/term.h"

DM_BEGIN_C

// low <= u_input <= high in the steps between the first and the last knot of a span, or if both are the same
// knot in the step that starts there. The narrower of this limit and the general bounds applies.
typedef struct oc_input_limit {
  int input;
  oc_span at;
  double low, high;
} oc_input_limit;

// The divisor of the cost: none; the free final time; or the travel of a coordinate, for a periodic motion
// whose travel has a known sign.
typedef enum oc_per { OC_PER_MOTION, OC_PER_TIME, OC_PER_TRAVEL } oc_per;

// A motion of `system` over N steps that begins at the start, ends at the goal, satisfies the bounds and
// minimizes the cost. n coordinates, nu inputs (forces and kinematic coordinates), nc constraints; units are
// SI: rad or m, s, N m or N, impulses N m s or N s.
typedef struct oc_task {
  dm_system system;
  const char *const *coord_name; // [n]  for messages
  const char *const *input_name; // [nu] forces, then kinematic coordinates; nu counts both
  int N;                         // steps, >= 1
  double T;                      // final time if fixed, initial guess if free     s
  double reach;                  // a length scale from other phases; 0: none      m
  double pace; // time constant of the feedback gains in the descent; 0: 0.15 T     s
  bool free_time;
  double T_min, T_max; // bounds of a free final time, 0 < T_min < T_max s

  // [n] NAN: free; a free start velocity of a kinematic coordinate (its velocity in the step before) is 0
  const double *q_start, *v_start, *q_goal, *v_goal;
  // Is the motion periodic (optim/rows/periodic_rows.h)? Then v_N = v_0, and q_N - q_0 is within [travel_min,
  // travel_max] [n], infinite if unbounded; NULL: both 0. The goal is free, and limits and costs on rates
  // also apply between the forces of the last step and the first.
  bool periodic;
  const double *travel_min, *travel_max; // m or rad
  // [n] v_max bounds the speed at every knot, on both sides, and at the midpoint of every step
  const double *q_min, *q_max, *v_max;
  // enforce speed limits also at knots whose speed is far from them (optim/rows/knot_speeds.h)?
  bool every_speed;
  const double *u_min, *u_max;  // [nu]
  const oc_input_limit *inputs; // [ninputs] narrower limits over an interval
  int ninputs;
  // [system.nu] limits on the rate of forces, |u_{k+1}-u_k|/h; NULL: none
  const double *rate_max;
  const double *lambda_min, *lambda_max; // [nc] bounds on the impulses of each step; NULL: none

  // Running cost of each step: 1/2 sum w (x - ref)^2, multiplied by h, or summed without h if `sum` is set. v
  // is the step's (q_{k+1}-q_k)/h, u the step's; q, p and references take one half from each knot
  // (trapezoidal rule), or with `sum` come from knots 0..N-1.
  bool sum;
  const double *w_q, *w_v, *w_p; // [n]
  const double *w_u;             // [nu]
  const double *w_a, *w_jerk;    // [n] on accelerations, jerks: differences of q (first order only)
  const double *w_rate;          // [system.nu] on the rate of forces, (u_{k+1}-u_k)/h
  const oc_term *terms; // [nterms] user-defined terms of the running cost (optim/task/term.h)
  int nterms;
  const oc_path_constraint *paths; // [npaths] low <= y(q,v,u) <= high in every step
  int npaths;
  // [n] kinematic coordinates that are constant: design parameters of the robot (optim/design.h), bounded
  // only at the start; NULL: none. Only first-order programs support them.
  const bool *constant;
  // [n] price.q_N is added (no factor 1/2); NULL: zero. For constant coordinates
  const double *price;
  oc_outputs outputs; // limits and costs on functions y(q) at knots (optim/task/outputs.h)
  // Terminal cost at knot N: 1/2 sum w (x - ref)^2, with v and p at the last knot. A kinematic coordinate
  // takes no cost on p.
  const double *wf_q, *wf_v, *wf_p;    // [n]
  double w_time;                       // w_time T is added (no factor 1/2)
  oc_per per;                          // the divisor of the total cost (optim/rows/ratio.h)
  int per_coord;                       // the coordinate for OC_PER_TRAVEL
  const double *ref_q, *ref_v, *ref_p; // [(N+1) x n]
  const double *ref_u;                 // [N x nu]
} oc_task;

// A task for a tree with its system (lib/multibody/tree_system.h), N steps in T and the model's limits. The
// caller adds ends, weights and references.
//   m  the tree; its names and limits are borrowed: it must outlive the task
//   N  steps, >= 1
//   T  final time, > 0                                                    s
// Returns the task with the model's names of coordinates and inputs, q_min, q_max, v_max [nq] and u_min,
// u_max [nu]; everything else is empty: free ends, no cost. If coordinates are kinematic, input_name, u_min
// and u_max are NULL, because the task then has more inputs than the model.
oc_task oc_task_of(const dm_model *m, int N, double T);

// The length of a task's steps, T / N [s]; if the final time is free, the initial step length.
static inline double oc_task_step(const oc_task *task) {
  return task->T / task->N;
}

// Is there a cost on accelerations or jerks? Solvers that do not support it refuse the task.
static inline bool oc_task_is_smooth(const oc_task *task) {
  return task->w_a || task->w_jerk;
}

// Does a task have outputs or limits of inputs over an interval? Solvers that do not support them refuse the
// task.
static inline bool oc_task_has_via(const oc_task *task) {
  return oc_outputs_asked(&task->outputs) || task->ninputs > 0;
}

// The range [low, high] of q_N - q_0 of coordinate i of a periodic motion [m or rad]; returns true if it is a
// single number.
bool oc_task_travel(const oc_task *task, int i, double *low, double *high);

// The typical travel of coordinate i, for drawing guesses: 1 rad; for a length half its range, or its
// distance from start to goal, or the largest of the other lengths, or a length of the robot.
double oc_task_way(const oc_task *task, int i);

// Does the speed limit of coordinate i make the distance from start to goal impossible within the longest
// time? Then no first-order motion is feasible, because each step's speed is limited. Rounding is allowed
// for.
bool oc_task_is_too_far(const oc_task *task, int i);

// The first force whose rate has a limit or a cost, or -1 (optim/rows/differences.h).
int oc_task_rated(const oc_task *task);

// Check that a program can be made of a task: sizes, finite numbers, lower bounds below upper bounds, the
// given start and goal within them, weights >= 0, third derivatives of L. Returns DM_OK, or DM_BAD_INPUT with
// a sentence in msg that names the coordinate or input.
dm_status oc_task_check(const oc_task *task, dm_message *msg);

DM_END_C
#endif
