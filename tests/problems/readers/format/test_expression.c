// tests/problems/readers/format/test_expression.c: expressions by their values against the language's
// own, their tapes, refusals by place.
#include "problems/readers/format/expression.h"

#include "tests/support/models.h"

#include <math.h>

static const pb_symbol symbols[] = {
    {"s", 0, 0, NULL}, {"turn.1", 1, 0, NULL}, {"k", -1, 2.5, NULL}};
static const char *const parameters[] = {"x", "y"};
static const double table_x[] = {0, 1, 3}, table_y[] = {1, 2, 0}, table_bend[] = {0, -2, 0};
static const pb_definition definitions[] = {
    {.name = "twice", .text = "2 s", .line = 7},
    {.name = "aim", .text = "[s, 2, turn.1]", .line = 8},
    {.name = "sum", .text = "x + k y", .count = 2, .parameter = parameters, .line = 9},
    {.name = "chain", .text = "sum(twice, x) - y", .count = 2, .parameter = parameters, .line = 10},
    {.name = "self", .text = "1 + self", .line = 11},
    {.name = "wrong", .text = "1 + lost", .line = 12},
    {.name = "height", .table = {"height", 3, table_x, table_y, table_bend}, .line = 13}};
static const pb_definitions defined = {COUNT(definitions), definitions};
static const pb_vector vectors[] = {{"both", 0, 2}};
static const pb_language language = {.list = symbols,
                                     .n = 3,
                                     .functions = true,
                                     .vectors = vectors,
                                     .nvectors = 1,
                                     .definitions = &defined};

