// control/codegen/number.h: numbers as C constants.
#ifndef FB_CODEGEN_NUMBER_H
#define FB_CODEGEN_NUMBER_H
#include "lib/base/decimal.h"
#include "lib/base/linkage.h"

#include <stdbool.h>
#include <stdio.h>

DM_BEGIN_C

enum { FB_NUMBER = DM_DECIMAL + 3 }; // bytes of the longest constant, and a zero

// x as printed in the text: itself, or the nearest float.
double fb_number_rounded(bool single, double x);

// Write this number as text: the shortest decimal that reads back to the same double, or with %.9g.
void fb_number_put(FILE *f, bool single, double x);

// Write it as a constant, the shortest or with %.9g, that reads back to the same bits: "1.0",
// "0.25F".
void fb_number_write(FILE *f, bool single, double x);

// Write it into text, terminated by a zero; returns its length.
int fb_number_text(bool single, double x, char text[FB_NUMBER]);

DM_END_C
#endif
