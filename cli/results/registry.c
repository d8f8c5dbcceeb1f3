#include "cli/results/registry.h"

#include <stdio.h>
#include <string.h>

#define CLI_LIST_FILE(word) &cli_file_##word,
const cli_result_file *const cli_result_files[CLI_FILES] = {CLI_RESULT_FILES(CLI_LIST_FILE)};

int cli_result_find(const char *name) {
  for (int i = 0; i < CLI_FILES; i++)
    if (!strcmp(cli_result_files[i]->name, name)) return i;
  return -1;
}

const char *cli_result_name(const char *name, const cli_json *result, char text[CLI_RESULT_NAME]) {
  static const char own[] = "controller";
  const size_t length = sizeof own - 1;
  const cli_json *controller = cli_json_get_object(result, own);
  const char *prefix = controller ? cli_json_get_text(controller, "prefix") : NULL;
  if (!prefix || strncmp(name, own, length) != 0) return name;
  snprintf(text, CLI_RESULT_NAME, "%.96s%s", prefix, name + length);
  return text;
}
