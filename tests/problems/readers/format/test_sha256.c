// tests/problems/readers/format/test_sha256.c: digests of the standard's messages, in plain C and by
// the processor's instructions, whatever pieces a message comes in.
#include "problems/readers/format/sha256.h"
#include "tests/support/models.h"

#include <string.h>

// plain C, or the processor's instructions where it has them, from the first byte on
static void begin_digest(pb_sha256 *s, bool plain) {
  pb_sha256_init(s);
  if (plain)
    s->way = PB_SHA256_PLAIN;
  else
    pb_sha256_hasten(s);
}

static void check_digest(bool plain, const char *message, size_t repeated, const char *expected) {
  pb_sha256 s;
  char text[65];
  begin_digest(&s, plain);
  for (size_t i = 0; i < repeated; i++) pb_sha256_add(&s, message, strlen(message));
  pb_sha256_text(&s, text);
  assert_string_equal(text, expected);
}

// FIPS 180-2, appendix B: one block, two blocks, a million letters; and nothing
static void the_standards_messages_have_its_digests(void **state) {
  (void)state;
  for (int plain = 0; plain < 2; plain++) {
    check_digest(plain, "abc", 1,
                 "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
    check_digest(plain, "abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq", 1,
                 "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1");
    check_digest(plain, "aaaaaaaaaa", 100000,
                 "cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0");
    check_digest(plain, "", 1, "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
  }
}

// of every length up to five blocks, in pieces of every size
static void both_ways_agree_on_any_pieces(void **state) {
  (void)state;
  enum { MOST = 320 };
  unsigned char message[MOST];
  for (int i = 0; i < MOST; i++) message[i] = (unsigned char)(i * 167 + 13);
  for (size_t n = 0; n <= MOST; n++) {
    char text[2][65];
    for (int plain = 0; plain < 2; plain++) {
      pb_sha256 s;
      begin_digest(&s, plain);
      size_t piece = plain ? n : 1 + n % 67;
      for (size_t at = 0; at < n; at += piece)
        pb_sha256_add(&s, message + at, n - at < piece ? n - at : piece);
      pb_sha256_text(&s, text[plain]);
    }
    assert_string_equal(text[0], text[1]);
  }
}

// which changes its way in the middle of a message that becomes long
static void a_digest_hastens_by_itself(void **state) {
  (void)state;
  static unsigned char message[100003];
  char text[2][65];
  for (size_t i = 0; i < sizeof message; i++) message[i] = (unsigned char)(i * 31 + i / 251);
  for (int plain = 0; plain < 2; plain++) {
    pb_sha256 s;
    pb_sha256_init(&s);
    if (plain) s.way = PB_SHA256_PLAIN;
    for (size_t at = 0; at < sizeof message; at += 1009)
      pb_sha256_add(&s, message + at,
                    sizeof message - at < 1009 ? sizeof message - at : (size_t)1009);
    assert_int_equal(s.way == PB_SHA256_SHORT, 0);
    pb_sha256_text(&s, text[plain]);
  }
  assert_string_equal(text[0], text[1]);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(the_standards_messages_have_its_digests),
      cmocka_unit_test(both_ways_agree_on_any_pieces),
      cmocka_unit_test(a_digest_hastens_by_itself),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
