// tests/cli/test_blocks.c: text cut between characters, curves in blocks.
// clang-format off
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>
// clang-format on
#include "cli/console/terminal.h"

#include <math.h>
#include <string.h>

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

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(text_is_cut_between_characters),
      cmocka_unit_test(a_curve_has_eight_heights),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
