// The keys of a problem file: their meanings, and the words that they take.
#include "tests/support/cart_pole.h"

#include "lib/mechanics/system.h"
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

static int keys_without_meaning(const char *above, const pb_key *table) {
  int missing = 0;
  for (const pb_key *key = table; key->key; key++) {
    char path[200];
    snprintf(path, sizeof path, "%s%s%s", above, above[0] ? "." : "", key->key);
    if (!key->about || !key->about[0] || strchr(key->about, '|')) {
      print_message("%s has no meaning for the documents\n", path);
      missing++;
    }
    if (key->sub) missing += keys_without_meaning(path, key->sub);
  }
  return missing;
}

static void every_key_has_a_meaning(void **state) {
  (void)state;
  assert_int_equal(keys_without_meaning("", pb_file_keys), 0);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(rules_have_the_names_that_lib_knows),
      cmocka_unit_test(every_key_has_a_meaning),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
