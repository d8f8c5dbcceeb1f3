// control/onboard/onboard.h: the code that runs on a robot, as the library runs it.
//
// The files beside this one are C99 without a standard library; all their functions are static. The
// library compiles them in double and in single precision (library.inc), and an exported controller
// contains the same text: control/codegen/controller.c writes them, followed by the tables. Both
// therefore give the same bits, as long as products are not fused with sums.
//
//   types.inc     the numbers of a law and the memory of a run
//   horizon_types.inc   those of receding-horizon control
//   number.c      finite, whole turns
//   law.c         u = c - G (y - y_d), within limits
//   plan.c        between knots: cubic and line            positions.c  the same of two measurements
//   difference.c  velocities by differences
//   friction.c    dry friction of driven joints            motors.c     torque-speed lines
//   slew.c        rate limits                              envelope.c   when the law is lost
//   integral.c    integrals of errors                      lag.c        torques of motors with a lag
//   path.c        the nearest knot                         controller.c one call
//   orbit.c       the phase of an orbit
//   step.c        by the step                              timed.c      by time
//   phases.c      a task of several phases: only in exported controllers
//   filter.c      a Kalman filter                          encoders.c   one call with it
//   sine.c        sine and cosine                          tree.c       p = M(q) v of a tree
//   ball.c        ball joints: quaternions                 position.c   changes of positions
//   take.c        measured quaternions                     take_rates.c   and their rates
//   load.c        forces on bodies                         joint_friction.c  friction of joints
//   faced.c       with directions of the world             faced_slopes.c   and their derivatives
//   impulse.c     parts of D1, D2 of a step                action.c     D1, D2 of a step
//   past.c        p from two positions
//   map.c         a filter's prediction by the map
//   curvature.c   second derivatives of a tree            interval.c   A, B of a step
//   interval_room.c   its memory                          turned.c     of a step with ball joints
//   products.c    of a step and a sweep, with constant sizes
//   sweep.c       the problem of a horizon                horizon.c    receding-horizon control
//   reference.c   a reference by positions                asked.c      the reference of the caller
//   age.c         a state at another time
//   track.c       outputs that it tracks                  guided.c     their reference of the caller
//
// Source: docs/theory.md section 19.
#ifndef FB_ONBOARD_ONBOARD_H
#define FB_ONBOARD_ONBOARD_H
#include "lib/base/status.h"

#define real double
// clang-format off
#include "control/onboard/types.inc"
#include "control/onboard/horizon_types.inc"
// clang-format on
#undef real

DM_BEGIN_C

// The number of knots that a law by the path may advance in a step (path.c); the number of steps
// that an estimate may advance in one call; and the number of consecutive measurements that a gate
// leaves out before it accepts them (filter.c); and the number of steps over which a plan's input is
// averaged (timed.c); and the rounds of a step of the map (map.c); and the
// steepness of compensated friction at rest (friction.c); and the knots on either side of the last one among which a
// law on an orbit finds the nearest, and its steps of Newton's method from there (orbit.c).
enum {
  FB_MOST_KNOTS = 3,
  FB_MOST_PARTS = 64,
  FB_BELIEVED = 5,
  FB_MOST_HELD = 64,
  FB_ROUNDS = 8,
  FB_STEEP = 20,
  FB_NEARBY = 3,
  FB_SEARCHES = 2
};

// numbers of a joint in the working memory (tree.c), without and with ball joints in the tree
enum { FB_OF_JOINT = 17, FB_OF_BALLS = 20 };

// The time of a controller's call: step k, or time t [s] with a measurement made `age` [s] before,
// whose input will be held for `hold` [s].
typedef struct fb_call {
  int k;
  int timed;
  double t, age, hold;
} fb_call;

