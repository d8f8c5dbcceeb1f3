// lib/second/polynomial.h: Lagrangians of order k that are polynomials in the coordinates and their
// derivatives,
//
//   C(x) = sum_t c_t prod_i x_i^e_ti,      x = (q, q', ..., q^(k))
//
// each term with its own list of variables. The derivatives are exact.
//
// Source: paper 003, section 3: any regular L(q,v,a).
#ifndef DM_SECOND_POLYNOMIAL_H
#define DM_SECOND_POLYNOMIAL_H
#include "lib/second/second_order.h"

DM_BEGIN_C

// x_at^exponent, exponent >= 1; at = d n + i is the d-th derivative of coordinate i.
typedef struct dm_power {
  int at, exponent;
} dm_power;

// A coefficient times powers of distinct variables; count 0: a constant.
typedef struct dm_monomial {
  double coefficient;
  int count;
  dm_power *power; // [count]
} dm_monomial;

typedef struct dm_polynomial {
  int n, k;          // coordinates, order: x has (k+1) n entries
  int count;         // terms
  dm_monomial *term; // [count]
} dm_polynomial;

// C as a dm_second_order_lagrangian; p is borrowed. An evaluation does not allocate; it costs about
// f^3 products for a term with f variables, plus clearing the outputs.
dm_second_order_lagrangian dm_polynomial_lagrangian(dm_polynomial *p);

DM_END_C
#endif
