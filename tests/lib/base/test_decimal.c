// Shortest decimals: each reads back to its double, none with fewer digits does, none of as many is
// nearer, and the form is that of printf. Reading: the bits and the end that strtod has.
#include "lib/base/decimal.h"
#include "lib/base/random.h"

#include "tests/support/models.h"

enum { SAMPLES = 30000 };

static int count_digits(const char *text) {
  int n = 0, zeros = 0;
  for (; *text && *text != 'e'; text++) {
    if (*text < '0' || *text > '9' || (!n && *text == '0')) continue;
    n++;
    zeros = *text == '0' ? zeros + 1 : 0;
  }
  return n - zeros;
}

// the digits that are needed: the first precision that reads back
static int search_digits(double x) {
  char text[64];
  int n = 1;
  for (; n < 17; n++) {
    snprintf(text, sizeof text, "%.*g", n, x);
    if (strtod(text, NULL) == x) break;
  }
  return n;
}

static void check_number(double x) {
  char text[DM_DECIMAL], printed[64];
  int length = dm_decimal_put(x, text);
  assert_int_equal(length, strlen(text));
  double back = strtod(text, NULL);
  if (memcmp(&back, &x, sizeof x) != 0) fail_msg("%a is written %s", x, text);
  const bool common = fabs(x) > 1e-38 && fabs(x) < 1e56;
  int n = count_digits(text), needed = search_digits(x);
  if (n > (common ? needed : 17)) fail_msg("%a is written %s, %d digits do", x, text, needed);

  // where as many digits rounded read back, these are they, in printf's form
  snprintf(printed, sizeof printed, "%.*g", n ? n : 1, x);
  if (strtod(printed, NULL) != x) return;
  snprintf(printed, sizeof printed, "%.17g", x);
  if (strlen(printed) < sizeof printed && !strchr(printed, 'e') != !strchr(text, 'e'))
    fail_msg("%s is written %s", printed, text);
  if (n == needed) {
    snprintf(printed, sizeof printed, "%.*e", n ? n - 1 : 0, x);
    char ours[64];
    snprintf(ours, sizeof ours, "%.*e", n ? n - 1 : 0, strtod(text, NULL));
    assert_string_equal(ours, printed);
  }
}

// the number of some bits, by counter
static uint64_t draw_bits(int sample, uint64_t i) {
  double high = dm_random_uniform(7, sample, 2 * i), low = dm_random_uniform(7, sample, 2 * i + 1);
  return (uint64_t)((1 + high) * 2147483648.) << 32 | (uint64_t)((1 + low) * 2147483648.);
}

static void any_double_reads_back(void **state) {
  (void)state;
  for (int i = 0; i < SAMPLES; i++) {
    double x;
    uint64_t bits = draw_bits(i, 0);
    memcpy(&x, &bits, sizeof x);
    if (isfinite(x)) check_number(x);
  }
}

static void common_doubles_are_shortest(void **state) {
  (void)state;
  for (int i = 0; i < SAMPLES; i++) {
    double uniform = dm_random_uniform(3, i, 0);
    check_number(ldexp(uniform, i % 200 - 100));       // any size
    check_number(round(1e4 * uniform) / (i % 97 + 1)); // few digits, or many
    check_number(round(1e6 * uniform) * pow(10, i % 30 - 15));
  }
}

// where the interval's ends are: powers of two, of ten, and their neighbours
static void the_edges_hold(void **state) {
  (void)state;
  for (int e = -1074; e < 1024; e++) {
    double x = ldexp(1, e);
    check_number(x);
    check_number(nextafter(x, 0));
    check_number(nextafter(x, INFINITY));
    check_number(-x);
  }
  for (int e = -320; e < 309; e++) {
    char text[16];
    snprintf(text, sizeof text, "1e%d", e);
    double x = strtod(text, NULL);
    check_number(x);
    check_number(nextafter(x, 0));
    check_number(nextafter(x, INFINITY));
  }
  for (int i = 0; i < 2000; i++) check_number(9007199254740000. + i);
  for (int i = 0; i < 1000; i++) check_number(4503599627370496 + i / 2.);
}

