#include "cli/job.h"
#include "cli/say.h"

#include <string.h>

// what holds the place
static void report(cli_job *job) {
  const dm_trajectory *x = job->x;
  cli_json *o = cli_json_object(job->result, "equilibrium"), *u = cli_json_object(o, "u");
  char text[400] = "";
  size_t used = 0;
  cli_json *q = cli_json_object(o, "q");
  for (int i = 0; i < x->n; i++) cli_json_number(q, job->names.coord[i], x->q[i]);
  for (int j = 0; j < x->nu; j++) cli_json_number(u, job->names.input[j], x->u[j]);
  for (int j = 0; j < job->task->system.nu && used < sizeof text - 100; j++)
    used += (size_t)snprintf(text + used, sizeof text - used, "%s%.48s %.4g", used ? ", " : "",
                             job->names.input[j], x->u[j]);
  cli_tell(job, "rest", "for %g s; held by %s", x->N * x->h, used ? text : "nothing but its place");
}

int cli_balance(cli_job *job) {
  const dm_trajectory *rest = job->p->rest;
  dm_status s = dm_trajectory_of(&job->x, rest->N, &job->task->system);
  if (s != DM_OK) return cli_fail(job->args, cli_exit_of(s), "%s", dm_status_text(s));
  dm_trajectory_copy(job->x, rest);
  cli_forget(job, NULL);
  FILE *f = cli_job_file(job, "trajectory.csv");
  if (!f) return CLI_INPUT;
  cli_trajectory_write(f, &job->names, job->x);
  static const char *const others[] = {"multipliers.csv", "convergence.csv", "descent.csv"};
  for (size_t i = 0; i < 3; i++) cli_folder_remove(&job->out, others[i]);
  cli_json_text(job->result, "status", "done");
  cli_json_int(job->result, "steps", rest->N);
  report(job);
  return cli_certify(job, true);
}
