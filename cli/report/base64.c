#include "cli/report/base64.h"

#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

static const char letter[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

// the bytes of a float, little-endian
static void put_float(double x, unsigned char *at) {
  const float rounded = isfinite(x) ? (float)x : NAN;
  uint32_t word;
  memcpy(&word, &rounded, sizeof word);
  for (int i = 0; i < 4; i++) at[i] = (unsigned char)(word >> 8 * i);
}

dm_status cli_base64_numbers(cli_json *obj, const char *key, const double *x, size_t n) {
  const size_t size = 4 * n, length = (size + 2) / 3 * 4;
  unsigned char *bytes = malloc(size + 1);
  char *text = malloc(length + 1);
  if (!bytes || !text) {
    free(bytes);
    free(text);
    return DM_NO_MEMORY;
  }

  // convert floats to bytes, and each three bytes to four characters
  for (size_t i = 0; i < n; i++) put_float(x[i], bytes + 4 * i);
  for (size_t i = 0; i < size; i += 3) {
    // encode up to three bytes as four characters
    const size_t left = size - i;
    char *out = text + i / 3 * 4;
    const unsigned b = left > 1 ? (bytes + i)[1] : 0, c = left > 2 ? (bytes + i)[2] : 0;
    const unsigned word = (unsigned)(bytes + i)[0] << 16 | b << 8 | c;
    for (int j = 0; j < 4; j++) out[j] = letter[word >> (18 - 6 * j) & 63];
    if (left < 3) out[3] = '=';
    if (left < 2) out[2] = '=';
  }
  text[length] = 0;
  cli_json_text(obj, key, text);
  free(bytes);
  free(text);
  return DM_OK;
}
