// lib/second/polynomial.h: Lagrangians of order k that are polynomials in the coordinates and their
// derivatives,
//
//   C(x) = sum_t c_t prod_i x_i^e_ti,      x = (q, q', ..., q^(k))
//
// each term with the variables that it has alone. The derivatives are exact.
//
// Source: paper 003, section 3: whatever L(q,v,a) is regular.
#ifndef DM_SECOND_POLYNOMIAL_H
#define DM_SECOND_POLYNOMIAL_H
#include "lib/second/second_order.h"

DM_BEGIN_C

// x_at^exponent, exponent >= 1; at = d n + i is the d-th derivative of coordinate i.
typedef struct dm_power {
  int at, exponent;
} dm_power;

// A coefficient times powers of different variables; none: a constant.
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

// C, for whoever takes a dm_second_order_lagrangian; p is borrowed. An evaluation does not allocate
// and costs some f^3 products for a term of f variables, beside clearing what it writes.
dm_second_order_lagrangian dm_polynomial_lagrangian(dm_polynomial *p);

DM_END_C
#endif
