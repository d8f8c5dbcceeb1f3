// lib/contact/complementarity.h: one step under unilateral constraints g(q) >= 0 and holonomic ones
// a(q) = 0: the configuration q1 and the impulses lambda, gamma of
//
//   B(q1) + s G(q_g)'lambda + A(q0)'gamma = 0        a(q1) = 0
//   0 <= lambda,   g(q_c) >= level,   lambda_i (g_i(q_c) - level_i) = 0
//
// with the balance of momenta B = p + D1(q0,q1), or another one, rows G = Dg, A = Da, and q_g = q0
// or q_c, q_c on the way from q0 to q1. Gradient and complementarity may stand at different places,
// so that this is not the condition of a minimum. An active-set method:
//
//   1  take a set of inequalities as closed, g_i(q_c) = level_i; the others have lambda_i = 0
//   2  solve these equations by Newton's method; where that fails, the equations with none closed
//   3  find what is on the wrong side: closed ones that pull, open ones that are violated
//   4  choose a new set, of the closed and the violated ones, by non-negative least squares of the
//      constraints linearized at q1 (lib/base/nnls.h); where it differs, go to 1
//   5  where it stays, what is violated depends on what is closed; accept it if curvature explains it
//
// What depends on others is not closed beside them, so that piles with more contacts than freedoms
// have a solution.
//
// A Newton step, with M1 = dB/dq1, J = (A(q1); dg/dq1) and T = M1^-1 (A(q0)', s G'), is
//
//   (J T) d(gamma; lambda) = (a; g - level) - J M1^-1 r        dq1 = -M1^-1 r - T d(gamma; lambda)
//
// M1 is factored again only where a factor at hand, even one of another step, does not bring the
// residual r down fast; constraints' rows are always those of q1. So a particle system is factored
// once.
//
// Source: paper 002, eq. 28-29, 48, 73-81; theory section 16 in docs/theory.md.
#ifndef DM_CONTACT_COMPLEMENTARITY_H
#define DM_CONTACT_COMPLEMENTARITY_H
#include "lib/base/nnls.h"
#include "lib/discrete/interval.h"
#include "lib/mechanics/unilateral.h"

DM_BEGIN_C

typedef struct dm_complementarity dm_complementarity;

// Evaluate a balance of momenta B at w->q.
//   w->r  out: B                                          [n] N s or N m s
//   M1    out, unless NULL: dB/dq1                        [n x n]
//   size  out: the largest of the terms that cancel in B, each times
//         dm_complementarity_weight                       N m s
// Returns DM_OK or why it has no value.
typedef dm_status (*dm_balance)(void *self, dm_complementarity *w, double *M1, double *size);

// What row i of a balance is multiplied by, so that rows in N s and in N m s compare.
double dm_complementarity_weight(const dm_complementarity *w, int i);

// The balance p + D1(q0,q1) of a variational step; it has no self.
dm_status dm_complementarity_balance(void *self, dm_complementarity *w, double *M1, double *size);

// The equations of a step: where it starts, and how constraints enter.
typedef struct dm_contact_equations {
  dm_balance balance;
  void *self;                  // the balance's own
  const double *q0, *p, *u;    // start, momenta, inputs              [n], [n], [nu]
  double h;                    // step, > 0                           s
  bool moving_gradient;        // q_g is q_c; else it is q0
  double place;                // q_c = q0 + place (q1 - q0)
  double share;                // s
  const double *linearized_at; // x: g is g(x) + Dg(x) (q - x), and q_g is x; NULL: g itself  [n]
  int m;                       // inequalities that take part
  const int *which;            // their numbers; NULL: the first m                        [m]
  const double *level;         // not above zero, in the units of g                       [m]
} dm_contact_equations;

typedef struct dm_complementarity_info {
  int iterations;  // of Newton's method, over all sets
  int factored;    // how many of them factored M1 anew
  int changes;     // new choices of the closed set
  double residual; // of the balance, N s or N m s
  double gap;      // of closed inequalities and of equalities, m or rad
  int worst;       // number of the inequality that could not be settled; -1: none
} dm_complementarity_info;

