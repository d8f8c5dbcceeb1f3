// lib/discrete/interval.h: one interval of a discrete motion: the forced discrete Lagrangian and
// its derivatives.
//
//   D1 = D1 Ld(q0,q1) + F-(q0,q1,u)     D2 = D2 Ld(q0,q1) + F+(q0,q1,u)
//
// All of dmoc is made from these two covectors: p0 + D1 = 0 and p1 = D2 is a step
// (lib/discrete/del.h), D2 + D1' = 0 at a knot is a row of a program
// (optim/transcription/transcribe.h), and their derivatives are those of both. Blocks are named by
// argument: D12 is the derivative of D1 by q1 (M1 of the papers), D1u that by u, D1h that by the
// step h.
//
// The sum over the points of the rule is lib/discrete/step_nodes.h's. Nodes within the step are
// functions of (q0,q1,u,h), and the derivatives here are those with them (lib/discrete/inner_nodes.h).
//
// Source: sections 1 and 2 of docs/theory.md; paper 001, eq. 2.
#ifndef DM_DISCRETE_INTERVAL_H
#define DM_DISCRETE_INTERVAL_H
#include "lib/discrete/step_nodes.h"

DM_BEGIN_C

typedef struct dm_interval {
  dm_system s;
  int n, nu;
  int active;      // coordinates that L and the general forces depend on: the first so many
  int lanes;       // intervals at once. Where there are several, entry i of interval l stands at
                   // i lanes + l of every array here and of those handed in; Ld is then the sum
  double Ld;       // discrete action                         J s
  double energy;   // -dLd/dh: sum_s weight_s (v.L_v - L)     J
  double *D1, *D2; // [n]
  double *D11, *D12, *D21, *D22; // [n x n] row-major
  double *D1h, *D2h;             // [n] where by_step asks for them
  bool by_step;                  // true at first; may be cleared
  // what inputs have entries in: one for each of the first nj, at joints, then what others drive;
  // with nodes within the step nj is 0, as what these do passes on to all that is coupled
  int nj, nz;
  int *row, *col;    // [nz] coordinate and input of each
  double *D1u, *D2u; // [nz]
  // Hessian of mu0.D1 + mu1.D2, by dm_interval_contract
  double *H00, *H01, *H11;      // [n x n] rows by q0 (q1 for H11), columns by q1 (q0 for H00)
  double *H0h, *H1h, *Huh;      // [n], [n], [nu]
  double *Hhh;                  // [1]
  double *H0u, *H1u;            // [nz]
  double *Huu;                  // [nf x nf] of the inputs after the first nj, nf = nu - nj
  unsigned char *couples;       // [n x n] see dm_interval_couples
  unsigned char *meet;          // [nf x nf] see dm_interval_couples_inputs
  dm_step_nodes *nodes;         // the sum; the arrays above are its own where inner is NULL
  struct dm_inner_nodes *inner; // nodes within the step; NULL: there are none
} dm_interval;

// Allocate the workspace of a system; s is copied. Returns DM_OK or DM_NO_MEMORY.
dm_status dm_interval_new(dm_interval **out, const dm_system *s);

// The same for as many intervals at once as the Lagrangian offers (its lanes; one where it offers
// none, or there are nodes within the step), all with the same h.
dm_status dm_interval_new_lanes(dm_interval **out, const dm_system *s);
void dm_interval_free(dm_interval *w);

// Whether derivatives can be other than zero for some (q0,q1,u,h): of D1 and D2 at coordinate i by
// coordinate j, besides i = j; twice by inputs c and d after the first nj.
bool dm_interval_couples(const dm_interval *w, int i, int j);
bool dm_interval_couples_inputs(const dm_interval *w, int c, int d);

// Evaluate the interval from q0 to q1 [n] under inputs u [nu] in a step h, not 0 [s]:
// Ld, energy, D1, D2 (order 1), and also D11 .. D2h (order 2).
// Returns DM_OK or what the Lagrangian returns; for nodes within the step also DM_SINGULAR or
// DM_NOT_FINITE where they are not found. No allocation.
dm_status dm_interval_eval(dm_interval *w, int order, const double *q0, const double *q1,
                           const double *u, double h);

// Configuration and velocity q, v [n] at quadrature point s of the interval that was evaluated last.
void dm_interval_point(const dm_interval *w, int s, const double *q0, const double *q1, double h,
                       double *q, double *v);

// The Hessian of mu0.D1 + mu1.D2 in (q0,q1,u,h) into H00 .. Hhh, one evaluation of T(a) for each
// quadrature point. with_h says whether the columns by h are wanted as well (else untouched).
// Returns DM_OK, DM_UNAVAILABLE for a Lagrangian without third derivatives, or what it returns.
dm_status dm_interval_contract(dm_interval *w, bool with_h, const double *q0, const double *q1,
                               const double *u, double h, const double *mu0, const double *mu1);

// Copy interval l of `many` into the workspace of one: the Hessian (H00 .. H11), or else D1 .. D22
// and D1u, D2u; with_h also what is by h. Both evaluated to that order before.
void dm_interval_pick(const dm_interval *many, int l, bool hessian, bool with_h, dm_interval *one);

DM_END_C
#endif
