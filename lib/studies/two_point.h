// lib/studies/two_point.h: constraints held between knots. A STUDY, NOT FOR USE: nothing else in
// the library depends on it; lib/discrete/del.h is what to take.
//
//   p0 + D1(q0,q1,u,h) - (1-alpha) Dg(m)' lambda = 0      m = (1-alpha) q0 + alpha q1, solved for
//   g(m) = 0                                              the dynamic coordinates of q1 and lambda
//   p1 = D2(q0,q1,u,h) - alpha Dg(m)' lambda
//
// with alpha the place of the rule's one point, between the ends: at alpha = 0 the second equation
// is of q0 alone, at alpha = 1 the first has no lambda.
//
// Along a motion q(t) of mass matrix M these equations at alpha = 1/2 have, beside that motion, a
// second one,
//
//   q_k = q(t_k) + (-1)^k w,   w = M^-1 d/dt (Dg' nu),   Dg dw/dt = 0,
//
// which the midpoints do not see, with (-1)^k 8 nu / h^2 on top of the multipliers. Where the
// normal turns at a rate omega, nu'' = omega^2 nu: it grows as (-1)^k e^(omega t) from whatever
// there is of it, rounding included, whatever the step. The first interval's multiplier is free,
// and says how much there is.
//
// At any other alpha it grows by the step: what g(m) does not see of the knots by
// -(1-alpha)/alpha each, what the equations of motion do not see of the multipliers by
// -alpha/(1-alpha), one of which is beyond 1.
//
// Source: paper 000, eq. 7-10, where (10) must read g(m) = 0; docs/two-point.md; theory section 17.
#ifndef DM_STUDIES_TWO_POINT_H
#define DM_STUDIES_TWO_POINT_H
#include "lib/discrete/del.h"
#include "lib/discrete/stepper.h"

DM_BEGIN_C

// Why it is not for use, in one sentence.
extern const char dm_two_point_warning[];

typedef struct dm_two_point {
  int n, nc;       // coordinates, constraints
  double at;       // alpha
  dm_del *del;     // its interval d, its KKT matrix k with g and Dg of m, lambda, settings
  double *mid;     // [n] m
  double *impulse; // [n] Dg(m)' lambda
  double *weights; // [nc] -alpha (1-alpha) lambda, of the second derivatives of g
  // of its stepper
  const double *next, *first; // [n], [nc] the end and the multiplier of the first interval
  double *start;              // [n] its momenta
  dm_del_info info;           // of the last step
} dm_two_point;

// Can a system's constraints be held between knots? Its rule must have one point, between the ends.
// Returns DM_OK, or DM_BAD_INPUT with a sentence in msg.
dm_status dm_two_point_check(const dm_system *s, dm_message *msg);

// Allocate for a system (copied) that dm_two_point_check takes. Returns DM_OK or DM_NO_MEMORY.
dm_status dm_two_point_new(dm_two_point **out, const dm_system *s);
void dm_two_point_free(dm_two_point *w); // accepts NULL

// The first interval, which is given as it is, g(m) = 0 or not; no kinematic coordinates.
//   q0, q1   its ends                               [n]
//   lambda   its multiplier, lambda_1               [nc]
//   p0, p1   out: momenta that belong to it         [n]
// Returns DM_OK or DM_NOT_FINITE. No allocation.
dm_status dm_two_point_first(dm_two_point *w, const double *q0, const double *q1, const double *u,
                             double h, const double *lambda, double *p0, double *p1);

// One step: arguments and statuses as dm_del_step, and info as there, on the midpoint's
// constraints; dm_del_explain on w->del says why it failed. No allocation.
dm_status dm_two_point_step(dm_two_point *w, const double *q0, const double *p0, const double *u,
                            double h, double *q1, double *p1, dm_del_info *info);

// Its steps, for a simulation (lib/discrete/simulate.h) that starts at some q0: the first interval
// leads to next [n] with the multiplier first [nc], both borrowed. w must outlive it.
dm_stepper dm_two_point_stepper(dm_two_point *w, const double *next, const double *first);

DM_END_C
#endif
