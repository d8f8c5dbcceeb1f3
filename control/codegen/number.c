#include "control/codegen/number.h"

#include <string.h>

double fb_number_rounded(bool single, double x) {
  return single ? (double)(float)x : x;
}

// a constant of the language: 1 is an integer, and has no -0
void fb_number_write(FILE *f, bool single, double x) {
  char text[32];
  // 9 and 17 digits bring a float and a double back to the last bit
  snprintf(text, sizeof text, single ? "%.9g" : "%.17g", fb_number_rounded(single, x));
  const char *point = strpbrk(text, ".e") ? "" : ".0";
  fprintf(f, "%s%s%s", text, point, single ? "F" : "");
}
