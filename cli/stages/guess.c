#include "optim/transcription/guess.h"
#include "cli/console/log.h"
#include "cli/stages/job.h"

#include <stdlib.h>
#include <unistd.h>

// the motion of another result folder
static int stored(cli_job *job, dm_trajectory *x, bool *same) {
  const char *from = job->args->from;
  dm_trajectory *y = NULL;
  cli_json *result = NULL;
  char *path = cli_join(from, "result.json");
  if (!path) return cli_fail(job->args, CLI_FAULT, "out of memory");
  int status =
      access(path, R_OK) == 0
          ? cli_open_result(job, from, &job->second, &result)
          : cli_fail(job->args, CLI_INPUT, "%s cannot be read: --from takes a result folder", path);
  free(path);
  if (status == CLI_DONE) status = cli_stored_motion(job, from, result, &y);
  if (status == CLI_DONE) {
    *same = y->N == x->N;
    if (job->task->free_time) x->h = y->h * y->N / x->N;
    oc_guess_resample(job->task, y, x);
  }
  dm_trajectory_free(y);
  json_object_put(result);
  return status;
}

// the motion of a coarser grid
static int refine(const cli_job *job, dm_trajectory *x) {
  const dm_trajectory *y = job->coarse;
  if (job->task->free_time) x->h = y->h * y->N / x->N;
  oc_guess_resample(job->task, y, x);
  return CLI_DONE;
}

int cli_guess(cli_job *job, dm_trajectory **guess, bool *same) {
  *same = false;
  dm_status s = pb_problem_guess(job->p, guess);
  if (s != DM_OK) return cli_fail(job->args, cli_exit_of(s), "%s", dm_status_text(s));
  if (job->coarse) return refine(job, *guess);
  int status = job->args->from ? stored(job, *guess, same) : CLI_DONE;
  if (status == CLI_DONE && job->args->start)
    oc_guess_wander(job->task, job->p->verify.seed, job->args->start, job->args->spread, *guess);
  return status;
}

int cli_start(cli_job *job, oc_solution *w, bool *same) {
  dm_trajectory *guess = NULL;
  bool line =
      job->p->guess.kind == PB_LINE && !job->coarse && !job->args->from && !job->args->start;

  // of second order a line is the cubic, which the solution knows
  int status = CLI_DONE;
  *same = false;
  if (!w->second || !line) status = cli_guess(job, &guess, same);
  dm_status s = status == CLI_DONE ? oc_solution_start(w, guess) : DM_OK;
  if (s < 0) status = cli_fail(job->args, cli_exit_of(s), "%s", dm_status_text(s));
  dm_trajectory_free(guess);
  return status;
}
