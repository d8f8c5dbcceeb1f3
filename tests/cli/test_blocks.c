// tests/cli/test_blocks.c: text cut between characters, curves in blocks, and what a terminal shows.
#define _XOPEN_SOURCE   700 // posix_openpt
#define _DEFAULT_SOURCE     // its size
#include "cli/console/terminal.h"
#include "tests/support/cmocka.h"
#include "tests/support/skips.h"

#include <fcntl.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>

static void text_is_cut_between_characters(void **state) {
  (void)state;
  static const struct {
    const char *text;
    int width;
    const char *cut;
  } cases[] = {
      {"abc", 3, "abc"}, {"abcd", 3, "ab~"}, {"äöü", 3, "äöü"}, {"äöüß", 3, "äö~"},
      {"a∑b", 2, "a~"},  {"abc", 1, "~"},    {"", 3, ""},       {"abc", 0, ""},
  };
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    char text[32];
    strcpy(text, cases[i].text);
    assert_string_equal(cli_terminal_cut(text, cases[i].width), cases[i].cut);
  }
}

static void a_curve_has_eight_heights(void **state) {
  (void)state;
  double x[16];
  char text[CLI_BLOCK * 16 + 1];

  // a line through all heights, each twice; the same as the second column of a table
  for (int i = 0; i < 16; i++) x[i] = i;
  assert_string_equal(cli_terminal_curve(x, 16, 1, 0, 16, 8, text), "▁▂▃▄▅▆▇█");
  assert_string_equal(cli_terminal_curve(x + 1, 8, 2, 1, 15, 8, text), "▁▂▃▄▅▆▇█");

  // fewer points than blocks, a rest, a gap, a value outside
  assert_string_equal(cli_terminal_curve(x, 2, 1, 0, 1, 4, text), "▁▁██");
  assert_string_equal(cli_terminal_curve(x, 1, 1, 0, 0, 3, text), "▁▁▁");
  x[1] = NAN;
  assert_string_equal(cli_terminal_curve(x, 3, 1, 0, 2, 3, text), "▁ █");
  assert_string_equal(cli_terminal_curve(x + 2, 2, 1, 2.9, 2.95, 2, text), "▁█");
}

// the file that a terminal of so many columns stands behind; 0: it does not say how many
static FILE *open_terminal(int columns) {
  const int leader = posix_openpt(O_RDWR | O_NOCTTY);
  const struct winsize size = {.ws_row = 24, .ws_col = (unsigned short)columns};
  if (leader < 0 || grantpt(leader) != 0 || unlockpt(leader) != 0) return NULL;
  const char *name = ptsname(leader);
  FILE *f = name ? fopen(name, "r+") : NULL;
  if (f) assert_int_equal(ioctl(fileno(f), TIOCSWINSZ, &size), 0);
  return f;
}

// a variable of the environment; NULL: it is not there
static void set_variable(const char *name, const char *value) {
  if (value)
    setenv(name, value, 1);
  else
    unsetenv(name);
}

static void terminals_are_as_wide_as_they_say(void **state) {
  (void)state;
  static const int widths[][2] = {{0, 80}, {1, 20}, {19, 20}, {20, 20}, {100, 100}};
  unsetenv("OMPI_COMM_WORLD_SIZE");
  unsetenv("PMI_SIZE");
  for (size_t i = 0; i < sizeof widths / sizeof *widths; i++) {
    FILE *f = open_terminal(widths[i][0]);
    if (!f) skip_test("there are no terminals here");
    assert_int_equal(cli_terminal_width(f), widths[i][1]);

    // ranks have one between them and what they write to
    setenv("PMI_SIZE", "2", 1);
    assert_int_equal(cli_terminal_width(f), 0);
    unsetenv("PMI_SIZE");
    fclose(f);
  }
  FILE *f = tmpfile();
  assert_int_equal(cli_terminal_width(f), 0);
  assert_false(cli_terminal_has_colours(f));
  assert_false(cli_terminal_has_blocks(f));
  assert_string_equal(cli_terminal_colour(f, CLI_RED), "");
  fclose(f);
}

static void the_environment_says_what_a_terminal_shows(void **state) {
  (void)state;
  static const struct {
    const char *name, *value;
    bool colours, blocks;
  } rows[] = {
      {"TERM", "xterm", true, true},    {"TERM", "dumb", false, true},
      {"TERM", "", false, true},        {"TERM", NULL, false, true},
      {"NO_COLOR", "", true, true},     {"NO_COLOR", "1", false, true},
      {"LC_ALL", "C", true, false},     {"LC_ALL", "", true, true},
      {"LC_ALL", "C.utf8", true, true}, {"LC_ALL", "C.latin1", true, false},
      {"LANG", NULL, true, false},      {"LANG", "C.UTF-8", true, true},
  };
  FILE *f = open_terminal(80);
  if (!f) skip_test("there are no terminals here");
  for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
    set_variable("TERM", "xterm");
    set_variable("NO_COLOR", NULL);
    set_variable("LC_ALL", NULL);
    set_variable("LC_CTYPE", NULL);
    set_variable("LANG", "C.UTF-8");
    set_variable(rows[i].name, rows[i].value);
    assert_int_equal(cli_terminal_has_colours(f), rows[i].colours);
    assert_int_equal(cli_terminal_has_blocks(f), rows[i].blocks);
    assert_string_equal(cli_terminal_colour(f, CLI_RED), rows[i].colours ? "\033[31m" : "");
  }
  fclose(f);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(text_is_cut_between_characters),
      cmocka_unit_test(a_curve_has_eight_heights),
      cmocka_unit_test(terminals_are_as_wide_as_they_say),
      cmocka_unit_test(the_environment_says_what_a_terminal_shows),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
