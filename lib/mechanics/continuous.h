// lib/mechanics/continuous.h: the continuous equations that the discrete map approximates: momenta,
// velocities, accelerations, inverse dynamics and energies of a system at one (q,v).
//
//   p = L_v(q,v)                                          momenta; L_vv is the mass matrix M
//   M a + L_vq v - L_q = tau                              inverse dynamics: tau from a
//   M a + L_vq v - L_q = f(q,v,u) + B u - damping v - Dh'lambda,   Dh a + D2h(v,v) = 0
//                                                         forward dynamics: a and lambda from u
//
// For nonholonomic rows A(q) v + b(q) = 0 the last equation is A a + (A v + b)_q v = 0.
//
// For a kinematic coordinate the momentum is replaced by the velocity, and its acceleration is
// zero: its row of M is a row of the unit matrix.
//
// There are two Lagrangians. The momentum p of a state uses the L of steps, with the inertia that
// lib/discrete/stiff_damping.h adds. Accelerations, inverse dynamics and energies use the physical
// L without it.
//
// Only _new allocates. Each function costs one evaluation of L, O(n^3) if it solves with M, and
// O(n^2 nc + nc^3) if there are constraints.
//
// Source: [marsden-west-2001] in docs/sources.md; docs/theory.md section 4.
#ifndef DM_MECHANICS_CONTINUOUS_H
#define DM_MECHANICS_CONTINUOUS_H
#include "lib/mechanics/system.h"

DM_BEGIN_C

typedef struct dm_continuous {
  dm_system s;
  int n;                     // coordinates
  dm_jet jet;                // last evaluation of L and its derivatives
  dm_force_jet f;            // of the general forces: f [n]
  double *zero;              // [force.nu] inputs, if the caller passes none
  int nd;                    // number of dynamic (not prescribed) coordinates,
  int *dynamic;              // [nd] their indices
  double *b, *M;             // right-hand side [n], factors of the dynamic mass matrix [nd x nd],
  double *L_vv;              // the L_vv of these factors [n x n];
  bool factored;             // factors exist
  double *part;              // [nd x max(1, nc)] dynamic part of a right-hand side
  double *at;                // [2n] (q,v) of the last dm_velocity_of, with L_vv evaluated there,
  bool placed;               // and no evaluation has followed
  double *h, *Dh;            // of constraints: [nc], [nc x n]
  double *Dh_v;              // derivative of Dh along v: rows D2h_i v  [nc x n]
  double *drift, *drift_q;   // b and b_q of nonholonomic rows: [nv], [nv x n]
  double *T, *G;             // M^-1 Dh', Dh M^-1 Dh'  [n x nc], [nc x nc]
  int *piv, *mass_piv;       // pivots of the factors of G [nc] and M [nd]
  void *sweep, *force, *hol; // scratch of L, of the forces, of the constraints
} dm_continuous;

// Create a workspace for s, which is copied; the data of s must outlive it. Returns DM_OK or
// DM_NO_MEMORY.
dm_status dm_continuous_new(dm_continuous **out, const dm_system *s);
void dm_continuous_free(dm_continuous *w);

// The momentum p = L_v(q,v)  [n]. Returns the status of L.
dm_status dm_momentum_of(dm_continuous *w, const double *q, const double *v, double *p);

// Find v with L_v(q,v) = p [n], by Newton's method from v on entry (one evaluation if L is
// quadratic in v). The residual is reduced to rounding of p, or to 1e-28 times the initial
// residual, as p may be 0; if L_v is rounded more coarsely, as far as possible. Returns DM_OK,
// DM_SINGULAR, DM_MAX_ITER.
dm_status dm_velocity_of(dm_continuous *w, const double *q, const double *p, double *v);

// The position q and velocity v [n] of the state x = (q,p) [2n]: v as in dm_velocity_of from v on
// entry, projected on the constraints, and q corrected by the state's lag
// (lib/discrete/stiff_damping.h). Returns the status of these functions.
dm_status dm_configuration_of(dm_continuous *w, const double *x, double *q, double *v);

// The state x = (q,p) [2n] for position q and velocity v [n].
dm_status dm_state_of(dm_continuous *w, const double *q, const double *v, double *x);

// Project v [n] on the constraints, v - M^-1 Dh' (Dh M^-1 Dh')^-1 Dh v: the smallest change in
// kinetic energy; kinematic coordinates do not change. A step's p = D2 contains a constraint
// impulse of size h that is not motion, so the velocity of a knot is found in this way. Returns
// DM_OK; DM_SINGULAR if the constraints are dependent, or DM_NOT_FINITE, with v untouched.
dm_status dm_velocity_restrict(dm_continuous *w, const double *q, double *v);

// The derivatives v_q, v_p [n x n] of the velocity v [n] of a state x = (q,p) [2n], found by
// dm_velocity_of and dm_velocity_restrict, for deviations that satisfy the constraints:
//   M dv + Dh'dc = dp - (L_vq + c D2h) dq,   Dh dv = -D2h(v,dq)          p = L_v + Dh'c
// The component of dp along Dh' has no effect. Returns the status of L and of the constraints, or
// DM_SINGULAR if these are dependent.
dm_status dm_velocity_slope(dm_continuous *w, const double *x, const double *v, double *v_q,
                            double *v_p);

// v with L_v(q,v) = p, and the energy [J], from one evaluation at v on entry. For trees, with L =
// v.L_vv v/2 - V(q); without the energy of prescribed coordinates. Returns DM_OK, DM_SINGULAR,
// DM_NOT_FINITE.
dm_status dm_tree_state(dm_continuous *w, const double *q, const double *p, double *v,
                        double *energy);

// The acceleration a [n] for inputs u [nu] (NULL: zeros), damping, general forces and constraints;
// v must satisfy the constraints. Returns DM_OK, DM_SINGULAR.
dm_status dm_acceleration(dm_continuous *w, const double *q, const double *v, const double *u,
                          double *a);

// The forces lambda [nc] of the constraints in these equations: an impulse of a step of length h is near h lambda. Returns
// as dm_acceleration.
dm_status dm_constraint_forces(dm_continuous *w, const double *q, const double *v, const double *u,
                               double *lambda);

// The generalized force tau [n] for the acceleration a; it includes damping and general forces.
dm_status dm_inverse_dynamics(dm_continuous *w, const double *q, const double *v, const double *a,
                              double *tau);

// Kinetic and potential energy [J] for L = v.L_vv v/2 - V(q), springs included: v.L_v/2, and
// v.L_v/2 - L. The potential energy of a tree is zero with all masses at the world's origin.
dm_status dm_energies(dm_continuous *w, const double *q, const double *v, double *kinetic,
                      double *potential);

// The energy v.L_v - L [J].
dm_status dm_energy(dm_continuous *w, const double *q, const double *v, double *energy);

DM_END_C
#endif
