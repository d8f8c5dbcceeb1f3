// lib/multibody/tendon.h: tendons: scalar functions s(q) of a tree's configuration, along which
// springs, dampers and cables act. Two kinds:
//
//   a combination    s = sum_i factor_i q_i     of coordinates                          [m or rad]
//   a path           s = sum_k w_k |x_k+1 - x_k|  the tape-measure through points of bodies; of two
//                                               points, their distance                         [m]
//
// A force f along a tendon acts on coordinates as f s_q; its power is f times the rate s_q.v.
//
// Derivatives to third order. The length l = |A| of a path's segment A = x_k+1 - x_k is the square
// root of a product A.A of lib/multibody/vector_product.h; from l^2 = A.A follow
//
//   l_i = A.A_i / l     l_ij = (A_i.A_j + A.A_ij - l_i l_j) / l
//
// and the derivative of the latter along a. Where two points of a path meet, its gradient is not
// defined.
//
// Use: compile tendons with the model; at each q dm_tendons_place once, then dm_tendons_eval for
// each that is wanted.
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
  const double *share; // [npoint - 1] how often each piece counts, as behind a pulley; 0: not at
                       // all; NULL: once
} dm_tendon;

// Whether a tendon can be one of the model's. Returns DM_OK, or DM_BAD_INPUT with a sentence in msg:
// a body or coordinate that is not there, a number that is not finite, a path that nothing changes.
dm_status dm_tendon_check(const dm_model *m, const dm_tendon *x, dm_message *msg);

typedef struct dm_tendons dm_tendons;

// Compile tendons of a model; all is copied, m must outlive them.
// Returns DM_OK, DM_NO_MEMORY, or what dm_tendon_check says.
dm_status dm_tendons_new(dm_tendons **out, const dm_model *m, int n, const dm_tendon *list,
                         dm_message *msg);
void dm_tendons_free(dm_tendons *c);

// How many coordinates tendon i depends on, and which, ascending: coord [that many], borrowed.
int dm_tendons_coords(const dm_tendons *c, int i, const int **coord);

// The pieces of all paths, for pictures: how many, and each as a line.
int dm_tendons_pieces(const dm_tendons *c);
dm_segment dm_tendons_piece(const dm_tendons *c, int i);

// The pieces of tendon i alone: how many, the first of them at *first; of a combination 0, and its
// factors [as many as it has coordinates], borrowed.
int dm_tendons_pieces_of(const dm_tendons *c, int i, int *first);
const double *dm_tendons_factors(const dm_tendons *c, int i);

// A tendon at one q, by the n coordinates it depends on alone; the arrays stand in the scratch
// until the next evaluation.
typedef struct dm_tendon_value {
  int n;
  const int *coord;
  double s, *s_q, *s_qq;     // s, its gradient [n] and Hessian [n x n]
  double s_a, *s_qa, *s_qqa; // their derivatives along a
} dm_tendon_value;

// Bytes of scratch, aligned to 64, that each caller lends.
size_t dm_tendons_scratch(const dm_tendons *c);

// Evaluate tendons: once dm_tendons_place at q [nq], then dm_tendons_eval for each i wanted, at
// the same q: s and s_q (order 1), s_qq as well (2), all of dm_tendon_value along a [nq] (3; else a
// is not read). Returns DM_OK, or DM_NOT_FINITE where points of a path meet or a number overflows.
// No allocation. Cost: O(nj) to place, O(depth) for order 1, O(depth^2) for 2 and 3.
void dm_tendons_place(const dm_tendons *c, void *scratch, const double *q);
dm_status dm_tendons_eval(const dm_tendons *c, void *scratch, int i, int order, const double *q,
                          const double *a, dm_tendon_value *out);

DM_END_C
#endif
