// control/delay.h: gains for inputs that act one step late.
//
// What is decided at knot k acts in the step after; meanwhile w, decided before, does. With it the
// state is (x,w):
//
//   (x,w)_k+1 = [A B; 0 0] (x,w)_k + [0; 1] v_k,    v_k = u_d,k+1 - K dx_k - W dw_k
//
// Source: docs/theory.md section 19.
#ifndef FB_DELAY_H
#define FB_DELAY_H
#include "control/riccati.h"

// The sweep of that system, with R on v and no weight on w.
//   lq      of x alone, by its members up to S_stride; S is NULL
//   A, B    at the goal [nx x nx], [nx x nu]: Qf is the steady solution there; NULL: lq->Qf
//   K, W    out: [N x nu x nx], [N x nu x nu]
//   P       out: of x alone [(N+1) x nx x nx]
//   failed  out: the stage that failed (N: the steady solution), or -1
// Returns DM_OK, DM_NO_MEMORY, or what fb_steady_solve or fb_riccati_sweep says. Allocates its own
// scratch: two matrices of size nx + nu a stage.
dm_status fb_delay_sweep(const fb_lq *lq, const double *A, const double *B, double *K, double *W,
                         double *P, int *failed);
#endif
