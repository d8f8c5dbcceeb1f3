// lib/multibody/signal.h: signals s(q) of a tree, what its outputs are made of
// (lib/multibody/output.h). Each is a function of a few body-fixed vector products p
// (lib/multibody/vector_product.h), and is linear in coordinates beside,
//
//   s(q) = phi(p(q)) + w.q + shift
//   s_q  = sum_i phi_i p_i,q + w         s_qq = sum_i phi_i p_i,qq + sum_ij phi_ij p_i,q p_j,q'
//
// and where phi is linear, phi = sum_i w_i p_i, the change of these along v as well, which rates have.
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

typedef struct dm_signals {
  const dm_model *m;
  int n, products, linear,
      max_joints;       // signals, products of all, signals with weights of coordinates
  size_t joints;        // of all products
  dm_signal *signal;    // [n]
  dm_vector_product *p; // [products]
  double *weight;       // [products]
  int *shared;          // [products] how many of its signal, from it on, are one sum with it
  double *of_q;         // [linear x nq]
  dm_moving_joint *by;  // [joints]
  unsigned char *mask;  // [n x nq] which coordinates move a signal
  const bool *wanted;   // [n] the others are NAN, with slopes of zero; NULL: all are
  dm_signal counted;    // in place of one, while they are counted
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

// Which coordinates move which; after the last was added.
void dm_signals_finish(dm_signals *w);

// They as functions of q. eval and contract return DM_NOT_FINITE where a signal has no value or no
// derivative; what eval writes of such ones is then NAN, and of all others as it should be. Of signals
// with a phi of their own directional writes zeros. Cost: O(nj) a call, O(depth) a product for value and
// gradient, O(depth^2) for the second derivative and the change of both.
dm_holonomic dm_signals_functions(const dm_signals *w);
#endif
