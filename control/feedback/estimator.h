// control/feedback/estimator.h: a controller that reads encoders: the gains of a schedule on the
// estimate of a Kalman filter along the same trajectory, with the same A, B.
//
//   z <- z + L_k (y_k - C z)       y_k: positions measured, less those desired; an entry that is
//                                  beyond a gate of so many standard deviations is left out
//   u_k = u_d,k - K_k z
//   z <- A_k z + B_k (u_k - u_d,k)
//
// Of readings that are some time old, or off the knots, z is of when they were read; the law is given
// what that comes to by now (control/feedback/advance.h).
//
// z is the estimate of the state's deviation. The noise that it is made for is also what a closed
// loop with it meets: of encoders, and of impulses that nobody ordered, which hit momenta between
// steps. Under constraints A is the schedule's, restricted to deviations that keep them, and so is
// what is supposed of the start; impulses along constraints change nothing.
//
// Source: docs/theory.md section 21.
#ifndef FB_FEEDBACK_ESTIMATOR_H
#define FB_FEEDBACK_ESTIMATOR_H
#include "control/feedback/advance.h"
#include "control/feedback/sensor.h"
#include "control/feedback/tvlqr.h"

#include <stdint.h>

DM_BEGIN_C

// Standard deviations.
typedef struct fb_sensor_noise {
  const double *encoder;           // [n] of one measurement, > 0; INFINITY: not measured   rad or m
  const double *process;           // [n] of the impulse in one step               N s or N m s
  const double *start_q, *start_p; // [n] of the start                             rad or m, SI
  uint64_t seed;                   // of the noise in closed loops
  double gate; // innovations beyond so many standard deviations are left out, > 0; INFINITY, 0:
               // none are
} fb_sensor_noise;

// So many readings in a row beyond the gate are left out; those after them are believed until one is
// within it: the robot is elsewhere, or the filter.
enum { FB_BELIEVED = 5 };

typedef struct fb_estimator {
  const fb_tvlqr *f;      // borrowed
  fb_sensor_noise set;    // borrowed arrays
  int ny, *which;         // coordinates measured [ny]
  double *L;              // [N x nx x ny]
  double *P;              // [(N+1) x nx x nx] covariance before each measurement
  double *C, *W, *V, *P0; // [ny x nx], [nx x nx], [ny x ny], [nx x nx] (control/feedback/kalman.h)
  double *bound;          // [N x ny] gate sqrt(CPC' + V)_aa; of no gate NULL
  int *missed;            // [ny] left out in a row
  double *z, *next, *x;   // [nx] estimate of the deviation; scratch; of the state
  double *y;              // [ny] what encoders read last
  bool by_time;           // of the run: z is of the time t [s], else of the knot under way
  double t, now;          // when the last reading was; the time of the call
  fb_applied applied;     // meanwhile
  int sample;             // under way: noise is drawn by (seed, sample)
} fb_estimator;

// Make the filter of a schedule of the system s.
//   failed  out: the knot at which it could not be made, or -1
// Returns DM_OK; DM_BAD_INPUT where nothing is measured; DM_NOT_DEFINITE, DM_NOT_FINITE,
// DM_SINGULAR, DM_NO_MEMORY. On anything but DM_OK *out is NULL and msg says why.
dm_status fb_estimator_new(fb_estimator **out, const fb_tvlqr *f, const dm_system *s,
                           const fb_sensor_noise *set, int *failed, dm_message *msg);
void fb_estimator_free(fb_estimator *w);

// What a closed loop sees through it: noise of encoders, an estimate, impulses. No allocation.
fb_sensor fb_estimator_sensor(fb_estimator *w);

// Whether there is a gate; and an innovation `off` through it: 0 where it is left out. missed counts.
bool fb_estimator_gates(const fb_estimator *w);
double fb_estimator_gate(int *missed, double off, double bound);

// What encoders read at knot k of the sample that runs, noise included: y [ny] at the state x [nx].
void fb_estimator_read(const fb_estimator *w, int k, const double *x, double *y);

// Look for what no measurement shows at the first knot, taken as a place of rest, and does not
// decay by itself: *state is the index of its largest entry, or -1 where there is none. Returns
// DM_OK, DM_NO_MEMORY, or DM_STALLED where the eigenvalues were not found.
dm_status fb_estimator_unseen(const fb_estimator *w, int *state);

// The standard deviation of entry i of the state's estimate, before the measurement of knot k.
double fb_estimator_deviation(const fb_estimator *w, int k, int i);

// The largest standard deviation of a position (momentum: true: of a momentum) that is left before
// the measurement of knot k; *coord is whose.
double fb_estimator_spread(const fb_estimator *w, int k, int momentum, int *coord);

DM_END_C
#endif