// the same number as strtod's, to the last bit, and the same end
static void check_reading(const char *text) {
  char *end, *expected;
  const double x = dm_decimal_read(text, &end), y = strtod(text, &expected);
  if (memcmp(&x, &y, sizeof x) != 0) fail_msg("%s is read as %a, expected %a", text, x, y);
  if (end != expected) fail_msg("%s: '%s' is left, expected '%s'", text, end, expected);
}

static void any_text_is_read_as_by_strtod(void **state) {
  (void)state;
  static const char *const rows[] = {"",
                                     "-",
                                     ".",
                                     " 1",
                                     "1.",
                                     "-.5",
                                     "+1",
                                     ".e5",
                                     "1e",
                                     "1e+",
                                     "1e5",
                                     "1E-05",
                                     "1e0005",
                                     "0x10",
                                     "0x1p3",
                                     "inf",
                                     "-nan",
                                     "1e400",
                                     "1e-400",
                                     "0",
                                     "-0",
                                     "0e5",
                                     "00001.5",
                                     "1,2",
                                     "1.5.5",
                                     "1e5x",
                                     "--1",
                                     "1e22",
                                     "1e23",
                                     "1e55",
                                     "1e-40",
                                     "5e-324",
                                     "8.5e22",
                                     "1e1000",
                                     "1e-41",
                                     "1 ",
                                     "1e99999999999999999999",
                                     "18446744073709551615",
                                     "9999999999999999999",
                                     "12345678901234567890",
                                     "0.00000000000000000000012345678901234567"};
  for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) check_reading(rows[i]);
}

static void decimals_are_read_to_the_last_bit(void **state) {
  (void)state;
  char text[64];
  for (int i = 0; i < SAMPLES; i++) {
    const uint64_t bits = draw_bits(i, 1), c = bits >> 11 | (uint64_t)1 << 52;
    dm_decimal_put(ldexp((double)(int64_t)bits, i % 150 - 150), text);
    check_reading(text);
    snprintf(text, sizeof text, "%llde%d", (long long)bits, i % 110 - 50);
    check_reading(text);

    // half way between two doubles, and next to it
    const int more = 1 + i % 10;
    const uint64_t half = ((c & 0x1fffffffffffff) << more) + ((uint64_t)1 << (more - 1));
    for (int by = -1; by <= 1; by++) {
      snprintf(text, sizeof text, "%llu", (unsigned long long)half + (unsigned long long)by);
      check_reading(text);
    }
  }
}

static void numbers_look_as_expected(void **state) {
  (void)state;
  static const struct {
    double x;
    const char *text;
  } rows[] = {{0, "0"},
              {-0., "-0"},
              {1, "1"},
              {-1, "-1"},
              {0.05, "0.05"},
              {0.1 + 0.2, "0.30000000000000004"},
              {1. / 3, "0.3333333333333333"},
              {100, "100"},
              {0.0001, "0.0001"},
              {0.00001, "1e-05"},
              {-1.5e-7, "-1.5e-07"},
              {12345678901234567., "12345678901234568"},
              {1e16, "10000000000000000"},
              {1e17, "1e+17"},
              {1.25e100, "1.25e+100"},
              {5e-324, "4.94065645841247e-324"},
              {1.7976931348623157e308, "1.7976931348623157e+308"},
              {INFINITY, "inf"},
              {-INFINITY, "-inf"}};
  for (int i = 0; i < COUNT(rows); i++) {
    char text[DM_DECIMAL];
    assert_int_equal(dm_decimal_put(rows[i].x, text), strlen(rows[i].text));
    assert_string_equal(text, rows[i].text);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(any_double_reads_back),
      cmocka_unit_test(common_doubles_are_shortest),
      cmocka_unit_test(the_edges_hold),
      cmocka_unit_test(any_text_is_read_as_by_strtod),
      cmocka_unit_test(decimals_are_read_to_the_last_bit),
      cmocka_unit_test(numbers_look_as_expected),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
