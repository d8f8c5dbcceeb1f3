// control/feedback/across.h: feedback across an orbit, the path of a periodic motion, which does not oppose deviations
// along it.
//
// A state x has the phase s, in knots, at which a section of the orbit contains it:
//
//   w(s)'(x - x_d(s)) = 0        w = W v / (v'W v)        v = dx_d/ds, of order 6
//   u = u_d(s) - K(s) (x - x_d(s))        K v = 0
//
// W is a diagonal. With Pi = 1 - v w', deviations across the orbit follow
//
//   e_k+1 = Pi_k+1 A_k Pi_k e_k + Pi_k+1 B_k du_k
//
// and those along it keep their phase, since v_k+1 = A_k v_k + B_k du_d/ds. The periodic Riccati recursion of these
// A, B and Pi'Q Pi has P v = 0 and K v = 0, without a basis of the n - 1 directions across. To first order the law at a
// knot is u_d - (K - du_d/ds w') (x - x_d).
//
// Between knots x_d and u_d are cubics with the slopes at both, K and w are linear (control/onboard/orbit.c).
//
// Source: docs/theory.md section 26; [shiriaev-2010] in docs/sources.md.
#ifndef FB_FEEDBACK_ACROSS_H
#define FB_FEEDBACK_ACROSS_H
#include "lib/discrete/trajectory.h"

#include <stdbool.h>

DM_BEGIN_C

enum { FB_ORBIT_LEAST = 8 }; // knots of a period

// An orbit: N steps of states [nx] under inputs [nu]; slopes by the knot and sections [(N+1) x nx].
typedef struct fb_across {
  int N, nx, nu;
  double *slope, *section;
} fb_across;

// Whether a motion, which repeats with prompt inputs or not, fits gains across its orbit: without weights of integrals
// [n], without lags of motors [nu] (NULL: none), with enough equal steps. Returns DM_OK, or DM_BAD_INPUT with a sentence.
dm_status fb_orbit_check(const dm_trajectory *x, bool repeats, const double *integral,
                         const double *lag, dm_message *msg);

// Restrict A [N x nx x nx], B [N x nx x nu] and weights Q [(N+1) x nx x nx] to deviations across the orbit, and scale
// its sections. Returns DM_OK, or DM_BAD_INPUT if the orbit stands still at a knot in the coordinates with weights.
dm_status fb_orbit_restrict(const fb_across *f, double *A, double *B, double *Q, dm_message *msg);

// The slopes by the knot [rows x n] of N rows x that repeat. With a travel, x has a row N, as far from row 0 as all
// rows of the next period from their own, and N + 1 slopes follow; else N.
void fb_orbit_slopes(int N, int n, const double *x, bool travels, double *slope);

// w [n] at slope v: of weights W [n]; or scaled to w'v = 1. Returns w'v before.
void fb_orbit_section(int n, const double *W, const double *v, double *w);
double fb_orbit_scale(int n, const double *v, double *w);

// X - X v w' of rows X [rows x n]; the columns of Y [n x cols] likewise: Y - v w'Y.
void fb_orbit_rows(int rows, int n, const double *v, const double *w, double *X);
void fb_orbit_columns(int n, int cols, const double *v, const double *w, double *Y);

DM_END_C
#endif
