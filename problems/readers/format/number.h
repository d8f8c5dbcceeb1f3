// problems/readers/format/number.h: numbers as people write them: 0.5, pi/2, -3*pi/4, 2 pi, 180
// deg.
//
// strtod reads the decimal numbers; pi, units and products no library that dmoc is built on reads.
//
//   number = [sign] factor { ("*" | "/" | blank) factor }      from left to right
//   factor = a decimal number | pi | deg (pi/180) | rad (1)
#ifndef PB_FORMAT_NUMBER_H
#define PB_FORMAT_NUMBER_H
#include "lib/base/status.h"

// Read a whole text as one number. Returns DM_OK; DM_BAD_INPUT where it is not a number;
// DM_NOT_FINITE where it is infinite, or not a number in the other sense; value untouched then.
dm_status pb_number_parse(const char *text, double *value);

// One factor at the beginning of a text, without a sign: what stands behind it, or NULL where none
// does. One that is too large is INFINITY.
const char *pb_number_factor(const char *text, double *value);
#endif
