// problems/readers/task/feedback.h: `feedback:` as read: weights of the gains, the controller's
// measurements, and its timing.
#ifndef PB_TASK_FEEDBACK_H
#define PB_TASK_FEEDBACK_H
#include "control/feedback/estimator.h"
#include "control/feedback/output_feedback.h"
#include "control/feedback/output_weight.h"

DM_BEGIN_C

// How gains at the end of a phase use the cost-to-go of the next phase: instead of their own Qf, in
// addition to it, or not at all.
typedef enum pb_carry { PB_CARRY_ALONE, PB_CARRY_ADDED, PB_CARRY_NONE, PB_CARRIES } pb_carry;
extern const char *const pb_carry_words[PB_CARRIES];

typedef struct pb_feedback {
  double *integral;   // [n] weights of error integrals, 0: none for this joint; NULL: no integrals
  double *Q, *R, *Qf; // [2n], [nu], [2n] diagonals; Qf NULL: steady solution at the goal
  double *u_min, *u_max; // [nu] limits of the controller's output, separate from the plan's limits
  double rest_time;      // s for which the end of the motion is held; 0: not held
  bool keeps_end; // hold is not set: the exported controller holds an end that is an equilibrium
  fb_output_weight *Q_outputs, *Qf_outputs; // in addition to Q and Qf, NULL: none
  bool second_variation; // Q and R from the cost; Qf NULL: the goal is a constraint
  bool *turns;           // [n] angles whose errors are taken modulo one revolution
  fb_form measure;       // the controller's measurements
  bool continuous;      // positions one step apart: y_d from the continuous motion, or from the map
  bool exact;           // momenta from the exact mechanics, or to first order
  double rate;          // sampling rate in Hz; INFINITY: at the knots
  bool between;         // gains interpolated between knots, or held
  int delay;            // steps of input delay, 0 or 1
  double *near;         // [2n] weights of (q,p): the nearest knot acts; NULL: that of the time
  bool orbits;          // the phase on the orbit acts, by these weights
  double *rate_limit;   // [nu] limits of the output's rate, per s, INFINITY: none; NULL: no limits
  int rate_limit_at[2]; // line and column of rate_limit
  const fb_friction *friction; // dry friction that the controller compensates; NULL: none
  bool has_envelope;
  fb_envelope envelope; // region of the controller, and fallback; cost INFINITY: auto
  bool has_estimator;
  bool by_map;             // the estimator predicts with the model's step
  fb_sensor_noise sensors; // its seed is the seed of verify
} pb_feedback;

// The reference of receding-horizon control: the plan, its end, the caller's, or a table's.
typedef enum pb_reference { PB_OF_PLAN, PB_OF_GOAL, PB_OF_CALLER, PB_OF_TABLE } pb_reference;

// Its weight at the end of a horizon: P of the gains there, or at rest, or Qf.
typedef enum pb_mpc_end { PB_END_TVLQR, PB_END_STEADY, PB_END_TERMINAL, PB_ENDS } pb_mpc_end;
extern const char *const pb_mpc_end_words[]; // terminated by NULL

// Outputs that it tracks.
typedef struct pb_track {
  int rows;       // 0: none
  int *row;       // [rows] of the robot's outputs
  double *weight; // [rows]
  double *y;      // [knots x rows] the reference by steps of the motion; NAN: of the plan
  int knots;
  bool asks, tables; // whether the caller sets the reference; some of it is of tables
} pb_track;

// `mpc:` as read: receding-horizon control with the weights of the gains.
typedef struct pb_mpc {
  bool there;                   // whether the file has the section
  int stages, sweeps;           // of the horizon; most backward sweeps of a call
  fb_form measure;              // its measurements
  bool single;                  // in single precision
  double *q_min, *q_max, *soft; // [n] bounds of positions, cost beyond them; NULL: not bounded
  double *v_max, *soft_v;       // [n] the same of speeds
  pb_mpc_end end;
  double *Qf; // [2n x 2n] of PB_END_TERMINAL
  pb_reference reference;
  double *q; // [knots x n] of PB_OF_TABLE, by steps of the task
  int knots;
  pb_track track;
} pb_mpc;

DM_END_C
#endif
