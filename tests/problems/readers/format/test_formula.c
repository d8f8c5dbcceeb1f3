// tests/problems/readers/format/test_formula.c: formulas as polynomials: algebra by values at points,
// what is refused by place.
#include "problems/readers/format/formula.h"

#include "tests/support/models.h"

static const pb_symbol symbols[] = {
    {"x", 0, 0, NULL}, {"arm.lift", 1, 0, NULL}, {"x-2", 2, 0, NULL}, {"k", -1, 2.5, NULL}};

// parsed in three coordinates to the second derivative, and its value where variable i is i + 1/2
static double value_of(const char *text) {
  pb_arena arena = {0};
  dm_polynomial p = {.n = 3, .k = 2};
  dm_message why = {""};
  double x[9], value, C_x[9];
  for (int i = 0; i < 9; i++) x[i] = i + 0.5;
  if (pb_formula_parse(&arena, text, symbols, 4, &p, &why) != DM_OK)
    fail_msg("'%s': %s", text, why.text);
  dm_second_order_lagrangian C = dm_polynomial_lagrangian(&p);
  assert_int_equal(C.eval(&C, 1, x, &value, C_x, NULL), DM_OK);
  pb_arena_free(&arena);
  return value;
}

static void formulas_have_their_values(void **state) {
  (void)state;
  const double x = 0.5, y = 1.5, z = 2.5, dx = 3.5, dy = 4.5, ddx = 6.5, ddz = 8.5;
  const struct {
    const char *text;
    double value;
  } row[] = {{"3", 3},
             {"-x", -x},
             {"x''^2/2", ddx * ddx / 2},
             {"1/2 x''^2 + 1/2 x-2''^2", (ddx * ddx + ddz * ddz) / 2},
             {"2x' arm.lift'", 2 * dx * dy},
             {"k x - 2 * (arm.lift - 1)^2", 2.5 * x - 2 * 0.25},
             {"(x + arm.lift) (x - arm.lift)", x * x - y * y},
             {"(x + 1)^3 - x^3 - 3 x^2 - 3x - 1", 0},
             {"x - 2", x - 2},
             {"x-2", z},

             {"pi/pi + 1e-3", 1.001},
             {"x^0", 1},
             {"x^2^3 - x**8 + x*-x'", -x * dx},
             {"4 (x'/2)^2/k", dx * dx / 2.5},
             {" ( ( x ) ) ", x}};
  for (int i = 0; i < COUNT(row); i++) {
    assert_close(value_of(row[i].text), row[i].value, 1e-12);
  }
}

// x^2 y and y x^2 are one term, and what cancels leaves nothing to evaluate wrongly
static void like_terms_are_gathered(void **state) {
  (void)state;
  pb_arena arena = {0};
  dm_polynomial p = {.n = 3, .k = 2};
  assert_int_equal(pb_formula_parse(&arena, "x^2 arm.lift + 2 arm.lift x x", symbols, 4, &p, NULL),
                   DM_OK);
  assert_int_equal(p.count, 1);
  assert_int_equal(p.term[0].count, 2);
  assert_close(p.term[0].coefficient, 3, 0);
  pb_arena_free(&arena);
}

static void what_is_no_polynomial_is_refused_by_place(void **state) {
  (void)state;
  static const struct {
    const char *text, *why;
  } row[] = {
      {"", "found the end of '', expected a number, a name or '('"},
      {"x +", "found the end of 'x +', expected a number"},
      {"x + speed^2",
       "found the unknown name 'speed' at character 5, expected one of x, arm.lift, "},
      {"x'''", "found derivative 3 of 'x' at character 1, expected at most 2"},
      {"2 k'", "found a derivative of the constant 'k' at character 3, expected none"},
      {"1/x", "found 'x' at character 3, expected a number that is not 0 behind '/'"},
      {"x/0", "found '0' at character 3, expected a number that is not 0 behind '/'"},
      {"x^-1", "found '-' at character 3, expected a whole number from 0 to 99"},
      {"x^arm.lift", "found 'arm.lift' at character 3, expected a whole number from 0 to 99"},
      {"x^2.5", "found '2.5' at character 3, expected a whole number from 0 to 99"},
      {"x 2 3", "found '3' at character 5, expected an operation between two numbers"},
      {"(x", "found the end of '(x', expected ')'"},
      {"x) + 1", "found ')' at character 2, expected an operation or the end"},
      {"sin(x)", "found the unknown name 'sin' at character 1"},
      {"0x10", "found '0x10' at character 1, expected a number"},
      {"x = 3",
       "found '=' at character 3, expected no comparison: a range is 'within: [low, high]'"},
      {"(x + arm.lift + x-2 + x' + x'')^30", "found more than 2000 terms, expected fewer"},
      {"1e300 x 1e300", "found a coefficient that is not finite"},
      {"(((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((x",
       "expected fewer parentheses"}};
  for (int i = 0; i < COUNT(row); i++) {
    pb_arena arena = {0};
    dm_polynomial p = {.n = 3, .k = 2};
    dm_message why = {""};
    assert_int_equal(pb_formula_parse(&arena, row[i].text, symbols, 4, &p, &why), DM_BAD_INPUT);
    if (!strstr(why.text, row[i].why)) fail_msg("'%s': %s", row[i].text, why.text);
    pb_arena_free(&arena);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(formulas_have_their_values),
      cmocka_unit_test(like_terms_are_gathered),
      cmocka_unit_test(what_is_no_polynomial_is_refused_by_place),
  };
  return cmocka_run_group_tests_name("formula", tests, NULL, NULL);
}