// A law's run in one precision; arguments and results are in double.
typedef struct fb_onboard fb_onboard;
typedef struct fb_horizon fb_horizon;
typedef struct fb_precision {
  // Make a run of a law: in double precision it reads the caller's tables, in single a rounded
  // copy. NULL: out of memory. Free it with dm_block_free.
  fb_onboard *(*make)(const tables *T);
  // Begin a new motion.
  void (*begin)(fb_onboard *o);
  // The phase of y [ny] on an orbit, in knots since the start of the first period, and y_d [ny] there.
  double (*phase)(fb_onboard *o, const double *y, double *y_d);
  // The plan for a call, except by the path: y_d [ny], c [nu].
  void (*plan)(fb_onboard *o, const fb_call *call, double *y_d, double *c);
  // Find v [nq] from measured positions q [nq] and those of the last call, by differences; k = 0
  // begins a run, with v of the plan.
  void (*differ)(fb_onboard *o, const fb_call *call, const double *q, double *v);
  // p [nq] by the tree of the tables: from measured q and v [nq]; or from q and q of a step before
  // [nq] and the forces between [inputs], of the plan in the first step.
  void (*momentum)(fb_onboard *o, const double *q, const double *v, double *p);
  void (*past)(fb_onboard *o, const fb_call *call, const double *q, const double *before,
               const double *force, double *p);
  // Compute u [nu] from y [ny] and the measured v [nq], minus the input disturbances
  // [nu] (NULL: none). Returns 1 if the law is lost.
  int (*decide)(fb_onboard *o, const fb_call *call, const double *y, const double *v,
                const double *acting, double *u);
  // Compute u [nu] with the filter, from encoder measurements [ne] and the input under way [nu], if
  // inputs are late. Returns 1 if the law is lost.
  int (*read)(fb_onboard *o, const fb_call *call, const double *encoder, const double *under,
              double *u);
  // Report the last u as it was applied [nu].
  void (*apply)(fb_onboard *o, const double *u);
  // Advance the integrals z [ni] to the next call, with the last call's measurement and the applied input.
  void (*integrate)(fb_onboard *o, double *z);
  // Advance torques of motors m [nl] over the step of the last call, under the input u [nu] applied in it.
  void (*follow)(fb_onboard *o, const double *u, double *m);
  // How close y of the last call is to leaving the envelope: max |q - q_d| / bound, and x'P x (0:
  // unknown).
  void (*reach)(const fb_onboard *o, double *bound, double *cost);
  // The knot whose gains acted.
  int (*knot)(const fb_onboard *o);
  // Make a run of receding-horizon control by the law T of the state (its tree makes steps), and W.
  // NULL: out of memory. Free it with dm_block_free.
  fb_horizon *(*make_horizon)(const tables *T, const horizon_tables *W);
} fb_precision;

struct fb_onboard {
  const fb_precision *by;
};

// How a call of the receding horizon ended: solved; its sweeps were used up; by the law of the knot,
// because a number was not finite or a stage had no minimum; or solved, but the caller's reference
// is beyond the limits, so that the robot comes as near to it as they allow.
typedef enum fb_horizon_end { FB_SOLVED, FB_SWEPT, FB_FELL_BACK, FB_UNREACHED } fb_horizon_end;

// The measurements of a robot: its position q, and momenta, velocities, or a position one step before with the
// forces between. All except forces have four numbers per ball joint, as quaternions.
typedef enum fb_horizon_sight { FB_SEES_MOMENTA, FB_SEES_SPEEDS, FB_SEES_BEFORE } fb_horizon_sight;
typedef struct fb_horizon_view {
  fb_horizon_sight what;
  const double *q, *second; // [n + balls]
  const double *force;      // [inputs]
} fb_horizon_view;

// Receding-horizon control in one precision; arguments and results are in double. A state x of a tree with
// n coordinates has a position on board (control/onboard/ball.c) [n + balls] and momenta [n].
struct fb_horizon {
  // Begin a new motion.
  void (*begin)(fb_horizon *o);
  // Before the measurement of knot k: the linear problem and its gains. Optional.
  void (*prepare)(fb_horizon *o, int k);
  // u [nu] of knot k from its state x, within limits; *sweeps, which may be NULL: how
  // many backward sweeps it took. Near the reference, a second call for a knot improves
  // the motion of the first.
  fb_horizon_end (*input)(fb_horizon *o, int k, const double *x, double *u, int *sweeps);
  // The same from x that was measured `age` [s] before knot k, from -1 to 4 steps: the map moves it
  // there, under the inputs that were given.
  fb_horizon_end (*input_at)(fb_horizon *o, int k, double age, const double *x, double *u,
                             int *sweeps);
  // Set the reference, if the caller may: positions q [count x (n + balls)] of knots k, k + 1, ...; then rest.
  // Positions that are not finite leave it as it was.
  void (*ask)(fb_horizon *o, int k, int count, const double *q);
  // The same of the outputs that it tracks: y [count x rows] of knots k, k + 1, ...; the last row goes on.
  void (*guide)(fb_horizon *o, int k, int count, const double *y);
  // The motion of the last call: its number of stages; q [n + balls] on board and u [nu] at stage j.
  int (*stages)(const fb_horizon *o);
  void (*stage)(const fb_horizon *o, int j, double *q, double *u);
  // The state x of a measurement at a call.
  void (*measure)(fb_horizon *o, const fb_call *call, const fb_horizon_view *of, double *x);
};

extern const fb_precision fb_precision_double, fb_precision_single;
extern const fb_precision fb_precision_double_balls,
    fb_precision_single_balls; // of trees with ball joints

