// lib/contact/complementarity.h: one step under inequalities: the configuration q1 and the impulses
// of
//
//   B(q1) + s G(q_g)'lambda + A(q0)'gamma = 0        a(q1) = 0
//   0 <= lambda,   g(q_c) >= level,   lambda_i (g_i(q_c) - level_i) = 0
//
// with B = p + D1(q0,q1), or another balance of momenta, and q_g = q0 or q_c, q_c on the way from
// q0 to q1. Gradient and complementarity may stand at different places, so that this is not the
// condition of a minimum. A set of constraints is taken as held and its equations are solved by
// Newton's method; where something held pulls, or something else is violated, a set is chosen by
// least squares of the constraints as they are there (lib/base/nnls.h), until it stays. What
// depends on others is not held beside them, so that piles with more contacts than freedoms have a
// solution.
//
// Newton's matrix is eliminated by M1 = dB/dq1, which is factored again only where a factor at
// hand, of another step even, does not bring the residual down fast; constraints' rows are always
// those of q1. So a particle system is factored once.
//
// Source: paper 002, eq. 28-29, 48, 73-81; theory section 16 in docs/theory.md.
#ifndef DM_CONTACT_COMPLEMENTARITY_H
#define DM_CONTACT_COMPLEMENTARITY_H
#include "lib/base/nnls.h"
#include "lib/discrete/interval.h"
#include "lib/multibody/contact_geometry.h"

DM_BEGIN_C

typedef struct dm_complementarity dm_complementarity;

// A balance of momenta B at w->q: writes w->r [n], and M1 [n x n] where it is not NULL; size: that
// of the terms that cancel in it. dm_complementarity_balance is p + D1(q0,q1); it has no self.
typedef dm_status (*dm_balance)(void *self, dm_complementarity *w, double *M1, double *size);
dm_status dm_complementarity_balance(void *self, dm_complementarity *w, double *M1, double *size);

// What a step starts from, and how constraints enter.
typedef struct dm_closing {
  dm_balance balance;
  void *self;               // its
  const double *q0, *p, *u; // [n], [n], [nu]
  double h;
  bool moving;          // q_g is q_c; else q0
  double place;         // q_c: 0 at q0, 1 at q1
  double share;         // s
  const double *linear; // [n] x: g is g(x) + Dg(x) (q - x), and q_g is x; NULL: it is not
  int m;                // inequalities that take part
  const int *which;     // [m] their numbers
  const double *level;  // [m] not above zero
} dm_closing;

typedef struct dm_complementarity_info {
  int iterations, factored, changes; // of Newton, of them with a new M1; of the set
  double residual;                   // of B, N s or N m s
  double gap;                        // of the constraints, m or rad
  int worst;                         // of the inequalities, the one that could not be settled; -1
} dm_complementarity_info;

struct dm_complementarity {
  dm_system s;
  dm_unilateral g;
  dm_interval *d;
  dm_nnls *nnls;
  int n, nc, most; // coordinates, equalities, inequalities that may be held at once
  int max_iter;    // Newton iterations for a set, default 50
  double tol;      // on the residual over its terms, on gaps over 1 + |q|, default 4e-15; within
                   // 1e2 tol a residual may stay that falls no longer, 1e5 tol at worst
  dm_closing at;
  // result
  double *q;      // [n] on entry the guess
  double *lambda; // [ng] of those that take part
  double *gamma;  // [nc] on entry the guess
  bool *held;     // [ng] which of them are held; on entry the guess
  // scratch
  bool kept; // LU is of use, for steps kept_h by kept_balance
  double kept_h;
  dm_balance kept_balance;
  double *LU, *m1;       // [n x n] of M1, [n] its diagonal
  int *piv;              // [n]
  int k, *list, *number; // held: how many, which of those that take part, their numbers  [most]
  double *A0, *A1, *a;   // [nc x n], [nc x n], [nc]
  double *G, *Gc, *gc;   // at q_g, at q_c  [most x n], values [most]
  double *g0;            // values at q_g, of what is held                       [ng]
  double *all;           // of all that take part: g(q_c) - level                [ng]
  // those of which a set is chosen: which, values without impulses, rows, impulses
  int *near, *near_number;      // [ng]
  double *near_b, *near_lambda; // [ng]
  double *near_G, *near_WG;     // [ng x n]
  double *r, *x, *y;            // [n]
  double *T, *S, *c;            // M1^-1 (A0', s G'), its Schur complement, [nc + most]
  int *pivS;
  double *J; // [(nc + most) x n]
  double size, gap;
  void *hol, *uni;
};

// A workspace for a system and its inequalities (both copied). Returns DM_OK, DM_NO_MEMORY, or
// DM_BAD_INPUT with a sentence in msg for a system with kinematic coordinates.
dm_status dm_complementarity_new(dm_complementarity **out, const dm_system *s,
                                 const dm_unilateral *g, dm_message *msg);
void dm_complementarity_free(dm_complementarity *w);

// Solve. Afterwards the interval's D2 stands in w->d (by dm_complementarity_balance).
// Returns DM_OK; DM_MAX_ITER where Newton's method or the set does not settle, q the last iterate;
// DM_SINGULAR, DM_NOT_FINITE. Does not allocate. Cost of an iteration: D1, the held rows, a solve
// of n for each, an LU of their number.
dm_status dm_complementarity_solve(dm_complementarity *w, const dm_closing *at,
                                   dm_complementarity_info *info);

// The momentum D2(q0,q1) after a solution by dm_complementarity_balance, and what is left of the
// balance at q0: so that momenta of translations are kept to rounding, whatever tol.
void dm_complementarity_momentum(const dm_complementarity *w, double *p1);

DM_END_C
#endif
