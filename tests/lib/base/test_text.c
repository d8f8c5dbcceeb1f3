// tests/lib/base/test_text.c: plain text is recognized, and other text is made plain.
#include "lib/base/status.h"
#include "lib/base/text.h"
#include "tests/support/cmocka.h"

#include <stdio.h>
#include <string.h>

static const struct {
  const char *text;
  const char *kept;
  int flaw; // where it is; -1: none
  const char *what, *plain;
} rows[] = {
    {"", NULL, -1, "", ""},
    {"left knee, 45 deg", NULL, -1, "", "left knee, 45 deg"},
    {"épaule_Ω_肘_🦾", NULL, -1, "", "épaule_Ω_肘_🦾"},
    {"'\"`$@!{}\\", NULL, -1, "", "'\"`$@!{}\\"},
    {"a\nb\n", NULL, 1, "the control character U+000A", "a?b?"},
    {"a\nb\t", "\n", 3, "the control character U+0009", "a\nb?"},
    {"\033[31mred", NULL, 0, "the control character U+001B", "?[31mred"},
    {"del\x7f", NULL, 3, "the control character U+007F", "del?"},
    {"csi\xc2\x9b", NULL, 3, "the control character U+009B", "csi??"},
    {"\xc2\xa0", NULL, -1, "", "\xc2\xa0"},
    {"a\xe2\x80\xa8z", NULL, 1, "the control character U+2028", "a???z"},
    {"a\xd8\x9cz", NULL, 1, "the control character U+061C", "a??z"},
    {"a\xe2\x80\x8bz", NULL, 1, "the control character U+200B", "a???z"},
    {"a\xe2\x81\xa6z", NULL, 1, "the control character U+2066", "a???z"},
    {"a\xef\xbb\xbf", NULL, 1, "the control character U+FEFF", "a???"},
    {"latin\xe9", NULL, 5, "the byte 0xE9, which is not UTF-8", "latin?"},
    {"cut\xe2\x82", NULL, 3, "the byte 0xE2, which is not UTF-8", "cut??"},
    {"\x80", NULL, 0, "the byte 0x80, which is not UTF-8", "?"},
    {"long/\xc0\xaf", NULL, 5, "the byte 0xC0, which is not UTF-8", "long/??"},
    {"half\xed\xa0\x80", NULL, 4, "the byte 0xED, which is not UTF-8", "half???"},
    {"far\xf4\x90\x80\x80", NULL, 3, "the byte 0xF4, which is not UTF-8", "far????"},
    {"\xf8\x88\x80\x80\x80", NULL, 0, "the byte 0xF8, which is not UTF-8", "?????"},
};

static void flaws_are_found_named_and_mended(void **state) {
  (void)state;
  for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
    char text[64], what[64] = "";
    const char *flaw = dm_text_flaw(rows[i].text, rows[i].kept);
    snprintf(text, sizeof text, "%s", rows[i].text);
    if (flaw) dm_text_describe(flaw, what);
    if (rows[i].flaw != (flaw ? (int)(flaw - rows[i].text) : -1) || strcmp(what, rows[i].what))
      fail_msg("row %zu: found '%s' at %d", i, what, flaw ? (int)(flaw - rows[i].text) : -1);
    assert_string_equal(dm_text_make_plain(text, rows[i].kept, '?'), rows[i].plain);
    assert_null(dm_text_flaw(text, rows[i].kept));
  }
}

// every character there is, written in UTF-8: plain or not, it is taken as one
static void all_characters_are_read_whole(void **state) {
  (void)state;
  for (unsigned long c = 0xa0; c <= 0x10ffff; c++) {
    char text[8] = "";
    int n = c < 0x800 ? 2 : c < 0x10000 ? 3 : 4;
    for (int i = n - 1; i > 0; i--) text[i] = (char)(0x80 | (c >> 6 * (n - 1 - i) & 0x3f));
    text[0] = (char)((0xf00 >> n & 0xff) | c >> 6 * (n - 1));
    int got = dm_text_plain(text);
    if (c >= 0xd800 && c <= 0xdfff)
      assert_int_equal(got, 0);
    else if (got != n && got != 0)
      fail_msg("U+%04lX: %d bytes of %d", c, got, n);
  }
}

// a message that is cut in the middle of a character is whole text still
static void messages_are_plain_text(void **state) {
  (void)state;
  dm_message msg;
  char name[2 * sizeof msg.text];
  for (size_t i = 0; i + 2 < sizeof name; i += 2) memcpy(name + i, "é", 3);
  dm_fail(&msg, DM_BAD_INPUT, "x%s", name);
  assert_int_equal(strlen(msg.text), sizeof msg.text - 1);
  assert_null(dm_text_flaw(msg.text, NULL));
  dm_fail(&msg, DM_BAD_INPUT, "joint '%s'", "j\n\033]0;owned\a");
  assert_string_equal(msg.text, "joint 'j??]0;owned?'");
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(flaws_are_found_named_and_mended),
      cmocka_unit_test(all_characters_are_read_whole),
      cmocka_unit_test(messages_are_plain_text),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
