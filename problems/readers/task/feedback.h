// problems/readers/task/feedback.h: gains, what a controller is given, and when: `feedback:`.
#ifndef PB_TASK_FEEDBACK_H
#define PB_TASK_FEEDBACK_H
#include "control/feedback/estimator.h"
#include "control/feedback/output_feedback.h"
#include "control/feedback/output_weight.h"

DM_BEGIN_C

// What gains at the end of a phase take from those of the phase after it: its cost-to-go in the place of
// their own Qf, beside it, or nothing.
typedef enum pb_carry { PB_CARRY_ALONE, PB_CARRY_ADDED, PB_CARRY_NONE, PB_CARRIES } pb_carry;
extern const char *const pb_carry_words[PB_CARRIES];

typedef struct pb_feedback {
  double *integral;      // [n] weights of integrals of errors, 0: of none; NULL: of none at all
  double *Q, *R, *Qf;    // [2n], [nu], [2n] diagonals; Qf NULL: steady solution at the goal
  double *u_min, *u_max; // [nu] what the law keeps its inputs in, apart from those of the plan
  double rest_time;      // s that the end of the motion is kept for; 0: the motion alone
  bool keeps_end;        // nothing is said of that: what is exported keeps it where it can rest
  fb_output_weight *Q_outputs, *Qf_outputs; // beside Q and Qf, NULL: none
  bool second_variation; // Q and R are the cost's own; Qf NULL: the goal must be met
  bool *turns;           // [n] angles of which a turn more is no error
  fb_form measure;       // what the controller is given,
  bool continuous;       // y_d of positions a step apart: of a continuous motion, or of the map
  bool exact;            // with momenta by the mechanics, or to first order
  double rate;           // Hz that it samples at; INFINITY: at the knots
  bool between;          // gains interpolated between knots, or held
  int delay;             // steps that its inputs are late, 0 or 1
  bool by_path;          // the law acts by the nearest knot, weighted by Q; else by time
  double *rate_limit;    // [nu] of what the law gives, per s, INFINITY: none; NULL: none at all
  int rate_limit_at[2];  // line and column where that is said
  bool has_envelope;
  fb_envelope
      envelope; // a cost of INFINITY is auto: what verification covers; where the law acts, and what acts beyond
  bool has_estimator;
  bool by_map;             // it predicts by the model's step
  fb_sensor_noise sensors; // its seed is that of verify
} pb_feedback;

DM_END_C
#endif
