// control/feedback/kept_states.h: states that a controller keeps beside the robot's, 0 on the plan.
//
//   z_k+1 = z_k + h (q - q_d)_k                integral of the error of a coordinate
//   m_k+1 = m_k + share (u - u_d - m)_k        torque of a motor with a lag, minus the plan's; share = 1 - exp(-h/lag)
//
// The mean torque of a step is held m + (1 - held)(u - u_d), held = lag/h share. For y = (dx, z, m):
//
//       [ A    0  B held  ]       [ B (1 - held) ]
//   y <-[ h E  1  0       ] y  +  [ 0            ] du      E selects the integrated coordinates
//       [ 0    0  1-share ]       [ share        ]
//
// Source: docs/theory.md sections 8 and 35.
#ifndef FB_FEEDBACK_KEPT_STATES_H
#define FB_FEEDBACK_KEPT_STATES_H
#include "lib/base/status.h"

#include <stddef.h>

DM_BEGIN_C

typedef struct fb_kept_states {
  int nx, nu, ni, nl; // states of the robot, inputs, integrals, motors with a lag
  double h;           // s
  int *integral;      // [ni] coordinates
  int *lagging;       // [nl] inputs
  double *share;      // [nl]
  const double *lag;  // [nu] s
} fb_kept_states;

// Count the states for weights of integrals [nx / 2] and lags [nu], NULL: none; then, with arrays, name them.
void fb_kept_states_count(fb_kept_states *w, const double *integral, const double *lag);
void fb_kept_states_fill(const fb_kept_states *w, const double *integral);

// A step's A_x [nx x nx], B_x [nx x nu] for all states: A [na x na], B [na x nu], na = nx + ni + nl.
// Does nothing if A is A_x. No allocation.
void fb_kept_states_extend(const fb_kept_states *w, const double *A_x, const double *B_x, double *A,
                           double *B);

// Split `rows` gains [na] on all states into those on x [nx] and on kept states [ni + nl], if that is not NULL. Does
// nothing without kept states.
void fb_kept_states_split(const fb_kept_states *w, size_t rows, const double *all, double *x,
                          double *kept);

// Gains for inputs that act one step late (control/feedback/delay.h), also on torques of motors; without integrals.
//   A, B    the robot's, of each step [N x nx x nx], [N x nx x nu]
//   K_end   at the last knot, on x [nu x nx], Ki_end on torques [nu x nl]; NULL: 0
//   K, Ki   in: at the knots [N x nu x nx], [N x nu x nl]; out: those of delayed inputs
//   W       out: on inputs under way [N x nu x nu]
// No allocation.
void fb_kept_states_delay(const fb_kept_states *w, int N, const double *A, const double *B,
                          const double *K_end, const double *Ki_end, double *K, double *Ki,
                          double *W);

// The sizes of kept states [ni + nl] for a motion of `time` [s], from those of x [nx]: a torque changes the state by
// its size in this time.
void fb_kept_states_size(const fb_kept_states *w, const double *B_x, double time, const double *x,
                         double *size);

// The spectral radius of the loop A_x - B_x K, with all states: K [nu x nx], Ki [nu x (ni + nl)], and W [nu x nu]
// for inputs that act one step late, or NULL. Returns DM_OK, DM_NO_MEMORY, or that of fb_dare_radius. Allocates.
dm_status fb_kept_states_radius(const fb_kept_states *w, const double *A_x, const double *B_x,
                                const double *K, const double *Ki, const double *W, double *radius);

DM_END_C
#endif
