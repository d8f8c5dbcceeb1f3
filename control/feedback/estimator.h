// control/feedback/estimator.h: a controller for encoders: the gains of a schedule, applied to the
// estimate of a Kalman filter along the same trajectory, with the same A, B.
//
//   z <- z + L_k (y_k - C z)       y_k: measured minus desired positions; an entry beyond
//                                  the gate, in standard deviations, is left out
//   u_k = u_d,k - K_k z
//   z <- A_k z + B_k (u_k - u_d,k)
//
// If an input has a disturbance, a force d added to it that is constant up to a random walk, the
// filter estimates d as well, z = (dx, d):
//
//   u_k = u_d,k - d - K_k dx
//   dx <- A_k dx + B_k (u_k - u_d,k + d),   d <- d
//
// If motors have a lag, z = (dx, m) has their torques as well, minus the plan's (control/feedback/kept_states.h),
// and A, B are those of both. Torques follow from commands alone: m has no uncertainty, and L no rows for it.
//
// u_k is the applied input, limits included, so that a limit does not wind up d. The strength sigma
// [N/sqrt(s)] of the random walk follows from the time T in which the estimate should follow a step
// of d. For d, impulses with covariance W per step are noise of spectral density r = h / (B' W^-1
// B), where B is the change of momenta in the last step per unit of the input; the steady gain is
// 1/T if
//
//   sigma^2 = r / T^2,     P_d = sigma^2 T, both initially and in steady state
//
// provided that the rest of the filter is faster than T; otherwise the estimate is slower.
//
// If measurements are delayed or off the knots, z refers to the time of the measurement, relative
// to the plan at that time (control/feedback/plan.h); the law gets the current plan and the
// prediction of z up to now (control/onboard/filter.c), by A and B even if a predictor is set.
//
// z is the estimate of the state's deviation. A closed loop with the filter is subject to the noise
// for which it is designed: encoder noise, and unmodeled impulses on momenta between steps. Under
// constraints, A is the schedule's, restricted to admissible deviations; the covariance of the
// start is restricted in the same way. Impulses along constraints have no effect.
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
  const double *encoder;           // [n] of one measurement, > 0; INFINITY: not measured [rad or m]
  const double *process;           // [n] of the impulse in one step [N s or N m s]
  const double *start_q, *start_p; // [n] of the start [rad or m, SI]
  uint64_t seed;                   // of the noise in closed loops
  double gate; // gate in standard deviations: larger innovations are left out, > 0; INFINITY, 0: no
               // gate
  // [nu] time in which the disturbance estimate of each input follows a step, > 0; INFINITY: that
  // input has no disturbance; NULL: no input has one [s]
  const double *disturbance;
  const double *disturbance_max; // [nu] bound of its size, > 0; INFINITY, NULL: none [N or N m]
} fb_sensor_noise;

struct tree_tables;

// A nonlinear prediction that replaces A z + B (u - u_d).
typedef struct fb_predictor {
  void *self;
  // The step from x [nx] under the applied input u [nu], with A [nx x nx] of the plan's step; x1
  // [nx] in: the linear prediction, out: the step. NULL: use the linear one.
  void (*step)(void *self, const double *x, const double *u, const double *A, double *x1);
  const struct tree_tables *tree; // borrowed: the same step on board
} fb_predictor;

struct fb_filter;

typedef struct fb_estimator {
  const fb_tvlqr *f;      // borrowed
  fb_sensor_noise set;    // borrowed arrays
  int ny, *which;         // [ny] measured coordinates
  int nd, *disturbed;     // [nd] inputs with an estimated disturbance
  int nx;                 // states that it predicts: (q,p), then the schedule's nl torques
  int nz;                 // nx + nd: these and disturbances
  double *size;           // [nz] their sizes (control/feedback/state_size.h)
  double *L;              // [N x nz x ny]
  double *P;              // [(N+1) x nz x nz] covariance before each measurement
  double *C, *W, *V, *P0; // [ny x nz], [nz x nz], [ny x ny], [nz x nz] (control/feedback/kalman.h)
  double *d_max;          // [nd] bounds of the disturbances, INFINITY: none [N or N m]
  const double *A,
      *B;      // [N x nx x nx], [N x nx x nu] its steps: the schedule's if no motor has a lag
  double *own; // storage for these if one has
  double *disturbing;      // [N x nz x nz] A with disturbances; NULL: none
  double *bound;           // [N x ny] gate sqrt(CPC' + V)_aa; NULL without a gate
  double *z, *next;        // [nz] estimate of the deviation and disturbances; scratch
  struct fb_filter *board; // the filter as it runs on board; z points to its estimate
  int *turns;              // [n] 1: an angle whose errors are taken modulo 2 pi
  double *x;               // [nx] the state
  double *v_d, *plan,
      *v; // [(N+1) x n] the plan's speeds; (q,p) [nx] of it when a reading was; scratch [n]
  fb_predictor predictor; // set by the caller; initially none
  bool
      drawn; // set by the caller: plants differ from the model as machines drawn from a fit do, and have no impulses
  double *acts, *x1; // [nu], [nx] for its step
  double *acting;    // [nu] disturbance of each input; NULL: none
  double *y;         // [ny] last encoder measurement
  bool by_time;      // of the run: z refers to the time t [s], else to the current knot
  double t, now;     // time of the last measurement; time of the call
  int sample;        // current sample: noise is drawn by (seed, sample)
} fb_estimator;

// Make the filter for a schedule of the system s.
//   failed  out: the knot at which this failed, or -1
// Returns DM_OK; DM_BAD_INPUT if nothing is measured, or for disturbances that outnumber the
// measurements, of late inputs, of motors with a lag, or of an input that drives no coordinate with impulses;
// DM_NOT_DEFINITE, DM_NOT_FINITE, DM_SINGULAR, DM_NO_MEMORY. On anything but DM_OK, *out is NULL
// and msg gives the reason.
dm_status fb_estimator_new(fb_estimator **out, const fb_tvlqr *f, const dm_system *s,
                           const fb_sensor_noise *set, int *failed, dm_message *msg);
void fb_estimator_free(fb_estimator *w);

// The sensor of a closed loop: encoder noise, an estimate, impulses. No allocation.
fb_sensor fb_estimator_sensor(fb_estimator *w);

// Whether a gate is set.
bool fb_estimator_gates(const fb_estimator *w);

// The encoder measurement at knot k of the current sample, with noise: y [ny] at the state x [nx].
void fb_estimator_read(const fb_estimator *w, int k, const double *x, double *y);

// Look for a mode that no measurement shows at step k, taken as an equilibrium, and that does not
// decay by itself: *state is the index [nz] of its dominant entry, or -1 if all unseen modes decay.
// Returns DM_OK, DM_NO_MEMORY, or DM_STALLED if the eigenvalues were not found.
dm_status fb_estimator_unseen(const fb_estimator *w, int k, int *state);

// The standard deviation of entry i [nz] of the estimate, before the measurement of knot k.
double fb_estimator_deviation(const fb_estimator *w, int k, int i);

// The largest standard deviation of a position (momentum: true: of a momentum) before the
// measurement of knot k; *coord is its coordinate.
double fb_estimator_spread(const fb_estimator *w, int k, int momentum, int *coord);

DM_END_C
#endif
