// optim/task/task.h: an optimal control task for a mechanical system, as plain arrays.
//
// Arrays are borrowed and must outlive what is made from the task. NAN marks a free entry of an
// end; INFINITY a bound that is not there; a NULL weight or reference is zero.
#ifndef OC_TASK_TASK_H
#define OC_TASK_TASK_H
#include "lib/discrete/trajectory.h"
#include "lib/multibody/model.h"
#include "optim/task/outputs.h"
#include "optim/task/term.h"

DM_BEGIN_C

// low <= u_input <= high in the steps of a span: those between its knots, or where it is one knot the
// step from there. The narrower one holds of this and the bounds of all steps.
typedef struct oc_input_limit {
  int input;
  oc_span at;
  double low, high;
} oc_input_limit;

// What a cost is divided by: nothing; the final time, which is free; the way of a coordinate, of a
// periodic motion whose travel has one sign.
typedef enum oc_per { OC_PER_MOTION, OC_PER_TIME, OC_PER_TRAVEL } oc_per;

// A motion of `system` over N steps that begins at the start, ends at the goal, keeps the bounds and
// costs least. n coordinates, nu inputs (forces and kinematic coordinates), nc constraints; units
// are SI: rad or m, s, N m or N, impulses N m s or N s.
typedef struct oc_task {
  dm_system system;
  const char *const *coord_name; // [n]  for messages
  const char *const *input_name; // [nu] forces, then kinematic coordinates: nu is both together
  int N;                         // steps, >= 1
  double T;                      // final time where fixed, and its guess where free     s
  double reach;                  // a length of what other phases do; 0: none            m
  double pace; // time in which a descent's gains bring a motion back; 0: 0.15 T     s
  bool free_time;
  double T_min, T_max; // where free, 0 < T_min < T_max                         s

  // [n] NAN: free; the start velocity of a kinematic coordinate, that of the step before, is then 0
  const double *q_start, *v_start, *q_goal, *v_goal;
  // Does it end as it began (optim/rows/periodic_rows.h)? Then v_N = v_0, and q_N - q_0 is
  // within [travel_min, travel_max] [n], infinite where anything may be; NULL: both 0. The goal is
  // free, and limits and costs on rates are asked of the forces of the last step and the first, too.
  bool periodic;
  const double *travel_min, *travel_max; // m or rad
  // [n] v_max bounds the speed at every knot, on both sides, and in the middle of every step
  const double *q_min, *q_max, *v_max;
  // are limits of speed asked for at knots where they are far, too (optim/rows/knot_speeds.h)?
  bool every_speed;
  const double *u_min, *u_max;  // [nu]
  const oc_input_limit *inputs; // [ninputs] narrower ones for a while
  int ninputs;
  // [system.nu] of forces, |u_{k+1}-u_k|/h from step to step; NULL: none
  const double *rate_max;
  const double *lambda_min, *lambda_max; // [nc] impulses of each step; NULL: none

  // Running cost of each step: 1/2 sum w (x - ref)^2, weighted with h, or plainly summed. v is the
  // step's (q_{k+1}-q_k)/h, u the step's; q, p and references half those of either knot (trapezoid
  // rule), or where plainly summed those of knots 0..N-1.
  bool sum;
  const double *w_q, *w_v, *w_p; // [n]
  const double *w_u;             // [nu]
  const double *w_a, *w_jerk; // [n] on accelerations, jerks: differences of q (first order alone)
  const double *w_rate;       // [system.nu] on the rate of forces, (u_{k+1}-u_k)/h
  const oc_term *terms;       // [nterms] of one's own, added to it (optim/task/term.h)
  int nterms;
  const oc_path_constraint *paths; // [npaths] low <= c(q,v,u) <= high in every step
  int npaths;
  // [n] kinematic coordinates that stand still: parameters of the robot (optim/design.h), which are
  // bounded at the start alone; NULL: none. Programs of first order have them, and no others.
  const bool *constant;
  const double *price; // [n] price.q_N is added (no 1/2); NULL: zero. As constant
  oc_outputs outputs;  // limits and costs on functions y(q) at knots (optim/task/outputs.h)
  // Terminal cost at knot N: 1/2 sum w (x - ref)^2, v and p those of the last knot. A kinematic
  // coordinate takes no cost on p.
  const double *wf_q, *wf_v, *wf_p;    // [n]
  double w_time;                       // w_time T is added (no 1/2)
  oc_per per;                          // all of it is divided by that (optim/rows/ratio.h)
  int per_coord;                       // of OC_PER_TRAVEL: which coordinate
  const double *ref_q, *ref_v, *ref_p; // [(N+1) x n]
  const double *ref_u;                 // [N x nu]
} oc_task;

// The task of a tree that is asked for nothing yet: its system (lib/multibody/tree_system.h), N steps
// in T, and what the model limits; ends, weights and references are the caller's to add.
//   m  the tree; its names and limits are borrowed: it outlives the task
//   N  steps, >= 1
//   T  final time, > 0                                                    s
// Returns the task with the model's names of coordinates and inputs, q_min, q_max, v_max [nq] and
// u_min, u_max [nu]; all else is empty: free ends, no cost. Where coordinates are kinematic,
// input_name, u_min and u_max are NULL, for a task's inputs are then more than the model's.
oc_task oc_task_of(const dm_model *m, int N, double T);

// The length of a task's steps [s], T / N; where its final time is free, of the steps that it is
// first looked at with.
static inline double oc_task_step(const oc_task *task) {
  return task->T / task->N;
}

// Does an acceleration or a jerk cost anything? Solvers that cannot have it refuse it.
static inline bool oc_task_is_smooth(const oc_task *task) {
  return task->w_a || task->w_jerk;
}

// Does a task ask for outputs, or limit inputs for a while? Solvers that cannot have it refuse it.
static inline bool oc_task_has_via(const oc_task *task) {
  return oc_outputs_asked(&task->outputs) || task->ninputs > 0;
}

// The range [low, high] of q_N - q_0 of coordinate i of a periodic motion [m or rad]; true where it is
// one number.
bool oc_task_travel(const oc_task *task, int i, double *low, double *high);

// How far coordinate i moves, by which guesses are drawn: 1 rad; of a length half its range, or its way from
// start to goal, or the longest of the others, or a length of the robot.
double oc_task_way(const oc_task *task, int i);

// Is the distance of coordinate i from start to goal longer than its limit of speed allows in the longest
// time? Then no motion of first order meets the task: each step's speed is limited. Rounding is allowed.
bool oc_task_is_too_far(const oc_task *task, int i);

// The first force whose rate has a limit or a cost, or -1: a program takes both
// (optim/rows/differences.h).
int oc_task_rated(const oc_task *task);

// Hold a task against what a program can be made of: sizes, finite numbers, lower bounds below
// upper, the given start and goal within them, weights >= 0, third derivatives of L.
// Returns DM_OK, or DM_BAD_INPUT with a sentence in msg that names the coordinate or input.
dm_status oc_task_check(const oc_task *task, dm_message *msg);

DM_END_C
#endif
