#include "problems/readers/format/number.h"

#include <ctype.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

static const double pi = 3.14159265358979323846;

static const char *skip_blanks(const char *at) {
  while (*at == ' ' || *at == '\t') at++;
  return at;
}

const char *pb_number_factor(const char *text, double *value) {
  const char *at = text;
  // a constant, as a whole word
  const struct {
    const char *name;
    double value;
  } words[] = {{"pi", pi}, {"deg", pi / 180}, {"rad", 1}};
  for (size_t i = 0; i < sizeof words / sizeof *words; i++) {
    size_t length = strlen(words[i].name);
    if (!strncmp(at, words[i].name, length) && !isalnum((unsigned char)at[length])) {
      *value = words[i].value;
      return at + length;
    }
  }
  // strtod also accepts words and hexadecimal numbers
  if (!isdigit((unsigned char)*at) && *at != '.') return NULL;
  if (at[0] == '0' && tolower((unsigned char)at[1]) == 'x') return NULL;
  char *end;
  *value = strtod(at, &end);
  return end == at ? NULL : end;
}

dm_status pb_number_parse(const char *text, double *value) {
  // reject words that strtod accepts
  const char *word = text + strspn(text, "+-.");
  if (!strcmp(word, "inf") || !strcmp(word, "nan") || !strcmp(word, "Inf") ||
      !strcmp(word, "NaN") || !strcmp(word, "INF") || !strcmp(word, "NAN"))
    return DM_NOT_FINITE;

  // [sign] factor
  const char *at = skip_blanks(text);
  double sign = *at == '-' ? -1 : 1;
  double x, y;
  if (*at == '-' || *at == '+') at = skip_blanks(at + 1);
  at = pb_number_factor(at, &x);
  if (!at) return DM_BAD_INPUT;
  for (;;) {
    // further factors, from left to right
    const char *after = skip_blanks(at);
    if (!*after) break;
    char operation = *after == '/' || *after == '*' ? *after : ' ';
    // adjacent factors need a blank between them: 2 pi, not 2pi or 1e5e5
    if (operation == ' ' && after == at) return DM_BAD_INPUT;
    // two adjacent numbers are a list without commas
    if (operation == ' ' && isdigit((unsigned char)at[-1]) && isdigit((unsigned char)*after))
      return DM_BAD_INPUT;
    if (operation != ' ') after = skip_blanks(after + 1);
    at = pb_number_factor(after, &y);
    if (!at) return DM_BAD_INPUT;
    x = operation == '/' ? x / y : x * y;
  }
  if (!isfinite(x)) return DM_NOT_FINITE;
  *value = sign * x;
  return DM_OK;
}