static double value_of(const char *text, const double *x) {
  pb_arena arena = {0};
  pb_expression e;
  dm_message why = {""};
  dm_tape f;
  const int *used;
  double room[4096], own[2];
  if (pb_expression_parse(&arena, text, &language, &e, &why) != DM_OK)
    fail_msg("'%s': %s", text, why.text);
  assert_int_equal(pb_expression_compile(&arena, &e, &f, &used), DM_OK);
  assert_in_range(f.nx, 0, 2);
  const size_t end = dm_tape_room(&f);
  assert_in_range(end, 1, COUNT(room) - 1);
  for (int i = 0; i < f.nx; i++) own[i] = x[used[i]];
  room[end] = -1;
  const double value = dm_tape_eval(&f, own, room, NULL, NULL);
  assert_true(room[end] == -1); // no more room than it says
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
             {"norm(s)", s},
             {"norm(s, turn.1, 2)", sqrt(s * s + t * t + 4)},
             {"smoothmax(s, turn.1, 0.001)", s},
             {"smoothmin(s, turn.1, 0.001)", t},
             {"softplus(s - turn.1, 1)", log1p(exp(s - t))},
             {"huber(turn.1, 1)", -t - 0.5},
             {"huber(s, 1)", s * s / 2},
             {"smoothabs(turn.1, 0.1)", sqrt(t * t + 0.01) - 0.1},
             {"max(s, turn.1) - min(s, turn.1)", s - t},
             {"twice^2", 4 * s * s},
             {"2 twice - s", 3 * s},
             {"aim[0] + aim[1] aim[2]", s + 2 * t},
             {"norm(aim - [s, 2, 0])", -t},
             {"norm(both, 1)", sqrt(s * s + t * t + 1)},
             {"dot(aim, -2 aim / 4)", -(s * s + 4 + t * t) / 2},
             {"cross([1, 0, 0], aim)[1] + cross(aim, [0, 0, 1])[0]", 2 - t},
             {"(both + both k)[0]", 3.5 * s},
             {"[s, 2][1]", 2},
             {"sum(s, turn.1)", s + 2.5 * t},
             {"chain(s, 1)", 2 * s + 2.5 * s - 1},
             {"sum(both, [1, 2])[1]", t + 5},
             {"height(1) + height(0.5)", 2 + 1.5 + 2. / 16},
             {"height(-2) + height(5)", 1 - 2 * (1 + 2. / 6) - 2 * (1 + 4. / 6)},
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

  // 64 in one another are taken, 65 are not
  char text[160];
  for (int deep = 64; deep <= 65; deep++) {
    pb_arena arena = {0};
    pb_expression e;
    dm_message why = {""};
    memset(text, '(', (size_t)deep);
    text[deep] = 's';
    memset(text + deep + 1, ')', (size_t)deep);
    text[2 * deep + 1] = 0;
    assert_int_equal(pb_expression_parse(&arena, text, &language, &e, &why),
                     deep == 64 ? DM_OK : DM_BAD_INPUT);
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
    many[i] = (pb_symbol){name[i], i, 0, NULL};
  }
  const pb_language large = {.list = many, .n = MANY, .functions = true};
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
                      "twice, aim, sum, chain, self, wrong, height, pi, sin, cos, "},
      {"2 + sine(s)", "; did you mean 'sin'?"},
      {"sin s", "found 's' at character 5, expected '(' behind 'sin'"},
      {"norm()", "found ')' at character 6, expected a number, a name or '('"},
      {"norm(1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1)", "found ',' at character 37, expected ')'"},
      {"smoothmax(s, 1)", "found ')' at character 15, expected ',' and a third argument"},
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
      {"s = 3",
       "found '=' at character 3, expected no comparison: a range is 'within: [low, high]'"},
      {"aim", "found a vector of 3, expected a number; try norm(x), dot(x, y)"},
      {"aim + s", "found a vector of 3 and a number at character 1, expected two of one size"},
      {"aim aim", "expected a number behind '*', '/' and '^'; try dot(a, b)"},
      {"sin(aim)", "found a vector of 3 in 'sin' at character 5, expected a number"},
      {"dot(aim, both)", "a vector of 3 and a vector of 2 at character 5"},
      {"cross(both, both)", "expected two vectors of 3"},
      {"aim[3]", "found '[' at character 4, expected an index from [0] to [2]"},
      {"[s]", "expected ',': a vector has 2 numbers or more"},
      {"sum(s)", "found ')' at character 6, expected ',' and a second argument"},
      {"sum s", "expected '(' behind 'sum'"},
      {"s + self", "in 'self' (line 11): found 'self' at character 5 in definitions nested"},
      {"s + wrong", "in 'wrong' (line 12): found the unknown name 'lost' at character 5"},
      {"height(aim)", "found a vector of 3 in 'height'"}};
  for (int i = 0; i < COUNT(row); i++) {
    pb_arena arena = {0};
    pb_expression e;
    dm_message why = {""};
    assert_int_equal(pb_expression_parse(&arena, row[i].text, &language, &e, &why), DM_BAD_INPUT);
    if (!strstr(why.text, row[i].why)) fail_msg("'%s': %s", row[i].text, why.text);
    pb_arena_free(&arena);
  }
}

// text `part` so often, and "s" after it
static dm_status parse_many(const char *part, int times, dm_message *why) {
  const size_t length = strlen(part);
  char *text = test_calloc((size_t)times * length + 2, 1);
  pb_arena arena = {0};
  pb_expression e;
  for (int i = 0; i < times; i++) memcpy(text + (size_t)i * length, part, length);
  text[(size_t)times * length] = 's';
  const dm_status s = pb_expression_parse(&arena, text, &language, &e, why);
  pb_arena_free(&arena);
  test_free(text);
  return s;
}

static void depth_and_length_are_limited(void **state) {
  (void)state;
  const struct {
    const char *part;
    int most;
    const char *why;
  } row[] = {{"2^", 64, "expected fewer powers of powers"},
             {"s+", 4999, "expected at most 10000 operations"},
             {"s ", 4999, "expected at most 10000 operations"}};
  for (int i = 0; i < COUNT(row); i++) {
    dm_message why = {""};
    assert_int_equal(parse_many(row[i].part, row[i].most, &why), DM_OK);
    assert_int_equal(parse_many(row[i].part, row[i].most + 2, &why), DM_BAD_INPUT);
    if (!strstr(why.text, row[i].why)) fail_msg("'%s': %s", row[i].part, why.text);
  }
  dm_message why = {""};
  assert_int_equal(parse_many("(", 65, &why), DM_BAD_INPUT);
  assert_non_null(strstr(why.text, "expected fewer parentheses"));
}

