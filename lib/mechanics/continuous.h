// lib/mechanics/continuous.h: the continuous equations that the discrete map approximates: momenta,
// velocities, accelerations, inverse dynamics and energies of a system at one (q,v).
//
//   p = L_v(q,v)                                          momenta; L_vv is the mass matrix M
//   M a + L_vq v - L_q = tau                              inverse dynamics: tau from a
//   M a + L_vq v - L_q = f(q,v,u) + B u - damping v - Dh'lambda,   Dh a + D2h(v,v) = 0
//                                                         forward dynamics: a and lambda from u
//
// A kinematic coordinate's momentum stands for its velocity, and it does not accelerate: its row of
// M is that of the unit matrix.
//
// Two Lagrangians: p of a state is by the L of steps, which includes the inertia that
// lib/discrete/stiff_damping.h adds; accelerations, inverse dynamics and energies are those of the
// physical L without it.
//
// A workspace is allocated once by _new; nothing else here allocates. Each function costs an
// evaluation of L, O(n^3) where it solves with M, and O(n^2 nc + nc^3) where constraints act.
//
// Source: [marsden-west-2001] in docs/sources.md; docs/theory.md section 4.
#ifndef DM_MECHANICS_CONTINUOUS_H
#define DM_MECHANICS_CONTINUOUS_H
#include "lib/mechanics/system.h"

DM_BEGIN_C

typedef struct dm_continuous {
  dm_system s;
  int n;                     // coordinates
  dm_jet jet;                // L and its derivatives, as last evaluated
  dm_force_jet f;            // of the general forces: f [n]
  double *zero;              // [force.nu] inputs where none are given
  int nd;                    // coordinates that are not prescribed,
  int *dynamic;              // [nd] these
  double *b, *M;             // right-hand side [n], factors of their mass matrix [nd x nd],
  double *L_vv;              // of this one [n x n];
  bool factored;             // there are some
  double *part;              // [nd x max(1, nc)] of a right-hand side
  double *at;                // [2n] (q,v) that dm_velocity_of ended at, with L_vv there,
  bool placed;               // and nothing was evaluated since
  double *h, *Dh;            // of constraints: [nc], [nc x n]
  double *Dh_v;              // the change of Dh along v: rows D2h_i v  [nc x n]
  double *T, *G;             // M^-1 Dh', Dh M^-1 Dh'  [n x nc], [nc x nc]
  int *piv, *mass_piv;       // [nc], [nd] of the factors of G and M
  void *sweep, *force, *hol; // scratch of L, of the forces, of the constraints
} dm_continuous;

// A workspace for s, which is copied; what it points at must outlive it. Returns DM_OK or
// DM_NO_MEMORY.
dm_status dm_continuous_new(dm_continuous **out, const dm_system *s);
void dm_continuous_free(dm_continuous *w);

// The momentum p = L_v(q,v)  [n]. Returns what L returns.
dm_status dm_momentum_of(dm_continuous *w, const double *q, const double *v, double *p);

// v with L_v(q,v) = p [n], by Newton from v on entry (one evaluation where L is quadratic in v), to
// rounding of p, or of 1e-28 times what the guess is off: p may be 0; where L_v itself is rounded
// more coarsely, as near as that lets it come.
// Returns DM_OK, DM_SINGULAR, DM_MAX_ITER.
dm_status dm_velocity_of(dm_continuous *w, const double *q, const double *p, double *v);

// What is at q and has velocity v [n], of the state x = (q,p) [2n]: v as by dm_velocity_of from v
// on entry, on the constraints, and q where the state's lag is made up for
// (lib/discrete/stiff_damping.h). Returns what these return.
dm_status dm_configuration_of(dm_continuous *w, const double *x, double *q, double *v);

// The state x = (q,p) [2n] of what is at q and has velocity v [n].
dm_status dm_state_of(dm_continuous *w, const double *q, const double *v, double *x);

// Take off v [n] what constraints forbid, v - M^-1 Dh' (Dh M^-1 Dh')^-1 Dh v: the least change by
// kinetic energy; what is kinematic stays. A step's p = D2 has an impulse of the constraints' own,
// of size h, that is no motion: so the velocity of a knot is found. Returns DM_OK; DM_SINGULAR
// where constraints depend on one another, or DM_NOT_FINITE, v untouched.
dm_status dm_velocity_restrict(dm_continuous *w, const double *q, double *v);

// The derivatives v_q, v_p [n x n] of the velocity v [n] of a state x = (q,p) [2n], as it was found by
// dm_velocity_of and dm_velocity_restrict, for deviations that keep the constraints:
//   M dv + Dh'dc = dp - (L_vq + c D2h) dq,   Dh dv = -D2h(v,dq)          p = L_v + Dh'c
// What dp has along Dh' moves nothing. Returns what L and the constraints return, DM_SINGULAR where
// they depend on one another.
dm_status dm_velocity_slope(dm_continuous *w, const double *x, const double *v, double *v_q,
                            double *v_p);

// v with L_v(q,v) = p, and the energy [J] there, by one evaluation at v on entry: for a tree, whose
// L is v.L_vv v/2 - V(q); without the energy of what is prescribed. Returns DM_OK, DM_SINGULAR,
// DM_NOT_FINITE.
dm_status dm_tree_state(dm_continuous *w, const double *q, const double *p, double *v,
                        double *energy);

// The acceleration a [n] under inputs u [nu] (NULL: zeros), damping, general forces and
// constraints, for v that keeps these. Returns DM_OK, DM_SINGULAR.
dm_status dm_acceleration(dm_continuous *w, const double *q, const double *v, const double *u,
                          double *a);

// The generalized force tau [n] that gives acceleration a, damping and general forces included
// in it.
dm_status dm_inverse_dynamics(dm_continuous *w, const double *q, const double *v, const double *a,
                              double *tau);

// Kinetic and potential energy [J] of L = v.L_vv v/2 - V(q), springs included: v.L_v/2, and that
// less L. A tree's is zero where every mass is at the world's origin.
dm_status dm_energies(dm_continuous *w, const double *q, const double *v, double *kinetic,
                      double *potential);

// The energy v.L_v - L [J].
dm_status dm_energy(dm_continuous *w, const double *q, const double *v, double *energy);

DM_END_C
#endif
