// tests/problems/readers/format/test_yaml.c: documents, numbers, names, digests: what readers are
// made of.
#include "lib/base/names.h"
#include "problems/readers/format/number.h"
#include "problems/readers/format/sha256.h"
#include "problems/readers/format/yaml.h"
#include "tests/support/cmocka.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const double pi = 3.14159265358979323846;

static const struct {
  const char *text;
  double value; // NAN: not a number, INFINITY: not finite
} numbers[] = {
    {"0", 0},
    {"-1.5", -1.5},
    {"+2e3", 2000},
    {".5", 0.5},
    {"3.", 3},
    {"pi", 0},
    {"-pi", 0},
    {"pi/2", 0},
    {"-3*pi/4", 0},
    {"2 pi", 0},
    {"180 deg", 0},
    {"-90 deg", 0},
    {"2*pi/3", 0},
    {"1.5 rad", 1.5},
    {"1/4", 0.25},
    {"2 / 4 / 2", .25},
    {"1e999", INFINITY},
    {".inf", INFINITY},
    {"nan", INFINITY},
    {"-.Inf", INFINITY},
    {"1/0", INFINITY},
    {"0/0", INFINITY},
    {"", NAN},
    {"-", NAN},
    {"0.5 1.2", NAN},
    {"1 2", NAN},
    {"2pi", NAN},
    {"pie", NAN},
    {"1 2 x", NAN},
    {"0x10", NAN},
    {"1,5", NAN},
    {"--1", NAN},
    {"1+1", NAN},
    {"infinity", NAN},
    {"deg deg deg_", NAN},
    {"* 2", NAN},
    {"2 *", NAN},
};

static void numbers_read_as_people_write_them(void **state) {
  (void)state;
  for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++) {
    double want = numbers[i].value, x = 42;
    dm_status s = pb_number_parse(numbers[i].text, &x);
    dm_status right = isnan(want) ? DM_BAD_INPUT : isinf(want) ? DM_NOT_FINITE : DM_OK;
    if (s != right) fail_msg("'%s' gave status %d, expected %d", numbers[i].text, s, right);
    if (s != DM_OK) assert_true(x == 42);
    if (s == DM_OK && !strpbrk(numbers[i].text, "pd")) assert_true(fabs(x - want) < 1e-15);
  }
}

static void angles_are_fractions_of_pi(void **state) {
  (void)state;
  const struct {
    const char *text;
    double value;
  } rows[] = {{"pi", pi},       {"-pi", -pi},           {"pi/2", pi / 2}, {"-3*pi/4", -3 * pi / 4},
              {"2 pi", 2 * pi}, {"2*pi/3", 2 * pi / 3}, {"180 deg", pi},  {"-90 deg", -pi / 2}};
  for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
    double x = 0;
    assert_int_equal(pb_number_parse(rows[i].text, &x), DM_OK);
    assert_true(fabs(x - rows[i].value) <= 1e-15 * fabs(x));
  }
}

static void slips_find_their_name(void **state) {
  (void)state;
  const char *const known[] = {"steps", "time",  "shoulder_pan", "q",
                               "Qf",    "power", "upper",        "steepest"};
  const struct {
    const char *slip, *meant;
  } rows[] = {{"stpes", "steps"},
              {"step", "steps"},
              {"tme", "time"},
              {"Time", "time"},
              {"sholder_pan", "shoulder_pan"},
              {"qf", "Qf"},
              {"Q", "q"},
              {"x", NULL},
              {"acceleration", NULL},
              {"pose", NULL},
              {"gripper", NULL},
              {"steep", "steepest"},
              {"stepeest", "steepest"},
              {"", NULL}};
  for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
    const char *near = dm_names_nearest(known, 8, rows[i].slip);
    if (rows[i].meant)
      assert_string_equal(near ? near : "(none)", rows[i].meant);
    else
      assert_null(near);
  }
  char text[24];
  assert_string_equal(dm_names_list(known, 2, text, sizeof text), "one of steps, time");
  dm_names_list(known, 8, text, sizeof text);
  assert_non_null(strstr(text, "..."));
}

