// control/feedback/tvlqr.h: the time-varying linear-quadratic regulator along a motion of the map:
// a schedule of gains, in x = (q,p).
//
//   minimize  sum_k w_k (dx_k'Q_k dx_k + du_k'R du_k) + dx_N'Qf dx_N,  dx_k+1 = A_k dx_k + B_k du_k
//
//   u_k = u_d,k - K_k (x_k - x_d,k)
//
// with w_k = h_k / h, 1 if all steps are equal.
//
// A_k, B_k are the exact derivatives of the discrete map (lib/discrete/linearize.h), K the gains of
// the Riccati recursion (control/feedback/riccati.h). For a system with constraints, they are
// restricted to deviations that satisfy the constraints: K (dq,dp) ignores the component of dq off
// the constraints (control/feedback/constraint_tangent.h), and the component of dp along them.
//
// Q_k is a diagonal and, if the weights have one, a knot weight (control/feedback/knot_weight.h);
// likewise Qf.
//
// For a periodic motion that is repeated indefinitely, Qf is P at its first knot, the solution of
// the periodic Riccati equation, to which the recursion converges over the periods; K_0 .. K_(N-1)
// then apply in each period.
//
// The recursion also has the states that the controller keeps (control/feedback/kept_states.h). With integrals of
// some errors, these coordinates have at rest no steady-state error under any constant force that the model does
// not include. If motors have a lag, u_k are their commands, and their torques are states.
//
// Source: docs/theory.md section 8; paper 001, section III.
#ifndef FB_FEEDBACK_TVLQR_H
#define FB_FEEDBACK_TVLQR_H
#include "control/feedback/envelope.h"
#include "control/feedback/friction.h"
#include "control/feedback/knot_weight.h"
#include "control/feedback/riccati.h"
#include "control/feedback/sensor.h"
#include "lib/discrete/trajectory.h"
#include "lib/multibody/drive_limits.h"

#include <stdbool.h>

DM_BEGIN_C

struct tree_tables;

typedef struct fb_weights {
  const double *Q; // [2n] diagonal, for (q,p), >= 0
  const double *R; // [nu] diagonal, > 0
  // [2n] diagonal; NULL: the steady solution (control/feedback/dare.h) with Q and R at the last
  // knot's configuration, taken as an equilibrium; for a periodic motion, P at its first knot
  const double *Qf;
  const fb_knot_weight *Q_at, *Qf_at; // added to Q at each knot, to Qf at the last; NULL: nothing
  const char *const *name;            // [n] of the coordinates, for messages; NULL: numbered
  int rest; // steps of rest at the end of the motion: they have the steady gain, and Qf is not read
  bool periodic; // the motion is periodic and repeated: P_N = P_0, if Qf is NULL
  // [nx] weights of (q,p): gains across the orbit of the periodic motion (control/feedback/across.h), whose
  // sections they define; NULL: by time. Not with a delay, kept states or unequal steps
  const double *orbit;
  bool idle;              // a motion without inputs, with Qf, has a cost-to-go P and no gains
  int delay;              // steps between an input's decision and its start: 0 or 1
  const double *integral; // [n] weight of the integral of each q's error, 0: none; NULL: no
                          // integrals. Not with a delay [per (m s)2 or (rad s)2]
  // [nu] lags of motors, 0: none; NULL: no motor has one [s]
  const double *lag;
  const fb_friction *friction; // dry friction that the law compensates: its joints slide in the
                               // linearization, also where they stick in the plan; NULL: none
} fb_weights;

// What receding-horizon control did in a run (control/feedback/receding.h).
typedef struct fb_horizon_record {
  int calls;
  int sweeps;    // backward sweeps of all calls
  int most;      // of one call
  int swept;     // calls whose sweeps were used up
  int fell_back; // calls answered by the law of the knot
} fb_horizon_record;

// A controller that replaces the law above; it belongs to one thread.
typedef struct fb_controller {
  void *self;
  // The input of step k at the plant's state x [nx], called in sequence; k = 0 begins a run.
  //   u  in: the input applied in the previous step [nu] (at k = 0: anything); out: the new input
  // On anything but DM_OK the run ends.
  dm_status (*input)(void *self, int k, const double *x, double *u);
  // Optional, called before `input` if it runs off its knot: it runs at time t [s], with a state
  // that is, or was measured, age [s] old.
  void (*date)(void *self, double t, double age);
  // Optional, called after `date` if the last measurement is not one step before the next one: the
  // measurement that would have been made then, (q,p) [nx].
  void (*look_back)(void *self, const double *x);
} fb_controller;

