#include "cli/commands/commands.h"
#include "cli/console/log.h"
#include "cli/report/page.h"
#include "cli/stages/alone.h"

#include <stdlib.h>

// folders on one page, and for whom
typedef struct reported {
  const cli_args *args;
  cli_exhibits all;
} reported;

static int write_page(const void *self, FILE *f) {
  const reported *w = self;
  const dm_status s = cli_page_write(f, &w->all);
  if (s == DM_OK) return CLI_DONE;
  return cli_fail_status(w->args, s, &w->all.at[0]->job.msg);
}

// result folders alone
static int check_folders(const reported *w) {
  for (int i = 0; i < w->all.n; i++)
    if (!w->all.at[i]->folder)
      return cli_fail(w->args, CLI_INPUT, "%s is a table: a report is of result folders",
                      w->all.at[i]->path);
  return CLI_DONE;
}

static int place_page(reported *w) {
  dm_status s = cli_exhibits_name(&w->all, NULL);
  if (s != DM_OK) return cli_fail_status(w->args, s, NULL);

  // in the folder, of several in the first
  cli_job *job = &w->all.at[0]->job;
  char *own = w->args->out ? NULL : cli_join(w->all.at[0]->path, "report.html");
  const char *out = w->args->out ? w->args->out : own;
  if (!out) return cli_fail(w->args, CLI_FAULT, "out of memory");
  const int status = cli_alone_write(w->args, out, write_page, w);
  if (status == CLI_DONE) {
    cli_tell_path(job, "report", out);
    cli_json_text(job->result, "report", out);
  }
  free(own);
  return status;
}

static int report_folders(const cli_args *args) {
  reported w = {.args = args};
  int status = cli_exhibits_open(&w.all, args, NULL);
  if (status == CLI_DONE) status = check_folders(&w);
  if (status == CLI_DONE) status = place_page(&w);

  // the first says what was done
  for (int i = w.all.n - 1; i >= 0; i--) {
    cli_job *job = &w.all.at[i]->job;
    const int closed = job->args ? cli_job_close(job, status) : status;
    if (i == 0) status = closed;
  }
  cli_exhibits_free(&w.all);
  return status;
}

const cli_command cli_command_report = {
    .name = "report",
    .what = "a page for the browser: the robot moving, its curves, what was found",
    .usage = "DIR... [-o FILE.html]",
    .run = report_folders,
};
