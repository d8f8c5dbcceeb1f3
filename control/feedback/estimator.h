// control/feedback/estimator.h: a controller that reads encoders: the gains of a schedule on the
// estimate of a Kalman filter along the same trajectory, with the same A, B.
//
//   z <- z + L_k (y_k - C z)       y_k: positions measured, less those desired; an entry that is
//                                  beyond a gate of so many standard deviations is left out
//   u_k = u_d,k - K_k z
//   z <- A_k z + B_k (u_k - u_d,k)
//
// Of inputs that a disturbance is supposed of, a force d that acts beside them and is constant but
// for a random walk, the filter estimates d as well, z = (dx, d):
//
//   u_k = u_d,k - d - K_k dx
//   dx <- A_k dx + B_k (u_k - u_d,k + d),   d <- d
//
// u_k is what acted, limits included, so that a limit does not wind d up. Its walk sigma [N/sqrt(s)]
// follows from the time T in which the estimate is to follow a step of d. Impulses of covariance W
// a step are, to d, noise of spectral density r = h / (B' W^-1 B), B being what a unit of the input
// adds to momenta in the last step; the steady gain from it is 1/T where
//
//   sigma^2 = r / T^2,     P_d = sigma^2 T, at the start as for good
//
// as long as the rest of the filter is faster than T; else the estimate takes the longer.
//
// Of readings that are some time old, or off the knots, z is of when they were read, beside the plan of
// then (control/feedback/plan.h); the law is given that plan and what z comes to by now
// (control/onboard/filter.c), by A and B also where a predictor is set.
//
// z is the estimate of the state's deviation. The noise that it is made for is also what a closed
// loop with it meets: of encoders, and of impulses that nobody ordered, which hit momenta between
// steps. Under constraints A is the schedule's, restricted to deviations that keep them, and so is
// what is supposed of the start; impulses along constraints change nothing.
//
// Source: docs/theory.md section 21.
#ifndef FB_FEEDBACK_ESTIMATOR_H
#define FB_FEEDBACK_ESTIMATOR_H
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
  // [nu] in which the estimate of what acts beside each input follows it, > 0; INFINITY: nothing
  // does; NULL: beside none                                                  s
  const double *disturbance;
  const double *disturbance_max; // [nu] of its size, > 0; INFINITY, NULL: any    N or N m
} fb_sensor_noise;

// What a filter predicts by where that is more than A z + B (u - u_d).
typedef struct fb_predictor {
  void *self;
  // The step from x [nx] under what acts, u [nu], with A [nx x nx] of the plan's step; x1 [nx] in:
  // the linear prediction, out: the step. NULL: the linear one.
  void (*step)(void *self, const double *x, const double *u, const double *A, double *x1);
} fb_predictor;

struct fb_filter;

typedef struct fb_estimator {
  const fb_tvlqr *f;       // borrowed
  fb_sensor_noise set;     // borrowed arrays
  int ny, *which;          // coordinates measured [ny]
  int nd, *disturbed;      // inputs beside which a disturbance is estimated [nd]
  int nz;                  // nx + nd: the states (q,p) and disturbances
  double *size;            // [nz] of these (control/feedback/state_size.h)
  double *L;               // [N x nz x ny]
  double *P;               // [(N+1) x nz x nz] covariance before each measurement
  double *C, *W, *V, *P0;  // [ny x nz], [nz x nz], [ny x ny], [nz x nz] (control/feedback/kalman.h)
  double *d_max;           // [nd] of the disturbances' size, INFINITY: any             N or N m
  double *A;               // [N x nz x nz] with disturbances; of none NULL: the schedule's
  double *bound;           // [N x ny] gate sqrt(CPC' + V)_aa; of no gate NULL
  double *z, *next;        // [nz] estimate of the deviation and disturbances; scratch
  struct fb_filter *board; // the filter as it runs on board, whose estimate z is
  int *turns;              // [n] 1: an angle of which a whole turn is no error
  double *x;               // [nx] of the state
  double *v_d, *plan,
      *v; // [(N+1) x n] the plan's speeds; (q,p) [nx] of it when a reading was; scratch [n]
  fb_predictor predictor; // set by the caller; at first none
  double *acts, *x1;      // [nu], [nx] of its step
  double *acting;         // [nu] of the disturbance of each input; NULL: of none
  double *y;              // [ny] what encoders read last
  bool by_time;           // of the run: z is of the time t [s], else of the knot under way
  double t, now;          // when the last reading was; the time of the call
  int sample;             // under way: noise is drawn by (seed, sample)
} fb_estimator;

// Make the filter of a schedule of the system s.
//   failed  out: the knot at which it could not be made, or -1
// Returns DM_OK; DM_BAD_INPUT where nothing is measured, and of disturbances that are more than is
// measured, beside late inputs, or beside one that drives nothing that impulses hit;
// DM_NOT_DEFINITE, DM_NOT_FINITE, DM_SINGULAR, DM_NO_MEMORY. On anything but DM_OK *out is NULL and
// msg says why.
dm_status fb_estimator_new(fb_estimator **out, const fb_tvlqr *f, const dm_system *s,
                           const fb_sensor_noise *set, int *failed, dm_message *msg);
void fb_estimator_free(fb_estimator *w);

// What a closed loop sees through it: noise of encoders, an estimate, impulses. No allocation.
fb_sensor fb_estimator_sensor(fb_estimator *w);

// Whether there is a gate.
bool fb_estimator_gates(const fb_estimator *w);

// What encoders read at knot k of the sample that runs, noise included: y [ny] at the state x [nx].
void fb_estimator_read(const fb_estimator *w, int k, const double *x, double *y);

// Look for what no measurement shows at step k, taken as a place of rest, and does not decay by
// itself: *state is the index [nz] of its largest entry, or -1 where there is none. Returns DM_OK,
// DM_NO_MEMORY, or DM_STALLED where the eigenvalues were not found.
dm_status fb_estimator_unseen(const fb_estimator *w, int k, int *state);

// The standard deviation of entry i [nz] of the estimate, before the measurement of knot k.
double fb_estimator_deviation(const fb_estimator *w, int k, int i);

// The largest standard deviation of a position (momentum: true: of a momentum) that is left before
// the measurement of knot k; *coord is whose.
double fb_estimator_spread(const fb_estimator *w, int k, int momentum, int *coord);

DM_END_C
#endif