// the standard's examples: nothing, one block, two, and a million letters
static void digests_match_the_standard(void **state) {
  (void)state;
  const struct {
    const char *text;
    int times;
    const char *digest;
  } rows[] = {
      {"", 1, "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"},
      {"abc", 1, "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"},
      {"abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq", 1,
       "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1"},
      {"aaaaaaaaaa", 100000, "cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0"},
  };
  for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
    pb_sha256 s;
    char text[65];
    pb_sha256_init(&s);
    for (int k = 0; k < rows[i].times; k++) pb_sha256_add(&s, rows[i].text, strlen(rows[i].text));
    pb_sha256_text(&s, text);
    assert_string_equal(text, rows[i].digest);
  }
}

static dm_status parse(pb_arena *arena, const char *text, size_t size, const pb_node **root,
                       dm_message *msg) {
  pb_reader r = {.arena = arena, .msg = msg, .file = "f.yaml"};
  return pb_yaml_read(&r, text, size, root);
}

static void nodes_know_where_they_stand(void **state) {
  (void)state;
  pb_arena arena = {0};
  const pb_node *root;
  dm_message msg = {""};
  const char *text = "# a comment\nhorizon: {steps: 100,\n  time: 'x'}\nlist:\n  - 1\n  - [2, 3]\n";
  assert_int_equal(parse(&arena, text, strlen(text), &root, &msg), DM_OK);
  const pb_node *horizon = pb_node_get(root, "horizon"), *time = pb_node_get(horizon, "time");
  const pb_node *list = pb_node_get(root, "list");
  assert_int_equal(root->n, 2);
  assert_int_equal(horizon->key_line, 2);
  assert_int_equal(horizon->key_column, 1);
  assert_int_equal(horizon->column, 10);
  assert_string_equal(time->text, "x");
  assert_true(time->quoted);
  assert_int_equal(time->line, 3);
  assert_int_equal(time->column, 9);
  assert_int_equal(list->n, 2);
  assert_int_equal(list->first->next->n, 2);
  assert_int_equal(list->first->next->line, 6);
  assert_null(pb_node_get(root, "goal"));
  assert_null(pb_node_get(NULL, "goal"));
  pb_arena_free(&arena);
}

static const struct {
  const char *text, *message;
} refused[] = {
    {"", "f.yaml:1:1: found an empty file"},
    {"# nothing\n\n", "f.yaml:1:1: found an empty file"},
    {"- 1\n- 2\n", "f.yaml:1:1: found a list of 2, expected a mapping"},
    {"just words", "f.yaml:1:1: found 'just words', expected a mapping"},
    {"a: 1\nb: 2\na: 3\n",
     "f.yaml:3:1: found the key 'a' a second time, expected it once (first: line 1)"},
    {"a: &x 1\n", "f.yaml:1:4: found an anchor"},
    {"a: &x [1]\nb: 2\n", "f.yaml:1:4: found an anchor"},
    {"a: 1\nb: *x\n", "f.yaml:2:4: found an alias"},
    {"a: !!int 3\n", "f.yaml:1:4: found a tag"},
    {"a: !x {b: 1}\n", "f.yaml:1:4: found a tag"},
    {"? [1, 2]\n: 3\n", "f.yaml:1:3: found a key that is not a word"},
    {"a: 1\n---\nb: 2\n", "f.yaml:2:1: found a second document"},
    {"a: {b: 1\nc: 2\n", "f.yaml:2:2: did not find expected ',' or '}', while parsing a flow "
                         "mapping that begins at line 1"},
    {"a: 1\n\tb: 2\n", "f.yaml:2:1: found a tab character that violates indentation"},
    {"a:\n\tb: 2\n", "f.yaml:2:1: found character that cannot start any token, while scanning for "
                     "the next token that begins at line 2; expected blanks: YAML is not indented"},
    {"# \xc3\xbc\na:\n\tb: 2\n", // the mark counts characters, not bytes
     "f.yaml:3:1: found character that cannot start any token, while scanning for the next token "
     "that begins at line 3; expected blanks: YAML is not indented by tabs"},
    {"a: {b: 1 c: 2}\n", "f.yaml:1:11: did not find expected ',' or '}', while parsing a flow "
                         "mapping that begins at line 1; expected a comma after each value, and }"},
    {"a: 1\n b: 2\n", "f.yaml:2:3: mapping values are not allowed in this context; expected one "
                      "'key: value' a line, or {key: value, ...}"},
    {"a: {b: 1}\n c: 2\n",
     "f.yaml:2:2: did not find expected key, while parsing a block mapping that "
     "begins at line 1; expected 'key: value', indented as the line above"},
    {"a: {b: 1}}\n", "f.yaml:1:10: did not find expected key, while parsing a block mapping that "
                     "begins at line 1; expected none: this bracket closes nothing"},
    {"a: 1\nb:2\nc: 3\n",
     "f.yaml:3:1: could not find expected ':', while scanning a simple key that begins at line 2; "
     "expected 'key: value', with a blank after the colon"},
    {"a: \"x\\0y\"\n", "f.yaml:1:4: found a zero byte"},
    {"a: 1\nb: \xff\xfe\n", "f.yaml:2:4: found a byte that is not text"},
    {"a: \x01\n", "f.yaml:1:4: found a byte that is not text"},
    {"a: {name: \"j\\n!touch pwned\"}\n", "f.yaml:1:11: found the control character U+000A in "
                                          "'j?!touch pwned', expected plain text in one line"},
    {"a: 1\n\"b\\e[31m\": 2\n", "f.yaml:2:1: found the control character U+001B in 'b?[31m'"},
    {"a: |\n  two\n  lines\n", "f.yaml:1:4: found the control character U+000A in 'two?lines?'"},
    {"a: \"\\x9b\"\n", "f.yaml:1:4: found the control character U+009B"},
    {"a: \xe2\x80\xae\n", "f.yaml:1:4: found the control character U+202E"},
};

