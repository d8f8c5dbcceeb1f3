// lib/discrete/interval.h: one interval of a discrete motion: the forced discrete Lagrangian and
// its derivatives.
//
//   D1 = D1 Ld(q0,q1) + F-(q0,q1,u)     D2 = D2 Ld(q0,q1) + F+(q0,q1,u)
//
// All of dmoc uses these two covectors: p0 + D1 = 0 and p1 = D2 is a step (lib/discrete/del.h), D2
// + D1' = 0 at a knot is a row of a program (optim/program/transcribe.h), and their
// derivatives use the derivatives here. Blocks are named by argument: D12 is the derivative of D1
// by q1 (M1 in the papers), D1u by u, D1h by the step h.
//
// lib/discrete/step_nodes.h sums over the points of the rule. Inner nodes are functions of
// (q0,q1,u,h), and the derivatives here are total derivatives (lib/discrete/inner_nodes.h).
//
// Source: docs/theory.md sections 1 and 2; paper 001, eq. 2.
#ifndef DM_DISCRETE_INTERVAL_H
#define DM_DISCRETE_INTERVAL_H
#include "lib/discrete/step_nodes.h"

DM_BEGIN_C

typedef struct dm_interval {
  dm_system s;
  int n, nu;
  int active;      // L and the general forces depend on the first `active` coordinates only
  int lanes;       // number of intervals evaluated at once. If > 1, entry i of interval l is at i
                   // lanes + l in every array here and in all arguments; Ld is then the sum
  double Ld;       // discrete action                         J s
  double energy;   // -dLd/dh: sum_s weight_s (v.L_v - L)     J
  double *D1, *D2; // [n]
  double *D11, *D12, *D21, *D22; // [n x n] row-major
  double *D1h, *D2h;             // [n] if by_step
  bool by_step;                  // initially true; may be cleared
  // entries of inputs: one for each of the first nj inputs, at joints, then those of the other
  // inputs. With inner nodes nj is 0, as these distribute the effect of inputs over all coupled
  // coordinates
  int nj, nz;
  int *row, *col;    // [nz] coordinate and input of each
  double *D1u, *D2u; // [nz]
  // Hessian of mu0.D1 + mu1.D2, by dm_interval_contract
  double *H00, *H01, *H11;      // [n x n] rows by q0 (q1 for H11), columns by q1 (q0 for H00)
  double *H0h, *H1h, *Huh;      // [n], [n], [nu]
  double *Hhh;                  // [1]
  double *H0u, *H1u;            // [nz]
  double *Huu;                  // [nf x nf] for the inputs after the first nj, nf = nu - nj
  unsigned char *couples;       // [n x n] see dm_interval_couples
  unsigned char *meet;          // [nf x nf] see dm_interval_couples_inputs
  dm_step_nodes *nodes;         // the sum; the arrays above belong to it if inner is NULL
  struct dm_inner_nodes *inner; // inner nodes; NULL: none
} dm_interval;

// Allocate a workspace for a system; s is copied. Returns DM_OK or DM_NO_MEMORY.
dm_status dm_interval_new(dm_interval **out, const dm_system *s);

// The same for several intervals at once with the same h: as many as the Lagrangian has lanes, or
// one if it has none or the rule has inner nodes.
dm_status dm_interval_new_lanes(dm_interval **out, const dm_system *s);
void dm_interval_free(dm_interval *w);

// Return true if derivatives may be nonzero for some (q0,q1,u,h): of D1 and D2 at coordinate i by
// coordinate j, or i = j; second derivatives by inputs c and d after the first nj.
bool dm_interval_couples(const dm_interval *w, int i, int j);
bool dm_interval_couples_inputs(const dm_interval *w, int c, int d);

// Evaluate the interval from q0 to q1 [n] with inputs u [nu] and step h, not 0 [s]: Ld, energy, D1,
// D2 (order 1), and also D11 .. D2h (order 2). Returns DM_OK or the status of the Lagrangian; with
// inner nodes also DM_SINGULAR or DM_NOT_FINITE if they are not found. No allocation.
dm_status dm_interval_eval(dm_interval *w, int order, const double *q0, const double *q1,
                           const double *u, double h);

// Configuration and velocity q, v [n] at quadrature point s of the last evaluated interval.
void dm_interval_point(const dm_interval *w, int s, const double *q0, const double *q1, double h,
                       double *q, double *v);

// The Hessian of mu0.D1 + mu1.D2 by (q0,q1,u,h) into H00 .. Hhh, with one evaluation of T(a) per
// quadrature point. The columns by h are written only if with_h. Returns DM_OK, DM_UNAVAILABLE for
// a Lagrangian without third derivatives, or the status of the Lagrangian.
dm_status dm_interval_contract(dm_interval *w, bool with_h, const double *q0, const double *q1,
                               const double *u, double h, const double *mu0, const double *mu1);

// Copy interval l of `many` to a workspace of one: the Hessian (H00 .. H11), or else D1 .. D22 and
// D1u, D2u; with_h also the derivatives by h. Both must have been evaluated to that order.
void dm_interval_pick(const dm_interval *many, int l, bool hessian, bool with_h, dm_interval *one);

DM_END_C
#endif
