// tests/support/known_keys.h: every result.json in the current folder has only keys of
// cli/results/kinds.inc, of the types there.
#ifndef TESTS_SUPPORT_KNOWN_KEYS_H
#define TESTS_SUPPORT_KNOWN_KEYS_H
#include "cli/results/kinds.h"
#include "tests/support/commands.h"

#include <glob.h>
#include <time.h>

static bool kind_written[CLI_KINDS]; // the rows that a result.json has had

static inline bool is_known(const char *line, const char *path) {
  char place[CLI_KIND_PATH];
  json_object *result = json_object_from_file(path);
  const bool known = !result || cli_kinds_hold(result, kind_written, place);
  if (!known)
    print_error("dmoc %s: %s has %s: found no row of this type in kinds.inc\n", line, path, place);
  json_object_put(result);
  return known;
}

// Check the results that changed since the last call; returns how many have an unknown key.
static inline int count_unknown_keys(const char *line) {
  static time_t since;
  const time_t now = time(NULL);
  int unknown = 0;
  glob_t found;
  if (glob("*/result.json", 0, NULL, &found) == 0)
    glob("*/*/result.json", GLOB_APPEND, NULL, &found);
  for (size_t i = 0; i < found.gl_pathc; i++) {
    struct stat of;
    if (stat(found.gl_pathv[i], &of) == 0 && of.st_mtime + 1 >= since)
      unknown += !is_known(line, found.gl_pathv[i]);
  }
  globfree(&found);
  since = now;
  return unknown;
}
#endif
