// problems/readers/format/number.h: numbers in the usual notation: 0.5, pi/2, -3*pi/4, 2 pi, 180
// deg.
//
// strtod reads the decimal numbers; none of the libraries that dmoc uses reads pi, units and
// products.
//
//   number = [sign] factor { ("*" | "/" | blank) factor }      from left to right
//   factor = a decimal number | pi | deg (pi/180) | rad (1)
#ifndef PB_FORMAT_NUMBER_H
#define PB_FORMAT_NUMBER_H
#include "lib/base/status.h"

// Parse a whole text as one number. Returns DM_OK, DM_BAD_INPUT if it is not a number, or
// DM_NOT_FINITE if it is infinite or NAN; value is then unchanged.
dm_status pb_number_parse(const char *text, double *value);

// Parse one factor without a sign at the beginning of a text. Returns the rest of the text, or NULL
// if there is no factor. A factor that overflows is INFINITY.
const char *pb_number_factor(const char *text, double *value);
#endif
