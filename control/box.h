// control/box.h: one stage's inputs under bounds: a small quadratic program.
//
//   minimize  v'Hv/2 + v'Y x   at the state x = (0,..,0,1),   lo <= v <= hi
//
// and, with the inputs that its solution leaves free, the gains of v = -K x around it.
//
// Source: Bertsekas' projected Newton method [bertsekas-1982]; its use in a backward sweep
// [tassa-2014], docs/sources.md.
#ifndef FB_BOX_H
#define FB_BOX_H
#include "lib/status.h"

#include <stdbool.h>

typedef struct fb_box {
  int nx, nu, room; // room: of lapack
  double *H;        // [nu x nu] symmetric
  double *HK;       // [nu x nx] H K, after fb_box_gains
  double *V, *e;    // [nu x nu], [nu] its eigenvectors (columns) and eigenvalues, or factors
  double *v, *g, *d, *trial; // [nu]
  double *P, *Z, *U,
      *f; // [nx x nx] the next stage's value, scratch, eigenvectors, [nx] eigenvalues
  double *lapack;
  bool *free; // [nu] not at a bound that pushes
} fb_box;

dm_status fb_box_new(fb_box **out, int nx, int nu);
void fb_box_free(fb_box *w);

// H, its eigenvalues (ascending, e) and eigenvectors, from the upper triangle of G, rows ld apart.
// Returns DM_OK or DM_NOT_FINITE.
dm_status fb_box_take(fb_box *w, const double *G, int ld);

// The extreme eigenvalues of P [nx x nx, upper triangle, rows ld apart] but for its last row and
// column. Returns as above.
dm_status fb_box_value(fb_box *w, const double *P, int ld, double *least, double *most);

// K [nu x nx] from H and Y [nu x nx, rows ld apart]; lo, hi [nu] or NULL.
// Returns DM_OK, or DM_NOT_DEFINITE where H is not. None of these allocates.
dm_status fb_box_gains(fb_box *w, const double *Y, int ld, const double *lo, const double *hi,
                       double *K);
#endif
