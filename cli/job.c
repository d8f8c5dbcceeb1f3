#define _XOPEN_SOURCE 700 // realpath
#include "cli/job.h"

#include "cli/say.h"
#include "config.h"

#include <errno.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

char *cli_join(const char *dir, const char *name) {
  size_t size = strlen(dir) + strlen(name) + 2;
  char *path = malloc(size);
  if (path) snprintf(path, size, "%s/%s", dir, name);
  return path;
}

void cli_tell(cli_job *job, const char *label, const char *format, ...) {
  fprintf(job->summary, "  %-13s ", label);
  va_list list;
  va_start(list, format);
  vfprintf(job->summary, format, list);
  va_end(list);
  fputc('\n', job->summary);
}

void cli_report_constraints(cli_job *job, double residual, int row, int knot) {
  int rows = job->task->system.hol.nc;
  if (!rows) return;
  const dm_holonomic *h = &job->task->system.hol;
  const char *name = h->row_name(h->self, row);
  cli_json *o = cli_json_object(job->result, "constraint");
  cli_json_int(o, "rows", rows);
  cli_json_number(o, "residual", residual);
  cli_json_text(o, "name", name);
  cli_json_int(o, "knot", knot);
  cli_tell(job, "constraints", "%d rows, off by at most %.2g (%s, knot %d)", rows, residual, name,
           knot);
}

FILE *cli_job_file(cli_job *job, const char *name) {
  FILE *f = cli_folder_file(&job->out, name, &job->msg);
  if (!f) cli_fail_status(job->args, DM_IO, &job->msg);
  return f;
}

static bool is_folder(const char *path) {
  struct stat st;
  return stat(path, &st) == 0 && S_ISDIR(st.st_mode);
}

// what a result folder says of itself
static int read_result(cli_job *job) {
  const char *dir = job->args->operand;
  char *path = cli_join(dir, "result.json");
  if (!path) return cli_fail(job->args, CLI_FAULT, "out of memory");
  int status = CLI_DONE;
  bool readable = access(path, R_OK) == 0;
  if (!readable && errno != ENOENT)
    status = cli_fail(job->args, CLI_INPUT, "%s cannot be read: %s", path, strerror(errno));
  else if (!readable)
    status = cli_fail(job->args, CLI_INPUT,
                      "%s is a folder without result.json: neither a problem file nor a result "
                      "folder",
                      dir);
  else if (!(job->result = json_object_from_file(path)) ||
           !cli_json_get_text(job->result, "problem"))
    status = cli_fail(job->args, CLI_INPUT, "%s is damaged: expected an object with a key problem",
                      path);
  free(path);
  return status;
}

// values that stood in place of the file's: of a sweep, or of the folder's making
static int replaced(cli_job *job, pb_replace list[CLI_VARY]) {
  const cli_args *args = job->args;
  cli_json *o = job->stored ? cli_json_get_object(job->result, "replaced") : NULL;
  int n = 0;
  if (args->nreplace) {
    o = cli_json_object(job->result, "replaced");
    for (; n < args->nreplace; n++)
      list[n] = args->replace[n], cli_json_text(o, list[n].path, list[n].text);
  } else if (o) {
    json_object_object_foreach(o, key, value) if (n < CLI_VARY) {
      const char *text = json_object_get_string(value);
      list[n++] = (pb_replace){key, text ? text : ""};
    }
  }
  return n;
}

static int read_problem(cli_job *job, const char *path) {
  pb_replace list[CLI_VARY];
  int n = replaced(job, list);
  dm_status s = pb_problem_vary(&job->p, path, list, n, &job->msg);
  if (s != DM_OK && job->stored)
    cli_note(job->args, "%s came from %s, which can no longer be read:", job->args->operand, path);
  if (s != DM_OK) return cli_fail_status(job->args, s, &job->msg);
  for (int i = 0; i < job->p->warnings.n; i++)
    cli_note(job->args, "warning: %s", job->p->warnings.text[i]);
  job->task = &job->p->task;
  const dm_system *sys = &job->task->system;
  job->names = (cli_names){.n = sys->L.nq,
                           .nu = sys->nu + sys->nk,
                           .nc = sys->hol.nc,
                           .coord = job->task->coord_name,
                           .input = job->p->input_name,
                           .row = job->p->row_name};
  const char *was = cli_json_get_text(job->result, "inputs_sha256");
  if (job->stored && (!was || strcmp(was, job->p->sha256)))
    cli_note(job->args,
             "%s has changed since %s was made; its motion is taken as it was, all else "
             "as the problem says now",
             path, job->args->operand);
  return CLI_DONE;
}

// -o, else the result folder itself, else results/NAME
static int choose_folder(cli_job *job, bool writes) {
  if (job->args->out)
    job->dir = strdup(job->args->out);
  else if (job->stored)
    job->dir = strdup(job->args->operand);
  else
    job->dir = cli_join("results", job->p->name);
  if (!job->dir) return cli_fail(job->args, CLI_FAULT, "out of memory");
  const char *dir = job->args->nowhere ? NULL : job->dir;
  dm_status s = writes ? cli_folder_open(&job->out, dir, &job->msg) : DM_OK;
  return s == DM_OK ? CLI_DONE : cli_fail_status(job->args, s, &job->msg);
}

// the operand is what the usage names: a problem file, a result folder, or either
static int check_operand(const cli_job *job) {
  const char *usage = job->args->command->usage, *operand = job->args->operand;
  bool folders = strncmp(usage, "DIR", 3) == 0 || strncmp(usage, "PROBLEM|DIR", 11) == 0;
  if (job->stored && !folders)
    return cli_fail(job->args, CLI_INPUT, "%s takes a problem file, %s is a folder",
                    job->args->command->name, operand);
  if (!job->stored && usage[0] == 'D')
    return cli_fail(job->args, CLI_INPUT, "%s takes a result folder; dmoc run %s makes one",
                    job->args->command->name, operand);
  return CLI_DONE;
}

