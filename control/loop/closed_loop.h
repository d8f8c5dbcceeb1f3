// control/loop/closed_loop.h: a plant under a schedule of gains, or what decides in its place, with
// input limits.
//
//   for k = 0 .. N-1:   y   = what the sensor shows of x_k, or x_k itself
//                       u_k = u_d,k - K_k (y - x_d,k), or what the controller decides
//                       u_k <- u_k cut to [u_min, u_max]
//                       x_k+1 = the plant's step under u_k cut to what its motors give, disturbed as
//                               the sensor says
//
// What its motors do not give the law is not told: it is asked, and its sensor is, as if u_k acted.
//
// The sensor is the schedule's sensor (control/feedback/sensor.h), of which the caller has called
// `begin`.
//
// Errors are plain differences: q is not wrapped, so that a joint one turn too far is 2 pi off.
#ifndef FB_LOOP_CLOSED_LOOP_H
#define FB_LOOP_CLOSED_LOOP_H
#include "control/feedback/tvlqr.h"
#include "control/loop/plant.h"

DM_BEGIN_C

typedef struct fb_closed_loop_result {
  int steps;          // taken before the plant failed; N where it did not
  double final_error; // max |x_N - x_d,N| over the states (q,p), each over its scale
  double worst_error; // the same, over all knots; both INFINITY where the plant failed
  int saturated;      // knots at which an input was at a limit, of the law or of the motors
} fb_closed_loop_result;

// Run the closed loop from x0 [nx], which may be x.
//   u_min, u_max  limits [nu] (NULL: none)
//   scale         what counts as an error of 1 in each state [nx], > 0; NULL: 1
//   x, u          out: the states [(N+1) x nx] and the law's inputs [N x nu], filled as far as the
//                 plant went; NULL: not kept
// Returns DM_OK, or what the plant's step or the controller returned (result->steps says where);
// DM_NOT_FINITE where the state left the finite numbers; DM_NO_MEMORY. Allocates only where x or u
// is NULL, or the plant has limits: one row. Cost: the plant's steps.
dm_status fb_closed_loop_run(const fb_tvlqr *f, const fb_plant *plant, const double *x0,
                             const double *u_min, const double *u_max, const double *scale,
                             double *x, double *u, fb_closed_loop_result *result);

// Find a state to start from, a deviation away from another.
//   y  in: that other (q,v) [2n]; out: the start's, on the constraints (lib/discrete/assembly.h)
//   d  in: the deviation [2n]; its part in v is brought along the constraints at the new q. What v
//      itself has across them, as D2 of a step has, stays: it does not change the motion
//   x  out: the start (q,p) [2n]
// c is of the same system. Returns DM_OK, or what the bringing or the momentum failed with.
dm_status fb_closed_loop_start(const dm_system *s, dm_continuous *c, double *d, double *y,
                               double *x);

// The same from a state x (q,p) [2n], off by d [2n] in (q,v): the start is x0 (q,p) [2n]. Returns
// as above, or DM_NO_MEMORY. Allocates its own scratch.
dm_status fb_closed_loop_offset(const dm_system *s, const double *x, const double *d, double *x0);

// The largest |x - x_d| over its scale [n] (NULL: 1), NAN where one is; worst, which may be NULL,
// is its index.
double fb_closed_loop_error(int n, const double *x, const double *x_d, const double *scale,
                            int *worst);

DM_END_C
#endif
