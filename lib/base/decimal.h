// lib/base/decimal.h: a double as the shortest decimal that reads back to it.
//
//   0.05, 1e-05, 1e+20        where %.17g has 0.050000000000000003
//
// The form is that of %.17g. An interval around x, half way to its neighbours, holds the decimals that
// read back to x; the shortest in it, and of these the nearest, is found with 128-bit arithmetic,
// without trial and error. Below 1e-38 and above 1e36 it is found by trial from 15 digits on.
//
// Source: [giulietti-2020] in docs/sources.md.
#ifndef DM_BASE_DECIMAL_H
#define DM_BASE_DECIMAL_H

enum { DM_DECIMAL = 32 }; // bytes of the longest text, and a zero

// Write x as text, ended by a zero; returns its length. -0 is "-0"; what is not finite is as %g has it.
// Cost: a quarter of snprintf's.
int dm_decimal_put(double x, char text[DM_DECIMAL]);

#endif
