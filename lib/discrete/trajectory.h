// lib/discrete/trajectory.h: a motion on a grid of N steps of mean length h: states at the knots k
// = 0 .. N, inputs and impulses of the steps. Without a grid (lib/discrete/grid.h) all steps are equal.
//
//   t      0        h        2h               N h
//   knot   0 ------ 1 ------ 2 -- .. -------- N        q, p, v [n] each
//             u_0      u_1           u_(N-1)           u [nu], lambda [nc], constant over a step
//
// Programs return it, gains are computed along it, and controllers are tested on it.
// dm_trajectory_certify checks that each step follows from the previous one; dm_trajectory_rollout
// simulates from the start with its inputs.
//
// Source: docs/theory.md section 1; paper 001, eq. 2.
#ifndef DM_DISCRETE_TRAJECTORY_H
#define DM_DISCRETE_TRAJECTORY_H
#include "lib/discrete/del.h"
#include "lib/discrete/grid.h"
#include "lib/discrete/linearize.h"
#include "lib/mechanics/scale.h"

DM_BEGIN_C

typedef struct dm_trajectory {
  int N, n, nu, nc; // steps, coordinates, inputs (forces and kinematic coordinates), constraints
  int nr;           // rows of contacts (dm_system.contacts); 0: none
  double h;         // mean step                                          s
  double *q;        // [(N+1) x n]                                        m or rad
  double *p;        // [(N+1) x n] momenta at the knots                   SI
  double *v;        // [(N+1) x n] velocities at the knots: L_v(q,v) = p, m/s or rad/s, projected on
                    // the constraints (dm_velocity_restrict)
  double *u;        // [N x nu]    constant over each step                N or N m
  double *lambda;   // [N x nc] constraint impulses of each step       N s or N m s
  double *contact;  // [(N+1) x nr] impulses of contacts at the knots  N s or N m s
  double *grid;     // [N+1] times of the knots in mean steps; NULL: equal steps
} dm_trajectory;

// Allocate, zeroed: without constraints; of given sizes; or of the sizes of a system. Returns DM_OK
// or DM_NO_MEMORY.
dm_status dm_trajectory_new(dm_trajectory **out, int N, int n, int nu);
dm_status dm_trajectory_make(dm_trajectory **out, int N, int n, int nu, int nc, int nr);
dm_status dm_trajectory_of(dm_trajectory **out, int N, const dm_system *s);
void dm_trajectory_free(dm_trajectory *x); // accepts NULL

// The length of step k, and the time of knot k [s].
static inline double dm_trajectory_step(const dm_trajectory *x, int k) {
  return x->h * dm_grid_step(x->grid, k);
}

static inline double dm_trajectory_time(const dm_trajectory *x, int k) {
  return x->h * dm_grid_at(x->grid, k);
}

// The time at s, the number of a knot plus a fraction of the step after it [s]; and the s of a time, in [0, N].
static inline double dm_trajectory_at(const dm_trajectory *x, double s) {
  return x->h * dm_grid_time(x->grid, x->N, s);
}

static inline double dm_trajectory_find(const dm_trajectory *x, double t) {
  return dm_grid_find(x->grid, x->N, t / x->h);
}

// The time at the fraction of step k [s].
static inline double dm_trajectory_within(const dm_trajectory *x, int k, double fraction) {
  return x->h * (dm_grid_at(x->grid, k) + fraction * dm_grid_step(x->grid, k));
}

// Copy a grid [N+1] into a trajectory that was allocated; NULL: equal steps.
void dm_trajectory_set_grid(dm_trajectory *x, const double *grid);

// Copy h, the grid and all numbers of a trajectory of the same sizes; impulses if both have them. `to` may have more
// knots; these stay.
void dm_trajectory_copy(dm_trajectory *to, const dm_trajectory *from);

// A, B of the step from knot k < N, as in dm_linearize_step; w must be of the same system.
dm_status dm_trajectory_linearize(const dm_trajectory *x, int k, dm_linearize *w, double *A,
                                  double *B);

// Second derivatives of state i in that step, as in dm_linearize_state; call it after
// dm_trajectory_linearize of the same knot.
dm_status dm_trajectory_linearize_state(const dm_trajectory *x, int k, dm_linearize *w, int i,
                                        double *xx, double *xu, double *uu);

// Compute p and v from q, u, lambda and h by the discrete Legendre transform: p_k = -D1(k) +
// Dh(q_k)' lambda_k, p_N = D2 of the last step; for a kinematic coordinate the velocity of the
// previous step (at the start that of x->v). Returns DM_OK, the failure of the Lagrangian, or
// DM_MAX_ITER with the last iterate of a velocity that did not converge to rounding.
dm_status dm_trajectory_momenta(dm_trajectory *x, const dm_system *s);

// The same in a workspace of the system, without allocation.
typedef struct dm_momenta dm_momenta;
dm_status dm_momenta_new(dm_momenta **out, const dm_system *s); // DM_OK or DM_NO_MEMORY
void dm_momenta_free(dm_momenta *w);                            // accepts NULL
dm_status dm_momenta_fill(dm_momenta *w, dm_trajectory *x);

// Fill all knots with rest at q [n] and all steps with u [nu] and impulses lambda [nc], with the
// corresponding momenta; h must be set. Returns DM_OK or the failure of the Lagrangian.
dm_status dm_trajectory_rest(dm_trajectory *x, const dm_system *s, const double *q, const double *u,
                             const double *lambda);

// Concatenate a and b of the same sizes and mean step; the first knot of b replaces the last one of a.
// Returns DM_OK or DM_NO_MEMORY.
dm_status dm_trajectory_join(dm_trajectory **out, const dm_trajectory *a, const dm_trajectory *b);

// Integrate from x->q, x->p at knot 0 with x->u, filling q, p, v of every later knot, and lambda.
//   failed  out: the knot whose step failed, or -1
// Returns DM_OK, DM_NO_MEMORY, or the status of dm_del_step at that knot; the knots before it are
// filled. Allocates a workspace for velocities. Cost: a step and an evaluation of L per knot.
dm_status dm_trajectory_rollout(dm_trajectory *x, dm_del *w, dm_del_info *info, int *failed);

// The largest difference of q [n], p [n] from those of knot k, relative to scale + |value|.
//   scale  lib/mechanics/scale.h; NULL: 1 for each
double dm_trajectory_miss(const dm_trajectory *x, int k, const dm_scale *scale, const double *q,
                          const double *p);

// The largest difference between one step from knot k and knot k+1, over all knots k < N and the
// coordinates of (q,p), as dm_trajectory_miss; worst: that knot. A failed step counts as
// infinity. Returns DM_OK or DM_NO_MEMORY.
dm_status dm_trajectory_certify(const dm_trajectory *x, dm_del *w, const dm_scale *scale,
                                double *worst_gap, int *worst);

DM_END_C
#endif
