#include "cli/pictures/plot_text.h"

#include "lib/base/text.h"

#include <string.h>

static const char apostrophe[] = "\xe2\x80\x99", ellipsis[] = "\xe2\x80\xa6";

// a quote and a line's end alone are words of gnuplot's own there; a quote becomes an apostrophe:
// two of them at the beginning would be an empty text
void cli_text_quote(FILE *f, const char *text) {
  fputc('\'', f);
  while (*text) {
    // a letter of one or several bytes; 0: not plain
    int n = dm_text_plain(text);
    if (*text == '\'')
      fputs(apostrophe, f);
    else if (n)
      fwrite(text, 1, (size_t)n, f);
    else
      fputc('_', f);
    text += n ? n : 1;
  }
  fputc('\'', f);
}

void cli_text_markup(FILE *f, const char *text) {
  static const struct {
    char sign;
    const char *name;
  } signs[] = {{'&', "&amp;"}, {'<', "&lt;"}, {'>', "&gt;"}, {'"', "&quot;"}, {'\'', "&#39;"}};
  while (*text) {
    // a sign of markup by its name, a letter as it is, a byte of none as '_'
    const int n = dm_text_plain(text);
    size_t i = 0;
    while (i < sizeof signs / sizeof *signs && signs[i].sign != *text) i++;
    if (i < sizeof signs / sizeof *signs)
      fputs(signs[i].name, f);
    else if (n)
      fwrite(text, 1, (size_t)n, f);
    else
      fputc('_', f);
    text += n ? n : 1;
  }
}

// bytes of the letter that text begins with
static int find_letter(const char *text) {
  int n = dm_text_plain(text);
  return n ? n : 1;
}

int cli_text_letters(const char *text) {
  int n = 0;
  for (; *text; text += find_letter(text)) n++;
  return n;
}

// of one letter: those of DejaVu Sans, which are wider than Helvetica's
static double find_width(const char *letter) {
  const unsigned char c = (unsigned char)*letter;
  if (c >= 0xe1) return 1.05; // ideographs, and what else stands far behind
  if (c >= 0x80) return 0.7;
  if (strchr("ijlI", c)) return 0.3;
  if (strchr("fr t.,:;'|!()[]{}/-", c)) return 0.42;
  if (strchr("mMW@%", c)) return 1;
  if (strchr("w+=<>~#", c)) return 0.84;
  return c >= 'A' && c <= 'Z' ? 0.76 : 0.64;
}

double cli_text_width(const char *text) {
  double sum = 0;
  for (; *text; text += find_letter(text)) sum += find_width(text);
  return sum;
}

const char *cli_text_fit(const char *text, double width, char *out, size_t size) {
  const size_t length = strlen(text);
  const char *end = text + length;
  if (cli_text_width(text) <= width && length < size) return memcpy(out, text, length + 1);

  // as many letters from the front as fill half of the room
  const char *head = text, *tail = end;
  for (double used = 0.5; *head && (used += find_width(head)) < width / 2;)
    head += find_letter(head);

  // the same from the back: the shortest tail that is too wide, less its first letter
  for (tail = head; *tail && cli_text_width(tail) > width / 2 - 0.5;) tail += find_letter(tail);
  snprintf(out, size, "%.*s%s%s", (int)(head - text), text, ellipsis, tail);
  return out;
}
