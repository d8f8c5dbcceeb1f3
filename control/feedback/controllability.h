// control/feedback/controllability.h: controllability and observability of x <- A_k x + B_k u, y =
// C_k x. Plain arrays, no mechanics.
//
// From x = 0, inputs steer x within V; the outputs of a free motion depend on x through V':
//
//   V <- span [A_k V, B_k]  forwards          V <- span [A_k' V, C_k']  backwards
//
// Each V gets an orthonormal basis from a pivoted QR factorization of states divided by their sizes
// in A and B, so that ranks do not depend on units, nor on growth or decay of A over many steps. A
// state that is j integrations away from an input enters with about h^j, and is lost if that is
// below the tolerance.
//
// Source: docs/theory.md section 8; paper 001, the end of section IV.
#ifndef FB_FEEDBACK_CONTROLLABILITY_H
#define FB_FEEDBACK_CONTROLLABILITY_H
#include "lib/base/status.h"

#include <stdbool.h>

DM_BEGIN_C

// The stages, one after another, row-major.
typedef struct fb_stages {
  int N, m;        // stages; inputs (or outputs) per stage
  const double *A; // [N][nx x nx]
  const double *B; // [N][nx x m] inputs; with `outputs` C [N][m x nx]
  bool outputs;    // analyze outputs instead of inputs
  const double
      *size; // [nx] of each state, > 0 (control/feedback/state_size.h); NULL: the largest effect of
             // A and B on it
} fb_stages;

// A dimension, and its margin. A direction counts if its pivot is above FB_RANK_TOL times the
// longest column of the step's [A V, B], with the columns of B scaled to 1.
#define FB_RANK_TOL 1e-12
typedef struct fb_span {
  int rank;
  double kept, dropped; // the smallest pivot that counted and the largest that did not, relative to
                        // that column, over all steps; kept 1 and dropped 0 if there was none
  double sigma;         // singular value number `rank` of [B, AB, ..] (or [C; CA; ..]) itself
} fb_span;

typedef struct fb_controllability fb_controllability; // workspace

// Make a workspace for nx states and up to m inputs or outputs. Returns DM_OK, DM_NO_MEMORY or
// DM_BAD_INPUT (a size below 1).
dm_status fb_controllability_new(fb_controllability **out, int nx, int m);
void fb_controllability_free(fb_controllability *w);

// Analyze all stages in sequence: the states that inputs reach from the first to the end of the
// last stage, or the part of the first state that the outputs show. Returns DM_OK; DM_NOT_FINITE;
// DM_STALLED if LAPACK found no singular values. Does not allocate. Cost per stage: two products
// and two factorizations of size nx.
dm_status fb_controllability_window(fb_controllability *w, const fb_stages *s, fb_span *out);

// Analyze the first stage alone, repeated until the rank no longer grows: the pair (A,B), or (A,C).
// Returns as above.
dm_status fb_controllability_pair(fb_controllability *w, const fb_stages *s, fb_span *out);

DM_END_C
#endif
