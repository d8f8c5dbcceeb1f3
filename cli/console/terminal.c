#include "cli/console/terminal.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/ioctl.h>
#include <unistd.h>

enum { USUAL = 80, NARROWEST = 20, HEIGHTS = 8 };

// MPI launchers put a pseudo-terminal between each rank and its output.
static bool is_terminal(FILE *f) {
  return isatty(fileno(f)) && !getenv("OMPI_COMM_WORLD_SIZE") && !getenv("PMI_SIZE");
}

int cli_terminal_width(FILE *f) {
  struct winsize size = {0};
  if (!is_terminal(f)) return 0;
  if (ioctl(fileno(f), TIOCGWINSZ, &size) != 0 || size.ws_col == 0) return USUAL;
  return size.ws_col < NARROWEST ? NARROWEST : size.ws_col;
}

bool cli_terminal_has_colours(FILE *f) {
  const char *no = getenv("NO_COLOR"), *term = getenv("TERM");
  return is_terminal(f) && !(no && *no) && term && *term && strcmp(term, "dumb") != 0;
}

bool cli_terminal_has_blocks(FILE *f) {
  static const char *const order[] = {"LC_ALL", "LC_CTYPE", "LANG"};
  if (!is_terminal(f)) return false;

  // the first variable that is set decides
  for (size_t i = 0; i < sizeof order / sizeof *order; i++) {
    const char *locale = getenv(order[i]);
    if (!locale || !*locale) continue;
    const char *codes = strchr(locale, '.');
    return codes && (strncasecmp(codes, ".utf-8", 6) == 0 || strncasecmp(codes, ".utf8", 5) == 0);
  }
  return false;
}

const char *cli_terminal_colour(FILE *f, cli_colour colour) {
  static const char *const codes[] = {"\033[0m", "\033[31m", "\033[32m", "\033[33m"};
  return cli_terminal_has_colours(f) ? codes[colour] : "";
}

char *cli_terminal_cut(char *text, int width) {
  char *last = text; // start of the previous character
  int count = 0;
  for (char *at = text; *at; at++) {
    const bool follows = ((unsigned char)*at & 0xc0) == 0x80; // continuation byte
    if (follows) continue;
    if (count == width) {
      strcpy(last, width > 0 ? "~" : "");
      break;
    }
    last = at;
    count++;
  }
  return text;
}

// mean of the finite numbers; NAN without a finite number
static double mean_of(const double *x, int first, int after, int stride) {
  double sum = 0;
  int count = 0;
  for (int i = first; i < after; i++) {
    const double value = x[(size_t)i * (size_t)stride];
    if (!isfinite(value)) continue;
    sum += value;
    count++;
  }
  return count ? sum / count : NAN;
}

char *cli_terminal_curve(const double *x, int n, int stride, double low, double high, int width,
                         char *text) {
  char *at = text;
  for (int b = 0; b < width; b++) {
    // the points of this block, at least one
    const int first = (int)((long)b * n / width);
    const int after = (int)(((long)b + 1) * n / width);
    const double mean = mean_of(x, first, after > first ? after : first + 1, stride);
    if (!isfinite(mean)) {
      *at++ = ' ';
      continue;
    }

    // one of eight heights
    const double share = high > low ? (mean - low) / (high - low) : 0;
    const int height = (int)fmin(fmax(share, 0) * HEIGHTS, HEIGHTS - 1);
    *at++ = '\xe2';
    *at++ = '\x96';
    *at++ = (char)(0x81 + height);
  }
  *at = 0;
  return text;
}
