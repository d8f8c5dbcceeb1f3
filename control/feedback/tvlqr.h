// control/feedback/tvlqr.h: the time-varying linear-quadratic regulator along a motion of the map:
// a schedule of gains, in x = (q,p).
//
//   minimize  sum_k (dx_k'Q_k dx_k + du_k'R du_k) + dx_N'Qf dx_N,  dx_k+1 = A_k dx_k + B_k du_k
//
//   u_k = u_d,k - K_k (x_k - x_d,k)
//
// A_k, B_k are the exact derivatives of the discrete map (lib/discrete/linearize.h), K the gains of
// the Riccati recursion (control/feedback/riccati.h). Of a system with constraints they are those
// of the deviations that keep them: K (dq,dp) does not see what dq has off the constraints
// (control/feedback/constraint_tangent.h), nor what dp has along them.
//
// Q_k is a diagonal and, where the weights have one, what a knot adds to it
// (control/feedback/knot_weight.h); so is Qf.
//
// Of a periodic motion that is repeated for ever Qf is P of its first knot, the solution of the
// periodic Riccati equation that the recursion tends to over period after period; K_0 .. K_(N-1) then
// serve each.
//
// With integrals z of some of the errors the recursion is that of (dx, z): at rest no error of
// these coordinates is left, whatever constant force the model does not know.
//
// Source: docs/theory.md section 8; paper 001, section III.
#ifndef FB_FEEDBACK_TVLQR_H
#define FB_FEEDBACK_TVLQR_H
#include "control/feedback/envelope.h"
#include "control/feedback/knot_weight.h"
#include "control/feedback/riccati.h"
#include "control/feedback/sensor.h"
#include "lib/discrete/trajectory.h"

#include <stdbool.h>

DM_BEGIN_C

typedef struct fb_weights {
  const double *Q;  // [2n] diagonal, of (q,p), >= 0
  const double *R;  // [nu] diagonal, > 0
  const double *Qf; // [2n] diagonal; NULL: the steady solution (control/feedback/dare.h) of Q and R
                    // at the last knot's configuration, taken as a place of rest; of a periodic
                    // motion P of its first knot
  const fb_knot_weight *Q_at, *Qf_at; // added to Q at each knot, to Qf at the last; NULL: nothing
  const char *const *name; // [n] of the coordinates, for messages; NULL: they are numbered
  int rest; // steps at the end in which the motion rests: they have the steady gain, and Qf is not
            // read
  bool periodic;          // the motion ends as it began and goes on so: P_N = P_0, where Qf is NULL
  bool idle;              // a motion without inputs, with Qf, has a cost-to-go P and no gains
  int delay;              // steps between an input's decision and its start: 0 or 1
  const double *integral; // [n] of the integral of each q's error, 0: none; NULL: of none. Without
                          // a delay                             per (m s)2 or (rad s)2
} fb_weights;

// What decides in the place of the law above; it belongs to one thread.
typedef struct fb_controller {
  void *self;
  // The input of step k at the plant's state x [nx], asked for in turn; k = 0 begins a run.
  //   u  in: what was applied in the step before [nu] (at k = 0: anything); out: wanted now
  // On anything but DM_OK the run ends.
  dm_status (*input)(void *self, int k, const double *x, double *u);
  // Optional; before `input`, where that is asked off its knot: it is asked at time t [s] of a state that
  // is, or was measured, age [s] old.
  void (*date)(void *self, double t, double age);
  // Optional; after `date`, where the last measurement is not of a step before the next one: what would
  // have been measured then, (q,p) [nx].
  void (*look_back)(void *self, const double *x);
} fb_controller;

typedef struct fb_tvlqr {
  int N, nx, nu; // steps; 2n states; inputs
  int late;      // steps from an input's decision to its start: 0 or 1
  double h;      // s
  double *x;     // [(N+1) x nx] desired (q,p)
  double *u;     // [N x nu]     desired inputs
  double *K;     // [N x nu x nx]; NULL in a copy: no feedback
  double *A, *B; // [N x nx x nx], [N x nx x nu] the linearization the gains came from; A restricted
                 // to deviations that keep the constraints
  double *P;     // [(N+1) x nx x nx] dx'P dx: what is left to pay at a knot, inputs being in time
  bool
      continuous; // what is measured is of a continuous motion, as the caller says; else of the map
  int ni;         // errors that are integrated: z_k+1 = z_k + h (q - q_d)_k of these coordinates
  int *integral;  // [ni]
  double *Ki;     // [N x nu x ni] u = u_d - K dx - Ki z; K, P are those of dx beside z
  double *W; // [N x nu x nu] where inputs are a step late (control/feedback/delay.h): then K and W
             // at k are of the input of step k + 1; else NULL
  const bool *turns; // borrowed [nx / 2]: angles of which a turn more is no error
                     // (control/feedback/full_turn.h); NULL: none
  // borrowed [nu]: what a law in what is measured gives changes by no more, per s; INFINITY, NULL: by
  // anything (control/feedback/rate_limit.h)
  const double *rate_limit;
  // borrowed [nx]: weights of (q,p) by which such a law finds the knot that it acts by, the nearest;
  // NULL: it acts by time
  const double *path;
  const fb_envelope *envelope;   // borrowed: where a law in what is measured acts; NULL: everywhere
  const fb_excursion *excursion; // out: of the run under way, where there is an envelope
  const fb_controller *by;       // what runs in place of u_d - K dx; NULL: that
  const fb_sensor *sensor;       // borrowed: through which a loop sees the state; NULL: as it is
} fb_tvlqr;

// Linearize a trajectory at every knot and sweep for its gains, or solve for the steady one.
//   x        a motion of the system s, with momenta; copied
//   weights  NULL: linearize alone, K and P are zero
//   failed   out: the knot at which a linearization or the sweep failed (N: the steady solution, or
//            the periodic one),
//            or -1
// Returns DM_OK; DM_SINGULAR, DM_NOT_DEFINITE or DM_NOT_FINITE at a knot; DM_MAX_ITER where Qf has
// no steady solution at the goal: a motion that no input steers, or no weight sees, and that does
// not decay; DM_BAD_INPUT without inputs or steps; DM_NO_MEMORY. On anything but DM_OK *out is NULL
// and msg says why and at which knot. Cost: a linearization and a stage of the recursion a step.
dm_status fb_tvlqr_new(fb_tvlqr **out, const dm_trajectory *x, const dm_system *s,
                       const fb_weights *weights, int *failed, dm_message *msg);
void fb_tvlqr_free(fb_tvlqr *f);

// u_d - K dx [nu] at knot k for the state x = (q,p) [nx], without limits and integrals.
void fb_tvlqr_input(const fb_tvlqr *f, int k, const double *x, double *u);

DM_END_C
#endif
