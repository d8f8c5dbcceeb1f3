#include "cli/pictures/phase_list.h"

#include "cli/console/log.h"
#include "cli/stages/job.h"

#include <stdlib.h>

int cli_phase_list_read(cli_phase_list *out, const cli_args *args, const char *dir) {
  cli_json *phases = NULL, *result;
  dm_message msg;
  *out = (cli_phase_list){0};
  char *path = cli_join(dir, "result.json");
  if (!path) return cli_fail(args, CLI_FAULT, "out of memory");
  const dm_status s = cli_json_read(&result, path, &msg);
  free(path);
  if (s != DM_OK || !json_object_object_get_ex(result, "phases", &phases)) {
    json_object_put(result);
    return CLI_DONE;
  }
  out->whole = result;

  // folders of their names
  const int n = (int)json_object_array_length(phases);
  double begin = 0;
  for (int i = 0; i < n && i < CLI_OPERANDS; i++) {
    const cli_json *phase = json_object_array_get_idx(phases, (size_t)i);
    const char *name = cli_json_get_text(phase, "name");
    out->dir[i] = name ? cli_join(dir, name) : NULL;
    if (!out->dir[i]) return cli_fail(args, CLI_INPUT, "%s/result.json is damaged", dir);
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
  *list = (cli_phase_list){0};
}
