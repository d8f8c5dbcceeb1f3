// lib/multibody/tendon.h: tendons: scalar functions s(q) of a tree's configuration along which
// springs, dampers and cables act. Two kinds:
//
//   a combination    s = sum_i factor_i q_i     of coordinates                          [m or rad]
//   a path           s = sum_k w_k |x_k+1 - x_k|  the length of a polyline through points of
//   bodies; for two points, their distance                   [m]
//
// A force f along a tendon gives the generalized force f s_q; its power is f times the rate s_q.v.
//
// Derivatives are available to third order. The length l = |A| of a segment A = x_k+1 - x_k is the
// square root of a product A.A of lib/multibody/vector_product.h; l^2 = A.A gives
//
//   l_i = A.A_i / l     l_ij = (A_i.A_j + A.A_ij - l_i l_j) / l
//
// and the derivative of l_ij along a. The gradient is undefined if two consecutive points coincide.
//
// Usage: compile tendons with the model; for each q call dm_tendons_place once, then
// dm_tendons_eval for each required tendon.
//
// Source: docs/theory.md section 9.
#ifndef DM_MULTIBODY_TENDON_H
#define DM_MULTIBODY_TENDON_H
#include "lib/multibody/model.h"

#include <stddef.h>

DM_BEGIN_C

// Either a combination (ncoord > 0) or a path (npoint > 1).
typedef struct dm_tendon {
  const char *name; // for messages
  int ncoord;
  const int *coord;     // [ncoord] in the model's coordinates
  const double *factor; // [ncoord]
  int npoint;
  const int *body;          // [npoint] in dm_tree.body; -1: the world
  const double (*point)[3]; // [npoint] in these bodies' frames                [m]
  const double *share;      // [npoint - 1] factor of each segment, as for a pulley; 0: not counted;
                            // NULL: all 1
} dm_tendon;

// Check a tendon of a model. Returns DM_OK, or DM_BAD_INPUT with a sentence in msg: a body or
// coordinate that does not exist, a number that is not finite, a path of constant length.
dm_status dm_tendon_check(const dm_model *m, const dm_tendon *x, dm_message *msg);

typedef struct dm_tendons dm_tendons;

// Compile tendons of a model. Copies everything; m must outlive them. Returns DM_OK, DM_NO_MEMORY,
// or the status of dm_tendon_check.
dm_status dm_tendons_new(dm_tendons **out, const dm_model *m, int n, const dm_tendon *list,
                         dm_message *msg);
void dm_tendons_free(dm_tendons *c);

// The coordinates of tendon i, ascending, in *coord (borrowed). Returns their number.
int dm_tendons_coords(const dm_tendons *c, int i, const int **coord);

// The description that tendon i was compiled from, without its name (borrowed from c).
dm_tendon dm_tendons_described(const dm_tendons *c, int i);

// For pictures: the number of segments of all paths, and segment i.
int dm_tendons_pieces(const dm_tendons *c);
dm_segment dm_tendons_piece(const dm_tendons *c, int i);

// The number of segments of tendon i, and the index of its first segment in *first; 0 for a
// combination. The factors of a combination, one per coordinate (borrowed).
int dm_tendons_pieces_of(const dm_tendons *c, int i, int *first);
const double *dm_tendons_factors(const dm_tendons *c, int i);

// A tendon at one q, in the n coordinates it depends on. The arrays are in the scratch and valid
// until the next evaluation.
typedef struct dm_tendon_value {
  int n;
  const int *coord;
  double s, *s_q, *s_qq;     // s, its gradient [n] and Hessian [n x n]
  double s_a, *s_qa, *s_qqa; // their derivatives along a
} dm_tendon_value;

// Bytes of scratch, aligned to 64, that the caller provides.
size_t dm_tendons_scratch(const dm_tendons *c);

// Evaluate tendons: dm_tendons_place once at q [nq], then dm_tendons_eval for each i at the same q.
// Order 1 gives s and s_q, order 2 also s_qq, order 3 all of dm_tendon_value along a [nq]; below
// order 3, a is not read. Returns DM_OK, or DM_NOT_FINITE if points of a path coincide or a number
// overflows. No allocation. Cost: O(nj) to place, O(depth) for order 1, O(depth^2) for orders 2 and
// 3.
void dm_tendons_place(const dm_tendons *c, void *scratch, const double *q);
dm_status dm_tendons_eval(const dm_tendons *c, void *scratch, int i, int order, const double *q,
                          const double *a, dm_tendon_value *out);

DM_END_C
#endif
