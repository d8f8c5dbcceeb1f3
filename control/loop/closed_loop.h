// control/loop/closed_loop.h: a plant under a schedule of gains, or another controller, with input
// limits.
//
//   for k = 0 .. N-1:   y   = the sensor's measurement of x_k, or x_k itself
//                       u_k = u_d,k - K_k (y - x_d,k), or the controller's output
//                       u_k <- u_k cut to [u_min, u_max]
//                       x_k+1 = the plant's step under u_k cut to its motors' limits, disturbed by
//                               the sensor
//
// The law and its sensor are not told about the motors' cut: they are evaluated as if u_k acted.
//
// The sensor belongs to the schedule (control/feedback/sensor.h); the caller must have called its
// `begin`.
//
// Errors are plain differences: q is not wrapped, so a joint one revolution too far has an error of
// 2 pi.
#ifndef FB_LOOP_CLOSED_LOOP_H
#define FB_LOOP_CLOSED_LOOP_H
#include "control/feedback/tvlqr.h"
#include "control/loop/plant.h"

DM_BEGIN_C

typedef struct fb_closed_loop_result {
  int steps;          // taken before the plant failed; N if it did not
  double final_error; // max |x_N - x_d,N| over the states (q,p), each divided by its scale
  double worst_error; // the same over all knots; both INFINITY if the plant failed
  int saturated;      // knots at which an input was at a limit of the law or the motors
} fb_closed_loop_result;

// Run the closed loop from x0 [nx], which may alias x.
//   u_min, u_max  limits [nu] (NULL: none)
//   scale         size of an error of 1 in each state [nx], > 0; NULL: 1
//   x, u          out: the states [(N+1) x nx] and the law's inputs [N x nu], filled up to the step
//                 that failed; NULL: not kept
// Returns DM_OK, or the status of the plant's step or the controller (result->steps says where);
// DM_NOT_FINITE if the state is not finite; DM_NO_MEMORY. Allocates one row, only if x or u is NULL
// or the plant has motor limits. Cost: the plant's steps.
dm_status fb_closed_loop_run(const fb_tvlqr *f, const fb_plant *plant, const double *x0,
                             const double *u_min, const double *u_max, const double *scale,
                             double *x, double *u, fb_closed_loop_result *result);

// Find a start state at a given deviation from another state.
//   y  in: the other (q,v) [2n]; out: the start, on the constraints (lib/discrete/assembly.h), with its closed gaps
//      closed and no other violated (control/loop/contact_start.h)
//   d  in: the deviation [2n]; its part in v is projected along the constraints at the new q. The
//      component of v itself across them, which D2 of a step has, stays: it does not change the
//      motion
//   x  out: the start (q,p) [2n]
// c belongs to the same system. Returns DM_OK, or the status of the projection or the momentum.
dm_status fb_closed_loop_start(const dm_system *s, dm_continuous *c, double *d, double *y,
                               double *x);

// The same from a state x (q,p) [2n] with a deviation d [2n] in (q,v): the start is x0 (q,p) [2n].
// Returns as above, or DM_NO_MEMORY. Allocates its own scratch.
dm_status fb_closed_loop_offset(const dm_system *s, const double *x, const double *d, double *x0);

// The largest |x - x_d| divided by its scale [n] (NULL: 1), NAN if an entry is; worst, which may be
// NULL, receives its index.
double fb_closed_loop_error(int n, const double *x, const double *x_d, const double *scale,
                            int *worst);

DM_END_C
#endif
