// lib/discrete.h: one interval of a discrete motion: the forced discrete Lagrangian and its
// derivatives.
//
//   D1 = D1 Ld(q0,q1) + F-(q0,q1,u)     D2 = D2 Ld(q0,q1) + F+(q0,q1,u)
//
// All of dmoc is made from these two covectors: p0 + D1 = 0 and p1 = D2 is a step (lib/del.h),
// D2 + D1' = 0 at a knot is a row of a program (optim/transcribe.h), and their derivatives are
// those of both. Blocks are named by argument: D12 is the derivative of D1 by q1 (M1 of the
// papers), D1u that by u, D1h that by the step h.
//
// Source: sections 1 and 2 of docs/theory.md; paper 001, eq. 2.
#ifndef DM_LIB_DISCRETE_H
#define DM_LIB_DISCRETE_H
#include "lib/system.h"

typedef struct dm_discrete {
  dm_system s;
  int n, nu;
  double Ld;                     // discrete action                         J s
  double *D1, *D2;               // [n]
  double *D11, *D12, *D21, *D22; // [n x n] row-major
  double *D1u, *D2u;             // [nu] the one entry in each input's column, at input_coord
  double *D1h, *D2h;             // [n]
  // Hessian of mu0.D1 + mu1.D2, by dm_discrete_contract
  double *H00, *H01, *H11; // [n x n] rows by q0 (q1 for H11), columns by q1 (q0 for H00)
  double *H0h, *H1h, *Huh; // [n], [n], [nu]
  double Hhh;
  // scratch
  double *qm, *v, *a_q, *a_v; // [n]
  dm_jet jet, T;
  void *sweep;
} dm_discrete;

// Allocate the workspace of a system; s is copied. Returns DM_OK or DM_NO_MEMORY.
dm_status dm_discrete_new(dm_discrete **out, const dm_system *s);
void dm_discrete_free(dm_discrete *w);

// Evaluate the interval from q0 to q1 [n] under inputs u [nu] in a step h > 0 [s]:
// Ld, D1, D2 (order 1), and also D11 .. D2h (order 2).
// Returns DM_OK or what the Lagrangian returns. No allocation.
dm_status dm_discrete_eval(dm_discrete *w, int order, const double *q0, const double *q1,
                           const double *u, double h);

// The Hessian of mu0.D1 + mu1.D2 in (q0,q1,u,h) into H00 .. Hhh, one evaluation of T(a) for each
// quadrature point. with_h says whether the columns by h are wanted as well (else untouched).
// Returns DM_OK, DM_UNAVAILABLE for a Lagrangian without third derivatives, or what it returns.
dm_status dm_discrete_contract(dm_discrete *w, bool with_h, const double *q0, const double *q1,
                               const double *u, double h, const double *mu0, const double *mu1);
#endif
