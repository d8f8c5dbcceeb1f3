#include "cli/results/registry.h"

#include <string.h>

#define CLI_LIST_FILE(word) &cli_file_##word,
const cli_result_file *const cli_result_files[CLI_FILES] = {CLI_RESULT_FILES(CLI_LIST_FILE)};

int cli_result_find(const char *name) {
  for (int i = 0; i < CLI_FILES; i++)
    if (!strcmp(cli_result_files[i]->name, name)) return i;
  return -1;
}
