// lib/discrete/del.h: one step of the discrete Euler-Lagrange equations in position-momentum form.
//
//   p0 + D1(q0,q1,u,h) - Dh(q0)' lambda = 0      solved for the dynamic coordinates of q1 and for
//   h(q1) = 0                                    lambda by Newton's method with a line search
//   p1 = D2(q0,q1,u,h)
//
// The energy-momentum method is the same with constraints' impulses in halves, along the gradients
// in the middle, which they do no work along:
//
//   p0 + D1 - Dh((q0+q1)/2)' lambda/2 = 0,   h(q1) = 0,   p1 = D2 - Dh((q0+q1)/2)' lambda/2
//
// It keeps the energy of a quadratic system by the midpoint rule (lib/studies/energy_momentum.h goes
// on from there to any system), and is
// not symplectic.
//
// Kinematic coordinates of q1 are given in u, and p1 holds their velocity (lib/mechanics/system.h).
//
// Source: paper 001, eq. 2 and 28; [gonzalez-1996]; docs/theory.md sections 1 and 18.
#ifndef DM_DISCRETE_DEL_H
#define DM_DISCRETE_DEL_H
#include "lib/discrete/interval.h"
#include "lib/discrete/kkt_matrix.h"

DM_BEGIN_C

typedef struct dm_del_settings {
  int max_iter; // Newton iterations, default 50
  double tol;   // on |p0 + D1| over the size of its terms, default 1e-13: rounding. Rows in N s are
                // compared with rows in N m s by a length (dm_kkt_weight). A step whose
                // residual no longer falls is taken when it is below 1e4 tol, or below what the
                // rounding of q1 alone makes of D1, eps |D12| |q1|: steps may be so short that
                // this is more
  bool energy_momentum; // constraints as above, default false
} dm_del_settings;

// The defaults above.
dm_del_settings dm_del_default(void);

typedef struct dm_del_info {
  int iterations;
  double residual;  // |p0 + D1| where it is largest, N s or N m s
  double condition; // of the matrix that is singular, on DM_SINGULAR; else 0
  int worst;        // coordinate of the largest residual; of the null vector on DM_SINGULAR; where
                    // it is a constraint, n + its row
} dm_del_info;

typedef struct dm_del {
  int n, nc; // coordinates, constraints
  dm_interval *d;
  dm_kkt *k;
  dm_del_settings set;
  double *lambda; // [nc] constraint impulses of the last step, N s or N m s: the next one's guess
  double *r, *dz; // [nd + nc] residual, Newton step
  double *q;      // [n] trial
  double *qm;     // [n] (q0+q1)/2, and
  double *part;   // [nc] of impulses, of the energy-momentum method
  // the largest of the momenta's residual, and of its terms, by dm_kkt_weight; of the constraints', over
  // its terms, there
  double off, size, gap;
  double rounding; // of the momenta's residual by that of q1: max eps |D12| |q1|, at the last D12
} dm_del;

// Allocate for a system (copied); set may be NULL for the defaults. Returns DM_OK or DM_NO_MEMORY.
dm_status dm_del_new(dm_del **out, const dm_system *s, const dm_del_settings *set);
void dm_del_free(dm_del *w); // accepts NULL

// Advance one step.
//   q0, p0  state at t                              [n] rad or m, [n] SI
//   u       inputs held over the step               [nu]
//   h       step, not 0; below 0 it goes back       s
//   q1      in: guess (NULL guess is not allowed; q0 will do), out: configuration at t + h  [n]
//   p1      out: momentum at t + h                  [n]; may be p0
// Returns DM_OK; DM_MAX_ITER with the last iterate in q1; DM_SINGULAR or DM_NOT_FINITE with q1 and
// p1 untouched. Does not allocate. Cost: second derivatives of L and an LU of size n an iteration.
dm_status dm_del_step(dm_del *w, const double *q0, const double *p0, const double *u, double h,
                      double *q1, double *p1, dm_del_info *info);

// One sentence on why a step of w failed, with the knot k and the coordinate (name may be NULL) or
// the constraint.
void dm_del_explain(dm_message *msg, dm_status s, const dm_del *w, const dm_del_info *info, int k,
                    const char *const *name);

DM_END_C
#endif
