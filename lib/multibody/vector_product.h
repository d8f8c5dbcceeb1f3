// lib/multibody/vector_product.h: body-fixed vectors A(q), B(q) of a tree and their product A.B
// with its first three derivatives. Constraints, gaps and lengths are composed of them.
//
// A vector is the difference of two points of bodies, or a direction of a body. Some products:
//
//   A = B = x0 - x1                       a squared distance
//   A a normal of a plane, B = x0 - x1    a height above it
//   A, B axes of two bodies               zero if they are perpendicular
//
// A joint moves a vector only if it carries one of its ends. With w_j the axis of joint j and p_j a
// point on it, derivatives by joints are cross products:
//
//   A_j = w_j x (x - p_j); prismatic joint: its axis; direction: w_j x A, or 0 if prismatic
//   A_ij = w_j x A_i                                             for j at or above i
//   (A.B)_j = A_j.B + A.B_j
//   (A.B)_ij = A_i.(B_j + B x w_j) + B_i.(A_j + A x w_j)         for j at or above i; else
//              A_i.B_j + B_i.A_j, if no vector is moved by both
//
// and third derivatives are the derivatives of these along a direction a, by the same rules.
//
// All derivatives here are by joints. The derivative by a coordinate is the sum over its joints of
// ratio times the derivative by the joint.
//
// Usage: compile a product once (its vectors, then its joints `by`). At each q, compute the frames
// (dm_tree_frames into w->X), then call dm_vector_products_place for each product and the inline
// functions at the end, each O(1).
//
// Source: docs/theory.md section 9.
#ifndef DM_MULTIBODY_VECTOR_PRODUCT_H
#define DM_MULTIBODY_VECTOR_PRODUCT_H
#include "lib/base/block.h"
#include "lib/multibody/model.h"

// The sum of up to two terms, each a point or a direction fixed to a joint's frame with a sign, and
// a part fixed to the world.
typedef struct dm_body_vector {
  int joint[2];    // -1: no such term
  dm_vec local[2]; // in the joint's frame
  double sign[2];
  bool point; // else a direction
  dm_vec fixed;
} dm_body_vector;

// A joint that moves some of a product's four terms: bit t of `terms` for term t of A, bit 2 + t
// for term t of B. If two joints share a term, the earlier one is the ancestor.
typedef struct dm_moving_joint {
  int joint;
  unsigned terms;
} dm_moving_joint;

typedef struct dm_vector_product {
  dm_body_vector A, B;
  bool square;               // A.A; B is not used
  int n;                     // number of joints that change it
  const dm_moving_joint *by; // [n] root to tip
} dm_vector_product;

// x0 - x1, points [m] in the frames of bodies (in dm_tree.body; -1: the world).
dm_body_vector dm_body_vector_difference(const dm_model *m, int body0, const double x0[3],
                                         int body1, const double x1[3]);

// The segment between the two points of a difference.
dm_segment dm_body_vector_segment(const dm_body_vector *difference);

// The direction d in a body's frame.
dm_body_vector dm_body_vector_direction(const dm_model *m, int body, dm_vec d);

// The joints that change a product, root to tip, without those that move all its ends as one rigid
// body. Returns their number; list NULL: count only.
int dm_vector_product_joints(const dm_model *m, const dm_vector_product *p, dm_moving_joint *list);

// A vector x at one q with its derivatives by the joints [n] of its product; the names with d are
// derivatives along a direction a.
typedef struct dm_moved_vector {
  dm_vec x, dx;
  dm_vec *d, *dd; // x_j
  dm_vec *e, *de; // x_j + cross(x, w_j), for second derivatives: y.x_ij = x_i.cross(y, w_j)
} dm_moved_vector;

// One product at one q: the caller's scratch. The functions below do not allocate.
typedef struct dm_vector_products {
  const dm_model *m;
  const dm_vector_product *p;
  dm_pose *X; // joint frames [nj], from dm_tree_frames
  dm_moved_vector own[2];
  const dm_moved_vector *A, *B;
  dm_vec *w, *dw; // [n] rotation axes (zero if prismatic), derivative along a
  double *rate;   // [n] velocities of the joints along a
} dm_vector_products;

// Reserve the arrays in a block, for products of at most `joints` joints.
void dm_vector_products_lay_out(dm_vector_products *w, dm_block *b, const dm_model *m, int joints);

// The value of a product at the frames in w->X.
double dm_vector_products_value(const dm_vector_products *w, const dm_vector_product *p);

// Select a product and compute the terms for its first derivatives (order 1) or also for second
// derivatives (order 2): O(n). w->X must contain the frames.
void dm_vector_products_place(dm_vector_products *w, const dm_vector_product *p, int order);

// Compute the derivatives of these terms along a [nq]: O(n^2).
void dm_vector_products_place_directional(dm_vector_products *w, const double *a);

// The selected product; its derivative by its i-th joint, and by its i-th and j-th, j <= i; and the
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
static inline double dm_vector_product_directional(const dm_vector_products *w) {
  return dm_dot(w->A->dx, w->B->x) + dm_dot(w->A->x, w->B->dx);
}
static inline double dm_vector_product_by_directional(const dm_vector_products *w, int i) {
  const dm_moved_vector *A = w->A, *B = w->B;
  return dm_dot(A->dd[i], B->x) + dm_dot(A->d[i], B->dx) + dm_dot(A->dx, B->d[i]) +
         dm_dot(A->x, B->dd[i]);
}
static inline double dm_vector_product_by_two_directional(const dm_vector_products *w, int i,
                                                          int j) {
  const dm_moved_vector *A = w->A, *B = w->B;
  bool above = w->p->by[i].terms & w->p->by[j].terms;
  return dm_dot(A->dd[i], above ? B->e[j] : B->d[j]) +
         dm_dot(A->d[i], above ? B->de[j] : B->dd[j]) +
         dm_dot(B->dd[i], above ? A->e[j] : A->d[j]) + dm_dot(B->d[i], above ? A->de[j] : A->dd[j]);
}

// By coordinates: add scale times the gradient of the selected product, or the gradient's
// derivative along a, to D [nq]; scale times its Hessian, or the Hessian's derivative along a, to H
// [nq x nq].
void dm_vector_products_add_gradient(const dm_vector_products *w, double scale, double *D);
void dm_vector_products_add_gradient_directional(const dm_vector_products *w, double scale,
                                                 double *D);
void dm_vector_products_add_hessian(const dm_vector_products *w, double scale, double *H);
void dm_vector_products_add_hessian_directional(const dm_vector_products *w, double scale,
                                                double *H);
#endif
