// lib/multibody/chain_rule.h: the chain rule to quaternions: derivatives by the turns of ball
// joints become derivatives by quaternions.
//
// Inside is the tree, whose ball joints are three turns; outside stand quaternions. For a function
// F(turns, rates) of the tree, seen from outside as F(turns(q), rates(q,v)), z = (q,v):
//
//   J = d(turns, rates)/dz = (turns_q 0; rates_q rates_v)
//   F_z = J' F_t                                      dm_chain_left
//   F_zz = J' F_tt J + F_t.J'                         dm_chain_hessian, dm_chain_add_hessian
//   along a: J' T J + Ja' F_tt J + J' F_tt Ja + (F_tt Ja).J' + F_t.Ja'     the same with Ja
//
// J and its change Ja are made at one point for all ball joints of the tree at once. Their blocks
// [nt x n] are the identity (or zero) beside the balls and a chart's [3 x 4] there
// (lib/multibody/quaternion.h), so that a product costs an addition a coordinate and 12 products a
// ball. All functions but the _lay_out add to their outputs or overwrite them as said, and none
// allocates.
//
// Source: docs/theory.md section 23.
#ifndef DM_MULTIBODY_CHAIN_RULE_H
#define DM_MULTIBODY_CHAIN_RULE_H
#include "lib/base/block.h"
#include "lib/multibody/model.h"
#include "lib/multibody/quaternion.h"

// Coordinates beside the balls that stand in a row: count of them from in, outside from out.
typedef struct dm_chain_run {
  int in, out, count;
} dm_chain_run;

// Which coordinates are which: inside those of the tree, outside with quaternions.
typedef struct dm_chain_rule {
  int nt, n, nball;  // coordinates inside, outside; balls
  int *first, *many; // [nt] the coordinates outside: one, or of a ball's three its four
  int *from;         // [nball] the first of a ball's three
  int nrun;
  dm_chain_run *run; // [nrun]
} dm_chain_rule;

// A point, and scratch.
typedef struct dm_chained {
  double *q, *v;     // [nt] inside
  dm_chart *chart;   // [nball]
  dm_chart_map *map; // [nball] the change of a chart's first derivatives
  double *half, *X;  // [nt x n], [n x n]
} dm_chained;

// A matrix [nt x n]: beside the balls `unit` times the identity, there the [3 x 4] of charts.
typedef struct dm_chain_map {
  double unit;
  const double *ball;
  size_t stride; // to the next ball's, in doubles
} dm_chain_map;
typedef struct dm_chain_maps {
  dm_chain_map turns_q, rates_q, rates_v;
} dm_chain_maps;

// Take the arrays of a rule from a block, and fill them: which coordinate is which.
void dm_chain_rule_lay_out(dm_chain_rule *w, dm_block *b, const dm_model *tree);
void dm_chain_rule_set(dm_chain_rule *w, const dm_model *tree);

// Take the arrays of a point from a block.
void dm_chained_lay_out(dm_chained *r, dm_block *b, const dm_chain_rule *w);

// Take up (q,v) [n]; v NULL: at rest. In what follows nothing allocates.
void dm_chained_set(const dm_chain_rule *w, dm_chained *r, const double *q, const double *v);

// The first coordinate outside of a ball.
static inline int dm_chain_rule_at(const dm_chain_rule *w, int ball) {
  return w->first[w->from[ball]];
}

// J; and its change along (a_q,a_v), a_v NULL: zeros, good until the next.
dm_chain_maps dm_chained_maps(const dm_chained *r);
dm_chain_maps dm_chained_directional(const dm_chain_rule *w, const dm_chained *r, const double *a_q,
                                     const double *a_v);

// y [nt] += M x [n];  Y [n x cols] += M' X [nt x cols];  Y [rows x n] += X [rows x nt] M;
// out [n x n] += A' H B
void dm_chain_apply(const dm_chain_rule *w, dm_chain_map M, const double *x, double *y);
void dm_chain_left(const dm_chain_rule *w, dm_chain_map M, int cols, const double *X, double *Y);
void dm_chain_right(const dm_chain_rule *w, dm_chain_map M, int rows, const double *X, double *Y);
void dm_chain_both(const dm_chain_rule *w, const dm_chained *r, dm_chain_map A, const double *H,
                   dm_chain_map B, double *out);

// A' H B of Hessians by (q,v), H = (qq, qv, vv), into those of out; but what qv adds to qq, once
// and transposed, into r->X, for dm_chain_twice: out += X + X'.
void dm_chain_hessian(const dm_chain_rule *w, const dm_chained *r, const dm_chain_maps *A,
                      double *const H[3], const dm_chain_maps *B, double *const out[3]);
void dm_chain_twice(const dm_chain_rule *w, const double *X, double *out);
// out, symmetric but for rounding, to the last digit
void dm_chain_even(const dm_chain_rule *w, double *out);

// Add the second derivatives of g.turns + f.rates, g, f [nt] fixed (f NULL: zeros, and no qv); and
// the change of these along (a_q,a_v).
void dm_chain_add_hessian(const dm_chain_rule *w, const dm_chained *r, const double *g,
                          const double *f, double *qq, double *qv);
void dm_chain_add_hessian_directional(const dm_chain_rule *w, const dm_chained *r, const double *g,
                                      const double *f, const double *a_q, const double *a_v,
                                      double *qq, double *qv);

// Mark every pair outside [n x n] of what a mask inside [nt x nt] (NULL: all) couples.
void dm_chain_mask(const dm_chain_rule *w, const unsigned char *in, unsigned char *out);
#endif
