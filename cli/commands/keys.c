#include "cli/commands/keys.h"

#include "problems/readers/format/key_row.h"
#include "problems/readers/task/file_keys.h"

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

void cli_keys_write(FILE *f) {
  fprintf(f, "| key | value | unit | left out | meaning |\n| --- | --- | --- | --- | --- |\n");
  put_keys(f, "", pb_file_keys);
}
