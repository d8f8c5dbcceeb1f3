#include "control/codegen/number.h"

#include <string.h>

double fb_number_rounded(bool single, double x) {
  return single ? (double)(float)x : x;
}

// its length
static int find_number_text(bool single, double x, char text[DM_DECIMAL]) {
  // 9 digits bring a float back to the last bit
  if (!single) return dm_decimal_put(x, text);
  return snprintf(text, DM_DECIMAL, "%.9g", fb_number_rounded(single, x));
}

void fb_number_put(FILE *f, bool single, double x) {
  char text[DM_DECIMAL];
  find_number_text(single, x, text);
  fputs(text, f);
}

int fb_number_text(bool single, double x, char text[FB_NUMBER]) {
  int length = find_number_text(single, x, text);

  // as a C constant, "1" would be an integer and have no -0
  const char *end = strpbrk(text, ".e") ? "" : ".0";
  while (*end) text[length++] = *end++;
  if (single) text[length++] = 'F';
  text[length] = 0;
  return length;
}

void fb_number_write(FILE *f, bool single, double x) {
  char text[FB_NUMBER];
  fb_number_text(single, x, text);
  fputs(text, f);
}
