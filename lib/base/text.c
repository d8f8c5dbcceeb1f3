#include "lib/base/text.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

// length and code of the UTF-8 character at text; 0 if invalid
static int decode_character(const char *text, unsigned long *code) {
  static const struct {
    unsigned char mask, head; // of the first byte
    unsigned long least;      // smaller codes must use fewer bytes
  } forms[] = {{0x80, 0x00, 0}, {0xe0, 0xc0, 0x80}, {0xf0, 0xe0, 0x800}, {0xf8, 0xf0, 0x10000}};
  const unsigned char *byte = (const unsigned char *)text;

  // the first byte determines the length
  int n = 0;
  while (n < 4 && (byte[0] & forms[n].mask) != forms[n].head) n++;
  if (n == 4) return 0;

  // payload of the first byte, then six bits of each following byte
  *code = byte[0] & (unsigned char)~forms[n].mask;
  for (int i = 1; i <= n; i++) {
    if ((byte[i] & 0xc0) != 0x80) return 0;
    *code = *code << 6 | (byte[i] & 0x3f);
  }

  // invalid: an overlong form, a code beyond Unicode, half of a UTF-16 pair
  bool half = *code >= 0xd800 && *code <= 0xdfff;
  return *code < forms[n].least || *code > 0x10ffff || half ? 0 : n + 1;
}

// returns true for a control character
static bool is_control(unsigned long code) {
  static const unsigned long ranges[][2] = {{0x00, 0x1f},     {0x7f, 0x9f},     {0x61c, 0x61c},
                                            {0x200b, 0x200f}, {0x2028, 0x202e}, {0x2066, 0x2069},
                                            {0xfeff, 0xfeff}};
  for (size_t i = 0; i < sizeof ranges / sizeof *ranges; i++)
    if (code >= ranges[i][0] && code <= ranges[i][1]) return true;
  return false;
}

int dm_text_plain(const char *text) {
  unsigned long code;
  int n = decode_character(text, &code);
  return n && !is_control(code) ? n : 0;
}

// length of a plain or allowed character at text; 0: neither
static int measure_accepted(const char *text, const char *kept) {
  if (*text >= ' ' && *text <= '~') return 1; // the common case
  if (kept && *text && strchr(kept, *text)) return 1;
  return dm_text_plain(text);
}

const char *dm_text_flaw(const char *text, const char *kept) {
  while (*text) {
    int n = measure_accepted(text, kept);
    if (!n) return text;
    text += n;
  }
  return NULL;
}

const char *dm_text_describe(const char *flaw, char what[64]) {
  unsigned long code;
  if (decode_character(flaw, &code))
    snprintf(what, 64, "the control character U+%04lX", code);
  else
    snprintf(what, 64, "the byte 0x%02X, which is not UTF-8", (unsigned char)*flaw);
  return what;
}

char *dm_text_make_plain(char *text, const char *kept, char instead) {
  for (char *at = text; *at;) {
    int n = measure_accepted(at, kept);
    if (!n) *at = instead;
    at += n ? n : 1;
  }
  return text;
}
