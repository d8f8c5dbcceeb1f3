// lib/mechanics/holonomic.h: interface of holonomic constraints h(q) = 0: values, Jacobian, and
// contractions of the second and third derivatives.
//
// A step satisfies them at each knot by impulses Dh'lambda (lib/discrete/del.h). The constraints of
// a tree (lib/multibody/constraint.h) implement it; user-defined C functions may as well.
//
// Source: paper 001, section V; docs/theory.md section 9.
#ifndef DM_MECHANICS_HOLONOMIC_H
#define DM_MECHANICS_HOLONOMIC_H
#include "lib/base/status.h"

#include <stddef.h>

DM_BEGIN_C

// Matrices are row-major, q [nq]. Functions return DM_OK, DM_NOT_FINITE, or another negative
// status, and do not allocate. eval is called in each iteration of a step; contract and directional
// are called for linearizations and Hessians of programs.
typedef struct dm_holonomic {
  int nc;           // number of rows
  const void *self; // passed to the functions below; may be shared by threads
  size_t scratch;   // bytes of scratch, aligned to 64, that the caller provides

  // The first `kept` bytes of the scratch store the last q and everything that depends on q only.
  // If they are unchanged since the last call, the next call may pass NULL for q to reuse them. 0:
  // q must always be passed.
  size_t kept;

  // h [nc] and, if Dh is not NULL, its Jacobian Dh [nc x nq]
  dm_status (*eval)(const void *self, void *scratch, const double *q, double *h, double *Dh);

  // add sum_i lambda_i D2h_i to H [nq x nq], lambda [nc]
  dm_status (*contract)(const void *self, void *scratch, const double *q, const double *lambda,
                        double *H);

  // along a [nq]: rows D2h_i a into J [nc x nq], the derivative of Dh; and, if T is not NULL, add
  // the derivative of sum_i lambda_i D2h_i along a to T [nq x nq]. NULL for functions that are not
  // constraints of the equations of motion
  dm_status (*directional)(const void *self, void *scratch, const double *q, const double *a,
                           const double *lambda, double *J, double *T);

  // [nc x nq] nonzero if a coordinate may affect a row; NULL: unknown
  const unsigned char *mask;

  const char *(*row_name)(const void *self, int row); // for messages; may be NULL
} dm_holonomic;

DM_END_C
#endif
