// problems/run/controller.h: the controller that a problem's `feedback:` defines along a motion.
//
//   gains                       in x = (q,p), at the knots of the motion (problems/run/run.h)
//   pb_controller_sample        at the controller's rate
//   pb_controller_measure       in terms of measurements
//   pb_controller_estimate      of estimated states
#ifndef PB_RUN_CONTROLLER_H
#define PB_RUN_CONTROLLER_H
#include "control/feedback/ball_tables.h"
#include "control/feedback/mechanics.h"
#include "control/feedback/output_feedback.h"
#include "control/feedback/receding.h"
#include "control/feedback/track.h"
#include "problems/readers/task/problem.h"

DM_BEGIN_C

// Pointers are NULL until they are made. Must not be moved: schedules refer to sensor.
typedef struct pb_controller {
  fb_tvlqr *gains;         // at the knots, in (q,p)
  fb_tvlqr *sampled;       // gains at the controller's rate; NULL: at the knots
  fb_output_feedback *law; // in terms of measurements; law->f is executed
  fb_estimator *estimator; // NULL: the state is known
  fb_mechanics *mechanics; // of computed momenta and predictions; NULL: none, or not of a tree
  fb_sensor sensor;        // reads through the estimator
  bool rests;              // the motion ends at rest, which the schedule continues
  double *reference;       // of receding-horizon control by a table: x, then u; NULL: none
  int reference_rows;      // states of it: of the table or the schedule, whichever is longer
  fb_tvlqr
      *prompt;     // the schedule of receding-horizon control, if it is another one; NULL: not made
  double *travel;  // [n] of a period; NULL: it does not repeat
  double *end;     // [nx x nx] of receding-horizon control with end: terminal; NULL: not made
  fb_track *track; // outputs that it tracks; NULL: none
  fb_ball_tables *balls; // its tables for ball joints; NULL: none
} pb_controller;

// The schedule of the controller: at its rate, else at the knots.
fb_tvlqr *pb_controller_schedule(const pb_controller *c);

// Set the properties of the gains that come from the problem (periodic angles, the envelope, rate
// limits), resample them at the controller's rate, if it has one, and make the mechanics that it
// computes. Returns as fb_resample_new and fb_mechanics_new.
dm_status pb_controller_sample(pb_controller *c, const pb_problem *p, dm_message *msg);

// Check that the schedule's inputs satisfy the rate limits. Returns DM_OK, or DM_BAD_INPUT with the
// key's place, the input and its knot in msg.
dm_status pb_controller_check_rates(const pb_controller *c, const pb_problem *p, dm_message *msg);

// Make the law in terms of measurements. Returns as fb_output_feedback_new.
dm_status pb_controller_measure(pb_controller *c, const pb_problem *p, dm_message *msg);

// The horizon, the reference and the bounds of `mpc:`, borrowed from the problem and the controller.
// Returns DM_OK, DM_NO_MEMORY, or DM_BAD_INPUT with the key in msg if the motion does not end at
// rest, which the reference, the weight of the end or the length of the horizon needs.
dm_status pb_controller_horizon(pb_controller *c, const pb_problem *p, fb_receding *out,
                                dm_message *msg);

// Whether the table of `mpc.reference` needs inputs or positions beyond their limits: then a sentence in msg names the
// farthest one, relative to its range. After pb_controller_horizon.
bool pb_controller_unreached(const pb_controller *c, const pb_problem *p, dm_message *msg);

// The schedule of receding-horizon control, whose code waits for late inputs itself: that of the controller,
// with gains for inputs without a delay, and its own cost-to-go at another rate than the knots'; if the plan
// repeats, longer by a horizon. Returns DM_OK,
// DM_NO_MEMORY or DM_NOT_DEFINITE.
dm_status pb_controller_prompt(pb_controller *c, const pb_problem *p, const fb_tvlqr **out,
                               dm_message *msg);

// Make the law of receding-horizon control of `mpc:`, whose desired states are those of its reference. Returns as
// pb_controller_horizon, fb_output_feedback_new and fb_receding_start; on anything but DM_OK *law is NULL.
dm_status pb_controller_recede(fb_output_feedback **law, pb_controller *c, const pb_problem *p,
                               dm_message *msg);

// Make the estimator along the schedule, through which the schedule and the law read from here on,
// with the prediction that the problem requests. Returns as fb_estimator_new and
// fb_mechanics_new.
dm_status pb_controller_estimate(pb_controller *c, const pb_problem *p, dm_message *msg);

// Free all parts, and set them to NULL.
void pb_controller_free(pb_controller *c);

DM_END_C
#endif
