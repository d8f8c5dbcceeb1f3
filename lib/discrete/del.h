// lib/discrete/del.h: one step of the discrete Euler-Lagrange equations in position-momentum form.
//
//   p0 + D1(q0,q1,u,h) - Dh(q0)' lambda = 0      solved for the dynamic coordinates of q1 and for
//   h(q1) = 0                                    lambda by Newton's method with a line search
//   p1 = D2(q0,q1,u,h)
//
// Nonholonomic rows have A(q0)'lambda for Dh(q0)'lambda and A(qm)(q1-q0) + h b(qm) = 0 in the middle
// of the step for h(q1) = 0 (lib/discrete/middle_rows.h).
//
// The energy-momentum method applies half of the constraints' impulses at each end, along the
// gradients at the midpoint, so that they do no work:
//
// It conserves the energy of a quadratic system with the midpoint rule
// (lib/studies/energy_momentum.h generalizes it to any system), and it is not symplectic.
//
// Kinematic coordinates of q1 are given in u, and p1 contains their velocity
// (lib/mechanics/system.h).
//
// Source: paper 001, eq. 2 and 28; [gonzalez-1996]; docs/theory.md sections 1 and 18.
#ifndef DM_DISCRETE_DEL_H
#define DM_DISCRETE_DEL_H
#include "lib/discrete/interval.h"
#include "lib/discrete/kkt_matrix.h"

DM_BEGIN_C

typedef struct dm_del_settings {
  int max_iter; // Newton iterations, default 50
  double tol;   // on |p0 + D1| relative to its terms, default 1e-13 (rounding). Rows in N s are
                // compared with rows in N m s by a length (dm_kkt_weight). If the residual stops
                // decreasing, a step is accepted if the residual is below 1e4 tol, or below eps
                // |D12| |q1|, the effect of rounding q1 on D1, which is larger for very short steps
  bool energy_momentum; // constraints as above, default false
} dm_del_settings;

// The defaults above.
dm_del_settings dm_del_default(void);

typedef struct dm_del_info {
  int iterations;
  double residual;  // largest |p0 + D1|, N s or N m s
  double condition; // of the singular matrix, on DM_SINGULAR; else 0
  int worst;        // coordinate of the largest residual, or of the null vector on DM_SINGULAR; n +
                    // row for a constraint
} dm_del_info;

typedef struct dm_del {
  int n, nc; // coordinates, constraints
  dm_interval *d;
  dm_kkt *k;
  dm_del_settings set;
  double *lambda; // [nc] constraint impulses of the last step, N s or N m s; initial guess of the
                  // next
  double *r, *dz; // [nd + nc] residual, Newton step
  double *q;      // [n] trial configuration
  double *qm;     // [n] (q0+q1)/2, and
  double *part;   // [nc] of impulses, of the energy-momentum method
  // largest residual of the momenta, and largest of its terms, both weighted by dm_kkt_weight;
  // largest residual of the constraints relative to its terms
  double off, size, gap;
  double rounding; // effect of rounding q1 on the momenta: max eps |D12| |q1|, for the last D12
} dm_del;

// Allocate for a system (copied); set may be NULL for the defaults. Returns DM_OK or DM_NO_MEMORY.
dm_status dm_del_new(dm_del **out, const dm_system *s, const dm_del_settings *set);
void dm_del_free(dm_del *w); // accepts NULL

// Advance one step.
//   q0, p0  state at t                              [n] rad or m, [n] SI
//   u       inputs held over the step               [nu]
//   h       step, not 0; h < 0 goes backwards    s
//   q1      in: guess (not NULL; q0 is a valid guess), out: configuration at t + h          [n]
//   p1      out: momentum at t + h                  [n]; may be p0
// Returns DM_OK; DM_MAX_ITER with the last iterate in q1; DM_SINGULAR or DM_NOT_FINITE with q1 and
// p1 untouched. Does not allocate. Cost: second derivatives of L and an LU of size n per iteration.
dm_status dm_del_step(dm_del *w, const double *q0, const double *p0, const double *u, double h,
                      double *q1, double *p1, dm_del_info *info);

// Write one sentence on the failure of a step of w, with the knot k and the coordinate (name may be
// NULL) or the constraint.
void dm_del_explain(dm_message *msg, dm_status s, const dm_del *w, const dm_del_info *info, int k,
                    const char *const *name);

DM_END_C
#endif
