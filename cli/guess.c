#include "optim/guess.h"
#include "cli/job.h"
#include "cli/say.h"

#include <stdlib.h>

// the motion of another result folder
static int stored(cli_job *job, dm_trajectory *x, bool *same) {
  char *path = cli_join(job->args->from, "result.json");
  if (!path) return cli_fail(job->args, CLI_FAULT, "out of memory");
  dm_trajectory *y = NULL;
  cli_json *result = json_object_from_file(path);
  int status = result ? cli_stored_motion(job, job->args->from, result, &y)
                      : cli_fail(job->args, CLI_INPUT,
                                 "%s cannot be read: --from takes a result folder", path);
  if (status == CLI_DONE) {
    *same = y->N == x->N;
    if (job->task->free_time) x->h = y->h * y->N / x->N;
    oc_guess_resample(job->task, y, x);
  }
  dm_trajectory_free(y);
  json_object_put(result);
  free(path);
  return status;
}

int cli_guess(cli_job *job, dm_trajectory **guess, bool *same) {
  *same = false;
  dm_status s = pb_problem_guess(job->p, guess);
  if (s != DM_OK) return cli_fail(job->args, cli_exit_of(s), "%s", dm_status_text(s));
  return job->args->from ? stored(job, *guess, same) : CLI_DONE;
}
