// lib/multibody/spring_law.h: functions phi(s) of one variable with three derivatives: the energy
// [J] of a spring with length or angle s. A positive tension phi'(s) pulls s down.
//
//   linear          k/2 (s - rest)^2
//   taut            the same for s > rest, else 0: a cord that goes slack; its second derivative is
//                   discontinuous at rest
//   pressed         the same for s < rest, else 0
//   power           c s^n
//   Lennard-Jones   4 depth ((size/s)^12 - (size/s)^6)
//   table           the integral of a tension measured at points, by a natural cubic spline
//
// The `power` and `lennard-jones` laws are potentials between points in problem files. To add a law
// with two parameters, add a function and a row of DM_SPRING_LAWS.
//
// A law may also be user-defined, for example a hardening spring, used with `double k = ...;
// dm_spring_law law = {.eval = cubic, .self = &k};`
//
//   static dm_status cubic(const dm_spring_law *law, double s, double phi[4]) {
//     double k = *(const double *)law->self;
//     phi[0] = k * s * s * s * s / 4, phi[1] = k * s * s * s, phi[2] = 3 * k * s * s;
//     phi[3] = 6 * k * s;
//     return DM_OK;
//   }
#ifndef DM_MULTIBODY_SPRING_LAW_H
#define DM_MULTIBODY_SPRING_LAW_H
#include "lib/base/status.h"

DM_BEGIN_C

// The laws with a keyword in problem files: dm_spring_law_NAME; the keyword; the key, unit and
// range (NULL: none, any) of its first and of its second parameter. No two laws share a key.
#define DM_SPRING_LAWS(X)                                                                          \
  X(power, "power", coefficient, "J/m^exponent", NULL, exponent, NULL, NULL)                       \
  X(lennard_jones, "lennard-jones", depth, "J", NULL, size, "m", "> 0")

typedef struct dm_spring_law dm_spring_law;

// Write phi and its first three derivatives at s. Returns DM_OK or a negative status; the caller
// reports numbers that are not finite as DM_NOT_FINITE.
typedef dm_status (*dm_spring_law_function)(const dm_spring_law *law, double s, double phi[4]);

struct dm_spring_law {
  dm_spring_law_function eval;
  const void *self; // user data; borrowed
  double a, b;      // parameters of the built-in laws
  // table: points [n], tensions, second derivatives of the tension, energies
  int n;
  const double *s, *f, *f_ss, *phi;
};

dm_spring_law dm_spring_law_linear(double stiffness, double rest); // N/m or N m/rad, m or rad
dm_spring_law dm_spring_law_taut(double stiffness, double rest);
dm_spring_law dm_spring_law_pressed(double stiffness, double rest);
dm_spring_law dm_spring_law_power(double coefficient, double exponent); // J at s = 1
dm_spring_law dm_spring_law_lennard_jones(double depth, double size);   // J, m

// Make a law from the tension f [n] measured at ascending s [n], n >= 2: a natural cubic spline
// through the points, so that phi has a continuous third derivative; linear extrapolation beyond
// the ends. phi is 0 at the first point.
//   room  [4 n], kept by the caller while the law is used; s and f are copied
// Returns DM_OK, or DM_BAD_INPUT with a sentence in msg.
dm_status dm_spring_law_table(dm_spring_law *out, int n, const double *s, const double *f,
                              double *room, dm_message *msg);

DM_END_C
#endif
