// lib/mechanics/holonomic.h: interface of constraints: holonomic rows h(q) = 0, with contractions of
// the second and third derivatives, followed by nonholonomic rows A(q) v + b(q) = 0.
//
// A step satisfies h at each knot, and A v + b in its middle, by impulses Dh'lambda and A'lambda at
// knots (lib/discrete/del.h). The constraints of a tree implement it (lib/multibody/constraint.h,
// lib/multibody/rolling.h); user-defined C functions may as well.
//
// All functions have the same meaning for both: Dh v is the rate of a row at velocity v, Dh'lambda
// its force. For a nonholonomic row Dh is A, which need not be a gradient, h is 0, and b is given by
// `drift`.
//
// Source: paper 001, section V; [cortes-martinez-2001]; docs/theory.md section 9.
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
  int nv;           // the last nv of them are nonholonomic; 0: none
  const void *self; // passed to the functions below; may be shared by threads
  size_t scratch;   // bytes of scratch, aligned to 64, that the caller provides

  // The first `kept` bytes of the scratch store the last q and everything that depends on q only.
  // If they are unchanged since the last call, the next call may pass NULL for q to reuse them. 0:
  // q must always be passed.
  size_t kept;

  // h [nc] and, if Dh is not NULL, its Jacobian Dh [nc x nq]
  dm_status (*eval)(const void *self, void *scratch, const double *q, double *h, double *Dh);

  // add the derivative of Dh'lambda by q to H [nq x nq], lambda [nc]: row i is entry i of the force,
  // column j is q_j; for holonomic rows this is sum_c lambda_c D2h_c
  dm_status (*contract)(const void *self, void *scratch, const double *q, const double *lambda,
                        double *H);

  // along a [nq]: the derivative of Dh a by q into J [nc x nq], rows D2h_i a; and, if T is not NULL,
  // add the second derivative of lambda.Dh a by q to T [nq x nq]. NULL for functions that are not
  // constraints of the equations of motion
  dm_status (*directional)(const void *self, void *scratch, const double *q, const double *a,
                           const double *lambda, double *J, double *T);

  // b of the nonholonomic rows [nv], its derivative b_q [nv x nq] if not NULL, and, if H is not NULL,
  // add sum_i lambda_i b_qq,i to H [nq x nq], lambda [nv]. NULL: b is 0
  dm_status (*drift)(const void *self, void *scratch, const double *q, const double *lambda,
                     double *b, double *b_q, double *H);

  // [nc x nq] nonzero if a coordinate may affect a row; NULL: unknown
  const unsigned char *mask;

  const char *(*row_name)(const void *self, int row); // for messages; may be NULL
} dm_holonomic;

DM_END_C
#endif
