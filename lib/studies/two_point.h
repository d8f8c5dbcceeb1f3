// lib/studies/two_point.h: constraints enforced between knots. A STUDY, NOT FOR USE: nothing else
// in the library depends on it; use lib/discrete/del.h.
//
//   p0 + D1(q0,q1,u,h) - (1-alpha) Dg(m)' lambda = 0      m = (1-alpha) q0 + alpha q1, solved for
//   g(m) = 0                                              the dynamic coordinates of q1 and lambda
//   p1 = D2(q0,q1,u,h) - alpha Dg(m)' lambda
//
// with alpha the position of the rule's single point, strictly between the ends: for alpha = 0 the
// second equation depends on q0 only, for alpha = 1 the first does not contain lambda.
//
// For a motion q(t) with mass matrix M, these equations at alpha = 1/2 have a second, oscillating
// solution,
//
//   q_k = q(t_k) + (-1)^k w,   w = M^-1 d/dt (Dg' nu),   Dg dw/dt = 0,
//
// which is not visible at the midpoints, with an additional (-1)^k 8 nu / h^2 in the multipliers.
// If the normal rotates at a rate omega, nu'' = omega^2 nu: the oscillation grows as (-1)^k
// e^(omega t) from its initial amplitude, rounding included, for any step. The multiplier of the
// first interval is free and determines this amplitude.
//
// For any other alpha it grows per step: the component of the knots that g(m) does not see by
// -(1-alpha)/alpha, the component of the multipliers that the equations of motion do not see by
// -alpha/(1-alpha); one of these factors is larger than 1 in magnitude.
//
// Source: paper 000, eq. 7-10, where (10) must read g(m) = 0; docs/two-point.md; theory section 17.
#ifndef DM_STUDIES_TWO_POINT_H
#define DM_STUDIES_TWO_POINT_H
#include "lib/discrete/del.h"
#include "lib/discrete/stepper.h"

DM_BEGIN_C

// The reason why it is not for use, in one sentence.
extern const char dm_two_point_warning[];

typedef struct dm_two_point {
  int n, nc;       // coordinates, constraints
  double at;       // alpha
  dm_del *del;     // with its interval d, its KKT matrix k for g and Dg at m, lambda, settings
  double *mid;     // [n] m
  double *impulse; // [n] Dg(m)' lambda
  double *weights; // [nc] -alpha (1-alpha) lambda, for the second derivatives of g
  // for its stepper
  const double *next, *first; // [n], [nc] end and multiplier of the first interval
  double *start;              // [n] momenta of the first interval
  dm_del_info info;           // of the last step
} dm_two_point;

// Check that a system is supported: its rule must have one point, strictly between the ends.
// Returns DM_OK, or DM_BAD_INPUT with a sentence in msg.
dm_status dm_two_point_check(const dm_system *s, dm_message *msg);

// Allocate for a system (copied) that passes dm_two_point_check. Returns DM_OK or DM_NO_MEMORY.
dm_status dm_two_point_new(dm_two_point **out, const dm_system *s);
void dm_two_point_free(dm_two_point *w); // accepts NULL

// The first interval, accepted as given even if g(m) is not 0; no kinematic coordinates.
//   q0, q1   its ends                               [n]
//   lambda   its multiplier, lambda_1               [nc]
//   p0, p1   out: its momenta                       [n]
// Returns DM_OK or DM_NOT_FINITE. No allocation.
dm_status dm_two_point_first(dm_two_point *w, const double *q0, const double *q1, const double *u,
                             double h, const double *lambda, double *p0, double *p1);

// One step: arguments, status and info as in dm_del_step, with constraints at the midpoint; on
// failure call dm_del_explain with w->del. No allocation.
dm_status dm_two_point_step(dm_two_point *w, const double *q0, const double *p0, const double *u,
                            double h, double *q1, double *p1, dm_del_info *info);

// The steps as a dm_stepper (lib/discrete/simulate.h) for a simulation from q0: the first interval
// leads to next [n] with the multiplier first [nc], both borrowed. w must outlive it.
dm_stepper dm_two_point_stepper(dm_two_point *w, const double *next, const double *first);

DM_END_C
#endif