static dm_tape compile(pb_arena *arena, const char *text, const int **used) {
  pb_expression e;
  dm_message why = {""};
  dm_tape f;
  if (pb_expression_parse(arena, text, &language, &e, &why) != DM_OK)
    fail_msg("'%s': %s", text, why.text);
  assert_int_equal(pb_expression_compile(arena, &e, &f, used), DM_OK);
  return f;
}

// equal subexpressions are one operation, numbers are folded, and only variables that matter are left
static void tapes_are_short(void **state) {
  (void)state;
  const struct {
    const char *text;
    int count, nx, first;
  } row[] = {{"sin(s) + sin(s)", 3, 1, 0},   {"(s + 1)^2 + cos(s + 1)", 6, 1, 0},
             {"2 pi sin(0.5) / 3", 1, 0, 0}, {"turn.1 (s + 1) + (s + 1)", 6, 2, 1},
             {"2 * 3 * turn.1", 3, 1, 1},    {"norm(s, s)", 4, 1, 0}};
  for (int i = 0; i < COUNT(row); i++) {
    pb_arena arena = {0};
    const int *used;
    const dm_tape f = compile(&arena, row[i].text, &used);
    if (f.count != row[i].count || f.nx != row[i].nx || (f.nx && used[0] != row[i].first))
      fail_msg("'%s': %d operations of %d variables", row[i].text, f.count, f.nx);
    pb_arena_free(&arena);
  }
}

// an operation without a value is named with its operands and its place
static void faults_are_told_by_place(void **state) {
  (void)state;
  const struct {
    const char *text, *fault;
  } row[] = {
      {"1 + log(s)", "log(-2) at character 5"},        {"3 + 2/(s + 2)", "2 / 0 at character 5"},
      {"sqrt(s) + log(s)", "sqrt(-2) at character 1"}, {"2 s^0.5", "-2 ^ 0.5 at character 3"},
      {"log(log(-1)) + s", "log(-1) at character 5"},  {"s", ""}};
  for (int i = 0; i < COUNT(row); i++) {
    pb_arena arena = {0};
    const int *used;
    char text[80] = "";
    double room[512];
    const dm_tape f = compile(&arena, row[i].text, &used);
    assert_true(dm_tape_room(&f) <= COUNT(room));
    assert_true(dm_tape_fault(&f, (double[]){-2}, 0, room, text, sizeof text) == (*text != 0));
    assert_string_equal(text, row[i].fault);
    pb_arena_free(&arena);
  }
}

static void functions_without_derivatives_are_refused_with_smooth_ones(void **state) {
  (void)state;
  const pb_language smooth = {.list = symbols, .n = 3, .functions = true, .smooth = true};
  int refused = 0;
  for (int i = DM_TAPE_NAMED; i < dm_tape_functions(); i++) {
    const dm_tape_function *g = dm_tape_function_at(i);
    char text[64];
    pb_arena arena = {0};
    pb_expression e;
    dm_message why = {""};
    snprintf(text, sizeof text, "1 + %s(%s)", g->name, g->arguments == 1 ? "s" : "s, k");
    assert_int_equal(pb_expression_parse(&arena, text, &language, &e, &why), DM_OK);
    assert_int_equal(pb_expression_parse(&arena, text, &smooth, &e, &why),
                     g->instead ? DM_BAD_INPUT : DM_OK);
    if (g->instead) assert_non_null(strstr(why.text, g->instead));
    if (g->instead) assert_non_null(strstr(why.text, "' at character 5"));
    refused += g->instead != NULL;
    pb_arena_free(&arena);
  }
  assert_int_equal(refused, 3);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(expressions_have_their_values),
      cmocka_unit_test(depth_is_of_what_is_open),
      cmocka_unit_test(long_words_and_lists_are_cut),
      cmocka_unit_test(what_is_no_expression_is_refused_by_place),
      cmocka_unit_test(depth_and_length_are_limited),
      cmocka_unit_test(tapes_are_short),
      cmocka_unit_test(faults_are_told_by_place),
      cmocka_unit_test(functions_without_derivatives_are_refused_with_smooth_ones),
  };
  return cmocka_run_group_tests_name("expression", tests, NULL, NULL);
}
