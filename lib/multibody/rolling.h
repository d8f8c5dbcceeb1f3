// lib/multibody/rolling.h: nonholonomic constraints A(q) v = 0 of a tree: wheels and balls that roll
// without slip, directions without slip, knife edges. They are the last rows of the interface
// lib/mechanics/holonomic.h, after the rows of lib/multibody/constraint.h.
//
// With c a point of a body, velocities c' and w relative to the ground body, n the normal of the
// ground, and a an axis of the body, each row is
//
//   t(a).c' + m(a).w = 0
//
// A contact point at c + rho has t.(c' + w x rho) = 0, so that m = rho x t. For a wheel with axle a
// and s = |a x n|, the point below the center on the rim is rho = -r (n - (n.a) a)/s, and its two
// directions in the ground are
//
//   heading  t = a x n / s            m = -r a
//   side     t = (a - (n.a) n) / s    m = r a x n
//
// The joints between the ground and the body form a chain in which each joint moves all later ones;
// those that carry the ground enter from the ground on and move the body backwards. For joints
// i <= k <= j of this chain with axis W, of which a slide has W = 0, and C_j = c by q_j,
//
//   C_ij = W_i x C_j      C_ikj = W_i x (W_k x C_j)      W_j by q_i = W_i x W_j  (i < j)
//
// Source: docs/theory.md section 9; [cortes-martinez-2001].
#ifndef DM_MULTIBODY_ROLLING_H
#define DM_MULTIBODY_ROLLING_H
#include "lib/base/tape.h"
#include "lib/mechanics/holonomic.h"
#include "lib/multibody/constraint.h"

DM_BEGIN_C

// The kinds: DM_NAME; the keyword in problem files; its required keys and its optional ones there.
//
//   wheel       the lowest point of a rim of radius r about the axle `axis` does not slip,
//               or of a sphere, if the axis is zero                                       2 rows
//   no_slip     the point does not move along `axis` over the ground                      1 row
//   knife_edge  the point does not move across its heading `axis` in the ground           1 row
//   formula     c(q,v) = A(q) v + b(q) = 0 by a formula that is linear in v               1 row
#define DM_ROLLING_KINDS(X)                                                                        \
  X(WHEEL, wheel, "rolling", "body radius", "axis point ground normal")                            \
  X(NO_SLIP, no_slip, "no-slip", "bodies axis", "point")                                           \
  X(KNIFE_EDGE, knife_edge, "knife-edge", "body axis", "point ground normal")                      \
  X(FORMULA, formula, "formula", "formula", "")

#define DM_ROLLING_KIND(NAME, name, word, must, may) DM_ROLLING_##NAME,
typedef enum dm_rolling_kind {
  DM_ROLLING_KINDS(DM_ROLLING_KIND) DM_ROLLING_KIND_COUNT
} dm_rolling_kind;
#undef DM_ROLLING_KIND

typedef struct dm_roller {
  const char *name;
  dm_rolling_kind kind;
  int body[2];      // the body that rolls, the ground, in dm_tree.body; -1: the world
  double point[3];  // its point, of a wheel the center, in body[0]'s frame      [m]
  double axis[3];   // unit vector in body[0]'s frame; zero: a ball rolls
  double normal[3]; // unit vector in body[1]'s frame, away from the ground
  double radius;    // m
  // of a formula, which is copied with its variables [formula->nx]: i is q_i, nq + i is v_i
  const dm_tape *formula;
  const int *variable;
} dm_roller;

typedef struct dm_rolling dm_rolling;

// Compile rollers of a model. Copies everything; m and `first`, the holonomic constraints of the
// same model (NULL: none), must outlive them, and no rows of `first` are dropped later. Returns
// DM_OK; DM_NO_MEMORY; or DM_BAD_INPUT with a sentence in msg (a body that does not exist, an axis of
// length zero, a radius <= 0, no joint between the body and the ground, a formula that is not linear
// in velocities or does not depend on them).
dm_status dm_rolling_new(dm_rolling **out, const dm_model *m, int n, const dm_roller *list,
                         const dm_constraints *first, dm_message *msg);
void dm_rolling_free(dm_rolling *w);

// The interface: the rows of `first`, then those of the rollers; w must outlive it. Cost of a call:
// O(j^2) per row with j joints between the ground and the body.
dm_holonomic dm_rolling_holonomic(const dm_rolling *w);

// Remove rows, as dm_constraints_drop does. drop [nv] true: remove this row.
void dm_rolling_drop(dm_rolling *w, const bool *drop);

// The rows of the rollers; the roller of one of them; the descriptions they were compiled from.
int dm_rolling_count(const dm_rolling *w);
int dm_rolling_of_row(const dm_rolling *w, int i);
int dm_rolling_described(const dm_rolling *w, const dm_roller **list);

// The sine of the angle between the axle of roller i and the normal of its ground at q, |a x n|; 1
// without an axle. The direction of a wheel is not defined at 0.
double dm_rolling_sine(const dm_rolling *w, int i, void *scratch, const double *q);

DM_END_C
#endif
