#include "cli/stages/grid.h"

#include "cli/console/log.h"
#include "problems/readers/format/number.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_CASES = CLI_MOST_STARTS };

static char *copy_text(const char *text, size_t n) {
  char *out = malloc(n + 1);
  if (!out) return NULL;
  memcpy(out, text, n);
  out[n] = 0;
  return out;
}

static bool parse_number(const char *text, size_t n, double *x) {
  char *word = copy_text(text, n);
  bool good = word && pb_number_parse(word, x) == DM_OK;
  free(word);
  return good;
}

// from:to:count
static int read_interval(cli_axis *a, const cli_args *args, const char *word, const char *values) {
  const char *to = strchr(values, ':') + 1;
  const char *count = strchr(to, ':');

  double from = 0, last = 0;
  char *end = NULL, text[40];
  long n = count ? strtol(count + 1, &end, 10) : 0;

  // two ends and a count, and nothing more
  if (!count || !parse_number(values, (size_t)(to - 1 - values), &from) ||
      !parse_number(to, (size_t)(count - to), &last) || *end || n < 1 || n > MOST_CASES)
    return cli_fail(args, CLI_INPUT,
                    "--vary %s: expected from:to:count, two numbers and how many values, 1 to %d",
                    word, MOST_CASES);

  // several values of an empty interval would be identical cases
  if (n > 1 && from == last)
    return cli_fail(args, CLI_INPUT, "--vary %s: found %ld times the same value", word, n);

  // values are text, parsed as if written in the file: 17 digits are exact; the last value is
  // exactly `last`
  a->text = calloc((size_t)n, sizeof *a->text);
  for (; a->text && a->n < n; a->n++) {
    double s = n > 1 ? (double)a->n / (double)(n - 1) : 0;
    int size = snprintf(text, sizeof text, "%.17g", s < 1 ? from + s * (last - from) : last);
    if (!(a->text[a->n] = copy_text(text, (size_t)size))) break;
  }
  return a->n == n ? CLI_DONE : cli_fail(args, CLI_FAULT, "out of memory");
}

// two numbers separated by dots, an interval in other languages
static bool is_dotted(const char *values) {
  const char *dots = strstr(values, "..");
  double x;
  return dots && parse_number(values, (size_t)(dots - values), &x) &&
         parse_number(dots + 2, strlen(dots + 2), &x);
}

static int read_axis(cli_grid *g, const cli_args *args, const char *word) {
  const char *equals = strchr(word, '=');

  // KEY=VALUES, both nonempty
  if (!equals || equals == word || !equals[1])
    return cli_fail(args, CLI_INPUT,
                    "--vary takes a key and its values, horizon.time=1:3:5 or cost.input=1,2, "
                    "got '%s'",
                    word);
  cli_axis *a = &g->axis[g->n++];
  a->key = copy_text(word, (size_t)(equals - word));
  if (!a->key) return cli_fail(args, CLI_FAULT, "out of memory");

  // each key has one axis
  for (int i = 0; i < g->n - 1; i++)
    if (!strcmp(g->axis[i].key, a->key))
      return cli_fail(args, CLI_INPUT, "%s is varied twice", a->key);

  if (strchr(equals, ':')) return read_interval(a, args, word, equals + 1);
  // a,b,c
  const char *values = equals + 1;
  if (is_dotted(values)) {
    int from = (int)(strstr(values, "..") - values);
    return cli_fail(args, CLI_INPUT,
                    "--vary %s: found '%s', expected from:to:count or a,b,c; did you mean "
                    "'%.*s:%s:5'?",
                    word, values, from, values, values + from + 2);
  }

  // values = commas + 1
  int n = 1;
  for (const char *at = values; *at; at++) n += *at == ',';
  a->text = calloc((size_t)n, sizeof *a->text);
  for (const char *at = values; a->text && a->n < n; a->n++) {
    size_t length = strcspn(at, ",");
    if (!length) return cli_fail(args, CLI_INPUT, "--vary %s: found an empty value", word);
    if (!(a->text[a->n] = copy_text(at, length))) break;
    at += length + 1;
  }

  // equal values would be identical cases
  if (a->n < n) return cli_fail(args, CLI_FAULT, "out of memory");
  for (int i = 1; i < n; i++)
    for (int k = 0; k < i; k++)
      if (!strcmp(a->text[i], a->text[k]))
        return cli_fail(args, CLI_INPUT, "--vary %s: found '%s' twice", word, a->text[i]);
  return CLI_DONE;
}

int cli_grid_read(cli_grid *g, const cli_args *args) {
  // cases are the product of the axes and the initial guesses per case
  *g = (cli_grid){.starts = args->starts > 0 ? (int)args->starts : 1};
  long long cases = g->starts;
  for (int i = 0; i < args->vary.n; i++) {
    int status = read_axis(g, args, args->vary.word[i]);
    if (status != CLI_DONE) return status;
    cases *= g->axis[i].n;
    if (cases > MOST_CASES)
      return cli_fail(args, CLI_INPUT, "found more than %d cases, expected at most that many",
                      MOST_CASES);
  }
  g->cases = (int)cases;
  return CLI_DONE;
}

void cli_grid_free(cli_grid *g) {
  for (cli_axis *a = g->axis; a < g->axis + g->n; a++) {
    for (int i = 0; i < a->n; i++) free(a->text[i]);
    free(a->text);
    free(a->key);
  }
}

int cli_grid_case(const cli_grid *g, int i, pb_replace list[CLI_VARY]) {
  // starts vary fastest
  int start = i % g->starts;
  i /= g->starts;

  // then the last key: a mixed-radix number whose bases are the axes
  for (int a = g->n - 1; a >= 0; a--) {
    list[a] = (pb_replace){.path = g->axis[a].key, .text = g->axis[a].text[i % g->axis[a].n]};
    i /= g->axis[a].n;
  }
  return start;
}

const char *cli_grid_name(const cli_grid *g, int i, char text[256]) {
  pb_replace list[CLI_VARY];
  const int size = 256;

  // only the number if nothing varies
  int start = cli_grid_case(g, i, list);
  int at = snprintf(text, 256, "case %d", i);

  // in parentheses the value of each key, and the start if there are several
  for (int a = 0; a < g->n && at < size; a++)
    at += snprintf(text + at, (size_t)(size - at), "%s%s = %s", a ? ", " : " (", list[a].path,
                   list[a].text);
  if (g->starts > 1 && at < size)
    at += snprintf(text + at, (size_t)(size - at), "%sstart %d", g->n ? ", " : " (", start);
  if ((g->n || g->starts > 1) && at < size) snprintf(text + at, (size_t)(size - at), ")");
  return text;
}
