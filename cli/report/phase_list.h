// cli/report/phase_list.h: the result folders that make up one motion: a folder, or those of its
// phases, each from where the one before it ends.
#ifndef CLI_REPORT_PHASE_LIST_H
#define CLI_REPORT_PHASE_LIST_H
#include "cli/console/command.h"
#include "cli/console/json.h"

typedef struct cli_phase_list {
  cli_json *whole;  // result.json of the folder with phases; NULL: the folder has none, and n is 0
  pb_folder folder; // that folder, held; closed where whole is NULL
  int n;
  char *dir[CLI_OPERANDS];        // [n] their folders
  const char *name[CLI_OPERANDS]; // [n] of phases, in `whole`
  double begin[CLI_OPERANDS];     // [n] s
} cli_phase_list;

// The phases of a result folder, by its result.json; what cannot be read has none. Returns CLI_DONE,
// or CLI_INPUT or CLI_FAULT after saying why; the list is to be freed in any case.
int cli_phase_list_read(cli_phase_list *out, const cli_args *args, const char *dir);
void cli_phase_list_free(cli_phase_list *list);
#endif
