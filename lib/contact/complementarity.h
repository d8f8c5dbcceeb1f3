// lib/contact/complementarity.h: solves one step under unilateral constraints g(q) >= 0 and
// holonomic constraints a(q) = 0 for the configuration q1 and the impulses lambda, gamma:
//
//   B(q1) + s G(q_g)'lambda + A(q0)'gamma = 0        a(q1) = 0
//   0 <= lambda,   g(q_c) >= level,   lambda_i (g_i(q_c) - level_i) = 0
//
// with the momentum balance B = p + D1(q0,q1) or another one, rows G = Dg, A = Da, q_g = q0 or q_c,
// and q_c between q0 and q1. The gradient and the complementarity condition may use different
// configurations, so that this is not the optimality condition of a minimum. An active-set method:
//
//   1  choose a set of closed inequalities, g_i(q_c) = level_i; the others have lambda_i = 0
//   2  solve these equations by Newton's method; if it fails, solve them with the empty set
//   3  find inequalities of the wrong sign: closed with a negative impulse, or open and violated
//   4  choose a new set among the closed and the violated ones, by nonnegative least squares for
//      the constraints linearized at q1 (lib/contact/row_impulses.h); if it differs, go to 1
//   5  otherwise the violated ones depend on the closed ones; accept if the violation is due to
//      curvature
//
// Dependent inequalities are never closed at the same time, so that stacks with more contacts than
// degrees of freedom have a solution.
//
// A Newton step, with M1 = dB/dq1, J = (A(q1); dg/dq1) and T = M1^-1 (A(q0)', s G'), is
//
//   (J T) d(gamma; lambda) = (a; g - level) - J M1^-1 r        dq1 = -M1^-1 r - T d(gamma; lambda)
//
// M1 is factored again only if the existing factor, possibly of another step, does not reduce the
// residual r fast enough; the rows of the constraints are always those at q1. A particle system is
// therefore factored only once. M1 consists of independent blocks, and J T of the rows that meet in
// one of them is sparse (lib/contact/row_set.h): many bodies cost about as much as their number.
//
// Source: paper 002, eq. 28-29, 48, 73-81; theory section 16 in docs/theory.md.
#ifndef DM_CONTACT_COMPLEMENTARITY_H
#define DM_CONTACT_COMPLEMENTARITY_H
#include "lib/base/diagonal_blocks.h"
#include "lib/contact/row_impulses.h"
#include "lib/discrete/interval.h"
#include "lib/mechanics/unilateral.h"

DM_BEGIN_C

typedef struct dm_complementarity dm_complementarity;

// Evaluate a balance of momenta B at w->q.
//   w->r  out: B                                          [n] N s or N m s
//   M1    out, unless NULL: dB/dq1                        [n x n]
//   size  out: the largest of the canceling terms in B, each times dm_complementarity_weight
//         N m s
// Returns DM_OK or the reason of a failure.
typedef dm_status (*dm_balance)(void *self, dm_complementarity *w, double *M1, double *size);

// The weight of row i of a balance that makes rows in N s and in N m s comparable.
double dm_complementarity_weight(const dm_complementarity *w, int i);

// The balance p + D1(q0,q1) of a variational step; self is not used.
dm_status dm_complementarity_balance(void *self, dm_complementarity *w, double *M1, double *size);

// The equations of a step: initial data and constraints.
typedef struct dm_contact_equations {
  dm_balance balance;
  void *self;                  // argument of the balance
  const double *q0, *p, *u;    // start, momenta, inputs              [n], [n], [nu]
  double h;                    // step, > 0                           s
  bool moving_gradient;        // true: q_g is q_c; false: q_g is q0
  double place;                // q_c = q0 + place (q1 - q0)
  double share;                // s
  const double *linearized_at; // x: g is g(x) + Dg(x) (q - x), and q_g is x; NULL: g itself  [n]
  int m;                       // number of inequalities that participate
  const int *which;            // their indices; NULL: the first m                      [m]
  const double *level;         // <= 0, in the units of g                               [m]
} dm_contact_equations;

