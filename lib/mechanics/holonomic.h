// lib/mechanics/holonomic.h: what the rest of the library sees of holonomic constraints h(q) = 0:
// values, Jacobian, and what second-order work needs of the second and third derivatives.
//
// A step keeps them at each knot by impulses Dh'lambda (lib/discrete/del.h). The constraints of a
// tree (lib/multibody/constraint.h) are one implementation; a user's C functions are another.
//
// Source: paper 001, section V; docs/theory.md section 9.
#ifndef DM_MECHANICS_HOLONOMIC_H
#define DM_MECHANICS_HOLONOMIC_H
#include "lib/base/status.h"

#include <stddef.h>

DM_BEGIN_C

// Matrices are row-major, q [nq]. Functions return DM_OK, DM_NOT_FINITE, or another negative status,
// and do not allocate. eval is called in each iteration of a step, contract and directional by
// linearizations and Hessians of programs.
typedef struct dm_holonomic {
  int nc;           // rows: entries of h
  const void *self; // handed to the functions below; may be shared by threads
  size_t scratch;   // bytes each caller lends to them, aligned to 64

  // How many of these, the first ones, say where q was: with them as a call left them, the next one may be
  // handed NULL for q, and takes what does not change at one place from there. 0: q is always handed.
  size_t kept;

  // h [nc] and, where Dh is not NULL, its Jacobian Dh [nc x nq]
  dm_status (*eval)(const void *self, void *scratch, const double *q, double *h, double *Dh);

  // add sum_i lambda_i D2h_i to H [nq x nq], lambda [nc]
  dm_status (*contract)(const void *self, void *scratch, const double *q, const double *lambda,
                        double *H);

  // along a [nq]: rows D2h_i a into J [nc x nq], which is the change of Dh; and, where T is not
  // NULL, add the derivative of sum_i lambda_i D2h_i along a to T [nq x nq]; NULL of
  // functions that no equation of motion has
  dm_status (*directional)(const void *self, void *scratch, const double *q, const double *a,
                           const double *lambda, double *J, double *T);

  // [nc x nq] not zero where a coordinate may move a row, anywhere; NULL: not known
  const unsigned char *mask;

  const char *(*row_name)(const void *self, int row); // for messages; may be NULL
} dm_holonomic;

DM_END_C
#endif
