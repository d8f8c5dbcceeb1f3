// lib/discrete/linearize.h: exact derivatives of a step x1 = f(x0,u), x = (q,p), u = (forces, next
// values of kinematic coordinates).
//
// First order, with S the KKT matrix of lib/discrete/kkt_matrix.h and z = (q1 dynamic, lambda):
//
//   S z_q = -(D11 - D2h(q0)'lambda)    S z_p = -1    S z_u = -D1u    S z_rho = -(D12; Dh(q1))
//   p1_y = D22 q1_y + (D21 | 0 | D2u)
//
// The rows of constraints have 0 on the right, except nonholonomic ones: -g_q0 in S z_q and -g_h in
// S z_h (lib/discrete/middle_rows.h).
//
//   A [2n x 2n],  B [2n x ni],  row-major,  ni = nu + nk
//
// If the step is free, h is an additional, last input: ni = nu + nk + 1, S z_h = -(D1h; 0) and p1_h
// = D22 q1_h + D2h.
//
// Second order, contracted with an adjoint zeta of x1: with (mu,nu) from the transposed matrix,
// S'(mu,nu) = -(zeta_q + D22'zeta_p, eta), the Hessian of zeta.f + eta.lambda is the Hessian of
//
//   mu.(D1 - Dh(q0)'lambda) + nu.h(q1) + zeta_p.D2
//
// by (q0,q1,lambda,h), transformed to (x0,u) by the chain rule with the first derivatives: one
// contraction of the discrete action, one of the constraints, and matrix products.
//
// Source: paper 001, sections III to VI (eq. 30 and 32 corrected); docs/theory.md section 5.
#ifndef DM_DISCRETE_LINEARIZE_H
#define DM_DISCRETE_LINEARIZE_H
#include "lib/discrete/interval.h"
#include "lib/discrete/kkt_matrix.h"

DM_BEGIN_C

typedef struct dm_linearize {
  dm_interval *d;
  dm_kkt *k;
  int n, nu, nk, nc; // coordinates, forces, kinematic coordinates, constraints
  int nv;            // of these nonholonomic
  int nh, ni;        // 1 if the step is free, else 0; inputs, nu + nk + nh
  int m;             // 2n + nk + nh columns: q, p, rho, h; columns by forces are multiples of those
                     // by p
  double *E;         // [(nd + nc) x (nd + nk)] S^-1 (1; 0), S^-1 (D12; Dh(q1))
  double *C;         // [nd x n] D11 - D2h(q0)'lambda, dynamic rows
  double *V;         // [(nd + nc) x (n + nh)] S^-1 (0; g_q0 | g_h), with nonholonomic rows
  double *Q;         // [(nd + nc) x n]
  double *q1_y;      // [n x m]
  double *lambda_y;  // [nc x m] directly after q1_y
  // second order
  double *adjoint;     // [nd + nc] mu, nu
  double *mu, *zeta_p; // [n]
  double *holds;       // [nc] nu of holonomic rows alone, beside nonholonomic ones
  double *T, *J;       // [n x n], [nc x n]
  double *R, *Z;       // [(n + nc) x m], [m x m]
  double *unit;        // [2n]
  double *rate;        // [nk] (rho - q0)/h
} dm_linearize;

// Allocate a workspace for a system; s is copied. Returns DM_OK or DM_NO_MEMORY.
dm_status dm_linearize_new(dm_linearize **out, const dm_system *s);

// The same with the step as the last input: ni is then nu + nk + 1.
dm_status dm_linearize_new_by_step(dm_linearize **out, const dm_system *s);
void dm_linearize_free(dm_linearize *w); // accepts NULL

// Compute A and B of the step from q0 to q1 [n] with u [nu + nk], h [s] and multipliers lambda [nc]
// (NULL without constraints). lambda_y stays in w. B may be NULL without inputs. Returns DM_OK, or
// DM_SINGULAR with the outputs untouched if S is singular. Does not allocate. Cost: second
// derivatives of L, one factorization, products of size n.
dm_status dm_linearize_step(dm_linearize *w, const double *q0, const double *q1, const double *u,
                            const double *lambda, double h, double *A, double *B);

// After dm_linearize_step: the derivatives of the multipliers by x0 and by all inputs.
//   lambda_x [nc x 2n], lambda_u [nc x ni]
void dm_linearize_multipliers(const dm_linearize *w, double *lambda_x, double *lambda_u);

// After dm_linearize_step with the same arguments: the second derivatives of zeta.f, zeta [2n].
//   xx [2n x 2n], xu [2n x ni], uu [ni x ni]
// Returns DM_OK, or DM_UNAVAILABLE for a Lagrangian without third derivatives. Does not allocate.
dm_status dm_linearize_second(dm_linearize *w, const double *q0, const double *q1, const double *u,
                              const double *lambda, double h, const double *zeta, double *xx,
                              double *xu, double *uu);

// The same for zeta.f + eta.lambda, eta [nc] (NULL: zeros).
dm_status dm_linearize_contract(dm_linearize *w, const double *q0, const double *q1,
                                const double *u, const double *lambda, double h, const double *zeta,
                                const double *eta, double *xx, double *xu, double *uu);

// The same for a single state i, f_i. States of kinematic coordinates are linear in u: zeros,
// unless the step is free.
dm_status dm_linearize_state(dm_linearize *w, const double *q0, const double *q1, const double *u,
                             const double *lambda, double h, int i, double *xx, double *xu,
                             double *uu);

// The full second derivatives of f, state by state: the twelve blocks of paper 001.
//   xx [2n][2n x 2n], xu [2n][2n x ni], uu [2n][ni x ni]
// States of kinematic coordinates are linear in u: their matrices are zero. Returns as above.
dm_status dm_linearize_tensor(dm_linearize *w, const double *q0, const double *q1, const double *u,
                              const double *lambda, double h, double *xx, double *xu, double *uu);

// Write one sentence on the failure of dm_linearize_step of w at knot k; name [n] may be NULL.
// Returns s.
dm_status dm_linearize_explain(dm_message *msg, dm_status s, const dm_linearize *w, int k,
                               const char *const *name);

DM_END_C
#endif
