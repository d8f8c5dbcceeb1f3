// control/feedback/state_size.h: the sizes of states (q,p), which make matrices dimensionless.
//
//   x = S x^,  u = U u^     A^ = S^-1 A S,  B^ = S^-1 B U,  Q^ = S Q S,  P = S^-1 P^ S^-1,  K = U K^ S^-1
//
// S contains the characteristic values of q and p (lib/mechanics/scale.h) for a robot that moves
// over a given time; lengths are taken from the robot, not from its motion, which may be zero.
//
// Source: docs/theory.md section 8.
#ifndef FB_FEEDBACK_STATE_SIZE_H
#define FB_FEEDBACK_STATE_SIZE_H
#include "lib/mechanics/system.h"

DM_BEGIN_C

// Compute the sizes [2n] of the system's states at a configuration q [n], for a motion of `time` >
// 0 [s]: all > 0 and finite. Returns DM_OK or DM_NO_MEMORY. Allocates. Cost: L at q.
dm_status fb_state_size(double *size, const dm_system *s, const double *q, double time);

// X_ij <- row_i X_ij col_j [m x n], row-major. A symmetric matrix stays symmetric if row is col.
void fb_scale_entries(int m, int n, const double *row, const double *col, double *X);

DM_END_C
#endif
