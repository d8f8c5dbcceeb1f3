// lib/multibody/vector_product.h: vectors carried by the bodies of a tree, and products A(q).B(q)
// of two of them with their first three derivatives: what constraints and lengths are made of.
//
// A vector is the difference of two points, or a direction. Its derivatives by joints are cross
// products with the joints' axes w:
//
//   A_j = w_j x (x - p_j) or, of a slide, its axis      A_ij = w_j x A_i  for j at or above i
//   (A.B)_ij = A_i.(B_j + B x w_j) + B_i.(A_j + A x w_j)
//
// All derivatives here are by joints, not yet by the coordinates these follow: a coordinate's is
// the sum over its joints of ratio times the joint's.
//
// Source: docs/theory.md section 9.
#ifndef DM_MULTIBODY_VECTOR_PRODUCT_H
#define DM_MULTIBODY_VECTOR_PRODUCT_H
#include "lib/base/block.h"
#include "lib/multibody/model.h"

// The sum of up to two terms, each a point or a direction fixed to a joint's frame, with a sign;
// and a part fixed to the world.
typedef struct dm_body_vector {
  int joint[2];    // -1: no such term
  dm_vec local[2]; // in the joint's frame
  double sign[2];
  bool point; // else a direction
  dm_vec fixed;
} dm_body_vector;

// A joint that moves some of a product's four terms: bit t of terms that of A, bit 2 + t that of B.
// Of two that share a term, the earlier one is above the other.
typedef struct dm_moving_joint {
  int joint;
  unsigned terms;
} dm_moving_joint;

typedef struct dm_vector_product {
  dm_body_vector A, B;
  bool square;               // A.A: there is no B
  int n;                     // joints that change it
  const dm_moving_joint *by; // [n] root to tip
} dm_vector_product;

// x0 - x1, points [m] in the frames of bodies (in dm_tree.body; -1: the world).
dm_body_vector dm_body_vector_difference(const dm_model *m, int body0, const double x0[3],
                                         int body1, const double x1[3]);

// The direction d of a body's frame.
dm_body_vector dm_body_vector_direction(const dm_model *m, int body, dm_vec d);

// The joints that change a product, root to tip; of a square, without those that move both points
// alike. Returns how many; list NULL: only counted.
int dm_vector_product_joints(const dm_model *m, const dm_vector_product *p, dm_moving_joint *list);

// A vector x at one q, by the joints [n] of the product it stands in; and the change of each along
// a direction a.
typedef struct dm_moved_vector {
  dm_vec x, dx;
  dm_vec *d, *dd; // x_j
  dm_vec *e, *de; // x_j + cross(x, w_j), for second derivatives: y.x_ij = x_i.cross(y, w_j)
} dm_moved_vector;

// One product at one q: a caller's scratch. No allocation in what follows.
typedef struct dm_vector_products {
  const dm_model *m;
  const dm_vector_product *p;
  dm_pose *X; // joint frames [nj], by dm_tree_frames
  dm_moved_vector own[2];
  const dm_moved_vector *A, *B;
  dm_vec *w, *dw; // [n] axes of the turns (zero for slides), their change along a
  double *rate;   // [n] of the joints, along a
} dm_vector_products;

// Take its arrays from a block, for products of at most so many joints.
void dm_vector_products_lay_out(dm_vector_products *w, dm_block *b, const dm_model *m, int joints);

// The product alone, at the frames in w->X.
double dm_vector_products_value(const dm_vector_products *w, const dm_vector_product *p);

// Take up a product, with what its first derivatives (order 1) or those and more (order 2) need:
// O(n). The frames stand in w->X.
void dm_vector_products_place(dm_vector_products *w, const dm_vector_product *p, int order);

// And the change of all this along a [nq]: O(n^2).
void dm_vector_products_place_along(dm_vector_products *w, const double *a);

// The product at hand; its derivatives by its i-th joint, and by its i-th and j-th, j <= i; and the
// derivatives of these along a.
static inline double dm_vector_product_value(const dm_vector_products *w) {
  return dm_dot(w->A->x, w->B->x);
}
static inline double dm_vector_product_by(const dm_vector_products *w, int i) {
  return dm_dot(w->A->d[i], w->B->x) + dm_dot(w->A->x, w->B->d[i]);
}
static inline double dm_vector_product_by_two(const dm_vector_products *w, int i, int j) {
  const dm_moved_vector *A = w->A, *B = w->B;
  bool above = w->p->by[i].terms & w->p->by[j].terms;
  return dm_dot(A->d[i], above ? B->e[j] : B->d[j]) + dm_dot(B->d[i], above ? A->e[j] : A->d[j]);
}
static inline double dm_vector_product_along(const dm_vector_products *w) {
  return dm_dot(w->A->dx, w->B->x) + dm_dot(w->A->x, w->B->dx);
}
static inline double dm_vector_product_by_along(const dm_vector_products *w, int i) {
  const dm_moved_vector *A = w->A, *B = w->B;
  return dm_dot(A->dd[i], B->x) + dm_dot(A->d[i], B->dx) + dm_dot(A->dx, B->d[i]) +
         dm_dot(A->x, B->dd[i]);
}
static inline double dm_vector_product_by_two_along(const dm_vector_products *w, int i, int j) {
  const dm_moved_vector *A = w->A, *B = w->B;
  bool above = w->p->by[i].terms & w->p->by[j].terms;
  return dm_dot(A->dd[i], above ? B->e[j] : B->d[j]) +
         dm_dot(A->d[i], above ? B->de[j] : B->dd[j]) +
         dm_dot(B->dd[i], above ? A->e[j] : A->d[j]) + dm_dot(B->d[i], above ? A->de[j] : A->dd[j]);
}
#endif
