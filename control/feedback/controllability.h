// control/feedback/controllability.h: what inputs steer and what outputs show of x <- A_k x + B_k
// u, y = C_k x. Plain arrays, no mechanics.
//
// From x = 0 inputs steer x into V, and the last outputs of a free motion depend on x through V':
//
//   V <- span [A_k V, B_k]  forwards          V <- span [A_k' V, C_k']  backwards
//
// Each V is given an orthonormal basis by a pivoted QR factorization, of states over their sizes in
// A and B, so that ranks do not suffer from units, nor from how A grows or decays over many steps.
// What stands j integrations behind an input adds some h^j, and is lost where that is below the
// tolerance.
//
// Source: docs/theory.md section 8; paper 001, the end of section IV.
#ifndef FB_FEEDBACK_CONTROLLABILITY_H
#define FB_FEEDBACK_CONTROLLABILITY_H
#include "lib/base/status.h"

#include <stdbool.h>

DM_BEGIN_C

// Stages one after the other, row-major.
typedef struct fb_stages {
  int N, m;        // stages; inputs (or outputs) of each
  const double *A; // [N][nx x nx]
  const double *B; // [N][nx x m] inputs; with `outputs` C [N][m x nx]
  bool outputs;    // ask what outputs show
  const double
      *size; // [nx] of each state, > 0 (control/feedback/state_size.h); NULL: what A and B make of
             // it at most
} fb_stages;

// A dimension, and how clear it is. A direction counts where its pivot is above FB_RANK_TOL times
// the longest column of the step's [A V, B], columns of B scaled to 1.
#define FB_RANK_TOL 1e-12
typedef struct fb_span {
  int rank;
  double kept, dropped; // the least pivot that counted and the largest that did not, over that
                        // column, of all steps; kept 1 and dropped 0 where there was none
  double sigma;         // singular value number `rank` of [B, AB, ..] (or [C; CA; ..]) itself
} fb_span;

typedef struct fb_controllability fb_controllability; // workspace

// Make a workspace for nx states and up to m inputs or outputs. Returns DM_OK, DM_NO_MEMORY or
// DM_BAD_INPUT (a size below 1).
dm_status fb_controllability_new(fb_controllability **out, int nx, int m);
void fb_controllability_free(fb_controllability *w);

// Ask over all stages, in turn: what inputs reach from the first to the end of the last, or what
// all outputs show of the first state. Returns DM_OK; DM_NOT_FINITE; DM_STALLED where LAPACK found
// no singular values. Does not allocate. Cost of a stage: two products and two factorizations of
// size nx.
dm_status fb_controllability_window(fb_controllability *w, const fb_stages *s, fb_span *out);

// Ask of the first stage alone, taken again and again until it adds nothing: the pair (A,B), or
// (A,C). Returns as above.
dm_status fb_controllability_pair(fb_controllability *w, const fb_stages *s, fb_span *out);

DM_END_C
#endif
