// lib/multibody/chain_rule.h: chain rule from the internal coordinates of ball joints to
// quaternions.
//
// Internally a ball joint of the tree is three revolute joints; externally it is a unit quaternion.
// A function F(turns, rates) of the tree is, in external coordinates z = (q,v), F(turns(q),
// rates(q,v)):
//
//   J = d(turns, rates)/dz = (turns_q 0; rates_q rates_v)
//   F_z = J' F_t                                      dm_chain_left
//   F_zz = J' F_tt J + F_t.J'                         dm_chain_hessian, dm_chain_add_hessian
// directional derivative along a: J' T J + Ja' F_tt J + J' F_tt Ja + (F_tt Ja).J' + F_t.Ja'
//
// with Ja the derivative of J along a. J and Ja are computed at one point for all ball joints at
// once. Their blocks [nt x n] are the identity (or zero) outside the ball joints and the [3 x 4]
// matrix of a chart (lib/multibody/quaternion.h) for each ball joint, so that a product costs one
// addition per coordinate and 12 products per ball joint. No function allocates, except that
// _lay_out reserves memory.
//
// Source: docs/theory.md section 23.
#ifndef DM_MULTIBODY_CHAIN_RULE_H
#define DM_MULTIBODY_CHAIN_RULE_H
#include "lib/base/block.h"
#include "lib/multibody/model.h"
#include "lib/multibody/quaternion.h"

// A run of consecutive coordinates without ball joints: count of them from internal index in,
// external index out.
typedef struct dm_chain_run {
  int in, out, count;
} dm_chain_run;

// The correspondence of internal (tree) and external (quaternion) coordinates.
typedef struct dm_chain_rule {
  int nt, n, nball;  // numbers of internal and external coordinates, and of ball joints
  int *first, *many; // [nt] first external coordinate and their number: 1, or 4 for each of the
                     // three of a ball joint
  int *from;         // [nball] first internal coordinate of a ball joint
  int nrun;
  dm_chain_run *run; // [nrun]
} dm_chain_rule;

// A point and scratch memory.
typedef struct dm_chained {
  double *q, *v;     // [nt] internal
  dm_chart *chart;   // [nball]
  dm_chart_map *map; // [nball] directional derivative of a chart's first derivatives
  double *half, *X;  // [nt x n], [n x n]
} dm_chained;

// A matrix [nt x n]: `unit` times the identity outside the ball joints, a [3 x 4] block for each
// ball joint.
typedef struct dm_chain_map {
  double unit;
  const double *ball;
  size_t stride; // doubles between the blocks of two ball joints
} dm_chain_map;
typedef struct dm_chain_maps {
  dm_chain_map turns_q, rates_q, rates_v;
} dm_chain_maps;

// Reserve the arrays of a rule in a block; fill them.
void dm_chain_rule_lay_out(dm_chain_rule *w, dm_block *b, const dm_model *tree);
void dm_chain_rule_set(dm_chain_rule *w, const dm_model *tree);

// Reserve the arrays of a point in a block.
void dm_chained_lay_out(dm_chained *r, dm_block *b, const dm_chain_rule *w);

// Evaluate the charts at (q,v) [n]; v NULL: zero velocity.
void dm_chained_set(const dm_chain_rule *w, dm_chained *r, const double *q, const double *v);

// The first external coordinate of a ball joint.
static inline int dm_chain_rule_at(const dm_chain_rule *w, int ball) {
  return w->first[w->from[ball]];
}

// J; and its derivative along (a_q,a_v), valid until the next call; a_v NULL: zeros.
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

// Add A' H B, for Hessians H = (qq, qv, vv) by (q,v), to the blocks of out. The contribution of qv
// to qq appears once as it is and once transposed; it is written to r->X for dm_chain_twice, which
// adds X + X' to out.
void dm_chain_hessian(const dm_chain_rule *w, const dm_chained *r, const dm_chain_maps *A,
                      double *const H[3], const dm_chain_maps *B, double *const out[3]);
void dm_chain_twice(const dm_chain_rule *w, const double *X, double *out);
// Symmetrize out, which is symmetric except for rounding.
void dm_chain_even(const dm_chain_rule *w, double *out);

// Add the second derivatives of g.turns + f.rates with constant g, f [nt] (f NULL: zeros, and qv is
// not written); and the derivative of these along (a_q,a_v).
void dm_chain_add_hessian(const dm_chain_rule *w, const dm_chained *r, const double *g,
                          const double *f, double *qq, double *qv);
void dm_chain_add_hessian_directional(const dm_chain_rule *w, const dm_chained *r, const double *g,
                                      const double *f, const double *a_q, const double *a_v,
                                      double *qq, double *qv);

// Mark each external pair [n x n] that is coupled by an internal mask [nt x nt] (NULL: all pairs).
void dm_chain_mask(const dm_chain_rule *w, const unsigned char *in, unsigned char *out);
#endif
