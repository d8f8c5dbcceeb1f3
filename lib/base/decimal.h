// lib/base/decimal.h: a double as the shortest decimal that reads back to it, and the double that a
// decimal is.
//
//   0.05, 1e-05, 1e+20        where %.17g has 0.050000000000000003
//
// The form is that of %.17g. An interval around x, half way to its neighbours, holds the decimals that
// read back to x; the shortest in it, and of these the nearest, is found with 128-bit arithmetic,
// without trial and error. Below 1e-38 and above 1e56 it is found by trial from 15 digits on.
//
// A decimal of up to 19 digits is scaled by the same table of powers, whose error of less than its last
// bit matters only next to half way between two doubles: what is there is left to strtod.
//
// Source: [giulietti-2020], [lemire-2021] in docs/sources.md.
#ifndef DM_BASE_DECIMAL_H
#define DM_BASE_DECIMAL_H

enum { DM_DECIMAL = 32 }; // bytes of the longest text, and a zero

// Write x as text, ended by a zero; returns its length. -0 is "-0"; what is not finite is as %g has it.
// Cost: a quarter of snprintf's.
int dm_decimal_put(double x, char text[DM_DECIMAL]);

// The number that text begins with, to the last bit that of strtod, and *end behind it; where there is
// none, 0 and *end at text. Cost: a third of strtod's for decimals of up to 19 digits between 1e-20 and
// 1e55 times them; the rest is strtod's.
double dm_decimal_read(const char *text, char **end);
#endif
