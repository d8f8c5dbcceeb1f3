// lib/base/decimal.h: converts a double to the shortest decimal that reads back to it, and a
// decimal to a double.
//
//   0.05, 1e-05, 1e+20        instead of 0.050000000000000003 by %.17g
//
// The format is that of %.17g. The decimals that read back to x form an interval that extends half
// way to its neighbors; 128-bit arithmetic finds the shortest decimal in it, and among those the
// nearest, without trial and error. Below 1e-38 and above 1e56 it is found by trial with 15 or more
// digits.
//
// A decimal of up to 19 digits is scaled by the same table of powers. The table's error, below its
// last bit, matters only close to the middle between two doubles; such cases are left to strtod.
//
// Source: [giulietti-2020], [lemire-2021] in docs/sources.md.
#ifndef DM_BASE_DECIMAL_H
#define DM_BASE_DECIMAL_H

enum { DM_DECIMAL = 32 }; // bytes of the longest text including the terminating zero

// Write x as zero-terminated text; returns its length. -0 is "-0"; values that are not finite are
// written as by %g. Cost: a quarter of snprintf.
int dm_decimal_put(double x, char text[DM_DECIMAL]);

// Read the number at the start of text, with the same result as strtod to the last bit; *end points
// after it. If there is none, returns 0 with *end = text. Cost: a third of strtod for decimals of
// up to 19 digits times 1e-20 to 1e55; otherwise that of strtod.
double dm_decimal_read(const char *text, char **end);
#endif
