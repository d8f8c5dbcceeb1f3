// lib/studies/two_point.h: constraints held between knots. A STUDY, NOT FOR USE: nothing else in
// the library depends on it; lib/discrete/del.h is what to take.
//
//   p0 + D1(q0,q1,u,h) - Dg(m)' lambda / 2 = 0      m = (q0 + q1) / 2, solved for the dynamic
//   g(m) = 0                                        coordinates of q1 and for lambda
//   p1 = D2(q0,q1,u,h) - Dg(m)' lambda / 2
//
// Along a motion q(t) of mass matrix M these equations have, beside that motion, a second one,
//
//   q_k = q(t_k) + (-1)^k w,   w = M^-1 d/dt (Dg' nu),   Dg dw/dt = 0,
//
// which the midpoints do not see, with (-1)^k 8 nu / h^2 on top of the multipliers. Where the
// normal turns at a rate omega, nu'' = omega^2 nu: it grows as (-1)^k e^(omega t) from whatever
// there is of it, rounding included, whatever the step. The first interval's multiplier is free,
// and says how much there is.
//
// Source: paper 000, eq. 7-10, where (10) must read g(m) = 0; docs/two-point.md.
#ifndef DM_STUDIES_TWO_POINT_H
#define DM_STUDIES_TWO_POINT_H
#include "lib/discrete/del.h"
#include "lib/discrete/stepper.h"

DM_BEGIN_C

// Why it is not for use, in one sentence.
extern const char dm_two_point_warning[];

typedef struct dm_two_point {
  int n, nc;   // coordinates, constraints
  dm_del *del; // its interval d, its KKT matrix k with g and Dg of the midpoint, lambda, settings
  double *mid; // [n] m
  double *impulse; // [n] Dg(m)' lambda / 2
  double *weights; // [nc] -lambda / 4, of the second derivatives of g
  // of its stepper
  const double *next, *first; // [n], [nc] the end and the multiplier of the first interval
  double *start;              // [n] its momenta
  dm_del_info info;           // of the last step
} dm_two_point;

// Allocate for a system (copied), whose rule has no nodes within the step. Returns DM_OK or
// DM_NO_MEMORY.
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
