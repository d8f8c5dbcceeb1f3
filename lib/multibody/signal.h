// lib/multibody/signal.h: signals s(q) of a tree, from which outputs are composed
// (lib/multibody/output.h). Each is a function of a few body-fixed vector products p
// (lib/multibody/vector_product.h) plus a linear function of the coordinates,
//
//   s(q) = phi(p(q)) + w.q + shift
//   s_q  = sum_i phi_i p_i,q + w         s_qq = sum_i phi_i p_i,qq + sum_ij phi_ij p_i,q p_j,q'
//
// If phi is linear, phi = sum_i w_i p_i, directional derivatives of these along v are available, as
// rates require.
//
// Each product is A.(x - o) with a point x fixed to the tip of a chain of joints, and with axes A
// and a point o fixed to its base; or A.x with a direction x. Relative to the base, joint i of the
// chain moves the tip by S_i = (w_i, v_i) (lib/multibody/spatial.h), so that with wrenches F = (x x
// A, A)
//
//   p_i  = S_i.F                                for a direction, F = (x x A, 0)
//   p_ij = w_j.(v_i x A + D w_i)                j between the base and i, D = x A' - (x.A) 1; for a
//   direction without the v_i term
//
// These are linear in A and D, and (F_a.S_i)(F_b.S_j) is linear in the stiffness F_a F_b'. So all
// products of a chain are accumulated in one force f, one D and one stiffness K, and the joints of
// the chain are paired only once,
//
//   sum lambda s_ij = S_j.(K S_i) + w_j.(v_i x f + D w_i)
//
// so that an additional point costs its contribution to the sums, and nothing per pair of joints.
//
// Signals are compiled in two passes over the same calls: the first counts while the arrays are
// NULL, the second writes.
//
// Source: docs/theory.md section 25.
#ifndef DM_MULTIBODY_SIGNAL_H
#define DM_MULTIBODY_SIGNAL_H
#include "lib/mechanics/holonomic.h"
#include "lib/multibody/shape.h"
#include "lib/multibody/vector_product.h"

enum { DM_SIGNAL_PRODUCTS = 9 }; // at most, for a signal that is not linear in them

typedef struct dm_signal dm_signal;

// phi at p [count], with its derivatives up to `order`: phi_p [count], phi_pp [count x count]
typedef void dm_signal_function(const dm_signal *s, int order, const double *p, double *y,
                                double *y_p, double *y_pp);

struct dm_signal {
  int first, count;        // its products
  dm_signal_function *phi; // NULL: weighted sum
  int component;           // argument of phi
  dm_shape shape;          // argument of phi
  int of_q;                // row in dm_signals.of_q of its coordinate weights; -1: none
  double shift;
};

// A point or a direction in the frame of a joint; -1: in the world.
typedef struct dm_carried {
  int joint;
  bool point;
  dm_vec local;
} dm_carried;

// A joint of a chain: the velocity of the tip relative to the base is `rate` S times the
// coordinate's velocity.
typedef struct dm_chain_joint {
  int joint, coord;
  double rate;
} dm_chain_joint;

// The chain of joints from the joint that carries o and A (-1: the world) to the joint that carries
// x.
typedef struct dm_chain {
  int base, tip;
  int first, count; // in dm_signals.link, base to tip
} dm_chain;

// A.(x - o) or A.x, as indices into dm_signals.vector.
typedef struct dm_seen {
  int chain;
  int A, x, o; // o -1: x is a direction
} dm_seen;

typedef struct dm_signals {
  const dm_model *m;
  int n, products, linear,
      max_joints;       // signals, all products, signals with coordinate weights
  size_t joints;        // of all products
  dm_signal *signal;    // [n]
  dm_vector_product *p; // [products]
  double *weight;       // [products]
  double *of_q;         // [linear x nq]
  dm_moving_joint *by;  // [joints]
  unsigned char *mask;  // [n x nq] coordinates that a signal depends on
  // parts of the products, each stored once
  dm_seen *seen;        // [products]
  int vectors, chains;  // counts
  dm_carried *vector;   // [vectors <= 3 products]
  dm_chain *chain;      // [chains <= products]
  dm_chain_joint *link; // of all chains, in order
  // subset that an evaluation visits: all, or as the wanted signals require
  int placed, used;   // counts
  int *place;         // [placed] joints, parents first
  int *use;           // [used] vectors
  const bool *wanted; // [n] the others are NAN with zero gradients; NULL: all
  dm_signal counted;  // placeholder during the counting pass
} dm_signals;

// Reserve the arrays for the counted sizes.
void dm_signals_lay_out(dm_signals *w, dm_block *b);

// Restart counting at 0 for the writing pass.
void dm_signals_begin(dm_signals *w);

// Append a signal; append a product to the last signal; return its coordinate weights [nq], NULL
// during counting. The caller sets phi, component, shape and shift if they are not 0.
dm_signal *dm_signals_add(dm_signals *w);
void dm_signals_add_product(dm_signals *w, double weight, dm_vector_product p);
double *dm_signals_add_coordinates(dm_signals *w);

// Find the coordinates of each signal and the chains. Call it after the last signal was added.
void dm_signals_finish(dm_signals *w);

// The same signals, but those not in wanted [n] are NAN with zero gradients and cost nothing. Only
// one such subset at a time: its arrays belong to w.
dm_signals dm_signals_part(const dm_signals *w, const bool *wanted);

// The signals as functions of q. eval and contract return DM_NOT_FINITE if a signal has no value or
// no derivative; eval then writes NAN for these signals and correct values for the others.
// directional writes zeros for signals with their own phi. Cost: O(depth) for frames and vectors,
// which are kept for the same q; O(depth) per product for its gradient and O(1) for its second
// derivatives, O(depth^2) per chain for their sum; for rates O(depth^2) per product.
dm_holonomic dm_signals_functions(const dm_signals *w);
#endif
