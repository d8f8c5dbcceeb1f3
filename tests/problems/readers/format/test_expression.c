// tests/problems/readers/format/test_expression.c: expressions by their values against the language's
// own, what is refused by place.
#include "problems/readers/format/expression.h"

#include "tests/support/models.h"

#include <math.h>

static const pb_symbol symbols[] = {{"s", 0, 0}, {"turn.1", 1, 0}, {"k", -1, 2.5}};
static const pb_language language = {symbols, 3, 0, true};

static double value_of(const char *text, const double *x) {
  pb_arena arena = {0};
  pb_expression e;
  dm_message why = {""};
  double room[64];
  if (pb_expression_parse(&arena, text, &language, &e, &why) != DM_OK)
    fail_msg("'%s': %s", text, why.text);
  assert_in_range(e.count, 1, 64);
  const double value = pb_expression_eval(&e, x, room);
  pb_arena_free(&arena);
  return value;
}

static void expressions_have_their_values(void **state) {
  (void)state;
  const double pi = 3.14159265358979323846, s = 0.3, t = -1.7, x[] = {s, t};
  const struct {
    const char *text;
    double value;
  } row[] = {{"3", 3},
             {"-s", -s},
             {"0.4 + 0.1*cos(2*pi*s)", 0.4 + 0.1 * cos(2 * pi * s)},
             {"0.4+0.1cos(2 pi s)", 0.4 + 0.1 * cos(2 * pi * s)},
             {"1/2 s", s / 2},
             {"8/4/2", 1},
             {"1 - 2 - 3", -4},
             {"-s^2", -s * s},
             {"(-s)^2", s * s},
             {"2^3^2", 512},
             {"2**-s", pow(2, -s)},
             {"2*-turn.1", -2 * t},
             {"s/-k", -s / 2.5},
             {"3(s + 1)(s - 1)", 3 * (s * s - 1)},
             {"90 deg", pi / 2},
             {"sin(pi/6)", 0.5},
             {"tan(s) asin(s) - acos(s)/atan(turn.1)", tan(s) * asin(s) - acos(s) / atan(t)},
             {"sinh(s) + cosh(s) - exp(s)", 0},
             {"tanh(s)", tanh(s)},
             {"log(exp(turn.1))", t},
             {"sqrt(abs(turn.1))", sqrt(-t)},
             {"atan2(turn.1, -s)", atan2(t, -s)},
             {"atan2( sin( 3 ) , cos( 3 ) )", 3},
             {"hypot(3, 4)^2", 25},
             {"sqrt(2)\n  + s", sqrt(2) + s},
             {"log(-1 - s^2)", NAN}};
  for (int i = 0; i < COUNT(row); i++) {
    const double value = value_of(row[i].text, x);
    const bool both = isnan(value) && isnan(row[i].value);
    if (!both && !(fabs(value - row[i].value) < 1e-14 * fmax(1, fabs(value))))
      fail_msg("'%s' is %.17g, expected %.17g", row[i].text, value, row[i].value);
  }
}

static void what_is_no_expression_is_refused_by_place(void **state) {
  (void)state;
  static const struct {
    const char *text, *why;
  } row[] = {
      {"", "found the end of '', expected a number, a name or '('"},
      {"s +", "found the end of 's +', expected a number"},
      {"2 + sine(s)", "found the unknown name 'sine' at character 5, expected one of s, turn.1, k, "
                      "pi, sin, cos, "},
      {"2 + sine(s)", "hypot; did you mean 'sin'?"},
      {"sin s", "found 's' at character 5, expected '(' behind 'sin'"},
      {"sin()", "found ')' at character 5, expected a number, a name or '('"},
      {"sin(s", "found the end of 'sin(s', expected ')'"},
      {"sin(s, 1)", "found ',' at character 6, expected ')'"},
      {"atan2(s)", "found ')' at character 8, expected ',' and a second argument"},
      {"(s", "found the end of '(s', expected ')'"},
      {"s)", "found ')' at character 2, expected an operation or the end"},
      {"s'", "found ''' at character 2, expected an operation or the end"},
      {"2 * * s", "found '*' at character 5, expected a number"},
      {"s ^ ^ 2", "found '^' at character 5, expected a number"},
      {"1 2", "found '2' at character 3, expected an operation between two numbers"},
      {"--s", "found '-' at character 2, expected a number"},
      {"0x10", "found '0x10' at character 1, expected a number"},
      {"1e999", "found '1e999' at character 1, expected a number"},
      {"s = 3", "found '=' at character 3, expected an operation or the end"},
      {"2^2^2^2^2^2^2^2^2^2^2^2^2^2^2^2^2^2^2^2^2^2^2^2^2^2^2^2^2^2^2^2^2^2^2^2^2^2^2^2^2^2^2^2^2^"
       "2^"
       "2^2^2^2^2^2^2^2^2",
       "expected fewer powers of powers"},
      {"((((((((((((((((((((((((((((((((((((((((((((((((((((s", "expected fewer parentheses"}};
  for (int i = 0; i < COUNT(row); i++) {
    pb_arena arena = {0};
    pb_expression e;
    dm_message why = {""};
    assert_int_equal(pb_expression_parse(&arena, row[i].text, &language, &e, &why), DM_BAD_INPUT);
    if (!strstr(why.text, row[i].why)) fail_msg("'%s': %s", row[i].text, why.text);
    pb_arena_free(&arena);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(expressions_have_their_values),
      cmocka_unit_test(what_is_no_expression_is_refused_by_place),
  };
  return cmocka_run_group_tests_name("expression", tests, NULL, NULL);
}
