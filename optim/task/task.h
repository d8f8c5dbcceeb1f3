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

#include <math.h>

DM_BEGIN_C

// The quantities of a motion that have bounds or costs. Arrays by quantity have [n] entries, OC_U [nu], OC_RATE
// [system.nu], OC_LAMBDA [nc].
typedef enum oc_quantity {
  OC_Q,      // positions                                                                rad or m
  OC_V,      // velocities
  OC_P,      // momenta; kinematic coordinates do not have one
  OC_U,      // inputs
  OC_RATE,   // rates of forces, (u_{k+1} - u_k)/h
  OC_A,      // accelerations and jerks: differences of q (first order only)
  OC_JERK,   //
  OC_LAMBDA, // impulses of each step
  OC_TRAVEL, // q_N - q_0 of a periodic motion
  OC_QUANTITIES
} oc_quantity;

// The cost of a quantity, 1/2 sum w (x - reference)^2, with the weights w `running` in each step and `goal` at
// knot N. Only OC_Q, OC_V, OC_P have weights of the goal; they and OC_U have references.
typedef struct oc_weights {
  const double *running, *goal;
  const double *reference; // [(N+1) x n] of OC_Q, OC_V, OC_P, [N x nu] of OC_U
} oc_weights;

// An end of a motion, [n] each. NAN: free; a free start velocity of a kinematic coordinate (its velocity in the
// step before) is 0.
typedef struct oc_end {
  const double *q, *v;
} oc_end;

// The final time.
typedef struct oc_duration {
  double T;        // if fixed; the initial guess if free                         s
  bool free;       //
  double min, max; // bounds if free, 0 < min < max                               s
  double weight;   // weight T is added to the cost (no factor 1/2)
  // [N+1] times of the knots in mean steps T/N (lib/discrete/grid.h); NULL: equal steps
  const double *grid;
  // limits of free step lengths, 0 < least < most [s]; the grid is then the initial guess. 0, 0: fixed steps
  double least, most;
} oc_duration;

// low <= u_input <= high in the steps between the first and the last knot of a span, or if both are the same
// knot in the step that starts there. The narrower of this limit and the general bounds applies.
typedef struct oc_input_limit {
  int input;
  oc_span at;
  double low, high;
} oc_input_limit;

typedef struct oc_input_limits {
  int n;
  const oc_input_limit *limit; // [n]
} oc_input_limits;

// The divisor of the cost: none; the free final time; or the travel of a coordinate, for a periodic motion
// whose travel has a known sign.
typedef enum oc_divisor { OC_PER_MOTION, OC_PER_TIME, OC_PER_TRAVEL } oc_divisor;

typedef struct oc_per {
  oc_divisor of;
  int coord; // for OC_PER_TRAVEL
} oc_per;

// Kinematic coordinates that are constant: design parameters of the robot (optim/design.h), bounded only at the
// start. Only first-order programs support them.
typedef struct oc_constants {
  const bool *is;      // [n] NULL: none
  const double *price; // [n] price.q_N is added (no factor 1/2); NULL: zero
} oc_constants;

// Cones of the impulses lambda of constraints (optim/rows/cone_rows.h): 0 <= C lambda in each step.
typedef struct oc_cones {
  int n;                   // rows
  const double *C;         // [n x nc]
  const char *const *name; // [n] the constraint of each row, for messages
} oc_cones;

// Scales from outside the task; 0: found from the task.
typedef struct oc_scales {
  double reach; // a length of other phases                                        m
  double pace;  // time constant of the feedback gains in the descent, 0.15 T      s
} oc_scales;

// A motion of `system` over N steps that begins at the start, ends at the goal, satisfies the bounds and
// minimizes the cost. n coordinates, nu inputs (forces and kinematic coordinates), nc constraints; units are
// SI: rad or m, s, N m or N, impulses N m s or N s.
typedef struct oc_task {
  dm_system system;
  const char *const *coord_name; // [n]  for messages
  const char *const *input_name; // [nu] forces, then kinematic coordinates; nu counts both
  int N;                         // steps, >= 1
  oc_duration time;
  oc_end start, goal;
  // Is the motion periodic (optim/rows/periodic_rows.h)? Then v_N = v_0, and q_N - q_0 is within the bounds of
  // OC_TRAVEL, 0 if they are NULL. The goal is free, and limits and costs on rates also apply between the forces
  // of the last step and the first.
  bool periodic;
  // of OC_Q, OC_V (at every knot, and at the midpoint of every step), OC_U, OC_RATE, OC_LAMBDA, OC_TRAVEL;
  // OC_V and OC_RATE bound |x| <= high and have no low
  dm_bounds bounds[OC_QUANTITIES];
  // enforce speed limits also at knots whose speed is far from them (optim/rows/knot_speeds.h)?
  bool every_speed;
  oc_input_limits inputs; // narrower limits over an interval
  oc_cones cones;         // of friction at pinned points
  // [system.nu] lags of the motors, 0: none; NULL: no motor has one. The bounds of OC_U then also
  // apply to their commands (optim/rows/lag_rows.h)                                       s
  const double *lag;

  // The running cost of each step is multiplied by h, or summed without h if `sum` is set. v is the step's
  // (q_{k+1}-q_k)/h, u the step's; q, p and references take one half from each knot (trapezoidal rule), or with
  // `sum` come from knots 0..N-1. At the goal, v and p are those of the last knot.
  bool sum;
  oc_weights cost[OC_QUANTITIES];
  // user-defined terms of the running cost, and path constraints (optim/task/term.h)
  oc_functions functions;
  oc_outputs outputs; // limits and costs on functions y(q) at knots (optim/task/outputs.h)
  oc_per per;         // the divisor of the total cost (optim/rows/ratio.h)
  oc_constants constant;
  oc_scales scales;
} oc_task;

