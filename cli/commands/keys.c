#include "cli/commands/keys.h"

#include "lib/multibody/output.h"
#include "problems/readers/format/key_row.h"
#include "problems/readers/task/file_keys.h"

#include <string.h>

enum { PATH = 200 };

// the keys of a section, each followed by its subkeys
static void put_keys(FILE *f, const char *above, const pb_key *table) {
  for (const pb_key *key = table; key->key; key++) {
    char path[PATH], row[PB_ROW_TEXT];
    snprintf(path, sizeof path, "%s%s%s%s", above, above[0] ? "." : "", key->key,
             key->type == PB_LIST ? "[]" : "");
    fprintf(f, "%s\n", pb_key_row(path, key, row));
    if (key->sub) put_keys(f, path, key->sub);
  }
}

// words separated by spaces as code, after `before` the first and ", " the others
static void put_words(FILE *f, const char *before, const char *words, const char *between) {
  char text[80];
  snprintf(text, sizeof text, "%s", words);
  for (char *rest = text, *word; (word = strtok_r(rest, " ", &rest)); before = between)
    fprintf(f, "%s`%s`", before, word);
}

// the kinds of outputs: keys, value and unit, and names of rows
static void put_outputs(FILE *f) {
  static const struct {
    const char *word, *must, *may, *unit, *rows, *about;
  } kinds[] = {
#define LIST_KIND(NAME, name, word, must, may, unit, rows, range, about, ...)                      \
  {word, must, may, unit, rows, about},
      DM_OUTPUT_KINDS(LIST_KIND)
#undef LIST_KIND
  };
  for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++) {
    fprintf(f, "| `%s` |", kinds[i].word);
    put_words(f, " ", kinds[i].must, ", ");
    put_words(f, kinds[i].must[0] ? ", optional " : " optional ", kinds[i].may, ", ");
    fprintf(f, " | %s | %s |", kinds[i].about, kinds[i].unit[0] ? kinds[i].unit : "–");
    put_words(f, " ", kinds[i].rows, " ");
    fprintf(f, "%s |\n", kinds[i].rows[0] ? "" : " –");
  }
}

void cli_keys_write(FILE *f) {
  fprintf(f, "| key | value | unit | left out | meaning |\n| --- | --- | --- | --- | --- |\n");
  put_keys(f, "", pb_file_keys);
  fprintf(f, "\n| output type | keys besides `name` | value | unit | suffixes of its rows |\n"
             "| --- | --- | --- | --- | --- |\n");
  put_outputs(f);
}
