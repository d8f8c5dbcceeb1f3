// lib/multibody/drive_limits.h: limits of motors, by input: torque-speed lines, rates, lags.
//
// A motor at a constant supply loses torque as it turns, by its own voltage:
//
//   |u + slope v| <= stall      slope = stall / (speed without load)
//
// that is u <= stall (1 - v/v0) forwards and u >= -stall (1 + v/v0) backwards. All values are on the
// joint's side of the gear.
//
// A motor with a lag follows its command c, lag u' = c - u. The command for planned torques u_k, each
// constant over a step of length h, is that of their differences,
//
//   c_k = u_k + lag (u_b - u_a) / ((b - a) h)      a, b = k-1, k+1; one-sided at the ends
//
// Source: docs/theory.md section 35.
#ifndef DM_MULTIBODY_DRIVE_LIMITS_H
#define DM_MULTIBODY_DRIVE_LIMITS_H
#include "lib/mechanics/function.h"

DM_BEGIN_C

typedef struct dm_drive_limits {
  int n;                    // inputs; 0: no motor has this limit
  int nq;                   // coordinates
  const int *coord;         // [n] the coordinate on which the input acts
  const double *stall;      // [n] INFINITY: no line                         [N or N m]
  const double *slope;      // [n] 0: no line                                [N s/m or N m s/rad]
  const double *rate;       // [n] largest rate; INFINITY: any               [N/s or N m/s]
  const double *lag;        // [n] time constant; 0: none                    [s]
  const double *low, *high; // [n] limits of the torque; infinite: none      [N or N m]
  const char *const *name;  // [n] of its line, for messages
} dm_drive_limits;

// Cut u [n] to the lines at the speeds v of the coordinates. Returns true if an input was cut.
bool dm_drive_limits_cut(const dm_drive_limits *d, const double *v, double *u);

// Move the torque m of motor i under the command c over `time` > 0 [s]: it goes to c, within the limits, at
// most at its rate, by lag m' = c - m. Returns the mean torque of this time.
double dm_drive_limits_move(const dm_drive_limits *d, int i, double c, double time, double *m);

// A step under the inputs u: fills v [nq], the mean speed of each coordinate. Returns a status.
typedef dm_status (*dm_drive_trial)(void *self, const double *u, double *v);

// Find u [n] = cut(wanted, v(u)) by relaxation of Irons and Tuck; the last trial is that of u. scratch [2 n + nq].
// Returns DM_OK, DM_MAX_ITER, or the status of a trial. Cost: one trial within the lines, else about five.
dm_status dm_drive_limits_solve(const dm_drive_limits *d, const double *wanted, double *u,
                                double *scratch, dm_drive_trial trial, void *self);

// Does a motor have a torque-speed line?
bool dm_drive_limits_lines(const dm_drive_limits *d);

// Does a motor have a lag?
bool dm_drive_limits_lags(const dm_drive_limits *d);

// The steps whose difference gives the rate of an input in step k of N: at[0] <= k <= at[1].
// circular: after the last step comes the first. Returns their distance, 0 for a single step.
int dm_drive_neighbours(int N, int k, bool circular, int at[2]);

// The command c_k of an input [N x stride] with a lag, and its planned torque at knot k, the mean of
// the steps beside it (at the ends extrapolated).
double dm_drive_command(int N, const double *u, int stride, int k, bool circular, double lag,
                        double h);
double dm_drive_torque_at(int N, const double *u, int stride, int k);

// The sums u + slope v as a function of (v,u), row i of input i; d must outlive it.
dm_function dm_drive_limits_function(const dm_drive_limits *d);

DM_END_C
#endif
