#include "cli/commands/commands.h"
#include "cli/commands/stages.h"
#include "cli/console/interrupt.h"
#include "cli/console/log.h"
#include "cli/mpi/work_sharing.h"
#include "cli/stages/job.h"
#include "cli/stages/score.h"
#include "control/loop/evolution.h"
#include "problems/readers/task/tunables.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

typedef struct tuning {
  const cli_args *args;
  cli_job *job; // of the file as it is, for the summary
  pb_tunables *t;
  fb_evolution *search;
  cli_progress progress;
  double begun, before; // s; the score of the file as it is
  char why[512];        // of the last try that failed
} tuning;

static double find_elapsed(const tuning *w) {
  return cli_clock() - w->begun;
}

static bool watch_levels(void *self, int done) {
  tuning *w = self;
  (void)done;
  if (!isfinite(w->search->value)) {
    cli_progress_show(&w->progress, "tune: the file as it is, %.0f s", find_elapsed(w));
    return true;
  }
  cli_progress_show(&w->progress, "tune: try %d of %d, %.0f of %.0f s, score %.3f (at first %.3f)",
                    w->search->tries, w->t->tries, find_elapsed(w), w->t->time, w->search->value,
                    w->before);
  return true;
}

// the numbers of the search's child in place of the file's; text holds them
static void replace_numbers(const tuning *w, pb_replace *list, char (*text)[32]) {
  for (int i = 0; i < w->t->n; i++)
    list[i] = (pb_replace){w->t->number[i].path, pb_tunables_value(w->t, i, w->search->y, text[i])};
}

// the score of the child: the file's motion and law with its numbers; -INFINITY where there is none
static double score_child(tuning *w) {
  pb_replace list[CLI_TUNED];
  char text[CLI_TUNED][32], lost[256];
  cli_args args = *w->args;
  cli_job job;
  cli_score score;
  double value = -INFINITY;
  replace_numbers(w, list, text);

  // nothing is written or said; an error is the child's own
  args.out = NULL;
  args.replace = list;
  args.nreplace = w->t->n;
  args.nowhere = args.silent = args.quiet = args.waits = true;
  args.json = false;
  cli_hush(w->why, sizeof w->why);
  int status = cli_job_open(&job, &args, true);
  if (status == CLI_DONE) status = cli_walk(&job, CLI_TO_GAINS);
  if (status == CLI_DONE &&
      cli_score_run(&score, &job, w->search->value, watch_levels, w, lost) == DM_OK) {
    value = score.score;
    cli_score_free(&score);
  }
  cli_job_close(&job, status);
  cli_hush(NULL, 0);
  return value;
}

// whether to go on: what rank 0 says
static bool goes_on(tuning *w) {
  bool on = w->search->tries <= w->t->tries && find_elapsed(w) < w->t->time && !cli_interrupted();
  return cli_work_broadcast(&on, sizeof on) == DM_OK && on;
}

static int search_numbers(tuning *w) {
  // the file as it is
  w->before = score_child(w);
  fb_evolution_tell(w->search, w->before);
  if (!isfinite(w->before))
    return cli_fail(w->args, CLI_OUTCOME, "the file as it is has no score to begin from%s%s",
                    w->why[0] ? ": " : "", w->why);

  // children, until the tries or the time are used up; what is found so far is kept
  cli_interrupt_worth(CLI_ALL);
  while (goes_on(w)) {
    fb_evolution_propose(w->search);
    if (!fb_evolution_tell(w->search, score_child(w)) || cli_work_this() > 0) continue;
    cli_progress_end(&w->progress);
    cli_note(w->args, "tune: score %.3f at try %d", w->search->value, w->search->tries - 1);
  }
  cli_progress_end(&w->progress);
  return CLI_DONE;
}

// FILE-tuned.yaml beside the file; to be freed
static char *name_tuned_file(const cli_args *args) {
  static const char tail[] = "-tuned.yaml";
  if (args->out) return strdup(args->out);
  const char *end = strrchr(args->operand, '.');
  size_t stem = end ? (size_t)(end - args->operand) : strlen(args->operand);
  char *path = malloc(stem + sizeof tail);
  if (!path) return NULL;
  memcpy(path, args->operand, stem);
  memcpy(path + stem, tail, sizeof tail);
  return path;
}

static int write_tuned_file(tuning *w) {
  char *path = name_tuned_file(w->args);
  if (!path) return cli_fail(w->args, CLI_FAULT, "out of memory");
  FILE *f = fopen(path, "w");
  if (f) pb_tunables_write(w->t, w->search->x, f);
  bool failed = !f || ferror(f);
  if (f) failed |= fclose(f) != 0;
  int status = CLI_DONE;
  if (failed)
    status = cli_fail(w->args, CLI_INPUT, "%s cannot be written: %s", path, strerror(errno));
  else
    cli_tell_path(w->job, "written", path);
  free(path);
  return status;
}

// what it gained, and by which numbers
static void report_tuning(tuning *w) {
  cli_job *job = w->job;
  char text[32];
  cli_tell(job, "tuned", "score %.3f, at first %.3f, after %d tries, %.0f s", w->search->value,
           w->before, w->search->tries - 1, find_elapsed(w));
  cli_json *o = cli_json_object(job->result, "tuned");
  cli_json_number(o, "before", w->before);
  cli_json_number(o, "score", w->search->value);
  cli_json_int(o, "tries", w->search->tries - 1);
  cli_json_int(o, "seed", (long long)w->t->seed);
  cli_json *values = cli_json_object(o, "values");
  for (int i = 0; i < w->t->n; i++) {
    const pb_tunable *n = &w->t->number[i];
    cli_json_text(values, n->path, pb_tunables_value(w->t, i, w->search->x, text));
    cli_tell(job, "", "%-28s %10s (was %s)", n->path, text, n->written);
  }
}

static int tune_job(tuning *w) {
  cli_job *job = w->job;
  const pb_problem *p = job->p;
  if (!p->has_feedback || !p->verify.ncriteria)
    return cli_fail(
        w->args, CLI_INPUT,
        "%s: found no verify.criteria to tune by, expected rows (docs/problem-format.md)", p->path);
  dm_status s = pb_tunables_read(&w->t, w->args->operand, &job->msg);
  if (s == DM_OK) s = fb_evolution_new(&w->search, w->t->factors, w->t->seed, w->t->step);
  if (s != DM_OK) return cli_fail_status(w->args, s, &job->msg);
  int status = search_numbers(w);
  if (status != CLI_DONE) return status;
  report_tuning(w);
  return cli_work_this() == 0 ? write_tuned_file(w) : CLI_DONE;
}

static int tune_problem(const cli_args *args) {
  cli_job job;
  tuning w = {.args = args, .job = &job, .progress = cli_progress_of(args), .begun = cli_clock()};
  int status = cli_job_open(&job, args, false);
  if (status == CLI_DONE && job.stored)
    status =
        cli_fail(args, CLI_INPUT, "tune takes a problem file, but %s is a folder", args->operand);
  if (status == CLI_DONE) status = tune_job(&w);
  fb_evolution_free(w.search);
  pb_tunables_free(w.t);
  return cli_job_close(&job, status);
}

const cli_command cli_command_tune = {
    .name = "tune",
    .what = "search weights, duration and headroom for the best score of verify.criteria",
    .usage = "PROBLEM [-o TUNED]",
    .run = tune_problem,
    .shares = true,
};
