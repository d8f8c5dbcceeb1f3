// The keys of a problem file: in the documents, and the words that they take.
#include "tests/support/cart_pole.h"

#include "lib/mechanics/system.h"
#include "problems/readers/format/key_row.h"
#include "problems/readers/task/file_keys.h"
#include "problems/readers/task/read_task.h"

static bool has_word(const char *words, const char *word) {
  size_t length = strlen(word);
  for (const char *at = words; (at = strstr(at, word)); at += length)
    if ((at == words || at[-1] == ' ') && (!at[length] || at[length] == ' ')) return true;
  return false;
}

static void rules_have_the_names_that_lib_knows(void **state) {
  (void)state;
  for (const pb_key *key = pb_rule_keys; key->key; key++) {
    if (key->type != PB_WORD) continue;
    if (!strcmp(key->key, "second")) {
      char words[256], *rest = NULL;
      dm_second_order_rule rule;
      snprintf(words, sizeof words, "%s", key->words);
      for (char *word = strtok_r(words, " ", &rest); word; word = strtok_r(NULL, " ", &rest))
        assert_int_equal(dm_second_order_rule_set(&rule, word, 2, NULL), DM_OK);
      continue;
    }
    bool lagrangian = !strcmp(key->key, "lagrangian");
    for (const struct dm_rule_name *r = lagrangian ? dm_lagrangian_rules : dm_force_rules; r->name;
         r++)
      assert_true(has_word(key->words, r->name));
  }
}

static int missing_rows(const char *above, const pb_key *table, const char *document) {
  int missing = 0;
  for (const pb_key *key = table; key->key; key++) {
    char path[200], row[PB_ROW_TEXT];
    snprintf(path, sizeof path, "%s%s%s", above, above[0] ? "." : "", key->key);
    if (key->type == PB_LIST) strcat(path, "[]");
    if (!strstr(document, pb_key_row(path, key, row))) {
      print_message("docs/problem-format.md has no row\n%s\n", row);
      missing++;
    }
    if (key->sub) missing += missing_rows(path, key->sub, document);
  }
  return missing;
}

static void every_key_is_documented_with_unit_and_default(void **state) {
  (void)state;
  char path[600];
  snprintf(path, sizeof path, "%s/docs/problem-format.md", source_folder());
  char *document = get_file(path);
  if (!document) fail_msg("no file %s", path);
  int missing = missing_rows("", pb_file_keys, document);
  free(document);
  assert_int_equal(missing, 0);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(rules_have_the_names_that_lib_knows),
      cmocka_unit_test(every_key_is_documented_with_unit_and_default),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
