#include "cli/results/columns.h"

#include "cli/results/registry.h"

#include <assert.h>
#include <stdarg.h>
#include <string.h>

const cli_result_file cli_file_columns = {"columns.txt", "motion", .columns = NULL};

void cli_columns_describe(cli_json *result, const char *table, const char *format, ...) {
  assert(cli_result_find(table) >= 0);

  // the description that is specific to this result
  char text[800];
  va_list list;
  va_start(list, format);
  vsnprintf(text, sizeof text, format, list);
  va_end(list);

  // stored by table name in result.json, because later commands rewrite columns.txt
  cli_json *said = cli_json_get_object(result, "columns");
  if (!said) said = cli_json_object(result, "columns");
  cli_json_text(said, table, text);
}

// whether the folder contains the table, now or after the commit
static bool has_table(const cli_folder *out, bool kept, const char *table) {
  if (cli_folder_begun(out, table)) return true;
  if (!kept || cli_folder_removed(out, table)) return false;
  const pb_file file = pb_file_in(&out->at, table);
  return pb_file_there(&file);
}

// wrap lines at 96 characters, indented
static void put_paragraph(FILE *f, const char *text) {
  enum { WIDTH = 96 };
  while (*text) {
    size_t length = strlen(text), cut = length;

    // break at a space, or if there is none after the first character
    if (length > WIDTH)
      for (cut = WIDTH; cut > 1 && text[cut] != ' ';) cut--;
    fprintf(f, "  %.*s\n", (int)cut, text);
    text += cut;
    text += *text == ' ';
  }
}

// the result's own description, then the general one
static void put_description(FILE *f, const cli_result_file *file, const char *name,
                            const char *own) {
  fprintf(f, "\n%s\n", name);
  if (own) put_paragraph(f, own);
  put_paragraph(f, file->columns);
}

void cli_columns_write(FILE *f, cli_json *result, const cli_folder *out, bool kept) {
  // only existing tables, part by part; descriptions of removed tables are dropped
  cli_json *own = cli_json_get_object(result, "columns");
  fputs("The tables beside this file. Each begins with the names of its columns; a cell is empty "
        "where\nthere is no number. SI units, angles in rad.\n",
        f);
  for (int part = 0; part < CLI_PARTS; part++)
    for (int i = 0; i < CLI_FILES; i++) {
      const cli_result_file *file = cli_result_files[i];
      if (!file->columns || file->part != (cli_part)part) continue;
      char text[CLI_RESULT_NAME];
      const char *name = cli_result_name(file->name, result, text);
      if (has_table(out, kept, name))
        put_description(f, file, name, own ? cli_json_get_text(own, file->name) : NULL);
      else if (own)
        json_object_object_del(own, file->name);
    }
}
