#include "cli/report/study.h"

#include "cli/report/tables_of.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { LONGEST = 1 << 23 }; // maximum size of a text in bytes

static const char sweep[] = "sweep.csv";

static bool is_folder(const char *path) {
  struct stat st;
  return stat(path, &st) == 0 && S_ISDIR(st.st_mode);
}

static const char *find_ending(const char *path) {
  const char *slash = strrchr(path, '/'), *dot = strrchr(path, '.');
  return dot && (!slash || dot > slash) ? dot : "";
}

// -- files

static void put_odd(cli_json *o, const char *path, const char *why) {
  char text[512];
  cli_json *odd = json_object_new_array();
  snprintf(text, sizeof text, "%.250s: %.250s", path, why);
  json_object_array_add(odd, json_object_new_string(text));
  json_object_object_add(o, "odd", odd);
}

static dm_status put_lines(cli_json *o, const pb_file *file) {
  dm_message why = {""};

  // read a file up to the maximum size, terminated by a zero, to be freed; NULL with the reason in
  // why
  FILE *f = pb_file_open(file, PB_LARGEST_TABLE, &why);
  char *text = f ? malloc(LONGEST + 1) : NULL;
  if (text) text[fread(text, 1, LONGEST, f)] = 0;
  if (f) fclose(f);

  if (text)
    cli_json_text(o, "text", text);
  else
    put_odd(o, file->path, why.text);
  free(text);
  return DM_OK;
}

static dm_status put_value(cli_json *o, const pb_file *file) {
  dm_message why = {"found no JSON, expected a value"};
  FILE *f = pb_file_open(file, PB_LARGEST_FILE, &why);
  cli_json *value = f ? json_object_from_fd(fileno(f)) : NULL;
  if (f) fclose(f);
  if (value)
    json_object_object_add(o, "json", value);
  else
    put_odd(o, file->path, why.text);
  return DM_OK;
}

static dm_status put_csv(cli_json *o, const pb_file *file) {
  const char *slash = strrchr(file->path, '/');
  return cli_table_of(o, slash ? slash + 1 : file->path, file);
}

// readers by file extension
static const struct {
  const char *ending;
  dm_status (*put)(cli_json *o, const pb_file *file);
} kinds[] = {{".csv", put_csv}, {".json", put_value}, {".txt", put_lines}, {".log", put_lines}};

enum { KINDS = sizeof kinds / sizeof *kinds };

bool cli_is_study(const char *path) {
  if (is_folder(path)) return cli_is_sweep(path);
  for (int i = 0; i < KINDS; i++)
    if (!strcmp(find_ending(path), kinds[i].ending)) return access(path, R_OK) == 0;
  return false;
}

dm_status cli_study_of(cli_json *obj, const char *path) {
  const char *slash = strrchr(path, '/');
  cli_json_text(obj, "study", slash && slash[1] ? slash + 1 : path);
  if (is_folder(path)) {
    // the table of a sweep
    pb_folder at;
    dm_message why;
    if (pb_folder_open(&at, path, false, &why) != DM_OK) {
      put_odd(obj, path, why.text);
      return DM_OK;
    }
    const pb_file table = pb_file_in(&at, sweep);
    const dm_status s = put_csv(obj, &table);
    pb_folder_close(&at);
    return s;
  }
  const pb_file file = pb_file_at(path);
  for (int i = 0; i < KINDS; i++)
    if (!strcmp(find_ending(path), kinds[i].ending)) return kinds[i].put(obj, &file);
  return DM_OK;
}

char *cli_study_page(const char *path, const char *name) {
  if (is_folder(path)) return cli_join(path, name);
  const size_t length = strlen(path) - strlen(find_ending(path)), size = length + sizeof ".html";
  char *page = malloc(size);
  if (page) snprintf(page, size, "%.*s.html", (int)length, path);
  return page;
}
