// lib/carried.h: vectors carried by the bodies of a tree, and products A(q).B(q) of two of them
// with their first three derivatives: what constraints and lengths are made of.
//
// A vector is the difference of two points, or a direction. Its derivatives by joints are cross
// products with the joints' axes w:
//
//   A_j = w_j x (x - p_j) or, of a slide, its axis      A_ij = w_j x A_i  for j above i
//
// All derivatives here are by joints, not yet by the coordinates these follow: a coordinate's is
// the sum over its joints of ratio times the joint's.
//
// Source: docs/theory.md section 9.
#ifndef DM_LIB_CARRIED_H
#define DM_LIB_CARRIED_H
#include "lib/block.h"
#include "lib/model.h"

// The sum of up to two terms, each a point or a direction fixed to a joint's frame, with a sign;
// and a part fixed to the world.
typedef struct dm_carried {
  int joint[2];    // -1: no such term
  dm_vec local[2]; // in the joint's frame
  double sign[2];
  bool point; // else a direction
  dm_vec fixed;
} dm_carried;

typedef struct dm_product {
  dm_carried A, B;
  bool square;      // A.A: there is no B
  int n;            // joints that change it
  const int *joint; // [n] root to tip
} dm_product;

// x0 - x1, points [m] in the frames of bodies (in dm_tree.body; -1: the world).
dm_carried dm_carried_difference(const dm_model *m, int body0, const double x0[3], int body1,
                                 const double x1[3]);

// The direction d of a body's frame.
dm_carried dm_carried_direction(const dm_model *m, int body, dm_vec d);

// The joints that change a product, root to tip; of a square, without those that move both points
// alike. Returns how many; list NULL: only counted.
int dm_product_joints(const dm_model *m, const dm_product *p, int *list);

// A vector at one q.
typedef struct dm_moved {
  dm_vec x, dx;   // itself; its change along a
  dm_vec *d, *dd; // [joints of the product] by each joint; the change of that along a
} dm_moved;

// One product at one q: a caller's scratch. No allocation in what follows.
typedef struct dm_carrier {
  const dm_model *m;
  const dm_product *p;
  dm_pose *X; // joint frames [nj], by dm_sweep_frames
  dm_moved own[2];
  const dm_moved *A, *B;
  dm_vec *w, *dw; // [joints] axes of the turns (zero for slides), their change along a
} dm_carrier;

// Take its arrays from a block, for products of at most so many joints.
void dm_carrier_lay_out(dm_carrier *w, dm_block *b, const dm_model *m, int joints);

// Take up a product, with its first derivatives: O(joints). The frames stand in w->X.
void dm_carrier_move(dm_carrier *w, const dm_product *p);

// And the change of all this along a [nq]: O(joints^2).
void dm_carrier_move_along(dm_carrier *w, const double *a);

// The product at hand, by the i-th and j-th of its joints, j <= i; and the derivatives of these
// along a.
double dm_product_value(const dm_carrier *w);
double dm_product_by(const dm_carrier *w, int i);
double dm_product_by_two(const dm_carrier *w, int i, int j);
double dm_product_along(const dm_carrier *w);
double dm_product_by_along(const dm_carrier *w, int i);
double dm_product_by_two_along(const dm_carrier *w, int i, int j);
#endif
