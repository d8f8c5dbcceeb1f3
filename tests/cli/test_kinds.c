// tests/cli/test_kinds.c: result.json and cli/results/kinds.inc have the same keys.
#include "tests/support/known_keys.h"
#include "tests/support/small_commands.h"

// more commands, by worked problems
static const char *const worked[] = {
    "simulate %s/problems/contact/cradle.yaml -o cradle",
};

// rows that none of these commands write, and when they appear
static const struct {
  const char *key, *when;
} rare[] = {
    {"none", "never"},
};

static bool is_rare(const char *key) {
  for (size_t i = 0; i < sizeof rare / sizeof *rare; i++)
    if (!strcmp(rare[i].key, key)) return true;
  return false;
}

static int count_unknown_of(const char *line) {
  const int status = program_run(line);
  if (status > CLI_OUTCOME) print_error("dmoc %s: %s\n", line, program_said);
  return (status > CLI_OUTCOME) + count_unknown_keys(line);
}

static void results_have_the_keys_of_the_table(void **state) {
  (void)state;
  program_draws("echo a picture\necho '{}' >&3\n");
  for (size_t i = 0; i < sizeof files / sizeof *files; i++)
    put_file(".", files[i].name, files[i].text);
  int unknown = 0;
  for (size_t i = 0; i < sizeof lines / sizeof *lines; i++) unknown += count_unknown_of(lines[i]);
  for (size_t i = 0; i < sizeof worked / sizeof *worked; i++) {
    char line[PROGRAM_LINE];
    snprintf(line, sizeof line, worked[i], source_folder());
    unknown += count_unknown_of(line);
  }
  assert_int_equal(unknown, 0);
}

static void each_key_of_the_table_is_written(void **state) {
  (void)state;
  int missing = 0;
  for (int i = 0; i < CLI_KINDS; i++) {
    if (kind_written[i] != is_rare(cli_kinds[i].key)) continue;
    print_error("%s: %s\n", cli_kinds[i].key,
                kind_written[i] ? "written, but listed as rare" : "never written");
    missing++;
  }
  assert_int_equal(missing, 0);
}

static void each_key_has_one_row(void **state) {
  (void)state;
  for (int i = 0; i < CLI_KINDS; i++) {
    assert_true(cli_kinds[i].doc[0]);
    for (int j = 0; j < i; j++) assert_string_not_equal(cli_kinds[i].key, cli_kinds[j].key);
  }
}

static void unknown_keys_and_other_types_are_found(void **state) {
  (void)state;
  static const struct {
    const char *text, *place;
  } wrong[] = {
      {"{\"nonsense\": 1}", "nonsense"},
      {"{\"steps\": 1.5}", "steps"},
      {"{\"steps\": \"1\"}", "steps"},
      {"{\"solver\": {\"warm\": 1}}", "solver.warm"},
      {"{\"plant\": {\"speed\": {\"nonsense\": 1}}}", "plant.position.nonsense"},
      {"{\"phases\": [{\"name\": \"a\"}, {\"nme\": \"b\"}]}", "phases[].nme"},
      {"{\"outputs\": {\"tool\": {\"x\": {\"end\": true}}}}", "outputs.**.end"},
      {"{\"momentum\": {\"drift\": [1, \"2\"]}}", "momentum.drift"},
  };
  for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
    char place[CLI_KIND_PATH];
    json_object *o = json_tokener_parse(wrong[i].text);
    assert_false(cli_kinds_hold(o, NULL, place));
    assert_string_equal(place, wrong[i].place);
    json_object_put(o);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(each_key_has_one_row),
      cmocka_unit_test(unknown_keys_and_other_types_are_found),
      cmocka_unit_test(results_have_the_keys_of_the_table),
      cmocka_unit_test(each_key_of_the_table_is_written),
  };
  return cmocka_run_group_tests(tests, program_open, program_close);
}