int cli_job_open(cli_job *job, const cli_args *args, bool writes) {
  *job = (cli_job){.args = args, .stored = is_folder(args->operand)};
  job->summary = open_memstream(&job->summary_text, &job->summary_size);
  if (!job->summary) return cli_fail(args, CLI_FAULT, "out of memory");
  int status = check_operand(job);
  if (status == CLI_DONE && job->stored) status = read_result(job);
  if (status != CLI_DONE) return status;
  if (!job->result) job->result = json_object_new_object();
  status =
      read_problem(job, job->stored ? cli_json_get_text(job->result, "problem") : args->operand);
  if (status != CLI_DONE) return status;
  fprintf(job->summary, "%s\n", job->p->name);

  if (job->stored) return choose_folder(job, writes); // what its motion came from stays on record
  char *path = realpath(job->p->path, NULL);
  cli_json_text(job->result, "problem", path ? path : job->p->path);
  free(path);
  cli_json_text(job->result, "inputs_sha256", job->p->sha256);
  cli_json_text(job->result, "version", DMOC_VERSION);
  return choose_folder(job, writes);
}

void cli_forget(cli_job *job, const char *stage) {
  static const char *const files[][2] = {
      {"agreement", "second-order.csv"}, {"gains", "gains.csv"},
      {"gains", "estimator.csv"},        {"gains", "measured.csv"},
      {"verify", "verify.csv"},          {"verify", "fan.csv"},
      {"verify", "response.csv"},        {"verify", "robustness.csv"},
      {"verify", "region.csv"},          {"export", "controller.c"},
      {"export", "controller.h"},        {"export", "controller_trace.csv"},
      {"export", "controller_replay.c"}, {"linearization", "linearization.csv"},
      {"linearization", "second.csv"},   {"linearization", "reach.csv"}};
  for (size_t i = 0; i < sizeof files / sizeof *files; i++)
    if (!stage || !strcmp(files[i][0], stage)) cli_folder_remove(&job->out, files[i][1]);
}

int cli_stage(cli_job *job, const char *stage, int status) {
  if (status == CLI_DONE || status == CLI_OUTCOME || job->stored) return status;
  job->finished = true;
  cli_forget(job, stage);
  if (!strcmp(stage, "gains")) cli_forget(job, "verify");
  if (strcmp(stage, "linearization")) cli_forget(job, "export");
  cli_json *o = cli_json_object(job->result, stage);
  cli_json_text(o, "status", "failed");
  cli_json_int(o, "exit", status);
  cli_tell(job, stage, "failed");
  return status;
}

// result.json and the renaming of all; then the summary
static int write_all(cli_job *job) {
  FILE *f = cli_job_file(job, "result.json");
  if (!f) return CLI_INPUT;
  fprintf(f, "%s\n", cli_json_pretty(job->result));
  dm_status s = cli_folder_commit(&job->out, &job->msg);
  if (s != DM_OK) return cli_fail_status(job->args, s, &job->msg);
  cli_tell(job, "written", "%s", job->dir);
  return CLI_DONE;
}

int cli_job_close(cli_job *job, int status) {
  bool writes = job->out.dir[0] != 0;
  bool failed = status == CLI_INPUT || status == CLI_FAULT;
  if (!failed || job->finished) {
    int written = writes ? write_all(job) : CLI_DONE;
    if (written != CLI_DONE)
      status = written;
    else if (job->args->silent)
      ; // whoever asked has the result
    else if (!job->args->json && fflush(job->summary) == 0)
      fputs(job->summary_text, stdout);
    else if (!failed) // else the object that says why is there already
      cli_json_print(job->result);
    if (failed && written == CLI_DONE)
      cli_error("what was finished before that is in %s", job->dir);
  }
  if (writes) cli_folder_discard(&job->out);
  if (job->summary) fclose(job->summary);
  free(job->summary_text);
  json_object_put(job->result);
  dm_trajectory_free(job->x);
  fb_measure_free(job->law);
  fb_schedule_free(job->sampled);
  fb_estimator_free(job->estimator);
  fb_schedule_free(job->f);
  pb_problem_free(job->p);
  free(job->dir);
  return status;
}

int cli_stored_motion(cli_job *job, const char *dir, const cli_json *result, dm_trajectory **x) {
  char *path = cli_join(dir, "trajectory.csv");
  if (!path) return cli_fail(job->args, CLI_FAULT, "out of memory");
  dm_status s = cli_trajectory_read(x, path, &job->names, &job->msg);
  int steps = cli_json_get_int(result, "steps", -1);
  int every = cli_json_get_int(result, "every", 1), kept = every > 0 ? steps / every : -1;
  if (s == DM_OK && (steps < 0 || every < 1))
    s = dm_fail(&job->msg, DM_BAD_INPUT, "%s/result.json: found no number of steps, expected one",
                dir);
  else if (s == DM_OK && (*x)->N != kept)
    s = dm_fail(&job->msg, DM_BAD_INPUT,
                "%s is damaged: found %d knots, expected %d by the result.json beside it", path,
                (*x)->N + 1, kept + 1);
  free(path);
  return s == DM_OK ? CLI_DONE : cli_fail_status(job->args, s, &job->msg);
}

int cli_read_motion(cli_job *job) {
  return cli_stored_motion(job, job->args->operand, job->result, &job->x);
}