typedef struct dm_complementarity_info {
  int iterations;  // of Newton's method, over all sets
  int factored;    // number of iterations that factored M1
  int changes;     // number of changes of the closed set
  double residual; // of the balance, N s or N m s
  double gap;      // of closed inequalities and equalities, m or rad
  int worst;       // index of the inequality that did not settle; -1: none
} dm_complementarity_info;

struct dm_complementarity {
  dm_system s;
  dm_unilateral g;
  dm_interval *d;
  dm_row_set *set;       // of Newton's method
  dm_row_impulses *rows; // of step 4
  int n, nc;             // coordinates, equalities
  int max_closed;        // largest number of closed inequalities: the number of coordinates
  int max_iter;          // Newton iterations for a set, default 50
  double tol;     // on the residual relative to its terms, and on gaps relative to `size`, default
                  // 4e-15; a stagnating residual is accepted below 1e2 tol, at worst below 1e5 tol
  double length;  // m: length scale of the robot and its motion; default: its extent, or 1 if it
                  // does not have one
  double size[2]; // scales of a step: 1 + |q| for angles, length + |q| for lengths
  dm_contact_equations eq;
  // result
  double *q;      // on entry the guess                                           [n]
  double *lambda; // of the participating inequalities                            [ng]
  double *gamma;  // on entry the guess                                           [nc]
  bool *closed;   // participating inequalities that are closed; on entry the guess [ng]
  // M1 and its factors, valid for steps M1_h of the balance M1_balance
  bool M1_valid;
  double M1_h;
  dm_balance M1_balance;
  double *M1, *M1_diagonal; // [n x n], [n]
  dm_diagonal_blocks *factors;
  // constraints
  double *A0, *A1, *a; // Da(q0), Da(q1), a(q1)                           [nc x n], [nc x n], [nc]
  dm_sparse_rows A;    // rows of A1
  int nclosed;
  int *closed_index;    // closed ones among the participating               [max_closed]
  int *closed_number;   // their indices among all inequalities              [max_closed]
  dm_sparse_rows G, Gc; // their rows at q_g, at q_c
  double *gc;           // their g(q_c) - level                              [max_closed]
  double *g0;           // their values at q_g                               [ng]
  double *gaps;         // of all participating: g(q_c) - level             [ng]
  // step 4: candidates for a new set
  int *candidate, *candidate_number;      // as closed_index, closed_number                [ng]
  double *candidate_b, *candidate_lambda; // gaps without impulses, impulses               [ng]
  dm_sparse_rows candidate_G;             // their rows
  bool *candidate_in;                     // those with an impulse                         [ng]
  // scratch
  double *r, *x, *y; // residual of the balance; a configuration or the Newton step; that step [n]
  double *c;         // [nc + max_closed]
  dm_sparse_rows J, B, T; // J; A(q0), s G; M1^-1 times these
  double off, terms;      // largest residual and largest term of the balance, N m s
  double relative_gap;    // gap relative to `size`
  void *hol_scratch, *uni_scratch;
};

// Allocate a workspace for a system and its inequalities (both copied). Returns DM_OK;
// DM_NO_MEMORY; or DM_BAD_INPUT with a sentence in msg if the system has kinematic coordinates.
dm_status dm_complementarity_new(dm_complementarity **out, const dm_system *s,
                                 const dm_unilateral *g, dm_message *msg);
void dm_complementarity_free(dm_complementarity *w); // accepts NULL

// Solve the equations (borrowed during the call) from the guess in w->q, w->gamma, w->closed. The
// results are in these arrays and in w->lambda; with dm_complementarity_balance, w->d then contains
// D2 of the interval. Returns DM_OK; DM_MAX_ITER if Newton's method or the set does not converge,
// with the last iterate in q; DM_SINGULAR, DM_NOT_FINITE. Does not allocate. Cost per iteration:
// D1, the closed rows, a solve with the blocks of M1 that each meets, and sparse factors of J T.
dm_status dm_complementarity_solve(dm_complementarity *w, const dm_contact_equations *eq,
                                   dm_complementarity_info *info);

// The momentum p1 [n] = D2(q0,q1) after a solution with dm_complementarity_balance, plus the
// remaining residual of the balance, so that translational momenta are conserved to rounding for
// any tol.
void dm_complementarity_momentum(const dm_complementarity *w, double *p1);

DM_END_C
#endif