// A task for a tree with its system (lib/multibody/tree_system.h), N steps in T and the model's limits. The
// caller adds ends, weights and references.
//   m  the tree; its names and limits are borrowed: it must outlive the task
//   N  steps, >= 1
//   T  final time, > 0                                                    s
// Returns the task with the model's names of coordinates and inputs, and its bounds of OC_Q, OC_V and OC_U;
// everything else is empty: free ends, no cost. If coordinates are kinematic, input_name and the bounds of OC_U
// are NULL, because the task then has more inputs than the model.
oc_task oc_task_of(const dm_model *m, int N, double T);

// The number of entries of a quantity.
static inline int oc_task_size(const oc_task *task, oc_quantity of) {
  if (of == OC_U) return dm_system_inputs(&task->system);
  if (of == OC_RATE) return task->system.nu;
  return of == OC_LAMBDA ? task->system.hol.nc : task->system.L.nq;
}

// The bounds of entry i of a quantity: infinite if absent, 0 of a travel; of OC_V and OC_RATE -high and high.
static inline double oc_high(const oc_task *task, oc_quantity of, int i) {
  const double *high = task->bounds[of].high;
  if (high) return high[i];
  return of == OC_TRAVEL ? 0 : INFINITY;
}

static inline double oc_low(const oc_task *task, oc_quantity of, int i) {
  if (of == OC_V || of == OC_RATE) return -oc_high(task, of, i);
  const double *low = task->bounds[of].low;
  if (low) return low[i];
  return of == OC_TRAVEL ? 0 : -INFINITY;
}

static inline dm_range oc_task_range(const oc_task *task, oc_quantity of, int i) {
  const dm_range range = {oc_low(task, of, i), oc_high(task, of, i)};
  return range;
}

// Is entry i of an end given?
static inline bool oc_given(const double *end, int i) {
  return end && !isnan(end[i]);
}

// A weight; 0 without an array.
static inline double oc_weight(const double *w, int i) {
  return w ? w[i] : 0;
}

// Is any of n weights positive?
bool oc_has_weight(int n, const double *w);

// Is any weight of a task's quadratic cost positive?
bool oc_task_has_weights(const oc_task *task);

// "position"; the name of an entry: a coordinate, an input, a constraint
const char *oc_quantity_word(oc_quantity of);
const char *oc_task_name(const oc_task *task, oc_quantity of, int i);

// The mean length of a task's steps, T / N [s]; if the final time is free, the initial mean.
static inline double oc_task_step(const oc_task *task) {
  return task->time.T / task->N;
}

// The length of step k in mean steps.
static inline double oc_task_part(const oc_task *task, int k) {
  return dm_grid_step(task->time.grid, k);
}

// Are the step lengths free?
static inline bool oc_task_frees_steps(const oc_task *task) {
  return task->time.most > 0;
}

// Set the steps of a motion to those of a task with mean step h [s].
void oc_task_set_steps(const oc_task *task, double h, dm_trajectory *x);

// Does a task have outputs or limits of inputs over an interval?
static inline bool oc_task_has_via(const oc_task *task) {
  return oc_outputs_asked(&task->outputs) || task->inputs.n > 0;
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

// What a task may have besides bounds and costs of quantities.
typedef enum oc_feature {
  OC_CONSTRAINTS,    // of the system
  OC_KINEMATIC,      // coordinates
  OC_FREE_TIME,      //
  OC_PERIODIC,       //
  OC_RATIO,          // a divisor of the cost
  OC_CURVE,          // that outputs follow
  OC_OUTPUT_LIMITS,  //
  OC_OUTPUT_COSTS,   //
  OC_DRIVEN_OUTPUTS, // limits or costs on inputs or their power
  OC_INPUT_LIMITS,   // over an interval
  OC_PATH_LIMITS,    // path constraints
  OC_STEP_FUNCTIONS, // terms or path constraints of the next position or the step
  OC_CONTACT_LAWS,   // contacts or dry friction
  OC_CONES,          // of constraint impulses
  OC_LAGS,           // of motors
  OC_ROLLING,        // nonholonomic constraints
  OC_LEVELS,         // integrals and largest values of outputs
  OC_KNOTS,          // steps of unequal length
  OC_FEATURES
} oc_feature;

// What a solver does not support: sets of quantities, 1 << OC_Q and so on, by their bounds and costs, and a set of
// features, 1 << OC_CURVE and so on.
typedef struct oc_unsupported {
  unsigned bounds, running, goal, features;
} oc_unsupported;

// Refuse the first of these that a task has: "WHO cannot have a cost on the jerk of 'elbow': INSTEAD". Returns DM_OK,
// or DM_BAD_INPUT with this sentence in msg and in *key the keys of the problem file that may cause it, separated by
// spaces: "cost.jerk".
dm_status oc_task_refuse(const oc_task *task, oc_unsupported no, const char *who,
                         const char *instead, const char **key, dm_message *msg);

// Refuse a task with steps of unequal or free length that also has what needs equal or fixed ones. Returns DM_OK, or DM_BAD_INPUT with
// a sentence in msg.
dm_status oc_task_refuse_knots(const oc_task *task, dm_message *msg);

// Check that a program can be made of a task: sizes, finite numbers, lower bounds below upper bounds, the
// given start and goal within them, weights >= 0, third derivatives of L. Returns DM_OK, or DM_BAD_INPUT with
// a sentence in msg that names the coordinate or input.
dm_status oc_task_check(const oc_task *task, dm_message *msg);

DM_END_C
#endif
