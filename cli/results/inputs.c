#include "cli/results/inputs.h"

#include "problems/readers/format/sources.h"

#include <string.h>

dm_status cli_inputs_put(cli_folder *out, const pb_problem *p, cli_json *result, dm_message *msg) {
  // the problem file and all files it names, under plain names
  char copy[PB_COPY_NAME], name[PB_COPY_NAME + 8];
  for (const pb_source *s = p->file.sources; s; s = s->next) {
    pb_copy_name(s->name, copy);
    snprintf(name, sizeof name, "inputs/%s", copy);
    if (s == p->file.sources) cli_json_text(result, "problem_copy", name);
    if (cli_folder_begun(out, name)) continue; // read twice
    FILE *f = cli_folder_file(out, name, msg);
    if (!f) return DM_IO;
    fwrite(s->bytes, 1, s->size, f);
  }

  // remove inputs of an earlier result
  cli_json *files = cli_json_get_object(result, "files");
  if (!files) return DM_OK;
  json_object_object_foreach(files, old, value) {
    (void)value;
    bool input = strncmp(old, "inputs/", 7) == 0 && cli_commit_inside(old);
    if (input && !cli_folder_begun(out, old)) cli_folder_remove(out, old);
  }
  return DM_OK;
}

// whether an existing file has different content
static bool has_other_bytes(const char *path, const pb_source *s) {
  const pb_file file = pb_file_at(path);
  FILE *f = pb_file_open(&file, PB_LARGEST_FILE, NULL);
  if (!f) return false;

  // compare until the first difference
  char buffer[1 << 14];
  size_t at = 0, n;
  bool same = true;
  while (same && (n = fread(buffer, 1, sizeof buffer, f)) > 0) {
    same = n <= s->size - at && memcmp(buffer, s->bytes + at, n) == 0;
    at += n;
  }
  bool whole = !ferror(f);
  fclose(f);
  return whole && !(same && at == s->size);
}

bool cli_inputs_changed(const pb_problem *p, const char *path) {
  char file[CLI_PATH];
  const char *slash = strrchr(path, '/');

  int folder = slash ? (int)(slash - path) + 1 : 0;

  // names are relative to the problem's folder unless absolute
  for (const pb_source *s = p->file.sources; s; s = s->next) {
    // the problem file by its current name, others by the name in the problem
    bool whole = s->name[0] == '/';
    const char *name = s == p->file.sources ? path + folder : s->name;
    snprintf(file, sizeof file, "%.*s%s", whole ? 0 : folder, path, name);
    if (has_other_bytes(file, s)) return true;
  }
  return false;
}
