#include "control/codegen/number.h"

#include "lib/base/decimal.h"

#include <string.h>

double fb_number_rounded(bool single, double x) {
  return single ? (double)(float)x : x;
}

static void find_number_text(bool single, double x, char text[DM_DECIMAL]) {
  // 9 digits bring a float back to the last bit
  if (single)
    snprintf(text, DM_DECIMAL, "%.9g", fb_number_rounded(single, x));
  else
    dm_decimal_put(x, text);
}

void fb_number_put(FILE *f, bool single, double x) {
  char text[DM_DECIMAL];
  find_number_text(single, x, text);
  fputs(text, f);
}

// a constant of the language: 1 is an integer, and has no -0
void fb_number_write(FILE *f, bool single, double x) {
  char text[DM_DECIMAL];
  find_number_text(single, x, text);
  fputs(text, f);
  if (!strpbrk(text, ".e")) fputs(".0", f);
  if (single) fputc('F', f);
}
