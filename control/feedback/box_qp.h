// control/feedback/box_qp.h: the inputs of one stage under bounds: a small quadratic program.
//
//   minimize  v'Hv/2 + v'Y x   at the state x = (0,..,0,1),   lo <= v <= hi
//
// and, for the inputs that are free at its solution, the gains of v = -K x around it.
//
// Source: Bertsekas' projected Newton method [bertsekas-1982]; its use in a backward sweep
// [tassa-2014], docs/sources.md.
#ifndef FB_FEEDBACK_BOX_QP_H
#define FB_FEEDBACK_BOX_QP_H
#include "lib/base/block.h"

#include <stdbool.h>

typedef struct fb_box_qp {
  int nx, nu;
  double *H;         // [nu x nu] symmetric
  double *HK;        // [nu x nx] H K, after fb_box_qp_gains
  double *L;         // [nu x nu] Cholesky factor of H's free part, lower triangle
  double *v;         // [nu] the minimizer
  double *g;         // [nu] H v + Y x there
  bool *free;        // [nu] not at an active bound
  double *d, *trial; // [nu] scratch
} fb_box_qp;

// Lay out for nx states and nu inputs in a block (lib/base/block.h).
void fb_box_qp_lay_out(fb_box_qp *w, int nx, int nu, dm_block *b);

// Set H from the upper triangle of G, rows ld apart. Returns DM_OK; DM_NOT_DEFINITE if an
// eigenvalue of the scaled H (inputs divided by scale [nu], NULL: 1) is not above floor [>= 0] or a
// pivot in the elimination of H - floor is not above nu eps times the diagonal; DM_NOT_FINITE.
dm_status fb_box_qp_set(fb_box_qp *w, const double *G, int ld, double floor, const double *scale);

// After fb_box_qp_set: compute the gains from Y.
//   Y       [nu x nx, rows ld apart]
//   lo, hi  [nu] bounds, may be infinite, lo <= hi
//   K       out: [nu x nx]; its last column is -v; the other entries are 0 if an input is at an
//           active bound
// Returns DM_OK, or DM_NOT_FINITE if H is not finite. None of these functions allocates. Cost: a
// Cholesky factorization of size nu for each set of active bounds on the way.
dm_status fb_box_qp_gains(fb_box_qp *w, const double *Y, int ld, const double *lo, const double *hi,
                          double *K);

// Factor L L' = A + shift/scale^2 (scale [n], NULL: 1) for A [n x n, rows ld apart, upper
// triangle], into the lower triangle of L [n x n]. Returns DM_OK; DM_NOT_DEFINITE if a pivot is not
// above n eps |A_ii|; DM_NOT_FINITE.
dm_status fb_box_qp_cholesky(int n, const double *A, int ld, double shift, const double *scale,
                             double *L);
#endif