struct dm_complementarity {
  dm_system s;
  dm_unilateral g;
  dm_interval *d;
  dm_nnls *nnls;
  int n, nc;      // coordinates, equalities
  int max_closed; // inequalities that may be closed at once: no more than coordinates
  int max_iter;   // Newton iterations for a set, default 50
  double tol;     // on the residual over its terms, on gaps over `size`, default 4e-15; within
                  // 1e2 tol a residual may stay that falls no longer, 1e5 tol at worst
  double length;  // m: of the robot and its motion; default: its extent, or 1 where it has none
  double size[2]; // of a step: 1 + |q| of angles, length + |q| of lengths
  dm_contact_equations eq;
  // result
  double *q;      // on entry the guess                                           [n]
  double *lambda; // of those that take part                                      [ng]
  double *gamma;  // on entry the guess                                           [nc]
  bool *closed;   // which of those that take part are closed; on entry the guess [ng]
  // the factor of M1, of use for steps of LU_h by LU_balance
  bool LU_valid;
  double LU_h;
  dm_balance LU_balance;
  double *LU, *M1_diagonal; // [n x n], [n]
  int *piv;                 // [n]
  // constraints
  double *A0, *A1, *a; // Da(q0), Da(q1), a(q1)                           [nc x n], [nc x n], [nc]
  int nclosed;
  int *closed_index;  // which of those that take part are closed          [max_closed]
  int *closed_number; // their numbers among all inequalities              [max_closed]
  double *G, *Gc;     // rows of the closed ones at q_g, at q_c            [max_closed x n]
  double *gc;         // their g(q_c) - level                              [max_closed]
  double *g0;         // their values at q_g                               [ng]
  double *gaps;       // of all that take part: g(q_c) - level             [ng]
  // step 4: candidates for a new set
  int *candidate, *candidate_number;      // as closed_index, closed_number                [ng]
  double *candidate_b, *candidate_lambda; // gaps without impulses, impulses               [ng]
  double *candidate_G, *candidate_WG;     // rows less what equalities take up, in W       [ng x n]
  // scratch
  double *r, *x, *y;   // residual of the balance; a place or Newton's step; that step [n]
  double *T, *S, *c;   // [n x rows], J T [rows x rows], [rows], rows = nc + max_closed
  int *pivS;           // [rows]
  double *J;           // [rows x n]
  double off, terms;   // the largest of the balance's residual and of its terms, N m s
  double relative_gap; // the gap over `size`
  void *hol_scratch, *uni_scratch;
};

// Allocate a workspace for a system and its inequalities (both copied). Returns DM_OK, DM_NO_MEMORY,
// or DM_BAD_INPUT with a sentence in msg for a system with kinematic coordinates.
dm_status dm_complementarity_new(dm_complementarity **out, const dm_system *s,
                                 const dm_unilateral *g, dm_message *msg);
void dm_complementarity_free(dm_complementarity *w); // accepts NULL

// Solve the equations (borrowed while it runs) from the guess in w->q, w->gamma, w->closed: results
// are left there and in w->lambda. Afterwards the interval's D2 stands in w->d (by
// dm_complementarity_balance).
// Returns DM_OK; DM_MAX_ITER where Newton's method or the set does not settle, q the last iterate;
// DM_SINGULAR, DM_NOT_FINITE. Does not allocate. Cost of an iteration: D1, the closed rows, a solve
// of n for each, an LU of their number.
dm_status dm_complementarity_solve(dm_complementarity *w, const dm_contact_equations *eq,
                                   dm_complementarity_info *info);

// The momentum p1 [n] = D2(q0,q1) after a solution by dm_complementarity_balance, plus what is left
// of the balance at q0: so that momenta of translations are kept to rounding, whatever tol.
void dm_complementarity_momentum(const dm_complementarity *w, double *p1);

DM_END_C
#endif