// A filter in double precision (control/onboard/filter.c), along the knots of its tables u_d, A, B,
// L, gate.
typedef struct fb_filter fb_filter;

fb_filter *fb_filter_new(const tables *T); // NULL: out of memory
void fb_filter_free(fb_filter *w);         // NULL is accepted
// Begin a new motion: only the plan is known.
void fb_filter_begin(fb_filter *w);
// The estimate [nz], which may be modified.
double *fb_filter_estimate(fb_filter *w);
// Correct it with encoder measurements [ne] and the plan y_d [nx] at that time, with the gains of
// step k.
void fb_filter_correct(fb_filter *w, int k, const double *y_d, const double *encoder);
// Its prediction after step k under u [nu], into next [nx]; set the estimate to a prediction [nx].
void fb_filter_predict(fb_filter *w, int k, const double *u, double *next);
void fb_filter_keep(fb_filter *w, const double *next);
// Advance z [nz] from one time to another under the applied inputs; u [nu] acts from time t on.
void fb_filter_advance(fb_filter *w, double from, double to, double *z);
void fb_filter_apply(fb_filter *w, double t, const double *u);
// Whether an input was applied.
int fb_filter_has_input(const fb_filter *w);

// The mechanics of a tree (control/onboard/tree.c, impulse.c, map.c), with room for 8 n + 17 joints
// numbers: p [n] of q, v; D1, D2 [n] of a step from q0 to q1 under u; the step of the map from x [2n]
// under u with A [2n x 2n] of the plan. On entry x1 [2n] holds the linear prediction.
void fb_onboard_momenta(const tree_tables *M, const double *q, const double *v, double *room,
                        double *p);
void fb_onboard_impulses(const tree_tables *M, const double *q0, const double *q1, const double *u,
                         double *room, double *D1, double *D2);
void fb_onboard_map_step(const tree_tables *M, const double *x, const double *u, const double *A,
                         double *room, double *x1);

// A [2n x 2n], B [2n x inputs], c [2n] of the step from q0, p0 to q1 under u, and p1 = D2 [n]
// (control/onboard/interval.c). Returns DM_OK or DM_NO_MEMORY; allocates scratch.
dm_status fb_onboard_linearize(const tree_tables *M, const double *q0, const double *p0,
                               const double *q1, const double *u, double *A, double *B, double *c,
                               double *p1);

// y [(count + 1) x (places + n)], on board, and u [count x inputs] of a reference by positions q [count x
// places], as they are measured, then rest (control/onboard/reference.c); places: n, and one for each ball
// joint; R [inputs] > 0: weights of inputs. Returns DM_OK or DM_NO_MEMORY; allocates scratch.
dm_status fb_onboard_reference(const tree_tables *M, const double *R, int count, const double *q,
                               double *y, double *u);

// The same functions for trees with ball joints, which the ones above call; and the position q [n + balls] on
// board of a position x [n + balls] whose quaternions are (w,x,y,z) in the order of coordinates; and v [n] at it
// of rates or momenta x, of ball joints scale vec(conj(q) x) (control/onboard/take.c, take_rates.c). room:
// n + balls numbers.
typedef struct fb_ball_code {
  dm_status (*linearize)(const tree_tables *M, const double *q0, const double *p0, const double *q1,
                         const double *u, double *A, double *B, double *c, double *p1);
  dm_status (*reference)(const tree_tables *M, const double *R, int count, const double *q,
                         double *y, double *u);
  void (*impulses)(const tree_tables *M, const double *q0, const double *q1, const double *u,
                   double *room, double *D1, double *D2);
  void (*outputs)(const tree_tables *M, const struct track_tables *Y, const double *q, double *room,
                  double *y, double *D);
  void (*take)(const tree_tables *M, const double *x, double *q);
  void (*take_rates)(const tree_tables *M, double scale, const double *q, const double *x,
                     double *room, double *v);
} fb_ball_code;
extern const fb_ball_code fb_balls;

// y [rows] of the outputs Y at q, and their derivatives D [rows x n] (control/onboard/track.c), with
// room for 12 numbers for each joint.
void fb_onboard_outputs(const tree_tables *M, const struct track_tables *Y, const double *q,
                        double *room, double *y, double *D);

// The knot of a plan of N steps h before time t, and the remaining fraction of a step; q [n] and
// its rate v between two knots (control/onboard/plan.c).
int fb_onboard_knot(int N, double h, double t, double *share);
void fb_onboard_cubic(int n, double h, double s, const double *q0, const double *v0,
                      const double *q1, const double *v1, double *q, double *v);

DM_END_C
#endif