typedef struct fb_tvlqr {
  int N, nx, nu; // steps; 2n states; inputs
  int late;      // steps from an input's decision to its start: 0 or 1
  double h;      // mean step, s
  double *x;     // [(N+1) x nx] desired (q,p)
  double *u;     // [N x nu]     desired inputs; of motors with a lag the commands for them
  double *K;     // [N x nu x nx]; NULL in a copy: no feedback
  double *A, *B; // [N x nx x nx], [N x nx x nu] the linearization that gave the gains; A is
                 // restricted to deviations that satisfy the constraints
  double *P;     // [(N+1) x nx x nx] dx'P dx: the cost-to-go at a knot for undelayed inputs
  int weighed;   // rows of Q: 1, N + 1, or 0 where there are no weights, or kept states
  double *Q, *R; // [weighed x nx x nx], [nu] the weights that gave the gains
  bool
      continuous; // measurements are those of a continuous motion, as set by the caller; else those
                  // of the map
  int ni, nl;     // kept states: integrals of errors, then torques of motors with a lag
  int *integral;  // [ni] the coordinates
  int *lagging;   // [nl] the inputs
  double *share;  // [nl] of the way to its command that a motor goes in a step
  double *Ki;     // [N x nu x (ni + nl)] u = u_d - K dx - Ki (z, m); K, P belong to dx
  double *W; // [N x nu x nu] if inputs are a step late (control/feedback/delay.h): then K and W at
             // k define the input of step k + 1; else NULL
  const bool *turns; // borrowed [nx / 2]: angles whose errors are taken modulo 2 pi
                     // (control/feedback/full_turn.h); NULL: none
  // borrowed [nu]: maximum rate of the inputs of a law on measurements, per s; INFINITY,
  // NULL: unlimited (control/feedback/rate_limit.h)
  const double *rate_limit;
  // borrowed [nx]: weights of (q,p) that define the nearest knot for this law; NULL: it acts by
  // time
  const double *path;
  // of a law on an orbit (control/feedback/across.h): slopes by the knot [sections x nx], [N x nu], and sections
  // [sections x nx]
  int sections; // N + 1; 0: it is not on an orbit
  double *slope, *slope_u, *section;
  const struct tree_tables *tree; // borrowed: the mechanics by which exact laws compute p on board
                                  // (control/feedback/mechanics.h); NULL: by the system's
  const fb_friction *friction;    // borrowed: dry friction that a law on measured velocities
                                  // compensates; NULL: none
  const dm_drive_limits *drives;  // borrowed: torque-speed lines, to which a law on velocities cuts
                                  // its input; NULL: none
  // borrowed [nu] lags of motors, whose outputs begin at `motor`, that of the plan [nu]; NULL: none
  const double *lag;
  double *motor;
  const fb_envelope *envelope;       // borrowed: where this law acts; NULL: everywhere
  const fb_excursion *excursion;     // out: of the current run, if there is an envelope
  const fb_horizon_record *horizons; // out: of the current run, of receding-horizon control
  const fb_controller *by;           // replaces u_d - K dx; NULL: not replaced
  const fb_sensor *sensor;           // borrowed: through which a loop measures the state; NULL:
                                     // directly
  // [N+1] times of the knots in mean steps; NULL: equal steps. Loops and exports have equal steps, by
  // control/feedback/resample.h
  double *grid;
} fb_tvlqr;

// Linearize a trajectory at every knot and compute its gains, or solve for the steady gain.
//   x        a motion of the system s, with momenta; copied
//   weights  NULL: only linearize, K and P are zero
//   failed   out: the knot at which a linearization or the sweep failed (N: the steady or the
//            periodic solution), or -1
// Returns DM_OK; DM_SINGULAR, DM_NOT_DEFINITE or DM_NOT_FINITE at a knot; DM_MAX_ITER if Qf has no
// steady solution at the goal: a mode does not decay, and no input steers it or no weight sees it;
// DM_BAD_INPUT without inputs or steps; DM_NO_MEMORY. On anything but DM_OK *out is NULL and msg
// gives the reason and the knot. Cost per step: a linearization and a stage of the recursion.
dm_status fb_tvlqr_new(fb_tvlqr **out, const dm_trajectory *x, const dm_system *s,
                       const fb_weights *weights, int *failed, dm_message *msg);
void fb_tvlqr_free(fb_tvlqr *f);

// The spectral radius of a step at the first knot, without and with feedback, of all states of the loop.
// Returns DM_OK or DM_NO_MEMORY. Allocates.
dm_status fb_tvlqr_radius(const fb_tvlqr *f, double radius[2]);

// u_d - K dx [nu] at knot k for the state x = (q,p) [nx], without limits and integrals.
void fb_tvlqr_input(const fb_tvlqr *f, int k, const double *x, double *u);

DM_END_C
#endif
