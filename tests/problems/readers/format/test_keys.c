// The keys of a problem file: in the documents, and the words that they take.
#include "tests/support/cart_pole.h"

#include "lib/mechanics/system.h"
#include "problems/readers/format/schema.h"
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

// the row of a key in the documents' table: | `path` | type | unit | left out |
static void document_row(const char *path, const pb_key *key, char row[600]) {
  char type[PB_TYPE_TEXT], partly[64] = "";
  bool each = key->type == PB_EACH_COORD || key->type == PB_EACH_INPUT;
  const char *absent = key->note ? key->note : key->absent ? key->absent : each ? "0" : "–";
  const char *rest = key->rest ? key->rest : "0";
  if (each && !key->note && strcmp(rest, absent) != 0)
    snprintf(partly, sizeof partly, ", in a mapping %s", rest);
  snprintf(row, 600, "| `%s` | %s | %s | %s%s |", path, pb_schema_type(key, type),
           key->unit ? key->unit : "–", absent, partly);
}

static int missing_rows(const char *above, const pb_key *table, const char *document) {
  int missing = 0;
  for (const pb_key *key = table; key->key; key++) {
    char path[200], row[600];
    snprintf(path, sizeof path, "%s%s%s", above, above[0] ? "." : "", key->key);
    if (key->type == PB_LIST) strcat(path, "[]");
    document_row(path, key, row);
    if (!strstr(document, row)) {
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
