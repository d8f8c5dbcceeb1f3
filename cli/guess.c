#include "optim/guess.h"
#include "cli/job.h"
#include "cli/say.h"

#include <stdlib.h>

// the motion of another result folder
static int stored(cli_job *job, dm_trajectory *x, bool *same) {
  char *path = cli_join(job->args->from, "trajectory.csv");
  if (!path) return cli_fail(job->args, CLI_FAULT, "out of memory");
  dm_trajectory *y = NULL;
  dm_status s = cli_trajectory_read(&y, path, &job->names, &job->msg);
  free(path);
  if (s != DM_OK) return cli_fail_status(job->args, s, &job->msg);
  *same = y->N == x->N;
  if (job->task->free_time) x->h = y->h * y->N / x->N;
  oc_guess_resample(y, x);
  dm_trajectory_free(y);
  return CLI_DONE;
}

int cli_guess(cli_job *job, dm_trajectory **guess, bool *same) {
  *same = false;
  dm_status s = pb_problem_guess(job->p, guess);
  if (s != DM_OK) return cli_fail(job->args, cli_exit_of(s), "%s", dm_status_text(s));
  return job->args->from ? stored(job, *guess, same) : CLI_DONE;
}
