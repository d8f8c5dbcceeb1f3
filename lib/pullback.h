// lib/pullback.h: derivatives by the turns of ball joints become derivatives by quaternions.
//
// At one point, for all ball joints of a tree at once: J = (turns_q 0; rates_q rates_v) and what
// stands in for it along a direction are matrices that are the identity (or zero) beside the balls
// and a chart's there (lib/quaternion.h).
//
// Source: docs/theory.md section 23.
#ifndef DM_LIB_PULLBACK_H
#define DM_LIB_PULLBACK_H
#include "lib/block.h"
#include "lib/model.h"
#include "lib/quaternion.h"

// Coordinates beside the balls that stand in a row: count of them from in, outside from out.
typedef struct dm_pull_run {
  int in, out, count;
} dm_pull_run;

// Which coordinates are which: inside those of the tree, outside with quaternions.
typedef struct dm_pullback {
  int nt, n, nball;  // coordinates inside, outside; balls
  int *first, *many; // [nt] the coordinates outside: one, or of a ball's three its four
  int *from;         // [nball] the first of a ball's three
  int nrun;
  dm_pull_run *run; // [nrun]
} dm_pullback;

// A point, and scratch.
typedef struct dm_pulled {
  double *q, *v;     // [nt] inside
  dm_chart *chart;   // [nball]
  dm_chart_map *map; // [nball] the change of a chart's first derivatives
  double *half, *X;  // [nt x n], [n x n]
} dm_pulled;

// A matrix [nt x n]: beside the balls `unit` times the identity, there the [3 x 4] of charts.
typedef struct dm_pull_map {
  double unit;
  const double *ball;
  size_t stride; // to the next ball's, in doubles
} dm_pull_map;
typedef struct dm_pull_maps {
  dm_pull_map turns_q, rates_q, rates_v;
} dm_pull_maps;

void dm_pullback_lay_out(dm_pullback *w, dm_block *b, const dm_model *tree);
void dm_pullback_set(dm_pullback *w, const dm_model *tree);
void dm_pulled_lay_out(dm_pulled *r, dm_block *b, const dm_pullback *w);

// Take up (q,v) [n]; v NULL: at rest. In what follows nothing allocates.
void dm_pulled_set(const dm_pullback *w, dm_pulled *r, const double *q, const double *v);

// The first coordinate outside of a ball.
static inline int dm_pullback_at(const dm_pullback *w, int ball) {
  return w->first[w->from[ball]];
}

// J; and its change along (a_q,a_v), a_v NULL: zeros, good until the next.
dm_pull_maps dm_pulled_maps(const dm_pulled *r);
dm_pull_maps dm_pulled_along(const dm_pullback *w, const dm_pulled *r, const double *a_q,
                             const double *a_v);

// y [nt] += M x [n];  Y [n x cols] += M' X [nt x cols];  Y [rows x n] += X [rows x nt] M;
// out [n x n] += A' H B
void dm_pull_apply(const dm_pullback *w, dm_pull_map M, const double *x, double *y);
void dm_pull_left(const dm_pullback *w, dm_pull_map M, int cols, const double *X, double *Y);
void dm_pull_right(const dm_pullback *w, dm_pull_map M, int rows, const double *X, double *Y);
void dm_pull_both(const dm_pullback *w, const dm_pulled *r, dm_pull_map A, const double *H,
                  dm_pull_map B, double *out);

// A' H B of Hessians by (q,v), H = (qq, qv, vv), into those of out; but what qv adds to qq, once
// and transposed, into r->X, for dm_pull_twice: out += X + X'.
void dm_pull_hessian(const dm_pullback *w, const dm_pulled *r, const dm_pull_maps *A,
                     double *const H[3], const dm_pull_maps *B, double *const out[3]);
void dm_pull_twice(const dm_pullback *w, const double *X, double *out);
// out, symmetric but for rounding, to the last digit
void dm_pull_even(const dm_pullback *w, double *out);

// Add the second derivatives of g.turns + f.rates, g, f [nt] fixed (f NULL: zeros, and no qv); and
// the change of these along (a_q,a_v).
void dm_pull_bend(const dm_pullback *w, const dm_pulled *r, const double *g, const double *f,
                  double *qq, double *qv);
void dm_pull_bend_along(const dm_pullback *w, const dm_pulled *r, const double *g, const double *f,
                        const double *a_q, const double *a_v, double *qq, double *qv);

// Mark every pair outside [n x n] of what a mask inside [nt x nt] (NULL: all) couples, and those of
// each ball.
void dm_pull_mask(const dm_pullback *w, const unsigned char *in, unsigned char *out);
#endif
