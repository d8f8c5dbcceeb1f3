#include "cli/commands/commands.h"
#include "cli/console/log.h"
#include "cli/report/page.h"
#include "cli/stages/alone.h"

#include <stdlib.h>

// folders on one page, and for whom
typedef struct reported {
  cli_args args; // its operands: those of the command line, or the phases of one of them
  char *phase[CLI_OPERANDS];
  double begin[CLI_OPERANDS]; // s
  cli_json *whole;            // result.json of the folder with phases
  cli_exhibits all;
} reported;

static int write_page(const void *self, FILE *f) {
  const reported *w = self;
  const cli_page page = {.all = &w->all, .begin = w->begin, .whole = w->whole};
  const dm_status s = cli_page_write(f, &page);
  if (s == DM_OK) return CLI_DONE;
  return cli_fail_status(&w->args, s, &w->all.at[0]->job.msg);
}

// the phases of a folder in its place, each from where the one before it ends
static int take_phases(reported *w, const char *dir) {
  cli_json *phases = NULL;
  dm_message msg;
  char *path = cli_join(dir, "result.json");
  if (!path) return cli_fail(&w->args, CLI_FAULT, "out of memory");
  cli_json *result = cli_json_read(path, &msg);
  free(path);
  if (!result || !json_object_object_get_ex(result, "phases", &phases)) {
    json_object_put(result);
    return CLI_DONE;
  }
  w->whole = result;
  if (w->args.operands.n > 1)
    return cli_fail(&w->args, CLI_INPUT,
                    "%s has phases: a report of it is of nothing else; take the folders of phases",
                    dir);

  // folders of their names
  const int n = (int)json_object_array_length(phases);
  double begin = 0;
  w->args.operands.n = 0;
  for (int i = 0; i < n && i < CLI_OPERANDS; i++) {
    const cli_json *phase = json_object_array_get_idx(phases, (size_t)i);
    const char *name = cli_json_get_text(phase, "name");
    w->phase[i] = name ? cli_join(dir, name) : NULL;
    if (!w->phase[i]) return cli_fail(&w->args, CLI_INPUT, "%s/result.json is damaged", dir);
    w->args.operands.word[w->args.operands.n++] = w->phase[i];
    w->begin[i] = begin;
    begin += cli_json_get_number(phase, "time", 0);
  }
  return CLI_DONE;
}

// result folders alone
static int check_folders(const reported *w) {
  for (int i = 0; i < w->all.n; i++)
    if (!w->all.at[i]->folder)
      return cli_fail(&w->args, CLI_INPUT, "%s is a table: a report is of result folders",
                      w->all.at[i]->path);
  return CLI_DONE;
}

static int place_page(reported *w) {
  dm_status s = cli_exhibits_name(&w->all, NULL);
  if (s != DM_OK) return cli_fail_status(&w->args, s, NULL);

  // in the folder, of several in the first
  cli_job *job = &w->all.at[0]->job;
  char *own = w->args.out ? NULL : cli_join(w->args.operand, "report.html");
  const char *out = w->args.out ? w->args.out : own;
  if (!out) return cli_fail(&w->args, CLI_FAULT, "out of memory");
  const int status = cli_alone_write(&w->args, out, write_page, w);
  if (status == CLI_DONE) {
    cli_tell_path(job, "report", out);
    cli_json_text(job->result, "report", out);
  }
  free(own);
  return status;
}

static int report_folders(const cli_args *args) {
  reported w = {.args = *args};
  int status = take_phases(&w, args->operand);
  if (status == CLI_DONE) status = cli_exhibits_open(&w.all, &w.args, NULL);
  if (status == CLI_DONE) status = check_folders(&w);
  if (status == CLI_DONE) status = place_page(&w);

  // the first says what was done
  for (int i = w.all.n - 1; i >= 0; i--) {
    cli_job *job = &w.all.at[i]->job;
    const int closed = job->args ? cli_job_close(job, status) : status;
    if (i == 0) status = closed;
  }
  cli_exhibits_free(&w.all);
  for (int i = 0; i < CLI_OPERANDS; i++) free(w.phase[i]);
  json_object_put(w.whole);
  return status;
}

const cli_command cli_command_report = {
    .name = "report",
    .what = "a page for the browser: the robot moving, its curves, what was found",
    .usage = "DIR... [-o FILE.html]",
    .run = report_folders,
    .phases = true,
};
