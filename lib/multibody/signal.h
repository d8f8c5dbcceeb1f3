// lib/multibody/signal.h: signals s(q) of a tree, what its outputs are made of
// (lib/multibody/output.h). Each is a function of a few body-fixed vector products p
// (lib/multibody/vector_product.h), and is linear in coordinates beside,
//
//   s(q) = phi(p(q)) + w.q + shift
//   s_q  = sum_i phi_i p_i,q + w         s_qq = sum_i phi_i p_i,qq + sum_ij phi_ij p_i,q p_j,q'
//
// and where phi is linear, phi = sum_i w_i p_i, the change of these along v as well, which rates have.
//
// Each product is A.(x - o), a point x that the tip of a chain of joints carries, in axes A and from a point
// o that its base carries; or A.x, of a direction x. Seen from the base, joint i of the chain moves the
// tip by a motion S_i = (w_i, v_i) (lib/multibody/spatial.h), so that with wrenches F = (x x A, A)
//
//   p_i  = S_i.F                                of a direction F = (x x A, 0)
//   p_ij = w_j.(v_i x A + D w_i)                j between the base and i, D = x A' - (x.A) 1; of a
//                                               direction without v_i
//
// Both are linear in A and D, and (F_a.S_i)(F_b.S_j) in the stiffness F_a F_b': all that is asked of a
// chain is summed up in one force, one D and one stiffness, and its joints are paired once,
//
//   sum lambda s_ij = S_j.(K S_i) + w_j.(v_i x f + D w_i)
//
// so that a point more costs what its sums do, and nothing a pair of joints.
//
// They are compiled in two passes over the same calls: one that counts, while the arrays are NULL, and
// one that writes.
//
// Source: docs/theory.md section 25.
#ifndef DM_MULTIBODY_SIGNAL_H
#define DM_MULTIBODY_SIGNAL_H
#include "lib/mechanics/holonomic.h"
#include "lib/multibody/shape.h"
#include "lib/multibody/vector_product.h"

enum { DM_SIGNAL_PRODUCTS = 9 }; // at most, of a signal that is not linear in them

typedef struct dm_signal dm_signal;

// phi at p [count], with its derivatives to an order: phi_p [count], phi_pp [count x count]
typedef void dm_signal_function(const dm_signal *s, int order, const double *p, double *y,
                                double *y_p, double *y_pp);

struct dm_signal {
  int first, count;        // its products
  dm_signal_function *phi; // NULL: their sum by weights
  int component;           // for phi
  dm_shape shape;          // for phi
  int of_q;                // where its weights of coordinates stand, -1: it has none
  double shift;
};

// A point or a direction in the frame of a joint; -1: of the world.
typedef struct dm_carried {
  int joint;
  bool point;
  dm_vec local;
} dm_carried;

// A joint of a chain: the rate at which it moves the tip, seen from the base, of its coordinate's.
typedef struct dm_chain_joint {
  int joint, coord;
  double rate;
} dm_chain_joint;

// The joints from one that carries o and A, -1 the world, to one that carries x.
typedef struct dm_chain {
  int base, tip;
  int first, count; // in dm_signals.link, base to tip
} dm_chain;

// A.(x - o) or A.x, as places in dm_signals.vector.
typedef struct dm_seen {
  int chain;
  int A, x, o; // o -1: x is a direction
} dm_seen;

typedef struct dm_signals {
  const dm_model *m;
  int n, products, linear,
      max_joints;       // signals, products of all, signals with weights of coordinates
  size_t joints;        // of all products
  dm_signal *signal;    // [n]
  dm_vector_product *p; // [products]
  double *weight;       // [products]
  double *of_q;         // [linear x nq]
  dm_moving_joint *by;  // [joints]
  unsigned char *mask;  // [n x nq] which coordinates move a signal
  // what products are made of, each once
  dm_seen *seen;        // [products]
  int vectors, chains;  // how many there are
  dm_carried *vector;   // [vectors <= 3 products]
  dm_chain *chain;      // [chains <= products]
  dm_chain_joint *link; // of all chains, in their order
  // what an evaluation looks at: all, or what the wanted signals take
  int placed, used;   // how many
  int *place;         // [placed] joints, parents first
  int *use;           // [used] vectors
  const bool *wanted; // [n] the others are NAN, with slopes of zero; NULL: all are
  dm_signal counted;  // in place of one, while they are counted
} dm_signals;

// Take the arrays of as many as were counted.
void dm_signals_lay_out(dm_signals *w, dm_block *b);

// Count from 0 once more, into the arrays now.
void dm_signals_begin(dm_signals *w);

// One more; then a product more of it, or the weights [nq] of coordinates that it has, NULL while they
// are counted. The signal is to be filled in where phi, component, shape and shift differ from 0.
dm_signal *dm_signals_add(dm_signals *w);
void dm_signals_add_product(dm_signals *w, double weight, dm_vector_product p);
double *dm_signals_add_coordinates(dm_signals *w);

// Which coordinates move which, and which chains there are; after the last was added.
void dm_signals_finish(dm_signals *w);

// The same signals, of which those that are not wanted [n] are NAN, with slopes of zero, and cost
// nothing; one such part at a time, whose arrays are w's.
dm_signals dm_signals_part(const dm_signals *w, const bool *wanted);

// They as functions of q. eval and contract return DM_NOT_FINITE where a signal has no value or no
// derivative; what eval writes of such ones is then NAN, and of all others as it should be. Of signals
// with a phi of their own directional writes zeros. Cost: O(depth) for what a place is made of, which is
// kept; O(depth) a product for its gradient, O(1) for its second derivatives, O(depth^2) a chain for the sum
// of these. Of rates O(depth^2) a product.
dm_holonomic dm_signals_functions(const dm_signals *w);
#endif
