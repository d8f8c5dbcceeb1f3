// control/feedback/state_size.h: the sizes of states (q,p), by which matrices in any units become numbers
// without one.
//
//   x = S x^,  u = U u^     A^ = S^-1 A S,  B^ = S^-1 B U,  Q^ = S Q S,  P = S^-1 P^ S^-1,  K = U K^ S^-1
//
// S has the characteristic numbers of q and p (lib/mechanics/scale.h) of a robot that moves for a time; a
// length is that of the robot, not of its motion, which may be none.
//
// Source: docs/theory.md section 8.
#ifndef FB_FEEDBACK_STATE_SIZE_H
#define FB_FEEDBACK_STATE_SIZE_H
#include "lib/mechanics/system.h"

DM_BEGIN_C

// The sizes [2n] of the system's states at a configuration q [n], in a motion of `time` > 0 [s]: all > 0 and
// finite. Returns DM_OK or DM_NO_MEMORY. Allocates. Cost: L at q.
dm_status fb_state_size(double *size, const dm_system *s, const double *q, double time);

// X_ij <- row_i X_ij col_j [m x n], row-major. Symmetric stays symmetric where row is col.
void fb_scale_entries(int m, int n, const double *row, const double *col, double *X);

DM_END_C
#endif
