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
  double room[256];
  if (pb_expression_parse(&arena, text, &language, &e, &why) != DM_OK)
    fail_msg("'%s': %s", text, why.text);
  assert_in_range(e.count, 1, COUNT(room) - 1);
  room[e.count] = -1;
  const double value = pb_expression_eval(&e, x, room);
  assert_true(room[e.count] == -1); // no more room than it says
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
             {"2 * -turn.1", -2 * t},
             {"turn.1 2", 2 * t},
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

// each of many nested parentheses, calls or powers is closed
static void depth_is_of_what_is_open(void **state) {
  (void)state;
  const char *const part[] = {"(s) + ", "sin(s) + ", "s^2 + "};
  const double x[] = {0.5, 0}, value[] = {0.5, sin(0.5), 0.25};
  for (int i = 0; i < COUNT(part); i++) {
    char text[1024] = "";
    for (int k = 0; k < 60; k++) strcat(text, part[i]);
    strcat(text, "0");
    assert_close(value_of(text, x), 60 * value[i], 1e-12);
  }

  // 50 in one another are taken, 51 are not
  char text[128];
  for (int deep = 50; deep <= 51; deep++) {
    pb_arena arena = {0};
    pb_expression e;
    dm_message why = {""};
    snprintf(text, sizeof text, "%.*ss%.*s", deep,
             "(((((((((((((((((((((((((((((((((((((((((((((((((((", deep,
             ")))))))))))))))))))))))))))))))))))))))))))))))))))");
    assert_int_equal(pb_expression_parse(&arena, text, &language, &e, &why),
                     deep == 50 ? DM_OK : DM_BAD_INPUT);
    pb_arena_free(&arena);
  }
}

// a word of any length, and a language of more names than a message has room for
static void long_words_and_lists_are_cut(void **state) {
  (void)state;
  enum { MANY = 300 };
  static char name[MANY][16];
  static pb_symbol many[MANY];
  for (int i = 0; i < MANY; i++) {
    snprintf(name[i], sizeof name[i], "q%d", i);
    many[i] = (pb_symbol){name[i], i, 0};
  }
  const pb_language large = {many, MANY, 0, true};
  char word[101];
  memset(word, 'w', 100);
  word[100] = 0;
  pb_arena arena = {0};
  pb_expression e;
  dm_message why = {""};
  assert_int_equal(pb_expression_parse(&arena, word, &large, &e, &why), DM_BAD_INPUT);
  assert_non_null(strstr(why.text, "at character 1, expected one of q0, q1, "));

  // 64 characters of the word are told, 40 of one that nothing is expected of
  word[64] = 0;
  assert_non_null(strstr(why.text, word));
  word[64] = 'w';
  memmove(word + 2, word, 98);
  memcpy(word, "s ", 2);
  word[1] = ')';
  assert_int_equal(pb_expression_refuse(word, 2, "less", &why), DM_BAD_INPUT);
  const char *end = strstr(why.text, "' at character 3, expected less");
  assert_non_null(end);
  assert_int_equal(end - why.text, strlen("found '") + 40);
  pb_arena_free(&arena);
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
      cmocka_unit_test(depth_is_of_what_is_open),
      cmocka_unit_test(long_words_and_lists_are_cut),
      cmocka_unit_test(what_is_no_expression_is_refused_by_place),
  };
  return cmocka_run_group_tests_name("expression", tests, NULL, NULL);
}
