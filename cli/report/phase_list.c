#include "cli/report/phase_list.h"

#include "cli/console/log.h"
#include "cli/stages/call.h"

#include <stdlib.h>
#include <string.h>

// The folder of a phase, to be freed; NULL: its name is not one of a folder in a result folder.
static char *find_phase(const char *dir, const char *name) {
  char file[CLI_NAME];
  if (!name || strchr(name, '/') || strlen(name) > CLI_NAME / 2) return NULL;
  snprintf(file, sizeof file, "%s/result.json", name);
  return cli_commit_inside(file) ? cli_join(dir, name) : NULL;
}

int cli_phase_list_read(cli_phase_list *out, const cli_args *args, const char *dir) {
  cli_json *phases = NULL, *result;
  dm_message msg;
  *out = (cli_phase_list){.folder = {.fd = -1}};
  if (!cli_folder_has_result(dir, false)) return CLI_DONE;
  if (cli_folder_hold(&out->folder, dir, false, true, &msg) != DM_OK)
    return cli_fail_status(args, DM_IO, &msg);
  const pb_file file = pb_file_in(&out->folder, "result.json");
  const dm_status s = cli_json_read(&result, &file, &msg);
  if (s != DM_OK || !json_object_object_get_ex(result, "phases", &phases)) {
    json_object_put(result);
    pb_folder_close(&out->folder);
    return CLI_DONE;
  }
  out->whole = result;

  // folders of their names
  const int n = (int)json_object_array_length(phases);
  double begin = 0;
  for (int i = 0; i < n && i < CLI_OPERANDS; i++) {
    const cli_json *phase = json_object_array_get_idx(phases, (size_t)i);
    const char *name = cli_json_get_text(phase, "name");
    out->dir[i] = find_phase(dir, name);
    if (!out->dir[i])
      return cli_fail(args, CLI_INPUT,
                      "%s is damaged: expected the name of a folder for each phase", file.path);
    out->name[i] = name;
    out->begin[i] = begin;
    begin += cli_json_get_number(phase, "time", 0);
    out->n++;
  }
  return CLI_DONE;
}

void cli_phase_list_free(cli_phase_list *list) {
  for (int i = 0; i < list->n; i++) free(list->dir[i]);
  json_object_put(list->whole);
  if (list->whole) pb_folder_close(&list->folder);
  *list = (cli_phase_list){.folder = {.fd = -1}};
}
