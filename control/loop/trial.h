// control/loop/trial.h: one run of a law under one disturbance, on a plant independent of the
// discrete map: the continuous equations by the fourth-order Runge-Kutta method with fixed steps.
//
//   M a + .. = B u + f                          f: pushes (control/loop/push.h)
//   u <- u + share (wanted - u) + noise, cut to its limits                          in each step
//
// A motor with a lag of its own has its share of this share, and begins at the plan's output; a cut also
// regards torque-speed lines, at the speed before the step.
//
// The law is evaluated as in control/loop/closed_loop.h, with measurements: (q,v) a time `delay`
// ago, interpolated between plant steps by the cubic of (q,v), with noise, converted to the model's
// (q, M(q) v). The law is not told their age. Encoders show q in multiples of their steps, and v as
// the difference of two of these positions over the time between two calls. Random numbers are a
// function of (seed, sample).
//
// Source: docs/theory.md section 24; [wiebe-2024] in docs/sources.md.
#ifndef FB_LOOP_TRIAL_H
#define FB_LOOP_TRIAL_H
#include "control/feedback/tvlqr.h"
#include "control/loop/push.h"
#include "lib/mechanics/unilateral.h"

#include <stdbool.h>
#include <stdint.h>

DM_BEGIN_C

// The time for which a motor's `response` is given [s].
#define FB_RESPONSE_TIME 2e-3

// The disturbances of a run.
typedef struct fb_disturbance {
  double noise_q, noise_v, noise_u; // standard deviations: of measurements, rad or m, rad/s or m/s,
                                    // per call; of inputs, N or N m, per plant step
  double response;                  // the share of the distance to the command that motors cover in
                                    // FB_RESPONSE_TIME; 1: all of it (control/feedback/motor.h)
  double delay;                     // of measurements, >= 0 [s]
  const double *encoder;            // [n] encoder steps, 0: continuous; NULL: all continuous
  const double *readings; // [n] standard deviation of encoder readings; NULL: none [rad or m]
  bool differences;       // with either of these, v is a difference of positions; noise_v is not
                          // used
  const fb_push *push;
  int pushes;
  uint64_t seed;
  int sample;
} fb_disturbance;

// No disturbance: all zero except the response, 1.
fb_disturbance fb_disturbance_none(void);

typedef struct fb_trial fb_trial;

// Make a workspace for runs of one law.
//   law    the law to run, without a sensor; borrowed
//   model  the system for which the law was designed; borrowed
//   step   maximum plant step, > 0: equal steps cover the law's step [s]
// Returns DM_OK; DM_UNAVAILABLE for kinematic coordinates and for a law with a sensor;
// DM_NO_MEMORY.
dm_status fb_trial_new(fb_trial **out, const fb_tvlqr *law, const dm_system *model, double step);
void fb_trial_free(fb_trial *w); // NULL is accepted

// Set the machine: a system with the model's coordinates and inputs. It is copied; the data it
// points to must outlive the runs. Before the first call it is the model.
// Returns DM_OK or DM_NO_MEMORY; allocates.
dm_status fb_trial_machine(fb_trial *w, const dm_system *machine);

// Give the machines mechanical stops, NULL: none (lib/contact/stopped_motion.h); borrowed. Resets
// the machine to the model. Returns the status of dm_stopped_motion_new; allocates.
dm_status fb_trial_stops(fb_trial *w, const dm_unilateral *stops);

// Run the law from its first planned state to its last knot.
//   u_min, u_max  limits of inputs [nu]; NULL: none
//   y             out: (q,v) at the end [2n]; for the law's plan there, see fb_trial_end
// Returns DM_OK, DM_NOT_FINITE if the state is not finite, or the reason why there is no
// acceleration or input. Does not allocate. Cost: four accelerations per plant step.
dm_status fb_trial_run(fb_trial *w, const fb_disturbance *d, const double *u_min,
                       const double *u_max, double *y);

// (q,v) [2n] at the law's knot k in the last run; the same on the plan, into y, which returns DM_OK
// or the reason why there is no velocity.
const double *fb_trial_state(const fb_trial *w, int k);
dm_status fb_trial_planned(fb_trial *w, int k, double *y);

// (q,v) [2n] at the plan's last knot; the duration of a run [s].
const double *fb_trial_end(const fb_trial *w);
double fb_trial_time(const fb_trial *w);

DM_END_C
#endif
