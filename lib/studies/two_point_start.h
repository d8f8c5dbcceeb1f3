// lib/studies/two_point_start.h: a consistent start of constraints between knots (lib/studies/two_point.h): the
// configurations q0, q1 and the first multiplier from which nothing alternates.
//
//   (q0 + q1)/2 = m,   q1 - q0 = h v - 2 M^-1 Dg(m)' s        m on the constraints, v along them
//   A(lambda_1 .. lambda_13) = 0,   A(lambda_13 .. lambda_25) = 0      solved for s and lambda_1
//
//   A(x_1 .. x_13) = 2^-12 sum_j (-1)^j (12 over j) x_(1+j)
//
// A has the gain 1 for alternating parts and (theta/2)^12 for parts that rotate by theta per step. The former have two
// amplitudes per constraint, one that grows and one that decays; both conditions together remove them. Steps leave the
// smooth motion again as rounding grows.
//
// Source: docs/two-point.md.
#ifndef DM_STUDIES_TWO_POINT_START_H
#define DM_STUDIES_TWO_POINT_START_H
#include "lib/studies/two_point.h"

DM_BEGIN_C

// Find the start for a system that passes dm_two_point_check, with alpha = 1/2 and without kinematic coordinates.
//   q, v     middle of the first step and its velocity, on the constraints   [n]
//   u        inputs, constant along 25 steps                                 [nu], or NULL: 0
//   q0, q1   out: ends of the first interval                                 [n]
//   lambda   out: its multipliers                                            [nc]
// Newton's method with differences, which are exact up to the curvature of the motion. Returns DM_OK; DM_MAX_ITER if
// alternating parts stay above 1e-8 of the multipliers; DM_UNAVAILABLE if no constraint acts; the status of a step;
// DM_NO_MEMORY. Allocates.
dm_status dm_two_point_start(const dm_system *s, const double *q, const double *v, const double *u,
                             double h, double *q0, double *q1, double *lambda);

DM_END_C
#endif
