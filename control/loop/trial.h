// control/loop/trial.h: one run of a law against one disturbance, on a plant that shares nothing
// with the discrete map: the continuous equations by Runge and Kutta's method of order 4, in steps
// of fixed length.
//
//   M a + .. = B u + f                          f: pushes (control/loop/push.h)
//   u <- u + share (wanted - u) + noise, cut to its limits                          in each step
//
// The law is evaluated as in control/loop/closed_loop.h, for what is measured: (q,v) of `delay` ago,
// between steps of the plant by the cubic of (q,v), with noise, as the model's (q, M(q) v). It is not
// told how old that is. Encoders show q in their steps, and v as the difference of two positions that
// they showed, over the time between two calls. Numbers are by counter of (seed, sample).
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

// The time in which a motor's `response` is what it is [s].
#define FB_RESPONSE_TIME 2e-3

// What is set against the law in a run.
typedef struct fb_disturbance {
  double noise_q, noise_v, noise_u; // standard deviations: of measurements, rad or m, rad/s or
                                    // m/s, each time the law is asked; of inputs, N or N m, each
                                    // step
  double response; // of the way to what they are told, so much inputs go in FB_RESPONSE_TIME; 1:
                   // all of it (control/loop/motor.h)
  double delay;    // of measurements, >= 0                                                  s
  const double *encoder;  // [n] steps between positions that encoders show, 0: any; NULL: any
  const double *readings; // [n] standard deviation of what encoders see; NULL: none    rad or m
  bool differences;       // with either of these, v is a difference of positions; noise_v is unseen
  const fb_push *push;
  int pushes;
  uint64_t seed;
  int sample;
} fb_disturbance;

// Nothing: all zero but the response, 1.
fb_disturbance fb_disturbance_none(void);

typedef struct fb_trial fb_trial;

// Make a workspace for runs of one law.
//   law    what runs, without a sensor; borrowed
//   model  the system that the law was made for; borrowed
//   step   of the plant at most, > 0: as many equal ones as cover the law's            s
// Returns DM_OK; DM_UNAVAILABLE for kinematic coordinates and through a sensor; DM_NO_MEMORY.
dm_status fb_trial_new(fb_trial **out, const fb_tvlqr *law, const dm_system *model, double step);
void fb_trial_free(fb_trial *w); // NULL is accepted

// Take the machine that moves: a system of the model's coordinates and inputs. It is copied; what
// it points at must outlive the runs. Before the first call it is the model.
// Returns DM_OK or DM_NO_MEMORY; allocates.
dm_status fb_trial_machine(fb_trial *w, const dm_system *machine);

// Give the machines mechanical stops, NULL: none (lib/contact/stopped_motion.h); borrowed. The machine
// is the model again. Returns as that file's _new; allocates.
dm_status fb_trial_stops(fb_trial *w, const dm_unilateral *stops);

// Run the law from its first planned state to its last knot.
//   u_min, u_max  limits of inputs [nu]; NULL: none
//   y             out: (q,v) at the end [2n]; the law's plan there is fb_trial_end
// Returns DM_OK, DM_NOT_FINITE where the machine left the finite numbers, or why there is no
// acceleration or input. Does not allocate. Cost: four accelerations a step.
dm_status fb_trial_run(fb_trial *w, const fb_disturbance *d, const double *u_min,
                       const double *u_max, double *y);

// (q,v) [2n] at the law's knot k of the run that ended; of the plan there, into y, which returns DM_OK
// or why there is no velocity.
const double *fb_trial_state(const fb_trial *w, int k);
dm_status fb_trial_planned(fb_trial *w, int k, double *y);

// (q,v) [2n] of the plan's last knot; how long a run takes [s].
const double *fb_trial_end(const fb_trial *w);
double fb_trial_time(const fb_trial *w);

DM_END_C
#endif
