#include "cli/results/registry.h"

#include <stdio.h>
#include <stdlib.h>
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

void cli_table_columns(FILE *f, const cli_result_file *of, const pb_names *names) {
  fputs(of->first, f);
  if (of->header) of->header(f, names);
}

void cli_table_begin(FILE *f, const cli_result_file *of, const pb_names *names) {
  cli_table_columns(f, of, names);
  fputc('\n', f);
}

dm_status cli_table_read_columns(cli_table *table, const pb_file *file, const cli_result_file *of,
                                 const pb_names *names, bool more, dm_message *msg) {
  char *text = NULL;
  size_t size;
  FILE *f = open_memstream(&text, &size);
  if (!f) return dm_fail(msg, DM_NO_MEMORY, "%s: out of memory", file->path);

  // expect the columns that the writer would write
  cli_table_columns(f, of, names);
  dm_status s = fclose(f) ? dm_fail(msg, DM_NO_MEMORY, "%s: out of memory", file->path) : DM_OK;
  if (s == DM_OK) s = cli_table_read(table, file, text, NULL, more, msg);
  free(text);
  return s;
}

bool cli_result_is_read(const cli_result_file *of) {
  return of->read || of->kind != CLI_NOT_READ;
}

dm_status cli_result_read(const cli_result_file *of, cli_table *table, const pb_file *file,
                          const cli_table_source *from, dm_message *msg) {
  if (of->only && !json_object_object_get_ex(from->result, of->only, NULL)) return DM_OK;
  if (of->read) return of->read(table, file, from, msg);
  DM_TRY(cli_table_read_columns(table, file, of, from->names, false, msg));
  if (of->kind == CLI_ROWS) return DM_OK;
  return cli_table_check_knots(table, of->kind == CLI_RUNS, file->path, msg);
}