static void what_is_no_problem_file_is_refused_by_place(void **state) {
  (void)state;
  for (size_t i = 0; i < sizeof refused / sizeof *refused; i++) {
    pb_arena arena = {0};
    const pb_node *root;
    dm_message msg = {""};
    dm_status s = parse(&arena, refused[i].text, strlen(refused[i].text), &root, &msg);
    if (s != DM_BAD_INPUT || strncmp(msg.text, refused[i].message, strlen(refused[i].message)) != 0)
      fail_msg("got    %d %s\nwanted %s", s, msg.text, refused[i].message);
    pb_arena_free(&arena);
  }
}

// nesting, width and raw bytes end in a sentence, not in a stack or an hour
static void hostile_files_end_in_a_sentence(void **state) {
  (void)state;
  enum { SIZE = 1 << 17 };
  char *text = malloc(SIZE);
  pb_arena arena = {0};
  const pb_node *root;
  dm_message msg = {""};
  memset(text, '[', SIZE);
  memcpy(text, "a: ", 3);
  assert_int_equal(parse(&arena, text, SIZE, &root, &msg), DM_BAD_INPUT);
  assert_non_null(strstr(msg.text, "too deep"));
  size_t used = 0;
  for (int i = 0; i < 5000; i++) used += (size_t)snprintf(text + used, SIZE - used, "k%d: 1\n", i);
  assert_int_equal(parse(&arena, text, used, &root, &msg), DM_BAD_INPUT);
  assert_non_null(strstr(msg.text, "f.yaml:4097:1: found too many keys"));
  unsigned x = 12345;
  for (int k = 0; k < 200; k++) {
    for (int i = 0; i < 400; i++) x = x * 1664525 + 1013904223, text[i] = (char)(x >> 24);
    assert_int_equal(parse(&arena, text, 400, &root, &msg), DM_BAD_INPUT);
  }
  pb_arena_free(&arena);
  free(text);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(numbers_read_as_people_write_them),
      cmocka_unit_test(angles_are_fractions_of_pi),
      cmocka_unit_test(slips_find_their_name),
      cmocka_unit_test(digests_match_the_standard),
      cmocka_unit_test(nodes_know_where_they_stand),
      cmocka_unit_test(what_is_no_problem_file_is_refused_by_place),
      cmocka_unit_test(hostile_files_end_in_a_sentence),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
